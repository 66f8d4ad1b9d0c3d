package containment_test

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/test/changetable"
	"github.com/schemagen/schemagen/verify"
)

// effectFacts are the effects that findings name, each with what a server did to an object or a request
// if it has that effect.
func effectFacts() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"refuses what standard accepts":                     regexp.MustCompile(` (touch|edit|apply|send|reapply):[45]\d\d`),
		"stores otherwise what standard accepts":            regexp.MustCompile(` (read|edit|apply|send):lost`),
		"refuses or stores otherwise what standard accepts": regexp.MustCompile(` (read|touch|edit|apply|send):([45]\d\d|lost)`),
		"does not serve what standard serves":               regexp.MustCompile(` (send|ask):([45]\d\d|lost)| update:422`),
		"merges what clients apply otherwise than standard": regexp.MustCompile(` reapply:lost`),
	}
}

// TestEffects compares the effect that a finding names with what a real server did after the change
// (TestChanges of e2e).
func TestEffects(t *testing.T) {
	cases, facts := changetable.Recorded(t, os.DirFS("../../../testdata/changes"))
	target, err := apiserver.NewTarget("1.37")
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]int{}
	for _, c := range cases {
		changes := changesOf(t.Context(), t, target, &c)
		for _, p := range c.Positions {
			of := slices.DeleteFunc(slices.Clone(changes), func(change containment.Change) bool {
				return change.Field != "" && !strings.HasPrefix(change.Field, p.Field)
			})
			findings := containment.Findings(of, &containment.Channel{Name: "standard"}, &containment.Channel{Name: "wide"}, diag.Error)
			if len(findings) != 1 || c.Careful != "" {
				continue
			}
			effect, _, _ := strings.Cut(strings.TrimPrefix(findings[0].Message, "channel wide "), ":")
			fact, known := effectFacts()[effect]
			if !known || !fact.MatchString(facts[p.Name].String()) {
				t.Errorf("%s\nbut the server: %s", findings[0].Message, facts[p.Name])
			}
			checked[effect]++
		}
	}
	for effect := range effectFacts() {
		if checked[effect] == 0 {
			t.Errorf("no change %s", effect)
		}
	}
	t.Log(checked)
}

func changesOf(ctx context.Context, t *testing.T, target *apiserver.Target, c *changetable.Case) (out []containment.Change) {
	t.Helper()
	var both [2][]*crd.Definition
	for i, object := range []map[string]any{c.Old, c.New} {
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		both[i], _ = verify.Read(crd.File{Name: "crd.json", Data: data})
	}
	changes, err := compare.Definitions(ctx, target, both[0], both[1])
	if err != nil {
		t.Fatal(c.Name, err)
	}
	for _, change := range changes {
		out = append(out, containment.Change{Change: change})
	}
	return out
}
