package compare

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
)

// conversions adds what the conversions between two versions lose, and did not before. Which of
// the versions is the hub does not matter.
func (d *definition) conversions(old, new *apiextensionsv1.CustomResourceDefinitionSpec) {
	for _, c := range d.new.Conversions {
		i := slices.IndexFunc(d.old.Conversions, func(o crd.Conversion) bool { return o.From == c.From && o.To == c.To })
		oldAt := versionOf(old, c.From)
		newAt := versionOf(new, c.From)
		if i < 0 || oldAt < 0 || newAt < 0 {
			continue
		}
		for _, loss := range c.Losses {
			path, exists := fieldPath(schemaOf(d.new, newAt), loss.Field)
			if !exists {
				continue // in other channels
			}
			oldLoss := lossOf(d.old.Conversions[i].Losses, loss.Field)
			if oldLoss != nil && (loss.Kept || !oldLoss.Kept) {
				continue
			}
			change := Change{Kind: changekind.ConversionLossy, Version: c.From, Field: loss.Field,
				NewPath: schemaPath(newAt) + path}
			oldPath, existed := fieldPath(schemaOf(d.old, oldAt), loss.Field)
			if existed {
				change.Old = "lossless"
				change.OldPath = schemaPath(oldAt) + oldPath
			}
			if oldLoss != nil {
				change.Old = "kept"
			}
			lost := "values that " + c.To + " cannot express"
			if loss.Kept {
				change.New = "kept"
				change.Category = BreaksClients
				change.Reason = lost + " are kept in an annotation, and a client of " + c.To + " that replaces the object without the annotation loses them"
			} else {
				change.New = "dropped: " + loss.Reason
				change.Category = BreaksStored
				if oldLoss != nil {
					lost += ", also those that annotations have kept,"
				}
				change.Reason = lost + " are lost when an object is converted to " + c.To + " and written"
			}
			if !existed {
				change.Category = Safe
				change.Reason += "; no object has the new field yet"
			}
			d.add(change)
		}
	}
}

// lossOf returns the loss that a field is part of, or nil.
func lossOf(losses []crd.Loss, field string) *crd.Loss {
	i := slices.IndexFunc(losses, func(l crd.Loss) bool {
		rest, isChild := strings.CutPrefix(field, l.Field)
		return isChild && (rest == "" || l.Whole && (rest[0] == '.' || rest[0] == '['))
	})
	if i < 0 {
		return nil
	}
	return &losses[i]
}

// fieldPath returns the path in a schema of a field of objects.
func fieldPath(s *structural.Schema, field string) (path string, ok bool) {
	var location *structural.Path
	for name := range strings.SplitSeq(strings.TrimPrefix(strings.ReplaceAll(field, "[*]", ".[*]"), "."), ".") {
		switch {
		case s == nil:
			return "", false
		case name == "[*]":
			s = s.Items
			location = location.Child("items")
		case name == "*" && s.AdditionalProperties != nil:
			s = s.AdditionalProperties.Schema
			location = location.Child("additionalProperties")
		default:
			s = s.Property(name)
			location = location.Property(name)
		}
	}
	return location.String(), s != nil
}
