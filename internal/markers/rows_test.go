package markers

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// TestRows checks that the table uses every row.
func TestRows(t *testing.T) {
	table := table(t)
	described := map[string]example{}
	for _, e := range examples(t) {
		described[e.name] = e
	}
	seen := map[string]bool{}
	for _, r := range rows() {
		if r.generator != "" {
			continue // TestMarkersOfGenerators
		}
		if r.value == nil {
			if !slices.ContainsFunc(table.Definitions(), func(def *Definition) bool { return reflect.DeepEqual(*def.row, r) }) {
				t.Errorf("+%s has a row, but controller-tools does not define it", r.name)
			}
			continue
		}
		if (r.stage == NoStage) != (r.apply == nil) {
			t.Errorf("+%s has only one of stage and apply", r.name)
		}
		if seen[r.name] {
			t.Errorf("+%s has two rows", r.name)
		}
		seen[r.name] = true
		described, ok := described[r.name]
		if !ok {
			t.Errorf("+%s is not in reference.txtar", r.name)
			continue
		}
		if len(r.targets) == 0 && !strings.Contains(described.text, "target: constant\n") {
			t.Errorf("+%s has no targets", r.name)
		}
		for _, target := range r.targets {
			def := table.Lookup("+"+r.name, target)
			if def == nil || def.Name != r.name || def.Target != target {
				t.Errorf("Lookup(+%s) on a %s = %v", r.name, target, def)
			}
		}
	}
}

// TestRowsParse checks that the example of every marker that controller-tools does not define
// parses to the type in its row.
func TestRowsParse(t *testing.T) {
	table := table(t)
	examples := vocabulary(t, table)
	for _, c := range examples {
		r := table.byTarget[c.target][c.name].row
		if r.value == nil {
			continue
		}
		m, err := table.Parse(Comment{Text: c.text, Pos: 1}, c.target)
		if err != nil || reflect.TypeOf(m.Value) != reflect.TypeOf(r.value) {
			t.Errorf("%s: got %v, %v, want a %T", c.text, m, err, r.value)
		}
	}
	for _, def := range table.Definitions() {
		if !slices.ContainsFunc(examples, func(c canonical) bool { return c.name == def.Name && c.target == def.Target }) {
			t.Errorf("the example of +%s in reference.txtar does not use the marker", def.Name)
		}
	}
}

// TestRowsAreEnabled checks that packages have to enable the markers that controller-gen
// ignores: those outside our own namespace. Those of unions are enabled by +schemagen:unions.
func TestRowsAreEnabled(t *testing.T) {
	for _, r := range rows() {
		if r.generator != "" {
			continue
		}
		space, rest, ok := strings.Cut(r.name, ":")
		want := map[string]string{"k8s": FeatureK8s, "kubebuilder": FeatureKEP, "openshift": FeatureOpenShift}[space]
		switch {
		case !ok:
			want, rest = map[string]string{"enum": FeatureEnum}[r.name], r.name
		case r.value == nil:
			want = ""
		}
		if union := strings.Contains(strings.ToLower(rest), "union") || strings.HasSuffix(rest, "OneOfMember"); union && space != "schemagen" {
			want = ""
		}
		if r.feature != want {
			t.Errorf("+%s: got feature %q, want %q", r.name, r.feature, want)
		}
	}
}

// TestRepeatable checks that two markers of the same name with different arguments are
// reported unless they are repeatable.
func TestRepeatable(t *testing.T) {
	table := table(t)
	single := strings.Fields(`unionDiscriminatedBy schemagen:unions schemagen:conversion schemagen:recursion schemagen:schema schemagen:readOnly
		schemagen:exactlyOneOf schemagen:atMostOneOf schemagen:atLeastOneOf`)
	repeatable := strings.Fields(`k8s:listMapKey listMapKey kubebuilder:metadata kubebuilder:printcolumn kubebuilder:selectablefield kubebuilder:validation:XValidation
		kubebuilder:validation:items:XValidation kubebuilder:validation:ExactlyOneOf kubebuilder:validation:AtMostOneOf kubebuilder:validation:AtLeastOneOf`)
	for _, c := range vocabulary(t, table) {
		def := table.byTarget[c.target][c.name]
		if def.Empty() && !def.Own() || def.row.unsupported != "" || c.name == ResourceName {
			continue // it has no arguments, or findings unrelated to repetition
		}
		lines := "// " + c.text + "\n// " + c.text + " -\n"
		src := map[Target]string{
			Package: lines + "package x\n",
			Type:    "package x\n\n" + lines + "type T struct{}\n",
			Field:   "package x\n\ntype T struct {\n" + lines + "\tA int\n}\n",
		}[c.target]
		overridden := slices.ContainsFunc(lintSource(t, table, src), func(f Finding) bool { return f.Kind == Overridden })
		want := slices.Contains(single, c.name) || def.row.stage != NoStage && !def.row.repeatable
		if want = want || def.row.value == nil && !slices.Contains(repeatable, c.name); overridden != want {
			t.Errorf("repeated %s: got overridden = %t", c.text, overridden)
		}
	}
}

// TestSharedWords checks that names shared with other tools, and near misses of them, are not
// reported.
func TestSharedWords(t *testing.T) {
	table := table(t)
	for _, word := range []string{"enum", "enums", "unions", "Unions"} {
		if found := lintSource(t, table, "package x\n\ntype T struct {\n\t// +"+word+"\n\tA int\n}\n"); len(found) > 0 {
			t.Errorf("+%s: got findings %+v, want none", word, found)
		}
	}
	if found := lintSource(t, table, "package x\n\n// +optionals\ntype T struct{}\n"); len(found) != 1 {
		t.Errorf("+optionals: got findings %+v, want one", found)
	}
}

// TestApply applies a marker to the keywords of a node, and checks that the keywords that it
// sets have its position.
func TestApply(t *testing.T) {
	type title string
	r := &row{stage: BeforeMerge, apply: on(func(v title, k keywords.Node, misfit Misfit) {
		if k.Type == "" {
			misfit("a hint", "no %s", "type")
			return
		}
		k.Title = string(v)
		k.XValidations = append(slices.Clip(k.XValidations), structural.Rule{Rule: "true"}, structural.Rule{Rule: "1 == 1"})
	})}
	m := &Marker{Comment: Comment{Pos: 7}, Value: title("A"), def: &Definition{row: r}}
	s := &structural.Schema{}
	var misfits []string
	misfit := func(hint, format string, args ...any) {
		misfits = append(misfits, hint+": "+fmt.Sprintf(format, args...))
	}
	m.Apply(keywords.Of(s), misfit)
	if !slices.Equal(misfits, []string{"a hint: no type"}) || len(s.Origin.Keywords) > 0 {
		t.Errorf("got misfits %q and origins %v", misfits, s.Origin.Keywords)
	}
	s.Type, s.Description = "string", "text"
	m.Apply(keywords.Of(s), misfit)
	want := []structural.KeywordOrigin{{Keyword: "title", Pos: 7}, {Keyword: keywords.Rules, Pos: 7}, {Keyword: keywords.Rules, Pos: 7}}
	if s.Title != "A" || len(misfits) != 1 || !slices.Equal(s.Origin.Keywords, want) {
		t.Errorf("got title %q, misfits %q and origins %v", s.Title, misfits, s.Origin.Keywords)
	}
	if m.Stage() != BeforeMerge || (&Marker{Value: title("A")}).Stage() != NoStage {
		t.Error("wrong stages")
	}
}
