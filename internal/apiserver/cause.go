package apiserver

import (
	"cmp"
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"k8s.io/utils/ptr"
)

// Cause is a list, a map or a string that makes a rule expensive: it either contains the
// rule's node, and so multiplies the number of evaluations, or is traversed by the rule.
type Cause struct {
	// Path is its path in the given object.
	Path string
	// Keyword is the missing limit: maxItems, maxProperties or maxLength.
	Keyword string
	// Limit is the current value of the keyword. It is nil for most causes: causes with a
	// limit are reported only if all have one.
	Limit *int64
	// Nested is the smallest value of the keyword in an allOf, or nil. The server ignores it
	// in its estimates.
	Nested *int64
	// Bound is the largest value of the keyword that by itself brings the rule under its
	// limits, or 0 if there is none.
	Bound int64
	// JointBound is the largest such value if all causes are limited to it.
	JointBound int64
}

const (
	// maxExplained is the maximum number of rules per schema whose causes are determined;
	// each takes several compilations.
	maxExplained = 16
	// maxCandidates is the maximum number of candidates per rule.
	maxCandidates = 64
	// maxBound exceeds what fits into a request.
	maxBound = maxRequestBytes
)

// explain determines the causes of the rules that exceed a limit, for the most expensive
// ones first.
func (t *Target) explain(ctx context.Context, s *compiledSchema, rules []Rule) error {
	total := s.root.context.TotalCost.Total
	var costly []int
	for i, r := range rules {
		if r.highestCost() > RuleCostLimit || total > SchemaCostLimit && r.highestCost() >= SchemaCostLimit/100 {
			costly = append(costly, i)
		}
	}
	slices.SortStableFunc(costly, func(a, b int) int { return cmp.Compare(rules[b].highestCost(), rules[a].highestCost()) })
	costly = costly[:min(len(costly), maxExplained)]
	slices.Sort(costly)
	offset := 0
	for _, n := range s.ruled {
		for i, rule := range n.schema.XValidations {
			if slices.Contains(costly, offset) {
				if err := ctx.Err(); err != nil {
					return err
				}
				search := newSearch(t, s, n, rule, s.results[n][i])
				search.done = ctx.Done()
				search.limit = limitFor(rules[offset].Cost, total)
				if err := guard(func() error { rules[offset].Causes = search.causes(); return ctx.Err() }); err != nil {
					return err
				}
			}
			offset++
		}
	}
	return nil
}

// limitFor returns the maximum cost of a rule: its own limit or, if that is less, what the
// other rules leave of the limit per schema.
func limitFor(cost, total uint64) uint64 {
	others := total - min(cost, total)
	if total <= SchemaCostLimit || others >= SchemaCostLimit || total == math.MaxUint64 {
		return RuleCostLimit
	}
	return min(RuleCostLimit, SchemaCostLimit-others)
}

// search determines the causes of one rule.
type search struct {
	target *Target
	node   *node
	rule   expression
	limit  uint64
	// done is closed when the result is no longer needed.
	done <-chan struct{}
	// plain is the compilation with the schema unchanged.
	plain compilation
	// kind is the node's type, reduced to the fields that the rule may use.
	kind *apiservercel.DeclType
	// around and inside are the nodes that may be limited.
	around, inside []candidate
}

func newSearch(t *Target, s *compiledSchema, n *node, rule apiextensions.ValidationRule, plain compilation) *search {
	out := &search{target: t, node: n, plain: plain, rule: expression{
		rule: rule.Rule, message: rule.MessageExpression, optional: ptr.Deref(rule.OptionalOldSelf, false),
	}}
	words := wordsOf(rule.Rule, rule.MessageExpression)
	root := s.root.path.String()
	out.around = t.candidatesAround(n, root)
	out.inside = t.candidatesInside(s.kinds[n], n, root, words)
	out.kind = reduced(s.kinds[n], words)
	return out
}

// compiled compiles the rule with limits on the candidates inside.
func (s *search) compiled(limits map[int]int64) compilation {
	kind := s.kind
	for i, limit := range limits {
		kind = withLimit(kind, s.inside[i].trail, multiplyLimit(limit, s.inside[i].factor))
	}
	return s.target.compileOne(kind, s.rule)
}

func multiplyLimit(limit, factor int64) int64 {
	if limit > math.MaxInt64/factor {
		return math.MaxInt64
	}
	return limit * factor
}

// under reports whether the rule is within its limits if the candidates have the given
// limits.
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
	if c.failure != nil || c.ruleError != nil || c.messageError != nil {
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

// causes returns the candidates that matter, with limits for them.
func (s *search) causes() []Cause {
	found := s.relevant(func(c candidate) bool { return c.limit == nil })
	if len(found) == 0 {
		found = s.relevant(func(c candidate) bool { return c.limit != nil })
	}
	out := make([]Cause, len(found))
	most := int64(0)
	for i, f := range found {
		c := f.in(s)
		most = max(most, c.maxLimit())
		out[i] = Cause{Path: c.path, Keyword: c.keyword, Limit: c.limit, Nested: c.nested}
		out[i].Bound = largest(c.maxLimit(), func(bound int64) bool { return s.underWith(found[i:i+1], bound) })
	}
	joint := int64(0)
	if len(found) == 1 {
		joint = out[0].Bound
	} else {
		joint = largest(most, func(bound int64) bool { return s.underWith(found, bound) })
	}
	for i, f := range found {
		out[i].JointBound = min(joint, f.in(s).maxLimit())
	}
	return out
}

// candidateRef refers to a candidate of a search.
type candidateRef struct {
	around bool
	index  int
}

func (r candidateRef) in(s *search) candidate {
	if r.around {
		return s.around[r.index]
	}
	return s.inside[r.index]
}

// underWith is like under, with the same limit for all given candidates.
func (s *search) underWith(refs []candidateRef, bound int64) bool {
	around := map[int]int64{}
	inside := map[int]int64{}
	for _, r := range refs {
		limit := min(bound, r.in(s).maxLimit())
		if r.around {
			around[r.index] = limit
		} else {
			inside[r.index] = limit
		}
	}
	return s.under(around, inside)
}

// relevant returns the wanted candidates that affect the cost: all those around the node,
// the nearest first, and those inside whose missing limit raises the cost above that with
// all limits set.
func (s *search) relevant(wanted func(candidate) bool) []candidateRef {
	var out []candidateRef
	for i, c := range s.around {
		if wanted(c) {
			out = append(out, candidateRef{true, i})
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
		rest := s.compiled(all)
		all[i] = 1
		if rest.cost > base.cost || rest.messageCost > base.messageCost {
			out = append(out, candidateRef{false, i})
		}
	}
	return out
}

// largest returns the largest number from 1 to most for which good returns true, or 0. good
// must be monotonic: if it holds for a number, it holds for all smaller ones.
func largest(most int64, good func(int64) bool) int64 {
	if most < 1 || !good(1) {
		return 0
	}
	low := int64(1)
	high := most
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
