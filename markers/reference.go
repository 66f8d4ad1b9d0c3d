package markers

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// referenceText is the reference as a txtar archive, in the order in which it is
// read. Its sections are
//
//	# TITLE       a chapter and what it begins with, as Markdown
//	+NAME         a marker: properties, one on a line, then what it does, as
//	              Markdown; without that, controller-tools' help says it
//	go            an example: fields, declarations, or a file
//	yaml          what comes of the example, cut out of the definition
//	diagnostics   what is said of it
//
// The last two are written by a test of package generator, from what is really
// generated.
//
//go:embed reference.txtar
var referenceText string

// Reference is the reference of markers; referencetext.go writes it.
type Reference []*Chapter

// Chapter is a part of the reference of markers.
type Chapter struct {
	// Title and Text, which is Markdown, stand in front of the markers.
	Title   string       `json:"title"`
	Text    string       `json:"text,omitempty"`
	Markers []*Described `json:"markers"`
}

// Described is a marker as the reference describes it.
type Described struct {
	// Name has no plus sign.
	Name string `json:"name"`
	// Targets are what the marker describes: package, type, field, constant.
	Targets []string `json:"targets"`
	// Syntax is the whole marker, with what is to be put in between < and >.
	Syntax string `json:"syntax"`
	// Arguments are those with names, those that are needed first.
	Arguments []DescribedArgument `json:"arguments,omitempty"`
	// Effect says what the marker does, as Markdown.
	Effect string `json:"effect"`
	// Package are markers that the package needs for this one to have an effect.
	Package []string `json:"package,omitempty"`
	// Go is an example: fields of a struct, declarations, or a whole file. YAML is
	// what comes of it, and Diagnostics is what is said of it, without places.
	Go          string `json:"go"`
	YAML        string `json:"yaml,omitempty"`
	Diagnostics string `json:"diagnostics,omitempty"`
	// Cut are the paths of what YAML shows of the definition, and Version is
	// another version of the kind that the example does not show.
	Cut     []string `json:"-"`
	Version string   `json:"-"`
	// Silent: it changes no schema, as another command reads it.
	Silent bool `json:"-"`
}

// DescribedArgument is an argument with a name.
type DescribedArgument struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
	// Effect says what it is for; empty if nobody does.
	Effect string `json:"effect,omitempty"`
}

// Reference describes every marker of the table.
func (t *Table) Reference() (Reference, error) {
	help := &markers.Registry{}
	if err := crdmarkers.Register(help); err != nil {
		return nil, fmt.Errorf("marker definitions of controller-tools: %w", err)
	}
	var chapters Reference
	var marker *Described
	for _, section := range txtar.Parse([]byte(referenceText)).Files {
		text := string(section.Data)
		switch {
		case strings.HasPrefix(section.Name, "# "):
			chapters = append(chapters, &Chapter{Title: section.Name[2:], Text: strings.TrimSpace(text)})
		case len(chapters) == 0 || marker == nil && section.Name[0] != '+':
			return nil, fmt.Errorf("reference: %s stands in front of the first chapter or marker", section.Name)
		case strings.HasPrefix(section.Name, "+"):
			marker = t.describe(section.Name[1:], text, help)
			last := chapters[len(chapters)-1]
			last.Markers = append(last.Markers, marker)
		case section.Name == "go":
			marker.Go = text
		case section.Name == "yaml":
			marker.YAML = text
		case section.Name == "diagnostics":
			marker.Diagnostics = text
		default:
			return nil, fmt.Errorf("reference: unknown section %q", section.Name)
		}
	}
	return chapters, nil
}

// describe makes the description of a marker from its definitions and the text of
// its section.
func (t *Table) describe(name, text string, help *markers.Registry) *Described {
	d := &Described{Name: name, Effect: strings.TrimSpace(text)}
	d.properties()
	said := d.Syntax != ""
	var features []string
	for _, target := range []Target{Package, Type, Field} {
		def := t.byTarget[target][name]
		if def == nil {
			continue
		}
		d.Targets = append(d.Targets, target.String())
		if feature := def.Feature(); feature != "" {
			features = append(features, "+schemagen:enable="+feature)
		}
		theirs := helpFor(help, def)
		if d.Effect == "" && theirs != nil {
			d.Effect = strings.TrimSpace(theirs.Summary)
		}
		if !said && !def.own() {
			d.Syntax, d.Arguments = "+"+name+syntax(def), arguments(def, theirs)
		}
	}
	if len(features) == len(d.Targets) { // else it means something on one of them as it is
		d.Package = append(d.Package, slices.Compact(features)...)
	}
	if without, _ := t.Declarative(name); without != "" {
		d.Effect = "A CRD cannot express it: " + without + "."
	}
	return d
}

// helpFor is controller-tools' help for a definition; nil if it has none.
func helpFor(help *markers.Registry, def *Definition) *markers.DefinitionHelp {
	for _, theirs := range help.AllDefinitions() {
		if theirs.Name == def.Name && theirs.Target == def.Target {
			return help.HelpFor(theirs)
		}
	}
	return nil
}

// properties takes the lines that say more than the table from the effect.
func (d *Described) properties() {
	for {
		line, rest, _ := strings.Cut(d.Effect, "\n")
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "syntax":
			d.Syntax = value
		case "target":
			d.Targets = append(d.Targets, value)
		case "package":
			d.Package = append(d.Package, value)
		case "version":
			d.Version = value
		case "silent":
			d.Silent = value == "true"
		case "cut":
			d.Cut = strings.Fields(value)
		default:
			return
		}
		d.Effect = strings.TrimSpace(rest)
	}
}

// syntax is what follows the name of a marker whose grammar is controller-tools'.
func syntax(def *Definition) string {
	switch {
	case def.Empty():
		return ""
	case def.AnonymousField():
		return "=" + placeholder(def.Fields[""])
	}
	var needed, optional []string
	for _, a := range arguments(def, nil) {
		text := a.Name + "=" + a.Type
		if a.Optional {
			optional = append(optional, text)
		} else {
			needed = append(needed, text)
		}
	}
	switch {
	case len(optional) == 0:
		return ":" + strings.Join(needed, ",")
	case len(needed) == 0:
		return "[:" + strings.Join(optional, ",") + "]"
	}
	return ":" + strings.Join(needed, ",") + "[," + strings.Join(optional, ",") + "]"
}

// placeholder stands for a value of an argument.
func placeholder(a markers.Argument) string {
	switch {
	case a.Type == markers.SliceType && a.ItemType != nil:
		return placeholder(*a.ItemType) + ";…"
	case a.Type == markers.AnyType:
		return "<any>"
	}
	return "<" + strings.TrimPrefix(a.TypeString(), "*") + ">"
}

// arguments are the named arguments of a definition, with the help for them.
func arguments(def *Definition, help *markers.DefinitionHelp) []DescribedArgument {
	if def.AnonymousField() {
		return nil
	}
	var out []DescribedArgument
	for name, a := range def.Fields {
		described := DescribedArgument{Name: name, Type: placeholder(a), Optional: a.Optional}
		if help != nil {
			described.Effect = strings.TrimSpace(help.FieldsHelp(def.Definition)[name].Summary)
		}
		out = append(out, described)
	}
	slices.SortFunc(out, func(a, b DescribedArgument) int {
		if a.Optional != b.Optional {
			if a.Optional {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}
