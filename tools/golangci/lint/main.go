// Command lint is a golangci-lint with schemagen's plugin, for tests: what golangci-lint custom
// would build, without a checkout of golangci-lint. It is not distributed: golangci-lint has the
// GPL as its licence.
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/schemagen/schemagen/tools/golangci"
)

func main() {
	if err := commands.Execute(commands.BuildInfo{Version: "test"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitcodes.Failure)
	}
}
