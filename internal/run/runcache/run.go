package runcache

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/ground/unseen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Run is the cached result of a run of schemagen crd: what it read and wrote, and its
// verdict. As long as none of that has changed, the next run with the same options only
// prints the verdict again.
//
// It is found by its key ([Key]). Everything else that it depends on is in the record, see
// package inputs. A run is cached only if the next one would end the same way: with files
// written, or with errors in the source. A run that needed the go command, whose inputs are
// unknown, is not cached.
type Run struct {
	cache *Cache
	key   string
	// record belongs to a run which holds, or was just kept.
	record inputs.Record
	// outdated is the record of a run that no longer holds.
	outdated inputs.Record
}

// Find returns the run of a request in a cache, or nil if it cannot have one. The methods
// of a nil Run do nothing.
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

// Verdict is what a run reports: diagnostics as printed, in any format, and whether one of
// them is an error.
type Verdict struct {
	Findings diag.List
	Failed   bool
}

// Verdict returns the verdict of the run if it still holds.
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
	if err != nil || len(record) == 0 { // every run reads something
		return Verdict{}, false
	}
	ok, renewed := record.Holds(unseen.SoundRest)
	if renewed {
		p.store(v, record)
	}
	if ok {
		p.record = record
	} else {
		p.outdated = record
	}
	return v, ok
}

// Resume lets a reader recall what a run that no longer holds derived from files that have not changed.
func (p *Run) Resume(reader *inputs.Reader) {
	if p != nil {
		reader.Resume(p.outdated)
	}
}

// Again reads a file that the run has read, and returns its content if that is the same.
func (p *Run) Again(name string) ([]byte, bool) {
	if p == nil {
		return nil, false
	}
	return p.record.Again(name)
}

// Keep stores a run that has written the outputs, if everything that it depends on is
// known.
func (p *Run) Keep(reader *inputs.Reader, v Verdict, outputs []output.File) {
	if p == nil {
		return
	}
	parallel.Workers(len(outputs), func() func(int) {
		return func(i int) { reader.Wrote(outputs[i].Path, outputs[i].Data) }
	})
	if record, err := reader.Record(); err == nil {
		p.store(v, record)
	}
}

func (p *Run) store(v Verdict, record inputs.Record) {
	line, err := json.Marshal(v)
	var again Verdict
	if err != nil || json.Unmarshal(line, &again) != nil || !reflect.DeepEqual(v, again) {
		return // it is not UTF-8 and would be printed differently
	}
	p.record = record
	p.cache.Store(p.key, record.AppendText(append(line, '\n')))
}

// KeepEnd stores how this process ends, after [Run.Verdict] or [Run.Keep], so that the next
// one with the same command line can end like it before it starts anything. reader has what
// this process has read; path is its [snapshot.Path]; end has the code and the output. If metadata alone would not show that
// nothing has changed, or if the path is not in this cache, nothing is stored.
func (p *Run) KeepEnd(reader *inputs.Reader, path string, end snapshot.Entry) {
	if p == nil || len(p.record) == 0 || p.record.HasUnstamped() || path == "" || filepath.Dir(filepath.Dir(path)) != p.cache.dir {
		return
	}
	// The run may be one of another command line, with the same request but, for example,
	// --no-config. Only this process knows how its command line became the request.
	own, err := reader.Record()
	if err != nil {
		return
	}
	all := p.record
	if !slices.Equal(own, all) {
		all = slices.Concat(all, own)
	}
	facts, ok := all.Facts()
	if !ok {
		return
	}
	facts = append(facts, snapshot.Fact{About: snapshot.Kind, Name: filepath.Join(p.cache.dir, markName),
		Value: fs.FileMode(0).String()})
	now := time.Now().UTC()
	newYear := time.Date(now.Year()+1, 1, 1, 0, 0, 0, 0, time.UTC) // headers have the year
	end.Facts = facts
	end.From = now.Unix()
	end.Until = min(now.Add(day).Unix(), newYear.Unix())
	p.cache.write(path, []byte(end.Text(path)))
}
