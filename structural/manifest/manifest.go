package manifest

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/yamltext"
	"github.com/schemagen/schemagen/structural"
)

// Manifest is one object of a file: a document of YAML, a JSON value, or an item
// of a List.
type Manifest struct {
	APIVersion, Kind, Name string
	// Pos is the position of the object.
	Pos token.Pos

	// CRD is the definition as decoded by the API server. It is nil if the object
	// is not a CRD or cannot be decoded, which is reported as a problem. It shares
	// leaf values with Schemas.
	CRD *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of CRD.Spec.Versions, by index; nil for a version
	// without one. Every node and every keyword of a node has the position of its
	// key. Properties are in document order.
	Schemas []*structural.Schema
	// Unsupported are the parts of each schema that the model cannot hold.
	Unsupported [][]structural.Unsupported
	// Unknown are the keywords of each schema that begin with "x-" but are unknown
	// to the API server.
	Unknown [][]structural.UnknownKeyword

	base token.Pos // of the file
	tree *tree
	root int32
}

// Problem is a reason for which the API server does not accept a file as it is.
type Problem struct {
	Pos     token.Pos
	Kind    ProblemKind
	Message string
	// Hint is what to write instead, or empty.
	Hint string
}

// ProblemKind classifies a problem.
type ProblemKind string

// Kinds of problems. The API server rejects an object for each of them except
// [DroppedField] and [ConvertedKey].
const (
	// Malformed text is neither YAML nor JSON. It is not read.
	Malformed ProblemKind = "malformed"
	// TooLarge text exceeds a limit of schemagen. It is not read, nor is anything
	// after it.
	TooLarge ProblemKind = "too large"
	// NoObject is a document that is not an object with an apiVersion and a kind.
	NoObject ProblemKind = "no object"
	// WrongVersion is a CRD of a version or kind that no API server supports.
	WrongVersion ProblemKind = "wrong version"
	// WrongType is a value that does not have the type of its field. The object
	// is not decoded.
	WrongType ProblemKind = "wrong type"
	// UnknownField and DuplicateField are rejected by strict decoding. Otherwise
	// the API server drops an unknown field and uses the last of several
	// duplicates, as [Manifest.CRD] does.
	UnknownField   ProblemKind = "unknown field"
	DuplicateField ProblemKind = "duplicate field"
	// DroppedField is an unknown or duplicate field below items or
	// additionalProperties, or a value of items that is not a schema. The API
	// server silently drops it.
	DroppedField ProblemKind = "dropped field"
	// ConvertedKey is a key without quotes that YAML does not read as the text that it has: y is
	// true, for example. It names another field than it seems to.
	ConvertedKey ProblemKind = "converted key"
)

// apiextensionsGroup is the API group of CRDs.
const apiextensionsGroup = "apiextensions.k8s.io"

// Read reads all objects of a YAML or JSON file and reports errors in their form;
// it does not judge their content. The file is added to fset under its name.
// Documents that cannot be read are skipped.
func Read(fset *token.FileSet, name string, data []byte) ([]*Manifest, []Problem) {
	file := fset.AddFile(name, -1, len(data))
	r := &reader{base: token.Pos(file.Base()), documentsLeft: maxDocuments, nodesLeft: maxNodes, structsLeft: maxStructs}
	if len(data) > maxManifestBytes {
		r.problem(0, TooLarge, fmt.Sprintf("the file is larger than %d MiB", maxManifestBytes>>20))
		return nil, r.problems
	}
	file.SetLines(lineStarts(data))
	r.data = data
	r.src = string(data)
	start := 0
	switch {
	case strings.HasPrefix(r.src, "\xfe\xff"), strings.HasPrefix(r.src, "\xff\xfe"):
		r.problem(0, Malformed, "the file is UTF-16 instead of UTF-8")
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
	for offset := 0; ; {
		n := bytes.IndexByte(data[offset:], '\n')
		if offset += n + 1; n < 0 || offset == len(data) {
			return lines
		}
		lines = append(lines, offset)
	}
}

// reader reads one file.
type reader struct {
	base token.Pos
	data []byte
	src  string

	manifests []*Manifest
	problems  []Problem
	// told is the total size of all messages.
	told int

	documentsLeft, nodesLeft, structsLeft int
}

const (
	// maxTold bounds the total size of the messages of a file, maxMessage that of
	// one message: paths are long if nesting is deep.
	maxTold    = 1 << 20
	maxMessage = 4 << 10
	// maxDocuments bounds the number of documents of a file, each of which costs something.
	maxDocuments = 10_000
)

// isFull reports whether no more problems are reported.
func (r *reader) isFull() bool { return r.told > maxTold }

func (r *reader) problem(offset int, kind ProblemKind, message string) {
	if r.isFull() {
		return
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage/2]+" … "+message[len(message)-maxMessage/4:], "")
	}
	if r.told += len(message) + 64; r.isFull() {
		kind = TooLarge
		message = "too many problems in this file"
	}
	r.problems = append(r.problems,
		Problem{Pos: r.base + token.Pos(offset), Kind: kind, Message: message, Hint: r.quoteHint(offset, kind)})
}

// quoteHint returns a hint for text that YAML does not read as text because it has no quotes, or "".
func (r *reader) quoteHint(offset int, kind ProblemKind) string {
	if kind != ConvertedKey && kind != WrongType && kind != DuplicateField {
		return ""
	}
	rest := r.src[min(offset, len(r.src)):]
	end := strings.IndexFunc(rest, func(c rune) bool { return strings.ContainsRune(" \t\r\n,]}", c) })
	word := strings.TrimSuffix(rest[:max(end, 0)], ":")
	if _, isText := yamltext.Plain(word); isText || word == "" || strings.ContainsAny(word[:1], "\"'[{&*!|>") {
		return ""
	}
	return fmt.Sprintf("write it in quotes: %q", word)
}

// documentSpan is the range of a document in a file.
type documentSpan struct{ from, to int }

// splitDocuments returns the documents of a text that have content, at most one
// more than the limit. A document begins with a line "---", which may have content
// or a comment, or ends with a line "...", which may have a comment.
func splitDocuments(src string, start int) []documentSpan {
	var out []documentSpan
	content := false
	opened := false
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
			opened = true
			content = hasContent(line[3:])
		case isMarker(line, "..."):
			if content {
				out = append(out, documentSpan{start, i})
			}
			start = end
			opened = false
			content = false
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

// hasContent reports whether a line has more than spaces and a comment.
func hasContent(line string) bool {
	line = strings.TrimLeft(line, " \r\n")
	return line != "" && line[0] != '#'
}

// document reads one document. It reports whether to continue.
func (r *reader) document(d documentSpan) bool {
	begin := d.to - len(strings.TrimLeft(r.src[d.from:d.to], jsonSpace))
	if begin == d.to || r.src[begin] != '{' {
		return r.another(begin) && r.yaml(d)
	}
	for count := 0; begin < d.to && r.another(begin); count++ {
		b := r.builder()
		end := parseJSON(b, r.data, begin, d.to)
		if b.rejected != nil && b.rejected.kind == Malformed && count == 0 {
			// What is not JSON may be a flow mapping.
			flow := r.builder()
			if parseLibrary(flow, d.from, d.to, d.from); flow.rejected == nil {
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

// another counts a document. It reports whether the document may be read.
func (r *reader) another(offset int) bool {
	if r.documentsLeft--; r.documentsLeft < 0 {
		r.problem(offset, TooLarge, fmt.Sprintf("the file has more than %d documents", maxDocuments))
	}
	return r.documentsLeft >= 0
}

// builder returns a new tree builder.
func (r *reader) builder() *treeBuilder {
	return &treeBuilder{tree: tree{src: r.src}, left: r.nodesLeft}
}

// yaml reads a YAML document. It reports whether to continue.
func (r *reader) yaml(d documentSpan) bool {
	b := r.builder()
	b.nodes = make([]treeNode, 0, min(2*bytes.Count(r.data[d.from:d.to], []byte("\n")), r.nodesLeft)+1)
	ok, strayed := parseBlock(b, d.from, d.to)
	if !ok && (b.rejected == nil || b.rejected.kind != TooLarge) {
		b = r.builder()
		parseLibrary(b, d.from, d.to, strayed)
	}
	return r.tree(b)
}

// tree reads the objects of a tree, or reports why it could not be built. It reports
// whether to continue.
func (r *reader) tree(b *treeBuilder) bool {
	r.nodesLeft = b.left
	if b.rejected != nil {
		r.problem(b.rejected.at, b.rejected.kind, b.rejected.message)
		return b.rejected.kind != TooLarge
	}
	for _, k := range b.converted {
		r.problem(int(k.at), ConvertedKey, fmt.Sprintf("the key %s is read as %q", k.written, k.text))
	}
	for _, d := range b.duplicates {
		r.problem(int(d.at), DuplicateField, "key "+d.text+" already set in map")
	}
	return r.object(b.finish(), 0, "", "")
}

// object reads an object or the items of a list. The items of a list with a kind of
// its own may omit theirs. It reports whether to continue.
func (r *reader) object(t *tree, root int32, apiVersion, kind string) bool {
	offset := int(t.nodes[root].at)
	switch t.nodes[root].kind {
	case mappingNode:
	case nullNode:
		return true
	default:
		r.problem(offset, NoObject, "expected an object with apiVersion and kind, but found "+t.describe(root))
		return true
	}
	manifest := &Manifest{Pos: r.base + token.Pos(offset), base: r.base, tree: t, root: root}
	var versioned, kinded bool
	manifest.APIVersion, versioned = r.header(t, root, "apiVersion", apiVersion)
	manifest.Kind, kinded = r.header(t, root, "kind", kind)
	if !versioned || !kinded {
		return true
	}
	group, version, grouped := strings.Cut(manifest.APIVersion, "/")
	if !grouped {
		group, version = "", group
	}
	switch {
	case strings.Contains(version, "/"):
		r.problem(r.place(manifest, "apiVersion"), NoObject, "unexpected GroupVersion string: "+manifest.APIVersion)
		return true
	case manifest.Kind == "":
		r.problem(offset, NoObject, "Object 'Kind' is missing")
		return true
	case version == "":
		r.problem(offset, NoObject, "Object 'apiVersion' is missing")
		return true
	}
	if items := t.find(root, "items"); items >= 0 && t.nodes[items+1].kind == sequenceNode {
		apiVersion = ""
		kind = ""
		if subject, ok := strings.CutSuffix(manifest.Kind, "List"); ok && subject != "" {
			apiVersion = manifest.APIVersion
			kind = subject
		}
		goOn := true
		t.eachElement(items+1, func(item int32) {
			goOn = goOn && r.object(t, item, apiVersion, kind)
		})
		return goOn
	}
	if metadata := t.find(root, "metadata"); metadata >= 0 {
		if name := t.find(metadata+1, "name"); name >= 0 && t.nodes[name+1].kind == stringNode {
			manifest.Name = t.text(name + 1)
		}
	}
	r.manifests = append(r.manifests, manifest)
	switch {
	case manifest.Kind == "CustomResourceDefinition" && group == apiextensionsGroup && version == "v1":
		return r.crd(manifest)
	case manifest.Kind == "CustomResourceDefinition" && group == apiextensionsGroup && version == "v1beta1":
		r.problem(r.place(manifest, "apiVersion"), WrongVersion, "apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22; "+
			"generate the CRD from its Go types, or convert it with a cluster that still serves it: kubectl get crds.v1.apiextensions.k8s.io NAME -o yaml")
	case group == apiextensionsGroup, manifest.Kind == "CustomResourceDefinition":
		field := "kind"
		if manifest.Kind == "CustomResourceDefinition" {
			field = "apiVersion"
		}
		r.problem(r.place(manifest, field), WrongVersion, fmt.Sprintf("no matches for kind %q in version %q", manifest.Kind, manifest.APIVersion))
	}
	return true
}

// header returns the value of apiVersion or kind. It reports whether the value
// is a string, or missing.
func (r *reader) header(t *tree, root int32, field, inherited string) (string, bool) {
	key := t.find(root, field)
	if key < 0 {
		// Before it decodes, the server looks for these two fields ignoring case.
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

// place returns the offset of a field of an object, or of the object itself.
func (r *reader) place(m *Manifest, field string) int {
	if key := m.tree.find(m.root, field); key >= 0 {
		return int(m.tree.nodes[key].at)
	}
	return int(m.tree.nodes[m.root].at)
}

// goKind returns the name of a node's type as used by encoding/json.
func (t *tree) goKind(n int32) string {
	return [...]string{"null", "bool", "number", "string", "object", "array", ""}[t.nodes[n].kind]
}

func (t *tree) describe(n int32) string {
	return [...]string{"null", "a boolean", "a number", "a string", "an object", "a list", ""}[t.nodes[n].kind]
}
