package dryrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/structural"
)

// Trial predicts what an API server with some CRDs would do with objects.
type Trial struct {
	// Subresource is the subresource through which objects are written: "" for the
	// object itself, "status", or "scale" with objects of kind Scale.
	Subresource string
	// Stored returns the stored object with a key, which a request replaces, or nil if
	// there is none. If Stored is nil, every object is treated as new.
	Stored func(Key) (map[string]any, error)
	// Converts is set if a webhook converts between the versions of all kinds, whatever their CRDs
	// say. Otherwise the server does, for CRDs that have no webhook, as it does on its own.
	Converts bool
	// FieldValidation decides about unknown fields.
	FieldValidation FieldValidation
	// Hints complete the hints of findings.
	Hints Hints

	definitions []*crd.Definition
	// kinds are the served versions, by "Kind.group/version"; tested are the versions
	// that suites test, served or not.
	kinds  map[string]*Kind
	tested map[testedVersion]*Kind
	gates  []featureGates
	// shared prepares the servers of all kinds.
	shared *apiserver.Kinds
	// invalid is the error of a definition that New was called with.
	invalid  error
	policies policies
}

// FieldValidation is what a server does with an object that has unknown fields. The client asks for it,
// with the values of kubectl --validate.
type FieldValidation string

// The values of FieldValidation. The zero value is ValidateWarn, a server's default.
const (
	ValidateStrict FieldValidation = "strict" // reject the object, the default of kubectl
	ValidateWarn   FieldValidation = "warn"   // drop the fields, with a warning
	ValidateIgnore FieldValidation = "ignore" // drop the fields
)

// Hints complete the hints of findings with the options of the calling program. The zero
// value adds nothing.
type Hints struct {
	// CRD tells how to name a CRD: "as an argument".
	CRD string
	// Status tells how to write a status: "try --subresource status".
	Status string
}

// withCRD returns a hint to name a CRD.
func (h Hints) withCRD(text string) string { return strings.TrimSuffix(text+" "+h.CRD, " ") }

// New returns a trial with the CRDs of some definitions. If two of them have the same
// version of a kind, the first one is used. If one has no CRD, the methods of the trial fail.
func New(definitions ...*crd.Definition) *Trial {
	t := &Trial{kinds: map[string]*Kind{}, tested: map[testedVersion]*Kind{}, shared: &apiserver.Kinds{}}
	for _, given := range definitions {
		d, err := given.Completed()
		if err != nil {
			t.invalid = errors.Join(t.invalid, err)
			continue
		}
		if d.CRD == nil {
			d.CRD = d.Build()
		}
		t.definitions = append(t.definitions, d)
		storage := t.storageOf(d)
		for i, v := range d.CRD.Spec.Versions {
			key := kindKey(d.CRD.Spec.Group+"/"+v.Name, d.CRD.Spec.Names.Kind)
			if v.Served && t.kinds[key] == nil {
				t.kinds[key] = t.newKind(d, i)
				t.kinds[key].storedAs(t, storage)
			}
		}
	}
	return t
}

// PruneByProposal makes the trial prune objects by the skeletons of their schemas, which need
// not be structural, as the KEP "Pruning for Custom Resources" proposes it. Findings tell what
// a server does otherwise. It must be called before the first object is tried.
func (t *Trial) PruneByProposal() {
	for _, k := range t.kinds {
		k.server = k.proposal
	}
}

// newKind returns the version of a definition with the given index.
func (t *Trial) newKind(d *crd.Definition, i int) *Kind {
	k := newKind(d, i, t.shared)
	k.follow(&t.policies)
	return k
}

// kindKey returns the key of a version of a kind in Trial.kinds.
func kindKey(apiVersion, kind string) string { return kind + "." + apiVersion }

// Kind returns the kind with a name: "Kind", "Kind.group" or "Kind.group/version". If the
// name matches several versions, it is the storage version.
func (t *Trial) Kind(name string) (*Kind, error) {
	if t.invalid != nil {
		return nil, t.invalid
	}
	var found []*Kind
	known := slices.Sorted(maps.Keys(t.kinds))
	for _, key := range known {
		k := t.kinds[key]
		if name == k.Kind || name == k.Kind+"."+k.Group || name == key {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no such kind; known kinds: %s", strings.Join(known, ", "))
	}
	for _, k := range found {
		if k.Group != found[0].Group {
			return nil, fmt.Errorf("is it %s.%s or %s.%s?", k.Kind, found[0].Group, k.Kind, k.Group)
		}
	}
	if i := slices.IndexFunc(found, func(k *Kind) bool { return k.isStorage }); i >= 0 {
		return found[i], nil
	}
	return found[0], nil
}

// Action is the effect of a request on an object.
type Action string

// Actions. A [Result] without an action had no request to try.
const (
	Created  Action = "created"
	Updated  Action = "updated"
	Rejected Action = "rejected"
)

// Result is the predicted response of a server to an object.
type Result struct {
	// Kind is the kind of the object, nil if it is unknown.
	Kind *Kind
	// Action is empty if there was no request to try; Findings or, if the kind cannot be
	// served, [Kind.Check] give the reason.
	Action Action
	// Stored is the stored object, or the object that would be stored without the errors.
	Stored map[string]any
	// Findings report what the server drops, defaults and rejects, each at its position.
	Findings diag.List

	object *Object
	// given is the object that the request changes.
	given map[string]any
}

// GivenYAML returns the object that the request changes as YAML, with its keys in file
// order: the object itself, or the one of which it is a part. It returns nil if there was
// no request.
func (r *Result) GivenYAML() ([]byte, error) {
	return r.yaml(r.given)
}

// StoredYAML returns the stored object as YAML. Keys that are not in the file come last,
// in schema order. It returns nil if there was no request.
func (r *Result) StoredYAML() ([]byte, error) {
	return r.yaml(r.Stored)
}

// yaml renders an object of the kind. It returns nil if there was no request.
func (r *Result) yaml(object map[string]any) ([]byte, error) {
	if r.Action == "" || r.object == nil {
		return nil, nil
	}
	return orderedYAML(r.object.keys, r.Kind.schema, object)
}

// Try tries an object: as a new object, or as a replacement of the stored one or a part of
// it. The error is not about the object: the context has ended, or the server's code
// failed. Try may be called concurrently; Stored is then called concurrently, too.
func (t *Trial) Try(ctx context.Context, o *Object) (*Result, error) {
	switch {
	case o == nil:
		return nil, errors.New("there is no object to try")
	case t.invalid != nil:
		return nil, t.invalid
	}
	switch t.Subresource {
	case "", "status", "scale":
	default:
		return nil, fmt.Errorf("unknown subresource %q: use status, scale, or none", t.Subresource)
	}
	r := &Result{object: o}
	if t.Subresource == "scale" {
		return r, t.scale(ctx, r)
	}
	r.Kind = t.kinds[kindKey(o.APIVersion, o.Kind)]
	if r.Kind == nil {
		d := noKind.At(o.Pos, t.nearestKind(o), "%s", t.unknownKind(o))
		if o.mixed && !t.hasSimilar(o) {
			d = d.As(diag.Note)
		}
		r.Findings = append(r.Findings, d)
		return r, nil
	}
	stored, err := t.stored(o.Key())
	if err != nil {
		return nil, err
	}
	return r, t.request(ctx, r, stored)
}

func (t *Trial) stored(key Key) (map[string]any, error) {
	if t.Stored == nil {
		return nil, nil
	}
	return t.Stored(key)
}

// scale tries a Scale of a stored object. A Scale does not name the object's kind.
func (t *Trial) scale(ctx context.Context, r *Result) error {
	o := r.object
	if o.APIVersion != "autoscaling/v1" || o.Kind != "Scale" {
		r.reject("the scale subresource is written with objects of kind Scale in autoscaling/v1")
		return nil
	}
	var kinds []*Kind
	var names []string
	var stored map[string]any
	for _, name := range slices.Sorted(maps.Keys(t.kinds)) {
		kind := t.kinds[name]
		if server, err := kind.server(); err != nil || !server.HasScale() {
			continue
		}
		key := o.Key()
		key.Group = kind.Group
		key.Kind = kind.Kind
		object, err := t.stored(key)
		if err != nil {
			return err
		}
		if object != nil && object["apiVersion"] == kind.Group+"/"+kind.Version {
			kinds = append(kinds, kind)
			names = append(names, kind.Kind+"."+kind.Group)
			stored = object
		}
	}
	switch len(kinds) {
	case 0:
		r.reject("no stored object %s has a scale subresource", o.Name)
	case 1:
		r.Kind = kinds[0]
		return t.request(ctx, r, stored)
	default:
		r.reject("more than one stored object %s has a scale subresource: %s; %s", o.Name, strings.Join(names, ", "), t.Hints.withCRD("name the CRD of one"))
	}
	return nil
}

// reject records the reason for which there is no request to try.
func (r *Result) reject(format string, args ...any) {
	r.Findings = append(r.Findings, notStored.At(r.object.Pos, "", format, args...).As(diag.Error))
}

// request tries the object with the server: as a new object, as a replacement of the stored
// one, or as a replacement of a part of it.
func (t *Trial) request(ctx context.Context, r *Result, stored map[string]any) error {
	o := r.object
	kind := r.Kind
	server, err := kind.server()
	if err != nil {
		return nil
	}
	var answer apiserver.Answer
	action := Updated
	r.given = o.Value
	switch {
	case t.Subresource == "scale":
		answer, err = server.UpdateScale(ctx, o.Value, stored)
		r.given = stored
	case t.Subresource == "status" && stored == nil:
		r.reject("%s %s is not among the stored objects: it has no status to update", o.Kind, o.Name)
		return nil
	case t.Subresource == "status" && !server.HasStatus():
		r.reject("the CRD of %s.%s has no status subresource in version %s", kind.Kind, kind.Group, kind.Version)
		return nil
	case t.Subresource == "status":
		answer, err = server.UpdateStatus(ctx, o.Value, stored)
	case stored != nil:
		answer, err = server.Update(ctx, o.Value, stored)
	default:
		if t.Stored != nil {
			r.Findings = append(r.Findings, notStored.At(o.Pos, "", "%s %s is not among the stored objects: tried as a new object", o.Kind, o.Name))
		}
		action = Created
		answer, err = server.Create(ctx, o.asNew())
	}
	if stored := (&apiserver.StoredError{}); errors.As(err, &stored) {
		r.reject("the stored %s %s is not an object of this kind: %v", o.Kind, o.Name, stored.Unwrap())
		return nil
	}
	if err != nil {
		return err
	}
	unknown := kind.unknown(o, answer, t.FieldValidation)
	if len(answer.Errors) > 0 || unknown.HasErrors() {
		action = Rejected
	}
	r.Action = action
	r.Stored = answer.Object
	r.Findings = append(append(r.Findings, unknown...), kind.findings(o, answer, t.Hints)...)
	if name := crd.ConversionAnnotation(kind.Group); t.Subresource == "" && !t.Converts && annotation(o.Value, name) != annotation(stored, name) {
		path := (*structural.ObjectPath)(nil).Field("metadata").Field("annotations").Field(name)
		r.Findings = append(r.Findings, exported.At(o.Position(path), "remove the annotation: schemagen try --to VERSION --strip does", "%s was kept by a conversion of another object, or at another time", name))
	}
	return nil
}

// annotation returns the value of an object's annotation.
func annotation(object map[string]any, name string) string {
	metadata, _ := object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, _ := annotations[name].(string)
	return value
}

// unknownKind returns the message for an unknown kind.
func (t *Trial) unknownKind(o *Object) string {
	group, _ := splitAPIVersion(o.APIVersion)
	var versions []string
	for _, k := range t.kinds {
		if k.Group == group && k.Kind == o.Kind {
			versions = append(versions, k.Version)
		}
	}
	if len(versions) > 0 {
		slices.Sort(versions)
		return fmt.Sprintf("the CRD of %s.%s does not serve %s, only %s", o.Kind, group, o.APIVersion, strings.Join(versions, ", "))
	}
	return fmt.Sprintf("no CRD for kind %s in %s", o.Kind, o.APIVersion)
}

// hasSimilar reports whether the group of an object has its kind, in another version, or one of a similar
// name.
func (t *Trial) hasSimilar(o *Object) bool {
	group, _, _ := strings.Cut(o.APIVersion, "/")
	var kinds []string
	for _, k := range t.kinds {
		if k.Group == group {
			kinds = append(kinds, k.Kind)
		}
	}
	slices.Sort(kinds)
	_, ok := words.Nearest(o.Kind, slices.Compact(kinds))
	return ok
}

// nearestKind returns the hint for an unknown kind.
func (t *Trial) nearestKind(o *Object) string {
	var kinds []string
	for _, k := range t.kinds {
		kinds = append(kinds, k.Kind)
	}
	slices.Sort(kinds)
	nearest, ok := words.Nearest(o.Kind, slices.Compact(kinds))
	if !ok {
		return t.Hints.withCRD("name its CRD")
	}
	var versions []string
	for _, k := range t.kinds {
		if k.Kind == nearest {
			versions = append(versions, k.Group+"/"+k.Version)
		}
	}
	slices.Sort(versions)
	if nearest == o.Kind {
		return fmt.Sprintf("there is %s in %s; or %s", nearest, strings.Join(versions, ", "), t.Hints.withCRD("name the CRD"))
	}
	return fmt.Sprintf("did you mean %s of %s?", nearest, strings.Join(versions, ", "))
}
