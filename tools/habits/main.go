// Command habits counts patterns that make Go code hard to read, in the Go files that git tracks in
// a directory, and compares them with the targets in habits.tsv. It exits with 1 if a pattern is more
// frequent than its target, and has more places than are allowed.
//
//	go run -C tools ./habits "$PWD"             the table of all patterns
//	go run -C tools ./habits "$PWD" preposition every place of one
//
// The target of a pattern is a number of places for each 100,000 lines, that of golang.org/x/tools. A
// pattern that is still more frequent has a number of places that are allowed, which only ever falls.
//
// Tests, testdata, generated files, bench, e2e, web, examples and tools are not counted.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

//go:embed habits.tsv
var limitsText string

// ignored matches files that are not counted.
var ignored = regexp.MustCompile(`_test\.go$|(^|/)testdata/|(^|/)zz_|^(examples|bench|e2e|web|tools)/`)

func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "habits:", err)
		os.Exit(2)
	}
	os.Exit(code)
}

// run prints the table, or the places of a pattern, and returns the exit code.
func run(args []string, stdout io.Writer) (int, error) {
	if len(args) == 0 || len(args) > 2 {
		return 0, fmt.Errorf("usage: habits DIRECTORY [PATTERN]")
	}
	limits, err := readLimits(limitsText)
	if err != nil {
		return 0, err
	}
	c, err := countDirectory(args[0])
	if err != nil {
		return 0, err
	}
	if len(args) == 2 {
		for _, place := range c.places[args[1]] {
			fmt.Fprintln(stdout, place)
		}
		return 0, nil
	}
	code := 0
	fmt.Fprintf(stdout, "%d lines\n%-16s %6s %7s %9s %7s\n", c.lines, "pattern", "count", "allowed", "per 100k", "target")
	for _, l := range limits {
		count := len(c.places[l.pattern])
		rate := count * 100_000 / max(c.lines, 1)
		verdict := ""
		if rate > l.target && count > l.allowed {
			verdict = "  ABOVE"
			code = 1
		}
		fmt.Fprintf(stdout, "%-16s %6d %7d %9d %7d  %s%s\n", l.pattern, count, l.allowed, rate, l.target, l.meaning, verdict)
	}
	return code, nil
}

// A limit is a row of habits.tsv.
type limit struct {
	pattern string
	// target is a number of places for each 100,000 lines, and allowed one of all places.
	target, allowed int
	meaning         string
}

func readLimits(text string) ([]limit, error) {
	var limits []limit
	for number, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if number == 0 {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 4 {
			return nil, fmt.Errorf("habits.tsv:%d: want 4 columns, got %d", number+1, len(columns))
		}
		target, err := strconv.Atoi(columns[1])
		if err != nil {
			return nil, fmt.Errorf("habits.tsv:%d: %w", number+1, err)
		}
		allowed, err := strconv.Atoi(columns[2])
		if err != nil {
			return nil, fmt.Errorf("habits.tsv:%d: %w", number+1, err)
		}
		limits = append(limits, limit{pattern: columns[0], target: target, allowed: allowed, meaning: columns[3]})
	}
	return limits, nil
}

// countDirectory counts the files that git tracks, or all files if git tracks none there.
func countDirectory(root string) (*counter, error) {
	names, err := trackedFiles(root)
	if err != nil {
		return nil, err
	}
	c := &counter{files: token.NewFileSet(), places: map[string][]string{}}
	packages := map[string][]*ast.File{}
	for _, name := range names {
		if ignored.MatchString(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(c.files, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		c.lines += bytes.Count(text, []byte("\n"))
		c.text(name, text)
		packages[path.Dir(name)] = append(packages[path.Dir(name)], file)
	}
	for _, files := range packages {
		flags := boolTypes(files)
		for _, file := range files {
			c.file(file, flags)
		}
	}
	return c, nil
}

func trackedFiles(root string) ([]string, error) {
	listed, err := exec.Command("git", "-C", root, "ls-files", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files in %s: %w", root, err)
	}
	var names []string
	lines := bufio.NewScanner(bytes.NewReader(listed))
	for lines.Scan() {
		names = append(names, lines.Text())
	}
	return names, lines.Err()
}
