// Package laws generates tests of conversions between the versions of a kind: histories of
// random edits through both versions, for which the laws of conversions have to hold. It
// knows Go source and markers; it does not know how a conversion works.
//
//	source       packages ─▶ []*written.Pair: a spoke, its hub, and the functions between them
//	model        or *conversions.Model: the same of generated conversions, with their units
//	fields       markers of the types below them ─▶ values that are valid           (fields.go)
//	units        model ─▶ a table of the units of each pair of structs               (units.go)
//	files        all ─▶ zz_generated.conversions_test.go in each package             (laws.go)
//	engines      packages with tests ─▶ one package in each of their modules         (engine.go)
//
// The tests of a package are only tables. What runs the histories is in a generated package
// that tests of the whole module import, and nothing else: internal/conversionlaws. Its files are
// engine_test.go and, for generated conversions, units_test.go, which are tests of this package,
// too, so that they are compiled, vetted and tested as they are.
package laws

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/conversions/written"
	"github.com/schemagen/schemagen/generator/internal/build"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
)

// FileName is the name of the generated file in each package.
const FileName = "zz_generated.conversions_test.go"

// Files is the result of [Generate].
type Files struct {
	// Files have absolute names: one for each package with conversions, and those that their
	// tests import.
	Files []build.File
	// Without are the directories of packages without conversions, sorted.
	Without []string
	// Unneeded are files that tests imported and that none does any more, sorted.
	Unneeded []string
}

// Generate reads the packages and returns a file of tests for each one with hand-written
// conversions. It is an error if there are none. Diagnostics are about the user's source; if
// one of them is an error, there are no files. The error is as in [generator.Run].
func Generate(ctx context.Context, options generator.Options) (Files, diag.List, error) {
	internal := options.Internal()
	internal.Gates = []string{"*"} // the Go types are the same for all gates
	roots, b, err := build.Open(ctx, &internal)
	if err != nil {
		return Files{}, nil, err
	}
	r := b.Reporter
	var out Files
	var engines engines
	for _, p := range roots {
		if len(p.Files) == 0 {
			continue
		}
		engines.add(p)
		dir := filepath.Dir(p.Files[0])
		pairs := written.Find(p, func(at token.Pos, name, reason string) {
			r.Report(report.NoKinds, p.At(at), "", "%s is not tested: %s", name, reason)
		})
		if len(pairs) == 0 {
			out.Without = append(out.Without, dir)
			continue
		}
		f := newTestFile(b, p)
		for _, k := range pairs {
			more := ""
			if lost := dropped(k.Spoke); len(lost) > 0 {
				more = fmt.Sprintf("\t\t\tDrops: %#v,\n", lost)
			}
			f.kind(k, k.Spoke.Pkg.Name, k.Hub.Pkg.Name, more)
		}
		data, err := f.bytes(options.Header, engines.use(p), "")
		if err != nil {
			return Files{}, nil, err
		}
		out.Files = append(out.Files, build.File{Name: filepath.Join(dir, FileName), Data: data})
	}
	slices.Sort(out.Without)
	if len(out.Files) == 0 && !r.List.HasErrors() {
		r.Add(report.NoKinds.At(diag.Position{}, "name packages with types that have the methods ConvertTo and ConvertFrom, or with functions such as ConvertWidgetToHub and ConvertWidgetFromHub",
			"no hand-written conversion found").As(diag.Error))
	}
	engines.finish(options.Header, &out)
	if r.List.HasErrors() {
		out = Files{}
	}
	return out, r.List.Normalize(), ctx.Err()
}

// testFile is the file of a package.
type testFile struct {
	pkg        *source.Package
	constraint string
	imports    importNames
	fields     *fields
	kinds      bytes.Buffer
}

func newTestFile(b *build.Builder, p *source.Package) *testFile {
	return &testFile{pkg: p, constraint: "go1.22", imports: importNames{own: p.Path, names: map[string]string{}}, fields: newFields(b)}
}

// kind adds a kind, with the names of its versions and more fields of the literal.
func (f *testFile) kind(k *written.Pair, spokeName, hubName, more string) {
	spoke, hub := f.imports.typeName(k.Spoke), f.imports.typeName(k.Hub)
	f.fields.roots = append(f.fields.roots, k)
	up, down := fmt.Sprintf("spoke.(*%s).ConvertTo(hub.(*%s))", spoke, hub), fmt.Sprintf("spoke.(*%s).ConvertFrom(hub.(*%s))", spoke, hub)
	if k.Up != "" {
		f.imports.names["context"] = ""
		up = fmt.Sprintf("%s(context.Background(), spoke.(*%s), hub.(*%s))", k.Up, spoke, hub)
		down = fmt.Sprintf("%s(context.Background(), hub.(*%s), spoke.(*%s))", k.Down, hub, spoke)
	}
	fmt.Fprintf(&f.kinds, "\t\t{\n\t\t\tName: %q, Spoke: %q, Hub: %q,\n", k.Spoke.Spec.Name.Name, spokeName, hubName)
	fmt.Fprintf(&f.kinds, "\t\t\tNewSpoke: func() any { return new(%s) },\n\t\t\tNewHub: func() any { return new(%s) },\n", spoke, hub)
	fmt.Fprintf(&f.kinds, "\t\t\tUp: func(spoke, hub any) error { return %s },\n\t\t\tDown: func(hub, spoke any) error { return %s },\n\t\t\tFields: fields,\n%s", up, down, more)
	f.kinds.WriteString("\t\t},\n")
}

// bytes returns the formatted file. engine is the import path of the engine, and units the
// declaration of the table of units of generated conversions, or empty.
func (f *testFile) bytes(header, engine, units string) ([]byte, error) {
	standard, others := []string{`"testing"`}, []string{strconv.Quote(engine)}
	for path, name := range f.imports.names {
		if name == "" {
			standard = append(standard, strconv.Quote(path))
		} else {
			others = append(others, name+" "+strconv.Quote(path))
		}
	}
	slices.Sort(standard)
	slices.Sort(others)
	f.fields.rules = units != ""
	found := f.fields.all()
	var out bytes.Buffer
	out.WriteString(header)
	fmt.Fprintf(&out, "//go:build %s\n\n// Code generated by schemagen. DO NOT EDIT.\n\npackage %s\n\nimport (\n%s\n\n%s\n)\n\n", f.constraint, f.pkg.Name, strings.Join(standard, "\n"), strings.Join(others, "\n"))
	out.WriteString("// TestConversionLaws runs histories of random edits through both versions of each kind.\n")
	out.WriteString("func TestConversionLaws(t *testing.T) {\n\tfields := []" + enginePackage + ".Field{\n")
	for _, name := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&out, "\t\t{At: %q, %s},\n", name, found[name])
	}
	fmt.Fprintf(&out, "\t}\n%s\tfor _, k := range []%s.Kind{\n%s\t} {\n\t\tt.Run(k.Name, func(t *testing.T) { %s.Run(t, k) })\n\t}\n}\n", units, enginePackage, f.kinds.Bytes(), enginePackage)
	data, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("format the tests of %s: %w", f.pkg.Path, err)
	}
	return data, nil
}

// importNames are the names of imported packages, by path.
type importNames struct {
	own   string
	names map[string]string
}

// typeName returns the name of a type in the file.
func (i importNames) typeName(t *source.Type) string {
	return i.qualifier(t.Pkg) + t.Spec.Name.Name
}

// qualifier returns what is before the names of a package in the file.
func (i importNames) qualifier(p *source.Package) string {
	if p.Path == i.own {
		return ""
	}
	name := i.names[p.Path]
	if name == "" {
		name = fmt.Sprintf("api%d", len(i.names)+1)
		i.names[p.Path] = name
	}
	return name + "."
}
