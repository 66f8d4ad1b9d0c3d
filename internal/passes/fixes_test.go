package passes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// second returns the errors of cases that are only found after a fix has corrected a first
// one: for example, of a marker that is misspelled and also does not fit its type.
func second() []string {
	return []string{
		"bad-marker-arguments: SG601 spec.validation.openAPIV3Schema.properties[spec].properties[i].pattern: Invalid value: \"bad \\\\escape\": must be a valid regular expression, but isn't: error parsing regexp: invalid escape sequence: `\\e`",
		"bad-marker-package: SG402 kind Widget.example.com has 2 versions and no storage version",
		"k8s-wrong: SG302 +k8s:maxLength: must apply to a string, found array",
		"kep-verbatim: SG601 spec.validation.openAPIV3Schema.properties[spec].properties[x].properties[apiVersion].type: Required value: must not be empty for specified object fields",
		"marker-misspelled-wrong: SG601 spec.validation.openAPIV3Schema.properties[spec].properties[jobs].items.properties[reasons].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
		"planted-mistakes: SG302 +kubebuilder:validation:MaxItems: must apply maxitem to an array",
		"planted-mistakes: SG302 +kubebuilder:validation:Minimum: must apply minimum to a numeric value, found array",
		"union-kep-verbatim: SG311 discriminator Type has no closed set of values",
		"union-kep-verbatim: SG311 discriminator UnionType has the value \"\", which means that it is absent",
	}
}

// TestFixes applies each fix that is offered for a case separately. The diagnostic must
// disappear, and no new errors may appear.
func TestFixes(t *testing.T) {
	cases := readCases(t)
	dir, listed := gentest.List(t, cases)
	fixed, hidden := map[diag.Code]int{}, second()
	for _, c := range cases {
		root := filepath.Join(dir, c.Name)
		options, _ := parseOptions(t, c.Options)
		options.Gates = c.Gates
		options.Dir, options.SkipVerify = root, c.Unverified
		options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
		run := func(overlay map[string][]byte) diag.List {
			options.Overlay = overlay
			_, findings, err := generateFiles(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			return findings
		}
		before := run(nil)
		for _, d := range before {
			for _, fix := range d.Fixes {
				fixed[d.Code]++
				after := run(applied(t, fix))
				for what, n := range newFindings(before, after, d) {
					if n <= 0 {
						continue
					}
					if i := slices.Index(hidden, c.Name+": "+what); i >= 0 {
						hidden = slices.Delete(hidden, i, i+1)
						continue
					}
					t.Errorf("%s: %s: %s: %s\n\tafter the fix %q: unexpected %s", c.Name, d.Pos, d.Code, d.Message, fix.Message, what)
				}
			}
		}
	}
	for _, unseen := range hidden {
		t.Errorf("no fix reveals %s", unseen)
	}
	for _, k := range report.Codes() {
		if k.Fixes != (fixed[k.Code] > 0) {
			t.Errorf("%s: Fixes is %v, but the cases have %d fixes", k.Code, k.Fixes, fixed[k.Code])
		}
	}
	t.Logf("fixes: %v", fixed)
}

// newFindings counts, by code and message, the errors that a fix adds, and the remaining
// diagnostics like the fixed one that should have disappeared.
func newFindings(before, after diag.List, fixed diag.Diagnostic) map[string]int {
	counts := map[string]int{}
	count := func(list diag.List, n int) {
		for _, d := range list {
			if d.Severity == diag.Error || d.Code == fixed.Code && d.Message == fixed.Message {
				counts[string(d.Code)+" "+d.Message] += n
			}
		}
	}
	count(after, 1)
	count(before, -1)
	counts[string(fixed.Code)+" "+fixed.Message]++
	return counts
}

// applied returns the files that a fix changes, after its edits.
func applied(t *testing.T, fix diag.Fix) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	edits := slices.Clone(fix.Edits)
	slices.Reverse(edits) // keep the positions of the remaining edits valid
	for _, e := range edits {
		text := out[e.Pos.File]
		if text == nil {
			var err error
			if text, err = os.ReadFile(e.Pos.File); err != nil {
				t.Fatal(err)
			}
		}
		start, end := offset(text, e.Pos), offset(text, e.End)
		if e.Pos.File != e.End.File || start > end || end > len(text) {
			t.Fatalf("invalid edit from %s to %s", e.Pos, e.End)
		}
		out[e.Pos.File] = slices.Concat(text[:start], []byte(e.New), text[end:])
	}
	return out
}

// offset returns the byte offset of a position in the text of its file.
func offset(text []byte, p diag.Position) int {
	lines := bytes.SplitAfter(text, []byte("\n"))
	return len(bytes.Join(lines[:p.Line-1], nil)) + p.Column - 1
}
