// Package consent asks whether code of the user's repository may run. It knows neither commands nor what
// they run.
package consent

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/terminal"
)

// CodeFlag describes --yes for commands that run the code of Go packages.
const CodeFlag = "build and run the code of the packages without asking"

// Consent decides whether code of the repository may run. The zero value refuses.
type Consent struct {
	// Given is set by --yes, and after a user agreed.
	Given bool
	// In is the source of a user's answer; the question is asked only if it is a
	// terminal.
	In io.Reader
	// Out is where the question is printed.
	Out io.Writer
}

// Allows reports whether the action may be performed. It asks each time until the user agrees.
func (c *Consent) Allows(what string) bool {
	if c.Given || !terminal.IsTerminal(c.In) {
		return c.Given
	}
	fmt.Fprintf(c.Out, "%s? [y/N] ", screen.Line(what))
	answer, _ := bufio.NewReader(c.In).ReadString('\n')
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer)))
}

// RequireCode returns an error unless the code of packages may be built and run.
func (c *Consent) RequireCode(packages []string) error {
	names := screen.Line(strings.Join(packages, " and "))
	if c.Allows("Build and run the code of " + names) {
		c.Given = true
		return nil
	}
	return fmt.Errorf("this builds and runs the code of %s: allow it with --yes", names)
}
