package schemagen_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"text/template"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/apidocs"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/config"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/structural/manifest"
	"github.com/schemagen/schemagen/templates"
	"github.com/schemagen/schemagen/unions"
)

// valueCall is a call with a value that is nil, zero, unknown or contradictory.
type valueCall struct {
	function, argument string
	call               func() (any, error)
	want               string
}

// length returns the number of elements of a result.
func length[T any](list []T, err error) (any, error) { return len(list), err }

// otherArguments are calls of the packages that [TestBadArguments] has no table for.
func otherArguments(ctx context.Context) map[string][]valueCall {
	var out bytes.Buffer
	nothing := []*publish.Resource{{}}
	node := &structural.Schema{}
	return map[string][]valueCall{
		"diag": {
			{"func NewWriter", "unknown", func() (any, error) { return results(diag.NewWriter(&out, "xml", nil)) }, `unknown format "xml": use one of text, json, sarif, github, junit`},
			{"func (l List) Write", "unknown", func() (any, error) { return nil, diag.List{}.Write(&out, "", nil) }, `unknown format "": use one of text, json, sarif, github, junit`},
			{"func (l List) Write", "zero diagnostic", func() (any, error) { return nil, diag.List{{}}.Write(&out, "sarif", nil) }, "<nil>"},
			{"func (l List) WriteText", "unknown severity", func() (any, error) { return nil, diag.List{{Severity: 9}}.WriteText(&out) }, "<nil>"},
			{"func (d Diagnostic) String", "zero", func() (any, error) { return diag.Diagnostic{}.String(), nil }, "error[]: "},
			{"func (w *Writer) Write", "zero", func() (any, error) { return nil, new(diag.Writer).Write(diag.List{{}}) }, "the writer writes nowhere: use NewWriter"},
			{"func (w *Writer) Close", "zero", func() (any, error) { return nil, new(diag.Writer).Close() }, "the writer writes nowhere: use NewWriter"},
		},
		"publish": {
			{"func Resources", "nil", func() (any, error) { return len(publish.Resources(nil, nil, nil)), nil }, "0"},
			{"func Resources", "fewer schemas", func() (any, error) {
				object := &apiextensionsv1.CustomResourceDefinition{}
				object.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true}}
				return len(publish.Resources(object, nil, nil)), nil
			}, "1"},
			{"func V2", "zero", func() (any, error) { return nil, second(publish.V2(nothing, publish.Options{})) }, "<nil>"},
			{"func V3", "zero", func() (any, error) { return nil, second(publish.V3(nothing, publish.Options{})) }, "<nil>"},
			{"func Documents", "zero", func() (any, error) { return length(publish.Documents(nothing, publish.Options{})) }, "3"},
			{"func JSONSchemas", "unknown draft", func() (any, error) {
				return results(publish.JSONSchemas(nil, publish.JSONSchemaOptions{Draft: "4"}))
			}, `unknown draft "4": use one of 2020-12, draft-07`},
			{"func JSONSchemas", "zero", func() (any, error) { return length(publish.JSONSchemas(nothing, publish.JSONSchemaOptions{})) }, "3"},
			{"func NewHandler", "nil", func() (any, error) { return nil, second(publish.NewHandler(nil, nil)) }, "<nil>"},
			{"func NewPublisher", "zero", func() (any, error) { return nil, second(publish.NewPublisher(publish.Options{})) }, "<nil>"},
			{"func (p *Publisher) Documents", "zero", func() (any, error) { return length(new(publish.Publisher).Documents(nothing)) }, "the publisher is zero: use NewPublisher"},
		},
		"structural": {
			{"func ParseUnions", "not JSON", func() (any, error) { return nil, third(structural.ParseUnions(structural.JSON{Raw: []byte("{")})) }, "unexpected EOF"},
			{"func PruneDefaults", "nil", func() (any, error) { return results(structural.PruneDefaults(nil)) }, "<nil>"},
			{"func PruneDefaults", "zero", func() (any, error) { return nil, second(structural.PruneDefaults(node)) }, "<nil>"},
			{"func Skel", "nil", func() (any, error) { return results(structural.Skel(nil)) }, "{}"},
			{"func Check", "nil", func() (any, error) { return len(structural.Check(nil)), nil }, "0"},
			{"func (s *Schema) All", "nil", func() (any, error) {
				for range (*structural.Schema)(nil).All() {
					return 1, nil
				}
				return 0, nil
			}, "0"},
			{"func FromProps", "nil", func() (any, error) {
				schema, _ := structural.FromProps(nil)
				return schema, nil
			}, "<nil>"},
			{"func Default", "nil", func() (any, error) { return len(structural.Default(nil, nil)), nil }, "0"},
			{"func Prune", "nil", func() (any, error) { return len(structural.Prune(nil, nil, false)), nil }, "0"},
		},
		"structural_manifest": {
			{"func (m *Manifest) Object", "zero", func() (any, error) { return results(new(manifest.Manifest).Object()) }, "the manifest is zero: use Read"},
		},
		"markers": {
			{"func New", "none", func() (any, error) { return nil, second(markers.New()) }, "<nil>"},
			{"func (r Reference) Select", "unknown", func() (any, error) { return results(markers.Reference{}.Select("nope")) }, `no marker begins with "nope": schemagen explain + lists them`},
			{"func (r Reference) WriteList", "nil", func() (any, error) { return nil, markers.Reference(nil).WriteList(&out) }, "<nil>"},
			{"func (r Reference) WriteMarkdown", "nil", func() (any, error) { return nil, markers.Reference(nil).WriteMarkdown(&out) }, "<nil>"},
			{"func (r Reference) WriteText", "zero marker", func() (any, error) {
				return nil, markers.Reference{{Markers: []*markers.MarkerDoc{{}}}}.WriteText(&out)
			}, "<nil>"},
		},
		"unions": {
			{"func ParseForms", "empty", func() (any, error) { return results(unions.ParseForms("")) }, `"" is not a form of unions: use one of cel, oneOf, extension, extension-object, none`},
			{"func ParseForms", "contradictory", func() (any, error) { return results(unions.ParseForms("cel;oneOf")) }, "cel and oneOf exclude each other: the errors of oneOf suppress the messages of all rules"},
			{"func ParseForms", "repeated", func() (any, error) { return results(unions.ParseForms("cel;cel")) }, `duplicate form "cel"`},
			{"func Lower", "zero", func() (any, error) { return nil, second(unions.Lower(unions.Union{}, unions.LowerOptions{})) }, "<nil>"},
			{"func Lower", "unknown form", func() (any, error) {
				return nil, second(unions.Lower(unions.New("type", []string{"A"}), unions.LowerOptions{Forms: []unions.Form{"nope"}}))
			}, `"nope" is not a form of unions: use one of cel, oneOf, extension, extension-object, none`},
			{"func Policies", "nil", func() (any, error) { return nil, third(unions.Policies(nil, unions.PolicyTarget{}, unions.Options{})) }, "<nil>"},
			{"func PolicyYAML", "nil", func() (any, error) { return nil, second(unions.PolicyYAML(nil, nil)) }, "<nil>"},
			{"func Normalize", "nil", func() (any, error) { return unions.Normalize(nil, nil, nil), nil }, "false"},
			{"func Validate", "nil", func() (any, error) { return unions.Validate(nil, nil, nil).ToAggregate(), nil }, "<nil>"},
			{"func (p *Plan) Normalize", "zero", func() (any, error) { return new(unions.Plan).Normalize(nil, nil), nil }, "false"},
		},
		"templates": {
			{"func Unions", "no functions", func() (any, error) { return nil, second(templates.Unions(template.FuncMap(nil))) }, `template: unions:14: function "usesRoot" not defined`},
		},
		"apidocs": {
			{"func HTML", "nil", func() (any, error) { return results(apidocs.HTML(ctx, []*crd.Definition{nil}, apidocs.Options{})) }, nilDefinition},
			{"func Markdown", "zero", func() (any, error) { return results(apidocs.Markdown(ctx, []*crd.Definition{{}}, apidocs.Options{})) }, zeroDefinition},
		},
		"generator_config": {
			{"func Roles", "no name", func() (any, error) { return nil, third(config.Roles(ctx, generator.Source{}, "")) }, "the name of the role is empty: use a name such as manager-role"},
			{"func Roles", "relative overlay", func() (any, error) {
				return nil, third(config.Roles(ctx, generator.Source{Overlay: map[string][]byte{"a.go": nil}}, "a"))
			}, `option Overlay: "a.go" is not an absolute file name`},
			{"func Webhooks", "no package", func() (any, error) {
				_, found, err := config.Webhooks(ctx, generator.Source{Patterns: []string{"./nope"}})
				return found, err
			}, `[error[SG104]: pattern "./nope" matches no package: no such directory]`},
		},
	}
}

// second and third return the last of a call's values.
func second[A any](_ A, err error) error { return err }

func third[A, B any](_ A, _ B, err error) error { return err }

// TestBadValues calls each exported function with an error as a result, and those that programs use
// most, with values that are nil, zero, unknown or contradictory.
func TestBadValues(t *testing.T) {
	cells := 0
	for name, calls := range otherArguments(t.Context()) {
		text, err := os.ReadFile(filepath.Join(apiDir, name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		called := map[string]bool{}
		for _, c := range calls {
			called[c.function] = true
			cells++
			t.Run(name+"/"+c.function+"/"+c.argument, func(t *testing.T) {
				if got := outcome(t.Context(), func(context.Context) (any, error) { return c.call() }); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		}
		for _, m := range regexp.MustCompile(`(?m)^(func (?:\([^)]*\) )?\w+)\(.*\berror\)?$`).FindAllStringSubmatch(string(text), -1) {
			if !called[m[1]] {
				t.Errorf("package %s: no bad values for %s", name, m[1])
			}
		}
	}
	t.Log(fmt.Sprint(cells, " calls"))
}
