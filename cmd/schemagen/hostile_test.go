package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// hostileText clears the screen, changes the direction of text, and forges lines and
// workflow commands. Any text from outside may be like this.
const hostileText = "x\x1b[2J\u009b2J\u202e\a\r\nFORGED: line\n::error::FORGED\n  ::stop-commands::x\n##[error]FORGED"

// annotationOfOurs matches a line in the format github.
var annotationOfOurs = regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]*,)?(line=\d+,)?(col=\d+,)?title=SG\d+::`)

// ownStyle matches the control sequences of our styles.
var ownStyle = regexp.MustCompile(`\x1b\[(1|2|3[0-9]|1;3[0-9])?m`)

// checkPrinted checks that a text contains nothing that a terminal or a workflow obeys,
// and no forged line.
func checkPrinted(t *testing.T, what, text string, github bool) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case screen.Lines(line) != line:
			t.Errorf("%s prints a control character: %q", what, line)
		case strings.HasPrefix(line, "FORGED"):
			t.Errorf("%s prints a forged line: %q", what, line)
		case strings.HasPrefix(trimmed, "::") && !(github && annotationOfOurs.MatchString(line)):
			t.Errorf("%s prints a command: %q", what, line)
		case strings.Contains(line, "##[") && !strings.HasPrefix(line, "::"):
			t.Errorf("%s prints a command: %q", what, line)
		default:
			continue
		}
		return
	}
}

// checkDocument checks that a document has no control characters. Its texts are data,
// which programs do not obey.
func checkDocument(t *testing.T, what, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }); i >= 0 {
		t.Errorf("%s writes a control character at %q", what, text[max(0, i-40):min(len(text), i+40)])
	}
}

// runHostile runs a command line and checks its output, whose length it returns.
func runHostile(t *testing.T, what string, args ...string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	run(ctx, args, &stdout, &stderr)
	what += fmt.Sprintf(": %q", args)
	github := slices.Contains(args, "github")
	document := slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains([]string{"-", "yaml", "json", "markdown", "sarif", "--sample", "html", "-o-"}, arg)
	})
	if slices.Contains([]string{"verify", "try", "diff", "crd"}, args[0]) && !document && !github {
		var shown bytes.Buffer
		run(ctx, append([]string{args[0], "--color=always"}, args[1:]...), &shown, &shown)
		checkPrinted(t, what+" on a terminal", ownStyle.ReplaceAllString(shown.String(), ""), false)
	}
	if document {
		checkDocument(t, what, stdout.String())
	} else {
		checkPrinted(t, what, stdout.String(), github)
	}
	if slices.Contains(args, "json") || slices.Contains(args, "sarif") {
		checkDocument(t, what, stderr.String())
	} else {
		checkPrinted(t, what, stderr.String(), github)
	}
	return stdout.Len() + stderr.Len()
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return screen.EscapeJSON(string(out))
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// plantedCRD is a definition whose texts are replaced one after the other. Texts in capitals
// can be arbitrary.
const plantedCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com","annotations":{"a":"ANNOTATION"}},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget","listKind":"WidgetList","singular":"widget","shortNames":["wd"],"categories":["all"]},
"versions":[{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{"name":"COLUMN","type":"string","jsonPath":".spec.a","description":"COLUMNTEXT"}],
"schema":{"openAPIV3Schema":{"type":"object","description":"DESCRIPTION","properties":{
"spec":{"type":"object","required":["a"],"x-kubernetes-validations":[{"rule":"has(self.a)","message":"MESSAGE"},{"rule":"self.b != 'RULE'","message":"m"}],"properties":{
"a":{"type":"string","maxLength":5,"description":"INNER","enum":["ENUM","b"]},"b":{"type":"string","default":"DEFAULT","pattern":"^PATTERN$"},"PROPERTY":{"type":"string","format":"FORMAT"},
"u":{"type":"object","x-kubernetes-unions":[{"discriminator":"DISCRIMINATOR"}],"properties":{"k":{"type":"array","items":{"type":"object","properties":{"KEY":{"type":"integer","minimum":3}}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["LISTKEY"]}}}}}}}}}]}}`

const plantedObject = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"LABEL":"VALUE"},"finalizers":["FINALIZER"]},"spec":{"a":"ENUM","b":"PATTERN","PROPERTY":"OTHER","UNKNOWN":{"DEEP":"x"},"u":{"k":[{"KEY":1,"LISTKEY":"x"}]}}}`

const plantedSuite = `{"name":"SUITE","crdName":"widgets.example.com","version":"v1","tests":{"onCreate":[{"name":"CASE","initial":"INITIAL","expected":"EXPECTED"},
{"name":"other","initial":"apiVersion: example.com/v1\nkind: Widget\nspec: {a: b}\n","expectedError":"WANTED"}]}}`

// TestHostileManifests replaces every text in a definition, an object and a test suite with
// a hostile one, and runs every command that reads them.
func TestHostileManifests(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	texts := regexp.MustCompile(`"[^"\\]*"`)
	printed, runs := 0, 0
	for file, content := range map[string]string{"crd.json": plantedCRD, "object.json": plantedObject, "widget.testsuite.json": plantedSuite} {
		for _, at := range texts.FindAllStringIndex(content, -1) {
			what := file + " with it as " + content[at[0]:at[1]]
			if key := strings.HasPrefix(content[at[1]:], ":"); key && !regexp.MustCompile(`^"[A-Z]`).MatchString(content[at[0]:]) {
				continue // a keyword: another one is an unknown field
			}
			writeFile(t, "good.json", plantedCRD)
			for name, text := range map[string]string{"crd.json": plantedCRD, "object.json": plantedObject, "widget.testsuite.json": plantedSuite} {
				if name == file {
					text = text[:at[0]] + quoted(t, hostileText) + text[at[1]:]
				}
				writeFile(t, name, text)
			}
			var lines [][]string
			if file == "crd.json" {
				lines = append(lines, []string{"verify", "crd.json"}, []string{"verify", "crd.json", "--format", "github"}, []string{"verify", "--costs", "crd.json"}, []string{"verify", "crd.json", "--old", "good.json"},
					[]string{"verify", "crd.json", "--format", "json"}, []string{"verify", "crd.json", "--format", "sarif"},
					[]string{"diff", "good.json", "crd.json"}, []string{"diff", "crd.json", "good.json"}, []string{"diff", "crd.json", "good.json", "--format", "github"},
					[]string{"diff", "crd.json", "good.json", "--format", "json"}, []string{"diff", "crd.json", "good.json", "--format", "markdown"},
					[]string{"explain", "widget", "crd.json"}, []string{"explain", "widget.spec", "crd.json", "--recursive"}, []string{"explain", "widget.spec", "crd.json", "--format", "markdown"},
					[]string{"explain", "widget.spec", "crd.json", "--format", "json"}, []string{"docs", "crd.json", "-o", "-", "--format", "markdown"}, []string{"docs", "crd.json", "-o", "-"},
					[]string{"jsonschema", "crd.json", "-o", "-"}, []string{"openapi", "crd.json", "-o", "-"}, []string{"openapi", "crd.json", "-o", "none", "--diff"}, []string{"try", "--sample", "Widget", "crd.json"})
			}
			if file != "widget.testsuite.json" {
				for _, more := range [][]string{{}, {"--format", "github"}, {"-o", "yaml"}, {"--old", "object.json"}} {
					lines = append(lines, append([]string{"try", "-f", "object.json", "crd.json"}, more...))
				}
			}
			lines = append(lines, []string{"test", "crd.json", "-f", "widget.testsuite.json", "-v"})
			for _, args := range lines {
				printed += runHostile(t, what, args...)
				runs++
			}
		}
	}
	if runs < 500 || printed < 100*runs {
		t.Errorf("%d runs printed %d bytes: too few for the test to check anything", runs, printed)
	}
}

// TestHostileSource puts hostile texts into Go source: names of files and packages, markers,
// tags, comments and constants, and into the other files of the project.
func TestHostileSource(t *testing.T) {
	mod, sum := requirements(t)
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	inLine := strings.NewReplacer("\n", "\\n", "\r", "\\r").Replace(hostileText)
	const good = `// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:object:root=true
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec Spec ` + "`json:\"spec\"`" + `
}

MORE
`
	sources := map[string]string{
		"marker":      "// +kubebuilder:validation:HOSTILE=1\ntype Spec struct{}",
		"our marker":  "// +schemagen:HOSTILE\ntype Spec struct{}",
		"value":       "type Spec struct {\n\t// +kubebuilder:validation:MinLength=HOSTILE\n\tA string `json:\"a\"`\n}",
		"quoted":      "type Spec struct {\n\t// +kubebuilder:validation:Enum=QUOTED\n\t// +kubebuilder:default=QUOTED\n\t// +kubebuilder:validation:Pattern=QUOTED\n\t// +kubebuilder:validation:XValidation:rule=QUOTED,message=QUOTED\n\tA int `json:\"a\"`\n}",
		"tag":         "type Spec struct {\n\tA chan int `json:\"HOSTILE\"`\n\tB complex128 \"json:QUOTEDTAG\"\n}",
		"description": "// Spec is HOSTILE\n// ::error::FORGED\ntype Spec struct {\n\tA string `json:\"a\"`\n}",
		"constant":    "// +enum\ntype E string\n\nconst A E = QUOTED\n\n// +schemagen:enable=enum\ntype Spec struct {\n\tE E `json:\"e\"`\n\t// +kubebuilder:default=x\n\tF E `json:\"f\"`\n}",
		"import":      "import \"example.com/HOSTILE\"\n\ntype Spec struct{}",
		"syntax":      "type Spec HOSTILE",
		"union":       "// +union\ntype Spec struct {\n\t// +unionDiscriminator=HOSTILE\n\tType string `json:\"type\"`\n\t// +unionMember=QUOTED\n\tA *string `json:\"HOSTILE\"`\n}",
		"column":      "// +kubebuilder:printcolumn:name=QUOTED,type=QUOTED,JSONPath=QUOTED\n// +kubebuilder:resource:path=QUOTED,scope=QUOTED\ntype Spec struct{}",
	}
	lines := [][]string{
		{"crd", "./...", "-o", "out", "--no-cache"}, {"crd", "./...", "-o", "out", "--no-cache", "--format", "github"}, {"crd", "./...", "-o", "other", "--no-cache", "--skip-verify", "--diff"},
		{"crd", "./...", "-o", "-", "--no-cache", "--skip-verify"}, {"unions", "./...", "--suggest"},
		{"crd", "./...", "-o", "other", "--no-cache", "--skip-verify", "--check"}, {"crd", "./...", "-o", "out", "--no-cache", "--format", "json"}, {"config", "./..."}, {"explain", "widget.spec", "./..."}, {"crd", "rbac:roleName=x", "object", "paths=./...", "--no-cache"},
	}
	const few = 5 // of the lines are enough for most sources
	printed, runs := 0, 0
	try := func(what, name, text string) {
		t.Helper()
		if err := os.RemoveAll("m"); err != nil {
			t.Fatal(err)
		}
		writeFile(t, "m/go.mod", string(regexp.MustCompile(`(?m)^module .*`).ReplaceAll(mod, []byte("module example.com/m"))))
		writeFile(t, "m/go.sum", string(sum))
		file := filepath.Join("m", name)
		if os.MkdirAll(filepath.Dir(file), 0o777) != nil || os.WriteFile(file, []byte(text), 0o666) != nil {
			t.Skipf("this file system has no %q", name)
		}
		t.Chdir("m")
		ran := lines
		if strings.HasPrefix(name, "api/v1/types") && what != "marker" {
			ran = lines[:few]
		}
		for _, args := range ran {
			printed += runHostile(t, what, args...)
			runs++
		}
		t.Chdir(dir)
	}
	fill := func(more string) string {
		more = strings.ReplaceAll(more, "QUOTEDTAG", `\"`+inLine+`\"`)
		return strings.ReplaceAll(good, "MORE", strings.NewReplacer("QUOTED", quoted(t, hostileText), "HOSTILE", inLine).Replace(more))
	}
	for what, more := range sources {
		try(what, "api/v1/types.go", fill(more))
	}
	hostileName := strings.ReplaceAll(hostileText, "/", "")
	broken := fill("type Spec struct { A chan int `json:\"a\"` }")
	try("name of a file", "api/v1/"+hostileName+".go", broken)
	try("name of a file at the start", "::error::FORGED.go", broken)
	try("name of a folder", hostileName+"/types.go", broken)
	try("go.mod", "go.mod", "module example.com/m\x1b[2J\n\ngo 1.26\nrequire x\x1b[2J v1\n")
	try("schemagen.yaml", "schemagen.yaml", quoted(t, hostileText)+": "+quoted(t, hostileText)+"\nseverities: {"+quoted(t, hostileText)+": "+quoted(t, hostileText)+"}\n")
	// The calls lead out of the project: otherwise they would run this test.
	lines = [][]string{{"migrate"}, {"migrate", "--", "crd", "output:dir=../" + hostileText}}
	try("Makefile", "Makefile", "CONTROLLER_GEN = ./"+inLine+"\nall:\n\tX="+inLine+" $(CONTROLLER_GEN) crd paths="+inLine+" output:dir=../"+inLine+"\n\t$(CONTROLLER_GEN) crd paths=$(call x,"+inLine+")\n")
	if runs < 80 || printed < 50*runs {
		t.Errorf("%d runs printed %d bytes: too few for the test to check anything", runs, printed)
	}
}

// TestHostileFlags passes a hostile text to every flag that accepts one and as every
// argument of every command.
func TestHostileFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	writeFile(t, "crd.json", plantedCRD)
	runs := 0
	for _, cmd := range newRoot(io.Discard, io.Discard).Commands() {
		arguments := [][]string{{hostileText}, {hostileText, hostileText}, {"--" + hostileText}}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" && f.Name != "serve" {
				arguments = append(arguments, []string{"--" + f.Name, hostileText, "crd.json"}, []string{"--" + f.Name, hostileText})
			}
		})
		if cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == "completion" {
			continue
		}
		for _, args := range arguments {
			runHostile(t, "a flag", append([]string{cmd.Name()}, args...)...)
			runs++
		}
	}
	if runs < 100 {
		t.Errorf("only %d runs", runs)
	}
}
