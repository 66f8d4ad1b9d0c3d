package gatedsource

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// Kind is what depends on a condition.
type Kind string

// The kinds, in the order of reports.
const (
	Declaration Kind = "declaration"
	Marker      Kind = "marker"
	Value       Kind = "value"
	Paragraph   Kind = "paragraph"
	Tag         Kind = "tag" // of Gateway API
)

// Use is a part of a file that depends on a condition.
type Use struct {
	Kind      Kind
	Condition gates.Condition
	// Name is the declaration, or the one that the part is at: Spec.Burst, Spec, or the name
	// of the package.
	Name string
	// Text is the marker without its conditions, the first line of the paragraph, or the tag. Of a
	// declaration, it is empty.
	Text string
	// Pos is the position of the condition, and At the position of the declared name. Lines span
	// the declaration with its comments; none for a package.
	Pos, At token.Position
	Lines   Lines
	// Type is the type of a constant.
	Type string
	// Slots are what the marker sets, see [markers.Table.Slots].
	Slots []string
	// Required is the number of gates that one of OpenShift's markers requires together; 0 for
	// others. It replaces the markers that require only some of them.
	Required int
}

// File is a Go file with its conditions.
type File struct {
	Name string
	Data []byte
	Uses []Use

	reader       Reader
	gated        bool // OpenShift's markers are read
	fset         *token.FileSet
	tree         *ast.File
	declarations []Decl
	blocks       []Block // without those for readers of the Go code
	wrong        *Error  // the first condition that cannot be read
}

// Parse parses a Go file. It returns nil if the file has no condition. Kubernetes' and Gateway API's
// tags and OpenShift's markers have conditions with the features of these names. [File.With] does
// not edit Gateway API's tags.
func Parse(table *markers.Table, name string, data []byte, features []string) (*File, error) {
	prefix := markers.TagPrefix(features)
	text := string(data)
	tagged := prefix != "" && strings.Contains(text, "<"+prefix+":")
	gated := slices.Contains(features, markers.FeatureOpenShift) && strings.Contains(text, "+openshift:")
	if !tagged && !gated && !strings.Contains(text, markers.DocName) && !markers.IsConditional(text) {
		return nil, nil
	}
	tags := slices.Contains(features, markers.FeatureK8s)
	f := &File{Name: name, Data: data, reader: Reader{table, func() bool { return tags }}, gated: gated,
		fset: token.NewFileSet()}
	var err error
	f.tree, err = parser.ParseFile(f.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	unread := f.findBlocks()
	f.declarations = Decls(f.tree, table.Collect(f.tree))
	for i := range f.declarations {
		d := &f.declarations[i]
		d.Comments = Remaining(d.Comments, unread)
		exists := f.useOpenShift(*d)
		for _, comment := range d.Comments {
			c := f.reader.Read(comment, d.Target)
			switch {
			case c.Wrong != nil:
				f.isWrong(*c.Wrong)
				continue
			case c.Declares == nil:
			case d.Target == markers.Package && comment.Pos > f.tree.Name.End():
				f.isWrong(Problem{Comment: comment, Msg: "it is at no declaration"})
			case exists:
				f.isWrong(Problem{Comment: comment, Msg: "a second condition at one declaration"})
			default:
				exists = true
			}
			f.use(*d, c)
		}
	}
	for _, b := range f.blocks {
		f.useBlock(b)
	}
	if tagged {
		f.useTags(prefix)
	}
	slices.SortStableFunc(f.Uses, func(a, b Use) int { return a.Pos.Offset - b.Pos.Offset })
	return f, nil
}

// Features returns the features that a Go file enables for its package.
func Features(table *markers.Table, data []byte) (out []string) {
	if !strings.Contains(string(data), markers.EnableName) {
		return nil
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil // Parse returns the error, if it matters
	}
	for _, c := range table.Collect(tree).Package {
		if m, err := table.Parse(c, markers.Package); err == nil && m != nil {
			if value, ok := m.Value.(markers.Enable); ok {
				out = append(out, value...)
			}
		}
	}
	return out
}

// at returns a use that is at a declaration.
func (f *File) at(d Decl) Use {
	u := Use{Name: d.Name, At: f.fset.Position(d.at), Type: d.typeName}
	if d.From.IsValid() {
		u.Lines = Lines{f.fset.Position(d.From).Line, f.fset.Position(d.To).Line}
	}
	return u
}

// Declared returns the lines of the type with a name, with its comments.
func (f *File) Declared(name string) (lines Lines, ok bool) {
	i := slices.IndexFunc(f.declarations, func(d Decl) bool { return d.Name == name && d.Target == markers.Type })
	if i < 0 {
		return Lines{}, false
	}
	return f.at(f.declarations[i]).Lines, true
}

// use adds what depends on the conditions of a marker.
func (f *File) use(d Decl, c Conditional) {
	all := c.All()
	if len(all) == 0 {
		return
	}
	u := f.at(d)
	u.Kind = Marker
	u.Condition = Condition(all)
	u.Text = c.Text
	u.Pos = f.fset.Position(c.Written.Pos)
	switch {
	case c.Declares != nil:
		u.Kind = Declaration
		u.Text = ""
	case c.Omits != nil:
		u.Kind = Declaration
	case strings.HasPrefix(c.Text, "+"+markers.EnumValuesName):
		u.Kind = Value
	default:
		u.Slots = f.reader.Table.Slots(c.Plain, d.Target)
	}
	f.Uses = append(f.Uses, u)
}

// isWrong records why a condition cannot be applied. The generator reports it, too.
func (f *File) isWrong(p Problem) {
	if pos := f.fset.Position(p.Comment.Pos); f.wrong == nil || pos.Offset < f.wrong.Pos.Offset {
		f.wrong = &Error{pos, p.Msg, p.Hint}
	}
}

// findBlocks finds the blocks of the file, and returns the comments in those for readers of the Go code:
// markers there have no meaning.
func (f *File) findBlocks() (unread map[*ast.Comment]bool) {
	unread = map[*ast.Comment]bool{}
	for _, group := range f.tree.Comments {
		blocks, wrong := Blocks(f.reader.Table, group, markers.InGroup(group))
		for _, w := range wrong {
			f.isWrong(w)
		}
		for _, b := range blocks {
			if value, constant := b.Condition.Constant(); constant && !value {
				b.Remove(unread)
			} else {
				f.blocks = append(f.blocks, b)
			}
		}
	}
	return unread
}

// useBlock adds the lines that depend on a condition of +schemagen:doc.
func (f *File) useBlock(b Block) {
	u := f.at(f.around(b.group))
	u.Kind = Paragraph
	u.Condition = b.Condition
	u.Pos = f.fset.Position(b.Open.Pos)
	for _, c := range b.group.List[b.first+1 : b.last] {
		u.Text = strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
		if u.Text != "" {
			break
		}
	}
	f.Uses = append(f.Uses, u)
}
