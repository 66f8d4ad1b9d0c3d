package containment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/internal/gates"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/typedmodule"
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

// pair are two channels: one without gates, and one with gate X.
type pair struct {
	narrow, wide Channel
	changes      []Change
}

// generate generates both channels for packages, by name, each with a kind of the group
// NAME.example.com.
func generate(t *testing.T, specs map[string]string) *pair {
	t.Helper()
	dir := t.TempDir()
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	for name, spec := range specs {
		path := filepath.Join(dir, name, "v1")
		if err := os.MkdirAll(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "types.go"), []byte(fmt.Sprintf(head, name)+spec), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	options := generator.Options{Source: generator.Source{Dir: dir, Patterns: []string{"./..."}}}
	made, findings, err := driver.MakeChannels(t.Context(), options, []driver.Channel{{Name: "standard"}, {Name: "experimental", Gates: []string{"X"}}})
	if err != nil {
		t.Fatal(err)
	}
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	p := &pair{narrow: Channel{Name: "standard"}, wide: Channel{Name: "experimental", Gates: gates.Set{"X"}}}
	for i, c := range []*Channel{&p.narrow, &p.wide} {
		for _, m := range made[i].Made {
			c.Definitions = append(c.Definitions, m.Described())
		}
	}
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	if p.changes, err = Compare(target, inputs.New(), &p.narrow, &p.wide); err != nil {
		t.Fatal(err)
	}
	return p
}

// kinds returns the API server's code for the kind of a package in both channels.
func (p *pair) kinds(t *testing.T, name string) (narrow, wide *apiserver.Kind) {
	t.Helper()
	of := func(c *Channel) *apiserver.Kind {
		kind, err := apiserver.NewKind(definitionOf(c, name).Build(), "v1")
		if err != nil {
			t.Fatal(err)
		}
		return kind
	}
	return of(&p.narrow), of(&p.wide)
}

func definitionOf(c *Channel, name string) *crd.Definition {
	for _, d := range c.Definitions {
		if strings.HasPrefix(d.CRD.Spec.Group, name+".") {
			return d
		}
	}
	return nil
}

// widget returns an object of the kind of a package.
func widget(name string, spec any) map[string]any {
	return map[string]any{"apiVersion": name + ".example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": spec}
}

// create returns what a server stores, or its answer if it refuses the object.
func create(ctx context.Context, t *testing.T, kind *apiserver.Kind, object map[string]any) (stored map[string]any, refused string) {
	t.Helper()
	answer, err := kind.Create(ctx, object)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Errors) > 0 {
		return nil, answer.Errors.ToAggregate().Error()
	}
	return answer.Object, ""
}
