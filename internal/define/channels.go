package define

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/crdyaml"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/gates"
)

// Channel is a named set of gates, with what is different in its definitions. Its fields mean the
// same as in [Options].
type Channel struct {
	// Name is empty for the only channel of a run.
	Name  string
	Gates []string
	Kinds []string
	// Annotations and Labels are valid.
	Annotations, Labels map[string]string
	OutputDir           string
}

// ChannelResult is the result of a channel.
type ChannelResult struct {
	CRDs []*GeneratedCRD
	// First is the index of the first channel with these definitions, apart from metadata.
	First int
	// Removed are the kinds that root packages declare and that conditions remove.
	Removed []GroupKind
	// Gates are the sorted names in the conditions of the user's packages.
	Gates []string
}

// MakeChannels is [Make] for several channels, by index. Packages are listed, and files read
// and parsed, once for all of them. If a diagnostic is an error, no channel has definitions. A
// diagnostic that not all channels share ends in the names of its channels. If there is only one,
// unverified is called with the diagnostics that are known before its definitions are verified,
// unless it is nil.
func MakeChannels(ctx context.Context, options Options, channels []Channel,
	unverified func(diag.List)) ([]ChannelResult, diag.List, error) {
	if options.Loaded == nil {
		loaded, err := Load(ctx, options)
		if err != nil {
			return nil, nil, err
		}
		options.Loaded = loaded
	}
	options.Passes = options.Passes.sharing()
	if len(channels) > 1 {
		unverified = nil // it is not known which of them share a finding
	}
	made := make([]ChannelResult, len(channels))
	found := make([]diag.List, len(channels))
	runs := make([]*Run, len(channels)) // nil for channels that share one
next:
	for i, c := range channels {
		o := options
		o.Gates = c.Gates
		o.Kinds = c.Kinds
		o.OutputDir = c.OutputDir
		o.Annotations = c.Annotations
		o.Labels = c.Labels
		for earlier, run := range runs[:i] {
			if run == nil || found[earlier].HasErrors() {
				continue
			}
			if again, ok := run.again(made[earlier].CRDs, &o); ok {
				made[i], found[i] = made[earlier], found[earlier]
				made[i].CRDs = again
				continue next
			}
		}
		var err error
		made[i].CRDs, found[i], runs[i], err = makeRun(ctx, o, unverified)
		if err != nil {
			return nil, nil, err
		}
		made[i].First = i
		made[i].Removed = runs[i].removedKinds()
		made[i].Gates = runs[i].gateNames()
	}
	findings := ShareFindings(channels, found)
	if findings.HasErrors() {
		for i := range made {
			made[i].CRDs = nil
		}
	}
	return made, findings, ctx.Err()
}

// again returns the definitions of a run with the metadata of other options. ok is false if
// anything else, or a finding, may differ.
func (run *Run) again(made []*GeneratedCRD, options *Options) (out []*GeneratedCRD, ok bool) {
	if !run.agrees(options.Gates) || !slices.Equal(run.Options.Kinds, options.Kinds) ||
		!run.Checker.AgreesIn(options.OutputDir) {
		return nil, false
	}
	if maps.Equal(run.Options.Annotations, options.Annotations) && maps.Equal(run.Options.Labels, options.Labels) {
		return made, true
	}
	// Valid metadata does not affect findings, except for those about this annotation and about sizes.
	const approved = apiextensionsv1.KubeAPIApprovedAnnotation
	if run.Options.Final || run.Options.Annotations[approved] != options.Annotations[approved] {
		return nil, false
	}
	start := len(run.Reporter.List)
	defer func() { run.Reporter.List = run.Reporter.List[:start] }()
	for _, m := range made {
		d := *m.definition
		object := *m.definition.Object
		d.Object = &object
		run.setMetadata(&d, options)
		if len(run.Reporter.List) > start {
			return nil, false
		}
		file, ok := m.File.with(&d, options.Header)
		if !ok {
			return nil, false
		}
		d.Text = file.Data
		out = append(out, &GeneratedCRD{file, &d, run.Checker})
	}
	return out, true
}

// agrees reports whether the run would read the same for other gates.
func (run *Run) agrees(other gates.Set) bool {
	return run.conditions == nil || run.conditions.Agrees(other)
}

// gateNames returns the sorted names in the conditions of the user's packages.
func (run *Run) gateNames() []string {
	if run.conditions == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(run.conditions.Used()))
}

// with returns the file with the metadata of a definition that is equal apart from it.
func (f File) with(d *checks.Definition, header string) (File, bool) {
	rest := f.spec()
	bare := d.Generated
	bare.Object = &apiextensionsv1.CustomResourceDefinition{TypeMeta: d.Object.TypeMeta, ObjectMeta: d.Object.ObjectMeta}
	head, _, err := crdyaml.Append([]byte(header), &bare)
	end := bytes.Index(head, []byte(beforeSpec))
	const most = 1 << 16 // far below the server's limit of the size of annotations
	if rest == nil || err != nil || end < 0 || end > most {
		return File{}, false
	}
	return File{Name: f.Name, Data: slices.Concat(head[:end], rest)}, true
}

// beforeSpec is in no line of the metadata.
const beforeSpec = "\nspec:\n"

// spec returns the file from the specification on, or nil.
func (f File) spec() []byte {
	if offset := bytes.Index(f.Data, []byte(beforeSpec)); offset >= 0 {
		return f.Data[offset:]
	}
	return nil
}

// ShareFindings returns the findings of all channels, by index. One that not all share ends in the
// names of its channels.
func ShareFindings(channels []Channel, found []diag.List) diag.List {
	type key struct {
		pos      diag.Position
		severity diag.Severity
		code     diag.Code
		message  string
	}
	keyOf := func(d diag.Diagnostic) key { return key{d.Pos, d.Severity, d.Code, d.Message} }
	byKey := map[key][]string{}
	all := []string{}
	for i, list := range found {
		name := channels[i].Name
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
		for _, d := range list {
			if k := keyOf(d); !slices.Contains(byKey[k], name) {
				byKey[k] = append(byKey[k], name)
			}
		}
	}
	var out diag.List
	for _, list := range found {
		for _, d := range list {
			names := byKey[keyOf(d)]
			delete(byKey, keyOf(d))
			if len(names) == 0 || len(names) < len(all) && slices.Contains(report.OfAllRuns(), d.Code) {
				continue
			}
			if len(names) < len(all) {
				d.Append(inChannels(names))
			}
			out = append(out, d)
		}
	}
	return out.Normalize()
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
