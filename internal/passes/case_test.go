package passes_test

import (
	"bytes"
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// A case is one txtar file of testdata/crd with Go packages and the expected output.
// Its comment may have these lines:
//
//	options: maxDescLen=10,allowDangerousTypes=true   with the names of controller-gen
//	gates: A,B                                        gates that are on
//	verify: no                                        bytes that the API server rejects
//	peer: rejects                                     controller-gen fails with errors
//	peer: panics                                      controller-gen panics
//	peer: accepts: reason                             controller-gen writes what we reject
//	peer: differs: reason                             controller-gen's bytes differ
//
// Without a peer line, the files of controller-gen must equal ours. The files want/*.yaml
// and want/diagnostics are our expected output; -update rewrites them.

func readCases(t testing.TB) []*gentest.Case {
	t.Helper()
	return gentest.Read(t, "../../testdata/crd/*.txtar")
}

// wanted returns the expected output of a run, keyed by file name.
func wanted(files []define.File, diagnostics string) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		out[f.Name] = string(f.Data)
	}
	if diagnostics != "" {
		out["diagnostics"] = diagnostics
	}
	return out
}

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// parseOptions parses options with the names of controller-gen.
func parseOptions(t testing.TB, text string) (define.Options, crd.Generator) {
	t.Helper()
	options := define.Options{Passes: passes.All(), Output: define.Output{ToolVersion: "schemagen-test"}, Server: gentest.Server(t, "")}
	def := markers.Must(markers.MakeDefinition("crd", markers.DescribesPackage, crd.Generator{}))
	marker := "+crd"
	if text != "" {
		marker += ":" + text
	}
	value, err := def.Parse(marker)
	if err != nil {
		t.Fatal(err)
	}
	g := value.(crd.Generator)
	is := func(b *bool) bool { return b != nil && *b }
	options.MaxDescription = g.MaxDescLen
	options.EmbeddedObjectMeta = is(g.GenerateEmbeddedObjectMeta)
	options.AllowDangerousTypes = is(g.AllowDangerousTypes)
	options.IgnoreUnexportedFields = is(g.IgnoreUnexportedFields)
	options.PreserveUnknownFields = g.DeprecatedV1beta1CompatibilityPreserveUnknownFields
	options.OmitToolVersion = is(g.OmitToolVersion)
	return options, g
}

func TestCases(t *testing.T) {
	cases := readCases(t)
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	// Make positions in dependencies independent of the machine.
	moduleRoots := strings.NewReplacer(gentest.GoVariable(t, "GOMODCACHE")+"/", "$GOMODCACHE/", gentest.GoVariable(t, "GOROOT")+"/", "$GOROOT/")
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			root := filepath.Join(dir, c.Name)
			options, peerOptions := parseOptions(t, c.Options)
			options.Dir = root
			options.SkipVerify = c.Unverified
			options.Gates = c.Gates
			options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
			files, findings, err := generateFiles(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := findings.RelativeTo(root).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			c.Compare(t, *update, wanted(files, moduleRoots.Replace(text.String())))
			theirs := peer.Run(c, peerOptions)
			for name, text := range theirs.Files {
				theirs.Files[name] = versionLine.ReplaceAllString(text, "${1}schemagen-test")
			}
			c.ComparePeer(t, wanted(files, ""), theirs)
		})
	}
}

var versionLine = regexp.MustCompile(`(?m)^(    controller-gen\.kubebuilder\.io/version: ).*$`)
