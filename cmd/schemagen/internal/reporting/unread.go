package reporting

import (
	"fmt"
	"io"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Unread prints the errors in definitions, which cannot be compared, and returns ErrFindings if there
// are any.
func Unread(name string, findings diag.List, err error, dir string, stderr io.Writer) error {
	if err != nil {
		return err
	}
	isMild := func(d diag.Diagnostic) bool { return d.Severity != diag.Error }
	findings = slices.DeleteFunc(slices.Clone(findings), isMild)
	if len(findings) == 0 {
		return nil
	}
	if err := findings.Normalize().RelativeTo(dir).WriteText(stderr); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "schemagen: %s cannot be compared\n", screen.Line(name))
	return ErrFindings
}
