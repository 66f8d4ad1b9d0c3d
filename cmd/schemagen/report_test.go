package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal"
)

// newTestConsole returns a console that nobody reads.
func newTestConsole() *terminal.Console {
	return terminal.NewConsole(io.Discard, io.Discard, time.Now())
}

// TestFold checks for every list that only warnings with a key are folded, each of them is
// counted, the order is kept, and no two printed warnings have the same key.
func TestFold(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var list diag.List
		for range random.IntN(20) {
			d := diag.Diagnostic{
				Code:     []diag.Code{"SG217", "SG311", "SG605", "SG303", "SG601"}[random.IntN(5)],
				Severity: []diag.Severity{diag.Warning, diag.Error}[random.IntN(2)],
				Pos:      diag.Position{File: fmt.Sprintf("%c/%d.go", 'a'+random.IntN(2), random.IntN(2)), Line: random.IntN(9)},
				Message:  fmt.Sprint("m", random.IntN(2)),
			}
			if random.IntN(9) == 0 {
				d.Pos = diag.Position{}
			}
			list = append(list, d)
		}
		got := list.Fold(project.FoldedBy)
		keys, rest := map[string]bool{}, 0
		next := 0
		for _, d := range got {
			message, more, folded := strings.Cut(d.Message, " (and ")
			n := 0
			if folded {
				if _, err := fmt.Sscan(more, &n); err != nil {
					t.Fatal(err)
				}
			}
			rest += n
			d.Message = message
			key, ok := project.FoldedBy(d)
			if ok && keys[key] || n > 0 && !ok {
				t.Fatalf("%v\nof\n%v", got, list)
			}
			keys[key] = keys[key] || ok
			for list[next].Code != d.Code || list[next].Pos != d.Pos || list[next].Message != d.Message || list[next].Severity != d.Severity {
				if key, ok := project.FoldedBy(list[next]); !ok || !keys[key] {
					t.Fatalf("want %v in\n%v", list[next], got)
				}
				next++
			}
			next++
		}
		if len(got)+rest != len(list) {
			t.Fatalf("%d and %d of %d:\n%v\n%v", len(got), rest, len(list), got, list)
		}
	}
}
