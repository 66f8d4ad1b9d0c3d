package clients_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conventions/clients"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// This file compares the analysis with compiled code: a program that has the types reads and
// writes, with encoding/json, every value that went through the analysis.

var (
	modules = flag.Bool("modules", false, "also compare the modules of bench, and their findings with testdata/clients/modules.txt")
	update  = flag.Bool("update", false, "rewrite the expectations in testdata")
)

// TestTyped compares the packages of testdata/typed and testdata/clients.
//
// Left out of make generate: it compiles and runs a program.
func TestTyped(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, name := range []string{"typed/api", "typed/rows", "clients/shapes"} {
		copyTypes(t, filepath.Join("../../../testdata", name), filepath.Join(dir, name))
		fmt.Fprintf(&out, "# %s\n", name)
		compare(t, &out, dir, []string{"./" + name}, []string{"-mod=mod"})
	}
	expect(t, "../../../testdata/clients/typed.txt", out.String())
}

// TestModules does the same for modules of bench, with the versions that they pin.
//
// Left out of make generate: make clients records it.
func TestModules(t *testing.T) {
	if !*modules {
		t.Skip("takes minutes: make clients")
	}
	var out bytes.Buffer
	for _, m := range []struct{ dir, packages string }{
		{"karpenter", "sigs.k8s.io/karpenter/pkg/apis/v1"},
		{"kueue", "sigs.k8s.io/kueue/apis/kueue/v1beta2"},
		{"velero", "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"},
	} {
		dir, err := filepath.Abs(filepath.Join("../../../bench", m.dir))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "# %s\n", m.packages)
		compare(t, &out, dir, []string{m.packages}, []string{"-mod=mod"})
	}
	expect(t, "../../../testdata/clients/modules.txt", out.String())
}

func expect(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s", name, gentest.Difference(string(want), got))
	}
}

// copyTypes copies the types of a package. If it has no kind, it gets one with a field for each
// struct.
func copyTypes(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(from, "types.go"))
	if err == nil {
		err = os.MkdirAll(to, 0o777)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(to, "types.go"), text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("metav1.TypeMeta")) {
		return
	}
	name := filepath.Base(to)
	kind := "// +groupName=clients.test\n// +versionName=v1\npackage " + name + "\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" +
		"type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n"
	for _, m := range regexp.MustCompile(`(?m)^type (\w+) struct`).FindAllSubmatch(text, -1) {
		kind += fmt.Sprintf("\tField%s %s `json:\"field%s,omitzero\"`\n", m[1], m[1], m[1])
	}
	if err := os.WriteFile(filepath.Join(to, "kind.go"), []byte(kind+"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

// job is an object to read and write.
type job struct {
	// Type is a package path with the name of a type.
	Type   string         `json:"type"`
	Object map[string]any `json:"object"`
}

// answer is what the program makes of a job.
type answer struct {
	Error  string         `json:"error"`
	Object map[string]any `json:"object"`
}

// compare runs the analysis of packages and compares all of it with compiled code, and each
// finding with the API server's code. It writes the findings.
func compare(t *testing.T, out *bytes.Buffer, dir string, patterns, flags []string) {
	t.Helper()
	options := define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: patterns}, Server: gentest.Server(t, "")}
	options.AllowDangerousTypes = true
	definitions, run, err := define.DefineKinds(t.Context(), options)
	if err != nil || len(definitions) == 0 {
		t.Fatal(len(definitions), err)
	}
	for _, d := range run.Reporter.List {
		if d.Severity == diag.Error {
			t.Errorf("%s: %s", d.Pos, d.Message)
		}
	}
	run.Reporter.List = nil
	var codes []diag.Code
	for _, kind := range clients.Codes() {
		codes = append(codes, kind.Code)
	}
	var trips []clients.Trip
	var mu sync.Mutex
	var handles []crd.Handle
	var types []string // by the index of their handle
	nameOf := func(t *source.Type) string { return t.Pkg.Path + "." + t.Spec.Name.Name }
	c := &clients.Checker{
		Reporter: run.Reporter, Codes: codes, Observe: func(trip clients.Trip) { trips = append(trips, trip) },
		Handler: func(d *checks.Definition, version int) (crd.Handle, error) {
			handle, err := options.Server.Handler()(&crd.Definition{CRD: d.Complete()}, d.Object.Spec.Versions[version].Name)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			handles, types = append(handles, handle), append(types, nameOf(d.Roots[version]))
			return handle, err
		},
	}
	if err := c.Check(t.Context(), definitions); err != nil {
		t.Fatal(err)
	}
	var jobs []job
	for _, trip := range trips {
		jobs = append(jobs, job{nameOf(trip.Root), trip.In})
	}
	program := compile(t, dir, types, flags)
	for i, a := range program(jobs) {
		trip := trips[i]
		if (a.Error != "") != (trip.Out == nil) {
			t.Errorf("%s reads %s: got error %q, the analysis has %s", jobs[i].Type, text(jobs[i].Object), a.Error, text(trip.Out))
			continue
		}
		if trip.Out != nil && text(mask(a.Object, trip.Out)) != text(mask(trip.Out, trip.Out)) {
			t.Errorf("%s reads %s and sends %s; the analysis has %s", jobs[i].Type, text(jobs[i].Object), text(a.Object), text(trip.Out))
		}
	}
	found := run.Reporter.List.Normalize()
	confirm(t, found, types, handles, program)
	counts := map[diag.Code]int{}
	for _, d := range found {
		counts[d.Code]++
	}
	fmt.Fprintf(out, "%d values\n", len(trips))
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "%s: %d\n", code, counts[code])
	}
	for _, d := range found {
		fmt.Fprintf(out, "%s %s\n", d.Code, d.Message)
	}
}

// mask returns an object without what the analysis does not know.
func mask(object, known map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range object {
		switch has := known[name].(type) {
		case string:
			if has == clients.Unknown {
				continue
			}
		case map[string]any:
			if below, ok := v.(map[string]any); ok {
				v = mask(below, has)
			}
		}
		out[name] = v
	}
	return out
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// confirm checks what each finding says, in its own words: the objects in its message go through
// compiled code and the API server's.
func confirm(t *testing.T, found diag.List, types []string, handles []crd.Handle, program func([]job) []answer) {
	t.Helper()
	for _, d := range found {
		name, _, _ := strings.Cut(strings.TrimPrefix(d.Message, "field "), ":")
		objects := objectsIn(d.Message)
		if len(objects) == 0 {
			t.Errorf("%s: no object in %s", d.Code, d.Message)
			continue
		}
		holds := false
		for i := range handles {
			for _, path := range pathsTo(objects[0], name, nil) {
				holds = holds || confirms(t, d, objects, path, handles[i], func(object map[string]any) (sent any, present, read bool) {
					a := program([]job{{types[i], object}})[0]
					sent, present = at(a.Object, path)
					return sent, present, a.Error == ""
				})
			}
		}
		if !holds {
			t.Errorf("%s is not true: %s", d.Code, d.Message)
		}
	}
}

// confirms reports whether a finding is true of a field at a path of a kind.
func confirms(t *testing.T, d diag.Diagnostic, objects []map[string]any, path []string, handle crd.Handle, client func(map[string]any) (sent any, present, read bool)) bool {
	t.Helper()
	server := func(object, old map[string]any) (stored any, refused []string) {
		request := crd.Request{Object: object, Stored: old}
		a, err := handle(t.Context(), request)
		if path[0] == "status" && old == nil {
			if of, statusErr := handle(t.Context(), crd.Request{Object: object, Stored: map[string]any{}, Status: true}); statusErr == nil {
				a = of // there is the subresource
			}
		}
		if err != nil {
			return nil, []string{err.Error()}
		}
		dotted := strings.NewReplacer("[].", "0.", "{}", "example", "[]", "0").Replace(strings.Join(path, "."))
		for _, r := range a.Refusals {
			at := strings.NewReplacer("[", ".", "]", "").Replace(r.Path)
			if at == dotted || strings.HasPrefix(at, dotted+".") {
				refused = append(refused, r.Text)
			}
		}
		stored, _ = at(a.Object, path)
		return stored, refused
	}
	said := func(refused []string) bool {
		return slices.ContainsFunc(refused, func(text string) bool { return strings.Contains(d.Message, text) })
	}
	value, _ := at(objects[0], path)
	unset := without(objects[0], path)
	stored, refused := server(objects[0], nil)
	missing, missed := server(unset, nil)
	switch d.Code {
	case "SG270":
		sent, present, _ := client(unset)
		return present && text(sent) == text(value) && said(refused) && len(missed) == 0
	case "SG271":
		sent, present, _ := client(unset)
		return present && text(sent) == text(value) && len(refused)+len(missed) == 0 && text(stored) != text(missing) && strings.HasSuffix(d.Message, text(missing))
	case "SG272":
		_, present, read := client(objects[0])
		return read && !present && len(refused) == 0 && (said(missed) || len(missed) == 0 && text(missing) != text(stored))
	case "SG273":
		sent, present, _ := client(unset)
		_, refusedEmpty := server(objects[1], nil)
		return present && sent == nil && said(refused) && len(refusedEmpty) == 0
	case "SG274":
		_, _, read := client(objects[0])
		return !read && len(refused) == 0
	}
	after, expected := at(objects[1], path)
	sent, present, read := client(objects[0])
	if !read || present != expected || text(sent) != text(after) || present && text(sent) == text(value) || len(refused) > 0 {
		return false
	}
	if d.Code == "SG277" {
		_, refused := server(objects[1], objects[0])
		return said(refused)
	}
	return d.Code == "SG275" || d.Code == "SG276"
}

// objectsIn returns the JSON objects in a message that are objects of a kind.
func objectsIn(message string) (out []map[string]any) {
	for i := 0; i < len(message); i++ {
		if message[i] != '{' {
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(message[i:]))
		decoder.UseNumber()
		var object map[string]any
		if decoder.Decode(&object) == nil {
			out = append(out, integers(object).(map[string]any))
			i += int(decoder.InputOffset()) - 1
		}
	}
	return out
}

func integers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	case map[string]any:
		for name := range v {
			v[name] = integers(v[name])
		}
	case []any:
		for i := range v {
			v[i] = integers(v[i])
		}
	}
	return v
}

// pathsTo returns the paths at which an object that has nothing else has a field with a name.
func pathsTo(v any, name string, path []string) (out [][]string) {
	switch v := v.(type) {
	case map[string]any:
		if len(v) > 2 {
			return nil // one field and a filler at most
		}
		for step, below := range v {
			if step == name {
				out = append(out, append(slices.Clone(path), step))
			}
			out = append(out, pathsTo(below, name, append(slices.Clone(path), step))...)
			if step == "example" {
				out = append(out, pathsTo(below, name, append(slices.Clone(path), "{}"))...)
			}
		}
	case []any:
		if len(v) == 1 {
			return pathsTo(v[0], name, append(slices.Clone(path), "[]"))
		}
	}
	return out
}

// at returns the value at a path in an object.
func at(v any, path []string) (any, bool) {
	for _, step := range path {
		if list, ok := v.([]any); ok && step == "[]" && len(list) > 0 {
			v = list[0]
			continue
		}
		object, ok := v.(map[string]any)
		if step == "{}" {
			step = "example"
		}
		below, has := object[step]
		if v = below; !ok || !has {
			return nil, false
		}
	}
	return v, true
}

// without returns an object without the field at a path.
func without(object map[string]any, path []string) map[string]any {
	var copied map[string]any
	if err := json.Unmarshal([]byte(text(object)), &copied); err != nil {
		return nil
	}
	parent, _ := at(copied, path[:len(path)-1])
	delete(parent.(map[string]any), path[len(path)-1])
	return copied
}

// compile builds a program with the types and returns a function that runs it.
func compile(t *testing.T, dir string, types, flags []string) func([]job) []answer {
	t.Helper()
	source := "package main\n\nimport (\n\t\"bufio\"\n\t\"encoding/json\"\n\t\"os\"\n\n"
	var packages []string
	var table strings.Builder
	for _, name := range types {
		i := strings.LastIndexByte(name, '.')
		if !slices.Contains(packages, name[:i]) {
			packages = append(packages, name[:i])
			source += fmt.Sprintf("\tp%d %q\n", len(packages)-1, name[:i])
		}
		fmt.Fprintf(&table, "\t%q: func() any { return new(p%d.%s) },\n", name, slices.Index(packages, name[:i]), name[i+1:])
	}
	source += ")\n\nvar types = map[string]func() any{\n" + table.String() + "}\n" + `
func main() {
	in, out := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for in.More() {
		var job struct {
			Type   string
			Object json.RawMessage
		}
		if err := in.Decode(&job); err != nil {
			panic(err)
		}
		v, answer := types[job.Type](), map[string]any{}
		if err := json.Unmarshal(job.Object, v); err != nil {
			answer["error"] = err.Error()
		} else {
			answer["object"] = v
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}
`
	scratch := t.TempDir()
	file, binary := filepath.Join(scratch, "main.go"), filepath.Join(scratch, "program")
	overlay := filepath.Join(scratch, "overlay.json")
	for name, data := range map[string]string{file: source, overlay: text(map[string]any{"Replace": map[string]string{filepath.Join(dir, "zz_clients", "main.go"): file}})} {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := typedmodule.Go(dir, slices.Concat([]string{"build", "-overlay", overlay, "-o", binary}, flags, []string{"./zz_clients"})...); err != nil {
		t.Fatal(err)
	}
	return func(jobs []job) []answer {
		var in bytes.Buffer
		for _, j := range jobs {
			in.WriteString(text(j) + "\n")
		}
		cmd := exec.CommandContext(t.Context(), binary)
		cmd.Stdin = &in
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.Bytes())
		}
		var answers []answer
		lines := bufio.NewScanner(bytes.NewReader(out))
		lines.Buffer(nil, len(out)+1)
		for lines.Scan() {
			decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			decoder.UseNumber()
			var a answer
			if err := decoder.Decode(&a); err != nil {
				t.Fatal(err)
			}
			if a.Object != nil {
				a.Object = integers(a.Object).(map[string]any)
			}
			answers = append(answers, a)
		}
		if len(answers) != len(jobs) {
			t.Fatalf("%d answers to %d jobs", len(answers), len(jobs))
		}
		return answers
	}
}
