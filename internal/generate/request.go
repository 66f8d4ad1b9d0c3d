package generate

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// Request is the complete input of a run of the CRD generator, known before any source is
// read. All of its fields together are the key of the run cache, so nothing else passed to
// [Run] may change its result. In its Options, Inputs, Loaded and Server are nil.
type Request struct {
	define.Options
	// KubeVersion is the Kubernetes version whose API server must accept the output.
	KubeVersion string
	// Destination is the output directory; "-" is standard output, and empty writes no CRDs.
	Destination string
	// Channels are the channels to generate. If there are none, definitions are generated for
	// the gates of the options.
	Channels []Channel
	// Shared is where definitions are written that are the same in all channels. With it, Channels
	// are all of the project file, and channels that are not selected have no destination.
	Shared SharedOutput
	// Contains are pairs of channels of which one has to contain the other.
	Contains []project.Containment
	// OnlyListed compares no other pairs of channels than those: findings about them are off.
	OnlyListed bool
	// NamedGates are the gates of the project file, and EveryChannel is set if Channels are all
	// of its channels.
	NamedGates   []project.Gate
	EveryChannel bool
	// Companions and Patch are generators to run in addition to crd. NoCRD is set if crd
	// itself is not run.
	Companions Companions
	Patch      *Patch
	NoCRD      bool
	// WithoutCRDs makes the definitions, for documents, and writes no CRDs.
	WithoutCRDs bool
	// Functions, Conversions and Documents are made in addition, or not at all.
	Functions   *Functions
	Conversions *Conversions
	Documents   Documents
	// CurrentYear is the year that applyconfiguration writes to headers, or 0 without that
	// generator.
	CurrentYear int
	// Within is where files may be written.
	Within output.Writer
	// AllPackages reports whether the run covers every package in schemagen.yaml.
	AllPackages bool
	// Prune removes files written by schemagen that no longer belong to a kind.
	Prune bool
	// Partial is set if schemagen generate runs only some generators, and so prunes nothing.
	Partial bool
	// Kustomize writes a kustomization.yaml into the output directory.
	Kustomize bool
	// Helm is a directory of a Helm chart that the CRDs are also written to: its crds or
	// templates directory, or one directly in templates. Empty writes none.
	Helm string
	// Strict is the value of --strict, which changes the severities of findings.
	Strict bool
	// Since is the commit whose findings about API conventions are not reported, or empty.
	Since string
	// ProjectFile identifies the project file, including its content, because it has
	// severities and waivers.
	ProjectFile string
	// Environment has the environment variables that may affect the go command and the API
	// server's code.
	Environment []string
}

// Bounds returns where the request may write files, and sets Within: what the writer allows, and
// what patterns of packages and arguments in controller-gen's syntax name. If within is not empty, it is the only
// directory.
func (r *Request) Bounds(writer output.Writer, within string) *output.Writer {
	if within != "" {
		writer = output.Writer{Root: within, Places: writer.Places}
	} else {
		writer.Named = slices.Concat(writer.Named, golist.Directories(r.Patterns), r.Companions.named(),
			r.Companions.HeaderFiles())
		if r.Patch != nil {
			writer.Named = append(writer.Named, commandline.Directories(r.Patch.Rule)...)
		}
	}
	r.Within = writer
	return &r.Within
}

// Result is the result of [Run].
type Result struct {
	// Outputs are the files to write, Printed those to print to standard output.
	Outputs, Printed []output.File
	// Stale are the files to remove.
	Stale    []string
	Findings diag.List
}

// Run runs the generator for a request. in records the files that are read; if it is nil,
// reads are not recorded. If noteSources is set, the files that the companion generators read
// are recorded as well.
func Run(ctx context.Context, request Request, server define.Server, reader *inputs.Reader, noteSources bool) (*Result, error) {
	return (&runner{Request: request, in: reader, noteSources: noteSources}).run(ctx, server, define.Load)
}

// Session is a series of runs in a directory, which reuse what they know of files that are the
// same. Its zero value is the beginning of one.
type Session struct {
	// loaded are the packages of the last run.
	loaded *define.Loaded
}

// Findings returns the findings of [Run]. Before definitions are verified, it calls unverified with
// the findings so far, some of which others may replace. That takes much longer than everything
// before.
func (s *Session) Findings(ctx context.Context, request Request, server define.Server, reader *inputs.Reader,
	unverified func(diag.List)) (diag.List, error) {
	r := &runner{Request: request, in: reader}
	r.unverified = func(found diag.List) { unverified(definitions.WithoutIgnored(reader, found)) }
	made, err := r.run(ctx, server, func(ctx context.Context, options define.Options) (loaded *define.Loaded, err error) {
		loaded, err = define.LoadAgain(ctx, options, s.loaded)
		s.loaded = cmp.Or(loaded, s.loaded)
		return loaded, err
	})
	if err != nil {
		return nil, err
	}
	return made.Findings, nil
}

func (r *runner) run(ctx context.Context, server define.Server,
	load func(context.Context, define.Options) (*define.Loaded, error)) (*Result, error) {
	r.Options.Inputs = r.in
	r.Options.Server = server
	r.Options.Passes = passes.All()
	loaded, err := load(ctx, r.Options)
	if err != nil {
		return nil, err
	}
	r.Options.Loaded = loaded
	crds, err := r.generate(ctx)
	if err != nil {
		return nil, err
	}
	all, err := r.runCompanions(ctx, crds)
	if err != nil {
		return nil, err
	}
	all.stale = append(all.stale, crds.stale...)
	all.findings = append(crds.findings, notEchoed(all.findings, crds.findings)...)
	if err := r.runOthers(ctx, all); err != nil {
		return nil, err
	}
	findings := all.findings.Normalize()
	for _, file := range located(findings) {
		r.in.Whole(file) // a change of any line may change the numbers of others
	}
	slices.SortStableFunc(all.printed, func(a, b written) int {
		return cmp.Compare(slices.Index(r.Companions.Order, a.generator), slices.Index(r.Companions.Order, b.generator))
	})
	return &Result{filesOf(all.files), filesOf(all.printed), all.stale, findings}, nil
}

// made is what generators of a run make.
type made struct {
	files []written
	// printed are the files to print instead of being written.
	printed []written
	// stale are the paths of files to remove.
	stale    []string
	findings diag.List
}

// located returns the files that findings have positions in.
func located(findings diag.List) (files []string) {
	for _, d := range findings {
		files = append(files, d.Pos.File)
		for _, related := range d.Related {
			files = append(files, related.Pos.File)
		}
		for _, fix := range d.Fixes {
			for _, edit := range fix.Edits {
				files = append(files, edit.Pos.File)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// runner is one run for a request, with Inputs and Server set in its Options.
type runner struct {
	Request
	in          *inputs.Reader
	noteSources bool
	// unverified has the meaning that it has in [Session.Findings].
	unverified func(diag.List)
	// kinds are the definitions of the kinds, set by generate.
	kinds []*apiextensionsv1.CustomResourceDefinition
	// documented are the files of the definitions that documents are about, set by generate.
	documented []written
	// declared are the results of declaredKinds.
	declared map[string][]configgen.Declared
}

// runCompanions runs schemapatch and the companion generators. It returns all files to write, those
// of crd included, those to print, and the findings of the generators that it runs.
func (r *runner) runCompanions(ctx context.Context, crds *made) (*made, error) {
	if r.Patch == nil && len(r.Companions.Generators) == 0 {
		return &made{files: crds.files}, nil
	}
	out := &made{files: crds.files}
	if r.Destination == "-" {
		out = &made{printed: crds.files}
	}
	if r.Patch != nil {
		options := r.Options
		options.Gates = r.firstWritten().Gates
		patched, err := r.Patch.run(ctx, options, out.files)
		if err != nil {
			return nil, err
		}
		out.files = patched.files
		out.printed = append(out.printed, patched.printed...)
		out.findings = definitions.WithoutIgnored(r.in, patched.findings)
	}
	if len(r.Companions.Generators) > 0 {
		more, err := r.Companions.run(ctx, commandline.Options{
			Source: r.Options, Year: r.CurrentYear, NoteSources: r.noteSources,
			Kinds: configgen.Kinds{Defined: r.kinds, Declared: r.declaredKinds},
			// An error in the API types is reported with its position. controller-gen's own code
			// would load the packages again, only to fail for the same reason.
			OwnOnly: crds.findings.HasErrors(),
		})
		if err != nil {
			return nil, err
		}
		out.files = slices.Concat(out.files, more.files)
		out.printed = append(out.printed, more.printed...)
		out.findings = append(out.findings, notEchoed(more.findings, out.findings)...)
		out.findings = append(out.findings, collisions(r.Dir, out.files)...)
		// A companion generator writes nothing if the API types have errors, so that no output is stale then.
		if r.Prune && !crds.findings.HasErrors() && !out.findings.HasErrors() {
			var reported diag.List
			out.stale, reported, err = r.Companions.stale(ctx, r.Options, out.files)
			if err != nil {
				return nil, err
			}
			out.findings = append(out.findings, reported...)
		}
	}
	return out, nil
}

// runOthers runs the generators of schemagen's own: functions, conversions and documents.
func (r *runner) runOthers(ctx context.Context, out *made) error {
	count := len(out.files)
	add := func(generator string, result *Result, err error) error {
		if err != nil {
			return err
		}
		for _, f := range result.Outputs {
			out.files = append(out.files, written{File: f, generator: generator})
		}
		out.stale = append(out.stale, result.Stale...)
		out.findings = append(out.findings, notEchoed(result.Findings, out.findings)...)
		return nil
	}
	if r.Functions != nil {
		result, err := r.Functions.Run(ctx, r.Options)
		if err := add(unionsGenerator, result, err); err != nil {
			return err
		}
	}
	if r.Conversions != nil {
		result, err := r.Conversions.Run(ctx, r.Options)
		if err := add(conversionsGenerator, result, err); err != nil {
			return err
		}
	}
	if !out.findings.HasErrors() {
		documents, err := r.Documents.run(ctx, r.Dir, r.documented)
		if err != nil {
			return err
		}
		out.files = append(out.files, documents.files...)
		out.findings = append(out.findings, documents.findings...)
	}
	if len(out.files) > count {
		out.findings = append(out.findings, collisions(r.Dir, out.files)...)
	}
	return nil
}

func filesOf(list []written) []output.File {
	var files []output.File
	for _, f := range list {
		f.File.By = f.generator
		files = append(files, f.File)
	}
	return files
}

// generate returns the CRD files to write, and the stale files to remove.
func (r *runner) generate(ctx context.Context) (*made, error) {
	if r.NoCRD && r.Patch == nil {
		findings, err := define.Misspelled(ctx, r.Options)
		return &made{findings: definitions.WithoutIgnored(r.in, findings)}, err
	} else if r.NoCRD {
		return &made{}, nil // schemapatch reports them
	}
	channels := r.channels()
	asked := make([]define.Channel, len(channels))
	for i, c := range channels {
		asked[i] = c.Channel
	}
	all, findings, err := define.MakeChannels(ctx, r.Options, append(asked, r.plain(channels)...), r.unverified)
	if err != nil {
		return nil, err
	}
	defined := all[:len(channels)]
	for i := range defined {
		for _, m := range defined[i].CRDs {
			r.kinds = append(r.kinds, m.Object())
		}
	}
	out := &made{}
	targets := r.targets(channels, defined, all[len(channels):])
	// Stale files are searched for before anything is written: with --strict they are errors,
	// and nothing is written if there is an error.
	if !findings.HasErrors() {
		var more diag.List
		out.stale, more, err = r.stale(targets)
		if err != nil {
			return nil, err
		}
		for i := range targets {
			manifests, found, err := r.installManifests(&targets[i], out.stale)
			if err != nil {
				return nil, err
			}
			targets[i].outputs = manifests
			findings = slices.Concat(findings, found)
		}
		findings = slices.Concat(findings, more, r.gateFindings(channels, defined)).Normalize()
	}
	for _, file := range targets[0].files {
		path := filepath.Join(targets[0].Destination, targets[0].fileName(file.Name))
		r.documented = append(r.documented, written{File: output.File{Path: path, Data: file.Data}})
	}
	for i := range targets {
		t := &targets[i]
		if t.Destination != "" {
			for _, file := range t.own {
				t.outputs = append(t.outputs,
					output.File{Path: filepath.Join(t.Destination, t.fileName(file.Name)), Data: file.Data})
			}
		}
		for _, f := range t.outputs {
			out.files = append(out.files, written{File: f, generator: "crd"})
		}
	}
	findings = append(findings, sharedFiles(targets)...)
	more, err := r.contained(ctx, channels, defined)
	if err != nil {
		return nil, err
	}
	out.findings = definitions.WithoutIgnored(r.in, append(findings, more...))
	return out, nil
}
