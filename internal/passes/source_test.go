package passes_test

import (
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// generateSource generates the files of a package with one Go file, for the server of a
// Kubernetes version; an empty version is the default one.
func generateSource(t *testing.T, source, version string) ([]define.File, diag.List) {
	t.Helper()
	c := &gentest.Case{Name: "source", Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source)}}}}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	files, found, err := generateFiles(t.Context(), define.Options{
		Passes: passes.All(),
		Source: define.Source{Dir: dir, Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/source"}},
		Server: gentest.Server(t, version),
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, found
}

// decodeDefinition returns the only definition among generated files.
func decodeDefinition(t *testing.T, files []define.File, found diag.List) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	if len(files) != 1 {
		t.Fatalf("got %d files, findings %v; want one file", len(files), found)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(files[0].Data, &crd); err != nil {
		t.Fatal(err)
	}
	return &crd
}
