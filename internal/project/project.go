package project

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// File is the content of schemagen.yaml. A nil *File has no settings.
type File struct {
	// Name is the absolute name of the file. dir is its directory, which paths are relative
	// to.
	Name, dir string
	data      []byte
	// in reads what the file's paths depend on.
	in *inputs.Reader
	// values are the values of settings and of sections, by key. given has the values of [Given.Over].
	values map[string]entry
	given  []string
	// packages are the options for individual packages, with absolute directories.
	packages []define.PackageOptions
	// overrides apply to types of other modules.
	overrides []define.Override
	// gates are the names in the section gates; nil if there is no such section.
	gates []string
	// named are the gates in the section gates or, if there is no such section, in channels.
	named []Gate
	// channels has the entries of the section channels.
	channels []Channel
	// join is the position of the section join, if that is true.
	join diag.Position
	// mergeOverlay is the position of merge: overlay, or empty.
	mergeOverlay diag.Position
	// contains are the elements of the section contains.
	contains []Containment
	// severities are the configured severities of codes, each one of [Severities]. waivers
	// suppress findings.
	severities map[diag.Code]string
	waivers    []*Waiver
}

// entry is a value in the file.
type entry struct {
	// texts are the elements of a list, or the single value of any other setting. It is nil
	// for sections.
	texts []string
	line  int
	// node is the YAML node of the value.
	node *yaml.Node
	// flag is the flag that gives the value instead of the file, and dir the directory that its
	// paths are relative to, if that is not the file's.
	flag, dir string
}

// entry returns the value of a key in the file.
func (c *File) entry(key string) (entry, bool) {
	if c == nil {
		return entry{}, false
	}
	value, ok := c.values[key]
	return value, ok
}

// Find reads the nearest project file: in wd or above, up to the root of the module. It
// returns nil if there is none, or if there is an error in it. codes are the codes that the
// file may set severities for.
func Find(reader *inputs.Reader, wd string, codes []*diag.Kind) (*File, diag.List) {
	for dir := wd; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, Name)
		info, err := reader.Stat(name)
		if err == nil {
			return open(reader, name, info, codes)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, diag.List{mistake(name, err.Error())}
		}
		if dir == filepath.Dir(dir) || !isInModule(reader, dir) {
			return nil, nil
		}
	}
}

// Open reads the project file with the given name, as by [Find]. It returns an error if there
// is no such file.
func Open(reader *inputs.Reader, name string, codes []*diag.Kind) (*File, diag.List, error) {
	info, err := reader.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	file, findings := open(reader, name, info, codes)
	return file, findings, nil
}

// isInModule reports whether dir is in a module but not its root, so that the project file
// may be in a parent directory.
func isInModule(reader *inputs.Reader, dir string) bool {
	for path := dir; ; path = filepath.Dir(path) {
		if info, err := reader.Stat(filepath.Join(path, "go.mod")); err == nil && !info.IsDir() {
			return path != dir
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}

// maxBytes limits the size of the file.
const maxBytes = 1 << 20

func open(reader *inputs.Reader, name string, info fs.FileInfo, codes []*diag.Kind) (*File, diag.List) {
	switch {
	case !info.Mode().IsRegular():
		return nil, diag.List{mistake(name, "not a regular file")}
	case info.Size() > maxBytes:
		return nil, diag.List{mistake(name, fmt.Sprintf("the file is larger than %d MiB", maxBytes>>20))}
	}
	data, err := reader.ReadFile(name, nil)
	if err != nil {
		return nil, diag.List{mistake(name, err.Error())}
	}
	return parse(reader, name, data, codes)
}

// mistake returns a finding about the file as a whole.
func mistake(name, message string) diag.Diagnostic {
	return invalidFile.At(diag.Position{File: name}, "", "%s", message)
}

// Fill sets the flags of a command that are not set on the command line to the values in the
// file, and drops package options that the command line overrides. sets are searched for the
// flags in order.
func (c *File) Fill(command, wd string, sets ...*pflag.FlagSet) error {
	if c == nil {
		return nil
	}
	for _, s := range Settings() {
		flag := cmp.Or(lookup(s.Name(), sets), lookup(s.Alias, sets))
		isSwitch := flag != nil && flag.Value.Type() == "bool" && s.Kind != Boolean // verify --unions is not the setting
		if flag == nil || isSwitch || s.Of != "" && !s.isOf(command) {
			continue
		}
		value, inFile := c.values[s.Key]
		if flag.Changed && value.flag != "" {
			return fmt.Errorf("%s is given twice, once by %s", s.Key, value.flag)
		}
		if flag.Changed {
			c.forgetInPackages(s.Key)
		}
		if flag.Changed || !inFile {
			continue
		}
		texts := c.rebased(s.Kind, value, wd)
		var err error
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			err = list.Replace(texts)
		} else {
			err = flag.Value.Set(texts[0])
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", c.source(s.Key, wd), s.Key, err)
		}
	}
	return nil
}

// forgetInPackages drops a package option that the command line sets for all packages.
func (c *File) forgetInPackages(key string) {
	for i := range c.packages {
		o := &c.packages[i]
		switch key {
		case "enable":
			o.Enable = nil
		case "unions":
			o.Unions = ""
		case "allow":
			o.Allow = nil
		case "crd.maxDescLen":
			o.MaxDescription = nil
		case "crd.allowDangerousTypes":
			o.AllowDangerousTypes = nil
		case "crd.ignoreUnexportedFields":
			o.IgnoreUnexportedFields = nil
		}
	}
}

// lookup returns the flag from the first set that has it, or nil.
func lookup(name string, sets []*pflag.FlagSet) *pflag.Flag {
	for _, set := range sets {
		if flag := set.Lookup(name); flag != nil {
			return flag
		}
	}
	return nil
}

// Paths returns the packages that commands use if none are named, relative to wd.
func (c *File) Paths(wd string) []string { return c.Texts("paths", wd) }

// Texts returns the value of a key, with paths relative to wd, or nil if the file does not
// set it.
func (c *File) Texts(key, wd string) []string {
	if c == nil {
		return nil
	}
	for _, s := range Settings() {
		if s.Key == key {
			return c.rebased(s.Kind, c.values[key], wd)
		}
	}
	return nil
}

// Place is a path in the file.
type Place struct {
	// Path is relative to the working directory, or absolute.
	Path string
	Pos  diag.Position
}

// Places returns the files and directories that the file names, relative to wd.
func (c *File) Places(wd string) (out []Place) {
	if c == nil {
		return nil
	}
	for _, s := range Settings() {
		value, inFile := c.values[s.Key]
		if inFile && value.node != nil && (s.Kind == Folder || s.Kind == Path) {
			pos := diag.Position{File: c.Name, Line: value.node.Line, Column: value.node.Column}
			out = append(out, Place{Path: c.rebased(s.Kind, value, wd)[0], Pos: pos})
		}
	}
	for _, channel := range c.Channels(wd) {
		for _, path := range []string{channel.Directory, channel.Helm} {
			if path != "" {
				out = append(out, Place{Path: path, Pos: channel.Pos})
			}
		}
	}
	return out
}

// rebased returns the texts of a value with their paths relative to wd. Paths are unchanged if they
// are relative to it.
func (c *File) rebased(kind Kind, value entry, wd string) []string {
	dir := cmp.Or(value.dir, c.dir)
	if wd == dir || kind != Path && kind != Folder && kind != Patterns {
		return value.texts
	}
	out := make([]string, len(value.texts))
	for i, text := range value.texts {
		out[i] = text
		if filepath.IsAbs(text) || kind == Patterns && !golist.IsFilePattern(text) {
			continue
		}
		base, child := cutBelow(filepath.ToSlash(text))
		rel, err := filepath.Rel(wd, filepath.Join(dir, filepath.FromSlash(base)))
		if err != nil {
			rel = filepath.Join(dir, base) // on another drive
		}
		if strings.HasPrefix(rel, "..") {
			if path, err := c.in.EvalSymlinks(wd); err != nil || path != wd {
				rel = filepath.Join(dir, base) // wd has a symlink, so ".." is not its parent
			}
		}
		if kind == Patterns {
			rel = filepath.ToSlash(rel)
			if !strings.HasPrefix(rel, ".") && !filepath.IsAbs(rel) {
				rel = "./" + rel
			}
		}
		out[i] = rel + child
	}
	return out
}

// cutBelow splits a pattern before the first path element with "...".
func cutBelow(pattern string) (base, child string) {
	offset := strings.Index(pattern, "...")
	if offset < 0 {
		return pattern, ""
	}
	offset = strings.LastIndexByte(pattern[:offset], '/')
	if offset < 0 {
		return ".", "/" + pattern
	}
	return pattern[:offset], pattern[offset:]
}

// Covers reports whether packages are all that the file is for: the packages that it names or, if
// it names none, the packages that commands use by default in its directory, or all below.
func (c *File) Covers(reader *inputs.Reader, wd string, packages []string) bool {
	if !c.Exists() {
		return true
	}
	if configured := c.Paths(wd); len(configured) > 0 {
		return slices.Equal(configured, packages)
	}
	if wd != c.dir {
		return false
	}
	byDefault, err := c.Packages(reader, wd)
	return err == nil && slices.Equal(byDefault, packages) || slices.Equal(packages, []string{"./..."})
}

// AddTo adds the settings that do not have a flag to the options of the generator.
func (c *File) AddTo(options *define.Options) {
	if c == nil {
		return
	}
	options.Packages = c.packages
	options.KnownGates = c.gates
	_, options.MergeOverlay = c.Overlay()
	if len(c.overrides) > 0 {
		options.Overrides = &define.OverrideFile{Name: c.Name, Data: c.data, Overrides: c.overrides}
	}
}

// Exists reports whether there is a file, rather than only settings of the command line.
func (c *File) Exists() bool { return c != nil && c.Name != "" }

// Identity identifies the file, including its content, and the settings of the command line.
func (c *File) Identity() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s %x %q", c.Name, sha256.Sum256(c.data), c.given)
}
