package checks

import (
	"go/token"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file reports nested metadata that the API server drops: without
// [Options.EmbeddedObjectMeta], the schema of nested metadata is an object without fields, as
// in controller-gen.

// MetadataUse is a use of metav1.ObjectMeta in the source: a field of that type, or one with
// elements of that type.
type MetadataUse struct {
	Pkg *source.Package
	Pos token.Pos
}

// NoteMetadata records the use of ObjectMeta that becomes the node at a position.
func (c *Checker) NoteMetadata(node token.Pos, use *MetadataUse) {
	if c.metadata == nil {
		c.metadata = map[token.Pos]*MetadataUse{}
	}
	c.metadata[node] = use
}

// lostMetadata searches definitions for lost metadata.
type lostMetadata struct {
	checker *Checker
	seen    map[metadataNode]bool
	// ofKinds are the positions of the metadata of kinds, which is kept unless the kind is
	// the type of a field. reported are the positions already reported.
	ofKinds, reported map[token.Pos]bool
}

func newLostMetadata(c *Checker, crds []*Definition) *lostMetadata {
	m := &lostMetadata{checker: c, seen: map[metadataNode]bool{}, ofKinds: map[token.Pos]bool{}, reported: map[token.Pos]bool{}}
	for _, crd := range crds {
		for _, s := range crd.Schemas {
			if metadata := s.Property("metadata"); metadata != nil {
				m.ofKinds[metadata.Origin.Pos] = true
			}
		}
	}
	return m
}

// metadataNode is a node and its parent, both of which determine the diagnostic.
type metadataNode struct {
	node, parent *structural.Schema
}

// find reports the nested metadata that objects of the definition lose.
func (m *lostMetadata) find(crd *Definition) {
	if len(m.checker.metadata) == 0 || crd.PreserveUnknownFields != nil && *crd.PreserveUnknownFields {
		return
	}
	for i, v := range crd.Object.Spec.Versions {
		if !v.Served && !v.Storage {
			continue
		}
		for _, p := range crd.Schemas[i].Properties {
			if p.Name != "metadata" { // the server handles it
				m.walk(p.Schema, crd.Schemas[i], "."+p.Name, false)
			}
		}
	}
}

// walk checks a node and the nodes below it. keeps is set if an enclosing list preserves
// unknown fields.
func (m *lostMetadata) walk(s, parent *structural.Schema, path string, keeps bool) {
	if m.seen[metadataNode{s, parent}] {
		return
	}
	m.seen[metadataNode{s, parent}] = true
	keeps = keeps || s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	if use := m.checker.metadata[s.Origin.Pos]; use != nil && !keeps && s.Type == "object" && s.AdditionalProperties == nil && s.PropertyIndex("labels") < 0 {
		m.report(use, parent, path)
	}
	for _, p := range s.Properties {
		if p.Name != "metadata" || !s.XEmbeddedResource { // the server handles the metadata of embedded resources
			m.walk(p.Schema, s, path+"."+p.Name, false)
		}
	}
	if s.Items != nil {
		m.walk(s.Items, s, path+"[*]", keeps)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		m.walk(a.Schema, s, path+".*", false)
	}
}

// report warns at the metadata field if it is in the user's packages, or else at the user's
// field whose type has it. Metadata further down in types of other packages is not reported.
func (m *lostMetadata) report(use *MetadataUse, parent *structural.Schema, path string) {
	r := m.checker.Reporter
	pos := use.Pos
	related := []diag.Related(nil)
	if !use.Pkg.Local() || m.ofKinds[use.Pos] {
		pos = parent.Origin.Pos
		if !m.checker.localFiles[r.Position(pos).File] {
			return
		}
		related = []diag.Related{{Pos: r.Position(use.Pos), Message: "the metadata"}}
	}
	if m.reported[pos] {
		return
	}
	m.reported[pos] = true
	r.Add(report.MetadataLost.At(r.Position(pos), "describe them with crd.embeddedObjectMeta: true in schemagen.yaml (crd:generateEmbeddedObjectMeta=true), or use a type of your own with the fields that you need",
		"the API server drops labels, annotations and all other metadata of %s: the schema of metav1.ObjectMeta has no fields", path)).Related = related
}
