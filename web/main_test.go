package web

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
)

// root is the directory of the repository.
const root = ".."

// benchCases are cases in bench/ whose modules are small: the largest definition of all, and
// some with many rules.
var benchCases = []string{"prometheus-operator-full", "gateway-api", "cert-manager"}

// suite is the state shared by the tests.
var suite struct {
	// schemagen is the path of the binary.
	schemagen string
	// bench are the directories with the definitions of cases in bench/, by case.
	bench map[string]string
	// canvas is the directory of the definition with nested unions.
	canvas string
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "schemagen-web")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare builds schemagen and generates the definitions.
func prepare(dir string) error {
	suite.schemagen = filepath.Join(dir, "schemagen")
	bench := filepath.Join(dir, "bench")
	if _, err := command(root, "go", "build", "-o", suite.schemagen, "./cmd/schemagen"); err != nil {
		return err
	}
	if *pictures != "" {
		return nil // they show other definitions
	}
	if _, err := command(filepath.Join(root, "bench"), "go", "build", "-o", bench, "."); err != nil {
		return err
	}
	suite.bench = map[string]string{}
	for _, name := range benchCases {
		out := filepath.Join(dir, name)
		if _, err := command(filepath.Join(root, "bench"), bench, "generate", "-schemagen", suite.schemagen, "-case", name, "-o", out); err != nil {
			return err
		}
		suite.bench[name] = out
	}
	suite.canvas = filepath.Join(dir, "canvas")
	_, err := command(".", suite.schemagen, "crd", "./testdata/api/...", "-o", suite.canvas)
	return err
}

// command runs a command and returns its output.
func command(dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(name), strings.Join(args, " "), err, stderr.Bytes(), stdout.Bytes())
	}
	return stdout.String(), nil
}

// definition is a definition read from a file.
type definition struct {
	file string
	size int
	crd  *apiextensionsv1.CustomResourceDefinition
}

// definitions reads the definitions in directories, the largest first.
func definitions(t testing.TB, dirs ...string) []definition {
	t.Helper()
	var out []definition
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			crd := &apiextensionsv1.CustomResourceDefinition{}
			if err := yaml.Unmarshal(data, crd); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			out = append(out, definition{file, len(data), crd})
		}
	}
	if len(out) == 0 {
		t.Fatalf("no definitions in %v", dirs)
	}
	slices.SortFunc(out, func(a, b definition) int { return cmp.Or(b.size-a.size, strings.Compare(a.file, b.file)) })
	return out
}

// largest returns the largest definition in bench/.
func largest(t testing.TB) definition {
	t.Helper()
	out := definitions(t, suite.bench["prometheus-operator-full"])[0]
	if out.size < 1<<20 {
		t.Fatalf("%s has only %d bytes", out.file, out.size)
	}
	return out
}

func resources(crd *apiextensionsv1.CustomResourceDefinition) []*publish.Resource {
	var schemas []*structural.Schema
	var unheld [][]structural.Unsupported
	for _, v := range crd.Spec.Versions {
		s, u := structural.FromProps(v.Schema.OpenAPIV3Schema)
		schemas, unheld = append(schemas, s), append(unheld, u)
	}
	return publish.Resources(crd, schemas, unheld)
}
