package convertrun

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// module has a kind in three versions, converted by methods and by functions.
const module = `-- go.mod --
module example.com/m

go 1.24
-- v1/types.go --
package v1

type Widget struct {
	APIVersion string ` + "`json:\"apiVersion\"`" + `
	Kind       string ` + "`json:\"kind\"`" + `
	Size       int    ` + "`json:\"size\"`" + `

	Status Status  ` + "`json:\"status,omitzero\"`" + `
	Past   *Status ` + "`json:\"past,omitempty\"`" + `
}

type Status struct {
	Last  Last  ` + "`json:\"last,omitzero\"`" + `
	Count int   ` + "`json:\"count,omitempty\"`" + `
}

type Last struct {
	Times []int ` + "`json:\"times,omitempty\"`" + `
}

func (*Widget) Hub() {}
-- v1beta1/types.go --
package v1beta1

import (
	"errors"
	"fmt"
	"time"

	v1 "example.com/m/v1"
)

type Widget struct {
	Length int         ` + "`json:\"length\"`" + `
	Times  []time.Time ` + "`json:\"times,omitempty\"`" + `
}

func init() { fmt.Println("printed by a package") }

func (w *Widget) ConvertTo(hub interface{ Hub() }) error {
	if w.Length == 13 {
		return errors.New("no 13")
	}
	if w.Length == 14 {
		panic("14")
	}
	hub.(*v1.Widget).Size = w.Length
	return nil
}

func (w *Widget) ConvertFrom(hub interface{ Hub() }) error {
	w.Length = hub.(*v1.Widget).Size
	return nil
}
-- v1alpha1/types.go --
package v1alpha1

import (
	"context"

	v1 "example.com/m/v1"
)

type Widget struct {
	Width int ` + "`json:\"width\"`" + `
}

func ConvertWidgetToHub(_ context.Context, from *Widget, to *v1.Widget) error {
	to.Size = from.Width
	return nil
}

func ConvertWidgetFromHub(_ context.Context, from *v1.Widget, to *Widget) error {
	to.Width = from.Size
	return nil
}
-- uncopied/types.go --
package uncopied

type Widget struct{}

type object interface{ DeepCopyObject() object }

var _ object = &Widget{}
-- broken/types.go --
package broken

type Widget struct{}
`

func TestConvert(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, must(txtar.FS(txtar.Parse([]byte(module))))); err != nil {
		t.Fatal(err)
	}
	kind := written.Kind{Dir: filepath.Join(dir, "v1"), Group: "example.com", Name: "Widget", Hub: written.Version{Name: "v1", Package: "example.com/m/v1", Type: "Widget"}, Spokes: []written.Spoke{
		{Version: written.Version{Name: "v1beta1", Package: "example.com/m/v1beta1", Type: "Widget"}},
		{Version: written.Version{Name: "v1alpha1", Package: "example.com/m/v1alpha1", Type: "Widget"}, Up: "ConvertWidgetToHub", Down: "ConvertWidgetFromHub"},
	}}
	c, err := Build(t.Context(), Code{Dir: dir, Consent: &consent.Consent{Given: true}}, []written.Kind{kind})
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, "v1")); len(entries) != 1 {
		t.Errorf("the directory has %d files", len(entries))
	}
	var requests []Request
	var wants []string
	for _, row := range []struct{ from, to, object, want string }{
		{"v1beta1", "v1", `{"length": 3}`, `{"apiVersion":"example.com/v1","kind":"Widget","size":3}`},
		{"v1", "v1beta1", `{"apiVersion": "example.com/v1", "size": 3}`, `{"apiVersion":"example.com/v1beta1","kind":"Widget","length":3}`},
		{"v1beta1", "v1alpha1", `{"length": 3}`, `{"apiVersion":"example.com/v1alpha1","kind":"Widget","width":3}`},
		{"v1alpha1", "v1beta1", `{"width": 3}`, `{"apiVersion":"example.com/v1beta1","kind":"Widget","length":3}`},
		{"v1beta1", "v1beta1", `{"length": 13}`, `{"apiVersion":"example.com/v1beta1","kind":"Widget","length":13}`},
		{"v1", "v1", `{"size": 1}`, `{"apiVersion":"example.com/v1","kind":"Widget","size":1}`},
		{"v1", "v1", `{"size": 1, "status": {"last": {"times": []}}}`, `{"apiVersion":"example.com/v1","kind":"Widget","size":1,"status":{"last":{}}}`},
		{"v1beta1", "v1", `{"length": 13}`, "no 13"},
		{"v1beta1", "v1", `{"length": 14}`, "the conversion panics: 14"},
		{"v1beta1", "v1", `{"length": "long"}`, "json: cannot unmarshal string into Go struct field Widget.length of type int"},
	} {
		requests = append(requests, Request{Group: "example.com", Kind: "Widget", From: row.from, To: row.to, Object: json.RawMessage(row.object)})
		wants = append(wants, row.want)
	}
	answers, err := c.Convert(t.Context(), requests)
	if err != nil {
		t.Fatal(err)
	}
	for object, want := range map[string]string{
		`{"size": 1, "status": {"last": {"times": []}}}`:             `{"apiVersion":"example.com/v1","kind":"Widget","size":1}`,
		`{"size": 1, "status": {"last": {"times": []}, "count": 3}}`: `{"apiVersion":"example.com/v1","kind":"Widget","size":1,"status":{"count":3}}`,
		`{"size": 1, "past": {"last": {"times": []}}}`:               `{"apiVersion":"example.com/v1","kind":"Widget","past":{},"size":1}`,
	} {
		normal := Request{Group: "example.com", Kind: "Widget", From: "v1", To: "v1", Object: json.RawMessage(object), Normal: true}
		if found := must(c.Convert(t.Context(), []Request{normal}))[0]; string(found.Object) != want {
			t.Errorf("%s is %s, not %s", object, found.Object, want)
		}
	}
	late := Request{Group: "example.com", Kind: "Widget", From: "v1beta1", To: "v1", Object: json.RawMessage(`{"length": 1, "times": ["2026-01-02T03:04:05Z", "later"]}`)}
	if found := must(c.Convert(t.Context(), []Request{late}))[0]; fmt.Sprint(found.Path) != "[times 1]" || !strings.Contains(found.Error, "parsing time") {
		t.Errorf("got %v: %s", found.Path, found.Error)
	}
	for i, a := range answers {
		if got := string(a.Object) + a.Error; got != wants[i] {
			t.Errorf("%s → %s of %s: got %s, want %s", requests[i].From, requests[i].To, requests[i].Object, got, wants[i])
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.dir); err == nil {
		t.Error("the program was not removed")
	}

	kind.Spokes = append(kind.Spokes, written.Spoke{Version: written.Version{Name: "v2", Package: "example.com/m/broken", Type: "Widget"}})
	if _, err := Build(t.Context(), Code{Dir: dir, Consent: &consent.Consent{Given: true}}, []written.Kind{kind}); err == nil || !strings.Contains(err.Error(), "ConvertTo") {
		t.Errorf("a type without conversions: %v", err)
	}
	kind.Hub.Package = "example.com/m/uncopied"
	if _, err := Build(t.Context(), Code{Dir: dir, Consent: &consent.Consent{Given: true}}, []written.Kind{kind}); err == nil || !strings.Contains(err.Error(), "run make generate first") {
		t.Errorf("a type without deep copies: %v", err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// TestDurationPattern compares the pattern of the hint with what Go decodes, and with docs/conversions.md.
func TestDurationPattern(t *testing.T) {
	pattern := regexp.MustCompile(DurationPattern)
	alphabet := []string{"", "0", "1", "25", ".", "-", "+", "h", "m", "s", "ms", "u", "µs", "μs", "ns", "d", " "}
	var text func(prefix string, more int)
	text = func(prefix string, more int) {
		if _, err := time.ParseDuration(prefix); (err == nil) != pattern.MatchString(prefix) {
			t.Errorf("%q: %v", prefix, err)
		}
		for _, part := range alphabet[1:] {
			if more > 0 {
				text(prefix+part, more-1)
			}
		}
	}
	text("", 4)
	page, err := os.ReadFile("../../../docs/conversions.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "Pattern=`"+DurationPattern+"`") {
		t.Error("docs/conversions.md has another pattern")
	}
}
