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
	// channel is the index of the channel of its place.
	channel int
	// ours is set if the file may be removed: the definition has schemagen's version
	// annotation, and the file has its name and contains nothing else.
	ours bool
}

// place is a directory to which a channel writes definitions.
type place struct {
	dir string
	// channel is the index of the channel, and suffix the end of the names of its files there.
	channel int
	suffix  string
}

// owns reports whether a file in the directory of the place would be one of the place, and
// returns its name without the suffix. Other places may have the same directory.
func (p place) owns(name string, places []place) (bare string, ok bool) {
	has := func(p place) bool { return strings.HasSuffix(name, p.suffix+".yaml") }
	if !has(p) {
		return "", false
	}
	for _, other := range places {
		if other.dir == p.dir && has(other) && len(other.suffix) > len(p.suffix) {
			return "", false
		}
	}
	return strings.TrimSuffix(name, p.suffix+".yaml") + ".yaml", true
}

// staleFiles returns the CRD files in a place that belong to groups of the run but were not
// produced by it. A file counts only if its version annotation is schemagen's or, with
// annotated unset, if it has no such annotation.
func staleFiles(in *inputs.Reader, p place, places []place, files []driver.File, groups []string, annotated bool) ([]staleFile, error) {
	var produced []string
	for _, f := range files {
		produced = append(produced, f.Name)
	}
	entries, err := in.ReadDir(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []staleFile
	for _, entry := range entries {
		name, owned := p.owns(entry.Name(), places)
		group, _, ok := strings.Cut(name, "_")
		if !owned || !ok || !entry.Type().IsRegular() || slices.Contains(produced, name) || !slices.Contains(groups, group) {
			continue
		}
		path := filepath.Join(p.dir, entry.Name())
		text, err := in.ReadFile(path, nil)
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
			out = append(out, staleFile{path, d.Spec.Group, d.Spec.Names.Kind, p.channel, ours && alone && own == name})
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

// stale returns the stale files to remove, and reports the other stale files. files are those
// that each channel produces.
func (r *runner) stale(channels []Channel, made []driver.MadeChannel, files [][]driver.File) (remove []string, findings diag.List, err error) {
	if len(r.Kinds) > 0 || len(r.Groups) > 0 {
		return nil, nil, nil
	}
	var places []place
	var groups []string
	// covered are the kinds that a channel may lack although they are declared.
	covered := map[[2]string]bool{}
	for i, c := range channels {
		if c.Destination != "" && c.Destination != "-" {
			places = append(places, place{filepath.Clean(c.Destination), i, c.Suffix})
		}
		if c.Helm != "" {
			places = append(places, place{filepath.Clean(c.Helm), i, ""})
		}
		for _, m := range made[i].Made {
			spec := m.Object().Spec
			groups = append(groups, spec.Group)
			covered[[2]string{spec.Group, spec.Names.Kind}] = true
		}
		for _, k := range made[i].Removed {
			groups = append(groups, k.Group)
			covered[[2]string{k.Group, k.Kind}] = true
		}
	}
	var stale []staleFile
	for _, p := range places {
		if info, err := r.in.Stat(p.dir); err == nil && !info.IsDir() {
			return nil, nil, fmt.Errorf("%s: not a directory", p.dir)
		}
		found, err := staleFiles(r.in, p, places, files[p.channel], groups, !r.OmitToolVersion)
		if err != nil {
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		}
		stale = append(stale, found...)
	}
	for _, f := range stale {
		isKind := func(_, name string, _ []byte) bool { return name == f.kind }
		isCovered := covered[[2]string{f.group, f.kind}]
		if at, found := Declaration(r.in, r.Dir, f.group, isKind); found && !isCovered {
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
		message := "the kind of this file no longer exists"
		if isCovered {
			message = "this run has no definition for this file: " + withoutDefinition(channels[f.channel], made[f.channel], f)
		}
		findings = append(findings, StaleOutput.At(diag.Position{File: filepath.ToSlash(f.path)}, hint, "%s", message))
	}
	return remove, findings, nil
}

// withoutDefinition returns why a channel has no definition of the kind of a file.
func withoutDefinition(c Channel, made driver.MadeChannel, f staleFile) string {
	byGates := false
	for _, k := range made.Removed {
		byGates = byGates || k.Group == f.group && k.Kind == f.kind
	}
	switch {
	case len(c.Kinds) > 0 && !byGates:
		return fmt.Sprintf("kinds of channel %s does not have %s", c.Name, f.kind)
	case c.Name != "":
		return "no version of its kind exists for the gates of channel " + c.Name
	}
	return "no version of its kind exists for these gates"
}
