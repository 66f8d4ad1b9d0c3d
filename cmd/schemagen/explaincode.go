package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/diag"
)

func newExplainCodeCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "explain-code [CODE]",
		Short: "Explain a diagnostic and how to fix it, or list all of them.",
		Example: `  schemagen explain-code SG303
  schemagen explain-code`,
		Args: cli.Args(0, 1, ""),
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var out []string
			for _, info := range codes() {
				if len(args) == 0 && strings.HasPrefix(string(info.Code), strings.ToUpper(typed)) {
					out = append(out, string(info.Code)+"\t"+info.Title)
				}
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listCodes(stdout)
			}
			code := "SG" + strings.TrimPrefix(strings.ToUpper(args[0]), "SG")
			for _, info := range codes() {
				if string(info.Code) == code {
					_, err := io.WriteString(stdout, explanationOf(info))
					return err
				}
			}
			return fmt.Errorf("unknown code %q\nschemagen explain-code lists all codes", args[0])
		},
	}
}

// listCodes prints the title of each diagnostic.
func listCodes(stdout io.Writer) error {
	var b strings.Builder
	for _, info := range codes() {
		fmt.Fprintf(&b, "%s  %-7s  %s\n", info.Code, info.Severity, info.Title)
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}

// explanationOf returns the entry of a diagnostic on [codesPage] as plain text.
func explanationOf(info *diag.Kind) string {
	text := fmt.Sprintf("%s (%s): %s\n\n%s\n", info.Code, defaultSeverity(info), info.Title, info.Explanation)
	if info.Bad != "" {
		text += "\nReported:\n\n" + diag.Indent(info.Bad+"\n", "\t") + "\n" + goodHeading(info) + ":\n\n" + diag.Indent(info.Good+"\n", "\t")
	}
	return text + "\n" + codesURL + "#" + anchor(codeHeading(info)) + "\n"
}

// codesURL is where the page is published.
const codesURL = "https://github.com/schemagen/schemagen/blob/main/docs/diagnostics.md"

// codeHeading returns the heading of a diagnostic on the page.
func codeHeading(info *diag.Kind) string { return string(info.Code) + ": " + info.Title }

// anchor returns the link that GitHub gives to a heading.
func anchor(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-', c == '_', unicode.IsLetter(c), unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}

// goodHeading returns the heading of the good example. What is reported as a note is not
// wrong.
func goodHeading(kind *diag.Kind) string {
	if kind.Severity == diag.Note {
		return "Not reported"
	}
	return "Correct"
}

// defaultSeverity returns the severity of a kind, and whether it is off, unless
// schemagen.yaml sets it.
func defaultSeverity(kind *diag.Kind) string {
	if kind.Off {
		return kind.Severity.String() + ", off by default"
	}
	return kind.Severity.String()
}
