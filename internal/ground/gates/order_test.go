package gates_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/gates"
)

// TestSteps compares the steps between random sets with their definition.
func TestSteps(t *testing.T) {
	steps := 0
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 22))
		sets := make([]gates.Set, r.IntN(9))
		for i := range sets {
			for range r.IntN(4) {
				sets[i] = append(sets[i], []string{"A", "B", "C", "D", "!A", "!B", "*", "!*", "!"}[r.IntN(9)])
			}
		}
		below := func(i, j int) bool { return sets[i].Within(sets[j]) && !sets[j].Within(sets[i]) }
		var want [][2]int
		for i := range sets {
			for j := range sets {
				isBetween := func(k int) bool { return below(i, k) && below(k, j) }
				if below(i, j) && !slices.ContainsFunc(indexes(sets), isBetween) {
					want = append(want, [2]int{i, j})
				}
			}
		}
		if got := gates.Steps(sets); !slices.Equal(got, want) {
			t.Errorf("Steps(%q) = %v, want %v", sets, got, want)
		}
		steps += len(want)
	}
	if steps < 300 {
		t.Errorf("there are only %d steps", steps)
	}
}

func indexes(sets []gates.Set) (out []int) {
	for i := range sets {
		out = append(out, i)
	}
	return out
}
