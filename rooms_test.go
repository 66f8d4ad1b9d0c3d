package schemagen_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// roomOf returns the room of a package: a folder of the root, of cmd or of internal, with all that
// is below it.
func roomOf(dir string) string {
	parts := strings.Split(dir, "/")
	if parts[0] == "internal" || parts[0] == "cmd" {
		return strings.Join(parts[:2], "/")
	}
	return parts[0]
}

// floors are the rooms, lowest first: each imports only those on floors below its own. What a room
// is for is in docs/ARCHITECTURE.md.
func floors() [][]string {
	return [][]string{
		{"internal/ground", "templates"},
		{"diag"},
		{"internal/terminal", "internal/yamltext"},
		{"structural"},
		{"internal/schemas"},
		{"crd", "internal/markers", "unions"},
		{"internal/apiserver", "internal/fields", "markers", "internal/source"},
		{"internal/rules"},
		{"internal/define", "verify", "compare", "publish", "internal/run"},
		{"internal/companions", "internal/conventions", "internal/gates", "internal/pages", "internal/unions"},
		{"internal/passes"},
		{"generator"},
		{"dryrun"},
		{"analyzer", "internal/types", "internal/project", "internal/definitions", "internal/review"},
		{"apidocs", "cmd/schemagen-vet", "internal/channels", "internal/conversions", "internal/editor", "internal/migrate"},
		{"internal/generate", "internal/tryout", "internal/test"},
		{"cmd/schemagen"},
	}
}

// TestRooms holds the order of the rooms, which has no circles then, and their sizes: no room has
// more than 12 % of the product's lines.
func TestRooms(t *testing.T) {
	floorOf := map[string]int{}
	for floor, rooms := range floors() {
		for _, room := range rooms {
			floorOf[room] = floor
		}
	}
	files := product(t)
	for dir, imported := range importsOf(files) {
		if dir == "." {
			continue
		}
		for _, below := range imported {
			if roomOf(below) != roomOf(dir) && floorOf[roomOf(below)] >= floorOf[roomOf(dir)] {
				t.Errorf("%s imports %s, whose room is not on a floor below", dir, below)
			}
		}
	}
	lines, total := map[string]int{}, 0
	for _, f := range files {
		if f.test || f.dir == "." {
			continue
		}
		count := f.fset.File(f.ast.Pos()).LineCount()
		lines[roomOf(f.dir)] += count
		total += count
	}
	if got, want := slices.Sorted(maps.Keys(lines)), slices.Sorted(maps.Keys(floorOf)); !slices.Equal(got, want) {
		t.Errorf("the rooms are %v, and floors has %v", got, want)
	}
	for room, count := range lines {
		if 100*count > 12*total {
			t.Errorf("%s has %d of %d lines", room, count, total)
		}
	}
}

// TestDefineKnowsNoCapability wants the core, and all that it imports, to be free of what
// capabilities add to a run: a capability is removed with its folder, its line in internal/passes
// and its command.
func TestDefineKnowsNoCapability(t *testing.T) {
	imports := importsOf(product(t))
	seen := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if seen[dir] {
			return
		}
		seen[dir] = true
		for _, imported := range imports[dir] {
			switch roomOf(imported) {
			case "internal/ground", "diag", "internal/yamltext", "structural", "internal/schemas", "crd", "internal/markers", "unions", "internal/source", "internal/define":
				visit(imported)
			default:
				t.Errorf("%s imports %s", dir, imported)
			}
		}
	}
	visit("internal/define")
	if len(seen) < 15 {
		t.Errorf("internal/define has %d packages below it", len(seen))
	}
}
