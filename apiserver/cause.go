package apiserver

import (
	"cmp"
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// Cause is a list, a map, or a string that makes a rule expensive: one around the
// rule's node, which multiplies how often it is evaluated, or one inside that the
// rule goes through.
type Cause struct {
	// Path is its place in the given object.
	Path string
	// Keyword is the limit that is missing there: maxItems, maxProperties, or
	// maxLength.
	Keyword string
	// Limit is the present value. It is nil for most causes: one with a limit is
	// named only if all of them have one.
	Limit *int64
	// Bound is the greatest value of the keyword that alone brings the rule under its
	// limits; 0 if none does.
	Bound int64
	// JointBound is the greatest value that does so if all causes have it.
	JointBound int64
}

const (
	// maxExplained is for how many rules of a schema causes are looked for; each
	// takes some compilations.
	maxExplained = 16
	// maxCandidates is how many places a rule's causes are looked for in.
	maxCandidates = 64
	// greatestBound is more than fits into a request.
	greatestBound = maxRequestBytes
)

// explain finds the causes of those rules that are over a limit, the most
// expensive ones first.
func (t *Target) explain(ctx context.Context, s *compiledSchema, rules []Rule) error {
	total := s.root.context.TotalCost.Total
	var costly []int
	for i, r := range rules {
		if max(r.Cost, r.MessageCost) > RuleCostLimit || total > SchemaCostLimit && r.Cost >= SchemaCostLimit/100 {
			costly = append(costly, i)
		}
	}
	slices.SortStableFunc(costly, func(a, b int) int { return cmp.Compare(rules[b].Cost, rules[a].Cost) })
	costly = costly[:min(len(costly), maxExplained)]
	slices.Sort(costly)
	at := 0
	for _, n := range s.ruled {
		for i, rule := range n.schema.XValidations {
			if slices.Contains(costly, at) {
				if err := ctx.Err(); err != nil {
					return err
				}
				search := newSearch(t, s, n, rule, s.results[n][i])
				search.done, search.limit = ctx.Done(), limitFor(rules[at].Cost, total)
				if err := guard(func() error { rules[at].Causes = search.causes(); return ctx.Err() }); err != nil {
					return err
				}
			}
			at++
		}
	}
	return nil
}

// limitFor is what a rule may cost: its own limit or, if that is less, what the
// other rules leave over.
func limitFor(cost, total uint64) uint64 {
	others := total - min(cost, total)
	if total <= SchemaCostLimit || others >= SchemaCostLimit || total == math.MaxUint64 {
		return RuleCostLimit
	}
	return min(RuleCostLimit, SchemaCostLimit-others)
}

// search looks for the causes of one rule.
type search struct {
	target *Target
	node   *node
	rule   apiextensionsv1.ValidationRule
	limit  uint64
	// done: the result does not matter any more.
	done <-chan struct{}
	// plain is the compilation with the schema as it is.
	plain compilation
	// kind is the node's type, with nothing but what the rule may speak of.
	kind *apiservercel.DeclType
	// around and inside are the places that may have limits.
	around, inside []candidate
}

func newSearch(t *Target, s *compiledSchema, n *node, rule apiextensions.ValidationRule, plain compilation) *search {
	out := &search{target: t, node: n, plain: plain, rule: apiextensionsv1.ValidationRule{
		Rule: rule.Rule, MessageExpression: rule.MessageExpression, OptionalOldSelf: rule.OptionalOldSelf,
	}}
	words := wordsOf(rule.Rule, rule.MessageExpression)
	root := s.root.path.String()
	out.around = candidatesAround(n, root)
	out.inside = candidatesInside(s.kinds[n], n, root, words)
	out.kind = reduced(s.kinds[n], words)
	return out
}

// compiled compiles the rule with limits inside.
func (s *search) compiled(limits map[int]int64) compilation {
	kind := s.kind
	for i, limit := range limits {
		kind = limited(kind, s.inside[i].trail, multiplyLimit(limit, s.inside[i].factor))
	}
	return s.target.compileIn(false, kind, apiextensionsv1.ValidationRules{s.rule})[0]
}

func multiplyLimit(limit, factor int64) int64 {
	if limit > math.MaxInt64/factor {
		return math.MaxInt64
	}
	return limit * factor
}

// under reports whether the rule is under its limits with limits around and
// inside.
func (s *search) under(around, inside map[int]int64) bool {
	select {
	case <-s.done:
		return false
	default:
	}
	c := s.plain
	if len(inside) > 0 {
		c = s.compiled(inside)
	}
	if c.failure != nil || c.broken != nil || c.brokenMessage != nil {
		return false
	}
	once := uint64(1)
	cardinality := &once
	for i, a := range s.around {
		limit, ok := around[i]
		if !ok && a.limit == nil {
			cardinality = nil
			break
		}
		if !ok {
			limit = *a.limit
		}
		*cardinality = multiply(*cardinality, uint64(max(limit, 0)))
	}
	return c.times(cardinality) <= s.limit && c.messageCost <= RuleCostLimit
}

// causes finds the places that matter, and limits for them.
func (s *search) causes() []Cause {
	found := s.relevant(func(c candidate) bool { return c.limit == nil })
	if len(found) == 0 {
		found = s.relevant(func(c candidate) bool { return c.limit != nil })
	}
	out := make([]Cause, len(found))
	most := int64(0)
	for i, f := range found {
		c := f.in(s)
		most = max(most, c.most())
		out[i] = Cause{Path: c.path, Keyword: c.keyword, Limit: c.limit}
		out[i].Bound = greatest(c.most(), func(bound int64) bool { return s.underWith(found[i:i+1], bound) })
	}
	joint := int64(0)
	if len(found) == 1 {
		joint = out[0].Bound
	} else {
		joint = greatest(most, func(bound int64) bool { return s.underWith(found, bound) })
	}
	for i, f := range found {
		out[i].JointBound = min(joint, f.in(s).most())
	}
	return out
}

// ref names a candidate of a search.
type ref struct {
	around bool
	index  int
}

func (r ref) in(s *search) candidate {
	if r.around {
		return s.around[r.index]
	}
	return s.inside[r.index]
}

// underWith is under, with one limit for all given candidates.
func (s *search) underWith(refs []ref, bound int64) bool {
	around, inside := map[int]int64{}, map[int]int64{}
	for _, r := range refs {
		limit := min(bound, r.in(s).most())
		if r.around {
			around[r.index] = limit
		} else {
			inside[r.index] = limit
		}
	}
	return s.under(around, inside)
}

// relevant returns the wanted candidates that make a difference: all those around
// the node, nearest first, and those inside without whose limit the rule costs
// more than with limits everywhere.
func (s *search) relevant(wanted func(candidate) bool) []ref {
	var out []ref
	for i, c := range s.around {
		if wanted(c) {
			out = append(out, ref{true, i})
		}
	}
	all := map[int]int64{}
	for i := range s.inside {
		all[i] = 1
	}
	if len(all) == 0 {
		return out
	}
	base := s.compiled(all)
	for i, c := range s.inside {
		if !wanted(c) {
			continue
		}
		delete(all, i)
		without := s.compiled(all)
		all[i] = 1
		if without.cost > base.cost || without.messageCost > base.messageCost {
			out = append(out, ref{false, i})
		}
	}
	return out
}

// greatest returns the greatest number up to most that is good, and 0 if 1 is
// not. What is below a good number is good.
func greatest(most int64, good func(int64) bool) int64 {
	if most < 1 || !good(1) {
		return 0
	}
	low, high := int64(1), most
	for low < high {
		middle := low + (high-low+1)/2
		if good(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}
