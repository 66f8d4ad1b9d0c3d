package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Group is a group of commands in the help of the root command.
type Group struct {
	Title    string
	Commands []*cobra.Command
}

// AddGroups adds commands to the root command.
func AddGroups(root *cobra.Command, groups ...Group) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title + ":"})
		for _, cmd := range g.Commands {
			cmd.GroupID = g.Title
			root.AddCommand(cmd)
		}
	}
}

// FlagGroup is a group of flags in the help of a command.
type FlagGroup struct {
	Title string
	Flags []string
}

// groupAnnotation is the annotation of a flag with its group: the place and the title.
const groupAnnotation = "schemagen_group"

// GroupFlags puts flags of a command into groups. Its help prints the other flags first. Names
// of flags that the command does not have are ignored.
func GroupFlags(cmd *cobra.Command, groups ...FlagGroup) {
	for i, group := range groups {
		for _, name := range group.Flags {
			if cmd.Flags().Lookup(name) != nil {
				_ = cmd.Flags().SetAnnotation(name, groupAnnotation, []string{strconv.Itoa(i), group.Title}) // the flag is there
			}
		}
	}
}

// HideFlags leaves flags of a command out of its help: flags that only readers of the proposals, or the tests
// of this program, look for.
func HideFlags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cmd.Flags().Lookup(name).Hidden = true
	}
}

// SetUsage makes root and its commands print their usage with groups of flags.
func SetUsage(root *cobra.Command) {
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(cmd.OutOrStderr(), usage(cmd))
		return err
	})
}

func usage(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(title, text string) {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n%s\n", title, strings.TrimRight(text, "\n"))
	}
	section("Usage:", "  "+cmd.UseLine())
	if cmd.HasExample() {
		section("Examples:", cmd.Example)
	}
	for _, group := range cmd.Groups() {
		section(group.Title, commands(cmd, group.ID))
	}
	if others := commands(cmd, ""); others != "" {
		section("Other commands:", others)
	}
	for _, group := range flagGroups(cmd.LocalFlags()) {
		section(group.title+":", group.flags.FlagUsages())
	}
	if cmd.HasAvailableInheritedFlags() {
		section("Flags of all commands:", cmd.InheritedFlags().FlagUsages())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help prints the flags and examples of a command.\n", cmd.CommandPath())
	}
	return b.String()
}

// commands lists the commands of a group below cmd.
func commands(cmd *cobra.Command, group string) string {
	var b strings.Builder
	for _, sub := range cmd.Commands() {
		if sub.GroupID == group && (sub.IsAvailableCommand() || sub.Name() == "help") {
			fmt.Fprintf(&b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	return b.String()
}

// printedGroup is a group of flags as printed.
type printedGroup struct {
	place int
	title string
	flags *pflag.FlagSet
}

// flagGroups returns the visible flags by group.
func flagGroups(flags *pflag.FlagSet) (out []printedGroup) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		place := -1
		title := "Flags"
		if group := f.Annotations[groupAnnotation]; len(group) == 2 {
			place, _ = strconv.Atoi(group[0]) // as written by GroupFlags
			title = group[1]
		}
		index, found := slices.BinarySearchFunc(out, place,
			func(g printedGroup, place int) int { return cmp.Compare(g.place, place) })
		if !found {
			out = slices.Insert(out, index, printedGroup{place, title, pflag.NewFlagSet("", pflag.ContinueOnError)})
		}
		out[index].flags.AddFlag(f)
	})
	return out
}

// HelpCommand returns the help command. unknown returns the error for a command that does
// not exist.
func HelpCommand(unknown func(root *cobra.Command, name string) error) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print the help of a command.",
		RunE: func(cmd *cobra.Command, args []string) error {
			command, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 && command == cmd.Root() {
				err = unknown(command, rest[0])
			}
			if err != nil {
				return err
			}
			command.InitDefaultHelpFlag()
			command.InitDefaultVersionFlag()
			return command.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) (out []string, _ cobra.ShellCompDirective) {
			for _, command := range cmd.Root().Commands() {
				if len(args) == 0 && command.IsAvailableCommand() && strings.HasPrefix(command.Name(), typed) {
					out = append(out, command.Name()+"\t"+command.Short)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
	}
}
