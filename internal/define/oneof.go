package define

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file handles controller-tools' markers that limit how many of several fields are set:
// ExactlyOneOf, AtMostOneOf and AtLeastOneOf.

// oneOfFields returns the field names in the ExactlyOneOf, AtMostOneOf and AtLeastOneOf
// markers of a type. It reports nested fields, and fields that rules cannot read.
func (b *Builder) oneOfFields(t *source.Type) []string {
	var names []string
	for _, m := range t.Markers {
		fields := oneOfNames(m)
		for _, field := range fields {
			if strings.Contains(field, ".") {
				b.Reporter.Report(report.InvalidOneOf, t.Pkg.At(m.Pos), "put the marker on the type that has the field", "%s: cannot reference nested field %s", m.Name, field)
			} else if _, ok := b.ruleName(field); !ok {
				hint := "rename the field"
				if strings.ContainsAny(field, " ,") {
					hint = "separate the names with semicolons, as in a;b"
				}
				b.Reporter.Report(report.InvalidOneOf, t.Pkg.At(m.Pos), hint, "%s: CEL rules cannot read the field %s", m.Name, field)
			}
		}
		names = append(names, fields...)
	}
	return names
}

// oneOfNames returns the field names in an ExactlyOneOf, AtMostOneOf or AtLeastOneOf marker.
func oneOfNames(m *markers.Marker) []string {
	switch value := m.Value.(type) {
	case crdmarkers.ExactlyOneOf:
		return value
	case crdmarkers.AtMostOneOf:
		return value
	case crdmarkers.AtLeastOneOf:
		return value
	}
	return nil
}

// escapeOneOf replaces field names in the rules of one-of markers by the names that the server
// reads. controller-tools writes JSON names.
func (b *Builder) escapeOneOf(d *draft, set source.Markers) {
	for _, m := range set {
		var escapes []string
		for _, field := range oneOfNames(m) {
			if name, ok := b.ruleName(field); ok && name != field {
				escapes = append(escapes, "has(self."+field+")", "has(self."+name+")")
			}
		}
		if len(escapes) == 0 {
			continue
		}
		var written apiextensionsv1.JSONSchemaProps
		if err := m.Value.(markers.SchemaMarker).ApplyToSchema(nil, &written); err != nil {
			continue // reported when the marker was applied
		}
		d.XValidations = slices.Clone(d.XValidations)
		for i := range d.XValidations {
			if rule := &d.XValidations[i]; rule.Rule == written.XValidations[0].Rule {
				rule.Rule = strings.NewReplacer(escapes...).Replace(rule.Rule)
			}
		}
	}
}

// ruleName returns the name by which rules read a field; ok is false if they cannot. Servers
// since Kubernetes 1.32 also read most reserved words as they are, as controller-gen writes
// them.
func (b *Builder) ruleName(field string) (name string, ok bool) {
	escaped, ok := celtext.Name(field)
	isReserved := escaped == "__"+field+"__"
	isLiteral := slices.Contains([]string{"true", "false", "null", "in"}, field)
	if server := b.Run.options.Server; isReserved && !isLiteral && (server == nil || !server.Before(32)) {
		return field, true
	}
	return escaped, ok
}

// checkDefaults is the operation that reports fields of a one-of marker that always have a value.
// Defaults of types are known once the struct's schema is finished.
type checkDefaults struct {
	reporter *report.Reporter
	marker   *markers.Marker
}

func (op checkDefaults) Apply(e *edits.Editor, s *structural.Schema) {
	fields := oneOfNames(op.marker)
	for i, name := range fields {
		field := s.Property(name)
		if field == nil || field.Default == nil || field.Nullable {
			continue // null is not set, and gets no default
		}
		others := strings.Join(slices.Delete(slices.Clone(fields), i, i+1), ", ")
		problem := "so " + others + " can never be set"
		if _, atLeast := op.marker.Value.(crdmarkers.AtLeastOneOf); atLeast {
			problem = "so the marker has no effect"
		}
		found := op.reporter.Report(report.InvalidOneOf, e.Pkg.At(field.Origin.Pos), "remove the default, or the field from the marker",
			"field %s of %s always has a value, its default, %s", name, op.marker.Name, problem)
		found.Severity = diag.Warning
		found.Related = append(found.Related, diag.Related{Pos: op.reporter.Position(op.marker.Pos), Message: "the marker"})
	}
}
