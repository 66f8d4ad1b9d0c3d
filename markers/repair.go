package markers

import (
	"bytes"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
)

// This file guesses which marker an author meant by one that is unknown or cannot be parsed:
// first its name, then its arguments.

// names returns the candidates for a misspelled marker of a target: names of the target
// first, then those of other targets, then those of other generators.
func (l *linter) names(target Target) []string {
	var out []string
	for _, other := range []Target{target, Field, Type, Package} {
		for _, name := range l.table.names[other] {
			if feature := l.table.byTarget[other][name].Feature(); feature == "" || slices.Contains(l.options.Features, feature) {
				out = append(out, name)
			}
		}
	}
	for _, other := range otherMarkers() {
		out = append(out, other.name)
	}
	return out
}

// definition returns the definition of a name, for the target if there is one. Markers of
// other generators have none.
func (t *Table) definition(name string, target Target) *Definition {
	for _, other := range []Target{target, Field, Type, Package} {
		if def := t.byTarget[other][name]; def != nil {
			return def
		}
	}
	return nil
}

// meant returns the name probably meant by an unknown marker, and the hint for it. Both are
// empty if there is no good guess.
func (l *linter) meant(text string, target Target) (name, hint string) {
	name, rest, ok := nameMeant(text, l.names(target))
	if !ok {
		return "", ""
	}
	return name, l.table.spelling(l.table.definition(name, target), name, rest)
}

// repaired returns the marker probably meant by an unknown one. It is empty if the arguments
// would have to be guessed, too.
func (l *linter) repaired(text string, target Target) string {
	name, rest, ok := nameMeant(text, l.names(target))
	if !ok {
		return ""
	}
	def := l.table.definition(name, target)
	if def == nil {
		return ""
	}
	if l.table.parses(def, "+"+name+rest) {
		return "+" + name + rest
	}
	out, _ := l.table.rewritten(def, rest)
	return out
}

// spelling returns the hint for a marker of another generator, given the text after its name.
func (o otherMarker) spelling(rest string) string {
	argument := argumentText(rest)
	switch {
	case rest == "" || strings.HasPrefix(rest, o.joint+argument) && (o.joint == "=" || strings.Contains(rest, "=")):
		return "did you mean +" + o.name + "?"
	case o.joint == ":" && !strings.Contains(argument, "="):
		return "write +" + o.name + ":" + argument + "=…"
	}
	if o.joint == "=" && strings.ContainsAny(argument, " \t") {
		return "write +" + o.name + ", and the rest on a line of its own"
	}
	return "write +" + o.name + o.joint + argument
}

// spelling returns the hint for a correct name, given the text after it.
func (t *Table) spelling(def *Definition, name, rest string) string {
	if other, ok := otherMarkerNamed(name); ok && def == nil {
		return other.spelling(rest)
	}
	didYouMean := "did you mean +" + name + "?"
	if t.parses(def, "+"+name+rest) {
		return didYouMean
	}
	if text, ok := t.rewritten(def, rest); ok {
		return "write " + text
	}
	if value := argumentText(rest); def.Empty() && !def.own() {
		if strings.EqualFold(value, "false") {
			return "remove it: +" + name + " has no value"
		}
		return "write +" + name
	} else if value == "" && def.AnonymousField() {
		return "write +" + name + "=…"
	}
	return didYouMean
}

// parses reports whether a definition is found for the text and accepts it.
func (t *Table) parses(def *Definition, text string) bool {
	if t.Lookup(text, def.Target) != def {
		return false
	}
	_, err := t.parseAs(def, Comment{Text: text, Pos: 1})
	return err == nil
}

// nameMeant returns the name that a marker begins with or was meant to begin with, and the
// remaining text. The most certain guess wins: a name that matches exactly, then one that
// differs in case or namespace, then one that differs in a few letters.
func nameMeant(text string, names []string) (name, rest string, ok bool) {
	heads := headsOf(text)
	for _, guess := range []func(string, []string) (string, bool){exactName, sameLetters, onlyNearest, otherNamespace} {
		for _, head := range heads {
			if name, ok := guess(head, names); ok {
				return name, text[1+len(head):], true
			}
		}
	}
	for _, head := range heads[:min(1, len(heads))] {
		if name, ok := sameLastPart(head, names); ok {
			return name, text[1+len(head):], true
		}
	}
	return "", "", false
}

// headsOf returns the prefixes of a marker that may be its name, longest first.
func headsOf(text string) []string {
	text = text[1:]
	end := strings.IndexAny(text, "=( \t.,;\"'`{[")
	if end < 0 {
		end = len(text)
	}
	var out []string
	for end > 0 {
		if text[end-1] != ':' {
			out = append(out, text[:end])
		}
		end = strings.LastIndexByte(text[:end], ':')
	}
	return out
}

func exactName(head string, names []string) (string, bool) { return head, slices.Contains(names, head) }

// sameLetters finds a name that differs in case, or in whether it has validation:.
func sameLetters(head string, names []string) (string, bool) {
	spellings := []string{head}
	if rest, ok := cutFold(head, "kubebuilder:validation:"); ok {
		spellings = append(spellings, "kubebuilder:"+rest, rest)
	} else if rest, ok := cutFold(head, "kubebuilder:"); ok {
		spellings = append(spellings, "kubebuilder:validation:"+rest, rest)
	}
	if strings.HasPrefix(head, "kubebuilder:") && strings.HasSuffix(strings.ToLower(head), ":oneof") {
		spellings = append(spellings, "kubebuilder:validation:ExactlyOneOf")
	}
	for _, spelling := range spellings {
		for _, name := range names {
			if strings.EqualFold(name, spelling) {
				return name, true
			}
		}
	}
	return "", false
}

// onlyNearest is [diag.Nearest], unless another name is equally near.
func onlyNearest(head string, names []string) (string, bool) {
	near, ok := diag.Nearest(head, names)
	if !ok {
		return "", false
	}
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == near })
	other, ok := diag.Nearest(head, others)
	return near, !ok || diag.EditDistance(head, other, 5) > diag.EditDistance(head, near, 5)
}

func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}

// otherNamespace finds a name that differs only by a misspelled first part.
func otherNamespace(head string, names []string) (string, bool) {
	space, rest, ok := strings.Cut(head, ":")
	if !ok {
		return "", false
	}
	near, ok := diag.Nearest(space, namespaces())
	if !ok {
		return "", false
	}
	return sameLetters(near+":"+rest, names)
}

// namespaces returns those of our namespaces that are long enough for spelling correction.
func namespaces() []string { return []string{"kubebuilder", "schemagen"} }

// sameLastPart finds a name with the same last part, whatever precedes it.
func sameLastPart(head string, names []string) (string, bool) {
	last := head[strings.LastIndexByte(head, ':')+1:]
	for _, name := range names {
		if strings.EqualFold(name[strings.LastIndexByte(name, ':')+1:], last) {
			return name, true
		}
	}
	return "", false
}

// argumentText returns the text after a name, without the separator.
func argumentText(rest string) string { return strings.TrimLeft(rest, ":= \t") }

// rewritten returns the marker of a definition whose arguments were not written in its grammar.
func (t *Table) rewritten(def *Definition, rest string) (string, bool) {
	text := argumentText(rest)
	if strings.HasPrefix(rest, "(") {
		text = rest
	}
	if note := strings.HasPrefix(text, "//") || strings.HasPrefix(text, "#"); note && t.parses(def, "+"+def.Name) {
		return "+" + def.Name, true
	}
	if text == "" || !def.own() && def.Empty() || def.Output == reflect.TypeFor[Declarative]() && strings.EqualFold(text, "true") {
		return "", false
	}
	for _, value := range valuesMeant(def, text) {
		for _, joint := range joints(def, text) {
			if written := "+" + def.Name + joint + value; t.parses(def, written) {
				return written, true
			}
		}
	}
	return "", false
}

// joints returns the possible separators between the name and the arguments of a definition.
func joints(def *Definition, text string) []string {
	switch {
	case strings.HasPrefix(text, "("):
		return []string{""}
	case def.own() && def.Feature() == FeatureKEP:
		return []string{":", "="}
	case def.own() || def.AnonymousField():
		return []string{"="}
	}
	out := []string{":", "="}
	if strings.Contains(text, "=") {
		return out // the arguments are named
	}
	for _, a := range arguments(def, nil) {
		if !a.Optional {
			out = append(out, ":"+a.Name+"=")
		}
	}
	return out
}

// valuesMeant returns the values that may have been meant by an argument, the most certain
// first.
func valuesMeant(def *Definition, text string) []string {
	var out []string
	add := func(value string) {
		if value = strings.TrimSpace(value); value != "" && !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	kind := markers.InvalidType
	if def.AnonymousField() {
		kind = def.Fields[""].Type
	}
	bare, behind := unquoted(text)
	if behind == "" && (def.own() || kind == markers.SliceType) {
		add(bare) // else the quotes would be part of the value
	}
	add(text)
	if strings.Contains(bare, `\`) && !strings.Contains(bare, "`") {
		add("`" + bare + "`")
	}
	if behind != "" {
		add(strings.TrimSuffix(text, behind))
	}
	add(bare)
	for _, comment := range []string{" //", " #", " ("} {
		if before, _, ok := strings.Cut(text, comment); ok {
			add(before)
		}
	}
	add(strings.TrimRight(text, ".,; "))
	switch kind {
	case markers.BoolType:
		add(strings.ToLower(bare))
	case markers.StringType:
		if !strings.ContainsAny(bare, "\"`") {
			add(strconv.Quote(bare))
		}
		return out
	case markers.SliceType:
		list := strings.Trim(bare, "[]{}() ")
		add(list)
		add(strings.ReplaceAll(strings.ReplaceAll(list, ",", ";"), " ", ""))
	case markers.InvalidType, markers.AnyType:
		return out
	}
	before, _, _ := strings.Cut(text, " ")
	add(before)
	return out
}

// unquoted returns a value without its quotes, one of which may be missing, and the text
// after them.
func unquoted(text string) (bare, behind string) {
	if strings.IndexByte("\"'`", text[0]) < 0 {
		return strings.TrimRight(text, "\"'`"), ""
	}
	if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
		return text[1 : 1+end], text[2+end:]
	}
	return text[1:], ""
}

// Doubtful reports whether the source of a Go file seems to have a marker in one of our
// namespaces, or nearly one, that no generator knows. It scans bytes without parsing, so the
// line may be part of a string.
func (t *Table) Doubtful(src []byte) bool {
	for offset := 0; ; {
		i := bytes.IndexByte(src[offset:], '+')
		if i < 0 {
			return false
		}
		start := offset + i
		offset = start + 1
		if !bytes.HasSuffix(bytes.TrimRight(src[:start], " \t"), []byte("//")) {
			continue
		}
		line, _, _ := bytes.Cut(src[start:], []byte("\n"))
		if t.doubtful(string(bytes.TrimSpace(line))) {
			return true
		}
	}
}

func (t *Table) doubtful(text string) bool {
	name := strings.TrimLeft(text[1:], " \t")
	space, _, ok := strings.Cut(name, ":")
	if !ok || space == "" || strings.ContainsAny(space, " \t\"=") {
		return false
	}
	if !ours(name) {
		_, near := diag.Nearest(space, namespaces())
		return near
	}
	full, short, _ := splitName("+" + name)
	known := t.Lookup(text, Package) != nil || t.Lookup(text, Type) != nil || t.Lookup(text, Field) != nil
	return len(name) < len(text)-1 || !known && !foreign(full) && !foreign(short)
}

// suggest adds to an error what was probably meant by a marker whose arguments the definition
// does not accept.
func (t *Table) suggest(def *Definition, c Comment, e *ParseError) {
	name := "+" + def.Name
	rest, named := strings.CutPrefix(c.Text, name)
	if hint := explained(def, c.Text, e.Msg); hint != "" || !named {
		e.Hint = hint
		return
	}
	if written, ok := t.rewritten(def, rest); ok {
		e.Hint, e.Edit = "write "+written, c.rewriting(written)
		return
	}
	_, value, _ := strings.Cut(c.Text, "=")
	if def.Name == ResourceName && strings.Contains(value, ",") {
		e.Hint = "several values of one argument are separated by semicolons, as in shortName=a;b"
		return
	}
	if quoted, ok := strings.CutPrefix(e.Msg, "unknown argument "); ok {
		near, hint := argumentMeant(def, quoted)
		e.Hint = hint
		if argument := strings.Trim(quoted, `"`); near != "" {
			e.End = e.Pos + token.Pos(len(argument))
			e.Edit = &Edit{e.Pos, e.End, near}
		}
		return
	}
	switch {
	case name == "+default":
		e.Hint = "it takes JSON, as in +default=\"a\" or +default=[1, 2]"
	case def.Empty() && !def.own():
		e.Hint = t.spelling(def, def.Name, rest)
	}
}

// explained returns the hint for an error in arguments that already implies the correction;
// empty if it does not.
func explained(def *Definition, text, message string) string {
	name := "+" + def.Name
	_, value, _ := strings.Cut(text, "=")
	switch {
	case message == "needs a value":
		return "write " + name + "=…"
	case name == "+kubebuilder:default" && strings.HasPrefix(value, "["):
		return "lists are written {1, 2} here; +default takes JSON"
	case strings.HasPrefix(message, "extra arguments provided") && !strings.ContainsAny(value, "\"`'") && (strings.HasSuffix(name, "Pattern") || strings.HasSuffix(name, "title")):
		return "put quotes around the value: " + name + "=\"" + value + "\""
	}
	return ""
}

// argumentMeant returns the argument probably meant by one that a definition does not have,
// empty if there is no good guess, and the hint for it.
func argumentMeant(def *Definition, quoted string) (near, hint string) {
	var names []string
	for _, a := range arguments(def, nil) {
		names = append(names, a.Name)
	}
	if near, ok := diag.Nearest(strings.Trim(quoted, `"`), names); ok {
		return near, "did you mean " + near + "?"
	}
	return "", "it has " + strings.Join(names, ", ")
}
