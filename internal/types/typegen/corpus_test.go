package typegen_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/types/typegen"
)

var (
	corpus = flag.Bool("corpus", false, "generate types from the CRDs of all modules of testdata/types-modules.txt, and write testdata/types.tsv")
	build  = flag.String("build", "", "with -corpus: write the packages below this directory, a module, and compile and vet them with their methods")
	only   = flag.String("only", "", "with -corpus: only files whose name contains this; write nothing")
)

// A corpusRow is a definition of a module and what became of it.
type corpusRow struct {
	module, file  string
	definition    *crd.Definition
	samples       []map[string]any
	dir           string
	made          *typegen.Result
	result, cause string
	// subjects are the versions with objects; there are none without -build.
	subjects []*subject
}

// TestCorpus generates types from the CRDs in files of real modules, none of which was
// written for it, compiles them, sends objects through them, and records the results.
func TestCorpus(t *testing.T) {
	if !*corpus {
		t.Skip("needs the modules: make types")
	}
	rows := corpusRows(t)
	results, causes := map[string]int{}, map[string]int{}
	var slowest, total time.Duration
	for i, r := range rows {
		start := time.Now()
		if r.made, r.result, r.cause = tryInto(t, r.definition, ""); r.made != nil && *build != "" {
			r.dir = fmt.Sprintf("p%d", i)
			writeFiles(t, filepath.Join(*build, r.dir), r.made)
		}
		took := time.Since(start)
		total, slowest = total+took, max(slowest, took)
		results[r.result]++
		if r.cause != "" {
			causes[r.result+": "+kindOfCause(r.cause)]++
		}
	}
	t.Logf("%d CRDs: %v; %v a CRD, slowest %v", len(rows), results, total/time.Duration(max(len(rows), 1)), slowest)
	for _, cause := range slices.SortedFunc(maps.Keys(causes), func(a, b string) int { return cmp.Or(cmp.Compare(causes[b], causes[a]), cmp.Compare(a, b)) }) {
		t.Logf("%5d %s", causes[cause], cause)
	}
	if *build != "" {
		buildAll(t, *build)
		proveObjects(t, rows)
	}
	if *only == "" {
		writeTable(t, rows)
	}
}

// corpusRows returns the distinct definitions of the modules in testdata/types-modules.txt.
func corpusRows(t *testing.T) []*corpusRow {
	t.Helper()
	list, err := os.ReadFile("../../../testdata/types-modules.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []*corpusRow
	seen := map[string]bool{}
	for _, name := range strings.Fields(string(list)) {
		files := manifestsOf(t, name)
		first := len(out)
		for _, file := range files {
			if !strings.Contains(file.name, *only) || !isDefinition(file.data) {
				continue
			}
			for _, d := range definitionsIn(file.name, file.data) {
				text, err := json.Marshal(d.CRD)
				if err != nil {
					t.Fatal(err)
				}
				if !seen[string(text)] { // several files of a module may have it
					seen[string(text)] = true
					out = append(out, &corpusRow{module: name, file: file.name, definition: d})
				}
			}
		}
		addSamples(out[first:], files)
	}
	return out
}

// addSamples adds the objects in files of a module to the definitions that they belong to.
func addSamples(rows []*corpusRow, files []manifestFile) {
	groups := map[string]bool{}
	for _, r := range rows {
		groups[r.definition.CRD.Spec.Group] = true
	}
	for _, file := range files {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(groups)), func(group string) bool { return bytes.Contains(file.data, []byte("apiVersion: "+group+"/")) }) {
			continue
		}
		objects, _ := dryrun.ReadObjects(crd.File{Name: file.name, Data: file.data}) // some are templates
		for _, o := range objects {
			group, _, _ := strings.Cut(o.APIVersion, "/")
			for _, r := range rows {
				if spec := &r.definition.CRD.Spec; o.Kind == spec.Names.Kind && group == spec.Group && len(r.samples) < maxSamples {
					r.samples = append(r.samples, o.Value)
				}
			}
		}
	}
}

// maxSamples bounds the objects of a module that are tried for one definition.
const maxSamples = 20

// changes is the number of random objects for each version.
const changes = 8

func proveObjects(t *testing.T, rows []*corpusRow) {
	t.Helper()
	var mutex sync.Mutex
	next := 0
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for {
				mutex.Lock()
				i := next
				next++
				mutex.Unlock()
				if i >= len(rows) {
					return
				}
				if r := rows[i]; r.made != nil {
					r.subjects = subjectsOf(t, r.definition, r.dir, r.made, r.samples, changes)
				}
			}
		})
	}
	wait.Wait()
	var subjects []*subject
	objects, given := 0, 0
	for _, r := range rows {
		for _, s := range r.subjects {
			objects, given = objects+len(s.objects), given+s.given
		}
		subjects = append(subjects, r.subjects...)
	}
	roundTrips(t, *build, subjects)
	classes := map[string]int{}
	for _, s := range subjects {
		for class := range s.differences {
			classes[class]++
			if isDefect(class) {
				t.Errorf("%s %s: %s: %s", s.pkg, s.kind, class, s.differences[class])
			}
		}
	}
	t.Logf("%d objects of %d versions, %d of them samples of the modules", objects, len(subjects), given)
	for _, class := range slices.SortedFunc(maps.Keys(classes), func(a, b string) int { return cmp.Or(cmp.Compare(classes[b], classes[a]), cmp.Compare(a, b)) }) {
		t.Logf("%5d versions: %s", classes[class], class)
	}
}

// writeTable writes testdata/types.tsv. The column controller-gen is the version that the
// definition's annotation names.
func writeTable(t *testing.T, rows []*corpusRow) {
	t.Helper()
	var table strings.Builder
	table.WriteString("module\tfile\tdefinition\tversions\tcontroller-gen\tresult\tcause\tstyle\tobjects\n")
	for _, r := range rows {
		var versions, objects, style []string
		for _, v := range r.definition.CRD.Spec.Versions {
			versions = append(versions, v.Name)
		}
		for _, s := range r.subjects {
			objects = append(objects, s.summary())
		}
		if r.made != nil {
			for _, p := range r.made.Packages {
				style = append(style, p.Style...)
			}
		}
		slices.Sort(style)
		fmt.Fprintf(&table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.module, r.file, r.definition.CRD.Name, strings.Join(versions, ","),
			cmp.Or(r.definition.CRD.Annotations[generator.VersionAnnotation], "none"), r.result, r.cause,
			strings.Join(slices.Compact(style), ", "), strings.ReplaceAll(strings.Join(objects, " | "), "\n", " "))
	}
	if err := os.WriteFile("../../../testdata/types.tsv", []byte(table.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestTable holds the numbers on the page against the table.
func TestTable(t *testing.T) {
	table, err := os.ReadFile("../../../testdata/types.tsv")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/tested.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(table), "\n"), "\n")[1:]
	count := map[string]int{}                // of results, and of definitions without the annotation
	distinct := map[string]map[string]bool{} // modules, names, versions
	for _, kind := range []string{"module", "name", "version"} {
		distinct[kind] = map[string]bool{}
	}
	for _, row := range rows {
		cells := strings.Split(row, "\t")
		distinct["module"][cells[0]], distinct["name"][cells[2]] = true, true
		if count[cells[5]]++; cells[4] == "none" {
			count["none"]++
		} else {
			distinct["version"][cells[4]] = true
		}
	}
	text := strings.Join(strings.Fields(string(page)), " ")
	for _, want := range []string{
		fmt.Sprintf("%s definitions with %d names in %d modules", thousands(len(rows)), len(distinct["name"]), len(distinct["module"])),
		fmt.Sprintf("%s are reproduced by plain Go types and markers, %d with `+schemagen:schema`, and %d are rejected", thousands(count["equal"]), count["kept"], count["refused"]),
		fmt.Sprintf("%d definitions name %d versions of controller-gen", len(rows)-count["none"], len(distinct["version"])),
		fmt.Sprintf("%d name none", count["none"]),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("docs/tested.md does not say: %s", want)
		}
	}
}

func thousands(n int) string { return fmt.Sprintf("%d,%03d", n/1000, n%1000) }

// buildAll generates the methods that copy the types of all packages in a directory, and
// compiles and vets them.
func buildAll(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Replace(data, []byte("module github.com/schemagen/schemagen\n"), []byte("module example.com/corpus\n"), 1), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := filepath.Join(t.TempDir(), "schemagen")
	for _, c := range []struct{ dir, line string }{
		{root(t), "go build -o " + command + " ./cmd/schemagen"}, {dir, command + " object paths=./..."}, {dir, "go vet ./..."}, {dir, "gofmt -l ."},
	} {
		args := strings.Fields(c.line)
		run := exec.Command(args[0], args[1:]...)
		run.Dir = c.dir
		if out, err := run.CombinedOutput(); err != nil || args[0] == "gofmt" && len(out) > 0 {
			t.Errorf("%s: %v\n%s", c.line, err, out)
		}
	}
}

// try returns equal, kept if some nodes are written as schemas, or refused, with the cause.
func try(t *testing.T, d *crd.Definition) (result, cause string) {
	t.Helper()
	_, result, cause = tryInto(t, d, "")
	return result, cause
}

// tryInto is try; it also returns the packages.
func tryInto(t *testing.T, d *crd.Definition, output string) (made *typegen.Result, result, cause string) {
	t.Helper()
	made, found, err := moduleOf(t).Generate(context.Background(), []*crd.Definition{d}, typegen.Options{Dir: root(t), Output: cmp.Or(output, "types"), AllowDangerousTypes: true})
	if err != nil {
		return nil, "failed", strings.ReplaceAll(err.Error(), "\n", " ")
	}
	if made == nil {
		var messages []string
		for _, d := range found {
			messages = append(messages, fmt.Sprintf("%d: %s", d.Pos.Line, d.Message))
		}
		return nil, "refused", strings.ReplaceAll(strings.Join(messages[:min(2, len(messages))], "; "), "\n", " ")
	}
	var kept []string
	for _, p := range made.Packages {
		kept = append(kept, p.Kept...)
	}
	if len(kept) > 0 {
		return made, "kept", fmt.Sprintf("%d: %s", len(kept), strings.Join(kept[:min(5, len(kept))], " "))
	}
	return made, "equal", ""
}

// writeFiles writes packages below a directory.
func writeFiles(t *testing.T, dir string, made *typegen.Result) {
	t.Helper()
	for _, f := range made.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, f.Data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// kindOfCause returns a cause without its position.
func kindOfCause(cause string) string {
	_, text, _ := strings.Cut(cause, ": ")
	if len(text) > 110 {
		text = text[:110]
	}
	return text
}

type manifestFile struct {
	name string
	data []byte
}

func isDefinition(data []byte) bool {
	return bytes.Contains(data, []byte("kind: CustomResourceDefinition\n"))
}

// manifestsOf returns the YAML files of a module. They are read from its archive, because the
// module may require a later version of Go, for which it is not unpacked.
func manifestsOf(t *testing.T, name string) []manifestFile {
	t.Helper()
	download := exec.Command("go", "mod", "download", "-json", name)
	download.Dir = t.TempDir() // outside of any module
	answer, err := download.Output()
	var got struct{ Zip, Error string }
	if json.Unmarshal(answer, &got) != nil || got.Zip == "" {
		t.Fatalf("%s: %v: %s", name, err, got.Error)
	}
	archive, err := zip.OpenReader(got.Zip)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	var out []manifestFile
	for _, f := range archive.File {
		if ext := path.Ext(f.Name); ext != ".yaml" && ext != ".yml" {
			continue
		}
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(file)
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		out = append(out, manifestFile{strings.TrimPrefix(f.Name, name+"/"), data})
	}
	slices.SortFunc(out, func(a, b manifestFile) int {
		return slices.Compare(strings.Split(a.name, "/"), strings.Split(b.name, "/"))
	})
	return out
}

// definitionsIn returns the definitions in a file; other documents, such as templates, are
// left out.
func definitionsIn(name string, data []byte) []*crd.Definition {
	manifests, _, position := crd.File{Name: name, Data: data}.Read()
	var out []*crd.Definition
	for _, m := range manifests {
		if d := crd.FromManifest(m, position); d != nil && d.CRD.Spec.Group != "" && len(d.CRD.Spec.Versions) > 0 {
			out = append(out, d)
		}
	}
	return out
}
