package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/inputs"
)

// ignoreComment is a comment that takes a finding back, in Go or YAML.
var ignoreComment = regexp.MustCompile(`(?:#|//)\s*schemagen:(ignore|ignore-file)(?:\s+(\S+))?(?:\s+(\S.*))?$`)

// ignoring is one such comment.
type ignoring struct {
	pos    diag.Position
	code   string
	whole  bool // file
	reason string
	used   bool
}

// ignored returns the findings without those that comments in their files take
// back, with what is wrong with the comments themselves. The comments of files
// that are not among those given are read.
func ignored(findings diag.List, comments map[string][]*ignoring) diag.List {
	out := takenBack(nil, findings, comments)
	for _, list := range comments {
		for _, c := range list {
			if message := c.problem(); message != "" {
				out = append(out, diag.Diagnostic{Code: codeIgnore, Severity: diag.Warning, Pos: c.pos, Message: message})
			}
		}
	}
	return out
}

// withoutIgnored is for commands that write: what comments take back is left out
// unless it is an error. Comments that take nothing back may be meant for
// schemagen verify, which says what is wrong with them.
func withoutIgnored(in *inputs.Reader, findings diag.List) diag.List {
	var errs, others diag.List
	for _, d := range findings {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		} else {
			others = append(others, d)
		}
	}
	return append(errs, takenBack(in, others, map[string][]*ignoring{})...)
}

func takenBack(in *inputs.Reader, findings diag.List, comments map[string][]*ignoring) diag.List {
	var out diag.List
	for _, d := range findings {
		list, ok := comments[d.Pos.File]
		if !ok && d.Pos.File != "" {
			data, err := in.ReadFile(d.Pos.File, nil)
			if err != nil {
				data = nil // it was reported as unreadable
			}
			list = readIgnores(d.Pos.File, data)
			comments[d.Pos.File] = list
		}
		taken := false
		for _, c := range list {
			if c.code == string(d.Code) && c.reason != "" && (c.whole || d.Pos.Line == c.pos.Line || d.Pos.Line == c.pos.Line+1) {
				c.used, taken = true, true
			}
		}
		if !taken {
			out = append(out, d)
		}
	}
	return out
}

func readIgnores(name string, data []byte) []*ignoring {
	if !bytes.Contains(data, []byte("schemagen:ignore")) {
		return nil
	}
	var out []*ignoring
	n := 0
	for line := range bytes.Lines(data) {
		n++
		text := strings.TrimRight(string(line), "\r\n \t")
		at := ignoreComment.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		group := ignoreComment.FindStringSubmatch(text)
		out = append(out, &ignoring{
			pos:  diag.Position{File: name, Line: n, Column: at[0] + 1},
			code: group[2], whole: group[1] == "ignore-file", reason: group[3],
		})
	}
	return out
}

// isCode reports whether there is such a code.
func isCode(text string) bool {
	return slices.ContainsFunc(codes(), func(info diag.CodeInfo) bool { return string(info.Code) == text })
}

// isForDiff reports whether a comment with the word is meant for schemagen diff: it is a
// kind of change, or a code of changes.
func isForDiff(word string) bool {
	return slices.Contains(compare.Kinds(), compare.Kind(word)) ||
		slices.ContainsFunc(compare.Codes(), func(info diag.CodeInfo) bool { return string(info.Code) == word })
}

// problem says what is wrong with a comment; empty if nothing is.
func (c *ignoring) problem() string {
	switch {
	case c.code == "":
		return "schemagen:ignore needs a code and a reason"
	case isForDiff(c.code):
		return ""
	case !isCode(c.code):
		return "schemagen:ignore: there is no code " + c.code
	case c.reason == "":
		return "schemagen:ignore " + c.code + " needs a reason"
	case !c.used:
		return "schemagen:ignore " + c.code + " has nothing to ignore"
	}
	return ""
}
