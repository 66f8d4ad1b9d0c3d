package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/internal/run/output"
)

// Optional is a flag whose value is nil unless it is given.
type Optional[T any] struct {
	To    **T
	Parse func(string) (T, error)
	Name  string // of the type
}

// WholeNumber parses an integer in any base, like pflag.
func WholeNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 0, strconv.IntSize)
	return int(n), err
}

// String implements pflag.Value.
func (o Optional[T]) String() string {
	if o.To == nil || *o.To == nil {
		return ""
	}
	return fmt.Sprint(**o.To)
}

// Set implements pflag.Value.
func (o Optional[T]) Set(text string) error {
	value, err := o.Parse(text)
	if err == nil {
		*o.To = &value
	}
	return err
}

// Type implements pflag.Value.
func (o Optional[T]) Type() string { return o.Name }

// Choice is a flag with two values: the first one stands for false, the second one for true.
type Choice struct {
	To     *bool
	Values [2]string
}

// String implements pflag.Value.
func (c Choice) String() string {
	if c.To != nil && *c.To {
		return c.Values[1]
	}
	return c.Values[0]
}

// Set implements pflag.Value.
func (c Choice) Set(text string) error {
	i := slices.Index(c.Values[:], text)
	if i < 0 {
		return fmt.Errorf("use %s", strings.Join(c.Values[:], " or "))
	}
	*c.To = i == 1
	return nil
}

// Type implements pflag.Value.
func (c Choice) Type() string { return strings.Join(c.Values[:], "|") }

// AddModeFlags adds the flags that write nothing.
func AddModeFlags(cmd *cobra.Command, check, diff *bool) {
	cmd.Flags().BoolVar(check, "check", false, "write nothing; print a diff and exit with 1 if a file is out of date")
	cmd.Flags().BoolVar(diff, "diff", false, "write nothing; print a diff")
	cmd.MarkFlagsMutuallyExclusive("check", "diff")
}

// ModeOf returns the output mode for a directory, where "-" is standard output.
func ModeOf(dir string, check, diff bool) output.Mode {
	switch {
	case dir == "-":
		return output.Stdout
	case check:
		return output.Check
	case diff:
		return output.Diff
	}
	return output.Write
}

// CopyFlags gives flags the values of those with the same names in another set that are given
// there.
func CopyFlags(target, source *pflag.FlagSet) (err error) {
	source.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || target.Lookup(f.Name) == nil {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			err = cmp.Or(err, SetList(target, f.Name, list.GetSlice()))
		} else {
			err = cmp.Or(err, target.Set(f.Name, f.Value.String()))
		}
	})
	return err
}

// SetList gives a flag that is a list these values.
func SetList(flags *pflag.FlagSet, name string, values []string) error {
	if err := flags.Set(name, ""); err != nil { // so that the set knows that it is given
		return err
	}
	return flags.Lookup(name).Value.(pflag.SliceValue).Replace(values)
}

// AddToList adds values to those of a flag that is a list.
func AddToList(flags *pflag.FlagSet, name string, values []string) error {
	if len(values) == 0 {
		return nil
	}
	return SetList(flags, name, append(flags.Lookup(name).Value.(pflag.SliceValue).GetSlice(), values...))
}
