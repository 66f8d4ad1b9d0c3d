package runcache

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/output"
)

// Run is what is kept of a run of schemagen crd: what it read and wrote, and its
// verdict. As long as nothing of what it read or wrote has changed, the next run with
// the same options need only print the verdict again.
//
// It is found by its key ([Key]). All else that it depends on is in the record, see package
// inputs. Only a run that ended as the next one would is kept: with files written, or
// with errors in the source. A run that needed the go command, which reads what it
// likes, is not kept.
type Run struct {
	cache *Cache
	key   string
}

// Find returns the run of a request in a cache; nil if it can have none. The methods
// of a nil one find and keep nothing.
func Find(kept *Cache, request any) *Run {
	if kept == nil {
		return nil
	}
	key, err := Key(request)
	if err != nil {
		return nil
	}
	return &Run{cache: kept, key: "run " + key}
}

// Verdict is what a run reports: findings as they are printed, in any format, and
// whether one of them is an error.
type Verdict struct {
	Findings diag.List
	Failed   bool
}

// Verdict returns the verdict of the run, if it would be the same again.
func (p *Run) Verdict() (Verdict, bool) {
	if p == nil {
		return Verdict{}, false
	}
	data, ok := p.cache.Load(p.key)
	if !ok {
		return Verdict{}, false
	}
	line, text, _ := bytes.Cut(data, []byte("\n"))
	var v Verdict
	if json.Unmarshal(line, &v) != nil {
		return Verdict{}, false
	}
	record, err := inputs.ParseRecord(text)
	if err != nil || len(record) == 0 { // no run reads nothing
		return Verdict{}, false
	}
	ok, renewed := record.Holds()
	if renewed {
		p.store(v, record)
	}
	return v, ok
}

// Keep stores a run that has written the outputs, if it can be told what it
// depended on.
func (p *Run) Keep(in *inputs.Reader, v Verdict, outputs []output.File) {
	if p == nil {
		return
	}
	for _, out := range outputs {
		in.Wrote(out.Path, out.Data)
	}
	if record, err := in.Record(); err == nil {
		p.store(v, record)
	}
}

func (p *Run) store(v Verdict, record inputs.Record) {
	line, err := json.Marshal(v)
	var again Verdict
	if err != nil || json.Unmarshal(line, &again) != nil || !reflect.DeepEqual(v, again) {
		return // it has bytes that are no text, and would be printed otherwise
	}
	p.cache.Store(p.key, slices.Concat(line, []byte("\n"), record.Text()))
}
