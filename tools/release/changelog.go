package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	changelogName = "CHANGELOG.md"
	unreleased    = "## Unreleased\n"
)

// printNotes prints the section of a version, with links to the tag: it is read on a page
// from which relative links lead nowhere.
func (r *release) printNotes(out io.Writer, version string) error {
	data, err := os.ReadFile(filepath.Join(r.source, changelogName))
	if err != nil {
		return err
	}
	for section := range strings.SplitSeq("\n"+string(data), "\n## ") {
		heading, notes, _ := strings.Cut(section, "\n")
		if first, _, _ := strings.Cut(heading, " "); version != "" && first == version && strings.TrimSpace(notes) != "" {
			tagged := &release{product: r.product, source: r.source, commit: commit{tag: version}}
			tagged.files = nil
			text, err := tagged.linked(changelogName, []byte(strings.TrimSpace(notes)+"\n"))
			if err != nil {
				return err
			}
			_, err = out.Write(text)
			return err
		}
	}
	return fmt.Errorf("%s has no section %q with text: release cut %s DATE makes it from Unreleased", changelogName, "## "+version, version)
}

// versionedPages are the pages with commands that install a version.
var versionedPages = []string{"README.md", "docs/start.md", "docs/ci.md"}

// versionLine matches what such commands, workflows and hooks say, and the version, which is main
// before the first release.
var versionLine = regexp.MustCompile(`(schemagen/schemagen(?:/cmd/schemagen)?@|\{version: |\brev: )(?:main\b|v\d[0-9A-Za-z.+-]*)`)

// cutVersion gives the section Unreleased the name of a version and its date, begins a new
// one, and names the version where the pages install one.
func cutVersion(dir, version, date string) error {
	if !isVersion(version) {
		return fmt.Errorf("%q is not a version: use vX.Y.Z", version)
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("%q is not a date: use YYYY-MM-DD", date)
	}
	data, err := os.ReadFile(filepath.Join(dir, changelogName))
	if err != nil {
		return err
	}
	text := string(data)
	before, after, ok := strings.Cut(text, unreleased)
	section, _, _ := strings.Cut(after, "\n## ")
	switch {
	case !ok:
		return errors.New(changelogName + ` has no section "## Unreleased"`)
	case strings.TrimSpace(section) == "":
		return errors.New(changelogName + ": there is nothing under Unreleased")
	case strings.Contains(text, "\n## "+version+" "):
		return fmt.Errorf("%s already has a section %s", changelogName, version)
	}
	files := []file{{name: changelogName, data: []byte(before + unreleased + "\n## " + version + " - " + date + "\n" + after)}}
	for _, name := range versionedPages {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if !versionLine.Match(data) {
			return fmt.Errorf("%s names no version to install", name)
		}
		files = append(files, file{name: name, data: versionLine.ReplaceAll(data, []byte("${1}"+version))})
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
