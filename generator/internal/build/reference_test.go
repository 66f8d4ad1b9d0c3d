package build

import (
	"bytes"
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/generator/internal/gentest"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/internal/typedmodule"
	"github.com/schemagen/schemagen/markers"
)

// referenceFile is the reference of markers; -update rewrites the output of its examples.
const referenceFile = "../../../markers/reference.txtar"

const (
	exampleImports = `
import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)
`
	exampleKind = `
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
`
)

// TestReference generates the example of every marker, and checks the YAML and the
// diagnostics that the reference shows.
func TestReference(t *testing.T) {
	chapters, err := newTable(t).Reference()
	if err != nil {
		t.Fatal(err)
	}
	var examples []*markers.Described
	var cases []*gentest.Case
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			examples = append(examples, m)
			cases = append(cases, exampleCase(fmt.Sprintf("example%d", len(cases)), m))
			without := *m
			without.Go = regexp.MustCompile(`(?m)^\s*// \+`+regexp.QuoteMeta(m.Name)+`([=:(].*)?\n`).ReplaceAllString(m.Go, "")
			cases = append(cases, exampleCase(fmt.Sprintf("example%d", len(cases)), &without))
		}
	}
	dir, listed := gentest.List(t, cases)
	for i, m := range examples {
		t.Run(m.Name, func(t *testing.T) {
			generate := func(c *gentest.Case) (shown, diagnostics string) {
				return generateExample(t, filepath.Join(dir, c.Name), gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}, m.Cut)
			}
			shown, diagnostics := generate(cases[2*i])
			if *update {
				m.YAML, m.Diagnostics = shown, diagnostics
			}
			if shown != m.YAML || diagnostics != m.Diagnostics {
				t.Errorf("the example of +%s gives\n%s%s\nbut the reference shows\n%s%s", m.Name, shown, diagnostics, m.YAML, m.Diagnostics)
			}
			if plain, said := generate(cases[2*i+1]); (plain == shown && said == diagnostics) != m.Silent {
				t.Errorf("without +%s the example gives\n%s\nand with it\n%s", m.Name, plain, shown)
			}
		})
	}
	if *update {
		writeReference(t, examples)
	}
}

// generateExample returns the part of the definition to show, and the diagnostics without
// positions.
func generateExample(t *testing.T, dir string, lister Lister, cut []string) (shown, diagnostics string) {
	t.Helper()
	files, findings, err := generateFiles(t.Context(), Options{Source: Source{Dir: dir, Lister: lister}, Output: Output{ToolVersion: "schemagen"}, Server: gentest.Server(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if err := findings.RelativeTo(dir).WriteText(&said); err != nil {
		t.Fatal(err)
	}
	diagnostics = regexp.MustCompile(`(?m)^\S+:\d+:\d+: `).ReplaceAllString(said.String(), "")
	// A marker without meaning does not change anything worth showing.
	if len(files) > 0 && !strings.Contains(diagnostics, string(report.TagWithoutMeaning.Code)) {
		shown = cutYAML(string(files[0].Data), cut)
	}
	return shown, diagnostics
}

// writeReference updates the output of the examples, which are in the order of the file.
func writeReference(t *testing.T, examples []*markers.Described) {
	archive, err := txtar.ParseFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	var out []txtar.File
	for _, section := range archive.Files {
		if section.Name == "yaml" || section.Name == "diagnostics" {
			continue
		}
		out = append(out, section)
		if section.Name != "go" {
			continue
		}
		if text := examples[0].YAML; text != "" {
			out = append(out, txtar.File{Name: "yaml", Data: []byte(text)})
		}
		if text := examples[0].Diagnostics; text != "" {
			out = append(out, txtar.File{Name: "diagnostics", Data: []byte(text)})
		}
		examples = examples[1:]
	}
	archive.Files = out
	if err := os.WriteFile(referenceFile, txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

// exampleCase completes an example to packages. It adds what is missing: the package clause
// and its markers, imports, a kind with the fields in its spec, and another version.
func exampleCase(name string, m *markers.Described) *gentest.Case {
	source := m.Go
	if parses("package p\ntype Spec struct {\n" + source + "}\n") {
		source = "type Spec struct {\n" + source + "}\n"
	}
	if !parses(source) && !strings.HasPrefix(source, "package ") {
		source = "package v1\n\n" + source
	}
	above, rest, _ := strings.Cut("\n"+source, "\npackage ")
	if above != "" && !strings.HasSuffix(above, "\n") {
		above += "\n"
	}
	pkg, body, _ := strings.Cut(rest, "\n")
	for _, marker := range append(m.Package, "+groupName=example.com") {
		if !strings.Contains(above, strings.SplitAfter(marker, "=")[0]) {
			above += "// " + marker + "\n"
		}
	}
	if !strings.Contains(body, "\nimport ") {
		body = exampleImports + body
	}
	archive := &txtar.Archive{Files: []txtar.File{{Name: pkg + "/types.go", Data: []byte(strings.TrimLeft(above, "\n") + "\npackage " + pkg + "\n" + body)}}}
	if !strings.Contains(body, "type Widget ") {
		kind := "package " + pkg + "\n" + exampleImports + exampleKind
		if strings.Contains(body, "type Spec ") {
			kind += "\tSpec Spec `json:\"spec\"`\n"
		}
		archive.Files = append(archive.Files, txtar.File{Name: pkg + "/kind.go", Data: []byte(kind + "}\n")})
	}
	if m.Version != "" {
		marker := "\n// +kubebuilder:storageversion"
		if strings.Contains(body, marker) {
			marker = ""
		}
		other := "// +groupName=example.com\npackage " + m.Version + "\n" + exampleImports + marker + exampleKind + "}\n"
		archive.Files = append(archive.Files, txtar.File{Name: m.Version + "/types.go", Data: []byte(other)})
	}
	return &gentest.Case{Name: name, Archive: archive}
}

func parses(source string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	return err == nil
}

// specPath is the path of the schema of the spec.
const specPath = "spec.versions[0].schema.openAPIV3Schema.properties.spec"

// cutYAML returns the parts of a definition at the given paths, unindented. If there are
// several paths, their values are below their parent, unless that is the spec. A path that
// starts with a dot is relative to the schema of the spec; one that ends with * selects the
// values without the key. Without paths, it returns the properties of the spec.
func cutYAML(text string, paths []string) string {
	if len(paths) == 0 {
		paths = []string{".properties.*"}
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return err.Error()
	}
	lines := strings.SplitAfter(text, "\n")
	var out strings.Builder
	heading := ""
	for _, path := range paths {
		if rest, ok := strings.CutPrefix(path, "."); ok {
			path = strings.TrimSuffix(specPath+"."+cmp.Or(rest, "*"), ".")
		}
		node, key := document.Content[0], document.Content[0]
		for step := range strings.SplitSeq(path, ".") {
			if step == "*" {
				key = node
				break
			}
			name, index, isList := strings.Cut(strings.TrimSuffix(step, "]"), "[")
			at := slices.IndexFunc(node.Content, func(n *yaml.Node) bool { return n.Value == name })
			if at < 0 {
				return fmt.Sprintf("there is no %s of %s in\n%s", step, path, text)
			}
			key, node = node.Content[at], node.Content[at+1]
			if isList {
				n, err := strconv.Atoi(index)
				if err != nil || n >= len(node.Content) {
					return fmt.Sprintf("there is no %s of %s in\n%s", step, path, text)
				}
				node = node.Content[n]
			}
		}
		if parent := path[:max(0, strings.LastIndexByte(path, '.'))]; len(paths) > 1 && parent != heading && !strings.HasPrefix(path, specPath) {
			heading = parent
			out.WriteString("# " + heading + "\n")
		}
		indent := key.Column - 1
		for i, line := range lines[key.Line-1:] {
			blanks := len(line) - len(strings.TrimLeft(line, " "))
			// A list may have the same indentation as its key.
			if i > 0 && (blanks < indent || blanks == indent && key != node && !strings.HasPrefix(line[blanks:], "- ")) {
				break
			}
			out.WriteString(line[min(indent, len(line)):])
		}
	}
	return out.String()
}
