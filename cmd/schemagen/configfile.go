package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/inputs"
)

// configFile is what schemagen.yaml says. The methods of a nil one say nothing.
type configFile struct {
	// name is the absolute name, dir its directory, which paths are relative to.
	name, dir string
	data      []byte
	// values are those of settings, and of what else stands at the top, by their keys.
	values map[string]configValue
	// packages are the options for some packages, with absolute directories.
	packages []generator.PackageOptions
	// overrides are about types of other modules.
	overrides []generator.Override
	// severities are those that codes have, by severityNames; waivers take findings back.
	severities map[diag.Code]string
	waivers    []*waiver
}

// configValue is a value as the file says it.
type configValue struct {
	// texts are one text or those of a list; none of what is no setting.
	texts []string
	line  int
	node  *yaml.Node
}

// said returns what the file says at a key.
func (c *configFile) said(key string) (configValue, bool) {
	if c == nil {
		return configValue{}, false
	}
	value, ok := c.values[key]
	return value, ok
}

// addConfigFlags adds the flags that say which schemagen.yaml is read, to all commands.
func addConfigFlags(root *cobra.Command) {
	root.PersistentFlags().String("config", "", "project file (default: "+configName+" in the working directory or above it, up to the module's)")
	root.PersistentFlags().Bool("no-config", false, "read no project file")
	root.MarkFlagsMutuallyExclusive("config", "no-config")
}

// readConfig reads the project file that a command line is to be read with: the one
// that it names, or the nearest from the working directory up to the module's. It is
// nil if there is none. There is no file where a finding is an error. The error is
// for a named file that is not there.
func readConfig(cmd *cobra.Command, in *inputs.Reader, wd string) (*configFile, diag.List, error) {
	flags := cmd.Flags()
	if off, _ := flags.GetBool("no-config"); off {
		return nil, nil, nil
	}
	if named, _ := flags.GetString("config"); named != "" {
		name, err := filepath.Abs(named)
		if err != nil {
			return nil, nil, err
		}
		info, err := in.Stat(name)
		if err != nil {
			return nil, nil, fmt.Errorf("--config: %w", err)
		}
		return readConfigFile(in, name, info)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, configName)
		info, err := in.Stat(name)
		if err == nil {
			return readConfigFile(in, name, info)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, diag.List{configMistake(name, err.Error())}, nil
		}
		if dir == filepath.Dir(dir) || !isInModule(in, dir) {
			return nil, nil, nil
		}
	}
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

// maxConfigBytes is more than anybody writes.
const maxConfigBytes = 1 << 20

func readConfigFile(in *inputs.Reader, name string, info fs.FileInfo) (*configFile, diag.List, error) {
	switch {
	case !info.Mode().IsRegular():
		return nil, diag.List{configMistake(name, "it is not a file")}, nil
	case info.Size() > maxConfigBytes:
		return nil, diag.List{configMistake(name, fmt.Sprintf("the file is larger than the %d MiB that are read", maxConfigBytes>>20))}, nil
	}
	data, err := in.ReadFile(name, nil)
	if err != nil {
		return nil, diag.List{configMistake(name, err.Error())}, nil
	}
	c, findings := parseConfig(in, name, data)
	return c, findings, nil
}

// configMistake is a finding about the file as a whole.
func configMistake(name, message string) diag.Diagnostic {
	return diag.Diagnostic{Code: codeConfig, Severity: diag.Error, Pos: diag.Position{File: name}, Message: message}
}

// fill gives the flags of a command that the command line does not give the values
// of the file, and drops from the options of packages what it does give. sets are
// where the flags are.
func (c *configFile) fill(of, wd string, sets ...*pflag.FlagSet) error {
	if c == nil {
		return nil
	}
	for _, s := range settings() {
		value, said := c.values[s.key]
		if !said || s.flag == "" || s.of != "" && s.of != of {
			continue
		}
		flag := cmp.Or(lookup(s.flag, sets), lookup(s.also, sets))
		if flag == nil || flag.Changed {
			continue
		}
		texts := c.rebased(s.kind, value.texts, wd)
		var err error
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			err = list.Replace(texts)
		} else {
			err = flag.Value.Set(texts[0])
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %s: %w", c.name, value.line, s.key, err)
		}
	}
	for _, s := range packageSettings() {
		if flag := lookup(s.flag, sets); flag != nil && flag.Changed {
			c.forgetInPackages(s.key)
		}
	}
	return nil
}

// forgetInPackages drops an option of packages that the command line gives for all.
func (c *configFile) forgetInPackages(key string) {
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

// paths are the packages of commands that are not told any, relative to a directory.
func (c *configFile) paths(wd string) []string { return c.texts("paths", wd) }

// texts are a value relative to a directory, none if the file does not say it.
func (c *configFile) texts(key, wd string) []string {
	if c == nil {
		return nil
	}
	for _, s := range settings() {
		if s.key == key {
			return c.rebased(s.kind, c.values[key].texts, wd)
		}
	}
	return nil
}

// rebased are values with paths relative to a directory, as they are if that is the
// file's.
func (c *configFile) rebased(kind settingKind, texts []string, wd string) []string {
	if wd == c.dir || kind != settingFile && kind != settingFolder && kind != settingPatterns {
		return texts
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = text
		if filepath.IsAbs(text) || kind == settingPatterns && !isFilePattern(text) {
			continue
		}
		base, below := cutBelow(filepath.ToSlash(text))
		rel, err := filepath.Rel(wd, filepath.Join(c.dir, filepath.FromSlash(base)))
		if err != nil {
			rel = filepath.Join(c.dir, base) // on another drive
		}
		if kind == settingPatterns {
			rel = filepath.ToSlash(rel)
			if !strings.HasPrefix(rel, ".") && !filepath.IsAbs(rel) {
				rel = "./" + rel
			}
		}
		out[i] = rel + below
	}
	return out
}

// isFilePattern reports whether a pattern of packages is one of directories.
func isFilePattern(pattern string) bool {
	return pattern == "." || pattern == ".." || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, "../") || filepath.IsAbs(pattern)
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

// addTo adds to the options of the generator what is no flag. all says that the run
// is about all packages of the file.
func (c *configFile) addTo(options *generator.Options, all bool) {
	if c == nil {
		return
	}
	options.Packages = c.packages
	if len(c.overrides) > 0 {
		options.Overrides = &generator.OverrideFile{Name: c.name, Data: c.data, Overrides: c.overrides, ReportUnused: all}
	}
}

// generatorOptions are options for packages of commands that have no flags for most
// of them.
func (c *configFile) generatorOptions(options generator.Options) (generator.Options, error) {
	if c == nil {
		return options, nil
	}
	r, cmd := crdRun{Options: options}, &cobra.Command{}
	r.addLanguageFlags(cmd)
	r.addOptionFlags(cmd)
	r.addTagsFlag(cmd)
	if err := c.fill(ofCRD, options.Dir, cmd.Flags()); err != nil {
		return options, err
	}
	c.addTo(&r.Options, false)
	return r.Options, nil
}

// configure reads the project file for a command that has nothing else to do with
// it, and fills in the flags that are not given. What is wrong with the file is
// reported, and is an error then.
func (r *reporting) configure(cmd *cobra.Command, of string) error {
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	return r.configureIn(cmd, nil, of, wd, cmd.Flags())
}

func (r *reporting) configureIn(cmd *cobra.Command, in *inputs.Reader, of, wd string, sets ...*pflag.FlagSet) error {
	file, findings, err := readConfig(cmd, in, wd)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		if err := r.check(); err != nil {
			return err
		}
		return r.report(cmd.ErrOrStderr(), findings, wd)
	}
	r.project = file
	return file.fill(of, wd, sets...)
}

// identity tells one file, with its content, from another.
func (c *configFile) identity() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s %x", c.name, sha256.Sum256(c.data))
}
