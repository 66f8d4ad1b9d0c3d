package passes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
)

// countedContext is canceled at the given call of Err, or never if limit is zero.
type countedContext struct {
	context.Context
	calls, limit atomic.Int64
	done         chan struct{}
}

func (c *countedContext) Done() <-chan struct{} { return c.done }

func (c *countedContext) Err() error {
	n, limit := c.calls.Add(1), c.limit.Load()
	if limit == 0 || n < limit {
		return nil
	}
	if n == limit {
		close(c.done)
	}
	return context.Canceled
}

// TestStops cancels a run at each of its checks for cancellation. There must be at least
// one check for each field, and only a few after the cancellation.
func TestStops(t *testing.T) {
	const fields = 300
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString("// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
		"type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tParts []Part `json:\"parts\"`\n\tOther Part `json:\"other\"`\n}\n\n" +
		"type Part struct {\n\t// +kubebuilder:validation:XValidation:rule=\"self.a > 1\"\n\tMore map[string]Inner `json:\"more\"`\n\tInner `json:\",inline\"`\n}\n\ntype Inner struct {\n")
	for i := range fields {
		fmt.Fprintf(&text, "\t// F%d is a field.\n\tF%d *string `json:\"f%d,omitempty\"`\n", i, i, i)
	}
	text.WriteString("}\n")
	for name, text := range map[string]string{
		"go.mod":                         "module example.com/m\n\ngo 1.26\n\nrequire k8s.io/apimachinery v0.0.0\n\nreplace k8s.io/apimachinery => ./meta\n",
		"meta/go.mod":                    "module k8s.io/apimachinery\n\ngo 1.26\n",
		"meta/pkg/apis/meta/v1/types.go": "package v1\n\ntype TypeMeta struct{}\ntype ObjectMeta struct{}\n",
		"api/types.go":                   text.String(),
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	generate := func(limit int64) (int64, error) {
		ctx := &countedContext{Context: t.Context(), done: make(chan struct{})}
		ctx.limit.Store(limit)
		files, _, err := generateFiles(ctx, define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"./api"}}, SkipVerify: true})
		if limit > 0 && len(files) > 0 {
			t.Errorf("canceled at check %d: got files", limit)
		}
		return ctx.calls.Load(), err
	}
	all, err := generate(0)
	if err != nil {
		t.Fatal(err)
	}
	if all < 4*fields {
		t.Errorf("a run over %d fields checked for cancellation %d times, want at least four times a field", fields, all)
	}
	for limit := int64(1); limit <= all; limit += 1 + all/400 {
		calls, err := generate(limit)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("canceled at check %d of %d: got error %v", limit, all, err)
		}
		if calls-limit > 50 {
			t.Errorf("canceled at check %d: got %d more checks, want at most 50", limit, calls-limit)
		}
	}
}
