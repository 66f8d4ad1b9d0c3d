package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
)

// verifyRun is one run of the verify command.
type verifyRun struct {
	reporting
	kubeVersion string
	// old is a file, a directory, or git:REF.
	old   string
	costs bool
}

// verifyGCPercent is lower than that of other commands: most of what verification
// allocates is garbage soon.
const verifyGCPercent = 75

func newVerifyCommand(stdout, stderr io.Writer) *cobra.Command {
	var r verifyRun
	cmd := &cobra.Command{
		Use:   "verify [files, directories, packages or -]",
		Short: "Say whether the API server would take CRDs.",
		Long: `Say whether the API server would take CustomResourceDefinitions, with its own code.

Arguments are YAML or JSON files, directories with such files, - for standard
input, or Go packages (./api/..., an import path), whose CRDs are verified
without being written. Without one it is the working directory.

A line with "# schemagen:ignore CODE reason", or the line below it, is not
blamed for that code; "# schemagen:ignore-file CODE reason" is for a whole file.`,
		Example: `  schemagen verify config/crd/bases
  schemagen verify crd.yaml --old git:main --kube-version 1.32
  kustomize build config/crd | schemagen verify -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.configure(cmd, ""); err != nil {
				return err
			}
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	r.addFlags(cmd)
	cmd.Flags().StringVar(&r.kubeVersion, "kube-version", "", "Kubernetes version of the API server (default "+apiserver.DefaultVersion+")")
	cmd.Flags().StringVar(&r.old, "old", "", "what is to be replaced: a file, a directory, or git:REF")
	cmd.Flags().BoolVar(&r.costs, "costs", false, "print what each CEL rule may cost")
	return cmd
}

func (r *verifyRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	debug.SetGCPercent(verifyGCPercent)
	target, err := apiserver.NewTarget(r.kubeVersion)
	if err != nil {
		return err
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	sources, packages, err := findSources(args)
	if err != nil {
		return err
	}
	v := &manifestVerifier{verifyRun: r, verifier: verify.New(target, verify.Options{}), stdin: stdin, stdout: stdout, comments: map[string][]*ignoring{}}
	if err := v.readOld(ctx, sources); err != nil {
		return err
	}
	findings, err := v.all(ctx, sources)
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		options, err := r.project.generatorOptions(generator.Options{Dir: wd, Patterns: packages, Final: true})
		if err != nil {
			return err
		}
		options.KubeVersion = r.kubeVersion
		_, found, err := generator.Generate(ctx, options)
		if err != nil {
			return err
		}
		findings = append(findings, found...)
	}
	if v.found == 0 && len(packages) == 0 && len(findings) == 0 {
		findings = append(findings, diag.Diagnostic{Code: codeNothingToVerify, Severity: diag.Warning, Message: "no CRD found in " + strings.Join(args, ", ")})
	}
	r.unused = v.unusedWaivers
	findings = ignored(findings, v.comments)
	return r.report(stderr, findings, wd)
}

// manifestSource is one file with manifests; "-" is standard input.
type manifestSource struct {
	name string
	// met says that the file was met in a directory, and not named.
	met bool
}

// findSources returns the files that the arguments name, and those arguments that
// are Go packages.
func findSources(args []string) (sources []manifestSource, packages []string, err error) {
	for _, arg := range args {
		if arg == "-" {
			sources = append(sources, manifestSource{name: "-"})
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			packages = append(packages, arg) // a pattern or an import path
			continue
		case err != nil:
			return nil, nil, err
		case !info.IsDir():
			sources = append(sources, manifestSource{name: arg})
			continue
		}
		found, hasGo, err := findInFolder(arg)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, found...)
		if len(found) == 0 && hasGo {
			packages = append(packages, "./"+filepath.ToSlash(filepath.Clean(arg)))
		}
	}
	return sources, packages, nil
}

// findInFolder returns the YAML and JSON files of a directory and of those below it.
func findInFolder(dir string) (out []manifestSource, hasGo bool, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); name != dir && (strings.HasPrefix(base, ".") || base == "node_modules" || base == "vendor") {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".go":
			hasGo = hasGo || filepath.Dir(name) == filepath.Clean(dir)
		case ".yaml", ".yml", ".json":
			out = append(out, manifestSource{name: name, met: true})
		}
		return nil
	})
	return out, hasGo, err
}

// manifestVerifier verifies files one after the other on each processor, and
// keeps only what it found: CRDs may be large, and many.
type manifestVerifier struct {
	*verifyRun
	verifier *verify.Verifier
	stdin    io.Reader
	stdout   io.Writer
	olds     map[string]*apiextensionsv1.CustomResourceDefinition // by name

	mu       sync.Mutex
	found    int // CRDs
	comments map[string][]*ignoring
}

// all verifies the files.
func (v *manifestVerifier) all(ctx context.Context, sources []manifestSource) (diag.List, error) {
	lists := make([]diag.List, len(sources))
	costs := make([]bytes.Buffer, len(sources))
	errs := make([]error, len(sources))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, source := range sources {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			lists[i], errs[i] = v.one(ctx, source, &costs[i])
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if v.costs {
		w := tabwriter.NewWriter(v.stdout, 0, 0, 2, ' ', 0)
		for i := range costs {
			if _, err := costs[i].WriteTo(w); err != nil {
				return nil, err
			}
		}
		if err := w.Flush(); err != nil {
			return nil, err
		}
	}
	return slices.Concat(lists...), nil
}

// one verifies a file.
func (v *manifestVerifier) one(ctx context.Context, source manifestSource, costs *bytes.Buffer) (diag.List, error) {
	data, err := v.read(source)
	if err != nil || data == nil {
		return nil, err
	}
	fset := token.NewFileSet()
	subjects, findings := subjectsOf(source, data, fset)
	v.mu.Lock()
	v.found += len(subjects)
	v.comments[source.name] = readIgnores(source.name, data)
	v.mu.Unlock()
	for _, s := range subjects {
		s.Old = v.olds[s.CRD.Name]
		found, err := v.verifier.One(ctx, s)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found...)
		if v.costs {
			if err := v.writeCosts(ctx, s, costs); err != nil {
				return nil, err
			}
		}
	}
	return findings, nil
}

// unusedWaivers reports the waivers of what is verified that took nothing back in
// the files, if they are about any of them.
func (v *manifestVerifier) unusedWaivers(used map[*waiver]bool) (out diag.List) {
	for _, w := range v.project.waivers {
		known := slices.ContainsFunc(verify.Codes(), func(info diag.CodeInfo) bool { return info.Code == w.code })
		if used[w] || !known {
			continue
		}
		for name := range v.comments {
			if matchesFile(w.path, relativeName(v.project.dir, name)) {
				out = append(out, w.unused("it takes nothing back"))
				break
			}
		}
	}
	return out
}

// read returns the bytes of a file; nil for one that was met in a directory and
// does not speak of CRDs.
func (v *manifestVerifier) read(source manifestSource) ([]byte, error) {
	if source.name == "-" {
		data, err := io.ReadAll(v.stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(source.name)
	if err != nil {
		return nil, err
	}
	if source.met && !bytes.Contains(data, []byte("CustomResourceDefinition")) {
		return nil, nil
	}
	return data, nil
}

// subjectsOf decodes a file.
func subjectsOf(source manifestSource, data []byte, fset *token.FileSet) ([]*verify.Subject, diag.List) {
	manifests, problems := structural.ReadManifests(fset, source.name, data)
	if source.met {
		// A file met on the way may be something else that only speaks of CRDs.
		problems = slices.DeleteFunc(problems, func(p structural.Problem) bool { return p.Kind == structural.NoObject })
	}
	var out []*verify.Subject
	for _, m := range manifests {
		if s := verify.Manifest(m, fset); s != nil {
			out = append(out, s)
		}
	}
	return out, verify.Problems(problems, fset)
}

// readOld reads the definitions that are to be replaced. Mistakes in what was
// before are no news.
func (v *manifestVerifier) readOld(ctx context.Context, sources []manifestSource) error {
	v.olds = map[string]*apiextensionsv1.CustomResourceDefinition{}
	keep := func(source manifestSource, data []byte) {
		subjects, _ := subjectsOf(source, data, token.NewFileSet())
		for _, s := range subjects {
			v.olds[s.CRD.Name] = s.CRD
		}
	}
	if v.old == "" {
		return nil
	}
	if ref, ok := strings.CutPrefix(v.old, "git:"); ok {
		for _, source := range sources {
			data, err := gitShow(ctx, ref, source.name)
			if err != nil {
				return err
			}
			keep(source, data)
		}
		return nil
	}
	olds, packages, err := findSources([]string{v.old})
	if err != nil {
		return err
	}
	if len(packages) > 0 {
		return fmt.Errorf("--old %s: no such file or directory", v.old)
	}
	for _, source := range olds {
		data, err := v.read(source)
		if err != nil {
			return err
		}
		keep(source, data)
	}
	return nil
}

// gitShow returns a file as it is in a commit; empty if it is not in it.
func gitShow(ctx context.Context, ref, name string) ([]byte, error) {
	if name == "-" {
		return nil, fmt.Errorf("--old git:%s needs files, not standard input", ref)
	}
	git := func(args ...string) ([]byte, error) {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", filepath.Dir(name)}, args...)...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
		}
		return out, nil
	}
	if _, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err != nil {
		return nil, fmt.Errorf("--old git:%s: there is no such commit", ref)
	}
	listed, err := git("ls-tree", "--name-only", ref, "--", filepath.Base(name))
	if err != nil || len(bytes.TrimSpace(listed)) == 0 {
		return nil, err
	}
	return git("show", ref+":./"+filepath.Base(name))
}

// writeCosts writes what the rules of a definition may cost.
func (v *manifestVerifier) writeCosts(ctx context.Context, s *verify.Subject, out *bytes.Buffer) error {
	rules, err := v.verifier.Rules(ctx, s.CRD)
	if err != nil {
		return err
	}
	for _, rule := range rules {
		fmt.Fprintf(out, "%s\t%s\t%.2f %% of a rule\t%.3f %% of the schema\t%s\n", s.CRD.Name, rule.Path, 100*rule.RuleShare(), 100*rule.SchemaShare(), verify.CostText(rule))
	}
	return nil
}
