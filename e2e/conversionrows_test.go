package e2e

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// rowsOfConversions is the table of the requests that [TestConversions] makes.
const rowsOfConversions = "testdata/conversions.md"

// A conversionTable is the text of the table: sections of rows, each a request, or a command of
// kubectl, that was made and whose result was as expected.
type conversionTable struct {
	titles []string
	rows   map[string][]conversionCells
}

// conversionCells are an object, a request, a version, a body, the answer, and what was looked
// at afterwards.
type conversionCells [6]string

// begin begins a section.
func (c *conversionTable) begin(title string) {
	if !slices.Contains(c.titles, title) {
		c.titles = append(c.titles, title)
	}
	if c.rows == nil {
		c.rows = map[string][]conversionCells{}
	}
	c.rows[title] = nil
}

// add adds a row to the section that was begun last. Of a body that is an object, it has the spec.
func (c *conversionTable) add(cells conversionCells) {
	if _, spec, ok := strings.Cut(cells[3], `"spec": `); ok && strings.HasPrefix(cells[3], `{"apiVersion"`) {
		cells[3] = strings.TrimSuffix(spec, "}")
	}
	for i, text := range cells {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "|", "\\|")
		if limit := 110; len(text) > limit {
			for !utf8.RuneStart(text[limit]) {
				limit--
			}
			text = text[:limit] + "…"
		}
		cells[i] = text
	}
	title := c.titles[len(c.titles)-1]
	c.rows[title] = append(c.rows[title], cells)
}

const conversionHead = "| object | request | version | body | answer | also compared |\n|---|---|---|---|---|---|\n"

// String returns the table as Markdown.
func (c *conversionTable) String() string {
	var out, sections strings.Builder
	total := 0
	for _, title := range c.titles {
		fmt.Fprintf(&sections, "\n## %s\n\n%s", title, conversionHead)
		for _, row := range c.rows[title] {
			fmt.Fprintf(&sections, "| %s |\n", strings.Join(row[:], " | "))
		}
		total += len(c.rows[title])
	}
	fmt.Fprintf(&out, `# Old and new clients on a real server

`+"`make e2e KUBECTLS=all`"+` makes these %d requests for objects of [examples/conversions](../../examples/conversions), of which
v1 is the hub and stored, and compares each answer and the object afterwards with what the specification says.
`+"`make e2e KUBECTLS=all GOTESTFLAGS='-run ^TestConversions$$ -update'`"+` writes this table while it makes them, and TestConversionRows
names what has to be in it.

An edit reads, merges and writes the object, as kubectl edit does; apply is server-side and takes fields from their owners, contend does not.
Forge sets the annotation that keeps what a version lacks, and restore creates an object that has it.

| part | requests |
|---|--:|
`, total)
	for _, title := range c.titles {
		fmt.Fprintf(&out, "| %s | %d |\n", title, len(c.rows[title]))
	}
	return out.String() + sections.String()
}

// readConversionTable reads the table that is checked in.
func readConversionTable(t *testing.T) *conversionTable {
	t.Helper()
	data, err := os.ReadFile(rowsOfConversions)
	if err != nil {
		t.Fatal(err)
	}
	out := &conversionTable{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			out.begin(title)
		}
		if len(out.titles) == 0 || !strings.HasPrefix(line, "| ") || strings.HasPrefix(conversionHead, line) {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | ")
		var row conversionCells
		if copy(row[:], cells) != len(row) {
			t.Fatalf("a row with %d cells: %s", len(cells), line)
		}
		title := out.titles[len(out.titles)-1]
		out.rows[title] = append(out.rows[title], row)
	}
	return out
}

// compare compares the sections that were run with those that are checked in, or writes them.
func (c *conversionTable) compare(t *testing.T) {
	t.Helper()
	if t.Failed() || os.Getenv(versionVariable) != "" || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		return // other servers lack some requests, and parts of a test have only some
	}
	if *updateFacts && os.Getenv(kubectlsVariable) != "" {
		if err := os.WriteFile(rowsOfConversions, []byte(c.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := readConversionTable(t)
	for _, title := range c.titles {
		if got, want := fmt.Sprint(c.rows[title]), fmt.Sprint(want.rows[title]); got != want {
			t.Errorf("%s of %s: got\n%s\nwant\n%s", title, rowsOfConversions, got, want)
		}
	}
}

// TestConversionRows checks that the table of requests has what there has to be.
func TestConversionRows(t *testing.T) {
	table := readConversionTable(t)
	data, err := os.ReadFile(rowsOfConversions)
	if err != nil || string(data) != table.String() {
		t.Errorf("%s is not as TestConversions writes it, with -update: %v", rowsOfConversions, err)
	}
	// wanted are regular expressions of the title of a section and of a row.
	var wanted [][2]string
	for _, title := range []string{withoutPolicies, withPolicies, withPoliciesKept} {
		for _, version := range []string{hub, beta, alpha} {
			for _, request := range []string{"create", "edit", "replace", "patch", "json patch", "apply"} {
				wanted = append(wanted, [2]string{title, `[^|]* \| ` + request + ` \| ` + version + ` \| .* \| accepted \|`})
			}
		}
		for _, version := range []string{beta, alpha} {
			wanted = append(wanted,
				[2]string{title, `[^|]* \| forge \| ` + version + ` `},
				[2]string{title, `[^|]* \| restore \| ` + version + ` `},
				[2]string{title, `too much \| .* \| ` + version + ` \| .*refused: cannot be written as ` + version})
		}
	}
	for _, version := range []string{hub, beta, alpha} {
		answer := `refused: conversion webhook`
		if version == hub {
			answer = "accepted"
		}
		for _, request := range []string{"get", "list", "create", "replace", "patch", "json patch", "apply", "delete"} {
			wanted = append(wanted, [2]string{webhookDown, `[^|]* \| ` + request + ` \| ` + version + ` \| .*` + answer})
		}
		wanted = append(wanted, [2]string{listsAndWatches, `[^|]* \| list \| ` + version}, [2]string{listsAndWatches, `[^|]* \| watch \| ` + version})
	}
	for _, request := range []string{"store as v1beta1", "store as v1", "replace", "patch", "remove v1beta1", "create a StorageVersionMigration"} {
		wanted = append(wanted, [2]string{storageMigration, `[^|]* \| ` + request + ` \|`})
	}
	kubectls := 0
	for _, title := range table.titles {
		if strings.HasPrefix(title, kubectlOf) {
			kubectls++
			for _, verb := range []string{"apply -f", "apply --server-side", "patch", "replace", "edit", "label", "get"} {
				wanted = append(wanted, [2]string{title, `[^|]* \| ` + verb + ` .*accepted`})
			}
		}
	}
	if kubectls != 3 {
		t.Errorf("got %d versions of kubectl, want 3", kubectls)
	}
	total := 0
	for _, title := range table.titles {
		total += len(table.rows[title])
	}
	if total < 60 {
		t.Errorf("got %d rows, want at least 60", total)
	}
	for _, w := range wanted {
		pattern := regexp.MustCompile("^" + w[1])
		if !slices.ContainsFunc(table.rows[w[0]], func(row conversionCells) bool { return pattern.MatchString(strings.Join(row[:], " | ")) }) {
			t.Errorf("%s: no row %s", w[0], w[1])
		}
	}
}
