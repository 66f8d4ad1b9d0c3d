package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// writeProgram writes the program that compares.
func (o oracle) writeProgram(root, given string) error {
	dir := filepath.Join(root, "schemagen_oracle")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, file := range map[string]string{"compare.txt": "main.go", "speed.txt": "speed.go"} {
		program, err := os.ReadFile(filepath.Join("oracles", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, file), program, 0o644); err != nil {
			return err
		}
	}
	values := map[string][]string{}
	for line := range strings.Lines(given) {
		if name, list, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			values[name] = strings.Split(list, "|")
		}
	}
	var kinds strings.Builder
	imports := map[string]string{}
	spokes := map[string]int{} // by hub
	for _, g := range o.groups {
		spokes[g.hub]++
	}
	for i, g := range o.groups {
		spoke, hub, written := fmt.Sprintf("spoke%d", i), fmt.Sprintf("hub%d", i), fmt.Sprintf("written%d", i)
		for name, dir := range map[string]string{spoke: g.spoke, hub: g.hub, written: g.functions} {
			if dir == "" {
				continue
			}
			found, err := importPath(root, dir)
			if err != nil {
				return err
			}
			imports[name] = found
		}
		if err := constants(filepath.Join(root, g.spoke), values); err != nil {
			return err
		}
		if err := constants(filepath.Join(root, g.hub), values); err != nil {
			return err
		}
		for _, k := range g.kinds {
			call := func(function string, in, out string) string {
				return fmt.Sprintf("func(in, out any) error { return %s(context.Background(), in.(*%s.%s), out.(*%s.%s)) }", function, in, k, out, k)
			}
			up, down := call(written+"."+fmt.Sprintf(g.up, k), spoke, hub), call(written+"."+fmt.Sprintf(g.down, k), hub, spoke)
			if g.functions == "" {
				up = fmt.Sprintf("func(in, out any) error { return in.(*%s.%s).ConvertTo(out.(*%s.%[2]s)) }", spoke, k, hub)
				down = fmt.Sprintf("func(in, out any) error { return out.(*%s.%s).ConvertFrom(in.(*%s.%[2]s)) }", spoke, k, hub)
			}
			name := k // KIND.VERSION, as in differences
			if spokes[g.hub] > 1 {
				name += "." + path.Base(g.spoke)
			}
			fmt.Fprintf(&kinds, "\t{name: %q, spoke: func() any { return new(%s.%s) }, hub: func() any { return new(%s.%[3]s) },\n", name, spoke, k, hub)
			fmt.Fprintf(&kinds, "\t\ttheirs: [2]func(in, out any) error{%s, %s},\n", up, down)
			fmt.Fprintf(&kinds, "\t\tours: [2]func(in, out any) error{%s, %s}},\n", call(spoke+".Convert"+k+"ToHub", spoke, hub), call(spoke+".Convert"+k+"FromHub", hub, spoke))
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "package main\n\nimport (\n\t\"context\"\n")
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		fmt.Fprintf(&table, "\t%s %q\n", name, imports[name])
	}
	for _, line := range o.imports {
		fmt.Fprintf(&table, "\t%s\n", line)
	}
	fmt.Fprintf(&table, ")\n\nfunc init() { %s }\n\nvar kinds = []kind{\n%s}\n\nvar values = %#v\n\nvar keptBy = %#v\n", o.setup, kinds.String(), values, o.annotations)
	return os.WriteFile(filepath.Join(dir, "kinds.go"), []byte(table.String()), 0o644)
}

// moduleLine matches the path in a go.mod.
var moduleLine = regexp.MustCompile(`(?m)^module (\S+)`)

// importPath returns the import path of a directory below root.
func importPath(root, dir string) (string, error) {
	for at := dir; ; at = path.Dir(at) {
		data, err := os.ReadFile(filepath.Join(root, at, "go.mod"))
		if err != nil {
			if at == "." {
				return "", err
			}
			continue
		}
		relative, err := filepath.Rel(at, dir)
		return path.Join(string(moduleLine.FindSubmatch(data)[1]), filepath.ToSlash(relative)), err
	}
}

// constants adds the string constants of a package by type.
func constants(dir string, values map[string][]string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, ok := node.(*ast.ValueSpec)
			if !ok {
				return true
			}
			of, ok := spec.Type.(*ast.Ident)
			for _, value := range spec.Values {
				if text, isText := value.(*ast.BasicLit); ok && isText && text.Kind == token.STRING && of.Name != "string" {
					if s, err := strconv.Unquote(text.Value); err == nil && !slices.Contains(values[of.Name], s) {
						values[of.Name] = append(values[of.Name], s)
					}
				}
			}
			return true
		})
	}
	return nil
}
