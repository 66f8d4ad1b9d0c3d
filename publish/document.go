package publish

import (
	"bytes"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Options say how documents differ from those of an API server. The zero value is
// a server's documents with unions.
type Options struct {
	// Unfold spells unions out in OpenAPI v3: an enum, and oneOf with a branch for
	// each value ([structural.Unfold]). What the server itself spells out,
	// int-or-string and embedded resources, is always there.
	Unfold bool
	// ObjectUnions adds the structural KEP's form of x-kubernetes-unions, which
	// stands on the object.
	ObjectUnions bool
	// OmitFieldValidation leaves out the parameter by which kubectl knows that the
	// server validates; without it kubectl validates itself.
	OmitFieldValidation bool
}

// Document is a file that the API server would serve.
type Document struct {
	// Path is that of the request below /openapi, with slashes: "v2" or
	// "v3/apis/GROUP/VERSION". The index of v3 is "v3".
	Path string
	Data []byte
}

// Documents returns the document of OpenAPI v2, the index of v3, and the document
// of each group version in the order of their names. The bytes depend only on
// what the resources say. [Conflicts] must be none.
func Documents(resources []*Resource, options Options) ([]Document, error) {
	s, err := readStatic()
	if err != nil {
		return nil, err
	}
	v2, err := s.v2(resources, options)
	if err != nil {
		return nil, err
	}
	versions := groupVersions(resources)
	index := object{}
	var v3 []Document
	for _, gv := range versions {
		data, err := s.v3(gv.resources, options)
		if err != nil {
			return nil, err
		}
		path := "apis/" + gv.name
		index[path] = object{"serverRelativeURL": fmt.Sprintf("/openapi/v3/%s?hash=%X", path, sha512.Sum512(data))}
		v3 = append(v3, Document{"v3/" + path, data})
	}
	data, err := marshal(object{"paths": index})
	if err != nil {
		return nil, err
	}
	return append([]Document{{"v2", v2}, {"v3", data}}, v3...), nil
}

type groupVersion struct {
	name      string
	resources []*Resource
}

// groupVersions sorts resources by their group versions.
func groupVersions(resources []*Resource) []groupVersion {
	var out []groupVersion
	for _, r := range resources {
		at, known := slices.BinarySearchFunc(out, r.GroupVersion(), func(gv groupVersion, name string) int { return strings.Compare(gv.name, name) })
		if !known {
			out = slices.Insert(out, at, groupVersion{name: r.GroupVersion()})
		}
		out[at].resources = append(out[at].resources, r)
	}
	return out
}

func info() object { return object{"title": "Kubernetes CRD Swagger", "version": "v0.1.0"} }

// V2 returns the document of OpenAPI v2 for all resources (BuildOpenAPIV2 and
// MergeSpecs of the server's OpenAPI builder). An error is ours.
func V2(resources []*Resource, options Options) ([]byte, error) {
	s, err := readStatic()
	if err != nil {
		return nil, err
	}
	return s.v2(resources, options)
}

func (s *static) v2(resources []*Resource, options Options) ([]byte, error) {
	definitions, paths := dialect{v2: true, Options: options}.parts(resources, s, s.V2)
	out := object{"swagger": "2.0", "info": info(), "paths": paths}
	if len(resources) > 0 {
		shared := maps.Clone(s.V2.Shared)
		if !slices.ContainsFunc(resources, func(r *Resource) bool { return r.Namespaced }) {
			maps.DeleteFunc(shared, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, "namespace-") })
		}
		out["definitions"], out["parameters"] = definitions, shared
	}
	return marshal(out)
}

// V3 returns the document of OpenAPI v3 for the resources of one group version
// (BuildOpenAPIV3 and MergeSpecsV3 of the server's OpenAPI builder). An error is
// ours.
func V3(resources []*Resource, options Options) ([]byte, error) {
	s, err := readStatic()
	if err != nil {
		return nil, err
	}
	return s.v3(resources, options)
}

func (s *static) v3(resources []*Resource, options Options) ([]byte, error) {
	definitions, paths := dialect{Options: options}.parts(resources, s, s.V3)
	return marshal(object{"openapi": "3.0.0", "info": info(), "paths": paths, "components": object{"schemas": definitions}})
}

// parts are the definitions and paths of resources.
func (d dialect) parts(resources []*Resource, s *static, from staticDialect) (definitions, paths object) {
	definitions, paths = object{}, object{}
	scale := slices.ContainsFunc(resources, func(r *Resource) bool { return r.Scale })
	for name, definition := range from.Definitions {
		if scale || !strings.HasPrefix(name, scaleDefinition) {
			definitions[name] = definition
		}
	}
	for _, r := range resources {
		definitions[r.definition(r.Kind)] = d.kindSchema(r)
		definitions[r.definition(r.ListKind)] = d.listSchema(r)
		d.addPaths(paths, r, s)
	}
	return definitions, paths
}

// marshal writes JSON with sorted keys, in lines, because documents are reviewed as
// diffs.
func marshal(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("openapi: %w", err)
	}
	return b.Bytes(), nil
}
