package main

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/diag"
)

// severityOff is the severity in schemagen.yaml of what is not reported.
const severityOff = "off"

// severityNames are the severities that schemagen.yaml may give a code.
func severityNames() []string {
	return []string{diag.Error.String(), diag.Warning.String(), diag.Note.String(), severityOff}
}

// waiver takes findings of a code in some files back.
type waiver struct {
	pos  diag.Position
	code diag.Code
	// path is a pattern of files relative to that of the waiver; see matchesFile.
	path string
}

// takesBack reports whether a finding is one that the waiver is about. What is an
// error stays: the output would be refused, or wrong.
func (w *waiver) takesBack(d diag.Diagnostic, dir string) bool {
	return d.Severity != diag.Error && d.Code == w.code && matchesFile(w.path, relativeName(dir, d.Pos.File))
}

// judge returns the findings as schemagen.yaml wants them, before --strict: without
// those that are waived or off, and with the severities that it gives. used are
// noted.
func (c *configFile) judge(findings diag.List, used map[*waiver]bool) diag.List {
	if c == nil {
		return findings
	}
	var out diag.List
	for _, d := range findings {
		waived := false
		for _, w := range c.waivers {
			if w.takesBack(d, c.dir) {
				used[w], waived = true, true
			}
		}
		said, changed := c.severities[d.Code]
		if waived || changed && said == severityOff && d.Severity != diag.Error {
			continue
		}
		if changed && d.Severity != diag.Error {
			d.Severity = severityNamed(said)
		}
		out = append(out, d)
	}
	return out
}

// severityNamed is the severity of a name, but for severityOff.
func severityNamed(name string) diag.Severity {
	for _, s := range []diag.Severity{diag.Error, diag.Warning} {
		if s.String() == name {
			return s
		}
	}
	return diag.Note
}

// unusedWaivers reports the waivers that took nothing back in a run that is about
// all packages of the file, which reports the given codes. What is only about files
// that are not of Go, such as CRDs, is for schemagen verify to judge.
func (c *configFile) unusedWaivers(used map[*waiver]bool, reported []diag.CodeInfo) diag.List {
	var unused []*waiver
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
	files := filesBelow(c.dir)
	var out diag.List
	for _, w := range unused {
		ofGo, others := false, false
		for _, name := range files {
			if matchesFile(w.path, name) {
				ofGo, others = ofGo || strings.HasSuffix(name, ".go"), true
			}
		}
		switch {
		case !others:
			out = append(out, w.unused("no file matches "+w.path))
		case ofGo:
			out = append(out, w.unused("it takes nothing back"))
		}
	}
	return out
}

func (w *waiver) unused(why string) diag.Diagnostic {
	return diag.Diagnostic{Code: codeUnusedWaiver, Severity: diag.Warning, Pos: w.pos, Message: "the waiver of " + string(w.code) + " is not used: " + why,
		Hint: "remove it, or correct its path"}
}

// filesBelow are the names, relative to a directory, of the files below it in which
// findings may be.
func filesBelow(dir string) (out []string) {
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read has no findings
		}
		if base := entry.Name(); entry.IsDir() && name != dir && (strings.HasPrefix(base, ".") || base == "node_modules") {
			return filepath.SkipDir
		}
		if !entry.IsDir() {
			out = append(out, relativeName(dir, name))
		}
		return nil
	})
	return out
}

// relativeName is a name relative to a directory, with slashes.
func relativeName(dir, name string) string {
	if !filepath.IsAbs(name) {
		absolute, err := filepath.Abs(name)
		if err != nil {
			return filepath.ToSlash(name)
		}
		name = absolute
	}
	if rel, err := filepath.Rel(dir, name); err == nil {
		name = rel
	}
	return filepath.ToSlash(name)
}

// matchesFile reports whether a pattern stands for a name: ** for any number of
// elements, and the rest as for path.Match.
func matchesFile(pattern, name string) bool {
	return matchesElements(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchesElements(patterns, names []string) bool {
	// matched[i] says whether the patterns so far match the first i names.
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
