package build

import (
	"bytes"
	"flag"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/generator/internal/gentest"
	"github.com/schemagen/schemagen/internal/typedmodule"
)

// A case is one txtar file of testdata/crd with Go packages and the expected output.
// Its comment may have these lines:
//
//	options: maxDescLen=10,allowDangerousTypes=true   with the names of controller-gen
//	verify: no                                        bytes that the API server refuses
//	peer: refuses                                     controller-gen fails with errors
//	peer: panics                                      controller-gen panics
//	peer: accepts: reason                             controller-gen writes what we refuse
//	peer: differs: reason                             controller-gen's bytes differ
//
// Without a peer line, the files of controller-gen must equal ours. The files want/*.yaml
// and want/diagnostics are our expected output; -update rewrites them.

func readCases(t testing.TB) []*gentest.Case {
	t.Helper()
	return gentest.Read(t, "../../../testdata/crd/*.txtar")
}

// wanted returns the expected output of a run, keyed by file name.
func wanted(files []File, diagnostics string) map[string]string {
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
func parseOptions(t testing.TB, text string) (Options, crd.Generator) {
	t.Helper()
	options := Options{Output: Output{ToolVersion: "schemagen-test"}, Server: gentest.Server(t, "")}
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
	places := strings.NewReplacer(gentest.GoVariable(t, "GOMODCACHE")+"/", "$GOMODCACHE/", gentest.GoVariable(t, "GOROOT")+"/", "$GOROOT/")
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			root := filepath.Join(dir, c.Name)
			options, peerOptions := parseOptions(t, c.Options)
			options.Dir = root
			options.SkipVerify = c.Unverified
			options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
			files, findings, err := generateFiles(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := findings.RelativeTo(root).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			c.Compare(t, *update, wanted(files, places.Replace(text.String())))
			comparePeer(c, t, files, peer.Run(c, peerOptions))
		})
	}
}

var versionLine = regexp.MustCompile(`(?m)^(    controller-gen\.kubebuilder\.io/version: ).*$`)

// comparePeer compares our files with controller-gen's, and the result with the peer line
// of the case.
func comparePeer(c *gentest.Case, t *testing.T, files []File, peer gentest.PeerResult) {
	t.Helper()
	verdict, reason, _ := strings.Cut(c.Peer, ": ")
	is := ""
	equal := len(files) == len(peer.Files)
	for _, f := range files {
		theirs, ok := peer.Files[f.Name]
		normal := versionLine.ReplaceAllString(theirs, "${1}schemagen-test")
		if !ok || normal != string(f.Data) {
			equal = false
			if verdict == "" {
				t.Errorf("controller-gen's %s is different:\n%s", f.Name, gentest.Difference(normal, string(f.Data)))
			}
		}
	}
	switch {
	case peer.Panic != nil:
		is = "panics"
	case len(peer.Errors) > 0:
		is = "refuses"
	case equal:
	case len(files) == 0:
		is = "accepts"
	default:
		is = "differs"
	}
	if is != verdict {
		t.Errorf("peer %q, but the case says %q\nerrors: %v\npanic: %v", is, verdict, peer.Errors, peer.Panic)
	}
	if (verdict == "accepts" || verdict == "differs") && reason == "" {
		t.Errorf("peer: %s wants a reason", verdict)
	}
}
