package gentest

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/typedmodule"
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

// LoadPeer loads the packages of cases written to dir by LayOut.
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

// peerGenerator is one of controller-gen's generators.
type peerGenerator interface {
	genall.Generator
	genall.NeedsTypeChecking
}

// Run generates the files of a case with controller-gen.
func (p *Peer) Run(c *Case, g peerGenerator) (result PeerResult) {
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
	err := g.Generate(&genall.GenerationContext{
		Collector:  collector,
		Roots:      roots,
		Checker:    &loader.TypeChecker{NodeFilters: []loader.NodeFilter{g.CheckFilter()}},
		OutputRule: capture(result.Files),
		InputRule:  genall.InputFromFileSystem,
	})
	if err != nil {
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

// capture is an output rule that collects the files in memory.
type capture map[string]string

func (c capture) Open(_ *loader.Package, name string) (io.WriteCloser, error) {
	return &captured{capture: c, name: name}, nil
}

type captured struct {
	bytes.Buffer
	capture capture
	name    string
}

func (c *captured) Close() error {
	c.capture[c.name] = c.String()
	return nil
}
