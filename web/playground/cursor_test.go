package playground

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// TestCursor completes and explains at the ‸ of a text.
func TestCursor(t *testing.T) {
	p := newPlayground(t)
	size := types("\tSize int32 ´json:\"size\"´")
	if _, err := p.Run(t.Context(), State{Files: size}); err != nil {
		t.Fatal(err)
	}
	at := func(file, line string) Cursor {
		before, after, _ := strings.Cut(strings.Replace(size[0].Text, "type WidgetSpec", "// "+line+"\ntype WidgetSpec", 1), "‸")
		return Cursor{File: file, Before: before, After: after}
	}
	for _, c := range []struct {
		file, line string
		// replaced is the text that the completion with a label replaces with another one.
		label, replaced, text string
	}{
		{"v1/types.go", "+maxi‸", "+kubebuilder:validation:Maximum", "+maxi", "+kubebuilder:validation:Maximum="},
		{"v1/types.go", "😀 +maxi‸", "", "", ""},
		{"v1/types.go", "+kubebuilder:validation:Type=😀‸", "", "", ""},
		{"v1/types.go", "😀\n// +kubebuilder:validation:XValidation:ru‸=", "rule", "ru", "rule"},
		{"v1/types.go", "+kubebuilder:validation:XValidation:rule=\"self.s‸\"", "size", "s", "size"},
		{"v1/types.yaml", "+maxi‸", "", "", ""},
	} {
		cursor := at(c.file, c.line)
		found, err := p.Complete(cursor)
		if err != nil {
			t.Fatal(err)
		}
		text := cursor.Before + cursor.After
		label, replaced, replacement := "", "", ""
		for _, f := range found {
			if f.Label == c.label {
				label, replacement = f.Label, f.New
				replaced = utf16Part(text, f.Start, f.End)
			}
		}
		if label != c.label || replaced != c.replaced || replacement != c.text {
			t.Errorf("%s: got %q, which replaces %q by %q; want %q, %q, %q", c.line, label, replaced, replacement, c.label, c.replaced, c.text)
		}
	}
	for line, want := range map[string]string{
		"+kubebuilder:validation:Maxi‸mum=5":       "+kubebuilder:validation:Maximum",
		"😀\n// +kubebuilder:validation:Mini‸mum=5": "+kubebuilder:validation:Minimum",
		"none‸": "",
	} {
		cursor := at("v1/types.go", line)
		found, err := p.Explain(cursor)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range found {
			got = utf16Part(cursor.Before+cursor.After, f.Start, f.End)
		}
		if got != want || len(found) > 0 && !strings.Contains(found[0].Markdown, want[1:]) {
			t.Errorf("%s: got %q, explained by %+v; want %q", line, got, found, want)
		}
	}
}

// utf16Part returns the part of a text between two offsets in UTF-16 code units.
func utf16Part(text string, from, to int) string {
	return string(utf16.Decode(utf16.Encode([]rune(text))[from:to]))
}
