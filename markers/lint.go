package markers

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Finding is something that the author of a marker should know: it has no
// effect, or another one than it seems.
type Finding struct {
	// Pos is the place of the marker.
	Pos token.Pos
	// Kind is one of the constants below.
	Kind FindingKind
	// Message says what is wrong, and Hint what to write instead.
	Message, Hint string
	// Related is the place of another marker that has to do with it, or NoPos.
	Related token.Pos
	// Feature is what a NeedsFeature marker waits for.
	Feature string
}

// FindingKind is the kind of a finding.
type FindingKind int

const (
	// Unknown is a name that no tool defines in a namespace that is ours.
	Unknown FindingKind = iota
	// WrongTarget is a marker on something that it is not defined for.
	WrongTarget
	// Overridden is a marker that a later one of the same name overrides.
	Overridden
	// Malformed is a marker that is not seen as one: a blank behind the plus
	// sign, a block comment, code in front of it.
	Malformed
	// Floating is a marker that describes nothing.
	Floating
	// NeedsFeature is a marker of a feature that the package did not switch on.
	NeedsFeature
	// WithoutMeaning is a declarative-validation tag that no CRD can say.
	WithoutMeaning
)

// LintOptions are what a package says about its markers.
type LintOptions struct {
	// Features are those that it switched on.
	Features []string
	// Allow are names, or prefixes of names up to a colon, that are left alone.
	Allow []string
}

// Lint returns what the author of a file's markers should know, in source
// order. Markers of other tools are left alone.
func (t *Table) Lint(file *ast.File, collected *File, options LintOptions) []Finding {
	l := &linter{table: t, options: options, described: map[token.Pos]bool{}}
	l.node(collected.Package, Package)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.TypeSpec:
			l.node(collected.Type(n), Type)
		case *ast.StructType:
			for _, comments := range collected.Fields(n) {
				l.node(comments, Field)
			}
		}
		return true
	})
	l.rest(file)
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return int(a.Pos - b.Pos) })
	return l.findings
}

type linter struct {
	table     *Table
	options   LintOptions
	findings  []Finding
	described map[token.Pos]bool // the markers that describe something
}

func (l *linter) add(f Finding) { l.findings = append(l.findings, f) }

// node checks the markers that describe one declaration.
func (l *linter) node(comments []Comment, target Target) {
	seen := map[string]Comment{}
	for _, c := range comments {
		l.described[c.Pos] = true
		if l.allowed(c.Text) {
			continue
		}
		def := l.lookup(c.Text, target)
		if def == nil {
			l.unknown(c, target)
			continue
		}
		l.nested(def, c, target)
		if tag, ok := l.table.declarative[def.Name]; ok && tag.Without != "" {
			l.add(Finding{Pos: c.Pos, Kind: WithoutMeaning, Message: "+" + def.Name + " has no meaning in a CRD: " + tag.Without,
				Hint: "remove it, or leave it to the other tools that read it"})
			continue
		}
		if repeatable(def) {
			continue
		}
		if first, ok := seen[def.Name]; ok && first.Text != c.Text {
			l.overridden(def.Name, first, c, target)
		}
		seen[def.Name] = c
	}
}

// lookup is the table's, but for what the package did not switch on.
func (l *linter) lookup(text string, target Target) *Definition {
	def := l.table.Lookup(text, target)
	if def == nil {
		return nil
	}
	if feature := Feature(def); feature != "" && !slices.Contains(l.options.Features, feature) {
		return nil
	}
	return def
}

// nested checks the marker behind the equals sign of a tag.
func (l *linter) nested(def *Definition, c Comment, target Target) {
	if !strings.HasPrefix(def.Name, "schemagen:") || !isOwn(def) {
		return
	}
	m, err := l.table.Parse(c, target)
	if err != nil || m == nil {
		return // reported where it is parsed
	}
	if inner, ok := m.Inner(); ok && l.lookup(inner.Text, Field) == nil && l.lookup(inner.Text, Type) == nil {
		l.unknown(inner, Field)
	}
}

// allowed reports whether the package asks to leave a marker alone.
func (l *linter) allowed(text string) bool {
	full, _, _ := splitName(text)
	return slices.ContainsFunc(l.options.Allow, func(name string) bool {
		rest, ok := strings.CutPrefix(full, strings.TrimPrefix(name, "+"))
		return ok && (rest == "" || strings.IndexByte(":( ", rest[0]) >= 0)
	})
}

// overridden reports a marker that stands twice. For packages and for what is
// only asked for the first one counts, else the last one.
func (l *linter) overridden(name string, first, last Comment, target Target) {
	f := Finding{Pos: first.Pos, Related: last.Pos, Kind: Overridden,
		Message: fmt.Sprintf("+%s is overridden by a later one", name), Hint: "remove one of them"}
	if target == Package {
		f = Finding{Pos: last.Pos, Related: first.Pos, Kind: Overridden,
			Message: fmt.Sprintf("+%s has no effect, an earlier one counts", name), Hint: "remove one of them"}
	}
	if name == "kubebuilder:resource" {
		f.Hint = "put all arguments into one marker"
	}
	l.add(f)
}

// repeatable reports whether several markers of the definition add up.
func repeatable(def *Definition) bool {
	name := def.Name
	switch name[strings.LastIndexByte(name, ':')+1:] {
	case "XValidation", "printcolumn", "selectablefield", "listMapKey", "metadata", "ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf":
		return true
	}
	return isOwn(def) && name != "schemagen:schema" || name == "schemagen:enable" || name == "schemagen:allow" || name == "schemagen:allowChange" || name == "schemagen:unset"
}

// unknown reports a marker that is not defined for its target.
func (l *linter) unknown(c Comment, target Target) {
	full, short, _ := splitName(c.Text)
	if strings.HasPrefix(full, " ") || strings.HasPrefix(full, "\t") {
		l.blank(c)
		return
	}
	if !ours(full) {
		l.nearMiss(c, full, target)
		return
	}
	full, _, _ = strings.Cut(full, " ")
	if foreign(full) || foreign(short) {
		return
	}
	if tag, _, _ := strings.Cut(full, "("); slices.Contains(l.options.Features, FeatureK8s) {
		if tag == "k8s:enumExclude" {
			return
		}
	} else if _, ok := l.table.declarative[tag]; ok && l.known(c.Text) {
		l.add(Finding{Pos: c.Pos, Kind: NeedsFeature, Feature: FeatureK8s})
		return
	} else if ok {
		return
	}
	for _, other := range []Target{Type, Field, Package} {
		if def := l.lookup(c.Text, other); other != target && def != nil {
			l.wrongTarget(c, def.Name, target, other)
			return
		}
	}
	if i := strings.LastIndexByte(full, ':'); i > 0 && !strings.Contains(c.Text, "=") && l.known("+"+full[:i]+"=") {
		l.add(Finding{Pos: c.Pos, Kind: Unknown, Message: fmt.Sprintf("argument %s of +%s has no value", full[i+1:], full[:i]),
			Hint: "write +" + full + "=…"})
		return
	}
	f := Finding{Pos: c.Pos, Kind: Unknown, Message: fmt.Sprintf("unknown marker +%s", strings.TrimSpace(full))}
	if def := l.table.Lookup(c.Text, target); def != nil && Feature(def) == FeatureKEP {
		keyword := strings.TrimPrefix(def.Name, "kubebuilder:")
		instead := "+schemagen:" + keyword
		if !slices.Contains(fragmentKeywords(), keyword) {
			instead = "+kubebuilder:validation:" + strings.ToUpper(keyword[:1]) + keyword[1:]
		}
		f.Message = "unknown marker +" + def.Name
		f.Hint = "write " + instead + "=…, or // +schemagen:enable=kep beside the package clause for the spelling of the structural-schema proposal"
	} else if name, ok := l.suggest(full, short, target); ok {
		f.Hint = fmt.Sprintf("did you mean +%s?", name)
	}
	l.add(f)
}

// wrongTarget reports a marker that describes something else than what it stands at.
func (l *linter) wrongTarget(c Comment, name string, target, other Target) {
	if target == Package {
		l.add(floating(c.Pos, name))
		return
	}
	l.add(Finding{Pos: c.Pos, Kind: WrongTarget,
		Message: fmt.Sprintf("+%s has no effect on a %s", name, target),
		Hint:    fmt.Sprintf("it describes a %s", other)})
}

// floating is the finding for a marker that stands apart from what it could describe.
func floating(pos token.Pos, name string) Finding {
	return Finding{Pos: pos, Kind: Floating, Message: fmt.Sprintf("+%s describes nothing here", name),
		Hint: "put it right above the type or field that it describes"}
}

// suggest returns the known name that is nearest to what was written.
func (l *linter) suggest(full, short string, target Target) (string, bool) {
	var names []string
	for _, other := range []Target{target, Field, Type, Package} {
		for name, def := range l.table.byTarget[other] {
			if feature := Feature(def); feature == "" || slices.Contains(l.options.Features, feature) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	if name, ok := Nearest(full, names); ok {
		return name, true
	}
	if name, ok := Nearest(short, names); ok {
		return name, true
	}
	// A name in the wrong namespace: its last part decides.
	last := full[strings.LastIndexByte(full, ':')+1:]
	for _, name := range names {
		if strings.EqualFold(name[strings.LastIndexByte(name, ':')+1:], last) {
			return name, true
		}
	}
	return "", false
}

// nearMiss reports a bare word that is nearly one of ours.
func (l *linter) nearMiss(c Comment, full string, target Target) {
	if full == "enum" && target == Type && c.Text == "+enum" {
		l.add(Finding{Pos: c.Pos, Kind: NeedsFeature, Feature: FeatureEnum})
		return
	}
	if strings.ContainsAny(full, ": \t/.") || slices.Contains(foreignWords(), full) {
		return
	}
	word, ok := Nearest(full, bareWords())
	if !ok {
		return
	}
	if word != full {
		l.add(Finding{Pos: c.Pos, Kind: Unknown, Message: "unknown marker +" + full, Hint: fmt.Sprintf("did you mean +%s?", word)})
		return
	}
	for _, other := range []Target{Type, Field, Package} {
		if other != target && l.table.byTarget[other][word] != nil {
			l.wrongTarget(c, word, target, other)
			return
		}
	}
}

func (l *linter) blank(c Comment) {
	text := "+" + strings.TrimSpace(c.Text[1:])
	if full, short, _ := splitName(text); l.known(text) || ours(full) && !foreign(full) && !foreign(short) {
		l.add(Finding{Pos: c.Pos, Kind: Malformed, Message: "a blank behind the plus sign: this is not a marker", Hint: "write " + text})
	}
}

func ours(name string) bool {
	return slices.ContainsFunc(ownPrefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// known reports whether any target has a definition for the marker.
func (l *linter) known(text string) bool {
	return l.table.Lookup(text, Field) != nil || l.table.Lookup(text, Type) != nil || l.table.Lookup(text, Package) != nil
}

// rest checks the comments that describe nothing.
func (l *linter) rest(file *ast.File) {
	behind := trailingComments(file)
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "/*") {
				l.block(c)
				continue
			}
			text, offset, ok := markerText(c.Text)
			pos := c.Slash + token.Pos(offset)
			if !ok || l.described[pos] || !l.known(text) {
				continue
			}
			name, _, _ := splitName(text)
			f := floating(pos, name)
			if behind[group] {
				f = Finding{Pos: pos, Kind: Malformed, Message: "a marker behind code is not seen", Hint: "put it on a line of its own above the declaration"}
			}
			l.add(f)
		}
	}
}

// block reports markers inside of a block comment.
func (l *linter) block(c *ast.Comment) {
	offset := 0
	for line := range strings.SplitAfterSeq(c.Text, "\n") {
		text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "*/"))
		text = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(text, "/*"), "* \t"))
		if strings.HasPrefix(text, "+") && l.known(text) {
			l.add(Finding{Pos: c.Slash + token.Pos(offset+strings.IndexByte(line, '+')), Kind: Malformed,
				Message: "a marker in a block comment is not seen", Hint: "write it as a line comment: // " + text})
		}
		offset += len(line)
	}
}

// trailingComments returns the comment groups that stand behind code on its line.
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
