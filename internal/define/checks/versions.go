package checks

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/kustomize"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file compares the versions of a kind: without a webhook, the API server converts
// objects by replacing their apiVersion, and drops fields that the schema of the other
// version does not specify.

// ReportLosses warns about fields that the API server drops silently. It does nothing if
// there are errors, because then the schemas are incomplete.
func (c *Checker) ReportLosses(crds []*Definition) {
	if c.Final || c.Reporter.List.HasErrors() {
		return
	}
	c.FindLocalFiles()
	m := newLostMetadata(c, crds)
	for _, crd := range crds {
		c.compareVersions(crd)
		m.find(crd)
	}
}

// compareVersions reports a kind without conversion if fields of the storage version are
// missing in its served versions, or the reverse.
func (c *Checker) compareVersions(crd *Definition) {
	if f := c.differences(crd); f != nil && len(f.texts) > 0 && !c.IsConverted(crd) {
		f.report(crd, "declare the fields in both versions, serve only one of them (+kubebuilder:unservedversion), or convert with a webhook (+schemagen:conversion): see docs/shipping.md")
	}
}

// ReportUnconverted warns about a kind whose versions have to be converted if no webhook does:
// the definition has none, and no kustomization adds it. That packages have conversions does
// not matter. A kind whose definition is not in the output directory is not reported, because
// somebody else may install it.
func (c *Checker) ReportUnconverted(crd *Definition) {
	if _, err := c.Inputs.Stat(filepath.Join(c.Dir, c.OutputDir, crd.FileName())); c.OutputDir == "" || err != nil {
		return
	}
	c.FindLocalFiles()
	f := c.differences(crd)
	if f == nil || len(f.related) == 0 || hasWebhook(crd) || c.kustomized(c.OutputDir, crd.Object.Name) {
		return
	}
	if len(f.texts) == 0 {
		f.texts = []string{"the API server only replaces the apiVersion"}
	}
	f.report(crd, "write +"+markers.ConversionName+":strategy=Webhook,service=NAMESPACE/NAME,certificate=NAMESPACE/NAME above the type; if something else adds the webhook to the definition, write // schemagen:ignore "+string(report.VersionsDiffer.Code)+" REASON on the line above the type")
}

// differences returns what a kind without conversion loses between its storage version and the
// other served ones, or nil if it cannot lose anything.
func (c *Checker) differences(crd *Definition) *versionFinding {
	versions := crd.Object.Spec.Versions
	stored := slices.IndexFunc(versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Storage })
	if stored < 0 || len(versions) < 2 || crd.PreserveUnknownFields != nil && *crd.PreserveUnknownFields {
		return nil
	}
	f := &versionFinding{checker: c, root: crd.Roots[stored], stored: versions[stored].Name}
	for i, v := range versions {
		if i == stored || !v.Served {
			continue
		}
		f.related = append(f.related, diag.Related{Pos: c.Reporter.Position(crd.Roots[i].Spec.Name.Pos()), Message: "version " + v.Name})
		f.compare(v.Name, crd.Schemas[i], crd.Schemas[stored])
	}
	return f
}

// report reports the differences at the type of the storage version.
func (f *versionFinding) report(crd *Definition, hint string) {
	d := f.checker.Reporter.Report(report.VersionsDiffer, f.root.Pkg.At(f.root.Spec.Name.Pos()), hint,
		"kind %s is stored as %s and has no conversion webhook: %s", crd.Object.Spec.Names.Kind, f.stored, strings.Join(f.texts, "; "))
	d.Related = append(d.Related, append(f.related, f.fields...)...)
}

// versionFinding collects the fields that a kind loses.
type versionFinding struct {
	checker *Checker
	// root is the type of the storage version, and stored its name.
	root   *source.Type
	stored string
	// texts describe the losses, one for each version. related are the types of the versions,
	// fields the first lost fields.
	texts           []string
	related, fields []diag.Related
}

// relatedFields is the maximum number of fields that a diagnostic relates positions for.
const relatedFields = 8

// compare records the losses between a version and the stored one.
func (f *versionFinding) compare(version string, schema, stored *structural.Schema) {
	text, fields := crd.VersionLosses(version, schema, f.stored, stored)
	for _, field := range fields {
		f.relate(field)
	}
	if text != "" {
		f.texts = append(f.texts, text)
	}
}

// relate adds the declaration of a field to the related positions if it is in the user's
// packages.
func (f *versionFinding) relate(lost crd.LostField) {
	pos := f.checker.Reporter.Position(lost.From.Origin.Pos)
	field := diag.Related{Pos: pos, Message: lost.String()}
	if len(f.fields) < relatedFields && f.checker.localFiles[pos.File] && !slices.Contains(f.fields, field) {
		f.fields = append(f.fields, field)
	}
}

// IsConverted reports whether a webhook converts the kind, as far as the source and the
// kustomizations around the output directory show.
func (c *Checker) IsConverted(crd *Definition) bool {
	if hasWebhook(crd) {
		return true
	}
	for _, root := range crd.Roots {
		if c.isConvertible(root, 0) {
			return true
		}
	}
	converts := c.kustomized(c.OutputDir, crd.Object.Name)
	if c.patched == nil {
		c.patched = map[string]bool{}
	}
	c.patched[crd.Object.Name] = converts
	return converts
}

// hasWebhook reports whether the definition itself has a webhook that converts the kind.
func hasWebhook(crd *Definition) bool {
	conversion := crd.Object.Spec.Conversion
	return conversion != nil && conversion.Strategy == apiextensionsv1.WebhookConverter
}

// kustomized reports whether a kustomization around a directory adds a webhook that converts the
// kind of a definition.
func (c *Checker) kustomized(dir, name string) bool {
	return kustomize.Converts(c.Inputs, c.Dir, dir, name)
}

// AgreesIn reports whether kustomizations around another output directory say the same.
func (c *Checker) AgreesIn(dir string) bool {
	for name, converts := range c.patched {
		if dir != c.OutputDir && c.kustomized(dir, name) != converts {
			return false
		}
	}
	return true
}

// isConvertible reports whether the type, or one that it embeds, has a conversion method of
// controller-runtime or a conversion function of conversion-gen.
func (c *Checker) isConvertible(t *source.Type, depth int) bool {
	if c.convertibleOf(t.Pkg)[t.Spec.Name.Name] {
		return true
	}
	for _, expr := range t.Embedded() {
		target, missing := t.File.Resolve(source.Pointee(expr))
		if missing != nil || target.Type == nil || target.Type.Pkg.Path == source.MetaV1Path || depth > 10 {
			continue
		}
		if decl := target.Type.Unalias(); decl != nil && c.isConvertible(decl, depth+1) {
			return true
		}
	}
	return false
}

// convertibleOf returns the names of the types that functions of the package convert.
func (c *Checker) convertibleOf(pkg *source.Package) map[string]bool {
	if found := c.convertibles[pkg]; found != nil {
		return found
	}
	found := map[string]bool{}
	if c.convertibles == nil {
		c.convertibles = map[*source.Package]map[string]bool{}
	}
	c.convertibles[pkg] = found
	pkg.Index()
	for _, f := range pkg.Sources {
		src, err := f.Text()
		if err != nil || !bytes.Contains(src, []byte("Hub(")) && !bytes.Contains(src, []byte("ConvertTo(")) &&
			!bytes.Contains(src, []byte("ConvertFrom(")) && !bytes.Contains(src, []byte("func Convert_")) {
			continue
		}
		// Syntax errors in files that declare no API types are ignored.
		tree, _ := parser.ParseFile(token.NewFileSet(), f.Name, src, parser.SkipObjectResolution)
		for _, decl := range tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			switch name := fn.Name.Name; {
			case fn.Recv == nil:
				// Convert_v1_Widget_To_v2_Widget
				if origin, target, ok := strings.Cut(strings.TrimPrefix(name, "Convert_"), "_To_"); ok && strings.HasPrefix(name, "Convert_") {
					found[origin[strings.IndexByte(origin, '_')+1:]] = true
					found[target[strings.IndexByte(target, '_')+1:]] = true
				}
			case name == "Hub" || name == "ConvertTo" || name == "ConvertFrom":
				if receiver, _ := source.Receiver(fn); receiver != "" {
					found[receiver] = true
					if decl := pkg.Lookup(receiver).Unalias(); decl != nil && decl.Pkg == pkg {
						found[decl.Spec.Name.Name] = true
					}
				}
			}
		}
	}
	return found
}
