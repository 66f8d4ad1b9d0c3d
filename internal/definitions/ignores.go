package definitions

import (
	"bytes"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// The comments that ignore a finding, in YAML and in Go.
var (
	ignoreInYAML = lazyregexp.New(`#\s*schemagen:(ignore|ignore-file)(?:\s+(\S+))?(?:\s+(\S.*))?$`)
	ignoreInGo   = lazyregexp.New(`//\s*schemagen:(ignore|ignore-file)(?:\s+(\S+))?(?:\s+(\S.*))?$`)
)

// Ignore is a comment that ignores findings with a code: on its own line and the next one, or
// in the whole file.
type Ignore struct {
	Pos    diag.Position
	Code   string
	Reason string
	// Used is set once the comment has suppressed a finding.
	Used      bool
	wholeFile bool
}

// Covers reports whether the comment applies to a line of its file.
func (c *Ignore) Covers(line int) bool {
	return c.wholeFile || line == c.Pos.Line || line == c.Pos.Line+1
}

// Ignores holds the comments of files, by file name.
type Ignores map[string][]*Ignore

// Without returns the findings that no comment ignores. The comments of files that are not
// yet in the map are read and added to it.
func (m Ignores) Without(reader *inputs.Reader, findings diag.List) diag.List {
	var out diag.List
	for _, d := range findings {
		list, ok := m[d.Pos.File]
		if !ok && d.Pos.File != "" {
			data, err := reader.ReadFile(d.Pos.File, nil)
			if err != nil {
				data = nil // reported elsewhere as unreadable
			}
			list = ReadIgnores(d.Pos.File, data)
			m[d.Pos.File] = list
		}
		suppressed := false
		for _, c := range list {
			if c.Code == string(d.Code) && c.Reason != "" && c.Covers(d.Pos.Line) {
				c.Used = true
				suppressed = true
			}
		}
		if !suppressed {
			out = append(out, d)
		}
	}
	return out
}

// WithoutIgnored returns the findings without the ignored ones, except for errors, which
// cannot be ignored. Commands that write files use it. It does not report unused comments,
// because they may be meant for schemagen verify, which reports its own.
func WithoutIgnored(reader *inputs.Reader, findings diag.List) diag.List {
	var errs, rest diag.List
	for _, d := range findings {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		} else {
			rest = append(rest, d)
		}
	}
	return append(errs, Ignores{}.Without(reader, rest)...)
}

// ReadIgnores returns the ignore comments of a Go, YAML or JSON file.
func ReadIgnores(name string, data []byte) []*Ignore {
	if !bytes.Contains(data, []byte("schemagen:ignore")) {
		return nil
	}
	pattern := ignoreInYAML()
	offsets := yamltext.Comments
	if filepath.Ext(name) == ".go" {
		pattern = ignoreInGo()
		offsets = goComments
	}
	text := string(data)
	var out []*Ignore
	line := 1
	start := 0 // from is the offset up to which lines are counted
	for _, offset := range offsets(text) {
		comment, _, _ := strings.Cut(text[offset:], "\n")
		comment = strings.TrimRight(comment, "\r \t")
		location := pattern.FindStringSubmatchIndex(comment)
		if location == nil {
			continue
		}
		group := pattern.FindStringSubmatch(comment)
		line += strings.Count(text[start:offset], "\n")
		start = offset
		out = append(out, &Ignore{
			Pos: diag.Position{File: name, Line: line,
				Column: offset - strings.LastIndexByte(text[:offset], '\n') + location[0]},
			Code: group[2], wholeFile: group[1] == "ignore-file", Reason: group[3],
		})
	}
	return out
}

// goComments returns the offsets of the comments of Go source that end with their line.
func goComments(text string) (out []int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return out
		case tok == token.COMMENT && strings.HasPrefix(literal, "//"):
			out = append(out, file.Offset(pos))
		}
	}
}

// Invalid reports mistakes in the comments. isCode reports whether a code exists.
func (m Ignores) Invalid(isCode func(string) bool) diag.List {
	var out diag.List
	for _, list := range m {
		for _, c := range list {
			message := ""
			switch {
			case c.Code == "":
				message = "schemagen:ignore must have a code and a reason"
			case isChange(c.Code):
			case !isCode(c.Code):
				message = "schemagen:ignore: unknown code " + c.Code
			case c.Reason == "":
				message = "schemagen:ignore " + c.Code + " must have a reason"
			case !c.Used:
				message = "schemagen:ignore " + c.Code + " matches no finding"
			}
			if message != "" {
				out = append(out, idleComment.At(c.Pos, "", "%s", message))
			}
		}
	}
	return out
}
