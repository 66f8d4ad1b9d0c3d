package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// warningsFile has the messages of schemagen for each case, so that new warnings, correct or
// not, are noticed. Cases without warnings have no section.
const warningsFile = "warnings.txt"

const sectionMark = "== "

// readSections returns the sections of a file by name, or none if the file does not exist.
func readSections(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	out := map[string]string{}
	name := ""
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, sectionMark); ok {
			name = strings.TrimSpace(rest)
			continue
		}
		out[name] += line
	}
	return out, nil
}

func writeSections(file string, sections map[string]string) error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if sections[name] != "" {
			b.WriteString(sectionMark + name + "\n" + sections[name])
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o666)
}

// withoutPositions removes the machine-specific parts of paths: the module cache and the
// directory of the case. If both are near each other, for example in the directory for
// temporary files, the module cache is printed relative to the case.
func withoutPositions(text, modCache, dir string) string {
	separator := string(filepath.Separator)
	text = strings.ReplaceAll(text, dir+separator, "")
	text = strings.ReplaceAll(text, modCache+separator, "")
	if relative, err := filepath.Rel(dir, modCache); err == nil {
		text = strings.ReplaceAll(text, filepath.ToSlash(relative)+"/", "")
	}
	return text
}
