package apiserver

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	genericrequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
	"sigs.k8s.io/yaml"
)

// parse decodes a CRD strictly.
func parse(t testing.TB, text string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), crd); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return crd
}

func target(t testing.TB, version string) *Target {
	t.Helper()
	out, err := NewTarget(version)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// newest returns the version of the linked library.
func newest() string { return linkedVersion().String() }

// response is the response to a request: sorted error and warning texts without duplicates.
type response struct{ errors, warnings []string }

func tidy(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

func responseOf(findings []Finding) response {
	var out response
	for _, f := range findings {
		if f.Warning {
			out.warnings = append(out.warnings, f.String())
		} else {
			out.errors = append(out.errors, f.String())
		}
	}
	return response{tidy(out.errors), tidy(out.warnings)}
}

type recorder struct{ texts []string }

func (r *recorder) AddWarning(_, text string) { r.texts = append(r.texts, text) }

// server is the API server's registry of CRDs.
type server struct{ scheme *runtime.Scheme }

func newServer() server {
	s := server{runtime.NewScheme()}
	install.Install(s.scheme)
	return s
}

func (s server) decode(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	crd = crd.DeepCopy()
	s.scheme.Default(crd)
	out := &apiextensions.CustomResourceDefinition{}
	if err := s.scheme.Convert(crd, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

func (s server) context(r *recorder) context.Context {
	return warning.WithWarningRecorder(genericrequest.WithNamespace(context.Background(), ""), r)
}

// create returns the server's response to a create.
func (s server) create(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) response {
	t.Helper()
	in, r := s.decode(t, crd), &recorder{}
	rest.FillObjectMetaSystemFields(in)
	err := rest.BeforeCreate(customresourcedefinition.NewStrategy(s.scheme), s.context(r), in)
	return s.response(t, err, r)
}

// stored returns the object as stored after a create, and established.
func (s server) stored(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	out := s.decode(t, crd)
	rest.FillObjectMetaSystemFields(out)
	customresourcedefinition.NewStrategy(s.scheme).PrepareForCreate(context.Background(), out)
	out.ResourceVersion = "7"
	out.Status.AcceptedNames = out.Spec.Names
	out.Status.Conditions = []apiextensions.CustomResourceDefinitionCondition{{Type: apiextensions.Established, Status: apiextensions.ConditionTrue}}
	return out
}

// update returns the server's response to kubectl apply.
func (s server) update(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition, old *apiextensions.CustomResourceDefinition) response {
	t.Helper()
	in, r := s.decode(t, crd), &recorder{}
	in.ResourceVersion, in.CreationTimestamp = old.ResourceVersion, old.CreationTimestamp
	if in.UID == "" {
		in.UID = old.UID
	}
	err := rest.BeforeUpdate(customresourcedefinition.NewStrategy(s.scheme), s.context(r), in, old)
	return s.response(t, err, r)
}

var selfType = regexp.MustCompile(`selfType\d+`)

func (s server) response(t testing.TB, err error, r *recorder) response {
	t.Helper()
	out := response{warnings: tidy(r.texts)}
	if err == nil {
		return out
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Fatal(err)
	}
	for _, c := range status.Status().Details.Causes {
		out.errors = append(out.errors, selfType.ReplaceAllString(c.Field+": "+c.Message, "selfType"))
	}
	out.errors = tidy(out.errors)
	return out
}

// same compares responses. The server omits warnings if there are errors.
func same(t testing.TB, want, got response) {
	t.Helper()
	if len(want.errors) > 0 {
		want.warnings, got.warnings = nil, nil
	}
	for _, part := range []struct {
		kind      string
		want, got []string
	}{{"error", want.errors, got.errors}, {"warning", want.warnings, got.warnings}} {
		for _, text := range part.want {
			if !slices.Contains(part.got, text) {
				t.Errorf("missing %s: %s", part.kind, text)
			}
		}
		for _, text := range part.got {
			if !slices.Contains(part.want, text) {
				t.Errorf("unexpected %s: %s", part.kind, text)
			}
		}
	}
}
