package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/inputs"
	"github.com/schemagen/schemagen/markers"
)

// configReader reads schemagen.yaml and notes all that is wrong with it.
type configReader struct {
	nodeReader
	in   *inputs.Reader
	file *configFile
	// starts are the offsets of lines.
	starts []int
}

// parseConfig reads the content of the file. There is no file where a finding is an
// error. Paths that must be there are looked for.
func parseConfig(in *inputs.Reader, name string, data []byte) (*configFile, diag.List) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	r := &configReader{
		nodeReader: newNodeReader(name, codeConfig, data), in: in,
		file: &configFile{name: name, dir: filepath.Dir(name), data: data, values: map[string]configValue{}, severities: map[diag.Code]string{}},
	}
	for at := 0; at <= len(data); {
		r.starts = append(r.starts, at)
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
	}
	if at, why := refusedCharacter(data); at >= 0 {
		r.failAt(at, why)
		return nil, r.findings
	}
	root := r.document(data, configName)
	if root != nil {
		r.refuseAliases(root)
		r.top(root)
	}
	if len(r.findings) > 0 {
		return nil, r.findings
	}
	return r.file, nil
}

// refusedCharacter is the offset of the first character that does not belong into a
// file that people write, with what is wrong with it; -1 if there is none. Lines end
// as on Unix or Windows: YAML has more line ends, which editors do not count.
func refusedCharacter(data []byte) (at int, why string) {
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			return i, "this is not UTF-8 text"
		case c == '\r' && !bytes.HasPrefix(data[i+1:], []byte("\n")), c == 0x85, c == 0x2028, c == 0x2029:
			return i, "this is no line end of Unix or Windows"
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c == 0x7f:
			return i, "this is a control character"
		}
		i += size
	}
	return -1, ""
}

// failAt reports a mistake at an offset.
func (r *configReader) failAt(offset int, message string) {
	line, _ := slices.BinarySearch(r.starts, offset+1)
	r.findings = append(r.findings, diag.Diagnostic{Code: r.code, Severity: diag.Error, Message: message,
		Pos: diag.Position{File: r.nodeReader.file, Line: line, Column: offset - r.starts[line-1] + 1}})
}

// refuseAliases reports aliases: nobody needs them here, and what is reported twice
// would have one place.
func (r *configReader) refuseAliases(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		r.fail(n, "write it out", "aliases are not read here")
	}
	for _, child := range n.Content {
		r.refuseAliases(child)
	}
}

// top reads the document.
func (r *configReader) top(root *yaml.Node) {
	groups, others := sections()
	var known []string
	inGroup := map[string][]string{}
	for _, s := range settings() {
		if group, key, ok := strings.Cut(s.key, "."); ok {
			inGroup[group] = append(inGroup[group], key)
		} else {
			known = append(known, s.key)
		}
	}
	fields := r.fields(root, configName, slices.Concat(known, groups, others)...)
	values := map[string]*yaml.Node{}
	for _, key := range known {
		values[key] = fields[key]
	}
	for _, group := range groups {
		nodes := r.fields(fields[group], group, inGroup[group]...)
		for _, key := range inGroup[group] {
			values[group+"."+key] = nodes[key]
		}
	}
	for _, s := range settings() {
		if n := values[s.key]; n != nil {
			r.file.values[s.key] = configValue{r.value(s, n), n.Line, n}
		}
	}
	for _, key := range others {
		if n := fields[key]; n != nil && n.Tag != "!!null" {
			r.file.values[key] = configValue{line: n.Line, node: n}
		}
	}
	for _, n := range r.list(fields["packages"]) {
		r.packages(n)
	}
	r.types(fields["types"])
	r.descriptions(fields["descriptions"])
	r.severities(fields["severities"])
	for _, n := range r.list(fields["waivers"]) {
		r.waiver(n)
	}
}

// value reads the value of a setting.
func (r *configReader) value(s setting, n *yaml.Node) []string {
	switch s.kind {
	case settingBoolean:
		text, _ := r.scalar(n, "true or false", "!!bool")
		return []string{text}
	case settingNumber:
		text, ok := r.scalar(n, "a number", "!!int")
		if i, err := strconv.Atoi(text); ok && (err != nil || i < 0) {
			r.fail(n, "", "%s: this must be a number of bytes, 0 or more", s.key)
		}
		return []string{text}
	case settingList, settingPatterns:
		var out []string
		for _, element := range r.list(n) {
			if text, ok := r.scalar(element, "a text", "!!str"); ok {
				r.checkText(s, element, text)
				out = append(out, text)
			}
		}
		return out
	}
	// 1.35 and 2026 are texts here.
	text, ok := r.scalar(n, "a text", "!!str", "!!float", "!!int")
	if ok {
		r.checkText(s, n, text)
	}
	return []string{text}
}

// scalar is a value of one of the tags; ok is false after a finding.
func (r *configReader) scalar(n *yaml.Node, what string, tags ...string) (text string, ok bool) {
	n = aliased(n)
	if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) {
		r.fail(n, "", "this must be %s", what)
		return "", false
	}
	return n.Value, true
}

// checkText reports what is wrong with one text of a setting.
func (r *configReader) checkText(s setting, n *yaml.Node, text string) {
	if s.values != nil && !slices.Contains(s.values, text) {
		r.unknown(n, s.key, text, s.values)
	}
	if s.check != nil {
		if err := s.check(text); err != nil {
			r.fail(n, "", "%s: %v", s.key, err)
		}
	}
	switch s.kind {
	case settingFile:
		if info, err := r.in.Stat(r.at(text)); err != nil || info.IsDir() {
			r.fail(n, "paths are relative to this file", "%s: there is no file %q", s.key, text)
		}
	case settingFolder:
		if text == "" || text == "-" {
			r.fail(n, "", "%s: this must be a directory", s.key)
		} else if info, err := r.in.Stat(r.at(text)); err == nil && !info.IsDir() {
			r.fail(n, "paths are relative to this file", "%s: %q is not a directory", s.key, text)
		}
	case settingPatterns:
		r.checkPattern(n, text)
	}
}

// at is the name of a path of the file.
func (r *configReader) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.file.dir, filepath.FromSlash(name))
}

// checkPattern reports a pattern of packages that can have none. It returns the
// pattern with an absolute directory.
func (r *configReader) checkPattern(n *yaml.Node, pattern string) string {
	if pattern == "" {
		r.fail(n, "", "this must be a pattern of packages")
		return ""
	}
	if !isFilePattern(pattern) {
		if info, err := r.in.Stat(r.at(pattern)); err == nil && info.IsDir() {
			r.fail(n, "write ./"+pattern, "%q is an import path here, and not the directory", pattern)
		}
		return pattern
	}
	base, below := cutBelow(pattern)
	if info, err := r.in.Stat(r.at(base)); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		r.fail(n, "paths are relative to this file", "there is no directory %q", base)
	}
	return r.at(base) + below
}

// unknown reports a word that is none of those that there are.
func (r *configReader) unknown(n *yaml.Node, what, word string, known []string) {
	hint := "there are " + strings.Join(known, ", ")
	if near, ok := markers.Nearest(word, known); ok {
		hint = "did you mean " + near + "?"
	}
	r.fail(n, hint, "%s: unknown %q", what, shortened(word))
}

// packages reads the options for some packages.
func (r *configReader) packages(n *yaml.Node) {
	known := []string{"path"}
	for _, s := range packageSettings() {
		known = append(known, s.key)
	}
	fields := r.fields(n, "an element of packages", known...)
	var o generator.PackageOptions
	if path := r.needed(n, fields, "path", "an element of packages"); path != nil {
		if text, ok := r.scalar(path, "a text", "!!str"); ok {
			o.Pattern = r.checkPattern(path, text)
		}
	}
	for _, s := range packageSettings() {
		value := fields[s.key]
		if value == nil {
			continue
		}
		texts := r.value(s, value)
		switch s.key {
		case "enable":
			o.Enable = texts
		case "allow":
			o.Allow = texts
		case "unions":
			o.Unions = texts[0]
		case "maxDescLen":
			limit, _ := strconv.Atoi(texts[0]) // reported
			o.MaxDescription = &limit
		case "allowDangerousTypes":
			o.AllowDangerousTypes = new(texts[0] == "true")
		case "ignoreUnexportedFields":
			o.IgnoreUnexportedFields = new(texts[0] == "true")
		}
	}
	r.file.packages = append(r.file.packages, o)
}

// needed is the value of a key that must be there; nil if it is not.
func (r *configReader) needed(n *yaml.Node, fields map[string]*yaml.Node, key, what string) *yaml.Node {
	if fields[key] == nil && aliased(n).Kind == yaml.MappingNode {
		r.fail(n, "", "%s needs a %s", what, key)
	}
	return fields[key]
}

// entries are the keys and values of a mapping whose keys are not ours, each key once.
func (r *configReader) entries(n *yaml.Node, what string) (out [][2]*yaml.Node) {
	n = aliased(n)
	switch {
	case n == nil || n.Tag == "!!null":
		return nil
	case n.Kind != yaml.MappingNode:
		r.fail(n, "", "%s is a mapping", what)
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		name, ok := r.scalar(key, "a text", "!!str")
		switch {
		case !ok:
		case seen[name]:
			r.fail(key, "", "key %q is there twice", shortened(name))
		default:
			out = append(out, [2]*yaml.Node{key, n.Content[i+1]})
		}
		seen[name] = true
	}
	return out
}

// types reads markers about types of other modules.
func (r *configReader) types(n *yaml.Node) {
	for _, entry := range r.entries(n, "types") {
		key := entry[0]
		if dot := strings.LastIndexByte(key.Value, '.'); dot <= strings.LastIndexByte(key.Value, '/')+1 || dot+1 == len(key.Value) {
			r.fail(key, "as in k8s.io/api/core/v1.Container", "types: %q is no type with its import path", shortened(key.Value))
		}
		for _, element := range r.list(entry[1]) {
			text, ok := r.scalar(element, "a text", "!!str")
			if ok && !strings.HasPrefix(text, "+") {
				r.fail(element, "as in +schemagen:at(.ports)=+optional", "types: a marker begins with +")
			}
			r.override("schemagen:type", key, element, text)
		}
	}
}

// descriptions reads what becomes of descriptions from some packages.
func (r *configReader) descriptions(n *yaml.Node) {
	for _, entry := range r.entries(n, "descriptions") {
		text, ok := r.scalar(entry[1], "drop, firstSentence, or a number of bytes", "!!str", "!!int")
		if err := generator.CheckDescriptions(text); ok && err != nil {
			r.fail(entry[1], "", "descriptions: %v", err)
		}
		r.override("schemagen:descriptions", entry[0], entry[1], text)
	}
}

func (r *configReader) override(marker string, key, value *yaml.Node, text string) {
	r.file.overrides = append(r.file.overrides, generator.Override{Marker: marker, Argument: key.Value, Value: text,
		ArgumentOffset: r.offset(key), ValueOffset: r.offset(value)})
}

// offset is where the text of a scalar begins, behind its quote.
func (r *configReader) offset(n *yaml.Node) int {
	at := r.pos(n)
	if at.Line < 1 || at.Line > len(r.starts) {
		return 0
	}
	offset := r.starts[at.Line-1] + at.Column - 1
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		offset++
	}
	return offset
}

// codeNamed reads a code that there is.
func (r *configReader) codeNamed(n *yaml.Node) (diag.CodeInfo, bool) {
	text, ok := r.scalar(n, "a code", "!!str")
	if !ok {
		return diag.CodeInfo{}, false
	}
	var known []string
	for _, info := range codes() {
		if string(info.Code) == text {
			return info, true
		}
		known = append(known, string(info.Code))
	}
	hint := "docs/diagnostics.md lists them"
	if near, ok := markers.Nearest(text, known); ok && strings.EqualFold(near, text) {
		hint = "did you mean " + near + "?"
	}
	r.fail(n, hint, "there is no code %q", shortened(text))
	return diag.CodeInfo{}, false
}

// severities reads the severities of codes. What is an error stays one.
func (r *configReader) severities(n *yaml.Node) {
	for _, entry := range r.entries(n, "severities") {
		info, ok := r.codeNamed(entry[0])
		said, isText := r.scalar(entry[1], "one of "+strings.Join(severityNames(), ", "), "!!str")
		switch {
		case !isText || !ok:
		case !slices.Contains(severityNames(), said):
			r.unknown(entry[1], "severities", said, severityNames())
		case info.Severity == diag.Error && said != diag.Error.String():
			r.fail(entry[1], "", "%s is an error, and stays one: the output would be wrong, or be refused", info.Code)
		default:
			r.file.severities[info.Code] = said
		}
	}
}

// waiver reads a waiver.
func (r *configReader) waiver(n *yaml.Node) {
	const what = "a waiver"
	fields := r.fields(n, what, "code", "path", "reason")
	w := &waiver{pos: r.pos(aliased(n))}
	if code := r.needed(n, fields, "code", what); code != nil {
		info, ok := r.codeNamed(code)
		if ok && info.Severity == diag.Error {
			r.fail(code, "", "%s is an error, and cannot be waived: the output would be wrong, or be refused", info.Code)
		}
		w.code = info.Code
	}
	if at := r.needed(n, fields, "path", what); at != nil {
		var ok bool
		w.path, ok = r.scalar(at, "a text", "!!str")
		if _, err := path.Match(w.path, ""); err != nil {
			r.fail(at, "", "%q is no pattern of files: %v", shortened(w.path), err)
		} else if cleaned := path.Clean(w.path); ok && (cleaned != w.path || path.IsAbs(w.path) || cleaned == ".." || strings.HasPrefix(cleaned, "../")) {
			r.fail(at, "as in api/v1/*.go, or api/**", "the path of a waiver is one below this file, without ./ and ..")
		}
	}
	if reason := r.needed(n, fields, "reason", what); reason != nil {
		text, ok := r.scalar(reason, "a text", "!!str")
		if ok && strings.TrimSpace(text) == "" {
			r.fail(reason, "", "the reason says nothing")
		}
	}
	r.file.waivers = append(r.file.waivers, w)
}

// source is where a value comes from: the file with its line.
func (c *configFile) source(key, wd string) string {
	name := c.name
	if rel, err := filepath.Rel(wd, c.name); err == nil {
		name = rel
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(name), c.values[key].line)
}
