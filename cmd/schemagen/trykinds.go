package main

import (
	"context"
	"fmt"
	"go/token"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
)

// placer turns a place in a file into a position.
type placer func(token.Pos) diag.Position

// triedKind is a version of a CRD with the places of what it says.
type triedKind struct {
	*apiserver.Kind
	group, kind, version string
	schema               *structural.Schema
	// placeOf is the position of a path below the schema.
	placeOf func(path string) diag.Position
}

// readCRDs reads the definitions, wherever they are.
func (t *trial) readCRDs(ctx context.Context, dir string) error {
	sources, packages, err := findSources(append(append([]string{}, t.crds...), existing(t.files)...))
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		subjects, findings, err := generator.Subjects(ctx, generator.Options{Dir: dir, Patterns: packages, Final: true})
		if err != nil {
			return err
		}
		t.findings = append(t.findings, findings...)
		for _, s := range subjects {
			t.addKinds(s)
		}
	}
	for i, source := range sources {
		if source.name == "-" && i >= len(t.crds) {
			continue // standard input is read once: objects
		}
		data, err := readSource(source, t.stdin)
		if err != nil {
			return err
		}
		if !strings.Contains(string(data), "CustomResourceDefinition") {
			continue
		}
		subjects, findings := subjectsOf(source, data, token.NewFileSet())
		if i < len(t.crds) {
			t.findings = append(t.findings, findings...)
		}
		for _, s := range subjects {
			t.addKinds(s)
		}
	}
	return nil
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

// addKinds prepares the served versions of a definition.
func (t *trial) addKinds(s *verify.Subject) {
	for i, v := range s.CRD.Spec.Versions {
		if !v.Served {
			continue
		}
		path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		kind, err := apiserver.NewKind(s.CRD, v.Name)
		if err != nil {
			pos, _ := s.Place(path)
			t.findings = append(t.findings, diag.Diagnostic{Code: codeNoKind, Severity: diag.Error, Pos: pos,
				Message: fmt.Sprintf("version %s of %s cannot be served: %v", v.Name, s.CRD.Name, err), Hint: "schemagen verify says more"})
			continue
		}
		t.kinds[kindKey(s.CRD.Spec.Group+"/"+v.Name, s.CRD.Spec.Names.Kind)] = &triedKind{
			Kind: kind, group: s.CRD.Spec.Group, kind: s.CRD.Spec.Names.Kind, version: v.Name, schema: s.Schemas[i],
			placeOf: func(below string) diag.Position {
				pos, _ := s.Place(path + below)
				return pos
			},
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
		d := diag.Diagnostic{Code: codeObjectRefused, Severity: diag.Error, Pos: o.place(o.Position(err.Field)), Message: err.Error()}
		if err.Field == "<nil>" { // it is about the object
			d.Message = err.Detail
		} else if pos := k.blame(err); pos.Line > 0 {
			d.Related = []diag.Related{{Pos: pos, Message: "by this"}}
		}
		out = append(out, d)
	}
	return out
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
