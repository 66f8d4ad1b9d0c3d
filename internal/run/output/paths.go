package output

import (
	"path/filepath"
	"slices"
	"strings"
)

// Physical resolves the symlinks of an absolute path, the end of which need not exist, to
// the file that writing to the path would create.
func Physical(path string) string {
	file, _ := follow(path)
	return file
}

// IsBelow reports whether a file is dir or something in it; neither path may contain
// symlinks.
func IsBelow(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Dir returns the directory that all outputs and files to remove are in or below. It is empty if
// there is none but the working directory or the root.
func Dir(outputs []File, stale []string) string {
	paths := slices.Clone(stale)
	for _, out := range outputs {
		paths = append(paths, out.Path)
	}
	if len(paths) == 0 {
		return ""
	}
	dir := filepath.Dir(paths[0])
	for dir != filepath.Dir(dir) {
		if !slices.ContainsFunc(paths, func(path string) bool { return !IsBelow(dir, path) }) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
