// Package compare says what a change of CustomResourceDefinitions does to those who
// have objects of them: not which lines differ, but what a server does afterwards.
//
// Every change has a category, by what an API server does:
//
//   - It [BreaksStored] objects if an object that was valid and stored cannot be kept as
//     it is: the server refuses the new definition; data is dropped or changed when the
//     object is read or written back; a server-side apply of it fails; or an update is
//     refused although it leaves the values alone that the new schema does not allow.
//     The API server ratchets (KEP-4008): what breaks a schema is let be as long as it
//     does not change. That does not help where it is an object, a list or a map that is
//     wrong as a whole, and something else in it changes; nor below a list whose elements
//     have no keys, because they cannot be told from each other; nor for a rule that
//     fails instead of being violated.
//   - It [BreaksClients] if every stored object can be kept, but something that a client
//     may send according to the old definition is refused, or does not arrive as it was
//     sent, or a request has no answer any more.
//   - It is [Safe] otherwise. A client that reads may see what it has not seen before:
//     more values of an enum, more members of a union, fields that are missing. That is
//     safe, and the reason says it.
//
// What no rule explains is a change [NotUnderstood], which counts as breaking stored
// objects. Two definitions without a change between them mean the same to a server.
//
// The table in testdata/changes holds the categories against a real API server.
package compare

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
)

// Category is what a change does to others.
type Category int

// The categories, from harmless to harmful.
const (
	Safe Category = iota
	BreaksClients
	BreaksStored
)

func (c Category) String() string {
	return [...]string{"safe", "breaks clients", "breaks stored objects"}[c]
}

// Change is one difference between two definitions, in their meaning.
type Change struct {
	Kind     Kind
	Category Category
	// Definition is the name of the CRD. Version is the version that the change is in,
	// empty where it is about the whole definition; [Folded] joins several with commas.
	Definition, Version string
	// Field is the place in custom resources, for example ".spec.ports[*].name"; empty
	// beside the schemas, "." for an object as a whole.
	Field string
	// OldPath and NewPath are the place in each definition as the API server writes it,
	// for example "spec.versions[0].schema.openAPIV3Schema.properties[spec]". One is
	// empty where there is nothing of it.
	OldPath, NewPath string
	// Old and New are the values, as JSON or in words, empty where there is none.
	Old, New string
	// Reason is one sentence that says what happens to whom, without a final stop.
	Reason string
	// OldPos and NewPos are the places in the files or in Go. Related belong to NewPos.
	OldPos, NewPos diag.Position
	Related        []diag.Related
	// Waived is the reason for which the change was allowed, empty if it was not.
	Waived string
}

// Subject is where a change is: the definition, the version and the field.
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

// ratchetingMinor is the first version of Kubernetes that ratchets by default
// (CRDValidationRatcheting, KEP-4008).
const ratchetingMinor = 30

// Definitions returns what changes if the new definitions replace the old ones on a
// server, in the order of their names, and in each in the order of the definition. The
// error is for a server's code that cannot answer.
func Definitions(ctx context.Context, target *apiserver.Target, olds, news []*crd.Definition) ([]Change, error) {
	var out []Change
	for _, p := range pairs(olds, news) {
		d := &definition{old: p.old, new: p.new, ratchets: !target.Before(ratchetingMinor)}
		switch {
		case p.old == nil:
			d.name = p.new.CRD.Name
			d.add(Change{Kind: DefinitionAdded, NewPath: "metadata.name", Reason: "there were no objects of it"})
		case p.new == nil:
			d.name = p.old.CRD.Name
			d.add(Change{Kind: DefinitionRemoved, Category: BreaksStored, OldPath: "metadata.name", Reason: "with the definition, the server deletes all of its objects"})
		default:
			d.name = p.new.CRD.Name
			d.compare()
			if err := d.askServer(ctx, target); err != nil {
				return nil, err
			}
		}
		out = append(out, d.changes...)
	}
	return out, nil
}

// subjects are the two definitions of one name; one of them may be nil.
type subjects struct{ old, new *crd.Definition }

// pairs brings together the definitions of one name, sorted by it. Of several, the
// last one counts, as with kubectl apply.
func pairs(olds, news []*crd.Definition) []subjects {
	byName := map[string]*subjects{}
	var names []string
	at := func(name string) *subjects {
		if byName[name] == nil {
			byName[name] = &subjects{}
			names = append(names, name)
		}
		return byName[name]
	}
	for _, s := range olds {
		at(s.CRD.Name).old = s
	}
	for _, s := range news {
		at(s.CRD.Name).new = s
	}
	slices.Sort(names)
	var out []subjects
	for _, name := range names {
		out = append(out, *byName[name])
	}
	return out
}

// Folded returns changes with those that several versions share as one, which has the
// place in the first version.
func Folded(changes []Change) []Change {
	var out []Change
	for _, c := range changes {
		at := slices.IndexFunc(out, func(o Change) bool {
			return o.Definition == c.Definition && o.Version != "" && c.Version != "" && o.Kind == c.Kind && o.Category == c.Category && o.Field == c.Field &&
				o.Old == c.Old && o.New == c.New && o.Reason == c.Reason && o.Waived == c.Waived && c.Field != ""
		})
		if at < 0 || slices.Contains(strings.Split(out[at].Version, ","), c.Version) {
			out = append(out, c)
			continue
		}
		out[at].Version += "," + c.Version
	}
	return out
}

// Sorted returns changes by definition, the most harmful first, otherwise in their order.
func Sorted(changes []Change) []Change {
	out := slices.Clone(changes)
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Definition, b.Definition), cmp.Compare(b.Category, a.Category))
	})
	return out
}

// shorten cuts out the middle of a text.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most*2/3], "") + " … " + strings.ToValidUTF8(text[len(text)-most/4:], "")
}
