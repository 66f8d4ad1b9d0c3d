package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// boundsFile has what was last recorded.
const boundsFile = "bounds.txt"

const (
	// growthLimit is how many times as much CPU an input may need that is four times as large.
	growthLimit = 5
	// tooSmall is the CPU below which the growth of a command line cannot be measured, and leastFirst
	// that which the smaller input takes at least: differences of some milliseconds are noise.
	tooSmall   = 100 * time.Millisecond
	leastFirst = 20 * time.Millisecond
	// interruptLimit is the CPU that a process may use after it was interrupted.
	interruptLimit = 200 * time.Millisecond
	// interruptible is the CPU from which a run is long enough to be interrupted in it.
	interruptible = 200 * time.Millisecond
)

// boundsCommand is a command with the command lines that are measured, or with the reason that there
// are none. They run in a generated project with its definitions in crds, beside an older one; OUT is a
// directory for outputs.
type boundsCommand struct {
	name   string
	lines  []string
	reason string
}

var boundsCommands = []boundsCommand{
	{name: "crd", lines: []string{"crd ./api/... -o OUT --no-cache", "crd ./api/... -o OUT --no-cache --skip-verify", "crd ./api/... -o OUT --no-cache --rules review"}},
	{name: "controller-gen", lines: []string{"object rbac:roleName=r webhook applyconfiguration paths=./api/v1/... output:dir=OUT"}},
	{name: "unions", lines: []string{"unions ./api/... --diff", "unions ./api/... --suggest"}},
	{name: "conversions", lines: []string{"conversions ./api/... --diff"}},
	{name: "types", lines: []string{"types crds -o types --diff"}},
	{name: "openapi", lines: []string{"openapi crds -o OUT"}},
	{name: "jsonschema", lines: []string{"jsonschema crds -o OUT"}},
	{name: "docs", lines: []string{"docs crds -o OUT", "docs crds -o OUT --format markdown"}},
	{name: "verify", lines: []string{"verify crds --old ../old/crds"}},
	{name: "diff", lines: []string{"diff ../old/crds crds", "diff ../old/crds crds --format html -o OUT/review.html"}},
	{name: "test", lines: []string{"test crds -f widget.testsuite.yaml"}},
	{name: "try", lines: []string{"try -f object.yaml crds", "try --sample Widget0 crds"}},
	{name: "explain", lines: []string{"explain widget0 --recursive crds"}},
	{name: "schema", lines: []string{"schema crds/example.com_widget0s.yaml --unfold", "schema crds/example.com_widget0s.yaml --skeleton"}},
	{name: "gates list", lines: []string{"gates list ./api/..."}},
	{name: "gates graduate", lines: []string{"gates graduate Burst ./api/..."}},
	{name: "gates retire", lines: []string{"gates retire Burst ./api/..."}},
	{name: "generate", lines: []string{"generate --diff"}},
	{name: "config", lines: []string{"config ./api/..."}},
	{name: "init", reason: "runs make, which takes most of the time"},
	{name: "migrate", reason: "runs make and controller-gen, which take most of the time"},
	{name: "lsp", reason: "make lsp measures sessions"},
	{name: "kubebuilder-plugin", reason: "reads one request of Kubebuilder, whose size does not depend on the project"},
	{name: "completion", reason: "reads no input"},
	{name: "help", reason: "reads no input"},
	{name: "version", reason: "reads no input"},
}

// refusals are the codes of inputs that are too large for a command.
var refusals = []string{"[SG108]", "[SG230]", "[SG411]", "[SG604]", "[SG610]"}

// refused reports whether a message has one of those codes.
func refused(message string) bool {
	return slices.ContainsFunc(refusals, func(code string) bool { return strings.Contains(message, code) })
}

// commands returns the names of all commands of the program, with those below other commands.
func commands(ctx context.Context, product string, parent ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, product, slices.Concat([]string{"__complete"}, parent, []string{""})...)
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the commands: %w", err)
	}
	var names []string
	for line := range strings.Lines(string(listed)) {
		name, help, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || !strings.Contains(help, " ") {
			continue
		}
		names = append(names, strings.Join(append(slices.Clone(parent), name), " "))
		if name == "gates" {
			below, err := commands(ctx, product, name)
			if err != nil {
				return nil, err
			}
			names = append(names, below...)
		}
	}
	return names, nil
}

// checkBoundsCommands reports commands without a row, and rows without a command.
func checkBoundsCommands(names []string) error {
	var errs []error
	for _, name := range names {
		if !slices.ContainsFunc(boundsCommands, func(c boundsCommand) bool { return c.name == name }) {
			errs = append(errs, fmt.Errorf("command %q is not in boundsCommands", name))
		}
	}
	for _, c := range boundsCommands {
		if c.name != "controller-gen" && !slices.Contains(names, c.name) {
			errs = append(errs, fmt.Errorf("boundsCommands has %q, which is not a command", c.name))
		}
	}
	return errors.Join(errs...)
}

// measureBounds measures how the CPU of each command grows in each dimension, and how much it uses after
// an interrupt.
func measureBounds(ctx context.Context, w workspace, given, only string, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	names, err := commands(ctx, product)
	if err != nil {
		return err
	}
	if err := checkBoundsCommands(names); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-bounds-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	goCache, err := goCommand(ctx, w.bench, "env", "GOCACHE")
	if err != nil {
		return err
	}
	var text bytes.Buffer
	b := &boundsRun{product: product, temp: temp, goCache: string(bytes.TrimSpace(goCache)), constant: map[string]time.Duration{}, text: io.MultiWriter(&text, out)}
	fmt.Fprintf(b.text, "Linux, %s: CPU of each command line with input of n and 4n in one dimension, less that of a small input: at most\n%d times, unless it is below %d ms. Then the CPU that 4n uses after an interrupt in the middle: at most %d ms, unless all of the run takes\nless than %d ms. A row that exceeds is measured again with 4n and 16n, and those decide: at n, a heap may be too small to be collected at all.\n",
		time.Now().UTC().Format(time.DateOnly), growthLimit, tooSmall.Milliseconds(), interruptLimit.Milliseconds(), interruptible.Milliseconds())
	for _, d := range dimensions {
		if only != "" && !slices.Contains(strings.Split(only, ","), d.name) {
			continue
		}
		fmt.Fprintf(b.text, "\n%s: %d and %d\n", d.name, d.n, 4*d.n)
		for _, c := range boundsCommands {
			for _, line := range c.lines {
				if err := b.measure(ctx, w, d, line); err != nil {
					return err
				}
			}
		}
	}
	fmt.Fprintf(b.text, "\nnot measured\n")
	for _, c := range boundsCommands {
		if c.lines == nil {
			fmt.Fprintf(b.text, "%-22s %s\n", c.name, c.reason)
		}
	}
	if recorded {
		if err := os.WriteFile(boundsFile, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	if b.exceeded > 0 {
		return fmt.Errorf("%d rows exceed their limits", b.exceeded)
	}
	return nil
}

type boundsRun struct {
	product, temp string
	// goCache is the directory of build results, without which gates would compile the standard library.
	goCache string
	text    io.Writer
	// constant is the CPU of each command line with the small input.
	constant map[string]time.Duration
	exceeded int
}

// input returns the folder of the input with n in a dimension, which it writes at the first call, with
// the older version of its project.
func (b *boundsRun) input(ctx context.Context, w workspace, d dimension, n int) (string, error) {
	e := smallExtent
	d.set(&e, n)
	dir := filepath.Join(b.temp, fmt.Sprintf("%s-%d", d.name, n))
	if e == smallExtent {
		dir = filepath.Join(b.temp, "small")
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	for name, changed := range map[string]bool{"old": false, "new": true} {
		if err := e.write(ctx, w, b.product, filepath.Join(dir, name), changed); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	return dir, nil
}

// measure adds the row of a command line.
func (b *boundsRun) measure(ctx context.Context, w workspace, d dimension, line string) error {
	row, err := b.compare(ctx, w, d, line)
	if err != nil || row.refusal != "" {
		fmt.Fprintf(b.text, "%-90s refused: %s\n", line, row.refusal)
		return err
	}
	b.print(line, "", row)
	if row.growth > growthLimit && row.second >= tooSmall {
		d.n *= 4
		again, err := b.compare(ctx, w, d, line)
		if err != nil && !refused(err.Error()) {
			return err
		}
		if err != nil {
			again.refusal = fmt.Sprintf("%s %d: no definitions are generated", d.name, 4*d.n)
		}
		if again.refusal != "" {
			fmt.Fprintf(b.text, "%-90s refused: %s\n", "  4 times as large", again.refusal)
			return nil
		}
		row = again
		b.print("  4 times as large", row.verdict(), row)
	}
	if row.verdict() != "" {
		b.exceeded++
	}
	return nil
}

// A boundsRow is what a command line used with two inputs, less what a small one uses.
type boundsRow struct {
	first, second time.Duration
	growth        float64
	// late is what the larger used after an interrupt, or negative if it was not interrupted.
	late    time.Duration
	refusal string
}

// verdict returns "", or what a row says that exceeds a limit.
func (r boundsRow) verdict() string {
	if r.growth > growthLimit && r.second >= tooSmall || r.late > interruptLimit {
		return " EXCEEDED"
	}
	return ""
}

func (b *boundsRun) print(line, verdict string, r boundsRow) {
	shown, after := "    -", "     -"
	if r.second >= tooSmall {
		shown = fmt.Sprintf("%5.1f", r.growth)
	}
	if r.late >= 0 {
		after = fmt.Sprintf("%3d ms", r.late.Milliseconds())
	}
	fmt.Fprintf(b.text, "%-90s %5d ms %5d ms  × %s  interrupt %s%s\n", line, r.first.Milliseconds(), r.second.Milliseconds(), shown, after, verdict)
}

// compare runs a command line with n and 4n in a dimension.
func (b *boundsRun) compare(ctx context.Context, w workspace, d dimension, line string) (row boundsRow, err error) {
	var dirs [3]string
	for i, n := range []int{d.small, d.n, 4 * d.n} {
		if dirs[i], err = b.input(ctx, w, d, n); err != nil {
			return row, err
		}
	}
	if b.constant[line] == 0 {
		if _, err := b.run(ctx, line, dirs[0], 0); err != nil { // the first may fill caches
			return row, err
		}
	}
	var used [3]time.Duration
	for round := range 4 { // again while the machine may have disturbed it: the least disturbed run counts
		for i, dir := range dirs {
			if i == 0 && round == 0 && b.constant[line] > 0 {
				used[0] = b.constant[line]
				continue
			}
			r, err := b.run(ctx, line, dir, 0)
			if err != nil || r.refusal != "" {
				return boundsRow{refusal: r.refusal}, err
			}
			if used[i] == 0 || r.cpu < used[i] {
				used[i] = r.cpu
			}
		}
		b.constant[line] = used[0]
		row.first = used[1] - used[0]
		row.second = used[2] - used[0]
		row.growth = d.growth(max(row.first, leastFirst), row.second)
		if row.growth <= growthLimit || row.second < tooSmall {
			break
		}
	}
	row.late = -1
	if used[2] >= interruptible {
		r, err := b.run(ctx, line, dirs[2], used[2]/2)
		if err != nil {
			return row, err
		}
		row.late = r.late
	}
	return row, nil
}

// A boundsResult is the CPU of a run, and of that, what it used after the interrupt.
type boundsResult struct {
	cpu, late time.Duration
	refusal   string
}

// run runs a command line, and interrupts it once it has used some CPU, unless that is 0.
func (b *boundsRun) run(ctx context.Context, line, dir string, interrupt time.Duration) (boundsResult, error) {
	output := filepath.Join(b.temp, "out")
	if err := errors.Join(os.RemoveAll(output), os.Mkdir(output, 0o777)); err != nil {
		return boundsResult{}, err
	}
	cmd := exec.CommandContext(ctx, b.product, strings.Fields(strings.ReplaceAll(line, "OUT", output))...)
	cmd.Dir = filepath.Join(dir, "new")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(b.temp, "cache"), "GOCACHE="+b.goCache, "GOMAXPROCS=2")
	messages, err := cmd.StderrPipe()
	if err != nil {
		return boundsResult{}, err
	}
	if err := cmd.Start(); err != nil {
		return boundsResult{}, err
	}
	done := make(chan struct{})
	began := make(chan time.Duration, 1)
	go func() {
		defer close(began)
		for interrupt > 0 {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if processTime(cmd.Process.Pid) < interrupt {
				continue
			}
			_ = cmd.Process.Signal(syscall.SIGSTOP) // so that it uses nothing between the look and the signal
			began <- processTime(cmd.Process.Pid)
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Process.Signal(syscall.SIGCONT)
			return
		}
	}()
	var out boundsResult
	lines := bufio.NewReader(messages)
	for {
		text, err := lines.ReadString('\n')
		if out.refusal == "" && refused(text) {
			out.refusal = strings.TrimSpace(text)
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	close(done)
	out.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if used, sent := <-began; sent {
		out.late = out.cpu - used
		return out, nil
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); err != nil && (!ok || status.ExitStatus() != 1) {
		return out, fmt.Errorf("%s: %w", line, err)
	}
	return out, nil
}

// processTime returns the CPU time that a process has used, or 0 if it has ended. The kernel
// counts it in hundredths of a second.
func processTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
