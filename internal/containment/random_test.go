package containment

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/structural"
)

var randomPairs = flag.Int("pairs", 120, "number of random kinds of TestRandom, each in two channels")

// random writes random Go types with conditions on gate X, and objects.
type random struct{ *rand.Rand }

func (r random) one(in int) bool { return r.IntN(in) == 0 }

func (r random) pick(of ...string) string { return of[r.IntN(len(of))] }

// field is a random field of a struct.
type field struct{ name, typeName, condition string }

// marker writes a marker that may be conditional, and often is in favor of containment.
func (r random) marker(out *strings.Builder, looser, tighter string) {
	switch r.IntN(6) {
	case 0:
		fmt.Fprintf(out, "\t// +%s\n", looser)
	case 1, 2:
		fmt.Fprintf(out, "\t// +%s\n\t// +schemagen:when(X)=+%s\n", tighter, looser)
	case 3:
		fmt.Fprintf(out, "\t// +schemagen:when(!X)=+%s\n", tighter)
	case 4:
		if r.one(3) {
			fmt.Fprintf(out, "\t// +%s\n\t// +schemagen:when(X)=+%s\n", looser, tighter) // not contained
		}
	}
}

// structType writes a struct with random fields, and rules about them.
func (r random) structType(name string, deep bool) string {
	const validation = "kubebuilder:validation:"
	var body, head strings.Builder
	var fields []field
	for i := range 2 + r.IntN(3) {
		f := field{name: string(rune('a' + i)), condition: r.pick("", "", "", "", "", "X", "X", "X", "X", "X", "X", "!X")}
		if i == 0 {
			f.condition = ""
		}
		types := []string{"string", "string", "int32", "bool", "[]string", "map[string]string", "enum"}
		if deep {
			types = append(types, "Sub", "Sub", "[]Sub", "map[string]Sub")
		}
		f.typeName = r.pick(types...)
		if f.condition != "" {
			fmt.Fprintf(&body, "\t// +schemagen:when(%s)\n", f.condition)
		}
		goType, required := f.typeName, r.one(3) && (f.condition == "" || r.one(4))
		hasDefault := ""
		switch f.typeName {
		case "string":
			r.marker(&body, validation+"MaxLength=3", validation+"MaxLength=2")
			hasDefault = "a"
		case "enum":
			goType, hasDefault = "string", "a"
			fmt.Fprintf(&body, "\t// +%sEnum=a;b\n", validation)
			if r.one(2) {
				fmt.Fprintf(&body, "\t// +schemagen:when(%s)=+schemagen:enumValues=c\n", r.pick("X", "X", "X", "!X"))
			}
		case "int32":
			r.marker(&body, validation+"Minimum=0", validation+"Minimum=1")
			hasDefault = "1"
		case "[]string":
			r.marker(&body, validation+"MaxItems=3", validation+"MaxItems=2")
			if r.one(12) {
				body.WriteString("\t// +schemagen:when(X)=+listType=set\n")
			}
		case "map[string]string":
			r.marker(&body, validation+"MaxProperties=2", validation+"MaxProperties=1")
		}
		if hasDefault != "" && r.one(4) {
			when := r.pick("", "", "", "", "", "schemagen:when(X)=+")
			fmt.Fprintf(&body, "\t// +%skubebuilder:default=%s\n", when, hasDefault)
		}
		omit := ",omitempty"
		if required {
			omit = ""
		} else if !strings.HasPrefix(goType, "[]") && !strings.HasPrefix(goType, "map") {
			goType = "*" + goType
		}
		fmt.Fprintf(&body, "\t%s %s `json:\"%s%s\"`\n\n", strings.ToUpper(f.name), goType, f.name, omit)
		fields = append(fields, f)
	}
	for range r.IntN(4) {
		r.rule(&head, fields)
	}
	return fmt.Sprintf("%stype %s struct {\n%s}\n\n", head.String(), name, body.String())
}

// rule writes a rule about fields that exist where it holds.
func (r random) rule(out *strings.Builder, fields []field) {
	gate := r.pick("X", "X", "X", "")
	fields = slices.DeleteFunc(slices.Clone(fields), func(f field) bool { return f.condition != "" && f.condition != gate })
	var atom func(depth int) string
	atom = func(depth int) string {
		f := fields[r.IntN(len(fields))]
		self := "self." + f.name
		if depth > 0 {
			a, b := atom(depth-1), atom(depth-1)
			return r.pick("!has("+self+") || ("+a+")", "!has("+self+") || ("+a+")", "has("+self+") ? "+a+" : true", "("+a+") || ("+b+")", "("+a+") && ("+b+")", "!("+a+")",
				"!has("+self+") || !has(oldSelf."+f.name+") || ("+a+")")
		}
		switch f.typeName {
		case "string", "enum":
			return r.pick(self+" != 'c'", "!("+self+" in ['c', 'd'])", self+".size() <= 3", "self.?"+f.name+".orValue('a') == 'a'", "!self.?"+f.name+".hasValue()", self+" == 'c'")
		case "int32":
			return r.pick(self+" > 0", self+" >= 0", "!has("+self+")")
		case "[]string":
			return r.pick(self+".all(v, v != 'c')", self+".exists(v, v == 'a')", self+".size() <= 3", "!has("+self+")")
		case "Sub":
			return r.pick("!has("+self+".a)", "has("+self+".b)", "!has("+self+".b)")
		case "[]Sub":
			return self + r.pick(".all(v, !has(v.b))", ".exists(v, has(v.b))", ".size() <= 3")
		}
		return r.pick("!has("+self+")", "has("+self+")")
	}
	rule := atom(r.IntN(3))
	if gate != "" {
		gate = "schemagen:when(X)=+"
		if i := slices.IndexFunc(fields, func(f field) bool { return f.condition != "" }); i >= 0 && !r.one(4) {
			self := "self." + fields[i].name
			rule = r.pick("!has("+self+") || ("+rule+")", "has("+self+") ? "+rule+" : true", "!(has("+self+") && ("+rule+"))")
		}
	}
	fmt.Fprintf(out, "// +%skubebuilder:validation:XValidation:rule=%q\n", gate, rule)
}

// spec returns the Go types of a random spec. Sub has fields a and b in both channels.
func (r random) spec() string {
	sub := r.structType("Sub", false)
	for !strings.Contains(sub, "json:\"b") || strings.Contains(sub, "when(X)\n") || strings.Contains(sub, "when(!X)\n") {
		sub = r.structType("Sub", false)
	}
	return r.structType("Spec", true) + sub
}

// value returns a random value that a schema may accept.
func (r random) value(s *structural.Schema) any {
	if s.ValueValidation != nil && len(s.Enum) > 0 {
		var out any
		if json.Unmarshal(s.Enum[r.IntN(len(s.Enum))].Raw, &out) == nil {
			return out
		}
	}
	switch s.Type {
	case "string":
		return r.pick("a", "b", "c", "", "ab", "abc")
	case "integer":
		return int64(r.IntN(4)) - 1
	case "boolean":
		return r.one(2)
	case "array":
		out := []any{}
		for range r.IntN(4) {
			out = append(out, r.value(s.Items))
		}
		return out
	}
	out := map[string]any{}
	for _, p := range s.Properties {
		if s.ValueValidation != nil && slices.Contains(s.Required, p.Name) || r.IntN(3) > 0 {
			out[p.Name] = r.value(p.Schema)
		}
	}
	if s.AdditionalProperties != nil {
		for _, name := range []string{"k", "l", "m"}[:r.IntN(4)] {
			out[name] = r.value(s.AdditionalProperties.Schema)
		}
	}
	return out
}

// TestRandom checks with the API server's code that whatever a channel accepts, one that is said
// to contain it accepts and stores equally, when objects are created and when they are updated.
func TestRandom(t *testing.T) {
	specs := map[string]string{}
	for seed := range *randomPairs {
		specs[fmt.Sprintf("p%d", seed)] = random{rand.New(rand.NewPCG(uint64(seed), 22))}.spec()
	}
	p := generate(t, specs)
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	contained, differing, folded, objects, updates, shown := 0, 0, 0, 0, 0, 0
	for seed := range *randomPairs {
		name := fmt.Sprintf("p%d", seed)
		r := random{rand.New(rand.NewPCG(uint64(seed), 23))}
		narrow, wide := definitionOf(&p.narrow, name), definitionOf(&p.wide, name)
		if !accepted(t, target, narrow.Build) || !accepted(t, target, wide.Build) {
			continue
		}
		holds, rules := true, 0
		for _, c := range p.changes {
			if c.Definition == narrow.CRD.Name {
				holds = holds && c.Category == compare.Safe
				if c.Kind == compare.RuleAdded && c.Category == compare.Safe {
					rules++
				}
			}
		}
		if holds {
			contained++
			folded += rules
			if !reflect.DeepEqual(narrow.Build().Spec, wide.Build().Spec) {
				differing++
			}
		}
		narrowKind, wideKind := p.kinds(t, name)
		model := narrow.Schemas[0]
		spec := model.Properties[model.PropertyIndex("spec")].Schema
		var stored map[string]any
		for range 40 {
			object := widget(name, r.value(spec))
			before, refused := create(t.Context(), t, narrowKind, object)
			if refused != "" {
				continue
			}
			after, refused := create(t.Context(), t, wideKind, object)
			problem := disagreement(before, after, refused, model)
			if holds {
				objects++
			}
			if stored != nil && problem == "" {
				if holds {
					updates++
				}
				problem = updated(t, narrowKind, wideKind, object, stored, model)
			}
			stored = before
			if problem == "" {
				continue
			}
			if holds {
				text, _ := json.Marshal(object)
				t.Fatalf("seed %d: %s: %s\n%s\n%+v", seed, text, problem, specs[name], p.changes)
			}
			shown++
			break
		}
	}
	t.Logf("%d pairs are contained, of which %d differ, with %d folded rules: %d objects; %d updates; an object shows that %d other pairs are not contained", contained, differing, folded, objects, updates, shown)
	if differing < *randomPairs/5 || folded < *randomPairs/10 || objects < 4*(*randomPairs) || shown < *randomPairs/5 {
		t.Error("too few")
	}
}

// accepted reports whether a server accepts a definition.
func accepted(t *testing.T, target *apiserver.Target, build func() *apiextensionsv1.CustomResourceDefinition) bool {
	findings, err := target.ValidateCreate(t.Context(), build())
	if err != nil {
		t.Fatal(err)
	}
	return !slices.ContainsFunc(findings, func(f apiserver.Finding) bool { return !f.Warning })
}

// disagreement returns what the wide channel does otherwise with an object: it refuses it, or
// stores something else, apart from fields that the narrow channel lacks.
func disagreement(before, after map[string]any, refused string, narrow *structural.Schema) string {
	if refused != "" {
		return "refused: " + refused
	}
	known := runtime.DeepCopyJSON(after)
	structural.Prune(narrow, known, true)
	if !reflect.DeepEqual(known, before) {
		return fmt.Sprintf("stored as %v, not as %v", after, before)
	}
	return ""
}

// updated returns what the wide channel does otherwise with an update that the narrow one
// accepts.
func updated(t *testing.T, narrow, wide *apiserver.Kind, object, stored map[string]any, model *structural.Schema) string {
	before, err := narrow.Update(t.Context(), object, stored)
	if err != nil {
		t.Fatal(err)
	}
	if len(before.Errors) > 0 {
		return ""
	}
	after, err := wide.Update(t.Context(), object, stored)
	if err != nil {
		t.Fatal(err)
	}
	refused := ""
	if len(after.Errors) > 0 {
		refused = after.Errors.ToAggregate().Error()
	}
	return disagreement(before.Object, after.Object, refused, model)
}
