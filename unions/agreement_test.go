package unions

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// row is a case on which all implementations must agree.
type row struct {
	name string
	// shape is the shape of the union; "places" has it at every kind of position.
	shape    string
	opts     Options
	old, new string
	// want is the object after normalization; if empty, it is new. Except for the runtime, it
	// matters only if the request is accepted.
	want string
	// errs are the expected errors, including the hint on the discriminator.
	errs []string
	// server is set if a server with the definition behaves differently.
	server *serverRow
	// differs is the name of the difference in docs/unions.md.
	differs string
	// untyped is set if the row cannot be represented in Go: unknown fields, null, wrong
	// types, and a required discriminator with the empty string among its values.
	untyped bool
}

// serverRow is the different result of a server: the object that it stores, because it prunes
// and applies defaults, and its errors, because its schema has more rules or ratchets less.
type serverRow struct {
	want string
	errs []string
}

const storedA = `{"type":"A","a":{}}`

// rows returns the table of cases.
func rows() []row {
	return []row{
		{name: "create", new: storedA},
		{name: "create, two members", new: `{"type":"A","a":{},"b":{}}`, errs: []string{"Forbidden b"}},
		{name: "create, swapped", new: `{"type":"B","a":{}}`, errs: []string{"Required b", "Forbidden a"}},
		{name: "create, no member", new: `{"type":"A"}`, errs: []string{"Required a"}},
		{name: "create, empty member", new: `{"type":"C"}`},
		{name: "create, with an empty member", new: `{"type":"C","a":{}}`, errs: []string{"Forbidden a"}},
		{name: "second member", old: storedA, new: `{"type":"A","a":{},"b":{}}`, errs: []string{"Forbidden b", "Invalid type"}},
		{name: "other member", old: storedA, new: `{"type":"A","b":{}}`, errs: []string{"Required a", "Forbidden b"}},
		{name: "member removed", old: storedA, new: `{"type":"A"}`, errs: []string{"Required a"}},
		{name: "optional member removed", shape: "a optional", old: storedA, new: `{"type":"A"}`},
		{name: "selected anew", old: storedA, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`},
		{name: "selected, not set", old: storedA, new: `{"type":"B","a":{}}`, want: `{"type":"B"}`, errs: []string{"Required b"}},
		{name: "to an empty member", old: storedA, new: `{"type":"C","a":{}}`, want: `{"type":"C"}`},
		{name: "to no member", shape: `""`, old: storedA, new: `{"type":"","a":{}}`, want: `{"type":""}`, untyped: true},
		{name: "the empty string is not a value", old: storedA, new: `{"type":"","a":{}}`, errs: []string{"NotSupported type"}},
		{name: "the empty string is not a value, D optional", shape: "D optional", old: storedA, new: `{"type":"","a":{}}`, errs: []string{"NotSupported type"}},
		{name: "optional D removed", shape: `D optional`, old: storedA, new: `{"a":{}}`, want: `{}`},
		{name: "optional D with empty value removed", shape: `D optional ""`, old: storedA, new: `{"a":{}}`, want: `{}`},
		{name: "required D removed", old: storedA, new: `{"a":{}}`, errs: []string{"Required type"}},
		{name: "required D removed, empty text is a value", shape: `""`, old: storedA, new: `{"a":{}}`, errs: []string{"Required type"}, untyped: true},
		{name: "D null", old: storedA, new: `{"type":null,"a":{}}`, errs: []string{"Required type"}, untyped: true},
		{name: "defaulted D removed", shape: "D defaulted", old: storedA, new: `{"a":{}}`, want: `{}`, errs: []string{"Required b"}},
		{name: "unknown value", old: storedA, new: `{"type":"Z","a":{},"b":{}}`, errs: []string{"NotSupported type"}},
		{name: "unknown fields", old: storedA, new: `{"type":"B","a":{},"b":{},"n":{}}`, want: `{"type":"B","b":{},"n":{}}`, server: &serverRow{want: `{"type":"B","b":{}}`}, untyped: true},
		{name: "null member", old: storedA, new: `{"type":"B","a":null,"b":{}}`, server: &serverRow{want: `{"type":"B","b":{}}`}, untyped: true},
		{name: "carry-over only", opts: Options{CarryOverOnly: true}, old: storedA, new: `{"type":"C","a":{},"b":{}}`, want: `{"type":"C","b":{}}`, errs: []string{"Forbidden b"}},
		{name: "not carry-over only", old: storedA, new: `{"type":"C","a":{},"b":{}}`, want: `{"type":"C"}`},
		{name: "from empty", shape: "D optional", old: `{}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`},
		{name: "stored invalid", old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{},"b":{},"other":"x"}`, differs: "a neighbour changed", server: &serverRow{errs: []string{"Forbidden b"}}},
		{name: "stored invalid, no ratcheting", opts: Options{NoRatcheting: true}, old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{},"b":{}}`, errs: []string{"Forbidden b", "Invalid type"}, differs: "without ratcheting", server: &serverRow{}},
		{name: "stored invalid, change of a member's content", old: `{"type":"A","a":{},"b":{}}`, new: `{"type":"A","a":{"x":1},"b":{}}`, differs: "a neighbour changed", server: &serverRow{errs: []string{"Forbidden b"}}},
		{name: "stored unknown value", old: `{"type":"Z"}`, new: `{"type":"Z","other":"x"}`},
		{name: "absence becomes the empty string, which is not a value", shape: "D optional", old: `{}`, new: `{"type":""}`, errs: []string{"NotSupported type"}},
		{name: "D is a number", old: storedA, new: `{"type":1,"a":{}}`, errs: []string{"TypeInvalid type"}, differs: "something else is wrong", server: &serverRow{errs: []string{"NotSupported type", "TypeInvalid type"}}, untyped: true},
		{name: "member is a list", new: `{"type":"A","a":[]}`, errs: []string{"TypeInvalid a"}, untyped: true},
		{name: "old D is a number", old: `{"type":1,"a":{}}`, new: `{"type":"B","a":{},"b":{}}`, want: `{"type":"B","b":{}}`, untyped: true},

		{shape: "places", name: "stored invalid, change outside", old: `{"parent":{"type":"A","a":{},"b":{}}}`, new: `{"parent":{"type":"A","a":{},"b":{}},"note":"x"}`},
		{shape: "places", name: "stored invalid, changed in another field", old: `{"parent":{"type":"A","a":{},"b":{}},"map":{"k":{"type":"A","a":{}}}}`,
			new: `{"parent":{"type":"A","a":{},"b":{}},"map":{"k":{"type":"C","a":{}}}}`, want: `{"parent":{"type":"A","a":{},"b":{}},"map":{"k":{"type":"C"}}}`},
		// The server drops errors if a complete value is unchanged: it finds more
		// counterparts, and requires less of a discriminator.
		{shape: "places", name: "stored invalid in an atomic list", old: `{"atomic":[{"type":"A","a":{},"b":{}}]}`, new: `{"atomic":[{"type":"A","a":{},"b":{}}],"note":"x"}`,
			errs: []string{"Forbidden atomic[0].b"}, differs: "a list without keys", server: &serverRow{}},
		{name: "stored unknown value, member removed", old: `{"type":"Z","a":{}}`, new: `{"type":"Z"}`, errs: []string{"NotSupported type"}, differs: "an unknown value stayed", server: &serverRow{}},
		{name: "stored unknown value, member exchanged", old: `{"type":"Z","a":{}}`, new: `{"type":"Z","b":{}}`, errs: []string{"NotSupported type"}, differs: "an unknown value stayed and members changed", server: &serverRow{errs: []string{"Forbidden b"}}},
		{shape: "places", name: "unknown value in a map", new: `{"map":{"k":{"type":"Z"}}}`, errs: []string{"NotSupported map[k].type"},
			differs: "keys of maps", server: &serverRow{errs: []string{"NotSupported map.k.type"}}},
		{shape: "places", name: "unknown value and another union", new: `{"parent":{"type":"A"},"outer":{"type":"Z"}}`, errs: []string{"NotSupported outer.type", "Required parent.a"},
			differs: "something else is wrong", server: &serverRow{errs: []string{"NotSupported outer.type"}}},
		{name: "the empty string is not a value, D defaulted", shape: "D defaulted", old: storedA, new: `{"type":"","b":{}}`, errs: []string{"NotSupported type"}},
		{shape: "places", name: "parent absent", old: `{}`, new: `{"parent":{"type":"B","a":{},"b":{}}}`, errs: []string{"Forbidden parent.a"}},
		{shape: "places", name: "parent null", old: `{"parent":null}`, new: `{"parent":{"type":"B","a":{},"b":{}}}`, errs: []string{"Forbidden parent.a"}, untyped: true},
		{shape: "places", name: "parent removed", old: `{"parent":{"type":"A","a":{}}}`, new: `{"parent":null}`, server: &serverRow{want: `{}`}, untyped: true},
		{shape: "places", name: "parent of the wrong type", old: `{"parent":{}}`, new: `{"parent":[1]}`, errs: []string{"TypeInvalid parent"}, untyped: true},
		{shape: "places", name: "old parent of the wrong type", old: `{"parent":[]}`, new: `{"parent":{"type":"B","a":{},"b":{}}}`, errs: []string{"Forbidden parent.a"}, untyped: true},
		{shape: "places", name: "list of the wrong type", new: `{"byName":{},"map":[]}`, errs: []string{"TypeInvalid byName", "TypeInvalid map"}, untyped: true},
		{shape: "places", name: "map", old: `{"map":{"k":` + storedA + `}}`, new: `{"map":{"k":{"type":"B","a":{},"b":{}},"l":{"type":"B","a":{},"b":{}}}}`,
			want: `{"map":{"k":{"type":"B","b":{}},"l":{"type":"B","a":{},"b":{}}}}`, errs: []string{"Forbidden map[l].a"}},
		{shape: "places", name: "keyed, in another order", old: `{"byName":[{"name":"x","type":"A","a":{}},{"name":"y","type":"B","b":{}}]}`,
			new:  `{"byName":[{"name":"y","type":"A","a":{},"b":{}},{"name":"x","type":"A","a":{},"b":{}},{"name":"z","type":"A","b":{}}]}`,
			want: `{"byName":[{"name":"y","type":"A","a":{}},{"name":"x","type":"A","a":{},"b":{}},{"name":"z","type":"A","b":{}}]}`,
			errs: []string{"Forbidden byName[1].b", "Invalid byName[1].type", "Required byName[2].a", "Forbidden byName[2].b"}},
		{shape: "places", name: "keyed, default key", old: `{"byName":[{"type":"A","a":{}}]}`, new: `{"byName":[{"name":"none","type":"B","a":{},"b":{}}]}`,
			want: `{"byName":[{"name":"none","type":"B","b":{}}]}`},
		{shape: "places", name: "keyed, duplicate in new", old: `{"byName":[{"name":"x","type":"A","a":{}}]}`,
			new:  `{"byName":[{"name":"x","type":"B","a":{},"b":{}},{"name":"x","type":"B","b":{}}]}`,
			errs: []string{"Forbidden byName[0].a"}, differs: "something else is wrong", server: &serverRow{errs: []string{"Duplicate byName[1]", "Forbidden byName[0].a"}}},
		{shape: "places", name: "keyed, duplicate in old", old: `{"byName":[{"name":"x","type":"A","a":{}},{"name":"x","type":"A","a":{}}]}`,
			new: `{"byName":[{"name":"x","type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden byName[0].a"}},
		{shape: "places", name: "keyed, another duplicate in old", old: `{"byName":[{"name":"x","type":"C"},{"name":"x","type":"C"},{"name":"y","type":"A","a":{}}]}`,
			new:  `{"byName":[{"name":"x","type":"C"},{"name":"x","type":"C"},{"name":"y","type":"B","a":{},"b":{}}]}`,
			want: `{"byName":[{"name":"x","type":"C"},{"name":"x","type":"C"},{"name":"y","type":"B","b":{}}]}`},
		{shape: "places", name: "keyed, keys of a query", old: `{"byName":[{"name":"","type":"A","a":{}},{"name":"a=1&b#c;d+e%20 f?/~ü\u2028","type":"A","a":{}},{"name":"n0","type":"A","a":{}}]}`,
			new:  `{"byName":[{"name":"n0","type":"C","a":{}},{"name":"a=1&b#c;d+e%20 f?/~ü\u2028","type":"C","a":{}},{"name":"","type":"C","a":{}}]}`,
			want: `{"byName":[{"name":"n0","type":"C"},{"name":"a=1&b#c;d+e%20 f?/~ü\u2028","type":"C"},{"name":"","type":"C"}]}`},
		{shape: "places", name: "keyed, control characters in keys", old: `{"byName":[{"name":"a\u0001\u007f","type":"A","a":{}},{"name":"\n","type":"A","a":{}},{"name":"%01","type":"A","a":{}},{"name":"\u0001250a","type":"A","a":{}},{"name":"x","type":"A","a":{}}]}`,
			new:  `{"byName":[{"name":"x","type":"C","a":{}},{"name":"\u0001250a","type":"C","a":{}},{"name":"%01","type":"C","a":{}},{"name":"\n","type":"C","a":{}},{"name":"a\u0001\u007f","type":"C","a":{}}]}`,
			want: `{"byName":[{"name":"x","type":"C"},{"name":"\u0001250a","type":"C"},{"name":"%01","type":"C"},{"name":"\n","type":"C"},{"name":"a\u0001\u007f","type":"C"}]}`},
		{shape: "places", name: "two keys, control characters", old: `{"byTexts":[{"name":"\u0001","proto":"\t","type":"A","a":{}},{"name":"01","proto":"\t","type":"A","a":{}}]}`,
			new:  `{"byTexts":[{"name":"01","proto":"\t","type":"A","a":{}},{"name":"\u0001","proto":"\t","type":"C","a":{}}]}`,
			want: `{"byTexts":[{"name":"01","proto":"\t","type":"A","a":{}},{"name":"\u0001","proto":"\t","type":"C"}]}`},
		{shape: "places", name: "map, control characters in keys", old: `{"map":{"\u0001":{"type":"A","a":{}},"k":{"type":"A","a":{}},"\n":{"type":"A","a":{}}}}`,
			new: `{"map":{"\u0001":{"type":"C","a":{}},"k":{"type":"C","a":{}},"\n":{"type":"C","a":{}}}}`, want: `{"map":{"\u0001":{"type":"C"},"k":{"type":"C"},"\n":{"type":"C"}}}`,
			differs: "control characters in keys of maps", server: &serverRow{errs: []string{"Forbidden map[\u0001].a"}}},
		{shape: "places", name: "map, keys of a pointer", old: `{"map":{"a/b":{"type":"A","a":{}},"~1":{"type":"A","a":{}},"":{"type":"A","a":{}},"0":{"type":"A","a":{}},"-":{"type":"A","a":{}}}}`,
			new:  `{"map":{"a/b":{"type":"C","a":{}},"~1":{"type":"C","a":{}},"":{"type":"C","a":{}},"0":{"type":"C","a":{}},"-":{"type":"C","a":{}}}}`,
			want: `{"map":{"a/b":{"type":"C"},"~1":{"type":"C"},"":{"type":"C"},"0":{"type":"C"},"-":{"type":"C"}}}`},
		{shape: "places", name: "two keys, the texts of which run together", old: `{"byTexts":[{"name":"a,b","proto":"c","type":"A","a":{}},{"name":"a","proto":"b,c","type":"A","a":{}}]}`,
			new:  `{"byTexts":[{"name":"a,b","proto":"c","type":"C","a":{}},{"name":"a","proto":"b,c","type":"A","a":{}}]}`,
			want: `{"byTexts":[{"name":"a,b","proto":"c","type":"C"},{"name":"a","proto":"b,c","type":"A","a":{}}]}`},
		{shape: "places", name: "two keys", old: `{"byBoth":[{"name":"x","port":1,"type":"A","a":{}},{"name":"x","port":2,"type":"C"}]}`,
			new:  `{"byBoth":[{"name":"x","port":2,"type":"C","a":{}},{"name":"x","port":1.0,"type":"C","a":{}}]}`,
			want: `{"byBoth":[{"name":"x","port":2,"type":"C","a":{}},{"name":"x","port":1,"type":"C"}]}`, errs: []string{"Forbidden byBoth[0].a"}},
		{shape: "places", name: "two keys, one missing", old: `{"byBoth":[{"name":"x","type":"A","a":{}}]}`, new: `{"byBoth":[{"name":"x","type":"C","a":{}}]}`,
			errs: []string{"Forbidden byBoth[0].a"}, differs: "something else is wrong", server: &serverRow{errs: []string{"Required byBoth[0].port"}}, untyped: true},
		{shape: "places", name: "key is an object", old: `{"byName":[{"name":{},"type":"A","a":{}}]}`, new: `{"byName":[{"name":{},"type":"C","a":{}},1]}`,
			errs: []string{"Forbidden byName[0].a", "TypeInvalid byName[1]"}, differs: "something else is wrong", server: &serverRow{errs: []string{"Invalid byName[1]", "TypeInvalid byName[0].name", "TypeInvalid byName[1]"}}, untyped: true},
		{shape: "places", name: "atomic", old: `{"atomic":[` + storedA + `]}`, new: `{"atomic":[{"type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden atomic[0].a"}},
		{shape: "places", name: "unkeyed", old: `{"plain":[` + storedA + `]}`, new: `{"plain":[{"type":"B","a":{},"b":{}}]}`, errs: []string{"Forbidden plain[0].a"}},
		{shape: "places", name: "inner union", old: `{"outer":{"type":"A","a":` + storedA + `}}`, new: `{"outer":{"type":"A","a":{"type":"C","a":{}}}}`,
			want: `{"outer":{"type":"A","a":{"type":"C"}}}`},
		{shape: "places", name: "inner union in a cleared member", old: `{"outer":{"type":"A","a":` + storedA + `}}`, new: `{"outer":{"type":"C","a":{"type":"C","a":{}}}}`,
			want: `{"outer":{"type":"C"}}`},
	}
}

// TestDifferences checks that every row with a difference between implementations is in
// docs/unions.md, and that every difference there has a row.
func TestDifferences(t *testing.T) {
	page, err := os.ReadFile("../docs/unions.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, found := range regexp.MustCompile(`(?m)^\| \*\*(.+?)\*\*`).FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, found[1])
	}
	// Differences of typed functions are rows of testdata/typed/api: TestPlain, TestOptional and
	// TestDefaulted.
	got := []string{"the empty text with a default", "the empty text without a default", "the empty text in an optional discriminator"}
	for _, r := range rows() {
		errs := slices.DeleteFunc(slices.Clone(r.errs), func(text string) bool { return strings.HasPrefix(text, "Invalid ") })
		if len(errs) < len(r.errs) {
			got = append(got, "the hint")
		}
		switch {
		case r.differs != "":
			got = append(got, r.differs)
		case r.server != nil && !slices.Equal(errs, r.server.errs):
			t.Errorf("%s differs without a reason", r.name)
		}
	}
	slices.Sort(got)
	slices.Sort(listed)
	if got = slices.Compact(got); !slices.Equal(got, listed) {
		t.Errorf("got differences %q, but docs/unions.md lists %q", got, listed)
	}
}

// placesSchema returns a schema with the union at every kind of position.
func placesSchema(t testing.TB) *structural.Schema {
	u := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	list := func(kind string) *structural.Schema {
		out := &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: u}
		out.XListType = kind
		return out
	}
	// The member a of outer is a union itself.
	outer := schemaFor(t, abc(""), LowerOptions{Forms: []Form{FormCEL}})
	for i, p := range outer.Properties {
		if p.Name == "a" {
			outer.Properties[i].Schema = u
		}
	}
	return objectSchema(
		structural.Property{Name: "parent", Schema: u},
		structural.Property{Name: "map", Schema: &structural.Schema{Generic: structural.Generic{Type: "object"}, AdditionalProperties: &structural.SchemaOrBool{Schema: u}}},
		structural.Property{Name: "byName", Schema: keyed(u, "name")},
		structural.Property{Name: "byBoth", Schema: listOf(withKeys(u, property("name", scalar("string", `"none"`)), property("port", scalar("integer", ""))), "map", "name", "port")},
		structural.Property{Name: "byTexts", Schema: listOf(withKeys(u, property("name", scalar("string", "")), property("proto", scalar("string", ""))), "map", "name", "proto")},
		structural.Property{Name: "atomic", Schema: list("atomic")},
		structural.Property{Name: "plain", Schema: list("")},
		structural.Property{Name: "outer", Schema: outer},
		structural.Property{Name: "note", Schema: &structural.Schema{Generic: structural.Generic{Type: "string"}}},
	)
}

// runner is a named implementation, with a function that builds it for a schema. The schema
// has unions in the cel form, and a shape, by which the Go type for it is found.
type runner struct {
	name  string
	build func(t testing.TB, shape string, s *structural.Schema, opts Options) implementation
	// server is set if the implementation uses the schema around the unions, too: it prunes,
	// applies defaults, rejects wrong types, and gives no hints.
	server bool
	// typed is set if the implementation cannot represent some rows, and drops unknown
	// fields.
	typed bool
}

// builder returns a function that builds each implementation once, because compiling policies
// is slow.
func (run runner) builder(t testing.TB) func(shape string, s *structural.Schema, opts Options) implementation {
	type key struct {
		shape string
		opts  Options
	}
	built := map[key]implementation{}
	return func(shape string, s *structural.Schema, opts Options) implementation {
		t.Helper()
		k := key{shape, opts}
		if built[k] == nil {
			built[k] = run.build(t, shape, s, opts)
		}
		return built[k]
	}
}

func runners() []runner {
	return []runner{
		{name: "runtime", build: func(t testing.TB, _ string, s *structural.Schema, opts Options) implementation {
			return onUnstructured(t, s, opts)
		}},
		{name: "typed", typed: true, build: func(t testing.TB, shape string, _ *structural.Schema, opts Options) implementation {
			return onTypes(t, shape, opts)
		}},
		{name: "emitted", server: true, build: func(t testing.TB, _ string, s *structural.Schema, opts Options) implementation {
			return emitted(t, s, opts)
		}},
	}
}

// TestRows runs all rows with all implementations.
func TestRows(t *testing.T) {
	places := placesSchema(t)
	for _, run := range runners() {
		t.Run(run.name, func(t *testing.T) {
			build := run.builder(t)
			for _, r := range rows() {
				if run.typed && r.untyped {
					continue
				}
				name, s := r.shape, places
				if r.shape != "places" {
					name, s = "flat "+r.shape, schemaFor(t, abc(r.shape), LowerOptions{Forms: []Form{FormCEL}})
				}
				do := build(name, s, r.opts)
				t.Run(r.name, func(t *testing.T) { r.check(t, run, do) })
			}
		})
	}
}

// TestRowsOfOtherForms runs the rows with the other forms that the runtime can read unions
// from.
func TestRowsOfOtherForms(t *testing.T) {
	for _, forms := range [][]Form{{FormExtension, FormOneOf}, {FormOneOf}} {
		for _, r := range rows() {
			if r.shape != "places" {
				t.Run(joinForms(forms)+"/"+r.name, func(t *testing.T) {
					r.check(t, runner{}, onUnstructured(t, schemaFor(t, abc(r.shape), LowerOptions{Forms: forms}), r.opts))
				})
			}
		}
	}
}

func (r row) check(t *testing.T, run runner, do implementation) {
	t.Helper()
	want, errs := r.want, slices.Clone(r.errs)
	if want == "" {
		want = r.new
	}
	if run.server {
		errs = slices.DeleteFunc(errs, func(text string) bool { return strings.HasPrefix(text, "Invalid ") })
	}
	if run.server && r.server != nil {
		errs = slices.Clone(r.server.errs)
		if r.server.want != "" {
			want = r.server.want
		}
	}
	got := do(object(t, r.old), object(t, r.new))
	slices.Sort(errs)
	if got.untyped != "" {
		t.Fatalf("cannot be expressed in Go: %s", got.untyped)
	}
	if len(got.failed) > 0 && got.accepted {
		t.Error(got.failed)
	}
	if !slices.Equal(got.errors, errs) || got.accepted != (len(errs) == 0) {
		t.Errorf("accepted %t with %q, want %q", got.accepted, got.errors, errs)
	}
	if !run.server || len(errs) == 0 {
		if want := encoded(t, object(t, want)); encoded(t, got.object) != want {
			t.Errorf("normalized to %s, want %s", encoded(t, got.object), want)
		}
	}
}
