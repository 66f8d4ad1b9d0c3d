package definitions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/parallel"
	"github.com/schemagen/schemagen/internal/progress"
	"github.com/schemagen/schemagen/verify"
)

// VerifyOptions configure [Verify].
type VerifyOptions struct {
	// Server is the API server that the definitions must be accepted by.
	Server *verify.Verifier
	// Stdin is standard input.
	Stdin io.Reader
	// Old names the definitions that are to be replaced: a file, a directory, or git:REF. If
	// it is empty, the definitions are new.
	Old string
	// Skip is as in [Reader], for Old.
	Skip func(dir, file string) bool
	// Costs, if not nil, receives a table of the estimated costs of all CEL rules.
	Costs io.Writer
	// Conditions, if its writer is not nil, receives the condition NonStructuralSchema of each
	// definition, and what is refused beside it.
	Conditions ConditionOptions
	// Keep, if not nil, is called with what is read. It may be called concurrently.
	Keep func(file crd.File)
}

// ConditionOptions configure the output of conditions.
type ConditionOptions struct {
	Writer  io.Writer
	Wording verify.Wording
	// JSON writes one JSON object in a line for each definition, instead of YAML documents.
	JSON bool
}

// Verified is the result of [Verify].
type Verified struct {
	// Definitions is the number of definitions.
	Definitions int
	Findings    diag.List
	// Ignores are the comments of all files. They have not been applied to Findings.
	Ignores Ignores
}

// Verify verifies the definitions of files.
func Verify(ctx context.Context, sources []Source, options VerifyOptions) (*Verified, error) {
	v := &verification{VerifyOptions: options, out: Verified{Ignores: Ignores{}}}
	if err := v.readOld(ctx, sources); err != nil {
		return nil, err
	}
	var err error
	if v.out.Findings, err = v.all(ctx, sources); err != nil {
		return nil, err
	}
	return &v.out, nil
}

// verification verifies files on all processors. It keeps only the findings, because CRDs may
// be large and numerous.
type verification struct {
	VerifyOptions
	olds map[string][]replaced // by name

	mu  sync.Mutex
	out Verified
}

func (v *verification) all(ctx context.Context, sources []Source) (diag.List, error) {
	lists := make([]diag.List, len(sources))
	costs := make([]bytes.Buffer, len(sources))
	conditions := make([]bytes.Buffer, len(sources))
	verified := progress.Start(ctx, "verifying", "files", len(sources))
	err := parallel.Do(len(sources), func(i int) (err error) {
		defer verified.Add(1)
		parallel.For(sources[i].Name, func() { lists[i], err = v.one(ctx, sources[i], &costs[i], &conditions[i]) })
		return err
	})
	if err != nil {
		return nil, err
	}
	if v.Costs != nil {
		w := tabwriter.NewWriter(v.Costs, 0, 0, 2, ' ', 0)
		for i := range costs {
			if _, err := costs[i].WriteTo(w); err != nil {
				return nil, err
			}
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	for i := range conditions { // all are empty without a writer
		if conditions[i].Len() == 0 {
			continue
		}
		if _, err := conditions[i].WriteTo(v.Conditions.Writer); err != nil {
			return nil, err
		}
	}
	return verify.FoldNotes(slices.Concat(lists...)), nil
}

// one verifies the definitions of a file.
func (v *verification) one(ctx context.Context, source Source, costs, conditions *bytes.Buffer) (diag.List, error) {
	data, err := v.read(source)
	if err != nil || data == nil {
		return nil, err
	}
	file := crd.File{Name: source.Name, Data: data, Mixed: source.Found}
	if v.Keep != nil {
		v.Keep(file)
	}
	subjects, findings := readWithUnions(file)
	v.mu.Lock()
	v.out.Definitions += len(subjects)
	v.out.Ignores[source.Name] = ReadIgnores(source.Name, data)
	v.mu.Unlock()
	for _, s := range subjects {
		old, conflicts := v.old(source, s)
		s.Old, findings = old, append(findings, conflicts...)
		found, err := v.Server.One(ctx, s)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
		if v.Costs != nil {
			if err := v.writeCosts(ctx, s, costs); err != nil {
				return nil, err
			}
		}
		if v.Conditions.Writer != nil {
			if err := v.writeCondition(ctx, s, conditions); err != nil {
				return nil, err
			}
		}
	}
	return findings, nil
}

// readWithUnions is the variant of [verify.Read] that also returns the findings about published
// unions.
func readWithUnions(file crd.File) ([]*crd.Definition, diag.List) {
	manifests, problems, position := file.Read()
	var out []*crd.Definition
	findings := verify.Problems(problems, position)
	for _, m := range manifests {
		if s := crd.FromManifest(m, position); s != nil {
			s.Converted = kustomized("", file.Name, s)
			out, findings = append(out, s), append(findings, unionFindings(m, s, position)...)
		}
	}
	return out, findings
}

// read returns the content of a file, or nil if the file was found in a directory and does
// not mention CRDs.
func (v *verification) read(source Source) ([]byte, error) {
	data, err := source.Read(v.Stdin)
	if source.Found && !mentionsDefinitions(data) {
		return nil, err
	}
	return data, err
}

// replaced is a definition of Old, in the file of a path.
type replaced struct {
	*crd.Definition
	path string
}

// old returns the definition that one of a source replaces: of several, the one whose path ends
// most like that of the source. That several are equally likely and differ is a finding.
func (v *verification) old(source Source, s *crd.Definition) (*apiextensionsv1.CustomResourceDefinition, diag.List) {
	var likely []*crd.Definition
	most := -1
	for _, old := range v.olds[s.CRD.Name] {
		n := commonEnd(old.path, source.Name)
		if n > most {
			likely, most = nil, n
		}
		if n == most {
			likely = append(likely, old.Definition)
		}
	}
	if conflicts := repeated(likely); len(likely) == 0 || len(conflicts) > 0 {
		return nil, conflicts
	}
	return likely[0].CRD, nil
}

// commonEnd returns the number of elements at the end of two paths that are the same.
func commonEnd(a, b string) (n int) {
	x, y := strings.Split(filepath.ToSlash(filepath.Clean(a)), "/"), strings.Split(filepath.ToSlash(filepath.Clean(b)), "/")
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// readOld reads the definitions that are to be replaced. Findings about them alone are not
// reported.
func (v *verification) readOld(ctx context.Context, sources []Source) error {
	v.olds = map[string][]replaced{}
	keep := func(path, name string, data []byte) {
		subjects, _ := verify.Read(crd.File{Name: name, Data: data})
		for _, s := range subjects {
			v.olds[s.CRD.Name] = append(v.olds[s.CRD.Name], replaced{s, path})
		}
	}
	if v.Old == "" {
		return nil
	}
	if ref, ok := strings.CutPrefix(name(ctx, v.Old), gitPrefix); ok {
		for _, source := range sources {
			data, err := fileInCommit(ctx, ref, source.Name)
			if err != nil {
				return err
			}
			keep(source.Name, ref+":"+source.Name, data)
		}
		return nil
	}
	olds, packages, err := FindWithout([]string{v.Old}, v.Skip)
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		return fmt.Errorf("--old %s: no such file or directory", v.Old)
	}
	for _, source := range olds {
		data, err := v.read(source)
		if err != nil {
			return err
		}
		keep(source.Name, source.Name, data)
	}
	return nil
}

// writeCosts writes the estimated costs of the rules of a definition.
func (v *verification) writeCosts(ctx context.Context, s *crd.Definition, out *bytes.Buffer) error {
	rules, err := v.Server.Rules(ctx, s)
	if err != nil {
		return err
	}
	for _, rule := range rules {
		fmt.Fprintf(out, "%s\t%s\t%.2f %% of a rule\t%.3f %% of the schema\t%s\n", diag.Line(s.CRD.Name), diag.Line(rule.Path), 100*rule.RuleShare(), 100*rule.SchemaShare(), verify.CostText(rule))
	}
	return nil
}

// writeCondition writes the condition of a definition.
func (v *verification) writeCondition(ctx context.Context, s *crd.Definition, out *bytes.Buffer) error {
	compatibility, err := v.Server.Compatibility(ctx, s, v.Conditions.Wording)
	if err != nil {
		return err
	}
	if v.Conditions.JSON {
		return json.NewEncoder(out).Encode(compatibility)
	}
	out.WriteString("---\n")
	encoder := yaml.NewEncoder(out) // sigs.k8s.io/yaml would sort the keys
	encoder.SetIndent(2)
	return errors.Join(encoder.Encode(compatibility), encoder.Close())
}
