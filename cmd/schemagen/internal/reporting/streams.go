package reporting

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// inputFlags are the flags that name files to read, or - for standard input.
func inputFlags() []string { return []string{"filename", "old"} }

// CheckDocuments returns an error if a command would write both its results and a document with its
// findings to standard output.
func CheckDocuments(cmd *cobra.Command) error {
	format := cmd.Flags().Lookup("format")
	if format == nil || format.Usage != FormatHelp() || format.Value.String() == "text" {
		return nil
	}
	output := cmd.Flags().Lookup("output")
	if output == nil || !slices.Contains([]string{"-", "yaml"}, output.Value.String()) {
		return nil
	}
	return fmt.Errorf("-o %s and --format %s both write to standard output: use one of them", output.Value, format.Value)
}

// stream is a name on a command line that may stand for a stream.
type stream struct {
	name, source string
	info         os.FileInfo
}

// CheckStreams returns an error if the arguments and flags of a command name the same stream
// twice, such as standard input or a named pipe: whoever comes second would read nothing.
func CheckStreams(cmd *cobra.Command, args []string) error {
	var seen []stream
	check := func(name, source string) error {
		s := stream{name: name, source: source}
		if name == "-" {
			s.info, _ = os.Stdin.Stat()
		} else {
			s.info, _ = os.Stat(name)
			if s.info == nil || s.info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
				return nil // a file can be read again
			}
		}
		i := slices.IndexFunc(seen, func(other stream) bool {
			return other.name == name || s.info != nil && other.info != nil && os.SameFile(s.info, other.info)
		})
		seen = append(seen, s)
		if i < 0 {
			return nil
		}
		what := name
		if name == "-" || seen[i].name == "-" {
			what = "standard input"
		}
		return fmt.Errorf("%s is named twice, by %s and %s: it can be read only once", what, seen[i].source, source)
	}
	for i, arg := range args {
		if err := check(arg, fmt.Sprintf("argument %d", i+1)); err != nil {
			return err
		}
	}
	for _, name := range inputFlags() {
		flag := cmd.Flags().Lookup(name)
		if flag == nil {
			continue
		}
		source := "--" + name
		if flag.Shorthand != "" {
			source = "-" + flag.Shorthand
		}
		names := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			names = list.GetSlice()
		}
		for _, name := range names {
			if err := check(name, source); err != nil {
				return err
			}
		}
	}
	return nil
}
