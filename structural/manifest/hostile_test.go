package manifest

import (
	"flag"
	"fmt"
	"go/token"
	"runtime"
	"strings"
	"testing"
	"time"
)

var hostileBytes = flag.Int("hostile", defaultHostile, "the size of hostile files")

const defaultHostile = 1 << 18

// hostileFile is a file designed to need much time or memory.
type hostileFile struct {
	name, text string
	// kind is the kind of the only relevant problem; if empty, any problem is allowed.
	kind ProblemKind
	// message is a substring of its message.
	message string
}

// repeated returns as many copies of text as fit into size bytes.
func repeated(text string, size int) string { return strings.Repeat(text, max(1, size/len(text))) }

// numbered returns numbered lines, up to size bytes.
func numbered(format string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func hostileFiles(size int) []hostileFile {
	crd := func(spec string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":` + spec + "}"
	}
	schema := func(text string) string { return crd(`{"versions":[{"schema":{"openAPIV3Schema":` + text + "}}]}") }
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s*%c]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 8), c-1)
	}
	indented := &strings.Builder{}
	for i := 0; indented.Len() < size; i++ {
		indented.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	merges := "m0: &m0 {a: 1}\n" + numbered("m%[1]d: &m%[1]d {b%[1]d: 1, <<: [*m0, *m0, *m0, *m0, *m0, *m0, *m0]}\n", min(size, 1<<20))
	chain := "m0: &m0 {a: 1}\n"
	for i := 1; len(chain) < min(size, 1<<20); i++ {
		chain += fmt.Sprintf("m%d: &m%d {<<: *m%d, k%d: 1}\n", i, i, i-1, i)
	}
	return []hostileFile{
		{"billion laughs", laughs, Malformed, "excessive aliasing"},
		{"long text in aliases", "t: &t " + strings.Repeat("x", 1<<20) + "\nl: [" + strings.Repeat("*t,", 100_000) + "]\n", TooLarge, "aliases of this document expand"},
		{"many aliases", "t: &t x\nl: [" + repeated("*t,", min(size, 2<<20)) + "]\n", "", ""},
		{"many merges", merges, "", ""},
		{"chain of merges", chain, Malformed, "excessive aliasing"},
		{"cyclic alias", "a: &a {b: [*a]}\n", Malformed, "contains itself"},
		{"cyclic merge", "a: &a\n  <<: *a\n", Malformed, "contains itself"},
		{"deep brackets", repeated("[", size), "", ""},
		{"deep brackets, closed", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), NoObject, "a list"},
		{"deeper brackets, closed", "a: " + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), Malformed, "exceeded max depth of 10000"},
		{"deep dashes", "a:\n" + repeated("- ", size), "", ""},
		{"deep dashes, allowed", "a:\n" + strings.Repeat("- ", 9_000) + "x", NoObject, "Kind"},
		{"deep blocks and brackets", "a:\n" + strings.Repeat("- ", 9_000) + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000), TooLarge, "max depth"},
		{"deep indentation", indented.String(), "", ""},
		{"deep keys", repeated("a: {", size), "", ""},
		{"deep question marks", repeated("? ", size), "", ""},
		{"deep JSON", repeated(`{"a":`, size), Malformed, "json: "},
		{"deep JSON, closed", strings.Repeat(`{"a":`, 10_001) + "1" + strings.Repeat("}", 10_001), Malformed, "exceeded max depth"},
		{"deep schema", schema(strings.Repeat(`{"properties":{"a":`, 4_900) + "{}" + strings.Repeat("}}", 4_900)), "", ""},
		{"deep schema with unknown fields", schema(strings.Repeat(`{"x":1,"properties":{"a":`, 4_900) + "{}" + strings.Repeat("}}", 4_900)), UnknownField, "unknown field"},
		{"deep items", schema(strings.Repeat(`{"items":`, 9_900) + "{}" + strings.Repeat("}", 9_900)), "", ""},
		{"deep junctors", schema(strings.Repeat(`{"not":{"allOf":[`, 3_000) + "{}" + strings.Repeat("]}}", 3_000)), "", ""},
		{"cyclic references", schema(`{"$ref":"#/definitions/a","definitions":{"a":{"$ref":"#/definitions/a"}}}`), "", ""},
		{"many schemas", schema(`{"allOf":[` + repeated("{},", size) + "{}]}"), "", ""},
		{"many properties", schema(`{"properties":{` + numbered(`"%d":{},`, size) + `"a":{}}}`), "", ""},
		{"many versions", crd(`{"versions":[` + repeated("{},", size) + "{}]}"), "", ""},
		{"many rules", schema(`{"x-kubernetes-validations":[` + repeated("{},", size) + "{}]}"), "", ""},
		{"many names", schema(`{"required":[` + repeated(`"",`, size) + `""]}`), "", ""},
		{"many values", schema(`{"enum":[` + repeated("1,", size) + "1]}"), "", ""},
		{"many unknown fields", crd("{" + numbered(`"f%d":1,`, size) + `"a":1}`), UnknownField, "unknown field"},
		{"many wrong types", crd(`{"versions":[` + repeated("1,", size) + "1]}"), WrongType, "cannot unmarshal"},
		{"a long wrong number", crd(`{"versions":[{"schema":{"openAPIV3Schema":{"maxLength":` + repeated("1", size) + "}}}]}"), WrongType, "cannot unmarshal"},
		{"many duplicates", repeated("a: 1\n", size), DuplicateField, "already set"},
		{"many keys", numbered("k%d: 1\n", size), "", ""},
		{"many elements", "a:\n" + repeated("- a\n", size), "", ""},
		{"many numbers", "a: [" + repeated("1,", size) + "]", "", ""},
		{"many numbers in JSON", `{"a":[` + repeated("1,", size) + "1]}", "", ""},
		{"many documents", repeated("---\na\n", size), "", ""},
		{"many JSON documents", repeated("{}", size), "", ""},
		{"many items", "apiVersion: v1\nkind: List\nitems:\n" + repeated("- {}\n", size), "", ""},
		{"many anchors", numbered("&a%d a%[1]d: b\n", size), "", ""},
		{"many tags", numbered("!!str %d: b\n", size), "", ""},
		{"many questions", repeated("? a\n", size), "", ""},
		{"empty lines", repeated("\n", size), "", ""},
		{"spaces", repeated(" ", size), "", ""},
		{"comments", repeated("#\n", size), "", ""},
		{"comments with tabs and a value", "#\t\n" + repeated("#\n", size) + "a: &a b\n" + repeated("  # c\n", min(size, 4<<20)), "", ""},
		{"separators", repeated("---\n", size), "", ""},
		{"a long line", "a: " + repeated("x ", size), "", ""},
		{"a long folded text", "a: x\n" + repeated("  x\n", size), "", ""},
		{"empty lines in a text", "a: x\n" + repeated("\n", size) + "  y\n", "", ""},
		{"a long quoted text", "a: \"" + repeated("\\n", size) + "\"", "", ""},
		{"a long quoted text with tabs", "a: \"" + repeated("x\t", min(size, 4<<20)) + "\"", "", ""},
		{"an open quote", "a: \"" + repeated("x\n", size), "", ""},
		{"a long literal", "a: |\n" + repeated("  x\n", size), "", ""},
		{"empty lines in a literal", "a: |\n" + repeated("\n", size) + "  y\n", "", ""},
		{"a long key", repeated("k", size) + ": 1\n", "", ""},
		{"a long quoted key", "\"" + repeated("k", size) + "\": 1\n", "", ""},
		{"tabs", repeated("\t", size), "", ""},
		{"NUL", repeated("\x00", size), Malformed, "control characters"},
		{"not UTF-8", repeated("\xff", size), Malformed, ""},
		{"wide characters", "a: [" + repeated("\u00e9,", min(size, 1<<20)) + "]", "", ""},
		{"carriage returns", repeated("a:\r\n  - b\r\n", min(size, 4<<20)), "", ""},
	}
}

// TestHostileFiles checks that hostile files are read or rejected in bounded time and memory.
// With -hostile, the files are larger.
func TestHostileFiles(t *testing.T) {
	for _, f := range hostileFiles(*hostileBytes) {
		t.Run(f.name, func(t *testing.T) {
			data := []byte(f.text)
			watching := time.AfterFunc(2*time.Minute, func() { panic("still busy with " + f.name) })
			defer watching.Stop()
			runtime.GC()
			peak := watchHeap()
			begin := time.Now()
			fset := token.NewFileSet()
			manifests, problems := Read(fset, "x", data)
			took, bytes := time.Since(begin), peak()
			told := 0
			for _, p := range problems {
				told += len(p.Message)
				if len(p.Message) > maxMessage {
					t.Errorf("a message of %d bytes", len(p.Message))
				}
			}
			t.Logf("%6d kB: %5d ms, %5.1f times the size, %d manifests, %d problems of %d kB", len(data)>>10, took.Milliseconds(),
				float64(bytes)/float64(max(len(data), 1<<20)), len(manifests), len(problems), told>>10)
			if told > 2*maxTold {
				t.Errorf("%d bytes of problems", told)
			}
			tooLarge := *hostileBytes > defaultHostile && len(problems) > 0 && problems[0].Kind == TooLarge
			if f.kind != "" && !tooLarge {
				if len(problems) == 0 || problems[0].Kind != f.kind || !strings.Contains(problems[0].Message, f.message) {
					t.Errorf("got %.300v", problemsOf(fset, problems))
				}
			}
			for _, m := range manifests {
				m.Position("spec.versions[0].schema.openAPIV3Schema.properties[a].properties[a]")
			}
		})
	}
}

// watchHeap returns a function that returns the maximum growth of the heap since the call of
// watchHeap.
func watchHeap() (peak func() uint64) {
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done, most := make(chan bool), make(chan uint64)
	go func() {
		var highest uint64
		for {
			select {
			case <-done:
				most <- highest
				return
			case <-time.After(2 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				highest = max(highest, now.HeapInuse)
			}
		}
	}()
	return func() uint64 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		close(done)
		return max(now.HeapInuse, <-most, before.HeapInuse) - before.HeapInuse
	}
}

func TestFileTooLarge(t *testing.T) {
	fset := token.NewFileSet()
	begin := time.Now()
	manifests, problems := Read(fset, "x", make([]byte, 100<<20))
	if got := problemsOf(fset, problems); len(manifests) > 0 || len(got) != 1 || got[0] != "1:1: too large: the file is larger than 64 MiB" {
		t.Errorf("got %q", got)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestLimits checks each limit from both sides.
func TestLimits(t *testing.T) {
	crd := func(spec string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":` + spec + "}"
	}
	for _, c := range []struct {
		name    string
		text    func(n int) string
		limit   int
		message string
	}{
		{"documents", func(n int) string { return strings.Repeat("---\napiVersion: v1\nkind: A\n", n) }, maxDocuments, "more than 10000 documents"},
		{"JSON documents", func(n int) string { return strings.Repeat(`{"apiVersion":"v1","kind":"A"}`, n) }, maxDocuments, "more than 10000 documents"},
		{"structs", func(n int) string {
			return crd(`{"versions":[{"schema":{"openAPIV3Schema":{"allOf":[` + strings.Repeat("{},", n-6) + "{}]}}}]}")
		}, maxStructs, "more than 300000 schemas"},
		{"elements", func(n int) string {
			return crd(`{"versions":[` + strings.Repeat("null,", n-3) + "null]}")
		}, maxStructs, "more than 300000 schemas"},
		{"nodes", func(n int) string {
			return `{"apiVersion":"v1","kind":"A","a":[` + strings.Repeat("1,", n-8) + "1]}"
		}, maxNodes, "more than 2,000,000 keys and values"},
		{"indicators", func(n int) string {
			return "apiVersion: v1\nkind: A\na: [" + strings.Repeat("1,", n-4) + "1]\n"
		}, maxLibraryIndicators, "limited to 200000"},
		{"bytes", func(n int) string {
			return "apiVersion: v1\nkind: A\na: &x b" + strings.Repeat("b", n-len("apiVersion: v1\nkind: A\na: &x b\n")) + "\n"
		}, maxLibraryBytes, "limited to 8388608"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, over := range []int{0, 1} {
				manifests, problems := Read(token.NewFileSet(), "x", []byte(c.text(c.limit+over)))
				if over == 0 && (len(manifests) == 0 || len(problems) > 0) {
					t.Errorf("at the limit: %d manifests, %.200v", len(manifests), problems)
				}
				if over == 1 && (len(problems) != 1 || problems[0].Kind != TooLarge || !strings.Contains(problems[0].Message, c.message)) {
					t.Errorf("over the limit: %.200v", problems)
				}
			}
		})
	}
}
