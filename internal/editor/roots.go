package editor

import (
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
)

// roots returns the directories to run in for open files, sorted.
func (s *Session) roots(files []string, reader *inputs.Reader) (out []string) {
	for _, name := range files {
		if dir := s.root(name, reader); dir != "" {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// root returns the directory to run in for a file: that of the nearest project file in its
// module, or else of the module. It is empty for a file that is in no module, or outside the
// folders of the session.
func (s *Session) root(name string, reader *inputs.Reader) string {
	within := func(folder string) bool {
		relative, err := filepath.Rel(folder, name)
		return err == nil && filepath.IsLocal(relative)
	}
	if len(s.Folders) > 0 && !slices.ContainsFunc(s.Folders, within) {
		return ""
	}
	nearest := ""
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if nearest == "" && isFile(reader, filepath.Join(dir, project.Name)) {
			nearest = dir
		}
		if isFile(reader, filepath.Join(dir, "go.mod")) {
			if nearest == "" {
				nearest = dir
			}
			return nearest
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func isFile(reader *inputs.Reader, name string) bool {
	info, err := reader.Stat(name)
	return err == nil && !info.IsDir()
}
