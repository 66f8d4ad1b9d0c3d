package typegen

import (
	"fmt"
	"go/format"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/source/gotext"
)

// A writtenFile also knows which lines belong to what.
type writtenFile struct {
	// name is the absolute name.
	name   string
	data   []byte
	owners []owner
}

// owner is the place of a field, or the places of all uses of a type, between two lines.
type owner struct {
	from, to int
	places   []place
	// kind is one that uses the type.
	kind *kind
}

// place decides the order of types: each after the type that uses it first.
func (b *builder) place() {
	seen := map[*goType]bool{}
	var visit func(t *goType)
	visit = func(t *goType) {
		t = t.final()
		if seen[t] {
			return
		}
		seen[t] = true
		b.types = append(b.types, t)
		for _, f := range t.fields {
			if f.typ.typ != nil {
				visit(f.typ.typ)
			}
		}
	}
	b.types = nil
	for _, k := range b.kinds {
		if k.wanted {
			visit(k.root)
		}
	}
}

// sharedFile has the types that several kinds use.
const sharedFile = "types.go"

// files returns the files of the package.
func (b *builder) files() ([]writtenFile, error) {
	parts := map[string][]*goType{}
	for _, t := range b.types {
		name := sharedFile
		if kinds := wantedKinds(t); len(kinds) == 1 {
			name = strings.ToLower(kinds[0].object.Spec.Names.Kind) + "_types.go"
		}
		parts[name] = append(parts[name], t)
	}
	var out []writtenFile
	add := func(f writtenFile, err error) error {
		if err != nil {
			return fmt.Errorf("format %s: %w", f.name, err)
		}
		out = append(out, f)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w := &writer{builder: b, imports: map[string]bool{}}
		for _, t := range parts[name] {
			w.goType(t)
		}
		if err := add(w.finish(filepath.Join(b.dir, name))); err != nil {
			return nil, err
		}
	}
	for _, f := range []struct{ name, text string }{{"doc.go", b.docFile()}, {"groupversion_info.go", b.groupFile()}} {
		data, err := format.Source([]byte(f.text))
		if err := add(writtenFile{name: filepath.Join(b.dir, f.name), data: signed(data)}, err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func wantedKinds(t *goType) []*kind {
	return slices.DeleteFunc(slices.Clone(t.usedBy), func(k *kind) bool { return !k.wanted })
}

func (b *builder) docFile() string {
	return fmt.Sprintf(`// Package %[1]s contains the API types of version %[1]s of the group %[2]s.
//
// +kubebuilder:object:generate=true
// +groupName=%[2]s
package %[1]s
`, b.version, b.group)
}

func (b *builder) groupFile() string {
	var objects strings.Builder
	for _, k := range b.kinds {
		if k.wanted {
			fmt.Fprintf(&objects, "\t\t&%[1]s{}, &%[1]sList{},\n", k.object.Spec.Names.Kind)
		}
	}
	v := b.variables
	return fmt.Sprintf(`package %[1]s

import (
	metav1 %[3]q
	%[4]q
	%[5]q
)

var (
	// %[7]s is the group and version of the types in this package.
	%[7]s = schema.GroupVersion{Group: %[2]q, Version: %[1]q}

	// %[8]s adds the types in this package to a scheme.
	%[8]s = runtime.NewSchemeBuilder(addKnownTypes)

	// %[9]s adds the types in this package to a scheme.
	%[9]s = %[8]s.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(%[7]s,
%[6]s	)
	metav1.AddToGroupVersion(scheme, %[7]s)
	return nil
}
`, b.version, b.group, metav1Path, runtimePath, schemaPath, objects.String(), v.groupVersion, v.schemeBuilder, v.addToScheme)
}

// A writer writes the types of one file.
type writer struct {
	*builder
	strings.Builder
	line    int
	imports map[string]bool
	owners  []owner
}

func (w *writer) printf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.line += strings.Count(text, "\n")
	w.WriteString(text)
}

// owned records the type and the places of the lines that write writes.
func (w *writer) owned(t *goType, places []place, write func()) {
	start := w.line
	write()
	w.owners = append(w.owners, owner{start, w.line, places, wantedKinds(t)[0]})
}

// goType writes a type, its constants, and the list type of a root type.
func (w *writer) goType(t *goType) {
	doc, marker := typeDoc(t.doc)
	markers := t.markers
	if marker != "" {
		markers = append(slices.Clip(markers), marker)
	}
	w.owned(t, t.usedAt, func() {
		for _, m := range markers {
			w.printf("// +%s\n", m)
		}
		if len(markers) > 0 {
			w.printf("\n")
		}
		if doc != "" {
			w.printf("%s", comment(doc, ""))
		}
	})
	if t.constants != nil {
		w.printf("type %s string\n\nconst (\n", t.name)
		for _, c := range t.constants {
			w.printf("\t%s %s = %q\n", c.name, t.name, c.value)
		}
		w.printf(")\n\n")
		return
	}
	w.printf("type %s struct {\n", t.name)
	if t.kind != nil {
		w.imports[metav1Path] = true
		w.printf("\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
	}
	for i, f := range t.fields {
		if i > 0 || t.kind != nil {
			w.printf("\n")
		}
		w.owned(t, []place{f.at}, func() { w.field(f) })
	}
	w.printf("}\n\n")
	if t.kind != nil {
		w.printf("// +kubebuilder:object:root=true\n\n// %[1]sList is a list of objects of kind %[1]s.\ntype %[1]sList struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\n\tItems []%[1]s `json:\"items\"`\n}\n\n", t.name)
	}
}

func (w *writer) field(f *field) {
	if f.doc != "" {
		w.printf("%s", comment(f.doc, "\t"))
	}
	for _, m := range f.markers {
		w.printf("\t// +%s\n", m)
	}
	tag := f.json
	if f.omit != "" {
		tag += "," + f.omit
	} else if tag == "-" {
		tag += ","
	}
	w.printf("\t%s %s `json:%q`\n", f.name, w.expr(f.typ), tag)
}

func (w *writer) expr(e expr) string {
	switch {
	case e.typ != nil:
		return e.prefix + e.typ.final().name
	case e.path != "":
		w.imports[e.path] = true
		return e.prefix + w.known.aliases[e.path] + "." + e.name
	}
	return e.prefix + e.name
}

// aliasOf returns the usual name of a package of Kubernetes.
func aliasOf(path string) string {
	switch path {
	case metav1Path:
		return "metav1"
	case crdV1Path:
		return "apiextensionsv1"
	case corev1Path:
		return "corev1"
	case rbacv1Path:
		return "rbacv1"
	}
	return path[strings.LastIndexByte(path, '/')+1:]
}

// finish returns the file with its package clause and imports.
func (w *writer) finish(name string) (writtenFile, error) {
	var imports []gotext.Import
	for path := range w.imports {
		alias := w.known.aliases[path]
		if alias == aliasOf(path) && strings.HasSuffix(path, "/"+alias) && strings.HasPrefix(path, "k8s.io/") {
			alias = "" // other packages may have another name
		}
		imports = append(imports, gotext.Import{Name: alias, Path: path})
	}
	head := gotext.Head("", w.version, imports, nil)
	start := signedLines + strings.Count(head, "\n")
	out := writtenFile{name: name}
	for _, o := range w.owners {
		out.owners = append(out.owners, owner{o.from + start + 1, o.to + start, o.places, o.kind})
	}
	data, err := format.Source([]byte(head + strings.TrimRight(w.String(), "\n") + "\n"))
	out.data = signed(data)
	return out, err
}
