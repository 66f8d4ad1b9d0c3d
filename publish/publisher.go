package publish

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/schemagen/schemagen/internal/ground/parallel"
)

// Publisher produces documents of resources of which few change between calls. What a
// resource contributes to a document is rendered once, and a document with the same
// resources is reused (KEP "Publish CRD OpenAPI": an unchanged etag costs no aggregation).
// It is not safe for concurrent use.
type Publisher struct {
	static *static
	v2, v3 dialect
	// parts are the contributions of the resources of the last call to the documents.
	parts map[partKey]*part
	// made are the documents of the last call, by path.
	made map[string]madeDocument
}

type partKey struct {
	*Resource
	v2 bool
}

// part is what one resource, or Kubernetes itself, contributes to a document.
type part struct {
	definitions, paths, parameters []member
	// protobuf returns the part of an OpenAPI v2 document as protobuf.
	protobuf func() ([]byte, error)
}

// member is a name and its value as JSON, with the indentation that it has in the document.
type member struct {
	name string
	text []byte
}

type madeDocument struct {
	Document
	of []*Resource
	// hash is the hash of an OpenAPI v3 document.
	hash string
}

// NewPublisher returns a Publisher. An error is a bug in this package.
func NewPublisher(options Options) (*Publisher, error) {
	s, err := readStatic()
	if err != nil {
		return nil, err
	}
	return &Publisher{static: s, parts: map[partKey]*part{}, v2: dialect{v2: true, Options: options},
		v3: dialect{Options: options}}, nil
}

// Documents is like the function [Documents]. Resources that were in the last call, that
// is, the same pointers, must not have changed. Their schemas are not used again and need
// not be kept.
func (p *Publisher) Documents(resources []*Resource) ([]Document, error) {
	if p.static == nil {
		return nil, errors.New("the publisher is zero: use NewPublisher")
	}
	last := p.made
	p.made = map[string]madeDocument{}
	v2, err := p.remake(last, "v2", p.v2, resources)
	if err != nil {
		return nil, err
	}
	index := object{}
	var v3 []Document
	for _, gv := range groupVersions(resources) {
		path := "apis/" + gv.name
		d, err := p.remake(last, "v3/"+path, p.v3, gv.resources)
		if err != nil {
			return nil, err
		}
		index[path] = object{"serverRelativeURL": "/openapi/v3/" + path + "?hash=" + d.hash}
		v3 = append(v3, d.Document)
	}
	p.forget(resources)
	data, err := marshal(object{"paths": index})
	if err != nil {
		return nil, err
	}
	return append([]Document{v2.Document, {Path: "v3", Data: data}}, v3...), nil
}

// remake returns the document of the last call if its resources are the same, or makes it.
func (p *Publisher) remake(last map[string]madeDocument, path string, d dialect, resources []*Resource) (madeDocument, error) {
	made, known := last[path]
	if !known || !slices.Equal(made.of, resources) {
		data, parts, err := p.document(d, resources)
		if err != nil {
			return made, err
		}
		made = madeDocument{Document: Document{Path: path, Data: data}, of: slices.Clone(resources)}
		if d.v2 {
			made.protobuf = sync.OnceValues(func() ([]byte, error) { return joinProtobuf(parts) })
		} else {
			made.hash = hashOf(data)
		}
	}
	p.made[path] = made
	return made, nil
}

// forget drops the parts of other resources.
func (p *Publisher) forget(resources []*Resource) {
	kept := map[partKey]*part{}
	for _, r := range append([]*Resource{nil}, resources...) {
		for _, v2 := range []bool{true, false} {
			if known := p.parts[partKey{r, v2}]; known != nil {
				kept[partKey{r, v2}] = known
			}
		}
	}
	p.parts = kept
}

// document assembles the parts of resources into a document. It also returns the parts.
func (p *Publisher) document(d dialect, resources []*Resource) ([]byte, []*part, error) {
	parts, err := p.partsOf(d, append([]*Resource{nil}, resources...))
	if err != nil {
		return nil, nil, err
	}
	parts[0] = newPart(d, parts[0].neededBy(resources))
	var whole part
	for _, own := range parts {
		whole.definitions = append(whole.definitions, own.definitions...)
		whole.paths = append(whole.paths, own.paths...)
		whole.parameters = append(whole.parameters, own.parameters...)
	}
	data, err := d.join(whole)
	return data, parts, err
}

// neededBy returns the subset of Kubernetes' own part that resources need.
func (p *part) neededBy(resources []*Resource) part {
	if len(resources) == 0 {
		return part{}
	}
	scale := slices.ContainsFunc(resources, func(r *Resource) bool { return r.Scale })
	namespaced := slices.ContainsFunc(resources, func(r *Resource) bool { return r.Namespaced })
	return part{
		definitions: slices.DeleteFunc(slices.Clone(p.definitions),
			func(m member) bool { return !scale && strings.HasPrefix(m.name, scaleDefinition) }),
		parameters: slices.DeleteFunc(slices.Clone(p.parameters), func(m member) bool { return !namespaced && strings.HasPrefix(m.name, "namespace-") }),
	}
}

// newPart returns a part with its protobuf.
func newPart(d dialect, p part) *part {
	if !d.v2 {
		return &p
	}
	p.protobuf = sync.OnceValues(func() ([]byte, error) {
		document, err := d.join(p)
		if err != nil {
			return nil, err
		}
		return toProtobuf(document)
	})
	return &p
}

// joinProtobuf concatenates the messages of parts: concatenated messages are one message
// with all elements of their lists. Parsing the whole document at once would take some
// hundred bytes of memory per byte.
func joinProtobuf(parts []*part) ([]byte, error) {
	var out []byte
	for _, p := range parts {
		data, err := p.protobuf()
		if err != nil {
			return nil, err
		}
		out = append(out, data...)
	}
	return out, nil
}

// partsOf returns the parts of resources, in their order; nil stands for Kubernetes.
// Missing parts are rendered in parallel.
func (p *Publisher) partsOf(d dialect, resources []*Resource) ([]*part, error) {
	out := make([]*part, len(resources))
	err := parallel.Do(len(resources), func(i int) (err error) {
		out[i] = p.parts[partKey{resources[i], d.v2}]
		if out[i] == nil {
			out[i], err = p.render(d, resources[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, r := range resources {
		p.parts[partKey{r, d.v2}] = out[i]
	}
	return out, nil
}

// render renders a part.
func (p *Publisher) render(d dialect, r *Resource) (*part, error) {
	definitions := object{}
	paths := object{}
	parameters := object{}
	if r == nil {
		source := p.static.V3
		if d.v2 {
			source = p.static.V2
		}
		for name, definition := range source.Definitions {
			definitions[name] = definition
		}
		for name, parameter := range source.Shared {
			parameters[name] = parameter
		}
	} else {
		definitions[r.definition(r.Kind)] = d.kindSchema(r)
		definitions[r.definition(r.ListKind)] = d.listSchema(r)
		d.addPaths(paths, r, p.static)
	}
	var out part
	for _, list := range []struct {
		of    object
		depth int
		to    *[]member
	}{{definitions, d.definitionsDepth(), &out.definitions}, {paths, 2, &out.paths}, {parameters, 2, &out.parameters}} {
		var err error
		*list.to, err = members(list.of, list.depth)
		if err != nil {
			return nil, err
		}
	}
	return newPart(d, out), nil
}

// definitionsDepth returns the depth of the definitions in the document.
func (d dialect) definitionsDepth() int {
	if d.v2 {
		return 2
	}
	return 3
}

// members renders the values of an object at a depth of a document, sorted by name.
func members(values object, depth int) ([]member, error) {
	var out []member
	for name, value := range values {
		text, err := marshalAt(value, depth)
		if err != nil {
			return nil, err
		}
		out = append(out, member{name, text})
	}
	sortMembers(out)
	return out, nil
}

func sortMembers(list []member) {
	slices.SortFunc(list, func(a, b member) int { return cmp.Compare(a.name, b.name) })
}
