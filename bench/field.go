package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// fieldTable lists public repositories. fieldResult has the result of a run over all of them:
// the number of files that both tools wrote, and every finding with a verdict.
const (
	fieldTable  = "field.tsv"
	fieldResult = "field.txt"
)

// A fieldRow is a repository in some version, with its own command lines.
type fieldRow struct {
	// module is the path of a Go module, or of a repository if version is a commit.
	module, version string
	lines           []fieldLine
	// flags are additional arguments for schemagen.
	flags []string
}

func (r fieldRow) name() string { return r.module + "@" + r.version }

func readFieldTable() ([]fieldRow, error) {
	text, err := os.ReadFile(fieldTable)
	if err != nil {
		return nil, err
	}
	var rows []fieldRow
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) < 3 {
			return nil, fmt.Errorf("%s: a line must have a module, a version and a command line: %s", fieldTable, line)
		}
		row := fieldRow{module: cells[0], version: cells[1]}
		for _, text := range strings.Split(cells[2], " ;; ") {
			row.lines = append(row.lines, parseFieldLine(text))
		}
		if len(cells) > 3 {
			row.flags = strings.Fields(cells[3])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// fieldOutcome is the result of both tools for a row.
type fieldOutcome struct {
	comparison
	// written is the number of files that the peer's command lines wrote.
	written int
	// peerFailed is set if controller-gen exited with an error.
	peerFailed bool
	findings   []string
}

var findingLine = regexp.MustCompile(`^\S.*(note|warning|error)\[(SG\d+)\]: `)

// field runs both tools for the rows of the table and compares the result with the checked-in
// one: every finding needs a verdict there, and no verdict may be "false". With update, the
// result is written; findings keep their verdicts, and new ones get "?".
func field(ctx context.Context, w workspace, only, given string, update bool, out io.Writer) error {
	rows, err := readFieldTable()
	if err != nil {
		return err
	}
	if only != "" {
		rows = slices.DeleteFunc(rows, func(r fieldRow) bool { return !slices.Contains(strings.Split(only, ","), r.module) })
	}
	golden, err := readSections(fieldResult)
	if err != nil {
		return err
	}
	peer, product, err := w.tools(ctx, given)
	if err != nil {
		return err
	}
	failed, byCode := 0, map[string]int{}
	for _, row := range rows {
		o, err := row.run(ctx, w, peer, product)
		if err != nil {
			return fmt.Errorf("%s: %w", row.name(), err)
		}
		verdicts := verdictsOf(golden[row.name()])
		section := fmt.Sprintf("%d files written, %d of %d files equal, controller-gen fails: %t\n", o.written, o.equal, o.peerFiles, o.peerFailed)
		for _, f := range o.findings {
			verdict := "?"
			if had := verdicts[f]; len(had) > 0 {
				verdict, verdicts[f] = had[0], had[1:]
			}
			if verdict == "?" || verdict == "false" {
				failed++
				fmt.Fprintf(out, "%s: %s %s\n", row.name(), verdict, f)
			}
			section += verdict + "\t" + f + "\n"
			byCode[findingLine.FindStringSubmatch(f)[2]]++
		}
		failed += o.failed()
		printComparison(out, row.name(), o.comparison)
		for _, e := range slices.Concat(o.problems, o.excerpts) {
			fmt.Fprintf(out, "  %s\n", indent(e))
		}
		if !update && golden[row.name()] != section {
			failed++
			fmt.Fprintf(out, "%s: differs from %s:\n%s", row.name(), fieldResult, excerpt(golden[row.name()], section))
		}
		golden[row.name()] = section
	}
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		fmt.Fprintf(out, "%s %d\n", code, byCode[code])
	}
	if update {
		if err := writeSections(fieldResult, golden); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%d repositories, %d failed\n", len(rows), failed)
	if failed > 0 {
		return errDiffers
	}
	return nil
}

// verdictsOf returns the verdicts of the findings in a section. A finding may occur several
// times.
func verdictsOf(section string) map[string][]string {
	verdicts := map[string][]string{}
	for line := range strings.Lines(section) {
		if verdict, finding, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t"); ok {
			verdicts[finding] = append(verdicts[finding], verdict)
		}
	}
	return verdicts
}

// run runs the command lines with each tool in a copy of the repository, and compares all
// files of the copies.
func (r fieldRow) run(ctx context.Context, w workspace, peer, product string) (fieldOutcome, error) {
	root, err := r.checkOut(ctx, w)
	if err != nil {
		return fieldOutcome{}, err
	}
	temp, err := os.MkdirTemp("", "schemagen-field-")
	if err != nil {
		return fieldOutcome{}, err
	}
	defer os.RemoveAll(temp)
	if temp, err = filepath.EvalSymlinks(temp); err != nil {
		return fieldOutcome{}, err
	}
	modCache, err := goCommand(ctx, root, "env", "GOMODCACHE")
	if err != nil {
		return fieldOutcome{}, err
	}
	var o fieldOutcome
	var begin time.Time
	var rejected []string // for each line, the error of controller-gen
	want, got := filepath.Join(temp, "controller-gen"), filepath.Join(temp, "schemagen")
	for _, tool := range []struct{ dir, program string }{{want, peer}, {got, product}} {
		if err := os.CopyFS(tool.dir, os.DirFS(root)); err != nil {
			return o, err
		}
		if tool.program == peer {
			begin = time.Now()
		}
		for i, line := range r.lines {
			var flags []string
			if tool.program == product {
				flags = append(slices.Clone(r.flags), "--no-cache")
			}
			messages, err := line.run(ctx, tool.dir, tool.program, flags)
			if ctx.Err() != nil {
				return o, ctx.Err()
			}
			problem := ""
			if err != nil {
				problem = fmt.Sprintf("%s %s: %v\n%s", filepath.Base(tool.dir), line.text, err, head(messages, 10))
			}
			if tool.program == peer {
				o.peerFailed = o.peerFailed || err != nil
				rejected = append(rejected, problem)
				continue
			}
			// A line that both tools reject is compared by its findings.
			if (problem == "") != (rejected[i] == "") {
				o.problems = append(o.problems, cmp.Or(problem, rejected[i]))
			}
			text := withoutPositions(string(messages), string(bytes.TrimSpace(modCache)), tool.dir)
			for line := range strings.Lines(text) {
				if line = strings.TrimRight(line, "\n"); findingLine.MatchString(line) {
					o.findings = append(o.findings, line)
				}
			}
		}
	}
	slices.Sort(o.findings)
	// The go command writes it in a workspace, for the tool that lists packages with their imports.
	for _, dir := range []string{want, got} {
		err := os.Remove(filepath.Join(dir, "go.work.sum"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return o, err
		}
	}
	if o.written, err = writtenSince(want, begin); err != nil {
		return o, err
	}
	compared, err := compareTrees(want, got, nil)
	compared.problems = o.problems
	o.comparison = compared
	return o, err
}

// writtenSince returns the number of files below a directory that were written after a time.
func writtenSince(dir string, begin time.Time) (n int, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().After(begin) {
			n++
		}
		return err
	})
	return n, err
}

// isCommit reports whether a version is a commit of a repository, not a version of a module.
var isCommit = regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString

// checkOut copies the module from the module cache, or fetches the commit of the repository,
// which also has nested modules, and directories that go.mod replaces modules by.
func (r fieldRow) checkOut(ctx context.Context, w workspace) (string, error) {
	return w.once("field-"+strings.ReplaceAll(r.name(), "/", "_"), func(dir string) error {
		if isCommit(r.version) {
			return fetchCommit(ctx, "https://"+r.module, r.version, dir)
		}
		m, err := downloadVersion(ctx, r.name())
		if err != nil {
			return err
		}
		return os.CopyFS(dir, os.DirFS(m.Dir))
	})
}

// fetchCommit writes the files of a commit into an empty directory.
func fetchCommit(ctx context.Context, url, commit, dir string) error {
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"fetch", "--quiet", "--depth=1", url, commit},
		{"checkout", "--quiet", "FETCH_HEAD"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		messages, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, messages)
		}
	}
	return os.RemoveAll(filepath.Join(dir, ".git"))
}

// downloadVersion downloads a module in some version to the module cache.
func downloadVersion(ctx context.Context, name string) (m module, err error) {
	// An empty module, so that the requirements of this one do not change the versions.
	query, err := os.MkdirTemp("", "schemagen-field-")
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(query)
	if err := os.WriteFile(filepath.Join(query, "go.mod"), []byte("module field.test\n"), 0o644); err != nil {
		return m, err
	}
	found, err := goCommand(ctx, query, "mod", "download", "-json", name)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(found, &m)
}
