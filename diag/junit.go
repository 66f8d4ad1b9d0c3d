package diag

import (
	"cmp"
	"fmt"
	"html"
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// The text before and after the diagnostics of a JUnit report, and the suite of a report without any:
// CI systems take a report without cases for a mistake.
const (
	junitHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"schemagen\">\n"
	junitNone = "  <testsuite name=\"schemagen\" tests=\"1\" failures=\"0\">\n    <testcase name=\"no findings\" classname=\"schemagen\"/>\n  </testsuite>\n"
	junitEnd  = "</testsuites>\n"
)

// junitOf returns a diagnostic as a test suite with one case, which fails if it is an error. A suite
// begins with the number of its cases, so that one with all diagnostics could not be printed as they come.
func junitOf(d Diagnostic) string {
	failures := 0
	element := "system-out"
	end := element
	if d.Severity == Error {
		failures = 1
		element = fmt.Sprintf("failure type=\"%s\" message=\"%s\"", d.Code, html.EscapeString(screen.Line(d.Text())))
		end = "failure"
	}
	var text strings.Builder
	_ = List{d}.WriteText(&text) // a builder has no errors
	file := html.EscapeString(screen.Line(cmp.Or(filepath.ToSlash(d.Pos.File), "schemagen")))
	name := html.EscapeString(screen.Line(strings.TrimSpace(fmt.Sprintf("%s %s", d.Code, d.Pos))))
	return fmt.Sprintf("  <testsuite name=\"%[1]s\" tests=\"1\" failures=\"%[2]d\">\n    <testcase name=\"%[3]s\" classname=\"%[1]s\">\n"+
		"      <%[4]s>%[5]s</%[6]s>\n    </testcase>\n  </testsuite>\n", file, failures, name, element,
		html.EscapeString(strings.TrimSuffix(text.String(), "\n")), end)
}
