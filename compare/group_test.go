package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
)

// TestGrouped merges changes that differ in one respect: all except the place prevent it.
func TestGrouped(t *testing.T) {
	object := func(field, text string) *structural.Schema {
		inner := &structural.Schema{Generic: structural.Generic{Type: "string", Description: text}}
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: field, Schema: inner}}}
	}
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	change := func(edit func(*Change)) Change {
		c := Change{Definition: "d", Version: "v1", Kind: changekind.TypeWidened, Field: ".a.x", Old: "1", New: "2", Reason: "r", source: source{text, text, ".x"}}
		edit(&c)
		return c
	}
	for _, row := range []struct {
		name   string
		a, b   func(*Change)
		merged bool
	}{
		{"place", func(c *Change) { c.OldPath = "a" }, func(c *Change) { c.Field, c.NewPath = ".b.x", "b" }, true},
		{"positions", func(*Change) {}, func(c *Change) { c.NewPos = diag.Position{File: "f", Line: 1} }, true},
		{"equal schemas", func(c *Change) { c.source.old = object("x", "") }, func(c *Change) { c.source.old = object("x", "") }, true},
		{"schemas", func(c *Change) { c.source.old = object("x", "") }, func(c *Change) { c.source.old = object("y", "") }, false},
		{"documentation", func(c *Change) { c.source.old = object("x", "a") }, func(c *Change) { c.source.old = object("x", "b") }, false},
		{"one schema", func(*Change) {}, func(c *Change) { c.source.old = nil }, false},
		{"no schemas", func(c *Change) { c.source = source{} }, func(c *Change) { c.source = source{} }, false},
		{"name", func(*Change) {}, func(c *Change) { c.source.step = ".y" }, false},
		{"definition", func(*Change) {}, func(c *Change) { c.Definition = "e" }, false},
		{"version", func(*Change) {}, func(c *Change) { c.Version = "v2" }, false},
		{"kind", func(*Change) {}, func(c *Change) { c.Kind = changekind.TypeNarrowed }, false},
		{"category", func(*Change) {}, func(c *Change) { c.Category = BreaksStored }, false},
		{"old value", func(*Change) {}, func(c *Change) { c.Old = "3" }, false},
		{"new value", func(*Change) {}, func(c *Change) { c.New = "3" }, false},
		{"reason", func(*Change) {}, func(c *Change) { c.Reason = "s" }, false},
		{"waiver", func(*Change) {}, func(c *Change) { c.Waived = "s" }, false},
	} {
		got := Grouped([]Change{change(row.a), change(row.b)})
		if (len(got) == 1) != row.merged || len(got)+len(got[0].Places) != 2 {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
	var many []Change
	for _, field := range strings.Fields(".a.x .b.x .c.x .d.x .e.x .f.x") {
		many = append(many, change(func(c *Change) { c.Field = field }))
	}
	got := Grouped(many)
	if want := "; also at .b.x, .c.x, .d.x and 2 more places"; len(got) != 1 || got[0].Elsewhere() != want || got[0].Field != ".a.x" {
		t.Errorf("%+v: %s", got, got[0].Elsewhere())
	}
}

// TestDependency finds the modules whose versions differ in positions.
func TestDependency(t *testing.T) {
	for _, row := range []struct{ old, new, want string }{
		{"/go/pkg/mod/k8s.io/api@v0.31.0/core/v1/types.go", "/go/pkg/mod/k8s.io/api@v0.34.1/core/v1/types.go", "k8s.io/api v0.31.0 → v0.34.1"},
		{`C:\Users\a.b\go\pkg\mod\k8s.io\api@v0.31.0\a.go`, `C:\Users\a.b\go\pkg\mod\k8s.io\api@v0.34.1\a.go`, "k8s.io/api v0.31.0 → v0.34.1"},
		{"/cache/github.com/!azure/go@v1.0.0-!r!c1/a.go", "/cache/github.com/!azure/go@v1.0.0/a.go", "github.com/Azure/go v1.0.0-RC1 → v1.0.0"},
		{"/home/a/.cache/mod/k8s.io/api@v0.31.0/a.go", "/home/a/.cache/mod/k8s.io/api@v0.34.1/a.go", "k8s.io/api v0.31.0 → v0.34.1"},
		{"/go/pkg/mod/k8s.io/api@v0.34.1/a.go", "/go/pkg/mod/k8s.io/api@v0.34.1/a.go", ""},
		{"/go/pkg/mod/k8s.io/api@v0.31.0/a.go", "/go/pkg/mod/k8s.io/apimachinery@v0.34.1/a.go", ""},
		{"HEAD:api/types.go", "api/types.go", ""}, {"", "/go/pkg/mod/k8s.io/api@v0.34.1/a.go", ""}, {"/mail@v/a.go", "/mail@v1/a.go", ""},
	} {
		related := func(file string) []diag.Related { return []diag.Related{{Pos: diag.Position{File: file}}} }
		inField := Change{Kind: changekind.FieldAdded, NewPos: diag.Position{File: "a.go"}, Related: related(row.new), oldRelated: related(row.old)}
		atField := Change{Kind: changekind.FieldAdded, NewPos: diag.Position{File: row.new}, OldPos: diag.Position{File: row.old}}
		for _, c := range []Change{inField, atField} {
			if got := Grouped([]Change{c}); got[0].Dependency != row.want {
				t.Errorf("%s to %s: %q", row.old, row.new, got[0].Dependency)
			}
		}
	}
	// Two versions on one side, as with packages of several modules, name no change.
	at := func(old, new string) Change {
		file := func(version string) diag.Position {
			return diag.Position{File: "/pkg/mod/k8s.io/api@" + version + "/a.go"}
		}
		return Change{Kind: changekind.FieldAdded, OldPos: file(old), NewPos: file(new)}
	}
	got := Grouped([]Change{at("v1.0.0", "v1.2.0"), at("v1.1.0", "v1.2.0")})
	if slices.ContainsFunc(got, func(c Change) bool { return c.Dependency != "" }) {
		t.Errorf("%+v", got)
	}
}
