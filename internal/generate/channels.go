package generate

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/generate/crdinstall"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
)

// Channel is a channel of a run, with the place of its files.
type Channel struct {
	define.Channel
	// Destination and Helm are the channel's, see [Request]. Suffix is added to the names of the
	// files in Destination.
	Destination, Helm, Suffix string
	// Pos is the position of the channel in the project file.
	Pos diag.Position
}

// Selection is what a command line says about channels.
type Selection struct {
	// Names are the selected channels; if there are none, all of the project file are.
	Names []string
	// Gates reports whether it names gates, and Output whether it names the destination.
	Gates, Output bool
}

// EveryChannel reports whether the run is for all channels of the project file.
func (s Selection) EveryChannel() bool { return len(s.Names) == 0 && !s.Gates }

// SelectChannels sets the channels of the request to those of the project file that are
// selected. It reports mistakes in the selection.
func (r *Request) SelectChannels(reader *inputs.Reader, file *project.File, s Selection) diag.List {
	r.Channels = nil
	r.Contains = file.Contains()
	r.NamedGates = file.Gates()
	r.OnlyListed = file.IsOff(containment.NotContained.Code)
	r.EveryChannel = s.EveryChannel()
	selected, findings := file.Select(r.Dir, s.Names, s.Gates)
	wrong := func(hint, format string, args ...any) diag.List {
		return diag.List{report.InvalidChannels.At(diag.Position{}, hint, format, args...)}
	}
	if s.Gates && !s.Output && !r.NoCRD && len(findings) == 0 && len(file.Channels(r.Dir)) > 0 {
		return wrong("-o DIRECTORY, or -o - for standard output (in controller-gen's syntax output:crd:dir=DIRECTORY and output:stdout)",
			"--gates needs an output directory: those of "+project.Name+" are for its channels")
	}
	if position, ok := file.Overlay(); ok && r.Patch != nil {
		findings = append(findings, report.InvalidChannels.At(position, "write merge: once, or generate the definitions with crd",
			"schemapatch cannot merge definitions of several gates: merge is overlay"))
	}
	if len(findings) > 0 || len(selected) == 0 {
		return findings
	}
	if r.NoCRD && len(s.Names) == 0 {
		selected = selected[:1]
	}
	if one := "name one of them: --channel " + selected[0].Name; len(selected) > 1 {
		switch {
		case r.NoCRD:
			return wrong(one, "schemapatch takes one channel")
		case r.Destination == "-":
			return wrong(one, "standard output takes the definitions of one channel, and there are %d", len(selected))
		case r.Helm != "":
			return wrong("give each channel a chart of its own in schemagen.yaml: channels."+selected[0].Name+".helm", "outputs.helm takes the definitions of one channel, and there are %d", len(selected))
		}
	}
	made := selected
	r.Shared = r.join(file, s)
	if r.Shared.Directory != "" {
		made = file.Channels(r.Dir)
		r.EveryChannel = true
	}
	for _, c := range made {
		target := Channel{Suffix: c.Suffix, Helm: c.Helm, Pos: c.Pos}
		target.Name = c.Name
		target.Gates = c.Gates
		target.Annotations = c.Annotations
		target.Labels = c.Labels
		target.Kinds = both(r.Kinds, c.Kinds)
		target.Destination = r.destination(c, s)
		if target.Destination != "-" {
			target.OutputDir = target.Destination
		}
		if r.Helm != "" {
			target.Helm = r.Helm
		}
		if !slices.ContainsFunc(selected, func(s project.Channel) bool { return s.Name == c.Name }) {
			target.Destination = ""
			target.Helm = ""
		}
		if r.WithoutCRDs {
			target.Destination = ""
			target.Helm = ""
		}
		target.Helm = resolveHelm(reader, target.Helm)
		r.Channels = append(r.Channels, target)
	}
	return r.checkJoined()
}

// destination returns where the definitions of a channel are written. A destination on the
// command line replaces all directories of the project file.
func (r *Request) destination(c project.Channel, s Selection) string {
	if r.Destination == "" || r.Destination == "-" || s.Output && len(s.Names) == 1 {
		return r.Destination
	}
	if s.Output {
		c.Directory = ""
	}
	return c.Within(r.Destination)
}

// both returns the elements of two lists of kinds, of which an empty one has all.
func both(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	// A list may name a kind with its group, and the other one without.
	bare := func(name string) string { name, _, _ = strings.Cut(name, "."); return name }
	var out []string
	for _, x := range a {
		for _, y := range b {
			if x == y || bare(x) == bare(y) && (x == bare(x) || y == bare(y)) {
				out = append(out, max(x, y)) // the one with a group
			}
		}
	}
	if len(out) == 0 {
		return []string{""} // no kind
	}
	return out
}

// channels returns the channels of the run; without any, one that has the values of the
// request.
func (r *Request) channels() []Channel {
	if len(r.Channels) > 0 {
		return r.Channels
	}
	c := Channel{Destination: r.Destination, Helm: r.Helm}
	c.Gates = r.Gates
	c.Kinds = r.Kinds
	c.Annotations = r.Annotations
	c.Labels = r.Labels
	if r.Destination != "-" {
		c.OutputDir = r.Destination
	}
	return []Channel{c}
}

// fileName returns the name of the file of a definition.
func (c *Channel) fileName(name string) string {
	return strings.TrimSuffix(name, ".yaml") + c.Suffix + ".yaml"
}

// sharedFiles reports files that several channels write.
func sharedFiles(targets []target) (out diag.List) {
	type writer struct{ first, second int }
	reported := map[writer]bool{}
	writers := map[string]int{}
	for i := range targets {
		for _, f := range targets[i].outputs {
			path := filepath.Clean(f.Path)
			first, ok := writers[path]
			if !ok {
				writers[path] = i
			} else if w := (writer{first, i}); first != i && !reported[w] {
				reported[w] = true
				hint := "give one of them a directory (crd) or a suffix of its own"
				if filepath.Base(path) == crdinstall.KustomizationName {
					hint = "give one of them a directory of its own (crd): a kustomization installs all files of its directory"
				}
				out = append(out, bothWrite(&targets[first].Channel, &targets[i].Channel, hint, path))
			}
		}
	}
	return out
}

// bothWrite returns the diagnostic for a path that two channels write, of which b may be that of
// the definitions that all share.
func bothWrite(a, b *Channel, hint, path string) diag.Diagnostic {
	who := "channels " + a.Name + " and " + b.Name
	if b.Name == "" {
		who, a, b = "join and channel "+a.Name, b, a
	}
	d := report.InvalidChannels.At(b.Pos, hint, "%s both write %s", who, filepath.ToSlash(path))
	message := "join"
	if a.Name != "" {
		message = "channel " + a.Name
	}
	return d.With(diag.Related{Pos: a.Pos, Message: message})
}

// contained reports what a channel of the run accepts and one that contains it does not: an
// error for the pairs of the request, a warning for other pairs of which one has all gates of
// the other, unless channels between them are compared, or channels with the same definitions.
func (r *runner) contained(
	ctx context.Context, channels []Channel, made []define.ChannelResult,
) (out diag.List, err error) {
	var target *apiserver.Target
	compared := map[[2]int][]containment.Change{}
	side := func(i int) *containment.Channel {
		return &containment.Channel{Name: channels[i].Name, Gates: channels[i].Gates}
	}
	reported := map[[2]int]bool{}
	pair := func(narrow, wide int) [2]int { return [2]int{made[narrow].First, made[wide].First} }
	compare := func(narrow, wide int) ([]containment.Change, error) {
		changes, known := compared[pair(narrow, wide)]
		if known {
			return changes, nil
		}
		if target == nil {
			target, err = apiserver.NewTarget(r.KubeVersion)
			if err != nil {
				return nil, err
			}
		}
		source := side(narrow)
		to := side(wide)
		source.Definitions = differing(made[narrow], made[wide])
		to.Definitions = differing(made[wide], made[narrow])
		changes, err := containment.Unsafe(ctx, target, r.in, source, to)
		compared[pair(narrow, wide)] = changes
		return changes, err
	}
	for _, p := range r.comparedPairs(channels) {
		severity := diag.Error
		if p.listed == nil {
			severity = diag.Warning
			if reported[pair(p.narrow, p.wide)] {
				continue // channels with the same definitions are compared once
			}
		}
		changes, err := compare(p.narrow, p.wide)
		if err != nil {
			return nil, err
		}
		reported[pair(p.narrow, p.wide)] = true
		narrow := side(p.narrow)
		wide := side(p.wide)
		findings := containment.Findings(changes, narrow, wide, severity)
		if len(findings) > 0 && p.listed != nil && wide.Gates.Within(narrow.Gates) && !narrow.Gates.Within(wide.Gates) {
			turned, err := compare(p.wide, p.narrow)
			if err != nil {
				return nil, err
			}
			reverse := containment.Findings(turned, wide, narrow, severity)
			findings = containment.Turned(p.listed.Pos, findings, reverse, narrow, wide)
		}
		out = append(out, findings...)
	}
	return out, nil
}

// differing returns the definitions of a channel that another one does not have in this form.
func differing(c, other define.ChannelResult) (out []*crd.Definition) {
	for _, m := range c.CRDs {
		if !slices.ContainsFunc(other.CRDs, m.HasSpecOf) {
			out = append(out, m.Described())
		}
	}
	return out
}

// comparedPair are two channels to compare, by index. listed is the element of the project file
// that has them, or nil.
type comparedPair struct {
	narrow, wide int
	listed       *project.Containment
}

// comparedPairs returns the pairs of channels to compare, in the order of the channels.
func (r *Request) comparedPairs(channels []Channel) (out []comparedPair) {
	index := map[string]int{}
	known := map[[2]int]bool{}
	sets := make([]gates.Set, len(channels))
	for i, c := range channels {
		index[c.Name] = i
		sets[i] = c.Gates
	}
	for i, c := range r.Contains {
		narrow, hasNarrow := index[c.Narrow]
		wide, hasWide := index[c.Wide]
		if hasNarrow && hasWide {
			out = append(out, comparedPair{narrow, wide, &r.Contains[i]})
			known[[2]int{narrow, wide}] = true
		}
	}
	if !r.OnlyListed {
		for _, step := range gates.Steps(sets) {
			if !known[step] {
				out = append(out, comparedPair{step[0], step[1], nil})
			}
		}
	}
	slices.SortFunc(out, func(a, b comparedPair) int { return cmp.Or(a.narrow-b.narrow, a.wide-b.wide) })
	return out
}

// gateFindings reports gates that no condition names, and gates that are on in all channels or in
// none. It needs the conditions of all packages of the project file.
func (r *runner) gateFindings(channels []Channel, made []define.ChannelResult) (out diag.List) {
	if !r.AllPackages {
		return nil
	}
	var used []string
	for _, m := range made {
		used = append(used, m.Gates...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	var named []string
	places := map[string]diag.Position{}
	for _, g := range r.NamedGates {
		places[g.Name] = g.Pos
		if !slices.Contains(used, g.Name) {
			out = append(out, report.UnusedGateAt(g.Pos, g.Name, used))
		}
		named = append(named, g.Name)
	}
	for _, name := range used {
		enabled := 0
		for _, c := range channels {
			if gates.Set(c.Gates).On(name) {
				enabled++
			}
		}
		pos, ok := places[name]
		if !ok {
			pos = channels[0].Pos
		}
		switch {
		case !r.EveryChannel || len(channels) <= 1 || name == gates.Never:
		case enabled == len(channels):
			out = append(out, report.GateOnEverywhere(pos, name))
		case enabled == 0:
			out = append(out, report.GateOnNowhere(pos, name, named))
		}
	}
	return out
}
