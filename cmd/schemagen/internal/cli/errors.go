package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
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
	missing := (*pflag.ValueRequiredError)(nil)
	unknown := (*pflag.NotExistError)(nil)
	if errors.As(err, &missing) {
		flag := missing.GetFlag()
		return fmt.Errorf("--%s needs a value: %s", flag.Name, flag.Usage)
	}
	if !errors.As(err, &unknown) {
		return err
	}
	name := unknown.GetSpecifiedName()
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		if err := oneDash(cmd, "-"+short); err != nil {
			return err
		}
		return fmt.Errorf("unknown flag -%s\n%s", name, cmp.Or(inputHint(cmd, name), otherwise))
	}
	var known, longer []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
		if !f.Hidden && len(name) > 1 && strings.HasPrefix(f.Name, name) {
			longer = append(longer, f.Name)
		}
	})
	nearest, ok := words.Nearest(name, known)
	if len(longer) == 1 {
		nearest = longer[0]
		ok = true
	}
	if ok {
		otherwise = "did you mean --" + nearest + "?"
	}
	return fmt.Errorf("unknown flag --%s\n%s", name, cmp.Or(inputHint(cmd, name), otherwise))
}

// inputHint returns a hint for a flag with which other tools name what is an argument here.
func inputHint(cmd *cobra.Command, flag string) string {
	if !slices.Contains([]string{"crd", "crds", "f", "file", "filename"}, flag) || !inputs().MatchString(cmd.Use) {
		return ""
	}
	return "CRDs and Go packages are arguments: " + cmd.UseLine()
}

// inputs matches the usage of a command whose arguments are CRDs or packages.
var inputs = lazyregexp.New(`CRD|packages|OLD`)

// CheckDashes returns an error if an argument is a flag of the command with one dash: -output
// would be -o with the value "utput".
func CheckDashes(cmd *cobra.Command, args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		if err := oneDash(cmd, arg); err != nil {
			return err
		}
	}
	return nil
}

func oneDash(cmd *cobra.Command, arg string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
	if !strings.HasPrefix(arg, "-") || len(name) < 2 || cmd.Flags().Lookup(name) == nil {
		return nil
	}
	return fmt.Errorf("unknown flag -%s\ndid you mean --%[1]s?", name)
}

// exclusive matches cobra's message for flags that exclude each other.
var exclusive = lazyregexp.New(`^if any flags in the group .* none of the others can be; \[(.+)\] were all set$`)

// Message returns the text of an error of a command.
func Message(err error) string {
	if match := exclusive().FindStringSubmatch(err.Error()); match != nil {
		return "--" + strings.Join(strings.Fields(match[1]), " and --") + " cannot be used together"
	}
	return err.Error()
}
