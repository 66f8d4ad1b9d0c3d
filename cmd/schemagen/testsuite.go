package main

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
)

// testSuite is a file of cases for a CRD, in the format of the .testsuite.yaml files
// of github.com/openshift/api (tests/README.md there).
type testSuite struct {
	file, name       string
	crdName, version suiteText
	featureGates     *yaml.Node
	cases            []*testCase
}

// testCase is what becomes of an object that is created, or updated.
type testCase struct {
	// name is "suite/onCreate/case".
	name                string
	pos                 diag.Position
	update              bool
	initial, updated    suiteText
	expected            suiteText
	expectedError       suiteText
	expectedStatusError suiteText
	initialCRDPatches   []any
	initialCRDPatchesAt diag.Position
}

// suiteText is a text of a suite with its place.
type suiteText struct {
	value string
	pos   diag.Position
	// indent is what stands before each line of a literal block, -1 for other texts.
	indent int
}

// isEmpty reports whether nothing is said; blank texts say nothing.
func (t suiteText) isEmpty() bool { return strings.TrimSpace(t.value) == "" }

// place is the position of a line and a column of the text in the file.
func (t suiteText) place(line, column int) diag.Position {
	if t.indent < 0 || line == 0 {
		return t.pos
	}
	return diag.Position{File: t.pos.File, Line: t.pos.Line + line, Column: column + t.indent}
}

// suiteReader reads a suite and notes what is wrong with it.
type suiteReader struct{ nodeReader }

// readSuite reads a file. There is no suite where a finding is an error.
func readSuite(file string, data []byte) (*testSuite, diag.List) {
	r := &suiteReader{newNodeReader(file, codeSuite, data)}
	root := r.document(data, "a test suite")
	if root == nil {
		if !r.findings.HasErrors() {
			r.fail(nil, "", "the file is empty")
		}
		return nil, r.findings
	}
	s := r.suite(root)
	if r.findings.HasErrors() {
		return nil, r.findings
	}
	return s, r.findings
}

func (r *suiteReader) suite(n *yaml.Node) *testSuite {
	fields := r.fields(n, "a test suite", "apiVersion", "name", "crdName", "version", "featureGates", "tests")
	s := &testSuite{
		file: r.file, name: r.text(fields["name"]).value, crdName: r.text(fields["crdName"]),
		version: r.text(fields["version"]), featureGates: fields["featureGates"],
	}
	if s.crdName.isEmpty() && !r.findings.HasErrors() {
		r.fail(n, "the name of the CRD, as widgets.example.com", "the test suite has no crdName")
	}
	if v := r.text(fields["apiVersion"]); !v.isEmpty() && v.value != "apiextensions.k8s.io/v1" {
		r.fail(fields["apiVersion"], "", "apiVersion is %q, but that of test suites is apiextensions.k8s.io/v1", v.value)
	}
	tests := r.fields(fields["tests"], "tests", "onCreate", "onUpdate")
	for _, n := range r.list(tests["onCreate"]) {
		s.cases = append(s.cases, r.testCase(n, s.name+"/onCreate/", "name", "initial", "expected", "expectedError"))
	}
	for _, n := range r.list(tests["onUpdate"]) {
		c := r.testCase(n, s.name+"/onUpdate/", "name", "initial", "updated", "expected", "expectedError", "expectedStatusError", "initialCRDPatches")
		c.update = true
		if c.updated.isEmpty() {
			r.fail(n, "", "the case has no updated object")
		}
		s.cases = append(s.cases, c)
	}
	return s
}

func (r *suiteReader) testCase(n *yaml.Node, prefix string, known ...string) *testCase {
	fields := r.fields(n, "a case", known...)
	c := &testCase{
		name: prefix + r.text(fields["name"]).value, pos: r.pos(n),
		initial: r.text(fields["initial"]), updated: r.text(fields["updated"]), expected: r.text(fields["expected"]),
		expectedError: r.text(fields["expectedError"]), expectedStatusError: r.text(fields["expectedStatusError"]),
	}
	if c.initial.isEmpty() {
		r.fail(n, "", "the case has no initial object")
	}
	if patches := fields["initialCRDPatches"]; patches != nil {
		c.initialCRDPatchesAt = r.pos(patches)
		for _, p := range r.list(patches) {
			r.fields(p, "a patch", "op", "path", "from", "value")
		}
		if err := patches.Decode(&c.initialCRDPatches); err != nil {
			r.fail(patches, "", "%s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	return c
}

// text is a string, empty where there is none.
func (r *suiteReader) text(n *yaml.Node) suiteText {
	n = aliased(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return suiteText{indent: -1}
	case n.Kind != yaml.ScalarNode || n.Tag != "!!str":
		r.fail(n, "objects are written as text: put | before them", "this must be a string")
		return suiteText{indent: -1}
	}
	return suiteText{n.Value, r.pos(n), r.indent(n)}
}

// indent is what stands before each line of a literal block: that of its first line
// in the file that is not blank, without what belongs to the text.
func (r *suiteReader) indent(n *yaml.Node) int {
	if n.Style&yaml.LiteralStyle == 0 {
		return -1
	}
	for i, line := range strings.Split(n.Value, "\n") {
		if strings.TrimSpace(line) != "" && n.Line+i < len(r.lines) {
			return max(-1, spacesBefore(r.lines[n.Line+i])-spacesBefore(line))
		}
	}
	return -1
}

func spacesBefore(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
