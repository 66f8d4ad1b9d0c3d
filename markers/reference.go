package markers

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"

	ours "github.com/schemagen/schemagen/internal/markers"
)

// Reference is the marker reference. Its renderings are in referencetext.go.
type Reference []*Chapter

// Chapter is a chapter of the marker reference.
type Chapter struct {
	// Title and Text, which is Markdown, precede the markers.
	Title   string       `json:"title"`
	Text    string       `json:"text,omitempty"`
	Markers []*MarkerDoc `json:"markers"`
}

// MarkerDoc is the entry of a marker in the reference.
type MarkerDoc struct {
	// Name has no plus sign.
	Name string `json:"name"`
	// Targets are what the marker can describe: package, type, field, constant.
	Targets []string `json:"targets"`
	// Syntax is the complete marker, with placeholders between < and >.
	Syntax string `json:"syntax"`
	// Arguments are the named arguments, required ones first.
	Arguments []ArgumentDoc `json:"arguments,omitempty"`
	// Effect is what the marker does, as Markdown.
	Effect string `json:"effect"`
	// Package are markers that the package needs for this one to take effect.
	Package []string `json:"package,omitempty"`
	// Go is an example: fields of a struct, declarations, or a whole file. YAML is its
	// output, and Diagnostics are the diagnostics for it, without positions.
	Go          string `json:"go"`
	YAML        string `json:"yaml,omitempty"`
	Diagnostics string `json:"diagnostics,omitempty"`
	// Cut are the paths in the definition that YAML shows, and Version is another version of
	// the kind that the example does not show.
	Cut     []string `json:"-"`
	Version string   `json:"-"`
	// Silent is set if the marker is for another command, or for a gate that is on, and changes no
	// schema here.
	Silent bool `json:"-"`
}

// ArgumentDoc is a named argument.
type ArgumentDoc struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Optional bool   `json:"optional,omitempty"`
	// Effect is the help for the argument; empty if there is none.
	Effect string `json:"effect,omitempty"`
}

// New returns the reference of every marker that affects CRDs.
func New() (Reference, error) {
	table, err := ours.NewTable()
	if err != nil {
		return nil, err
	}
	help := &markers.Registry{}
	if err := crdmarkers.Register(help); err != nil {
		return nil, fmt.Errorf("marker definitions of controller-tools: %w", err)
	}
	var chapters Reference
	var marker *MarkerDoc
	for _, section := range txtar.Parse([]byte(ours.Documentation())).Files {
		text := string(section.Data)
		switch {
		case strings.HasPrefix(section.Name, "# "):
			chapters = append(chapters, &Chapter{Title: section.Name[2:], Text: strings.TrimSpace(text)})
		case len(chapters) == 0 || marker == nil && section.Name[0] != '+':
			return nil, fmt.Errorf("reference: %s precedes the first chapter or marker", section.Name)
		case strings.HasPrefix(section.Name, "+"):
			marker = describe(table, section.Name[1:], text, help)
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

// describe returns the description of a marker from its definitions and the text of its section.
func describe(table *ours.Table, name, text string, help *markers.Registry) *MarkerDoc {
	d := &MarkerDoc{Name: name, Effect: strings.TrimSpace(text)}
	d.properties()
	hasSyntax := d.Syntax != ""
	var features []string
	for _, target := range []ours.Target{ours.Package, ours.Type, ours.Field} {
		def := table.Named(name, target)
		if def == nil {
			continue
		}
		d.Targets = append(d.Targets, target.String())
		if feature := def.Feature(); feature != "" {
			features = append(features, "+"+ours.EnableName+"="+feature)
		}
		theirs := helpFor(help, def)
		if d.Effect == "" && theirs != nil {
			d.Effect = strings.TrimSpace(theirs.Summary)
		}
		if !hasSyntax && !def.Own() {
			d.Syntax = "+" + name + syntax(def)
			d.Arguments = arguments(def, theirs)
		}
	}
	if len(features) == len(d.Targets) { // otherwise it has an effect on one of them without the feature
		d.Package = append(d.Package, slices.Compact(features)...)
	}
	if reason, _ := table.Declarative(name); reason != "" {
		d.Effect = "A CRD cannot express it: " + reason + "."
	}
	return d
}

// helpFor returns controller-tools' help for a definition; nil if it has none.
func helpFor(help *markers.Registry, def *ours.Definition) *markers.DefinitionHelp {
	for _, theirs := range help.AllDefinitions() {
		if theirs.Name == def.Name && theirs.Target == def.Target {
			return help.HelpFor(theirs)
		}
	}
	return nil
}

// properties moves the leading property lines of the effect into the fields of d.
func (d *MarkerDoc) properties() {
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

// syntax returns the text after the name of a marker that has controller-tools' grammar.
func syntax(def *ours.Definition) string {
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

// placeholder returns the placeholder for a value of an argument.
func placeholder(a markers.Argument) string {
	switch {
	case a.Type == markers.SliceType && a.ItemType != nil:
		return placeholder(*a.ItemType) + ";…"
	case a.Type == markers.AnyType:
		return "<any>"
	}
	return "<" + strings.TrimPrefix(a.TypeString(), "*") + ">"
}

// arguments returns the named arguments of a definition with their help.
func arguments(def *ours.Definition, help *markers.DefinitionHelp) []ArgumentDoc {
	var out []ArgumentDoc
	for _, name := range def.Arguments() {
		a := def.Fields[name]
		described := ArgumentDoc{Name: name, Type: placeholder(a), Optional: a.Optional}
		if help != nil {
			described.Effect = strings.TrimSpace(help.FieldsHelp(def.Definition)[name].Summary)
		}
		out = append(out, described)
	}
	return out
}
