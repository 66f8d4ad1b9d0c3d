package editor

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/markers"
	docs "github.com/schemagen/schemagen/markers"
)

// Language is what is known of markers without a program.
type Language struct {
	table     *markers.Table
	reference map[string]*docs.MarkerDoc
}

// NewLanguage returns the language of the markers that affect CRDs.
func NewLanguage() (*Language, error) {
	table, err := markers.NewTable()
	if err != nil {
		return nil, err
	}
	reference, err := docs.New()
	if err != nil {
		return nil, err
	}
	l := &Language{table: table, reference: map[string]*docs.MarkerDoc{}}
	for _, chapter := range reference {
		for _, m := range chapter.Markers {
			l.reference[m.Name] = m
		}
	}
	return l, nil
}

// Completion is a text that may be inserted.
type Completion = symbols.Completion

// Complete returns what may be typed at an offset of a Go file: the names of markers that describe
// what follows, their arguments, and the values of these.
func (l *Language) Complete(text []byte, offset int) []Completion {
	c, ok := cursorAt(text, offset)
	if !ok {
		return nil
	}
	old := c.marker[:c.at]
	var out []Completion
	if def := l.definition(c); def != nil && len(old) > 1+len(def.Name) {
		out = l.completeArgument(c, def, old[1+len(def.Name):])
	}
	if strings.ContainsAny(old, "=( ") {
		return out
	}
	end := c.at
	for end < len(c.marker) && !strings.ContainsRune("=( \t", rune(c.marker[end])) {
		end++
	}
	likely := matches
	if len(out) > 0 {
		likely = strings.HasPrefix // an argument is more likely than the name of another marker
	}
	seen := map[string]bool{}
	for _, target := range c.targets {
		for _, def := range l.table.Definitions() {
			name := "+" + def.Name
			if def.Target != target || seen[def.Name] || def.OnlyKinds() && !c.kind || !likely(name, old) {
				continue
			}
			seen[def.Name] = true
			item := Completion{Label: name, New: name, Start: c.start, End: c.start + end}
			if doc := l.reference[def.Name]; doc != nil {
				item.Detail = doc.Syntax
				item.Markdown = doc.Summary()
			}
			if end == len(c.marker) {
				item.New += firstDelimiter(def, item.Detail)
			}
			out = append(out, item)
		}
	}
	return out
}

// matches reports whether a name has the characters that are typed, in this order and in either
// case: editors that complete "+MinL" as "+kubebuilder:validation:MinLength" filter in this way.
func matches(name, typed string) bool {
	name = strings.ToLower(name)
	typed = strings.ToLower(typed)
	for i := range len(typed) {
		offset := strings.IndexByte(name, typed[i])
		if offset < 0 {
			return false
		}
		name = name[offset+1:]
	}
	return true
}

// firstDelimiter returns what has to follow the name of a marker with a syntax.
func firstDelimiter(def *markers.Definition, syntax string) string {
	rest, ok := strings.CutPrefix(syntax, "+"+def.Name)
	if ok && rest != "" && strings.ContainsRune("=:(", rune(rest[0])) {
		return rest[:1]
	}
	return ""
}

// definition returns the marker that a cursor is in, with the longest name that matches.
func (l *Language) definition(c cursor) (found *markers.Definition) {
	for _, target := range c.targets {
		for _, def := range l.table.Definitions() {
			rest, ok := strings.CutPrefix(c.marker[1:], def.Name)
			if def.Target == target && ok && (rest == "" || strings.ContainsRune("=:(,", rune(rest[0]))) && (found == nil || len(def.Name) > len(found.Name)) {
				found = def
			}
		}
	}
	return found
}

// completeArgument completes what follows the name of a marker, of which the text typed is there.
func (l *Language) completeArgument(c cursor, def *markers.Definition, typed string) (out []Completion) {
	argument := ""
	value := typed[1:]
	if parts := markers.SplitArguments(typed); def.ConvertArguments() != nil && len(parts) > 1 {
		last := parts[len(parts)-1]
		name, rest, ok := strings.Cut(last, "=")
		if !ok {
			return l.completeNames(c, def, parts[1:len(parts)-1], last)
		}
		argument = name
		value = rest
	} else if typed[0] == ':' { // named arguments
		parts := markers.SplitArguments(typed[1:])
		last := parts[len(parts)-1]
		name, rest, ok := strings.Cut(last, "=")
		if !ok {
			return l.completeNames(c, def, parts[:len(parts)-1], last)
		}
		argument = name
		value = rest
	}
	value = value[strings.LastIndexAny(value, ";{\"")+1:]
	end := c.at
	for end < len(c.marker) && !strings.ContainsRune(",;}\" ", rune(c.marker[end])) {
		end++
	}
	for _, known := range def.KnownValues(argument) {
		out = append(out, Completion{Label: known, New: known, Start: c.start + c.at - len(value), End: c.start + end})
	}
	return out
}

// completeNames completes the name of an argument that is not given yet.
func (l *Language) completeNames(c cursor, def *markers.Definition, given []string, typed string) (out []Completion) {
	doc := l.reference[def.Name]
	if doc == nil {
		return nil
	}
	end := c.at
	for end < len(c.marker) && !strings.ContainsRune("=, ", rune(c.marker[end])) {
		end++
	}
	arguments := doc.Arguments
	for _, name := range def.ConvertArguments() {
		arguments = append(arguments, docs.ArgumentDoc{Name: name})
	}
	for _, a := range arguments {
		if slices.ContainsFunc(given, func(text string) bool { return text == a.Name || strings.HasPrefix(text, a.Name+"=") }) {
			continue
		}
		item := Completion{Label: a.Name, New: a.Name, Start: c.start + c.at - len(typed), End: c.start + end,
			Detail: a.Type, Markdown: a.Effect}
		flag := def.ConvertArguments() != nil && (a.Name == "secret" || a.Name == "drop")
		if !flag && (end == len(c.marker) || c.marker[end] != '=') {
			item.New += "="
		}
		out = append(out, item)
	}
	return out
}

// Hover describes the marker at an offset of a Go file, as Markdown, with the offsets of its name.
func (l *Language) Hover(text []byte, offset int) (markdown string, start, end int, ok bool) {
	c, ok := cursorAt(text, offset+1)
	if !ok {
		return "", 0, 0, false
	}
	def := l.definition(c)
	if def == nil || l.reference[def.Name] == nil {
		return "", 0, 0, false
	}
	return l.reference[def.Name].Markdown(), c.start, c.start + 1 + len(def.Name), true
}
