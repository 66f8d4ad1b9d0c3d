package generate_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestJoined generates random kinds in three channels, each into a directory of its own and with
// definitions that are the same in all channels joined. Both have to have the same definitions.
func TestJoined(t *testing.T) {
	const seeds, kinds = 12, 10
	some := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 22))
		dir := t.TempDir()
		if err := typedmodule.Requirements(dir); err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		source.WriteString("// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n")
		for i := range kinds {
			fmt.Fprintf(&source, "\n// K%d is a kind.\n", i)
			for range r.IntN(3) {
				gate := []string{"A", "B", "A || B", "A && B", "!A && A || B"}[r.IntN(5)]
				fmt.Fprintf(&source, "// +schemagen:when(%s)=+kubebuilder:%s\n", gate,
					[]string{"resource:shortName=k", "metadata:annotations=a=b", "printcolumn:name=x,type=string,JSONPath=.x", "subresource:status"}[r.IntN(4)])
			}
			if r.IntN(8) == 0 {
				source.WriteString("//\n// +schemagen:when(A)\n")
			}
			fmt.Fprintf(&source, "type K%d struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n", i)
			if r.IntN(2) == 0 {
				source.WriteString("\t// +schemagen:when(B)\n\tF int32 `json:\"f,omitempty\"`\n")
			}
			source.WriteString("\tX string `json:\"x,omitempty\"`\n}\n")
		}
		if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(source.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		names, gates := []string{"none", "some", "all"}, [][]string{nil, {"A"}, {"A", "B"}}
		// generate returns the files of a layout, by their paths.
		generate := func(joined string, isPlain bool) map[string][]byte {
			t.Helper()
			request := generate.Request{Options: define.Options{Source: define.Source{Dir: dir, Patterns: []string{"."}}}, Destination: "crds"}
			request.Shared.Directory = joined
			for i, name := range names {
				c := generate.Channel{Destination: filepath.Join("crds", name)}
				c.Name, c.Gates, c.OutputDir = name, gates[i], c.Destination
				if !isPlain {
					c.Annotations, c.Labels = map[string]string{"example.com/channel": name, "a": "b"}, map[string]string{"channel": name}
				}
				request.Channels = append(request.Channels, c)
			}
			result, err := generate.Run(t.Context(), request, nil, inputs.New(), false)
			if err != nil {
				t.Fatal(err)
			}
			if result.Findings.HasErrors() {
				t.Fatalf("seed %d: %v\n%s", seed, result.Findings, &source)
			}
			out := map[string][]byte{}
			for _, f := range result.Outputs {
				if out[filepath.ToSlash(f.Path)] != nil {
					t.Errorf("seed %d: %s is written twice", seed, f.Path)
				}
				out[filepath.ToSlash(f.Path)] = f.Data
			}
			return out
		}
		apart, plain, joined := generate("", false), generate("", true), generate("crds", false)
		if again := generate("crds", false); !maps.EqualFunc(joined, again, bytes.Equal) {
			t.Errorf("seed %d: two runs differ", seed)
		}
		want := map[string][]byte{}
		for path, data := range apart {
			name := filepath.Base(path)
			first := plain["crds/none/"+name]
			if first != nil && !slices.ContainsFunc(names, func(channel string) bool { return !bytes.Equal(plain["crds/"+channel+"/"+name], first) }) {
				path, data = "crds/"+name, first
				some++
			}
			want[path] = data
		}
		if !maps.EqualFunc(joined, want, bytes.Equal) {
			t.Errorf("seed %d: got %q, want %q\n%s", seed, slices.Sorted(maps.Keys(joined)), slices.Sorted(maps.Keys(want)), &source)
		}
	}
	if some < 3*seeds {
		t.Errorf("only %d definitions are joined", some/3)
	}
}
