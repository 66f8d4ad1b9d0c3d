package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// versionKey is the prefix of the only line whose value may differ.
const versionKey = "    controller-gen.kubebuilder.io/version: "

// A comparison is the result of a case. The counts are numbers of files.
type comparison struct {
	peerFiles, bytes, equal, different, missing, extra int
	// problems are printed before the excerpts.
	problems []string
	excerpts []string
	// messages are the messages of schemagen, without machine-specific paths.
	messages string
}

// failed returns the number of files that differ or are missing or extra, at least 1 if there
// is a problem with the whole case.
func (r comparison) failed() int {
	failed := r.different + r.missing + r.extra
	if failed == 0 && len(r.problems) > 0 {
		return 1
	}
	return failed
}

// parity runs both tools for every case and compares all files that they write.
//
// With all cases, it also runs the Makefile of a scaffolded project with each of the tools,
// and the command lines of projects.
//
// The messages of schemagen are compared with warnings.txt; with update, the sections of the
// selected cases are rewritten.
func parity(ctx context.Context, w workspace, selected []benchCase, given string, update bool, out io.Writer) error {
	golden, err := readSections(warningsFile)
	if err != nil {
		return err
	}
	peer, product, err := w.tools(ctx, given)
	if err != nil {
		return err
	}
	var total comparison
	failed := 0
	var failures strings.Builder // printed last, where a log that was cut still has them
	add := func(name string, r comparison) {
		printComparison(out, name, r)
		if r.failed() > 0 {
			fmt.Fprintf(&failures, "%s\n", name)
		}
		for _, text := range slices.Concat(r.problems, r.excerpts) {
			fmt.Fprintf(&failures, "  %s\n", indent(text))
		}
		total.peerFiles += r.peerFiles
		total.bytes += r.bytes
		total.equal += r.equal
		total.different += r.different
		total.missing += r.missing
		total.extra += r.extra
		failed += r.failed()
	}
	for _, c := range allLines(selected) {
		r := compareCase(ctx, w, c, peer, product)
		if err := ctx.Err(); err != nil {
			return err
		}
		if update {
			golden[c.name] = r.messages
		} else if golden[c.name] != r.messages {
			r.problems = append(r.problems, fmt.Sprintf("schemagen's warnings are not those of %s:\n%s", warningsFile, excerpt(golden[c.name], r.messages)))
		}
		add(c.name, r)
	}
	if len(selected) == len(cases()) {
		add("operator scaffold", compareScaffold(ctx, peer, product))
		for _, p := range projects() {
			add(p.name, compareProject(ctx, w, p, peer, product))
		}
	}
	printComparison(out, "total", total)
	if update {
		if err := writeSections(warningsFile, golden); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s%d passed, %d failed\n", failures.String(), total.equal, failed)
	if failed > 0 {
		return errDiffers
	}
	return nil
}

func printComparison(out io.Writer, name string, r comparison) {
	fmt.Fprintf(out, "%-28s files %4d  bytes %9d  equal %4d  different %3d  missing %3d  extra %3d\n",
		name, r.peerFiles, r.bytes, r.equal, r.different, r.missing, r.extra)
}

func indent(text string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// compareCase runs both tools for one case. Errors are part of the result: a case that cannot
// run has failed, and the remaining cases run.
func compareCase(ctx context.Context, w workspace, c benchCase, peer, product string) comparison {
	problem := func(format string, args ...any) comparison {
		return comparison{problems: []string{fmt.Sprintf(format, args...)}}
	}
	place, err := w.prepare(ctx, c)
	if err != nil {
		return problem("harness: %v", err)
	}
	temp, err := os.MkdirTemp("", "schemagen-parity-")
	if err != nil {
		return problem("harness: %v", err)
	}
	defer os.RemoveAll(temp)
	want, got := filepath.Join(temp, "controller-gen"), filepath.Join(temp, "schemagen")
	if err := c.kustomize(place.dir, temp); err != nil {
		return problem("harness: %v", err)
	}
	in, err := c.checkouts(place, false, temp)
	if err != nil {
		return problem("harness: %v", err)
	}
	if messages, err := runAll(ctx, in.theirs.dir, peer, c.arguments(want)); err != nil {
		return problem("harness: controller-gen: %v\n%s", err, head(messages, 20))
	}
	messages, productErr := runAll(ctx, in.ours.dir, product, c.productArguments(got))
	if c.inTree != nil {
		want, got = in.theirs.root, in.ours.root
	}
	r, err := compareTrees(want, got, c.inTree)
	if err != nil {
		return problem("harness: %v", err)
	}
	modCache, err := goCommand(ctx, in.ours.dir, "env", "GOMODCACHE")
	if err != nil {
		return problem("harness: %v", err)
	}
	r.messages = withoutPositions(string(messages), string(bytes.TrimSpace(modCache)), in.ours.dir)
	if productErr != nil {
		r.problems = append(r.problems, fmt.Sprintf("schemagen: %v\n%s", productErr, head(messages, 20)))
	}
	if r.peerFiles != c.files {
		r.problems = append(r.problems, fmt.Sprintf("harness: %d files, but the table states %d", r.peerFiles, c.files))
	}
	return r
}

// runAll runs a program once for each list of arguments, and returns its messages.
func runAll(ctx context.Context, dir, program string, all [][]string) (messages []byte, err error) {
	for _, args := range all {
		_, more, err := execute(ctx, dir, program, args)
		messages = append(messages, more...)
		if err != nil {
			return messages, err
		}
	}
	return messages, nil
}

// compareTrees compares the files below two directories whose paths match, or all if only is
// nil.
func compareTrees(want, got string, only *regexp.Regexp) (comparison, error) {
	wanted, err := readTree(want, only)
	if err != nil {
		return comparison{}, err
	}
	have, err := readTree(got, only)
	if err != nil {
		return comparison{}, err
	}
	r := comparison{peerFiles: len(wanted)}
	for _, f := range wanted {
		r.bytes += len(f.content)
		i, found := slices.BinarySearchFunc(have, f.name, func(h treeFile, name string) int {
			return strings.Compare(h.name, name)
		})
		if !found {
			r.missing++
			r.excerpts = append(r.excerpts, f.name+": missing")
			continue
		}
		a, b := withoutVersion(f.content), withoutVersion(have[i].content)
		if bytes.Equal(a, b) {
			r.equal++
			continue
		}
		r.different++
		r.excerpts = append(r.excerpts, f.name+": different\n"+excerpt(string(a), string(b)))
	}
	for _, h := range have {
		if !slices.ContainsFunc(wanted, func(f treeFile) bool { return f.name == h.name }) {
			r.extra++
			r.excerpts = append(r.excerpts, h.name+": extra")
		}
	}
	return r, nil
}

type treeFile struct {
	name    string // relative, with slashes
	content []byte
}

// readTree reads the files below dir whose paths match, or all if only is nil, sorted by
// name. A directory that does not exist has none.
func readTree(dir string, only *regexp.Regexp) ([]treeFile, error) {
	names, err := matching(dir, only)
	if err != nil {
		return nil, err
	}
	var files []treeFile
	for _, path := range names {
		content, err := readEntry(path)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, err
		}
		files = append(files, treeFile{filepath.ToSlash(name), content})
	}
	slices.SortFunc(files, func(a, b treeFile) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// readEntry returns the content of a file, or the target of a symbolic link, which may be a
// directory.
func readEntry(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return os.ReadFile(path)
	}
	target, err := os.Readlink(path)
	return []byte(target), err
}

// matching returns the files below dir whose relative paths match, or all if only is nil. A
// directory that does not exist has none.
func matching(dir string, only *regexp.Regexp) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir && errors.Is(err, fs.ErrNotExist) {
				return fs.SkipAll
			}
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil && !d.IsDir() && (only == nil || only.MatchString(filepath.ToSlash(name))) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// withoutVersion replaces only the value of the version annotation.
func withoutVersion(content []byte) []byte {
	var out []byte
	for line := range bytes.Lines(content) {
		if bytes.HasPrefix(line, []byte(versionKey)) {
			line = []byte(versionKey + "VERSION\n")
		}
		out = append(out, line...)
	}
	return out
}

// excerpt returns the first difference between two texts, in the style of a unified diff.
func excerpt(a, b string) string {
	const context, limit = 3, 8
	as, bs := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n")
	first := 0
	for first < len(as) && first < len(bs) && as[first] == bs[first] {
		first++
	}
	removed, added := resync(as[first:], bs[first:])
	var out strings.Builder
	start := max(0, first-context)
	fmt.Fprintf(&out, "@@ line %d @@\n", first+1)
	show := func(mark string, lines []string) {
		for i, line := range lines {
			if i == limit {
				fmt.Fprintf(&out, "%s... %d more lines\n", mark, len(lines)-limit)
				return
			}
			if line == "" {
				continue // SplitAfter returns an empty element after the last newline
			}
			line, terminated := strings.CutSuffix(line, "\n")
			if len(line) > 2000 {
				line = line[:2000] + "..."
			}
			if !terminated {
				line += "\n\\ no newline at the end"
			}
			fmt.Fprintf(&out, "%s%s\n", mark, line)
		}
	}
	show(" ", as[start:first])
	show("-", as[first:first+removed])
	show("+", bs[first:first+added])
	return out.String()
}

// resync returns the number of lines to skip on both sides until three lines are equal again,
// or all lines if there are no such lines nearby.
func resync(as, bs []string) (int, int) {
	const window, same = 200, 3
	for distance := range window {
		for i := 0; i <= distance; i++ {
			j := distance - i
			if i+same <= len(as) && j+same <= len(bs) && slices.Equal(as[i:i+same], bs[j:j+same]) {
				return i, j
			}
		}
	}
	return len(as), len(bs)
}

// head returns the first n lines of a text.
func head(text []byte, n int) string {
	lines := strings.SplitAfter(string(text), "\n")
	if len(lines) > n {
		return strings.Join(lines[:n], "") + fmt.Sprintf("... %d more lines\n", len(lines)-n)
	}
	return string(text)
}
