// Package schemapatch replaces the schemas in hand-written definitions. It edits YAML nodes,
// so that everything else is preserved. It knows YAML; the schemas come from package define.
package schemapatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kyaml "sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/yamltext"
	"github.com/schemagen/schemagen/structural"
)

// Patch reads the packages, and the definitions in the files *.yaml of a directory, and
// returns these files with the schemas of their kinds replaced by those of the Go types; a
// version without a Go type loses its schema. Definitions without a kind in the packages are
// returned, too. Everything else is preserved, including order and comments, in the style of
// the YAML library. If the packages do not import metav1, there are no files. In all of this,
// the output is byte-identical to that of controller-tools' schemapatch (Generator.Generate
// of pkg/schemapatcher).
//
// Files in written, which are about to be written into the directory, are read instead of
// those on disk.
//
// Diagnostics are about the user's source and definitions. If one of them is an error, no
// files are returned. The error is for a directory that cannot be read, and otherwise as for
// [define.Make].
func Patch(ctx context.Context, options define.Options, directory string,
	written []define.File) ([]define.File, diag.List, error) {
	return patch(ctx, options, directory, written)
}

func patch(ctx context.Context, options define.Options, directory string,
	written []define.File) ([]define.File, diag.List, error) {
	roots, builder, err := define.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	reporter := builder.Reporter
	definer := define.NewDefiner(builder)
	kinds := define.FindKinds(builder.Run, roots)
	// A kind without a group has no definition, so there is nothing to report here.
	reporter.Drop(report.KindWithoutGroup)
	if len(kinds) == 0 && !importMetav1(roots) {
		return nil, reporter.List.Normalize(), ctx.Err()
	}
	p := &patcher{reporter: reporter, checker: builder.Run.Checker, inputs: builder.Run.Options.Inputs, dir: options.Dir}
	if err := p.read(directory, written); err != nil {
		return nil, nil, fmt.Errorf("schemapatch: %w", err)
	}
	for _, k := range kinds {
		crd, err := definer.Schemas(ctx, k,
			func(version string) *apiextensionsv1.CustomResourceDefinitionVersion { return p.version(k, version) })
		if err != nil {
			return nil, nil, err
		}
		if crd != nil {
			p.patch(k, crd)
		}
	}
	for _, root := range roots {
		builder.Run.CheckOverrides(root)
	}
	builder.Run.Lint()
	files, err := p.encode()
	if err != nil {
		return nil, nil, err
	}
	if err := p.verify(ctx, files); err != nil {
		return nil, nil, err
	}
	if reporter.List.HasErrors() {
		files = nil
	}
	return files, reporter.List.Normalize(), ctx.Err()
}

// importMetav1 reports whether a file of the packages imports metav1.
func importMetav1(roots []*source.Package) bool {
	for _, p := range roots {
		for _, f := range p.Sources {
			f.Parse()
			if f.Syntax == nil {
				continue
			}
			for _, spec := range f.Syntax.Imports {
				if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == source.MetaV1Path {
					return true
				}
			}
		}
	}
	return false
}

// patcher patches the definitions of a directory.
type patcher struct {
	reporter *report.Reporter
	checker  *checks.Checker
	inputs   *inputs.Reader
	// dir is the directory that file names are relative to.
	dir       string
	manifests []*manifest
}

// version returns a version of a kind as the first file with it has it, or nil.
func (p *patcher) version(k define.GroupKind, name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	for _, m := range p.manifests {
		i := slices.Index(m.versions, name)
		if m.kind != k || i < 0 {
			continue
		}
		out := &apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: true}
		if m.hasStatus[i] {
			out.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
		}
		return out
	}
	return nil
}

// patch writes the schemas of a kind to its definitions.
func (p *patcher) patch(k define.GroupKind, crd *checks.Definition) {
	for _, m := range p.manifests {
		if m.kind != k {
			continue
		}
		if node, err := m.patch(crd); err != nil {
			p.report(m.name, node, err.Error())
		}
	}
}

// encode returns the encoded files.
func (p *patcher) encode() ([]define.File, error) {
	var files []define.File
	for _, m := range p.manifests {
		data, err := m.encode()
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", m.name, err)
		}
		files = append(files, define.File{Name: filepath.Base(m.name), Data: data})
	}
	return files, nil
}

// manifest is a file that contains a definition.
type manifest struct {
	name     string
	kind     define.GroupKind
	versions []string
	// hasStatus is set for the versions, by index, with the status subresource.
	hasStatus []bool
	// document is the file, which is modified in place.
	document yaml.Node
	// crd is the source of the schemas; nil if they do not change.
	crd *checks.Definition
}

// read reads the definitions in the files *.yaml of a directory, sorted by name.
func (p *patcher) read(directory string, written []define.File) error {
	if !filepath.IsAbs(directory) {
		directory = filepath.Join(p.dir, directory)
	}
	files := slices.Clone(written)
	entries, err := p.inputs.ReadDir(directory)
	if err != nil && (len(written) == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return err
	}
	for _, entry := range entries {
		isWritten := slices.ContainsFunc(written, func(f define.File) bool { return f.Name == entry.Name() })
		if isWritten || entry.IsDir() || filepath.Ext(entry.Name()) != ".yaml" {
			continue
		}
		data, err := p.inputs.ReadFile(filepath.Join(directory, entry.Name()), nil)
		if err != nil {
			return err
		}
		files = append(files, define.File{Name: entry.Name(), Data: data})
	}
	slices.SortFunc(files, func(a, b define.File) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range files {
		if m := p.decode(filepath.Join(directory, f.Name), f.Data); m != nil {
			p.manifests = append(p.manifests, m)
		}
	}
	return nil
}

// decode decodes a file. It returns nil if the file does not contain a definition or, as a
// template, cannot be decoded (crdsFromDirectory of pkg/schemapatcher).
func (p *patcher) decode(name string, data []byte) *manifest {
	var head metav1.TypeMeta
	if kyaml.Unmarshal(data, &head) != nil || head.APIVersion == "" || head.Kind != "CustomResourceDefinition" {
		return nil
	}
	if head.APIVersion != apiextensionsv1.SchemeGroupVersion.String() {
		p.report(name, nil, fmt.Sprintf("apiVersion %q is not supported, only %s is", head.APIVersion, apiextensionsv1.SchemeGroupVersion))
		return nil
	}
	// CustomResourceDefinition would fail to decode schemas that are about to be replaced.
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name         string
				Subresources any
			}
		}
	}
	if kyaml.Unmarshal(data, &crd) != nil {
		return nil
	}
	m := &manifest{name: name, kind: define.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}}
	for _, version := range crd.Spec.Versions {
		m.versions = append(m.versions, version.Name)
		subresources, _ := version.Subresources.(map[string]any)
		m.hasStatus = append(m.hasStatus, subresources["status"] != nil)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if decoder.Decode(&m.document) != nil {
		return nil
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		p.report(name, nil, "the file has several documents, of which only the first would be kept")
		return nil
	}
	return m
}

// report reports why a file cannot be patched, at one of its nodes unless node is nil.
func (p *patcher) report(name string, node *yaml.Node, message string) {
	pos := diag.Position{File: name}
	if node != nil {
		pos.Line = node.Line
		pos.Column = node.Column
	}
	p.reporter.Add(report.ManifestNotReplaceable.At(pos, "", "%s", message))
}

// patch writes the schemas to the definition, and removes the schemas of versions without one
// and the one for all versions (setVersionedSchemata of pkg/schemapatcher). An error applies
// to the returned node.
func (m *manifest) patch(crd *checks.Definition) (*yaml.Node, error) {
	m.crd = crd
	spec := child(m.document.Content[0], "spec")
	removeKey(spec, "validation")
	versions := child(spec, "versions")
	if versions == nil || versions.Kind != yaml.SequenceNode {
		return spec, errors.New("spec.versions is not a list")
	}
	for i, version := range versions.Content {
		name := child(version, "name")
		if name == nil || name.Kind != yaml.ScalarNode || name.ShortTag() != "!!str" || name.Value == "" {
			return version, fmt.Errorf("spec.versions[%d] has no name that is a string", i)
		}
		schema := crd.SchemaOf(name.Value)
		if schema == nil {
			removeKey(version, "schema")
			continue
		}
		node, err := schemaNode(schema)
		if err != nil {
			return version, err
		}
		around := child(version, "schema")
		if around == nil {
			around = addKey(version, "schema")
		}
		if around.Kind != yaml.MappingNode {
			return around, fmt.Errorf("spec.versions[%d].schema is not an object", i)
		}
		target := child(around, "openAPIV3Schema")
		if target == nil {
			target = addKey(around, "openAPIV3Schema")
		}
		*target = *node
	}
	return nil, nil
}

// schemaNode returns a schema as YAML with keywords in the order of JSONSchemaProps and
// values in the style that the library chooses (ToYAML and SetStyle of
// pkg/schemapatcher/internal/yaml), except for strings that it would write as booleans.
func schemaNode(schema *structural.Schema) (*yaml.Node, error) {
	text, err := json.Marshal(schema.Props())
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	setStyle(&document)
	return document.Content[0], nil
}

// setStyle lets the library choose the style. It writes the string "on" without quotes, as in
// YAML 1.2; kubectl and the API server read YAML 1.1, where that is a boolean, so such
// strings are quoted.
func setStyle(node *yaml.Node) {
	node.Style = 0
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!str" && !yamltext.IsText(node.Value) {
		node.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range node.Content {
		setStyle(c)
	}
}

// child returns the value of a key of a mapping, or nil.
func child(node *yaml.Node, key string) *yaml.Node {
	if i := yamltext.KeyIndex(node, key); i >= 0 {
		return node.Content[i+1]
	}
	return nil
}

func removeKey(node *yaml.Node, key string) {
	if i := yamltext.KeyIndex(node, key); i >= 0 {
		node.Content = slices.Delete(node.Content, i, i+2)
	}
}

// addKey adds a key with an empty mapping and returns the mapping.
func addKey(node *yaml.Node, key string) *yaml.Node {
	value := &yaml.Node{Kind: yaml.MappingNode}
	node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: key}, value)
	return value
}

// encode writes the file with the indentation of Kubernetes' tools. Like upstream, it does
// not close the encoder, so no document end marker is written.
func (m *manifest) encode() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(&m.document)
	return out.Bytes(), err
}

// verify reports problems with the definitions that got schemas, whose files are given by
// index: problems in a schema at its line of Go, all other problems at the file.
func (p *patcher) verify(ctx context.Context, files []define.File) error {
	if !p.checker.Verifies() || p.reporter.List.HasErrors() {
		return nil
	}
	var subjects []*crd.Definition
	for i, m := range p.manifests {
		if m.crd == nil {
			continue
		}
		var object apiextensionsv1.CustomResourceDefinition
		if err := kyaml.Unmarshal(files[i].Data, &object); err != nil {
			p.report(m.name, nil, "with its schemas it is not a CustomResourceDefinition: "+report.OneLine(err.Error()))
			continue
		}
		subject := &crd.Definition{CRD: &object, Position: m.position(p.checker)}
		subject.Provenance().Text = files[i].Data
		for _, version := range object.Spec.Versions {
			subject.Schemas = append(subject.Schemas, m.crd.SchemaOf(version.Name))
		}
		subjects = append(subjects, subject)
	}
	return p.checker.VerifySubjects(ctx, subjects)
}

// position returns a function that returns the position of a path in the definition.
func (m *manifest) position(c *checks.Checker) func(path string) (diag.Position, []diag.Related) {
	return func(path string) (diag.Position, []diag.Related) {
		if rest, ok := strings.CutPrefix(path, "spec.versions["); ok {
			index, rest, _ := strings.Cut(rest, "]")
			n, err := strconv.Atoi(index)
			// The schemas are in the order of the packages.
			if err == nil && n < len(m.versions) && strings.HasPrefix(rest, ".schema.openAPIV3Schema") {
				for i, version := range m.crd.Object.Spec.Versions {
					if version.Name == m.versions[n] {
						return c.Position(m.crd, fmt.Sprintf("spec.versions[%d]%s", i, rest))
					}
				}
			}
		}
		return diag.Position{File: m.name}, nil
	}
}
