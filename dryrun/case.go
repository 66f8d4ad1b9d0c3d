package dryrun

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// generatedName is the name given to objects without one: openshift's suites let the
// server generate one from "test-".
const generatedName = "test-vwxyz"

// kindsOf returns the version that a suite tests of each variant of its CRD that fits, whether or
// not it is served: openshift's suites set it to served. If there is none, a finding gives the
// reason.
func (t *Trial) kindsOf(s *suite) ([]*Kind, diag.List) {
	fail := func(pos diag.Position, hint, format string, args ...any) ([]*Kind, diag.List) {
		return nil, diag.List{wrongSuite.At(pos, hint, format, args...)}
	}
	variants := t.variants(s.crdName.value, s.file)
	several := len(variants) > 1
	if len(variants) == 0 {
		return fail(s.crdName.pos, t.Hints.withCRD("name its CRD"), "there is no CRD %s", s.crdName.value)
	}
	if len(s.gates) > 0 && several {
		variants = slices.DeleteFunc(variants, func(d *crd.Definition) bool { return !t.fits(d, s.gates) })
		if len(variants) == 0 {
			return fail(s.gatesAt, "the states of gates are those of the FeatureGate objects beside the CRDs", "no CRD %s fits these gates", s.crdName.value)
		}
	}
	var findings diag.List
	if len(s.gates) > 0 && !several {
		note := wrongSuite.At(s.gatesAt, t.Hints.withCRD("name the CRD for these gates"), "featureGates have no effect here")
		findings = append(findings, note.As(diag.Note))
	}
	var out []*Kind
	for _, d := range variants {
		version := s.version.value
		if version == "" {
			if len(d.CRD.Spec.Versions) > 1 {
				return fail(s.crdName.pos, "name the version", "the CRD has more than one version, and the test suite does not name one")
			}
			version = d.CRD.Spec.Versions[0].Name
		}
		key := testedVersion{d, version}
		if t.tested[key] == nil {
			i := slices.IndexFunc(d.CRD.Spec.Versions,
				func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
			if i < 0 {
				return fail(s.version.pos, "", "the CRD %s has no version %s", d.CRD.Name, version)
			}
			t.tested[key] = t.newKind(d, i)
		}
		kind := t.tested[key]
		if _, err := kind.server(); err != nil {
			return nil, append(findings, kind.unserved(err))
		}
		out = append(out, kind)
	}
	return out, findings
}

// Failure is the reason for which a case fails.
type Failure struct {
	// Diagnostic is at the line of the suite that does not hold.
	diag.Diagnostic
	// Want and Got are the expected and the stored object as YAML, if they differ.
	Want, Got []byte
}

func (c *Case) failed(pos diag.Position, format string, args ...any) *Failure {
	if pos.Line == 0 {
		pos = c.pos
	}
	return &Failure{Diagnostic: caseFails.At(pos, "", "%s: %s", c.Name, fmt.Sprintf(format, args...))}
}

// rejected reports an object that should be stored but is rejected.
func (c *Case) rejected(what string, kind *Kind, o *Object, a apiserver.Answer) *Failure {
	var errs diag.List
	for _, d := range slices.Concat(kind.unknown(o, a, ValidateWarn), kind.findings(o, a, Hints{})) {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		}
	}
	f := c.failed(errs[0].Pos, "the %s object is rejected: %s", what, errs[0].Message)
	f.Related = errs[0].Related
	for _, d := range errs[1:] {
		f.Related = append(append(f.Related, diag.Related{Pos: d.Pos, Message: d.Message}), d.Related...)
	}
	return f
}

// Run runs the case. It returns nil if the server does what the case expects.
//
// It covers those parts of openshift/api's tests/generator.go that depend on the
// server's answers.
func (c *Case) Run(ctx context.Context) (*Failure, error) {
	kind := c.kind
	if kind == nil {
		return nil, errNoTrial
	}
	initial, f := c.object(c.initial, "initial")
	if f != nil {
		return f, nil
	}
	server, err := kind.server()
	if err != nil {
		return nil, err
	}
	if !c.update {
		complete(initial, kind, nil)
		answer, err := server.Create(ctx, initial.Value)
		if err != nil || !c.expectedError.isEmpty() {
			return c.wantError(c.expectedError, kind, initial, answer), err
		}
		if len(answer.Errors) > 0 {
			return c.rejected("initial", kind, initial, answer), nil
		}
		return c.compare(kind, c.expectedOr(c.initial), answer.Object)
	}
	stored, f, err := c.store(ctx, initial)
	if f != nil || err != nil {
		return f, err
	}
	updated, f := c.object(c.updated, "updated")
	if f != nil {
		return f, nil
	}
	complete(updated, kind, stored)
	answer, err := server.Update(ctx, updated.Value, stored)
	if err != nil || !c.expectedError.isEmpty() {
		return c.wantError(c.expectedError, kind, updated, answer), err
	}
	if len(answer.Errors) > 0 {
		return c.rejected("updated", kind, updated, answer), nil
	}
	status, ok := updated.Value["status"]
	ok = ok && server.HasStatus()
	if !ok && !c.expectedStatusError.isEmpty() {
		return c.failed(c.expectedStatusError.pos, "the status is not updated: the updated object has no status, or the CRD has no status subresource"), nil
	}
	if ok {
		stored = answer.Object
		answer, err = server.UpdateStatus(ctx, withStatus(stored, status), stored)
		if err != nil || !c.expectedStatusError.isEmpty() {
			return c.wantError(c.expectedStatusError, kind, updated, answer), err
		}
		if len(answer.Errors) > 0 {
			return c.rejected("updated", kind, updated, answer), nil
		}
	}
	return c.compare(kind, c.expectedOr(c.updated), answer.Object)
}

// expectedOr returns the expected object, or text if none is given.
func (c *Case) expectedOr(text suiteText) suiteText {
	if c.expected.isEmpty() {
		return text
	}
	return c.expected
}

// store creates the initial object of an update, with its status, using the patched CRD
// if there are patches.
func (c *Case) store(ctx context.Context, initial *Object) (map[string]any, *Failure, error) {
	kind := c.kind
	complete(initial, kind, nil)
	first := kind
	if len(c.initialCRDPatches) > 0 {
		var err error
		first, err = c.trial.patchedKind(kind, c.initialCRDPatches)
		if err != nil {
			return nil, c.failed(c.initialCRDPatchesAt, "%v", err), nil
		}
	}
	server, err := first.server()
	if err != nil {
		return nil, c.failed(c.initialCRDPatchesAt, "the patched CRD cannot be served: %v", err), nil
	}
	answer, err := server.Create(ctx, initial.Value)
	if err != nil {
		return nil, nil, err
	}
	if len(answer.Errors) > 0 {
		return nil, c.rejected("initial", first, initial, answer), nil
	}
	if status, ok := initial.Value["status"]; ok && server.HasStatus() {
		stored := answer.Object
		answer, err = server.UpdateStatus(ctx, withStatus(stored, status), stored)
		if err != nil {
			return nil, nil, err
		}
		if len(answer.Errors) > 0 {
			return nil, c.rejected("initial", first, initial, answer), nil
		}
	}
	if first == kind {
		return answer.Object, nil, nil
	}
	// openshift's runner updates the unchanged object to check that the original CRD
	// is back.
	server, err = kind.server()
	if err != nil {
		return nil, nil, err
	}
	answer, err = server.Update(ctx, answer.Object, answer.Object)
	if err == nil && len(answer.Errors) > 0 {
		return nil, c.rejected("initial", kind, initial, answer), nil
	}
	return answer.Object, nil, err
}

// patchedKind returns a version of its CRD after applying a JSON patch (RFC 6902).
func (t *Trial) patchedKind(kind *Kind, patches []any) (*Kind, error) {
	d := kind.definition
	i := slices.IndexFunc(d.CRD.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == kind.Version })
	patched, err := patchedCRD(d.CRD, i, patches)
	if err != nil {
		return nil, err
	}
	model, _ := structural.FromProps(patched.Spec.Versions[0].Schema.OpenAPIV3Schema)
	return t.newKind(&crd.Definition{CRD: patched, Schemas: []*structural.Schema{model}, Position: d.Position}, 0), nil
}

// patchedCRD applies a JSON patch to a definition. As in openshift's runner, the result
// has only the version of the suite, given by its index.
func patchedCRD(crd *apiextensionsv1.CustomResourceDefinition, version int,
	patches []any) (*apiextensionsv1.CustomResourceDefinition, error) {
	text, err := json.Marshal(patches)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	single := crd.DeepCopy()
	single.Spec.Versions = single.Spec.Versions[version : version+1]
	text, err = json.Marshal(single)
	if err != nil {
		return nil, err
	}
	text, err = patch.Apply(text)
	if err != nil {
		return nil, err
	}
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(text, out); err != nil {
		return nil, err
	}
	if len(out.Spec.Versions) != 1 || out.Spec.Versions[0].Schema == nil || out.Spec.Versions[0].Schema.OpenAPIV3Schema == nil {
		return nil, errors.New("the patched CRD has no schema")
	}
	return out, nil
}

// object decodes an object of a case.
func (c *Case) object(text suiteText, what string) (*Object, *Failure) {
	objects, findings := ReadObjects(crd.File{Name: text.pos.File, Data: []byte(text.value)})
	if i := slices.IndexFunc(findings, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); i >= 0 {
		position := findings[i].Pos
		return nil, c.failed(text.place(position.Line, position.Column), "the %s object: %s", what, findings[i].Message)
	}
	if len(objects) != 1 {
		return nil, c.failed(text.pos, "%s must be one object, not %d", what, len(objects))
	}
	inText := objects[0].position
	objects[0].position = func(pos token.Pos) diag.Position {
		position := inText(pos)
		return text.place(position.Line, position.Column)
	}
	return objects[0], nil
}

// complete gives an object the name and the namespace that the runner gives it: those of
// the stored object if there is one.
func complete(o *Object, kind *Kind, stored map[string]any) {
	metadata, ok := o.Value["metadata"].(map[string]any)
	if !ok {
		if o.Value["metadata"] != nil {
			return // the server will report the error
		}
		metadata = map[string]any{}
		o.Value["metadata"] = metadata
	}
	if old, ok := stored["metadata"].(map[string]any); ok {
		for _, name := range []string{"name", "namespace"} {
			if delete(metadata, name); old[name] != nil {
				metadata[name] = old[name]
			}
		}
		return
	}
	if name, ok := metadata["name"].(string); !ok && metadata["name"] == nil || name == "" && ok {
		metadata["name"] = generatedName
	}
	if delete(metadata, "namespace"); kind.namespaced {
		metadata["namespace"] = metav1.NamespaceDefault
	}
}

// withStatus returns an object with a different status.
func withStatus(object map[string]any, status any) map[string]any {
	out := runtime.DeepCopyJSON(object)
	out["status"] = status
	return out
}

// wantError returns a failure unless an object is rejected as expected.
func (c *Case) wantError(want suiteText, kind *Kind, o *Object, a apiserver.Answer) *Failure {
	if len(a.Errors) == 0 {
		return c.failed(want.pos, "expected an error containing %q, but the object is stored", want.value)
	}
	metadata, _ := o.Value["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	text := apierrors.NewInvalid(schema.GroupKind{Group: kind.Group, Kind: kind.Kind}, name, a.Errors).Error()
	if strings.Contains(text, want.value) {
		return nil
	}
	for _, older := range olderWords(text, kind.schema, a.Errors) {
		if strings.Contains(older, want.value) {
			return nil
		}
	}
	return c.failed(want.pos, "expected an error containing %q, but the server reports: %s", want.value, oneLine(text))
}

// olderWords returns the text of errors as printed by older servers, for which suites may
// have been written: for a violated rule they print the type of the value, or of the one
// that has the rule, null in quotes, and values in Go syntax. Servers before 1.36 do not check
// numbers against their format. What else schema validation reports is the same.
func olderWords(text string, s *structural.Schema, errs field.ErrorList) []string {
	atValue := text
	atRule := text
	for _, e := range errs {
		found := e.Error()
		replace := func(value, rule string) {
			atValue = strings.Replace(atValue, found, value, 1)
			atRule = strings.Replace(atRule, found, rule, 1)
		}
		switch {
		case e.Type == field.ErrorTypeDuplicate:
			older := fmt.Sprintf("%s: %s: %#v", e.Field, e.Type, e.BadValue)
			replace(older, older)
		case strings.HasPrefix(e.Detail, checkedFormat):
			atValue = withoutError(atValue, found)
			atRule = withoutError(atRule, found)
		case isOfSchema(e):
			older := integerWords(found)
			replace(older, older)
		case e.Type == field.ErrorTypeInvalid && e.BadValue == nil:
			older := fmt.Sprintf("%s: Invalid value: \"null\": %s", e.Field, e.Detail)
			replace(older, older)
		case e.Type == field.ErrorTypeInvalid:
			nodes := locate.Follow(s, e.Field)
			replace(fmt.Sprintf("%s: Invalid value: %q: %s", e.Field, nodes[len(nodes)-1].Schema.Type, e.Detail),
				fmt.Sprintf("%s: Invalid value: \"object\": %s", e.Field, e.Detail))
		}
	}
	return []string{atValue, atRule}
}

// checkedFormat is how the message begins with which servers from 1.36 on also report a number
// that its format does not allow.
const checkedFormat = "Checked value must be of type "

// isOfSchema reports whether an error is by a value validation of the schema, not by a rule.
func isOfSchema(e *field.Error) bool {
	return strings.Contains(e.Detail, " in body ") || strings.Contains(e.Detail, `" must validate `)
}

// integerWords translates the message about a number that is not an integer.
func integerWords(text string) string {
	return strings.NewReplacer(
		`"float64"`, `"number"`,
		"must be of type int32:", "must be of type integer:",
		"must be of type int64:", "must be of type integer:",
	).Replace(text)
}

// withoutError removes an error from a list of several.
func withoutError(text, found string) string {
	if head, tail, ok := strings.Cut(text, ", "+found); ok {
		return head + tail
	}
	return strings.Replace(text, found+", ", "", 1)
}

// compare returns a failure unless the stored object is the expected one.
func (c *Case) compare(kind *Kind, want suiteText, stored map[string]any) (*Failure, error) {
	expected, f := c.object(want, "expected")
	if f != nil {
		return f, nil
	}
	a, err := clientView(expected.Value)
	if err != nil {
		return nil, err
	}
	b, err := clientView(stored)
	if err != nil {
		return nil, err
	}
	path, differs := firstDifference(a, b, expected, nil)
	if !differs {
		return nil, nil
	}
	f = c.failed(expected.Position(path), "the stored object differs from the expected one at %s", cmp.Or(path.String(), "the object"))
	f.Want, err = orderedYAML(expected.keys, kind.schema, a)
	if err != nil {
		return nil, err
	}
	f.Got, err = orderedYAML(expected.keys, kind.schema, b)
	return f, err
}

// clientView returns an object as clients see it, without the parts that openshift's
// runner does not compare: its name, and metadata that a server writes.
func clientView(object map[string]any) (map[string]any, error) {
	text, err := json.Marshal(object) // clients do not distinguish 1.0 from 1
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := utiljson.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	if metadata, ok := out["metadata"].(map[string]any); ok {
		for _, name := range []string{"name", "namespace", "generateName", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "selfLink"} {
			delete(metadata, name)
		}
		if len(metadata) == 0 {
			delete(out, "metadata")
		}
	}
	return out, nil
}

// firstDifference returns the path of the first value, in the order of the expected
// object, that differs.
func firstDifference(a, b any, o *Object, location *structural.ObjectPath) (*structural.ObjectPath, bool) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return location, true
		}
		for _, name := range orderOf(o.keys(location), nil, a) {
			other, ok := b[name]
			if !ok {
				return location.Field(name), true
			}
			if path, differs := firstDifference(a[name], other, o, location.Field(name)); differs {
				return path, true
			}
		}
		for _, name := range orderOf(nil, nil, b) {
			if _, ok := a[name]; !ok {
				return location.Field(name), true
			}
		}
		return nil, false
	case []any:
		b, ok := b.([]any)
		if !ok {
			return location, true
		}
		for i := range min(len(a), len(b)) {
			if path, differs := firstDifference(a[i], b[i], o, location.Element(i)); differs {
				return path, true
			}
		}
		return location.Element(min(len(a), len(b))), len(a) != len(b)
	}
	return location, !reflect.DeepEqual(a, b)
}
