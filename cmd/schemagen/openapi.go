package main

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/publish"
)

// openAPIRun is one run of the openapi command.
type openAPIRun struct {
	reporting.Reporter
	publish.Options
	definitions generation.DefinitionFlags
	// output is the parent directory of openapi/.
	output string
	mode   output.Mode
	// cache keeps definitions for --serve, which reads them again.
	cache *definitions.Cache
	// lost reports what OpenAPI v2 leaves out.
	lost bool
	// address is where the documents are served; if it is empty, they are written.
	address string
}

// openAPIMemory is the memory limit in bytes beyond which garbage is collected more
// often, so that 200 definitions of 100 KB fit in 400 MB.
const openAPIMemory = 320 << 20

// defaultOpenAPIDir is the parent of the default directory of CRDs.
const defaultOpenAPIDir = "config"

func newOpenAPICommand(stdout, stderr io.Writer) *cobra.Command {
	var r openAPIRun
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "openapi [files, directories, packages or -]",
		Short: "Generate the OpenAPI documents that an API server would publish.",
		Long: `Generate the OpenAPI documents that an API server would publish for custom resources.

Arguments are YAML or JSON files with CRDs, directories with such files, - for
standard input, or Go packages (./api/..., an import path). The default is the
project's CRDs, as for verify.

Files have the paths of a server: openapi/v2 and openapi/v3/apis/GROUP/VERSION. The
index of v3, which a server publishes at openapi/v3, is openapi/v3/index.json.
Unions are kept as x-kubernetes-unions; everything else is as on a server.

With --serve, write nothing and serve the documents to kubectl, for explain,
validation, and create with --dry-run=client. A number is a port of this machine, 0
a free port. On SIGHUP, the arguments are read again.`,
		Example: `  schemagen openapi config/crd/bases -o config
  schemagen openapi ./api/... -o config --check
  kustomize build config/crd | schemagen openapi - --lost
  schemagen openapi config/crd/bases --serve 8001`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			if r.address != "" {
				if cmd.Flags().Changed("output") || check || diff {
					return errors.New("--serve writes no files: it cannot be used with --output, --check or --diff")
				}
				return r.serve(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
			}
			r.mode = cli.ModeOf(r.output, check, diff)
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.output, "output", "o", defaultOpenAPIDir, "write openapi/ into this directory, - for standard output")
	cli.AddModeFlags(cmd, &check, &diff)
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	flags.StringVar(&r.address, "serve", "", "serve the documents to kubectl at this port or address")
	flags.BoolVar(&r.lost, "lost", false, "report what OpenAPI v2 leaves out")
	flags.BoolVar(&r.definitions.AllUnions, "all-unions", false, generation.ForPackages+"also publish unions that the source does not enable, which nothing enforces")
	flags.BoolVar(&r.Unfold, "unfold-unions", false, "expand unions in OpenAPI v3: an enum, and oneOf with a branch for each value")
	flags.BoolVar(&r.ObjectUnions, "object-unions", false, "add x-kubernetes-unions to objects, in the form of the structural-schema KEP")
	flags.BoolVar(&r.OmitFieldValidation, "omit-field-validation", false, "omit the fieldValidation parameter, so that kubectl validates on the client")
	cli.HideFlags(cmd, "unfold-unions", "object-unions")
	return cmd
}

func (r *openAPIRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	published, err := r.read(ctx, args, stdin, stderr)
	if err != nil {
		return err
	}
	files, err := generate.OpenAPIFiles(published, r.Options)
	if err != nil {
		return err
	}
	delivery := reporting.Delivery{Outputs: reporting.OutputsIn(r.output, files), Mode: r.mode}
	return r.DeliverQuietly(ctx, delivery, stdout, stderr)
}

// read reads the resources to publish and reports mistakes in them.
func (r *openAPIRun) read(ctx context.Context, args []string, stdin io.Reader,
	stderr io.Writer) ([]*definitions.Resource, error) {
	if err := r.CheckFormat(); err != nil {
		return nil, err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(openAPIMemory)
	}
	published, findings, err := r.definitions.Resources(ctx, args, stdin, r.cache)
	if err != nil {
		return nil, err
	}
	if r.lost {
		for _, p := range published {
			for _, l := range publish.LostInV2(p.Resource) {
				findings = append(findings, definitions.NotInV2.At(p.Position(p.Path+l.Path), "",
					"OpenAPI v2 of %s %s leaves out %s: %s", p.Kind, p.GroupVersion(), l.Keyword, l.Reason))
			}
		}
	}
	return published, r.Report(stderr, findings)
}
