package gateway

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

type gate bool

func (g gate) IsOn(string) (on, known bool) { return bool(g), true }

// TestText compares random descriptions with the regular expressions by which Gateway API and
// operator-controller define their texts.
func TestText(t *testing.T) {
	for _, prefix := range []string{"gateway", "opcon"} {
		parts := []string{"\n", "\n\n", "\n\n\n", "Text.", " a > b", "<b>", "<P:experimental>", "<P:experimental:validation:Enum=A>"}
		for _, block := range blocks() {
			for _, inner := range []string{"Inner.", "\n\nInner.\n\n", "\n<P:experimental:validation:Optional>\n"} {
				parts = append(parts, "<P:"+block+">"+inner+"</P:"+block+">")
			}
		}
		changed := 0
		for seed := range 3_000 {
			r := rand.New(rand.NewPCG(uint64(seed), 22))
			var b strings.Builder
			for range r.IntN(12) {
				b.WriteString(parts[r.IntN(len(parts))])
			}
			description := strings.ReplaceAll(b.String(), "P:", prefix+":")
			on := seed%2 == 0
			tags := &Tags{Prefix: prefix, Gates: gate(on)}
			got := tags.text(&structural.Schema{Generic: structural.Generic{Description: description}})
			if want := byExpressions(description, prefix, on); got != want {
				t.Fatalf("%q with the gate on=%t: got %q, want %q", description, on, got, want)
			}
			if got != description {
				changed++
			}
		}
		if changed < 1_500 {
			t.Errorf("only %d descriptions were changed", changed)
		}
	}
}

func byExpressions(text, prefix string, on bool) string {
	replace := func(expression, replacement string) {
		text = regexp.MustCompile(expression).ReplaceAllLiteralString(text, replacement)
	}
	for _, name := range []string{"standard", "experimental"} {
		start, end := "<"+prefix+":"+name+":description>", "</"+prefix+":"+name+":description>"
		if on != (name == "experimental") {
			replace(`(?s)\n*`+start+`.*?`+end+`\n*`, "\n\n")
		}
		replace(start+"|"+end, "")
	}
	replace(`(?s)\n*<`+prefix+`:util:excludeFromCRD>.*?</`+prefix+`:util:excludeFromCRD>\n*`, "\n\n\n")
	replace(`<`+prefix+`:.*>`, "")
	if prefix == "opcon" {
		replace(`\n\n+`, "\n\n")
	} else {
		replace(`\n\n\n+`, "\n\n\n")
	}
	return strings.Trim(text, "\n")
}
