package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestBook runs the examples in README.md, docs/*.md and docs/dev/*.md. The blocks of a page are run
// one after the other in a directory that is set up from testdata/book/PAGE.txtar, or
// else empty. In a console block, a line that begins with "$ " is a shell command, and
// the lines after it are its complete output, in which … matches anything. Comments in
// front of a block control it:
//
//	<!-- file NAME -->       write the block to this file
//	<!-- in NAME -->         use testdata/book/NAME.txtar, or a copy of the folder NAME of this repository
//	<!-- first COMMAND -->   run this command first; if it fails, skip the block
//	<!-- from NAME -->       do not run the block; it must be part of this file of this repository, except for indentation
//	<!-- not run: REASON --> do not run the block; go test -v lists these
//	<!-- within NAME -->     Go: replace BLOCK in this file of testdata/book/go.txtar, build it and generate CRDs
func TestBook(t *testing.T) {
	for _, page := range bookPages(t) {
		name := strings.ToLower(strings.TrimSuffix(filepath.Base(page), ".md"))
		if name == "markers" || name == "diagnostics" {
			continue // their examples have their own tests
		}
		t.Run(strings.TrimPrefix(filepath.ToSlash(page), "../../"), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			b := &book{t: t, page: page, folders: map[string]string{}}
			for _, block := range blocksOf(string(text)) {
				t.Run(fmt.Sprint("line ", block.line), func(t *testing.T) { b.run(t, name, block) })
			}
		})
	}
}

// bookPages returns README.md, and the pages in docs and docs/dev.
func bookPages(t *testing.T) []string {
	t.Helper()
	pages := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/dev/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages %s: %v", pattern, err)
		}
		pages = append(pages, found...)
	}
	return pages
}

// book runs the examples of one page.
type book struct {
	t    *testing.T
	page string
	// folders has the current directory of each shell by name.
	folders map[string]string
}

// example is a block on a page.
type example struct {
	line     int
	language string
	text     string
	// directives has the comments before the block, by their first word.
	directives map[string]string
}

// blocksOf returns the blocks on a page with the comments in front of them.
func blocksOf(page string) []*example {
	var out []*example
	directives := map[string]string{}
	lines := strings.SplitAfter(page, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		switch {
		case strings.HasPrefix(line, "<!--"):
			comment := line
			for !strings.HasSuffix(strings.TrimSpace(comment), "-->") && i+1 < len(lines) {
				i++
				comment += "\n" + strings.TrimSuffix(lines[i], "\n")
			}
			comment = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(comment, "<!--"), "-->"))
			word, rest, _ := strings.Cut(strings.Replace(comment, "not run:", "not-run ", 1), " ")
			directives[word] = strings.TrimSpace(rest)
		case strings.HasPrefix(line, "```"):
			e := &example{line: i + 1, language: line[3:], directives: directives}
			for i++; i < len(lines) && strings.TrimSpace(lines[i]) != "```"; i++ {
				e.text += lines[i]
			}
			out = append(out, e)
			directives = map[string]string{}
		case line != "":
			directives = map[string]string{}
		}
	}
	return out
}

// run runs a block, or writes it to a file.
func (b *book) run(t *testing.T, page string, e *example) {
	position := fmt.Sprintf("%s:%d", filepath.Base(b.page), e.line)
	for word := range e.directives {
		if !slices.Contains([]string{"file", "in", "first", "from", "not-run", "within"}, word) {
			t.Errorf("%s: the comment before the block has the unknown directive %q", position, word)
		}
	}
	if reason, ok := e.directives["not-run"]; ok {
		if reason == "" {
			t.Errorf("%s is not run, but has no reason", position)
		}
		t.Skip(reason)
	}
	if from := e.directives["from"]; from != "" {
		text, err := os.ReadFile(filepath.Join("../..", from))
		if err != nil || !strings.Contains(unindented(string(text)), unindented(e.text)) {
			t.Errorf("%s is not part of %s (%v)", position, from, err)
		}
		return
	}
	name := page
	if in := e.directives["in"]; in != "" {
		name = in
	}
	file, isFile := e.directives["file"]
	switch {
	case isFile:
		path := filepath.Join(b.folder(name), file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(e.text), 0o666)); err != nil {
			b.t.Fatal(err)
		}
	case e.language == "console":
		if first := e.directives["first"]; first != "" {
			if out, err := b.shell(name, first); err != nil {
				t.Skipf("%s: %v: %s", position, err, out)
			}
		}
		for _, step := range strings.Split("\n"+e.text, "\n$ ")[1:] {
			command, want, _ := strings.Cut(strings.TrimSuffix(step, "\n"), "\n")
			got, _ := b.shell(name, command)
			if !shownAs(got, want) {
				t.Errorf("%s: %s: got\n%s\nwant\n%s", position, command, got, want)
			}
		}
	case e.directives["within"] != "":
		b.generate(t, position, e)
	default:
		t.Errorf("%s: a block of %q is neither run nor a file: write <!-- not run: reason --> in front of it", position, e.language)
	}
}

// unindented returns a text without the spaces around its lines.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

// generate builds a Go example and generates CRDs from it, which must give no findings.
func (b *book) generate(t *testing.T, position string, e *example) {
	archive, err := txtar.ParseFile("../../testdata/book/go.txtar")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == e.directives["within"] })
	if at < 0 {
		t.Fatalf("%s: testdata/book/go.txtar has no %s", position, e.directives["within"])
	}
	source := strings.Replace(string(archive.Files[at].Data), "BLOCK\n", e.text, 1)
	name := fmt.Sprint("line", e.line)
	dir := filepath.Join(b.folder("empty"), name)
	if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(filepath.Join(dir, "types.go"), []byte(source), 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"go build ./" + name, "schemagen crd ./" + name + " -o out --strict"} {
		if out, err := b.shell("empty", command); err != nil || out != "" {
			t.Errorf("%s: %s: %v\n%s\n%s", position, command, err, out, source)
		}
	}
}

// shell runs a command and returns its output, standard output first. A cd is kept for
// the next command.
func (b *book) shell(name, command string) (string, error) {
	b.t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		b.t.Fatal(err)
	}
	where := filepath.Join(b.t.TempDir(), "where")
	cmd := exec.CommandContext(b.t.Context(), "sh", "-c", command+"\ncode=$?; pwd > "+where+"; exit $code")
	cmd.Dir = b.folder(name)
	cmd.Env = append(os.Environ(), "ROOT="+root, "XDG_CACHE_HOME="+b.t.TempDir(), "GOFLAGS=-mod=mod", "GONOSUMDB=*", "MAKELEVEL=", "MAKEFLAGS=",
		"GOMODCACHE="+goEnv(b.t, "GOMODCACHE"), "GOCACHE="+goEnv(b.t, "GOCACHE"), "GOPROXY="+moduleProxies(b.t))
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if dir, readErr := os.ReadFile(where); readErr == nil {
		b.folders[name] = strings.TrimSpace(string(dir))
	}
	return strings.ReplaceAll(stdout.String()+stderr.String(), b.folders[name]+"/", ""), err
}

// folder returns the current directory for a name, and sets it up on first use.
func (b *book) folder(name string) string {
	if dir, ok := b.folders[name]; ok {
		return dir
	}
	dir, err := filepath.EvalSymlinks(b.t.TempDir())
	if err != nil {
		b.t.Fatal(err)
	}
	b.folders[name] = dir
	archive, err := txtar.ParseFile(filepath.Join("../../testdata/book", name+".txtar"))
	if err != nil {
		if source := filepath.Join("../..", name); name != strings.ToLower(strings.TrimSuffix(filepath.Base(b.page), ".md")) {
			err = os.CopyFS(dir, os.DirFS(source))
		} else {
			err = nil // start with an empty directory
		}
		if err != nil {
			b.t.Fatal(err)
		}
		return dir
	}
	if !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "go.mod" }) {
		for _, file := range []string{"go.mod", "go.sum"} {
			text, err := os.ReadFile("../../" + file)
			if err != nil {
				b.t.Fatal(err)
			}
			text = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(text, []byte("module example.com/project"))
			archive.Files = append(archive.Files, txtar.File{Name: file, Data: text})
		}
	}
	for _, f := range archive.Files {
		path := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, f.Data, 0o666)); err != nil {
			b.t.Fatal(err)
		}
	}
	return dir
}

// shownAs reports whether text matches the output shown on a page, in which … matches any
// text, and a line with only … matches any lines.
func shownAs(text, shown string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(strings.TrimRight(shown, "\n") + "\n") {
		if line == "…\n" {
			pattern.WriteString(`(?s:.*)`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `.*`))
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(strings.TrimRight(text, "\n") + "\n")
}

// TestShownAs tests what … matches.
func TestShownAs(t *testing.T) {
	for _, test := range []struct {
		text, shown string
		want        bool
	}{
		{"", "", true},
		{"a\n", "", false},
		{"", "a", false},
		{"a\n", "a", true},
		{"a\nb\nc\n", "a\n…\nc", true},
		{"a\nc\n", "a\n…\nc", true},
		{"a\nb\n", "a\n…", true},
		{"a\nb\nd\n", "a\n…\nc", false},
		{"took 3 ms\n", "took … ms", true},
		{"took 3\n ms\n", "took … ms", false},
		{"a.b\n", "a.b", true},
		{"axb\n", "a.b", false},
	} {
		if got := shownAs(test.text, test.shown); got != test.want {
			t.Errorf("%q as %q: %t", test.text, test.shown, got)
		}
	}
}

// TestLinks checks that links between pages have a target.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]*)(?:#([^)\s]+))?\)`)
	links := 0
	for _, page := range bookPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		prose := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			links++
			target := page
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), m[1])
			}
			linked, err := os.ReadFile(target)
			if _, statErr := os.Stat(target); statErr != nil {
				t.Errorf("%s links to %s, which does not exist", filepath.Base(page), m[0])
			} else if m[2] != "" && (err != nil || !slices.Contains(anchors(string(linked)), m[2])) {
				t.Errorf("%s links to %s, which has no such heading", filepath.Base(page), m[0])
			}
		}
	}
	if links < 100 {
		t.Errorf("the pages have only %d links", links)
	}
}

// anchors returns the anchors that GitHub gives the headings of a page.
func anchors(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(name, " ", "-"))
	}
	return out
}
