package verify

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// Handler returns a function that returns the server's handling of objects of a version of a
// definition. No object is stored. What the definitions of several calls share in memory is prepared
// once. Answers are kept, if the definition was generated: another one with the same text gets
// them without preparing the version, which may take longer than most requests.
func (v *Verifier) Handler() crd.Handler {
	shared := &apiserver.Kinds{}
	return func(d *crd.Definition, served string) (crd.Handle, error) {
		if err := d.Check(); err != nil {
			return nil, err
		}
		return v.handle(d, served, sync.OnceValues(func() (crd.Handle, error) { return newHandle(d, served, shared) }))
	}
}

// handle returns the handling of objects of a version. prepare returns it without known answers.
func (v *Verifier) handle(d *crd.Definition, served string, prepare func() (crd.Handle, error)) (crd.Handle, error) {
	text := d.Provenance().Text
	if text == nil {
		return prepare()
	}
	key := versionKey{sha256.Sum256(text), served}
	known := v.handled.find(key)
	if known == nil {
		if _, err := prepare(); err != nil {
			return nil, err
		}
		known = v.handled.add(key)
	}
	return func(ctx context.Context, r crd.Request) (crd.Answer, error) {
		request, err := json.Marshal(r)
		if err != nil {
			return crd.Answer{}, err
		}
		if answer, ok := known.Load(string(request)); ok {
			return answer.(crd.Answer), nil
		}
		handle, err := prepare()
		if err != nil {
			return crd.Answer{}, err
		}
		answer, err := handle(ctx, r)
		if err == nil {
			known.Store(string(request), answer)
		}
		return answer, err
	}, nil
}

// newHandle prepares a version of a definition.
func newHandle(d *crd.Definition, served string, shared *apiserver.Kinds) (crd.Handle, error) {
	definition, kind, err := kindOf(d, served, shared)
	if err != nil {
		return nil, err
	}
	group := definition.Spec.Group
	name := definition.Spec.Names.Kind
	namespaced := definition.Spec.Scope == apiextensionsv1.NamespaceScoped
	complete := func(object map[string]any, version string) map[string]any {
		if object == nil {
			return nil
		}
		metadata := map[string]any{"name": "example", "uid": "00000000-0000-0000-0000-000000000000"}
		if namespaced {
			metadata["namespace"] = "default"
		}
		if version != "" {
			metadata["resourceVersion"] = version
		}
		out := maps.Clone(object)
		out["apiVersion"] = group + "/" + served
		out["kind"] = name
		out["metadata"] = metadata
		return out
	}
	return func(ctx context.Context, r crd.Request) (crd.Answer, error) {
		var answer apiserver.Answer
		var err error
		switch {
		case r.Stored == nil:
			answer, err = kind.Create(ctx, complete(r.Object, ""))
		case r.Status:
			answer, err = kind.UpdateStatus(ctx, complete(r.Object, "1"), complete(r.Stored, "1"))
		default:
			answer, err = kind.Update(ctx, complete(r.Object, "1"), complete(r.Stored, "1"))
		}
		out := crd.Answer{Object: answer.Object}
		for _, e := range slices.Concat(answer.Errors, answer.Unchecked) {
			out.Refusals = append(out.Refusals, crd.Refusal{Path: e.Field, Text: e.Error()})
		}
		return out, err
	}, nil
}

// kindOf prepares a version of a definition, and returns that with or without its schemas.
func kindOf(d *crd.Definition, served string,
	shared *apiserver.Kinds) (*apiextensionsv1.CustomResourceDefinition, *apiserver.Kind, error) {
	if d.CRD != nil || d.Provenance().BuildWith == nil { // only generated definitions share nodes
		definition := d.CRD
		if definition == nil {
			definition = d.Build()
		}
		kind, err := apiserver.NewKind(definition, served)
		return definition, kind, err
	}
	definition := d.Provenance().BuildWith(nil)
	i := slices.IndexFunc(definition.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == served })
	switch {
	case i < 0:
		return nil, nil, fmt.Errorf("%s has no version %s", definition.Name, served)
	case i >= len(d.Schemas):
		return nil, nil, fmt.Errorf("%s has no schema of version %s", definition.Name, served)
	}
	kind, err := shared.New(definition, d.Schemas[i], served)
	return definition, kind, err
}

// versionKey identifies a version of a definition by the definition's bytes.
type versionKey struct {
	definition [sha256.Size]byte
	version    string
}

// maxAnswered is the number of versions whose answers are kept.
const maxAnswered = 1000

// answeredVersions are answers by version, and by request as JSON. The zero value is empty.
type answeredVersions struct {
	mu       sync.Mutex
	versions map[versionKey]*sync.Map
}

// find returns the answers for a version that can be served, or nil.
func (a *answeredVersions) find(key versionKey) *sync.Map {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.versions[key]
}

// add returns the answers for a version that can be served.
func (a *answeredVersions) add(key versionKey) *sync.Map {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.versions == nil || len(a.versions) >= maxAnswered {
		a.versions = map[versionKey]*sync.Map{}
	}
	if a.versions[key] == nil {
		a.versions[key] = &sync.Map{}
	}
	return a.versions[key]
}
