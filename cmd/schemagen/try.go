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

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
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
	if !slices.Contains([]string{"auto", "always", "never"}, r.color) {
		return fmt.Errorf("unknown color %q: use one of auto, always, never", r.color)
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	debug.SetGCPercent(tryGCPercent)
	t := newTrial(r, stdin)
	if err := t.readCRDs(ctx, wd); err != nil {
		return err
	}
	if err := t.readOld(); err != nil {
		return err
	}
	defer t.olds.close()
	sources, packages, err := findSources(r.files)
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		return fmt.Errorf("-f %s: no such file or directory", packages[0])
	}
	report, err := r.reporter(stderr, wd)
	if err != nil {
		return err
	}
	if err := report.add(t.findings); err != nil {
		return err
	}
	switch {
	case t.findings.HasErrors(): // nothing can be said of objects
	case r.sample != "":
		err = t.samples(ctx, r.sample, stdout, report)
	default:
		err = t.all(ctx, sources, stdout, report)
	}
	return cmp.Or(err, report.finish())
}

// trial is what is known while objects are tried.
type trial struct {
	*tryRun
	stdin    io.Reader
	findings diag.List
	// kinds are the versions of the CRDs, by "Kind.group/version".
	kinds map[string]*triedKind
	// subjects are the definitions, in the order in which they were named.
	subjects []*verify.Subject
	olds     *storedObjects
}

func newTrial(r *tryRun, stdin io.Reader) *trial {
	return &trial{tryRun: r, stdin: stdin, kinds: map[string]*triedKind{}}
}

// objectKey names an object among those of all kinds.
type objectKey struct{ group, kind, namespace, name string }

// triedObject is an object with the place of each value.
type triedObject struct {
	*structural.Manifest
	object map[string]any
	place  placer
}

// key is the name of the object; its version does not count.
func (o *triedObject) key() objectKey {
	group, _ := splitAPIVersion(o.APIVersion)
	metadata, _ := o.object["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	return objectKey{group, o.Kind, namespace, o.Name}
}

// clone is the key without the text of which it is a part.
func (k objectKey) clone() objectKey {
	return objectKey{strings.Clone(k.group), strings.Clone(k.kind), strings.Clone(k.namespace), strings.Clone(k.name)}
}

func splitAPIVersion(apiVersion string) (group, version string) {
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return "", group
	}
	return group, version
}

// kindKey is how a version of a kind is found.
func kindKey(apiVersion, kind string) string { return kind + "." + apiVersion }

// triedChunk is what is known of a chunk after it was tried.
type triedChunk struct {
	text     bytes.Buffer
	findings diag.List
	// unserved are kinds of its objects that no server would serve.
	unserved []*triedKind
	err      error
}

// all tries the objects of the files, side by side, and prints what there is to say
// of each in their order. Few are held at a time.
func (t *trial) all(ctx context.Context, sources []manifestSource, stdout io.Writer, report *reporter) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue := make(chan chan *triedChunk, runtime.GOMAXPROCS(0))
	go t.enqueue(ctx, sources, queue)
	told := map[*triedKind]bool{}
	var errs error
	for done := range queue {
		r := <-done
		if errs != nil {
			continue // the queue is on its way to its end
		}
		for _, kind := range r.unserved {
			if !told[kind] {
				told[kind] = true
				r.findings = append(r.findings, kind.unserved())
			}
		}
		_, err := r.text.WriteTo(stdout)
		if errs = errors.Join(r.err, err, report.add(r.findings)); errs != nil {
			cancel()
		}
	}
	return cmp.Or(errs, ctx.Err())
}

// enqueue tries the chunks of the files, and puts into the queue where each result
// will be.
func (t *trial) enqueue(ctx context.Context, sources []manifestSource, queue chan<- chan *triedChunk) {
	defer close(queue)
	for _, source := range sources {
		for c, err := range chunks(source, t.stdin) {
			if ctx.Err() != nil {
				return
			}
			done := make(chan *triedChunk, 1)
			queue <- done
			if err != nil {
				done <- &triedChunk{err: err}
				break
			}
			go func() {
				r := &triedChunk{}
				r.err = t.objects(ctx, source, c, r)
				done <- r
			}()
		}
	}
}

// objects tries the objects of a part of a file.
func (t *trial) objects(ctx context.Context, source manifestSource, c chunk, out *triedChunk) error {
	objects, findings := readObjects(source, c)
	out.findings = append(out.findings, findings...)
	for _, o := range objects {
		if err := ctx.Err(); err != nil {
			return err
		}
		if o.CRD != nil || o.Kind == "CustomResourceDefinition" {
			continue
		}
		if err := t.one(ctx, source, o, out); err != nil {
			return fmt.Errorf("%s: %s %s: %w", source.name, o.Kind, o.Name, err)
		}
	}
	return nil
}

// one tries an object.
func (t *trial) one(ctx context.Context, source manifestSource, o *triedObject, out *triedChunk) error {
	kind := t.kinds[kindKey(o.APIVersion, o.Kind)]
	if kind == nil {
		severity := diag.Error
		if source.met {
			severity = diag.Note
		}
		out.findings = append(out.findings, diag.Diagnostic{Code: codeNoKind, Severity: severity, Pos: o.place(o.Pos), Message: t.unknownKind(o), Hint: "name its CRD with --crd"})
		return nil
	}
	server, err := kind.server()
	if err != nil {
		out.unserved = append(out.unserved, kind)
		return nil
	}
	stored, err := t.olds.get(o.key())
	if err != nil {
		return err
	}
	var answer apiserver.Answer
	action := "created"
	if stored != nil {
		action = "updated"
		answer, err = server.Update(ctx, o.object, stored)
	} else {
		if t.old != "" {
			out.findings = append(out.findings, diag.Diagnostic{Code: codeNotStored, Severity: diag.Warning, Pos: o.place(o.Pos),
				Message: fmt.Sprintf("%s %s is not among the stored objects: tried as created", o.Kind, o.Name)})
		}
		answer, err = server.Create(ctx, o.object)
	}
	if stored := (&apiserver.StoredError{}); errors.As(err, &stored) {
		out.findings = append(out.findings, diag.Diagnostic{Code: codeNotStored, Severity: diag.Error, Pos: o.place(o.Pos),
			Message: fmt.Sprintf("what is stored of %s %s is no object of this kind: %v", o.Kind, o.Name, stored.Unwrap())})
		return nil
	}
	if err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		action = "refused"
	}
	out.findings = append(out.findings, kind.findings(o, answer)...)
	return t.print(&out.text, o, kind, answer, action)
}

// unknownKind says what is known instead of a kind.
func (t *trial) unknownKind(o *triedObject) string {
	group, _ := splitAPIVersion(o.APIVersion)
	var versions []string
	for _, k := range t.kinds {
		if k.group == group && k.kind == o.Kind {
			versions = append(versions, k.version)
		}
	}
	if len(versions) > 0 {
		slices.Sort(versions)
		return fmt.Sprintf("the CRD of %s.%s serves no version %s: it has %s", o.Kind, group, o.APIVersion, strings.Join(versions, ", "))
	}
	return fmt.Sprintf("there is no CRD of kind %s in %s", o.Kind, o.APIVersion)
}

// readSource reads a file, or standard input.
func readSource(source manifestSource, stdin io.Reader) ([]byte, error) {
	if source.name == "-" {
		data, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return data, nil
	}
	return os.ReadFile(source.name)
}
