package definitions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// Allow marks the changes that comments allow: markers in Go, which sources were generated
// from, and # schemagen:ignore comments in the files of the new definitions. It returns
// findings about invalid and unused comments. Comments with other codes for which known
// returns true are skipped; they are meant for schemagen verify. place returns where a file is
// that may be one of a commit; nil if none is.
func Allow(
	ctx context.Context, changes []compare.Change, news, sources []*crd.Definition, known func(code string) bool, place func(file string) string,
) (diag.List, error) {
	if place == nil {
		place = func(file string) string { return file }
	}
	findings, err := allowedInGo(ctx, changes, news, sources, place)
	if err != nil {
		return nil, err
	}
	return append(findings, allowedInFiles(changes, news, known, place)...), nil
}

// allowedInGo is [AllowInGo] that returns findings about invalid and unused markers. The changes
// may be between files that were generated from sources.
func allowedInGo(
	ctx context.Context, changes []compare.Change, news, sources []*crd.Definition, place func(file string) string,
) (diag.List, error) {
	waivers, err := newGoWaivers(inputs.New())
	if err != nil {
		return nil, err
	}
	waivers.place = place
	used, err := waivers.allow(ctx, changes, news, sources, "")
	if err != nil {
		return nil, err
	}
	// Unused markers are found by reading the packages of all kinds.
	for _, s := range sources {
		for i := range s.CRD.Spec.Versions {
			pos, _ := s.Position(fmt.Sprintf("spec.versions[%d]", i))
			if _, err := waivers.At([]diag.Position{pos}); err != nil {
				return nil, err
			}
		}
	}
	var out diag.List
	for _, w := range waivers.All() {
		if d := invalidWaiver(w.Pos, w.Kind, w.Reason, used[w] || w.gated || w.For != ""); d != nil {
			out = append(out, *d)
		} else if w.For != "" && w.For != forChannels {
			out = append(out, UnusedWaiver.At(w.Pos, "write for=channels, or leave it out", "for=%s is not known", w.For).As(diag.Error))
		}
	}
	return out, nil
}

// forChannels is the argument for of markers that allow nothing but differences of channels.
const forChannels = "channels"

// AllowInGo marks the changes between channels that markers in Go allow, in the packages of the new definitions,
// whose files are read through reader.
func AllowInGo(ctx context.Context, reader *inputs.Reader, changes []compare.Change, news []*crd.Definition) error {
	waivers, err := newGoWaivers(reader)
	if err == nil {
		_, err = waivers.allow(ctx, changes, news, news, forChannels)
	}
	return err
}

// allow marks the changes that markers allow, for everything or for what is given, and returns
// these markers.
func (w *goWaivers) allow(ctx context.Context, changes []compare.Change, news, sources []*crd.Definition,
	what string) (used map[*goWaiver]bool, err error) {
	used = map[*goWaiver]bool{}
	known := ancestors{}
	for i := range changes {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c := &changes[i]
		source, path := sourceOf(c, news, sources)
		if source == nil {
			continue
		}
		found, err := w.At(known.positionsOnPath(source, path))
		if err != nil {
			return nil, err
		}
		for _, waiver := range found {
			if waiver.Kind == string(c.Kind) && waiver.Reason != "" && (waiver.For == "" || waiver.For == what) {
				c.Waived = waiver.Reason
				used[waiver] = true
				break
			}
		}
	}
	return used, nil
}

// invalidWaiver returns a finding if a comment that allows a kind of change is invalid or
// unused, or nil.
func invalidWaiver(pos diag.Position, kind, reason string, used bool) *diag.Diagnostic {
	var d diag.Diagnostic
	switch {
	case !isChange(kind):
		d = UnusedWaiver.At(pos, words.DidYouMean(kind, kindNames(), "docs/diff.md lists them"), "unknown kind of change %q", kind).As(diag.Error)
	case reason == "":
		d = UnusedWaiver.At(pos, "", "allowing %s requires a reason", kind).As(diag.Error)
	case !used:
		d = UnusedWaiver.At(pos, "", "unused waiver: no change of kind %s here", kind)
	default:
		return nil
	}
	return &d
}

// isChange reports whether a word is a kind of change, or the code of a diagnostic about changes.
func isChange(word string) bool {
	isCode := func(kind *diag.Kind) bool { return string(kind.Code) == word }
	return slices.Contains(compare.Kinds(), compare.Kind(word)) ||
		slices.ContainsFunc(compare.Codes(), isCode) || isCode(UnusedWaiver)
}

func kindNames() (out []string) {
	for _, kind := range compare.Kinds() {
		out = append(out, string(kind))
	}
	return out
}

// sourceOf returns the definition in Go that a change is about, and the path of the change in
// it, or nil if there is none.
func sourceOf(c *compare.Change, news, sources []*crd.Definition) (*crd.Definition, string) {
	named := func(list []*crd.Definition) *crd.Definition {
		for _, s := range list {
			if s.CRD.Name == c.Definition {
				return s
			}
		}
		return nil
	}
	source := named(sources)
	path := c.NewPath
	if source == nil {
		return nil, ""
	}
	// The versions may be in a different order in the source.
	if new := named(news); new != nil && new != source {
		for i, v := range new.CRD.Spec.Versions {
			rest, ok := strings.CutPrefix(path, fmt.Sprintf("spec.versions[%d]", i))
			index := slices.IndexFunc(source.CRD.Spec.Versions,
				func(o apiextensionsv1.CustomResourceDefinitionVersion) bool { return o.Name == v.Name })
			if ok && index >= 0 {
				return source, fmt.Sprintf("spec.versions[%d]", index) + rest
			}
		}
	}
	return source, path
}

// ancestors has the positions of paths of definitions. Changes share most of their ancestors.
type ancestors map[*crd.Definition]map[string]diag.Position

// position returns the position of a path.
func (a ancestors) position(s *crd.Definition, path string) diag.Position {
	pos, ok := a[s][path]
	if ok {
		return pos
	}
	if a[s] == nil {
		a[s] = map[string]diag.Position{}
	}
	pos, _ = s.Position(path)
	a[s][path] = pos
	return pos
}

// positionsOnPath returns the positions of a path and of all its ancestors in the schema, or nil if they
// are not in Go.
func (a ancestors) positionsOnPath(s *crd.Definition, path string) []diag.Position {
	pos, related := s.Position(path)
	if filepath.Ext(pos.File) != ".go" {
		return nil
	}
	var out []diag.Position
	for i := range path {
		for _, step := range []string{".schema", ".properties[", ".items", ".additionalProperties"} {
			if strings.HasPrefix(path[i:], step) {
				out = append(out, a.position(s, path[:i]))
				break
			}
		}
	}
	out = append(out, pos)
	for _, r := range related {
		out = append(out, r.Pos)
	}
	return out
}

// allowedInFiles marks the changes that comments in the files of NEW allow: #
// schemagen:ignore KIND reason, on the line of the change or the line above; a code may be
// used instead of KIND. It returns findings about invalid and unused comments.
func allowedInFiles(
	changes []compare.Change, news []*crd.Definition, known func(code string) bool, place func(file string) string,
) diag.List {
	comments := Ignores{}
	var names []string
	note := func(pos diag.Position) {
		if _, known := comments[pos.File]; known || pos.File == "" || pos.File == "-" {
			return
		}
		data, err := os.ReadFile(place(pos.File))
		if err != nil {
			data = nil // a Go file of another module
		}
		comments[pos.File] = ReadIgnores(pos.File, data)
		names = append(names, pos.File)
	}
	for _, s := range news {
		pos, _ := s.Position("")
		note(pos)
	}
	for i := range changes {
		c := &changes[i]
		code := string(c.Diagnostic(false).Code)
		for _, comment := range comments[c.NewPos.File] {
			if (comment.Code == string(c.Kind) || comment.Code == code) && comment.Reason != "" && comment.Covers(c.NewPos.Line) {
				c.Waived = comment.Reason
				comment.Used = true
			}
		}
	}
	var out diag.List
	for _, name := range names {
		for _, comment := range comments[name] {
			if known(comment.Code) && !isChange(comment.Code) {
				continue
			}
			if d := invalidWaiver(comment.Pos, comment.Code, comment.Reason, comment.Used); d != nil {
				out = append(out, *d)
			}
		}
	}
	return out
}
