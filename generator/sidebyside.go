package generator

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// sideBySide does n things, as many at once as there are processors. Each of those
// who do them has a function of its own.
func sideBySide(n int, worker func() func(i int)) {
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
