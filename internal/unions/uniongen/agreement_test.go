package uniongen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file compares implementations of the semantics of unions on random pairs of objects.
// An implementation is a function from pairs to answers; to add one, add an entry to
// [implementations].

var pairsFlag = flag.Int("pairs", 20_000, "how many pairs of objects implementations are compared on")

// pair is an object before and after an update; old is nil on create.
type pair struct{ old, new map[string]any }

// answer is the result of an implementation for a pair.
type answer struct {
	// object is the normalized object as canonical JSON.
	object  string
	changed bool
	// errors are "Type path: detail", sorted: one implementation reports fields in Go order,
	// another one by name.
	errors []string
}

// implementation answers all pairs in one call, without modifying them.
type implementation struct {
	name   string
	answer func(t *testing.T, pairs []pair) []answer
}

// implementations returns all implementations, for one set of options.
func implementations(schema *structural.Schema, module, name string, options unions.Options) []implementation {
	return []implementation{
		{"runtime", func(t *testing.T, pairs []pair) []answer { return answersOfRuntime(t, schema, options, pairs) }},
		{"generated", func(t *testing.T, pairs []pair) []answer { return answersOfFunctions(t, schema, module, name, pairs) }},
	}
}

func TestImplementationsAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the go command")
	}
	module := typedModule(t)
	schema := typedSchema(t, module)
	goCommand(t, module, "build", "-o", "pairs", "./typed/pairs")
	for i, v := range typedmodule.Variants() {
		if v.Types != "api" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			g := &pairGenerator{rand.New(rand.NewSource(int64(i) + 1)), map[*structural.Schema][]unions.Union{}}
			// The options make little difference, so most pairs use the default.
			n := *pairsFlag * 3 / 5
			if i > 0 {
				n = *pairsFlag / 5
			}
			pairs := make([]pair, n)
			for i := range pairs {
				pairs[i] = g.pair(schema)
			}
			all := implementations(schema, module, v.Name, optionsOf(v))
			reference := all[0].answer(t, pairs)
			summarize(t, reference)
			for _, other := range all[1:] {
				compareAnswers(t, pairs, all[0].name, reference, other.name, other.answer(t, pairs))
			}
		})
	}
}

// summarize checks that the pairs cover enough outcomes to be worth comparing.
func summarize(t *testing.T, answers []answer) {
	t.Helper()
	changed, valid, kinds := 0, 0, map[string]int{}
	for _, a := range answers {
		if a.changed {
			changed++
		}
		if len(a.errors) == 0 {
			valid++
		}
		for _, e := range a.errors {
			kind, _, _ := strings.Cut(e, " ")
			kinds[kind]++
		}
	}
	t.Logf("%d pairs: %d changed, %d valid, errors %v", len(answers), changed, valid, kinds)
	if changed < len(answers)/10 || valid < len(answers)/50 || len(kinds) < 4 {
		t.Errorf("the pairs cover too few cases")
	}
}

func compareAnswers(t *testing.T, pairs []pair, referenceName string, reference []answer, otherName string, other []answer) {
	t.Helper()
	if len(reference) != len(other) {
		t.Fatalf("%d answers of %s, %d of %s", len(reference), referenceName, len(other), otherName)
	}
	different := 0
	for i := range reference {
		a, b := reference[i], other[i]
		if a.object == b.object && a.changed == b.changed && slices.Equal(a.errors, b.errors) {
			continue
		}
		if different++; different > 3 {
			continue
		}
		t.Errorf("pair %d\nold %s\nnew %s\n%s: changed %t, %s\n\t%q\n%s: changed %t, %s\n\t%q", i, encode(t, pairs[i].old), encode(t, pairs[i].new),
			referenceName, a.changed, a.object, a.errors, otherName, b.changed, b.object, b.errors)
	}
	if different > 0 {
		t.Errorf("%d of %d pairs are different", different, len(reference))
	}
}

// typedSchema returns the schema of the kind in testdata/typed, as in its CRD.
func typedSchema(t testing.TB, module string) *structural.Schema {
	t.Helper()
	crds, w, err := define.DefineKinds(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: module, Patterns: []string{"./typed/api"}}, Language: define.Language{Unions: string(unions.FormCEL)}, Server: gentest.Server(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	if w.Reporter.List.HasErrors() || len(crds) != 1 {
		t.Fatalf("%d definitions: %v", len(crds), w.Reporter.List)
	}
	return crds[0].Schemas[0]
}

func answersOfRuntime(t *testing.T, schema *structural.Schema, options unions.Options, pairs []pair) []answer {
	plan := unions.Compile(schema, options)
	discriminators := discriminatorsBelow(schema)
	out := make([]answer, len(pairs))
	for i, p := range pairs {
		new := runtime.DeepCopyJSON(p.new)
		out[i].changed = plan.Normalize(p.old, new)
		out[i].object = canonical(t, new, discriminators)
		for _, e := range plan.Validate(p.old, new, nil) {
			out[i].errors = append(out[i].errors, fmt.Sprintf("%s %s: %s", e.Type, e.Field, e.Detail))
		}
		slices.Sort(out[i].errors)
	}
	return out
}

// answersOfFunctions runs the program testdata/typed/pairs.
func answersOfFunctions(t *testing.T, schema *structural.Schema, module, name string, pairs []pair) []answer {
	var in bytes.Buffer
	for _, p := range pairs {
		var old any
		if p.old != nil {
			old = p.old
		}
		in.WriteString(encode(t, []any{old, p.new}) + "\n")
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(module, "pairs"), name)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	discriminators := discriminatorsBelow(schema)
	var out []answer
	lines := bufio.NewScanner(bytes.NewReader(stdout))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			New     map[string]any `json:"new"`
			Changed bool           `json:"changed"`
			Errors  []string       `json:"errors"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		delete(line.New, "metadata") // Go always writes it
		slices.Sort(line.Errors)
		out = append(out, answer{canonical(t, line.New, discriminators), line.Changed, line.Errors})
	}
	return out
}

func encode(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// canonical returns the object without what Go cannot distinguish from absence: a
// discriminator that is null or the empty string.
func canonical(t testing.TB, value any, discriminators []string) string {
	t.Helper()
	var strip func(value any) any
	strip = func(value any) any {
		switch value := value.(type) {
		case map[string]any:
			out := map[string]any{}
			for key, v := range value {
				if (v == nil || v == "") && slices.Contains(discriminators, key) {
					continue
				}
				out[key] = strip(v)
			}
			return out
		case []any:
			out := make([]any, len(value))
			for i, v := range value {
				out[i] = strip(v)
			}
			return out
		}
		return value
	}
	return encode(t, strip(value))
}

// discriminatorsBelow returns the names of all discriminators.
func discriminatorsBelow(s *structural.Schema) []string {
	var out []string
	var walk func(s *structural.Schema)
	walk = func(s *structural.Schema) {
		for _, u := range unions.Of(s) {
			if u.Discriminator != "" && !slices.Contains(out, u.Discriminator) {
				out = append(out, u.Discriminator)
			}
		}
		for _, p := range s.Properties {
			walk(p.Schema)
		}
		if s.Items != nil {
			walk(s.Items)
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			walk(s.AdditionalProperties.Schema)
		}
	}
	walk(s)
	return out
}

// pairGenerator generates objects that have a typed form: no unknown fields, no null, no
// wrong types, and no member that is an empty list or map. Required properties are always
// present, because Go always writes them. A discriminator whose name begins with p is a
// pointer in Go, so it may be the empty string.
type pairGenerator struct {
	*rand.Rand
	known map[*structural.Schema][]unions.Union
}

// unionsOf returns the unions of an object's schema, which are read only once.
func (g *pairGenerator) unionsOf(s *structural.Schema) []unions.Union {
	found, ok := g.known[s]
	if !ok {
		found = unions.Of(s)
		g.known[s] = found
	}
	return found
}

func (g *pairGenerator) chance(percent int) bool { return g.Intn(100) < percent }

// pair returns an object and its update, which are often valid and differ little.
func (g *pairGenerator) pair(s *structural.Schema) pair {
	spec := s.Properties[s.PropertyIndex("spec")].Schema
	// The probabilities that a field is present, that a discriminator is right, and that
	// something changes, in percent.
	fields, right, changes := 10+g.Intn(20), []int{60, 95, 100}[g.Intn(3)], []int{0, 10, 30, 60}[g.Intn(4)]
	old := g.object(spec, fields, right)
	new := g.changed(spec, runtime.DeepCopyJSON(old), fields, right, changes)
	p := pair{map[string]any{"spec": old}, map[string]any{"spec": new}}
	if g.chance(10) {
		p.old = nil
	}
	return p
}

func (g *pairGenerator) object(s *structural.Schema, fields, right int) map[string]any {
	out := map[string]any{}
	if a := s.AdditionalProperties; a != nil {
		for _, key := range []string{"a", "b.c", "d/e"} {
			if g.chance(50) {
				out[key] = g.value(a.Schema, fields, right)
			}
		}
		if len(out) == 0 {
			out["one"] = g.value(a.Schema, fields, right)
		}
		return out
	}
	for _, p := range s.Properties {
		if isRequired(s, p.Name) || g.chance(fields) {
			out[p.Name] = g.value(p.Schema, fields, right)
		}
	}
	for _, u := range g.unionsOf(s) {
		g.setUnion(s, u, out, fields, right)
	}
	return out
}

func isRequired(s *structural.Schema, name string) bool {
	return s.ValueValidation != nil && slices.Contains(s.Required, name)
}

// setUnion sets a discriminator, and usually the members that it selects.
func (g *pairGenerator) setUnion(s *structural.Schema, u unions.Union, object map[string]any, fields, right int) {
	if u.Discriminator != "" {
		g.setDiscriminator(u, object, right)
	}
	value, _ := object[u.Discriminator].(string)
	if value == "" && u.Default != nil {
		value = *u.Default
	}
	one := g.Intn(len(u.Members))
	for i, m := range u.Members {
		selected := m.Value == value && u.Discriminator != "" || u.Discriminator == "" && i == one
		if !g.chance(right) {
			selected = !selected
		}
		if !selected {
			delete(object, m.Name)
		} else if object[m.Name] == nil {
			object[m.Name] = g.value(s.Properties[s.PropertyIndex(m.Name)].Schema, fields, right)
		}
	}
}

func (g *pairGenerator) setDiscriminator(u unions.Union, object map[string]any, right int) {
	isPointer := strings.HasPrefix(u.Discriminator, "p")
	values := []string{}
	for _, v := range u.Values {
		if v.Name != "" || isPointer || u.MayBeAbsent() {
			values = append(values, v.Name)
		}
	}
	if isPointer && !g.chance(right) {
		values = append(values, "")
	}
	switch {
	case !g.chance(right) && g.chance(30):
		object[u.Discriminator] = "Z"
	case !u.Required && g.chance(30) || !g.chance(right) && g.chance(30):
		delete(object, u.Discriminator)
	default:
		object[u.Discriminator] = values[g.Intn(len(values))]
	}
}

func (g *pairGenerator) value(s *structural.Schema, fields, right int) any {
	switch {
	case s.ValueValidation != nil && len(s.Enum) > 0:
		var value any
		if json.Unmarshal(s.Enum[g.Intn(len(s.Enum))].Raw, &value) != nil {
			return nil
		}
		return value
	case s.Type == "object":
		return g.object(s, fields, right)
	case s.Type == "array":
		out := []any{}
		for range 1 + g.Intn(3) {
			out = append(out, g.value(s.Items, fields, right))
		}
		return out
	case s.Type == "boolean":
		return g.chance(50)
	case s.Type == "integer":
		if s.ValueValidation != nil && s.Minimum != nil {
			return int64(1 + g.Intn(2))
		}
		return int64(g.Intn(2))
	case s.ValueValidation != nil && s.Format == "byte":
		return "eA=="
	case s.ValueValidation != nil && s.MinLength != nil:
		return "long"
	}
	return []string{"x", "y", "z"}[g.Intn(3)]
}

// changed changes parts of an object and returns it.
func (g *pairGenerator) changed(s *structural.Schema, object map[string]any, fields, right, changes int) map[string]any {
	if a := s.AdditionalProperties; a != nil {
		for _, key := range []string{"a", "b.c", "d/e"} {
			switch value, ok := object[key]; {
			case ok && g.chance(changes/4) && len(object) > 1:
				delete(object, key)
			case ok:
				object[key] = g.changedValue(a.Schema, value, fields, right, changes)
			case g.chance(changes / 4):
				object[key] = g.value(a.Schema, fields, right)
			}
		}
		return object
	}
	for _, p := range s.Properties {
		switch value, ok := object[p.Name]; {
		case ok && g.chance(changes/4) && !isRequired(s, p.Name):
			delete(object, p.Name)
		case ok:
			object[p.Name] = g.changedValue(p.Schema, value, fields, right, changes)
		case g.chance(changes / 4):
			object[p.Name] = g.value(p.Schema, fields, right)
		}
	}
	for _, u := range g.unionsOf(s) {
		switch {
		case g.chance(changes / 2):
			g.setUnion(s, u, object, fields, right)
		case u.Discriminator != "" && g.chance(changes):
			g.setDiscriminator(u, object, right)
			fallthrough // and sometimes the member of the new value
		case u.Discriminator != "" && g.chance(changes/2):
			value, _ := object[u.Discriminator].(string)
			for _, m := range u.Members {
				if m.Value == value && object[m.Name] == nil && g.chance(70) {
					object[m.Name] = g.value(s.Properties[s.PropertyIndex(m.Name)].Schema, fields, right)
				}
			}
		default:
			// A random change may not be representable in the Go type.
			if value, ok := object[u.Discriminator].(string); ok && value == "" && !strings.HasPrefix(u.Discriminator, "p") && !u.MayBeAbsent() {
				delete(object, u.Discriminator)
			}
		}
	}
	return object
}

func (g *pairGenerator) changedValue(s *structural.Schema, value any, fields, right, changes int) any {
	switch value := value.(type) {
	case map[string]any:
		return g.changed(s, value, fields, right, changes)
	case []any:
		for i := range value {
			value[i] = g.changedValue(s.Items, value[i], fields, right, changes)
		}
		if g.chance(changes / 2) {
			g.Shuffle(len(value), func(i, j int) { value[i], value[j] = value[j], value[i] })
		}
		if g.chance(changes / 4) {
			value = append(value, runtime.DeepCopyJSONValue(value[0])) // a duplicate key
		}
		if g.chance(changes/4) && len(value) > 1 {
			value = value[1:]
		}
		return value
	}
	if g.chance(changes / 4) {
		return g.value(s, fields, right)
	}
	return value
}

// BenchmarkRuntime is the baseline for the benchmarks of testdata/typed: the same objects
// without their types. Its lower bound is the map look-ups that cannot be avoided, which
// "look-ups" measures alone.
func BenchmarkRuntime(b *testing.B) {
	schema := typedSchema(b, typedModule(b))
	spec := schema.Properties[schema.PropertyIndex("spec")].Schema
	b.Run("ten", func(b *testing.B) { benchmarkTen(b, spec.Properties[spec.PropertyIndex("ten")].Schema) })
	list := &structural.Schema{Properties: []structural.Property{spec.Properties[spec.PropertyIndex("keyed")]}}
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprintf("keyed/%d", n), func(b *testing.B) { benchmarkKeyed(b, list, n) })
	}
}

func benchmarkTen(b *testing.B, schema *structural.Schema) {
	plan := unions.Compile(schema, unions.Options{})
	old := map[string]any{"type": "M3", "m3": map[string]any{}}
	for _, value := range []string{"M3", "M7"} {
		what := map[string]string{"M3": "unchanged", "M7": "changed"}[value]
		member, new := map[string]any{}, map[string]any{}
		reset := func() { new["type"], new["m3"], new["m7"] = value, member, member }
		b.Run(what, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				reset()
				plan.Normalize(old, new)
			}
		})
		b.Run(what+", reset", func(b *testing.B) {
			for b.Loop() {
				reset()
			}
		})
		b.Run("validate "+what, func(b *testing.B) {
			b.ReportAllocs()
			new := map[string]any{"type": value, strings.ToLower(value): map[string]any{}}
			for b.Loop() {
				plan.Validate(old, new, nil)
			}
		})
	}
	b.Run("look-ups", func(b *testing.B) {
		new, found := map[string]any{"type": "M7", "m7": map[string]any{}}, 0
		for b.Loop() {
			if old["type"] != new["type"] {
				found++
			}
		}
	})
	b.Run("validate look-ups", func(b *testing.B) {
		new, found := map[string]any{"type": "M7", "m7": map[string]any{}}, 0
		for b.Loop() {
			for _, name := range []string{"type", "m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"} {
				if new[name] != nil {
					found++
				}
			}
		}
	})
}

func benchmarkKeyed(b *testing.B, schema *structural.Schema, n int) {
	plan := unions.Compile(schema, unions.Options{})
	items := func() map[string]any {
		list := make([]any, n)
		for i := range list {
			list[i] = map[string]any{"name": fmt.Sprint("name-", i), "type": "A", "a": map[string]any{}}
		}
		return map[string]any{"keyed": list}
	}
	old, equal, shuffled := items(), items(), items()
	list := shuffled["keyed"].([]any)
	rand.New(rand.NewSource(1)).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, c := range []struct {
		name string
		new  map[string]any
	}{{"equal", equal}, {"shuffled", shuffled}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan.Normalize(old, c.new)
			}
		})
		b.Run("validate "+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				plan.Validate(old, c.new, nil)
			}
		})
	}
	b.Run("look-ups", func(b *testing.B) {
		before, after, found := old["keyed"].([]any), equal["keyed"].([]any), 0
		for b.Loop() {
			for i := range before {
				was, is := before[i].(map[string]any), after[i].(map[string]any)
				if was["name"] != is["name"] || was["type"] != is["type"] {
					found++
				}
			}
		}
	})
}
