// Package golangci is the analyzer of package analyzer as a module plugin of golangci-lint.
// Its settings are those of [analyzer.Settings].
package golangci

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/schemagen/schemagen/analyzer"
)

func init() { register.Plugin("schemagen", newPlugin) }

func newPlugin(conf any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[analyzer.Settings](conf)
	return &plugin{settings}, err
}

type plugin struct{ settings analyzer.Settings }

func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{analyzer.New(&p.settings)}, nil
}

// GetLoadMode asks for syntax only: the analyzer reads types from source.
func (p *plugin) GetLoadMode() string { return register.LoadModeSyntax }
