package dryrun

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"maps"
	"strings"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/structural/manifest"
	"github.com/schemagen/schemagen/verify"
)

// Key identifies an object, regardless of its version.
type Key struct{ Group, Kind, Namespace, Name string }

// Object is an object in a file, with the position of each of its values. One that was not read
// by ReadObjects has the same position everywhere.
type Object struct {
	APIVersion, Kind, Name string
	// Pos is the position of the object.
	Pos diag.Position
	// Value is the decoded object.
	Value map[string]any

	manifest *manifest.Manifest
	position func(token.Pos) diag.Position
	// mixed is set if the file may contain objects of any kind.
	mixed bool
}

// ReadObjects reads the objects of a file and reports errors in its text. Objects that
// cannot be read are skipped.
func ReadObjects(file crd.File) ([]*Object, diag.List) {
	manifests, problems, position := file.Read()
	var findings diag.List
	if i := invalidUTF8(file.Data); i >= 0 && len(problems) == 0 { // for YAML it is among the problems
		pos := diag.Position{File: file.Name, Line: file.LineOffset + 1 + bytes.Count(file.Data[:i], []byte("\n")), Column: i - bytes.LastIndexByte(file.Data[:i], '\n')}
		findings = append(findings, objectRejected.At(pos, "", "byte %#x is not UTF-8", file.Data[i]))
	}
	for _, m := range manifests {
		if m.CRD == nil { // for CRDs it is found by decoding
			problems = append(problems, m.Repeated()...)
		}
	}
	findings = append(findings, verify.Problems(problems, position)...)
	var out []*Object
	for _, m := range manifests {
		value, err := m.Object()
		if err != nil {
			findings = append(findings, objectRejected.At(position(m.Pos), "", "%v", err))
			continue
		}
		out = append(out, &Object{APIVersion: m.APIVersion, Kind: m.Kind, Name: m.Name, Pos: position(m.Pos),
			Value: value, manifest: m, position: position, mixed: file.Mixed})
	}
	return out, findings
}

// NewObject returns an object that is in memory: a value of a Go type, an unstructured object, or a
// map, all of which are encoded as JSON. It must have apiVersion and kind, which typed clients leave
// empty. Its values have no positions.
func NewObject(object any) (*Object, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("a %T is not an object: %w", object, err)
	}
	objects, findings := ReadObjects(crd.File{Data: data})
	switch {
	case findings.HasErrors():
		return nil, fmt.Errorf("a %T is not an object: %s", object, findings[0].Message)
	case len(objects) != 1:
		return nil, fmt.Errorf("a %T is not an object with apiVersion and kind", object)
	}
	objects[0].Pos = diag.Position{}
	return objects[0], nil
}

// Position returns the position of a value of the object. If the value is not in the file, such as
// a default, the position belongs to the innermost value on the path that is.
func (o *Object) Position(path *structural.ObjectPath) diag.Position {
	if o.manifest == nil {
		return o.Pos
	}
	return o.position(o.manifest.PositionOf(path))
}

// textPosition is Position for a path as the server prints it.
func (o *Object) textPosition(path string) diag.Position {
	if o.manifest == nil {
		return o.Pos
	}
	return o.position(o.manifest.Position(path))
}

// keys returns the keys of a value in the order of the file.
func (o *Object) keys(path *structural.ObjectPath) []string {
	if o.manifest == nil {
		return nil
	}
	return o.manifest.Keys(path)
}

// Key returns the key of the object.
func (o *Object) Key() Key {
	group, _ := splitAPIVersion(o.APIVersion)
	metadata, _ := o.Value["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	namespace = cmp.Or(namespace, metav1.NamespaceDefault) // the default of clients
	return Key{group, o.Kind, namespace, o.Name}
}

// IsDefinition reports whether the object is a CRD rather than a custom resource.
func (o *Object) IsDefinition() bool {
	return o.manifest != nil && o.manifest.CRD != nil || o.Kind == "CustomResourceDefinition"
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or a negative number.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	offset := 0
	for {
		r, size := utf8.DecodeRune(data[offset:])
		if r == utf8.RuneError && size <= 1 {
			return offset
		}
		offset += size
	}
}

func splitAPIVersion(apiVersion string) (group, version string) {
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return "", group
	}
	return group, version
}

// asNew returns the object in the form in which it can be created. An object that a server
// has written, which has a uid, is treated as new: its resourceVersion would be rejected.
func (o *Object) asNew() map[string]any {
	meta, _ := o.Value["metadata"].(map[string]any)
	if meta["uid"] == nil || meta["resourceVersion"] == nil {
		return o.Value
	}
	out := maps.Clone(o.Value)
	meta = maps.Clone(meta)
	delete(meta, "resourceVersion")
	out["metadata"] = meta
	return out
}
