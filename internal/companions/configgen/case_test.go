package configgen_test

import (
	"bytes"
	"flag"
	"maps"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-tools/pkg/markers"
	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"
	ctwebhook "sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/rbac"
	"github.com/schemagen/schemagen/internal/companions/webhook"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// generators are the generators of configuration with their options.
type generators struct {
	rbac    ctrbac.Generator
	webhook ctwebhook.Generator
	// skipVerify leaves out what only the API server rejects.
	skipVerify bool
}

// parseOptions parses the options of a case: those of rbac, as on controller-gen's command
// line. webhook has the same header file.
func parseOptions(t testing.TB, c *gentest.Case, root string) generators {
	t.Helper()
	text := "+rbac:roleName=manager-role"
	if c.Options != "" {
		text += "," + c.Options
	}
	value, err := markers.Must(markers.MakeDefinition("rbac", markers.DescribesPackage, ctrbac.Generator{})).Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g := value.(ctrbac.Generator)
	if g.HeaderFile != "" {
		g.HeaderFile = filepath.Join(root, g.HeaderFile)
	}
	return generators{rbac: g, webhook: ctwebhook.Generator{HeaderFile: g.HeaderFile, Year: g.Year}}
}

// run generates the files of both generators for listed packages.
func (g generators) run(t testing.TB, dir string, lister golist.Lister) (map[string]string, diag.List) {
	t.Helper()
	loaded, err := define.Load(t.Context(), define.Options{Source: define.Source{Dir: dir, Patterns: []string{"./..."}, Lister: lister}})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var all diag.List
	add := func(files []source.Output, findings diag.List, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			out[f.Name] = string(f.Data)
		}
		all = append(all, findings...)
	}
	program, roots, reporter := loaded.Program()
	add(rbac.Generate(t.Context(), program, roots, rbac.Options{Generator: g.rbac, SkipVerify: g.skipVerify}))
	all = append(all, reporter.List...)
	program, roots, reporter = loaded.Program()
	add(webhook.Generate(t.Context(), program, roots, webhook.Options{Generator: g.webhook, SkipVerify: g.skipVerify, Server: gentest.Server(t, "")}))
	all = append(all, reporter.List...)
	return out, all.Normalize()
}

// peer generates the files of both generators with controller-gen's own code.
func (g generators) peer(c *gentest.Case, p *gentest.Peer) gentest.PeerResult {
	result := p.Run(c, g.rbac)
	second := p.Run(c, g.webhook)
	maps.Copy(result.Files, second.Files)
	result.Errors = append(result.Errors, second.Errors...)
	return result
}

// TestCases runs both generators on the cases in testdata/config. A case is like those of
// testdata/crd; want/ has the files of both generators.
func TestCases(t *testing.T) {
	cases := gentest.Read(t, "../../../testdata/config/*.txtar")
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			root := filepath.Join(dir, c.Name)
			g := parseOptions(t, c, root)
			files, findings := g.run(t, root, gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name})
			var text bytes.Buffer
			if err := findings.RelativeTo(root).WriteText(&text); err != nil {
				t.Fatal(err)
			}
			want := maps.Clone(files)
			if text.Len() > 0 {
				want["diagnostics"] = text.String()
			}
			c.Compare(t, *update, want)
			c.ComparePeer(t, files, g.peer(c, peer))
		})
	}
}
