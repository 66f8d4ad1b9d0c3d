// Package project reads schemagen.yaml: the settings that stand for flags, options of
// packages, markers about types elsewhere, severities and waivers. It knows the file
// and what its values may be, and fills flags in; it knows no command.
package project

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/internal/inputs"
)

// File is what schemagen.yaml says. The methods of a nil one say nothing.
type File struct {
	// Name is the absolute name, dir its directory, which paths are relative to.
	Name, dir string
	data      []byte
	// values are those of settings, and of what else stands at the top, by their keys.
	values map[string]entry
	// packages are the options for some packages, with absolute directories.
	packages []generator.PackageOptions
	// overrides are about types of other modules.
	overrides []generator.Override
	// severities are those that codes have, by Severities; waivers take findings back.
	severities map[diag.Code]string
	waivers    []*Waiver
}

// entry is a value as the file says it.
type entry struct {
	// texts are one text or those of a list; none of what is no setting.
	texts []string
	line  int
	// node is the value in the file.
	node *yaml.Node
}

// said returns what the file says at a key.
func (c *File) said(key string) (entry, bool) {
	if c == nil {
		return entry{}, false
	}
	value, ok := c.values[key]
	return value, ok
}

// Find reads the project file nearest to a directory: in it or above, up to the
// module's. It is nil if there is none, or if a finding is an error. codes are those
// that it may have severities for.
func Find(in *inputs.Reader, wd string, codes []*diag.Kind) (*File, diag.List) {
	for dir := wd; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, Name)
		info, err := in.Stat(name)
		if err == nil {
			return open(in, name, info, codes)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, diag.List{mistake(name, err.Error())}
		}
		if dir == filepath.Dir(dir) || !isInModule(in, dir) {
			return nil, nil
		}
	}
}

// Open reads the project file of a name, as [Find] does. It is an error if there is
// none.
func Open(in *inputs.Reader, name string, codes []*diag.Kind) (*File, diag.List, error) {
	info, err := in.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	file, findings := open(in, name, info, codes)
	return file, findings, nil
}

// isInModule reports whether the directory above may have the project file: the
// module's root is above, and this is not it.
func isInModule(in *inputs.Reader, dir string) bool {
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := in.Stat(filepath.Join(at, "go.mod")); err == nil && !info.IsDir() {
			return at != dir
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}

// maxBytes is more than anybody writes.
const maxBytes = 1 << 20

func open(in *inputs.Reader, name string, info fs.FileInfo, codes []*diag.Kind) (*File, diag.List) {
	switch {
	case !info.Mode().IsRegular():
		return nil, diag.List{mistake(name, "it is not a file")}
	case info.Size() > maxBytes:
		return nil, diag.List{mistake(name, fmt.Sprintf("the file is larger than the %d MiB that are read", maxBytes>>20))}
	}
	data, err := in.ReadFile(name, nil)
	if err != nil {
		return nil, diag.List{mistake(name, err.Error())}
	}
	return parse(in, name, data, codes)
}

// mistake is a finding about the file as a whole.
func mistake(name, message string) diag.Diagnostic {
	return wrongFile.At(diag.Position{File: name}, "", "%s", message)
}

// Fill gives the flags of a command that the command line does not give the values
// of the file, and drops from the options of packages what it does give. sets are
// where the flags are.
func (c *File) Fill(of, wd string, sets ...*pflag.FlagSet) error {
	if c == nil {
		return nil
	}
	for _, s := range Settings() {
		value, said := c.values[s.Key]
		if !said || s.Flag == "" || s.Of != "" && s.Of != of {
			continue
		}
		flag := cmp.Or(lookup(s.Flag, sets), lookup(s.Also, sets))
		if flag == nil || flag.Changed {
			continue
		}
		texts := c.rebased(s.Kind, value.texts, wd)
		var err error
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			err = list.Replace(texts)
		} else {
			err = flag.Value.Set(texts[0])
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %w", c.Name, value.line, s.Key, err)
		}
	}
	for _, s := range PackageSettings() {
		if flag := lookup(s.Flag, sets); flag != nil && flag.Changed {
			c.forgetInPackages(s.Key)
		}
	}
	return nil
}

// forgetInPackages drops an option of packages that the command line gives for all.
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
		case "maxDescLen":
			o.MaxDescription = nil
		case "allowDangerousTypes":
			o.AllowDangerousTypes = nil
		case "ignoreUnexportedFields":
			o.IgnoreUnexportedFields = nil
		}
	}
}

// lookup finds a flag in the first of the sets that has it; nil if none has.
func lookup(name string, sets []*pflag.FlagSet) *pflag.Flag {
	for _, set := range sets {
		if flag := set.Lookup(name); flag != nil {
			return flag
		}
	}
	return nil
}

// Paths are the packages of commands that are not told any, relative to a directory.
func (c *File) Paths(wd string) []string { return c.Texts("paths", wd) }

// Texts are a value relative to a directory, none if the file does not say it.
func (c *File) Texts(key, wd string) []string {
	if c == nil {
		return nil
	}
	for _, s := range Settings() {
		if s.Key == key {
			return c.rebased(s.Kind, c.values[key].texts, wd)
		}
	}
	return nil
}

// rebased are values with paths relative to a directory, as they are if that is the
// file's.
func (c *File) rebased(kind Kind, texts []string, wd string) []string {
	if wd == c.dir || kind != Path && kind != Folder && kind != Patterns {
		return texts
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = text
		if filepath.IsAbs(text) || kind == Patterns && !driver.IsFilePattern(text) {
			continue
		}
		base, below := cutBelow(filepath.ToSlash(text))
		rel, err := filepath.Rel(wd, filepath.Join(c.dir, filepath.FromSlash(base)))
		if err != nil {
			rel = filepath.Join(c.dir, base) // on another drive
		}
		if at, err := filepath.EvalSymlinks(wd); strings.HasPrefix(rel, "..") && (err != nil || at != wd) {
			rel = filepath.Join(c.dir, base) // ".." is not the parent of this name of the directory
		}
		if kind == Patterns {
			rel = filepath.ToSlash(rel)
			if !strings.HasPrefix(rel, ".") && !filepath.IsAbs(rel) {
				rel = "./" + rel
			}
		}
		out[i] = rel + below
	}
	return out
}

// cutBelow splits a pattern before the first element with dots that stand for
// anything.
func cutBelow(pattern string) (base, below string) {
	at := strings.Index(pattern, "...")
	if at < 0 {
		return pattern, ""
	}
	at = strings.LastIndexByte(pattern[:at], '/')
	if at < 0 {
		return ".", "/" + pattern
	}
	return pattern[:at], pattern[at:]
}

// AddTo adds to the options of the generator what is no flag. all says that the run
// is about all packages of the file.
func (c *File) AddTo(options *generator.Options, all bool) {
	if c == nil {
		return
	}
	options.Packages = c.packages
	if len(c.overrides) > 0 {
		options.Overrides = &generator.OverrideFile{Name: c.Name, Data: c.data, Overrides: c.overrides, ReportUnused: all}
	}
}

// Identity tells one file, with its content, from another.
func (c *File) Identity() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s %x", c.Name, sha256.Sum256(c.data))
}
