package parallel

import (
	"iter"
	"runtime"
)

// Ahead yields the results of do for 0 to n-1, in that order. Meanwhile, GOMAXPROCS goroutines
// compute the next ones, and no more of them, so that few results are held at a time.
func Ahead[T any](n int, do func(i int) T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		most := min(runtime.GOMAXPROCS(0), n)
		// A result is computed and handed over in the place of the one most before it.
		results := make([]chan T, most)
		start := func(i int) {
			result := make(chan T, 1)
			results[i%most] = result
			go func() { result <- do(i) }()
		}
		for i := range most {
			start(i)
		}
		for i := range n {
			result := <-results[i%most]
			if next := i + most; next < n {
				start(next)
			}
			if !yield(i, result) {
				return
			}
		}
	}
}
