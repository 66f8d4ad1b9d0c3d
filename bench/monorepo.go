package main

import (
	"bytes"
	"fmt"
)

const (
	// monorepoPackages is the number of packages of the generated repository, and monorepoKinds that of packages
	// with a kind and its controller.
	monorepoPackages = 3000
	monorepoKinds    = 5
	// monorepoFunctions is the number of functions in a file; there are two files in a package.
	monorepoFunctions = 30
)

// monorepo returns the files of a repository in which few of many packages have kinds.
func monorepo() ([]sourceFile, error) {
	files, err := tree{kinds: monorepoKinds, depth: 4, width: 6, rules: 3, description: 120, perGroup: 1}.files()
	for i := range monorepoPackages - monorepoKinds {
		for _, name := range []string{"service", "store"} {
			files = append(files, sourceFile{fmt.Sprintf("services/s%04d/%s.go", i, name), serviceSource(i, name)})
		}
	}
	return files, err
}

// serviceSource returns a file of a package without kinds, which imports others. Those of the first packages
// have markers for roles.
func serviceSource(number int, name string) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "package s%04d\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n", number)
	if number > 0 && name == "store" {
		fmt.Fprintf(&text, "\n\tother \"synthetic.example.com/operator/services/s%04d\"\n", number/2)
	}
	fmt.Fprint(&text, ")\n\n")
	if number < monorepoKinds && name == "service" {
		fmt.Fprintf(&text, "// +kubebuilder:rbac:groups=g%03d.synthetic.example.com,resources=kind%04[1]ds,verbs=get;list;watch\n\n", number)
	}
	if number > 0 && name == "store" {
		fmt.Fprint(&text, "// Before is what this package is built on.\ntype Before = other.Service0\n\n")
	}
	kind := map[string]string{"service": "Service", "store": "Store"}[name]
	for i := range monorepoFunctions {
		fmt.Fprintf(&text, `// %[1]s%[2]d counts calls by their name.
type %[1]s%[2]d struct {
	calls map[string]int
}

// Add adds %[2]d calls of a function.
func (s *%[1]s%[2]d) Add(name string) error {
	if name == "" {
		return errors.New("no name")
	}
	s.calls[name] += %[2]d
	if s.calls[name] < 0 {
		return fmt.Errorf("%%s: too many calls", name)
	}
	return nil
}

`, kind, i)
	}
	return text.Bytes()
}
