package inputs

import (
	"cmp"
	"maps"
	"slices"
)

// A run may keep what it derived from the content of a file in the record. A later run with another
// result, because other files have changed, can do with that as long as the file has its stamp. What is
// derived must depend on nothing but the content.

// Resume lets r recall what an earlier run derived from files that have not changed since.
func (r *Reader) Resume(earlier Record) {
	r.earlier = earlier
	notes := make(map[query]note, len(earlier))
	maps.Copy(notes, r.notes)
	r.notes = notes
}

// Recall returns what was derived from the content of a file, if the file has not changed since. The
// result of the run then depends on the content as if it had been read.
func (r *Reader) Recall(name string) (derived string, ok bool) {
	derived, ok = r.recall(query{op: opPart, name: name})
	if !ok {
		derived, ok = r.recall(query{op: opFile, name: name})
	}
	return derived, ok
}

// RecallHead is [Reader.Recall] for what was derived from the head of a file.
func (r *Reader) RecallHead(name string) (derived string, ok bool) {
	return r.recall(query{op: opHead, name: name})
}

// recall recalls what was derived from the answer to a query; for heads, of any size.
func (r *Reader) recall(q query) (derived string, ok bool) {
	if r == nil {
		return "", false
	}
	i, _ := slices.BinarySearchFunc(r.earlier, q, func(e entry, q query) int { return compareQueries(e.query, q) })
	for ; i < len(r.earlier) && r.earlier[i].name == q.name && r.earlier[i].op == q.op; i++ {
		e := r.earlier[i]
		if e.derived == "" || e.stamp == (stamp{}) {
			continue
		}
		hadStamp := i > 0 && r.earlier[i-1].name == q.name && r.knows(r.earlier[i-1].query, e.stamp)
		if hadStamp || e.stamp == stampNow(q.name) {
			r.note(e.query, e.note)
			return e.derived, true
		}
	}
	return "", false
}

// Derive keeps what was derived from the content of a file, which was read.
func (r *Reader) Derive(name, derived string) {
	if !r.derive(query{op: opPart, name: name}, derived) {
		r.derive(query{op: opFile, name: name}, derived)
	}
}

// DeriveHead keeps what was derived from a number of bytes at the beginning of a file, which were read.
func (r *Reader) DeriveHead(name string, size int, derived string) {
	r.derive(query{op: opHead, name: name, size: size}, derived)
}

func (r *Reader) derive(q query, derived string) (ok bool) {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, ok := r.notes[q]
	if ok && n.stamp != (stamp{}) {
		n.derived = derived
		r.notes[q] = n
	}
	return ok
}

// compareQueries is the order of a record.
func compareQueries(a, b query) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.op, b.op), cmp.Compare(a.size, b.size))
}
