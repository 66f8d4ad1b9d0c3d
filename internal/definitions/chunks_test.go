package definitions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/crd"
)

func TestSplitChunks(t *testing.T) {
	long := strings.Repeat("x", chunkBytes)
	for _, test := range []struct {
		name, text string
		want       []int // lines at which chunks begin
	}{
		{"empty", "", nil},
		{"small documents are together", "a: 1\n---\nb: 1\n", []int{0}},
		{"long documents are apart", "a: " + long + "\n---\nb: 1\n--- # c\nc: " + long + "\n---\nd: 1", []int{0, 1, 5}},
		{"comments and directives stay", "# " + long + "\n%YAML 1.2\n---\na: 1\n", []int{0}},
		{"dashes inside of a line", "a: |\n  ---\n  " + long + "\n  ---\n---x: 1\n", []int{0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var lines []int
			var joined strings.Builder
			err := Source{}.split(strings.NewReader(test.text), func(c crd.File) bool {
				if got := strings.Count(joined.String(), "\n"); got != c.LineOffset {
					t.Errorf("got line %d, want %d", got, c.LineOffset)
				}
				lines = append(lines, c.LineOffset)
				joined.Write(c.Data)
				return true
			})
			if err != nil || joined.String() != test.text || fmt.Sprint(lines) != fmt.Sprint(test.want) {
				t.Errorf("got chunks at lines %v, want %v; error %v", lines, test.want, err)
			}
		})
	}
}
