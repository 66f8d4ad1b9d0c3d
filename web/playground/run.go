package playground

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/editor"
	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/verify"
)

// Playground runs states. It keeps what runs have in common, and is used by one goroutine at a time.
type Playground struct {
	sources []txtar.File
	// module is the go.mod file of states without one.
	module []byte
	target *verify.Target
	// results are those of verification, for definitions that are the same in the next run.
	results editor.Cache
	// current and previous are the two versions of the API.
	current, previous session
	language          func() (*editor.Language, error)
}

// session is a series of runs on one version of an API. A run parses only the files that have changed.
type session struct {
	loaded *define.Loaded
	files  []File
	result *version
	// recorder records what programs have, of which there is one after a run without errors.
	recorder symbols.Recorder
	programs []*symbols.Program
}

// New returns a playground whose types can import the packages in the text of an archive, which
// package sources writes.
func New(text []byte) (*Playground, error) {
	target, err := verify.NewTarget("")
	if err != nil {
		return nil, err
	}
	p := &Playground{target: target, language: sync.OnceValues(editor.NewLanguage)}
	for _, f := range txtar.Parse(text).Files {
		if f.Name == "go.mod" {
			p.module = f.Data
			continue
		}
		p.sources = append(p.sources, f)
	}
	if p.module == nil {
		return nil, fmt.Errorf("the archive of sources has no go.mod")
	}
	return p, nil
}

// Run computes the result of a state. The error is not about what people typed: the context has
// ended, or a name of a file is not one.
func (p *Playground) Run(ctx context.Context, state State) (*Result, error) {
	options := define.Options{Output: define.Output{OmitToolVersion: true}}
	current, err := p.define(ctx, &p.current, state.Files, options)
	if err != nil {
		return nil, err
	}
	out := &Result{CRDs: current.files}
	findings := definitions.WithoutIgnored(current.reader, current.findings)
	if !findings.HasErrors() {
		var found diag.List
		if out.Stored, found, err = try(ctx, state.Object, current.definitions); err != nil {
			return nil, err
		}
		findings = append(findings, found...)
		out.Docs = current.documentation()
		if out.Changes, found, err = p.changes(ctx, state.Old, current, options); err != nil {
			return nil, err
		}
		findings = append(findings, found...)
	}
	out.Findings, err = asJSON(findings, state)
	return out, err
}

// version is what the files of one version of an API define.
type version struct {
	definitions []*crd.Definition
	// files are the CRDs of Go types, and yaml those of YAML files.
	files, yaml []File
	reader      *inputs.Reader
	findings    diag.List
}

func (v *version) read(name string) ([]byte, error) { return v.reader.ReadFile(name, nil) }

// define generates the CRDs of Go files, and verifies those of YAML files. Files that are those of the last run
// have its result.
func (p *Playground) define(ctx context.Context, s *session, files []File, options define.Options) (*version, error) {
	if s.result != nil && slices.Equal(files, s.files) {
		return s.result, nil
	}
	out := &version{}
	var err error
	if options.Source, err = p.source(files); err != nil {
		return nil, err
	}
	out.reader = options.Inputs
	options.Passes = passes.All()
	options.Server = s.recorder.Around(verify.New(p.target, verify.Options{Generating: true, Cache: &p.results}))
	if len(options.Patterns) > 0 {
		if options.Loaded, err = define.LoadAgain(ctx, options, s.loaded); err != nil {
			return nil, err
		}
		s.loaded = options.Loaded
		generated, found, err := define.Make(ctx, options)
		if err != nil {
			return nil, err
		}
		if !found.HasErrors() {
			s.programs = []*symbols.Program{s.recorder.Program(dir, out.read, nil, false)}
		}
		out.findings = found.RelativeTo(dir)
		for _, g := range generated {
			out.files = append(out.files, File{Name: g.File.Name, Text: string(g.File.Data)})
			out.definitions = append(out.definitions, g.Definition())
		}
	}
	var read []*crd.Definition
	for _, f := range files {
		if isYAML(f) {
			found, problems := verify.Read(crd.File{Name: f.Name, Data: []byte(f.Text)})
			read = append(read, found...)
			if len(found) == 0 && len(problems) == 0 {
				problems = append(problems, noCRD(f))
			}
			out.findings = append(out.findings, problems...)
			out.yaml = append(out.yaml, f)
		}
	}
	found, err := verify.New(p.target, verify.Options{Cache: &p.results}).Check(ctx, read)
	if err != nil {
		return nil, err
	}
	out.definitions = append(out.definitions, read...)
	out.findings = append(out.findings, found...).Normalize()
	s.files, s.result = slices.Clone(files), out
	return out, nil
}

func noCRD(f File) diag.Diagnostic {
	d := definitions.NoCRDIn([]string{f.Name}, true)
	d.Hint = "objects belong into " + ObjectName
	return d
}

// try returns what a server stores of objects.
func try(ctx context.Context, text string, all []*crd.Definition) (stored string, findings diag.List, err error) {
	if strings.TrimSpace(text) == "" {
		return "", nil, nil
	}
	trial := dryrun.New(all...)
	trial.FieldValidation = dryrun.ValidateStrict
	objects, findings := dryrun.ReadObjects(crd.File{Name: ObjectName, Data: []byte(text)})
	var texts []string
	for _, o := range objects {
		result, err := trial.Try(ctx, o)
		if err != nil {
			return "", nil, err
		}
		findings = append(findings, result.Findings...)
		if result.Action == "" {
			continue
		}
		object, err := result.StoredYAML()
		if err != nil {
			return "", nil, err
		}
		texts = append(texts, fmt.Sprintf("# %s %s: %s\n%s", o.Kind, o.Name, result.Action, object))
	}
	return strings.Join(texts, "---\n"), findings.Normalize(), nil
}

// documentation returns the documentation of the CRDs in Markdown.
func (v *version) documentation() string {
	var files []crd.File
	for _, list := range [][]File{v.files, v.yaml} {
		for _, f := range list {
			files = append(files, crd.File{Name: f.Name, Data: []byte(f.Text)})
		}
	}
	resources, _ := definitions.ResourcesOf(files) // what is wrong with them is known
	var kinds []*explain.Documented
	for _, r := range resources {
		kinds = append(kinds, r.Documented(dir))
	}
	var out strings.Builder
	for _, f := range explain.MarkdownDocs(kinds) {
		out.Write(f.Data)
	}
	return out.String()
}

// changes compares with the previous version, if there is one. Findings are its errors.
func (p *Playground) changes(ctx context.Context, old []File, current *version, options define.Options) (lines []string, findings diag.List, err error) {
	if len(old) == 0 {
		return nil, nil, nil
	}
	previous, err := p.define(ctx, &p.previous, old, options)
	if err != nil {
		return nil, nil, err
	}
	if previous.findings.HasErrors() {
		for _, d := range previous.findings {
			if d.Severity == diag.Error {
				d.Pos.File = path.Join("previous version", d.Pos.File)
				findings = append(findings, d)
			}
		}
		return nil, findings, nil
	}
	all, err := compare.Definitions(ctx, p.target, previous.definitions, current.definitions)
	if err != nil {
		return nil, nil, err
	}
	lines = []string{} // not nil: there was a comparison
	for _, change := range compare.Sorted(compare.Grouped(compare.Folded(all))) {
		lines = append(lines, change.String())
	}
	return lines, nil, nil
}

// asJSON returns findings as --format json prints them.
func asJSON(findings diag.List, state State) ([]byte, error) {
	texts := map[string][]byte{ObjectName: []byte(state.Object)}
	for _, f := range state.Files {
		texts[f.Name] = []byte(f.Text)
	}
	var out bytes.Buffer
	err := findings.UTF16(func(file string) ([]byte, error) { return texts[file], nil }).Write(&out, "json", nil)
	return out.Bytes(), err
}
