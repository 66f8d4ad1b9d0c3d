package markers

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/words"
)

// Finding is a problem with a marker: it has no effect, or not the apparent one.
type Finding struct {
	// Pos is the position of the marker, and End the position after it, or NoPos if it is not
	// a marker.
	Pos, End token.Pos
	// Kind is one of the constants below.
	Kind FindingKind
	// Message describes the problem, and Hint the correction.
	Message, Hint string
	// Related is the position of another marker involved, or NoPos.
	Related token.Pos
	// Feature is the feature that a NeedsFeature marker requires.
	Feature string
	// Suggestion is the name that an Unknown or Malformed marker probably should have. It is
	// empty if there is no good guess.
	Suggestion string
	// Error is set if the finding is an error.
	Error bool
	// Corrected is the text of the corrected marker. It is empty if the arguments would have to
	// be guessed, too.
	Corrected string
	// Edit corrects the marker, or is nil. If Insertion is not nil, it does so together with
	// that.
	Edit, Insertion *Edit
}

// FindingKind is the kind of a finding.
type FindingKind int

const (
	// Unknown is a name in one of our namespaces that no tool defines.
	Unknown FindingKind = iota
	// WrongTarget is a marker on a declaration that it is not defined for.
	WrongTarget
	// Overridden is a marker that a later one of the same name overrides.
	Overridden
	// Malformed is text that is not recognized as a marker: a blank after the plus sign, a
	// blockComment comment, or code before it.
	Malformed
	// Floating is a marker that is not attached to a declaration.
	Floating
	// NeedsFeature is a marker of a feature that the package did not enable.
	NeedsFeature
	// Unsupported is a declarative-validation tag that a CRD cannot express.
	Unsupported
	// Reformatted is a marker that gofmt changes.
	Reformatted
)

// LintOptions are the settings of a package that affect its markers.
type LintOptions struct {
	// Features are the features that the package enabled.
	Features []string
	// Allow are names, or prefixes of names up to a colon, of markers that are not reported.
	Allow []string
	// Files has the file. If it is nil, lines are taken to end with a line feed alone.
	Files *token.FileSet
}

// Lint returns the problems with a file's markers in source order. Markers of other tools are
// ignored.
func (t *Table) Lint(file *ast.File, collected *File, options LintOptions) []Finding {
	l := &linter{table: t, options: options, described: map[token.Pos]bool{}}
	l.node(collected.Package, Package)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.GenDecl:
			l.constants(n)
		case *ast.TypeSpec:
			l.node(collected.Type(n), Type)
		case *ast.StructType:
			for i, comments := range collected.Fields(n) {
				l.tag = n.Fields.List[i].Tag
				l.node(comments, Field)
			}
		}
		return true
	})
	l.unattached(file)
	l.reformatted(file)
	for i := range l.findings {
		l.findings[i].complete(file)
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return int(a.Pos - b.Pos) })
	return l.findings
}

// complete sets the end of the marker and, if the finding is enough to derive it, the edit
// that corrects it.
func (f *Finding) complete(file *ast.File) {
	c, ok := At(file, f.Pos)
	if !ok {
		return
	}
	f.End = c.End()
	switch {
	case f.Edit != nil:
	case f.Corrected != "":
		f.Edit = c.replacement(f.Corrected)
	case f.Kind == Overridden && f.Hint == removeOne:
		f.Edit = Removal(file, f.Pos)
	}
}

// removeOne is the hint for a marker that can be removed because another one takes effect.
const removeOne = "remove one of them"

type linter struct {
	table     *Table
	options   LintOptions
	findings  []Finding
	described map[token.Pos]bool // positions of the markers that describe something
	// comments are the markers of the current declaration.
	comments []Comment
	tag      *ast.BasicLit // of the current field; nil if it has none
}

func (l *linter) add(f Finding) { l.findings = append(l.findings, f) }

// node checks the markers that describe one declaration.
func (l *linter) node(comments []Comment, target Target) {
	seen := map[string]Comment{}
	l.comments = comments
	var resources []Comment
	for _, comment := range comments {
		l.described[comment.Pos] = true
		if l.allowed(comment.Text) {
			continue
		}
		def := l.lookup(comment.Text, target)
		if def == nil {
			l.unknown(comment, target)
			continue
		}
		l.nested(def, comment, target)
		if l.unsupported(def, comment) || def.row.repeatable {
			continue
		}
		if def.Name == ResourceName {
			resources = append(resources, comment)
			continue
		}
		if first, ok := seen[def.Name]; ok && first.Text != comment.Text {
			l.overridden(def.Name, first, comment, target)
		}
		seen[def.Name] = comment
	}
	l.resources(resources)
}

// resources reports resource markers of a kind whose arguments are lost. Each marker
// overrides all arguments of earlier ones, except that a missing path or singular is kept.
func (l *linter) resources(comments []Comment) {
	var each []crdmarkers.Resource
	var last crdmarkers.Resource
	for _, c := range comments {
		m, err := l.table.Parse(c, Type)
		if err != nil {
			return // already reported by the parser
		}
		r := m.Value.(crdmarkers.Resource)
		each = append(each, r)
		r.Path = cmp.Or(r.Path, last.Path)
		r.Singular = cmp.Or(r.Singular, last.Singular)
		last = r
	}
	for i, r := range each {
		if lost := lostArguments(r, last); len(lost) > 0 {
			l.add(Finding{Pos: comments[i].Pos, Related: comments[len(comments)-1].Pos, Kind: Overridden,
				Message: fmt.Sprintf("%s of +%s is overridden by a later one", strings.Join(lost, " and "), ResourceName),
				Hint:    "put all arguments into one marker"})
		}
	}
}

// lostArguments returns the arguments of a marker that do not reach the definition.
func lostArguments(r, got crdmarkers.Resource) []string {
	var out []string
	for _, argument := range []struct {
		name string
		lost bool
	}{
		{"path", r.Path != "" && r.Path != got.Path},
		{"singular", r.Singular != "" && r.Singular != got.Singular},
		{"shortName", len(r.ShortName) > 0 && !slices.Equal(r.ShortName, got.ShortName)},
		{"categories", len(r.Categories) > 0 && !slices.Equal(r.Categories, got.Categories)},
		{"scope", r.Scope != "" && r.Scope != cmp.Or(got.Scope, "Namespaced")},
	} {
		if argument.lost {
			out = append(out, argument.name)
		}
	}
	return out
}

// lookup is [Table.Lookup] without the definitions of features that the package did not enable.
func (l *linter) lookup(text string, target Target) *Definition {
	def := l.table.Lookup(text, target)
	if def == nil {
		return nil
	}
	if feature := def.Feature(); feature != "" && !slices.Contains(l.options.Features, feature) {
		return nil
	}
	return def
}

// unsupported reports a tag that has no meaning in a CRD.
func (l *linter) unsupported(def *Definition, c Comment) bool {
	reason := def.row.unsupported
	if reason != "" {
		l.add(Finding{Pos: c.Pos, Kind: Unsupported, Message: "+" + def.Name + " has no meaning in a CRD: " + reason,
			Hint: "remove it, or keep it for other tools that read it"})
	}
	return reason != ""
}

// nested checks the marker after the equals sign of a tag.
func (l *linter) nested(def *Definition, c Comment, target Target) {
	targets := []Target{Field, Type}
	_, isDeclarative := def.row.value.(Declarative)
	switch def.row.value.(type) {
	case Tag, Declarative:
	case When:
		targets = []Target{target}
	default:
		return
	}
	m, err := l.table.Parse(c, target)
	if err != nil || m == nil {
		return // already reported by the parser
	}
	inner, ok := m.Inner()
	if !ok || l.allowed(inner.Text) {
		return
	}
	for _, t := range targets {
		if def := l.lookup(inner.Text, t); def != nil {
			l.unsupported(def, inner)
			l.nested(def, inner, t)
			return
		}
	}
	if !isDeclarative { // otherwise, it is an error when it is applied
		l.unknown(inner, targets[0])
	}
}

// constants records that conditions describe the constants that they are above.
func (l *linter) constants(gen *ast.GenDecl) {
	if gen.Tok != token.CONST {
		return
	}
	for _, spec := range gen.Specs {
		doc := spec.(*ast.ValueSpec).Doc
		if doc == nil && !gen.Lparen.IsValid() {
			doc = gen.Doc
		}
		if doc == nil {
			continue
		}
		for _, c := range godocComments(doc) {
			if def := l.table.Lookup(c.Text, Type); def != nil && def.IsCondition() {
				l.described[c.Pos] = true
			}
		}
	}
}

// allowed reports whether the package excludes a marker from linting.
func (l *linter) allowed(text string) bool {
	full, _, _ := splitName(text)
	return slices.ContainsFunc(l.options.Allow, func(name string) bool {
		rest, ok := strings.CutPrefix(full, strings.TrimPrefix(name, "+"))
		return ok && (rest == "" || strings.IndexByte(":( ", rest[0]) >= 0)
	})
}

// overridden reports a repeated marker. For packages the first one takes effect, otherwise
// the last one.
func (l *linter) overridden(name string, first, last Comment, target Target) {
	f := Finding{Pos: first.Pos, Related: last.Pos, Kind: Overridden,
		Message: fmt.Sprintf("+%s is overridden by a later one", name), Hint: removeOne}
	if target == Package {
		f = Finding{Pos: last.Pos, Related: first.Pos, Kind: Overridden,
			Message: fmt.Sprintf("+%s is overridden by an earlier one", name), Hint: removeOne}
	}
	l.add(f)
}

// unknown reports a marker that is not defined for its target.
func (l *linter) unknown(comment Comment, target Target) {
	full, short, _ := splitName(comment.Text)
	if strings.HasPrefix(full, " ") || strings.HasPrefix(full, "\t") {
		if target != Field || !l.impliedByTag(strings.TrimSpace(full)) {
			l.spaceAfterPlus(comment)
		}
		return
	}
	if !hasOwnPrefix(full) {
		l.nearMiss(comment, full, target)
		return
	}
	complete := full
	full, _, _ = strings.Cut(full, " ")
	if other, ok := generatorMarkerNamed(full); ok && len(complete) > len(full) {
		rest := comment.Text[1+len(full):]
		l.add(Finding{Pos: comment.Pos, Kind: Unknown, Message: "unknown marker +" + complete, Hint: other.hint(rest), Suggestion: full,
			Edit: comment.rewritten(other.corrected(rest))})
		return
	}
	if isForeign(full) || isForeign(short) {
		return
	}
	if strings.HasPrefix(full, "openshift:") && !slices.Contains(l.options.Features, FeatureOpenShift) {
		if l.table.knows(comment.Text) {
			l.add(Finding{Pos: comment.Pos, Kind: NeedsFeature, Feature: FeatureOpenShift})
		}
		return
	}
	name, _, _ := strings.Cut(full, "(")
	if tag, ok := l.table.declarative[name]; ok && len(tag.targets) == 0 {
		return
	} else if ok && !slices.Contains(l.options.Features, FeatureK8s) {
		if l.table.knows(comment.Text) && !l.hasKubebuilderMarker(strings.TrimPrefix(name, "k8s:")) {
			l.add(Finding{Pos: comment.Pos, Kind: NeedsFeature, Feature: FeatureK8s})
		}
		return
	}
	tail, _ := strings.CutPrefix(full, "schemagen:conversion:")
	for _, other := range []Target{Type, Field, Package} {
		if l.table.byTarget[target][ConvertPrefix+tail] != nil {
			break // +schemagen:conversion is a marker, too
		}
		if def := l.lookup(comment.Text, other); other != target && def != nil && l.table.byTarget[target][def.Name] == nil {
			l.wrongTarget(comment, def.Name, target, other)
			return
		}
	}
	if name, argument, ok := l.withoutValue(full, target); ok && !strings.Contains(comment.Text, "=") {
		l.add(Finding{Pos: comment.Pos, Kind: Unknown, Message: fmt.Sprintf("argument %s of +%s has no value", argument, name),
			Hint: "write +" + full + "=…", Suggestion: name})
		return
	}
	if l.misspelledCondition(comment, target) {
		return
	}
	f := Finding{Pos: comment.Pos, Kind: Unknown, Message: fmt.Sprintf("unknown marker +%s", strings.TrimSpace(full))}
	if def := l.table.Lookup(comment.Text, target); def != nil && def.Feature() == FeatureKEP {
		keyword := strings.TrimPrefix(def.Name, "kubebuilder:")
		instead := "+schemagen:" + keyword
		if l.table.byTarget[target][instead[1:]] == nil {
			instead = "+kubebuilder:validation:" + capitalize(keyword)
		}
		f.Message = "unknown marker +" + def.Name
		f.Hint = "write " + instead + "=…, or // +schemagen:enable=kep above the package clause for the syntax of the structural-schema proposal"
	} else {
		g := l.guess(comment, target)
		f.Suggestion = g.name
		f.Hint = g.hint
		f.Corrected = g.corrected
		f.Edit = g.edit
	}
	l.add(f)
}

// hasKubebuilderMarker reports whether the same declaration has Kubebuilder's marker for a
// keyword. Then it does not matter that another marker has no effect.
func (l *linter) hasKubebuilderMarker(keyword string) bool {
	if len(keyword) < 2 {
		return false
	}
	marker := "+kubebuilder:validation:" + capitalize(keyword)
	return slices.ContainsFunc(l.comments, func(c Comment) bool {
		name, _, _ := strings.Cut(c.Text, "=")
		return name == marker
	})
}

// impliedByTag reports whether a marker repeats what the json tag of the field implies.
func (l *linter) impliedByTag(name string) bool {
	optional := l.tag != nil && strings.Contains(l.tag.Value, ",omit")
	def := l.table.byTarget[Field][name]
	return def != nil && def.row.presence != NoPresence && def.row.presence.Required() != optional
}

// withoutValue splits a name that ends in an argument of its marker.
func (l *linter) withoutValue(full string, target Target) (name, argument string, ok bool) {
	i := strings.LastIndexByte(full, ':')
	if i < 0 {
		return "", "", false
	}
	def := l.table.definition(full[:i], target)
	if def == nil || def.AnonymousField() {
		return "", "", false
	}
	_, ok = def.Fields[full[i+1:]]
	return full[:i], full[i+1:], ok
}

// wrongTarget reports a marker on a declaration that it does not describe.
func (l *linter) wrongTarget(c Comment, name string, target, other Target) {
	if target == Package {
		l.add(floating(c.Pos, name))
		return
	}
	l.add(Finding{Pos: c.Pos, Kind: WrongTarget,
		Message: fmt.Sprintf("+%s has no effect on a %s", name, target),
		Hint:    fmt.Sprintf("put it on a %s", other)})
}

// floating returns the finding for a marker that is not attached to a declaration.
func floating(pos token.Pos, name string) Finding {
	return Finding{Pos: pos, Kind: Floating, Message: fmt.Sprintf("+%s is not attached to a declaration", name),
		Hint: "put it right above the type or field that it describes"}
}

// nearMiss reports an unqualified name that is close to one of ours.
func (l *linter) nearMiss(comment Comment, full string, target Target) {
	if def := l.table.byTarget[target][full]; def != nil && comment.Text == "+"+full {
		if !l.hasKubebuilderMarker(full) {
			l.add(Finding{Pos: comment.Pos, Kind: NeedsFeature, Feature: def.Feature()})
		}
		return
	}
	if strings.ContainsAny(full, ": \t/.") {
		l.nearText(comment, target)
		return
	}
	if slices.Contains(l.table.shared, full) || slices.Contains(foreignNames(), full) {
		return
	}
	word, ok := words.Nearest(full, l.table.bare)
	if !ok {
		return
	}
	if word != full {
		l.add(Finding{Pos: comment.Pos, Kind: Unknown, Message: "unknown marker +" + full, Hint: fmt.Sprintf("did you mean +%s?", word),
			Corrected: l.guess(comment, target).corrected})
		return
	}
	for _, other := range []Target{Type, Field, Package} {
		if other != target && l.table.byTarget[other][word] != nil {
			l.wrongTarget(comment, word, target, other)
			return
		}
	}
}

// nearText reports one of our unqualified names followed by a value or note in the wrong
// syntax, and a name whose namespace is misspelled.
func (l *linter) nearText(comment Comment, target Target) {
	heads := namePrefixes(comment.Text)
	if len(heads) == 0 {
		return
	}
	name := heads[len(heads)-1]
	if slices.Contains(l.table.bare, name) {
		def := l.table.definition(name, target)
		rest := comment.Text[1+len(name):]
		_, ok := l.table.rewrite(def, rest)
		sentence := strings.ContainsAny(argumentText(rest), " \t")
		if def.Empty() && target == Field && l.impliedByTag(name) {
			return
		}
		unknown := "+" + strings.TrimSpace(heads[0])
		if heads[0] == name {
			unknown = comment.Text
		}
		switch {
		case rest[0] == ':', strings.Trim(rest, ".,;") == "", rest[0] == ' ' && (def.Empty() || ok && !sentence):
			l.add(Finding{Pos: comment.Pos, Kind: Unknown, Message: "unknown marker " + unknown, Hint: l.table.hint(def, name, rest),
				Edit: comment.rewritten(l.guess(comment, target).corrected)})
		}
		return
	}
	names := l.names(target)
	for _, head := range heads {
		if name, ok := correctNamespace(head, names); ok {
			g := l.guess(comment, target)
			l.add(Finding{Pos: comment.Pos, Kind: Unknown, Message: "unknown marker +" + head,
				Hint: l.table.hint(l.table.definition(name, target), name, comment.Text[1+len(head):]), Suggestion: name,
				Corrected: g.corrected, Edit: g.edit})
			return
		}
	}
}

func (l *linter) spaceAfterPlus(c Comment) {
	text := "+" + strings.TrimSpace(c.Text[1:])
	full, short, _ := splitName(text)
	_, other := generatorMarkerNamed(full)
	if !other {
		_, other = generatorMarkerNamed(short)
	}
	if l.table.knows(text) || other || hasOwnPrefix(full) && !isForeign(full) && !isForeign(short) {
		name, _, _ := guessName(text, l.names(Package))
		l.add(Finding{Pos: c.Pos, Kind: Malformed, Message: "space after the plus sign: this is not a marker", Hint: "write " + text, Suggestion: name, Corrected: text})
	}
}

func hasOwnPrefix(name string) bool {
	return slices.ContainsFunc(ownPrefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// knows reports whether any target has a definition for the marker.
func (t *Table) knows(text string) bool {
	return t.Lookup(text, Field) != nil || t.Lookup(text, Type) != nil || t.Lookup(text, Package) != nil
}

// unattached checks the comments that are not attached to a declaration.
func (l *linter) unattached(file *ast.File) {
	trailing := trailingComments(file)
	for _, group := range file.Comments {
		// What is above code that is commented out belongs to it.
		code := len(group.List) - 1
		for code >= 0 && !CommentedOut(group.List[code].Text) {
			code--
		}
		for _, c := range group.List[code+1:] {
			if strings.HasPrefix(c.Text, "/*") {
				l.blockComment(c)
				continue
			}
			text, offset, ok := markerText(c.Text)
			if !ok {
				l.missingPlus(c)
			}
			pos := c.Slash + token.Pos(offset)
			if !ok || l.described[pos] {
				continue
			}
			if !l.table.knows(text) {
				l.misspelledCondition(Comment{Text: text, Pos: pos}, Type)
				continue
			}
			name, _, _ := splitName(text)
			f := floating(pos, name)
			if trailing[group] {
				f = Finding{Pos: pos, Kind: Malformed, Message: "marker after code is ignored", Hint: "put it on its own line above the declaration",
					Insertion: aboveField(file, group, text)}
				if f.Insertion != nil {
					f.Edit = &Edit{c.Pos(), c.End(), ""}
				}
			}
			l.add(f)
		}
	}
}

// CommentedOut reports whether a comment has a line of Go code: a field or the beginning of a
// declaration.
func CommentedOut(comment string) bool {
	for line := range strings.Lines(strings.TrimPrefix(comment, "/*")) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "/*"))
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case strings.Contains(line, "`json:\"") || strings.Contains(line, "`protobuf:\""),
			word == "type" && (strings.Contains(rest, " struct") || strings.HasSuffix(rest, "{") || strings.Contains(rest, " = ")),
			word == "func" && strings.Contains(rest, "("),
			(word == "var" || word == "const") && (strings.Contains(rest, " = ") || rest == "("):
			return true
		}
	}
	return false
}

// missingPlus reports a marker without its plus sign: a comment that consists only of one of our
// names with arguments that parse.
func (l *linter) missingPlus(c *ast.Comment) {
	text := strings.TrimSpace(c.Text[2:])
	if !hasOwnPrefix(text) || l.allowed("+"+text) {
		return
	}
	for _, target := range []Target{Field, Type, Package} {
		if m, err := l.table.Parse(Comment{Text: "+" + text, Pos: c.Slash}, target); err == nil && m != nil {
			pos := c.Slash + token.Pos(strings.Index(c.Text, text))
			l.add(Finding{Pos: pos, End: pos + token.Pos(len(text)), Kind: Malformed,
				Message: "marker without plus sign is ignored", Hint: "write +" + text, Edit: &Edit{pos, pos + token.Pos(len(text)), "+" + text}})
			return
		}
	}
}

// blockComment reports markers inside a block comment.
func (l *linter) blockComment(c *ast.Comment) {
	start := c.Slash
	number := 0
	for line := range strings.SplitAfterSeq(c.Text, "\n") {
		if number > 0 && l.options.Files != nil {
			// The parser removed carriage returns from the text.
			file := l.options.Files.File(c.Slash)
			start = file.LineStart(file.PositionFor(c.Slash, false).Line + number)
		}
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "*/"))
		text = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(text, "/*"), "* \t"))
		if strings.HasPrefix(text, "+") && l.table.knows(text) {
			l.add(Finding{Pos: start + token.Pos(strings.IndexByte(line, '+')), Kind: Malformed,
				Message: "marker in a block comment is ignored", Hint: "write it as a line comment: // " + text})
		}
		start += token.Pos(len(line))
		number++
	}
}

// trailingComments returns the comment groups that follow code on its line.
func trailingComments(file *ast.File) map[*ast.CommentGroup]bool {
	out := map[*ast.CommentGroup]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.Field:
			out[n.Comment] = true
		case *ast.TypeSpec:
			out[n.Comment] = true
		case *ast.ValueSpec:
			out[n.Comment] = true
		}
		return true
	})
	return out
}
