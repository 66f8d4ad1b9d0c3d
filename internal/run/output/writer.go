package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Writer is where the files of a command may be. All files of users that schemagen creates,
// replaces or removes go through one.
type Writer struct {
	// Root is the physical directory that files must be in: that of [RootOf].
	Root string
	// Named are paths on the command line. Files at or below them may be outside Root, unless
	// a symlink in Root leads there: the command line does not name where that leads.
	Named []string
	// Places are the paths in schemagen.yaml, where findings about them are reported.
	Places []Place
}

// Place is a path in schemagen.yaml.
type Place struct {
	Path string
	Pos  diag.Position
}

// RootOf returns the physical directory of the git repository that contains dir; without one,
// that of the Go workspace, else of the module, else dir.
func RootOf(dir string) string {
	dir = Physical(dir)
	for _, mark := range []string{".git", "go.work", "go.mod"} {
		for parent := dir; ; parent = filepath.Dir(parent) {
			if _, err := os.Lstat(filepath.Join(parent, mark)); err == nil {
				return parent
			}
			if parent == filepath.Dir(parent) {
				break
			}
		}
	}
	return dir
}

// controlDirectories are those in which version control has hooks and settings that run programs.
func controlDirectories() []string { return []string{".git", ".hg", ".jj", ".svn"} }

// recordsModes reports whether git records which files are executable. It does not where the file system
// has no such bits, and lets all files appear to be.
func (w *Writer) recordsModes() bool {
	config, _ := os.ReadFile(filepath.Join(w.Root, ".git", "config"))
	return !strings.Contains(strings.ToLower(string(config)), "filemode = false")
}

// bases returns the physical directories and files at or below which files may be.
func (w *Writer) bases() []string {
	bases := []string{w.Root}
	for _, named := range w.Named {
		path, err := absolute(named)
		if err != nil {
			continue
		}
		file, links := follow(path)
		if !slices.ContainsFunc(links, func(link string) bool { return IsBelow(w.Root, link) }) {
			bases = append(bases, file)
		}
	}
	return bases
}

// baseOf returns the one of some bases that a physical file may be in, or "".
func baseOf(bases []string, file string) string {
	i := slices.IndexFunc(bases, func(base string) bool {
		return IsBelow(base, file) && controlIn(base, file) == ""
	})
	if i < 0 {
		return ""
	}
	return bases[i]
}

// controlIn returns the name of the first directory of version control between a directory and
// a file in it, or "".
func controlIn(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return ""
	}
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		for _, control := range controlDirectories() {
			if strings.EqualFold(name, control) { // .GIT is .git on Windows and macOS
				return control
			}
		}
	}
	return ""
}

// Outside returns findings about files that will be read, such as header files, and are where
// none may be written.
func (w *Writer) Outside(paths ...string) (findings diag.List) {
	for _, path := range paths {
		_, found, err := w.locate(w.bases(), path)
		if err == nil && found != nil { // reading it reports the error
			findings = append(findings, *found)
		}
	}
	return findings
}

// location is where a path leads.
type location struct {
	// file is the physical file, base the one of [Writer.bases] that it is in.
	file, base string
	// links are the symlinks that the path goes through.
	links []string
}

// locate returns where a path leads, or a finding if no file may be there.
func (w *Writer) locate(bases []string, path string) (location, *diag.Diagnostic, error) {
	full, err := absolute(path)
	if err != nil {
		return location{}, nil, err
	}
	file, links := follow(full)
	target := location{file: file, base: baseOf(bases, file), links: links}
	if target.base != "" {
		return target, nil, nil
	}
	found := w.refuse(path, target)
	return target, &found, nil
}

// refuse returns the finding about a path that leads to where no file may be.
func (w *Writer) refuse(path string, target location) diag.Diagnostic {
	where := "is outside " + w.Root
	if control := controlIn(w.Root, target.file); control != "" && IsBelow(w.Root, target.file) {
		where = "is in " + control
	}
	for _, link := range target.links {
		if !IsBelow(w.Root, link) {
			continue
		}
		shown := link
		if wd, err := absolute("."); err == nil {
			shown = screen.Relative(wd, link, screen.Nearby)
		}
		return outside.At(diag.Position{File: shown},
			"remove the symlink, or name the place that it leads to on the command line",
			"a symlink of the repository leads to %s, which %s", target.file, where)
	}
	pos := diag.Position{File: path}
	subject := "it"
	longest := 0
	for _, place := range w.Places {
		if IsBelow(filepath.Clean(place.Path), filepath.Clean(path)) && len(place.Path) >= longest {
			pos = place.Pos
			longest = len(place.Path)
			subject = place.Path
		}
	}
	const hint = "name a place in the repository, or name this one on the command line instead"
	return outside.At(pos, hint, "%s %s", subject, where)
}

// follow resolves the symlinks of an absolute path, the end of which need not exist. It returns
// the physical file, and the symlinks as physical paths.
func follow(path string) (file string, links []string) {
	const separator = string(filepath.Separator)
	done, child := linkRoot("", path)
	rest := strings.Split(child, separator)
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		link, err := os.Readlink(next)
		if err != nil || len(links) == 40 { // longer chains are cycles, which cannot be opened
			done = next
			continue
		}
		links = append(links, next)
		done, link = linkRoot(done, link)
		rest = append(strings.Split(link, separator), rest...)
	}
	return done, links
}

// unusable returns why the file of a path cannot be replaced, or "". info and err describe the
// physical file.
func (target location) unusable(info fs.FileInfo, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for _, link := range target.links {
			if _, err := os.Stat(link); err != nil {
				return link + " is a symlink to a file that does not exist"
			}
		}
		return ""
	case errors.Is(err, syscall.ELOOP):
		return "it is a symlink to itself, or one with too many links"
	case errors.Is(err, syscall.ENOTDIR):
		return "a file is in place of its directory: not a directory"
	case err != nil:
		return ""
	case info.IsDir():
		return "it is a directory"
	case !info.Mode().IsRegular():
		return "it is not a regular file" // reading a pipe would block, and a rename would replace a device
	}
	return ""
}
