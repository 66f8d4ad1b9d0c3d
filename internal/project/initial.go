package project

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/internal/apiserver"
)

// Initial is a value for a new project file.
type Initial struct {
	// Key is the key of a setting. Value is its value as in [Effective].
	Key   string
	Value any
	// Source is where the value was found.
	Source string
}

// suggested are the settings that a new file shows as comments, with the value there.
func suggested(crds string) []Initial {
	return []Initial{
		{Key: "paths", Value: []string{"./api/..."}},
		{Key: "outputs.crd", Value: crds},
		{Key: "enable", Value: []string{"enum", "k8s"}},
		{Key: "kubeVersion", Value: apiserver.DefaultVersion},
		{Key: "strict", Value: true},
		{Key: "crd.maxDescLen", Value: 200},
	}
}

const (
	initialHead = `# yaml-language-server: $schema=https://raw.githubusercontent.com/schemagen/schemagen/main/docs/schemagen.schema.json

# Settings of schemagen in this directory and below. Flags override them; schemagen config
# prints all of them. https://github.com/schemagen/schemagen/blob/main/docs/config.md
`
	initialTail = `
# Findings that are accepted. schemagen explain CODE explains them.
#waivers:
#- code: SG303
#  path: api/**
#  reason: other tools read these markers
`
)

// NewFile returns the text of a project file with the given values, in which frequent settings
// without a value are comments, with the directory of CRDs that commands use without the file.
func NewFile(values []Initial, crds string) ([]byte, error) {
	var b strings.Builder
	b.WriteString(initialHead)
	open := "" // the group of the line before
	for _, s := range Settings() {
		value, isSet := initialOf(values, s.Key)
		if !isSet {
			suggestion, isSuggested := initialOf(suggested(crds), s.Key)
			if !isSuggested {
				continue
			}
			value = suggestion
		}
		group, key, inGroup := strings.Cut(s.Key, ".")
		if !inGroup {
			group = ""
			key = s.Key
		}
		groupIsSet := slices.ContainsFunc(values, func(v Initial) bool { return strings.HasPrefix(v.Key, group+".") })
		// A group without values is a comment as a whole.
		margin := ""
		indent := ""
		if !inGroup || group != open {
			b.WriteString("\n")
		}
		if inGroup {
			indent = "  "
			if !groupIsSet {
				margin = "#"
			}
			if group != open {
				fmt.Fprintf(&b, "%s%s:\n", margin, group)
			}
		}
		open = group
		text, err := flow(value.Value)
		if err != nil {
			return nil, err
		}
		off := ""
		if !isSet && margin == "" {
			off = "#"
		}
		if value.Source != "" {
			text += " # " + value.Source
		}
		fmt.Fprintf(&b, "%s%s# %s\n%s%s%s%s: %s\n", margin, indent, capital(s.Description), margin, indent, off, key, text)
	}
	b.WriteString(initialTail)
	return []byte(b.String()), nil
}

func initialOf(values []Initial, key string) (Initial, bool) {
	index := slices.IndexFunc(values, func(v Initial) bool { return v.Key == key })
	if index < 0 {
		return Initial{}, false
	}
	return values[index], true
}

// flow returns a value as YAML in one line.
func flow(value any) (string, error) {
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		return "", err
	}
	node.Style |= yaml.FlowStyle
	text, err := yaml.Marshal(&node)
	return strings.TrimSpace(string(text)), err
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
