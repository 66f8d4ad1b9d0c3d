package main

import (
	"bytes"
	"fmt"
	"go/token"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
)

// readObjects decodes a part of a file.
func readObjects(source manifestSource, c chunk) ([]*triedObject, diag.List) {
	fset := token.NewFileSet()
	manifests, problems := structural.ReadManifests(fset, source.name, c.data)
	if source.met {
		problems = slices.DeleteFunc(problems, func(p structural.Problem) bool { return p.Kind == structural.NoObject })
	}
	var findings diag.List
	if i := invalidUTF8(c.data); i >= 0 && len(problems) == 0 { // of YAML there is a problem
		findings = append(findings, diag.Diagnostic{Code: codeObjectRefused, Severity: diag.Error, Message: fmt.Sprintf("byte %#x is not UTF-8", c.data[i]),
			Pos: diag.Position{File: source.name, Line: 1 + bytes.Count(c.data[:i], []byte("\n")), Column: i - bytes.LastIndexByte(c.data[:i], '\n')}})
	}
	for _, m := range manifests {
		if m.CRD == nil { // decoding has found those of CRDs
			problems = append(problems, m.Repeated()...)
		}
	}
	findings = c.allInFile(append(findings, verify.Problems(problems, fset)...))
	place := func(pos token.Pos) diag.Position { return c.inFile(verify.Position(fset, pos)) }
	var out []*triedObject
	for _, m := range manifests {
		object, err := m.Object()
		if err != nil {
			findings = append(findings, diag.Diagnostic{Code: codeObjectRefused, Severity: diag.Error, Pos: place(m.Pos), Message: err.Error()})
			continue
		}
		out = append(out, &triedObject{Manifest: m, object: object, place: place})
	}
	return out, findings
}

// invalidUTF8 is the offset of the first byte that is not UTF-8, negative if all are.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
}

// print writes what the run wants to see of an object.
func (t *trial) print(out *bytes.Buffer, o *triedObject, kind *triedKind, a apiserver.Answer, action string) error {
	switch t.output {
	case "none":
		return nil
	case "yaml":
		if len(a.Errors) > 0 {
			return nil
		}
		text, err := orderedYAML(o.Keys, kind.schema, a.Object)
		if err != nil {
			return err
		}
		out.WriteString("---\n")
		out.Write(text)
		return nil
	}
	before, err := orderedYAML(o.Keys, kind.schema, o.object)
	if err != nil {
		return err
	}
	after, err := orderedYAML(o.Keys, kind.schema, a.Object)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# %s %s: %s\n", o.Kind, o.Name, action)
	writeWholeDiff(out, slices.Collect(strings.Lines(string(before))), slices.Collect(strings.Lines(string(after))), t.colored())
	return nil
}

// colored reports whether the diff has colours.
func (t *trial) colored() bool {
	if t.color != "auto" {
		return t.color == "always"
	}
	info, err := os.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

// writeWholeDiff writes all lines, those of one side only marked.
func writeWholeDiff(out io.Writer, a, b []string, colored bool) {
	line := func(mark, color, text string) {
		if colored && color != "" {
			text = color + mark + strings.TrimSuffix(text, "\n") + "\x1b[0m\n"
		} else {
			text = mark + text
		}
		io.WriteString(out, text) // a buffer takes all
	}
	at := 0
	for _, d := range diffLines(nil, a, b, lcs.Diff{End: len(a), ReplEnd: len(b)}, maxDiffDepth) {
		for ; at < d.Start; at++ {
			line("  ", "", a[at])
		}
		for ; at < d.End; at++ {
			line("- ", "\x1b[31m", a[at])
		}
		for i := d.ReplStart; i < d.ReplEnd; i++ {
			line("+ ", "\x1b[32m", b[i])
		}
	}
	for ; at < len(a); at++ {
		line("  ", "", a[at])
	}
}

// orderedYAML renders an object with its keys in the order of the manifest; those
// that it does not have come after, in the order of the schema.
func orderedYAML(keys keysOf, s *structural.Schema, object map[string]any) ([]byte, error) {
	node, err := yamlOf(keys, object, s, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(node); err != nil {
		return nil, err
	}
	if err := encoder.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// keysOf are the keys of a mapping in the order of a document.
type keysOf func(at *structural.ObjectPath) []string

func yamlOf(keys keysOf, value any, s *structural.Schema, at *structural.ObjectPath) (*yaml.Node, error) {
	switch value := value.(type) {
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode}
		for _, name := range orderOf(keys(at), s.FieldNames(), value) {
			child, err := yamlOf(keys, value[name], s.At([]structural.Step{{Field: name, Index: -1}}), at.Field(name))
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, textNode(name), child)
		}
		return node, nil
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		for i, element := range value {
			child, err := yamlOf(keys, element, s.At([]structural.Step{{Index: i}}), at.Element(i))
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		return node, nil
	case string:
		return textNode(value), nil
	}
	node := &yaml.Node{}
	return node, node.Encode(value)
}

// notText are texts that YAML 1.1, which Kubernetes reads, takes for something else
// than YAML 1.2 does (booleans, numbers of base 60), and the key that merges.
var notText = regexp.MustCompile(`^(?:[yYnN]|(?i:yes|no|on|off)|<<|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?)$`)

// textNode is a key or a string.
func textNode(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	if notText.MatchString(text) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// orderOf are the keys of a mapping: first those of the document, then those of
// the schema, then others.
func orderOf(given, specified []string, value map[string]any) []string {
	var out []string
	seen := map[string]bool{}
	for _, names := range [][]string{given, specified, slices.Sorted(maps.Keys(value))} {
		for _, name := range names {
			if _, ok := value[name]; ok && !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	return out
}
