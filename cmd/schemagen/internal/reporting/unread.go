package reporting

import (
	"fmt"
	"io"
	"slices"

	"github.com/schemagen/schemagen/diag"
)

// Unread prints errors in definitions and fails if there are any: what cannot be read
// cannot be compared.
func Unread(name string, findings diag.List, err error, dir string, stderr io.Writer) error {
	findings = slices.DeleteFunc(slices.Clone(findings), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if err != nil || len(findings) == 0 {
		return err
	}
	if err := findings.Normalize().RelativeTo(dir).WriteText(stderr); err != nil {
		return err
	}
	return fmt.Errorf("%s cannot be compared", name)
}

// Refused prints the errors in a side of a comparison, and returns ErrFindings if there are any.
func Refused(side, name string, findings diag.List, dir string, stderr io.Writer) error {
	if Unread(name, findings, nil, dir, stderr) == nil {
		return nil
	}
	fmt.Fprintf(stderr, "schemagen: %s, %s, has errors, so it cannot be reviewed\n", side, diag.Line(name))
	return ErrFindings
}
