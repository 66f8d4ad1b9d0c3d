package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/apiserver"
)

// effective is a value that a command line would run with, and where it is from.
type effective struct {
	Key string `json:"key"`
	// Value is a text, a boolean, a number, a list of texts, or, of what is more than
	// that, what the file says; null where nothing is said.
	Value any `json:"value"`
	// Source is one of the constants below, Place the line of the file, the flag, or
	// the variable.
	Source string `json:"source"`
	Place  string `json:"place,omitempty"`

	node *yaml.Node
}

// Where values are from.
const (
	fromDefault     = "default"
	fromFile        = "file"
	fromFlag        = "flag"
	fromArguments   = "arguments"
	fromEnvironment = "environment"
)

func configFormats() []string { return []string{"yaml", "json"} }

func newConfigCommand(stdout, stderr io.Writer) *cobra.Command {
	var r crdRun
	var format string
	cmd := &cobra.Command{
		Use:   "config [packages]",
		Short: "Print what a run would be told, and where each value is from.",
		Long: `Print the values that schemagen crd would run with, given the same packages and
flags, and those of schemagen unions: each with where it is from, a line of
` + configName + `, a flag, or the default.

` + configName + ` is optional. It is looked for in the working directory and in those
above it up to the module's; docs/config.md describes it.`,
		Example: `  schemagen config
  schemagen config --kube-version 1.30 --format json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(configFormats(), format) {
				return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(configFormats(), ", "))
			}
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			r.format = "text"
			functions := newUnionsCommand(io.Discard, stderr).Flags()
			given := map[string]bool{}
			cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
			if err := r.configureIn(cmd, nil, ofCRD, wd, cmd.Flags()); err != nil {
				return err
			}
			if err := r.project.fill(ofUnions, wd, functions); err != nil {
				return err
			}
			values := effectiveValues(r.project, wd, args, given, cmd.Flags(), functions)
			return writeEffective(stdout, format, r.project, values)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "yaml", "format: "+strings.Join(configFormats(), ", "))
	flags.BoolVar(&r.strict, "strict", false, "make warnings errors")
	r.addLanguageFlags(cmd)
	r.addTagsFlag(cmd)
	r.addOptionFlags(cmd)
	return cmd
}

// effectiveValues are the values of all settings, with the flags of the command crd
// and those of the command unions filled in from the file, and then of what else the
// file says. given are the flags on the command line.
func effectiveValues(project *configFile, wd string, args []string, given map[string]bool, crd, functions *pflag.FlagSet) []effective {
	var out []effective
	for _, s := range settings() {
		flags := crd
		if s.of == ofUnions {
			flags = functions
		}
		e := effective{Key: s.key, Source: fromDefault}
		if flag := flags.Lookup(s.flag); flag != nil {
			e.Value = valueOf(s, flag)
		}
		_, said := project.said(s.key)
		switch {
		case s.key == "paths" && len(args) > 0:
			e.Value, e.Source = args, fromArguments
		case s.of != ofUnions && given[s.flag]:
			e.Source, e.Place = fromFlag, "--"+s.flag
		case said:
			e.Source, e.Place = fromFile, project.source(s.key, wd)
			if s.flag == "" {
				e.Value = project.texts(s.key, wd)
				if s.kind == settingFolder {
					e.Value = project.texts(s.key, wd)[0]
				}
			}
		default:
			e = defaultOf(e)
		}
		out = append(out, e)
	}
	_, others := sections()
	for _, key := range others {
		e := effective{Key: key, Source: fromDefault}
		if value, said := project.said(key); said {
			e.node, e.Source, e.Place = value.node, fromFile, project.source(key, wd)
			_ = value.node.Decode(&e.Value) // it was read
		}
		out = append(out, e)
	}
	return out
}

// defaultOf fills in defaults that no flag has.
func defaultOf(e effective) effective {
	switch e.Key {
	case "paths":
		e.Value = []string{"."}
	case "outputs.rbac", "outputs.webhook":
		rule, _ := ruleFor(strings.TrimPrefix(e.Key, "outputs."), nil)
		e.Value = directory(rule)
	case "kubeVersion":
		e.Value = apiserver.DefaultVersion
	case "cacheDir":
		if kept := newCache(""); kept != nil {
			e.Value = kept.dir
		}
		if os.Getenv("XDG_CACHE_HOME") != "" {
			e.Source, e.Place = fromEnvironment, "XDG_CACHE_HOME"
		}
	}
	return e
}

// valueOf is the value of a flag as its setting has it; nil where it says nothing.
func valueOf(s setting, flag *pflag.Flag) any {
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	text := flag.Value.String()
	switch s.kind {
	case settingBoolean:
		if text != "" {
			return text == "true"
		}
	case settingNumber:
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

// writeEffective writes the values: as YAML with comments, or as JSON.
func writeEffective(out io.Writer, format string, project *configFile, values []effective) error {
	name := ""
	if project != nil {
		name = project.name
	}
	if format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(struct {
			File     string      `json:"file,omitempty"`
			Settings []effective `json:"settings"`
		}{name, values})
	}
	root := &yaml.Node{Kind: yaml.MappingNode, HeadComment: "no " + configName}
	if name != "" {
		root.HeadComment = name
	}
	groups := map[string]*yaml.Node{}
	for _, e := range values {
		into, key := root, e.Key
		if group, rest, ok := strings.Cut(e.Key, "."); ok {
			if groups[group] == nil {
				groups[group] = &yaml.Node{Kind: yaml.MappingNode}
				root.Content = append(root.Content, scalarNode(group), groups[group])
			}
			into, key = groups[group], rest
		}
		keyNode, value := scalarNode(key), e.node
		if value == nil {
			value = &yaml.Node{}
			if err := value.Encode(e.Value); err != nil {
				return err
			}
			value.Style = yaml.FlowStyle
		}
		value.LineComment = strings.TrimSpace(strings.TrimPrefix(e.Source, fromFile) + " " + e.Place)
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
	return encoder.Close()
}

func scalarNode(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }
