package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/output"
)

// tryGCPercent is lower than that of other commands: a run may be long, and what
// it needs of an object is garbage soon.
const tryGCPercent = 100

// tryRun is one run of the try command.
type tryRun struct {
	reporting
	// files are the objects, crds where their definitions are, old where the stored
	// objects are.
	files, crds []string
	definitions definitionFlags
	old         string
	// subresource is what the objects are written through: empty, status, or scale.
	subresource string
	// output is what is printed of each object: diff, yaml, or none.
	output string
	color  string
	// sample is a kind of which samples are printed instead.
	sample string
}

func newTryCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var r tryRun
	cmd := &cobra.Command{
		Use:   "try -f FILE --crd CRD",
		Short: "Say what an API server would store of custom resources.",
		Long: `Say what an API server would store of custom resources, without one: what it
drops, what it defaults, which members of unions a policy or webhook clears, and
what it refuses, each at its line.

Objects are files, directories, or - for standard input. Their CRDs are files,
directories, -, or Go packages; those among the objects are used, too.`,
		Example: `  schemagen try -f widget.yaml --crd config/crd/bases
  schemagen try -f new.yaml --old stored.yaml --crd ./api/...
  schemagen try --sample Widget --crd config/crd/bases`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.definitions.configure(cmd, &r.reporting); err != nil {
				return err
			}
			return r.run(cmd.Context(), stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.files, "filename", "f", nil, "objects: files, directories, or - for standard input")
	flags.StringSliceVar(&r.crds, "crd", nil, "CRDs: files, directories, - for standard input, or Go packages")
	flags.StringVar(&r.old, "old", "", "file or directory with the stored objects, which the others replace")
	flags.StringVar(&r.subresource, "subresource", "", "write the objects of --old through a subresource: status, or scale with objects of kind Scale")
	flags.StringVarP(&r.output, "output", "o", "diff", "what to print of each object: diff, yaml, none")
	flags.StringVar(&r.color, "color", "auto", "colour the diff: auto, always, never")
	flags.StringVar(&r.sample, "sample", "", "print a minimal and a full object of a `kind`: Kind, Kind.group or Kind.group/version")
	r.addFlags(cmd)
	r.definitions.add(cmd)
	cmd.MarkFlagsOneRequired("filename", "sample")
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
		return errors.New("--subresource wants --old: a subresource is written of what is stored")
	}
	if !slices.Contains([]string{"auto", "always", "never"}, r.color) {
		return fmt.Errorf("unknown color %q: use one of auto, always, never", r.color)
	}
	debug.SetGCPercent(tryGCPercent)
	trial, findings, err := r.trial(ctx, stdin)
	if err != nil {
		return err
	}
	trial.Subresource = r.subresource
	if r.old != "" {
		olds, found, err := r.readOld(stdin)
		if err != nil {
			return err
		}
		defer olds.close()
		trial.Stored, findings = olds.get, append(findings, found...)
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
	case findings.HasErrors(): // nothing can be said of objects
	case r.sample != "":
		err = r.samples(ctx, trial, stdout, report)
	default:
		err = r.all(ctx, trial, sources, stdin, stdout, report)
	}
	return cmp.Or(err, report.finish())
}

// trial returns a trial with the definitions, wherever they are; those among the objects
// count last, and what is wrong with them is said when objects are read.
func (r *tryRun) trial(ctx context.Context, stdin io.Reader) (*dryrun.Trial, diag.List, error) {
	in, err := r.definitions.reader(stdin)
	if err != nil {
		return nil, nil, err
	}
	named, findings, err := in.Read(ctx, r.crds)
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
	others, _, err := in.Files(among)
	return dryrun.New(append(named, others...)...), findings, err
}

// triedPart is what is known of a part of a file after its objects were tried.
type triedPart struct {
	text     bytes.Buffer
	findings diag.List
	// kinds are those of its objects.
	kinds []*dryrun.Kind
	err   error
}

// all tries the objects of the files, side by side, and prints what there is to say
// of each in their order. Few are held at a time.
func (r *tryRun) all(ctx context.Context, trial *dryrun.Trial, sources []definitions.Source, stdin io.Reader, stdout io.Writer, report *reporter) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan *triedPart, runtime.GOMAXPROCS(0))
	go r.enqueue(ctx, trial, sources, stdin, queue)
	checked := map[*dryrun.Kind]bool{}
	var errs error
	for done := range queue {
		part := <-done
		if errs != nil {
			continue // the queue is on its way to its end
		}
		for _, kind := range part.kinds {
			if checked[kind] {
				continue
			}
			checked[kind] = true
			found, err := kind.Check()
			part.findings, part.err = append(part.findings, found...), errors.Join(part.err, err)
		}
		_, err := part.text.WriteTo(r.place(stdout))
		if errs = errors.Join(part.err, err, report.add(part.findings)); errs != nil {
			cancel()
		}
	}
	return cmp.Or(errs, ctx.Err())
}

// enqueue tries the parts of the files, and puts into the queue where each result will
// be.
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

// objects tries the objects of a part of a file.
func (r *tryRun) objects(ctx context.Context, trial *dryrun.Trial, file crd.File, out *triedPart) error {
	objects, findings := dryrun.ReadObjects(file)
	out.findings = append(out.findings, findings...)
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

// print writes what the run wants to see of an object: what a server makes of it, or of the
// stored object of which it is a part.
func (r *tryRun) print(out *bytes.Buffer, o *dryrun.Object, result *dryrun.Result) error {
	if result.Action == "" || r.output == "none" || r.output == "yaml" && result.Action == dryrun.Refused {
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
	r.writeDiff(out, before, after)
	return nil
}

// samples prints a minimal and a full object of a kind, and says what the server
// would still refuse of them.
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
		title := "# A minimal " + diag.Line(kind.Kind) + ": what must be there."
		if full {
			title = "# A full " + diag.Line(kind.Kind) + ": the fields that can be there together."
		}
		if _, err := fmt.Fprintf(diag.Documents(stdout), "---\n%s\n%s", title, sample.YAML); err != nil {
			return err
		}
		findings = append(findings, sample.Findings...)
	}
	return report.add(findings)
}

// place is where what is made of objects goes: YAML is a document, and colours are
// controls of the terminal.
func (r *tryRun) place(stdout io.Writer) io.Writer {
	if r.output == "yaml" || r.colored() {
		return diag.Documents(stdout)
	}
	return stdout
}

// colored reports whether the diff has colours.
func (r *tryRun) colored() bool {
	if r.color != "auto" {
		return r.color == "always"
	}
	info, err := os.Stdout.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

// writeDiff writes all lines, those of one side only marked.
func (r *tryRun) writeDiff(out *bytes.Buffer, before, after []byte) {
	a, b := slices.Collect(strings.Lines(string(before))), slices.Collect(strings.Lines(string(after)))
	colored := r.colored()
	line := func(mark, color, text string) {
		if colored && color != "" {
			text = color + mark + diag.Line(strings.TrimSuffix(text, "\n")) + "\x1b[0m\n"
		} else {
			text = mark + diag.Lines(text)
		}
		out.WriteString(text)
	}
	at := 0
	for _, d := range output.DiffLines(a, b) {
		for ; at < d.Start; at++ {
			line("  ", "", a[at])
		}
		for ; at < d.End; at++ {
			line("- ", "\x1b[31m", a[at])
		}
		for i := d.ReplStart; i < d.ReplEnd; i++ {
			line("+ ", "\x1b[32m", b[i])
		}
	}
	for ; at < len(a); at++ {
		line("  ", "", a[at])
	}
}
