// Package parallel runs loops on all processors.
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
// function of its own, from worker, which is called on the caller's goroutine.
func Workers(n int, worker func() func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		do := worker()
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}
