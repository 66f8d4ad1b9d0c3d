package project

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// reader reads schemagen.yaml and reports all mistakes in it.
type reader struct {
	yamltext.NodeReader
	in    *inputs.Reader
	file  *File
	codes []*diag.Kind
	// starts are the byte offsets of the lines.
	starts []int
}

// parse reads the content of the project file. It returns a nil file if there is a finding.
// It checks that paths exist where required.
func parse(inputReader *inputs.Reader, name string, data []byte, codes []*diag.Kind) (*File, diag.List) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &reader{
		NodeReader: yamltext.NewNodeReader(name, invalidFile, data), in: inputReader, codes: codes,
		file: &File{Name: name, dir: filepath.Dir(name), data: data, in: inputReader, values: map[string]entry{},
			severities: map[diag.Code]string{}},
	}
	start := 0
	for _, line := range r.Lines {
		r.starts = append(r.starts, start)
		start += len(line) + 1
	}
	if offset, reason := invalidCharacter(data); offset >= 0 {
		r.failAt(offset, reason)
		return nil, r.Findings
	}
	root := r.Document(data, Name)
	if root == nil && len(r.Findings) > 0 {
		r.unquoted(&r.Findings[0])
	}
	if root != nil {
		r.rejectAliases(root)
		r.top(root)
	}
	if len(r.Findings) > 0 {
		return nil, r.Findings
	}
	return r.file, nil
}

// invalidCharacter returns the offset of the first character that is not allowed in the file,
// and the reason, or -1 if there is none. Lines must end as on Unix or Windows: YAML has
// further line breaks, which editors do not count.
func invalidCharacter(data []byte) (offset int, why string) {
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			return i, "invalid UTF-8"
		case c == '\r' && !bytes.HasPrefix(data[i+1:], []byte("\n")), c == 0x85, c == 0x2028, c == 0x2029:
			return i, "invalid line ending: use LF or CRLF"
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c == 0x7f:
			return i, "control character"
		}
		i += size
	}
	return -1, ""
}

// gateElement matches an element of a list of gates that has to be quoted, and is not.
var gateElement = lazyregexp.New(`(?:^\s*-\s+|[\[,:]\s*)([*@]|![A-Za-z_])`)

// quoteHint is the hint for such an element.
const quoteHint = `quote names that begin with *, ! or @, as in ["*", "!NAME", "@CHANNEL"]`

// unquoted adds to a syntax error that the library found in a line, or beside it, that an element
// of a list of gates has to be quoted.
func (r *reader) unquoted(d *diag.Diagnostic) {
	for _, line := range []int{d.Pos.Line, d.Pos.Line + 1, d.Pos.Line - 1} {
		if line < 1 || line > len(r.Lines) {
			continue
		}
		if m := gateElement().FindStringSubmatchIndex(r.Lines[line-1]); m != nil {
			d.Pos.Line = line
			d.Pos.Column = m[2] + 1
			d.Hint = quoteHint
			return
		}
	}
}

// failAt reports a mistake at a byte offset.
func (r *reader) failAt(offset int, message string) {
	line, _ := slices.BinarySearch(r.starts, offset+1)
	r.Findings = append(r.Findings, invalidFile.At(diag.Position{File: r.File, Line: line, Column: offset - r.starts[line-1] + 1}, "", "%s", message))
}

// rejectAliases reports aliases. They are not needed here, and a finding in an aliased node
// would be reported at one position only.
func (r *reader) rejectAliases(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		r.Fail(n, "repeat the value", "aliases are not supported")
	}
	for _, child := range n.Content {
		r.rejectAliases(child)
	}
}

// top reads the root of the document.
func (r *reader) top(root *yaml.Node) {
	groups, separate := Sections()
	var known []string
	inGroup := map[string][]string{}
	for _, s := range Settings() {
		if group, key, ok := strings.Cut(s.Key, "."); ok {
			inGroup[group] = append(inGroup[group], key)
		} else {
			known = append(known, s.Key)
		}
	}
	fields := r.Fields(root, Name, slices.Concat(known, groups, separate)...)
	values := map[string]*yaml.Node{}
	for _, key := range known {
		values[key] = fields[key]
	}
	for _, group := range groups {
		nodes := r.Fields(fields[group], group, inGroup[group]...)
		for _, key := range inGroup[group] {
			values[group+"."+key] = nodes[key]
		}
	}
	for _, s := range Settings() {
		if n := values[s.Key]; n != nil {
			r.file.values[s.Key] = entry{texts: r.value(s, n), line: n.Line, node: n}
		}
	}
	for _, key := range separate {
		if n := fields[key]; n != nil && n.Tag != "!!null" {
			r.file.values[key] = entry{line: n.Line, node: n}
		}
	}
	for _, n := range r.List(fields["packages"]) {
		r.packages(n)
	}
	r.types(fields["types"])
	r.descriptions(fields["descriptions"])
	r.gates(fields["gates"])
	r.channels(fields["channels"])
	r.contains(fields["contains"])
	r.join(fields["join"])
	r.merge(fields["merge"])
	r.severities(fields["severities"])
	for _, n := range r.List(fields["waivers"]) {
		r.waiver(n)
	}
}

// value reads the value of a setting.
func (r *reader) value(s Setting, node *yaml.Node) []string {
	switch s.Kind {
	case Boolean:
		text, _ := r.scalar(node, "true or false", "!!bool")
		return []string{text}
	case Number:
		text, ok := r.scalar(node, "a number", "!!int")
		if i, err := strconv.Atoi(text); ok && (err != nil || i < 0) {
			r.Fail(node, "", "%s: must be a number of bytes, 0 or more", s.Key)
		}
		return []string{text}
	case List, Patterns:
		var out []string
		for _, element := range r.List(node) {
			if text, ok := r.scalar(element, "a string", "!!str"); ok {
				r.checkText(s, element, text)
				out = append(out, text)
			}
		}
		return out
	}
	// 1.35 and 2026 are strings here.
	text, ok := r.scalar(node, "a string", "!!str", "!!float", "!!int")
	if ok {
		r.checkText(s, node, text)
	}
	return []string{text}
}

// scalar returns the value of a scalar with one of the tags; ok is false after a finding.
func (r *reader) scalar(n *yaml.Node, what string, tags ...string) (text string, ok bool) {
	n = yamltext.Aliased(n)
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) {
		hint := ""
		if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") { // !NAME is a tag in YAML
			hint = quoteHint
		}
		r.Fail(n, hint, "must be %s", what)
		return "", false
	}
	return n.Value, true
}

// checkText reports an invalid value of a setting, or of an element of its list.
func (r *reader) checkText(s Setting, node *yaml.Node, text string) {
	if s.Values != nil && !slices.Contains(s.Values, text) && (s.Pattern == "" || !regexp.MustCompile(s.Pattern).MatchString(text)) {
		r.unknown(node, s.Key, text, s.Values)
	}
	if s.Check != nil {
		if err := s.Check(text); err != nil {
			r.Fail(node, "", "%s: %v", s.Key, err)
		}
	}
	switch s.Kind {
	case Path:
		if info, err := r.in.Stat(r.at(text)); err != nil || info.IsDir() {
			r.Fail(node, "paths are relative to this file", "%s: file %q does not exist", s.Key, text)
		}
	case Folder:
		if text == "" || text == "-" {
			r.Fail(node, "", "%s: must be a directory", s.Key)
		} else if info, err := r.in.Stat(r.at(text)); err == nil && !info.IsDir() {
			r.Fail(node, "paths are relative to this file", "%s: %q is not a directory", s.Key, text)
		}
	case Patterns:
		r.checkPattern(node, text)
	}
}

// at returns the file name for a path in the project file.
func (r *reader) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.file.dir, filepath.FromSlash(name))
}

// checkPattern reports a pattern that cannot match any package. It returns the pattern with
// an absolute directory.
func (r *reader) checkPattern(n *yaml.Node, pattern string) string {
	if pattern == "" {
		r.Fail(n, "", "must be a package pattern")
		return ""
	}
	if !golist.IsFilePattern(pattern) {
		base, _ := cutBelow(pattern)
		if info, err := r.in.Stat(r.at(base)); err == nil && info.IsDir() && base != "." {
			r.Fail(n, "write ./"+pattern, "%q is an import path, not the directory of that name", pattern)
			r.Meant(n, "./"+pattern)
		}
		return pattern
	}
	base, child := cutBelow(pattern)
	if info, err := r.in.Stat(r.at(base)); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		r.Fail(n, "paths are relative to this file", "directory %q does not exist", base)
	}
	return r.at(base) + child
}

// unknown reports a word that is not one of the known ones.
func (r *reader) unknown(n *yaml.Node, what, word string, known []string) {
	r.Fail(n, words.DidYouMean(word, known, "one of "+strings.Join(known, ", ")), "%s: unknown %q", what, yamltext.Shortened(word))
	if nearest, ok := words.Nearest(word, known); ok {
		r.Meant(n, nearest)
	}
}

// packages reads an element of the list packages.
func (r *reader) packages(n *yaml.Node) {
	known := []string{"path"}
	for _, s := range PackageSettings() {
		known = append(known, s.Key)
	}
	fields := r.Fields(n, "an element of packages", known...)
	var o define.PackageOptions
	if path := r.required(n, fields, "path", "an element of packages"); path != nil {
		if text, ok := r.scalar(path, "a string", "!!str"); ok {
			o.Pattern = r.checkPattern(path, text)
		}
	}
	for _, s := range PackageSettings() {
		value := fields[s.Key]
		if value == nil {
			continue
		}
		texts := r.value(s, value)
		switch s.Key {
		case "enable":
			o.Enable = texts
		case "allow":
			o.Allow = texts
		case "unions":
			o.Unions = texts[0]
		case "maxDescLen":
			limit, _ := strconv.Atoi(texts[0]) // an error was reported by value
			o.MaxDescription = &limit
		case "allowDangerousTypes":
			o.AllowDangerousTypes = new(texts[0] == "true")
		case "ignoreUnexportedFields":
			o.IgnoreUnexportedFields = new(texts[0] == "true")
		}
	}
	r.file.packages = append(r.file.packages, o)
}

// required returns the value of a required key. If the key is missing, it is reported and
// required returns nil.
func (r *reader) required(n *yaml.Node, fields map[string]*yaml.Node, key, what string) *yaml.Node {
	if fields[key] == nil && yamltext.Aliased(n).Kind == yaml.MappingNode {
		r.Fail(n, "", "%s must have a %s", what, key)
	}
	return fields[key]
}

// entries returns the keys and values of a mapping with user-defined keys. Duplicate keys are
// reported and left out.
func (r *reader) entries(n *yaml.Node, what string) (out [][2]*yaml.Node) {
	content := r.Content(n, yaml.MappingNode, what+" must be a mapping")
	seen := map[string]bool{}
	for i := 0; i+1 < len(content); i += 2 {
		key := content[i]
		name, ok := r.scalar(key, "a string", "!!str")
		switch {
		case !ok:
		case seen[name]:
			r.Fail(key, "", "duplicate key %q", yamltext.Shortened(name))
		default:
			out = append(out, [2]*yaml.Node{key, content[i+1]})
		}
		seen[name] = true
	}
	return out
}

// types reads the markers for types of other modules.
func (r *reader) types(n *yaml.Node) {
	for _, entry := range r.entries(n, "types") {
		key := entry[0]
		if dot := strings.LastIndexByte(key.Value, '.'); dot <= strings.LastIndexByte(key.Value, '/')+1 ||
			dot+1 == len(key.Value) {
			r.Fail(key, "for example k8s.io/api/core/v1.Container", "types: %q is not a type with its import path", yamltext.Shortened(key.Value))
		}
		for _, element := range r.List(entry[1]) {
			text, ok := r.scalar(element, "a string", "!!str")
			if ok && !strings.HasPrefix(text, "+") {
				r.Fail(element, "for example +schemagen:at(.ports)=+optional", "types: a marker must begin with +")
			}
			r.override(markers.TypeName, key, element, text)
		}
	}
}

// descriptions reads how descriptions from some packages are shortened.
func (r *reader) descriptions(n *yaml.Node) {
	for _, entry := range r.entries(n, "descriptions") {
		text, ok := r.scalar(entry[1], "drop, firstSentence, or a number of bytes", "!!str", "!!int")
		if err := edits.CheckDescriptions(text); ok && err != nil {
			r.Fail(entry[1], "", "descriptions: %v", err)
		}
		r.override(markers.DescriptionsName, entry[0], entry[1], text)
	}
}

func (r *reader) override(marker string, key, value *yaml.Node, text string) {
	r.file.overrides = append(r.file.overrides, define.Override{Marker: marker, Argument: key.Value, Value: text,
		ArgumentOffset: r.offset(key), ValueOffset: r.offset(value)})
}

// offset returns the byte offset of the text of a scalar, after its opening quote.
func (r *reader) offset(n *yaml.Node) int {
	position := r.Pos(n)
	if position.Line < 1 || position.Line > len(r.starts) {
		return 0
	}
	offset := r.starts[position.Line-1] + position.Column - 1
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		offset++
	}
	return offset
}

// codeNamed returns the kind of diagnostic with the code in a scalar. Unknown codes are
// reported.
func (r *reader) codeNamed(n *yaml.Node) (*diag.Kind, bool) {
	text, ok := r.scalar(n, "a code", "!!str")
	if !ok {
		return nil, false
	}
	var known []string
	for _, info := range r.codes {
		if string(info.Code) == text {
			return info, true
		}
		known = append(known, string(info.Code))
	}
	nearest, ok := words.Nearest(text, known)
	if !ok || !strings.EqualFold(nearest, text) {
		r.Fail(n, "docs/diagnostics.md lists them", "unknown code %q", yamltext.Shortened(text))
		return nil, false
	}
	r.Fail(n, "did you mean "+nearest+"?", "unknown code %q", yamltext.Shortened(text))
	r.Meant(n, nearest)
	return nil, false
}

// gates reads the names of the gates that conditions may have.
func (r *reader) gates(n *yaml.Node) {
	if n != nil && n.Tag != "!!null" {
		r.file.gates = []string{}
	}
	for _, entry := range r.entries(n, "gates") {
		if name := entry[0].Value; !isGate(name) {
			r.Fail(entry[0], "", "%q cannot be the name of a gate", name)
		}
		g := Gate{Name: entry[0].Value, Pos: r.Pos(entry[0])}
		fields := r.Fields(entry[1], "gate "+g.Name, "stage", "since")
		for key, target := range map[string]*string{"stage": &g.Stage, "since": &g.Since} {
			if fields[key] != nil {
				*target, _ = r.scalar(fields[key], key, "!!str")
			}
		}
		r.file.gates = append(r.file.gates, g.Name)
		r.file.named = append(r.file.named, g)
	}
}

// severities reads the severities of codes. Errors cannot be given another severity.
func (r *reader) severities(n *yaml.Node) {
	for _, entry := range r.entries(n, "severities") {
		info, ok := r.codeNamed(entry[0])
		severity, isText := r.scalar(entry[1], "one of "+strings.Join(Severities(), ", "), "!!str")
		switch {
		case !isText || !ok:
		case !slices.Contains(Severities(), severity):
			r.unknown(entry[1], "severities", severity, Severities())
		case info.Severity == diag.Error && severity != diag.Error.String():
			r.Fail(entry[1], "", "%s is an error, and its severity cannot change: the output would be wrong or rejected", info.Code)
		default:
			r.file.severities[info.Code] = severity
		}
	}
}

// waiver reads a waiver.
func (r *reader) waiver(n *yaml.Node) {
	const what = "a waiver"
	fields := r.Fields(n, what, "code", "path", "reason")
	w := &Waiver{pos: r.Pos(yamltext.Aliased(n))}
	if code := r.required(n, fields, "code", what); code != nil {
		if info, ok := r.codeNamed(code); ok {
			if info.Severity == diag.Error {
				r.Fail(code, "", "%s is an error, and cannot be waived: the output would be wrong or rejected", info.Code)
			}
			w.code = info.Code
		}
	}
	if node := r.required(n, fields, "path", what); node != nil {
		var ok bool
		w.path, ok = r.scalar(node, "a string", "!!str")
		if _, err := path.Match(w.path, ""); err != nil {
			r.Fail(node, "", "%q is not a file pattern: %v", yamltext.Shortened(w.path), err)
		} else if cleaned := path.Clean(w.path); ok && (cleaned != w.path || path.IsAbs(w.path) || cleaned == ".." || strings.HasPrefix(cleaned, "../")) {
			r.Fail(node, "for example api/v1/*.go or api/**", "the path of a waiver must be below this file's directory, without ./ and ..")
		}
	}
	if reason := r.required(n, fields, "reason", what); reason != nil {
		text, ok := r.scalar(reason, "a string", "!!str")
		if ok && strings.TrimSpace(text) == "" {
			r.Fail(reason, "", "the reason is empty")
		}
	}
	r.file.waivers = append(r.file.waivers, w)
}

// source returns the source of a value: the file and line, or the flag.
func (c *File) source(key, wd string) string {
	if flag := c.values[key].flag; flag != "" {
		return flag
	}
	return fmt.Sprintf("%s:%d", screen.Relative(wd, c.Name, screen.Nearby), c.values[key].line)
}
