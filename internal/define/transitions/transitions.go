package transitions

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Fitter adds the rules of read-only fields to definitions.
type Fitter struct {
	Reporter *report.Reporter
	// PackageOf returns the package of a marker.
	PackageOf func(marker token.Pos) *source.Package
	// Plain is set if rules must work without fieldPath, which servers before Kubernetes 1.28
	// do not know.
	Plain bool
	// Server estimates the costs of rules; nil if there is none.
	Server Server
}

// Fit adds to each version of a definition the rules of its read-only fields, and reports
// fields for which the server cannot enforce them.
func (f *Fitter) Fit(crd *checks.Definition) {
	for i, s := range crd.Schemas {
		w := &walker{Fitter: f, root: crd.Roots[i]}
		if sub := crd.Object.Spec.Versions[i].Subresources; sub != nil {
			w.hasStatus = sub.Status != nil
		}
		w.walk([]node{{schema: s, correlatable: true}}, 0)
		if len(w.rules) > 0 {
			crd.Schemas[i] = edits.Apply(f.Reporter, s, w.rules)
		}
	}
}

// node is a node on the way from the root to a field.
type node struct {
	schema *structural.Schema
	// step leads to the node from the one before.
	step edits.Step
	// correlatable is set if the server can find the node's old value.
	correlatable bool
}

// walker visits the schema of one version.
type walker struct {
	*Fitter
	root      *source.Type
	hasStatus bool
	rules     []*edits.Edit
}

// walk visits the nodes below the last one of a path, whose memory they share. The node with index scope is the nearest
// one that exists before and after every update that compares the field: the root, or an element.
func (w *walker) walk(path []node, scope int) {
	last := path[len(path)-1]
	for step, s := range edits.Children(last.schema) {
		child := append(path, node{s, step, last.correlatable && step.Correlates(last.schema)})
		if step.Kind != edits.StepField {
			w.walk(child, len(path))
			continue
		}
		if mark := s.Origin.ReadOnly; mark != nil {
			w.restrict(child, scope, *mark)
		}
		w.walk(child, scope)
	}
}

// restrict adds the rule for a read-only field, the last node of a path.
func (w *walker) restrict(path []node, scope int, mark notes.ReadOnly) {
	inStatus := path[1].step.Name == "status"
	switch {
	case path[1].step.Name == "metadata":
		w.refuse(path, mark, "", "the API server itself restricts updates of metadata")
		return
	case mark.Mode == notes.ReadOnlyStatus && !inStatus:
		w.refuse(path, mark, "move the field to the status, or use +schemagen:readOnly=once",
			"the status subresource changes nothing but .status")
		return
	case mark.Mode == notes.ReadOnlyStatus && !w.hasStatus:
		w.refuse(path, mark, "add +kubebuilder:subresource:status to "+w.root.Spec.Name.Name,
			"without the status subresource, every update can change .status")
		return
	case mark.Mode == notes.ReadOnlyStatus:
		return // the server keeps .status in all other requests
	case mark.Mode == notes.ReadOnlyAlways && inStatus && w.hasStatus && scope == 0:
		w.refuse(path, mark, "use +schemagen:readOnly=once",
			"an object is created without .status, so the field could never be set")
		return
	}
	anchor, ok := w.anchor(path, scope, mark)
	if !ok {
		return
	}
	rule, ok := w.rule(path[anchor:], mark)
	if !ok {
		return
	}
	steps := make([]edits.Step, 0, anchor)
	for _, n := range path[1 : anchor+1] {
		steps = append(steps, n.step)
	}
	w.rules = append(w.rules, &edits.Edit{Pkg: w.PackageOf(mark.Pos), Pos: mark.Pos, Name: markers.ReadOnlyName,
		Path: steps, Op: addRule{rule}})
}

// anchor returns the index of the node whose rule restricts the field: the lowest one below the
// scope that every update has, and whose old value the server can find.
func (w *walker) anchor(path []node, scope int, mark notes.ReadOnly) (int, bool) {
	if !path[scope].correlatable {
		list := slices.IndexFunc(path, func(n node) bool { return !n.correlatable })
		hint := "give the list keys: +listType=map and +listMapKey=…, or mark the list itself"
		if path[list].step.Kind != edits.StepItems {
			hint = "remove +mapType=atomic or +structType=atomic, or mark that field itself"
		}
		w.refuse(path, mark, hint, "the API server cannot compare the elements of %s with their old values", pathText(path[:list]))
		return 0, false
	}
	anchor := scope
	for anchor < len(path)-2 {
		next := path[anchor+1]
		if !next.correlatable || next.schema.Nullable || !path[anchor].schema.Requires(next.step.Name) {
			break
		}
		anchor++
	}
	return anchor, true
}

// rule returns the rule of the first node of a path that restricts the last one.
func (w *walker) rule(path []node, mark notes.ReadOnly) (structural.Rule, bool) {
	var fieldPath strings.Builder
	names := make([]string, 0, len(path)-1)
	for _, n := range path[1:] {
		name, ok := celtext.Name(n.step.Name)
		if !ok || !hasCELType(n.schema) {
			hint := "give the schema a type: +kubebuilder:validation:Type=object"
			if !ok {
				hint = "rename it"
			}
			w.refuse(path, mark, hint, "CEL rules cannot read the field %s", n.step.Name)
			return structural.Rule{}, false
		}
		names = append(names, name)
		fieldPath.WriteString(celtext.FieldPath(n.step.Name))
	}
	field := path[len(path)-1]
	self := value("self", names)
	old := value("oldSelf", names)
	isSet := presence("self", names)
	wasSet := presence("oldSelf", names)
	rule := structural.Rule{Message: "field is read-only", FieldPath: fieldPath.String()}
	switch {
	case mark.Mode == notes.ReadOnlyOnce:
		rule.Message = "field is read-only once it is set"
		rule.Rule = fmt.Sprintf("%s || %s && %s == %s", not(wasSet, names), isSet, self, old)
	case len(names) == 1 && !field.schema.Nullable && path[0].schema.Requires(field.step.Name):
		// Objects that were stored before the field was required have to get it.
		rule.Rule = fmt.Sprintf("%s || %s == %s", not(wasSet, names), self, old)
	default:
		rule.Rule = fmt.Sprintf("%s ? %s && %s == %s : %s", isSet, wasSet, self, old, not(wasSet, names))
	}
	if w.Plain {
		rule.FieldPath = ""
		rule.Message = strings.TrimPrefix(pathText(path[1:]), ".") + strings.TrimPrefix(rule.Message, "field")
	}
	return rule, true
}

// value returns the CEL expression for a field below a variable.
func value(variable string, names []string) string { return variable + "." + strings.Join(names, ".") }

// presence returns the CEL condition for a field below a variable being set.
func presence(variable string, names []string) string {
	conditions := make([]string, len(names))
	for i := range names {
		conditions[i] = "has(" + value(variable, names[:i+1]) + ")"
	}
	return strings.Join(conditions, " && ")
}

// not negates a presence.
func not(presence string, names []string) string {
	if len(names) > 1 {
		return "!(" + presence + ")"
	}
	return "!" + presence
}

// hasCELType reports whether CEL rules can read values of a schema.
func hasCELType(s *structural.Schema) bool {
	switch {
	case s.Type == "array":
		return s.Items != nil && hasCELType(s.Items)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return hasCELType(s.AdditionalProperties.Schema)
	}
	return s.Type != "" || s.XIntOrString
}

// pathText returns the path to the last node in the syntax of markers.
func pathText(path []node) string {
	var out strings.Builder
	for _, n := range path {
		out.WriteString(n.step.String())
	}
	return out.String()
}

// refuse reports that the server cannot enforce a marker: at the marker or, if another module has
// it, at the kind.
func (w *walker) refuse(path []node, mark notes.ReadOnly, hint, format string, args ...any) {
	kind := w.root.Pkg.At(w.root.Spec.Name.Pos())
	w.Reporter.Enter(kind, w.root.Spec.Name.Name)
	defer w.Reporter.Leave()
	w.Reporter.Report(report.UnenforceableReadOnly, w.PackageOf(mark.Pos).At(mark.Pos), hint, "%s cannot be read-only: %s", pathText(path), fmt.Sprintf(format, args...))
}

// addRule is the operation that adds a rule to a node.
type addRule struct{ rule structural.Rule }

func (op addRule) Apply(e *edits.Editor, s *structural.Schema) { edits.AddRule(e, s, op.rule) }
