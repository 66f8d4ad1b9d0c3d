package applyconfiguration

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/schemagen/schemagen/diag"
)

// schemeGroupVersion is the variable of a package of kinds to which the generated function ForKind
// refers, and groupVersion the one that Kubebuilder's scaffold declares.
const (
	schemeGroupVersion = "SchemeGroupVersion"
	groupVersion       = "GroupVersion"
)

// checkGroupVersion returns a diagnostic if a package does not declare SchemeGroupVersion, or nil.
func (p *packageRun) checkGroupVersion(root *loader.Package) (*diag.Diagnostic, error) {
	pos := token.NoPos
	hint := "below it, write: var " + schemeGroupVersion + " = " + groupVersion
	for _, tree := range root.Syntax {
		if variable(tree, schemeGroupVersion).IsValid() {
			return nil, nil
		}
		pos = max(pos, variable(tree, groupVersion))
	}
	if found, err := p.generatesGroupVersion(root); err != nil || found {
		return nil, err
	}
	if !pos.IsValid() {
		pos = root.Syntax[0].Name.Pos()
		hint = fmt.Sprintf("write: var %s = schema.GroupVersion{Group: %q, Version: %q}, and import k8s.io/apimachinery/pkg/runtime/schema", schemeGroupVersion, p.group, p.version)
	}
	d := noGroupVersion.At(diag.PositionOf(root.Fset, pos), hint,
		"the apply configurations refer to the variable %s.%s, which package %s does not declare", root.Name, schemeGroupVersion, root.PkgPath)
	return &d, nil
}

// generatesGroupVersion reports whether a file that the build constraints leave out, such as one of
// register-gen, declares SchemeGroupVersion.
func (p *packageRun) generatesGroupVersion(root *loader.Package) (bool, error) {
	entries, err := p.Source.Inputs.ReadDir(p.dir)
	if err != nil {
		return false, err
	}
	for _, entry := range entries {
		name := filepath.Join(p.dir, entry.Name())
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, ".deepcopy.go") || slices.Contains(root.GoFiles, name) {
			continue
		}
		text, err := p.Source.Inputs.ReadFile(name, nil)
		if err != nil {
			return false, err
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err == nil && tree.Name.Name == root.Name && variable(tree, schemeGroupVersion).IsValid() {
			return true, nil
		}
	}
	return false, nil
}

// variable returns the position of the package-level variable with a name in a file, if there is one.
func variable(tree *ast.File, name string) token.Pos {
	for _, decl := range tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			for _, declared := range spec.(*ast.ValueSpec).Names {
				if declared.Name == name {
					return declared.Pos()
				}
			}
		}
	}
	return token.NoPos
}
