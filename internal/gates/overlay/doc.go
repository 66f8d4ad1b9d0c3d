// Package overlay lays schemas that are generated for single gates over each other, as OpenShift's
// generator does. [Parts] says for which gates, and [Schemas] does it: properties are joined, and
// every list and every other keyword comes from the last schema that has it. So a later gate may
// lose what an earlier one adds to a list, such as a rule.
//
// The pass is a strategy (pass.go): package define runs once for each gate, and once with
// everything that any gate has, for the positions.
package overlay
