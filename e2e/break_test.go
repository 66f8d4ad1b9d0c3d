package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// breakVariable is the environment variable that enables TestBreakages. Its value is
// brokenCopy in tests that run in a broken copy.
const (
	breakVariable = "E2E_BREAK"
	brokenCopy    = "broken"
)

// A breakage is a mistake to make in a file of the repository, and the test that must fail.
type breakage struct {
	name, file string
	from, to   string
	// fails is the beginning of the name of a subtest. It is required because a server that
	// does not start has no subtests.
	fails string
}

func breakages() []breakage {
	return []breakage{
		{"a rule without its negation", "unions/rules.go", `"!(" + names.selects(m.Value) + ") || has(`, `"(" + names.selects(m.Value) + ") || has(`,
			"TestUnions/cel,_,_carry-over_only_false/create "},
		{"an optional discriminator is read without asking for it", "unions/rules.go", `return "has(" + field + ") && " + field`, `return field`,
			"TestUnions/cel,_D_optional,_carry-over_only_false/optional_D_removed "},
		{"the path of another field", "unions/rules.go", "u.MustNotBeSet(m),\n\t\tReason:    &reason,\n\t\tFieldPath: celtext.FieldPath(m.Name)", "u.MustNotBeSet(m),\n\t\tReason:    &reason,\n\t\tFieldPath: celtext.FieldPath(u.Discriminator)",
			"TestUnions/cel,_,_carry-over_only_false/create,_two_members "},
		{"a policy that clears nothing", "unions/policy.go", `filters = append(filters, "v != "+read(pair.new))`, `filters = append(filters, "v == ''")`,
			"TestUnions/cel,_,_carry-over_only_false/selected_anew "},
		{"a policy that clears too much", "unions/policy.go", `filters = append(filters, "v != "+read(pair.new))`, "",
			"TestUnions/cel,_,_carry-over_only_false/selected_anew "},
		{"a policy that clears what was not set before", "unions/policy.go", `if w.opts.CarryOverOnly {`, `if w.opts.CarryOverOnly && w.loops < 0 {`,
			"TestUnions/cel,_,_carry-over_only_true/carry-over_only "},
		{"oneOf without not", "unions/branches.go", `if len(forbidden) > 0 {`, `if len(forbidden) > 99 {`,
			"TestUnions/oneOf,_,_carry-over_only_false/create,_two_members,_oneOf "},
		{"an open set of values", "unions/lower.go", `out.Enum = enumOf(&u)`, `out.Enum = nil`,
			"TestUnions/cel,_,_carry-over_only_false/unknown_value "},
		{"a dropped default", "structural/default.go", "if put, ok := d.put(p.Schema, fieldStep(p.Name)); ok {", "if put, ok := d.put(p.Schema, fieldStep(p.Name)); ok && len(p.Name) < 0 {",
			"TestTryPredicts/"},
		{"unknown fields are kept", "structural/prune.go", "\tp.object(object, specified{schema: s, isResource: isResource || s != nil && s.XEmbeddedResource,\n\t\tpreserves: s != nil && s.preserves(), isRoot: true})\n", "",
			"TestTryPredicts/"},
		{"rules run on what the schema rejects", "internal/apiserver/kindvalidate.go", "\t\t\treturn true\n\t\t}\n\t}\n\treturn false", "\t\t\treturn false\n\t\t}\n\t}\n\treturn false",
			"TestTryPredicts/"},
		{"the definition of another document", "internal/pages/derived/derived.go", `publish.Options{}, v.Published == "v2")`, `publish.Options{}, false)`,
			"TestOpenAPICases/schema_--published_v2"},
		{"a webhook that clears the selected member", "examples/webhook/api/v1/zz_generated.unions.go", "if new.Type != FillSolid && new.Solid != nil {", "if new.Type == FillSolid && new.Solid != nil {",
			"TestWebhook/selected_anew "},
	}
}

// TestBreakagesApply checks that the files still have the texts that the mistakes replace. It
// is run always, because TestBreakages is not.
func TestBreakagesApply(t *testing.T) {
	for _, b := range breakages() {
		source, err := os.ReadFile(filepath.Join(root, b.file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), b.from) {
			t.Errorf("%s: %s does not contain %q", b.name, b.file, b.from)
		}
	}
}

// TestBreakages makes each mistake in a copy of the repository and checks that a test of this
// package fails. It takes minutes, so it is run only on request.
func TestBreakages(t *testing.T) {
	if variable := os.Getenv(breakVariable); variable == "" || variable == brokenCopy {
		t.Skip(breakVariable + " is not set to 1")
	}
	copied := filepath.Join(t.TempDir(), "repository")
	copyTree(t, root, copied)
	for _, b := range breakages() {
		t.Run(b.name, func(t *testing.T) {
			file := filepath.Join(copied, b.file)
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			broken := strings.Replace(string(source), b.from, b.to, 1)
			if broken == string(source) {
				t.Fatalf("%s has no %q", b.file, b.from)
			}
			write := func(text string) {
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			write(broken)
			defer write(string(source))
			text := runTest(t, filepath.Join(copied, "e2e"), strings.TrimRight(b.fails, " /"))
			if !strings.Contains(text, "--- FAIL: "+b.fails) {
				t.Errorf("%s still passes:\n%s", b.fails, lastLines([]byte(text), 20))
			}
		})
	}
}

// runTest runs one test of a module, or its subtests of one name, and returns the output. A
// failing test is not an error.
func runTest(t *testing.T, dir, name string) string {
	t.Helper()
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-count=1", "-run", strings.Join(elements, "/"), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), breakVariable+"="+brokenCopy, "GOWORK=off")
	isolate(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	w := &progressWriter{ctx: t.Context()}
	cmd.Stdout, cmd.Stderr = w, w
	_ = cmd.Run()
	return w.out.String()
}

// copyTree copies the files of a repository.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.Name() == ".git" && entry.IsDir(), rest == "bin":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, rest), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rest), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
