// Package gogc configures the garbage collector before the packages of the API server are
// initialized: what they allocate stays alive, and a collection meanwhile takes a tenth of
// the command's start-up time. Packages are initialized in the order of their import paths,
// after their imports; this one imports next to nothing and is among the first.
//
// After each collection, it sets how much may be allocated before the next one: a small heap
// may grow by a fixed amount, since collections would otherwise be frequent, and a large one by
// a percentage that keeps the process small.
package gogc

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// first is the percentage until the first collection, which is then at 16 MiB: enough for
	// the start of the process and a small run.
	first = 400
	// room is the number of bytes that may be allocated between collections.
	room = 12 << 20
	// least is the least percentage by which the heap may grow.
	least = 125
	// standard is the default of GOGC.
	standard = 100
)

// percentage returns the value of GOGC after a collection that left live bytes.
func percentage(live uint64) int { return int(max(100*room/max(live, 1<<20), least)) }

// pacer is an unreachable object, whose finalizer runs after each collection.
type pacer struct {
	percent int
	// The pointer keeps the object out of blocks of small objects without pointers, which are
	// only freed together.
	_ *pacer
}

// collected sets the percentage, unless somebody else has set it since.
func (p *pacer) collected() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	next := percentage(live[0].Value.Uint64())
	if old := debug.SetGCPercent(next); old != p.percent {
		debug.SetGCPercent(old)
		return
	}
	p.percent = next
	runtime.SetFinalizer(p, (*pacer).collected)
}

// Code called from main would run too late.
func init() {
	if old := debug.SetGCPercent(first); old != standard {
		debug.SetGCPercent(old)
		return
	}
	runtime.SetFinalizer(&pacer{percent: first}, (*pacer).collected)
}
