package dryrun

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// suite is a file with cases for a CRD in the format of the .testsuite.yaml files
// of github.com/openshift/api (tests/README.md there).
type suite struct {
	file, name       string
	crdName, version suiteText
	gates            []string
	gatesAt          diag.Position
	cases            []*Case
}

// Case is one case of a suite: an object that is created or updated, and the expected result.
type Case struct {
	// Name is "suite/onCreate/case".
	Name string
	// Pos is the position of the case.
	pos diag.Position

	trial               *Trial
	kind                *Kind
	update              bool
	initial, updated    suiteText
	expected            suiteText
	expectedError       suiteText
	expectedStatusError suiteText
	initialCRDPatches   []any
	initialCRDPatchesAt diag.Position
}

// suiteText is a string in a suite with its position.
type suiteText struct {
	value string
	pos   diag.Position
	// indent is the indentation of the lines of a literal block, or -1 for other texts.
	indent int
}

// isEmpty reports whether the text is missing or blank.
func (t suiteText) isEmpty() bool { return strings.TrimSpace(t.value) == "" }

// place returns the position in the file of a line and a column of the text.
func (t suiteText) place(line, column int) diag.Position {
	if t.indent < 0 || line == 0 {
		return t.pos
	}
	return diag.Position{File: t.pos.File, Line: t.pos.Line + line, Column: column + t.indent}
}

// suiteReader reads a suite and collects its errors.
type suiteReader struct {
	yamltext.NodeReader
	// inCases is the number of findings about cases, and about keys that have no meaning.
	inCases int
}

// IsSuite reports whether a YAML file is intended as a test suite.
func IsSuite(data []byte) bool {
	return bytes.HasPrefix(data, []byte("crdName:")) || bytes.Contains(data, []byte("\ncrdName:"))
}

// ReadSuite reads a test suite whose CRD is one of the trial's. If there are several variants of
// the CRD, there is a case for each that fits the gates of the suite. It returns no cases if a finding
// is an error about the suite; a case about which one is is left out. It must not be called
// concurrently.
//
// Suites have the format of the .testsuite.yaml files of github.com/openshift/api; see docs/try.md.
func (t *Trial) ReadSuite(name string, data []byte) ([]*Case, diag.List) {
	s, findings := readSuite(name, data)
	if s == nil {
		return nil, findings
	}
	kinds, found := t.kindsOf(s)
	findings = append(findings, found...)
	var out []*Case
	for _, c := range s.cases {
		for _, kind := range kinds {
			each := *c
			each.trial = t
			each.kind = kind
			if len(kinds) > 1 {
				each.Name += " (" + path.Base(filepath.ToSlash(kind.position("").File)) + ")"
			}
			out = append(out, &each)
		}
	}
	return out, findings
}

// readSuite reads a file. The suite is nil if there is an error outside of its cases.
func readSuite(file string, data []byte) (*suite, diag.List) {
	r := &suiteReader{NodeReader: yamltext.NewNodeReader(file, wrongSuite, data)}
	root := r.Document(data, "a test suite")
	if root == nil {
		if !r.Findings.HasErrors() {
			r.Fail(nil, "", "the file is empty")
		}
		return nil, r.Findings
	}
	s := r.suite(root)
	if len(r.Findings) > r.inCases || s.crdName.isEmpty() {
		return nil, r.Findings
	}
	return s, r.Findings
}

func (r *suiteReader) suite(n *yaml.Node) *suite {
	fields := r.Fields(n, "a test suite", "apiVersion", "name", "crdName", "version", "featureGates", "tests")
	r.inCases = len(r.Findings)
	s := &suite{
		file: r.File, name: r.text(fields["name"]).value, crdName: r.text(fields["crdName"]),
		version: r.text(fields["version"]),
	}
	if n := fields["featureGates"]; n != nil {
		s.gatesAt = r.Pos(n)
		for _, element := range r.List(n) {
			s.gates = append(s.gates, r.text(element).value)
		}
	}
	if s.crdName.isEmpty() && !r.Findings.HasErrors() {
		r.Fail(n, "write the name of the CRD, such as widgets.example.com", "the test suite has no crdName")
	}
	if v := r.text(fields["apiVersion"]); !v.isEmpty() && v.value != "apiextensions.k8s.io/v1" {
		r.Fail(fields["apiVersion"], "", "apiVersion is %q, but must be apiextensions.k8s.io/v1", v.value)
	}
	start := len(r.Findings)
	tests := r.Fields(fields["tests"], "tests", "onCreate", "onUpdate")
	r.inCases += len(r.Findings) - start
	add := func(read func() *Case) {
		known := len(r.Findings)
		c := read()
		if n := len(r.Findings) - known; n > 0 {
			r.inCases += n
			return
		}
		s.cases = append(s.cases, c)
	}
	for _, n := range r.List(tests["onCreate"]) {
		add(func() *Case {
			return r.testCase(n, s.name+"/onCreate/", "name", "initial", "expected", "expectedError")
		})
	}
	for _, n := range r.List(tests["onUpdate"]) {
		add(func() *Case {
			c := r.testCase(n, s.name+"/onUpdate/", "name", "initial", "updated", "expected", "expectedError", "expectedStatusError", "initialCRDPatches")
			c.update = true
			if c.updated.isEmpty() {
				r.Fail(n, "", "the case has no updated object")
			}
			return c
		})
	}
	return s
}

func (r *suiteReader) testCase(n *yaml.Node, prefix string, known ...string) *Case {
	fields := r.Fields(n, "a case", known...)
	c := &Case{
		Name: prefix + r.text(fields["name"]).value, pos: r.Pos(n),
		initial: r.text(fields["initial"]), updated: r.text(fields["updated"]), expected: r.text(fields["expected"]),
		expectedError: r.text(fields["expectedError"]), expectedStatusError: r.text(fields["expectedStatusError"]),
	}
	if c.initial.isEmpty() {
		r.Fail(n, "", "the case has no initial object")
	}
	if patches := fields["initialCRDPatches"]; patches != nil {
		c.initialCRDPatchesAt = r.Pos(patches)
		for _, p := range r.List(patches) {
			r.Fields(p, "a patch", "op", "path", "from", "value")
		}
		if err := patches.Decode(&c.initialCRDPatches); err != nil {
			r.Fail(patches, "", "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	return c
}

// text returns a string, or an empty text if n is nil.
func (r *suiteReader) text(n *yaml.Node) suiteText {
	n = yamltext.Aliased(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return suiteText{indent: -1}
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
		r.Fail(n, "objects are written as strings: put | before them", "must be a string")
		return suiteText{indent: -1}
	}
	return suiteText{n.Value, r.Pos(n), r.indent(n)}
}

// indent returns the indentation of a literal block: its first non-blank line's in the file,
// without the spaces that belong to the text.
func (r *suiteReader) indent(n *yaml.Node) int {
	if n.Style&yaml.LiteralStyle == 0 {
		return -1
	}
	for i, line := range strings.Split(n.Value, "\n") {
		if strings.TrimSpace(line) != "" && n.Line+i < len(r.Lines) {
			return max(-1, spacesBefore(r.Lines[n.Line+i])-spacesBefore(line))
		}
	}
	return -1
}

func spacesBefore(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
