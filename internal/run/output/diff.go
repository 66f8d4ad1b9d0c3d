package output

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// printDiffs prints a unified diff, from the file on disk to the output, for all targets.
func printDiffs(ctx context.Context, stdout io.Writer, targets []*target) error {
	w := newDiffWriter(stdout, screen.PaintOf(stdout))
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.exists && t.info.Mode().Perm() != t.perm {
			w.line(screen.Bold, "chmod -x "+screen.Line(t.Path))
		}
		if !t.exists || !bytes.Equal(t.old, t.Data) {
			w.print(t.Path, t.old, t.Data, t.exists)
		}
	}
	return w.Flush()
}

// PrintDiff prints a unified diff of the old and the new content of a file.
func PrintDiff(out io.Writer, paint screen.Paint, path string, old, current []byte) error {
	w := newDiffWriter(out, paint)
	w.print(path, old, current, true)
	return w.Flush()
}

// PrintFull prints all lines of the old and the new text, each after a mark that tells which
// of them has it.
func PrintFull(out *bytes.Buffer, paint screen.Paint, old, current []byte) {
	a := slices.Collect(strings.Lines(string(old)))
	b := slices.Collect(strings.Lines(string(current)))
	put := func(mark string, style screen.Style, lines []string) {
		for _, line := range lines {
			line, ended := strings.CutSuffix(line, "\n")
			out.WriteString(paint.Text(style, mark+screen.Lines(line)))
			if ended {
				out.WriteByte('\n')
			}
		}
	}
	next := 0
	for _, d := range DiffLines(a, b) {
		put("  ", screen.Plain, a[next:d.Start])
		put("- ", screen.Red, a[d.Start:d.End])
		put("+ ", screen.Green, b[d.ReplStart:d.ReplEnd])
		next = d.End
	}
	put("  ", screen.Plain, a[next:])
}

// diffWriter prints diffs. Errors are sticky.
type diffWriter struct {
	*bufio.Writer
	paint screen.Paint
}

func newDiffWriter(out io.Writer, paint screen.Paint) diffWriter {
	return diffWriter{bufio.NewWriter(out), paint}
}

func (w diffWriter) print(path string, old, current []byte, exists bool) {
	// As in git, "a/" replaces the leading slash of an absolute path.
	name := screen.Line(strings.TrimPrefix(filepath.ToSlash(filepath.Clean(path)), "/"))
	origin := "/dev/null"
	if exists {
		origin = "a/" + name
	}
	w.line(screen.Bold, "--- "+origin)
	w.line(screen.Bold, "+++ b/"+name)
	a := slices.Collect(strings.Lines(string(old)))
	b := slices.Collect(strings.Lines(string(current)))
	w.hunks(a, b, DiffLines(a, b))
}

// line prints a line in a style.
func (w diffWriter) line(style screen.Style, text string) {
	w.WriteString(w.paint.Text(style, text) + "\n")
}

const (
	// maxDiffDepth bounds the recursion in which unique lines divide a region.
	maxDiffDepth = 8
	// maxDiffLines is the size of a region, in lines of both sides, beyond which it
	// is not searched for equal lines.
	maxDiffLines = 1 << 20
)

// DiffLines returns the line differences of two files, in order.
func DiffLines(a, b []string) []lcs.Diff {
	return diffLines(nil, a, b, lcs.Diff{End: len(a), ReplEnd: len(b)}, maxDiffDepth)
}

// diffLines appends the differences of a and b inside region to diffs. They are in order,
// with equal lines between any two.
//
// The lcs package gives up after 50 edits from either end and treats everything between as
// different. So the region is first divided at lines that are unique on both sides. That
// also makes it fast for files of any size; the price is that the result is not always the
// shortest.
func diffLines(diffs []lcs.Diff, a, b []string, region lcs.Diff, depth int) []lcs.Diff {
	r := region
	for r.Start < r.End && r.ReplStart < r.ReplEnd && a[r.Start] == b[r.ReplStart] {
		r.Start++
		r.ReplStart++
	}
	for r.Start < r.End && r.ReplStart < r.ReplEnd && a[r.End-1] == b[r.ReplEnd-1] {
		r.End--
		r.ReplEnd--
	}
	dels := r.End - r.Start
	adds := r.ReplEnd - r.ReplStart
	if dels == 0 && adds == 0 {
		return diffs
	}
	if dels == 0 || adds == 0 {
		return append(diffs, r)
	}
	if depth > 0 {
		if anchors := diffAnchors(a, b, r); len(anchors) > 0 {
			for _, diff := range anchors {
				// An anchor is the equal line at the beginning of the part after it.
				part := lcs.Diff{Start: r.Start, End: diff.Start, ReplStart: r.ReplStart, ReplEnd: diff.ReplStart}
				diffs = diffLines(diffs, a, b, part, depth-1)
				r.Start = diff.Start
				r.ReplStart = diff.ReplStart
			}
			return diffLines(diffs, a, b, r, depth-1)
		}
	}
	if dels+adds > maxDiffLines {
		return append(diffs, r)
	}
	for _, d := range lcs.DiffLines(a[r.Start:r.End], b[r.ReplStart:r.ReplEnd]) {
		diffs = append(diffs, lcs.Diff{
			Start: d.Start + r.Start, End: d.End + r.Start,
			ReplStart: d.ReplStart + r.ReplStart, ReplEnd: d.ReplEnd + r.ReplStart,
		})
	}
	return diffs
}

// diffAnchors returns the positions of lines that occur once on each side of the region:
// the longest sequence that has the same order on both sides.
func diffAnchors(a, b []string, r lcs.Diff) []lcs.Diff {
	type place struct{ inA, inB, a, b int }
	places := make(map[string]place)
	for i, line := range a[r.Start:r.End] {
		p := places[line]
		places[line] = place{inA: p.inA + 1, a: r.Start + i}
	}
	for i, line := range b[r.ReplStart:r.ReplEnd] {
		if p, ok := places[line]; ok {
			p.inB = p.inB + 1
			p.b = r.ReplStart + i
			places[line] = p
		}
	}
	var unique []lcs.Diff
	for _, line := range a[r.Start:r.End] {
		if p := places[line]; p.inA == 1 && p.inB == 1 {
			unique = append(unique, lcs.Diff{Start: p.a, ReplStart: p.b})
		}
	}
	// This is the longest increasing subsequence: ends[n] is the index of the smallest
	// end of one with n+1 elements, prev the predecessor of each element.
	var ends []int
	prev := make([]int, len(unique))
	for i, u := range unique {
		n := sort.Search(len(ends), func(n int) bool { return unique[ends[n]].ReplStart > u.ReplStart })
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
		if n > 0 {
			prev[i] = ends[n-1]
		}
	}
	if len(ends) == 0 {
		return nil
	}
	anchors := make([]lcs.Diff, len(ends))
	last := ends[len(ends)-1]
	for n := range slices.Backward(anchors) {
		anchors[n] = unique[last]
		last = prev[last]
	}
	return anchors
}

// hunks prints the diffs of the lines a and b with lines of context. It replaces
// udiff.ToUnified, which computes wrong line numbers for the new file after a hunk of two
// changes and is quadratic.
func (w diffWriter) hunks(a, b []string, diffs []lcs.Diff) {
	const margin = 3
	for len(diffs) > 0 {
		n := 1
		for n < len(diffs) && diffs[n].Start-diffs[n-1].End <= 2*margin {
			n++
		}
		first := diffs[0]
		last := diffs[n-1]
		start := min(margin, first.Start)
		current := min(margin, len(a)-last.End)
		w.line(screen.Cyan, fmt.Sprintf("@@ -%s +%s @@",
			hunkRange(first.Start-start, last.End+current), hunkRange(first.ReplStart-start, last.ReplEnd+current)))
		next := first.Start - start
		for _, d := range diffs[:n] {
			w.lines(screen.Plain, ' ', a[next:d.Start])
			w.lines(screen.Red, '-', a[d.Start:d.End])
			w.lines(screen.Green, '+', b[d.ReplStart:d.ReplEnd])
			next = d.End
		}
		w.lines(screen.Plain, ' ', a[next:last.End+current])
		diffs = diffs[n:]
	}
}

// hunkRange formats the lines start to end, counted from 0, for a hunk header.
func hunkRange(start, end int) string {
	switch end - start {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, end-start)
	}
}

// lines prints lines in a style, each prefixed with kind.
func (w diffWriter) lines(style screen.Style, kind byte, lines []string) {
	for _, line := range lines {
		line, ended := strings.CutSuffix(line, "\n")
		w.line(style, string(kind)+line)
		if !ended {
			w.WriteString("\\ No newline at end of file\n")
		}
	}
}
