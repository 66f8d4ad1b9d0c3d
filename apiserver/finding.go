package apiserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Source says which part of the server a finding comes from.
type Source string

const (
	// Validation: the server's validation of the decoded object.
	Validation Source = "validation"
	// Decoder: the object could not have reached validation. It is the only finding
	// then.
	Decoder Source = "decoder"
	// Version: the target is older than the linked library, and treats a field
	// differently. See [Differences].
	Version Source = "version"
	// Panic: the server's code panics, so that the request fails without words.
	Panic Source = "panic"
	// Limit: the server's answer is not known, because finding it out takes too long.
	Limit Source = "limit"
)

// Finding is one thing that the server says of a CRD.
type Finding struct {
	Source Source
	// Warning: the server accepts the CRD and warns, or drops the field silently.
	Warning bool
	// Path is the server's field path. Where versions share a schema, subresources
	// or columns, the server speaks of spec.validation and the like, which the given
	// object does not have.
	Path string
	// Places are paths in the given object, one for each version that the finding is
	// about.
	Places []string
	// Type is empty but for errors of [Validation].
	Type     field.ErrorType
	BadValue any
	Detail   string
}

// String is the server's message. For other sources than [Validation], which the
// server has other words for or none, it is the path and the detail.
func (f Finding) String() string {
	switch {
	case f.Source != Validation:
		return f.Path + ": " + f.Detail
	case f.Warning:
		return f.Detail
	}
	return (&field.Error{Type: f.Type, Field: f.Path, BadValue: f.BadValue, Detail: f.Detail}).Error()
}

// find makes findings of the server's errors.
func (r *request) find(errs field.ErrorList) []Finding {
	out := make([]Finding, 0, len(errs))
	for _, e := range errs {
		out = append(out, Finding{
			Source: Validation, Path: e.Field, Places: r.places(e.Field),
			Type: e.Type, BadValue: e.BadValue, Detail: steady(e.Detail),
		})
	}
	return out
}

// sortFindings brings findings into an order that does not depend on the order
// of maps, errors first, and leaves out what is said twice.
func sortFindings(findings []Finding) []Finding {
	compare := func(a, b Finding) int {
		if a.Warning != b.Warning {
			if a.Warning {
				return 1
			}
			return -1
		}
		first := cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Detail, b.Detail), cmp.Compare(a.Source, b.Source))
		if first != 0 {
			return first
		}
		// Values are rendered only where nothing else tells findings apart: they may
		// hold the whole spec.
		return cmp.Compare(a.String(), b.String())
	}
	slices.SortFunc(findings, compare)
	return slices.CompactFunc(findings, func(a, b Finding) bool { return compare(a, b) == 0 })
}

// places translates a path of the internal version to paths of the given object.
func (r *request) places(path string) []string {
	spec := &r.crd.Spec
	for _, move := range []struct {
		from, to string
		shared   bool
	}{
		{"spec.validation", "schema", spec.Validation != nil},
		// The server forgets where the schema lies if its selectable fields are wrong.
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
			out = append(out, fmt.Sprintf("spec.versions[%d].%s%s", i, move.to, outerNames(move.to + rest)[len(move.to):]))
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
		if at := strings.Index(rest, "]."); at >= 0 {
			return []string{"spec.versions[" + rest[:at] + "]." + outerNames(rest[at+len("]."):])}
		}
	}
	return []string{path}
}

// cutStep cuts a path off another one, if it ends where a step does.
func cutStep(path, prefix string) (string, bool) {
	rest, ok := strings.CutPrefix(path, prefix)
	return rest, ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// outerNames mends the one name of a version's fields that differs.
func outerNames(rest string) string {
	if strings.HasPrefix(rest, "additionalPrinterColumns[") {
		return strings.Replace(rest, "].JSONPath", "].jsonPath", 1)
	}
	return rest
}
