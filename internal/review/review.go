package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/apiserver/crdsize"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/verify"
)

// Input is what a review is made from.
type Input struct {
	// Old and New name the two sides.
	Old, New string
	// Olds and News are their definitions.
	Olds, News []*crd.Definition
	// Report has the changes between them, each with one place and for one definition: [New]
	// groups them.
	Report *Report
	// Findings are about the change; those of Kinds are conventions that it breaks.
	Findings diag.List
	Kinds    []*diag.Kind
	// Server estimates the costs of rules.
	Server *verify.Verifier

	measures crdsize.Sizes
	sampler  dryrun.Sampler
}

// Review is a change to an API.
type Review struct {
	Report *Report
	Old    string
	New    string
	// BreaksStored, BreaksClients, Safe and Allowed are numbers of changes.
	BreaksStored  int
	BreaksClients int
	Safe          int
	Allowed       int
	// Questions and Broken are the numbers of questions and of findings about conventions.
	Questions int
	Broken    int
	// Definitions are the changed ones, by name. Unchanged is the number of the others.
	Definitions []Definition
	Unchanged   int
	Conventions []Convention
}

// Definition is a CRD that changed.
type Definition struct {
	Name  string
	Kind  string
	Group string
	// State is new, removed or changed.
	State     string
	Changes   []compare.Change
	Unions    []Union
	Costs     []Cost
	Size      Size
	Samples   []Sample
	Questions []Question
}

// Union is a union that the change adds.
type Union struct {
	Version       string
	Field         string
	Discriminator string
	Values        []string
	Members       []string
}

// Size is the size of a definition as JSON, in bytes; 0 if there is none.
type Size struct {
	Before int
	After  int
	// OfRequest and OfAnnotation are the shares of what etcd accepts in a request, and of what
	// kubectl apply can keep in an annotation, after the change: 1 is all of it.
	OfRequest    float64
	OfAnnotation float64
}

// Convention is a convention that the change breaks.
type Convention struct {
	Code     diag.Code
	Title    string
	Why      string
	Findings []Finding
}

// Finding is a place where a convention is broken.
type Finding struct {
	Place   string
	Message string
	Hint    string
}

// New returns the review of a change.
func New(ctx context.Context, input *Input) (*Review, error) {
	r := &Review{Report: input.Report, Old: input.Old, New: input.New, Conventions: input.conventions()}
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
		for i := range d.Changes {
			r.count(&d.Changes[i])
		}
	}
	return r, nil
}

// count counts a change under its effect.
func (r *Review) count(c *compare.Change) {
	switch {
	case c.Waived != "":
		r.Allowed++
	case c.Category == compare.BreaksStored:
		r.BreaksStored++
	case c.Category == compare.BreaksClients:
		r.BreaksClients++
	default:
		r.Safe++
	}
}

// Formats returns the formats of reviews.
func Formats() []string { return []string{"html", "markdown"} }

// Write returns the review in one of the [Formats].
func (r *Review) Write(format string) ([]byte, error) {
	if format == "html" {
		return r.html()
	}
	return r.markdown(), nil
}

// conventions groups the findings by code.
func (input *Input) conventions() []Convention {
	var out []Convention
	for _, kind := range input.Kinds {
		c := Convention{Code: kind.Code, Title: kind.Title, Why: kind.Explanation}
		for _, d := range input.Findings.RelativeTo(input.Report.Dir) {
			if d.Code == kind.Code {
				c.Findings = append(c.Findings, Finding{Place: lineOf(d.Pos), Message: d.Message, Hint: d.Hint})
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
	changes := slices.DeleteFunc(slices.Clone(input.Report.Changes), func(c compare.Change) bool { return c.Definition != name })
	if len(changes) == 0 {
		return nil, nil
	}
	d := &Definition{Name: name, State: "changed", Changes: compare.Sorted(compare.Grouped(changes))}
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
	if err := d.Size.set(old, new, &input.measures); err != nil {
		return nil, err
	}
	oldNodes := nodesOf(old)
	current := nodesOf(new)
	d.Unions = newUnions(oldNodes, current)
	d.Questions = ask(changes, current)
	var err error
	d.Costs, err = input.costs(ctx, old, new, oldNodes, current)
	if err != nil {
		return nil, err
	}
	d.Samples, err = input.samplesOf(ctx, old, new)
	return d, err
}

// lineOf returns a position without its column, or the empty string if there is none.
func lineOf(pos diag.Position) string {
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
