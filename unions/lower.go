package unions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Form is a way to express a union in a schema.
type Form string

// Forms of unions. API servers enforce only the first two.
const (
	// FormCEL restricts the discriminator to its values and adds rules to the object.
	FormCEL Form = "cel"
	// FormOneOf restricts the discriminator and adds a oneOf: value validations only.
	FormOneOf Form = "oneOf"
	// FormExtension is x-kubernetes-unions as in KEP-1027, on the discriminator.
	FormExtension Form = "extension"
	// FormExtensionObject is x-kubernetes-unions as in the structural-schema KEP,
	// on the object.
	FormExtensionObject Form = "extension-object"
	// FormNone adds nothing to the schema.
	FormNone Form = "none"
)

// allForms returns all forms.
func allForms() []Form {
	return []Form{FormCEL, FormOneOf, FormExtension, FormExtensionObject, FormNone}
}

// ParseForms parses a list of forms, separated by semicolons. It returns an error if
// a name is unknown or if forms exclude each other.
func ParseForms(text string) ([]Form, error) {
	var out []Form
	for part := range strings.SplitSeq(text, ";") {
		form := Form(strings.TrimSpace(part))
		switch {
		case !slices.Contains(allForms(), form):
			return nil, fmt.Errorf("%q is not a form of unions: use one of %s", form, joinForms(allForms()))
		case slices.Contains(out, form):
			return nil, fmt.Errorf("duplicate form %q", form)
		}
		out = append(out, form)
	}
	switch {
	case slices.Contains(out, FormCEL) && slices.Contains(out, FormOneOf):
		return nil, fmt.Errorf("%s and %s exclude each other: the errors of %[2]s suppress the messages of all rules", FormCEL, FormOneOf)
	case slices.Contains(out, FormNone) && len(out) > 1:
		return nil, fmt.Errorf("%s excludes every other form", FormNone)
	}
	return out, nil
}

func joinForms(forms []Form) string {
	var names []string
	for _, f := range forms {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// Style is a way to write the rules of a union.
type Style string

// Styles, from the best messages to the lowest cost.
const (
	StyleSplit   Style = "split"   // two rules for each member
	StyleCompact Style = "compact" // one rule for each member
	StyleOneOf   Style = "oneOf"   // no rules, but a oneOf
)

// Cost is the cost of rules at their position in the schema.
type Cost struct {
	// Rules are the costs as shares of the limit for one rule, in rule order.
	Rules []float64
	// Total is the share of the limit for the whole definition, including
	// everything else in it.
	Total float64
}

// fits reports whether the server accepts the rules.
func (c Cost) fits() bool {
	return c.Total <= 1 && !slices.ContainsFunc(c.Rules, func(share float64) bool { return share > 1 })
}

// RuleCost is the estimated cost of one CEL rule of a CustomResourceDefinition.
type RuleCost struct {
	// Version is the name of the version that has the rule, and Path its path in the
	// definition: "spec.versions[0].schema.openAPIV3Schema…x-kubernetes-validations[0]".
	Version, Path string
	// Rule is the text of the rule.
	Rule string
	// OfRule is the cost as a share of the limit for one rule, and OfSchema as a share of
	// the limit for all rules of a schema. The API server rejects shares above 1.
	OfRule, OfSchema float64
}

// Estimate returns the cost of rules. An error means that the estimate failed.
type Estimate func(rules []structural.Rule) (Cost, error)

// LowerOptions configures how a union is lowered.
type LowerOptions struct {
	// Forms are the forms to generate, in any order.
	Forms []Form
	// Transition adds the rule that explains an unchanged discriminator. The
	// caller must know that objects can be correlated wherever the union occurs.
	Transition bool
	// Plain omits fields of rules that are unknown before Kubernetes 1.28: fieldPath,
	// reason and messageExpression.
	Plain bool
	// Estimate decides between the styles of the cel form. If it is nil, the style is
	// split.
	Estimate Estimate
}

// Lowered are the additions to a schema that express one union.
type Lowered struct {
	// Rules, OneOf and Unions are for the object that holds the union.
	Rules  []structural.Rule
	OneOf  []structural.NestedValueValidation
	Unions []structural.Union
	// Enum and Members are for the discriminator.
	Enum    []structural.JSON
	Members []structural.UnionMember

	// Style is the style of the rules, or "" if no rules were requested.
	Style Style
	// Rejected are the styles that were tried before it.
	Rejected []Rejection
	// Lost lists the parts of the union that a requested form cannot express.
	Lost []string
}

// Rejection is the reason for which a style was not used.
type Rejection struct {
	Style Style
	// Cost is the cost that the rules would have had. It is zero if Name is set.
	Cost Cost
	// Name is a field that no rule can access, or "".
	Name string
}

// Lower returns the additions to a schema that express the union. An error means that a form is unknown, or
// that the estimate failed.
func Lower(u Union, opts LowerOptions) (Lowered, error) {
	var out Lowered
	for _, form := range opts.Forms {
		if !slices.Contains(allForms(), form) {
			return Lowered{}, fmt.Errorf("%q is not a form of unions: use one of %s", form, joinForms(allForms()))
		}
	}
	// Every form that the server enforces restricts the discriminator to its values.
	if slices.Contains(opts.Forms, FormCEL) || slices.Contains(opts.Forms, FormOneOf) {
		out.Enum = enumOf(&u)
	}
	switch {
	case slices.Contains(opts.Forms, FormCEL):
		if err := lowerToRules(&u, opts, &out); err != nil {
			return Lowered{}, err
		}
	case slices.Contains(opts.Forms, FormOneOf):
		out.Style = StyleOneOf
		out.OneOf = oneOfBranches(&u)
	}
	if slices.Contains(opts.Forms, FormExtension) {
		lowerToMembers(&u, &out)
	}
	if slices.Contains(opts.Forms, FormExtensionObject) {
		lowerToUnions(&u, &out)
	}
	return out, nil
}

// lowerToRules tries the styles in turn until one fits.
func lowerToRules(u *Union, opts LowerOptions, out *Lowered) error {
	names, unreadable := namesIn(u)
	if unreadable != "" {
		for _, style := range []Style{StyleSplit, StyleCompact} {
			out.Rejected = append(out.Rejected, Rejection{Style: style, Name: unreadable})
		}
		out.Style = StyleOneOf
		out.OneOf = oneOfBranches(u)
		return nil
	}
	var transition []structural.Rule
	if opts.Transition && u.Discriminator != "" && len(u.Members) > 1 {
		transition = append(transition, transitionRule(u, names))
	}
	for _, style := range []Style{StyleSplit, StyleCompact} {
		var rules []structural.Rule
		switch {
		case u.Discriminator == "":
			if style == StyleCompact {
				continue // there is only one way to count
			}
			rules = append(rules, countRule(u, names))
		case style == StyleSplit:
			rules = splitRules(u, names)
		default:
			rules = compactRules(u, names)
		}
		rules = append(rules, transition...)
		if opts.Plain {
			rules = plain(rules)
		}
		if opts.Estimate == nil {
			out.Style = style
			out.Rules = rules
			return nil
		}
		cost, err := opts.Estimate(rules)
		if err != nil {
			return fmt.Errorf("estimating the rules of the union of %s: %w", u.label(), err)
		}
		if cost.fits() {
			out.Style = style
			out.Rules = rules
			return nil
		}
		out.Rejected = append(out.Rejected, Rejection{Style: style, Cost: cost})
	}
	out.Style = StyleOneOf
	out.OneOf = oneOfBranches(u)
	return nil
}

// label returns the name of the union for messages.
func (u *Union) label() string {
	if u.Discriminator != "" {
		return u.Discriminator
	}
	var names []string
	for _, m := range u.Members {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// lowerToMembers generates KEP-1027's form.
func lowerToMembers(u *Union, out *Lowered) {
	if u.Discriminator == "" {
		out.Lost = append(out.Lost, fmt.Sprintf("%s: the union of %s, which has no discriminator", FormExtension, u.label()))
		return
	}
	for _, v := range u.Values {
		member := structural.UnionMember{Value: v.Name, Name: v.Member}
		if i := u.Selected(v.Name); i >= 0 {
			member.Name = u.Members[i].Name
			member.Optional = u.Members[i].Optional
		}
		out.Members = append(out.Members, member)
	}
}

// lowerToUnions generates the structural-schema KEP's form and records what it loses.
func lowerToUnions(u *Union, out *Lowered) {
	lost := func(format string, args ...any) {
		out.Lost = append(out.Lost, string(FormExtensionObject)+": "+fmt.Sprintf(format, args...))
	}
	if u.Discriminator == "" {
		lost("the union of %s, which has no discriminator", u.label())
		return
	}
	union := structural.Union{Discriminator: u.Discriminator}
	for _, m := range u.Members {
		union.Fields = append(union.Fields, structural.UnionField{Name: m.Name, Value: m.Value})
		if m.Optional {
			lost("member %s is optional", m.Name)
		}
	}
	for _, v := range u.Values {
		if u.Selected(v.Name) < 0 {
			lost("value %q has no member", v.Name)
		}
	}
	out.Unions = []structural.Union{union}
}
