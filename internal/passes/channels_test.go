package passes_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
)

// TestChannelsAgree checks that channels share work only where it has the same result: what
// several channels get together is what each gets alone.
func TestChannelsAgree(t *testing.T) {
	lab := newErasureLab(t)
	shared, findings := 0, 0
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 23))
		texts := randomSource(r).texts(nil)
		texts["shared"] += "\n// +schemagen:when(D)=+kubebuilder:validation:MaxLength=3\n// +kubebuilder:validation:Maxlength=5\ntype Unused string\n"
		options := lab.options(texts, nil)
		var channels []define.Channel
		for i := range 5 {
			c := define.Channel{Name: string(rune('a' + i))}
			c.Gates = slices.DeleteFunc([]string{"A", "B", "C", "D"}, func(string) bool { return r.IntN(3) == 0 })
			switch r.IntN(4) {
			case 0:
				c.Annotations = map[string]string{"channel": c.Name}
			case 1:
				c.Labels, c.Annotations = map[string]string{"x": "y"}, map[string]string{"text": "two\nspec:\nlines"}
			case 2:
				c.Kinds = []string{"Widget"}
			}
			channels = append(channels, c)
		}
		together, found, err := define.MakeChannels(t.Context(), options, channels, nil)
		if err != nil {
			t.Fatal(err)
		}
		lists := make([]diag.List, len(channels))
		for i, c := range channels {
			alone := options
			alone.Gates, alone.Kinds, alone.Annotations, alone.Labels = c.Gates, c.Kinds, c.Annotations, c.Labels
			made, list, err := define.Make(t.Context(), alone)
			if err != nil {
				t.Fatal(err)
			}
			lists[i] = list
			same := func(a, b *define.GeneratedCRD) bool {
				return a.File.Name == b.File.Name && bytes.Equal(a.File.Data, b.File.Data)
			}
			if !slices.EqualFunc(together[i].CRDs, made, same) || len(made) == 0 {
				t.Fatalf("seed %d, channel %+v: got other files than alone\n%s", seed, c, texts)
			}
			if together[i].First != i {
				shared++
			}
		}
		var got, want bytes.Buffer
		for buffer, list := range map[*bytes.Buffer]diag.List{&got: found, &want: define.ShareFindings(channels, lists)} {
			if err := list.WriteText(buffer); err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want.String() {
			t.Fatalf("seed %d: found\n%s\nwant\n%s", seed, &got, &want)
		}
		findings += len(found)
	}
	if shared < 20 || findings < 60 {
		t.Errorf("%d channels shared a run, and there were %d findings", shared, findings)
	}
}
