// Package rules determines what CEL rules read, and whether what they read exists.
//
// A rule that reads an absent field fails: the API server refuses the object with "no such key",
// whatever the message of the rule says. [Reads] returns the reads of a rule that are not known to
// succeed for every object that the schema allows. It interprets the parsed rule once, with the
// facts that hold wherever a part of it matters: has(), completed selects, in, hasValue, and what the
// schema requires or defaults. Both operands of && and || matter only if the other one does not
// decide, in either order, because the server evaluates both.
//
// The analysis is sound for new objects, and for updates of objects that satisfy the schema: a
// rule without such reads never fails with "no such key". It says nothing about other failures: an
// index outside of a list, a field of null, functions such as int('x'), and arithmetic. Fields that
// became required after an object was stored count as present; [StoredReads] and [UnchangedReads] are
// about those.
//
// Whether a comparison can still hold, for guards such as self.?name.orValue("") != "", comes from
// the evaluation of package apiserver. [Search.Failure] looks for an object on which a read fails,
// and asks the server's own code about each.
//
// [CompareAnswers] decides whether rules and logical junctors that are written differently accept the same
// objects. For that it makes a table: every combination of the values that they tell apart, with the answers
// of the server's own code. What cannot be read exactly, such as a pattern, has no table. [Meanings] reads off
// the table which markers have the meaning of rules or junctors. [JudgeUnion] compares rules with a union that has
// markers, of any number of members.
//
// Read the files in this order:
//
//   - parse.go: rules as expressions, with macros as calls
//   - value.go: what is known of the value of an expression
//   - reads.go: the interpretation
//   - facts.go: what follows from the result of a condition
//   - candidates.go: values of a schema that differ in what a rule reads
//   - search.go: the smallest object on which a rule fails
//   - stored.go: objects that were stored with another schema
//   - removable.go: values that escape from rules which are to keep them
//   - table.go: tables of answers
//   - junctors.go: rules and logical junctors as conditions
//   - counted.go: fields of which a rule reads only how many are present
//   - columns.go, classes.go: the fields that conditions read, and the values that they tell apart
//   - answerer.go: the answers of the server's code
//   - answers.go: conditions in groups that read the same fields, and what they accept
//   - meaning.go: markers of the same meaning as conditions
//   - replacement.go: how these are written
//   - judge.go: rules beside a union that they may enforce already
package rules
