package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/inputs"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/verify"
)

// allowedInGo marks changes that markers in Go allow: in NEW, or in the packages that it
// was made of. It returns what is wrong with markers.
func allowedInGo(changes []compare.Change, news, sources []*verify.Subject) (diag.List, error) {
	waivers, err := generator.NewWaivers(inputs.New())
	if err != nil {
		return nil, err
	}
	used := map[*generator.Waiver]bool{}
	for i := range changes {
		c := &changes[i]
		source, path := sourceOf(c, news, sources)
		if source == nil {
			continue
		}
		found, err := waivers.At(placesOnWay(source, path))
		if err != nil {
			return nil, err
		}
		for _, w := range found {
			if w.Kind == string(c.Kind) && w.Reason != "" {
				c.Waived, used[w] = w.Reason, true
				break
			}
		}
	}
	// What nobody needs any more is found in the packages of the kinds.
	for _, s := range sources {
		for i := range s.CRD.Spec.Versions {
			pos, _ := s.Place(fmt.Sprintf("spec.versions[%d]", i))
			if _, err := waivers.At([]diag.Position{pos}); err != nil {
				return nil, err
			}
		}
	}
	var out diag.List
	for _, w := range waivers.All() {
		if d, ok := wrongWaiver(w.Kind, w.Reason, used[w]); ok {
			d.Pos = w.Pos
			out = append(out, d)
		}
	}
	return out, nil
}

// wrongWaiver says what is wrong with a comment that allows a kind of change.
func wrongWaiver(kind, reason string, used bool) (diag.Diagnostic, bool) {
	d := diag.Diagnostic{Code: compare.CodeWaiver, Severity: diag.Error}
	switch {
	case !isForDiff(kind):
		d.Message, d.Hint = fmt.Sprintf("there is no kind of change %q", kind), "docs/diff.md lists them"
		if near, ok := markers.Nearest(kind, kindNames()); ok {
			d.Hint = "did you mean " + near + "?"
		}
	case reason == "":
		d.Message = fmt.Sprintf("to allow %s needs a reason", kind)
	case !used:
		d.Severity, d.Message = diag.Warning, fmt.Sprintf("%s is allowed, but there is no such change here", kind)
	default:
		return d, false
	}
	return d, true
}

func kindNames() (out []string) {
	for _, kind := range compare.Kinds() {
		out = append(out, string(kind))
	}
	return out
}

// sourceOf is the definition in Go of a change, with its path there; nil if there is none.
func sourceOf(c *compare.Change, news, sources []*verify.Subject) (*verify.Subject, string) {
	named := func(list []*verify.Subject) *verify.Subject {
		for _, s := range list {
			if s.CRD.Name == c.Definition {
				return s
			}
		}
		return nil
	}
	source, path := named(sources), c.NewPath
	if source == nil {
		return nil, ""
	}
	// The versions may stand in another order there.
	if new := named(news); new != nil && new != source {
		for i, v := range new.CRD.Spec.Versions {
			rest, ok := strings.CutPrefix(path, fmt.Sprintf("spec.versions[%d]", i))
			at := slices.IndexFunc(source.CRD.Spec.Versions, func(o apiextensionsv1.CustomResourceDefinitionVersion) bool { return o.Name == v.Name })
			if ok && at >= 0 {
				return source, fmt.Sprintf("spec.versions[%d]", at) + rest
			}
		}
	}
	return source, path
}

// placesOnWay are the places of a path and of all that it leads through.
func placesOnWay(s *verify.Subject, path string) []diag.Position {
	var out []diag.Position
	for i := range path {
		for _, step := range []string{".schema", ".properties[", ".items", ".additionalProperties"} {
			if strings.HasPrefix(path[i:], step) {
				pos, _ := s.Place(path[:i])
				out = append(out, pos)
				break
			}
		}
	}
	pos, related := s.Place(path)
	out = append(out, pos)
	for _, r := range related {
		out = append(out, r.Pos)
	}
	return out
}

// allowedInFiles marks changes that comments in the files of NEW allow: # schemagen:ignore
// KIND reason on the line of the change or above it, or a code instead of the kind. It
// returns what is wrong with such comments; other codes are meant for schemagen verify.
func allowedInFiles(changes []compare.Change, news []*verify.Subject) diag.List {
	comments := map[string][]*ignoring{}
	var names []string
	note := func(pos diag.Position) {
		if _, known := comments[pos.File]; known || pos.File == "" || pos.File == "-" {
			return
		}
		data, err := os.ReadFile(pos.File)
		if err != nil {
			data = nil // it is in a commit
		}
		comments[pos.File] = readIgnores(pos.File, data)
		names = append(names, pos.File)
	}
	for _, s := range news {
		pos, _ := s.Place("")
		note(pos)
	}
	for i := range changes {
		c := &changes[i]
		code := string(c.Diagnostic(false).Code)
		for _, comment := range comments[c.NewPos.File] {
			if (comment.code == string(c.Kind) || comment.code == code) && comment.reason != "" && (comment.whole || c.NewPos.Line == comment.pos.Line || c.NewPos.Line == comment.pos.Line+1) {
				c.Waived, comment.used = comment.reason, true
			}
		}
	}
	var out diag.List
	for _, name := range names {
		for _, comment := range comments[name] {
			if isCode(comment.code) && !isForDiff(comment.code) {
				continue
			}
			if d, ok := wrongWaiver(comment.code, comment.reason, comment.used); ok {
				d.Pos = comment.pos
				out = append(out, d)
			}
		}
	}
	return out
}
