package yamltext

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// NodeReader reads the nodes of a YAML file that is written for schemagen and
// collects diagnostics.
type NodeReader struct {
	File string
	// Lines are the lines of the file, without line ends.
	Lines    []string
	Findings diag.List

	kind *diag.Kind
}

// NewNodeReader returns a reader of a file. All its diagnostics have the given kind.
func NewNodeReader(file string, kind *diag.Kind, data []byte) NodeReader {
	return NodeReader{File: file, Lines: strings.Split(string(data), "\n"), kind: kind}
}

// Document returns the content of the only document of a file, or nil if the file is
// empty or invalid. what names the document in messages.
func (r *NodeReader) Document(data []byte, what string) *yamlv3.Node {
	var document yamlv3.Node
	decoder := yamlv3.NewDecoder(strings.NewReader(string(data)))
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0 {
		return nil
	}
	if err != nil {
		line := lineOfYAMLError(err)
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		r.Fail(nil, "", "%s", strings.TrimPrefix(message, fmt.Sprintf("line %d: ", line)))
		r.Findings[0].Pos.Line = line
		return nil
	}
	if decoder.Decode(&yamlv3.Node{}) == nil {
		r.Fail(nil, "", "%s must be a single document", what)
		return nil
	}
	return document.Content[0]
}

// lineOfYAMLError returns the line in an error of the library, or 0.
func lineOfYAMLError(err error) int {
	if m := regexp.MustCompile(`line (\d+)`).FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1]) // only digits; 0 on overflow
		return line
	}
	return 0
}

// Pos returns the position of a node, or the file if the node is nil.
func (r *NodeReader) Pos(n *yamlv3.Node) diag.Position {
	if n == nil {
		return diag.Position{File: r.File}
	}
	return diag.Position{File: r.File, Line: n.Line, Column: r.column(n.Line, n.Column)}
}

// column converts a column that the library counts in characters to bytes.
func (r *NodeReader) column(line, column int) int {
	if line < 1 || line > len(r.Lines) {
		return column
	}
	characters := 0
	for i := range r.Lines[line-1] {
		if characters++; characters == column {
			return i + 1
		}
	}
	return len(r.Lines[line-1]) + 1
}

// Fail adds an error at a node, or, if it is nil, for the file.
func (r *NodeReader) Fail(n *yamlv3.Node, hint, format string, args ...any) {
	r.Findings = append(r.Findings, r.kind.At(r.Pos(n), hint, format, args...))
}

// Meant adds a fix to the last finding, which is about a scalar: it replaces the text of the
// scalar.
func (r *NodeReader) Meant(n *yamlv3.Node, text string) {
	d := &r.Findings[len(r.Findings)-1]
	if d.Pos.Line < 1 || d.Pos.Line > len(r.Lines) {
		return
	}
	// else it is quoted, or after an anchor
	if line := r.Lines[d.Pos.Line-1]; d.Pos.Column <= len(line) && strings.HasPrefix(line[d.Pos.Column-1:], n.Value) {
		*d = d.Replacing(n.Value, text)
	}
}

// Aliased returns the node that an alias refers to, and other nodes unchanged.
func Aliased(n *yamlv3.Node) *yamlv3.Node {
	if n != nil && n.Kind == yamlv3.AliasNode {
		return n.Alias
	}
	return n
}

// Shortened returns a text for use in a message, truncated to 80 bytes.
func Shortened(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// KeyIndex returns the index of a key in the content of a mapping, or -1.
func KeyIndex(n *yamlv3.Node, key string) int {
	if n == nil || n.Kind != yamlv3.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// Content returns the content of a node of a kind, or nothing for null. Nodes of other kinds are
// errors.
func (r *NodeReader) Content(n *yamlv3.Node, kind yamlv3.Kind, wrong string) []*yamlv3.Node {
	n = Aliased(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind != kind:
		r.Fail(n, "", "%s", wrong)
		return nil
	}
	return n.Content
}

// Fields returns the values of a mapping by key. Keys other than the known ones are errors, with
// a fix if the mapping does not have the key that was probably meant.
func (r *NodeReader) Fields(n *yamlv3.Node, what string, known ...string) map[string]*yamlv3.Node {
	out := map[string]*yamlv3.Node{}
	content := r.Content(n, yamlv3.MappingNode, what+" must be a mapping with keys among "+strings.Join(known, ", "))
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		switch {
		case !slices.Contains(known, key.Value):
			r.Fail(key, words.DidYouMean(key.Value, known, ""), "%s has no key %q", what, Shortened(key.Value))
			if nearest, ok := words.Nearest(key.Value, known); ok && KeyIndex(Aliased(n), nearest) < 0 {
				r.Meant(key, nearest)
			}
		case out[key.Value] != nil:
			r.Fail(key, "", "duplicate key %q", key.Value)
		default:
			out[key.Value] = content[i+1]
		}
	}
	return out
}

// List returns the elements of a sequence.
func (r *NodeReader) List(n *yamlv3.Node) []*yamlv3.Node {
	return r.Content(n, yamlv3.SequenceNode, "must be a list")
}
