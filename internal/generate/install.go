package generate

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/generate/crdinstall"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Check returns an error if the options contradict each other.
func (r *Request) Check() error {
	if r.Kustomize && (r.Destination == "" || r.Destination == "-") {
		return fmt.Errorf("crd.kustomize lists the files of an output directory, and there is none")
	}
	for _, c := range r.channels() {
		if c.Helm == "" {
			continue
		}
		if r.Destination == "-" {
			return fmt.Errorf("outputs.helm writes files: it cannot be used with standard output")
		}
		if _, isTemplates := chart(c.Helm); !isTemplates && filepath.Base(c.Helm) != "crds" {
			return fmt.Errorf("outputs.helm %s: name a chart, its directory crds or templates, or one in its templates", c.Helm)
		}
	}
	return nil
}

// ResolveHelm replaces the directory of a chart by the directory of its CRDs: crds, or
// templates/crds if only that exists. Reads are recorded in the inputs.
func (r *Request) ResolveHelm(reader *inputs.Reader) { r.Helm = resolveHelm(reader, r.Helm) }

func resolveHelm(reader *inputs.Reader, dir string) string {
	exists := func(name string) bool {
		_, err := reader.Stat(filepath.Join(dir, name))
		return err == nil
	}
	if dir == "" || !exists("Chart.yaml") {
		return dir
	}
	child := "crds"
	if templates := filepath.Join("templates", "crds"); exists(templates) && !exists(child) {
		child = templates
	}
	return filepath.Join(dir, child)
}

// chart returns the directory of the chart whose files are in a directory, and whether that is
// one of templates.
func chart(helm string) (dir string, isTemplates bool) {
	dir = filepath.Clean(helm)
	parent := filepath.Dir(dir)
	switch {
	case filepath.Base(dir) == "templates":
		return parent, true
	case filepath.Base(parent) == "templates":
		return filepath.Dir(parent), true
	}
	return parent, false
}

// installManifests returns the install manifests for the CRDs of a channel: the kustomization
// and the files of the Helm chart. stale are the files that the run removes.
func (r *runner) installManifests(c *target, stale []string) (outputs []output.File, findings diag.List, err error) {
	if r.Kustomize && c.Destination != "" {
		outputs, findings, err = r.kustomization(c, stale)
		if err != nil {
			return nil, nil, err
		}
	}
	if c.Helm == "" || len(c.files) == 0 {
		return outputs, findings, nil
	}
	chart, isTemplates := chart(c.Helm)
	for _, file := range c.files {
		if isTemplates {
			file.Data = crdinstall.HelmTemplate(file.Data)
		}
		outputs = append(outputs, output.File{Path: filepath.Join(c.Helm, file.Name), Data: file.Data})
	}
	if isTemplates {
		found, err := r.checkValues(filepath.Join(chart, "values.yaml"))
		if err != nil {
			return nil, nil, err
		}
		findings = append(findings, found...)
	}
	size, err := crdinstall.HelmReleaseSize(c.files, isTemplates)
	if err != nil {
		return nil, nil, err
	}
	if size > crdinstall.HelmReleaseLimit*3/4 {
		findings = append(findings, largeHelmRelease.At(diag.Position{File: filepath.ToSlash(c.Helm)}, "shorten or remove descriptions with crd.maxDescLen in schemagen.yaml, or give the CRDs a chart of their own",
			"the CRDs take %d of the %d KiB that Helm can store for a release", size>>10, crdinstall.HelmReleaseLimit>>10))
	}
	return outputs, findings, nil
}

// kustomization returns the kustomization.yaml of the output directory. It lists the CRDs of
// this run and those of other runs in the same directory, and the directory of what the channel
// shares with the others. A kustomization that schemagen did not write is not replaced.
func (r *runner) kustomization(c *target, stale []string) ([]output.File, diag.List, error) {
	var names []string
	for _, file := range c.own {
		names = append(names, c.fileName(file.Name))
	}
	entries, err := r.in.ReadDir(c.Destination)
	if err != nil && !inputs.IsAbsent(err) {
		return nil, nil, fmt.Errorf("crd.kustomize: %w", err)
	}
	for _, entry := range entries {
		path := filepath.Join(c.Destination, entry.Name())
		isKustomization := slices.Contains([]string{crdinstall.KustomizationName, "kustomization.yml", "Kustomization"}, entry.Name())
		isYAML := slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(path))
		if !entry.Type().IsRegular() || !isYAML && !isKustomization || slices.Contains(names, entry.Name()) ||
			slices.Contains(stale, path) {
			continue
		}
		text, err := r.in.ReadFile(path, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("crd.kustomize: %w", err)
		}
		switch {
		case isKustomization && !bytes.HasPrefix(text, []byte(crdinstall.KustomizationMark)):
			return nil, diag.List{foreignKustomization.At(diag.Position{File: filepath.ToSlash(path)},
				"write the CRDs to a directory of their own, and name that as a resource here", "this kustomization was not written by schemagen")}, nil
		case !isKustomization && bytes.Contains(text, []byte("\nkind: CustomResourceDefinition\n")):
			names = append(names, entry.Name())
		}
	}
	if c.joined && len(names) == 0 {
		return nil, nil, nil // no kustomization refers to it
	}
	if len(c.own) < len(c.files) {
		names = append(names, r.relative(c.Destination, r.Shared.Directory))
	}
	text, err := crdinstall.Kustomization(names)
	return []output.File{{Path: filepath.Join(c.Destination, crdinstall.KustomizationName), Data: text}}, nil, err
}

// checkValues reports a chart whose values lack the switches used in its templates: without
// them Helm fails, or installs nothing.
func (r *runner) checkValues(path string) (diag.List, error) {
	text, err := r.in.ReadFile(path, nil)
	if err != nil && !inputs.IsAbsent(err) {
		return nil, fmt.Errorf("outputs.helm: %w", err)
	}
	var values struct {
		CRDs map[string]any `yaml:"crds"`
	}
	_ = yaml.Unmarshal(text, &values) // Helm reports invalid values
	var missing []string
	for _, name := range []string{"install", "keep"} {
		if _, ok := values.CRDs[name].(bool); !ok {
			missing = append(missing, "crds."+name)
		}
	}
	if len(missing) == 0 {
		return nil, nil
	}
	return diag.List{missingHelmValues.At(diag.Position{File: filepath.ToSlash(path)}, "add crds: {install: true, keep: true}",
		"the values lack %s, which the templates of the CRDs use", strings.Join(missing, " and "))}, nil
}
