package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/diag"
)

// Args accepts between least and most arguments. what names them for an error.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return UsageError(cmd, "%s needs %s", cmd.Name(), what)
		case len(args) > most:
			return UsageError(cmd, "unexpected argument %q", args[most])
		}
		return nil
	}
}

// UsageError returns an error with the usage of the command and its first example.
func UsageError(cmd *cobra.Command, format string, args ...any) error {
	text := fmt.Sprintf(format, args...) + "\nusage: " + cmd.UseLine()
	if example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n"); example != "" {
		text += "\nexample: " + example
	}
	return errors.New(text)
}

// FlagError adds a hint to an error of the flags of a command: what the flag is for, the flag
// that was probably meant, or otherwise the given text.
func FlagError(cmd *cobra.Command, err error, otherwise string) error {
	missing, unknown := (*pflag.ValueRequiredError)(nil), (*pflag.NotExistError)(nil)
	if errors.As(err, &missing) {
		flag := missing.GetFlag()
		return fmt.Errorf("--%s needs a value: %s", flag.Name, flag.Usage)
	}
	if !errors.As(err, &unknown) {
		return err
	}
	name := unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("unknown flag -%s\n%s", name, otherwise)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	if near, ok := diag.Nearest(name, known); ok {
		otherwise = "did you mean --" + near + "?"
	}
	return fmt.Errorf("unknown flag --%s\n%s", name, otherwise)
}
