package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/progress"
	"github.com/schemagen/schemagen/internal/project"
)

// tryGCPercent is lower than in other commands: a run may be long, and most allocations
// for an object are short-lived.
const tryGCPercent = 100

// tryRun is one run of the try command.
type tryRun struct {
	reporting
	// files contain the objects, crds their definitions, and old the stored objects.
	files, crds []string
	definitions definitionFlags
	old         string
	// subresource is the subresource to write: empty, status, or scale.
	subresource string
	// output is how each object is printed: diff, yaml, or none.
	output string
	// sample is the kind to print samples of instead.
	sample string
}

func newTryCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var r tryRun
	cmd := &cobra.Command{
		Use:   "try [-f FILE] [--crd CRD]",
		Short: "Show what an API server would store for custom resources.",
		Long: `Show what an API server would store for custom resources: the fields that it drops,
defaults and rejects, and the union members that a policy or webhook clears, each
with its line. No server is needed.

Objects are files, directories, or - for standard input; the default is
config/samples. CRDs are files, directories, -, or Go packages; the default is the
project's, as for verify. CRDs among the objects are also used.`,
		Example: `  schemagen try -f widget.yaml --crd config/crd/bases
  schemagen try -f new.yaml --old stored.yaml --crd ./api/...
  schemagen try --sample Widget --crd config/crd/bases`,
		Args: func(cmd *cobra.Command, args []string) error {
			if samples := project.Samples(nil, "."); len(r.files) == 0 && r.sample == "" && samples != "" {
				r.files = []string{samples}
			}
			if len(r.files) == 0 && r.sample == "" {
				return cli.UsageError(cmd, "try needs objects: -f FILE, or --sample KIND to print some; there is no config/samples")
			}
			return cli.Args(0, 0, "")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.definitions.configure(cmd, &r.reporting); err != nil {
				return err
			}
			return r.run(cmd.Context(), stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.files, "filename", "f", nil, "read objects from files, directories, or - for standard input (default: config/samples)")
	flags.StringSliceVar(&r.crds, "crd", nil, crdFlagHelp)
	flags.StringVar(&r.old, "old", "", "update these stored objects: a file or directory")
	flags.StringVar(&r.subresource, "subresource", "", "update a subresource of the --old objects: status, or scale with objects of kind Scale")
	flags.StringVarP(&r.output, "output", "o", "diff", "print each object as: diff, yaml, none")
	flags.StringVar(&r.sample, "sample", "", "print a minimal and a full object of a `kind`: Kind, Kind.group or Kind.group/version")
	r.addFlags(cmd)
	r.definitions.add(cmd)
	cmd.MarkFlagsMutuallyExclusive("filename", "sample")
	return cmd
}

func (r *tryRun) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	if !slices.Contains([]string{"diff", "yaml", "none"}, r.output) {
		return fmt.Errorf("unknown output %q: use one of diff, yaml, none", r.output)
	}
	if !slices.Contains([]string{"", "status", "scale"}, r.subresource) {
		return fmt.Errorf("unknown subresource %q: use one of status, scale", r.subresource)
	}
	if r.subresource != "" && r.old == "" {
		return errors.New("--subresource needs --old: it updates a stored object")
	}
	debug.SetGCPercent(tryGCPercent)
	trial, findings, err := r.trial(ctx, stdin)
	if err != nil {
		return err
	}
	trial.Subresource = r.subresource
	if r.old != "" {
		olds, found, err := definitions.ReadStored(r.old, stdin)
		if err != nil {
			return err
		}
		defer olds.Close()
		trial.Stored, findings = olds.Get, append(findings, found...)
	}
	sources, packages, err := definitions.Find(r.files)
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		return fmt.Errorf("-f %s: no such file or directory", packages[0])
	}
	report, err := r.reporter(stderr)
	if err != nil {
		return err
	}
	if err := report.add(findings); err != nil {
		return err
	}
	switch {
	case findings.HasErrors(): // objects cannot be tried
	case r.sample != "":
		err = r.samples(ctx, trial, stdout, report)
	default:
		err = r.all(ctx, trial, sources, stdin, stdout, report)
	}
	return cmp.Or(err, report.finish())
}

// trial returns a trial with the definitions from --crd, or else those of the project, and from
// the object files. If several define a kind, --crd comes first and the project last. Mistakes
// in object files are reported when the objects are read.
func (r *tryRun) trial(ctx context.Context, stdin io.Reader) (*dryrun.Trial, diag.List, error) {
	in, err := r.definitions.reader(stdin)
	if err != nil {
		return nil, nil, err
	}
	crds := r.crds
	if dir := r.definitions.project.Definitions(nil, r.definitions.dir); len(crds) == 0 && dir != "" {
		crds = []string{dir}
	}
	named, findings, err := in.Read(ctx, crds)
	if err != nil {
		return nil, nil, err
	}
	files := slices.DeleteFunc(slices.Clone(r.files), func(name string) bool { return name == "-" })
	among, _, err := definitions.Find(files)
	if err != nil {
		return nil, nil, err
	}
	for i := range among {
		among[i].Found = true
	}
	more, _, err := in.Files(among)
	if len(r.crds) == 0 { // those of the project are only the default
		named, more = more, named
	}
	trial := dryrun.New(append(named, more...)...)
	trial.Hints = dryrun.Hints{CRD: "with --crd", Status: "try --subresource status with --old"}
	return trial, findings, err
}

// triedPart is the result of trying the objects in a part of a file.
type triedPart struct {
	text     bytes.Buffer
	findings diag.List
	// objects is the number of objects, and kinds are those that they have.
	objects int
	kinds   []*dryrun.Kind
	err     error
}

// all tries the objects in the files in parallel and prints the results in order. Only a
// few are held in memory at a time.
func (r *tryRun) all(ctx context.Context, trial *dryrun.Trial, sources []definitions.Source, stdin io.Reader, stdout io.Writer, report *reporter) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan *triedPart, runtime.GOMAXPROCS(0))
	go r.enqueue(ctx, trial, sources, stdin, queue)
	checked := map[*dryrun.Kind]bool{}
	tried := progress.Start(ctx, "trying", "objects", 0)
	var errs error
	for done := range queue {
		part := <-done
		tried.Add(part.objects)
		if errs != nil {
			continue // drain the queue
		}
		for _, kind := range part.kinds {
			if checked[kind] {
				continue
			}
			checked[kind] = true
			found, err := kind.Check()
			part.findings, part.err = append(part.findings, found...), errors.Join(part.err, err)
		}
		_, err := part.text.WriteTo(r.writer(stdout))
		if errs = errors.Join(part.err, err, report.add(part.findings)); errs != nil {
			cancel()
		}
	}
	return cmp.Or(errs, ctx.Err())
}

// enqueue starts trying the parts of the files, and queues a channel for each result.
func (r *tryRun) enqueue(ctx context.Context, trial *dryrun.Trial, sources []definitions.Source, stdin io.Reader, queue chan<- chan *triedPart) {
	defer close(queue)
	for _, source := range sources {
		for file, err := range source.Chunks(stdin) {
			if ctx.Err() != nil {
				return
			}
			done := make(chan *triedPart, 1)
			queue <- done
			if err != nil {
				done <- &triedPart{err: err}
				break
			}
			go func() {
				part := &triedPart{}
				part.err = r.objects(ctx, trial, file, part)
				done <- part
			}()
		}
	}
}

// objects tries the objects in a part of a file.
func (r *tryRun) objects(ctx context.Context, trial *dryrun.Trial, file crd.File, out *triedPart) error {
	if r.definitions.keep != nil {
		r.definitions.keep(file)
	}
	objects, findings := dryrun.ReadObjects(file)
	out.findings, out.objects = append(out.findings, findings...), len(objects)
	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		if o.IsDefinition() {
			continue
		}
		result, err := trial.Try(ctx, o)
		if err == nil {
			err = r.print(&out.text, o, result)
		}
		if err != nil {
			return fmt.Errorf("%s: %s %s: %w", file.Name, o.Kind, o.Name, err)
		}
		out.findings = append(out.findings, result.Findings...)
		if result.Kind != nil && !slices.Contains(out.kinds, result.Kind) {
			out.kinds = append(out.kinds, result.Kind)
		}
	}
	return nil
}

// print writes an object in the selected form: as a server would store it or, for a
// subresource, as part of the stored object.
func (r *tryRun) print(out *bytes.Buffer, o *dryrun.Object, result *dryrun.Result) error {
	if result.Action == "" || r.output == "none" || r.output == "yaml" && result.Action == dryrun.Rejected {
		return nil
	}
	after, err := result.StoredYAML()
	if err != nil {
		return err
	}
	if r.output == "yaml" {
		out.WriteString("---\n")
		out.Write(after)
		return nil
	}
	before, err := result.GivenYAML()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# %s %s: %s\n", diag.Line(o.Kind), diag.Line(o.Name), result.Action)
	output.PrintFull(out, diag.PaintOf(r.console.Out.Terminal), before, after)
	return nil
}

// samples prints a minimal and a full object of a kind, and reports what a server would
// still reject.
func (r *tryRun) samples(ctx context.Context, trial *dryrun.Trial, stdout io.Writer, report *reporter) error {
	kind, err := trial.Kind(r.sample)
	if err != nil {
		return fmt.Errorf("--sample %s: %w", r.sample, err)
	}
	var findings diag.List
	for _, full := range []bool{false, true} {
		sample, err := kind.Sample(ctx, full)
		if err != nil {
			return err
		}
		if sample.YAML == nil {
			return report.add(sample.Findings)
		}
		title := "# A minimal " + diag.Line(kind.Kind) + ": required fields only."
		if full {
			title = "# A full " + diag.Line(kind.Kind) + ": all fields that can be set together."
		}
		if _, err := fmt.Fprintf(diag.Documents(stdout), "---\n%s\n%s", title, sample.YAML); err != nil {
			return err
		}
		findings = append(findings, sample.Findings...)
	}
	return report.add(findings)
}

// writer returns the writer for objects: YAML is a document, which is not escaped.
func (r *tryRun) writer(stdout io.Writer) io.Writer {
	if r.output == "yaml" {
		return diag.Documents(stdout)
	}
	return stdout
}
