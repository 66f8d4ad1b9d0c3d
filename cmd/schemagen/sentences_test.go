package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A sentence has at most longestSentence words, and those of a page have fewer than meanSentence on average.
const (
	longestSentence = 32
	meanSentence    = 17.0
)

// TestSentences checks the sentences of README and of the pages of the book, and of the help of
// every command: their lengths, and that none begins with "What". Blocks, tables, headings and comments are
// left out; a colon or a semicolon ends a sentence.
func TestSentences(t *testing.T) {
	texts := map[string][]string{"help": helpParagraphs()}
	for _, page := range userPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(page)
		texts[name] = paragraphs(string(text))
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if faults := faultsOfSentences(texts[name]); len(faults) > 0 {
			t.Errorf("%s:\n%s", name, strings.Join(faults, "\n"))
		}
	}
}

// TestSentencesOf checks what counts as a sentence.
func TestSentencesOf(t *testing.T) {
	page := "# What a title is\n\nOne `a b c` two. Three\n[four five](x.md#y): six; [e.g.\nseven](z)\n\n| what | is |\n\n```\nWhat is this\n```\n" +
		"<!-- What\nis this -->\n- eight (nine. Ten)\n- *What* is v1.2?\n  more\n\n1. eleven\n"
	want := []string{"One Code two.", "Three four five:", "six;", "e.g. seven", "eight (nine.", "Ten)", "What is v1.2?", "more", "eleven"}
	var got []string
	for _, p := range paragraphs(page) {
		got = append(got, sentencesOf(p)...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	long := strings.Repeat("word ", longestSentence+1)
	if faults := faultsOfSentences([]string{long, "What is it."}); len(faults) != 3 {
		t.Errorf("got %q, want a long sentence, one that begins with What, and a long mean", faults)
	}
}

// userPages returns README and the pages of the book, except those that are generated.
func userPages(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(bookPages(t), func(page string) bool {
		return filepath.Base(filepath.Dir(page)) == "dev" ||
			slices.Contains([]string{"ARCHITECTURE.md", "CONTRIBUTING.md", "MARKERS.md", "diagnostics.md"}, filepath.Base(page))
	})
}

// faultsOfSentences returns a line for each sentence that is too long or begins with "What", and one if
// they are too long on average.
func faultsOfSentences(paragraphs []string) []string {
	var out []string
	words, sentences := 0, 0
	for _, p := range paragraphs {
		for _, s := range sentencesOf(p) {
			n := len(strings.Fields(s))
			words += n
			sentences++
			if n > longestSentence {
				out = append(out, "\ttoo long: "+s)
			}
			if strings.HasPrefix(s, "What ") {
				out = append(out, "\tbegins with What: "+s)
			}
		}
	}
	if mean := float64(words) / float64(max(sentences, 1)); mean >= meanSentence {
		out = append(out, "\tthe sentences are too long on average")
	}
	return out
}

// paragraphs returns the paragraphs and list items of a page, without markup. Code is one word.
func paragraphs(page string) []string {
	page = regexp.MustCompile("(?s)(?m)^ *```.*?^ *```$|<!--.*?-->").ReplaceAllString(page, "\n\n")
	page = regexp.MustCompile(`(?m)^( *\|.*|#.*|<.*)$`).ReplaceAllString(page, "\n")
	page = regexp.MustCompile("``.*?``|`[^`]*`").ReplaceAllString(page, "Code")
	page = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(page, "$1")
	page = regexp.MustCompile(`(?m)^ *([-*]|[0-9]+\.) `).ReplaceAllString(page, "\n\n")
	page = strings.ReplaceAll(page, "*", "")
	var out []string
	for _, p := range regexp.MustCompile(`\n\s*\n`).Split(page, -1) {
		if p = strings.Join(strings.Fields(p), " "); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// sentencesOf divides a paragraph after . ! ? : and ;
func sentencesOf(paragraph string) []string {
	var out []string
	words := strings.Fields(paragraph)
	begin := 0
	for i, word := range words {
		bare := strings.TrimRight(word, `)"`)
		ends := strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, ";") || strings.HasSuffix(bare, "!") || strings.HasSuffix(bare, "?") ||
			strings.HasSuffix(bare, ".") && bare != "e.g." && bare != "i.e."
		if ends || i == len(words)-1 {
			out = append(out, strings.Join(words[begin:i+1], " "))
			begin = i + 1
		}
	}
	return out
}

// helpParagraphs returns the descriptions of commands and flags.
func helpParagraphs() []string {
	var out []string
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		out = append(out, paragraphs(cmd.Short)...)
		out = append(out, paragraphs(cmd.Long)...)
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { out = append(out, f.Usage) })
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(io.Discard, io.Discard))
	return out
}
