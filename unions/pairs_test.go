package unions

import (
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
)

var pairCount = flag.Int("pairs", 3_000, "how many random pairs of objects TestPairs compares")

// withUnion returns the schema of an object with the unions in the cel form, and additional
// fields. Members are objects, or the property of the same name in fields.
func withUnion(t testing.TB, fields []structural.Property, list ...Union) *structural.Schema {
	t.Helper()
	out := objectSchema()
	for _, u := range list {
		s := schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}})
		for _, p := range s.Properties {
			if out.Property(p.Name) == nil {
				out.Properties = append(out.Properties, p)
			}
		}
		out.XValidations = append(out.XValidations, s.XValidations...)
		if out.ValueValidation == nil {
			out.ValueValidation = &structural.ValueValidation{}
		}
		out.Required = append(out.Required, s.Required...)
		if len(s.OneOf) > 0 {
			out.AllOf = append(out.AllOf, structural.NestedValueValidation{ValueValidation: structural.ValueValidation{OneOf: s.OneOf}})
		}
	}
	for _, f := range fields {
		at := slices.IndexFunc(out.Properties, func(p structural.Property) bool { return p.Name == f.Name })
		if at < 0 {
			out.Properties = append(out.Properties, f)
			continue
		}
		out.Properties[at] = f
	}
	return out
}

func mapOf(s *structural.Schema) *structural.Schema {
	return &structural.Schema{Generic: structural.Generic{Type: "object"}, AdditionalProperties: &structural.SchemaOrBool{Schema: s}, ValueValidation: &structural.ValueValidation{MaxProperties: ptr.To(int64(10))}}
}

func listOf(s *structural.Schema, kind string, keys ...string) *structural.Schema {
	out := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: s, ValueValidation: &structural.ValueValidation{MaxItems: ptr.To(int64(10))}}
	out.XListType, out.XListMapKeys = kind, keys
	return out
}

func nullable(s *structural.Schema) *structural.Schema {
	out := *s
	out.Nullable = true
	return &out
}

func scalar(kind, absent string) *structural.Schema {
	out := &structural.Schema{Generic: structural.Generic{Type: kind}}
	if absent != "" {
		out.Default = &structural.JSON{Raw: []byte(absent)}
	}
	return out
}

// withKeys returns the schema of a list element that has the key fields in addition to the
// union. Keys without a default are required.
func withKeys(s *structural.Schema, keys ...structural.Property) *structural.Schema {
	out := *s
	out.Properties = append(slices.Clone(s.Properties), keys...)
	validation := structural.ValueValidation{}
	if s.ValueValidation != nil {
		validation = *s.ValueValidation
	}
	validation.Required = slices.Clone(validation.Required)
	for _, k := range keys {
		if k.Schema.Default == nil {
			validation.Required = append(validation.Required, k.Name)
		}
	}
	out.ValueValidation = &validation
	return &out
}

// pairShape is a schema for random pairs.
type pairShape struct {
	name   string
	schema *structural.Schema
	// poor is set if a union is in the oneOf form, whose errors are unspecific.
	poor bool
}

func pairShapes(t testing.TB) []pairShape {
	t.Helper()
	var out []pairShape
	leaf := map[string]*structural.Schema{}
	for _, shape := range []string{"", "D optional", `D optional ""`, "D defaulted", "a optional", `""`} {
		leaf[shape] = withUnion(t, nil, abc(shape))
		out = append(out, pairShape{name: "flat " + shape, schema: leaf[shape]})
	}
	property := func(name string, s *structural.Schema) structural.Property {
		return structural.Property{Name: name, Schema: s}
	}
	name, port := property("name", scalar("string", "")), property("port", scalar("integer", "80"))
	byName := listOf(withKeys(leaf[""], name), "map", "name")
	byAll := listOf(withKeys(leaf["D optional"], name, port, property("on", scalar("boolean", "")), property("proto", scalar("string", `"TCP"`))), "map", "name", "port", "on", "proto")
	inner := withUnion(t, []structural.Property{property("list", byName), property("map", mapOf(leaf["D defaulted"]))}, abc("D optional"))
	deep := withUnion(t, []structural.Property{
		property("a", inner), property("b", listOf(withKeys(inner, name), "map", "name")),
	}, abc(""))
	out = append(out,
		pairShape{name: "maps and lists", schema: objectSchema(property("map", mapOf(leaf[""])), property("byName", byName), property("byAll", byAll),
			property("byPort", listOf(withKeys(leaf["D defaulted"], port), "map", "port")),
			property("atomic", listOf(leaf[""], "atomic")), property("plain", listOf(leaf["D optional"], "")))},
		pairShape{name: "nested", schema: objectSchema(property("spec", deep), property("status", mapOf(deep)))},
		pairShape{name: "in each other", schema: objectSchema(property("map", mapOf(mapOf(byAll))), property("list", listOf(withKeys(objectSchema(property("in", byName)), name), "map", "name")),
			property("atomic", listOf(objectSchema(property("in", byName)), "atomic")))},
		pairShape{name: "nullable", schema: objectSchema(property("parent", nullable(leaf[`D optional ""`])), property("map", mapOf(nullable(leaf[""]))), property("list", nullable(byName)))},
	)
	special := New("in", []string{"it's", `x"\`, "null"}, Member{Name: "a/b", Value: "it's"}, Member{Name: "a.b", Value: `x"\`}, Member{Name: "__x__", Value: "null", Optional: true})
	unreadable := New("a~D", []string{"A", "B", ""}, Member{Name: "a~b", Value: "A"}, Member{Name: "ü x", Value: "B"})
	two := abc("D defaulted")
	two.Discriminator = "other-type"
	two.Members = []Member{{Name: "namespace", Value: "A"}, {Name: "function", Value: "B"}}
	two.Values = New("", []string{"A", "B", "C"}, two.Members...).Values
	return append(out,
		pairShape{name: "odd names", schema: objectSchema(property("a/b~c", mapOf(withUnion(t, nil, special))), property("true", listOf(withKeys(withUnion(t, nil, special), property("na~me", scalar("string", ""))), "map", "na~me")))},
		pairShape{name: "unreadable names", schema: objectSchema(property("ü", mapOf(withUnion(t, nil, unreadable)))), poor: true},
		pairShape{name: "two in one", schema: withUnion(t, []structural.Property{property("b", deep)}, abc("D optional"), two)},
	)
}

// maker generates random objects for schemas.
type maker struct {
	*rand.Rand
	unions map[*structural.Schema][]Union
	// valid is set if objects must not violate unions.
	valid bool
}

func (m *maker) of(s *structural.Schema) []Union {
	known, ok := m.unions[s]
	if !ok {
		known = Of(s)
		m.unions[s] = known
	}
	return known
}

func (m *maker) text(s *structural.Schema) string {
	if values := stringsOf(s); len(values) > 0 {
		return values[m.Intn(len(values))]
	}
	return []string{"x", "y", "a/b", "~&=;+%#", "none", ""}[m.Intn(6)]
}

func (m *maker) value(s *structural.Schema) any {
	if s.Nullable && m.Intn(5) == 0 {
		return nil
	}
	switch s.Type {
	case "string":
		return m.text(s)
	case "integer":
		return int64(m.Intn(3))
	case "boolean":
		return m.Intn(2) == 0
	case "array":
		out := []any{}
		for range m.Intn(4) {
			out = append(out, m.value(s.Items))
		}
		return m.withoutTwins(s, out)
	}
	out := map[string]any{}
	if a := s.AdditionalProperties; a != nil {
		for range m.Intn(3) {
			out[m.text(&structural.Schema{})] = m.value(a.Schema)
		}
		return out
	}
	for _, p := range s.Properties {
		if s.ValueValidation != nil && slices.Contains(s.Required, p.Name) || m.Intn(3) > 0 {
			out[p.Name] = m.value(p.Schema)
		}
	}
	for _, u := range m.of(s) {
		if m.valid || m.Intn(2) == 0 {
			m.repair(s, u, out)
		}
	}
	return out
}

// repair makes an object valid with respect to its discriminator.
func (m *maker) repair(s *structural.Schema, u Union, object map[string]any) {
	selected := ""
	if value, ok := object[u.Discriminator].(string); ok {
		selected = value
	} else if u.Default != nil {
		selected = *u.Default
	}
	at := u.Selected(selected)
	for i, member := range u.Members {
		switch {
		case i != at:
			delete(object, member.Name)
		case object[member.Name] == nil && (!member.Optional || m.Intn(2) == 0):
			object[member.Name] = m.value(s.Property(member.Name))
		}
	}
}

// withoutTwins removes most elements with duplicate keys from a keyed list.
func (m *maker) withoutTwins(s *structural.Schema, list []any) []any {
	if s.XListType != "map" || !m.valid && m.Intn(50) == 0 {
		return list
	}
	var keys []listKey
	for _, name := range s.XListMapKeys {
		keys = append(keys, keyWithDefault(s.Items, name))
	}
	seen := map[any]bool{}
	return slices.DeleteFunc(list, func(element any) bool {
		key, _ := keyOf(keys, element)
		twin := seen[key]
		seen[key] = true
		return twin
	})
}

// change returns a randomly modified value, as updated by a client.
func (m *maker) change(s *structural.Schema, value any) any {
	if value == nil || m.Intn(30) == 0 {
		return m.value(s)
	}
	switch old := value.(type) {
	case []any:
		out := slices.Clone(old)
		for i := range out {
			out[i] = m.change(s.Items, out[i])
		}
		if m.Intn(3) == 0 {
			m.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		}
		if m.Intn(4) == 0 {
			out = append(out, m.value(s.Items))
		}
		return m.withoutTwins(s, out)
	case map[string]any:
		out := map[string]any{}
		if a := s.AdditionalProperties; a != nil {
			for _, key := range keysOf(old) {
				out[key] = m.change(a.Schema, old[key])
			}
			return out
		}
		for _, p := range s.Properties {
			was, found := old[p.Name]
			switch {
			case found && m.Intn(12) > 0:
				out[p.Name] = m.change(p.Schema, was)
			case !found && m.Intn(12) == 0:
				out[p.Name] = m.value(p.Schema)
			}
		}
		for _, u := range m.of(s) {
			m.changeUnion(s, u, out)
		}
		return out
	case string:
		if m.Intn(12) == 0 {
			return m.text(s)
		}
	}
	return value
}

func (m *maker) changeUnion(s *structural.Schema, u Union, object map[string]any) {
	switch m.Intn(12) {
	case 0:
		object[u.Discriminator] = "Z"
	case 1:
		delete(object, u.Discriminator)
	case 2, 3, 4, 5: // another value with its member, which should succeed
		value := u.Values[m.Intn(len(u.Values))]
		object[u.Discriminator] = value.Name
		if value.Member != "" {
			object[value.Member] = m.value(s.Property(value.Member))
		}
	case 6:
		m.repair(s, u, object)
	case 7:
		if m.Intn(20) == 0 {
			object[u.Discriminator] = int64(1)
		}
	}
}

func keysOf(object map[string]any) []string {
	var out []string
	for key := range object {
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// pairTally counts the results of pairs.
type pairTally struct {
	accepted, rejected, normalized, bySchema, create, invalidOld int
	typed, untyped                                               int
}

func (c pairTally) String() string {
	return fmt.Sprintf("%d accepted, %d rejected (%d by the schema alone), %d normalized; %d created, %d with an old object that violates a union; %d also typed, %d cannot be expressed in Go",
		c.accepted, c.rejected, c.bySchema, c.normalized, c.create, c.invalidOld, c.typed, c.untyped)
}

// comparison is a schema with all implementations to compare.
type comparison struct {
	pairShape
	opts            Options
	crd             *crdServer
	runtime, strict implementation
	emitted         implementation
	typed           implementation // nil with -short
}

func comparisons(t testing.TB) []comparison {
	t.Helper()
	var out []comparison
	for _, shape := range pairShapes(t) {
		if errs := definitionErrors(t, shape.schema); len(errs) > 0 {
			t.Fatal(shape.name, errs)
		}
		for _, opts := range []Options{{}, {CarryOverOnly: true}} {
			strict := opts
			strict.NoRatcheting = true
			c := comparison{
				pairShape: shape, opts: opts, crd: newCRDServer(t, shape.schema),
				runtime: onUnstructured(t, shape.schema, opts), strict: onUnstructured(t, shape.schema, strict),
				emitted: emitted(t, shape.schema, opts),
			}
			if !testing.Short() {
				c.typed = onTypes(t, shape.name, opts)
			}
			out = append(out, c)
		}
	}
	return out
}

// TestPairs compares the runtime with the generated rules, policies and functions on random
// pairs of objects.
func TestPairs(t *testing.T) {
	start := time.Now()
	var tally pairTally
	all := comparisons(t)
	r := rand.New(rand.NewSource(1))
	m := &maker{Rand: r, unions: map[*structural.Schema][]Union{}}
	for i := range *pairCount {
		c := all[i%len(all)]
		m.valid = r.Intn(5) > 0
		var old map[string]any
		if r.Intn(10) > 0 {
			old = m.value(c.schema).(map[string]any)
		}
		m.valid = false
		var new map[string]any
		if old == nil || r.Intn(8) == 0 {
			new = m.value(c.schema).(map[string]any)
		} else {
			new = m.change(c.schema, runtime.DeepCopyJSON(old)).(map[string]any)
		}
		c.compare(t, old, new, &tally)
		if t.Failed() {
			t.Fatalf("pair %d of %s %+v", i, c.name, c.opts)
		}
	}
	t.Logf("%d pairs in %s: %s", *pairCount, time.Since(start).Round(time.Second), tally)
	if tally.accepted < *pairCount/10 || tally.rejected < *pairCount/10 || tally.normalized < *pairCount/10 || tally.invalidOld < *pairCount/50 {
		t.Errorf("the pairs cover too few cases: %s", tally)
	}
}

// compare checks that both agree on whether the request is accepted, on the normalized object
// and, if the schema accepts it, on the types and paths of the errors.
func (c comparison) compare(t *testing.T, old, new map[string]any, tally *pairTally) {
	t.Helper()
	c.crd.decode(new)
	validOld := true
	if old != nil {
		c.crd.decode(old)
		errs, bySchema := c.crd.validate(nil, old)
		if bySchema && len(errs) > 0 && !c.poor {
			return // such an object cannot be stored
		}
		validOld = len(errs) == 0
	}
	server, ours := c.emitted(old, new), c.runtime(old, new)
	report := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s → %s:\nserver %+v\ngot    %+v\n%s", encoded(t, old), encoded(t, new), server, ours, fmt.Sprintf(format, args...))
	}
	switch {
	case old == nil:
		tally.create++
	case !validOld:
		tally.invalidOld++
	}
	if c.typed != nil {
		c.compareTyped(t, old, new, server, ours, report, tally)
	}
	if len(server.failed) > 0 {
		report("a mutation failed")
	}
	if slices.ContainsFunc(server.errors, func(text string) bool { return strings.HasPrefix(text, "Duplicate ") }) {
		tally.rejected++
		tally.bySchema++
		return // no union is invalid
	}
	ours.errors = withoutHints(ours.errors)
	switch {
	case server.invalid && !c.poor:
		tally.bySchema++
		// Other errors may differ. The policy may have cleared a member with invalid
		// discriminators in it, if the enclosing union has no value of its own.
		got := discriminatorPaths(ours.errors)
		for _, path := range discriminatorPaths(server.errors) {
			if !slices.Contains(got, path) {
				report("only the server rejects %s", path)
			}
		}
		if len(discriminatorPaths(server.errors)) == 0 && len(got) > 0 {
			report("only this package rejects %q", got)
		}
	case !validOld:
		// The server drops errors about unchanged values, the runtime those about an
		// unchanged selection; for the runtime, elements of atomic lists have no
		// counterparts.
		strict := withoutHints(c.strict(old, new).errors)
		for _, text := range ours.errors {
			if !c.poor && !slices.Contains(server.errors, text) && !strings.Contains(text, "atomic[") && !strings.Contains(text, "plain[") {
				report("only we say %s", text)
			}
		}
		for _, text := range server.errors {
			if !c.poor && !slices.Contains(strict, text) {
				report("without ratcheting we say %q", strict)
			}
		}
	case server.accepted != ours.accepted:
		report("not the same answer")
	case !c.poor && !slices.Equal(server.errors, ours.errors):
		report("not the same errors")
	}
	if !server.accepted {
		tally.rejected++
		return
	}
	tally.accepted++
	if encoded(t, server.object) != encoded(t, new) {
		tally.normalized++
	}
	if encoded(t, server.object) != encoded(t, ours.object) {
		report("not the same object")
	}
}

// compareTyped checks generated functions more strictly than the runtime: rejected objects
// and hints must agree, too.
func (c comparison) compareTyped(t testing.TB, old, new map[string]any, server, ours outcome, report func(format string, args ...any), tally *pairTally) {
	typed := c.typed(old, new)
	if typed.untyped != "" {
		tally.untyped++
		// It may be in a member that the other implementations clear.
		errs, _ := c.crd.validate(nil, new)
		if old != nil {
			stored, _ := c.crd.validate(nil, old)
			errs = append(errs, stored...)
		}
		if !hasWrongType(kinds(errs)) {
			report("cannot be expressed in Go: %s", typed.untyped)
		}
		return
	}
	tally.typed++
	same := encoded(t, withoutNulls(typed.object)) == encoded(t, withoutNulls(ours.object))
	if typed.accepted != ours.accepted || !slices.Equal(typed.errors, ours.errors) || !same || hasWrongType(server.errors) {
		report("not the same on types: %+v", typed)
	}
}

func hasWrongType(errs []string) bool {
	return slices.ContainsFunc(errs, func(text string) bool { return strings.HasPrefix(text, "TypeInvalid ") })
}

// withoutNulls returns the value without null fields, which Go omits.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, v := range value {
			if v != nil {
				out[key] = withoutNulls(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = withoutNulls(v)
		}
		return out
	}
	return value
}

// withoutHints removes the additional hints on discriminators.
func withoutHints(errs []string) []string {
	return slices.DeleteFunc(slices.Clone(errs), func(text string) bool { return strings.HasPrefix(text, "Invalid ") })
}

// discriminatorPaths returns the paths of errors about discriminators.
func discriminatorPaths(errs []string) []string {
	var out []string
	for _, text := range errs {
		_, path, _ := strings.Cut(text, " ")
		path = strings.NewReplacer("[", ".", "]", "").Replace(path)
		if slices.Contains([]string{"type", "other-type", "in"}, path[strings.LastIndexByte(path, '.')+1:]) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
