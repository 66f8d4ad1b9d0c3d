package schemapatch

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/schemapatcher"
	kyaml "sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestPatch writes the schemas of all cases to definitions that have different ones, and
// compares the output byte by byte with that of controller-gen's schemapatch.
func TestPatch(t *testing.T) {
	cases := gentest.Read(t, "../../../testdata/crd/*.txtar")
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	compared := 0
	for _, c := range cases {
		// schemapatch has fewer options than crd.
		if c.Peer != "" || strings.Contains(c.Options, "allowDangerousTypes") || strings.Contains(c.Options, "ignoreUnexportedFields") {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			options, peerOptions := parseOptions(t, c.Options)
			options.Dir = filepath.Join(dir, c.Name)
			options.SkipVerify = c.Unverified
			options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
			made, _, err := define.Make(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			manifests := t.TempDir()
			for _, m := range made {
				writeFile(t, filepath.Join(manifests, m.File.Name), stale(t, m.File.Data))
			}
			want := peer.Run(c, schemapatcher.Generator{
				ManifestsPath: manifests, MaxDescLen: peerOptions.MaxDescLen, GenerateEmbeddedObjectMeta: peerOptions.GenerateEmbeddedObjectMeta,
			})
			got, findings, err := patch(t.Context(), options, manifests, nil)
			if err != nil || findings.HasErrors() {
				t.Fatal(err, findings)
			}
			comparePatched(t, got, want)
			compared += len(got)
		})
	}
	if compared < 100 {
		t.Errorf("got %d compared files", compared)
	}
}

// parseOptions parses options with controller-gen's names.
func parseOptions(t *testing.T, text string) (define.Options, crd.Generator) {
	t.Helper()
	marker := "+crd"
	if text != "" {
		marker += ":" + text
	}
	value, err := markers.Must(markers.MakeDefinition("crd", markers.DescribesPackage, crd.Generator{})).Parse(marker)
	if err != nil {
		t.Fatal(err)
	}
	g := value.(crd.Generator)
	options := define.Options{Passes: passes.All(), Server: gentest.Server(t, "")}
	options.MaxDescription = g.MaxDescLen
	options.EmbeddedObjectMeta = g.GenerateEmbeddedObjectMeta != nil && *g.GenerateEmbeddedObjectMeta
	options.PreserveUnknownFields = g.DeprecatedV1beta1CompatibilityPreserveUnknownFields
	return options, g
}

// stale returns the definition with outdated schemas: each version has one that accepts
// every object, an empty one, or none.
func stale(t *testing.T, data []byte) []byte {
	t.Helper()
	var crd map[string]any
	if err := kyaml.Unmarshal(data, &crd); err != nil {
		t.Fatal(err)
	}
	for i, version := range crd["spec"].(map[string]any)["versions"].([]any) {
		version := version.(map[string]any)
		switch i % 3 {
		case 0:
			version["schema"] = map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}
		case 1:
			version["schema"] = map[string]any{}
		default:
			delete(version, "schema")
		}
	}
	out, err := kyaml.Marshal(crd)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat([]byte("# This stays.\n"), out)
}

func comparePatched(t *testing.T, got []define.File, want gentest.PeerResult) {
	t.Helper()
	if want.Panic != nil || len(want.Errors) > 0 {
		t.Errorf("controller-gen failed: %v %v", want.Panic, want.Errors)
	}
	if len(got) != len(want.Files) {
		t.Errorf("%d files, controller-gen has %d: %v", len(got), len(want.Files), slices.Sorted(maps.Keys(want.Files)))
	}
	for _, f := range got {
		if want := oldBoolean.ReplaceAllString(want.Files[f.Name], `$1"$2"$3`); want != string(f.Data) {
			t.Errorf("%s differs from controller-gen's:\n%s", f.Name, gentest.Difference(want, string(f.Data)))
		}
	}
}

// oldBoolean matches a string that controller-gen writes without quotes and kubectl reads as
// a boolean.
var oldBoolean = regexp.MustCompile(`(?m)^( *(?:- )?|.*: )(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)(:.*)?$`)

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// patchSource declares the types of the cases of TestPatchManifests.
const patchSource = `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a widget: "quoted", #1.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// Size is <b>bold</b> & more.
	//
	// It has a second paragraph.
	// +kubebuilder:validation:Maximum=1000000000000000000000
	// +kubebuilder:default=3
	// +kubebuilder:validation:Enum=1;2;3
	Size int ` + "`json:\"size,omitempty\"`" + `
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget is a newer widget.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +kubebuilder:validation:Enum=on;Off;"null";"1"
	Name string ` + "`json:\"name,omitempty\"`" + `
	Y    string ` + "`json:\"y,omitempty\"`" + `
}
-- internal/types.go --
package internal

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Widget has no group, and so no definition.
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}
`

const widgetHead = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
    name: widgets.example.com   # four blanks
spec:
    group: example.com
    names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
    scope: Namespaced
`

// TestPatchManifests patches typical hand-written definitions, and checks that the output is
// that of controller-gen, or that a diagnostic is reported.
func TestPatchManifests(t *testing.T) {
	version := func(name, rest string) string {
		return "    - name: " + name + "\n      served: true\n      storage: true\n" + rest
	}
	for _, test := range []struct {
		name    string
		file    string
		finding string
	}{{
		name: "comments and styles",
		file: "# on top\n---\n" + widgetHead + "    versions:\n    # the first\n" + version("v1", "      schema: # here\n        openAPIV3Schema: {type: object} # old\n      \"subresources\": {'status': {}}\n") + "# below\n",
	}, {
		name:    "a version that Go does not have",
		file:    widgetHead + "    versions:\n" + version("v1", "") + strings.Replace(version("v0", "      schema: {openAPIV3Schema: {type: object}}\n"), "storage: true", "storage: false", 1),
		finding: "spec.versions[1].schema.openAPIV3Schema",
	}, {
		name: "validation of all versions",
		file: widgetHead + "    validation: {openAPIV3Schema: {type: object}}\n    versions:\n" + version("v2", ""),
	}, {
		name: "a flow mapping",
		file: widgetHead + "    versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n",
	}, {
		name: "an anchor",
		file: widgetHead + "    versions:\n" + version("v1", "      schema: &schema\n        openAPIV3Schema: {type: object}\n"),
	}, {
		name: "another kind",
		file: strings.ReplaceAll(widgetHead, "idget", "adget") + "    versions:\n" + version("v1", "      schema: {  openAPIV3Schema: {type: object}}\n"),
	}, {
		name: "no definition",
		file: "kind: Deployment\napiVersion: apps/v1\n",
	}, {
		name: "a template",
		file: "{{ if .Values.crds }}\n" + widgetHead + "{{ end }}\n",
	}, {
		name:    "an old definition",
		file:    strings.Replace(widgetHead, "/v1\n", "/v1beta1\n", 1),
		finding: `apiVersion "apiextensions.k8s.io/v1beta1" is not supported`,
	}, {
		name:    "several documents",
		file:    widgetHead + "    versions:\n" + version("v1", "") + "---\nkind: Other\n",
		finding: "several documents",
	}, {
		name:    "no versions",
		file:    widgetHead,
		finding: "",
	}, {
		name:    "a version without a name",
		file:    widgetHead + "    versions:\n" + version("v1", "") + "    - served: true\n",
		finding: "spec.versions[1] has no name",
	}, {
		name:    "an alias",
		file:    widgetHead + "    versions:\n" + version("v1", "      schema: &s {openAPIV3Schema: {type: object}}\n") + version("v2", "      schema: *s\n"),
		finding: "spec.versions[1].schema is not an object",
	}} {
		t.Run(test.name, func(t *testing.T) {
			c := &gentest.Case{Name: "patch", Archive: txtar.Parse([]byte(patchSource))}
			dir, listed := gentest.List(t, []*gentest.Case{c})
			manifests := filepath.Join(dir, "manifests")
			writeFile(t, filepath.Join(manifests, "widget.yaml"), []byte(test.file))
			writeFile(t, filepath.Join(manifests, "notes.txt"), []byte(widgetHead))
			options := define.Options{Passes: passes.All(), Source: define.Source{Dir: filepath.Join(dir, "patch"), Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/patch"}}, Server: gentest.Server(t, "")}
			got, findings, err := patch(t.Context(), options, "../manifests", nil)
			if err != nil {
				t.Fatal(err)
			}
			// The maximum and the name y in the source are there to test how they are written.
			findings = slices.DeleteFunc(findings, func(d diag.Diagnostic) bool { return d.Code == "SG614" || d.Code == "SG279" })
			if test.finding != "" {
				if got != nil || len(findings) != 1 || !strings.Contains(findings[0].Message, test.finding) || filepath.Base(findings[0].Pos.File) != "widget.yaml" {
					t.Errorf("%d files, findings %v", len(got), findings)
				}
				return
			}
			if len(findings) > 0 {
				t.Errorf("got findings %v", findings)
			}
			comparePatched(t, got, gentest.LoadPeer(t, dir).Run(c, schemapatcher.Generator{ManifestsPath: manifests}))
			if bytes.Contains([]byte(fmt.Sprint(got)), []byte("bold")) && !bytes.Contains(got[0].Data, []byte("<b>bold</b> & more")) {
				t.Errorf("the description is escaped:\n%s", got[0].Data)
			}
		})
	}
}
