package unions

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// Union is one union of an object: a discriminator, the closed set of its values, and
// the members, of which each value selects at most one.
//
// KEP-1027 has only discriminated unions ("all new unions maintain a discriminator").
// Undiscriminated unions come from Kubernetes' declarative validation (+k8s:unionMember,
// +k8s:zeroOrOneOfMember): exactly one or at most one of the members is set, and there is nothing
// to normalize.
type Union struct {
	// Discriminator is the JSON name of the field that selects the member. It is
	// empty for an undiscriminated union.
	Discriminator string
	// GoName is the Go name of the discriminator, for messages about Go source.
	GoName string
	// Required is true if the schema lists the discriminator as required.
	Required bool
	// Default is the value of an absent discriminator, or nil.
	Default *string
	// Values are the values of the discriminator, in the order of its enum. The
	// set is closed: the discriminator "MUST be an enum" (KEP-1027, Go Markers).
	Values []Value
	// Members are the members, in the order of the fields.
	Members []Member
	// AtMostOne allows an undiscriminated union without a set member.
	AtMostOne bool
	// AtLeastOne allows several members. Only [Counted] returns such unions.
	AtLeastOne bool
	// Pos is the position of the discriminator, or of the first member.
	Pos token.Pos
}

// Value is one value of a discriminator.
type Value struct {
	// Name is the value. By convention the value without a member is ""
	// (KEP-1027, Discriminator Values).
	Name string
	// Member is the JSON name of the member that the value selects, or "": "In
	// some cases there are more discriminator values than there are member
	// fields" (KEP-1027, Empty Union Members).
	Member string
}

// Member is one member of a union.
type Member struct {
	// Name is the JSON name of the field.
	Name string
	// GoName is the Go name of the field.
	GoName string
	// Value is the value of the discriminator that selects the member; it is
	// unused without a discriminator.
	Value string
	// Optional members may be selected while they are unset: "the discriminator
	// can select the field even if the field is not set" (KEP-1027, Go Markers).
	Optional bool
	// Untyped members have a schema without a type, which CEL rules cannot read.
	Untyped bool
	// Pos is the position of the member.
	Pos token.Pos
}

// New returns a discriminated union of the members, with the values in the given order.
// Callers set the remaining fields.
func New(discriminator string, values []string, members ...Member) Union {
	u := Union{Discriminator: discriminator, Members: members}
	for _, name := range values {
		value := Value{Name: name}
		for _, m := range members {
			if m.Value == name {
				value.Member = m.Name
			}
		}
		u.Values = append(u.Values, value)
	}
	return u
}

// MayBeAbsent reports whether the discriminator may be absent from an object
// that is otherwise defaulted: it is neither required nor has a default.
func (u *Union) MayBeAbsent() bool { return !u.Required && u.Default == nil }

// HasValue reports whether the discriminator has the value.
func (u *Union) HasValue(name string) bool {
	return slices.ContainsFunc(u.Values, func(v Value) bool { return v.Name == name })
}

// Selected returns the index of the member that the value selects, or -1 if the value
// has no member or is not a value of the discriminator.
func (u *Union) Selected(value string) int {
	return slices.IndexFunc(u.Members, func(m Member) bool { return m.Value == value })
}

// MustBeSet returns the message for a member that is selected but not set. Kubernetes' declarative
// validation has the same text.
func (u *Union) MustBeSet(m Member) string {
	return fmt.Sprintf("must be specified when `%s` is %q", u.Discriminator, m.Value)
}

// MustNotBeSet returns the message for a member that is set while another value is
// selected. Kubernetes' declarative validation has the same text.
func (u *Union) MustNotBeSet(m Member) string {
	return fmt.Sprintf("may only be specified when `%s` is %q", u.Discriminator, m.Value)
}

// MustChange is the message for a discriminator that did not change with the
// members: "we should error loudly that the client must change the
// discriminator if it changes any union member fields" (KEP-1027, Validation).
const MustChange = "must be changed when a different union member is set"

// MustHaveMember returns the message for an undiscriminated union in which the wrong
// number of members is set.
func (u *Union) MustHaveMember() string {
	names := make([]string, len(u.Members))
	for i, m := range u.Members {
		names[i] = "`" + m.Name + "`"
	}
	count := "exactly"
	switch {
	case u.AtMostOne:
		count = "at most"
	case u.AtLeastOne:
		count = "at least"
	}
	return fmt.Sprintf("must specify %s one of: %s", count, strings.Join(names, ", "))
}
