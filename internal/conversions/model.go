package conversions

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/conversions/gotypes"
	"github.com/schemagen/schemagen/internal/conversions/policy"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Model is what is known about the conversions of a run.
type Model struct {
	// Kinds are the kinds with several versions, sorted by group and name.
	Kinds []*Kind
	// Pairs are the pairs of structs that differ, in order of discovery.
	Pairs []*Pair
	// Unpaired are the kinds of which the run has one version, in order of discovery.
	Unpaired []UnpairedKind

	// Run is the run in which the packages were read.
	Run *define.Run
	// Options configure the conversions.
	Options Options

	types  *gotypes.Types
	fset   *token.FileSet
	inputs *inputs.Reader
	// declarations has the declarations of packages, without generated ones.
	declarations map[*source.Package]map[string]source.Declared
	// roots are the packages of the run.
	roots []*source.Package
}

// Packages returns the packages of the run that have kinds.
func (m *Model) Packages() []*source.Package { return m.roots }

// UnpairedKind is a kind of which the run has one version. Packages outside of the run may have others.
type UnpairedKind struct {
	Group, Name string
	// Dir is the directory of its package.
	Dir string
}

// policies returns the policies of all spokes that are served.
func (m *Model) policies() (out []define.File) {
	for _, kind := range m.Kinds {
		for _, spoke := range kind.Spokes {
			if !kind.Equal && spoke.Served && spoke.Pair != nil && spoke.Pair.Loses && !spoke.ByHand() {
				p := policy.Policy{Group: kind.Group, Version: spoke.Name, Plural: kind.Plural, KeepOnCreate: m.Options.KeepOnCreate}
				out = append(out, define.File{Name: p.FileName(), Data: p.YAML()})
			}
		}
	}
	return out
}

// IsGenerated reports whether conversions of a kind can be generated and seem to be: a spoke's package
// has their file, or a type has markers for them.
func (m *Model) IsGenerated(kind *Kind) bool {
	if kind.incomplete {
		return false
	}
	for _, spoke := range kind.Spokes {
		dir := filepath.Dir(spoke.Type.Decl.Pkg.Files[0])
		if _, err := m.inputs.Stat(filepath.Join(dir, FileName)); err == nil {
			return true
		}
	}
	marked := func(list source.Markers) bool {
		return slices.ContainsFunc(list,
			func(m *markers.Marker) bool { return strings.HasPrefix(m.Name, markers.ConvertPrefix) })
	}
	return slices.ContainsFunc(m.Pairs, func(p *Pair) bool {
		return p.ofKind == kind && (marked(p.Spoke.Decl.Markers) || marked(p.Hub.Decl.Markers) ||
			slices.ContainsFunc(p.Spoke.Fields, func(f *Field) bool { return marked(f.Source.Markers) }))
	})
}

// Kind is a kind with several versions.
type Kind struct {
	Group, Name, Plural string
	Hub                 *Version
	Spokes              []*Version
	// Stores are annotations of earlier conversions.
	Stores []Store
	// Equal is set if all versions have the same fields with the same types, so that nothing
	// has to be converted.
	Equal bool

	// incomplete is set if some fields have no counterpart, or cannot be converted to it.
	incomplete bool
}

// Version is a version of a kind.
type Version struct {
	Name   string
	Type   *Type
	Schema *structural.Schema
	// Storage is set for the version that is stored, Served for versions that clients can use.
	Storage, Served bool
	// Pair converts the version to the hub; nil for the hub.
	Pair *Pair

	// written has what people wrote and is not generated.
	written struct{ hub, up, down bool }
}

// Pair is a struct of a spoke and its counterpart in the hub.
type Pair struct {
	Spoke, Hub *Type
	// Hubward is the schema of the hub's struct, and Spokeward that of the spoke's. They may
	// be nil.
	Hubward, Spokeward *structural.Schema
	Units              []*Unit
	// Loses is set if a direction can lose something.
	Loses bool

	ofKind  *Kind
	ofSpoke *Version
	place
	// meta is set if a direction needs the metadata of the object.
	meta bool
	// equal is set if Go converts the structs into each other.
	equal bool
}

// place is what is known about a pair of structs from around it.
type place struct {
	// takenSpoke and takenHub are the fields of either side that units of an outer pair
	// convert, as paths.
	takenSpoke, takenHub []string
	// extra are markers for fields of the spoke that are written further out.
	extra []atMarker
	// optional is set if the spoke's struct is a value that is not there while it is empty,
	// and its fields depend on that.
	optional bool
	// spokeThere and hubThere are set if the struct of that side is always in the JSON when the
	// pair is converted, so that what it requires has to be there, too.
	spokeThere, hubThere bool
}

// Unit is the smallest group of fields that is converted on its own.
type Unit struct {
	// Spoke and Hub are the paths from the structs of the pair. Either is empty if only the
	// other side has the field.
	Spoke, Hub []*Field
	// Rule is nil if only one side has the field.
	Rule *Rule
	// Derived is how the side that has the field computes it from the rest, or nil.
	Derived *Derived
	// Hook are the functions that convert the fields, which may be several; nil for a rule.
	Hook *Hook
	// Up is what is lost on the way to the hub, and Down on the way back.
	Up, Down Outcome
	// Reason is why something is dropped.
	Reason string
	// Guards are the fields of the hub that have to be as they were. They are not empty only
	// for a rule, or a field that only one side has.
	Guards [][]*Field
	// Pos is the position of the field of the spoke, or of the hub if that alone has it.
	Pos token.Pos

	// guard is the marker with the guards, or nil, and rank the order of units with guards: a
	// guard is restored before what it guards.
	guard *markers.Marker
	rank  int
	// set is set for a pointer to a struct whose fields are units of their own.
	set bool
}

// Durations returns the paths of durations below a type, with [] for the elements of lists and
// maps: texts that schemas do not describe.
func (m *Model) Durations(t *Type) (out []string) {
	var visit func(t *Type, path string, within []*Type)
	visit = func(t *Type, path string, within []*Type) {
		switch {
		case t.ID == durationID:
			out = append(out, path)
		case t.Shape == Pointer:
			visit(t.Elem, path, within)
		case t.Shape == List || t.Shape == Map:
			visit(t.Elem, path+"[]", within)
		case t.Shape == Struct && !slices.Contains(within, t):
			for _, f := range m.types.Fields(t) {
				if !f.Meta {
					visit(f.Type, path+"."+f.JSON, append(slices.Clone(within), t))
				}
			}
		}
	}
	visit(t, "", nil)
	return out
}

// Presence reports whether the unit is only that a pointer is not nil: the fields of its
// struct are units of their own.
func (u *Unit) Presence() bool { return u.set }

// Drops reports whether a field below those of the unit is dropped.
func (u *Unit) Drops() bool { return u.Rule.drops() }

// alone reports whether only one side has the field, and nothing computes it.
func (u *Unit) alone() bool { return u.Rule == nil && u.Derived == nil && !u.set }

// Depends reports whether what becomes of the unit depends on more than its own fields: it is
// computed from others or from metadata, or it has guards on both sides.
func (u *Unit) Depends() bool {
	entry := u.Rule != nil && (u.Rule.op == opLabel || u.Rule.op == opAnnotation)
	return u.Derived != nil || entry || len(u.Guards) > 0 && (u.Rule != nil || len(u.Hub) == 0)
}

// Of returns the kind and the version that the pair was found for first.
func (p *Pair) Of() (*Kind, *Version) { return p.ofKind, p.ofSpoke }

// RuleName returns the word for what the unit does, in the table of units.
func (u *Unit) RuleName() string { return u.row(ToHub())[1] }

// Codec returns the codec that the rule needs a marker for; empty if it needs none.
func (r *Rule) Codec() string {
	switch r.op {
	case opCodec:
		return r.Name
	case opKeyed:
		return "map"
	}
	return ""
}

// Entered reports whether units outside of the pair convert some of its fields.
func (p *Pair) Entered() bool { return len(p.takenSpoke)+len(p.takenHub) > 0 }

// Path returns the JSON names of fields, each after a dot.
func Path(fields []*Field) string { return dotted(fields) }

// Outcome is what happens to values that the other side cannot express.
type Outcome int

// The fates.
const (
	Lossless Outcome = iota
	Kept
	Dropped
)

func (f Outcome) String() string { return [...]string{"lossless", "kept", "dropped"}[f] }

// Rule is how a type of a spoke and one of the hub are converted into each other.
type Rule struct {
	// Name is a word for the table: "equal", "struct", "seconds".
	Name       string
	Spoke, Hub *Type
	// Elem is the rule for what is below a pointer, a list or a map, and Pair the structs.
	Elem *Rule
	Pair *Pair
	// Keys are the fields that identify an element of a list.
	Keys []string
	// Key is the key of a label or an annotation.
	Key string
	// Values are pairs of values, of the spoke and of the hub.
	Values [][2]string
	// Required is set for a value and a pointer that its schema requires: zero is a pointer to
	// zero, not nil.
	Required bool

	op op
	// spokeOmits and hubOmits are set if the struct of that side is left out of the JSON while it
	// has only zeros, although it has pointers that are not nil then.
	spokeOmits, hubOmits bool
	// omitEmpty is set for the codec json, and for a list or a map and a pointer to it, if the list or the
	// map is a field that is left out of the JSON while it is empty.
	omitEmpty bool
	// emptyUp and emptyDown are set if the source of that direction writes an empty list or map that is not
	// nil, and the other side leaves it out: in JSON, it comes back as null.
	emptyUp, emptyDown bool
}

// op is what the code for a rule does.
type op int

const (
	opSame    op = iota // assign
	opCast              // a Go conversion
	opInteger           // saturate
	opPointer           // both are pointers
	opWrap              // value ↔ pointer
	opStruct
	opList
	opMap
	opKeyed // map ↔ list by key
	opCodec // by name
	opValues
	opHook
	opLabel      // a label and a field, by key
	opAnnotation // an annotation and a field
)
