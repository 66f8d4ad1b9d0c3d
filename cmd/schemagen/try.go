package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// tryRun is one run of the try command.
type tryRun struct {
	reporting
	// files are the objects, crds where their definitions are, olds the stored
	// objects.
	files, crds []string
	old         string
	// output is what is printed of each object: diff, yaml, or none.
	output string
	color  string
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
  schemagen try -f new.yaml --old stored.yaml --crd ./api/...`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.run(cmd.Context(), stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.files, "filename", "f", nil, "objects: files, directories, or - for standard input")
	flags.StringSliceVar(&r.crds, "crd", nil, "CRDs: files, directories, - for standard input, or Go packages")
	flags.StringVar(&r.old, "old", "", "file or directory with the stored objects, which the others replace")
	flags.StringVarP(&r.output, "output", "o", "diff", "what to print of each object: diff, yaml, none")
	flags.StringVar(&r.color, "color", "auto", "colour the diff: auto, always, never")
	r.addFlags(cmd)
	if err := cmd.MarkFlagRequired("filename"); err != nil {
		panic(err) // the flag was declared above
	}
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
	t := &trial{tryRun: r, stdin: stdin, kinds: map[string]*triedKind{}}
	if err := t.readCRDs(ctx, wd); err != nil {
		return err
	}
	if err := t.readOld(); err != nil {
		return err
	}
	sources, packages, err := findSources(r.files)
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		return fmt.Errorf("-f %s: no such file or directory", packages[0])
	}
	findings := t.findings
	if !findings.HasErrors() {
		tried, err := t.all(ctx, sources, stdout)
		if err != nil {
			return err
		}
		findings = append(findings, tried...)
	}
	return r.report(stderr, findings, wd)
}

// trial is what is known while objects are tried.
type trial struct {
	*tryRun
	stdin    io.Reader
	findings diag.List
	// kinds are the versions of the CRDs, by "Kind.group/version".
	kinds map[string]*triedKind
	olds  map[objectKey]*triedObject
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

func splitAPIVersion(apiVersion string) (group, version string) {
	group, version, grouped := strings.Cut(apiVersion, "/")
	if !grouped {
		return "", group
	}
	return group, version
}

// kindKey is how a version of a kind is found.
func kindKey(apiVersion, kind string) string { return kind + "." + apiVersion }

// all tries the objects of the files, side by side, and prints in their order.
func (t *trial) all(ctx context.Context, sources []manifestSource, stdout io.Writer) (diag.List, error) {
	type result struct {
		text     bytes.Buffer
		findings diag.List
		err      error
	}
	out := bufio.NewWriter(stdout)
	results := make([]chan *result, len(sources))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	defer wait.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for i := range results {
		results[i] = make(chan *result, 1)
	}
	wait.Go(func() {
		for i, source := range sources {
			slots <- struct{}{}
			wait.Go(func() {
				r := &result{}
				r.findings, r.err = t.file(ctx, source, &r.text)
				results[i] <- r
			})
		}
	})
	var findings diag.List
	var errs error
	for i := range sources {
		// A slot is free once its result is printed, so that few are kept.
		r := <-results[i]
		<-slots
		errs = errors.Join(errs, r.err)
		findings = append(findings, r.findings...)
		if _, err := r.text.WriteTo(out); err != nil {
			errs = errors.Join(errs, err)
		}
	}
	return findings, errors.Join(errs, out.Flush())
}

// file tries the objects of a file.
func (t *trial) file(ctx context.Context, source manifestSource, out *bytes.Buffer) (diag.List, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := readSource(source, t.stdin)
	if err != nil {
		return nil, err
	}
	objects, findings := readObjects(source, data)
	for _, o := range objects {
		if o.CRD != nil || o.Kind == "CustomResourceDefinition" {
			continue
		}
		found, err := t.one(ctx, source, o, out)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	return findings, nil
}

// one tries an object.
func (t *trial) one(ctx context.Context, source manifestSource, o *triedObject, out *bytes.Buffer) (diag.List, error) {
	kind := t.kinds[kindKey(o.APIVersion, o.Kind)]
	if kind == nil {
		severity := diag.Error
		if source.met {
			severity = diag.Note
		}
		return diag.List{{Code: codeNoKind, Severity: severity, Pos: o.place(o.Pos), Message: t.unknownKind(o), Hint: "name its CRD with --crd"}}, nil
	}
	var answer apiserver.Answer
	var err error
	action := "created"
	if old := t.olds[o.key()]; old != nil {
		action = "updated"
		answer, err = kind.Update(ctx, o.object, old.object)
	} else {
		answer, err = kind.Create(ctx, o.object)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s %s: %w", source.name, o.Kind, o.Name, err)
	}
	if len(answer.Errors) > 0 {
		action = "refused"
	}
	if err := t.print(out, o, kind, answer, action); err != nil {
		return nil, err
	}
	return kind.findings(o, answer), nil
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
