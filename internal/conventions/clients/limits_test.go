package clients_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conventions/clients"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestLimits counts what the server is asked about structs of growing size, and the structs that are too
// large. The last field of the largest struct that is checked is found, too.
func TestLimits(t *testing.T) {
	fields := func(n int) string {
		var out strings.Builder
		for i := range n - 1 {
			fmt.Fprintf(&out, "\t// +optional\n\tField%d *string `json:\"field%[1]d,omitempty\"`\n", i)
		}
		return "type WidgetSpec struct {\n" + out.String() + "\tLast int32 `json:\"last\"`\n}\n"
	}
	depth := func(n int) string {
		out := "type WidgetSpec struct {\n\tNext Level2 `json:\"next\"`\n}\n"
		for i := 2; i < n; i++ {
			out += fmt.Sprintf("\ntype Level%d struct {\n\tNext Level%d `json:\"next\"`\n}\n", i, i+1)
		}
		return out + fmt.Sprintf("\ntype Level%d struct {\n\tLast int32 `json:\"last\"`\n}\n", n)
	}
	enum := func(n int) string {
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf("value%d", i))
		}
		return "type WidgetSpec struct {\n\t// +kubebuilder:validation:Enum=" + strings.Join(values, ";") + "\n\tColor string `json:\"color\"`\n\tLast int32 `json:\"last\"`\n}\n"
	}
	for _, test := range []struct {
		name     string
		source   string
		requests int
		want     []string
	}{
		{"10 fields", fields(10), 11, []string{"SG274 field last"}},
		{"1,000 fields", fields(1000), 1001, []string{"SG274 field last"}},
		{"1,001 fields", fields(1001), 1, []string{"SG108 WidgetSpec is not checked for values that Go clients cannot send: it has 1001 fields, of at most 1000"}},
		{"64 deep", depth(64), 65, []string{"SG274 field last"}},
		{"65 deep", depth(65), 65, []string{"SG108 Level65 is not checked for values that Go clients cannot send: it is nested 65 deep, of at most 64"}},
		{"10 values", enum(10), 3, []string{"SG274 field last"}},
		{"1,000 values", enum(1000), 3, []string{"SG274 field last"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := typedmodule.Requirements(dir); err != nil {
				t.Fatal(err)
			}
			source := "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:object:root=true\ntype Widget struct {\n" +
				"\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec WidgetSpec `json:\"spec\"`\n}\n\n" + test.source
			if err := os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			options := define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"."}}}
			definitions, run, err := define.DefineKinds(t.Context(), options)
			if err != nil || len(definitions) != 1 || run.Reporter.List != nil {
				t.Fatal(len(definitions), err, run.Reporter.List)
			}
			requests := 0
			c := &clients.Checker{
				Reporter: run.Reporter, Codes: []diag.Code{"SG274"},
				Handler: func(*checks.Definition, int) (crd.Handle, error) {
					return func(_ context.Context, r crd.Request) (crd.Answer, error) {
						requests++
						return crd.Answer{Object: r.Object}, nil
					}, nil
				},
			}
			if err := c.Check(t.Context(), definitions); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range run.Reporter.List {
				message, _, _ := strings.Cut(d.Message, ": the API server stores")
				got = append(got, string(d.Code)+" "+message)
			}
			if !slices.Equal(got, test.want) || requests != test.requests {
				t.Errorf("got %q after %d requests, want %q after %d", got, requests, test.want, test.requests)
			}
		})
	}
}
