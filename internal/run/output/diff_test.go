package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// numbered returns the lines "line 1" to "line <n>", each replaced by the result of change
// unless that is "=".
func numbered(n int, change func(i int) string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		text := change(i)
		if text == "=" {
			text = fmt.Sprintf("line %d\n", i)
		}
		b.WriteString(text)
	}
	return b.String()
}

func TestCommitDiffs(t *testing.T) {
	unchanged := func(int) string { return "=" }
	commitTree(t, map[string]string{
		"crds/hunks.yaml": numbered(30, unchanged),
		"same.yaml":       "same\n",
		"no-newline.yaml": "a\nb",
		"emptied.yaml":    "a\nb\n",
		"filled.yaml":     "",
	})
	before := treeState(t)
	abs, err := filepath.Abs("abs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	outputs := outputsOf(
		filepath.Join("crds", "hunks.yaml"), numbered(30, func(i int) string {
			switch i {
			case 3, 10:
				return "changed\n"
			case 18:
				return "too\n"
			case 29:
				return ""
			}
			return "="
		}),
		"same.yaml", "same\n",
		"./new/dir/new.yaml", "a: 1\nb: 2\n",
		"no-newline.yaml", "a\nb\n",
		"emptied.yaml", "",
		"filled.yaml", "c",
		abs, "",
	)
	const want = `--- a/crds/hunks.yaml
+++ b/crds/hunks.yaml
@@ -1,13 +1,13 @@
 line 1
 line 2
-line 3
+changed
 line 4
 line 5
 line 6
 line 7
 line 8
 line 9
-line 10
+changed
 line 11
 line 12
 line 13
@@ -15,7 +15,7 @@
 line 15
 line 16
 line 17
-line 18
+too
 line 19
 line 20
 line 21
@@ -26,5 +26,4 @@
 line 26
 line 27
 line 28
-line 29
 line 30
--- /dev/null
+++ b/new/dir/new.yaml
@@ -0,0 +1,2 @@
+a: 1
+b: 2
--- a/no-newline.yaml
+++ b/no-newline.yaml
@@ -1,2 +1,2 @@
 a
-b
\ No newline at end of file
+b
--- a/emptied.yaml
+++ b/emptied.yaml
@@ -1,2 +0,0 @@
-a
-b
--- a/filled.yaml
+++ b/filled.yaml
@@ -0,0 +1 @@
+c
\ No newline at end of file
`
	wantAbs := "--- /dev/null\n+++ b/" + strings.TrimPrefix(filepath.ToSlash(abs), "/") + "\n"
	for _, mode := range []Mode{Check, Diff} {
		var stdout bytes.Buffer
		changed, err := here().Commit(t.Context(), outputs, mode, &stdout)
		if err != nil {
			t.Fatal(err)
		}
		wantChanged(t, changed, filepath.Join("crds", "hunks.yaml"), "./new/dir/new.yaml", "no-newline.yaml", "emptied.yaml", "filled.yaml", abs)
		if got := stdout.String(); got != want+wantAbs {
			t.Errorf("mode %d: got\n%s\nwant\n%s", mode, got, want+wantAbs)
		}
		wantState(t, before)
	}

	changed, err := here().Commit(t.Context(), outputsOf("same.yaml", "same\n"), Check, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, changed)
	if _, err := here().Commit(t.Context(), outputsOf("crds", ""), Check, io.Discard); err == nil {
		t.Error("got no error for a directory")
	}
	if _, err := here().Commit(t.Context(), outputs, Diff, brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got error %v", err)
	}
}

// allDiffLines calls diffLines for complete texts.
func allDiffLines(a, b []string) []lcs.Diff {
	return diffLines(nil, a, b, lcs.Diff{End: len(a), ReplEnd: len(b)}, maxDiffDepth)
}

// TestDiffLinesOfManyChanges counts the differing lines of texts with more changes than
// the lcs package supports.
func TestDiffLinesOfManyChanges(t *testing.T) {
	unchanged := func(int) string { return "=" }
	tests := map[string]struct {
		change     func(i int) string
		dels, adds int
	}{
		"a tenth of the lines": {
			func(i int) string {
				if i%10 == 0 {
					return fmt.Sprintf("changed %d\n", i)
				}
				return "="
			}, 600, 600,
		},
		"two long insertions": {
			func(i int) string {
				if i == 1000 || i == 5000 {
					return strings.Repeat("type: string\n", 300)
				}
				return "="
			}, 2, 600,
		},
		"two long deletions": {
			func(i int) string {
				if i > 1000 && i <= 1300 || i > 5000 && i <= 5300 {
					return ""
				}
				return "="
			}, 600, 0,
		},
		"everything": {func(i int) string { return fmt.Sprintf("changed %d\n", i) }, 6000, 6000},
		"nothing":    {unchanged, 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := strings.SplitAfter(numbered(6000, unchanged), "\n")
			b := strings.SplitAfter(numbered(6000, test.change), "\n")
			dels, adds := 0, 0
			for _, d := range allDiffLines(a, b) {
				dels += d.End - d.Start
				adds += d.ReplEnd - d.ReplStart
			}
			if dels != test.dels || adds != test.adds {
				t.Errorf("got -%d +%d lines, want -%d +%d", dels, adds, test.dels, test.adds)
			}
		})
	}
}

// TestDiffLinesWithoutEqualLines has a region that is too large to be searched.
func TestDiffLinesWithoutEqualLines(t *testing.T) {
	a := make([]string, maxDiffLines/2+3)
	b := make([]string, maxDiffLines/2+3)
	for i := range a {
		a[i], b[i] = "x\n", []string{"x\n", "y\n"}[i%2]
	}
	b[0] = "y\n"
	got := allDiffLines(a, b)
	// Only the equal end is found.
	want := lcs.Diff{End: len(a) - 1, ReplEnd: len(b) - 1}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %d differences, want %v", len(got), want)
	}
}

// TestDiffLinesIsCorrect checks random differences: applied to the old lines they
// result in the new ones, and they are not adjacent.
func TestDiffLinesIsCorrect(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		words := []int{2, 5, 50, 1000}[random.IntN(4)]
		word := func() string { return fmt.Sprintf("%d\n", random.IntN(words)) }
		var a, b []string
		for range random.IntN(300) {
			a = append(a, word())
		}
		for _, line := range a {
			switch random.IntN(20) {
			case 0:
			case 1:
				b = append(b, line, word())
			case 2:
				b = append(b, word())
			case 3:
				for range random.IntN(80) {
					b = append(b, word())
				}
			default:
				b = append(b, line)
			}
		}
		var got []string
		next := 0
		for i, d := range allDiffLines(a, b) {
			if d.Start < next || i > 0 && d.Start == next {
				t.Fatalf("run %d: difference %v is adjacent to the next one at %d", n, d, next)
			}
			got = append(append(got, a[next:d.Start]...), b[d.ReplStart:d.ReplEnd]...)
			next = d.End
		}
		got = append(got, a[next:]...)
		if strings.Join(got, "") != strings.Join(b, "") {
			t.Fatalf("run %d: differences applied to a do not result in b", n)
		}
	}
}
