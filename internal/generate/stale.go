package generate

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/generate/crdinstall"
	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// staleFile is a file with a definition that the run did not produce.
type staleFile struct {
	path, group, kind string
	// target is the target of its place.
	target *target
	// ours is set if the file may be removed: the definition has schemagen's version
	// annotation, and the file has its name and contains nothing else.
	ours bool
}

// place is a directory to which a channel writes definitions.
type place struct {
	dir string
	// files are what the run writes there, and suffix is the end of their names.
	files  []define.File
	suffix string
	target *target
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
func staleFiles(reader *inputs.Reader, p place, places []place, groups []string, annotated bool) ([]staleFile, error) {
	var produced []string
	for _, f := range p.files {
		produced = append(produced, f.Name)
	}
	entries, err := reader.ReadDir(p.dir)
	if inputs.IsAbsent(err) {
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
		text, err := reader.ReadFile(path, nil)
		if err != nil {
			return nil, err
		}
		definitions, alone := readDefinitions(text)
		for _, d := range definitions {
			maker, found := d.Metadata.Annotations[generator.VersionAnnotation]
			ours := found && (maker == "schemagen" || strings.HasPrefix(maker, "schemagen-"))
			own := checks.FileName(d.Spec.Group, d.Spec.Names.Plural)
			if slices.Contains(produced, own) || !ours && (found || annotated) {
				continue
			}
			out = append(out, staleFile{path, d.Spec.Group, d.Spec.Names.Kind, p.target, ours && alone && own == name})
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

// readDefinitions returns the definitions in a file, or in a template written for outputs.helm.
// alone reports whether the file has exactly one definition and nothing else.
func readDefinitions(text []byte) (out []fileDefinition, alone bool) {
	if document, ok := crdinstall.HelmDocument(text); ok {
		text = document
	}
	documents := yaml.NewDecoder(bytes.NewReader(text))
	otherDocuments := 0
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
func (r *runner) stale(targets []target) (remove []string, findings diag.List, err error) {
	if len(r.Kinds) > 0 || len(r.Groups) > 0 {
		return nil, nil, nil
	}
	var places []place
	var groups []string
	// covered are the kinds that a channel may lack although they are declared.
	covered := map[[2]string]bool{}
	for i := range targets {
		t := &targets[i]
		if t.Destination != "" && t.Destination != "-" {
			places = append(places, place{filepath.Clean(t.Destination), t.own, t.Suffix, t})
		}
		if t.Helm != "" {
			places = append(places, place{filepath.Clean(t.Helm), t.files, "", t})
		}
		for _, m := range t.made.CRDs {
			spec := m.Object().Spec
			groups = append(groups, spec.Group)
			covered[[2]string{spec.Group, spec.Names.Kind}] = true
		}
		for _, k := range t.made.Removed {
			groups = append(groups, k.Group)
			covered[[2]string{k.Group, k.Kind}] = true
		}
	}
	var stale []staleFile
	findings, err = r.beforeChannels(targets)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range places {
		found, err := staleFiles(r.in, p, places, groups, !r.OmitToolVersion)
		if err != nil {
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		}
		stale = append(stale, found...)
	}
	for _, f := range stale {
		isKind := func(_, name string, _ []byte) bool { return name == f.kind }
		isCovered := covered[[2]string{f.group, f.kind}]
		if position, found := Declaration(r.in, r.Dir, f.group, isKind); found && !isCovered {
			findings = append(findings, StillDeclared(f.path, f.kind, position))
			continue
		}
		removable := f.ours && (!f.target.joined || r.writesAll())
		if r.Prune && removable {
			remove = append(remove, f.path)
			continue
		}
		hint := "remove it"
		if removable {
			hint = pruneHint(r.Partial)
		} else if f.ours {
			hint = "run without --channel, and with --prune: the channels that are not written now have no other file"
		}
		message := "the kind of this file no longer exists"
		if isCovered {
			message = "this run has no definition for this file: " + f.target.withoutDefinition(f)
		}
		findings = append(findings, StaleOutput.At(diag.Position{File: filepath.ToSlash(f.path)}, hint, "%s", message))
	}
	return remove, findings, nil
}

// beforeChannels reports files in the directory of all definitions which schemagen wrote when the project had
// no channels, and which no run updates since. A copy of what a channel has is up to date.
func (r *runner) beforeChannels(targets []target) (findings diag.List, err error) {
	isOutput := func(t target) bool { return filepath.Clean(t.Destination) == filepath.Clean(r.Destination) }
	if len(r.Channels) == 0 || r.Destination == "" || r.Destination == "-" || slices.ContainsFunc(targets, isOutput) {
		return nil, nil
	}
	// What the channels have under a name, and where the first of them has it.
	having := map[string][]define.File{}
	where := map[string]string{}
	for _, t := range targets {
		for _, file := range t.files {
			having[file.Name] = append(having[file.Name], file)
			where[file.Name] = cmp.Or(where[file.Name], "channel "+t.Name+" is in "+filepath.ToSlash(t.Destination))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(having)) {
		path := filepath.Join(r.Destination, name)
		text, err := r.in.ReadFile(path, nil)
		if err != nil && !inputs.IsAbsent(err) {
			return nil, fmt.Errorf("find stale files: %w", err)
		}
		isCopy := slices.ContainsFunc(having[name], func(f define.File) bool { return bytes.Equal(f.Data, text) })
		if isOurs := bytes.Contains(text, []byte(generator.VersionAnnotation+": schemagen")); err == nil && isOurs && !isCopy {
			findings = append(findings, StaleOutput.At(diag.Position{File: filepath.ToSlash(path)},
				"install the definitions of a channel, and remove this file", "no channel has this file, which is out of date: that of %s", where[name]))
		}
	}
	return findings, nil
}

// withoutDefinition returns why a channel does not write the definition of a file.
func (t *target) withoutDefinition(f staleFile) string {
	byGates := false
	for _, k := range t.made.Removed {
		byGates = byGates || k.Group == f.group && k.Kind == f.kind
	}
	has := slices.ContainsFunc(t.made.CRDs, func(m *define.GeneratedCRD) bool {
		spec := m.Object().Spec
		return spec.Group == f.group && spec.Names.Kind == f.kind
	})
	switch {
	case t.joined:
		return "it is not the same in all channels"
	case has:
		return "it is the same in all channels, which share one file"
	case len(t.Kinds) > 0 && !byGates:
		return fmt.Sprintf("kinds of channel %s does not have %s", t.Name, f.kind)
	case t.Name != "":
		return "no version of its kind exists for the gates of channel " + t.Name
	}
	return "no version of its kind exists for these gates"
}
