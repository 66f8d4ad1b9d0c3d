package generate

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
)

// SharedOutput is where definitions are written that are the same in all channels, apart from the
// annotations and labels of the channels, which they lack.
type SharedOutput struct {
	// Directory is empty if each channel has all of its definitions.
	Directory string
	// Pos is the position of the setting in the project file.
	Pos diag.Position
}

// target is a channel with what a run writes for it, or the directory of the joined definitions.
type target struct {
	Channel
	made define.ChannelResult
	// files has the files of all of its definitions, which a chart has. own has the files that are
	// written to its destination: all, unless channels share some.
	files, own []define.File
	// joined is set for the directory of the joined definitions.
	joined bool
	// outputs are the files to write.
	outputs []output.File
}

// join returns where the channels of the project file share definitions. One channel that is
// written to a destination of the command line is complete there, and shares none.
func (r *Request) join(file *project.File, s Selection) SharedOutput {
	position, ok := file.Joins()
	if !ok || r.NoCRD || r.Destination == "" || r.Destination == "-" || s.Output && len(s.Names) == 1 {
		return SharedOutput{}
	}
	return SharedOutput{r.Destination, position}
}

// checkJoined reports channels for which definitions cannot be joined.
func (r *Request) checkJoined() (out diag.List) {
	if r.Shared.Directory == "" {
		return nil
	}
	shared := filepath.Clean(r.Shared.Directory)
	for i := range r.Channels {
		c := &r.Channels[i]
		for _, dir := range []string{c.OutputDir, c.Helm} {
			if dir != "" && filepath.Clean(dir) == shared && (c.Suffix == "" || dir == c.Helm) {
				out = append(out, bothWrite(c, &Channel{Pos: r.Shared.Pos}, "give the channel a directory or a suffix of its own: outputs.crd has the definitions of all channels", dir))
			}
		}
		if relative, err := filepath.Rel(shared, c.OutputDir); r.Kustomize && err == nil && relative != "." && filepath.IsLocal(relative) {
			out = append(out, report.InvalidChannels.At(c.Pos, "give the channel a directory outside of "+filepath.ToSlash(shared)+": channels."+c.Name+".crd",
				"the kustomization of %s cannot include %s, which contains it, for the definitions that all channels share", filepath.ToSlash(c.OutputDir), filepath.ToSlash(shared)))
		}
	}
	return out
}

// plain returns the channels as they are in the directory of the joined definitions, or none
// without one.
func (r *Request) plain(channels []Channel) (out []define.Channel) {
	if r.Shared.Directory == "" {
		return nil
	}
	for _, c := range channels {
		out = append(out, define.Channel{Name: c.Name, Gates: c.Gates, Kinds: c.Kinds, OutputDir: r.Shared.Directory})
	}
	return out
}

// targets returns what a run writes, by the results of channels and of [Request.plain].
func (r *Request) targets(channels []Channel, made, plain []define.ChannelResult) (out []target) {
	shared := target{joined: true, Channel: Channel{Destination: r.Shared.Directory, Pos: r.Shared.Pos}}
	if len(plain) > 0 {
		for _, m := range plain[0].CRDs {
			if !slices.ContainsFunc(plain[1:], func(other define.ChannelResult) bool { return !hasFile(other, m.File) }) {
				shared.made.CRDs = append(shared.made.CRDs, m)
				shared.files = append(shared.files, m.File)
			}
		}
		shared.own = shared.files
	}
	for i, c := range channels {
		t := target{Channel: c, made: made[i]}
		for _, m := range made[i].CRDs {
			t.files = append(t.files, m.File)
			if !slices.ContainsFunc(shared.files, func(f define.File) bool { return f.Name == m.File.Name }) {
				t.own = append(t.own, m.File)
			}
		}
		out = append(out, t)
	}
	if len(plain) > 0 {
		out = append(out, shared)
	}
	return out
}

// hasFile reports whether a channel has a file with the same name and content.
func hasFile(c define.ChannelResult, file define.File) bool {
	return slices.ContainsFunc(c.CRDs,
		func(m *define.GeneratedCRD) bool {
			return m.File.Name == file.Name && bytes.Equal(m.File.Data, file.Data)
		})
}

// writesAll reports whether the run writes the definitions of all its channels.
func (r *Request) writesAll() bool {
	return !slices.ContainsFunc(r.Channels, func(c Channel) bool { return c.Destination == "" })
}

// firstWritten returns the first channel whose definitions are written.
func (r *Request) firstWritten() Channel {
	channels := r.channels()
	return channels[max(0, slices.IndexFunc(channels, func(c Channel) bool { return c.Destination != "" }))]
}

// relative returns a path as it is written in a directory.
func (r *Request) relative(dir, path string) string {
	if relative, err := filepath.Rel(r.absolute(dir), r.absolute(path)); err == nil {
		return filepath.ToSlash(relative)
	}
	return filepath.ToSlash(path)
}

func (r *Request) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.Dir, path)
}
