package build

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/internal/report"
)

// Channel is a named set of gates, with what is different in its definitions. Its fields are
// those of the same names in [Options].
type Channel struct {
	// Name is empty for the only channel of a run.
	Name                string
	Gates               []string
	Kinds               []string
	Annotations, Labels map[string]string
	OutputDir           string
}

// MadeChannel is the result of a channel.
type MadeChannel struct {
	Made []*Made
	// Removed are the kinds that root packages declare and that conditions remove.
	Removed []GroupKind
	// Gates are the sorted names in the conditions of the user's packages.
	Gates []string
}

// MakeChannels is [Make] for several channels, by index. Packages are listed, and files read
// and parsed, once for all of them. If a diagnostic is an error, no channel has definitions. A
// diagnostic that not all channels share ends in the names of those that have it.
func MakeChannels(ctx context.Context, options Options, channels []Channel) ([]MadeChannel, diag.List, error) {
	if options.Loaded == nil {
		loaded, err := Load(ctx, options)
		if err != nil {
			return nil, nil, err
		}
		options.Loaded = loaded
	}
	made, found := make([]MadeChannel, len(channels)), make([]diag.List, len(channels))
	for i, c := range channels {
		o := options
		o.Gates, o.Kinds, o.OutputDir = c.Gates, c.Kinds, c.OutputDir
		o.Annotations, o.Labels = c.Annotations, c.Labels
		var run *Run
		var err error
		made[i].Made, found[i], run, err = makeRun(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		made[i].Removed, made[i].Gates = run.removedKinds(), slices.Sorted(maps.Keys(run.usedGates))
	}
	findings := shareFindings(channels, found)
	if findings.HasErrors() {
		for i := range made {
			made[i].Made = nil
		}
	}
	return made, findings, ctx.Err()
}

// shareFindings returns the findings of all channels.
func shareFindings(channels []Channel, found []diag.List) diag.List {
	type key struct {
		pos      diag.Position
		severity diag.Severity
		code     diag.Code
		message  string
	}
	keyOf := func(d diag.Diagnostic) key { return key{d.Pos, d.Severity, d.Code, d.Message} }
	of := map[key][]string{}
	for i, list := range found {
		for _, d := range list {
			of[keyOf(d)] = append(of[keyOf(d)], channels[i].Name)
		}
	}
	var out diag.List
	for _, list := range found {
		for _, d := range list {
			names := of[keyOf(d)]
			delete(of, keyOf(d))
			if len(names) == 0 || len(names) < len(channels) && slices.Contains(ofAllChannels(), d.Code) {
				continue
			}
			if len(names) < len(channels) {
				d.Message += inChannels(names)
			}
			out = append(out, d)
		}
	}
	return out.Normalize()
}

// ofAllChannels returns the codes of findings about what is missing, which are only reported
// if it is missing in all channels.
func ofAllChannels() []diag.Code {
	return []diag.Code{report.NoKinds.Code, report.UnknownKind.Code, report.UnusedOverride.Code}
}

// inChannels names channels at the end of a message.
func inChannels(names []string) string {
	if len(names) == 1 {
		return " [channel " + names[0] + "]"
	}
	return " [channels " + strings.Join(names, ", ") + "]"
}

// removedKinds returns the kinds of root packages that conditions remove.
func (run *Run) removedKinds() (out []GroupKind) {
	for p := range run.Packages() {
		if !p.Root {
			continue
		}
		none := p.NoKinds()
		for _, f := range p.Sources {
			for _, erased := range f.Erased {
				out = append(out, GroupKind{run.Describe(p).group, erased.Name})
			}
			if none && f.MentionsKind && f.Syntax != nil {
				for _, t := range f.Types() {
					out = append(out, GroupKind{run.Describe(p).group, t.Spec.Name.Name})
				}
			}
		}
	}
	return out
}
