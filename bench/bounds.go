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
	// tooSmall is the CPU below which the growth of a command line cannot be measured.
	tooSmall = 40 * time.Millisecond
	// interruptLimit is the CPU that a process may use after it was interrupted.
	interruptLimit = 200 * time.Millisecond
	// interruptible is the CPU from which a run is long enough to be interrupted in it.
	interruptible = 300 * time.Millisecond
)

// boundsLines are the command lines for each command. They run in a generated project with its
// definitions in crds, beside an older one; OUT is a directory for outputs.
var boundsLines = map[string][]string{
	"crd":                {"crd ./api/... -o OUT --no-cache", "crd ./api/... -o OUT --no-cache --skip-verify"},
	"controller-gen":     {"object rbac:roleName=r webhook applyconfiguration paths=./api/v1/... output:dir=OUT"},
	"unions":             {"unions ./api/... --diff", "unions ./api/... --suggest"},
	"conversions":        {"conversions ./api/... --diff"},
	"types":              {"types -f crds -o types --diff"},
	"openapi":            {"openapi crds -o OUT"},
	"jsonschema":         {"jsonschema crds -o OUT"},
	"docs":               {"docs crds -o OUT", "docs crds -o OUT --format markdown"},
	"verify":             {"verify crds --old ../old/crds"},
	"diff":               {"diff ../old/crds crds"},
	"review":             {"review ../old/crds crds -o OUT/review.html"},
	"test":               {"test widget.testsuite.yaml --crd crds"},
	"try":                {"try -f object.yaml --crd crds", "try --sample Widget0 --crd crds"},
	"explain":            {"explain widget0 --recursive --crd crds"},
	"schema":             {"schema -f crds/example.com_widget0s.yaml --unfold", "schema -f crds/example.com_widget0s.yaml --skeleton"},
	"gates":              {"gates ./api/..."},
	"gates graduate":     {"gates graduate Burst ./api/..."},
	"gates retire":       {"gates retire Burst ./api/..."},
	"env":                {"env ./api/..."},
	"config":             {"config ./api/..."},
	"init":               nil, // runs make
	"migrate":            nil, // runs make and controller-gen
	"convert":            nil, // builds the project: the go command's time
	"lsp":                nil, // make lsp measures sessions
	"kubebuilder-plugin": nil, // reads a request of Kubebuilder
	"explain-code":       nil, // the rest reads nothing of the user
	"markers":            nil,
	"completion":         nil,
	"help":               nil,
	"version":            nil,
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

// checkBoundsLines reports commands without a row, and rows without a command.
func checkBoundsLines(names []string) error {
	var errs []error
	for _, name := range names {
		if _, ok := boundsLines[name]; !ok {
			errs = append(errs, fmt.Errorf("command %q has no row in boundsLines", name))
		}
	}
	for name := range boundsLines {
		if name != "controller-gen" && !slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("boundsLines has %q, which is not a command", name))
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
	if err := checkBoundsLines(names); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-bounds-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var text bytes.Buffer
	b := &boundsRun{product: product, temp: temp, text: io.MultiWriter(&text, out)}
	constant := filepath.Join(temp, "small")
	if err := b.write(ctx, w, smallExtent, constant); err != nil {
		return err
	}
	fmt.Fprintf(b.text, "Linux, %s: CPU of each command line with input of n and 4n in one dimension, less that of a small input (at most %d times),\n", time.Now().UTC().Format(time.DateOnly), growthLimit)
	fmt.Fprintf(b.text, "and the most CPU after an interrupt at a quarter, a half and three quarters of the run (at most %d ms).\n", interruptLimit.Milliseconds())
	for _, d := range dimensions {
		if only != "" && !slices.Contains(strings.Split(only, ","), d.name) {
			continue
		}
		small, large := filepath.Join(temp, d.name), filepath.Join(temp, d.name+"-4")
		for dir, n := range map[string]int{small: d.n, large: 4 * d.n} {
			e := smallExtent
			d.set(&e, n)
			if err := b.write(ctx, w, e, dir); err != nil {
				return err
			}
		}
		fmt.Fprintf(b.text, "\n%s: %d and %d\n", d.name, d.n, 4*d.n)
		for _, name := range append([]string{"controller-gen"}, names...) {
			for _, line := range boundsLines[name] {
				if err := b.measure(ctx, line, constant, small, large); err != nil {
					return err
				}
			}
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
	text          io.Writer
	exceeded      int
}

// write writes an input with the older version of its project.
func (b *boundsRun) write(ctx context.Context, w workspace, e extent, dir string) error {
	if err := e.write(ctx, w, b.product, filepath.Join(dir, "old"), false); err != nil {
		return err
	}
	return e.write(ctx, w, b.product, filepath.Join(dir, "new"), true)
}

// measure adds the row of a command line.
func (b *boundsRun) measure(ctx context.Context, line, constant, small, large string) error {
	var used [3]time.Duration
	for i, dir := range []string{constant, small, large} {
		for round := range 2 { // the less disturbed run counts
			r, err := b.run(ctx, line, dir, 0)
			if err != nil {
				return err
			}
			if round == 0 || r.cpu < used[i] {
				used[i] = r.cpu
			}
			if r.refusal != "" {
				fmt.Fprintf(b.text, "%-90s refused: %s\n", line, r.refusal)
				return nil
			}
		}
	}
	var late time.Duration
	interrupted := used[2] >= interruptible
	if interrupted {
		for quarter := range 3 {
			r, err := b.run(ctx, line, large, used[2]*time.Duration(quarter+1)/4)
			if err != nil {
				return err
			}
			late = max(late, r.late)
		}
	}
	first, second := used[1]-used[0], used[2]-used[0]
	verdict := ""
	growth := "     -"
	if second >= tooSmall {
		factor := second.Seconds() / max(first, 10*time.Millisecond).Seconds()
		growth = fmt.Sprintf("%6.1f", factor)
		if factor > growthLimit {
			verdict = " EXCEEDED"
		}
	}
	after := "     -"
	if interrupted {
		after = fmt.Sprintf("%3d ms", late.Milliseconds())
		if late > interruptLimit {
			verdict = " EXCEEDED"
		}
	}
	if verdict != "" {
		b.exceeded++
	}
	fmt.Fprintf(b.text, "%-90s %5d ms %5d ms  × %s  interrupt %s%s\n", line, first.Milliseconds(), second.Milliseconds(), growth, after, verdict)
	return nil
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
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(b.temp, "cache"), "GOMAXPROCS=2")
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
			if used := processTime(cmd.Process.Pid); used >= interrupt {
				_ = cmd.Process.Signal(os.Interrupt)
				began <- used
				return
			}
		}
	}()
	var out boundsResult
	lines := bufio.NewReader(messages)
	for {
		text, err := lines.ReadString('\n')
		if out.refusal == "" && (strings.Contains(text, "error[SG610]") || strings.Contains(text, "error[SG230]") || strings.Contains(text, "error[SG604]")) {
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
