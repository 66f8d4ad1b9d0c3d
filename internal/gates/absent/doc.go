// Package absent reports what refers to fields that conditions on gates remove. It finds list
// keys, defaults, printer columns, selectable fields, scale paths and field paths of rules in
// finished definitions, and explains the API server's errors about rules that read such fields.
//
// Which properties a struct lacks is in [structural.Origin.Absent], for which [Of] reads the
// source. The package does not know which gates are on: a property is absent or is not.
//
// constant.go finds rules that compare only with values that conditions remove.
package absent
