package review

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/apiserver/crdsize"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/verify"
)

// Input is what a review is made from.
type Input struct {
	// Old and New name the two sides.
	Old, New string
	// Olds and News are their definitions.
	Olds, News []*crd.Definition
	// Changes are the changes between them.
	Changes []compare.Change
	// Findings are about the change; those of Kinds are conventions that it breaks.
	Findings diag.List
	Kinds    []*diag.Kind
	// Server estimates the costs of rules.
	Server *verify.Verifier
	// Dir is the directory that file names are relative to.
	Dir string

	measures crdsize.Sizes
	sampler  dryrun.Sampler
}

// Review is a change to an API.
type Review struct {
	Old string `json:"old"`
	New string `json:"new"`
	// BreaksStored, BreaksClients, Safe and Allowed are numbers of changes.
	BreaksStored  int `json:"breaksStored"`
	BreaksClients int `json:"breaksClients"`
	Safe          int `json:"safe"`
	Allowed       int `json:"allowed"`
	// Questions and Broken are the numbers of questions and of findings about conventions.
	Questions int `json:"questions"`
	Broken    int `json:"broken"`
	// Definitions are the changed ones, by name. Unchanged is the number of the others.
	Definitions []Definition `json:"definitions"`
	Unchanged   int          `json:"unchanged"`
	Conventions []Convention `json:"conventions"`
}

// Definition is a CRD that changed.
type Definition struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Group string `json:"group"`
	// State is new, removed or changed.
	State     string     `json:"state"`
	Changes   []Change   `json:"changes"`
	Unions    []Union    `json:"unions"`
	Costs     []Cost     `json:"costs"`
	Size      Size       `json:"size"`
	Samples   []Sample   `json:"samples"`
	Questions []Question `json:"questions"`
}

// Change is a change as package compare describes it.
type Change struct {
	Effect  string       `json:"effect"` // breaks stored objects, breaks clients, safe, allowed
	Kind    compare.Kind `json:"kind"`
	Version string       `json:"version,omitempty"`
	Field   string       `json:"field,omitempty"`
	Old     string       `json:"old,omitempty"`
	New     string       `json:"new,omitempty"`
	Reason  string       `json:"reason"`
	// Allowed is the reason that a comment gives.
	Allowed string `json:"allowed,omitempty"`
	Place   string `json:"place,omitempty"`
}

// Union is a union that the change adds.
type Union struct {
	Version       string   `json:"version"`
	Field         string   `json:"field"`
	Discriminator string   `json:"discriminator,omitempty"`
	Values        []string `json:"values,omitempty"`
	Members       []string `json:"members"`
}

// Size is the size of a definition as JSON, in bytes; 0 if there is none.
type Size struct {
	Before int `json:"before"`
	After  int `json:"after"`
	// OfRequest and OfAnnotation are the shares of what etcd accepts in a request, and of what
	// kubectl apply can keep in an annotation, after the change: 1 is all of it.
	OfRequest    float64 `json:"ofRequest"`
	OfAnnotation float64 `json:"ofAnnotation"`
}

// Convention is a convention that the change breaks.
type Convention struct {
	Code     diag.Code `json:"code"`
	Title    string    `json:"title"`
	Why      string    `json:"why"`
	Findings []Finding `json:"findings"`
}

// Finding is a place where a convention is broken.
type Finding struct {
	Place   string `json:"place"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// New returns the review of a change.
func New(ctx context.Context, input *Input) (*Review, error) {
	r := &Review{Old: input.Old, New: input.New, Definitions: []Definition{}, Conventions: input.conventions()}
	for _, c := range r.Conventions {
		r.Broken += len(c.Findings)
	}
	var names []string
	for _, d := range slices.Concat(input.Olds, input.News) {
		names = append(names, d.CRD.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	all := make([]*Definition, len(names))
	err := parallel.Do(len(names), func(i int) (err error) {
		all[i], err = input.definition(ctx, names[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if d == nil {
			r.Unchanged++
			continue
		}
		r.Definitions = append(r.Definitions, *d)
		r.Questions += len(d.Questions)
		for _, c := range d.Changes {
			switch c.Effect {
			case compare.BreaksStored.String():
				r.BreaksStored++
			case compare.BreaksClients.String():
				r.BreaksClients++
			case compare.Safe.String():
				r.Safe++
			default:
				r.Allowed++
			}
		}
	}
	return r, nil
}

// Formats returns the formats of reviews.
func Formats() []string { return []string{"html", "markdown", "json"} }

// Write returns the review in one of the [Formats].
func (r *Review) Write(format string) ([]byte, error) {
	switch format {
	case "html":
		return r.html()
	case "markdown":
		return r.markdown(), nil
	}
	return r.json()
}

func (r *Review) json() ([]byte, error) {
	var b bytes.Buffer
	err := screen.WriteJSON(&b, r)
	return b.Bytes(), err
}

// conventions groups the findings by code.
func (input *Input) conventions() []Convention {
	out := []Convention{}
	for _, kind := range input.Kinds {
		c := Convention{Code: kind.Code, Title: kind.Title, Why: kind.Explanation}
		for _, d := range input.Findings.RelativeTo(input.Dir) {
			if d.Code == kind.Code {
				c.Findings = append(c.Findings, Finding{Place: placeText(d.Pos), Message: d.Message, Hint: d.Hint})
			}
		}
		if len(c.Findings) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// named returns the definition with a name, or nil; if it repeats, the last one, as in package
// compare.
func named(all []*crd.Definition, name string) (found *crd.Definition) {
	for _, d := range all {
		if d.CRD.Name == name {
			found = d
		}
	}
	return found
}

// definition returns what is to be said about the definition with a name, or nil if it did not
// change.
func (input *Input) definition(ctx context.Context, name string) (*Definition, error) {
	old := named(input.Olds, name)
	new := named(input.News, name)
	changes := slices.DeleteFunc(slices.Clone(input.Changes), func(c compare.Change) bool { return c.Definition != name })
	if len(changes) == 0 {
		return nil, nil
	}
	d := &Definition{Name: name, State: "changed", Changes: []Change{}, Unions: []Union{}, Costs: []Cost{}, Samples: []Sample{}, Questions: []Question{}}
	definition := new
	switch {
	case old == nil:
		d.State = "new"
	case new == nil:
		d.State = "removed"
		definition = old
	}
	d.Kind = definition.CRD.Spec.Names.Kind
	d.Group = definition.CRD.Spec.Group
	for _, c := range compare.Sorted(compare.Grouped(changes)) {
		d.Changes = append(d.Changes, input.change(c))
	}
	if err := d.Size.set(old, new, &input.measures); err != nil {
		return nil, err
	}
	oldNodes := nodesOf(old)
	current := nodesOf(new)
	d.Unions = append(d.Unions, newUnions(oldNodes, current)...)
	d.Questions = append(d.Questions, ask(changes, current)...)
	costs, err := input.costs(ctx, old, new, oldNodes, current)
	if err != nil {
		return nil, err
	}
	d.Costs = append(d.Costs, costs...)
	samples, err := input.samplesOf(ctx, old, new)
	d.Samples = append(d.Samples, samples...)
	return d, err
}

func (input *Input) change(c compare.Change) Change {
	pos, _ := c.Position()
	out := Change{
		Effect: c.Category.String(), Kind: c.Kind, Version: c.Version, Field: c.Field, Old: c.Old, New: c.New, Reason: c.Reason + c.Elsewhere(), Allowed: c.Waived,
		Place: placeText((diag.List{{Pos: pos}}).RelativeTo(input.Dir)[0].Pos),
	}
	if c.Waived != "" {
		out.Effect = "allowed"
	}
	return out
}

// placeText returns a position without its column, or the empty string if there is none.
func placeText(pos diag.Position) string {
	if pos.File == "" {
		return ""
	}
	pos.Column = 0
	return pos.String()
}

// set measures the definition before and after the change.
func (s *Size) set(old, new *crd.Definition, measures *crdsize.Sizes) error {
	for _, side := range []struct {
		*crd.Definition
		to *int
	}{{old, &s.Before}, {new, &s.After}} {
		if side.Definition == nil {
			continue
		}
		n, err := measures.Of(side.Definition)
		if err != nil {
			return fmt.Errorf("%s: %w", side.CRD.Name, err)
		}
		*side.to = n
	}
	s.OfRequest = float64(s.After) / crdsize.RequestLimit
	s.OfAnnotation = float64(s.After) / crdsize.AnnotationLimit
	return nil
}
