package definitions

import (
	"context"
	"crypto/sha256"
	"go/token"
	"net/http"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/structural/manifest"
)

// Resource is a served version of a definition, with the positions of its parts.
type Resource struct {
	*publish.Resource
	// Position returns the position of a path in the definition.
	Position func(path string) diag.Position
	// Definition is the definition.
	Definition *crd.Definition
}

// Cache holds the decoded parts of files, for a program that reads the files repeatedly.
type Cache map[partKey]readPart

// partKey identifies a part of a file, including its content.
type partKey struct {
	name  string
	mixed bool
	line  int
	sum   [sha256.Size]byte
}

// readPart is the result of reading a part of a file.
type readPart struct {
	resources []*Resource
	// definitions is their number; definitions that are not served have no resource.
	definitions int
	findings    diag.List
}

// Resources returns the served versions of definitions, which are read as by [Reader.Read].
// That there are none is a finding, an error if there is no definition at all.
// Files that have not changed since the last call with the same cache are not decoded again;
// afterwards, the cache holds only the parts read by this call. If cache is nil, nothing is
// cached.
func (r *Reader) Resources(ctx context.Context, names []string, cache *Cache) ([]*Resource, diag.List, error) {
	given := len(names) > 0
	if !given {
		names = r.defaults()
	}
	sources, packages, err := findDefinitions(names, r.Skip)
	if err != nil {
		return nil, nil, err
	}
	r.note(names, packages)
	if err := r.checkFlags(names...); err != nil {
		return nil, nil, err
	}
	var all readPart
	next := Cache{}
	for part, err := range r.parts(sources) {
		if err != nil {
			return nil, nil, err
		}
		var read readPart
		if cache == nil {
			read = resourcesOf(r.decode(part))
		} else {
			key := partKey{part.Name, part.Mixed, part.LineOffset, sha256.Sum256(part.Data)}
			known := false
			read, known = (*cache)[key]
			if !known {
				read = resourcesOf(r.decode(part))
			}
			next[key] = read
		}
		all.add(read)
	}
	if cache != nil {
		*cache = next
	}
	if len(packages) > 0 {
		subjects, found, err := r.Packages(ctx, r.Dir, packages)
		if err != nil {
			return nil, nil, err
		}
		all.add(resourcesOf(subjects, found))
	}
	switch {
	case len(all.resources) > 0 || all.findings.HasErrors():
	case all.definitions > 0:
		all.findings = append(all.findings, noCRD.At(diag.Position{}, "set served: true for a version", "no served version of a CRD in %s", strings.Join(names, ", ")))
	default:
		all.findings = append(all.findings, NoCRDIn(names, given).As(diag.Error))
	}
	return all.resources, all.findings, nil
}

// ResourcesOf returns the served versions of the definitions in files that were just generated, with the
// conflicts between them.
func ResourcesOf(files []crd.File) ([]*Resource, diag.List) {
	var all readPart
	for _, file := range files {
		all.add(resourcesOf(lenient(file)))
	}
	return all.resources, append(all.findings, Conflicts(all.resources)...)
}

// add adds another part.
func (p *readPart) add(other readPart) {
	p.resources = append(p.resources, other.resources...)
	p.definitions += other.definitions
	p.findings = append(p.findings, other.findings...)
}

// resourcesOf returns the served versions of definitions.
func resourcesOf(subjects []*crd.Definition, findings diag.List) readPart {
	out := readPart{definitions: len(subjects), findings: findings}
	for _, s := range subjects {
		resources, found := served(s)
		out.resources = append(out.resources, resources...)
		out.findings = append(out.findings, found...)
	}
	return out
}

// Resources returns the served versions of a definition.
func Resources(d *crd.Definition) ([]*Resource, error) {
	completed, err := d.Completed()
	if err != nil {
		return nil, err
	}
	object, err := completed.Object()
	if err != nil {
		return nil, err
	}
	completed.CRD = object
	out, _ := served(completed)
	return out, nil
}

// served returns the served versions of a definition, with findings about everything that
// prevents one of them from being published unchanged.
func served(s *crd.Definition) ([]*Resource, diag.List) {
	position := positionIn(s)
	var out []*Resource
	var findings diag.List
	for _, r := range publish.Resources(s.CRD, s.Schemas, s.Unsupported) {
		out = append(out, &Resource{Resource: r, Position: position, Definition: s})
		for _, path := range publish.BadNames(r) {
			findings = append(findings, unnamedDefinition.At(position(path), "", "%s of %s is missing or not a DNS name", path, s.CRD.Name))
		}
		findings = append(findings, unionProblems(r, position)...)
		if r.Rejected != nil {
			findings = append(findings, out[len(out)-1].Unpublished("schema of %s %s is not published: %s"))
		}
	}
	return out, findings
}

// Unpublished returns a finding about a resource without a schema. The format has verbs for the kind, the
// group version and the reason.
func (r *Resource) Unpublished(format string) diag.Diagnostic {
	path := r.Path
	if r.Rejected != nil {
		path += r.Rejected.Path
	}
	return UnpublishedSchema.At(r.Position(path), "", format, r.Kind, r.GroupVersion(), r.Resource.Unpublished())
}

// positionIn returns the function that returns the position of a path in a definition.
func positionIn(s *crd.Definition) func(path string) diag.Position {
	return func(path string) diag.Position {
		pos, _ := s.Position(path)
		return pos
	}
}

// unionProblems returns findings about the unions of a resource that are invalid or cannot be
// published.
func unionProblems(r *publish.Resource, position func(path string) diag.Position) diag.List {
	var out diag.List
	for _, u := range publish.UnionProblems(r.Schema, r.Path) {
		severity := UnpublishedUnions.Severity
		hint := ""
		if u.Invalid {
			severity = diag.Error
			hint = "a discriminator must be a string property, its members other properties of the same object, and its values in its enum"
		}
		out = append(out, UnpublishedUnions.At(position(r.Path+u.Path), hint, "%s", u.Message).As(severity))
	}
	return out
}

// unionFindings returns what the publication of a definition reports about its unions. The
// schemas of the definition do not have them afterwards: a server does not know them.
func unionFindings(m *manifest.Manifest, s *crd.Definition, position func(token.Pos) diag.Position) diag.List {
	var keywords []structural.UnknownKeyword
	for _, k := range slices.Concat(m.Unknown...) {
		if k.Keyword == publish.UnionsKeyword {
			keywords = append(keywords, k)
		}
	}
	if len(keywords) == 0 {
		return nil
	}
	out := addUnions(m, position)
	for _, r := range publish.Resources(s.CRD, s.Schemas, s.Unsupported) {
		out = append(out, unionProblems(r, positionIn(s))...)
	}
	for _, k := range keywords {
		if k.Schema != nil { // otherwise it is inside a junctor
			k.Schema.XUnions = nil
			k.Schema.XUnionMembers = nil
		}
	}
	return out
}

// addUnions sets the values of x-kubernetes-unions in the schemas of a manifest, and returns
// findings about values that cannot be set.
func addUnions(m *manifest.Manifest, position func(token.Pos) diag.Position) diag.List {
	var out diag.List
	for _, unknown := range m.Unknown {
		for _, k := range publish.AddUnions(unknown) {
			out = append(out, UnpublishedUnions.At(position(k.Pos), "", "%s %s, and is not published", k.Keyword, k.Reason))
		}
	}
	return out
}

// Published returns the resources in the form that package publish uses.
func Published(resources []*Resource) []*publish.Resource {
	var out []*publish.Resource
	for _, r := range resources {
		out = append(out, r.Resource)
	}
	return out
}

// Conflicts reports the definitions that cannot be published together, at the position of the
// later one.
func Conflicts(resources []*Resource) diag.List {
	var out diag.List
	for _, c := range publish.Conflicts(Published(resources)) {
		first := resources[c.First]
		second := resources[c.Second]
		path := "spec.names." + c.Field
		out = append(out, conflictingDefinitions.At(second.Position(path), "", "%s", c.Message).
			With(diag.Related{Pos: first.Position(path), Message: "conflicts with this"}))
	}
	return out
}

// ForgetPositions drops the definition that the positions are read from. Only the positions
// that [Conflicts] reports as related are kept.
func (r *Resource) ForgetPositions() {
	positions := map[string]diag.Position{}
	for _, field := range []string{"kind", "listKind", "plural"} {
		positions["spec.names."+field] = r.Position("spec.names." + field)
	}
	r.Position = func(path string) diag.Position { return positions[path] }
	r.Definition = nil
}

// Handler returns a server of the documents of resources. It drops their sources to save memory.
func Handler(publisher *publish.Publisher, published []*Resource) (http.Handler, error) {
	for _, p := range published {
		p.ForgetPositions()
	}
	resources := Published(published)
	documents, err := publisher.Documents(resources)
	if err != nil {
		return nil, err
	}
	for _, r := range resources {
		r.Schema = nil
	}
	return publish.NewHandler(resources, documents)
}
