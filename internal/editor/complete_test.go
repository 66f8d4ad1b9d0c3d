package editor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/editor"
)

// TestCompleteNames completes names of markers above a field. Editors ask once, and then filter
// by all the characters that are typed.
func TestCompleteNames(t *testing.T) {
	language, err := editor.NewLanguage()
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string][]string{
		"+MinL":                          {"+kubebuilder:validation:MinLength", "+kubebuilder:validation:items:MinLength"},
		"+kubebuilder:validation:MinL":   {"+kubebuilder:validation:MinLength"},
		"+kubebuilder:validation:minlen": {"+kubebuilder:validation:MinLength"},
		"+listt":                         {"+listType"},
		"+nothing like it":               nil,
	} {
		before := "package a\n\ntype T struct {\n\t// " + typed
		text := []byte(before + "\n\tA string\n}\n")
		var got []string
		for _, c := range language.Complete(text, len(before)) {
			got = append(got, c.Label)
		}
		for _, label := range got {
			if !isSubsequence(label, typed) {
				t.Errorf("%s: got %s, which editors filter out", typed, label)
			}
		}
		for _, label := range want {
			if !slices.Contains(got, label) {
				t.Errorf("%s: got %q, want %s among them", typed, got, label)
			}
		}
		if want == nil && got != nil {
			t.Errorf("%s: got %q", typed, got)
		}
	}
}

func isSubsequence(label, typed string) bool {
	rest := []rune(strings.ToLower(label))
	for _, r := range strings.ToLower(typed) {
		i := slices.Index(rest, r)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}
