package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// dependents is an object whose field a requires b and forbids c.
type dependents struct{ a, b, c, other bool }

func (d dependents) object() map[string]any {
	out := map[string]any{}
	for name, set := range map[string]bool{"a": d.a, "b": d.b, "c": d.c, "other": d.other} {
		if set {
			out[name] = int64(1)
		}
	}
	return out
}

func allDependents() []dependents {
	var out []dependents
	for n := range 8 {
		out = append(out, dependents{a: n&1 != 0, b: n&2 != 0, c: n&4 != 0})
	}
	return out
}

// dependentPlace is a place of such an object in a definition.
type dependentPlace struct {
	name, field string
	put         func(d map[string]any) any
	// correlates is set if the server finds the old version of an object that changes.
	correlates bool
}

func dependentPlaces() []dependentPlace {
	key := func(d map[string]any) map[string]any { d["name"] = "x"; return d }
	return []dependentPlace{
		{"field", "Dependents", func(d map[string]any) any { return d }, true},
		{"limitedMap", "\t// +kubebuilder:validation:MaxProperties=10\n\tmap[string]Dependents", func(d map[string]any) any { return map[string]any{"k": d} }, true},
		{"keyed", "\t// +kubebuilder:validation:MaxItems=10\n\t// +listType=map\n\t// +listMapKey=name\n\t[]Named", func(d map[string]any) any { return []any{key(d)} }, true},
		// The rules would cost too much with a comparison.
		{"map", "map[string]Dependents", func(d map[string]any) any { return map[string]any{"k": d} }, false},
		{"atomic", "\t// +listType=atomic\n\t[]Dependents", func(d map[string]any) any { return []any{d} }, false},
		{"plain", "[]Dependents", func(d map[string]any) any { return []any{d} }, false},
		{"atomicMap", "\t// +mapType=atomic\n\tmap[string]Dependents", func(d map[string]any) any { return map[string]any{"k": d} }, false},
		{"below", "map[string]Below", func(d map[string]any) any { return map[string]any{"k": map[string]any{"below": []any{d}}} }, false},
	}
}

// TestDependentsRatchet updates objects that were stored before the rules of dependentRequired
// and dependentForbidden existed. The server accepts them under the condition of
// validation-gen: neither field was set or cleared. Where it cannot find the old object, and on
// servers that do not know optionalOldSelf, only an unchanged value is accepted.
func TestDependentsRatchet(t *testing.T) {
	var source strings.Builder
	source.WriteString(namesHeader)
	for _, p := range dependentPlaces() {
		field, goType := "", p.field
		if i := strings.LastIndex(goType, "\n\t"); i >= 0 {
			field, goType = goType[:i+1], goType[i+2:]
		}
		fmt.Fprintf(&source, "%s\tF%s %s `json:\"%s,omitempty\"`\n", field, p.name, goType, p.name)
	}
	source.WriteString("}\n\ntype Below struct {\n\tBelow []Dependents `json:\"below\"`\n}\n")
	for _, name := range []string{"Dependents", "Named"} {
		fmt.Fprintf(&source, "\ntype %s struct {\n", name)
		if name == "Named" {
			source.WriteString("\t// +kubebuilder:validation:MaxLength=10\n\tName string `json:\"name\"`\n")
		}
		source.WriteString("\t// +k8s:dependentRequired(\"b\")\n\t// +k8s:dependentForbidden(\"c\")\n\tA *int32 `json:\"a,omitempty\"`\n" +
			"\tB *int32 `json:\"b,omitempty\"`\n\tC *int32 `json:\"c,omitempty\"`\n\tOther *int32 `json:\"other,omitempty\"`\n}\n")
	}
	text := strings.Replace(source.String(), "package v1", "// +schemagen:enable=k8s\npackage v1", 1)
	for _, version := range []string{"1.29", "1.30", ""} {
		files, found := generateSource(t, text, version)
		crd := decodeDefinition(t, files, found)
		kind, err := apiserver.NewKind(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		ratchets := version != "1.29"
		var updates, accepted int
		for _, p := range dependentPlaces() {
			for _, now := range allDependents() {
				created, err := kind.Create(t.Context(), namedObject(map[string]any{p.name: p.put(now.object())}))
				if err != nil {
					t.Fatal(err)
				}
				if got, want := len(created.Errors) == 0, now.valid(t, nil); got != want {
					t.Errorf("%s %s: create %+v: got accepted %t, want %t", version, p.name, now, got, want)
				}
				for _, old := range allDependents() {
					for _, changed := range []bool{true, false} {
						now.other = changed
						updates++
						answer, err := kind.Update(t.Context(), namedObject(map[string]any{p.name: p.put(now.object())}), namedObject(map[string]any{p.name: p.put(old.object())}))
						if err != nil {
							t.Fatal(err)
						}
						want := now == old || now.valid(t, nil)
						if p.correlates && ratchets {
							want = now.valid(t, &old)
						}
						if want {
							accepted++
						}
						if got := len(answer.Errors) == 0; got != want {
							t.Errorf("%s %s: %+v → %+v: got accepted %t, want %t: %v", version, p.name, old, now, got, want, answer.Errors)
						}
					}
				}
			}
		}
		t.Logf("Kubernetes %q: %d updates, of which %d are accepted", version, updates, accepted)
	}
}

// valid reports whether validation-gen's functions accept an object; old is nil on create.
func (d dependents) valid(t *testing.T, old *dependents) bool {
	t.Helper()
	op := operation.Operation{Type: operation.Create}
	if old != nil {
		op.Type = operation.Update
	}
	a := func(d *dependents) bool { return d.a }
	errs := validate.DependentRequired(t.Context(), op, nil, &d, old, "a", a, "b", func(d *dependents) bool { return d.b })
	errs = append(errs, validate.DependentForbidden(t.Context(), op, nil, &d, old, "a", a, "c", func(d *dependents) bool { return d.c })...)
	return len(errs) == 0
}

// TestHandWrittenRatchets checks that rules in markers stay as they are, wherever they are: the
// server rejects one that compares elements of a list without keys.
func TestHandWrittenRatchets(t *testing.T) {
	const rule = "!has(self.a) || has(self.b) || oldSelf.hasValue() && has(oldSelf.value().a) && !has(oldSelf.value().b)"
	source := namesHeader + "\t%s `json:\"f\"`\n}\n\n// +kubebuilder:validation:XValidation:rule=\"" + rule + "\",optionalOldSelf=true,reason=FieldValueRequired,message=\"b with a\"\n" +
		"type Pair struct {\n\tA *int32 `json:\"a,omitempty\"`\n\tB *int32 `json:\"b,omitempty\"`\n}\n"
	files, found := generateSource(t, fmt.Sprintf(source, "F Pair"), "")
	crd := decodeDefinition(t, files, found)
	if got := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["f"].XValidations[0].Rule; got != rule {
		t.Errorf("got rule %s, want %s", got, rule)
	}
	files, found = generateSource(t, fmt.Sprintf(source, "F []Pair"), "")
	if len(files) != 0 || len(found) == 0 || found[0].Code != "SG601" {
		t.Errorf("got %d files, findings %v; want SG601", len(files), found)
	}
}
