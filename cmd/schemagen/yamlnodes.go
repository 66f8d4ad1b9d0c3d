package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
)

// nodeReader reads the nodes of a YAML file that people write for this program, and
// notes what is wrong with them.
type nodeReader struct {
	file string
	// code is that of all findings.
	code     diag.Code
	lines    []string
	findings diag.List
}

func newNodeReader(file string, code diag.Code, data []byte) nodeReader {
	return nodeReader{file: file, code: code, lines: strings.Split(string(data), "\n")}
}

// document is the content of the only document of a file; nil if the file is empty,
// or wrong. what is it in words.
func (r *nodeReader) document(data []byte, what string) *yaml.Node {
	var document yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
		return nil
	}
	if err != nil {
		line := lineOfYAMLError(err)
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		r.fail(nil, "", "%s", strings.TrimPrefix(message, fmt.Sprintf("line %d: ", line)))
		r.findings[0].Pos.Line = line
		return nil
	}
	if decoder.Decode(&yaml.Node{}) == nil {
		r.fail(nil, "", "%s is one document", what)
		return nil
	}
	return document.Content[0]
}

// lineOfYAMLError is the line that an error of the library names, or 0.
func lineOfYAMLError(err error) int {
	if m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1]) // digits; 0 if there are too many
		return line
	}
	return 0
}

// pos is the place of a node, the file where there is none.
func (r *nodeReader) pos(n *yaml.Node) diag.Position {
	if n == nil {
		return diag.Position{File: r.file}
	}
	return diag.Position{File: r.file, Line: n.Line, Column: r.column(n.Line, n.Column)}
}

// column is a column in bytes of one that the library counts in characters.
func (r *nodeReader) column(line, column int) int {
	if line < 1 || line > len(r.lines) {
		return column
	}
	characters := 0
	for i := range r.lines[line-1] {
		if characters++; characters == column {
			return i + 1
		}
	}
	return len(r.lines[line-1]) + 1
}

func (r *nodeReader) fail(n *yaml.Node, hint, format string, args ...any) {
	r.findings = append(r.findings, diag.Diagnostic{Code: r.code, Severity: diag.Error, Pos: r.pos(n), Message: fmt.Sprintf(format, args...), Hint: hint})
}

// aliased is the node that a node stands for.
func aliased(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// shortened is a text for a message.
func shortened(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// fields are the values of a mapping, by their keys, all of which must be known.
func (r *nodeReader) fields(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	n = aliased(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return out
	case n.Kind != yaml.MappingNode:
		r.fail(n, "", "%s is a mapping with some of the keys %s", what, strings.Join(known, ", "))
		return out
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !slices.Contains(known, key.Value):
			hint := ""
			if near, ok := markers.Nearest(key.Value, known); ok {
				hint = "did you mean " + near + "?"
			}
			r.fail(key, hint, "%s has no key %q", what, shortened(key.Value))
		case out[key.Value] != nil:
			r.fail(key, "", "key %q is there twice", key.Value)
		default:
			out[key.Value] = n.Content[i+1]
		}
	}
	return out
}

// list are the elements of a list.
func (r *nodeReader) list(n *yaml.Node) []*yaml.Node {
	n = aliased(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind != yaml.SequenceNode:
		r.fail(n, "", "this must be a list")
		return nil
	}
	return n.Content
}
