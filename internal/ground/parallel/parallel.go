package parallel

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls do for 0 to n-1 on GOMAXPROCS goroutines. It returns all errors, joined in that
// order, so that what is reported does not depend on which goroutine was first.
func Do(n int, do func(i int) error) error {
	errs := make([]error, n)
	Workers(n, func() func(int) { return func(i int) { errs[i] = do(i) } })
	return errors.Join(errs...)
}

// Workers calls functions for 0 to n-1 on GOMAXPROCS goroutines. Each goroutine has a
// function of its own, from worker, which is called on the caller's goroutine. Of several panics,
// that of the lowest number is raised.
func Workers(n int, worker func() func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	goroutines := min(runtime.GOMAXPROCS(0), n)
	panics := make([]*Panic, goroutines)
	last := make([]int, goroutines)
	for g := range goroutines {
		do := worker()
		workers.Go(func() {
			panics[g] = Catch(func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					last[g] = i
					do(i)
				}
			})
		})
	}
	workers.Wait()
	var first *Panic
	lowest := n
	for g, p := range panics {
		if p != nil && last[g] < lowest {
			first = p
			lowest = last[g]
		}
	}
	first.Raise()
}
