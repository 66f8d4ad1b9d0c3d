package gatesrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/internal/gatedsource"
	"github.com/schemagen/schemagen/internal/gates"
	"github.com/schemagen/schemagen/internal/project"
)

// Changes are what changes on a server. There are none if a finding is an error.
type Changes struct {
	Changes []compare.Change
	// New are the definitions after the change.
	New      []*crd.Definition
	Findings diag.List
}

// Promote returns what changes if a gate is turned on in a channel or, without a name, in the
// first one. Without channels, all gates are off before.
func (r *Request) Promote(ctx context.Context, target *apiserver.Target, gate, into string) (*Changes, error) {
	channel, findings := r.channel(into)
	_, files, found, err := r.gated(ctx)
	if findings = append(findings, found...); err != nil || findings.HasErrors() {
		return &Changes{Findings: findings}, err
	}
	if findings = r.checkGate(gate, files); findings != nil {
		return &Changes{Findings: findings}, nil
	}
	if channel.Gates.On(gate) {
		return &Changes{Findings: diag.List{driver.InvalidChannels(channel.Pos, "", "gate %s is on in channel %s", gate, channel.Name)}}, nil
	}
	with := channel
	with.Gates = append(slices.Clone(channel.Gates), gate)
	return r.changes(ctx, target, channel, with)
}

// Move returns what becomes of stored objects, and of requests, if the definitions of a channel
// are replaced by those of another one. Each change names the gates that cause it.
func (r *Request) Move(ctx context.Context, target *apiserver.Target, from, to string) (*Changes, error) {
	old, findings := r.channel(from)
	new, found := r.channel(to)
	if findings = append(findings, found...); findings.HasErrors() {
		return &Changes{Findings: findings.Normalize()}, nil
	}
	_, files, findings, err := r.gated(ctx)
	if err != nil || findings.HasErrors() {
		return &Changes{Findings: findings}, err
	}
	out, err := r.changes(ctx, target, old, new)
	if err != nil || out.Findings.HasErrors() {
		return out, err
	}
	x, _, err := r.indexed(ctx, files)
	if err != nil {
		return nil, err
	}
	out.Changes = slices.DeleteFunc(out.Changes, func(c compare.Change) bool { return c.Category == compare.Safe })
	for i := range out.Changes {
		if by := r.cause(x, files, &out.Changes[i], old.Gates, new.Gates); by != "" {
			out.Changes[i].Reason += "; gated by " + by
		}
	}
	return out, nil
}

// channel returns the channel with a name, or else the first.
func (r *Request) channel(name string) (project.Channel, diag.List) {
	if name == "" {
		return r.Project.One(r.Dir, ""), nil
	}
	selected, findings := r.Project.Select(r.Dir, []string{name}, false)
	if len(selected) == 0 {
		return project.Channel{}, findings
	}
	return selected[0], findings
}

// changes compares the definitions of two channels.
func (r *Request) changes(ctx context.Context, target *apiserver.Target, old, new project.Channel) (*Changes, error) {
	options := r.Options
	loaded, err := driver.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	options.Loaded = loaded
	var made [2][]*crd.Definition
	for i, channel := range []project.Channel{old, new} {
		channel.AddTo(&options)
		all, findings, err := driver.Definitions(ctx, options)
		if err != nil || findings.HasErrors() {
			return &Changes{Findings: findings}, err
		}
		made[i] = channel.Select(all)
	}
	changes, err := compare.Definitions(ctx, target, made[0], made[1])
	return &Changes{Changes: changes, New: made[1]}, err
}

// cause returns the gates whose state causes a change between two sets of gates, with the
// places of their conditions, or an empty text.
func (r *Request) cause(x *index, files []*gatedsource.File, c *compare.Change, old, new gates.Set) string {
	at := Path{c.Definition, c.Version, c.Field}
	if at.Field == "" {
		at.Field = "."
	}
	// The nearest are those of the path itself, then those below it or around it.
	var ranks [4][]string
	for _, f := range files {
		for _, u := range f.Uses {
			if u.Condition.Holds(old) == u.Condition.Holds(new) || u.Kind == gatedsource.Paragraph {
				continue
			}
			rank := len(ranks)
			for _, p := range x.of(u, f) {
				if at.Version == "" {
					p.Version = ""
				}
				switch {
				case p == at && isAbout(u, c):
					rank = 0
				case p == at:
					rank = min(rank, 1)
				case isBelow(p, at):
					rank = min(rank, 2)
				case isBelow(at, p) && u.Kind == gatedsource.Declaration:
					rank = min(rank, 3)
				}
			}
			if rank < len(ranks) {
				ranks[rank] = append(ranks[rank], fmt.Sprintf("%s at %s:%d", u.Condition, r.shown(u.Pos.Filename), u.Pos.Line))
			}
		}
	}
	for _, names := range ranks {
		if len(names) > 0 {
			return strings.Join(names, ", ")
		}
	}
	return ""
}

// isAbout reports whether a change is at the line of a condition or of its declaration.
func isAbout(u gatedsource.Use, c *compare.Change) bool {
	for _, pos := range []diag.Position{c.OldPos, c.NewPos} {
		if pos.File == u.Pos.Filename && (pos.Line == u.Pos.Line || u.Kind == gatedsource.Declaration && pos.Line == u.At.Line) {
			return true
		}
	}
	return false
}
