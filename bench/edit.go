package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An editedFile is a Go file in which a kind gets an additional field in every round.
type editedFile struct {
	path          string
	before, after []byte // the text around the field
}

// findKind returns the file that declares the first kind of the outputs found in a package of
// the listings.
func findKind(ctx context.Context, listings []listing, outputs string) (*editedFile, error) {
	kinds, err := kindsOf(outputs)
	if err != nil {
		return nil, err
	}
	// In most modules, files with kinds come first, so few files are read.
	declares := regexp.MustCompile(`(?m)^(?:type|\t)[ \t]*(` + strings.Join(kinds, "|") + `)\s+struct \{\n`)
	for _, l := range listings {
		const format = `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}`
		out, err := goCommand(ctx, l.dir, append([]string{"list", "-f", format}, l.patterns...)...)
		if err != nil {
			return nil, err
		}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if at := declares.FindIndex(source); at != nil {
				return &editedFile{name, source[:at[1]], source[at[1]:]}, nil
			}
		}
	}
	return nil, errors.New("no file declares a kind")
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

// edit writes the file for a round. The name of the field changes as well, because
// descriptions may be dropped.
func (f *editedFile) edit(round int) error {
	field := fmt.Sprintf("\t// Round%d is what was edited.\n\t// +optional\n\tRound%d string `json:\"round%d,omitempty\"`\n\n", round, round, round)
	return os.WriteFile(f.path, bytes.Join([][]byte{f.before, f.after}, []byte(field)), 0o666)
}
