package definitions

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/verify"
)

// VerifyOptions configure [Verify].
type VerifyOptions struct {
	// Reader reads the definitions that are to be replaced.
	Reader
	// Server is the API server that the definitions must be accepted by.
	Server *verify.Verifier
	// Generate generates the definitions of packages, and returns the findings about them, which
	// include those of the server.
	Generate func(ctx context.Context, packages []string, server define.Server) (diag.List, error)
	// Output is the directory to which the definitions of packages are written.
	Output string
	// Old names the definitions that are to be replaced, as for [Reader.Read] or as a commit:
	// git:REF for the same files and packages, or git:REF:PATH. If it is empty, the definitions
	// are new.
	Old string
	// Costs, if not nil, receives a table of the estimated costs of all CEL rules.
	Costs io.Writer
	// Conditions, if its writer is not nil, receives the condition NonStructuralSchema of each
	// definition, and what is refused beside it.
	Conditions ConditionOptions
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
	// Old are the findings about the definitions that are to be replaced. If one is an error,
	// nothing has been verified.
	Old diag.List
	// Ignores are the comments of all files. They have not been applied to Findings.
	Ignores Ignores
}

// Verify verifies the definitions in names, which are as for [Reader.Read].
func Verify(ctx context.Context, names []string, options VerifyOptions) (*Verified, error) {
	sources, packages, err := findDefinitions(names, options.Skip)
	if err != nil {
		return nil, err
	}
	if options.Conditions.Writer != nil && len(packages) > 0 {
		return nil, fmt.Errorf("--condition reads definitions, not packages (%s): schemagen writes none that is not structural", packages[0])
	}
	v := &verification{VerifyOptions: options, out: Verified{Ignores: Ignores{}}}
	v.note(names, packages)
	err = v.readOld(ctx, sources, packages)
	if err == nil {
		err = v.checkFlags(append(names, v.Old)...)
	}
	if err != nil || v.out.Old.HasErrors() {
		return &v.out, err
	}
	if options.Costs != nil {
		v.costs = tabwriter.NewWriter(options.Costs, 0, 0, 2, ' ', 0)
	}
	found, err := v.all(ctx, sources)
	if err != nil {
		return nil, err
	}
	v.out.Findings = append(v.out.Findings, found...)
	if len(packages) > 0 {
		found, err := v.Generate(ctx, packages, &packageServer{Verifier: v.Server, verification: v})
		if err != nil {
			return nil, err
		}
		v.out.Findings = append(v.out.Findings, found...)
	}
	if v.costs != nil {
		err = v.costs.Flush()
	}
	return &v.out, err
}

// verification verifies files on all processors. It keeps only the findings, because CRDs may
// be large and numerous.
type verification struct {
	VerifyOptions
	olds map[string][]replaced // by name
	// costs is the table of costs, or nil.
	costs *tabwriter.Writer

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
	for i := range costs { // all are empty without a writer
		if costs[i].Len() == 0 {
			continue
		}
		if _, err := costs[i].WriteTo(v.costs); err != nil {
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
		old, conflicts := v.old(source.Name, s.CRD.Name)
		s.Old = old
		findings = append(findings, conflicts...)
		found, err := v.Server.One(ctx, s)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
		if v.costs != nil {
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
			out = append(out, s)
			findings = append(findings, unionFindings(m, s, position)...)
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

// old returns the definition that one in the file of a path replaces: of several with the name,
// the one whose path ends most like it. That several are equally likely and differ is a finding.
func (v *verification) old(path, name string) (*apiextensionsv1.CustomResourceDefinition, diag.List) {
	var likely []*crd.Definition
	most := -1
	for _, old := range v.olds[name] {
		n := commonEnd(old.path, path)
		if n > most {
			likely = nil
			most = n
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
	x := strings.Split(filepath.ToSlash(filepath.Clean(a)), "/")
	y := strings.Split(filepath.ToSlash(filepath.Clean(b)), "/")
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

// readOld reads the definitions that are to be replaced.
func (v *verification) readOld(ctx context.Context, sources []Source, packages []string) error {
	if v.Old == "" {
		return nil
	}
	commits := Commits{Reader: v.Reader}
	commits.Lenient = true
	commits.Keep = nil
	defer commits.Close()
	v.olds = map[string][]replaced{}
	old := name(ctx, v.Old)
	ref, isCommit := strings.CutPrefix(old, gitPrefix)
	if isCommit && !strings.Contains(ref, ":") {
		return v.readCommit(ctx, &commits, ref, sources, packages)
	}
	_, err := os.Stat(old)
	if mayBePackage := golist.IsFilePattern(old) || strings.Contains(old, "/"); err != nil && !isCommit && old != "-" && !mayBePackage {
		return fmt.Errorf("--old %s: no such file or directory", v.Old)
	}
	read, findings, err := commits.readName(ctx, old, nil)
	if err != nil {
		return err
	}
	v.packages = v.packages || commits.packages
	v.channels = v.channels || commits.channels
	v.keepOld(read, findings)
	if len(v.olds) == 0 && !findings.HasErrors() {
		v.out.Findings = append(v.out.Findings, NoCRDIn([]string{v.Old}, true))
	}
	return nil
}

// readCommit reads the definitions of files and packages as they are in a commit, which need not
// have them.
func (v *verification) readCommit(ctx context.Context, commits *Commits, ref string, sources []Source,
	packages []string) error {
	for _, source := range sources {
		data, err := fileInCommit(ctx, ref, source.Name)
		if err != nil {
			return err
		}
		v.keepOld(lenient(crd.File{Name: ref + ":" + source.Name, Data: data}))
	}
	if len(packages) == 0 {
		return nil
	}
	read, findings, err := commits.ReadPackages(ctx, ref, packages)
	if err != nil {
		return err
	}
	v.keepOld(read, findings)
	return nil
}

// keepOld keeps definitions that are to be replaced, with the paths of their files.
func (v *verification) keepOld(definitions []*crd.Definition, findings diag.List) {
	for _, d := range definitions {
		path := positionIn(d)("metadata.name").File
		v.olds[d.CRD.Name] = append(v.olds[d.CRD.Name], replaced{d, path})
	}
	v.out.Old = append(v.out.Old, findings...)
}

// packageServer is the API server of a verification for the definitions of packages.
type packageServer struct {
	*verify.Verifier
	verification *verification
}

// Check checks definitions as those of files are: as updates, and with their costs.
func (s *packageServer) Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error) {
	v := s.verification
	v.mu.Lock()
	defer v.mu.Unlock()
	v.out.Definitions += len(definitions)
	var findings diag.List
	for _, d := range definitions {
		if d.Provenance().OnlySchemas {
			continue // its name may be wrong
		}
		object := cmp.Or(d.Provenance().Header, d.CRD)
		file := checks.FileName(object.Spec.Group, object.Spec.Names.Plural)
		old, conflicts := v.old(filepath.Join(v.Output, file), object.Name)
		d.Old = old
		findings = append(findings, conflicts...)
	}
	found, err := s.Verifier.Check(ctx, definitions)
	findings = append(findings, found...)
	if err != nil || v.costs == nil {
		return findings, err
	}
	var costs bytes.Buffer
	for _, d := range definitions {
		built := *d
		if built.CRD == nil {
			built.CRD = d.Build()
		}
		if err := v.writeCosts(ctx, &built, &costs); err != nil {
			return nil, err
		}
	}
	_, err = costs.WriteTo(v.costs)
	return findings, err
}

// writeCosts writes the estimated costs of the rules of a definition.
func (v *verification) writeCosts(ctx context.Context, s *crd.Definition, out *bytes.Buffer) error {
	costs, err := v.Server.Rules(ctx, s)
	if err != nil {
		return err
	}
	for _, rule := range costs {
		fmt.Fprintf(out, "%s\t%s\t%.2f %% of a rule\t%.3f %% of the schema\t%s\n", screen.Line(s.CRD.Name), screen.Line(rule.Path), 100*rule.RuleShare(), 100*rule.SchemaShare(), verify.CostText(rule))
	}
	total := 0
	proved := 0
	for _, schema := range s.Schemas {
		inVersion, provedInVersion := rules.Proved(schema, rules.Root)
		total += inVersion
		proved += provedInVersion
	}
	if total > 0 {
		fmt.Fprintf(out, "%s\t%d of %d rules are proved to read no absent field\n", screen.Line(s.CRD.Name), proved, total)
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
		text, err := plainjson.Marshal(compatibility)
		out.Write(append(text, '\n'))
		return err
	}
	out.WriteString("---\n")
	encoder := yaml.NewEncoder(out) // sigs.k8s.io/yaml would sort the keys
	encoder.SetIndent(2)
	return errors.Join(encoder.Encode(compatibility), encoder.Close())
}
