package project

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// Channel is an entry of the section channels: a named set of gates, and the place of the
// definitions that are generated for it.
type Channel struct {
	Name string
	// Gates are the gates that are on, in the canonical form of [gates.Sets.Resolve].
	Gates gates.Set
	// Directory is the directory of its definitions; empty for the default. Suffix is added to
	// the names of its files, and then the default is the directory of all definitions.
	Directory, Suffix string
	// Helm is the directory of a chart; empty writes none.
	Helm string
	// Annotations and Labels are added to each definition.
	Annotations, Labels map[string]string
	// Kinds are the kinds that it has, as for --kinds; empty for all.
	Kinds []string
	// Pos is the position in the file.
	Pos diag.Position
}

// Containment is an element of the section contains: whatever a server with the definitions of
// the channel Narrow accepts and stores, one with those of Wide accepts and stores equally.
type Containment struct {
	Narrow, Wide string
	// Pos is the position in the file.
	Pos diag.Position
}

// Contains returns the elements of the section contains, in the order of the file.
func (c *File) Contains() []Containment {
	if c == nil {
		return nil
	}
	return c.contains
}

// Joins reports whether definitions that are the same in all channels are written once, to the
// directory of all definitions. position is the position of that setting.
func (c *File) Joins() (position diag.Position, ok bool) {
	if c == nil {
		return position, false
	}
	return c.join, c.join != diag.Position{}
}

// Gate is the name of a gate in the file, where it is first.
type Gate struct {
	Name string
	// Stage and Since are what the section gates has about it, or empty.
	Stage, Since string
	Pos          diag.Position
}

// Gates returns the gates that the file declares or, if it does not declare gates, the gates that
// channels name.
func (c *File) Gates() []Gate {
	if c == nil {
		return nil
	}
	return c.named
}

// Channels returns the channels in the order of the file, with paths relative to wd.
func (c *File) Channels(wd string) []Channel {
	if c == nil {
		return nil
	}
	out := slices.Clone(c.channels)
	for i := range out {
		for _, path := range []*string{&out[i].Directory, &out[i].Helm} {
			if *path != "" {
				*path = c.rebased(Folder, entry{texts: []string{*path}}, wd)[0]
			}
		}
	}
	return out
}

// Select returns the channels with the names, or all without any, in the order of the file
// and with paths relative to wd. gates reports whether a command line names gates, for which
// there is no channel. Unknown names are findings.
func (c *File) Select(wd string, names []string, gates bool) (out []Channel, findings diag.List) {
	wrong := func(hint, format string, args ...any) {
		findings = append(findings, report.InvalidChannels.At(diag.Position{}, hint, format, args...))
	}
	if gates {
		if len(names) > 0 {
			wrong("", "--channel and --gates exclude each other")
		}
		return nil, findings
	}
	all := c.Channels(wd)
	var known []string
	for _, channel := range all {
		known = append(known, channel.Name)
	}
	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
		case len(known) == 0:
			wrong("declare channels in "+Name+": see docs/gates.md", "unknown channel %q", name)
		case !slices.Contains(known, name):
			wrong(words.DidYouMean(name, known, "the channels are "+strings.Join(known, ", ")), "unknown channel %q", name)
		}
	}
	for _, channel := range all {
		if len(names) == 0 || slices.Contains(names, channel.Name) {
			out = append(out, channel)
		}
	}
	return out, findings
}

// One returns the channel with a name or, if the file does not have it, the first channel, for
// commands that take one. Its paths are relative to wd. It is the zero value if the file has no
// channels.
func (c *File) One(wd, name string) Channel {
	all := c.Channels(wd)
	if len(all) == 0 {
		return Channel{}
	}
	return all[max(0, slices.IndexFunc(all, func(channel Channel) bool { return channel.Name == name }))]
}

// AddTo sets the options of the generator to those of the channel, except for its kinds:
// packages that a command line names may have only some of them.
func (c Channel) AddTo(options *define.Options) {
	options.Gates = c.Gates
	options.Annotations = c.Annotations
	options.Labels = c.Labels
}

// Select removes the definitions of kinds that the channel does not have.
func (c Channel) Select(all []*crd.Definition) []*crd.Definition {
	return slices.DeleteFunc(all, func(d *crd.Definition) bool {
		kind := d.CRD.Spec.Names.Kind
		return len(c.Kinds) > 0 && !slices.Contains(c.Kinds, kind) && !slices.Contains(c.Kinds, kind+"."+d.CRD.Spec.Group)
	})
}

// Within returns the directory of the channel's definitions, if those of all channels are in
// out or below it.
func (c Channel) Within(out string) string {
	switch {
	case c.Directory != "":
		return c.Directory
	case c.Suffix != "":
		return out
	}
	return filepath.Join(out, c.Name)
}

// channelName matches the names of channels, which are also names of directories.
var channelName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// failChannel reports a mistake in the channels.
func (r *reader) failChannel(n *yaml.Node, hint, format string, args ...any) {
	r.Findings = append(r.Findings, report.InvalidChannels.At(r.Pos(n), hint, format, args...))
}

// channels reads the section channels, after the gates.
func (r *reader) channels(n *yaml.Node) {
	entries := r.entries(n, "channels")
	sets := gates.Sets{}
	elements := map[string][]*yaml.Node{}
	for _, entry := range entries {
		name := entry[0].Value
		if !channelName().MatchString(name) {
			r.failChannel(entry[0], "letters, digits, _, . and -", "%q cannot be the name of a channel", yamltext.Shortened(name))
		}
		c := Channel{Name: name, Pos: r.Pos(entry[0])}
		node := entry[1]
		if yamltext.Aliased(node).Kind != yaml.SequenceNode {
			fields := r.Fields(node, "channel "+name, "gates", "crd", "suffix", "helm", "annotations", "labels", "kinds")
			node = fields["gates"]
			r.channel(&c, fields)
		}
		sets[name] = []string{}
		for _, element := range r.List(node) {
			if text, ok := r.scalar(element, "a string", "!!str"); ok {
				sets[name] = append(sets[name], text)
				elements[name] = append(elements[name], element)
			}
		}
		r.file.channels = append(r.file.channels, c)
	}
	names := slices.Sorted(maps.Keys(sets))
	for i := range r.file.channels {
		c := &r.file.channels[i]
		for j, element := range sets[c.Name] {
			r.checkGate(elements[c.Name][j], element, names)
		}
		if circle := sets.Circle(c.Name); circle != nil {
			r.failChannel(elements[c.Name][slices.Index(sets[c.Name], "@"+circle[1])], "", "channel %s has the gates of itself: %s", c.Name, strings.Join(circle, " → "))
		}
	}
	if len(r.Findings) > 0 {
		return // circles have no result
	}
	for i := range r.file.channels {
		r.file.channels[i].Gates = sets.Resolve(r.file.channels[i].Name)
	}
	if helm, ok := r.file.entry("outputs.helm"); ok && len(r.file.channels) > 0 {
		r.failChannel(helm.node, "give each channel a chart of its own: channels."+r.file.channels[0].Name+".helm", "outputs.helm cannot be used with channels")
	}
}

// channel reads the fields of a channel other than its gates.
func (r *reader) channel(c *Channel, fields map[string]*yaml.Node) {
	text := func(key string, kind Kind) string {
		if fields[key] == nil {
			return ""
		}
		return r.value(Setting{Key: "channels." + c.Name + "." + key, Kind: kind}, fields[key])[0]
	}
	c.Directory, c.Suffix, c.Helm = text("crd", Folder), text("suffix", Text), text("helm", Folder)
	if fields["suffix"] != nil && c.Suffix == "" {
		r.failChannel(fields["suffix"], "leave it out, or write crd: DIRECTORY for files without a suffix in that directory", "an empty suffix has no effect")
	}
	if strings.ContainsAny(c.Suffix, `/\`) || !filepath.IsLocal("x"+c.Suffix) || strings.ContainsFunc(c.Suffix, func(c rune) bool { return c < ' ' }) {
		r.failChannel(fields["suffix"], "for example -"+c.Name, "%q cannot be the end of a file name", yamltext.Shortened(c.Suffix))
	}
	c.Annotations = r.metadata(fields["annotations"], "annotations", func(key, _ string) []string {
		return validation.IsQualifiedName(strings.ToLower(key)) // as the API server does
	})
	c.Labels = r.metadata(fields["labels"], "labels", func(key, value string) []string {
		return append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...)
	})
	if _, ok := c.Annotations[generator.VersionAnnotation]; ok {
		r.failChannel(fields["annotations"], "", "the annotation %s is schemagen's", define.VersionAnnotation)
	}
	for _, element := range r.List(fields["kinds"]) {
		switch kind, ok := r.scalar(element, "a string", "!!str"); {
		case kind == "*":
			c.Kinds = nil
			return
		case ok:
			c.Kinds = append(c.Kinds, kind)
		}
	}
}

// metadata reads a mapping of strings. wrong returns what is wrong with an entry.
func (r *reader) metadata(n *yaml.Node, what string, wrong func(key, value string) []string) map[string]string {
	var out map[string]string
	for _, entry := range r.entries(n, what) {
		text, ok := r.scalar(entry[1], "a string", "!!str")
		if !ok {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		key := entry[0].Value
		out[key] = text
		if mistakes := wrong(key, text); len(mistakes) > 0 {
			r.failChannel(entry[0], "", "the API server rejects %q in %s: %s", yamltext.Shortened(key), what, mistakes[0])
		}
	}
	return out
}

// contains reads the section contains, after the channels.
func (r *reader) contains(n *yaml.Node) {
	var names []string
	for _, c := range r.file.channels {
		names = append(names, c.Name)
	}
	for _, element := range r.List(n) {
		if pair := yamltext.Aliased(element); yamltext.KeyIndex(pair, "narrow") < 0 && yamltext.KeyIndex(pair, "wide") < 0 {
			r.Fail(element, "write {narrow: NAME, wide: NAME}: the channel wide accepts whatever the channel narrow does", "not a pair of channels")
			continue
		}
		fields := r.Fields(element, "an element of contains", "narrow", "wide")
		c := Containment{Pos: r.Pos(element)}
		failed := false
		for _, end := range []struct {
			key string
			to  *string
		}{{"narrow", &c.Narrow}, {"wide", &c.Wide}} {
			node := r.required(element, fields, end.key, "an element of contains")
			if node == nil {
				failed = true
				continue
			}
			name, ok := r.scalar(node, "the name of a channel", "!!str")
			if ok && !slices.Contains(names, name) {
				r.unknownChannel(node, name, names)
				ok = false
			}
			*end.to = name
			failed = failed || !ok
		}
		switch {
		case failed:
		case c.Narrow == c.Wide:
			r.failChannel(element, "", "channel %s contains itself", c.Narrow)
		case slices.ContainsFunc(r.file.contains, func(o Containment) bool { return o.Narrow == c.Narrow && o.Wide == c.Wide }):
			r.failChannel(element, "", "it is listed before that channel %s contains channel %s", c.Wide, c.Narrow)
		default:
			r.file.contains = append(r.file.contains, c)
		}
	}
}

// join reads whether channels share definitions, after the channels.
func (r *reader) join(n *yaml.Node) {
	if n == nil || n.Tag == "!!null" {
		return
	}
	if text, ok := r.scalar(n, "true or false", "!!bool"); !ok || text != "true" {
		return
	}
	r.file.join = r.Pos(n)
	if len(r.file.channels) < 2 {
		r.failChannel(n, "leave it out", "join is for two channels or more, and there are %d", len(r.file.channels))
	}
}

// Overlay returns the position of merge: overlay, if the file has it.
func (c *File) Overlay() (position diag.Position, ok bool) {
	if c == nil {
		return diag.Position{}, false
	}
	return c.mergeOverlay, c.mergeOverlay.File != ""
}

// merge reads how OpenShift's markers of several gates are merged.
func (r *reader) merge(n *yaml.Node) {
	if n == nil {
		return
	}
	switch text, ok := r.scalar(n, "once or overlay", "!!str"); {
	case ok && text == "overlay":
		r.file.mergeOverlay = r.Pos(n)
	case ok && text != "once":
		r.Fail(n, words.DidYouMean(text, []string{"once", "overlay"}, "once or overlay"), "merge: unknown value %q", yamltext.Shortened(text))
	}
}

// unknownChannel reports a name that is not that of a channel.
func (r *reader) unknownChannel(n *yaml.Node, name string, names []string) {
	hint := "declare channels: see docs/gates.md"
	if len(names) > 0 {
		hint = words.DidYouMean(name, names, "the channels are "+strings.Join(names, ", "))
	}
	r.failChannel(n, hint, "unknown channel %q", yamltext.Shortened(name))
}

// checkGate reports an element of a channel that names no gate and no channel.
func (r *reader) checkGate(n *yaml.Node, element string, channels []string) {
	name := strings.TrimPrefix(element, "!")
	if other, ok := strings.CutPrefix(element, "@"); ok {
		if !slices.Contains(channels, other) {
			r.unknownChannel(n, other, channels)
		}
		return
	}
	switch {
	case name == "*", element == "!"+gates.Base:
	case !isGate(name):
		r.failChannel(n, `names, "*" for all, "!NAME" for all but one, "@CHANNEL" for those of another channel`, "%q is not a gate", yamltext.Shortened(element))
	case r.file.gates != nil && !slices.Contains(r.file.gates, name):
		r.Findings = append(r.Findings, report.UnknownGateAt(r.Pos(n), name, r.file.gates))
	case r.file.gates == nil && !slices.ContainsFunc(r.file.named, func(g Gate) bool { return g.Name == name }):
		r.file.named = append(r.file.named, Gate{Name: name, Pos: r.Pos(n)})
	}
}

// isGate reports whether a text can be the name of a gate.
func isGate(name string) bool {
	return name != "" && name != gates.Never && !strings.ContainsAny(name, "\"*!@,;\n")
}
