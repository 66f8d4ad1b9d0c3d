package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/inputs"
)

// pastRun is what is kept of a run of schemagen crd: what it read, what it wrote
// and what it said. As long as nothing of what it read or wrote has changed, the
// next run with the same options need only say it again.
//
// It is found by what is known before: the program, the working directory, the
// options with the project file that they come from, and the variables that the go
// command and the server's code may look at. All else is in the record, see package
// inputs. A run that needed the go command, which reads what it likes, is not kept.
type pastRun struct {
	cache *cache
	key   string
}

// newPastRun returns the place of the run in the cache; nil if it has none.
func newPastRun(kept *cache, r *crdRun) *pastRun {
	if kept == nil || r.mode == commitStdout || r.mode == commitDiff {
		return nil // what is printed, and files that are not written, are not kept
	}
	options := r.Options
	options.Lister, options.Memory, options.Inputs = nil, nil, nil
	key, err := json.Marshal(struct {
		Options       any
		Output        string
		Prune, Strict bool
		Kustomize     bool
		Helm          string
		NoCRD         bool
		Others, Rules any
		Project       string
		Patch         any
		Environment   []string
	}{options, r.output, r.prune, r.strict, r.kustomize, r.helm, r.noCRD, r.others.all(), r.others.places(), r.project.identity(), r.patch.key(), toolVariables()})
	if err != nil {
		return nil
	}
	return &pastRun{cache: kept, key: "run " + string(key)}
}

// toolVariables are the variables of the environment that parts of this program
// look at on their own account.
func toolVariables() []string {
	variables := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return !strings.HasPrefix(v, "GO") && !strings.HasPrefix(v, "CGO") && !strings.HasPrefix(v, "KUBE")
	})
	slices.Sort(variables)
	return variables
}

// findings returns what the run said, if it would say and write the same again.
func (p *pastRun) findings() (diag.List, bool) {
	if p == nil {
		return nil, false
	}
	data, ok := p.cache.Load(p.key)
	if !ok {
		return nil, false
	}
	said, text, _ := bytes.Cut(data, []byte("\n"))
	var findings diag.List
	if json.Unmarshal(said, &findings) != nil {
		return nil, false
	}
	record, err := inputs.ParseRecord(text)
	if err != nil {
		return nil, false
	}
	ok, renewed := record.Holds()
	if renewed {
		p.store(findings, record)
	}
	return findings, ok
}

// keep stores a run that has written the outputs, if it can be told what it
// depended on.
func (p *pastRun) keep(in *inputs.Reader, findings diag.List, outputs []output) {
	if p == nil {
		return
	}
	for _, out := range outputs {
		in.Wrote(out.path, out.data)
	}
	if record, err := in.Record(); err == nil {
		p.store(findings, record)
	}
}

func (p *pastRun) store(findings diag.List, record inputs.Record) {
	if said, err := json.Marshal(findings); err == nil {
		p.cache.Store(p.key, slices.Concat(said, []byte("\n"), record.Text()))
	}
}
