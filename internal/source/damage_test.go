package source

import (
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// damaged returns the text with one mistake: a range of a line removed, or something inserted.
func damaged(random *rand.Rand, text string) string {
	inserted := []string{
		"", "", "", "\n", "\n", "`", "\"", "'", "/", "/*", "*/", "(", ")", "{", "}", ";", " x ", "+", "0",
	}
	start := random.IntN(len(text))
	length := 0
	if random.IntN(3) > 0 {
		line, _, _ := strings.Cut(text[start:], "\n")
		length = random.IntN(len(line) + 1)
	}
	return text[:start] + inserted[random.IntN(len(inserted))] + text[start+length:]
}

// TestDamageIsFound damages files of packages with kinds or with markers of roles, webhooks or
// methods until they cannot be parsed. The files must be among those whose syntax is checked:
// otherwise a kind or a marker might be lost without a word.
func TestDamageIsFound(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	var archives []string
	for _, dir := range []string{"crd", "config", "deepcopy"} {
		found, err := filepath.Glob(filepath.Join("../../testdata", dir, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, found...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for tried < 2000 {
		archive, err := txtar.ParseFile(archives[random.IntN(len(archives))])
		if err != nil {
			t.Fatal(err)
		}
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
			return filepath.Ext(f.Name) != ".go" || strings.HasPrefix(f.Name, "want/") || len(f.Data) == 0
		})
		if len(archive.Files) == 0 {
			continue
		}
		broken := archive.Files[random.IntN(len(archive.Files))]
		var siblings []txtar.File
		for _, f := range archive.Files {
			if filepath.Dir(f.Name) == filepath.Dir(broken.Name) {
				siblings = append(siblings, f)
			}
		}
		if !yields(siblings) {
			continue
		}
		text := damaged(random, string(broken.Data))
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution); err == nil {
			continue
		}
		tried++
		dir := t.TempDir()
		listed := &golist.Package{Path: "example.com/p", Name: "p", Local: true}
		for _, f := range siblings {
			data := f.Data
			name := filepath.Join(dir, filepath.Base(f.Name))
			listed.Files = append(listed.Files, name)
			if f.Name == broken.Name {
				data = []byte(text)
			}
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		problems := &syntaxErrors{}
		program := New(Config{Files: NewFiles(nil, table), Problems: problems, Markers: withoutMarkers{}})
		root := program.AddRoot(listed)
		program.Scan([]*Package{root})
		program.CheckRelevantSyntax([]*Package{root})
		if !slices.Contains(problems.files, filepath.Base(broken.Name)) {
			t.Errorf("%s: not reported:\n%s", broken.Name, text)
		}
	}
}

// yields reports whether generators make something of the package with the files.
func yields(files []txtar.File) bool {
	var text strings.Builder
	for _, f := range files {
		text.Write(f.Data)
	}
	all := text.String()
	contains := func(part string) bool { return strings.Contains(all, part) }
	isKind := contains("metav1.TypeMeta") && contains("metav1.ObjectMeta") && contains("+groupName=")
	markers := []string{"// +kubebuilder:rbac:", "// +kubebuilder:webhook:", "// +kubebuilder:object:"}
	return isKind || slices.ContainsFunc(markers, contains)
}

// TestMayMatter checks files, each with one reason to check their syntax, and files without any.
func TestMayMatter(t *testing.T) {
	for src, want := range map[string]bool{
		"package p\n\n// F adds a + b.\nfunc F() {\n}\n":                                 false,
		"/*\nCopyright\n*/\n\npackage p\n\nconst (\n\tA = 1\n)\n\ntype ObjectMeta int\n": false,
		"package p\n\ntype T struct {\n\tTypeMeta\n\tObjectMeta\n}\n":                    true,
		"// +groupName=g\npackage p\n":                                                   true,
		"//+enum\npackage p\n":                                                           true,
		"/groupName=g\npackage p\n":                                                      true,
		"/* +k8s:deepcopy-gen=package */\npackage p\n":                                   true,
		"package p\n\nfunc F() {\n\t/ +kubebuilder:rbac:groups=g\n}\n":                   true,
		"/* groupName=g\npackage p\n":                                                    true,
		"/* groupName=g\npackage p\n\n/* F */\nfunc F() {}\n":                            true,
		"package p\n\nvar s = `\ntext\n`\n":                                              true,
	} {
		if got := mayMatter([]byte(src), []byte(src)); got != want {
			t.Errorf("%q: got %t, want %t", src, got, want)
		}
	}
}
