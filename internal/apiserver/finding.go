package apiserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Source is the part of the server that a finding comes from.
type Source string

const (
	// Validation is the server's validation of the decoded object.
	Validation Source = "validation"
	// Decoder is used if the object could not have reached validation. It is then the only
	// finding.
	Decoder Source = "decoder"
	// Version is used if the target is older than the linked library and treats a field
	// differently. See [Differences].
	Version Source = "version"
	// Panic is used if the server's code panics, so that the request fails with an internal
	// error.
	Panic Source = "panic"
	// Limit is used if the server's response is unknown because validation would take too
	// long.
	Limit Source = "limit"
)

// Finding is one error or warning of the server about a CRD.
type Finding struct {
	Source Source
	// Warning is set if the server accepts the CRD and warns, or silently drops the field.
	Warning bool
	// Path is the server's field path. If versions share a schema, subresources or columns,
	// the server uses spec.validation and the like, which do not exist in the given object.
	Path string
	// Paths are the paths in the given object, one for each affected version.
	Paths []string
	// Type is set only for errors of [Validation].
	Type     field.ErrorType
	BadValue any
	Detail   string
}

// String returns the server's message. For sources other than [Validation], whose messages
// differ or do not exist on the server, it returns the path and the detail.
func (f Finding) String() string {
	switch {
	case f.Source != Validation:
		return f.Path + ": " + f.Detail
	case f.Warning:
		return f.Detail
	}
	return (&field.Error{Type: f.Type, Field: f.Path, BadValue: f.BadValue, Detail: f.Detail}).Error()
}

// findings converts the server's errors.
func (r *request) findings(errs field.ErrorList) []Finding {
	out := make([]Finding, 0, len(errs))
	for _, e := range errs {
		out = append(out, Finding{
			Source: Validation, Path: e.Field, Paths: r.objectPaths(e.Field),
			Type: e.Type, BadValue: e.BadValue, Detail: stripTypeNumbers(e.Detail),
		})
	}
	return out
}

// sortFindings sorts findings, errors first, so that their order does not depend on maps,
// and removes duplicates.
func sortFindings(findings []Finding) []Finding {
	compare := func(a, b Finding) int {
		if a.Warning != b.Warning {
			if a.Warning {
				return 1
			}
			return -1
		}
		first := cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Detail, b.Detail),
			cmp.Compare(a.Source, b.Source))
		if first != 0 {
			return first
		}
		// Render values only if nothing else distinguishes findings: they may contain the
		// whole spec.
		return cmp.Compare(a.String(), b.String())
	}
	slices.SortFunc(findings, compare)
	return slices.CompactFunc(findings, func(a, b Finding) bool { return compare(a, b) == 0 })
}

// objectPaths translates a path of the internal version to paths of the given object.
func (r *request) objectPaths(path string) []string {
	spec := &r.crd.Spec
	for _, move := range []struct {
		from, to string
		shared   bool
	}{
		{"spec.validation", "schema", spec.Validation != nil},
		// The server uses the wrong path for the schema if its selectable fields are
		// invalid.
		{"spec.schema", "schema", spec.Validation != nil},
		{"spec.subresources", "subresources", spec.Subresources != nil},
		{"spec.additionalPrinterColumns", "additionalPrinterColumns", len(spec.AdditionalPrinterColumns) > 0},
		{"spec.selectableFields", "selectableFields", len(spec.SelectableFields) > 0},
	} {
		rest, ok := cutStep(path, move.from)
		if !ok || !move.shared {
			continue
		}
		var out []string
		for i := range spec.Versions {
			out = append(out, fmt.Sprintf("spec.versions[%d].%s%s", i, move.to, fixJSONPathCase(move.to + rest)[len(move.to):]))
		}
		return out
	}
	for _, move := range []struct{ from, to string }{
		{"spec.version", "spec.versions[0].name"},
		{"spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig"},
		{"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions"},
	} {
		if rest, ok := cutStep(path, move.from); ok {
			return []string{move.to + rest}
		}
	}
	if rest, ok := strings.CutPrefix(path, "spec.versions["); ok {
		if offset := strings.Index(rest, "]."); offset >= 0 {
			return []string{"spec.versions[" + rest[:offset] + "]." + fixJSONPathCase(rest[offset+len("]."):])}
		}
	}
	return []string{path}
}

// cutStep cuts a prefix off a path, if the prefix ends at the end of a step.
func cutStep(path, prefix string) (string, bool) {
	rest, ok := strings.CutPrefix(path, prefix)
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// fixJSONPathCase corrects JSONPath, the one field name that the server spells differently.
func fixJSONPathCase(rest string) string {
	if strings.HasPrefix(rest, "additionalPrinterColumns[") {
		return strings.Replace(rest, "].JSONPath", "].jsonPath", 1)
	}
	return rest
}
