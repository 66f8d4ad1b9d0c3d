package compare

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/changetable"
	"github.com/schemagen/schemagen/verify"
)

// newest returns a target of the version that the table was recorded with.
func newest(t testing.TB) *apiserver.Target {
	t.Helper()
	target, err := apiserver.NewTarget("1.37")
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// subjectOf reads a definition from JSON.
func subjectOf(t testing.TB, object any) *crd.Definition {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	definitions, _ := verify.Read(crd.File{Name: "crd.json", Data: data})
	if len(definitions) != 1 {
		t.Fatalf("no definition in %s", data)
	}
	return definitions[0]
}

// TestTable checks that the category of every change in the table follows from what a real
// server did with it (TestChanges of e2e).
func TestTable(t *testing.T) {
	cases, facts := changetable.Recorded(t, os.DirFS("../testdata/changes"))
	target := newest(t)
	kinds, pairs := map[Kind]bool{}, 0
	for _, c := range cases {
		changes, err := Definitions(t.Context(), target, []*crd.Definition{subjectOf(t, c.Old)}, []*crd.Definition{subjectOf(t, c.New)})
		if err != nil {
			t.Fatal(c.Name, err)
		}
		for _, p := range c.Positions {
			pairs++
			fact, known := facts[p.Name]
			if !known {
				t.Errorf("%s: no facts were recorded", p.Name)
			}
			worst, found := Safe, []string{}
			for _, change := range changes {
				// Changes of the whole definition apply to all positions.
				if change.Field != "" && !strings.HasPrefix(change.Field, p.Field) {
					continue
				}
				worst = max(worst, change.Category)
				kinds[change.Kind] = true
				if !slices.Contains(found, string(change.Kind)) {
					found = append(found, string(change.Kind))
				}
			}
			want := fact.Category()
			if c.Careful != "" && (worst != BreaksStored || want == worst.String()) {
				t.Errorf("%s: %s is not stricter than the server", p.Name, worst)
			}
			if worst.String() != want && c.Careful == "" {
				t.Errorf("%s: %s, but with the server it is %s", p.Name, worst, want)
				for _, change := range changes {
					t.Logf("  %s: %s: %s: %s", change.Subject(), change.Kind, change.Category, change.Reason)
				}
			}
			slices.Sort(found)
			// Documentation is reported once per version.
			if kinds := slices.Sorted(slices.Values(c.Kinds)); !slices.Equal(found, kinds) && !(c.Name == "documentation" && p.Field != ".spec.keyed[*]") {
				t.Errorf("%s: the kinds are %q, not %q", p.Name, found, kinds)
				for _, change := range changes {
					t.Logf("  %s: %s: %s: %s", change.Subject(), change.Kind, change.Category, change.Reason)
				}
			}
		}
	}
	t.Logf("%d kinds of changes in %d pairs", len(kinds), pairs)
	if len(kinds) < 40 || pairs < 120 {
		t.Errorf("the table has only %d kinds of changes in %d pairs", len(kinds), pairs)
	}
	for _, kind := range Kinds() {
		if !kinds[kind] {
			t.Logf("no row has the kind %s", kind)
		}
	}
	for kind := range kinds {
		if !slices.Contains(Kinds(), kind) {
			t.Errorf("Kinds does not list %s", kind)
		}
	}
}

// BenchmarkDefinitions compares all pairs of the table, including the validation of each
// update by the server's code.
func BenchmarkDefinitions(b *testing.B) {
	cases, _ := changetable.Recorded(b, os.DirFS("../testdata/changes"))
	var olds, news []*crd.Definition
	for _, c := range cases {
		olds, news = append(olds, subjectOf(b, c.Old)), append(news, subjectOf(b, c.New))
	}
	target := newest(b)
	for b.Loop() {
		if _, err := Definitions(b.Context(), target, olds, news); err != nil {
			b.Fatal(err)
		}
	}
}
