package generator

import (
	"context"
	"go/token"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/verify"
)

// This file is where definitions are proven against the API server's own rules
// before anything is written, with what is found at the line of Go that it
// comes from.

// verify reports what is wrong with the definitions, which are written as the
// files, by index. Where there are errors already there are no files, and what
// stands on their lines is left out: it is their echo.
func (w *world) verify(ctx context.Context, crds []*CRD, files []File) error {
	if w.options.SkipVerify || len(crds) == 0 {
		return nil
	}
	w.findLocalFiles() // subjects are asked for places side by side
	subjects := make([]*verify.Subject, len(crds))
	for i, crd := range crds {
		subjects[i] = w.subject(crd)
		if files != nil {
			subjects[i].Bytes = files[i].Data
		}
	}
	return w.verifySubjects(ctx, subjects)
}

// verifySubjects reports what is wrong with definitions, as verify does.
func (w *world) verifySubjects(ctx context.Context, subjects []*verify.Subject) error {
	target, err := w.target()
	if err != nil {
		return err
	}
	verifier := verify.New(target, verify.Options{Generating: !w.options.Final, Memory: w.options.Memory})
	found, err := verifier.All(ctx, subjects)
	if err != nil {
		return err
	}
	type line struct {
		file string
		line int
	}
	blamed := map[line]bool{}
	for _, d := range w.reporter.list {
		if d.Severity == diag.Error {
			blamed[line{d.Pos.File, d.Pos.Line}] = true
		}
	}
	for _, d := range found {
		if !blamed[line{d.Pos.File, d.Pos.Line}] {
			w.reporter.list = append(w.reporter.list, d)
		}
	}
	return nil
}

// target returns the API server that has to accept the definitions.
func (w *world) target() (*apiserver.Target, error) {
	if w.server == nil {
		server, err := apiserver.NewTarget(w.options.KubeVersion)
		if err != nil {
			return nil, err
		}
		if w.options.Memory != nil {
			server.Remember(w.options.Memory)
		}
		w.server = server
	}
	return w.server, nil
}

// subject is the definition as the API server gets it.
func (w *world) subject(crd *CRD) *verify.Subject {
	return &verify.Subject{
		Build: crd.complete, Schemas: crd.Schemas, OnlySchemas: crd.flawed, Measure: w.options.Final,
		Place: func(path string) (diag.Position, []diag.Related) { return w.place(crd, path) },
	}
}

// complete is the definition with its schemas.
func (crd *CRD) complete() *apiextensionsv1.CustomResourceDefinition {
	object := crd.Object.DeepCopy()
	if crd.PreserveUnknownFields != nil {
		object.Spec.PreserveUnknownFields = *crd.PreserveUnknownFields
	}
	for i, schema := range crd.Schemas {
		object.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema.Props()}
	}
	return object
}

// place returns the place in the Go source of a path in a definition: the
// innermost one in the user's own packages, with what it leads to.
func (w *world) place(crd *CRD, path string) (diag.Position, []diag.Related) {
	places := []token.Pos{crd.roots[0].spec.Name.Pos()}
	if rest, ok := strings.CutPrefix(path, "spec.versions["); ok {
		index, rest, _ := strings.Cut(rest, "]")
		if i, err := strconv.Atoi(index); err == nil && i < len(crd.roots) {
			places = append(places, crd.versionPlaces(i, rest)...)
		}
	} else if strings.HasPrefix(path, "spec.names") || strings.HasPrefix(path, "spec.scope") {
		places = append(places, markerPlace(crd.roots, "kubebuilder:resource", 0))
	} else if strings.HasPrefix(path, "spec.conversion") && crd.conversion != nil {
		places = append(places, crd.conversion.Pos)
	} else if strings.HasPrefix(path, "metadata.annotations") || strings.HasPrefix(path, "metadata.labels") {
		places = append(places, markerPlace(crd.roots, "kubebuilder:metadata", 0))
	}
	var related []diag.Related
	for i := len(places) - 1; i >= 0; i-- {
		if !places[i].IsValid() {
			continue
		}
		pos := w.reporter.position(places[i])
		if w.localFiles[pos.File] || i == 0 {
			return pos, related
		}
		if related == nil {
			related = []diag.Related{{Pos: pos, Message: "found here"}}
		}
	}
	return diag.Position{}, nil
}

// versionPlaces returns the places on the way to a path in a version.
func (crd *CRD) versionPlaces(i int, rest string) []token.Pos {
	root := crd.roots[i]
	out := []token.Pos{root.spec.Name.Pos()}
	if schema, ok := strings.CutPrefix(rest, ".schema.openAPIV3Schema"); ok {
		return append(out, crd.Schemas[i].Locate(schema)...)
	}
	for _, part := range []struct{ path, marker string }{
		{".additionalPrinterColumns[", "kubebuilder:printcolumn"},
		{".selectableFields[", "kubebuilder:selectablefield"},
	} {
		if rest, ok := strings.CutPrefix(rest, part.path); ok {
			index, _, _ := strings.Cut(rest, "]")
			n, _ := strconv.Atoi(index) // the server writes numbers
			return append(out, markerPlace([]*typeDecl{root}, part.marker, n))
		}
	}
	if strings.HasPrefix(rest, ".subresources.scale") {
		return append(out, markerPlace([]*typeDecl{root}, "kubebuilder:subresource:scale", 0))
	}
	return out
}

// markerPlace returns the place of the n-th marker of a name on the types, or
// NoPos.
func markerPlace(types []*typeDecl, name string, n int) token.Pos {
	for _, t := range types {
		for _, m := range t.markers {
			if m.Name != name {
				continue
			}
			if n == 0 {
				return m.Pos
			}
			n--
		}
	}
	return token.NoPos
}

// findLocalFiles notes the files of the user's packages.
func (w *world) findLocalFiles() {
	w.localFiles = map[string]bool{}
	for _, p := range w.packages {
		if p.local() {
			for _, f := range p.files {
				w.localFiles[f.name] = true
			}
		}
	}
}
