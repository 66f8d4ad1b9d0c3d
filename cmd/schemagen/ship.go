package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
)

// shipping is what a run writes beside the CRDs, for the tools that install them.
type shipping struct {
	// kustomize writes a kustomization.yaml into the output directory.
	kustomize bool
	// helm is the directory of a Helm chart that gets the CRDs, too: its crds, or
	// its templates, or one in that. Empty means none.
	helm string
}

func (s *shipping) addShippingFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.kustomize, "kustomize", false, "write "+generator.KustomizationName+", which lists the CRDs of the output directory")
	cmd.Flags().StringVar(&s.helm, "helm", "", "write the CRDs into this directory of a Helm chart, too: its crds, or its templates, where crds.install and crds.keep of the values switch them")
}

// checkShipping fails for options that say nothing together.
func (r *crdRun) checkShipping() error {
	if r.kustomize && (r.output == "" || r.output == "-") {
		return fmt.Errorf("--kustomize lists the files of an output directory, and there is none")
	}
	if r.helm == "" {
		return nil
	}
	if r.output == "-" {
		return fmt.Errorf("--helm writes files: it does not go with standard output")
	}
	if _, isTemplates := r.chart(); !isTemplates && filepath.Base(r.helm) != "crds" {
		return fmt.Errorf("--helm %s: name the crds or templates directory of a chart, or one in its templates", r.helm)
	}
	return nil
}

// chart returns the directory of the chart, and whether files go to its templates.
func (s *shipping) chart() (dir string, isTemplates bool) {
	dir = filepath.Clean(s.helm)
	parent := filepath.Dir(dir)
	switch {
	case filepath.Base(dir) == "templates":
		return parent, true
	case filepath.Base(parent) == "templates":
		return filepath.Dir(parent), true
	}
	return parent, false
}

// ship returns what goes with the files of a run, of which the stale ones are
// removed.
func (r *crdRun) ship(files []generator.File, stale []string) (outputs []output, findings diag.List, err error) {
	if r.kustomize {
		if outputs, findings, err = r.kustomization(files, stale); err != nil {
			return nil, nil, err
		}
	}
	if r.helm == "" || len(files) == 0 {
		return outputs, findings, nil
	}
	chart, isTemplates := r.chart()
	for _, file := range files {
		if isTemplates {
			file.Data = generator.HelmTemplate(file.Data)
		}
		outputs = append(outputs, output{filepath.Join(r.helm, file.Name), file.Data})
	}
	if isTemplates {
		found, err := r.checkValues(filepath.Join(chart, "values.yaml"))
		if err != nil {
			return nil, nil, err
		}
		findings = append(findings, found...)
	}
	size, err := generator.HelmReleaseSize(files, isTemplates)
	if err != nil {
		return nil, nil, err
	}
	if size > generator.HelmReleaseLimit*3/4 {
		findings = append(findings, diag.Diagnostic{Code: codeHelmSize, Severity: diag.Warning, Pos: diag.Position{File: filepath.ToSlash(r.helm)},
			Message: fmt.Sprintf("the CRDs take %d of the %d KiB that Helm can keep of a release", size>>10, generator.HelmReleaseLimit>>10),
			Hint:    "shorten or remove descriptions with --max-desc-len, or give the CRDs a chart of their own"})
	}
	return outputs, findings, nil
}

// kustomization returns the kustomization.yaml of the output directory. It lists
// the CRDs of the run and all others that stay there: those of other runs. One that
// somebody wrote is not touched.
func (r *crdRun) kustomization(files []generator.File, stale []string) ([]output, diag.List, error) {
	var names []string
	for _, file := range files {
		names = append(names, file.Name)
	}
	entries, err := r.Inputs.ReadDir(r.output)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("--kustomize: %w", err)
	}
	for _, entry := range entries {
		path := filepath.Join(r.output, entry.Name())
		isKustomization := slices.Contains([]string{generator.KustomizationName, "kustomization.yml", "Kustomization"}, entry.Name())
		isYAML := slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path))
		if !entry.Type().IsRegular() || !isYAML && !isKustomization || slices.Contains(names, entry.Name()) || slices.Contains(stale, path) {
			continue
		}
		text, err := r.Inputs.ReadFile(path, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("--kustomize: %w", err)
		}
		switch {
		case isKustomization && !bytes.HasPrefix(text, []byte(generator.KustomizationMark)):
			return nil, diag.List{{Code: codeKustomization, Severity: diag.Error, Pos: diag.Position{File: filepath.ToSlash(path)},
				Message: "this kustomization is not schemagen's", Hint: "write the CRDs to a directory of their own, and name that as a resource here"}}, nil
		case !isKustomization && bytes.Contains(text, []byte("\nkind: CustomResourceDefinition\n")):
			names = append(names, entry.Name())
		}
	}
	text, err := generator.Kustomization(names)
	return []output{{filepath.Join(r.output, generator.KustomizationName), text}}, nil, err
}

// checkValues reports values of a chart that do not have what its templates ask
// for: without them Helm fails, or installs nothing.
func (r *crdRun) checkValues(path string) (diag.List, error) {
	text, err := r.Inputs.ReadFile(path, nil)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("--helm: %w", err)
	}
	var values struct {
		CRDs map[string]any `yaml:"crds"`
	}
	_ = yaml.Unmarshal(text, &values) // Helm says what is wrong with it
	var missing []string
	for _, name := range []string{"install", "keep"} {
		if _, ok := values.CRDs[name].(bool); !ok {
			missing = append(missing, "crds."+name)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	return diag.List{{Code: codeHelmValues, Severity: diag.Warning, Pos: diag.Position{File: filepath.ToSlash(path)},
		Message: "the values do not have " + strings.Join(missing, " and ") + ", which the templates of the CRDs ask for",
		Hint:    "add crds: {install: true, keep: true}"}}, nil
}
