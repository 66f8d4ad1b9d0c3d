package diag

import "fmt"

// Append adds text to the message of a diagnostic, and to its cause, which a terminal shows instead.
func (d *Diagnostic) Append(text string) {
	d.Message += text
	if d.Cause != "" {
		d.Cause += text
	}
}

// Fold keeps the first of the diagnostics with the same key, and adds the number of the
// others to its message. The function key returns the key of a diagnostic; ok is false for
// one that is not folded.
func (l List) Fold(key func(d Diagnostic) (key string, ok bool)) List {
	first := map[string]int{} // index in out
	more := map[string]int{}
	var out List
	for _, d := range l {
		key, ok := key(d)
		if _, seen := first[key]; ok && seen {
			more[key]++
			continue
		}
		if ok {
			first[key] = len(out)
		}
		out = append(out, d)
	}
	for key, n := range more {
		d := &out[first[key]]
		d.Append(fmt.Sprintf(" (and %d more %s in this package; --format json lists them)", n, d.Code))
	}
	return out
}
