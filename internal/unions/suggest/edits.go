package suggest

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file derives the lines to write for a suggested union.

// Edit is one line to write to a file.
type Edit struct {
	// File is the file name as in diagnostics. Line counts from 1.
	File string
	Line int
	// Old is the line that Text replaces; if it is empty, Text is inserted before the
	// line. Both include indentation, but no line ending.
	Old string
	// Text is the line to write; if it is empty, the old line is removed.
	Text string
	// Subject is the Go name of the field, type or package that the edit changes.
	Subject string
	// Why is the reason for the edit, as a clause without a final period; it may be empty.
	Why string
}

// EditedFile is a file with suggestions applied.
type EditedFile struct {
	// Name is the file name as in the edits.
	Name     string
	Old, New []byte
}

// lineEditor adds edits to a suggestion.
type lineEditor struct {
	*suggester
	t   *source.Type
	out *Suggestion
	// several is set if the struct has several discriminators, which members then name.
	several bool
}

// discriminator adds the edits for the discriminator, and returns the value that it has if it
// is absent.
func (e *lineEditor) discriminator(c *candidate) (standing string) {
	f := c.unionField
	if f.role != roleDiscriminator {
		e.aboveField(f, "+unionDiscriminator", "")
	}
	standing = c.defaultValue()
	hasNone := slices.Contains(c.choices.values, "")
	sketched := f.field.Markers.Get(markers.DiscriminatorName) != nil // it may be absent
	if !f.required && standing == "" && !hasNone && !sketched {
		standing = c.documentedDefault()
		if standing == "" {
			e.require(f, "none of its values means that it is absent, and objects without it will be rejected: "+
				"give it a default, or the value \"\", if they should be accepted")
		} else {
			e.aboveField(f, "+kubebuilder:default="+strconv.Quote(standing), "its documentation gives this default")
		}
	}
	switch {
	case !f.required && standing != "":
		e.omitEmpty(f, "a default is for what is left out")
	case !f.required && hasNone:
		e.omitEmpty(f, "its absence means the same as its empty value")
	case f.required && hasNone && f.omits:
		e.out.Notes = append(e.out.Notes, fmt.Sprintf("%s is required, has the value \"\", and is left out where it has it: remove omitempty", f.field.Label()))
	}
	if c.choices.closed {
		return standing
	}
	const why = "a discriminator has a closed set of values: no other will be accepted"
	if typ := c.choices.typ; typ.Pkg.Local() && typ.IsString() {
		pos := typ.Spec.Pos()
		if !typ.Decl.Lparen.IsValid() {
			pos = typ.Decl.Pos()
		}
		e.above(pos, typ.Label(), "+enum", why)
		return standing
	}
	var values []string
	for _, value := range c.choices.values {
		if !plainWord().MatchString(value) {
			value = strconv.Quote(value)
		}
		values = append(values, value)
	}
	e.aboveField(f, "+kubebuilder:validation:Enum="+strings.Join(values, ";"), why)
	return standing
}

var plainWord = lazyregexp.New(`^[A-Za-z][A-Za-z0-9]*$`)

// require makes a field required.
func (e *lineEditor) require(f *unionField, why string) {
	replaced := false
	for _, c := range f.comments {
		switch c.Text {
		case "+optional", "+k8s:optional", "+kubebuilder:validation:Optional":
		default:
			continue
		}
		position := e.Reporter.Position(c.Pos)
		old := e.line(position)
		edit := Edit{File: position.File, Line: position.Line, Old: old, Subject: f.field.Label()}
		if !replaced {
			edit.Text = strings.Replace(old, c.Text, "+required", 1)
			edit.Why = why
		}
		replaced = true
		e.out.Edits = append(e.out.Edits, edit)
	}
	if !replaced {
		e.aboveField(f, "+required", why)
	}
}

// omitEmpty makes Go omit an optional field instead of writing an empty string.
func (e *lineEditor) omitEmpty(f *unionField, why string) {
	if f.omits {
		return
	}
	position := e.Reporter.Position(f.field.Pos)
	old := e.line(position)
	tag := "json:\"" + f.name
	text := strings.Replace(old, tag, tag+",omitempty", 1)
	if text == old || f.shared {
		e.out.Notes = append(e.out.Notes, fmt.Sprintf("add omitempty to the json tag of %s: %s", f.field.Label(), why))
		return
	}
	e.out.Edits = append(e.out.Edits,
		Edit{File: position.File, Line: position.Line, Old: old, Text: text, Subject: f.field.Label(), Why: why})
}

// member adds the marker of a member, unless it has one, and decides whether the member is
// optional. It reports whether there is anything to write.
func (e *lineEditor) member(c *candidate, f *unionField, m *Member, standing string) bool {
	tagged := c.role == roleDiscriminator && !c.native
	if !m.Marked {
		marker := "+unionMember"
		why := ""
		if tagged {
			marker = taggedMember(c, m) // Kubernetes' tags have no optional members
		} else {
			if m.Value != m.Field {
				marker += "=" + m.Value
			}
			why = mayBeAbsent(f, m.Value)
			if m.Value == standing {
				why = "the default selects it, even in an object without the discriminator"
			}
			m.Optional = why != ""
			if m.Optional {
				marker += ",optional"
			}
		}
		e.aboveField(f, marker, why)
	}
	nameless := e.several && !tagged && f.field.Markers.Get(markers.UnionDiscriminatedByName) == nil
	if nameless {
		e.aboveField(f, "+unionDiscriminatedBy="+c.field.Label(), "the struct has several discriminators")
	}
	return !m.Marked || nameless
}

// taggedMember returns the marker of a member as a Kubernetes tag.
func taggedMember(c *candidate, m *Member) string {
	var args []string
	if _, union := c.specified(); union != "" {
		args = append(args, fmt.Sprintf("union: %q", union))
	}
	if m.Value != m.Field {
		args = append(args, fmt.Sprintf("memberName: %q", m.Value))
	}
	if len(args) == 0 {
		return "+k8s:unionMember"
	}
	return "+k8s:unionMember(" + strings.Join(args, ", ") + ")"
}

// aboveField inserts a marker above a field.
func (e *lineEditor) aboveField(f *unionField, marker, why string) {
	if f.shared {
		e.byHand(f.field.Label(), marker)
		return
	}
	e.above(f.field.Pos, f.field.Label(), marker, why)
}

// above inserts a marker above a declaration that begins a line.
func (e *lineEditor) above(pos token.Pos, subject, marker, why string) {
	position := e.Reporter.Position(pos)
	line := e.line(position)
	indent := line[:min(position.Column-1, len(line))]
	if strings.TrimLeft(indent, " \t") != "" {
		e.byHand(subject, marker)
		return
	}
	edit := Edit{File: position.File, Line: position.Line, Text: indent + "// " + marker, Subject: subject, Why: why}
	if !slices.Contains(e.out.Edits, edit) {
		e.out.Edits = append(e.out.Edits, edit)
	}
}

func (e *lineEditor) byHand(subject, marker string) {
	e.out.Notes = append(e.out.Notes, fmt.Sprintf("give %s a line of its own, and write // %s above it", subject, marker))
}

// readLines returns the lines of a file, with line endings.
func (s *suggester) readLines(name string) []string {
	if lines, ok := s.sources[name]; ok {
		return lines
	}
	data, err := s.Options.Inputs.ReadFile(name, nil)
	if err != nil {
		s.Reporter.Unreadable(nil, name, err)
	}
	s.sources[name] = slices.Collect(strings.Lines(string(data)))
	return s.sources[name]
}

// line returns a line without its ending.
func (e *lineEditor) line(position diag.Position) string {
	lines := e.readLines(position.File)
	if position.Line < 1 || position.Line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[position.Line-1], "\r\n")
}

// ownRules adds a note if the struct has rules about members, which the rules of the union
// may duplicate.
func (e *lineEditor) ownRules(members []*unionField) {
	for _, m := range e.t.Markers {
		rule, ok := m.Value.(crdmarkers.XValidation)
		if !ok {
			continue
		}
		for _, f := range members {
			if strings.Contains(rule.Rule, "self."+f.name) {
				e.out.Notes = append(e.out.Notes, fmt.Sprintf("its own rules about members, from line %d on, may duplicate those of the union: keep those that check more", e.Reporter.Position(m.Pos).Line))
				return
			}
		}
	}
}

// finish sorts the edits, and adds the one that enables unions.
func (e *lineEditor) finish() {
	slices.SortStableFunc(e.out.Edits, compareEdits)
	e.optInToUnions()
}

// optInToUnions adds the edit that enables unions for the package, unless they are enabled.
func (e *lineEditor) optInToUnions() {
	if e.Run.UnionForms(e.t) != nil {
		return
	}
	why := "unions are enforced in packages that enable them; objects that violate them will be rejected when the union changes"
	if e.declaresUnions(e.t.Pkg) {
		why += "; so are the unions that are marked already, whose mistakes are errors then"
	}
	e.optIn("// +schemagen:unions=cel", why)
}

// declaresUnions reports whether a struct of the package has the marker of a discriminator.
func (s *suggester) declaresUnions(p *source.Package) bool {
	known, ok := s.declaring[p]
	if !ok {
		known = slices.ContainsFunc(structsOf(p), func(t *source.Type) bool {
			fields, _ := s.unionFields(t.Load())
			return slices.ContainsFunc(fields, func(f *unionField) bool { return f.role == roleDiscriminator && f.native })
		})
		s.declaring[p] = known
	}
	return known
}

// optIn adds an edit that enables what markers need: after the package's +groupName, or else above its package
// clause.
func (e *lineEditor) optIn(text, why string) {
	position := e.Reporter.Position(e.t.File.Syntax.Package)
	if group := groupPos(e.t.Pkg); group.IsValid() {
		position = e.Reporter.Position(group)
		position.Line++
	}
	edit := Edit{File: position.File, Line: position.Line, Text: text, Subject: e.t.Pkg.Name, Why: why}
	e.out.OptIn = append(e.out.OptIn, edit)
}

// groupPos returns the position of the first +groupName, or NoPos.
func groupPos(p *source.Package) token.Pos {
	for _, f := range p.Sources {
		if f.Syntax == nil {
			continue
		}
		for _, c := range f.Comments.Package {
			if strings.HasPrefix(c.Text, "+groupName=") {
				return c.Pos
			}
		}
	}
	return token.NoPos
}

// compareEdits orders edits by position. Insertions before a line precede its replacement.
func compareEdits(a, b Edit) int {
	instead := func(e Edit) int { return min(len(e.Old), 1) }
	return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, instead(a)-instead(b))
}

// Apply returns the files that the suggestions change, sorted by name, without writing them.
// optIn includes the edits that enable unions. Identical edits of several suggestions are
// applied once. It fails if read does not return a file, or returns one that has changed
// since.
func Apply(suggestions []Suggestion, optIn bool, read func(name string) ([]byte, error)) ([]EditedFile, error) {
	var edits []Edit
	for _, s := range suggestions {
		edits = append(edits, s.Edits...)
		if optIn {
			edits = append(edits, s.OptIn...)
		}
	}
	slices.SortStableFunc(edits, compareEdits)
	var out []EditedFile
	for len(edits) > 0 {
		n := slices.IndexFunc(edits, func(e Edit) bool { return e.File != edits[0].File })
		if n < 0 {
			n = len(edits)
		}
		old, err := read(edits[0].File)
		if err != nil {
			return nil, err
		}
		edited, err := editLines(string(old), edits[:n])
		if err != nil {
			return nil, err
		}
		out = append(out, EditedFile{Name: edits[0].File, Old: old, New: []byte(edited)})
		edits = edits[n:]
	}
	return out, nil
}

// editLines applies the sorted edits of one file to its text.
func editLines(text string, edits []Edit) (string, error) {
	var out strings.Builder
	number := 0
	for line := range strings.Lines(text) {
		number++
		bare := strings.TrimRight(line, "\r\n")
		end := cmp.Or(line[len(bare):], "\n")
		var written []Edit
		for ; len(edits) > 0 && edits[0].Line == number; edits = edits[1:] {
			e := edits[0]
			if slices.ContainsFunc(written, func(w Edit) bool { return w.Old == e.Old && w.Text == e.Text }) {
				continue
			}
			written = append(written, e)
			if e.Old != "" {
				if e.Old != bare {
					return "", fmt.Errorf("%s:%d: the line is %q now, and was %q", e.File, e.Line, bare, e.Old)
				}
				line = ""
			}
			if e.Text != "" {
				out.WriteString(e.Text + end)
			}
		}
		out.WriteString(line)
	}
	for _, e := range edits {
		if e.Line != number+1 || e.Old != "" { // else it is appended after the last line
			return "", fmt.Errorf("%s has no line %d any more", e.File, e.Line)
		}
		if text := out.String(); text != "" && !strings.HasSuffix(text, "\n") {
			out.WriteString("\n")
		}
		out.WriteString(e.Text + "\n")
	}
	return out.String(), nil
}
