package manifest

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

// Manifest is one object of a file: a document of YAML, a JSON value, or an item
// of a List.
type Manifest struct {
	APIVersion, Kind, Name string
	// Pos is the place of the object.
	Pos token.Pos

	// CRD is what the API server decodes. It is nil if the object is something
	// else, or cannot be decoded; then a problem says so. Schemas and this share
	// leaf values.
	CRD *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of CRD.Spec.Versions, by index; nil where a version
	// has none. Every node, and every keyword of a node, has the place of its key.
	// Properties are in the order of the document.
	Schemas []*structural.Schema
	// Unsupported are what of each schema has no place in the model.
	Unsupported [][]structural.Unsupported
	// Unknown are the keywords of each schema that the API server does not know,
	// but that begin with "x-".
	Unknown [][]structural.UnknownKeyword

	base token.Pos // of the file
	tree *tree
	root int32
}

// Problem is something that keeps the API server from taking a file as it is.
type Problem struct {
	Pos     token.Pos
	Kind    ProblemKind
	Message string
}

// ProblemKind says what a problem means.
type ProblemKind string

// The kinds of problems. The API server refuses an object for each of them but
// [DroppedField].
const (
	// Malformed: the text is neither YAML nor JSON. Nothing is read of it.
	Malformed ProblemKind = "malformed"
	// TooLarge: the text is more than schemagen reads. Nothing is read of it, or
	// of what follows.
	TooLarge ProblemKind = "too large"
	// NoObject: a document is not an object with an apiVersion and a kind.
	NoObject ProblemKind = "no object"
	// WrongVersion: a CRD is of a version, or a kind, that no API server has.
	WrongVersion ProblemKind = "wrong version"
	// WrongType: a value is not of the type of its field. The object is not
	// decoded.
	WrongType ProblemKind = "wrong type"
	// UnknownField and DuplicateField are what strict decoding refuses. Without
	// it, the API server drops an unknown field and takes the last of duplicates;
	// so does [Manifest.CRD].
	UnknownField   ProblemKind = "unknown field"
	DuplicateField ProblemKind = "duplicate field"
	// DroppedField is an unknown or duplicate field below items or
	// additionalProperties, or a value of items that is no schema. The API server
	// drops it without a word.
	DroppedField ProblemKind = "dropped field"
)

// apiextensionsGroup is the API group of CRDs.
const apiextensionsGroup = "apiextensions.k8s.io"

// Read reads all objects of a file of YAML or JSON, and says what is
// wrong with their form; what the objects say is not judged. The file is added
// to fset under its name. A document that cannot be read is left out; the others
// are read.
func Read(fset *token.FileSet, name string, data []byte) ([]*Manifest, []Problem) {
	file := fset.AddFile(name, -1, len(data))
	r := &reader{base: token.Pos(file.Base()), documentsLeft: maxDocuments, nodesLeft: maxNodes, structsLeft: maxStructs}
	if len(data) > maxManifestBytes {
		r.problem(0, TooLarge, fmt.Sprintf("the file is larger than the %d MiB that are read", maxManifestBytes>>20))
		return nil, r.problems
	}
	file.SetLines(lineStarts(data))
	r.data, r.src = data, string(data)
	start := 0
	switch {
	case strings.HasPrefix(r.src, "\xfe\xff"), strings.HasPrefix(r.src, "\xff\xfe"):
		r.problem(0, Malformed, "the file is not UTF-8, but UTF-16")
		return nil, r.problems
	case strings.HasPrefix(r.src, "\ufeff"):
		start = len("\ufeff")
	}
	for _, d := range splitDocuments(r.src, start) {
		if !r.document(d) {
			break
		}
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Compare(a.Pos, b.Pos) })
	return r.manifests, r.problems
}

// lineStarts returns the offsets at which lines begin.
func lineStarts(data []byte) []int {
	lines := make([]int, 1, 1+bytes.Count(data, []byte("\n")))
	for at := 0; ; {
		n := bytes.IndexByte(data[at:], '\n')
		if at += n + 1; n < 0 || at == len(data) {
			return lines
		}
		lines = append(lines, at)
	}
}

// reader reads one file.
type reader struct {
	base token.Pos
	data []byte
	src  string

	manifests []*Manifest
	problems  []Problem
	// told is the size of all messages.
	told int

	documentsLeft, nodesLeft, structsLeft int
}

const (
	// maxTold bounds the messages of a file, maxMessage each: paths are long where
	// nesting is deep.
	maxTold    = 1 << 20
	maxMessage = 4 << 10
	// maxDocuments bounds the documents of a file, each of which costs something.
	maxDocuments = 10_000
)

// isFull reports whether no more problems are told.
func (r *reader) isFull() bool { return r.told > maxTold }

func (r *reader) problem(at int, kind ProblemKind, message string) {
	if r.isFull() {
		return
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage/2]+" … "+message[len(message)-maxMessage/4:], "")
	}
	if r.told += len(message) + 64; r.isFull() {
		kind, message = TooLarge, "there are more problems in this file than are told"
	}
	r.problems = append(r.problems, Problem{Pos: r.base + token.Pos(at), Kind: kind, Message: message})
}

// documentSpan is where a document stands in a file.
type documentSpan struct{ from, to int }

// splitDocuments returns the documents of a text that have content, at most one
// more than are read. A document begins with a line "---" or ends with a line
// "...", at which a comment or, after the dashes, content may stand.
func splitDocuments(src string, start int) []documentSpan {
	var out []documentSpan
	content, opened := false, false
	for i := start; i < len(src) && len(out) <= maxDocuments; {
		end := len(src)
		if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		line := src[i:end]
		switch {
		case isMarker(line, "---"):
			if content {
				out = append(out, documentSpan{start, i})
			}
			if content || opened {
				start = i
			}
			opened, content = true, hasContent(line[3:])
		case isMarker(line, "..."):
			if content {
				out = append(out, documentSpan{start, i})
			}
			start, opened, content = end, false, false
		case !content:
			directive := !opened && line[0] == '%'
			content = !directive && hasContent(line)
		}
		i = end
	}
	if content {
		out = append(out, documentSpan{start, len(src)})
	}
	return out
}

func isMarker(line, marker string) bool {
	return strings.HasPrefix(line, marker) && (len(line) == len(marker) || strings.IndexByte(" \t\r\n", line[len(marker)]) >= 0)
}

// hasContent reports whether there is more on a line than spaces and a comment.
func hasContent(line string) bool {
	line = strings.TrimLeft(line, " \r\n")
	return line != "" && line[0] != '#'
}

// document reads one document. It reports whether to go on.
func (r *reader) document(d documentSpan) bool {
	begin := d.to - len(strings.TrimLeft(r.src[d.from:d.to], jsonSpace))
	if begin == d.to || r.src[begin] != '{' {
		return r.another(begin) && r.yaml(d)
	}
	for count := 0; begin < d.to && r.another(begin); count++ {
		b := r.builder()
		end := parseJSON(b, r.data, begin, d.to)
		if b.refused != nil && b.refused.kind == Malformed && count == 0 {
			// A flow mapping, perhaps.
			flow := r.builder()
			if parseLibrary(flow, d.from, d.to, d.from); flow.refused == nil {
				return r.tree(flow)
			}
		}
		if !r.tree(b) {
			return false
		}
		begin = d.to - len(strings.TrimLeft(r.src[end:d.to], jsonSpace))
	}
	return true
}

// another counts a document. It reports whether to read it.
func (r *reader) another(at int) bool {
	if r.documentsLeft--; r.documentsLeft < 0 {
		r.problem(at, TooLarge, fmt.Sprintf("the file holds more documents than the %d that are read", maxDocuments))
	}
	return r.documentsLeft >= 0
}

// builder returns the beginning of a tree.
func (r *reader) builder() *treeBuilder {
	return &treeBuilder{tree: tree{src: r.src}, left: r.nodesLeft}
}

// yaml reads a document of YAML. It reports whether to go on.
func (r *reader) yaml(d documentSpan) bool {
	b := r.builder()
	b.nodes = make([]treeNode, 0, min(2*bytes.Count(r.data[d.from:d.to], []byte("\n")), r.nodesLeft)+1)
	ok, strayed := parseBlock(b, d.from, d.to)
	if !ok && (b.refused == nil || b.refused.kind != TooLarge) {
		b = r.builder()
		parseLibrary(b, d.from, d.to, strayed)
	}
	return r.tree(b)
}

// tree takes the objects of a tree that has been built, unless it could not be.
// It reports whether to go on.
func (r *reader) tree(b *treeBuilder) bool {
	r.nodesLeft = b.left
	if b.refused != nil {
		r.problem(b.refused.at, b.refused.kind, b.refused.message)
		return b.refused.kind != TooLarge
	}
	for _, d := range b.duplicates {
		r.problem(int(d.at), DuplicateField, "key "+d.text+" already set in map")
	}
	return r.object(b.finish(), 0, "", "")
}

// object takes an object, or the items of a list. The items of a list of one
// kind need not say their own. It reports whether to go on.
func (r *reader) object(t *tree, root int32, apiVersion, kind string) bool {
	at := int(t.nodes[root].at)
	switch t.nodes[root].kind {
	case mappingNode:
	case nullNode:
		return true
	default:
		r.problem(at, NoObject, "expected an object with apiVersion and kind, but found "+t.describe(root))
		return true
	}
	m := &Manifest{Pos: r.base + token.Pos(at), base: r.base, tree: t, root: root}
	var versioned, kinded bool
	m.APIVersion, versioned = r.header(t, root, "apiVersion", apiVersion)
	m.Kind, kinded = r.header(t, root, "kind", kind)
	if !versioned || !kinded {
		return true
	}
	group, version, grouped := strings.Cut(m.APIVersion, "/")
	if !grouped {
		group, version = "", group
	}
	switch {
	case strings.Contains(version, "/"):
		r.problem(r.place(m, "apiVersion"), NoObject, "unexpected GroupVersion string: "+m.APIVersion)
		return true
	case m.Kind == "":
		r.problem(at, NoObject, "Object 'Kind' is missing")
		return true
	case version == "":
		r.problem(at, NoObject, "Object 'apiVersion' is missing")
		return true
	}
	if items := t.find(root, "items"); items >= 0 && t.nodes[items+1].kind == sequenceNode {
		apiVersion, kind = "", ""
		if of, ok := strings.CutSuffix(m.Kind, "List"); ok && of != "" {
			apiVersion, kind = m.APIVersion, of
		}
		goOn := true
		t.eachElement(items+1, func(item int32) {
			goOn = goOn && r.object(t, item, apiVersion, kind)
		})
		return goOn
	}
	if metadata := t.find(root, "metadata"); metadata >= 0 {
		if name := t.find(metadata+1, "name"); name >= 0 && t.nodes[name+1].kind == stringNode {
			m.Name = t.text(name + 1)
		}
	}
	r.manifests = append(r.manifests, m)
	switch {
	case m.Kind == "CustomResourceDefinition" && group == apiextensionsGroup && version == "v1":
		return r.crd(m)
	case m.Kind == "CustomResourceDefinition" && group == apiextensionsGroup && version == "v1beta1":
		r.problem(r.place(m, "apiVersion"), WrongVersion, "apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22; "+
			"generate the CRD from its Go types, or convert it with a cluster that has it: kubectl get crds.v1.apiextensions.k8s.io NAME -o yaml")
	case group == apiextensionsGroup, m.Kind == "CustomResourceDefinition":
		field := "kind"
		if m.Kind == "CustomResourceDefinition" {
			field = "apiVersion"
		}
		r.problem(r.place(m, field), WrongVersion, fmt.Sprintf("no matches for kind %q in version %q", m.Kind, m.APIVersion))
	}
	return true
}

// header returns the value of apiVersion or kind. It reports whether the value
// is a string, or missing.
func (r *reader) header(t *tree, root int32, field, inherited string) (string, bool) {
	key := t.find(root, field)
	if key < 0 {
		// The server looks for these two whatever their case, before it decodes.
		t.eachEntry(root, func(k int32) {
			if strings.EqualFold(t.text(k), field) {
				key = k
			}
		})
	}
	if key < 0 || t.nodes[key+1].kind == nullNode {
		return inherited, true
	}
	if t.nodes[key+1].kind != stringNode {
		r.problem(int(t.nodes[key].at), WrongType, fmt.Sprintf(
			"couldn't get version/kind; json parse error: json: cannot unmarshal %s into Go struct field .%s of type string",
			t.goKind(key+1), field))
		return "", false
	}
	return t.text(key + 1), true
}

// place is the offset of a field of an object, or of the object.
func (r *reader) place(m *Manifest, field string) int {
	if key := m.tree.find(m.root, field); key >= 0 {
		return int(m.tree.nodes[key].at)
	}
	return int(m.tree.nodes[m.root].at)
}

// goKind names the type of a node as encoding/json does.
func (t *tree) goKind(n int32) string {
	return [...]string{"null", "bool", "number", "string", "object", "array", ""}[t.nodes[n].kind]
}

func (t *tree) describe(n int32) string {
	return [...]string{"null", "a boolean", "a number", "a string", "an object", "a list", ""}[t.nodes[n].kind]
}
