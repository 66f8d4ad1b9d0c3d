package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/runcache"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/publish"
)

// reporting is how findings are judged and printed.
type reporting struct {
	// format is one of diag.Formats.
	format string
	// strict turns warnings into errors.
	strict bool
	// dir is the working directory; file names are printed relative to it.
	dir string
	// project is schemagen.yaml with its severities and waivers, or nil.
	project *project.File
	// console is where findings are printed. If they are for people, inputs reads the files
	// that they are quoted from.
	console *terminal.Console
	inputs  *inputs.Reader
	// unused returns findings about waivers, given those that were used. If it is nil,
	// unused waivers are not reported: only a run over everything can find them.
	unused func(used map[*project.Waiver]bool) diag.List
}

func (r *reporting) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.format, "format", "text", "output format of diagnostics: "+strings.Join(diag.Formats(), ", "))
	cmd.Flags().BoolVar(&r.strict, "strict", false, "treat warnings as errors")
}

// check returns an error if the format does not exist.
func (r *reporting) check() error {
	if !slices.Contains(diag.Formats(), r.format) {
		return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(diag.Formats(), ", "))
	}
	return nil
}

// report judges and prints findings. It returns errFindings if one of them is an error.
func (r *reporting) report(stderr io.Writer, findings diag.List) error {
	return r.print(stderr, r.judge(findings))
}

// judge returns the verdict on the findings of a whole run.
func (r *reporting) judge(findings diag.List) runcache.Verdict {
	out := reporter{reporting: r, used: map[*project.Waiver]bool{}}
	judged := out.judge(findings)
	judged = append(judged, out.judge(out.unusedWaivers())...)
	return runcache.Verdict{Findings: judged, Failed: out.failed}
}

// print prints a verdict. It returns errFindings if the run failed.
func (r *reporting) print(stderr io.Writer, v runcache.Verdict) error {
	if err := r.write(stderr, v); err != nil {
		return err
	}
	if v.Failed {
		return errFindings
	}
	return nil
}

// write writes the findings of a verdict.
func (r *reporting) write(stderr io.Writer, v runcache.Verdict) error {
	out, err := r.reporter(stderr)
	if err != nil {
		return err
	}
	return cmp.Or(out.write(v.Findings), out.out.Close(), out.buffer.Flush())
}

// endOf returns the exit code of a run with a verdict, and its text on standard error.
func (r *reporting) endOf(v runcache.Verdict) (code int, text string, err error) {
	var b strings.Builder
	if v.Failed {
		code = exitFindings
	}
	err = r.write(diag.NewTerminal(&b), v)
	return code, b.String(), err
}

// folded returns the findings to print in the selected format.
func (r *reporting) folded(findings diag.List) diag.List {
	switch r.format {
	case "text", "github":
		return findings.Fold(project.FoldedBy)
	case "sarif":
		return findings.UTF16(definitions.ReadIn(r.dir))
	}
	return findings
}

// reporter prints findings as they are added.
type reporter struct {
	*reporting
	buffer *bufio.Writer
	out    interface {
		Write(findings diag.List) error
		Close() error
	}
	// failed is set once a finding is an error.
	failed bool
	// used are the waivers that suppressed a finding.
	used map[*project.Waiver]bool
	// broken is set once there are errors, which may hide other findings.
	broken bool
}

func (r *reporting) reporter(stderr io.Writer) (out *reporter, err error) {
	if r.format != "text" {
		stderr = diag.Documents(stderr)
	}
	out = &reporter{reporting: r, buffer: bufio.NewWriter(stderr), used: map[*project.Waiver]bool{}}
	if r.forPeople() {
		out.out = r.console.Findings(out.buffer, &r.console.Err)
	} else {
		out.out, err = diag.NewWriter(out.buffer, r.format, reference.Codes())
	}
	return out, err
}

// write prints findings that have been judged.
func (r *reporter) write(findings diag.List) error {
	r.console.Count(findings)
	return r.out.Write(r.folded(findings))
}

// add prints findings, sorted and without duplicates.
func (r *reporter) add(findings diag.List) error {
	return cmp.Or(r.write(r.judge(findings)), r.buffer.Flush())
}

// judge applies waivers, severities and --strict to findings.
func (r *reporter) judge(findings diag.List) diag.List {
	r.broken = r.broken || findings.HasErrors()
	findings = r.project.Judge(findings, r.used).Normalize().RelativeTo(r.dir)
	if r.strict {
		findings = findings.Strict()
	}
	r.failed = r.failed || findings.HasErrors()
	return findings
}

// unusedWaivers returns findings about unused waivers, after all other findings.
func (r *reporter) unusedWaivers() diag.List {
	if r.project == nil || r.unused == nil || r.broken {
		return nil
	}
	return r.unused(r.used)
}

// finish completes the output. It returns errFindings if one of the findings was an
// error.
func (r *reporter) finish() error {
	if err := r.add(r.unusedWaivers()); err != nil {
		return err
	}
	if err := cmp.Or(r.out.Close(), r.buffer.Flush()); err != nil {
		return err
	}
	if r.failed {
		return errFindings
	}
	return nil
}

// finish writes the outputs and removes stale files, or prints what would change. It
// returns the paths of the files that differed.
func finish(ctx context.Context, outputs []output.File, stale []string, mode output.Mode, stdout, stderr io.Writer) (changed []string, err error) {
	changed, err = output.Commit(ctx, outputs, mode, stdout)
	if err != nil {
		return nil, err
	}
	if mode == output.Write {
		if err = output.Remove(stale); err == nil {
			consoleOf(ctx).ConcludeWritten(len(changed), len(outputs), len(stale), output.Dir(outputs, stale))
		}
		return slices.Concat(changed, stale), err
	}
	if mode == output.Check && len(changed)+len(stale) == 0 {
		consoleOf(ctx).ConcludeWritten(0, len(outputs), 0, output.Dir(outputs, nil))
	} else if mode == output.Check {
		fmt.Fprintf(stderr, "schemagen: %d of %d files are out of date\n", len(changed), len(outputs))
		for _, path := range stale {
			fmt.Fprintf(stderr, "schemagen: %s is stale\n", diag.Line(path))
		}
		return changed, errFindings
	}
	return changed, nil
}

func outputsIn(dir string, files []publish.File) []output.File {
	var out []output.File
	for _, f := range files {
		out = append(out, output.File{Path: filepath.Join(dir, filepath.FromSlash(f.Path)), Data: f.Data})
	}
	return out
}
