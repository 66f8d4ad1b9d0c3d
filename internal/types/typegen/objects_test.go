package typegen_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/types/typegen"
	"github.com/schemagen/schemagen/structural"
)

// A subject is a version of a definition whose objects are decoded into generated types and
// encoded again.
type subject struct {
	// pkg is the package of the type, a path in the module example.com/corpus.
	pkg, kind string
	schema    *structural.Schema
	objects   []map[string]any
	// given is the number of objects that the module of the definition has.
	given int
	// foreign are the paths of the outermost structs that other modules declare.
	foreign []string
	// differences are the classes of differences, each with the first path.
	differences map[string]string
}

// subjectsOf returns the versions of a definition with objects: those given that are valid,
// samples, and random changes of these.
func subjectsOf(t *testing.T, d *crd.Definition, dir string, made *typegen.Result, given []map[string]any, changes int) []*subject {
	t.Helper()
	// The status is an ordinary field, so that it is validated, too, and all versions are served.
	whole := *d
	whole.CRD = d.CRD.DeepCopy()
	whole.CRD.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
	for i := range whole.CRD.Spec.Versions {
		whole.CRD.Spec.Versions[i].Subresources, whole.CRD.Spec.Versions[i].Served = nil, true
	}
	trial := dryrun.New(&whole)
	var out []*subject
	for i, v := range whole.CRD.Spec.Versions {
		at := slices.IndexFunc(made.Packages, func(p typegen.Package) bool { return p.Version == v.Name })
		if at < 0 {
			continue
		}
		s := &subject{pkg: filepath.ToSlash(filepath.Join(dir, packageDir(made, v.Name))), kind: d.CRD.Spec.Names.Kind, schema: d.Schemas[i], differences: map[string]string{}}
		server, err := apiserver.NewKind(whole.CRD, v.Name)
		if err != nil {
			s.differences["no server serves it"] = err.Error()
			out = append(out, s)
			continue
		}
		m := &mutator{server: server, random: rand.New(rand.NewPCG(21, uint64(i)))}
		apiVersion := d.CRD.Spec.Group + "/" + v.Name
		var bases []map[string]any
		for _, object := range given {
			if object["apiVersion"] == apiVersion && object["kind"] == s.kind && m.accepts(t, object) {
				bases = append(bases, object)
			}
		}
		s.given = len(bases)
		name := s.kind + "." + d.CRD.Spec.Group + "/" + v.Name
		kind, err := trial.Kind(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, full := range []bool{false, true} {
			sample, err := kind.Sample(context.Background(), full)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			object := map[string]any{}
			if err := yaml.Unmarshal(sample.YAML, &object, func(d *json.Decoder) *json.Decoder { d.UseNumber(); return d }); err == nil {
				object = numbers(object).(map[string]any)
				if m.accepts(t, object) {
					bases = append(bases, object)
				}
			}
		}
		s.objects = bases
		for n := range changes {
			if len(bases) == 0 {
				break
			}
			if changed := m.change(t, s.schema, bases[len(bases)-1-n%min(2, len(bases))]); changed != nil {
				s.objects = append(s.objects, changed)
			}
		}
		out = append(out, s)
	}
	return out
}

// packageDir returns the directory of the package of a version.
func packageDir(made *typegen.Result, version string) string {
	for _, f := range made.Files {
		if strings.HasSuffix(f.Path, "/doc.go") && bytes.HasSuffix(f.Data, []byte("\npackage "+version+"\n")) {
			return filepath.Dir(f.Path)
		}
	}
	return ""
}

// numbers returns a decoded value with integers as int64, as servers have them.
func numbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return n
		}
		f, _ := value.Float64()
		return f
	case []any:
		for i := range value {
			value[i] = numbers(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = numbers(value[key])
		}
	}
	return value
}

// A mutator changes objects at random: fields are removed, and get zero values, empty lists
// and maps, null, or values that servers and Go types write in different forms.
type mutator struct {
	server *apiserver.Kind
	random *rand.Rand
}

// accepts reports whether a server would store the object as it is.
func (m *mutator) accepts(t *testing.T, object map[string]any) bool {
	t.Helper()
	answer, err := m.server.Create(context.Background(), object)
	return err == nil && len(answer.Errors) == 0 && len(answer.Pruned) == 0 && len(answer.Nulls) == 0 && len(answer.Metadata) == 0
}

// change returns an accepted object made by many changes of another, or nil. Changes that a
// server rejects are left out.
func (m *mutator) change(t *testing.T, s *structural.Schema, object map[string]any) map[string]any {
	t.Helper()
	seed := m.random.Uint64()
	blocked := map[string]bool{}
	for range 12 {
		c := &changing{random: rand.New(rand.NewPCG(seed, 1)), blocked: blocked}
		changed := c.fields(s, object, "", true)
		answer, err := m.server.Create(context.Background(), changed)
		if err != nil {
			return nil
		}
		var wrong []string
		for _, e := range answer.Errors {
			wrong = append(wrong, strings.TrimPrefix(e.Field, "<nil>"))
		}
		for _, p := range slices.Concat(answer.Pruned, answer.Nulls) {
			wrong = append(wrong, p.String())
		}
		if len(wrong) == 0 && len(answer.Metadata) == 0 {
			return changed
		}
		before := len(blocked)
		for _, path := range wrong {
			for _, site := range c.done {
				if within(site, path) || within(path, site) {
					blocked[site] = true
				}
			}
		}
		if len(blocked) == before {
			return nil
		}
	}
	return nil
}

// within reports whether a path is another one or inside it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || outer == "" || strings.ContainsRune(".[{", rune(rest[0])))
}

// changing is one change of an object. The same seed makes the same changes, except for the
// blocked ones.
type changing struct {
	random  *rand.Rand
	blocked map[string]bool
	done    []string
}

func (c *changing) fields(s *structural.Schema, object map[string]any, path string, root bool) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		if root && (name == "apiVersion" || name == "kind" || name == "metadata") {
			out[name] = value
			continue
		}
		below := strings.TrimPrefix(path+"."+name, ".")
		node := (*structural.Schema)(nil)
		if i := s.PropertyIndex(name); i >= 0 {
			node = s.Properties[i].Schema
		} else if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			node, below = a.Schema, path+"["+name+"]"
		}
		if node == nil {
			out[name] = value
			continue
		}
		changed, keep := c.value(node, value, below)
		if !keep && (s.ValueValidation == nil || !slices.Contains(s.Required, name)) {
			c.done = append(c.done, below)
			continue
		}
		out[name] = changed
	}
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields && !root && !s.XEmbeddedResource && c.random.IntN(2) == 0 && !c.blocked[path+".unknownToTypes"] {
		c.done = append(c.done, path+".unknownToTypes")
		out["unknownToTypes"] = "value"
	}
	return out
}

// value returns the changed value of a node, and false if it is removed.
func (c *changing) value(s *structural.Schema, value any, path string) (any, bool) {
	kind := c.random.IntN(10)
	other := c.other(s)
	if c.blocked[path] {
		kind = 9 // as it is, with the changes inside
	}
	if kind < 6 {
		c.done = append(c.done, path)
	}
	switch {
	case kind == 0:
		return value, false
	case kind == 1 && s.Nullable:
		return nil, true
	case kind < 4 && zeroOf(s) != nil:
		return zeroOf(s), true
	case kind < 6 && other != nil:
		return other, true
	}
	switch value := value.(type) {
	case map[string]any:
		return c.fields(s, value, path, false), true
	case []any:
		if s.Items == nil {
			return value, true
		}
		var out = []any{}
		for i, element := range value {
			changed, keep := c.value(s.Items, element, fmt.Sprintf("%s[%d]", path, i))
			if keep {
				out = append(out, changed)
			}
		}
		return out, true
	}
	return value, true
}

// zeroOf returns the zero value of a node's type.
func zeroOf(s *structural.Schema) any {
	switch s.Type {
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	case "string":
		return ""
	case "boolean":
		return false
	case "integer":
		return int64(0)
	case "number":
		return 0.0
	}
	if s.XIntOrString {
		return int64(0)
	}
	return nil
}

// other returns another value of a node, which Go types may write differently, or nil.
func (c *changing) other(s *structural.Schema) any {
	pick := func(values ...any) any { return values[c.random.IntN(len(values))] }
	format := ""
	if s.ValueValidation != nil {
		format = s.Format
		if len(s.Enum) > 0 {
			var value any
			d := json.NewDecoder(bytes.NewReader(s.Enum[c.random.IntN(len(s.Enum))].Raw))
			d.UseNumber()
			if d.Decode(&value) != nil {
				return nil
			}
			return numbers(value)
		}
	}
	switch {
	case format == "date-time":
		return pick("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123456Z", "2024-02-29T12:00:00+02:00")
	case s.XIntOrString:
		return pick(int64(5), "50%", "0.5", "1500m", int64(-1))
	case s.Type == "string":
		return pick("other", "<&>\u2028", "0")
	case s.Type == "integer" && format == "int32":
		return pick(int64(7), int64(1<<31-1))
	case s.Type == "integer":
		return pick(int64(7), int64(1<<40))
	case s.Type == "number":
		return pick(0.5, int64(3), 1e-7)
	case s.Type == "boolean":
		return true
	case s.Type == "" && s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
		return pick("text", int64(3), true, []any{int64(1), nil}, map[string]any{"a": map[string]any{}})
	case s.Type == "object" && len(s.Properties) == 0 && s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
		return map[string]any{"a": []any{}, "b": nil, "c": 0.5}
	}
	return nil
}

// roundTrips decodes all objects of subjects into their types, in a program of the module in
// a directory, and records how what is encoded differs.
func roundTrips(t *testing.T, dir string, subjects []*subject) {
	t.Helper()
	for batch := range slices.Chunk(subjects, 250) {
		runBatch(t, dir, batch)
	}
}

func runBatch(t *testing.T, dir string, subjects []*subject) {
	t.Helper()
	program := filepath.Join(dir, "roundtrip")
	if err := os.MkdirAll(program, 0o777); err != nil {
		t.Fatal(err)
	}
	var source, input bytes.Buffer
	source.WriteString("package main\n\nimport (\n\t\"bufio\"\n\t\"encoding/json\"\n\t\"os\"\n\t\"reflect\"\n\t\"strings\"\n\n\tsigsjson \"sigs.k8s.io/json\"\n")
	for i, s := range subjects {
		fmt.Fprintf(&source, "\tp%d \"example.com/corpus/%s\"\n", i, s.pkg)
	}
	source.WriteString(")\n\nvar types = []func() any{\n")
	for i, s := range subjects {
		fmt.Fprintf(&source, "\tfunc() any { return new(p%d.%s) },\n", i, s.kind)
		for _, object := range s.objects {
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&input, "{\"type\":%d,\"object\":%s}\n", i, text)
		}
	}
	source.WriteString(roundTripMain)
	if err := os.WriteFile(filepath.Join(program, "main.go"), source.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(t.TempDir(), "roundtrip")
	compile := exec.Command("go", "build", "-o", command, "./roundtrip")
	compile.Dir = dir
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := exec.Command(command)
	run.Stdin = &input
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for _, s := range subjects {
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &s.foreign) != nil {
			t.Fatal("the program did not describe its types")
		}
	}
	for _, s := range subjects {
		for _, object := range s.objects {
			if !lines.Scan() {
				t.Fatal("the program returned too few objects")
			}
			var got struct {
				Object any
				Error  string
			}
			d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
			d.UseNumber()
			if err := d.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if got.Error != "" {
				s.differ("error", got.Error)
				continue
			}
			s.compare(s.schema, object, numbers(got.Object), "")
		}
	}
}

// roundTripMain prints for each type where it uses structs of other modules, then decodes
// objects as clients do, and encodes them.
const roundTripMain = `}

// foreign returns the paths of structs of other modules, as far as types say.
func foreign(t reflect.Type, path string) []string {
	switch t.Kind() {
	case reflect.Pointer:
		return foreign(t.Elem(), path)
	case reflect.Slice:
		return foreign(t.Elem(), path+"[*]")
	case reflect.Map:
		return foreign(t.Elem(), path+"{*}")
	case reflect.Struct:
	default:
		return nil
	}
	if !strings.HasPrefix(t.PkgPath(), "example.com/corpus/") {
		return []string{path}
	}
	var out []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" {
			out = append(out, foreign(t.Field(i).Type, strings.TrimPrefix(path+"."+name, "."))...)
		}
	}
	return out
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, t := range types {
		text, _ := json.Marshal(foreign(reflect.TypeOf(t()), ""))
		out.Write(text)
		out.WriteString("\n")
	}
	for lines.Scan() {
		var in struct {
			Type   int
			Object json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			panic(err)
		}
		var result struct {
			Object any    ` + "`json:\"object\"`" + `
			Error  string ` + "`json:\"error\"`" + `
		}
		into := types[in.Type]()
		if err := sigsjson.UnmarshalCaseSensitivePreserveInts(in.Object, into); err != nil {
			result.Error = err.Error()
		} else {
			result.Object = into
		}
		text, err := json.Marshal(result)
		if err != nil {
			text, _ = json.Marshal(map[string]string{"error": err.Error()})
		}
		out.Write(text)
		out.WriteString("\n")
	}
}
`

func (s *subject) differ(class, path string) {
	if before, ok := s.differences[class]; !ok || len(path) < len(before) {
		s.differences[class] = path
	}
}

// compare records how an encoded value differs from the one that was decoded.
func (s *subject) compare(node *structural.Schema, want, got any, path string) {
	switch want := want.(type) {
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			s.differ("changed", path)
			return
		}
		s.compareFields(node, want, got, path)
		return
	case []any:
		got, ok := got.([]any)
		if !ok || len(want) != len(got) {
			s.differ("changed", path)
			return
		}
		var element *structural.Schema
		if node != nil {
			element = node.Items
		}
		for i := range want {
			s.compare(element, want[i], got[i], path+"[*]")
		}
		return
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	switch {
	case bytes.Equal(a, b):
	case node != nil && node.ValueValidation != nil && node.Format == "date-time":
		s.differ("time in UTC and seconds", path)
	case node != nil && node.XIntOrString:
		s.differ("form of a quantity", path)
	default:
		s.differ("changed", fmt.Sprintf("%s: %s to %s", path, a, b))
	}
}

func (s *subject) compareFields(node *structural.Schema, want, got map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		below, at := childOf(node, name, path)
		value, ok := got[name]
		if ok {
			s.compare(below, want[name], value, at)
			continue
		}
		text, _ := json.Marshal(want[name])
		switch {
		case below == nil && node != nil:
			s.differ("unknown fields", path)
		case string(text) == "null":
			s.differ("null", at)
		case string(text) == "[]":
			s.differ("empty list", at)
		case string(text) == "{}" && len(below.Properties) == 0:
			s.differ("empty map", at)
		case string(text) == "{}":
			s.differ("empty object", at)
		case (at == "spec" || at == "status") && isZero(want[name]):
			s.differ("zero spec or status", at)
		case slices.ContainsFunc(s.foreign, func(outer string) bool { return within(at, outer) }):
			s.differ(string(text)+" in a well-known type", at)
		default:
			s.differ("lost", fmt.Sprintf("%s: %s", at, text))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			text, _ := json.Marshal(got[name])
			s.differ("adds "+string(text), strings.TrimPrefix(path+"."+name, "."))
		}
	}
}

// isZero reports whether a value has nothing but zero values.
func isZero(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return !slices.ContainsFunc(slices.Collect(maps.Values(v)), func(v any) bool { return !isZero(v) })
	case []any:
		return len(v) == 0
	case nil:
		return true
	}
	return reflect.ValueOf(v).IsZero()
}

// childOf returns the schema and the path of a field or of a value of a map.
func childOf(s *structural.Schema, name, path string) (*structural.Schema, string) {
	if s != nil && s.PropertyIndex(name) < 0 && s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema, path + "{*}"
	}
	at := strings.TrimPrefix(path+"."+name, ".")
	if s == nil || s.PropertyIndex(name) < 0 {
		return nil, at
	}
	return s.Properties[s.PropertyIndex(name)].Schema, at
}

// isDefect reports whether no well-formed Go type has to differ in such a way.
func isDefect(class string) bool { return slices.Contains([]string{"error", "lost", "changed"}, class) }

// summary returns the number of objects and the classes of differences.
func (s *subject) summary() string {
	out := fmt.Sprintf("%d objects", len(s.objects))
	for i, class := range slices.Sorted(maps.Keys(s.differences)) {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		out += sep + class + " (" + s.differences[class] + ")"
	}
	return out
}
