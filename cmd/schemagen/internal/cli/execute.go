package cli

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/internal/ground/parallel"
)

// reportTo is where bugs are reported.
const reportTo = "https://github.com/schemagen/schemagen/issues/new"

// Execute executes a command with the arguments of a command line, like [cobra.Command.ExecuteContextC].
// A panic is returned as an error about a bug of the tool, whose name and version are given.
func Execute(ctx context.Context, root *cobra.Command, args []string, tool string) (command *cobra.Command, err error) {
	p := parallel.Catch(func() { command, err = root.ExecuteContextC(ctx) })
	if p == nil {
		return command, err
	}
	input := ""
	if p.Input != "" {
		input = " while it read " + p.Input
	}
	return root, fmt.Errorf(`bug in schemagen%s: %v
Nothing was written. Please report it at %s, with the input and these lines:
%s, %s %s/%s
schemagen %s
%s`, input, p.Value, reportTo, tool, runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(args, " "), p.Stack)
}
