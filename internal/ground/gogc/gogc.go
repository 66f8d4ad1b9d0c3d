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
	"math"
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
	// sessionRoom is that for a session: it allocates that in a few keystrokes, and most of it does
	// not stay alive.
	sessionRoom = 96 << 20
	// sessionLimit is the memory of a session, without that of the program's code.
	sessionLimit = 216 << 20
	// least is the least percentage by which the heap may grow.
	least = 125
	// standard is the default of GOGC.
	standard = 100
)

// percentage returns the value of GOGC after a collection that left live bytes, if room bytes may be
// allocated before the next one.
func percentage(live, room uint64) int { return int(max(100*room/max(live, 1<<20), least)) }

// Session lets the heap grow for longer, for a process that serves an editor, unless somebody
// else has set how much it may.
func Session() {
	now := percentage(liveBytes(), room)
	next := percentage(liveBytes(), sessionRoom)
	if old := debug.SetGCPercent(next); old != first && old != now {
		debug.SetGCPercent(old)
		return
	}
	p := &pacer{percent: next, room: sessionRoom, limited: debug.SetMemoryLimit(-1) == math.MaxInt64}
	p.limit()
	runtime.SetFinalizer(p, (*pacer).collected)
}

// limit keeps the memory of a session below what it is meant to need while the server's code checks
// many definitions at once, unless more than two thirds of that stay alive.
func (p *pacer) limit() {
	if p.limited {
		debug.SetMemoryLimit(int64(max(sessionLimit, liveBytes()*3/2)))
	}
}

// liveBytes returns what the last collection left.
func liveBytes() uint64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return live[0].Value.Uint64()
}

// pacer is an unreachable object, whose finalizer runs after each collection.
type pacer struct {
	percent int
	// room is the number of bytes that may be allocated between collections.
	room uint64
	// limited is set for a session, unless GOMEMLIMIT limits it.
	limited bool
	// The pointer keeps the object out of blocks of small objects without pointers, which are
	// only freed together.
	_ *pacer
}

// collected sets the percentage, unless somebody else has set it since.
func (p *pacer) collected() {
	next := percentage(liveBytes(), p.room)
	if old := debug.SetGCPercent(next); old != p.percent {
		debug.SetGCPercent(old)
		return
	}
	p.percent = next
	p.limit()
	runtime.SetFinalizer(p, (*pacer).collected)
}

// Code called from main would run too late.
func init() {
	if old := debug.SetGCPercent(first); old != standard {
		debug.SetGCPercent(old)
		return
	}
	runtime.SetFinalizer(&pacer{percent: first, room: room}, (*pacer).collected)
}
