package markers

import (
	"bytes"
	"cmp"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// This file corrects markers that are unknown or cannot be parsed: it guesses first the name
// that the author meant, then the arguments.

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
	for _, other := range known().generators {
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

// guess is what an unknown marker was probably meant to be.
type guess struct {
	// name is empty if there is no good guess, and hint is that for the marker.
	name, hint string
	// corrected is the corrected text of a marker in the table, and edit corrects one of another
	// generator. They are empty if the arguments would have to be guessed, too.
	corrected string
	edit      *Edit
}

func (l *linter) guess(c Comment, target Target) guess {
	name, rest, ok := guessName(c.Text, l.names(target))
	if !ok {
		return guess{}
	}
	def := l.table.definition(name, target)
	g := guess{name: name, hint: l.table.hint(def, name, rest)}
	switch {
	case def == nil:
		g.edit = c.rewritten(rowNamed(name).corrected(rest))
	case l.table.parses(def, "+"+name+rest):
		g.corrected = "+" + name + rest
	default:
		g.corrected, _ = l.table.rewrite(def, rest)
	}
	return g
}

// conditionNames returns names that people give to +schemagen:when.
func conditionNames() []string {
	return []string{"gate", "gates", "gated", "feature", "featureGate", "if", "when"}
}

// parenthesized returns the name of a marker, and the text after the opening parenthesis. That
// may be another character, or be missing, behind the names of conditions: gate[X], gate=X, gate.
func parenthesized(text string) (word, rest string, ok bool) {
	offset := strings.IndexAny(text+" ", "([:= \t")
	word = text[:offset]
	rest = text[offset:]
	if tail, ok := strings.CutPrefix(rest, "("); ok {
		return word, tail, true
	}
	if !slices.Contains(conditionNames(), word) {
		return "", "", false
	}
	end := "="
	if strings.HasPrefix(rest, "[") {
		end = "]"
	}
	condition, remainder, found := strings.Cut(strings.TrimLeft(rest, "[:="), end)
	if found && end == "=" {
		remainder = end + remainder
	}
	return word, condition + ")" + remainder, true
}

// misspelledCondition reports an unknown marker of ours with parentheses behind its name, and
// whether it is one. It probably is a misspelled condition. Without it, what it is on would be
// there for all gates, so it is an error.
func (l *linter) misspelledCondition(comment Comment, target Target) bool {
	const prefix = "+schemagen:"
	word, rest, ok := parenthesized(strings.TrimPrefix(comment.Text, prefix))
	if !ok || !strings.HasPrefix(comment.Text, prefix) || l.allowed(comment.Text) {
		return false
	}
	var names []string
	for _, name := range []string{WhenName, DocName, AtName, TypeName} {
		names = append(names, strings.TrimPrefix("+"+name, prefix))
	}
	name, found := words.OnlyNearest(word, names)
	for _, other := range names {
		if !found && words.EditDistance(word, other, 3) <= 2 { // one edit, also in a short name
			name = other
			found = true
		}
	}
	if _, end, err := gates.Scan(rest); !found && (err != nil || end == len(rest)) && !slices.Contains(conditionNames(), word) {
		return false
	} else if !found {
		name = names[0]
	}
	message := "unknown marker " + prefix + word
	if prefix[1:]+word == WhenName {
		message = prefix + word + " needs parentheses"
	}
	f := Finding{Pos: comment.Pos, Kind: Unknown, Error: true, Message: message, Suggestion: (prefix + name)[1:]}
	text := prefix + name + "(" + rest
	if def := l.table.Lookup(text, target); def != nil && l.table.parses(def, text) {
		f.Corrected = text
	}
	f.Hint = "write " + cmp.Or(f.Corrected, prefix+name+"(…)")
	l.add(f)
	return true
}

// hint returns the hint for a marker of another generator, given the text after its name.
func (r *row) hint(rest string) string {
	argument := argumentText(rest)
	corrected := r.corrected(rest)
	switch {
	case rest == "" || corrected == "+"+r.name+rest:
		return "did you mean +" + r.name + "?"
	case corrected != "":
		return "write " + corrected
	case r.separator == ":":
		return "write +" + r.name + ":" + argument + "=…"
	}
	return "write +" + r.name + ", and put the rest on its own line"
}

// corrected returns the text of a marker of another generator, given the text after its name.
// It is empty if the arguments would have to be guessed, tor.
func (r *row) corrected(rest string) string {
	argument := argumentText(rest)
	isComplete := r.separator == "=" || strings.Contains(argument, "=")
	switch {
	case !isComplete || argument == "":
		return ""
	case r.separator == "=" && !strings.HasPrefix(rest, r.separator) && strings.ContainsAny(argument, " \t"):
		return ""
	}
	return "+" + r.name + r.separator + argument
}

// hint returns the hint for a correct name, given the text after it.
func (t *Table) hint(def *Definition, name, rest string) string {
	if other, ok := generatorMarkerNamed(name); ok && def == nil {
		return other.hint(rest)
	}
	didYouMean := "did you mean +" + name + "?"
	if t.parses(def, "+"+name+rest) {
		return didYouMean
	}
	if text, ok := t.rewrite(def, rest); ok {
		return "write " + text
	}
	if value := argumentText(rest); def.Empty() && !def.Own() {
		if strings.EqualFold(value, "false") {
			return "remove it: +" + name + " takes no value"
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

// guessName returns the name that a marker begins with or was meant to begin with, and the
// remaining text. The most certain guess wins: a name that matches exactly, then one that
// differs in case or namespace, then one that differs in a few letters.
func guessName(text string, names []string) (name, rest string, ok bool) {
	heads := namePrefixes(text)
	if len(heads) > 0 {
		if name, ok := longerName(heads[0], names); ok {
			return name, text[1+len(heads[0]):], true
		}
	}
	for _, guess := range []func(string, []string) (string, bool){exactName, equalFold, words.OnlyNearest, correctNamespace} {
		for _, head := range heads {
			if name, ok := guess(head, names); ok {
				return name, text[1+len(head):], true
			}
		}
	}
	for _, head := range heads[:min(1, len(heads))] {
		if name, ok := equalLastPart(head, names); ok {
			return name, text[1+len(head):], true
		}
	}
	return "", "", false
}

// longerName finds a name that begins with another name and a colon, as +schemagen:doc:end does,
// for a text that begins with that other name, too. Markers of conversions begin with convert:, and
// not with the name of +schemagen:conversion.
func longerName(head string, names []string) (string, bool) {
	for _, prefix := range []string{"schemagen:conversion:", "schemagen:conversions:"} {
		if rest, ok := cutFold(head, prefix); ok && slices.Contains(names, ConvertPrefix+rest) {
			return ConvertPrefix + rest, true
		}
	}
	longer := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		i := strings.LastIndexByte(name, ':')
		return i < 0 || !strings.HasPrefix(head, name[:i+1]) || !slices.Contains(names, name[:i])
	})
	if name, ok := equalFold(head, longer); ok {
		return name, true
	}
	return words.OnlyNearest(head, longer)
}

// namePrefixes returns the prefixes of a marker that may be its name, longest first.
func namePrefixes(text string) []string {
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

// equalFold finds a name that differs only in case, or in whether it has validation:.
func equalFold(head string, names []string) (string, bool) {
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

func cutFold(text, prefix string) (rest string, ok bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}

// correctNamespace finds a name that differs only in a misspelled first part.
func correctNamespace(head string, names []string) (string, bool) {
	space, rest, ok := strings.Cut(head, ":")
	if !ok {
		return "", false
	}
	nearest, ok := words.Nearest(space, namespaces())
	if !ok {
		return "", false
	}
	return equalFold(nearest+":"+rest, names)
}

// namespaces returns our namespaces that are long enough for spelling correction.
func namespaces() []string { return []string{"kubebuilder", "schemagen", "openshift"} }

// equalLastPart finds a name with the same last part, which may be a keyword of schemas, such as
// x-kubernetes-list-type. A name that begins alike comes first, then one of one part:
// those of k8s: have no effect unless they are enabled.
func equalLastPart(head string, names []string) (string, bool) {
	last := head[strings.LastIndexByte(head, ':')+1:]
	keyword, _ := cutFold(strings.ReplaceAll(last, "-", ""), "xKubernetes")
	space, _, _ := strings.Cut(head, ":")
	found := ""
	for _, name := range names {
		part := name[strings.LastIndexByte(name, ':')+1:]
		if !strings.EqualFold(part, last) && !strings.EqualFold(strings.TrimPrefix(part, "X"), keyword) {
			continue
		}
		if strings.HasPrefix(name, space+":") {
			return name, true
		}
		if found == "" || part == name {
			found = name
		}
	}
	return found, found != ""
}

// argumentText returns the text after a name, without the separator.
func argumentText(rest string) string { return strings.TrimLeft(rest, ":= \t") }

// rewrite returns the marker of a definition with arguments that are not in its grammar, in
// that grammar.
func (t *Table) rewrite(def *Definition, rest string) (string, bool) {
	text := argumentText(rest)
	if strings.HasPrefix(rest, "(") {
		text = rest
	}
	if note := strings.HasPrefix(text, "//") || strings.HasPrefix(text, "#"); note && t.parses(def, "+"+def.Name) {
		return "+" + def.Name, true
	}
	if text == "" || !def.Own() && def.Empty() || def.Output == reflect.TypeFor[Declarative]() && strings.EqualFold(text, "true") {
		return "", false
	}
	for _, value := range guessValues(def, text) {
		for _, separator := range separators(def, text) {
			if written := "+" + def.Name + separator + value; t.parses(def, written) {
				return written, true
			}
		}
	}
	return "", false
}

// separators returns the possible separators between the name and the arguments of a definition.
func separators(def *Definition, text string) []string {
	switch {
	case strings.HasPrefix(text, "("):
		return []string{""}
	case def.Own() && def.Feature() == FeatureKEP:
		return []string{":", "="}
	case def.Own() || def.AnonymousField():
		return []string{"="}
	}
	out := []string{":", "="}
	if strings.Contains(text, "=") {
		return out // the arguments are named
	}
	for _, name := range def.Arguments() {
		if !def.Fields[name].Optional {
			out = append(out, ":"+name+"=")
		}
	}
	return out
}

// guessValues returns the values that an argument may stand for, the most certain first.
func guessValues(def *Definition, text string) []string {
	var out []string
	add := func(value string) {
		value = strings.TrimSpace(value)
		if value != "" && !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	kind := markers.InvalidType
	if def.AnonymousField() {
		kind = def.Fields[""].Type
	}
	bare, tail := unquoted(text)
	if tail == "" && (def.Own() || kind == markers.SliceType) {
		add(bare) // else the quotes would be part of the value
	}
	add(text)
	if strings.Contains(bare, `\`) && !strings.Contains(bare, "`") {
		add("`" + bare + "`")
	}
	if strings.Contains(text, `\`) && !strings.Contains(text, "`") {
		add(strings.ReplaceAll(text, `"`, "`")) // raw strings
	}
	if tail != "" {
		add(strings.TrimSuffix(text, tail))
	}
	add(bare)
	for _, comment := range []string{" //", " #", " ("} {
		if head, _, ok := strings.Cut(text, comment); ok {
			add(head)
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
	prefix, _, _ := strings.Cut(text, " ")
	add(prefix)
	return out
}

// unquoted returns a value without its quotes, one of which may be missing, and the text
// after them.
func unquoted(text string) (bare, tail string) {
	if strings.IndexByte("\"'`", text[0]) < 0 {
		return strings.TrimRight(text, "\"'`"), ""
	}
	if end := strings.IndexByte(text[1:], text[0]); end >= 0 {
		return text[1 : 1+end], text[2+end:]
	}
	return text[1:], ""
}

// SuspectMarkers reports whether the source of a Go file seems to have a marker in one of our
// namespaces, or nearly one, that no generator knows. It scans bytes without parsing, so the
// line may be part of a string.
func (t *Table) SuspectMarkers(src []byte) bool {
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
		if t.isSuspect(string(bytes.TrimSpace(line))) {
			return true
		}
	}
}

func (t *Table) isSuspect(text string) bool {
	name := strings.TrimLeft(text[1:], " \t")
	space, _, ok := strings.Cut(name, ":")
	if !ok || space == "" || strings.ContainsAny(space, " \t\"=") {
		return false
	}
	if !hasOwnPrefix(name) {
		_, found := words.Nearest(space, namespaces())
		return found
	}
	full, short, _ := splitName("+" + name)
	return len(name) < len(text)-1 || !t.knows(text) && !isForeign(full) && !isForeign(short)
}

// suggest adds a hint and an edit to the error of a marker whose arguments the definition
// does not accept.
func (t *Table) suggest(def *Definition, comment Comment, e *ParseError) {
	name := "+" + def.Name
	rest, named := strings.CutPrefix(comment.Text, name)
	if written := withQuotes(comment.Text); written != "" {
		e.Hint = "put quotes around the value: " + written
		e.Edit = comment.replacement(written)
		return
	}
	if hint := specificHint(def, comment.Text, e.Msg); hint != "" || !named {
		e.Hint = hint
		return
	}
	if written, ok := t.rewrite(def, rest); ok {
		e.Hint = "write " + written
		e.Edit = comment.replacement(written)
		return
	}
	quoted, isUnknown := strings.CutPrefix(e.Msg, "unknown argument ")
	var nearest, hint string
	if isUnknown {
		nearest, hint = guessArgument(def, quoted)
	}
	_, value, _ := strings.Cut(comment.Text, "=")
	if def.Name == ResourceName && strings.Contains(value, ",") && nearest == "" {
		e.Hint = "separate the values of an argument with semicolons, as in shortName=a;b"
		return
	}
	if isUnknown {
		e.Hint = hint
		if argument := strings.Trim(quoted, `"`); nearest != "" {
			e.End = e.Pos + token.Pos(len(argument))
			e.Edit = &Edit{e.Pos, e.End, nearest}
		}
		return
	}
	switch {
	case name == "+default":
		e.Hint = "it takes JSON, as in +default=\"a\" or +default=[1, 2]"
	case def.Empty() && !def.Own():
		e.Hint = t.hint(def, def.Name, rest)
	}
}

// specificHint returns the hint for an error in arguments that implies the correction, or the
// empty string if it does not.
func specificHint(def *Definition, text, message string) string {
	name := "+" + def.Name
	_, value, _ := strings.Cut(text, "=")
	switch {
	case message == "needs a value":
		return "write " + name + "=…"
	case name == "+kubebuilder:default" && strings.HasPrefix(value, "["):
		return "write a list as {1, 2}; +default takes JSON"
	}
	return ""
}

// withQuotes returns a marker that cannot be parsed with quotes around its value, or the empty string if that does not
// correct it: it does if a string without quotes has a delimiter, or a quote or backtick, which begins a literal.
func withQuotes(text string) string {
	name, value, _ := strings.Cut(text, "=")
	inside := strings.TrimRight(value, "\"`'")
	if inside == "" || strings.IndexByte("\"`'", value[0]) >= 0 || !strings.ContainsAny(inside, "\"`,;}") {
		return ""
	}
	if !strings.HasSuffix(name, "Pattern") && !strings.HasSuffix(name, "title") {
		return ""
	}
	if strings.Contains(value, `\`) && strconv.CanBackquote(value) {
		return name + "=`" + value + "`"
	}
	return name + "=" + strconv.Quote(value)
}

// guessArgument returns the argument probably meant by one that a definition does not have,
// or the empty string if there is no good guess, and the hint for it.
func guessArgument(def *Definition, quoted string) (nearest, hint string) {
	names := def.Arguments()
	if closest, ok := words.Nearest(strings.Trim(quoted, `"`), names); ok {
		return closest, "did you mean " + closest + "?"
	}
	return "", "its arguments are " + strings.Join(names, ", ")
}

func capitalize(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
