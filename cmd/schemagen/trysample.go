package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// samples prints a minimal and a full object of a kind, and says what the server
// would still refuse of them.
func (t *trial) samples(ctx context.Context, name string, stdout io.Writer, report *reporter) error {
	kind, err := t.kindNamed(name)
	if err != nil {
		return err
	}
	server, err := kind.server()
	if err != nil {
		return report.add(diag.List{kind.unserved()})
	}
	var findings diag.List
	for _, full := range []bool{false, true} {
		object, answer, err := kind.sample(ctx, server, full)
		if err != nil {
			return err
		}
		title := "# A minimal " + kind.kind + ": what must be there."
		if full {
			title = "# A full " + kind.kind + ": the fields that can be there together."
		}
		noKeys := func(*structural.ObjectPath) []string { return nil }
		text, err := orderedYAML(noKeys, kind.schema, object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(stdout, "---\n%s\n%s", title, text); err != nil {
			return err
		}
		for _, e := range answer.Errors {
			what := "the minimal sample: "
			if full {
				what = "the full sample: "
			}
			d := diag.Diagnostic{Code: codeObjectRefused, Severity: diag.Error, Message: what + e.Error(), Pos: kind.placeOf(""),
				Hint: "no object that the server takes was found: write it by hand from this one"}
			if pos := kind.blame(e); pos.Line > 0 {
				d.Pos = pos
			}
			findings = append(findings, d)
		}
	}
	return report.add(findings)
}

// kindNamed is the kind of a name: "Kind", "Kind.group" or "Kind.group/version". Of
// several versions it is the one that is stored.
func (t *trial) kindNamed(name string) (*triedKind, error) {
	var found []*triedKind
	var known []string
	for _, key := range slices.Sorted(maps.Keys(t.kinds)) {
		k := t.kinds[key]
		known = append(known, key)
		if name == k.kind || name == k.kind+"."+k.group || name == key {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("--sample %s: there is no such kind; there are: %s", name, strings.Join(known, ", "))
	}
	for _, k := range found {
		if k.group != found[0].group {
			return nil, fmt.Errorf("--sample %s: is it %s.%s or %s.%s?", name, k.kind, found[0].group, k.kind, k.group)
		}
	}
	if i := slices.IndexFunc(found, func(k *triedKind) bool { return k.stored }); i >= 0 {
		return found[i], nil
	}
	return found[0], nil
}

// sample makes an object and repairs it until the server takes it, or no repair
// helps.
func (k *triedKind) sample(ctx context.Context, server *apiserver.Kind, full bool) (map[string]any, apiserver.Answer, error) {
	object, ok := unions.Sample(k.schema, full).(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object["apiVersion"], object["kind"] = k.group+"/"+k.version, k.kind
	object["metadata"] = map[string]any{"name": "example"}
	if server.HasStatus() {
		delete(object, "status") // it is not written with the object
	}
	r := &repairer{kind: k, server: server, full: full, triesLeft: maxRepairs}
	err := r.repair(ctx, object)
	return r.best, r.answer, err
}
