package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
)

// Category is the effect of a change.
type Category int

// The categories, from harmless to harmful.
const (
	Safe Category = iota
	BreaksClients
	BreaksStored
)

func (c Category) String() string {
	names := [...]string{"safe", "breaks clients", "breaks stored objects"}
	if c < 0 || int(c) >= len(names) {
		return fmt.Sprintf("unknown category %d", int(c))
	}
	return names[c]
}

// Change is one semantic difference between two definitions.
type Change struct {
	Kind     Kind
	Category Category
	// Definition is the name of the CRD. Version is the version that changed, or empty for
	// a change of the whole definition; [Folded] joins several with commas.
	Definition, Version string
	// Field is the path in custom resources, for example ".spec.ports[*].name". It is empty
	// outside the schemas, and "." for the whole object.
	Field string
	// OldPath and NewPath are the paths in each definition as the API server writes them,
	// for example "spec.versions[0].schema.openAPIV3Schema.properties[spec]". A path is
	// empty if the definition does not have it.
	OldPath, NewPath string
	// Old and New are the values, as JSON or as text. A missing value is empty.
	Old, New string
	// Index is the index of a rule in the list at NewPath, or if it was removed, at OldPath.
	Index int
	// Reason is one sentence that describes the effect, without a final period.
	Reason string
	// OldPos and NewPos are the positions in files or in Go. Related belongs to NewPos.
	OldPos, NewPos diag.Position
	Related        []diag.Related
	// Waived is the reason given for allowing the change, or empty.
	Waived string
	// Places are the other places of the change, and Dependency the module and the versions of it
	// that caused it, or empty ([Grouped]).
	Places     []Place
	Dependency string

	source source
	// oldRelated belongs to OldPos.
	oldRelated []diag.Related
}

// Subject returns the definition, version and field of a change.
func (c *Change) Subject() string {
	text := c.Definition
	if c.Version != "" {
		text += " " + c.Version
	}
	if c.Field != "" {
		text += " " + c.Field
	}
	return text
}

// String returns the effect, the subject, the values and the reason of a change in one line.
func (c Change) String() string {
	return fmt.Sprintf("%s: %s: %s%s: %s", c.Category, c.Subject(), c.Kind, c.Values(), c.Reason)
}

// ratchetingMinor is the first version of Kubernetes that ratchets by default
// (CRDValidationRatcheting, KEP-4008).
const ratchetingMinor = 30

// Definitions returns the changes if the new definitions replace the old ones on a server,
// sorted by name, and within a definition in its order. The error is not nil if the
// server's code could not validate an update.
func Definitions(ctx context.Context, target *apiserver.Target, olds, news []*crd.Definition) ([]Change, error) {
	all, err := pairs(target, olds, news)
	if err != nil {
		return nil, err
	}
	var out []Change
	equal := equalNodes{}
	for _, p := range all {
		d := p.changes(ctx, target, equal)
		if p.old != nil && p.new != nil {
			if err := d.askServer(ctx, target); err != nil {
				return nil, err
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out = append(out, d.changes...)
	}
	return out, nil
}

// Accepted is [Definitions] for new definitions that a server is known to accept: the server's
// code does not validate the update.
func Accepted(ctx context.Context, target *apiserver.Target, olds, news []*crd.Definition) ([]Change, error) {
	all, err := pairs(target, olds, news)
	if err != nil {
		return nil, err
	}
	var out []Change
	equal := equalNodes{}
	for _, p := range all {
		out = append(out, p.changes(ctx, target, equal).changes...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, nil
}

// subjects are the old and the new definition of a name; one of them may be nil.
type subjects struct{ old, new *crd.Definition }

// changes compares the definitions, without the server.
func (p subjects) changes(ctx context.Context, target *apiserver.Target, equal equalNodes) *definition {
	d := &definition{ctx: ctx, old: p.old, new: p.new, target: target, equal: equal, ratchets: !target.Before(ratchetingMinor)}
	switch {
	case p.old == nil:
		d.name = p.new.CRD.Name
		d.add(Change{Kind: changekind.DefinitionAdded, NewPath: "metadata.name", Reason: "it has no objects yet"})
	case p.new == nil:
		d.name = p.old.CRD.Name
		d.add(Change{Kind: changekind.DefinitionRemoved, Category: BreaksStored, OldPath: "metadata.name", Reason: "the server deletes all objects along with the definition"})
	default:
		d.name = p.new.CRD.Name
		d.compare()
	}
	return d
}

// pairs matches definitions by name and returns them, with their CRDs, sorted by name. If a name
// repeats, the last definition wins, as with kubectl apply.
func pairs(target *apiserver.Target, olds, news []*crd.Definition) ([]subjects, error) {
	if !target.IsValid() {
		return nil, errors.New("compare: the target is nil or zero: use verify.NewTarget")
	}
	byName := map[string]*subjects{}
	var names []string
	place := func(name string) *subjects {
		if byName[name] == nil {
			byName[name] = &subjects{}
			names = append(names, name)
		}
		return byName[name]
	}
	for i, d := range slices.Concat(olds, news) {
		s, err := d.Completed()
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if s.CRD == nil {
			s.CRD = s.Build()
		}
		if i < len(olds) {
			place(s.CRD.Name).old = s
		} else {
			place(s.CRD.Name).new = s
		}
	}
	slices.Sort(names)
	var out []subjects
	for _, name := range names {
		out = append(out, *byName[name])
	}
	return out, nil
}

// Folded merges changes that several versions share. A merged change has the positions of
// the first version.
func Folded(changes []Change) []Change {
	type shared struct {
		kind                                             Kind
		category                                         Category
		definition, field, before, after, reason, waived string
	}
	first := map[shared]int{}
	var out []Change
	for _, c := range changes {
		key := shared{c.Kind, c.Category, c.Definition, c.Field, c.Old, c.New, c.Reason, c.Waived}
		index, known := first[key]
		mergeable := c.Version != "" && c.Field != ""
		if mergeable && known && !slices.Contains(strings.Split(out[index].Version, ","), c.Version) {
			out[index].Version += "," + c.Version
			continue
		}
		if mergeable && !known {
			first[key] = len(out)
		}
		out = append(out, c)
	}
	return out
}

// Sorted returns the changes sorted by category, the most harmful first, and then by definition. The
// sort is stable.
func Sorted(changes []Change) []Change {
	out := slices.Clone(changes)
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.Category, a.Category), strings.Compare(a.Definition, b.Definition))
	})
	return out
}

// shorten removes the middle of a text longer than most bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most*2/3], "") + " … " + strings.ToValidUTF8(text[len(text)-most/4:], "")
}
