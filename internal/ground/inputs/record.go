package inputs

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Record is the list of a run's queries with their answers, sorted by name.
type Record []entry

type entry struct {
	query
	note
}

// Record returns the record. It returns an error if the record is incomplete.
func (r *Reader) Record() (Record, error) {
	r.mu.Lock()
	unsure := r.unsure
	r.mu.Unlock()
	if unsure != "" {
		return nil, errors.New(unsure)
	}
	return r.Notes(), nil
}

// Notes returns the record, whether or not it is complete.
func (r *Reader) Notes() Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	record := make(Record, 0, len(r.notes))
	for q, n := range r.notes {
		// The content of a file subsumes its head if the file was the same.
		if whole, ok := r.notes[query{op: opFile, name: q.name}]; q.op == opHead && ok && n.stamp != (stamp{}) &&
			whole.stamp == n.stamp {
			continue
		}
		record = append(record, entry{q, n})
	}
	slices.SortFunc(record, func(a, b entry) int { return compareQueries(a.query, b.query) })
	return record
}

// Again reads a file that is in the record, and returns its content if that is the same.
func (rec Record) Again(name string) ([]byte, bool) {
	i := slices.IndexFunc(rec, func(e entry) bool { return e.op == opFile && e.name == name })
	if i < 0 {
		return nil, false
	}
	return again(name, rec[i].answer)
}

// Holds reports whether each query still has the same answer. If a file had to be read
// to find out, its stamp in the record is renewed; the record should then be saved. sound
// is for files of which a part was read.
func (rec Record) Holds(sound Sound) (ok, renewed bool) {
	parts := min(runtime.GOMAXPROCS(0), 1+len(rec)/100)
	results := make([]struct{ changed, renewed bool }, parts)
	var group sync.WaitGroup
	for i := range parts {
		group.Go(func() {
			for offset := i; offset < len(rec) && !results[i].changed; offset += parts {
				same, renewed := rec[offset].check(sound)
				results[i].changed = !same
				results[i].renewed = results[i].renewed || renewed
			}
		})
	}
	group.Wait()
	ok = true
	for _, result := range results {
		ok = ok && !result.changed
		renewed = renewed || result.renewed
	}
	return ok, ok && renewed
}

// check repeats the query unless the stamp answers it.
func (e *entry) check(sound Sound) (same, renewed bool) {
	if e.stamp != (stamp{}) && e.stamp == stampNow(e.name) {
		return true, false
	}
	answer, now := e.ask(sound)
	if answer != e.answer {
		return false, false
	}
	renewed = now != e.stamp
	e.stamp = now
	e.derived = "" // what the run saw is the same, but the content may be another one
	return true, renewed
}

// AppendText appends the record as text, one line per query.
func (rec Record) AppendText(b []byte) []byte {
	const room = 80 // for what is in a line besides its texts
	size := 0
	for _, e := range rec {
		size += len(e.name) + len(e.answer) + len(e.derived) + room
	}
	b = slices.Grow(b, size)
	for _, e := range rec {
		b = append(append(b, e.op...), ' ')
		b = append(strconv.AppendInt(b, int64(e.size), 10), ' ')
		b = append(appendStamp(b, e.stamp), ' ')
		b = append(append(b, e.answer...), ' ')
		b = strconv.AppendQuote(b, e.name)
		if e.derived != "" {
			b = strconv.AppendQuote(append(b, ' '), e.derived)
		}
		b = append(b, '\n')
	}
	return b
}

// ParseRecord parses the text of a record.
func ParseRecord(text []byte) (Record, error) {
	rec := make(Record, 0, bytes.Count(text, []byte("\n")))
	for line := range strings.Lines(string(text)) {
		var e entry
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(fields) < 4 {
			return nil, errors.New("a line is too short")
		}
		e.op = fields[0]
		var err error
		e.size, err = strconv.Atoi(fields[1])
		if err != nil {
			return nil, err
		}
		e.stamp, err = parseStamp(fields[2])
		if err != nil {
			return nil, err
		}
		// An answer is a word or a quoted string.
		answer := fields[3]
		name := ""
		if quoted, err := strconv.QuotedPrefix(answer); err == nil {
			answer, name = quoted, strings.TrimPrefix(answer[len(quoted):], " ")
		} else {
			answer, name, _ = strings.Cut(answer, " ")
		}
		e.answer = digest(answer)
		quoted, err := strconv.QuotedPrefix(name)
		if err != nil {
			return nil, err
		}
		e.name, _ = strconv.Unquote(quoted)
		if derived, ok := strings.CutPrefix(name[len(quoted):], " "); ok {
			e.derived, err = strconv.Unquote(derived)
			if err != nil {
				return nil, err
			}
		}
		rec = append(rec, e)
	}
	return rec, nil
}
