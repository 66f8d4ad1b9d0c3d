package yamltext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	yamlv2 "go.yaml.in/yaml/v2"
)

// TestWords compares the value of words without quotes, and whether a writer has to quote them, with
// the library of the API server, for random words of the characters that matter.
func TestWords(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 11))
	pieces := strings.Fields("0 1 5 6 9 12 59 60 : . - + _ e E x o b 0x 0b 0o y n Yes NO on Off true Null ~ .inf .NaN inf nan p g " +
		"9999999999999999999 e400")
	found := map[string]int{}
	for range 60_000 {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		word := b.String()
		var want map[string]any
		if err := yamlv2.Unmarshal([]byte("key: "+word), &want); err != nil {
			continue // not a word, such as - or a:
		}
		got, isText := Plain(word)
		if i, ok := got.(int64); ok {
			got = int(i)
		}
		if isText {
			got = word
		}
		if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want["key"]) {
			t.Fatalf("%q: got %#v, want %#v", word, got, want["key"])
		}
		text, err := yamlv2.Marshal(word)
		if err != nil {
			t.Fatal(err)
		}
		isQuoted := text[0] == '"'
		if isOther := !isText || IsSexagesimal(word); isOther != isQuoted {
			t.Fatalf("%q: got %v, want %s", word, isOther, text)
		}
		switch {
		case IsSexagesimal(word):
			found["sexagesimal"]++
		case isText:
			found["text"]++
		default:
			found[fmt.Sprintf("%T", got)]++
		}
	}
	for _, kind := range []string{"sexagesimal", "text", "bool", "int", "uint64", "float64", "<nil>"} {
		if found[kind] < 10 {
			t.Errorf("%d words of kind %s", found[kind], kind)
		}
	}
	t.Log(found)
}
