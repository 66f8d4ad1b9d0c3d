package dryrun

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// Kind is a version of a CRD.
type Kind struct {
	Group, Version, Kind string

	definition            *crd.Definition
	namespaced, isStorage bool
	schema                *structural.Schema
	// server prepares the version when its first object is tried, because there may be
	// many CRDs.
	server func() (*apiserver.Kind, error)
	// proposal is the variant of server that prunes as the pruning KEP proposes it.
	proposal func() (*apiserver.Kind, error)
	// rejection returns a warning if servers reject the CRD, and nil otherwise.
	rejection func() (*diag.Diagnostic, error)
	// position returns the position of a path below the schema.
	position func(path string) diag.Position
	// policies act on the trial's objects.
	policies *policies
}

// errNoTrial is the error of a Kind or a Case that was not returned by a Trial.
var errNoTrial = errors.New("kinds and cases come from a trial: see New")

// newKind returns the version of a definition with the given index. Its server is prepared with
// shared.
func newKind(d *crd.Definition, i int, shared *apiserver.Kinds) *Kind {
	v := d.CRD.Spec.Versions[i]
	prepare := func() (*apiserver.Kind, error) {
		if d.Provenance().BuildWith == nil { // only generated definitions share nodes
			return apiserver.NewKind(d.CRD, v.Name)
		}
		return shared.New(d.CRD, d.Schemas[i], v.Name)
	}
	path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
	return &Kind{
		definition: d,
		Group:      d.CRD.Spec.Group, Kind: d.CRD.Spec.Names.Kind, Version: v.Name, schema: d.Schemas[i],
		namespaced: d.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped, isStorage: v.Storage,
		server:    sync.OnceValues(prepare),
		proposal:  sync.OnceValues(func() (*apiserver.Kind, error) { return apiserver.NewSkeletonKind(d.CRD, v.Name) }),
		rejection: sync.OnceValues(func() (*diag.Diagnostic, error) { return rejectionOf(d) }),
		position: func(child string) diag.Position {
			pos, _ := d.Position(path + child)
			return pos
		},
	}
}

// Check reports errors that keep a server from serving the version or accepting its CRD.
// Objects are tried even if the CRD would be rejected.
func (k *Kind) Check() (diag.List, error) {
	if k.server == nil {
		return nil, errNoTrial
	}
	if _, err := k.server(); err != nil {
		return diag.List{k.unserved(err)}, nil
	}
	rejection, err := k.rejection()
	if rejection == nil {
		return nil, err
	}
	return diag.List{*rejection}, err
}

// unserved returns the finding for a version that no server would serve.
func (k *Kind) unserved(err error) diag.Diagnostic {
	return noKind.At(k.position(""), "run schemagen verify for details", "version %s of %s.%s cannot be served: %v", k.Version, k.Kind, k.Group, err)
}

// rejectionOf returns a warning if the server of the default version rejects the CRD, and
// nil otherwise.
func rejectionOf(d *crd.Definition) (*diag.Diagnostic, error) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		return nil, err
	}
	findings, err := target.ValidateCreate(context.Background(), d.CRD)
	for _, f := range findings {
		if f.Warning || f.Source != apiserver.Validation || len(f.Paths) == 0 || !strings.Contains(f.Paths[0], "].schema.") {
			continue // fields outside the schemas do not affect objects
		}
		pos, _ := d.Position(f.Paths[0])
		found := rejectedCRD.At(pos, "run schemagen verify for all errors", "the API server rejects the CRD of %s.%s, with which objects are tried: %s",
			d.CRD.Spec.Names.Kind, d.CRD.Spec.Group, strings.Join(strings.Fields(f.String()), " "))
		return &found, err
	}
	return nil, err
}

// unknown reports the fields that the server does not know: it drops them, or if verdict says so,
// rejects the object.
func (k *Kind) unknown(o *Object, a apiserver.Answer, verdict FieldValidation) (out diag.List) {
	add := func(pos diag.Position, hint, field, reason string) {
		switch verdict {
		case ValidateIgnore:
		case ValidateStrict:
			out = append(out, droppedField.At(pos, hint, "unknown field %s: %s", field, reason).As(diag.Error))
		default:
			out = append(out, droppedField.At(pos, hint, "%s is dropped: %s", field, reason))
		}
	}
	for _, path := range a.Pruned {
		steps := path.Steps()
		name := steps[len(steps)-1].Field
		node := locate.Value(k.schema, steps[:len(steps)-1])
		add(o.Position(path), words.DidYouMean(name, locate.FieldNames(node), ""), path.String(), "it is not in the schema")
	}
	for _, text := range a.Metadata {
		add(o.textPosition(text), "", text, "it is not a field of metadata")
	}
	return out
}

// findings reports what the server did with the fields of an object that it knows, each at its line.
func (k *Kind) findings(o *Object, a apiserver.Answer, hints Hints) diag.List {
	var out diag.List
	add := func(kind *diag.Kind, path *structural.ObjectPath, hint, format string, args ...any) {
		out = append(out, kind.At(o.Position(path), hint, format, args...))
	}
	for _, d := range a.Differences {
		out = append(out, k.otherwise(o, d))
	}
	for _, path := range a.Nulls {
		hint := "give it a value, or remove it"
		if node := locate.Value(k.schema, path.Steps()); node != nil && node.Type == "object" {
			hint = "give it fields, or write {}"
		}
		add(droppedField, path, hint, "%s is dropped: it is null, but not nullable", path)
	}
	if a.Storage != nil {
		out = append(out, k.stored(o, a.Storage)...)
	}
	for _, path := range a.Ignored {
		hint := ""
		why := "only the server writes it"
		switch path.String() {
		case "status":
			hint = hints.Status
			why = "it is written through the status subresource"
		case "metadata.namespace":
			why = "the kind is cluster-scoped"
		}
		add(ignoredField, path, hint, "%s is not stored: %s", path, why)
	}
	for _, d := range a.Defaulted {
		add(defaulted, d.Path, "", "%s gets its default %s", d.Path, d.Schema.Default.Raw)
	}
	for _, c := range a.Cleared {
		add(cleared, c.Path, "", "%s is cleared by the policy %s: the discriminator selects another member", c.Path, c.Policy.Name)
		out[len(out)-1].Related = k.policies.related(c.Policy)
	}
	for _, text := range a.Warnings {
		out = append(out, objectWarning.At(o.Pos, "", "%s", oneLine(text)))
	}
	for _, err := range a.Errors {
		out = append(out, k.rejected(o, objectRejected, "", err))
	}
	for _, err := range a.Unchecked {
		out = append(out, k.rejected(o, unchecked, "will be rejected once the other errors are fixed: ", err))
	}
	return out
}

// otherwise reports a field that the server treats differently than the pruning KEP.
func (k *Kind) otherwise(o *Object, d apiserver.PruningDifference) diag.Diagnostic {
	pos := o.Position(d.Path)
	if len(d.Specified) > 0 {
		out := prunedOtherwise.At(pos, "", "the API server drops %s: it is only specified by %s", d.Path, d.Specified[0])
		if position := k.position(d.Specified[0]); position.Line > 0 {
			out.Related = []diag.Related{{Pos: position, Message: "specified here"}}
		}
		return out
	}
	steps := d.Path.Steps()
	reason := ""
	switch node := locate.Value(k.schema, steps[:len(steps)-1]); {
	case node == nil:
	case node.XEmbeddedResource:
		reason = ": it belongs to an embedded resource"
	case node.AdditionalProperties != nil && !node.AdditionalProperties.Bool && node.AdditionalProperties.Schema == nil:
		reason = ": additionalProperties: false specifies all fields for it"
	}
	return prunedOtherwise.At(pos, "", "the API server keeps %s%s", d.Path, reason)
}

// rejected returns an error of the server at its line.
func (k *Kind) rejected(o *Object, kind *diag.Kind, prefix string, err *field.Error) diag.Diagnostic {
	d := kind.At(o.textPosition(placeOfError(err)), "", "%s%s", prefix, oneLine(err.Error()))
	if err.Field == "<nil>" { // it is about the object
		d.Message = prefix + oneLine(err.Detail)
		return d
	}
	d.Path = err.Field
	d.Cause = prefix + oneLine(err.ErrorBody())
	if pos := k.blame(err); pos.Line > 0 {
		d.Related = []diag.Related{{Pos: pos, Message: "rejected here"}}
	}
	return d
}

// oneLine joins the lines of a message, such as one that quotes a rule.
func oneLine(message string) string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, " ")
}

// pathInText matches the path in an error that is reported for the whole object.
var pathInText = lazyregexp.New(`^"([^"]+)" must| in (\S+)$`)

// placeOfError returns the path of the value that an error is about.
func placeOfError(e *field.Error) string {
	path := strings.TrimPrefix(e.Field, "<nil>")
	m := pathInText().FindStringSubmatch(e.Detail)
	if m == nil || e.Type != field.ErrorTypeInvalid {
		return path
	}
	inside := m[1] + m[2]
	if path != "" && !strings.HasPrefix(inside, path) {
		inside = path + "." + inside // the metadata of the status is validated separately
	}
	return inside
}

// blame returns the position of the rule or keyword because of which an object is rejected.
func (k *Kind) blame(err *field.Error) diag.Position {
	nodes := locate.Follow(k.schema, err.Field)
	for _, exact := range []bool{true, false} {
		for i := len(nodes) - 1; i >= 0; i-- {
			for j, rule := range nodes[i].Schema.XValidations {
				says := err.Detail == strings.TrimSpace(rule.Message) || err.Detail == "failed rule: "+strings.TrimSpace(rule.Rule)
				here := strings.TrimPrefix(nodes[i].Object+rule.FieldPath, ".") == err.Field
				if here && (says || !exact && rule.MessageExpression != "") {
					return k.position(fmt.Sprintf("%s.x-kubernetes-validations[%d]", nodes[i].Path, j))
				}
			}
		}
	}
	return k.position(nodes[len(nodes)-1].Path + keywordOf(err))
}

// keywordOf returns the keyword that causes an error of the server, as the end of a path,
// or "".
func keywordOf(err *field.Error) string {
	switch err.Type {
	case field.ErrorTypeNotSupported:
		return ".enum"
	case field.ErrorTypeTypeInvalid:
		return ".type"
	case field.ErrorTypeTooLong:
		return ".maxLength"
	case field.ErrorTypeTooMany:
		return ".maxItems"
	}
	return ""
}
