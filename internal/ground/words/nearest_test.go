package words

import (
	"fmt"
	"testing"
)

// TestNearestAmongMany looks for a word among as many as are compared, and among more.
func TestNearestAmongMany(t *testing.T) {
	var candidates []string
	for i := range maxCandidates {
		candidates = append(candidates, fmt.Sprintf("field%d", i))
	}
	for _, word := range []string{"field999", "Field999", "feild999", "elsewhere"} {
		few := DidYouMean(word, candidates, "none")
		want := "did you mean field999?"
		if word == "elsewhere" {
			want = "none"
		}
		if few != want {
			t.Errorf("%s among a thousand: %s", word, few)
		}
		more := append([]string{"more"}, candidates...)
		if word != "field999" {
			want = "none"
		}
		if many := DidYouMean(word, more, "none"); many != want {
			t.Errorf("%s among more: %s", word, many)
		}
		near, ok := OnlyNearest(word, more)
		if ok != (word == "field999") || ok && near != word {
			t.Errorf("%s among more: only %s, %t", word, near, ok)
		}
	}
}
