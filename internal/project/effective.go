package project

import (
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Effective is the value of a setting in effect for a command line, and its source.
type Effective struct {
	Key string `json:"key"`
	// Value is a string, a boolean, a number, a list of strings, or, for a section, its
	// content as decoded from YAML. It is null if the setting has no value.
	Value any `json:"value"`
	// Source is one of the constants below. Place is the line of the file, the flag, or the
	// variable.
	Source string `json:"source"`
	Place  string `json:"place,omitempty"`

	node *yaml.Node
}

// Sources of values.
const (
	FromDefault     = "default"
	FromFile        = "file"
	FromFlag        = "flag"
	FromArguments   = "arguments"
	FromEnvironment = "environment"
)

// Effective returns the values of all settings, followed by the sections of the file. crd and
// functions are the flags of the commands crd and unions, already filled from the file; args
// and given are the arguments and flags on the command line. Settings that are set by neither
// have the source [FromDefault].
func (c *File) Effective(wd string, args []string, given map[string]bool, crd, functions *pflag.FlagSet) []Effective {
	var out []Effective
	for _, s := range Settings() {
		flags := crd
		if s.Of == OfUnions {
			flags = functions
		}
		e := Effective{Key: s.Key, Source: FromDefault}
		ofThese := s.isOf(OfCRD) || s.Of == OfUnions
		flag := flags.Lookup(s.Name())
		if flag != nil && ofThese {
			e.Value = valueOf(s, flag)
		}
		value, inFile := c.entry(s.Key)
		switch {
		case s.Key == "paths" && len(args) > 0:
			e.Value = args
			e.Source = FromArguments
		case s.isOf(OfCRD) && given[s.Flag]:
			e.Source = FromFlag
			e.Place = "--" + s.Flag
		case inFile:
			e.Source = FromFile
			if value.flag != "" {
				e.Source = FromFlag
			}
			e.Place = c.source(s.Key, wd)
			if flag == nil || !ofThese {
				e.Value = c.Texts(s.Key, wd)
				if s.Kind != List && s.Kind != Patterns {
					e.Value = c.Texts(s.Key, wd)[0]
				}
			}
		}
		out = append(out, e)
	}
	_, separate := Sections()
	for _, key := range separate {
		e := Effective{Key: key, Source: FromDefault}
		if value, inFile := c.entry(key); inFile {
			e.node = value.node
			e.Source = FromFile
			e.Place = c.source(key, wd)
			_ = value.node.Decode(&e.Value) // decoded without error before
		}
		out = append(out, e)
	}
	return out
}

// valueOf returns the value of a flag in the type of its setting, or nil if the flag is
// empty.
func valueOf(s Setting, flag *pflag.Flag) any {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	text := flag.Value.String()
	switch s.Kind {
	case Boolean:
		if text != "" {
			return text == "true"
		}
	case Number:
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
	default:
		if text != "" {
			return text
		}
	}
	return nil
}

// WriteEffective writes values as YAML with comments, or as JSON if format is "json". environment has lines
// about other things that a run depends on.
func (c *File) WriteEffective(out io.Writer, format string, values []Effective, environment []string) error {
	name := ""
	if c != nil {
		name = c.Name
	}
	if format == "json" {
		return screen.WriteJSON(out, struct {
			File     string      `json:"file,omitempty"`
			Settings []Effective `json:"settings"`
			// Environment has lines about other things that a run depends on.
			Environment []string `json:"environment"`
		}{name, values, environment})
	}
	root := &yaml.Node{Kind: yaml.MappingNode, HeadComment: "no " + Name}
	if name != "" {
		root.HeadComment = screen.Line(name)
	}
	groups := map[string]*yaml.Node{}
	for _, e := range values {
		into := root
		key := e.Key
		if group, rest, ok := strings.Cut(e.Key, "."); ok {
			if groups[group] == nil {
				groups[group] = &yaml.Node{Kind: yaml.MappingNode}
				root.Content = append(root.Content, scalarNode(group), groups[group])
			}
			into = groups[group]
			key = rest
		}
		keyNode := scalarNode(key)
		value := e.node
		if value == nil {
			value = &yaml.Node{}
			if err := value.Encode(e.Value); err != nil {
				return err
			}
			value.Style = yaml.FlowStyle
		}
		value.LineComment = screen.Line(strings.TrimSpace(strings.TrimPrefix(e.Source, FromFile) + " " + e.Place))
		if value.Kind != yaml.ScalarNode && value.Style&yaml.FlowStyle == 0 {
			value.LineComment, keyNode.LineComment = "", value.LineComment
		}
		into.Content = append(into.Content, keyNode, value)
	}
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	if err := encoder.Encode(root); err != nil {
		return err
	}
	if err := encoder.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n# "+strings.Join(environment, "\n# ")+"\n")
	return err
}

func scalarNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
