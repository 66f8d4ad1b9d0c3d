// Package uniontable has writes to objects with a union for tests: every form of the union, with
// and without its admission policy, and every combination of a discriminator and members. The
// answers of a real API server are in testdata/unions/writes.txt.
package uniontable

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Group is the API group of all kinds.
const Group = "writes.test"

// Kind is a kind whose spec is a union of the members a and b.
type Kind struct {
	// Name describes the kind; Plural is the name of its resource.
	Name, Plural string
	// CRD is the definition. Loose is the same without a schema of spec, for objects that were
	// stored before the union was described.
	CRD, Loose *apiextensionsv1.CustomResourceDefinition
	// Policy clears members. It is nil for kinds without it.
	Policy  *admissionregistrationv1.MutatingAdmissionPolicy
	Binding *admissionregistrationv1.MutatingAdmissionPolicyBinding

	union unions.Union
}

// Kinds returns the kinds.
func Kinds() ([]Kind, error) {
	var out []Kind
	for _, form := range []unions.Form{unions.FormOneOf, unions.FormCEL} {
		for _, shape := range shapes() {
			for _, policy := range []string{"", ", policy"} {
				if policy != "" && shape.union.Discriminator == "" {
					continue // there is nothing to clear
				}
				k := Kind{
					Name: string(form) + ", " + shape.name + policy, Plural: fmt.Sprintf("kinds%d", len(out)), union: shape.union,
				}
				err := k.define(form, policy != "")
				if err != nil {
					return nil, fmt.Errorf("%s: %w", k.Name, err)
				}
				out = append(out, k)
			}
		}
	}
	return out, nil
}

type shape struct {
	name  string
	union unions.Union
}

func shapes() []shape {
	a := unions.Member{Name: "a", Value: "A"}
	b := unions.Member{Name: "b", Value: "B"}
	optional := unions.New("type", []string{"A", "B", "C"}, a, b)
	required := optional
	required.Required = true
	defaulted := optional
	defaulted.Default = &b.Value
	selectable := unions.New("type", []string{"A", "B", "C"}, unions.Member{Name: "a", Value: "A", Optional: true}, b)
	selectable.Required = true
	return []shape{
		{"required", required},
		{"optional", optional},
		{"defaulted", defaulted},
		{"required, optional member", selectable},
		{"exactly one", unions.Union{Members: []unions.Member{a, b}}},
		{"at most one", unions.Union{Members: []unions.Member{a, b}, AtMostOne: true}},
	}
}

// define sets the definitions and the policy.
func (k *Kind) define(form unions.Form, policy bool) error {
	lowered, err := unions.Lower(k.union, unions.LowerOptions{Forms: []unions.Form{form}})
	if err != nil {
		return err
	}
	spec := objectOf()
	spec.XValidations = lowered.Rules
	spec.ValueValidation = &structural.ValueValidation{OneOf: lowered.OneOf}
	if name := k.union.Discriminator; name != "" {
		discriminator := &structural.Schema{
			Generic:         structural.Generic{Type: "string"},
			ValueValidation: &structural.ValueValidation{Enum: lowered.Enum},
			Extensions:      structural.Extensions{XUnionMembers: lowered.Members},
		}
		if k.union.Default != nil {
			discriminator.Default = &structural.JSON{Raw: []byte(strconv.Quote(*k.union.Default))}
		}
		if k.union.Required {
			spec.Required = []string{name}
		}
		spec.Properties = append(spec.Properties, structural.Property{Name: name, Schema: discriminator})
	}
	for _, m := range k.union.Members {
		spec.Properties = append(spec.Properties, structural.Property{Name: m.Name, Schema: objectOf()})
	}
	root := objectOf(structural.Property{Name: "spec", Schema: spec})
	k.CRD = k.definition(root)
	preserve := true
	open := objectOf()
	open.XPreserveUnknownFields = &preserve
	k.Loose = k.definition(objectOf(structural.Property{Name: "spec", Schema: open}))
	if policy {
		target := unions.PolicyTarget{Group: Group, Version: "v1", Plural: k.Plural}
		k.Policy, k.Binding, err = unions.Policies(root, target, unions.Options{})
	}
	return err
}

func objectOf(properties ...structural.Property) *structural.Schema {
	return &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: properties}
}

// definition returns a CRD with a schema.
func (k *Kind) definition(root *structural.Schema) *apiextensionsv1.CustomResourceDefinition {
	singular := strings.TrimSuffix(k.Plural, "s")
	kind := k.KindName()
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: k.Plural + "." + Group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: Group,
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: k.Plural, Singular: singular, Kind: kind, ListKind: kind + "List",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root.Props()},
			}},
		},
	}
}

// KindName returns the name of the kind.
func (k *Kind) KindName() string { return strings.ToUpper(k.Plural[:1]) + k.Plural[1:] }

// Object returns an object of the kind.
func (k *Kind) Object(name string, spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": Group + "/v1",
		"kind":       k.KindName(),
		"metadata":   map[string]any{"name": name, "namespace": "default"},
		"spec":       spec,
	}
}

// Write is a request that creates an object with the spec New or, if Old is not nil, replaces the
// spec Old.
type Write struct {
	Old, New map[string]any
}

// Olds returns the specs of stored objects: with each member selected, and with mistakes that were
// stored before the union was described.
func (k *Kind) Olds() []map[string]any {
	a := map[string]any{}
	if k.union.Discriminator == "" {
		return []map[string]any{{}, {"a": a}, {"a": a, "b": a}}
	}
	return []map[string]any{
		{"type": "A", "a": a}, {"type": "B", "b": a}, {"type": "C"},
		{}, {"a": a}, {"type": "A", "b": a}, {"type": "A", "a": a, "b": a}, {"type": "Z", "a": a},
	}
}

// Writes returns the requests: each spec as a new object and as a replacement of each old one.
func (k *Kind) Writes() []Write {
	types := []any{nil}
	if k.union.Discriminator != "" {
		types = []any{nil, "", "A", "B", "C", "Z"}
	}
	var out []Write
	for _, old := range append([]map[string]any{nil}, k.Olds()...) {
		for _, value := range types {
			for _, members := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}} {
				spec := map[string]any{}
				if value != nil {
					spec["type"] = value
				}
				for _, m := range members {
					spec[m] = map[string]any{}
				}
				out = append(out, Write{old, spec})
			}
		}
	}
	return out
}

// Text returns a spec in a short form: "A{a}" is one with the discriminator A and the member a.
func Text(spec map[string]any) string {
	members := []string{}
	for _, m := range []string{"a", "b"} {
		if _, ok := spec[m]; ok {
			members = append(members, m)
		}
	}
	text := "-"
	if value, ok := spec["type"].(string); ok {
		text = cmp.Or(value, `""`)
	}
	return text + "{" + strings.Join(members, ",") + "}"
}

// Text returns a request in a short form.
func (w Write) Text() string {
	if w.Old == nil {
		return "create " + Text(w.New)
	}
	return Text(w.Old) + " to " + Text(w.New)
}

// Record is what a server answers to the writes of all kinds.
type Record struct {
	// known are the lists of errors and warnings, each of which is written once.
	known []string
	lines []string
}

// Kind begins the answers for a kind.
func (r *Record) Kind(k *Kind) { r.lines = append(r.lines, "", "# "+k.Name) }

// Add adds the answer to a write: the spec that is stored, or errors with their fields, in any
// order; and warnings.
func (r *Record) Add(w Write, stored map[string]any, errs, warnings []string) {
	answer := Text(stored)
	if len(errs) > 0 {
		answer = "errors " + r.number(errs)
	}
	if len(warnings) > 0 {
		answer += ", warnings " + r.number(warnings)
	}
	r.lines = append(r.lines, w.Text()+": "+answer)
}

// number returns the number of a list of messages.
func (r *Record) number(messages []string) string {
	text := strings.Join(slices.Sorted(slices.Values(messages)), "\n\t")
	i := slices.Index(r.known, text)
	if i < 0 {
		i = len(r.known)
		r.known = append(r.known, text)
	}
	return fmt.Sprint(i + 1)
}

// String returns the record as it is written to a file.
func (r *Record) String() string {
	var out strings.Builder
	out.WriteString("# The answers of a real kube-apiserver to writes of objects with a union.\n" +
		"# Written by TestUnionWrites of e2e, with -update.\n\n")
	for i, text := range r.known {
		fmt.Fprintf(&out, "%d\n\t%s\n", i+1, text)
	}
	for _, line := range r.lines {
		out.WriteString(line + "\n")
	}
	return out.String()
}
