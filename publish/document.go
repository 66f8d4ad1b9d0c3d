package publish

import (
	"crypto/sha512"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// Options control how documents differ from those of an API server. The zero value is a
// server's documents with unions.
type Options struct {
	// Unfold expands unions in OpenAPI v3 to an enum and a oneOf with a branch for each
	// value ([structural.Unfold]). What the server itself expands, int-or-string and
	// embedded resources, is always expanded.
	Unfold bool
	// ObjectUnions adds the structural KEP's form of x-kubernetes-unions, which is on the
	// object.
	ObjectUnions bool
	// OmitFieldValidation omits the parameter that tells kubectl that the server validates;
	// without it kubectl validates itself.
	OmitFieldValidation bool
}

// Document is a file that the API server would serve.
type Document struct {
	// Path is the path of the request below /openapi, with slashes: "v2" or
	// "v3/apis/GROUP/VERSION". The index of v3 is "v3".
	Path string
	Data []byte
	// protobuf returns the OpenAPI v2 document in the only form that kubectl reads, made on
	// demand; nil for other documents.
	protobuf func() ([]byte, error)
}

// hashOf returns the hash of a document in the index of v3 and in the server's ETag.
func hashOf(data []byte) string { return fmt.Sprintf("%X", sha512.Sum512(data)) }

// Documents returns the OpenAPI v2 document, the index of v3, and the document of each
// group version, sorted by name. The bytes depend only on the content of the resources,
// which must have no [Conflicts].
func Documents(resources []*Resource, options Options) ([]Document, error) {
	p, err := NewPublisher(options)
	if err != nil {
		return nil, err
	}
	return p.Documents(resources)
}

// V2 returns the OpenAPI v2 document of all resources (BuildOpenAPIV2 and MergeSpecs of the
// server's OpenAPI builder). An error is a bug in this package.
func V2(resources []*Resource, options Options) ([]byte, error) {
	p, err := NewPublisher(options)
	if err != nil {
		return nil, err
	}
	data, _, err := p.document(p.v2, resources)
	return data, err
}

// V3 returns the OpenAPI v3 document of the resources of one group version (BuildOpenAPIV3
// and MergeSpecsV3 of the server's OpenAPI builder). An error is a bug in this package.
func V3(resources []*Resource, options Options) ([]byte, error) {
	p, err := NewPublisher(options)
	if err != nil {
		return nil, err
	}
	data, _, err := p.document(p.v3, resources)
	return data, err
}

// join writes a document with sorted keys and the line breaks of [marshal].
func (d dialect) join(whole part) ([]byte, error) {
	info, err := marshalAt(object{"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}, 1)
	if err != nil {
		return nil, err
	}
	var size int
	for _, list := range [][]member{whole.definitions, whole.paths, whole.parameters} {
		sortMembers(list)
		for _, m := range list {
			size += len(m.name) + len(m.text) + len(",\n   \"\": ")
		}
	}
	out := append(make([]byte, 0, size+1024), '{')
	if d.v2 {
		if len(whole.definitions) > 0 {
			out = append(appendMembers(append(out, "\n \"definitions\": "...), whole.definitions, 1), ',')
		}
		out = append(append(append(out, "\n \"info\": "...), info...), ',')
		if len(whole.parameters) > 0 {
			out = append(appendMembers(append(out, "\n \"parameters\": "...), whole.parameters, 1), ',')
		}
		out = appendMembers(append(out, "\n \"paths\": "...), whole.paths, 1)
		return append(out, ",\n \"swagger\": \"2.0\"\n}\n"...), nil
	}
	out = appendMembers(append(out, "\n \"components\": {\n  \"schemas\": "...), whole.definitions, 2)
	out = append(append(append(out, "\n },\n \"info\": "...), info...), ",\n \"openapi\": \"3.0.0\",\n \"paths\": "...)
	return append(appendMembers(out, whole.paths, 1), "\n}\n"...), nil
}

// appendMembers appends an object at a depth of a document.
func appendMembers(out []byte, list []member, depth int) []byte {
	if len(list) == 0 {
		return append(out, "{}"...)
	}
	separator := byte('{')
	for _, m := range list {
		out = plainjson.AppendText(appendLine(append(out, separator), depth+1), m.name)
		out = append(append(out, ": "...), m.text...)
		separator = ','
	}
	return append(appendLine(out, depth), '}')
}

type groupVersion struct {
	name      string
	resources []*Resource
}

// groupVersions groups resources by group version, sorted by name.
func groupVersions(resources []*Resource) []groupVersion {
	var out []groupVersion
	for _, r := range resources {
		offset, known := slices.BinarySearchFunc(out, r.GroupVersion(),
			func(gv groupVersion, name string) int { return strings.Compare(gv.name, name) })
		if !known {
			out = slices.Insert(out, offset, groupVersion{name: r.GroupVersion()})
		}
		out[offset].resources = append(out[offset].resources, r)
	}
	return out
}

// marshal writes indented JSON with sorted keys, because documents are reviewed as diffs.
func marshal(value any) ([]byte, error) {
	text, err := marshalAt(value, 0)
	return append(text, '\n'), err
}

// marshalAt writes a value at a depth of a document, without a final newline.
func marshalAt(value any, depth int) ([]byte, error) {
	return appendValue(nil, value, depth)
}

// appendValue appends the JSON that encoding/json would write. Documents have tens of megabytes, for
// which encoding/json takes several times as long.
func appendValue(out []byte, value any, depth int) ([]byte, error) {
	switch value := value.(type) {
	case string:
		return plainjson.AppendText(out, value), nil
	case bool:
		return strconv.AppendBool(out, value), nil
	case int64:
		return strconv.AppendInt(out, value, 10), nil
	case object:
		return appendObject(out, value, depth)
	case []any:
		return appendItems(out, value, depth)
	case []string:
		return appendItems(out, value, depth)
	}
	text, err := plainjson.Indented(value, strings.Repeat(" ", depth), " ")
	if err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return append(out, text...), nil
}

func appendObject(out []byte, value object, depth int) ([]byte, error) {
	if len(value) == 0 {
		return append(out, "{}"...), nil
	}
	separator := byte('{')
	for _, name := range slices.Sorted(maps.Keys(value)) {
		out = plainjson.AppendText(appendLine(append(out, separator), depth+1), name)
		var err error
		out, err = appendValue(append(out, ": "...), value[name], depth+1)
		if err != nil {
			return nil, err
		}
		separator = ','
	}
	return append(appendLine(out, depth), '}'), nil
}

func appendItems[T any](out []byte, list []T, depth int) ([]byte, error) {
	if len(list) == 0 {
		return append(out, "[]"...), nil
	}
	separator := byte('[')
	for _, item := range list {
		out = appendLine(append(out, separator), depth+1)
		var err error
		out, err = appendValue(out, item, depth+1)
		if err != nil {
			return nil, err
		}
		separator = ','
	}
	return append(appendLine(out, depth), ']'), nil
}

// appendLine starts a line.
func appendLine(out []byte, depth int) []byte {
	out = append(out, '\n')
	for range depth {
		out = append(out, ' ')
	}
	return out
}
