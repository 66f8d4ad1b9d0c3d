package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/internal/test/crdfields"
)

// readers are command lines of the commands that read definitions, by command. FILE is the
// definition with a changed field, good.json the one that it was made from.
func readers() map[string][]string {
	return map[string][]string{
		"verify":     {"FILE", "FILE --costs", "FILE --condition", "FILE --old good.json", "good.json --old FILE"},
		"diff":       {"good.json FILE", "FILE good.json", "good.json FILE --format markdown", "FILE good.json --format markdown"},
		"try":        {"-f object.yaml FILE -o none", "--sample Widget FILE", "-f object.yaml FILE --pruning proposal -o none"},
		"test":       {"FILE -f widget.testsuite.yaml"},
		"docs":       {"FILE -o -"},
		"openapi":    {"FILE -o -", "FILE -o - --unfold-unions --lost"},
		"jsonschema": {"FILE -o -"},
		"explain":    {"widgets FILE --recursive"},
		"types":      {"FILE -o api --diff"},
		"schema":     {"FILE --skeleton", "FILE --unfold", "FILE --published v2", "FILE --published v3"},
	}
}

// others are the commands that read no definitions.
func others() []string {
	return []string{"generate", "crd", "unions", "conversions", "lsp", "gates", "config", "init", "migrate", "kubebuilder-plugin",
		controllerGenCommand, "version", "help", "completion"}
}

const fieldsObject = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: b}\nspec: {text: c, replicas: 1}\n"

const fieldsSuite = "apiVersion: apiextensions.k8s.io/v1\nname: Widget\ncrdName: widgets.example.com\nversion: v1\ntests:\n  onCreate:\n  - name: created\n" +
	"    initial: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {text: c}\n    expected: |\n      apiVersion: example.com/v1\n      kind: Widget\n      spec: {text: c}\n"

// outcomesFile has the outcomes of TestFieldsInCommands: a command line, its exit code, the codes
// of its findings or its message, and the number of definitions with that outcome.
const outcomesFile = "../../testdata/fields.txt"

// TestFieldsInCommands gives every command that reads definitions one in which a field of the API
// type is absent, null or empty. No command ends by a bug: it succeeds, or reports findings (1), or
// what it cannot do (2). Package verify compares the findings with the API server.
//
// Left out of make generate: it runs commands for most of a minute.
func TestFieldsInCommands(t *testing.T) {
	cases, err := crdfields.Cases()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(outcomesFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	golden, err := filepath.Abs(outcomesFile)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	root := newRoot(&stdout, &stderr)
	known := slices.Concat(slices.Collect(maps.Keys(readers())), others())
	for _, c := range root.Commands() {
		if name := c.Name(); !slices.Contains(known, name) {
			t.Errorf("schemagen %s: does it read definitions?", name)
		}
	}
	for _, name := range known {
		if !slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
			t.Errorf("there is no command %s", name)
		}
	}
	mod, sum := requirements(t)
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, text := range map[string]string{
		"good.json": crdfields.Base, "object.yaml": fieldsObject, "widget.testsuite.yaml": fieldsSuite,
		"go.mod": regexp.MustCompile(`(?m)^module .*`).ReplaceAllString(string(mod), "module example.com/m"), "go.sum": string(sum), "schemagen.yaml": "",
	} {
		writeFile(t, name, text)
	}
	for _, c := range cases {
		writeFile(t, filepath.Join("fields", c.Name()+".json"), string(c.JSON))
	}
	outcomes := map[string]int{}
	runs := 0
	for _, command := range slices.Sorted(maps.Keys(readers())) {
		for n, line := range readers()[command] {
			for _, c := range cases {
				if !concerns(command, n, c) {
					continue
				}
				args := append([]string{command}, strings.Fields(strings.ReplaceAll(line, "FILE", "fields/"+c.Name()+".json"))...)
				stdout.Reset()
				stderr.Reset()
				code := run(t.Context(), args, &stdout, &stderr)
				runs++
				outcome := outcomeOf(code, stdout.String(), stderr.String())
				outcomes[command+" "+line+": "+outcome]++
				if strings.Contains(stderr.String(), "bug in schemagen") || outcome == "" {
					t.Errorf("%q: exit code %d: %s%s", args, code, stderr.String(), stdout.String())
				}
			}
		}
	}
	t.Logf("%d runs, %d outcomes", runs, len(outcomes))
	var got strings.Builder
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		fmt.Fprintf(&got, "%s × %d\n", outcome, outcomes[outcome])
	}
	if *update {
		writeFile(t, golden, got.String())
	} else if got.String() != string(want) {
		t.Errorf("got other outcomes than in %s; -update rewrites it:\n%s", outcomesFile, got.String())
	}
}

// concerns reports whether a case is run with a command line of a command, given by its number. The
// first of verify has all cases. Other commands do not read metadata and status, and further lines
// differ only in what they do with versions and the roots of their schemas.
func concerns(command string, line int, c crdfields.Case) bool {
	switch {
	case command == "verify" && line == 0, c.Field == "kind", c.Field == "metadata.creationTimestamp":
		return true
	case command == "types" && strings.Contains(c.Field, ".properties.spec"):
		return false // the types are the same elsewhere, and type-checking takes long
	case line > 0:
		return strings.HasPrefix(c.Field, "spec.versions") && !strings.Contains(c.Field, ".properties.spec") && !strings.HasSuffix(c.Form, "element")
	}
	return strings.HasPrefix(c.Field, "spec")
}

// outcomeOf returns the outcome of a run: the exit code, the codes of its errors, and the words of
// its message. It is empty for an exit code without a reason.
func outcomeOf(code int, stdout, stderr string) string {
	out := fmt.Sprintf("exit code %d", code)
	codes := map[string]bool{}
	for _, m := range regexp.MustCompile(`error\[(SG\d+)\]|"(?:code|ruleId)": "(SG\d+)"`).FindAllStringSubmatch(stderr+stdout, -1) {
		codes[m[1]+m[2]] = true
	}
	if code != 0 {
		out += " " + strings.Join(slices.Sorted(maps.Keys(codes)), " ")
	}
	message := regexp.MustCompile(`(?m)^schemagen: (.*)`).FindStringSubmatch(stderr)
	changes := code == 1 && regexp.MustCompile(`breaks (clients|stored objects)`).MatchString(stdout)
	switch {
	case code == 1 && len(codes) == 0 && !changes && !strings.Contains(stdout+stderr, "FAIL"), code == 2 && message == nil, code > 2:
		return ""
	case message != nil:
		out += " " + regexp.MustCompile(`\S*[/.\[]\S*`).ReplaceAllString(message[1], "…")
	}
	return strings.TrimSpace(out)
}
