package containmenttest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/structural"
)

// head begins the Go source of a package with a kind, whose spec follows.
const head = `// +groupName=%s.example.com
// +schemagen:enable=enum
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec Spec ` + "`json:\"spec\"`" + `
}

`

// Pair are two channels: one without gates, and one with gate X.
type Pair struct {
	Narrow, Wide containment.Channel
	Changes      []containment.Change
}

// Generate generates both channels for packages, by name, each with a kind of the group
// NAME.example.com, whose sources it writes to an empty directory.
func Generate(ctx context.Context, dir string, specs map[string]string) (*Pair, error) {
	if err := typedmodule.Requirements(dir); err != nil {
		return nil, err
	}
	for name, spec := range specs {
		path := filepath.Join(dir, name, "v1")
		if err := os.MkdirAll(path, 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(path, "types.go"), []byte(fmt.Sprintf(head, name)+spec), 0o666); err != nil {
			return nil, err
		}
	}
	options := define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"./..."}}}
	made, findings, err := define.MakeChannels(ctx, options, []define.Channel{{Name: "standard"}, {Name: "experimental", Gates: []string{"X"}}}, nil)
	if err != nil {
		return nil, err
	}
	if findings.HasErrors() {
		return nil, fmt.Errorf("%v", findings)
	}
	p := &Pair{Narrow: containment.Channel{Name: "standard"}, Wide: containment.Channel{Name: "experimental", Gates: gates.Set{"X"}}}
	for i, c := range []*containment.Channel{&p.Narrow, &p.Wide} {
		for _, m := range made[i].CRDs {
			c.Definitions = append(c.Definitions, m.Described())
		}
	}
	target, err := apiserver.NewTarget("")
	if err != nil {
		return nil, err
	}
	p.Changes, err = containment.Compare(ctx, target, inputs.New(), &p.Narrow, &p.Wide)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// IsContained reports whether the wide channel is said to contain the kind of a package.
func (p *Pair) IsContained(name string) bool {
	for _, c := range p.Changes {
		if c.Definition == DefinitionOf(&p.Narrow, name).CRD.Name && c.Category != compare.Safe {
			return false
		}
	}
	return true
}

// IsAccepted reports whether a server accepts both definitions of a package: rules may be wrong.
func (p *Pair) IsAccepted(ctx context.Context, target *apiserver.Target, name string) (bool, error) {
	for _, c := range []*containment.Channel{&p.Narrow, &p.Wide} {
		findings, err := target.ValidateCreate(ctx, DefinitionOf(c, name).Build())
		if err != nil || slices.ContainsFunc(findings, func(f apiserver.Finding) bool { return !f.Warning }) {
			return false, err
		}
	}
	return true, nil
}

// DefinitionOf returns the definition of a package in a channel.
func DefinitionOf(c *containment.Channel, name string) *crd.Definition {
	for _, d := range c.Definitions {
		if strings.HasPrefix(d.CRD.Spec.Group, name+".") {
			return d
		}
	}
	return nil
}

// Widget returns an object of the kind of a package.
func Widget(name string, spec any) map[string]any {
	return map[string]any{"apiVersion": name + ".example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": spec}
}

// Disagreement returns what the wide channel does otherwise with an object: it refuses it, or
// stores something else, apart from fields that the narrow channel lacks.
func Disagreement(old, current map[string]any, refused string, narrow *structural.Schema) string {
	if refused != "" {
		return "refused: " + refused
	}
	known := runtime.DeepCopyJSON(current)
	structural.Prune(narrow, known, true)
	if !reflect.DeepEqual(known, old) {
		return fmt.Sprintf("stored as %v, not as %v", current, old)
	}
	return ""
}
