package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/controllertools"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/verify"
)

// reporting says how findings are printed and judged.
type reporting struct {
	// format is one of diag.Formats.
	format string
	// strict makes warnings errors.
	strict bool
	// project is schemagen.yaml, with severities and waivers; nil if there is none.
	project *configFile
	// unused returns what is to be said of waivers, given those that were used; nil
	// says nothing: only a run that sees everything can tell.
	unused func(used map[*waiver]bool) diag.List
}

func (r *reporting) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.format, "format", "text", "format of diagnostics: "+strings.Join(diag.Formats(), ", "))
	cmd.Flags().BoolVar(&r.strict, "strict", false, "make warnings errors")
}

// check fails for a format that does not exist, before any work is done.
func (r *reporting) check() error {
	if !slices.Contains(diag.Formats(), r.format) {
		return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(diag.Formats(), ", "))
	}
	return nil
}

// report prints the findings, relative to a directory, as the flags want it. The
// error is errFindings if one of them is an error.
func (r *reporting) report(stderr io.Writer, findings diag.List, dir string) error {
	out, err := r.reporter(stderr, dir)
	if err != nil {
		return err
	}
	if err := out.add(findings); err != nil {
		return err
	}
	return out.finish()
}

// reporter prints findings as they come.
type reporter struct {
	*reporting
	buffer *bufio.Writer
	out    *diag.Writer
	// dir is the directory that names of files are relative to.
	dir string
	// failed: one of the findings was an error.
	failed bool
	// used are the waivers that took something back.
	used map[*waiver]bool
	// broken: there were errors, so that nobody knows what else would have been found.
	broken bool
}

func (r *reporting) reporter(stderr io.Writer, dir string) (*reporter, error) {
	buffer := bufio.NewWriter(stderr)
	out, err := diag.NewWriter(buffer, r.format, codes())
	return &reporter{reporting: r, buffer: buffer, out: out, dir: dir, used: map[*waiver]bool{}}, err
}

// add prints findings, in their order among themselves, each once.
func (r *reporter) add(findings diag.List) error {
	r.broken = r.broken || findings.HasErrors()
	findings = r.project.judge(findings, r.used).Normalize().RelativeTo(r.dir)
	if r.strict {
		findings = findings.Strict()
	}
	r.failed = r.failed || findings.HasErrors()
	return cmp.Or(r.out.Write(findings), r.buffer.Flush())
}

// finish ends what is printed. The error is errFindings if one of the findings was
// an error.
func (r *reporter) finish() error {
	if r.project != nil && r.unused != nil && !r.broken {
		if err := r.add(r.unused(r.used)); err != nil {
			return err
		}
	}
	if err := cmp.Or(r.out.Close(), r.buffer.Flush()); err != nil {
		return err
	}
	if r.failed {
		return errFindings
	}
	return nil
}

// codes are the codes of all packages, sorted.
func codes() []diag.CodeInfo {
	out := slices.Concat(generator.Codes(), verify.Codes(), publish.Codes(), compare.Codes(), controllertools.Codes(), commandCodes())
	slices.SortFunc(out, func(a, b diag.CodeInfo) int { return strings.Compare(string(a.Code), string(b.Code)) })
	return out
}

func newExplainCodeCommand(stdout io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:     "explain-code CODE",
		Short:   "Say what a diagnostic means and what to do about it.",
		Example: "  schemagen explain-code SG303",
		Args:    cobra.ExactArgs(1),
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
			for _, info := range codes() {
				if strings.EqualFold(string(info.Code), args[0]) {
					_, err := fmt.Fprintf(stdout, "%s (%s): %s\n\n%s\n", info.Code, info.Severity, info.Title, info.Explanation)
					return err
				}
			}
			return fmt.Errorf("there is no code %s; docs/diagnostics.md lists them", args[0])
		},
	}
}

// codesPage is docs/diagnostics.md.
func codesPage() string {
	var b strings.Builder
	b.WriteString(`# Diagnostics

Generated from the tables in the code (` + "`make generate`" + `). Codes are stable. ` + "`schemagen explain-code CODE`" + ` prints an entry.

A diagnostic is an error if the output would be refused by the API server, or would be wrong; nothing is written then. It is a warning if
something that you wrote has no effect or can never hold; ` + "`--strict`" + ` makes warnings errors.
`)
	for _, info := range codes() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s. %s\n", info.Code, info.Title, capital(info.Severity.String()), info.Explanation)
	}
	return b.String()
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
