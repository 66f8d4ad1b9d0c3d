package rules

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

const meaningSchema = `
type: object
required: [type]
properties:
  type: {type: string, enum: [A, B, C, None]}
  a: {type: object}
  b: {type: object}
  c: {type: object}
  d: {type: object}
`

func (m Marker) String() string {
	var members []string
	for _, member := range m.Members {
		text := member.Name
		if member.Value != "" {
			text += "=" + member.Value
		}
		if member.Optional {
			text += ",optional"
		}
		members = append(members, text)
	}
	return fmt.Sprintf("%s(%s)", []string{"exactly", "by " + m.Discriminator, "most", "least"}[m.Kind], strings.Join(members, " "))
}

// TestMeanings has rules that people write, and the markers for them.
func TestMeanings(t *testing.T) {
	for _, c := range []struct {
		rules []string
		want  string
	}{
		{[]string{"(has(self.a)?1:0)+(has(self.b)?1:0) == 1"}, "exactly(a b)"},
		{[]string{"has(self.a) != has(self.b)"}, "exactly(a b)"},
		{[]string{"has(self.a) || has(self.b)", "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) <= 1"}, "exactly(a b)"},
		{[]string{"!(has(self.a) && has(self.b))"}, "most(a b)"},
		{[]string{"!has(self.c) || !has(self.a) && !has(self.b)", "!has(self.a) || !has(self.b)"}, "most(a b c)"},
		{[]string{"has(self.a) || has(self.b) || has(self.c)"}, "least(a b c)"},
		{[]string{"[has(self.a), has(self.b), has(self.c)].exists_one(x, x)", "!has(self.d) || !has(self.c)"}, "exactly(a b c) most(c d)"},
		{[]string{"self.type == 'A' ? has(self.a) : !has(self.a)"}, "by type(a=A)"},
		{[]string{"self.type == 'A' || !has(self.a)"}, "by type(a=A,optional)"},
		{[]string{"(self.type == 'A') == has(self.a) && (self.type == 'B') == has(self.b)"}, "by type(a=A b=B)"},
		{[]string{"has(self.a) == (self.type == 'A')", "has(self.c) != has(self.d)"}, "by type(a=A); exactly(c d)"},
		// Almost.
		{[]string{"has(self.a) != has(self.b) != has(self.c)"}, `near exactly(a b c), accepts {"a":{},"b":{},"c":{},"type":"A"}`},
		{[]string{"self.type != 'A' || has(self.a)"}, `near by type(a=A), accepts {"a":{},"type":"B"}`},
		{[]string{"(self.type == 'A') == has(self.a)", "self.type != 'B' || has(self.b)"}, `near by type(a=A b=B), accepts {"a":{},"b":{},"type":"A"}`},
		{[]string{"!(has(self.a) && has(self.b))", "!(has(self.b) && has(self.c))", "!(has(self.a) && has(self.b) && has(self.c))"}, `most(a b) most(b c) near most(a b c), accepts {"a":{},"c":{},"type":"A"}`},
		// There is no marker, or nothing to say.
		{[]string{"!has(self.a) || has(self.b)"}, ""},
		{[]string{"[has(self.a), has(self.b), has(self.c)].filter(x, x).size() <= 2"}, ""},
		{[]string{"has(self.a) || !has(self.a)"}, ""},
		{[]string{"has(self.a) && !has(self.a)"}, ""},
		{[]string{"self.type != 'A' && self.type != 'B' || has(self.a)"}, ""},
	} {
		var texts []string
		for _, m := range Meanings(schemaOf(t, meaningSchema), rulesOf(c.rules...)) {
			text := strings.Trim(fmt.Sprint(m.Markers), "[]")
			if m.Near != nil {
				text += fmt.Sprintf(" near %v, accepts %s", *m.Near, plainjson.Text(m.Accepted))
			}
			texts = append(texts, strings.TrimSpace(text))
		}
		if got := strings.Join(texts, "; "); got != c.want {
			t.Errorf("%q: %s, want %s", c.rules, got, c.want)
		}
	}
}

// rules returns the rules that are written for a marker.
func (m Marker) rules(t *testing.T) []structural.Rule {
	t.Helper()
	var names []string
	for _, member := range m.Members {
		names = append(names, member.Name)
	}
	var written apiextensionsv1.JSONSchemaProps
	var err error
	switch m.Kind {
	case ExactlyOne:
		err = crdmarkers.ExactlyOneOf(names).ApplyToSchema(nil, &written)
	case AtMostOne:
		err = crdmarkers.AtMostOneOf(names).ApplyToSchema(nil, &written)
	case AtLeastOne:
		err = crdmarkers.AtLeastOneOf(names).ApplyToSchema(nil, &written)
	case Discriminated:
		u := unions.New(m.Discriminator, []string{"A", "B", "C", "None"}, m.Members...)
		u.Required = true
		lowered, lowerErr := unions.Lower(u, unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}})
		if lowerErr != nil {
			t.Fatal(lowerErr)
		}
		return lowered.Rules
	}
	if err != nil {
		t.Fatal(err)
	}
	return written.XValidations
}

// TestMeaningOfMarkers wants the rules that are written for random markers to mean these markers.
func TestMeaningOfMarkers(t *testing.T) {
	s := schemaOf(t, meaningSchema)
	seen := map[Kind]int{}
	for i := range *pairs / 10 {
		r := rand.New(rand.NewPCG(uint64(i), 43))
		names := []string{"a", "b", "c", "d"}
		values := []string{"A", "B", "C", "None"}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		m := Marker{Kind: Kind(r.IntN(4))}
		least := 2
		if m.Kind == Discriminated {
			m.Discriminator = "type"
			least = 1
		}
		names = names[:least+r.IntN(len(names)+1-least)]
		slices.Sort(names)
		for k, name := range names {
			member := unions.Member{Name: name}
			if m.Kind == Discriminated {
				member.Value = values[k]
				member.Optional = r.IntN(3) == 0
			}
			m.Members = append(m.Members, member)
		}
		seen[m.Kind]++
		got := Meanings(s, m.rules(t))
		if len(got) != 1 || got[0].Near != nil || fmt.Sprint(got[0].Markers) != fmt.Sprint([]Marker{m}) {
			t.Fatalf("seed %d: the rules of %v mean %v", i, m, got)
		}
	}
	if len(seen) != 4 {
		t.Errorf("not all kinds of markers: %v", seen)
	}
}
