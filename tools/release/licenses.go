package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	classifier "github.com/google/licenseclassifier/v2"
	"github.com/google/licenseclassifier/v2/assets"
)

// licenseFile is a file with a licence, or a notice that has to be passed on.
type licenseFile struct {
	name string // slash-separated, below the module
	text []byte
	ids  []string // SPDX identifiers; none for a notice
}

// moduleLicenses are the licences of a linked module.
type moduleLicenses struct {
	path, version string
	files         []licenseFile
}

// expression is the SPDX expression of a module: all its licences apply to some file.
func (m moduleLicenses) expression() string {
	ids := map[string]bool{}
	for _, f := range m.files {
		for _, id := range f.ids {
			ids[id] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(ids)), " AND ")
}

// licenseList has the standard library first, then the modules by path.
type licenseList []moduleLicenses

func (l licenseList) expression(path string) string {
	for _, m := range l {
		if m.path == path {
			return m.expression()
		}
	}
	return "NOASSERTION"
}

// text is the file that goes into archives.
func (l licenseList) text() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "This program contains the Go standard library and the following modules.\n\n")
	for _, m := range l {
		fmt.Fprintf(&out, "%s %s: %s\n", m.path, m.version, m.expression())
	}
	for _, m := range l {
		for _, f := range m.files {
			text := bytes.TrimRight(bytes.ReplaceAll(f.text, []byte("\r\n"), []byte("\n")), "\n")
			fmt.Fprintf(&out, "\n%s\n%s %s, %s\n%[1]s\n\n%[5]s\n", strings.Repeat("=", 80), m.path, m.version, f.name, text)
		}
	}
	return out.Bytes()
}

// licenses finds the licences of modules.
type licenses struct {
	dir        string // working tree
	classifier *classifier.Classifier
	known      map[string][]string // identifiers by text
}

func newLicenses(dir string) (*licenses, error) {
	c, err := assets.DefaultClassifier()
	return &licenses{dir: dir, classifier: c, known: map[string][]string{}}, err
}

// of returns the licences of everything that is linked into a binary.
func (l *licenses) of(ctx context.Context, pkg string, b binary) (licenseList, error) {
	text, err := output(ctx, l.dir, b.environment(), "go", "list", "-deps", "-json=Dir,Standard,Module", pkg)
	if err != nil {
		return nil, err
	}
	// The linked packages of each module: a package may have a licence of its own.
	dirs, roots := map[string][]string{}, map[string]string{}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct{ Path, Dir string }
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil {
			dirs[p.Module.Path] = append(dirs[p.Module.Path], p.Dir)
			roots[p.Module.Path] = p.Module.Dir
		}
	}
	goroot, err := output(ctx, l.dir, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	std, err := l.module("std", b.info.GoVersion, strings.TrimSpace(goroot), nil)
	if err != nil {
		return nil, err
	}
	out := licenseList{std}
	for _, m := range b.info.Deps {
		if roots[m.Path] == "" {
			return nil, fmt.Errorf("%s is in the program, but go list does not name it", m.Path)
		}
		found, err := l.module(m.Path, m.Version, roots[m.Path], dirs[m.Path])
		if err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	slices.SortStableFunc(out[1:], func(x, y moduleLicenses) int { return cmp.Compare(x.path, y.path) })
	return out, nil
}

// module reads the licences in the root of a module, and in the directories from its linked
// packages up to there.
func (l *licenses) module(path, version, root string, packages []string) (moduleLicenses, error) {
	m := moduleLicenses{path: path, version: version}
	dirs := map[string]bool{root: true}
	for _, dir := range packages {
		for ; dir != root && strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
			dirs[dir] = true
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return m, err
		}
		for _, entry := range entries {
			license, notice := isLicense(entry.Name()), isNotice(entry.Name())
			if entry.IsDir() || !license && !notice {
				continue
			}
			name := filepath.Join(dir, entry.Name())
			text, err := os.ReadFile(name)
			if err != nil {
				return m, err
			}
			rel, _ := filepath.Rel(root, name)
			f := licenseFile{name: filepath.ToSlash(rel), text: text}
			if license {
				if f.ids = l.classify(text); len(f.ids) == 0 {
					return m, fmt.Errorf("%s %s: the licence in %s is not known", path, version, f.name)
				}
			}
			m.files = append(m.files, f)
		}
	}
	if m.expression() == "" {
		return m, fmt.Errorf("%s %s: no licence was found in %s", path, version, root)
	}
	return m, nil
}

func isLicense(name string) bool {
	return regexp.MustCompile(`(?i)^(un)?(licen[sc]es?|copying)([-._](md|txt|mit|apache|bsd|libyaml|code).*)?$`).MatchString(name)
}

func isNotice(name string) bool {
	return regexp.MustCompile(`(?i)^(notice|patents|copyright)(\.(md|txt))?$`).MatchString(name)
}

// classify returns the SPDX identifiers of the licences in a text.
func (l *licenses) classify(text []byte) []string {
	if ids, ok := l.known[string(text)]; ok {
		return ids
	}
	found := map[string]bool{}
	for _, m := range l.classifier.Match(l.classifier.Normalize(text)).Matches {
		if m.MatchType == "License" {
			found[m.Name] = true
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	l.known[string(text)] = ids
	return ids
}
