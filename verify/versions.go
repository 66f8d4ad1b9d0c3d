package verify

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
)

// lostBetweenVersions returns a warning about a definition whose versions are converted by the API
// server itself although their schemas lose fields of each other, and nil for others. Generated
// definitions are compared by the generator, which knows the conversions in Go.
func (v *Verifier) lostBetweenVersions(d *crd.Definition) *diag.Diagnostic {
	if d.CRD == nil || d.Provenance().BuildWith != nil || v.options.Generating {
		return nil
	}
	spec := &d.CRD.Spec
	stored := slices.IndexFunc(spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	converted := spec.Conversion != nil && spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
	preserves := spec.PreserveUnknownFields
	if stored < 0 || converted || preserves || len(d.Schemas) < len(spec.Versions) || d.Schemas[stored] == nil {
		return nil
	}
	storage := spec.Versions[stored].Name
	var texts []string
	var related []diag.Related
	for i, version := range spec.Versions {
		if i == stored || !version.Served || d.Schemas[i] == nil {
			continue
		}
		text, _ := crd.VersionLosses(version.Name, d.Schemas[i], storage, d.Schemas[stored])
		if text == "" {
			continue
		}
		texts = append(texts, text)
		pos, _ := d.Position(fmt.Sprintf("spec.versions[%d].name", i))
		related = append(related, diag.Related{Pos: pos, Message: "version " + version.Name})
	}
	if len(texts) == 0 || d.Converted != nil && d.Converted() {
		return nil
	}
	pos, _ := d.Position(fmt.Sprintf("spec.versions[%d].name", stored))
	out := lossyVersions.At(pos, "add the fields to both versions, serve only one of them, or convert with a webhook",
		"%s is stored as %s and has no conversion webhook: %s", spec.Names.Kind, storage, strings.Join(texts, "; "))
	out.Related = related
	return &out
}
