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
		type handed struct {
			value T
			panic *Panic
		}
		results := make([]chan handed, most)
		start := func(i int) {
			result := make(chan handed, 1)
			results[i%most] = result
			go func() {
				var out handed
				out.panic = Catch(func() { out.value = do(i) })
				result <- out
			}()
		}
		for i := range most {
			start(i)
		}
		for i := range n {
			result := <-results[i%most]
			if next := i + most; next < n {
				start(next)
			}
			result.panic.Raise()
			if !yield(i, result.value) {
				return
			}
		}
	}
}
