package web

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yannh/kubeconform/pkg/validator"

	"github.com/schemagen/schemagen/publish"
)

// TestKubeconform checks that kubeconform finds the schemas in its own layout and uses them.
func TestKubeconform(t *testing.T) {
	dir := t.TempDir()
	for _, draft := range publish.Drafts() {
		if _, err := command(".", suite.schemagen, "jsonschema", suite.canvas, suite.bench["cert-manager"], "-o", dir, "--draft", draft); err != nil {
			t.Fatal(err)
		}
		v, err := validator.New([]string{filepath.Join(dir, "{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json")}, validator.Opts{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			text string
			want validator.Status
		}{
			{canvasHead + "      type: Image\n      image: {url: a}\n", validator.Valid},
			{canvasHead + "      type: Image\n      solid: {color: red}\n", validator.Invalid},
			{canvasHead + "      type: Image\n      image: {url: a}\n    extra: 1\n", validator.Invalid},
			{"apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: a}\nspec: {selfSigned: {}}\n", validator.Valid},
			{"apiVersion: cert-manager.io/v1\nkind: Issuer\nmetadata: {name: a, lables: {}}\nspec: {selfSigned: {}}\n", validator.Invalid},
			{"apiVersion: cert-manager.io/v1\nkind: Unknown\nmetadata: {name: a}\n", validator.Error}, // no schema
		} {
			for _, got := range v.Validate("object.yaml", io.NopCloser(strings.NewReader(c.text))) {
				if got.Status != c.want {
					t.Errorf("%s: got status %v (%v), want %v:\n%s", draft, got.Status, got.Err, c.want, c.text)
				}
			}
		}
	}
}
