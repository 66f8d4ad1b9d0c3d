package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGlossary checks the table of docs/glossary.md against the pages of the book, the help and the
// diagnostics. A word stands on the page that it links to, and on several others; those in the last column stand nowhere.
func TestGlossary(t *testing.T) {
	texts := map[string]string{"help": strings.Join(helpParagraphs(), "\n")}
	for _, page := range append(userPages(t), "../../docs/MARKERS.md", "../../docs/diagnostics.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(page)] = proseOf(string(text))
	}
	glossary, err := os.ReadFile("../../docs/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	delete(texts, "glossary.md")
	entries := regexp.MustCompile(`(?m)^\| \[(.+?)\]\(([^)#]+)[^)]*\) \| (.+) \| (.+) \|$`).FindAllStringSubmatch(string(glossary), -1)
	if len(entries) < 20 || len(entries) != strings.Count(string(glossary), "\n| [") {
		t.Fatalf("got %d entries", len(entries))
	}
	if !slices.IsSortedFunc(entries, func(a, b []string) int { return strings.Compare(a[1], b[1]) }) {
		t.Error("the words are not sorted")
	}
	for _, entry := range entries {
		word, page, others := entry[1], entry[2], 0
		for name, text := range texts {
			if usesWord(text, word) {
				others++
			} else if name == page {
				t.Errorf("%s does not have the word %q, which links to it", page, word)
			}
			for avoided := range strings.SplitSeq(entry[4], ", ") {
				if usesWord(text, avoided) {
					t.Errorf("%s: write %q instead of %q", name, word, avoided)
				}
			}
		}
		if others < 2 {
			t.Errorf("%q is the word of only %d pages", word, others)
		}
	}
}

// proseOf returns the text of a page without code and comments, tables included.
func proseOf(page string) string {
	page = regexp.MustCompile("(?s)(?m)^ *```.*?^ *```$|<!--.*?-->").ReplaceAllString(page, "")
	return regexp.MustCompile("``.*?``|`[^`]*`|\\]\\([^)]*\\)").ReplaceAllString(page, "")
}

// usesWord reports whether a text has a word or its plural, and not only as a part of a name.
func usesWord(text, word string) bool {
	return regexp.MustCompile(fmt.Sprintf(`(?i)(^|[^-\w.])%s(s|es)?($|[^-\w])`, regexp.QuoteMeta(word))).MatchString(strings.Join(strings.Fields(text), " "))
}
