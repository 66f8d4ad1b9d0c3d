package main

import (
	"context"
	"fmt"
	"go/token"
	"regexp"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
)

// placer turns a place in a file into a position.
type placer func(token.Pos) diag.Position

// triedKind is a version of a CRD with the places of what it says.
type triedKind struct {
	group, kind, version string
	namespaced, stored   bool
	schema               *structural.Schema
	// server prepares the version when an object of it is met: a folder may have
	// many CRDs.
	server func() (*apiserver.Kind, error)
	// placeOf is the position of a path below the schema.
	placeOf func(path string) diag.Position
}

// newTriedKind is a version of a definition, by its index.
func newTriedKind(s *verify.Subject, i int) *triedKind {
	v := s.CRD.Spec.Versions[i]
	path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
	return &triedKind{
		group: s.CRD.Spec.Group, kind: s.CRD.Spec.Names.Kind, version: v.Name, schema: s.Schemas[i],
		namespaced: s.CRD.Spec.Scope == apiextensionsv1.NamespaceScoped, stored: v.Storage,
		server: sync.OnceValues(func() (*apiserver.Kind, error) { return apiserver.NewKind(s.CRD, v.Name) }),
		placeOf: func(below string) diag.Position {
			pos, _ := s.Place(path + below)
			return pos
		},
	}
}

// unserved is the finding about a version that no server would serve.
func (k *triedKind) unserved() diag.Diagnostic {
	_, err := k.server()
	return diag.Diagnostic{Code: codeNoKind, Severity: diag.Error, Pos: k.placeOf(""),
		Message: fmt.Sprintf("version %s of %s.%s cannot be served: %v", k.version, k.kind, k.group, err), Hint: "schemagen verify says more"}
}

// readCRDs reads the definitions, wherever they are; those among the objects count
// last, and what is wrong with them is said when objects are read.
func (t *trial) readCRDs(ctx context.Context, dir string) error {
	subjects, findings, err := t.definitions.subjects(ctx, dir, t.crds, t.stdin, subjectsOf)
	if err != nil {
		return err
	}
	t.findings = append(t.findings, findings...)
	among, _, err := findSources(existing(t.files))
	if err != nil {
		return err
	}
	for i := range among {
		among[i].met = true
	}
	others, _, err := subjectsIn(among, t.stdin, subjectsOf)
	for _, s := range append(subjects, others...) {
		t.addKinds(s)
	}
	return err
}

// existing are the files and directories among the names of objects, which may
// hold CRDs, too.
func existing(names []string) []string {
	var out []string
	for _, name := range names {
		if name != "-" {
			out = append(out, name)
		}
	}
	return out
}

// addKinds takes the served versions of a definition. Of two that are the same kind,
// the one that was named first counts.
func (t *trial) addKinds(s *verify.Subject) {
	t.subjects = append(t.subjects, s)
	for i, v := range s.CRD.Spec.Versions {
		key := kindKey(s.CRD.Spec.Group+"/"+v.Name, s.CRD.Spec.Names.Kind)
		if v.Served && t.kinds[key] == nil {
			t.kinds[key] = newTriedKind(s, i)
		}
	}
}

// findings says what the server did with an object, each at its line.
func (k *triedKind) findings(o *triedObject, a apiserver.Answer) diag.List {
	var out diag.List
	add := func(code diag.Code, severity diag.Severity, path *structural.ObjectPath, hint, format string, args ...any) {
		out = append(out, diag.Diagnostic{Code: code, Severity: severity, Pos: o.place(o.PlaceOf(path)), Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	for _, path := range a.Pruned {
		steps := path.Steps()
		name := steps[len(steps)-1].Field
		node := k.schema.At(steps[:len(steps)-1])
		hint := ""
		if near, ok := markers.Nearest(name, node.FieldNames()); ok {
			hint = "did you mean " + near + "?"
		}
		add(codeDroppedField, diag.Warning, path, hint, "%s is dropped: the schema does not have it", path)
	}
	for _, text := range a.Metadata {
		out = append(out, diag.Diagnostic{Code: codeDroppedField, Severity: diag.Warning, Pos: o.place(o.Position(text)), Message: text + " is dropped: metadata does not have it"})
	}
	for _, path := range a.Nulls {
		add(codeDroppedField, diag.Warning, path, "", "%s is dropped: it is null, and the schema does not allow that", path)
	}
	for _, d := range a.Defaulted {
		add(codeDefaulted, diag.Note, d.Path, "", "%s gets its default %s", d.Path, d.Schema.Default.Raw)
	}
	for _, path := range a.Cleared {
		add(codeCleared, diag.Note, path, "a policy or webhook does this: see docs/unions.md", "%s is cleared: its discriminator selects another member", path)
	}
	for _, text := range a.Warnings {
		out = append(out, diag.Diagnostic{Code: codeObjectWarning, Severity: diag.Warning, Pos: o.place(o.Pos), Message: text})
	}
	for _, err := range a.Errors {
		out = append(out, k.refusal(o, err))
	}
	for _, err := range a.Unchecked {
		d := k.refusal(o, err)
		d.Code, d.Severity, d.Message = codeUnchecked, diag.Warning, "will be refused once the errors are corrected: "+d.Message
		out = append(out, d)
	}
	return out
}

// refusal is an error of the server at its line.
func (k *triedKind) refusal(o *triedObject, err *field.Error) diag.Diagnostic {
	d := diag.Diagnostic{Code: codeObjectRefused, Severity: diag.Error, Pos: o.place(o.Position(placeOfError(err))), Message: err.Error()}
	if err.Field == "<nil>" { // it is about the object
		d.Message = err.Detail
	} else if pos := k.blame(err); pos.Line > 0 {
		d.Related = []diag.Related{{Pos: pos, Message: "by this"}}
	}
	return d
}

// pathInText is how an error about the whole object names the place all the same.
var pathInText = regexp.MustCompile(`^"([^"]+)" must| in (\S+)$`)

// placeOfError is the path of the value that an error is about.
func placeOfError(e *field.Error) string {
	at := strings.TrimPrefix(e.Field, "<nil>")
	m := pathInText.FindStringSubmatch(e.Detail)
	if m == nil || e.Type != field.ErrorTypeInvalid {
		return at
	}
	inside := m[1] + m[2]
	if at != "" && !strings.HasPrefix(inside, at) {
		inside = at + "." + inside // that of the status is validated on its own
	}
	return inside
}

// blame is the position of the rule or the keyword by which an object is refused.
func (k *triedKind) blame(err *field.Error) diag.Position {
	nodes := k.schema.Follow(err.Field)
	for _, exact := range []bool{true, false} {
		for i := len(nodes) - 1; i >= 0; i-- {
			for j, rule := range nodes[i].Schema.XValidations {
				says := err.Detail == strings.TrimSpace(rule.Message) || err.Detail == "failed rule: "+strings.TrimSpace(rule.Rule)
				here := strings.TrimPrefix(nodes[i].Object+rule.FieldPath, ".") == err.Field
				if here && (says || !exact && rule.MessageExpression != "") {
					return k.placeOf(fmt.Sprintf("%s.x-kubernetes-validations[%d]", nodes[i].Path, j))
				}
			}
		}
	}
	return k.placeOf(nodes[len(nodes)-1].Path + keywordOf(err))
}

// keywordOf is the keyword that an error of the server is about, as the end of a
// path, or empty.
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
