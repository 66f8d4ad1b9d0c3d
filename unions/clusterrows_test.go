package unions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// clusterRowsVariable is the environment variable with the directory for
// TestWriteClusterRows.
const clusterRowsVariable = "SCHEMAGEN_UNION_ROWS"

// clusterShape is a kind whose spec is an object of the cases, with the requests to make for
// it.
type clusterShape struct {
	Name, Plural, Kind string
	// CRD is the definition. Loose is the same without a schema for spec, for objects that
	// were stored before there were rules; it is empty if all are valid.
	CRD, Loose string
	// Policy is the result of Policies, or empty, and PolicyError its error.
	Policy, PolicyError string
	// Poor is set if errors do not have the paths of members.
	Poor bool
	Rows []clusterRow
}

// clusterRow is a request and its expected result.
type clusterRow struct {
	// About describes the row in addition to its name.
	Name, About string
	// Operation is POST, PUT, PATCH (a merge patch) or APPLY (forced, by a manager that owns
	// nothing).
	Operation string
	// Old is the stored spec, New the spec of the request.
	Old, New json.RawMessage
	// Typed is New as sent by a client with Go types, or empty if it cannot be represented in
	// Go.
	Typed json.RawMessage `json:",omitempty"`
	// Object is the spec that is stored if there are no Errors. Errors are "Type path",
	// sorted.
	Object json.RawMessage
	Errors []string
	// Cleared is set if normalization clears a member.
	Cleared bool
	// Unknown is set if New has a field that the server does not know.
	Unknown bool
}

// TestWriteClusterRows writes the table of cases and the version-skew matrix to a directory,
// so that e2e can make the requests to a real server. Without a directory, it does nothing.
func TestWriteClusterRows(t *testing.T) {
	dir := os.Getenv(clusterRowsVariable)
	if dir == "" {
		t.Skip(clusterRowsVariable + " is not set")
	}
	for i, shape := range slices.Concat(shapesOfRows(t, FormCEL), shapesOfRows(t, FormOneOf), shapesOfMatrix(t)) {
		data, err := json.Marshal(shape)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.json", i)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// shapesOfRows returns the shapes of the table of cases. "places" is in the cel form only.
func shapesOfRows(t *testing.T, form Form) []clusterShape {
	var out []clusterShape
	index := map[string]int{}
	for _, r := range rows() {
		if r.shape == "places" && form != FormCEL {
			continue
		}
		name := fmt.Sprintf("%s, %s, carry-over only %t", form, r.shape, r.opts.CarryOverOnly)
		at, known := index[name]
		if !known {
			s := placesSchema(t)
			if r.shape != "places" {
				s = schemaFor(t, abc(r.shape), LowerOptions{Forms: []Form{form}})
			}
			at = len(out)
			index[name] = at
			shape := newClusterShape(t, name, fmt.Sprintf("%srows%d", strings.ToLower(string(form)), at), s, r.opts)
			shape.Poor = form == FormOneOf
			open := true
			shape.Loose = shape.definition(t, objectSchema(property("spec", &structural.Schema{
				Generic: structural.Generic{Type: "object"}, Extensions: structural.Extensions{XPreserveUnknownFields: &open},
			})))
			out = append(out, shape)
		}
		row := clusterRow{Name: r.name, Operation: "POST", New: json.RawMessage(r.new), Object: json.RawMessage(r.new), Errors: r.serverErrors()}
		if form != FormCEL {
			row.Name += ", " + string(form)
		}
		if !r.untyped {
			shape := r.shape
			if shape != "places" {
				shape = "flat " + shape
			}
			row.Typed = sentTyped(t, shape, object(t, r.new))
		}
		if r.want != "" {
			row.Object = json.RawMessage(r.want)
		}
		if r.server != nil && r.server.want != "" {
			row.Object = json.RawMessage(r.server.want)
		}
		if r.old != "" {
			row.Operation, row.Old = "PUT", json.RawMessage(r.old)
		}
		row.Cleared = r.old != "" && r.want != "" && len(row.Errors) == 0
		out[at].Rows = append(out[at].Rows, row)
	}
	return out
}

// serverErrors returns the errors of a server below spec.
func (r row) serverErrors() []string {
	errs := slices.DeleteFunc(slices.Clone(r.errs), func(text string) bool { return strings.HasPrefix(text, "Invalid ") })
	if r.server != nil {
		errs = slices.Clone(r.server.errs)
	}
	return belowSpec(errs)
}

func belowSpec(errs []string) []string {
	out := []string{}
	for _, text := range errs {
		kind, path, _ := strings.Cut(text, " ")
		if path == "<nil>" {
			path = "spec"
		} else {
			path = "spec." + path
		}
		out = append(out, kind+" "+path)
	}
	slices.Sort(out)
	return out
}

func shapesOfMatrix(t *testing.T) []clusterShape {
	var out []clusterShape
	index := map[string]int{}
	for _, r := range matrix(t) {
		clientKnowsN := r.skew == "server old" || r.skew == "none"
		serverKnowsN := r.skew == "client old" || r.skew == "none"
		for column, want := range r.want {
			if want == "n/a" || want == "-" {
				continue
			}
			u := matrixUnion(column, serverKnowsN)
			name := fmt.Sprintf("matrix, column %d, with n %t", column, serverKnowsN)
			at, known := index[name]
			if !known {
				at = len(out)
				index[name] = at
				out = append(out, newClusterShape(t, name, fmt.Sprintf("matrix%d", at), schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}}), Options{}))
			}
			stored := map[string]any{r.stored: map[string]any{}, "other": "o"}
			if u.Discriminator != "" {
				stored["type"] = strings.ToUpper(r.stored)
			}
			request := r.request(stored, u.Discriminator != "", clientKnowsN)
			if r.client == "structured" {
				request = object(t, string(sentTyped(t, matrixShape(column, clientKnowsN), request)))
			}
			row := clusterRow{
				Name:      fmt.Sprintf("%s, column %d", r.name, column),
				About:     fmt.Sprintf("%s, %s, %s", r.skew, r.client, r.intent),
				Operation: r.operation, Old: raw(t, stored), New: raw(t, request),
				Errors: []string{}, Cleared: strings.Contains(want, "} -"), Unknown: request["n"] != nil && !serverKnowsN,
			}
			if r.operation != "PUT" {
				row.New = raw(t, changes(stored, request))
			}
			if members, accepted := strings.CutPrefix(want, "ok {"); accepted {
				members, _, _ = strings.Cut(members, "}")
				for _, m := range []string{"a", "b", "n"} {
					if !slices.Contains(strings.Split(members, ","), m) {
						delete(request, m)
					}
				}
				row.Object = raw(t, request)
			} else {
				row.Errors = belowSpec(strings.Split(want, ", "))
			}
			out[at].Rows = append(out[at].Rows, row)
		}
	}
	return out
}

// changes returns the fields that differ, with null for removed ones.
func changes(old, new map[string]any) map[string]any {
	out := map[string]any{}
	for name := range old {
		if _, ok := new[name]; !ok {
			out[name] = nil
		}
	}
	for name, value := range new {
		if before, ok := old[name]; !ok || fmt.Sprint(before) != fmt.Sprint(value) {
			out[name] = value
		}
	}
	return out
}

func raw(t *testing.T, object map[string]any) json.RawMessage {
	return json.RawMessage(encoded(t, object))
}

func newClusterShape(t *testing.T, name, plural string, s *structural.Schema, opts Options) clusterShape {
	t.Helper()
	root := objectSchema(property("spec", s))
	out := clusterShape{Name: name, Plural: plural, Kind: strings.ToUpper(plural[:1]) + plural[1:]}
	out.CRD = out.definition(t, root)
	policy, binding, err := Policies(root, PolicyTarget{Group: "cases.test", Version: "v1", Plural: plural}, opts)
	switch {
	case err != nil:
		out.PolicyError = err.Error()
	case policy != nil:
		text, err := PolicyYAML(policy, binding)
		if err != nil {
			t.Fatal(err)
		}
		out.Policy = string(text)
	}
	return out
}

func (c clusterShape) definition(t *testing.T, root *structural.Schema) string {
	t.Helper()
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   metav1.ObjectMeta{Name: c.Plural + ".cases.test"},
		"spec": apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cases.test",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: c.Plural, Kind: c.Kind},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: root.Props()},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
