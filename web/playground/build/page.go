package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle writes the programs of the page, with the packages of npm that they import, and the licenses of these.
func bundle(out string) error {
	modules, err := output("../hack/npm.sh", "playground/page")
	if err != nil {
		return fmt.Errorf("install the packages of the page: %w", err)
	}
	result := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "./playground/page/playground.js", OutputPath: "playground"},
			{InputPath: "./playground/page/worker.js", OutputPath: "playground-worker"},
		},
		Outdir: out, Write: true, Bundle: true, MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Format: api.FormatIIFE, Target: api.ES2022, LegalComments: api.LegalCommentsNone,
		NodePaths: []string{modules}, Loader: map[string]api.Loader{".txt": api.LoaderText, ".yaml": api.LoaderText},
	})
	if len(result.Errors) > 0 {
		return fmt.Errorf("bundle the page: %s", strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), ""))
	}
	var text strings.Builder
	for _, pattern := range []string{"*", "@*/*"} {
		licenses, err := filepath.Glob(filepath.Join(modules, pattern, "LICENSE"))
		if err != nil {
			return err
		}
		for _, name := range licenses {
			license, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&text, "%s\n\n%s\n", strings.TrimPrefix(filepath.Dir(name), modules+"/"), license)
		}
	}
	return os.WriteFile(filepath.Join(out, "playground-licenses.txt"), []byte(text.String()), 0o666)
}
