package main

import (
	"bytes"
	"context"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
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
func (k *triedKind) unserved(err error) diag.Diagnostic {
	return diag.Diagnostic{Code: codeNoKind, Severity: diag.Error, Pos: k.placeOf(""),
		Message: fmt.Sprintf("version %s of %s.%s cannot be served: %v", k.version, k.kind, k.group, err), Hint: "schemagen verify says more"}
}

// readCRDs reads the definitions, wherever they are.
func (t *trial) readCRDs(ctx context.Context, dir string) error {
	sources, packages, err := t.findCRDs()
	if err != nil {
		return err
	}
	named := len(sources)
	among, _, err := findSources(existing(t.files))
	if err != nil {
		return err
	}
	sources = append(sources, among...)
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
		for c, err := range chunks(source, t.stdin) {
			if err != nil {
				return err
			}
			if !bytes.Contains(c.data, []byte("CustomResourceDefinition")) {
				continue
			}
			subjects, findings := subjectsOf(source, c.data, token.NewFileSet())
			if i < named {
				t.findings = append(t.findings, c.allInFile(findings)...)
			}
			for _, s := range subjects {
				place := s.Place
				s.Place = func(path string) (diag.Position, []diag.Related) {
					pos, related := place(path)
					return c.inFile(pos), related
				}
				t.addKinds(s)
			}
		}
	}
	return nil
}

// findCRDs are the files and the packages that --crd names. A folder of Go files is
// a package even if there are YAML files in it, as test suites are, unless they
// speak of CRDs.
func (t *trial) findCRDs() (sources []manifestSource, packages []string, err error) {
	for _, name := range t.crds {
		found, missing, err := findSources([]string{name})
		if err != nil {
			return nil, nil, err
		}
		isPackage, err := isPackageFolder(name, found)
		switch {
		case err != nil:
			return nil, nil, err
		case isPackage:
			packages = append(packages, "./"+filepath.ToSlash(filepath.Clean(name)))
		default:
			sources, packages = append(sources, found...), append(packages, missing...)
		}
	}
	return sources, packages, nil
}

// isPackageFolder reports whether a name is of a folder with Go files, and none of
// the files that were found in it speaks of CRDs.
func isPackageFolder(name string, found []manifestSource) (bool, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() || len(found) == 0 {
		return false, nil // what is not there is an import path
	}
	if _, hasGo, err := findInFolder(name); err != nil || !hasGo {
		return false, err
	}
	for _, source := range found {
		data, err := os.ReadFile(source.name)
		if err != nil {
			return false, err
		}
		if bytes.Contains(data, []byte("CustomResourceDefinition")) {
			return false, nil
		}
	}
	return true, nil
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
		d := diag.Diagnostic{Code: codeObjectRefused, Severity: diag.Error, Pos: o.place(o.Position(placeOfError(err))), Message: err.Error()}
		if err.Field == "<nil>" { // it is about the object
			d.Message = err.Detail
		} else if pos := k.blame(err); pos.Line > 0 {
			d.Related = []diag.Related{{Pos: pos, Message: "by this"}}
		}
		out = append(out, d)
	}
	return out
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
