package symbols

import (
	"bytes"
	"context"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// absolute returns the file of a position.
func (p *Program) absolute(pos diag.Position) string {
	if filepath.IsAbs(pos.File) {
		return pos.File
	}
	return filepath.Join(p.Dir, pos.File)
}

// isForeign reports whether a file is one of a module that the user does not edit: in the module
// cache or vendored.
func (p *Program) isForeign(file string) bool {
	relative, err := filepath.Rel(p.Dir, file)
	if err != nil || !filepath.IsLocal(relative) {
		return strings.Contains(file, "@v")
	}
	return strings.Contains("/"+filepath.ToSlash(relative), "/vendor/")
}

// Read returns the content of a file.
type Read func(name string) ([]byte, error)

// Recorder keeps the definitions that a run hands to a server. Its zero value has none.
type Recorder struct {
	define.Server
	mu          sync.Mutex
	definitions []*crd.Definition
	outlines    outlines
}

// outlines keeps the outlines of files that did not change between runs.
type outlines struct {
	mu    sync.Mutex
	files map[string]outlined
}

type outlined struct {
	text    []byte
	outline *Outline
}

// of returns the outline of a file with a text.
func (o *outlines) of(file string, text []byte) *Outline {
	o.mu.Lock()
	defer o.mu.Unlock()
	if known, ok := o.files[file]; ok && bytes.Equal(known.text, text) {
		return known.outline
	}
	if o.files == nil {
		o.files = map[string]outlined{}
	}
	out := NewOutline(text)
	o.files[file] = outlined{text, out}
	return out
}

// Around returns a server whose definitions are recorded; those of earlier runs are forgotten. A
// nil recorder records nothing.
func (r *Recorder) Around(server define.Server) define.Server {
	if r == nil {
		return server
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Server = server
	r.definitions = nil
	return r
}

// Check implements [define.Server].
func (r *Recorder) Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error) {
	r.mu.Lock()
	r.definitions = append(r.definitions, definitions...)
	r.mu.Unlock()
	return r.Server.Check(ctx, definitions)
}

// Kind is a definition.
type Kind struct {
	// Object is the definition without schemas, and Schemas are the schemas of its versions by
	// index.
	Object  *apiextensionsv1.CustomResourceDefinition
	Schemas []*structural.Schema
	// Text is the definition as a file; nil if a run has never come to that.
	Text []byte
	// program has the definition: an earlier one if the last run could not define the kind.
	program *Program
	resolve func(token.Pos) diag.Position

	costing sync.Mutex
	// estimated are the costs of the rules, and costs these with their positions; both are nil
	// until they are asked for.
	estimated []unions.RuleCost
	costs     []ruleCost
}

// ruleCost is the cost of a rule whose marker is at an offset of a file.
type ruleCost struct {
	unions.RuleCost
	file   string
	offset int
}

func (k *Kind) name() string { return k.Object.Spec.Names.Kind + "." + k.Object.Spec.Group }

// Program is what a run has found out in a directory. It is immutable and safe for concurrent
// use.
type Program struct {
	// Dir is the directory of the run.
	Dir   string
	kinds []*Kind
	read  Read
	// outlines has those of the files.
	outlines *outlines
	costs    func(context.Context, *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error)

	once  sync.Once
	found index
}

// Program returns what a run in a directory has recorded. read returns the files that it has read.
// If the run failed, kinds that it could not define completely come from the program before, which
// may be nil.
func (r *Recorder) Program(dir string, read Read, oldProgram *Program, failed bool) *Program {
	r.mu.Lock()
	definitions := r.definitions
	r.definitions = nil
	r.mu.Unlock()
	p := &Program{Dir: dir, read: read, outlines: &r.outlines}
	if r.Server != nil {
		p.costs = r.Server.Costs
	}
	seen := map[string]bool{}
	earlier := map[string]*Kind{}
	if oldProgram != nil {
		for _, k := range oldProgram.kinds {
			earlier[k.name()] = k
		}
	}
	for _, d := range definitions {
		known := d.Provenance()
		if known.Header == nil || known.Resolve == nil {
			continue
		}
		k := &Kind{Object: known.Header, Schemas: d.Schemas, Text: known.Text, program: p, resolve: known.Resolve}
		if seen[k.name()] { // the channels of a run, or what it would be without a mistake
			continue
		}
		seen[k.name()] = true
		old := earlier[k.name()]
		switch {
		case old == nil:
		case failed && slices.ContainsFunc(k.Schemas, isCut):
			k = old.alone()
		case k.Text == nil:
			k.Text = old.Text
		case bytes.Equal(k.Text, old.Text):
			k.estimated = old.known()
		}
		p.kinds = append(p.kinds, k)
	}
	if failed {
		for _, k := range earlier {
			if !seen[k.name()] {
				p.kinds = append(p.kinds, k.alone())
			}
		}
	}
	slices.SortFunc(p.kinds, func(a, b *Kind) int { return strings.Compare(a.name(), b.name()) })
	return p
}

// alone returns a kind for a later program. It does not keep the others of its own one, which may have
// kinds of earlier programs in turn.
func (k *Kind) alone() *Kind {
	old := k.program
	if len(old.kinds) == 1 {
		return k
	}
	p := &Program{Dir: old.Dir, read: old.read, outlines: old.outlines, costs: old.costs}
	p.kinds = []*Kind{{Object: k.Object, Schemas: k.Schemas, Text: k.Text, program: p, resolve: k.resolve,
		estimated: k.known()}}
	return p.kinds[0]
}

// isCut reports whether a part of a schema is missing because of a mistake.
func isCut(s *structural.Schema) bool {
	return s.Contains(func(s *structural.Schema) bool { return s.Origin.Mistake == notes.InShape })
}

// HasKinds reports whether a program, which may be nil, has definitions.
func (p *Program) HasKinds() bool { return p != nil && len(p.kinds) > 0 }

// use is a node of a schema.
type use struct {
	kind    *Kind
	version string
	// path leads to the values in an object.
	path   string
	schema *structural.Schema
}

// index has the nodes of a program by declaration: the directory of the package, a slash, and
// the key of the declaration.
type index struct {
	// fields are the nodes of fields and of the types of kinds; types those whose fields a
	// struct declares, or whose Go type has the name.
	fields, types map[string][]use
	// declared is the inverse of both: the declaration of a node.
	declared map[*structural.Schema]string
	// places are the positions of declarations in the files of the run.
	places map[string]Location
	files  map[string]*Outline
}

// Location is a part of a file.
type Location struct {
	File       string
	Start, End int
}

// maxUses limits the nodes that are kept of a declaration.
const maxUses = 32

// index returns the nodes of a program.
func (p *Program) index() *index {
	p.once.Do(func() {
		p.found = index{map[string][]use{}, map[string][]use{}, map[*structural.Schema]string{},
			map[string]Location{}, map[string]*Outline{}}
		for _, k := range p.kinds {
			for i, s := range k.Schemas {
				if s != nil && i < len(k.Object.Spec.Versions) {
					p.found.add(use{k, k.Object.Spec.Versions[i].Name, "", s})
				}
			}
		}
	})
	return &p.found
}

// add adds a node and those below it.
func (x *index) add(u use) {
	file, d := x.declaration(u.kind, u.schema.Origin.Pos)
	if file == "" {
		return // another module's
	}
	dir := filepath.Dir(file)
	if d != nil {
		key := dir + "/" + d.Key
		if len(x.fields[key]) < maxUses {
			x.fields[key] = append(x.fields[key], u)
		}
		x.declared[u.schema] = key
		if d.Parent != nil {
			x.addType(dir, d.Type, u)
		} else {
			x.types[key] = append(x.types[key], u)
		}
	}
	x.below(u)
}

// below adds the nodes below a node.
func (x *index) below(u use) {
	for _, p := range u.schema.Properties {
		x.add(use{u.kind, u.version, u.path + "." + p.Name, p.Schema})
	}
	if s := u.schema.Items; s != nil {
		x.below(use{u.kind, u.version, u.path + "[*]", s})
	}
	if a := u.schema.AdditionalProperties; a != nil && a.Schema != nil {
		x.below(use{u.kind, u.version, u.path + "{*}", a.Schema})
	}
}

// addType adds a node to those of its Go type.
func (x *index) addType(dir, text string, u use) {
	name, s := element(text, u.schema)
	if s == nil || name == "" || strings.Contains(name, ".") || types.Universe.Lookup(name) != nil || len(x.types[dir+"/"+name]) >= maxUses {
		return
	}
	u.schema = s
	x.types[dir+"/"+name] = append(x.types[dir+"/"+name], u)
}

// element returns the type that a pointer, lists and maps lead to, and its schema.
func element(text string, s *structural.Schema) (string, *structural.Schema) {
	for s != nil {
		if rest, ok := strings.CutPrefix(text, "*"); ok {
			text = rest
			continue
		}
		end := strings.IndexByte(text, ']')
		switch {
		case strings.HasPrefix(text, "map[") && end > 0 && s.AdditionalProperties != nil:
			s = s.AdditionalProperties.Schema
		case strings.HasPrefix(text, "[") && end > 0:
			s = s.Items
		default:
			return text, s
		}
		text = text[end+1:]
	}
	return text, nil
}

// declaration returns the file of a node and its declaration, which is nil if there is none. The
// file is empty if it is not the user's own.
func (x *index) declaration(k *Kind, position token.Pos) (file string, d *Decl) {
	pos := k.resolve(position)
	file = k.program.absolute(pos)
	if pos.File == "" || k.program.isForeign(file) {
		return "", nil
	}
	o, ok := x.files[file]
	if !ok {
		text, err := k.program.read(file)
		if err == nil {
			o = k.program.outlines.of(file, text)
			for _, d := range o.Decls {
				x.places[filepath.Dir(file)+"/"+d.Key] = Location{file, d.Start, d.End}
			}
		}
		x.files[file] = o
	}
	if o == nil {
		return "", nil
	}
	offset := o.offset(pos.Line, pos.Column)
	current, _ := slices.BinarySearchFunc(o.Decls, offset+1, func(d *Decl, offset int) int { return d.Start - offset })
	if current == 0 {
		return file, nil
	}
	if d := o.Decls[current-1]; offset <= d.End || d.Parent != nil && len(d.Fields) == 0 && offset <= d.Until {
		return file, d
	}
	return file, nil
}
