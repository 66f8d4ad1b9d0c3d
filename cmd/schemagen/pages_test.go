package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestCodesPage checks that docs/diagnostics.md is up to date; -update rewrites it.
func TestCodesPage(t *testing.T) {
	checkPage(t, "../../docs/diagnostics.md", codesPage())
}

// TestMarkersPage checks that docs/MARKERS.md is up to date; -update rewrites it.
func TestMarkersPage(t *testing.T) {
	reference, err := markerReference()
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, "../../docs/MARKERS.md", reference.Page())
}

// TestReadmeFigures checks that the figures in README.md are those in the summary of
// docs/performance.md; -update rewrites them.
func TestReadmeFigures(t *testing.T) {
	performance, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- figures from docs/performance.md -->\n", "\n[How this was measured]"
	before, rest, found := strings.Cut(string(readme), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("README.md has no place for figures")
	}
	table := readmeFigures(string(performance))
	if strings.Count(table, "\n") < 5 {
		t.Fatalf("docs/performance.md has few of the figures:\n%s", table)
	}
	checkPage(t, "../../README.md", before+begin+"\n"+table+end+after)
}

// readmeFigures returns the rows of the summary of docs/performance.md that are about what
// users run.
func readmeFigures(performance string) string {
	performance, _, _ = strings.Cut(performance, "<!-- end -->")
	var b strings.Builder
	b.WriteString("| | command lines | times as fast | peak memory |\n|---|--:|--:|--:|\n")
	for _, row := range []struct{ title, shown string }{
		{"`rbac crd webhook`, cold, verified", "`make manifests`: `rbac crd webhook`"},
		{"`object`, cold", "`make generate`: `object`"},
		{"Any line, one API file edited", "all of a project's lines, a type edited"},
		{"Any line, nothing changed", "the same, nothing changed"},
		{"`crd`, cold, verified", "`crd` alone"},
	} {
		_, rest, found := strings.Cut(performance, "\n| "+row.title+" |")
		line, _, _ := strings.Cut(rest, "\n")
		cells := strings.Split(line, "|") // lines, times as fast, wall ÷ go list, memory, CPU
		if !found || len(cells) < 5 {
			continue // not measured yet
		}
		fmt.Fprintf(&b, "| %s | %s | %s | × %s |\n", row.shown, strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[3]))
	}
	return b.String()
}

// checkPage checks that a generated page is up to date; -update rewrites it.
func checkPage(t *testing.T, page, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is out of date (%v): run make generate", page, err)
	}
}

// codesPage returns the text of docs/diagnostics.md.
func codesPage() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Generated from the tables in the code (` + "`make generate`" + `). Codes are stable. ` + "`schemagen explain-code CODE`" + ` prints an entry.

A diagnostic is an error if the API server would reject the output, or if the output would be wrong; no file is written then. It is a
warning if something that you wrote has no effect or can never hold; ` + "`--strict`" + ` treats warnings as errors.

A package may have hundreds of the warnings SG217, SG605 and, if unions are not enabled, SG311. Only the first one in a package is
printed, with the number of the others; ` + "`--format json` and `sarif`" + ` list all of them.

Examples in Go are fields of the spec of a kind Widget, declarations or whole packages, and are reported by schemagen crd. Other
examples begin with the command, followed by files as in a txtar archive; the corrected example shows only what changes. A YAML
file that begins with the path of a schema is a CRD of kind Widget with this schema.
`)
	for _, info := range codes() {
		fmt.Fprintf(&b, "\n## %s\n\n%s. %s\n", codeHeading(info), capital(defaultSeverity(info)), info.Explanation)
		if info.Bad != "" {
			language := "go"
			if strings.HasPrefix(info.Bad, "$ ") {
				language = "console"
			}
			fmt.Fprintf(&b, "\nReported:\n\n```%[1]s\n%[2]s\n```\n\n%[3]s:\n\n```%[1]s\n%[4]s\n```\n", language, info.Bad, goodHeading(info), info.Good)
		}
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
