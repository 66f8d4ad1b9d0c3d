package project

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// severityOff is the severity that disables a code.
const severityOff = "off"

// Severities returns the severities that schemagen.yaml may assign to a code.
func Severities() []string {
	return []string{diag.Error.String(), diag.Warning.String(), diag.Note.String(), severityOff}
}

// Waiver suppresses findings with a code in some files.
type Waiver struct {
	pos  diag.Position
	code diag.Code
	// path is a pattern of files relative to the directory of schemagen.yaml; see
	// matchesFile.
	path string
}

// waives reports whether the waiver applies to a finding. Errors cannot be waived, because
// the output would be rejected or wrong.
func (c *File) waives(w *Waiver, d diag.Diagnostic) bool {
	return d.Severity != diag.Error && d.Code == w.code && matchesFile(w.path, c.relative(d.Pos.File))
}

// Judge applies waivers and severities of schemagen.yaml to findings, before --strict: it removes
// findings that are waived or off, and changes severities, which also enables findings that are off
// by default. Waivers that apply are recorded in used.
func (c *File) Judge(findings diag.List, used map[*Waiver]bool) diag.List {
	if c == nil {
		return findings.On()
	}
	var out diag.List
	for _, d := range findings {
		waived := false
		for _, w := range c.waivers {
			if c.waives(w, d) {
				used[w] = true
				waived = true
			}
		}
		severity, changed := c.severities[d.Code]
		d.Off = d.Off && !changed
		if waived || d.Off || changed && severity == severityOff && d.Severity != diag.Error {
			continue
		}
		if changed && d.Severity != diag.Error {
			d.Severity = severityNamed(severity)
		}
		out = append(out, d)
	}
	return out
}

// IsOff reports whether the file turns off findings of a code that are not errors.
func (c *File) IsOff(code diag.Code) bool { return c != nil && c.severities[code] == severityOff }

// severityNamed returns the severity with a name other than severityOff.
func severityNamed(name string) diag.Severity {
	for _, s := range []diag.Severity{diag.Error, diag.Warning} {
		if s.String() == name {
			return s
		}
	}
	return diag.Note
}

// Unused reports the waivers that suppressed nothing in a run over all packages of the file. reported
// are the codes that the run reports. verified are the codes that schemagen verify reports for CRDs: a
// waiver of one of these is left alone if it also matches a CRD that the run does not write, that is,
// one which is neither in the directory written nor in an output of the file.
func (c *File) Unused(reader *inputs.Reader, used map[*Waiver]bool, reported, verified []*diag.Kind, written string) diag.List {
	var unused []*Waiver
	for _, w := range c.waivers {
		for _, info := range reported {
			if !used[w] && info.Code == w.code {
				unused = append(unused, w)
			}
		}
	}
	if len(unused) == 0 {
		return nil
	}
	files := FilesBelow(reader, c.dir)
	var out diag.List
	for _, w := range unused {
		ofGo := false
		matched := false
		for _, name := range files {
			if matchesFile(w.path, name) {
				ofGo = ofGo || strings.HasSuffix(name, ".go")
				matched = true
			}
		}
		isVerified := slices.ContainsFunc(verified, func(kind *diag.Kind) bool { return kind.Code == w.code })
		if isVerified && slices.ContainsFunc(files, func(name string) bool {
			return matchesFile(w.path, name) && filepath.Ext(name) != ".go" && !c.isOutput(reader, written, name) && c.hasFindings(reader, name)
		}) {
			continue
		}
		switch {
		case !matched:
			out = append(out, w.unused("no file matches "+w.path))
		case ofGo:
			out = append(out, w.unused("no finding matches it"))
		}
	}
	return out
}

// UnusedIn reports the waivers that apply to one of the files and one of the given codes but
// were not used. Nothing is reported about a waiver that also applies to Go files, or to CRDs that are not
// among the files: other runs may use it.
func (c *File) UnusedIn(reader *inputs.Reader, files []string, used map[*Waiver]bool, reported []*diag.Kind) (out diag.List) {
	checked := map[string]bool{}
	for _, name := range files {
		checked[c.relative(name)] = true
	}
	for _, w := range c.waivers {
		known := slices.ContainsFunc(reported, func(info *diag.Kind) bool { return info.Code == w.code })
		about := func(name string) bool { return matchesFile(w.path, c.relative(name)) }
		if used[w] || !known || !slices.ContainsFunc(files, about) {
			continue
		}
		others := slices.DeleteFunc(FilesBelow(reader, c.dir),
			func(name string) bool { return checked[name] || !matchesFile(w.path, name) })
		if !slices.ContainsFunc(others, func(name string) bool { return c.hasFindings(reader, name) }) {
			out = append(out, w.unused("no finding matches it"))
		}
	}
	return out
}

// isOutput reports whether a file, named relative to schemagen.yaml, is in a directory of outputs.
func (c *File) isOutput(reader *inputs.Reader, written, name string) bool {
	dirs := []string{c.Output(reader, c.dir), c.relative(written)}
	for _, place := range c.Places(c.dir) {
		dirs = append(dirs, place.Path)
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		return strings.HasPrefix(name, filepath.ToSlash(filepath.Clean(dir))+"/")
	})
}

// hasFindings reports whether a file, named relative to schemagen.yaml, may have findings of another
// run: it is Go source, or has a CRD.
func (c *File) hasFindings(reader *inputs.Reader, name string) bool {
	switch filepath.Ext(name) {
	case ".go":
		return true
	case ".yaml", ".yml", ".json":
		text, err := reader.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)), nil)
		return err != nil || bytes.Contains(text, []byte("CustomResourceDefinition"))
	}
	return false
}

func (w *Waiver) unused(reason string) diag.Diagnostic {
	return unusedWaiver.At(w.pos, "remove it, or correct its path", "unused waiver of %s: %s", w.code, reason)
}

// FilesBelow returns the names, relative to dir, of the files below dir that may have
// findings.
func FilesBelow(reader *inputs.Reader, dir string) (out []string) {
	var walk func(folder, prefix string)
	walk = func(folder, prefix string) {
		entries, _ := reader.ReadDir(folder) // unreadable directories have no findings
		for _, entry := range entries {
			switch name := entry.Name(); {
			case !entry.IsDir():
				out = append(out, prefix+name)
			case !strings.HasPrefix(name, ".") && name != "node_modules":
				walk(filepath.Join(folder, name), prefix+name+"/")
			}
		}
	}
	walk(dir, "")
	return out
}

// relative returns a file name relative to schemagen.yaml, as waivers use it. Files elsewhere
// keep their absolute names.
func (c *File) relative(name string) string {
	if absolute, err := filepath.Abs(name); err == nil && name != "" {
		name = absolute
	}
	return screen.Relative(c.dir, name, 0)
}

// matchesFile reports whether a pattern matches a name: ** matches any number of path
// elements, and everything else is as for path.Match.
func matchesFile(pattern, name string) bool {
	return matchesElements(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchesElements(patterns, names []string) bool {
	// matched[i] reports whether the patterns so far match the first i names.
	matched := make([]bool, len(names)+1)
	matched[0] = true
	for _, p := range patterns {
		next := make([]bool, len(names)+1)
		for i := range next {
			if p == "**" {
				next[i] = matched[i] || i > 0 && next[i-1]
			} else if i > 0 && matched[i-1] {
				next[i], _ = path.Match(p, names[i-1])
			}
		}
		matched = next
	}
	return matched[len(names)]
}

// FoldedBy returns the key by which a warning is folded: only the first warning with
// that key is printed. It is used for warnings that a package may have hundreds of, all
// with the same cause and fix; ok is false for all others.
func FoldedBy(d diag.Diagnostic) (key string, ok bool) {
	if d.Pos.File == "" {
		return "", false
	}
	key = string(d.Code) + " " + path.Dir(filepath.ToSlash(d.Pos.File))
	switch d.Code {
	case "SG217", "SG333": // unsigned integers without a minimum, nested metadata such as that of pod templates
		return key, true
	case "SG311": // mistakes in unions; errors if unions are enabled
		return key, d.Severity == diag.Warning
	case "SG605", "SG937": // rejected parts of a CRD outside its schemas, for each kind; misplaced markers of roles
		return key + " " + d.Message, true
	}
	return "", false
}
