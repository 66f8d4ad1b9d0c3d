package passes_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/markers"
)

// referenceFile is the reference of markers; -update rewrites the output of its examples.
const referenceFile = "../markers/reference.txtar"

// TestReference generates the example of every marker, and checks the YAML and the
// diagnostics that the reference shows.
//
// Left out of make generate: go generate runs it first, because the file is embedded.
func TestReference(t *testing.T) {
	chapters, err := markers.New()
	if err != nil {
		t.Fatal(err)
	}
	var examples []*markers.MarkerDoc
	var cases []*gentest.Case
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			examples = append(examples, m)
			cases = append(cases, gentest.Example(fmt.Sprintf("example%d", len(cases)), m))
			without := *m
			without.Go = regexp.MustCompile(`(?m)^\s*// \+`+regexp.QuoteMeta(m.Name)+`([=:(].*)?\n`).ReplaceAllString(m.Go, "")
			cases = append(cases, gentest.Example(fmt.Sprintf("example%d", len(cases)), &without))
		}
	}
	dir, listed := gentest.List(t, cases)
	for i, m := range examples {
		t.Run(m.Name, func(t *testing.T) {
			generate := func(c *gentest.Case) (shown, diagnostics string, missing error) {
				return generateExample(t, filepath.Join(dir, c.Name), gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}, m.Cut)
			}
			shown, diagnostics, missing := generate(cases[2*i])
			if missing != nil {
				t.Fatal(missing)
			}
			visible := shown
			if m.Silent { // the YAML would be the same without the marker
				visible = ""
			}
			if *update {
				m.YAML, m.Diagnostics = visible, diagnostics
			}
			if visible != m.YAML || diagnostics != m.Diagnostics {
				t.Errorf("example of +%s: got\n%s%s\nwant\n%s%s", m.Name, visible, diagnostics, m.YAML, m.Diagnostics)
			}
			if plain, reported, _ := generate(cases[2*i+1]); (plain == shown && reported == diagnostics) != m.Silent {
				t.Errorf("example without +%s: got\n%s\nwith it\n%s", m.Name, plain, shown)
			}
		})
	}
	if *update {
		writeReference(t, examples)
	}
}

// generateExample returns the part of the definition to show, and the diagnostics without
// positions. missing is the error if the definition does not have that part.
func generateExample(t *testing.T, dir string, lister define.Lister, cut []string) (shown, diagnostics string, missing error) {
	t.Helper()
	files, findings, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Lister: lister}, Output: define.Output{ToolVersion: "schemagen"}, Server: gentest.Server(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	var reported bytes.Buffer
	if err := findings.RelativeTo(dir).WriteText(&reported); err != nil {
		t.Fatal(err)
	}
	diagnostics = regexp.MustCompile(`(?m)^\S+:\d+:\d+: `).ReplaceAllString(reported.String(), "")
	// A marker without meaning does not change anything worth showing.
	if len(files) > 0 && !strings.Contains(diagnostics, string(report.TagWithoutMeaning.Code)) {
		shown, missing = cutYAML(string(files[0].Data), cut)
	}
	return shown, diagnostics, missing
}

// writeReference updates the output of the examples, which are in the order of the file.
func writeReference(t *testing.T, examples []*markers.MarkerDoc) {
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

// specPath is the path of the schema of the spec.
const specPath = "spec.versions[0].schema.openAPIV3Schema.properties.spec"

// cutYAML returns the parts of a definition at the given paths, unindented. If there are
// several paths, their values are below their parent, unless that is the spec. A path that
// starts with a dot is relative to the schema of the spec; one that ends with * selects the
// values without the key. Without paths, it returns the properties of the spec.
func cutYAML(text string, paths []string) (string, error) {
	if len(paths) == 0 {
		paths = []string{".properties.*"}
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return "", err
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
				return "", fmt.Errorf("there is no %s of %s in\n%s", step, path, text)
			}
			key, node = node.Content[at], node.Content[at+1]
			if isList {
				n, err := strconv.Atoi(index)
				if err != nil || n >= len(node.Content) {
					return "", fmt.Errorf("there is no %s of %s in\n%s", step, path, text)
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
	return out.String(), nil
}
