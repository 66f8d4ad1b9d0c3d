package gatesrun

import (
	"context"
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
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
	findings = append(findings, found...)
	if err != nil || findings.HasErrors() {
		return &Changes{Findings: findings}, err
	}
	findings = r.checkGate(gate, files)
	if findings != nil {
		return &Changes{Findings: findings}, nil
	}
	if channel.Gates.On(gate) {
		return &Changes{Findings: diag.List{report.InvalidChannels.At(channel.Pos, "", "gate %s is already on in channel %s", gate, channel.Name)}}, nil
	}
	promoted := channel
	promoted.Gates = append(slices.Clone(channel.Gates), gate)
	return r.changes(ctx, target, channel, promoted)
}

// Move returns what becomes of stored objects, and of requests, if the definitions of a channel
// are replaced by those of another one. Each change names the gates that cause it.
func (r *Request) Move(ctx context.Context, target *apiserver.Target, source, destination string) (*Changes, error) {
	old, findings := r.channel(source)
	new, found := r.channel(destination)
	findings = append(findings, found...)
	if findings.HasErrors() {
		return &Changes{Findings: findings.Normalize()}, nil
	}
	out, err := r.changes(ctx, target, old, new)
	if err != nil || out.Findings.HasErrors() {
		return out, err
	}
	unsafe := slices.DeleteFunc(out.Changes, func(c compare.Change) bool { return c.Category == compare.Safe })
	located, err := containment.Located(r.Options.Inputs, unsafe, &containment.Channel{Gates: old.Gates},
		&containment.Channel{Gates: new.Gates, Definitions: out.New})
	if err != nil {
		return nil, err
	}
	for i, c := range located {
		if c.Place != nil {
			unsafe[i].Reason += fmt.Sprintf("; gated by %s at %s:%d", c.Place.Condition, r.shown(c.Place.Pos.File), c.Place.Pos.Line)
		}
	}
	out.Changes = unsafe
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
	loaded, err := define.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	options.Loaded = loaded
	var made [2][]*crd.Definition
	for i, channel := range []project.Channel{old, new} {
		channel.AddTo(&options)
		all, findings, err := define.Definitions(ctx, options)
		if err != nil || findings.HasErrors() {
			return &Changes{Findings: findings}, err
		}
		made[i] = channel.Select(all)
	}
	changes, err := compare.Definitions(ctx, target, made[0], made[1])
	return &Changes{Changes: changes, New: made[1]}, err
}
