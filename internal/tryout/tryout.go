package tryout

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Run tries the objects of one run.
type Run struct {
	Trial *dryrun.Trial
	// Stdin is read as "-", and objects are written to Stdout.
	Stdin  io.Reader
	Stdout io.Writer
	// Output is how each object is written: diff, yaml, or none. Paint colours a diff.
	Output string
	Paint  screen.Paint
	// Converted, if not nil, converts the objects that are stored to another version. They are
	// written, too, or with yaml instead.
	Converted *convertrun.Trial
	// Keep, if not nil, is called with what is read. It may be called concurrently.
	Keep func(file crd.File)
	// Report is called with findings, in the order of the files.
	Report func(findings diag.List) error
}

// triedPart is the result of trying the objects in a part of a file.
type triedPart struct {
	text     bytes.Buffer
	findings diag.List
	// objects is the number of objects, and kinds are their kinds.
	objects int
	kinds   []*dryrun.Kind
	err     error
	panic   *parallel.Panic
}

// All tries the objects in the files in parallel and writes the results in order. Only a
// few are held in memory at a time.
func (r *Run) All(ctx context.Context, sources []definitions.Source) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan *triedPart, runtime.GOMAXPROCS(0))
	var failure *parallel.Panic
	go func() {
		defer close(queue)
		failure = parallel.Catch(func() { r.enqueue(ctx, sources, queue) })
	}()
	checked := map[*dryrun.Kind]bool{}
	tried := progress.Start(ctx, "trying", "objects", 0)
	var errs error
	empty := true
	for done := range queue {
		part := <-done
		if part.panic != nil {
			cancel()
		}
		part.panic.Raise()
		tried.Add(part.objects)
		empty = empty && part.objects+len(part.findings) == 0
		if errs != nil {
			continue // drain the queue
		}
		for _, kind := range part.kinds {
			if checked[kind] {
				continue
			}
			checked[kind] = true
			found, err := kind.Check()
			part.findings = append(part.findings, found...)
			part.err = errors.Join(part.err, err)
		}
		_, err := part.text.WriteTo(r.writer())
		errs = errors.Join(part.err, err, r.Report(part.findings))
		if errs != nil {
			cancel()
		}
	}
	failure.Raise()
	if empty && errs == nil && ctx.Err() == nil {
		return errors.New("no objects to try: the input is empty")
	}
	return cmp.Or(errs, ctx.Err())
}

// enqueue starts trying the parts of the files, and queues a channel for each result. A part in
// which there is a panic has that.
func (r *Run) enqueue(ctx context.Context, sources []definitions.Source, queue chan<- chan *triedPart) {
	for _, source := range sources {
		for file, err := range source.Chunks(r.Stdin) {
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
				part.panic = parallel.Catch(func() {
					parallel.For(file.Name, func() { part.err = r.objects(ctx, file, part) })
				})
				done <- part
			}()
		}
	}
}

// objects tries the objects in a part of a file.
func (r *Run) objects(ctx context.Context, file crd.File, out *triedPart) error {
	if r.Keep != nil {
		r.Keep(file)
	}
	objects, findings := dryrun.ReadObjects(file)
	out.findings = append(out.findings, findings...)
	out.objects = len(objects)
	objects = slices.DeleteFunc(objects, (*dryrun.Object).IsDefinition)
	results := make([]*dryrun.Result, len(objects))
	var err error
	failed := func(o *dryrun.Object) error {
		return fmt.Errorf("%s: %s %s: %w", file.Name, o.Kind, o.Name, err)
	}
	for i, o := range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		results[i], err = r.Trial.Try(ctx, o)
		if err != nil {
			return failed(o)
		}
	}
	converted := make([]*convertrun.Converted, len(objects))
	if r.Converted != nil {
		converted, err = r.Converted.Convert(ctx, objects, results)
		if err != nil {
			return err
		}
	}
	for i, o := range objects {
		result := results[i]
		if err = r.print(&out.text, o, result, converted[i]); err != nil {
			return failed(o)
		}
		out.findings = append(out.findings, result.Findings...)
		if converted[i] != nil {
			out.findings = append(out.findings, converted[i].Findings...)
		}
		if result.Kind != nil && !slices.Contains(out.kinds, result.Kind) {
			out.kinds = append(out.kinds, result.Kind)
		}
	}
	return nil
}

// print writes an object in the selected form: as a server would store it or, for a
// subresource, as part of the stored object. converted may be nil.
func (r *Run) print(out *bytes.Buffer, o *dryrun.Object, result *dryrun.Result, converted *convertrun.Converted) error {
	if result.Action == "" || r.Output == "none" || r.Output == "yaml" && result.Action == dryrun.Rejected {
		return nil
	}
	tail, err := result.StoredYAML()
	if err != nil {
		return err
	}
	if r.Output == "yaml" {
		switch {
		case converted != nil:
			tail = converted.YAML
		case r.Converted != nil && result.Kind.Version != r.Converted.To:
			tail = nil
		}
		if len(tail) > 0 {
			out.WriteString("---\n")
			out.Write(tail)
		}
		return nil
	}
	head, err := result.GivenYAML()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "# %s %s: %s\n", screen.Line(o.Kind), screen.Line(o.Name), result.Action)
	output.PrintFull(out, r.Paint, head, tail)
	if converted == nil || converted.YAML == nil {
		return nil
	}
	fmt.Fprintf(out, "# %s %s converted to %s", screen.Line(o.Kind), screen.Line(o.Name), r.Converted.To)
	if converted.Kept > 0 {
		fmt.Fprintf(out, ": keeps %d bytes", converted.Kept)
	}
	out.WriteByte('\n')
	output.PrintFull(out, r.Paint, tail, converted.YAML)
	return nil
}

// Samples writes a minimal and a full object of a kind, and reports what a server would
// still reject.
func (r *Run) Samples(ctx context.Context, name string) error {
	kind, err := r.Trial.Kind(name)
	if err != nil {
		return fmt.Errorf("--sample %s: %w", name, err)
	}
	var findings diag.List
	for _, full := range []bool{false, true} {
		sample, err := kind.Sample(ctx, full)
		if err != nil {
			return err
		}
		if sample.YAML == nil {
			return r.Report(sample.Findings)
		}
		title := "# A minimal " + screen.Line(kind.Kind) + ": required fields only."
		if full {
			title = "# A full " + screen.Line(kind.Kind) + ": all fields that can be set together."
		}
		if _, err := fmt.Fprintf(screen.Documents(r.Stdout), "---\n%s\n%s", title, sample.YAML); err != nil {
			return err
		}
		findings = append(findings, sample.Findings...)
	}
	return r.Report(findings)
}

// writer returns the writer for objects: YAML is a document, which is not escaped.
func (r *Run) writer() io.Writer {
	if r.Output == "yaml" {
		return screen.Documents(r.Stdout)
	}
	return r.Stdout
}
