package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Lengths of the pages for users, their examples and tables included.
const (
	longestBook    = 40000
	longestChapter = 2500
	longestReadme  = 700
)

// TestWords checks the lengths of README, of each page of the book, and of all pages together. Tables and pages
// that are generated from the program are left out.
func TestWords(t *testing.T) {
	settings := regexp.MustCompile(`(?s)<!-- settings -->.*<!-- end of settings -->`)
	sum := 0
	for _, page := range userPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name, longest := filepath.Base(page), longestChapter
		if page == "../../README.md" {
			longest = longestReadme
		}
		n := len(strings.Fields(settings.ReplaceAllString(string(text), "")))
		if n > longest {
			t.Errorf("%s has %d words, want at most %d", name, n, longest)
		}
		sum += n
	}
	if sum > longestBook {
		t.Errorf("the pages for users have %d words, want at most %d", sum, longestBook)
	}
	t.Logf("%d words", sum)
}

// TestTestedPage checks that each figure in the tables of docs/tested.md is in the record that the row links: as a
// number, or as the number of its sections or lines.
func TestTestedPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| .*?\*\*(\d+)\*\* .*\]\((\S+)\) \|$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) < 14 {
		t.Errorf("got %d rows with figures", len(rows))
	}
	for _, row := range rows {
		figure, file := row[1], row[2]
		record, err := os.ReadFile(filepath.Join("../../docs", file))
		if err != nil {
			t.Error(err)
			continue
		}
		sections := len(regexp.MustCompile(`(?m)^== `).FindAll(record, -1))
		lines := len(regexp.MustCompile(`(?m)^[^#\n]`).FindAll(record, -1))
		if figure != strconv.Itoa(sections) && figure != strconv.Itoa(lines) && !regexp.MustCompile(`\b`+figure+`\b`).Match(record) {
			t.Errorf("%s does not have the figure %s", file, figure)
		}
	}
}
