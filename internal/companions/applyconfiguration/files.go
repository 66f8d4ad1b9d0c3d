package applyconfiguration

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"path/filepath"
	"slices"
	"strings"

	gengogenerator "k8s.io/gengo/v2/generator"

	"github.com/schemagen/schemagen/internal/source"
)

// add adds a file. Packages that share an output directory write some files several times, of
// which the last one counts.
func (r *run) add(file source.Output) {
	for i, earlier := range r.files {
		if filepath.Join(earlier.PackageDir, earlier.Name) == filepath.Join(file.PackageDir, file.Name) {
			r.files[i] = file
			return
		}
	}
	r.files = append(r.files, file)
}

// inMemory is a target for which no directory is created.
type inMemory struct{ gengogenerator.Target }

// Dir implements [gengogenerator.Target].
func (inMemory) Dir() string { return "." }

// collector is gengo's file type for Go, which collects files instead of writing them.
type collector struct {
	*packageRun
	outputPackage, outputDir string
}

// AssembleFile implements [gengogenerator.FileType].
func (c collector) AssembleFile(f *gengogenerator.File, _ string) error {
	text, err := format.Source(assembled(c.header, f))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	dir := filepath.Join(c.outputDir, strings.TrimPrefix(f.PackagePath, c.outputPackage))
	name, err := filepath.Rel(c.dir, filepath.Join(dir, f.Name))
	if err != nil {
		return err
	}
	c.add(source.Output{PackageDir: c.dir, Name: name, Data: text})
	return nil
}

// assembled returns the source of a file (assembleGoFile of gengo), with imports ordered
// and grouped as by goimports.
func assembled(header []byte, f *gengogenerator.File) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%spackage %s\n\n", header, f.PackageName)
	if imports := importSpecs(f.Imports); len(imports) > 0 {
		text.WriteString("import (\n")
		for i, spec := range imports {
			if i > 0 && spec.elsewhere && !imports[i-1].elsewhere {
				text.WriteByte('\n')
			}
			fmt.Fprintf(&text, "\t%s %q\n", spec.name, spec.path)
		}
		text.WriteString(")\n\n")
	}
	if f.Vars.Len() > 0 {
		fmt.Fprintf(&text, "var (\n%s)\n\n", f.Vars.Bytes())
	}
	if f.Consts.Len() > 0 {
		fmt.Fprintf(&text, "const (\n%s)\n\n", f.Consts.Bytes())
	}
	text.Write(f.Body.Bytes())
	return text.Bytes()
}

// importSpec is a line of an import declaration.
type importSpec struct {
	name, path string
	// elsewhere is true if the package is not in the standard library.
	elsewhere bool
}

// importSpecs parses import lines: a path, or a name and a quoted path. The standard
// library comes first.
func importSpecs(lines map[string]struct{}) []importSpec {
	var out []importSpec
	for line := range lines {
		spec := importSpec{path: line}
		if name, quoted, ok := strings.Cut(line, "\""); ok {
			spec = importSpec{name: strings.TrimSpace(name), path: strings.TrimSuffix(quoted, "\"")}
		}
		first, _, _ := strings.Cut(spec.path, "/")
		spec.elsewhere = strings.Contains(first, ".")
		out = append(out, spec)
	}
	slices.SortFunc(out, func(a, b importSpec) int {
		if a.elsewhere != b.elsewhere {
			if b.elsewhere {
				return -1
			}
			return 1
		}
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.name, b.name))
	})
	return out
}
