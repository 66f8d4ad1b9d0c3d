package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// warningsFile holds what schemagen says of each case's source, so that a new
// warning, true or false, is seen. Cases without warnings have no section.
const warningsFile = "warnings.txt"

const sectionMark = "== "

// readSections returns the sections of a file by name; a file that does not exist has
// none.
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

// withoutPlaces removes what differs between machines from paths: the module
// cache, and the folder that the case runs in.
func withoutPlaces(text, modCache, dir string) string {
	text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
	return strings.ReplaceAll(text, modCache+string(filepath.Separator), "")
}
