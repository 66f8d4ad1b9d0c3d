package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Positional returns the arguments before "--" that are neither flags nor values of flags.
// The command of the arguments need not be known: a flag takes a value if it does so in one of
// the commands of root.
func Positional(root *cobra.Command, args []string) (out []string) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		switch arg := args[i]; {
		case len(arg) < 2 || arg[0] != '-':
			out = append(out, arg)
		case takesNext(root, arg):
			i++
		}
	}
	return out
}

// takesNext reports whether the argument after the flag arg is its value.
func takesNext(root *cobra.Command, arg string) bool {
	name, isLong := strings.CutPrefix(arg, "--")
	if isLong {
		return takesValue(root, func(flags *pflag.FlagSet) *pflag.Flag { return flags.Lookup(name) })
	}
	// A shorthand takes the rest of the argument, or the next one if it is the last letter.
	for i := 1; i < len(arg); i++ {
		if takesValue(root, func(flags *pflag.FlagSet) *pflag.Flag { return flags.ShorthandLookup(arg[i : i+1]) }) {
			return i == len(arg)-1
		}
	}
	return false
}

func takesValue(root *cobra.Command, lookup func(*pflag.FlagSet) *pflag.Flag) bool {
	if f := lookup(root.PersistentFlags()); f != nil {
		return f.NoOptDefVal == ""
	}
	for _, cmd := range root.Commands() {
		if f := lookup(cmd.Flags()); f != nil && f.NoOptDefVal == "" {
			return true
		}
	}
	return false
}
