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
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

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
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	r.addFlags(cmd)
	cmd.Flags().StringVar(&r.kubeVersion, "kube-version", "", "Kubernetes version of the API server (default "+verify.DefaultKubeVersion+")")
	cmd.Flags().StringVar(&r.old, "old", "", "what is to be replaced: a file, a directory, or git:REF")
	cmd.Flags().BoolVar(&r.costs, "costs", false, "print what each CEL rule may cost")
	return cmd
}

func (r *verifyRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	verifier, err := verify.New(r.kubeVersion, verify.Options{})
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
	sources, packages, err := readSources(args, stdin)
	if err != nil {
		return err
	}
	fset := token.NewFileSet()
	subjects, findings := subjectsOf(sources, fset)
	if err := r.addOld(ctx, sources, subjects); err != nil {
		return err
	}
	if len(packages) > 0 {
		options := generator.Options{Dir: wd, Patterns: packages, KubeVersion: r.kubeVersion, Final: true}
		_, found, err := generator.Generate(ctx, options)
		if err != nil {
			return err
		}
		findings = append(findings, found...)
	}
	all := make([]*verify.Subject, len(subjects))
	for i, s := range subjects {
		all[i] = s.Subject
	}
	found, err := verifier.All(ctx, all)
	if err != nil {
		return err
	}
	findings = append(findings, found...)
	if len(subjects) == 0 && len(packages) == 0 && len(findings) == 0 {
		findings = append(findings, diag.Diagnostic{Code: codeNothingToVerify, Severity: diag.Warning, Message: "no CRD found in " + strings.Join(args, ", ")})
	}
	if findings, err = ignored(findings, sources); err != nil {
		return err
	}
	if r.costs {
		if err := printCosts(ctx, verifier, all, stdout); err != nil {
			return err
		}
	}
	findings = r.judge(findings.Normalize().RelativeTo(wd))
	if err := findings.Write(stderr, r.format, codes()); err != nil {
		return err
	}
	if findings.HasErrors() {
		return errFindings
	}
	return nil
}

// manifestSource is one file with manifests.
type manifestSource struct {
	name string
	data []byte
	// found says that the file was met in a directory, and not named.
	found bool
}

// readSources reads the files that the arguments name, and returns those that
// are Go packages.
func readSources(args []string, stdin io.Reader) (sources []manifestSource, packages []string, err error) {
	for _, arg := range args {
		if arg == "-" {
			data, err := io.ReadAll(stdin)
			if err != nil {
				return nil, nil, fmt.Errorf("standard input: %w", err)
			}
			sources = append(sources, manifestSource{name: "-", data: data})
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
			data, err := os.ReadFile(arg)
			if err != nil {
				return nil, nil, err
			}
			sources = append(sources, manifestSource{name: arg, data: data})
			continue
		}
		found, hasGo, err := readFolder(arg)
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

// readFolder reads the files of a directory, and of those below it, that speak of
// CRDs.
func readFolder(dir string) (out []manifestSource, hasGo bool, err error) {
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
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if bytes.Contains(data, []byte("CustomResourceDefinition")) {
				out = append(out, manifestSource{name: name, data: data, found: true})
			}
		}
		return nil
	})
	return out, hasGo, err
}

// manifestSubject is a CRD of a file.
type manifestSubject struct {
	*verify.Subject
	source int
}

// subjectsOf decodes the files.
func subjectsOf(sources []manifestSource, fset *token.FileSet) ([]manifestSubject, diag.List) {
	var out []manifestSubject
	var findings diag.List
	for i, source := range sources {
		manifests, problems := structural.ReadManifests(fset, source.name, source.data)
		if source.found {
			// A file met on the way may be something else that only speaks of CRDs.
			problems = slices.DeleteFunc(problems, func(p structural.Problem) bool { return p.Kind == structural.NoObject })
		}
		findings = append(findings, verify.Problems(problems, fset)...)
		for _, m := range manifests {
			if s := verify.Manifest(m, fset); s != nil {
				out = append(out, manifestSubject{s, i})
			}
		}
	}
	return out, findings
}

// addOld finds the definition that each one replaces, by its name.
func (r *verifyRun) addOld(ctx context.Context, sources []manifestSource, subjects []manifestSubject) error {
	if r.old == "" {
		return nil
	}
	var olds []manifestSource
	if ref, ok := strings.CutPrefix(r.old, "git:"); ok {
		for _, source := range sources {
			data, err := gitShow(ctx, ref, source.name)
			if err != nil {
				return err
			}
			olds = append(olds, manifestSource{name: ref + ":" + source.name, data: data})
		}
	} else {
		found, packages, err := readSources([]string{r.old}, nil)
		if err != nil {
			return err
		}
		if len(packages) > 0 {
			return fmt.Errorf("--old %s: no such file or directory", r.old)
		}
		olds = found
	}
	byName := map[string]*apiextensionsv1.CustomResourceDefinition{}
	decoded, _ := subjectsOf(olds, token.NewFileSet()) // mistakes in what was before are no news
	for _, s := range decoded {
		byName[s.CRD.Name] = s.CRD
	}
	for _, s := range subjects {
		s.Old = byName[s.CRD.Name]
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

// printCosts prints what the rules of the definitions may cost.
func printCosts(ctx context.Context, verifier *verify.Verifier, subjects []*verify.Subject, stdout io.Writer) error {
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	for _, s := range subjects {
		rules, err := verifier.Rules(ctx, s.CRD)
		if err != nil {
			return err
		}
		for _, rule := range rules {
			fmt.Fprintf(w, "%s\t%s\t%.2f %% of a rule\t%.3f %% of the schema\t%s\n", s.CRD.Name, rule.Path, 100*rule.RuleShare(), 100*rule.SchemaShare(), verify.CostText(rule))
		}
	}
	return w.Flush()
}
