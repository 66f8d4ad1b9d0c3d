package markers

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Target is what a marker describes.
type Target = markers.TargetType

// The targets of markers.
const (
	Package = markers.DescribesPackage
	Type    = markers.DescribesType
	Field   = markers.DescribesField
)

// Definition is the definition of a marker for one target. Markers that controller-tools does
// not define use its form, too.
type Definition struct {
	*markers.Definition
	row *row // not nil
}

// Feature returns the feature that a package must enable for the marker to take effect; empty
// if it needs none.
func (d *Definition) Feature() string { return d.row.feature }

// Own reports whether this package parses the marker itself.
func (d *Definition) Own() bool { return d.row.parse != nil }

// Arguments returns the names of the arguments, required ones first; none if the marker has one
// value without a name.
func (d *Definition) Arguments() []string {
	if d.AnonymousField() {
		return nil
	}
	return slices.SortedFunc(maps.Keys(d.Fields), func(a, b string) int {
		if d.Fields[a].Optional != d.Fields[b].Optional {
			if d.Fields[a].Optional {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
}

// Table holds the definitions of every marker that affects CRDs. It is safe for concurrent use.
type Table struct {
	byTarget map[Target]map[string]*Definition
	names    map[Target][]string // of byTarget, sorted
	// bare are our names without a prefix, sorted: near misses of them are errors, all other
	// names belong to other tools. shared are those whose near misses are not errors.
	bare, shared []string
	// declarative are the rows of declarative-validation tags by name.
	declarative map[string]*row
	// values caches parsed values by text: the markers of a module repeat few texts, and the
	// parser of controller-tools allocates a kilobyte for each.
	values sync.Map // of parsed
}

// parsed is the key of a text parsed by a definition.
type parsed struct {
	by   *Definition
	text string
}

// NewTable returns a table of controller-tools' CRD markers and our own.
func NewTable() (*Table, error) {
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, fmt.Errorf("marker definitions of controller-tools: %w", err)
	}
	t := &Table{byTarget: map[Target]map[string]*Definition{
		Package: {}, Type: {}, Field: {},
	}, declarative: map[string]*row{}}
	ours := known().rows
	theirs := map[string]*row{}
	for i := range ours {
		if r := &ours[i]; r.value == nil && r.generator == "" {
			theirs[r.name] = r
		}
	}
	for _, def := range registry.AllDefinitions() {
		t.byTarget[def.Target][def.Name] = &Definition{def, cmp.Or(theirs[def.Name], &row{})}
	}
	for i := range ours {
		r := &ours[i]
		if r.generator != "" {
			continue
		}
		if strings.HasPrefix(r.name, "k8s:") && r.value != nil {
			t.declarative[r.name] = r
		}
		for _, target := range r.targets {
			if t.byTarget[target][r.name] != nil {
				continue
			}
			def, err := r.definition(target)
			if err != nil {
				return nil, err
			}
			t.byTarget[target][r.name] = def
		}
	}
	t.names = map[Target][]string{}
	for target, defs := range t.byTarget {
		t.names[target] = slices.Sorted(maps.Keys(defs))
		for _, name := range t.names[target] {
			switch {
			case strings.Contains(name, ":"):
			case defs[name].row.shared:
				t.shared = append(t.shared, name)
			default:
				t.bare = append(t.bare, name)
			}
		}
	}
	slices.Sort(t.bare)
	t.bare = slices.Compact(t.bare)
	return t, nil
}

// TableOf returns a table that has only the definitions.
func TableOf(definitions ...*markers.Definition) *Table {
	t := &Table{byTarget: map[Target]map[string]*Definition{Package: {}, Type: {}, Field: {}}, names: map[Target][]string{}}
	for _, def := range definitions {
		t.byTarget[def.Target][def.Name] = &Definition{def, &row{}}
		t.names[def.Target] = append(t.names[def.Target], def.Name)
	}
	return t
}

// Definitions returns all definitions, sorted by name, then target.
func (t *Table) Definitions() []*Definition {
	var out []*Definition
	for _, target := range []Target{Package, Type, Field} {
		for _, def := range t.byTarget[target] {
			out = append(out, def)
		}
	}
	slices.SortFunc(out, func(a, b *Definition) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return int(a.Target) - int(b.Target)
	})
	return out
}

// Declarative reports whether one of Kubernetes' declarative-validation tags has a name, regardless
// of who defines it, and why the tag has no meaning in a CRD. unsupported is empty if it has one.
func (t *Table) Declarative(name string) (unsupported string, ok bool) {
	r, ok := t.declarative[name]
	if !ok {
		return "", false
	}
	return r.unsupported, true
}

// Named returns the definition of exactly this name; nil if there is none.
func (t *Table) Named(name string, target Target) *Definition { return t.byTarget[target][name] }

// Lookup returns the definition for the text of a marker, plus sign included, or nil. As in
// controller-tools, the full name before the first equals sign is tried first, then the name
// without its last part, which is then the first argument. The grammar of Kubernetes' tags,
// +name(argument), is tried last.
func (t *Table) Lookup(text string, target Target) *Definition {
	full, short, _ := splitName(text)
	defs := t.byTarget[target]
	if def, ok := defs[full]; ok {
		return def
	}
	if def, ok := defs[short]; ok {
		return def
	}
	if i := strings.IndexAny(full, "(, \t#\"`"); i > 0 {
		if def, ok := defs[strings.TrimSuffix(full[:i], ":")]; ok && def.Own() {
			return def
		}
	}
	return nil
}

// splitName splits +a:b:c=args into a:b:c, a:b, and the offset of args in text. Without an
// equals sign both names are the whole text.
func splitName(text string) (full, short string, args int) {
	full, _, found := strings.Cut(text[1:], "=")
	if !found {
		return full, full, len(text)
	}
	short = full
	if i := strings.LastIndexByte(full, ':'); i >= 0 {
		short = full[:i]
	}
	return full, short, len(full) + 2
}

// Marker is a parsed marker comment.
type Marker struct {
	Comment
	// Name is the name of the definition.
	Name string
	// Value is the value that the definition's parser returns.
	Value any

	def *Definition // nil for a marker that does not come from a comment
}

// MaxLength is the maximum length of a marker in bytes. The longest known are a few thousand
// bytes; the parser of controller-tools takes quadratic time.
const MaxLength = 1 << 15

// ParseError is an error in the arguments of a marker.
type ParseError struct {
	// Name is the name of the definition that parsed the marker.
	Name string
	// Pos is the position of the error in the arguments if it is known, else that of the plus
	// sign.
	Pos token.Pos
	// End is the end of the marker, or of the wrong part of it.
	End token.Pos
	Msg string
	// Hint is what to write instead; empty if there is no good guess.
	Hint string
	// Edit makes the correction, or is nil.
	Edit *Edit
}

func (e *ParseError) Error() string { return e.Msg }

// Parse parses a comment as a marker of the target. It returns nil and no error for a marker
// that is not defined for the target, and a *ParseError for the first error in the arguments;
// later errors are usually consequences.
func (t *Table) Parse(c Comment, target Target) (*Marker, error) {
	def := t.Lookup(c.Text, target)
	if def == nil {
		return nil, nil
	}
	return t.ParseAs(def, c)
}

// ParseAs parses a comment by the definition that Lookup returned for it. It returns the errors of
// [Table.Parse]. Markers with the same text may share their value, which must not be modified.
func (t *Table) ParseAs(def *Definition, c Comment) (*Marker, error) {
	m, err := t.parseAs(def, c)
	if err == nil {
		return m, nil
	}
	err.End = c.End()
	if len(c.Text) <= MaxLength {
		t.suggest(def, c, err)
	}
	return nil, err
}

// parseAs is ParseAs without hints.
func (t *Table) parseAs(def *Definition, comment Comment) (*Marker, *ParseError) {
	if len(comment.Text) > MaxLength {
		return nil, &ParseError{Name: def.Name, Pos: comment.Pos, Msg: fmt.Sprintf("the marker is longer than %d bytes", MaxLength)}
	}
	if def.Own() {
		value, offset, err := def.row.parse(comment.Text, def.Name)
		if err != nil {
			return nil, &ParseError{Name: def.Name, Pos: comment.PosAt(offset), Msg: err.Error()}
		}
		return &Marker{Comment: comment, Name: def.Name, Value: value, def: def}, nil
	}
	value, ok := t.values.Load(parsed{def, comment.Text})
	var err error
	if !ok {
		value, err = def.Parse(comment.Text)
		if err == nil {
			t.values.Store(parsed{def, comment.Text}, value)
		}
	}
	if err == nil {
		return &Marker{Comment: comment, Name: def.Name, Value: value, def: def}, nil
	}
	parseErr := &ParseError{Name: def.Name, Pos: comment.Pos, Msg: err.Error()}
	var list loader.ErrList
	if errors.As(err, &list) && len(list) > 0 {
		// Missing arguments are reported last, in map order.
		slices.SortStableFunc(list, func(a, b error) int {
			if !isMissing(a) || !isMissing(b) {
				return 0
			}
			return strings.Compare(a.Error(), b.Error())
		})
		err = list[0]
		parseErr.Msg = err.Error()
	}
	var numErr *strconv.NumError
	if errors.As(err, &numErr) {
		parseErr.Msg = fmt.Sprintf("expected a number, got %q", numErr.Num)
	}
	var scanErr *markers.ScannerError
	if errors.As(err, &scanErr) {
		if isMissing(err) && strings.HasSuffix(scanErr.Msg, `""`) {
			scanErr.Msg = "needs a value"
		}
		parseErr.Msg = scanErr.Msg
		_, short, args := splitName(comment.Text)
		if def.Name == short && !def.AnonymousField() && !def.Empty() && args <= len(comment.Text) {
			// The scanner started at the name of the first argument.
			args = len(short) + 2
		}
		offset := min(args+scanErr.Pos.Offset, len(comment.Text))
		if name, ok := strings.CutPrefix(scanErr.Msg, "unknown argument "); ok {
			offset -= len(name) - len(`""`) // the scanner is at the equals sign
		}
		parseErr.Pos = comment.PosAt(max(0, offset))
	}
	return nil, parseErr
}

// isMissing reports whether the error is about a missing argument.
func isMissing(err error) bool {
	var scanErr *markers.ScannerError
	return errors.As(err, &scanErr) && strings.HasPrefix(scanErr.Msg, "missing argument")
}
