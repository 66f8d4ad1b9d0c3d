package rules

import (
	"iter"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// JudgeUnion compares the rules of an object that read members of a union, and no other field than those of the
// union, with the union: on all values that they tell apart. Rules that cannot be read exactly do not count. It
// returns nil if no rules count, or if there are too many values.
func JudgeUnion(u *unions.Union, s *structural.Schema) *unions.Judgement {
	lowered, err := unions.Lower(*u, unions.LowerOptions{Forms: []unions.Form{unions.FormCEL}})
	if err != nil || len(lowered.Rules) == 0 { // no rule can read a field of the union
		return nil
	}
	out := &unions.Judgement{Same: true}
	conditions := RuleConditions(lowered.Rules)
	for i, rule := range s.XValidations {
		if c := (Condition{Rule: rule}); isAbout(u, s, c) {
			out.Rules = append(out.Rules, i)
			conditions = append(conditions, c)
		}
	}
	r := newReader(s)
	read, ok := r.readConditions(conditions)
	if !ok || len(out.Rules) == 0 || !r.readUnion(u) {
		return nil
	}
	answers, err := newAnswerer(r.self, conditions, read)
	if err != nil {
		return nil
	}
	j := judge{out, lowered.Rules, make([]refusals, len(out.Rules)), r.self}
	rows := 0
	for value := range r.values(u) {
		for _, group := range r.independent(u, read) {
			chosen := r.wanted(u, value)
			next := func() { j.add(chosen, answers.of(chosen)) }
			rest := &part{children: group}
			isCounted := u.Discriminator == "" && isCounted(group, read)
			rows += rest.combinations(rest.below())
			switch {
			case isCounted:
				next()
				for _, p := range group {
					chosen[p] = 0
					next()
				}
			case rows > maxRows || rows*len(conditions) > maxAnswers:
				return nil
			default:
				assign(group, chosen, next)
			}
		}
	}
	for i, index := range out.Rules {
		rule := s.XValidations[index]
		if rule.FieldPath == "" && u.Discriminator != "" {
			out.NoFieldPath = append(out.NoFieldPath, index)
		}
		if j.seen[i] == (refusals{missing: true, present: true}) && rule.MessageExpression == "" && u.Discriminator != "" {
			out.OneMessage = append(out.OneMessage, index)
		}
	}
	return out
}

// isAbout reports whether a rule that can be read exactly reads members of a union, and no other field than those
// of the union.
func isAbout(u *unions.Union, s *structural.Schema, c Condition) bool {
	r := newReader(s)
	if !r.readCondition(c) || !r.setChoices() {
		return false
	}
	isMember := func(p *part) bool {
		return slices.ContainsFunc(u.Members, func(m unions.Member) bool { return m.Name == p.step })
	}
	isOther := func(p *part) bool { return !isMember(p) && p.step != u.Discriminator }
	return slices.ContainsFunc(r.self.children, isMember) && !slices.ContainsFunc(r.self.children, isOther)
}

// readUnion adds the columns of a union. The discriminator has all its values, which rules may not tell apart. It
// returns false if there is no such column.
func (r *reader) readUnion(u *unions.Union) bool {
	for _, m := range u.Members {
		if r.useOf([]string{m.Name}) == nil {
			return false
		}
	}
	if u.Discriminator != "" && r.useOf([]string{u.Discriminator}) == nil || !r.setChoices() {
		return false
	}
	if d := r.self.child(u.Discriminator); d != nil {
		d.choices = nil
		for _, v := range u.Values {
			d.choices = append(d.choices, v.Name)
		}
		return len(d.choices) > 0
	}
	return true
}

// values yields the values of the discriminator, or its absence, as choices of its column.
func (r *reader) values(u *unions.Union) iter.Seq[int] {
	return func(yield func(int) bool) {
		if u.Discriminator == "" || u.MayBeAbsent() {
			if !yield(absent) {
				return
			}
		}
		for i := range u.Values {
			if !yield(i) {
				return
			}
		}
	}
}

// wanted returns an object that the union accepts for a value of the discriminator, or with no member.
func (r *reader) wanted(u *unions.Union, value int) assignment {
	chosen := assignment{}
	for _, p := range r.self.below() {
		chosen[p] = 0
	}
	for _, p := range r.self.children {
		isSelected := func(m unions.Member) bool {
			return value != absent && m.Name == p.step && m.Value == u.Values[value].Name
		}
		switch {
		case p.step == u.Discriminator:
			chosen[p] = value
		case u.Discriminator == "" || !slices.ContainsFunc(u.Members, isSelected):
			chosen[p] = absent
		}
	}
	return chosen
}

// independent returns the members in groups. For a value of the discriminator, no rule, neither of the union nor by
// hand, reads members of different groups. So it is enough if the members of one group vary while the others are as
// the union wants them.
func (r *reader) independent(u *unions.Union, read []reading) [][]*part {
	var groups [][]*part
	for _, p := range r.self.children {
		if p.step != u.Discriminator {
			groups = append(groups, []*part{p})
		}
	}
	for _, one := range read {
		isRead := func(p *part) bool { return slices.Contains(one.columns, p) || slices.Contains(one.counted, p) }
		var joined []*part
		groups = slices.DeleteFunc(groups, func(group []*part) bool {
			isJoined := slices.ContainsFunc(group, isRead)
			if isJoined {
				joined = append(joined, group...)
			}
			return isJoined
		})
		if len(joined) > 0 {
			groups = append(groups, joined)
		}
	}
	return groups
}

// isCounted reports whether all conditions only read how many parts of a group are present.
func isCounted(group []*part, read []reading) bool {
	return !slices.ContainsFunc(read, func(one reading) bool {
		return len(one.columns) > 0 || len(one.counted) != len(group)
	})
}

// refusals are the kinds of objects that a rule refuses: those that the union refuses only because a member is missing,
// only because one is present, and others.
type refusals struct{ missing, present, other bool }

// judge compares the outcomes of a union's own rules and of those by hand.
type judge struct {
	out *unions.Judgement
	own []structural.Rule
	// seen are the objects that the rules by hand have refused.
	seen []refusals
	self *part
}

// add compares the outcomes for the object of an assignment.
func (j *judge) add(chosen assignment, outcomes []unions.Outcome) {
	out, own, seen := j.out, j.own, j.seen
	kind := refusals{other: true}
	for i, rule := range own {
		if isAccepted(outcomes[i : i+1]) {
			continue
		}
		kind.other = false
		kind.missing = kind.missing || ptr.Deref(rule.Reason, "") == apiextensionsv1.FieldValueRequired
		kind.present = kind.present || ptr.Deref(rule.Reason, "") != apiextensionsv1.FieldValueRequired
	}
	isWrong := kind.missing || kind.present
	if kind.missing && kind.present {
		kind = refusals{}
	}
	byHand := outcomes[len(own):]
	for i, outcome := range byHand {
		switch {
		case outcome.Failure != "" && out.Fails == nil:
			out.Fails = j.self.object(chosen)
			out.FailsRule = out.Rules[i]
			out.Failure = outcome.Failure
		case outcome.Rejected:
			seen[i].missing = seen[i].missing || kind.missing
			seen[i].present = seen[i].present || kind.present
			seen[i].other = seen[i].other || kind.other
		}
	}
	out.Same = out.Same && isWrong != isAccepted(byHand) && !hasFailure(byHand)
	if isWrong && isAccepted(byHand) && out.Slips == nil {
		out.Slips = j.self.object(chosen)
	}
}
