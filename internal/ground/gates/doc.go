// Package gates reads the conditions of +schemagen:when and +schemagen:doc, and evaluates them
// under a set of gates. It knows the text of a condition, not where it stands.
//
//	or   := and {"||" and}
//	and  := not {"&&" not}
//	not  := "!" not | "(" or ")" | NAME
//	NAME := letter {letter | digit | "_" | "." | "-"} | '"' characters '"'
//
// order.go finds which of many sets of gates are next to each other.
package gates
