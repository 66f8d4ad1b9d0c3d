package parallel

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDo checks that each index is called once, and that errors are joined in the order of
// the indexes.
func TestDo(t *testing.T) {
	const n = 100
	var calls [n]atomic.Int32
	err := Do(n, func(i int) error {
		calls[i].Add(1)
		if i%40 == 9 { // the first may come last
			runtime.Gosched()
			return fmt.Errorf("failed at %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "failed at 9\nfailed at 49\nfailed at 89" {
		t.Errorf("got error %v", err)
	}
	for i := range calls {
		if got := calls[i].Load(); got != 1 {
			t.Errorf("got %d calls for index %d, want 1", got, i)
		}
	}
	if err := Do(0, func(int) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
}

// TestWorkers checks that no more functions are created than there are indexes or processors.
func TestWorkers(t *testing.T) {
	for n := range 2 * runtime.GOMAXPROCS(0) {
		made, called := 0, atomic.Int32{}
		Workers(n, func() func(int) {
			made++
			return func(int) { called.Add(1) }
		})
		if made != min(n, runtime.GOMAXPROCS(0)) || int(called.Load()) != n {
			t.Errorf("n = %d: got %d functions, %d calls", n, made, called.Load())
		}
	}
}

// TestAhead checks the order, that results are computed before they are wanted, and how many
// there may be.
func TestAhead(t *testing.T) {
	const n = 20
	most := runtime.GOMAXPROCS(0)
	var begun atomic.Int32
	next := 0
	for i, square := range Ahead(n, func(i int) int { begun.Add(1); return i * i }) {
		if i != next || square != i*i {
			t.Errorf("got %d at %d, want %d at %d", square, i, next*next, next)
		}
		if ahead := int(begun.Load()) - 1 - i; ahead > most {
			t.Errorf("%d computed ahead, want %d at most", ahead, most)
		}
		next++
	}
	if next != n || int(begun.Load()) != n {
		t.Errorf("got %d results of %d calls, want %d", next, begun.Load(), n)
	}
	for i := range Ahead(n, func(i int) int { return i }) {
		if i == 3 {
			break
		}
	}
	for range Ahead(0, func(int) int { return 1 }) {
		t.Error("got a result of none")
	}
}

// TestPanics checks that the panic with the lowest number is raised on the goroutine of the caller.
func TestPanics(t *testing.T) {
	p := Catch(func() {
		_ = Do(100, func(i int) error {
			if i%10 == 3 {
				panic(i)
			}
			return nil
		})
	})
	if p == nil || p.Value != 3 || p.Input != "" || !strings.Contains(p.Error(), "parallel_test.go") {
		t.Errorf("got %v", p)
	}
	if p := Catch(func() {}); p != nil {
		t.Errorf("got %v", p)
	}
	calls := 0
	p = Catch(func() {
		for i := range Ahead(100, func(i int) int {
			if i == 5 {
				panic("five")
			}
			return i
		}) {
			calls = i + 1
		}
	})
	if p == nil || p.Value != "five" || calls != 5 {
		t.Errorf("got %v after %d calls", p, calls)
	}
}
