package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// An edit is what changes in the source before every round of a row.
type edit int

const (
	noEdit edit = iota
	// editKind adds a field to a kind.
	editKind
	// editOther adds a function to a file without kinds, which changes no output.
	editOther
)

// An editedFile is a Go file that is changed in every round.
type editedFile struct {
	path          string
	before, after []byte // the text around the change
	// change has the number of the round as its argument, which it repeats.
	change string
}

const (
	// kindChange adds a field. Its name changes as well, because descriptions may be dropped.
	// It is a pointer so that the code that copies the kind changes, too.
	kindChange = "\t// Round%[1]d is what was edited.\n\t// +optional\n\tRound%[1]d *string `json:\"round%[1]d,omitempty\"`\n\n"
	// otherChange adds a function.
	otherChange = "\nfunc benchRound%[1]d() int { return %[1]d }\n"
)

// findEdited returns the file to edit in each place. The kinds are those of the CRDs, which
// product generates into dir.
func (c benchCase) findEdited(ctx context.Context, e edit, in checkoutDirs, product, dir string) (files []*editedFile, err error) {
	crds := c
	crds.commands, crds.inTree = nil, nil
	args := append(crds.arguments(dir)[0], "--skip-verify", "--no-cache")
	if _, messages, err := execute(ctx, in.ours.dir, product, args); err != nil {
		return nil, fmt.Errorf("find kinds: %w\n%s", err, head(messages, 20))
	}
	kinds, err := kindsOf(dir)
	if err != nil {
		return nil, err
	}
	all := []checkoutDir{in.ours}
	if in.theirs.root != in.ours.root {
		all = append(all, in.theirs)
	}
	for _, p := range all {
		file, err := findFile(ctx, p.listings, kinds, e)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// findFile returns the file to edit in the packages of the listings: the first that declares
// one of the kinds, or the last that declares none of them and is not generated.
func findFile(ctx context.Context, listings []listing, kinds []string, e edit) (found *editedFile, err error) {
	declares := regexp.MustCompile(`(?m)^(?:type|\t)[ \t]*(` + strings.Join(kinds, "|") + `)\s+struct \{\n`)
	names, err := goFiles(ctx, listings)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		at := declares.FindIndex(source)
		switch {
		case e == editKind && at != nil:
			return &editedFile{name, source[:at[1]], source[at[1]:], kindChange}, nil
		case e == editOther && at == nil:
			found = &editedFile{name, source, nil, otherChange}
		}
	}
	if found == nil {
		return nil, errors.New("no file to edit")
	}
	return found, nil
}

// goFiles returns the Go files of the listed packages that are not generated.
func goFiles(ctx context.Context, listings []listing) (names []string, err error) {
	for _, l := range listings {
		const format = `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`
		out, err := goCommand(ctx, l.dir, append([]string{"list", "-f", format}, l.patterns...)...)
		if err != nil {
			return nil, err
		}
		names = append(names, strings.Fields(string(out))...)
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(filepath.Base(name), "zz_") }), nil
}

// kindsOf returns the kinds that CRD files define, read from spec.names.
func kindsOf(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var kinds []string
	for _, f := range files {
		file, err := os.Open(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if kind, found := strings.CutPrefix(lines.Text(), "    kind: "); found {
				kinds = append(kinds, kind)
				break
			}
		}
		file.Close()
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	if kinds == nil {
		return nil, errors.New("no CRD file in " + dir)
	}
	return kinds, nil
}

// edit writes the file for a round.
func (f *editedFile) edit(round int) error {
	return os.WriteFile(f.path, slices.Concat(f.before, fmt.Appendf(nil, f.change, round), f.after), 0o666)
}
