package deepcopy_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	ctdeepcopy "sigs.k8s.io/controller-tools/pkg/deepcopy"
	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/deepcopy"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// A case is one txtar file of testdata/deepcopy with Go packages and the expected output.
// Its comment may have these lines:
//
//	options: headerFile=header.txt,year=2026   arguments of object; the file is in the case
//	peer: refuses                              controller-gen fails with errors
//	peer: panics                               controller-gen panics
//	peer: accepts: reason                      controller-gen writes what we refuse
//	peer: differs: reason                      controller-gen's bytes differ
//
// Without a peer line, the files of controller-gen must equal ours. The files
// want/…/zz_generated.deepcopy.go, want/diagnostics and want/unsure are our expected output;
// -update rewrites them.

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestCases compares the methods that are generated for the cases with those recorded and with
// controller-gen's.
//
// Left out of make generate: it compiles the methods of all cases.
func TestCases(t *testing.T) {
	cases := gentest.Read(t, "../../../testdata/deepcopy/*.txtar")
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	ours, theirs := map[string]string{}, map[string]string{}
	counts := map[string]int{}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			root := filepath.Join(dir, c.Name)
			g := arguments(t, c.Options, root)
			packages, err := gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}.List(t.Context(), root, nil)
			if err != nil {
				t.Fatal(err)
			}
			options := deepcopy.Options{HeaderFile: g.HeaderFile, Year: g.Year}
			reasons(t, packages, options, counts)
			files, findings, err := generate(t, packages, options)
			got := map[string]string{}
			for _, f := range files {
				below, err := filepath.Rel(root, f.PackageDir)
				if err != nil {
					t.Fatal(err)
				}
				got[filepath.ToSlash(filepath.Join(below, f.Name))] = string(f.Data)
			}
			written := peer.Run(c, g)
			comparePeer(t, c, got, err, written)
			for name, text := range got {
				ours[path.Join(c.Name, path.Dir(name))] = text
			}
			for name, text := range written.Files {
				if written.Panic == nil && len(written.Errors) == 0 {
					theirs[path.Join(c.Name, path.Dir(name))] = text
				}
			}
			if err != nil {
				got["unsure"] = err.Error() + "\n"
			}
			var text bytes.Buffer
			if err := findings.RelativeTo(root).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if text.Len() > 0 {
				got["diagnostics"] = text.String()
			}
			for name, text := range got {
				got[name] = strings.ReplaceAll(text, dir+"/", "$DIR/")
			}
			c.Compare(t, *update, got)
		})
	}
	t.Log(counts)
	if counts["none"] < len(cases)/10 {
		t.Errorf("too few files without a reason to check them: %v", counts)
	}
	for below, message := range compileErrors(t, dir, ours) {
		t.Errorf("%s: our file does not compile: %s", below, message)
	}
	broken := map[string]string{}
	for below, message := range compileErrors(t, dir, theirs) {
		name, _, _ := strings.Cut(below, "/")
		broken[name] = message
	}
	for _, c := range cases {
		if strings.HasSuffix(c.Peer, doesNotCompile) != (broken[c.Name] != "") {
			t.Errorf("%s: peer: %q, errors of its file: %q", c.Name, c.Peer, broken[c.Name])
		}
	}
}

// doesNotCompile is the reason of the cases where controller-gen's file does not compile.
const doesNotCompile = "its file does not compile"

// arguments parses the arguments of object as controller-gen does.
func arguments(t *testing.T, text, root string) ctdeepcopy.Generator {
	t.Helper()
	def := ctmarkers.Must(ctmarkers.MakeDefinition("object", ctmarkers.DescribesPackage, ctdeepcopy.Generator{}))
	marker := "+object"
	if text != "" {
		marker += ":" + text
	}
	value, err := def.Parse(marker)
	if err != nil {
		t.Fatal(err)
	}
	g := value.(ctdeepcopy.Generator)
	if g.HeaderFile != "" {
		g.HeaderFile = filepath.Join(root, g.HeaderFile)
	}
	return g
}

// generate runs the generator on listed packages. Findings include those of the program. The
// error is a [*source.Unsure].
func generate(t *testing.T, listed []*golist.Package, options deepcopy.Options) ([]source.Output, diag.List, error) {
	t.Helper()
	p, reported, roots := program(t, listed)
	files, findings, err := deepcopy.Generate(t.Context(), p, roots, options)
	var unsure *source.Unsure
	if err != nil && !errors.As(err, &unsure) {
		t.Fatal(err)
	}
	return files, append(findings, reported.List...), err
}

// program returns a program with listed packages as its roots.
func program(t *testing.T, listed []*golist.Package) (*source.Program, *report.Reporter, []*source.Package) {
	t.Helper()
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	r := &report.Reporter{}
	p := source.New(source.Config{Files: source.NewFiles(nil, table), Problems: r, Markers: noMarkers{}})
	r.Fset = p.Fset
	var roots []*source.Package
	for _, l := range listed {
		roots = append(roots, p.AddRoot(l))
	}
	return p, r, roots
}

// noMarkers parses no markers: those of the schema do not matter here.
type noMarkers struct{}

func (noMarkers) ParseMarkers(*source.Package, []markers.Comment, markers.Target) (source.Markers, source.Malformed) {
	return nil, nil
}

func (noMarkers) Corrects(string) bool { return false }

// comparePeer compares our files with controller-gen's. If we are unsure, controller-gen's code
// runs, so that there is nothing to compare.
func comparePeer(t *testing.T, c *gentest.Case, files map[string]string, unsure error, peer gentest.PeerResult) {
	t.Helper()
	if unsure != nil {
		if c.Peer != "" {
			t.Errorf("peer: got %q for an unsure result, want none", c.Peer)
		}
		return
	}
	c.ComparePeer(t, files, peer)
	if (len(peer.Errors) > 0 || peer.Panic != nil) && len(files) > 0 {
		t.Error("we write files that controller-gen rejects")
	}
}

// TestContainsItself checks a type on which controller-gen overflows its stack, which would
// end the test.
func TestContainsItself(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/m\n\ngo 1.24\n",
		"types.go": "// +kubebuilder:object:generate=true\npackage m\n\ntype List []List\n\ntype A struct {\n\tL List\n\tM map[string]M\n\tN []*A\n}\n\ntype M map[string]*M\n\n// +kubebuilder:object:generate=false\ntype G[T any] []H[T]\n\n// +kubebuilder:object:generate=false\ntype H[T any] map[string]G[T]\n\ntype B struct{ G G[int] }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := golist.GoCommand{}.List(t.Context(), dir, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	files, findings, err := generate(t, listed, deepcopy.Options{})
	if err != nil || len(files) > 0 {
		t.Fatal(files, err)
	}
	var text bytes.Buffer
	if err := findings.RelativeTo(dir).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	const want = "types.go:4:6: List\ntypes.go:7:2: List\ntypes.go:8:2: M\ntypes.go:12:6: M\ntypes.go:20:16: G[int]\n"
	got := regexp.MustCompile(`(?m)^(\S+) error\[SG231\]: (\S+) contains itself without a struct in between\n\s+hint: .*$`).ReplaceAllString(text.String(), "$1 $2")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
