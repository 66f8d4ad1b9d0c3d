package crdrun

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/install"
)

// staleFile is a file with a definition that the run did not produce.
type staleFile struct {
	path, group, kind string
	// ours is set if the file may be removed: the definition has schemagen's version
	// annotation, and the file has its name and contains nothing else.
	ours bool
}

// staleFiles returns the CRD files in dir that belong to groups of the run but were not
// produced by it. A file counts only if its version annotation is schemagen's or, with
// annotated unset, if it has no such annotation.
func staleFiles(in *inputs.Reader, dir string, files []driver.File, annotated bool) ([]staleFile, error) {
	var produced, groups []string
	for _, f := range files {
		produced = append(produced, f.Name)
		if group, _, ok := strings.Cut(f.Name, "_"); ok {
			groups = append(groups, group)
		}
	}
	entries, err := in.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []staleFile
	for _, entry := range entries {
		name := entry.Name()
		group, _, ok := strings.Cut(name, "_")
		if !ok || !strings.HasSuffix(name, ".yaml") || !entry.Type().IsRegular() || slices.Contains(produced, name) || !slices.Contains(groups, group) {
			continue
		}
		text, err := in.ReadFile(filepath.Join(dir, name), nil)
		if err != nil {
			return nil, err
		}
		definitions, alone := readDefinitions(text)
		for _, d := range definitions {
			maker, found := d.Metadata.Annotations[generator.VersionAnnotation]
			ours := found && (maker == "schemagen" || strings.HasPrefix(maker, "schemagen-"))
			own := driver.FileName(d.Spec.Group, d.Spec.Names.Plural)
			if slices.Contains(produced, own) || !ours && (found || annotated) {
				continue
			}
			out = append(out, staleFile{filepath.Join(dir, name), d.Spec.Group, d.Spec.Names.Kind, ours && alone && own == name})
			break
		}
	}
	return out, nil
}

// fileDefinition has the fields of a definition that identify its kind and the tool that
// wrote it.
type fileDefinition struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Annotations map[string]string `yaml:"annotations"`
	} `yaml:"metadata"`
	Spec struct {
		Group string `yaml:"group"`
		Names struct {
			Kind   string `yaml:"kind"`
			Plural string `yaml:"plural"`
		} `yaml:"names"`
	} `yaml:"spec"`
}

// readDefinitions returns the definitions in a file, or in a template written for --helm.
// alone reports whether the file has exactly one definition and nothing else.
func readDefinitions(text []byte) (out []fileDefinition, alone bool) {
	if document, ok := install.HelmDocument(text); ok {
		text = document
	}
	documents, otherDocuments := yaml.NewDecoder(bytes.NewReader(text)), 0
	for {
		var node yaml.Node
		err := documents.Decode(&node)
		if err == io.EOF {
			return out, len(out) == 1 && otherDocuments == 0
		}
		if err != nil {
			return out, false
		}
		var d fileDefinition
		switch {
		case len(node.Content) == 1 && node.Content[0].Tag == "!!null":
		case node.Decode(&d) == nil && d.Kind == "CustomResourceDefinition" && strings.HasPrefix(d.APIVersion, "apiextensions.k8s.io/"):
			out = append(out, d)
		default:
			otherDocuments++
		}
	}
}

// stale returns the stale files to remove, and reports the other stale files.
func (r *runner) stale(files []driver.File) (remove []string, findings diag.List, err error) {
	if len(r.Kinds) > 0 || len(r.Groups) > 0 {
		return nil, nil, nil
	}
	var stale []staleFile
	for _, dir := range []string{r.Destination, r.Helm} {
		if dir == "" || dir == "-" {
			continue
		}
		if info, err := r.in.Stat(dir); err == nil && !info.IsDir() {
			return nil, nil, fmt.Errorf("%s: not a directory", dir)
		}
		found, err := staleFiles(r.in, filepath.Clean(dir), files, !r.OmitToolVersion)
		if err != nil {
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		}
		stale = append(stale, found...)
	}
	for _, f := range stale {
		isKind := func(_, name string, _ []byte) bool { return name == f.kind }
		if at, found := Declaration(r.in, r.Dir, f.group, isKind); found {
			findings = append(findings, StillDeclared(f.path, f.kind, at))
			continue
		}
		if r.Prune && f.ours {
			remove = append(remove, f.path)
			continue
		}
		hint := "remove it"
		if f.ours {
			hint = "remove it, or run with --prune"
		}
		findings = append(findings, StaleOutput.At(diag.Position{File: filepath.ToSlash(f.path)}, hint, "the kind of this file no longer exists"))
	}
	return remove, findings, nil
}
