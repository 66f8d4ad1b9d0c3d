package generate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
)

// counting is a server that counts the definitions it examines, by name.
type counting struct {
	define.Server
	mu       sync.Mutex
	examined map[string]int
}

func (c *counting) Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error) {
	for _, d := range definitions {
		known := d.Provenance()
		build := known.BuildWith
		count := func(schemas []*structural.Schema) *apiextensionsv1.CustomResourceDefinition {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.examined[known.Header.Spec.Names.Kind]++
			return build(schemas)
		}
		known.BuildWith = count
		d.Build = func() *apiextensionsv1.CustomResourceDefinition { return count(d.Schemas) }
	}
	return c.Server.Check(ctx, definitions)
}

// kept is a cache of results in memory.
type kept struct{ sync.Map }

func (k *kept) Load(key string) ([]byte, bool) {
	data, ok := k.Map.Load(key)
	if !ok {
		return nil, false
	}
	return data.([]byte), true
}

func (k *kept) Store(key string, data []byte) { k.Map.Store(key, data) }

// TestSessionKeepsResults checks what the runs of an editor verify: nothing that they have verified
// before, also while there is a mistake in another file and while descriptions are typed.
func TestSessionKeepsResults(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	// Small definitions share their results.
	long := "\t// " + strings.Repeat("A long description. ", 300) + "\n\tLong string `json:\"long,omitempty\"`\n"
	file := func(kind, fields string) []byte {
		return []byte("// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
			"type " + kind + " struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n" + long + fields + "}\n")
	}
	const name = "\t// The name.\n\t// +kubebuilder:validation:Pattern=\"(?i)x\"\n\tName string `json:\"name\"`\n"
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	results := &kept{}
	var s Session
	for _, step := range []struct {
		name, a, b string
		// findings are the codes, and examined the kinds that the server looks at.
		findings, examined string
	}{
		{"both", name, "", "SG607", "A B"},
		{"again", name, "", "SG607", ""},
		{"a mistake", name, "\tX Nowhere `json:\"x\"`\n", "SG201 SG607", "B"},
		{"another mistake", name, "\tX Nowhere2 `json:\"x\"`\n", "SG201 SG607", ""},
		{"a mistake and a description", strings.Replace(name, "The name", "The other name", 1), "\tX Nowhere `json:\"x\"`\n", "SG201 SG607", ""},
		{"a mistake and a misspelled marker", name, "\t// +kubebuilder:validation:MinLenght=1\n\tX Nowhere `json:\"x\"`\n", "SG201 SG303 SG607", ""},
		{"a description", strings.Replace(name, "The name", "The last name", 1), "", "SG607", ""},
		{"no description", strings.Replace(name, "\t// The name.\n", "", 1), "", "SG607", "A"},
		{"a rejected default", strings.Replace(name, "\tName", "\t// +kubebuilder:default=1\n\tName", 1), "", "SG601 SG607", "A"},
		{"a rejected default with another description", strings.Replace(name, "The name.\n\t", "The name of it.\n\t// +kubebuilder:default=1\n\t", 1), "", "SG601 SG607", "A"},
		{"a rejected default as before", strings.Replace(name, "\tName", "\t// +kubebuilder:default=1\n\tName", 1), "", "SG601 SG607", ""},
	} {
		server := &counting{Server: verify.New(target, verify.Options{Generating: true, Cache: results}), examined: map[string]int{}}
		in := inputs.Overlaid(map[string][]byte{filepath.Join(dir, "v1", "a.go"): file("A", step.a), filepath.Join(dir, "v1", "b.go"): file("B", step.b)}, nil)
		request := Request{Options: define.Options{Source: define.Source{Dir: dir, Patterns: []string{"./v1"}}}}
		found, err := s.Findings(t.Context(), request, server, in, func(diag.List) {})
		if err != nil {
			t.Fatal(err)
		}
		var codes, examined []string
		for _, d := range found {
			codes = append(codes, string(d.Code))
		}
		for kind := range server.examined {
			examined = append(examined, kind)
		}
		slices.Sort(codes)
		slices.Sort(examined)
		if got := strings.Join(slices.Compact(codes), " "); got != step.findings {
			t.Errorf("%s: got %v", step.name, found)
		}
		if got := strings.Join(examined, " "); got != step.examined {
			t.Errorf("%s: the server examined %q, want %q", step.name, got, step.examined)
		}
	}
}
