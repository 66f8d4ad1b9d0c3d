package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// setClass is what becomes of a set of rules, from good to bad.
type setClass int

const (
	replaceable setClass = iota
	// unmarked sets have a table that falls into conditions of at most three fields each, but no marker.
	unmarked
	// entangled sets have a table that does not.
	entangled
	opaque
)

// ruleSet is the worst that becomes of rules with the same texts. Their meaning is in the words of markers,
// or a reason.
type ruleSet struct {
	class            setClass
	meaning, project string
	kinds            []string
}

// setCorpus has the sets of rules of definitions, by their texts.
type setCorpus struct {
	t                 *testing.T
	project           string
	definitions, rows int
	sets              map[string]ruleSet
	known             map[string]bool
	slowest           time.Duration
}

func newSetCorpus(t *testing.T) *setCorpus {
	return &setCorpus{t: t, sets: map[string]ruleSet{}, known: map[string]bool{}}
}

// add adds the sets of a definition. Equal schemas of objects are looked at once.
func (c *setCorpus) add(definition *apiextensionsv1.CustomResourceDefinition) {
	c.definitions++
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	for _, version := range definition.Spec.Versions {
		if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			continue
		}
		schema, _ := structural.FromProps(version.Schema.OpenAPIV3Schema)
		c.visit(schema)
	}
}

func (c *setCorpus) visit(s *structural.Schema) {
	for _, child := range s.Children() {
		c.visit(child)
	}
	list := slices.DeleteFunc(ConditionsOf(s), func(c Condition) bool { return c.Junctor == nil && apiserver.UsesOldSelf(c.Rule.Rule) })
	if s.Type != "object" || len(list) == 0 {
		return
	}
	text, err := json.Marshal(s.Props())
	if err != nil {
		c.t.Error(err)
	}
	if c.known[string(text)] {
		return
	}
	c.known[string(text)] = true
	groups, unread := grouped(s, list)
	for _, g := range groups {
		r := newReader(s)
		for _, i := range g.conditions {
			r.readCondition(list[i])
		}
		if len(r.uses) < 2 {
			continue
		}
		c.put(list, g.conditions, c.judge(s, list, g))
	}
	for _, g := range c.unreadGroups(s, list, unread) {
		c.put(list, g.conditions, ruleSet{class: opaque, meaning: reasonOf(list[g.conditions[0]].text())})
	}
}

// text returns a condition as it is written.
func (c Condition) text() string {
	if c.Junctor != nil {
		return plainjson.Text(c.schema().Props())
	}
	return c.Rule.Rule
}

// unreadGroups returns the rules that cannot be read, and read two fields or more, in groups that read the
// same fields.
func (c *setCorpus) unreadGroups(s *structural.Schema, list []Condition, unread []int) []group {
	var groups []group
	for _, i := range unread {
		fields := fieldsRead(list[i], s)
		if len(fields) < 2 {
			continue
		}
		joined := group{conditions: []int{i}, fields: fields}
		groups = slices.DeleteFunc(groups, func(known group) bool {
			isShared := slices.ContainsFunc(known.fields, func(field string) bool { return slices.Contains(joined.fields, field) })
			if isShared {
				joined.conditions = append(joined.conditions, known.conditions...)
				joined.fields = append(joined.fields, known.fields...)
			}
			return isShared
		})
		groups = append(groups, joined)
	}
	return groups
}

// put adds a set of rules.
func (c *setCorpus) put(list []Condition, indexes []int, set ruleSet) {
	var texts []string
	for _, i := range indexes {
		texts = append(texts, fmt.Sprintf("%q", list[i].text()))
	}
	key := strings.Join(slices.Compact(slices.Sorted(slices.Values(texts))), "\n\t")
	set.project = c.project
	if known, ok := c.sets[key]; !ok || known.class < set.class {
		c.sets[key] = set
	}
}

// judge returns what becomes of a group of rules. The rules that are written for a marker must have the
// same answers.
func (c *setCorpus) judge(s *structural.Schema, list []Condition, g group) ruleSet {
	start := time.Now()
	table := g.table(s, list)
	if table == nil {
		return ruleSet{class: opaque, meaning: "too many combinations"}
	}
	m := table.meaning()
	c.rows += len(table.rows)
	c.slowest = max(c.slowest, time.Since(start))
	near := ""
	if m.Near != nil {
		near = fmt.Sprintf("near %v, accepts %s", *m.Near, plainjson.Text(m.Accepted))
	}
	if m.Replacement != nil {
		m.Replacement.check(c.t, s, g.of(list))
	}
	if m.Replacement != nil && len(m.Replacement.Bounded) == 0 {
		var kinds []string
		for _, marker := range m.Replacement.Markers {
			kind, _, _ := strings.Cut(marker.String(), "(")
			kinds = append(kinds, strings.TrimSuffix(kind, " "+marker.Discriminator))
		}
		slices.Sort(kinds)
		meaning := strings.TrimSpace(strings.Trim(fmt.Sprint(m.Replacement.Markers), "[]") + " " + near)
		return ruleSet{class: replaceable, meaning: meaning, kinds: slices.Compact(kinds)}
	}
	if m.Replacement != nil {
		near = fmt.Sprintf("tighter %v, accepts %s", m.Replacement.Markers, plainjson.Text(m.Replacement.Accepted))
	}
	width := table.width()
	if width > widest {
		return ruleSet{class: entangled, meaning: "conditions of more fields"}
	}
	return ruleSet{class: unmarked, meaning: cmp.Or(near, fmt.Sprintf("conditions of at most %d fields", width))}
}

// widest bounds the fields of a condition.
const widest = 3

// width returns the number of columns of the widest condition into which the answers of a table fall,
// besides the markers that it implies; more than [widest] if there is a wider one.
func (t *Table) width() int {
	candidates := t.implied()
	left := slices.DeleteFunc(slices.Clone(t.rows), func(r row) bool {
		return r.isAccepted() || slices.ContainsFunc(candidates, func(m Marker) bool { return !t.holds(m, r) })
	})
	n := len(t.columns)
	for width := 1; width <= widest; width++ {
		for bits := range 1 << n {
			var columns []int
			for i := range n {
				if bits&(1<<i) != 0 {
					columns = append(columns, i)
				}
			}
			if len(columns) != width {
				continue
			}
			classes := func(r row) string {
				var out []int
				for _, i := range columns {
					out = append(out, r.classes[i])
				}
				return fmt.Sprint(out)
			}
			accepted := map[string]bool{}
			for _, r := range t.rows {
				if r.isAccepted() {
					accepted[classes(r)] = true
				}
			}
			left = slices.DeleteFunc(left, func(r row) bool { return !accepted[classes(r)] })
		}
		if len(left) == 0 {
			return width
		}
	}
	return widest + 1
}

// fieldsRead returns the fields that a condition reads outside of elements.
func fieldsRead(c Condition, s *structural.Schema) []string {
	if c.Junctor != nil {
		r := newReader(s)
		r.readCondition(c)
		var fields []string
		for _, column := range r.self.children {
			fields = append(fields, column.step)
		}
		return fields
	}
	a := Reads(c.Rule, s, Inside)
	if a == nil {
		return nil
	}
	var fields []string
	for _, read := range a.Known {
		if len(read.Steps) > 1 && read.Steps[0] == "self" {
			field, _, _ := strings.Cut(strings.Join(read.Steps[1:], "."), "."+element)
			fields = append(fields, field)
		}
	}
	fields = slices.Compact(slices.Sorted(slices.Values(fields)))
	isInner := func(field string) bool {
		return slices.ContainsFunc(fields, func(other string) bool { return strings.HasPrefix(other, field+".") })
	}
	return slices.DeleteFunc(slices.Clone(fields), isInner)
}

// reasons are why rules cannot be read, by what occurs in them.
var reasons = []struct{ pattern, reason string }{
	{`\.(all|exists|exists_one|map|filter)\(|\[0\]|\boptMap\(`, "it reads elements"},
	{`\b(matches|startsWith|endsWith|contains|upperAscii|lowerAscii)\(`, "it searches a string"},
	{`\b(duration|timestamp)\(`, "it converts a string"},
	{`size\(`, "it compares sizes, or the size of a field below one that is null"},
	{`' in `, "it looks for a value in a list or a map"},
}

func reasonOf(rule string) string {
	for _, r := range reasons {
		if regexp.MustCompile(r.pattern).MatchString(rule) {
			return r.reason
		}
	}
	return "other"
}

func (c *setCorpus) merge(other *setCorpus) {
	c.definitions += other.definitions
	c.rows += other.rows
	c.slowest = max(c.slowest, other.slowest)
	for key, set := range other.sets {
		if known, ok := c.sets[key]; !ok || known.class < set.class {
			c.sets[key] = set
		}
	}
}

// row returns the numbers of sets.
func (c *setCorpus) row(name string) string {
	counts := map[setClass]int{}
	for _, set := range c.sets {
		counts[set.class]++
	}
	n := max(1, len(c.sets))
	decomposed := counts[replaceable] + counts[unmarked]
	return fmt.Sprintf("%-95s %5d %5d %5d %3d%% %5d %3d%%\n", name, c.definitions, len(c.sets), decomposed, decomposed*100/n,
		counts[replaceable], counts[replaceable]*100/n)
}

// kinds returns the numbers of sets by the kinds of their markers.
func (c *setCorpus) kinds() string {
	counts := map[string]int{}
	for _, set := range c.sets {
		if set.class == replaceable {
			counts[strings.Join(set.kinds, ", ")]++
		}
	}
	var out strings.Builder
	for _, kind := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
		fmt.Fprintf(&out, "%5d %s\n", counts[kind], kind)
	}
	return out.String()
}

// moreProjects have sets that the projects of [TestCorpus] do not have.
var moreProjects = []string{
	"github.com/openshift/api@v0.0.0-20260416215613-f9587f6e7c60",
	"istio.io/api@v1.30.3",
	"sigs.k8s.io/gateway-api-inference-extension@v1.3.0",
}

// laterProjects were first looked at when tables had logical junctors.
var laterProjects = []string{
	"github.com/agentgateway/agentgateway@75b4e6ce6e0e1ac7959d5548ebe8dbeaede4f180",
	"github.com/envoyproxy/ai-gateway@c217da8a539570ba3f6014a60c2687c29a945f1f",
	"github.com/kubernetes-sigs/network-policy-api@0eec1b0e5fa92715b4c0f4c48d3c8d2913ed2159",
	"github.com/mariadb-operator/mariadb-operator@8970edf8368c74178e521f3dc2e9df4131888c77",
	"github.com/nginx/nginx-gateway-fabric@e55bfe33969f313b210d3497b3ae56b923175d69",
}

const setsResult = "testdata/sets.txt"

// TestSets reads the sets of rules of public projects, and rewrites testdata/sets.txt, if -checkouts is given.
// Otherwise, it wants the recorded figures to be as good as they are said to be.
func TestSets(t *testing.T) {
	if *checkouts == "" {
		checkSets(t)
		return
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Sets of rules and logical junctors of public projects, %s. A set is those of an object that read the same fields, of which there are two\n", time.Now().UTC().Format(time.DateOnly))
	out.WriteString("or more; rules that cannot be read are sets of their own. It counts once for its texts, as the worst of its places. Rules about\n")
	out.WriteString("updates are left out. A set is decomposed if each object that it refuses is refused by a marker that it implies, or because of at most\n")
	out.WriteString("three fields. It is replaceable if schemagen unions --suggest writes markers that accept the same objects in every combination of\n")
	out.WriteString("what it reads, where no field is a pointer in Go. What a set is otherwise is what it is near, or tighter where a minimum is added.\n\n")
	all := newSetCorpus(t)
	for _, group := range []struct {
		name     string
		projects []string
	}{{"known", slices.Concat(corpusProjects, moreProjects)}, {"fresh", freshProjects}, {"later", laterProjects}} {
		sum := newSetCorpus(t)
		fmt.Fprintf(&out, "%-95s definitions sets decomposed replaceable\n", group.name)
		for _, project := range group.projects {
			c := newSetCorpus(t)
			c.project = project
			eachDefinition(t, project, c.add)
			out.WriteString(c.row(project))
			sum.merge(c)
		}
		out.WriteString(sum.row("all "+group.name) + "\n")
		all.merge(sum)
	}
	out.WriteString(all.row("all"))
	fmt.Fprintf(&out, "%d combinations; the slowest set took %s.\n\nReplaceable sets by kinds of markers:\n%s", all.rows, all.slowest.Round(time.Millisecond), all.kinds())
	for i, title := range []string{"replaceable", "without a marker", "not decomposed", "not read"} {
		for _, key := range slices.Sorted(maps.Keys(all.sets)) {
			if set := all.sets[key]; set.class == setClass(i) {
				fmt.Fprintf(&out, "\n%s: %s, in %s\n\t%s\n", title, set.meaning, set.project, key)
			}
		}
	}
	if err := os.WriteFile(setsResult, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkSets wants the recorded figures to reach what docs/CONTRIBUTING.md says.
func checkSets(t *testing.T) {
	text, err := os.ReadFile(setsResult)
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(text), "\nall   ")
	if i < 0 {
		t.Fatal("there is no sum")
	}
	var definitions, sets, decomposed, replaced int
	var shares [2]string
	if _, err := fmt.Sscan(string(text[i+len("\nall"):]), &definitions, &sets, &decomposed, &shares[0], &replaced, &shares[1]); err != nil {
		t.Fatal(err)
	}
	if sets < 300 || decomposed*100 < sets*80 || replaced*100 < sets*55 {
		t.Errorf("%d sets, %d decomposed, %d replaceable", sets, decomposed, replaced)
	}
}
