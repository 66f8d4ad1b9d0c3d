package rules

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// TestSameAnswers compares rules that are written differently.
func TestSameAnswers(t *testing.T) {
	const schema = `
type: object
required: [kind]
properties:
  kind: {type: string, enum: [Helm, None, Other]}
  name: {type: string, maxLength: 5}
  odd: {type: string, pattern: "^a+$"}
  count: {type: integer, minimum: 1}
  open: {type: boolean}
  label: {type: string, nullable: true}
  a: {type: object, properties: {x: {type: string}}}
  b: {type: object, properties: {x: {type: string}}}
  c: {type: object}
  keys: {type: array, items: {type: string}, x-kubernetes-list-type: set, maxItems: 3}
  l: {type: array, items: {type: string}, maxItems: 2}
`
	for _, c := range []struct {
		a, b []string
		same bool
	}{
		{[]string{"(has(self.a)?1:0)+(has(self.b)?1:0) == 1"}, []string{"[has(self.a),has(self.b)].filter(x,x==true).size() == 1"}, true},
		{[]string{"has(self.a) != has(self.b)"}, []string{"has(self.a) || has(self.b)", "!(has(self.a) && has(self.b))"}, true},
		{[]string{"has(self.a) != has(self.b) != has(self.c)"}, []string{"[has(self.a),has(self.b),has(self.c)].exists_one(x, x)"}, false},
		{[]string{"self.kind == 'Helm' ? has(self.a) : !has(self.a)"}, []string{"(self.kind == 'Helm') == has(self.a)"}, true},
		{[]string{"self.kind == 'Helm' ? has(self.a) : !has(self.a)"}, []string{"self.kind != 'Helm' || has(self.a)"}, false},
		{[]string{"self.kind in ['None', 'Other']"}, []string{"self.kind != 'Helm'"}, true},
		{[]string{"self.kind.startsWith('N')"}, []string{"self.kind == 'None'"}, true},
		{[]string{"has(self.name) && self.name.size() > 0"}, []string{"self.?name.orValue('') != ''"}, true},
		{[]string{"!has(self.name) || self.name != 'x'"}, []string{"self.?name.orValue('y') != 'x'"}, true},
		{[]string{"!has(self.name) || self.name.size() < 6"}, []string{"true || has(self.name)"}, true},
		{[]string{"!has(self.name) || size(self.name) < 5"}, []string{"true || has(self.name)"}, false},
		{[]string{"!has(self.count) || self.count > 0"}, []string{"true || has(self.count)"}, true},
		{[]string{"!has(self.count) || self.count > 3"}, []string{"!has(self.count) || self.count >= 4"}, true},
		{[]string{"!has(self.count) || self.count > 3"}, []string{"!has(self.count) || self.count >= 5"}, false},
		{[]string{"self.?open.orValue(false)"}, []string{"has(self.open) && self.open"}, true},
		{[]string{"self.open"}, []string{"has(self.open) && self.open"}, true}, // it fails without it
		{[]string{"!has(self.open) || self.open"}, []string{"self.open"}, false},
		{[]string{"!has(self.l) || size(self.l) <= 2"}, []string{"true || has(self.l)"}, true},
		{[]string{"has(self.l) && self.l.size() > 0"}, []string{"self.?l.orValue([]) != []"}, true},
		{[]string{"!has(self.a) || has(self.a.x)"}, []string{"!self.?a.hasValue() || self.?a.?x.hasValue()"}, true},
		{[]string{"has(self.a)", "oldSelf == self"}, []string{"self.?a.hasValue()", "oldSelf == self"}, true},
		{[]string{"!has(self.odd) || self.odd != 'x'"}, []string{"true || has(self.odd)"}, true},
		{[]string{"!has(self.odd) || self.odd != 'aa'"}, []string{"true || has(self.odd)"}, false},
		{[]string{"has(self.keys) && size(self.keys) > 0"}, []string{"self.?keys.orValue([]) != []"}, true},
		// These cannot be read exactly.
		{[]string{"has(self.name) && self.name.startsWith('x')"}, []string{"has(self.name) && self.name.startsWith('x') && true"}, false},
		{[]string{"has(self.label)"}, []string{"self.?label.hasValue()"}, false},
		{[]string{"has(self.a) && oldSelf == self"}, []string{"oldSelf == self && has(self.a)"}, false},
		{[]string{"has(self.a) && has(self.count) && self.count > 1"}, []string{"has(self.a) && self.count > 1"}, false},
		{[]string{"has(self.a) && self.count > 1"}, []string{"has(self.a) && has(self.count) && self.count > 1"}, true},
		{[]string{"has(self.l) && self.l.all(x, x != '')"}, []string{"has(self.l) && !self.l.exists(x, x == '')"}, false},
	} {
		s := schemaOf(t, schema)
		if _, same := SameAnswers(s, rulesOf(c.a...), rulesOf(c.b...)); same != c.same {
			t.Errorf("%q and %q: %t, want %t", c.a, c.b, same, c.same)
		}
		for _, list := range [][]string{c.a, c.b} {
			if _, err := apiserver.NewEvaluator(s.Props(), list); err != nil {
				t.Errorf("%q: %v", list, err)
			}
		}
	}
}

func rulesOf(texts ...string) []structural.Rule {
	var out []structural.Rule
	for _, text := range texts {
		out = append(out, structural.Rule{Rule: text})
	}
	return out
}

// classOf returns the row of a table to which an object belongs: for each column, the class with the
// same answers to has and to comparisons with literals of random rules.
func (t *Table) classOf(object map[string]any) []int {
	var out []int
	for _, column := range t.columns {
		out = append(out, column.classOf(object))
	}
	return out
}

// classOf returns the class of a column whose value an object has, by definition: a string is a literal
// of [author.randomRule] or another one, and a number is greater than its literal or not.
func (p *part) classOf(object map[string]any) int {
	value, ok := object[p.step]
	if !ok {
		return absent
	}
	if len(p.choices) == 1 { // the rules do not read the value
		return 0
	}
	alike := func(other any) bool {
		n, isInt := other.(int64)
		return other == value || isInt && (n > 1) == (value.(int64) > 1)
	}
	if i := slices.IndexFunc(p.choices, alike); i >= 0 {
		return i
	}
	alike = func(other any) bool { return other != any("") && other != any("x") }
	return slices.IndexFunc(p.choices, alike)
}

// tableSchema has a field of each sort, of which as many as possible occur in conditions.
const tableSchema = `
type: object
required: [r]
properties:
  r: {type: string, maxLength: 3}
  d: {type: integer, default: 1}
  a: {type: string, maxLength: 3}
  b: {type: string, maxLength: 3}
  count: {type: integer}
  open: {type: boolean}
  o:
    type: object
    required: [r]
    properties:
      r: {type: integer}
      a: {type: string, maxLength: 3}
  l:
    type: array
    maxItems: 3
    items:
      type: object
      required: [r]
      properties:
        r: {type: string, maxLength: 3}
        a: {type: string, maxLength: 3}
  m: {type: object, maxProperties: 3, additionalProperties: {type: string, maxLength: 3}}
`

// randomRule returns a rule about the scalars of [tableSchema], and the presence of the others.
func (r *author) randomRule(depth int) string {
	if depth == 0 {
		return r.one("has(self.a)", "has(self.b)", "has(self.o)", "has(self.l)", "has(self.open)", "self.?open.orValue(false)", "self.open", "self.count > 1",
			"self.?count.orValue(0) > 1", "self.d <= 1", "self.a == 'x'", "self.r != 'x'", "self.r in ['x', '']", "self.?b.orValue('x') == 'x'", "self.a.size() > 0")
	}
	a := r.randomRule(depth - 1)
	b := r.randomRule(depth - 1)
	return r.one("("+a+" && "+b+")", "("+a+" || "+b+")", "!("+a+")", "("+a+" ? "+b+" : "+r.randomRule(0)+")", "["+a+", "+b+"].exists_one(v, v)")
}

// TestTableMatchesServer wants the answers of tables of random rules for random objects to be those
// of the server.
func TestTableMatchesServer(t *testing.T) {
	s := schemaOf(t, tableSchema)
	const objects = 100
	var accepted, refused, silent int
	for i := range *pairs / objects {
		r := &author{Rand: rand.New(rand.NewPCG(uint64(i), 42))}
		texts := []string{r.randomRule(1 + r.IntN(3)), r.randomRule(1)}
		table := newTable(s, rulesOf(texts...))
		if table == nil { // it has too many rows
			silent++
			continue
		}
		evaluate, err := apiserver.NewEvaluator(s.Props(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for range objects {
			object := r.object(s)
			classes := table.classOf(object)
			k := slices.IndexFunc(table.rows, func(row row) bool { return slices.Equal(row.classes, classes) })
			if k < 0 {
				t.Fatalf("seed %d: the table of %q has no row for %v", i, texts, object)
			}
			for j, outcome := range evaluate(object) {
				accepts := outcome == unions.Outcome{}
				known := table.rows[k].outcomes[j]
				if isAccepted([]unions.Outcome{known}) != accepts || (known.Failure != "") != (outcome.Failure != "") {
					t.Fatalf("seed %d: %s for %v: %v, and the table has %v", i, texts[j], object, outcome, known)
				}
				if accepts {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	t.Logf("%d answers accept, %d refuse; %d rules have no table", accepted, refused, silent)
	if accepted == 0 || refused == 0 || silent*objects*10 > *pairs {
		t.Errorf("%d answers accept, %d refuse; %d rules have no table", accepted, refused, silent)
	}
}
