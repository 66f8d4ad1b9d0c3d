package laws

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// module writes the module of testdata/laws and returns its directory and its archive.
func module(t *testing.T, change func(string) string) (dir string, files map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile("../../../testdata/laws/widgets.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, files = t.TempDir(), map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(change(string(f.Data))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	return dir, files
}

func generate(t *testing.T, dir string, patterns ...string) Files {
	t.Helper()
	options := define.Options{Passes: passes.All()}
	options.Dir, options.Patterns = dir, patterns
	files, findings, err := Generate(context.Background(), options)
	if err != nil || len(findings) > 0 {
		t.Fatal(findings, err)
	}
	write(t, files)
	return files
}

func write(t *testing.T, files Files) {
	t.Helper()
	for _, f := range files.Files {
		err := os.MkdirAll(filepath.Dir(f.Name), 0o777)
		if err == nil {
			err = os.WriteFile(f.Name, f.Data, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestGenerated runs generated tests, and wants exactly the violations of the archive.
func TestGenerated(t *testing.T) {
	dir, files := module(t, func(s string) string { return s })
	generated := generate(t, dir, "./...")
	if len(generated.Files) != 3 || len(generated.Without) != 3 {
		t.Errorf("%d files, and %q without", len(generated.Files), generated.Without)
	}
	for _, pkg := range []string{"v1beta1", "convert"} {
		if _, err := typedmodule.Go(dir, "vet", "./"+pkg); err != nil {
			t.Error(err)
		}
		_, err := typedmodule.Go(dir, "test", "-vet=off", "./"+pkg)
		if err == nil {
			t.Fatalf("the tests of %s pass", pkg)
		}
		var got strings.Builder
		found := regexp.MustCompile(`(?m)^\s+zz_\S+ (L\d): .*\n\s+\S+ (\S+): |--- FAIL: TestConversionLaws/(\w+)`).FindAllStringSubmatch(err.Error(), -1)
		kind := ""
		for _, m := range found {
			if m[3] != "" {
				kind = m[3]
				continue
			}
			got.WriteString(pkg + " " + kind + " " + m[1] + " " + m[2] + "\n")
		}
		for line := range strings.Lines(got.String()) {
			if !strings.Contains(files["want"], line) {
				t.Errorf("not wanted: %s", line)
			}
		}
		for line := range strings.Lines(files["want"]) {
			if strings.HasPrefix(line, pkg) && !strings.Contains(got.String(), line) {
				t.Errorf("not found: %s", line)
			}
		}
		if t.Failed() {
			t.Log(err)
		}
	}
}

// TestDropped wants no violation for a field whose loss is documented.
func TestDropped(t *testing.T) {
	dir, _ := module(t, func(s string) string {
		s = strings.Replace(s, "//DROP", `// +schemagen:convert:drop,reason="it has no effect"`, 1)
		return strings.Replace(s, "return json.Unmarshal([]byte(kept), &dst.Spec)", "size := dst.Spec.Size\n\tdefer func() { dst.Spec.Size = size }()\n\treturn json.Unmarshal([]byte(kept), &dst.Spec)", 1)
	})
	generate(t, dir, "./v1beta1")
	if _, err := typedmodule.Go(dir, "test", "-vet=off", "./v1beta1"); err != nil {
		t.Error(err)
	}
}
