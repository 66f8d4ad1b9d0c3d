package laws

import (
	"context"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/gotext"
)

// FileName is the name of the generated file in each package.
const FileName = conversions.TestFileName

// Files is the result of [Generate].
type Files struct {
	// Files have absolute names: one for each package with conversions, and the files that their
	// tests import.
	Files []define.File
	// Without are the directories of packages without conversions, sorted.
	Without []string
	// Unneeded are files that tests imported and that none does any more, sorted.
	Unneeded []string
}

// Generate reads the packages and returns a file of tests for each one with hand-written
// conversions. It is an error if there are none. Diagnostics are about the user's source; if
// one of them is an error, there are no files. The error is as in [define.Make].
func Generate(ctx context.Context, options define.Options) (Files, diag.List, error) {
	internal := options
	internal.Gates = []string{"*"} // the Go types are the same for all gates
	roots, b, err := define.Open(ctx, internal)
	if err != nil {
		return Files{}, nil, err
	}
	reporter := b.Reporter
	var out Files
	engines := engines{in: b.Options.Inputs}
	for _, pkg := range roots {
		if len(pkg.Files) == 0 {
			continue
		}
		engines.add(pkg)
		dir := filepath.Dir(pkg.Files[0])
		pairs := written.Find(pkg, func(pos token.Pos, name, reason string) {
			reporter.Report(report.NoKinds, pkg.At(pos), "", "%s is not tested: %s", name, reason)
		})
		if len(pairs) == 0 {
			out.Without = append(out.Without, dir)
			continue
		}
		f := newTestFile(b, pkg)
		for _, k := range pairs {
			var more []gotext.Pair
			if lost := dropped(k.Spoke); len(lost) > 0 {
				more = append(more, gotext.Pair{Key: "Drops", Value: fmt.Sprintf("%#v", lost)})
			}
			f.kind(k, k.Spoke.Pkg.Name, k.Hub.Pkg.Name, more...)
		}
		data, err := f.bytes(options.Header, engines.use(pkg), "")
		if err != nil {
			return Files{}, nil, err
		}
		out.Files = append(out.Files, define.File{Name: filepath.Join(dir, FileName), Data: data})
	}
	slices.Sort(out.Without)
	if len(out.Files) == 0 && !reporter.List.HasErrors() {
		reporter.Add(report.NoKinds.At(diag.Position{}, "name packages with types that have the methods ConvertTo and ConvertFrom, or with functions such as ConvertWidgetToHub and ConvertWidgetFromHub",
			"no hand-written conversion found").As(diag.Error))
	}
	engines.finish(options.Header, &out)
	if reporter.List.HasErrors() {
		out = Files{}
	}
	return out, reporter.List.Normalize(), ctx.Err()
}

// testFile is the file of a package.
type testFile struct {
	pkg        *source.Package
	constraint string
	imports    importNames
	fields     *fields
	kinds      strings.Builder
}

func newTestFile(b *define.Builder, p *source.Package) *testFile {
	return &testFile{pkg: p, constraint: "go1.22", imports: importNames{own: p.Path, names: map[string]string{}}, fields: newFields(b)}
}

// kind adds a kind, with the names of its versions and more fields of the literal.
func (f *testFile) kind(k *written.Pair, spokeName, hubName string, more ...gotext.Pair) {
	spoke := f.imports.typeName(k.Spoke)
	hub := f.imports.typeName(k.Hub)
	f.fields.roots = append(f.fields.roots, k)
	up := fmt.Sprintf("spoke.(*%s).ConvertTo(hub.(*%s))", spoke, hub)
	down := fmt.Sprintf("spoke.(*%s).ConvertFrom(hub.(*%s))", spoke, hub)
	if k.Up != "" {
		f.imports.names["context"] = ""
		up = fmt.Sprintf("%s(context.Background(), spoke.(*%s), hub.(*%s))", k.Up, spoke, hub)
		down = fmt.Sprintf("%s(context.Background(), hub.(*%s), spoke.(*%s))", k.Down, hub, spoke)
	}
	fmt.Fprintf(&f.kinds, "{\nName: %q, Spoke: %q, Hub: %q,\n%s},\n", k.Spoke.Spec.Name.Name, spokeName, hubName, gotext.Pairs(append([]gotext.Pair{
		{Key: "NewSpoke", Value: gotext.Function("func() any", "return new("+spoke+")")},
		{Key: "NewHub", Value: gotext.Function("func() any", "return new("+hub+")")},
		{Key: "Up", Value: gotext.Function("func(spoke, hub any) error", "return "+up)},
		{Key: "Down", Value: gotext.Function("func(hub, spoke any) error", "return "+down)},
		{Key: "Fields", Value: "fields"},
	}, more...)))
}

// bytes returns the file as gofmt writes it. engine is the import path of the engine, and units the
// declaration of the table of units of generated conversions, or empty.
func (f *testFile) bytes(header, engine, units string) ([]byte, error) {
	imports := []gotext.Import{{Path: "testing"}, {Path: engine}}
	for path, name := range f.imports.names {
		imports = append(imports, gotext.Import{Name: name, Path: path})
	}
	head := gotext.Head(header+gotext.Comments(f.constraint, "", "schemagen"), f.pkg.Name, imports,
		func(path string) bool { return path == "testing" || path == "context" })
	out, err := gotext.FormatHead(head)
	if err != nil {
		return nil, fmt.Errorf("format the tests of %s: %w", f.pkg.Path, err)
	}
	f.fields.rules = units != ""
	found := f.fields.all()
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		lines = append(lines, "{At: "+strconv.Quote(name)+", "+found[name]+"},\n")
	}
	return gotext.Append(out, "// "+conversions.TestName+" runs histories of random edits through both versions of each kind.\n"+
		"func "+conversions.TestName+"(t *testing.T) {\nfields := []"+enginePackage+".Field"+braces(lines)+"\n"+units+
		"for _, k := range []"+enginePackage+".Kind{\n"+f.kinds.String()+"} {\nt.Run(k.Name, func(t *testing.T) { "+enginePackage+".Run(t, k) })\n}\n}\n"), nil
}

// braces returns the lines of a literal in braces.
func braces(lines []string) string {
	if len(lines) == 0 {
		return "{}"
	}
	return "{\n" + strings.Join(lines, "") + "}"
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
