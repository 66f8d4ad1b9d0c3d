package verify

import (
	"go/token"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural/manifest"
)

// Read returns the CRDs of a file and diagnostics for the problems in its text.
func Read(file crd.File) ([]*crd.Definition, diag.List) {
	manifests, problems, position := file.Read()
	var out []*crd.Definition
	for _, m := range manifests {
		if d := crd.FromManifest(m, position); d != nil {
			out = append(out, d)
		}
	}
	return out, Problems(problems, position)
}

// Problems converts the problems in the text of a manifest to diagnostics, in the API
// server's words where it has any.
func Problems(problems []manifest.Problem, position func(token.Pos) diag.Position) diag.List {
	if position == nil {
		position = func(token.Pos) diag.Position { return diag.Position{} }
	}
	var out diag.List
	for _, p := range problems {
		kind := malformedManifest
		switch p.Kind {
		case manifest.UnknownField, manifest.DuplicateField:
			kind = unknownOrDuplicateField
		case manifest.DroppedField:
			kind = droppedField
		case manifest.ConvertedKey:
			kind = convertedKey
		case manifest.WrongVersion, manifest.NoObject:
			kind = notACRD
		}
		out = append(out, kind.At(position(p.Pos), p.Hint, "%s", p.Message))
	}
	return out
}
