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
	return refused(screen.Line(name)+" cannot be compared", findings, dir, stderr)
}

// Refused prints the errors in a side of a comparison, and returns ErrFindings if there are any.
func Refused(side, name string, findings diag.List, dir string, stderr io.Writer) error {
	return refused(side+", "+screen.Line(name)+", has errors, so it cannot be reviewed", findings, dir, stderr)
}

func refused(conclusion string, findings diag.List, dir string, stderr io.Writer) error {
	findings = slices.DeleteFunc(slices.Clone(findings), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if len(findings) == 0 {
		return nil
	}
	if err := findings.Normalize().RelativeTo(dir).WriteText(stderr); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "schemagen: %s\n", conclusion)
	return ErrFindings
}
