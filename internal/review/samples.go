package review

import (
	"context"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Sample is an object with all fields that can be set together, in one version.
type Sample struct {
	Version string
	// Before and After are YAML that a server accepts; empty if there is none.
	Before string
	After  string
}

// Line is a line of both samples. Mark is + or - if only one of them has it, and ~ for lines that
// are left out.
type Line struct{ Mark, Text string }

// samplesOf returns the samples of the versions in which they differ.
func (input *Input) samplesOf(ctx context.Context, old, new *crd.Definition) (out []Sample, err error) {
	if new == nil {
		return nil, nil
	}
	for _, v := range new.CRD.Spec.Versions {
		s := Sample{Version: v.Name}
		s.After, err = input.sample(ctx, new, v.Name)
		if err != nil {
			return nil, err
		}
		s.Before, err = input.sample(ctx, old, v.Name)
		if err != nil {
			return nil, err
		}
		if s.Before != s.After {
			out = append(out, s)
		}
	}
	return out, nil
}

// sample returns a sample of a version; empty if it is not served, or if none was found.
func (input *Input) sample(ctx context.Context, d *crd.Definition, version string) (string, error) {
	if d == nil {
		return "", nil
	}
	made, err := input.sampler.Sample(ctx, d, version, true)
	if err != nil || made == nil || len(made.Findings) > 0 {
		return "", err
	}
	return screen.Lines(string(made.YAML)), nil
}

// around is the number of lines that are shown before and after a difference.
const around = 3

// Lines returns the lines of the samples, without those far from a difference.
func (s Sample) Lines() (out []Line) {
	a := slices.Collect(strings.Lines(s.Before))
	b := slices.Collect(strings.Lines(s.After))
	put := func(mark string, lines []string) {
		for _, line := range lines {
			out = append(out, Line{mark, strings.TrimSuffix(line, "\n")})
		}
	}
	next := 0
	for _, d := range output.DiffLines(a, b) {
		put("", a[next:d.Start])
		put("-", a[d.Start:d.End])
		put("+", b[d.ReplStart:d.ReplEnd])
		next = d.End
	}
	put("", a[next:])
	return shortened(out)
}

// shortened replaces lines far from marked ones.
func shortened(lines []Line) (out []Line) {
	for i, l := range lines {
		found := slices.ContainsFunc(lines[max(0, i-around):min(len(lines), i+around+1)], func(l Line) bool { return l.Mark != "" })
		switch {
		case found:
			out = append(out, l)
		case len(out) == 0 || out[len(out)-1].Mark != "~":
			out = append(out, Line{"~", "…"})
		}
	}
	return out
}
