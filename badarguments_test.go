package schemagen_test

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/crdfields"
	"github.com/schemagen/schemagen/structural/manifest"
	"github.com/schemagen/schemagen/verify"
)

// badArguments is a call of a function with an argument that is nil, zero, unknown or negative.
type badArguments struct {
	// function is as in the files of apiDir, without the package.
	function, argument string
	call               func(ctx context.Context) (any, error)
	// want is the error, or the result as text.
	want string
}

const (
	nilDefinition  = "the definition is nil: use New or Read of package crd"
	zeroDefinition = "the definition has neither a CRD nor a function that builds one: use New or Read of package crd"
	noTarget       = "the verifier has no target: use New with the result of NewTarget"
	noTrial        = "kinds and cases come from a trial: see New"
)

// withoutPositions returns a definition with nothing but an object, and one that builds it.
func withoutPositions(t *testing.T, change func(*apiextensionsv1.CustomResourceDefinition)) (object *apiextensionsv1.CustomResourceDefinition, bare, built *crd.Definition) {
	t.Helper()
	read, problems := verify.Read(crd.File{Name: "crd.json", Data: []byte(crdfields.Base)})
	if len(problems) > 0 || len(read) != 1 {
		t.Fatal(problems)
	}
	object = read[0].CRD
	if change != nil {
		change(object)
	}
	return object, &crd.Definition{CRD: object}, &crd.Definition{Build: func() *apiextensionsv1.CustomResourceDefinition { return object }}
}

// results returns a call's values as one, the error apart.
func results[T any](value T, err error) (any, error) { return value, err }

// texts returns the messages of a list.
func texts(list diag.List, err error) (any, error) {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s %s %s", d.Code, d.Pos, d.Message))
	}
	return out, err
}

func verifyArguments(t *testing.T) []badArguments {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	v, none := verify.New(target, verify.Options{}), &verify.Verifier{}
	object, bare, built := withoutPositions(t, func(c *apiextensionsv1.CustomResourceDefinition) {
		c.Spec.Versions[0].SelectableFields = nil
		c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["text"] = apiextensionsv1.JSONSchemaProps{Type: "string", Pattern: "("}
	})
	pattern := "[SG601 (no position) spec.validation.openAPIV3Schema.properties[spec].properties[text].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`]"
	one := func(v *verify.Verifier, d *crd.Definition) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			list, err := v.One(ctx, d)
			var errs diag.List
			for _, d := range list {
				if d.Severity == diag.Error {
					errs = append(errs, d)
				}
			}
			return texts(errs, err)
		}
	}
	check := func(v *verify.Verifier, d *crd.Definition) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			list, err := v.Check(ctx, []*crd.Definition{d})
			var errs diag.List
			for _, d := range list {
				if d.Severity == diag.Error {
					errs = append(errs, d)
				}
			}
			return texts(errs, err)
		}
	}
	out := []badArguments{}
	for _, d := range []struct {
		argument string
		given    *crd.Definition
		want     string
	}{
		{"nil", nil, nilDefinition}, {"zero", &crd.Definition{}, zeroDefinition}, {"without positions and schemas", bare, pattern}, {"built, without positions and schemas", built, pattern},
	} {
		out = append(out,
			badArguments{"func (v *Verifier) One", d.argument, one(v, d.given), d.want},
			badArguments{"func (v *Verifier) Check", d.argument, check(v, d.given), d.want},
		)
	}
	for _, d := range []struct {
		argument string
		given    *crd.Definition
		want     string
	}{{"nil", nil, nilDefinition}, {"zero", &crd.Definition{}, zeroDefinition}} {
		out = append(out,
			badArguments{"func (v *Verifier) Compatibility", d.argument, func(ctx context.Context) (any, error) {
				return results(v.Compatibility(ctx, d.given, verify.ServerWording))
			}, d.want},
			badArguments{"func (v *Verifier) Rules", d.argument, func(ctx context.Context) (any, error) { return results(v.Rules(ctx, d.given)) }, d.want},
			badArguments{"func (v *Verifier) Handler", d.argument, func(context.Context) (any, error) { return results(v.Handler()(d.given, "v1")) }, d.want},
		)
	}
	return append(out,
		badArguments{"func (v *Verifier) One", "no target", one(none, bare), noTarget},
		badArguments{"func (v *Verifier) Check", "no target", check(none, bare), noTarget},
		badArguments{"func (v *Verifier) Compatibility", "no target", func(ctx context.Context) (any, error) {
			return results(none.Compatibility(ctx, bare, verify.ServerWording))
		}, noTarget},
		badArguments{"func (v *Verifier) Rules", "no target", func(ctx context.Context) (any, error) { return results(none.Rules(ctx, bare)) }, noTarget},
		badArguments{"func (v *Verifier) Rules", "built", func(ctx context.Context) (any, error) {
			rules, err := v.Rules(ctx, built)
			return len(rules), err
		}, "1"},
		badArguments{"func (v *Verifier) Costs", "no target", func(ctx context.Context) (any, error) { return results(none.Costs(ctx, object)) }, noTarget},
		badArguments{"func (v *Verifier) Costs", "nil", func(ctx context.Context) (any, error) { return results(v.Costs(ctx, nil)) }, zeroDefinition},
		badArguments{"func (v *Verifier) JudgeUnion", "nil", func(context.Context) (any, error) { return v.JudgeUnion(nil, nil) == nil, nil }, "true"},
		badArguments{"func (v *Verifier) CheckWebhook", "nil", func(context.Context) (any, error) { return v.CheckWebhook(nil).ToAggregate(), nil }, "<nil>: Internal error: a webhook is nil"},
		badArguments{"func (v *Verifier) CheckWebhook", "no target", func(context.Context) (any, error) { return none.CheckWebhook(nil).ToAggregate(), nil }, "<nil>: Internal error: " + noTarget},
		badArguments{"func (v *Verifier) Before", "no target", func(context.Context) (any, error) { return none.Before(1), nil }, "false"},
		badArguments{"func (v *Verifier) Sharing", "nil", func(context.Context) (any, error) { return v.Sharing(nil) == v, nil }, "true"},
		badArguments{"func (v *Verifier) Sharing", "no target", func(context.Context) (any, error) { return v.Sharing(none) == v, nil }, "true"},
		badArguments{"func New", "nil", func(ctx context.Context) (any, error) {
			return results(verify.New(nil, verify.Options{}).One(ctx, bare))
		}, noTarget},
		badArguments{"func New", "zero", func(ctx context.Context) (any, error) {
			return results(verify.New(&verify.Target{}, verify.Options{}).One(ctx, bare))
		}, noTarget},
		badArguments{"func (v *Verifier) Compatibility", "unknown wording", func(ctx context.Context) (any, error) {
			return results(v.Compatibility(ctx, bare, 7))
		}, "unknown wording 7: use ServerWording or ProposalWording"},
		badArguments{"func Read", "zero", func(context.Context) (any, error) {
			read, problems := verify.Read(crd.File{})
			return len(read) + len(problems), nil
		}, "0"},
		badArguments{"func Problems", "nil position", func(context.Context) (any, error) {
			return texts(verify.Problems([]manifest.Problem{{Kind: manifest.UnknownField, Message: "m"}}, nil), nil)
		}, "[SG611 (no position) m]"},
		badArguments{"func NewTarget", "unknown", func(context.Context) (any, error) { return results(verify.NewTarget("0.1")) }, `version "0.1": want a Kubernetes version such as "1.35"`},
		badArguments{"func CostText", "zero", func(context.Context) (any, error) { return verify.CostText(apiserver.Rule{}) != "", nil }, "true"},
		badArguments{"func FoldNotes", "nil", func(context.Context) (any, error) { return texts(verify.FoldNotes(nil), nil) }, "[]"},
		badArguments{"func Codes", "none", func(context.Context) (any, error) { return len(verify.Codes()) > 10, nil }, "true"},
		badArguments{"func Rules", "none", func(context.Context) (any, error) { return len(verify.Rules()), nil }, "3"},
	)
}

func crdArguments(t *testing.T) []badArguments {
	_, bare, _ := withoutPositions(t, nil)
	return []badArguments{
		{"func FromManifest", "nil", func(context.Context) (any, error) { return crd.FromManifest(nil, nil) == nil, nil }, "true"},
		{"func FromManifest", "nil position", func(context.Context) (any, error) {
			read, _, _ := crd.File{Name: "a", Data: []byte(crdfields.Base)}.Read()
			pos, _ := crd.FromManifest(read[0], nil).Position("spec")
			return pos, nil
		}, "(no position)"},
		{"func (f File) Read", "zero", func(context.Context) (any, error) {
			read, problems, position := crd.File{}.Read()
			return fmt.Sprint(len(read), len(problems), position(token.NoPos)), nil
		}, "0 0 (no position)"},
		{"func (d *Definition) Completed", "nil", func(context.Context) (any, error) { return results((*crd.Definition)(nil).Completed()) }, nilDefinition},
		{"func (d *Definition) Completed", "zero", func(context.Context) (any, error) { return results(new(crd.Definition).Completed()) }, zeroDefinition},
		{"func (d *Definition) Check", "nil", func(context.Context) (any, error) { return nil, (*crd.Definition)(nil).Check() }, nilDefinition},
		{"func (d *Definition) Check", "zero", func(context.Context) (any, error) { return nil, new(crd.Definition).Check() }, zeroDefinition},
		{"func (d *Definition) Provenance", "nil", func(context.Context) (any, error) {
			accepted := (*crd.Definition)(nil).Provenance().Accepted
			accepted.Set("1.35")
			return accepted.By("1.35"), nil
		}, "false"},
		{"func (d *Definition) Object", "nil", func(context.Context) (any, error) { return results((*crd.Definition)(nil).Object()) }, nilDefinition},
		{"func (d *Definition) Object", "zero", func(context.Context) (any, error) { return results(new(crd.Definition).Object()) }, zeroDefinition},
		{"func (d *Definition) Object", "builds nothing", func(context.Context) (any, error) {
			return results((&crd.Definition{Build: func() *apiextensionsv1.CustomResourceDefinition { return nil }}).Object())
		}, "the definition's function Build returned nil"},
		{"func (d *Definition) Schema", "nil", func(context.Context) (any, error) { return (*crd.Definition)(nil).Schema("v1") == nil, nil }, "true"},
		{"func (d *Definition) Schema", "unknown", func(context.Context) (any, error) { return bare.Schema("nope") == nil, nil }, "true"},
		{"func (d *Definition) Nodes", "zero", func(context.Context) (any, error) { return len(maps.Collect(new(crd.Definition).Nodes())), nil }, "0"},
		{"func New", "nil", func(context.Context) (any, error) { return results(crd.New(nil)) },
			"the object is nil: want a CustomResourceDefinition"},
		{"func New", "nil CRD", func(context.Context) (any, error) {
			return results(crd.New((*apiextensionsv1.CustomResourceDefinition)(nil)))
		}, "the CustomResourceDefinition is nil"},
		{"func New", "another kind", func(context.Context) (any, error) {
			return results(crd.New(&metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}}))
		}, "a *v1.Status is not a CustomResourceDefinition: the text has no CustomResourceDefinition of apiextensions.k8s.io/v1"},
		{"func New", "unstructured, unknown field", func(context.Context) (any, error) {
			return results(crd.New(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "specs": map[string]any{},
			}}))
		}, `a *unstructured.Unstructured is not a CustomResourceDefinition: unknown field "specs"`},
		{"func New", "unstructured, old version", func(context.Context) (any, error) {
			return results(crd.New(&unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "apiextensions.k8s.io/v1beta1", "kind": "CustomResourceDefinition",
			}}))
		}, `a *unstructured.Unstructured is not a CustomResourceDefinition: apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22; generate the CRD from its Go types, or convert it with a cluster that still serves it: kubectl get crds.v1.apiextensions.k8s.io NAME -o yaml`},
		{"func Read", "missing", func(context.Context) (any, error) { return results(crd.Read("testdata/nope.yaml")) },
			"open testdata/nope.yaml: no such file or directory"},
		{"func Parse", "empty", func(context.Context) (any, error) { return results(crd.Parse("", nil)) },
			"the text has no CustomResourceDefinition of apiextensions.k8s.io/v1"},
		{"func Parse", "other kinds", func(context.Context) (any, error) {
			return results(crd.Parse("a.yaml", []byte("apiVersion: v1\nkind: Node\n")))
		}, "a.yaml has no CustomResourceDefinition of apiextensions.k8s.io/v1"},
		{"func Parse", "malformed", func(context.Context) (any, error) { return results(crd.Parse("a.yaml", []byte("a: b\n---\n{"))) }, "a.yaml:1:1: Object 'Kind' is missing\na.yaml:3:1: yaml: did not find expected node content"},
		{"func VersionLosses", "nil schemas", func(context.Context) (any, error) {
			text, fields := crd.VersionLosses("", nil, "", nil)
			return fmt.Sprintf("%q %v", text, fields), nil
		}, `"" []`},
		{"func (f LostField) String", "zero", func(context.Context) (any, error) { return crd.LostField{}.String(), nil }, "the object, "},
		{"func ConversionAnnotation", "empty", func(context.Context) (any, error) { return crd.ConversionAnnotation(""), nil }, "/conversion"},
		{"func (g *Generated) Schema", "unknown", func(context.Context) (any, error) { return new(crd.Generated).Schema(-1) == nil, nil }, "true"},
	}
}

func compareArguments(t *testing.T) []badArguments {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	_, bare, _ := withoutPositions(t, nil)
	_, _, changed := withoutPositions(t, func(c *apiextensionsv1.CustomResourceDefinition) {
		delete(c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties, "replicas")
	})
	kinds := func(changes []compare.Change, err error) (any, error) {
		var out []string
		for _, c := range changes {
			out = append(out, c.Subject()+" "+c.NewPos.String())
		}
		return out, err
	}
	removed := "[widgets.example.com v1 .spec.replicas (no position)]"
	var out []badArguments
	for _, c := range []struct {
		argument   string
		target     *apiserver.Target
		olds, news []*crd.Definition
		want       string
	}{
		{"nil target", nil, nil, nil, "compare: the target is nil or zero: use verify.NewTarget"},
		{"nothing", target, nil, nil, "[]"},
		{"nil", target, []*crd.Definition{nil}, nil, "compare: " + nilDefinition},
		{"zero", target, nil, []*crd.Definition{{}}, "compare: " + zeroDefinition},
		{"without positions and schemas", target, []*crd.Definition{bare}, []*crd.Definition{changed}, removed},
	} {
		out = append(out,
			badArguments{"func Definitions", c.argument, func(ctx context.Context) (any, error) {
				return kinds(compare.Definitions(ctx, c.target, c.olds, c.news))
			}, c.want},
			badArguments{"func Accepted", c.argument, func(ctx context.Context) (any, error) { return kinds(compare.Accepted(ctx, c.target, c.olds, c.news)) }, c.want},
		)
	}
	zero := &compare.Change{}
	return append(out,
		badArguments{"func Definitions", "zero target", func(ctx context.Context) (any, error) {
			return kinds(compare.Definitions(ctx, &apiserver.Target{}, nil, nil))
		}, "compare: the target is nil or zero: use verify.NewTarget"},
		badArguments{"func (c Change) String", "zero", func(context.Context) (any, error) { return compare.Change{Category: 9}.String(), nil }, "unknown category 9: : : "},
		badArguments{"func (c *Change) Diagnostic", "unknown category", func(context.Context) (any, error) {
			return (&compare.Change{Category: 9}).Diagnostic(false).Severity, nil
		}, "warning"},
		badArguments{"func Folded", "nil", func(context.Context) (any, error) { return kinds(compare.Folded(nil), nil) }, "[]"},
		badArguments{"func Grouped", "nil", func(context.Context) (any, error) { return kinds(compare.Grouped(nil), nil) }, "[]"},
		badArguments{"func (c *Change) Elsewhere", "zero", func(context.Context) (any, error) { return zero.Elsewhere(), nil }, ""},
		badArguments{"func Sorted", "nil", func(context.Context) (any, error) { return kinds(compare.Sorted(nil), nil) }, "[]"},
		badArguments{"func (c Category) String", "unknown", func(context.Context) (any, error) { return compare.Category(-1).String(), nil }, "unknown category -1"},
		badArguments{"func (c *Change) Diagnostic", "zero", func(context.Context) (any, error) { return zero.Diagnostic(false).Pos, nil }, "(no position)"},
		badArguments{"func (c *Change) Position", "zero", func(context.Context) (any, error) {
			pos, _ := zero.Position()
			return pos, nil
		}, "(no position)"},
		badArguments{"func (c *Change) Subject", "zero", func(context.Context) (any, error) { return zero.Subject(), nil }, ""},
		badArguments{"func (c *Change) Values", "zero", func(context.Context) (any, error) { return zero.Values(), nil }, ""},
		badArguments{"func Codes", "none", func(context.Context) (any, error) { return len(compare.Codes()) > 2, nil }, "true"},
		badArguments{"func Kinds", "none", func(context.Context) (any, error) { return len(compare.Kinds()) > 20, nil }, "true"},
	)
}

func dryrunArguments(t *testing.T) []badArguments {
	_, bare, built := withoutPositions(t, nil)
	literal := &dryrun.Object{APIVersion: "example.com/v1", Kind: "Widget", Name: "a", Pos: diag.Position{File: "a.yaml", Line: 3}, Value: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "b"}, "spec": map[string]any{"text": int64(5), "zzz": true},
	}}
	try := func(trial *dryrun.Trial, o *dryrun.Object) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			r, err := trial.Try(ctx, o)
			if err != nil {
				return nil, err
			}
			var out []string
			for _, d := range r.Findings {
				out = append(out, d.Pos.String()+" "+d.Message)
			}
			return fmt.Sprintf("%s %q", r.Action, out), nil
		}
	}
	yaml := func(get func(*dryrun.Result) ([]byte, error)) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			r, err := dryrun.New(bare).Try(ctx, literal)
			if err != nil {
				return nil, err
			}
			text, err := get(r)
			return strings.Join(strings.Fields(string(text)), " "), err
		}
	}
	empty := func(get func(*dryrun.Result) ([]byte, error)) func(context.Context) (any, error) {
		return func(context.Context) (any, error) {
			text, err := get(&dryrun.Result{Action: dryrun.Created})
			return string(text), err
		}
	}
	rejected := `rejected ["a.yaml:3 spec.zzz is dropped: it is not in the schema" "a.yaml:3 spec.text: Invalid value: \"integer\": spec.text in body must be of type string: \"integer\"" "a.yaml:3 some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"]`
	sample := func(d *crd.Definition, version string) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			s, err := new(dryrun.Sampler).Sample(ctx, d, version, false)
			return s != nil, err
		}
	}
	return []badArguments{
		{"func (t *Trial) Try", "a literal", try(dryrun.New(bare), literal), rejected},
		{"func (t *Trial) Try", "a literal, built definition", try(dryrun.New(built), literal), rejected},
		{"func (t *Trial) Try", "nil", try(dryrun.New(bare), nil), "there is no object to try"},
		{"func (t *Trial) Try", "zero", try(dryrun.New(bare), &dryrun.Object{}), ` ["(no position) no CRD for kind  in "]`},
		{"func (t *Trial) Try", "zero trial", try(&dryrun.Trial{}, literal), ` ["a.yaml:3 no CRD for kind Widget in example.com/v1"]`},
		{"func (t *Trial) Try", "unknown subresource", try(&dryrun.Trial{Subresource: "nope"}, literal), `unknown subresource "nope": use status, scale, or none`},
		{"func New", "nil", try(dryrun.New(nil), literal), nilDefinition},
		{"func New", "zero", try(dryrun.New(&crd.Definition{}), literal), zeroDefinition},
		{"func (t *Trial) Kind", "unknown", func(context.Context) (any, error) { return results(dryrun.New(bare).Kind("nope")) }, "no such kind; known kinds: Widget.example.com/v1"},
		{"func (t *Trial) Kind", "zero definition", func(context.Context) (any, error) { return results(dryrun.New(nil).Kind("Widget")) }, nilDefinition},
		{"func (t *Trial) PruneByProposal", "zero trial", func(context.Context) (any, error) {
			new(dryrun.Trial).PruneByProposal()
			return nil, nil
		}, "<nil>"},
		{"func (t *Trial) ReadSuite", "empty", func(context.Context) (any, error) {
			cases, findings := new(dryrun.Trial).ReadSuite("", nil)
			return fmt.Sprint(len(cases), len(findings)), nil
		}, "0 1"},
		{"func (c *Case) Run", "zero", func(ctx context.Context) (any, error) { return results(new(dryrun.Case).Run(ctx)) }, noTrial},
		{"func (k *Kind) Check", "zero", func(context.Context) (any, error) { return results(new(dryrun.Kind).Check()) }, noTrial},
		{"func (k *Kind) Sample", "zero", func(ctx context.Context) (any, error) { return results(new(dryrun.Kind).Sample(ctx, true)) }, noTrial},
		{"func (s *Sampler) Sample", "nil", sample(nil, "v1"), nilDefinition},
		{"func (s *Sampler) Sample", "zero", sample(&crd.Definition{}, "v1"), zeroDefinition},
		{"func (s *Sampler) Sample", "unknown version", sample(bare, "nope"), "false"},
		{"func (s *Sampler) Sample", "built", sample(built, "v1"), "true"},
		{"func ReadObjects", "zero", func(context.Context) (any, error) {
			objects, findings := dryrun.ReadObjects(crd.File{})
			return fmt.Sprint(len(objects), len(findings)), nil
		}, "0 0"},
		{"func NewObject", "nil", func(context.Context) (any, error) { return results(dryrun.NewObject(nil)) }, "a <nil> is not an object with apiVersion and kind"},
		{"func NewObject", "not JSON", func(context.Context) (any, error) { return results(dryrun.NewObject(func() {})) }, "a func() is not an object: json: unsupported type: func()"},
		{"func NewObject", "no kind", func(context.Context) (any, error) { return results(dryrun.NewObject(map[string]any{"spec": 1})) }, "a map[string]interface {} is not an object: Object 'Kind' is missing"},
		{"func (o *Object) IsDefinition", "zero", func(context.Context) (any, error) { return new(dryrun.Object).IsDefinition(), nil }, "false"},
		{"func (o *Object) Key", "zero", func(context.Context) (any, error) { return new(dryrun.Object).Key(), nil }, "{  default }"},
		{"func (o *Object) Position", "a literal", func(context.Context) (any, error) { return literal.Position(nil), nil }, "a.yaml:3"},
		{"func (r *Result) GivenYAML", "a literal object", yaml((*dryrun.Result).GivenYAML), "spec: text: 5 zzz: true apiVersion: example.com/v1 kind: Widget metadata: name: a namespace: b"},
		{"func (r *Result) GivenYAML", "a literal", empty((*dryrun.Result).GivenYAML), ""},
		{"func (r *Result) StoredYAML", "a literal", empty((*dryrun.Result).StoredYAML), ""},
		{"func ReadPolicies", "zero", func(context.Context) (any, error) {
			policies, findings := dryrun.ReadPolicies(crd.File{})
			return fmt.Sprint(len(policies), len(findings)), nil
		}, "0 0"},
		{"func (t *Trial) FollowPolicies", "a literal", func(ctx context.Context) (any, error) {
			trial := dryrun.New(bare)
			trial.FollowPolicies(&dryrun.Policy{}, nil)
			return try(trial, literal)(ctx)
		}, "policies come from ReadPolicies\npolicies come from ReadPolicies"},
		{"func (t *Trial) AddFeatureGates", "zero", func(ctx context.Context) (any, error) {
			trial := dryrun.New(bare)
			trial.AddFeatureGates(crd.File{})
			return try(trial, literal)(ctx)
		}, rejected},
		{"func IsSuite", "nil", func(context.Context) (any, error) { return dryrun.IsSuite(nil), nil }, "false"},
		{"func Codes", "none", func(context.Context) (any, error) { return len(dryrun.Codes()) > 5, nil }, "true"},
	}
}

// plainPackage is a package without API types.
const plainPackage = "package v1\n\ntype Plain struct{}\n"

func generatorArguments(t *testing.T) []badArguments {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "types.go": plainPackage} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(change func(*generator.Options)) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			o := generator.Options{Source: generator.Source{Dir: dir}}
			change(&o)
			result, found, err := generator.Run(ctx, o)
			if err != nil {
				return nil, err
			}
			out := []string{fmt.Sprint(len(result.CRDs()))}
			for _, d := range found {
				out = append(out, fmt.Sprintf("%s %s", d.Code, strings.ReplaceAll(d.Message, dir, "DIR")))
			}
			return strings.Join(out, ", "), nil
		}
	}
	negative := -1
	override := func(o generator.Override) func(*generator.Options) {
		return func(options *generator.Options) {
			options.Overrides = &generator.OverrideFile{Name: "o", Overrides: []generator.Override{o}}
		}
	}
	packages := func(p generator.PackageOptions) func(*generator.Options) {
		return func(o *generator.Options) { o.Packages = []generator.PackageOptions{p} }
	}
	features := `unknown feature "nope": use enum, k8s, kep, unsigned, array-length, string-option, union-transition, gateway, openshift`
	const none = "0, SG405 no kind found: no struct embeds metav1.TypeMeta and metav1.ObjectMeta"
	var out []badArguments
	for _, c := range []struct {
		option string
		change func(*generator.Options)
		want   string
	}{
		{"Dir: missing", func(o *generator.Options) { o.Dir = filepath.Join(dir, "nope") }, `0, SG104 pattern "." matches no package: no such directory`},
		{"Patterns: missing", func(o *generator.Options) { o.Patterns = []string{"./nope"} }, `0, SG104 pattern "./nope" matches no package: no such directory`},
		{"Overlay: relative", func(o *generator.Options) { o.Overlay = map[string][]byte{"a.go": nil} }, `option Overlay: "a.go" is not an absolute file name`},
		{"Enable: unknown", func(o *generator.Options) { o.Enable = []string{"nope"} }, "option Enable: " + features},
		{"Unions: unknown", func(o *generator.Options) { o.Unions = "nope" }, `option Unions: "nope" is not a form of unions: use one of cel, oneOf, extension, extension-object, none`},
		{"MaxDescription: negative", func(o *generator.Options) { o.MaxDescription = &negative }, "option MaxDescription: -1 is negative"},
		{"Rules: unknown", func(o *generator.Options) { o.Rules = []diag.Code{"SG999"} }, `option Rules: unknown rule "SG999": Rules returns the known ones`},
		{"Rules: not a rule", func(o *generator.Options) { o.Rules = []diag.Code{"SG601"} }, `option Rules: unknown rule "SG601": Rules returns the known ones`},
		{"Generators: unknown", func(o *generator.Options) { o.Generators = []string{"nope"} }, `option Generators: unknown generator "nope": use applyconfiguration, crd, object, rbac, schemapatch, webhook`},
		{"ToolVersion: omitted", func(o *generator.Options) { o.OmitToolVersion, o.ToolVersion = true, "v1" }, `options OmitToolVersion and ToolVersion ("v1") exclude each other`},
		{"Packages: zero", packages(generator.PackageOptions{}), "option Packages[0] has no Pattern"},
		{"Packages: Enable: unknown", packages(generator.PackageOptions{Pattern: "./...", Enable: []string{"nope"}}), "option Packages[0], for ./...: option Enable: " + features},
		{"Packages: MaxDescription: negative", packages(generator.PackageOptions{Pattern: "./...", MaxDescription: &negative}), "option Packages[0], for ./...: option MaxDescription: -1 is negative"},
		{"Overrides: zero", func(o *generator.Options) { o.Overrides = &generator.OverrideFile{} }, none},
		{"Overrides: zero override", override(generator.Override{}), `option Overrides[0]: unknown marker "": use schemagen:type or schemagen:descriptions`},
		{"Overrides: no argument", override(generator.Override{Marker: "schemagen:type"}), "option Overrides[0] has no Argument"},
		{"Overrides: negative offset", override(generator.Override{Marker: "schemagen:type", Argument: "a", ValueOffset: -1}), "option Overrides[0]: offset -1 is not in the file"},
		{"Kinds: unknown", func(o *generator.Options) { o.Kinds = []string{"Nope"} }, "0, SG408 no kind Nope in these packages"},
		{"Groups: unknown", func(o *generator.Options) { o.Groups = []string{"nope"} }, "0, SG408 no kind of group nope in these packages"},
		{"Tags: empty", func(o *generator.Options) { o.Tags = []string{} }, none},
		{"OutputDir: missing", func(o *generator.Options) { o.OutputDir = filepath.Join(dir, "nope") }, none},
		{"Server: none", func(*generator.Options) {}, none},
	} {
		out = append(out, badArguments{"func Run", c.option, run(c.change), c.want})
	}
	return append(out,
		badArguments{"func (r *Result) CRDs", "zero", func(context.Context) (any, error) { return len(new(generator.Result).CRDs()), nil }, "0"},
		badArguments{"func (c *CRD) FileName", "zero", func(context.Context) (any, error) { return new(generator.CRD).FileName(), nil }, ""},
		badArguments{"func (c *CRD) Object", "zero", func(context.Context) (any, error) { return new(generator.CRD).Object() == nil, nil }, "true"},
		badArguments{"func (c *CRD) Definition", "zero", func(context.Context) (any, error) { return nil, new(generator.CRD).Definition().Check() }, zeroDefinition},
		badArguments{"func (c *CRD) YAML", "zero", func(context.Context) (any, error) { return len(new(generator.CRD).YAML()), nil }, "0"},
		badArguments{"func (c *CRD) Schema", "zero", func(context.Context) (any, error) { return new(generator.CRD).Schema("v1") == nil, nil }, "true"},
		badArguments{"func (c *CRD) Position", "zero", func(context.Context) (any, error) { return new(generator.CRD).Position("spec"), nil }, "(no position)"},
		badArguments{"func (o *PackageOptions) Selects", "zero", func(context.Context) (any, error) { return new(generator.PackageOptions).Selects("a", "/a"), nil }, "true"},
		badArguments{"func Codes", "none", func(context.Context) (any, error) { return len(generator.Codes()) > 50, nil }, "true"},
		badArguments{"func Rules", "none", func(context.Context) (any, error) { return len(generator.Rules()) > 5, nil }, "true"},
	)
}

// TestBadArguments calls each exported function of the packages that programs use with arguments
// that are nil, zero, unknown or negative: the result is an error or defined, not a panic. The
// functions are those of apiDir.
func TestBadArguments(t *testing.T) {
	cells := 0
	for name, arguments := range map[string][]badArguments{
		"verify": verifyArguments(t), "crd": crdArguments(t), "compare": compareArguments(t), "dryrun": dryrunArguments(t), "generator": generatorArguments(t),
	} {
		text, err := os.ReadFile(filepath.Join(apiDir, name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		called := map[string]bool{}
		for _, a := range arguments {
			called[a.function] = true
			cells++
			t.Run(name+"/"+a.function+"/"+a.argument, func(t *testing.T) {
				got := outcome(t.Context(), a.call)
				if got != a.want {
					t.Errorf("got  %s\nwant %s", got, a.want)
				}
			})
		}
		functions := regexp.MustCompile(`(?m)^(func (?:\([^)]*\) )?\w+)\(`).FindAllStringSubmatch(string(text), -1)
		if len(functions) == 0 {
			t.Errorf("%s has no functions of package %s", apiDir, name)
		}
		for _, m := range functions {
			if !called[m[1]] {
				t.Errorf("package %s: no bad arguments for %s", name, m[1])
			}
		}
	}
	t.Logf("%d calls", cells)
}

// outcome returns the error or the result of a call as text.
func outcome(ctx context.Context, call func(context.Context) (any, error)) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("panic: %v", p)
		}
	}()
	value, err := call(ctx)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(value)
}
