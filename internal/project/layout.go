package project

import (
	"cmp"
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// Directories of definitions: in Kubebuilder projects, and controller-gen's default.
const (
	KubebuilderCRDs   = "config/crd/bases"
	ControllerGenCRDs = "config/crd"
)

// Root returns the root of the project that a directory is in: the directory of the project file or of
// Kubebuilder's PROJECT file, or the root of the module, whichever is nearest. Without any, it is the directory.
func Root(reader *inputs.Reader, dir string) string {
	for root := dir; ; root = filepath.Dir(root) {
		for _, name := range []string{Name, "PROJECT", "go.mod"} {
			if info, err := reader.Stat(filepath.Join(root, name)); err == nil && !info.IsDir() {
				return root
			}
		}
		if root == filepath.Dir(root) {
			return dir
		}
	}
}

// apiDirectories are the directories in which projects have their API packages.
func apiDirectories() []string { return []string{"api", "apis", "pkg/apis"} }

// Packages returns the packages that commands use if none are named, relative to wd: those in
// the file, those of a Kubebuilder project in wd, the package in wd, or those in API directories. These come
// before a package in wd that is a program or depends on build tags.
func (c *File) Packages(reader *inputs.Reader, wd string) ([]string, error) {
	if paths := c.Paths(wd); len(paths) > 0 {
		return paths, nil
	}
	kubebuilder, isKubebuilder := ReadKubebuilder(reader, wd)
	if isKubebuilder && len(kubebuilder.Packages) > 0 {
		return kubebuilder.Packages, nil
	}
	entries, err := reader.ReadDir(wd)
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(slices.Clone(entries), func(entry fs.DirEntry) bool {
		return !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go")
	})
	isAPI := func(entry fs.DirEntry) bool { return mayDeclareAPI(reader, filepath.Join(wd, entry.Name())) }
	patterns := apiPatterns(reader, wd)
	switch {
	case len(patterns) > 0 && !slices.ContainsFunc(files, isAPI):
		return patterns, nil
	case len(files) > 0:
		return []string{"."}, nil
	}
	return nil, errors.New("no packages are named, and none are found: there are no paths in " + Name +
		", no directories api, apis or pkg/apis, and no Go files in this directory")
}

// mayDeclareAPI reports whether a Go file is neither that of a program nor one for certain build tags, such as tools.go.
func mayDeclareAPI(reader *inputs.Reader, name string) bool {
	text, err := reader.ReadFile(name, nil)
	if err != nil {
		return false
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return true // which is reported
	}
	isConstraint := func(c *ast.Comment) bool { return constraint.IsGoBuild(c.Text) }
	return file.Name.Name != "main" && !slices.ContainsFunc(file.Comments, func(group *ast.CommentGroup) bool {
		return slices.ContainsFunc(group.List, isConstraint)
	})
}

// apiPatterns returns the patterns of the API directories that exist in dir.
func apiPatterns(reader *inputs.Reader, dir string) (out []string) {
	for _, name := range apiDirectories() {
		if isDirectory(reader, filepath.Join(dir, name)) {
			out = append(out, "./"+name+"/...")
		}
	}
	return out
}

// Definitions returns the directories of definitions that commands read if nothing is named:
// the existing ones, relative to wd, without directories below others. If the channel has a name,
// they have its definitions.
func (c *File) Definitions(reader *inputs.Reader, wd string, channel Channel) []string {
	out := c.Output(reader, wd)
	if channel.Name == "" {
		dirs := []string{out, KubebuilderCRDs, ControllerGenCRDs}
		root := Root(reader, wd)
		above, err := filepath.Rel(wd, root)
		if _, isKubebuilder := ReadKubebuilder(reader, root); err == nil && isKubebuilder {
			dirs = append(dirs, path.Join(filepath.ToSlash(above), KubebuilderCRDs))
		}
		dirs = existing(reader, wd, dirs...)
		return dirs[:min(1, len(dirs))]
	}
	dirs := []string{channel.Within(out)}
	if _, joins := c.Joins(); joins {
		dirs = append(dirs, out)
	}
	return outermost(wd, existing(reader, wd, dirs...))
}

// AllDefinitions returns what commands read that are about the definitions of all channels: their
// directories and that of the project, or the working directory. They are like those of
// [File.Definitions].
func (c *File) AllDefinitions(reader *inputs.Reader, wd string) []string {
	dirs := c.Definitions(reader, wd, Channel{})
	for _, channel := range c.Channels(wd) {
		dirs = append(dirs, c.Definitions(reader, wd, channel)...)
	}
	if len(dirs) == 0 {
		return []string{"."}
	}
	return outermost(wd, dirs)
}

// existing returns the directories that exist.
func existing(reader *inputs.Reader, wd string, dirs ...string) []string {
	return slices.DeleteFunc(dirs, func(dir string) bool { return !isDirectory(reader, absolute(wd, dir)) })
}

// outermost returns the directories that are not below others, sorted.
func outermost(wd string, dirs []string) []string {
	dirs = slices.Compact(slices.Sorted(slices.Values(dirs)))
	return slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool {
		return slices.ContainsFunc(dirs,
			func(other string) bool { return other != dir && isWithin(absolute(wd, other), absolute(wd, dir)) })
	})
}

// HasChannel reports whether a directory is, or has, one of those from which commands read the
// definitions of a channel. Relative paths are relative to wd.
func (c *File) HasChannel(reader *inputs.Reader, wd string, channel Channel, dir string) bool {
	own := c.channelDirectories(reader, wd, channel)
	return slices.ContainsFunc(own, func(place string) bool { return isWithin(absolute(wd, dir), place) })
}

// channelDirectories returns the absolute paths of the directories from which commands read the
// definitions of a channel.
func (c *File) channelDirectories(reader *inputs.Reader, wd string, channel Channel) []string {
	out := c.Output(reader, wd)
	dirs := []string{absolute(wd, channel.Within(out))}
	if _, joins := c.Joins(); joins {
		dirs = append(dirs, absolute(wd, out))
	}
	return dirs
}

// Others returns a function that reports whether a file in a directory has definitions of other
// channels than one: its place is theirs, although the directory has those of the channel.
// Relative paths are relative to wd. It is nil if there are no other channels.
func (c *File) Others(reader *inputs.Reader, wd string, selected Channel) func(dir, file string) bool {
	// place is a directory with files of a channel, and the end of their names.
	type place struct{ dir, end string }
	all := c.Channels(wd)
	out := c.Output(reader, wd)
	if len(all) < 2 {
		return nil
	}
	// definitions returns where commands read the definitions of a channel.
	definitions := func(channel Channel) []place {
		places := []place{{absolute(wd, channel.Within(out)), channel.Suffix + ".yaml"}}
		if _, joins := c.Joins(); joins {
			places = append(places, place{absolute(wd, out), ".yaml"})
		}
		return places
	}
	placesOf := func(channel Channel) []place {
		places := definitions(channel)
		if channel.Helm != "" {
			places = append(places, place{absolute(wd, channel.Helm), ".yaml"})
		}
		return places
	}
	var places []place
	for _, channel := range all {
		places = append(places, placesOf(channel)...)
	}
	own := placesOf(selected)
	dirs := c.channelDirectories(reader, wd, selected)
	return func(dir, file string) bool {
		dir = absolute(wd, dir)
		file = absolute(wd, file)
		if !slices.ContainsFunc(dirs, func(place string) bool { return isWithin(dir, place) }) {
			return false
		}
		var owner place
		for _, p := range places {
			if isWithin(p.dir, file) && strings.HasSuffix(file, p.end) &&
				cmp.Or(cmp.Compare(len(p.dir), len(owner.dir)), cmp.Compare(len(p.end), len(owner.end))) > 0 {
				owner = p
			}
		}
		return owner.dir != "" && !slices.Contains(own, owner)
	}
}

// Samples returns the directory of sample objects of the project that wd is in, relative to wd, or
// "" if there is none.
func Samples(reader *inputs.Reader, wd string) string {
	dir := filepath.Join(Root(reader, wd), "config/samples")
	name, err := filepath.Rel(wd, dir)
	if err != nil || !isDirectory(reader, dir) {
		return ""
	}
	return filepath.ToSlash(name)
}

// Output returns the directory to which definitions are written if none is named, relative to
// wd: the one in the file, Kubebuilder's in its projects, or controller-gen's default.
func (c *File) Output(reader *inputs.Reader, wd string) string {
	if dir := c.Texts("outputs.crd", wd); len(dir) > 0 {
		return dir[0]
	}
	if _, isKubebuilder := ReadKubebuilder(reader, wd); isKubebuilder ||
		isDirectory(reader, filepath.Join(wd, KubebuilderCRDs)) {
		return KubebuilderCRDs
	}
	return ControllerGenCRDs
}

// Kubebuilder is what a PROJECT file, which Kubebuilder writes, says about the project.
type Kubebuilder struct {
	// Packages are the patterns of the API packages that exist.
	Packages []string
}

// ReadKubebuilder reads the PROJECT file in dir; ok is false if there is none.
func ReadKubebuilder(reader *inputs.Reader, dir string) (out Kubebuilder, ok bool) {
	data, err := reader.ReadFile(filepath.Join(dir, "PROJECT"), nil)
	if err != nil {
		return out, false
	}
	var file struct {
		Layout    any    `yaml:"layout"`
		Repo      string `yaml:"repo"`
		Resources []struct {
			API  any    `yaml:"api"`
			Path string `yaml:"path"`
		} `yaml:"resources"`
	}
	if yaml.Unmarshal(data, &file) != nil || file.Layout == nil && file.Repo == "" {
		return out, false // a file of something else
	}
	out.Packages = apiPatterns(reader, dir)
	for _, r := range file.Resources {
		child, isOwn := strings.CutPrefix(path.Clean(r.Path), file.Repo+"/")
		pattern := "./" + child
		isWithinAPI := func(name string) bool { return isWithin(name, child) }
		if r.API == nil || !isOwn || slices.ContainsFunc(apiDirectories(), isWithinAPI) ||
			slices.Contains(out.Packages, pattern) || !isDirectory(reader, filepath.Join(dir, child)) {
			continue
		}
		out.Packages = append(out.Packages, pattern)
	}
	return out, true
}

func isDirectory(reader *inputs.Reader, name string) bool {
	info, err := reader.Stat(name)
	return err == nil && info.IsDir()
}

// absolute returns the absolute name of a path relative to dir.
func absolute(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// isWithin reports whether an absolute path leads to a directory, or below it.
func isWithin(dir, name string) bool {
	relative, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(relative)
}
