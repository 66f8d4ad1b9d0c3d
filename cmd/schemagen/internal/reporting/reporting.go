package reporting

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/run/runcache"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/publish"
)

// Exit codes, besides 0.
const (
	ExitFindings = 1 // errors in the user's source, or files that are out of date
	ExitFailure  = 2 // invalid command line, or a failed read or write
)

// ErrFindings ends a run whose findings have already been printed.
var ErrFindings = errors.New("findings")

// Reporter is how findings are judged and printed.
type Reporter struct {
	// Format is one of diag.Formats.
	Format string
	// Strict turns warnings into errors.
	Strict bool
	// WorkDir is the working directory; file names are printed relative to it.
	WorkDir string
	// Project is schemagen.yaml with its severities and waivers, or nil.
	Project *project.File
	// Console is where findings are printed. If they are for people, Reader reads the files
	// that they are quoted from.
	Console *terminal.Console
	Reader  *inputs.Reader
	// Writer is where files may be written.
	Writer output.Writer
	// Unused returns findings about waivers, given the waivers that were used. If it is nil, unused
	// waivers are not reported: only a run over everything can find them.
	Unused func(used map[*project.Waiver]bool) diag.List
}

// FormatHelp describes the flag --format.
func FormatHelp() string {
	return "output format of diagnostics: " + strings.Join(diag.Formats(), ", ")
}

func (r *Reporter) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.Format, "format", "text", FormatHelp())
	cmd.Flags().BoolVar(&r.Strict, "strict", false, "treat warnings as errors")
}

// CheckFormat returns an error if the format does not exist.
func (r *Reporter) CheckFormat() error {
	if !slices.Contains(diag.Formats(), r.Format) {
		return fmt.Errorf("unknown format %q: use one of %s", r.Format, strings.Join(diag.Formats(), ", "))
	}
	return nil
}

// Report judges and prints findings. It returns ErrFindings if one of them is an error.
func (r *Reporter) Report(stderr io.Writer, findings diag.List) error {
	return r.Print(stderr, r.Judge(findings))
}

// Judge returns the verdict on the findings of a whole run.
func (r *Reporter) Judge(findings diag.List) runcache.Verdict {
	out := Stream{Reporter: r, used: map[*project.Waiver]bool{}}
	judged := out.judge(findings)
	judged = append(judged, out.judge(out.unusedWaivers())...)
	return runcache.Verdict{Findings: judged, Failed: out.failed}
}

// Print prints a verdict. It returns ErrFindings if the run failed.
func (r *Reporter) Print(stderr io.Writer, v runcache.Verdict) error {
	if err := r.write(r.streamFor(stderr), v); err != nil {
		return err
	}
	if v.Failed {
		return ErrFindings
	}
	return nil
}

// write writes the findings of a verdict.
func (r *Reporter) write(w io.Writer, v runcache.Verdict) error {
	out, err := r.stream(w)
	if err != nil {
		return err
	}
	return cmp.Or(out.write(v.Findings), out.out.Close(), out.buffer.Flush())
}

// EndOf returns the exit code of a run with a verdict, and what it prints.
func (r *Reporter) EndOf(v runcache.Verdict) (end snapshot.Entry, err error) {
	var b strings.Builder
	if v.Failed {
		end.Code = ExitFindings
	}
	err = r.write(screen.NewTerminal(&b), v)
	if r.Format == "text" {
		end.Stderr = b.String()
	} else {
		end.Stdout = b.String()
	}
	return end, err
}

// streamFor returns the stream for findings: standard error for text, and standard output for
// documents.
func (r *Reporter) streamFor(stderr io.Writer) io.Writer {
	if r.Format == "text" {
		return stderr
	}
	return r.Console.Out.Terminal
}

// Text returns the stream for results that are text: standard output, unless that has a document with
// the findings.
func (r *Reporter) Text(stdout, stderr io.Writer) io.Writer {
	if r.Format == "text" {
		return stdout
	}
	return stderr
}

// folded returns the findings to print in the selected format.
func (r *Reporter) folded(findings diag.List) diag.List {
	switch r.Format {
	case "text", "github":
		return findings.Fold(project.FoldedBy)
	case "sarif":
		return findings.UTF16(definitions.ReadIn(r.WorkDir))
	}
	return findings
}

// Stream prints findings as they are added.
type Stream struct {
	*Reporter
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

// Stream returns a printer of findings: text goes to standard error, and documents to standard output.
func (r *Reporter) Stream(stderr io.Writer) (out *Stream, err error) {
	return r.stream(r.streamFor(stderr))
}

func (r *Reporter) stream(w io.Writer) (out *Stream, err error) {
	if r.Format != "text" {
		w = screen.Documents(w)
	}
	out = &Stream{Reporter: r, buffer: bufio.NewWriter(w), used: map[*project.Waiver]bool{}}
	if r.ForPeople() {
		out.out = r.Console.Findings(out.buffer, &r.Console.Err)
	} else {
		out.out, err = diag.NewWriter(out.buffer, r.Format, reference.Codes())
	}
	return out, err
}

// write prints findings that have been judged.
func (r *Stream) write(findings diag.List) error {
	r.Console.Count(findings)
	return r.out.Write(r.folded(findings))
}

// Add prints findings, sorted and without duplicates.
func (r *Stream) Add(findings diag.List) error {
	return cmp.Or(r.write(r.judge(findings)), r.buffer.Flush())
}

// judge applies waivers, severities and --strict to findings.
func (r *Stream) judge(findings diag.List) diag.List {
	r.broken = r.broken || findings.HasErrors()
	findings = r.Project.Judge(findings, r.used).Normalize().RelativeTo(r.WorkDir)
	if r.Strict {
		findings = findings.Strict()
	}
	r.failed = r.failed || findings.HasErrors()
	return findings
}

// unusedWaivers returns findings about unused waivers, after all other findings.
func (r *Stream) unusedWaivers() diag.List {
	if r.Project == nil || r.Unused == nil || r.broken {
		return nil
	}
	return r.Unused(r.used)
}

// Finish completes the output. It returns ErrFindings if one of the findings was an
// error.
func (r *Stream) Finish() error {
	if err := r.Add(r.unusedWaivers()); err != nil {
		return err
	}
	if err := cmp.Or(r.out.Close(), r.buffer.Flush()); err != nil {
		return err
	}
	if r.failed {
		return ErrFindings
	}
	return nil
}

// Delivery is what a run writes.
type Delivery struct {
	Outputs []output.File
	// Stale are the paths of files to remove.
	Stale []string
	Mode  output.Mode
	// Command, if not empty, is what a check names before the generator of each file.
	Command string
}

// Deliver prints a verdict, with findings about files that must not be written. If none is an
// error, it writes the files and removes stale ones, or prints what would change. It returns
// the paths of the files that differed.
//
// Neither severities nor waivers of schemagen.yaml apply to those findings: a branch may have
// changed the file.
func (r *Reporter) Deliver(
	ctx context.Context, v runcache.Verdict, d Delivery, stdout, stderr io.Writer,
) (changed []string, err error) {
	if v.Failed {
		return nil, r.Print(stderr, v)
	}
	change, failed := r.Writer.Prepare(ctx, d.Outputs, d.Stale, d.Mode)
	if failed == nil && len(change.Refused) > 0 {
		v.Findings = slices.Concat(v.Findings, change.Refused.RelativeTo(r.WorkDir)).Normalize()
		v.Failed = true
	}
	if failed == nil && !v.Failed && d.Mode == output.Check && r.Format != "text" {
		// A document has all findings, so that the check comes first.
		changed, err := finish(ctx, change, d.Command, r.Text(stdout, stderr), stderr)
		if errors.Is(err, ErrFindings) {
			v.Findings = slices.Concat(v.Findings, change.OutOfDate(changed, d.Command).RelativeTo(r.WorkDir)).Normalize()
		}
		return changed, cmp.Or(r.Print(stderr, v), err)
	}
	if err := cmp.Or(r.Print(stderr, v), failed); err != nil {
		return nil, err
	}
	return finish(ctx, change, d.Command, r.Text(stdout, stderr), stderr)
}

// DeliverQuietly is Deliver for a run whose findings have been printed.
func (r *Reporter) DeliverQuietly(ctx context.Context, d Delivery, stdout, stderr io.Writer) error {
	change, err := r.Writer.Prepare(ctx, d.Outputs, d.Stale, d.Mode)
	if err != nil {
		return err
	}
	_, err = finish(ctx, change, d.Command, r.Text(stdout, stderr), stderr)
	return err
}

// finish applies a change, and says what changed or would.
func finish(ctx context.Context, c *output.Change, command string, stdout, stderr io.Writer) (changed []string, err error) {
	changed, err = c.Apply(ctx, stdout)
	if err != nil {
		return nil, err
	}
	if c.Mode == output.Write {
		ConsoleOf(ctx).ConcludeWritten(len(changed), len(c.Outputs), len(c.Stale), output.Dir(c.Outputs, c.Stale))
		return slices.Concat(changed, c.Stale), nil
	}
	if c.Mode == output.Check && len(changed)+len(c.Stale) == 0 {
		ConsoleOf(ctx).ConcludeWritten(0, len(c.Outputs), 0, output.Dir(c.Outputs, nil))
	} else if c.Mode == output.Check {
		if len(changed) > 0 {
			fmt.Fprintf(stderr, "schemagen: %d of %d files are out of date\n", len(changed), len(c.Outputs))
		}
		for _, f := range c.Outputs {
			if command != "" && slices.Contains(changed, f.Path) {
				fmt.Fprintf(stderr, "schemagen: %s: run %s %s\n", screen.Line(f.Path), command, f.By)
			}
		}
		for _, path := range c.Stale {
			hint := ""
			if command != "" {
				hint = ": run " + strings.TrimSuffix(command, " --only")
			}
			fmt.Fprintf(stderr, "schemagen: %s is stale%s\n", screen.Line(path), hint)
		}
		return changed, ErrFindings
	}
	return changed, nil
}

// Rewrite prints what would change in Go source, or if write is set and no finding is an error,
// writes the files and prints their names. It reports the findings.
func (r *Reporter) Rewrite(ctx context.Context, files []output.File, findings diag.List, write bool,
	stdout, stderr io.Writer) error {
	mode := output.Diff
	if write {
		mode = output.Write
	}
	change, err := r.Writer.Prepare(ctx, files, nil, mode)
	if err != nil {
		return err
	}
	v := r.Judge(findings)
	v.Findings = append(v.Findings, change.Refused.RelativeTo(r.WorkDir)...)
	v.Failed = v.Failed || len(change.Refused) > 0
	if len(change.Refused) == 0 && (!write || !findings.HasErrors()) {
		changed, err := finish(ctx, change, "", stdout, stderr)
		if err != nil {
			return err
		}
		for _, name := range changed {
			if write {
				fmt.Fprintln(stdout, "wrote", screen.Line(name))
			}
		}
	}
	return r.Print(stderr, v)
}

func OutputsIn(dir string, files []publish.File) []output.File {
	var out []output.File
	for _, f := range files {
		out = append(out, output.File{Path: filepath.Join(dir, filepath.FromSlash(f.Path)), Data: f.Data})
	}
	return out
}
