// Command kal runs the rules of kube-api-linter on the packages of a module and prints what they
// find, one JSON object a line. It is a module of its own so that its requirements do not affect
// the others.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/registry"
	"sigs.k8s.io/kube-api-linter/pkg/config"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration"
)

// finding is a line of the output.
type finding struct {
	Rule    string `json:"rule"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "kal:", err)
		os.Exit(1)
	}
}

func run(patterns []string) error {
	marker := func(preferred, other string) map[string]any {
		return map[string]any{"preferredIdentifier": preferred, "equivalentIdentifiers": []map[string]any{{"identifier": other}}}
	}
	analyzers, err := registry.DefaultRegistry().InitializeLinters(
		config.Linters{
			Enable: []string{"*"},
			// They report what lists in their configuration name. nonpointerstructs is for types without a schema.
			Disable: []string{"conflictingmarkers", "dependenttags", "forbiddenmarkers", "namingconventions", "nonpointerstructs"},
		},
		config.LintersConfig{
			"preferredmarkers": map[string]any{"markers": []map[string]any{marker("optional", "kubebuilder:validation:Optional"), marker("required", "kubebuilder:validation:Required")}},
			"optionalfields":   map[string]any{"pointers": map[string]any{"preference": "WhenRequired"}},
		})
	if err != nil {
		return err
	}
	for _, a := range analyzers {
		// Fixes are not used, and some of them are invalid, which the checker panics on.
		run := a.Run
		a.Run = func(pass *analysis.Pass) (any, error) {
			reporting := *pass
			reporting.Report = func(d analysis.Diagnostic) {
				d.SuggestedFixes = nil
				pass.Report(d)
			}
			return run(&reporting)
		}
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, patterns...)
	if err != nil {
		return err
	}
	if packages.PrintErrors(loaded) > 0 {
		return fmt.Errorf("the packages have errors")
	}
	graph, err := checker.Analyze(analyzers, loaded, nil)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, action := range graph.Roots {
		if action.Err != nil {
			return fmt.Errorf("%s: %w", action, action.Err)
		}
		for _, d := range action.Diagnostics {
			pos := action.Package.Fset.PositionFor(d.Pos, false)
			if err := out.Encode(finding{action.Analyzer.Name, pos.Filename, pos.Line, d.Message}); err != nil {
				return err
			}
		}
	}
	return nil
}
