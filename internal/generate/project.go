package generate

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// Generators that are not controller-gen's.
const (
	crdGenerator         = "crd"
	unionsGenerator      = "unions"
	conversionsGenerator = "conversions"
)

// documentGenerators returns the generators of documents.
func documentGenerators() []string { return []string{"docs", "jsonschema", "openapi"} }

// Project is what schemagen generate makes of a project.
type Project struct {
	// Generators are the names of the generators that run, sorted.
	Generators []string
	// Line has the arguments of controller-gen's generators.
	Line *commandline.CommandLine
	// Documents describe the definitions.
	Documents Documents
}

// Runs reports whether a generator runs.
func (p *Project) Runs(generator string) bool { return slices.Contains(p.Generators, generator) }

// ReadProject returns what schemagen generate makes of the project in a directory: what its file lists,
// or what its layout shows. year replaces YEAR in the header of Kubebuilder's scaffold. only are the
// generators to run, or none for all of them.
func ReadProject(reader *inputs.Reader, file *project.File, dir string, year int, only []string) (*Project, error) {
	out := &Project{Documents: documentsOf(file, dir)}
	arguments := file.Texts("generators", dir)
	if len(arguments) == 0 {
		arguments = generatorsOf(reader, file, dir, year)
	}
	var ofControllerGen []string
	for _, argument := range arguments {
		switch argument {
		case crdGenerator, unionsGenerator, conversionsGenerator:
			out.Generators = append(out.Generators, argument)
		default:
			ofControllerGen = append(ofControllerGen, argument)
		}
	}
	out.Line = &commandline.CommandLine{}
	if len(ofControllerGen) > 0 {
		line, err := commandline.Parse(ofControllerGen)
		if err != nil {
			return nil, fmt.Errorf("generators in %s: %w", project.Name, err)
		}
		out.Line = line
		for name := range line.Generators {
			out.Generators = append(out.Generators, name)
		}
	}
	out.Generators = append(out.Generators, out.Documents.names()...)
	slices.Sort(out.Generators)
	return out, out.keep(only)
}

// keep keeps only some generators. It returns an error if one of them does not run in the project.
func (p *Project) keep(only []string) error {
	if len(only) == 0 {
		return nil
	}
	for _, name := range only {
		if p.Runs(name) {
			continue
		}
		hint := "add it to generators in " + project.Name
		if slices.Contains(documentGenerators(), name) {
			hint = "set outputs." + name + " in " + project.Name
		} else if known := append(commandline.Names(), unionsGenerator, conversionsGenerator); !slices.Contains(known, name) {
			hint = words.DidYouMean(name, append(known, documentGenerators()...), "use "+strings.Join(p.Generators, ", "))
		}
		return fmt.Errorf("--only: this project has no generator %s\n%s", name, hint)
	}
	p.Generators = slices.Sorted(slices.Values(only))
	p.Generators = slices.Compact(p.Generators)
	for name := range p.Line.Generators {
		if !p.Runs(name) {
			delete(p.Line.Generators, name)
		}
	}
	p.Documents = p.Documents.only(p.Generators)
	return nil
}

// boilerplate is the header file of Kubebuilder's scaffold.
const boilerplate = "hack/boilerplate.go.txt"

// generatorsOf returns the generators of a project whose file lists none: those of Kubebuilder's scaffold, or
// else crd and those whose outputs the file names; and those of which the API packages have files.
func generatorsOf(reader *inputs.Reader, file *project.File, dir string, year int) []string {
	_, scaffold := project.ReadKubebuilder(reader, dir)
	has := func(key string) bool { return scaffold || len(file.Texts(key, dir)) > 0 }
	arguments := []string{crdGenerator}
	if has("outputs.rbac") {
		arguments = append(arguments, "rbac:roleName=manager-role")
	}
	if has("outputs.webhook") {
		arguments = append(arguments, "webhook")
	}
	packages, _ := file.Packages(reader, dir) // the run reports that there are none
	files := generatedFiles(reader, dir, golist.Directories(packages))
	if scaffold || files["zz_generated.deepcopy.go"] {
		object := "object"
		if header, err := reader.ReadFile(filepath.Join(dir, filepath.FromSlash(boilerplate)), nil); err == nil {
			object += ":headerFile=" + boilerplate
			if bytes.Contains(header, []byte(" YEAR")) {
				object += fmt.Sprintf(",year=%d", year)
			}
		}
		arguments = append(arguments, object)
	}
	if files[uniongen.FileName] || len(file.Texts("outputs.policies", dir)) > 0 {
		arguments = append(arguments, unionsGenerator)
	}
	if files[conversions.FileName] {
		arguments = append(arguments, conversionsGenerator)
	}
	return arguments
}

// generatedFiles returns the names of the generated files in directories, which are relative to dir, and below.
func generatedFiles(reader *inputs.Reader, dir string, packages []string) map[string]bool {
	out := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		entries, err := reader.ReadDir(dir)
		if err != nil {
			return
		}
		for _, entry := range entries {
			switch name := entry.Name(); {
			case !entry.IsDir():
				out[name] = out[name] || strings.HasPrefix(name, "zz_generated.")
			case !strings.HasPrefix(name, ".") && name != "vendor" && name != "testdata":
				visit(filepath.Join(dir, name))
			}
		}
	}
	for _, name := range packages {
		visit(filepath.Join(dir, name))
	}
	return out
}

// Make sets the request to what the project makes, except for the options of its generators.
func (r *Request) Make(p *Project) {
	r.Companions = CompanionsOf(p.Line)
	r.Companions.Patterns = p.Line.Paths
	if len(r.Companions.Patterns) == 0 {
		r.Companions.Patterns = []string{"./..."}
	}
	r.Generators = slices.DeleteFunc(slices.Clone(p.Generators), func(name string) bool { return p.Line.Generators[name] == nil })
	r.Generators = append(r.Generators, crdGenerator) // they read the same markers
	r.Documents = p.Documents
	if p.Runs(unionsGenerator) {
		r.Functions = &Functions{}
	}
	if p.Runs(conversionsGenerator) {
		r.Conversions = &Conversions{}
	}
	r.WithoutCRDs = !p.Runs(crdGenerator)
	r.NoCRD = r.WithoutCRDs && len(p.Documents.names()) == 0
}
