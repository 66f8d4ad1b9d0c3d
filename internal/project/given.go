package project

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// Given are the settings that the command line gives by key, each as KEY=VALUE. It is the value of the flag --set.
type Given struct {
	Texts []string
	// Dir is the directory that paths are relative to.
	Dir string
}

// String implements pflag.Value.
func (g *Given) String() string { return strings.Join(g.Texts, " ") }

// Type implements pflag.Value.
func (g *Given) Type() string { return "KEY=VALUE" }

// Set implements pflag.Value. Values are checked when the project file is read.
func (g *Given) Set(text string) (err error) {
	known := Keys()
	key, _, hasValue := strings.Cut(text, "=")
	if !slices.Contains(known, key) {
		return fmt.Errorf("unknown key %q\n%s", yamltext.Shortened(key), words.DidYouMean(key, known, "schemagen config lists the keys"))
	}
	if !hasValue {
		return errors.New("a value is missing: KEY=VALUE")
	}
	g.Texts = append(g.Texts, text)
	g.Dir, err = filepath.Abs(".")
	return err
}

// Over returns the file with the given values instead of its own, for all packages. c may be nil.
func (g *Given) Over(c *File, in *inputs.Reader) (*File, error) {
	if len(g.Texts) == 0 {
		return c, nil
	}
	if c == nil {
		c = &File{dir: g.Dir, in: in, values: map[string]entry{}}
	}
	c.given = g.Texts
	for _, text := range g.Texts {
		key, value, _ := strings.Cut(text, "=")
		all := Settings()
		s := all[slices.IndexFunc(all, func(s Setting) bool { return s.Key == key })]
		r := &reader{NodeReader: yamltext.NewNodeReader("", invalidFile, []byte(value)), in: in, file: &File{dir: g.Dir}}
		texts := []string{value}
		if s.Kind != Path && s.Kind != Folder { // the run reports a path that it cannot use
			texts = r.value(s, r.given(s.Kind, value))
		}
		if len(r.Findings) > 0 {
			return nil, fmt.Errorf("--set %s: %s", text, strings.TrimPrefix(r.Findings[0].Message, key+": "))
		}
		c.values[key] = entry{texts: texts, flag: "--set " + text, dir: g.Dir}
		c.forgetInPackages(key)
	}
	return c, nil
}

// Given returns the files and directories that the command line gives, relative to wd.
func (c *File) Given(wd string) (out []string) {
	if c == nil {
		return nil
	}
	for _, s := range Settings() {
		if value := c.values[s.Key]; value.flag != "" && (s.Kind == Folder || s.Kind == Path) {
			out = append(out, c.rebased(s.Kind, value, wd)...)
		}
	}
	return out
}

// given returns the node of a value: text as it is, lists also without brackets, and other values in YAML.
func (r *reader) given(kind Kind, value string) *yaml.Node {
	switch kind {
	case Text:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	case List, Patterns:
		if !strings.HasPrefix(value, "[") {
			value = "[" + value + "]"
		}
	}
	return cmp.Or(r.Document([]byte(value), "the value"), &yaml.Node{Kind: yaml.ScalarNode})
}
