package publish

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/schemagen/schemagen/internal/parallel"
)

// Publisher makes documents of resources of which few change from one time to the
// next. What a resource adds to a document is rendered once, and a document whose
// resources are the same is not made again (KEP "Publish CRD OpenAPI": an etag that
// did not change costs no aggregation). It is not safe for concurrent use.
type Publisher struct {
	static *static
	v2, v3 dialect
	// parts are what the resources of the last call added to the documents of the
	// dialects.
	parts map[partKey]*part
	// made are the documents of the last call, by path.
	made map[string]madeDocument
}

type partKey struct {
	*Resource
	v2 bool
}

// part is what one resource, or Kubernetes itself, adds to a document.
type part struct {
	definitions, paths, parameters []member
	// protobuf is what it adds to OpenAPI v2 in that form.
	protobuf func() ([]byte, error)
}

// member is a name and its value as it is written, with the indentation that it has
// in the document.
type member struct {
	name string
	text []byte
}

type madeDocument struct {
	Document
	of []*Resource
	// hash is that of a document of v3.
	hash string
}

// NewPublisher returns a publisher. An error is ours.
func NewPublisher(options Options) (*Publisher, error) {
	s, err := readStatic()
	if err != nil {
		return nil, err
	}
	return &Publisher{static: s, parts: map[partKey]*part{}, v2: dialect{v2: true, Options: options}, v3: dialect{Options: options}}, nil
}

// Documents is the function of that name, for resources of which those that were in
// the last call, the same pointers, have not changed. Of these the schema is not
// looked at any more, so that it need not be kept.
func (p *Publisher) Documents(resources []*Resource) ([]Document, error) {
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

// remake returns the document that the last call has made, or makes it.
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

// forget drops the parts of resources that are there no more.
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

// document puts the parts of resources together, and returns them, too.
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

// neededBy is what resources need of the part of Kubernetes.
func (p *part) neededBy(resources []*Resource) part {
	if len(resources) == 0 {
		return part{}
	}
	scale := slices.ContainsFunc(resources, func(r *Resource) bool { return r.Scale })
	namespaced := slices.ContainsFunc(resources, func(r *Resource) bool { return r.Namespaced })
	return part{
		definitions: slices.DeleteFunc(slices.Clone(p.definitions), func(m member) bool { return !scale && strings.HasPrefix(m.name, scaleDefinition) }),
		parameters:  slices.DeleteFunc(slices.Clone(p.parameters), func(m member) bool { return !namespaced && strings.HasPrefix(m.name, "namespace-") }),
	}
}

// newPart is a part with its protobuf.
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

// joinProtobuf puts documents together that each have a part: messages one after the
// other are one message with all that is in their lists. Reading the whole at once
// would take some hundred bytes of memory for each of it.
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

// partsOf returns what resources add, or Kubernetes for nil, in their order. Those that
// are not there yet are rendered side by side.
func (p *Publisher) partsOf(d dialect, resources []*Resource) ([]*part, error) {
	out := make([]*part, len(resources))
	err := parallel.Do(len(resources), func(i int) (err error) {
		if out[i] = p.parts[partKey{resources[i], d.v2}]; out[i] == nil {
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

// render makes a part.
func (p *Publisher) render(d dialect, r *Resource) (*part, error) {
	definitions, paths, parameters := object{}, object{}, object{}
	if r == nil {
		from := p.static.V3
		if d.v2 {
			from = p.static.V2
		}
		for name, definition := range from.Definitions {
			definitions[name] = definition
		}
		for name, parameter := range from.Shared {
			parameters[name] = parameter
		}
	} else {
		definitions[r.definition(r.Kind)], definitions[r.definition(r.ListKind)] = d.kindSchema(r), d.listSchema(r)
		d.addPaths(paths, r, p.static)
	}
	var out part
	for _, list := range []struct {
		of    object
		depth int
		to    *[]member
	}{{definitions, d.definitionsDepth(), &out.definitions}, {paths, 2, &out.paths}, {parameters, 2, &out.parameters}} {
		var err error
		if *list.to, err = members(list.of, list.depth); err != nil {
			return nil, err
		}
	}
	return newPart(d, out), nil
}

// definitionsDepth is how deep the definitions lie in the document.
func (d dialect) definitionsDepth() int {
	if d.v2 {
		return 2
	}
	return 3
}

// members writes the values of an object that lie deep in a document, by name.
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
