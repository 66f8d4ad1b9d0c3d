package gentest

import (
	"bytes"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// Peer runs controller-gen's own code, with the packages of all cases loaded once.
type Peer struct {
	roots []*loader.Package
	// listed is the number of errors of each package after loading.
	listed map[*packages.Package]int
}

// visit calls see for each package that is reachable from the roots.
func visit(roots []*loader.Package, see func(*packages.Package)) {
	raw := make([]*packages.Package, len(roots))
	for i, p := range roots {
		raw[i] = p.Package
	}
	packages.Visit(raw, nil, see)
}

// LoadPeer loads the packages of cases written to dir by WriteModule.
func LoadPeer(t testing.TB, dir string) *Peer {
	t.Helper()
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: dir}, typedmodule.Path+"/...")
	if err != nil {
		t.Fatal(err)
	}
	p := &Peer{roots: roots, listed: map[*packages.Package]int{}}
	visit(roots, func(listed *packages.Package) { p.listed[listed] = len(listed.Errors) })
	return p
}

// PeerResult is controller-gen's output for a case.
type PeerResult struct {
	Files  map[string]string
	Errors []string
	Panic  any
}

// Run generates the files of a case with controller-gen.
func (p *Peer) Run(c *Case, g genall.Generator) (result PeerResult) {
	result.Files = map[string]string{}
	defer func() { result.Panic = recover() }()
	var roots []*loader.Package
	for _, root := range p.roots {
		if strings.HasPrefix(root.PkgPath+"/", typedmodule.Path+"/"+c.Name+"/") {
			roots = append(roots, root)
		}
	}
	// Errors accumulate in packages that several cases import; those of earlier runs are
	// ignored.
	earlier := map[*packages.Package]int{}
	visit(roots, func(p *packages.Package) { earlier[p] = len(p.Errors) })
	collector := &markers.Collector{Registry: &markers.Registry{}}
	if err := g.RegisterMarkers(collector.Registry); err != nil {
		result.Errors = append(result.Errors, err.Error())
		return result
	}
	context := &genall.GenerationContext{
		Collector:  collector,
		Roots:      roots,
		OutputRule: capture{result.Files, typedmodule.Path + "/" + c.Name},
		InputRule:  genall.InputFromFileSystem,
	}
	if checks, ok := g.(genall.NeedsTypeChecking); ok {
		context.Checker = &loader.TypeChecker{NodeFilters: []loader.NodeFilter{checks.CheckFilter()}}
	}
	if err := g.Generate(context); err != nil {
		result.Errors = append(result.Errors, err.Error())
	}
	visit(roots, func(reached *packages.Package) {
		for _, e := range slices.Concat(reached.Errors[:p.listed[reached]], reached.Errors[earlier[reached]:]) {
			if e.Kind != packages.TypeError {
				result.Errors = append(result.Errors, e.Error())
			}
		}
	})
	return result
}

// ComparePeer compares our files, by name, with controller-gen's, and the result with the
// peer line of the case.
func (c *Case) ComparePeer(t testing.TB, files map[string]string, peer PeerResult) {
	t.Helper()
	want, reason, _ := strings.Cut(c.Peer, ": ")
	got := ""
	equal := len(files) == len(peer.Files)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		theirs, ok := peer.Files[name]
		if ok && theirs == files[name] {
			continue
		}
		equal = false
		if want == "" {
			t.Errorf("controller-gen's %s differs:\n%s", name, Difference(theirs, files[name]))
		}
	}
	switch {
	case peer.Panic != nil:
		got = "panics"
	case len(peer.Errors) > 0:
		got = "rejects"
	case equal:
	case len(files) == 0:
		got = "accepts"
	default:
		got = "differs"
	}
	if got != want {
		t.Errorf("peer: got %q, want %q\nerrors: %v\npanic: %v", got, want, peer.Errors, peer.Panic)
	}
	if (want == "accepts" || want == "differs") && reason == "" {
		t.Errorf("peer: %s: missing reason", want)
	}
}

// capture is an output rule that collects the files in memory. Names of files that belong to a
// package begin with its directory below root.
type capture struct {
	files map[string]string
	root  string
}

func (c capture) Open(p *loader.Package, name string) (io.WriteCloser, error) {
	if p != nil {
		name = path.Join(strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, c.root), "/"), name)
	}
	return &captured{capture: c, name: name}, nil
}

type captured struct {
	bytes.Buffer
	capture capture
	name    string
}

func (c *captured) Close() error {
	c.capture.files[c.name] = c.String()
	return nil
}
