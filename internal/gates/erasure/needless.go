package erasure

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// This file reports conditions that change nothing.

// needless reports conditions at a declaration that always hold where it exists.
func (p *pass) needless(bare []bareCondition, conditional []alternative, plain []markers.Comment, target markers.Target) {
	for _, d := range bare {
		if outer := implying(p.around, d.condition); outer != nil {
			var edit *markers.Edit
			if !strings.HasPrefix(d.marker.Text, "+"+markers.FeatureGateName) { // of which there may be several
				edit = markers.Removal(p.tree, d.marker.Pos)
			}
			p.reportNeedless(d.marker, d.condition, outer, edit)
		}
	}
	for _, a := range conditional {
		if outer := implying(slices.Concat(p.around, bare), a.condition); outer != nil {
			p.reportNeedless(a.written, a.condition, outer, p.withoutCondition(a, plain, target))
		}
		p.gatedValues(a, conditional, plain, target)
	}
}

// implying returns those of the conditions of declarations that imply another: one of them or, if
// no single one does, all that share a gate with it. It returns nil if they do not.
func implying(around []bareCondition, c gates.Condition) (sharing []bareCondition) {
	names := c.Names()
	if len(names) == 0 {
		return nil // it is wrong, which was reported
	}
	var all []gates.Condition
	for _, d := range around {
		if !slices.ContainsFunc(d.condition.Names(), func(name string) bool { return slices.Contains(names, name) }) {
			continue
		}
		if d.condition.Implies(c) {
			return []bareCondition{d}
		}
		sharing = append(sharing, d)
		all = append(all, d.condition)
	}
	if len(all) < 2 || !gates.And(all...).Implies(c) {
		return nil
	}
	return sharing
}

func (p *pass) reportNeedless(c markers.Comment, condition gates.Condition, implying []bareCondition, edit *markers.Edit) {
	d := p.Reporter.Report(report.NeedlessCondition, p.file.Pkg.At(c.Pos), "", "the condition %s always holds where the declaration exists", condition)
	for _, declaration := range implying {
		d.Related = append(d.Related, diag.Related{Pos: p.Reporter.Position(declaration.marker.Pos), Message: "the condition of the declaration"})
	}
	p.Reporter.Fix(d, "remove the condition", edit)
}

// withoutCondition returns the edit that removes the condition of a marker, or nil if the marker
// replaces one without a condition, or is OpenShift's.
func (p *pass) withoutCondition(a alternative, plain []markers.Comment, target markers.Target) *markers.Edit {
	replaces := slices.ContainsFunc(plain, func(c markers.Comment) bool { return p.shareSlot(c, a.marker, target) })
	if a.gates > 0 || !strings.HasSuffix(a.written.Text, a.marker.Text) || replaces {
		return nil
	}
	return &markers.Edit{Pos: a.written.Pos, End: a.marker.Pos}
}

// shareSlot reports whether two markers of a declaration are alternatives.
func (p *pass) shareSlot(a, b markers.Comment, target markers.Target) bool {
	slots := p.Table.Slots(b, target)
	return slices.ContainsFunc(p.Table.Slots(a, target), func(slot string) bool { return slices.Contains(slots, slot) })
}

// gatedValues reports values that a conditional marker adds to an Enum that has them anyway.
func (p *pass) gatedValues(a alternative, conditional []alternative, plain []markers.Comment, target markers.Target) {
	if !strings.HasPrefix(a.marker.Text, "+"+markers.EnumValuesName) {
		return
	}
	added := p.Table.Values(a.marker, target)
	for _, c := range plain {
		if slices.ContainsFunc(conditional, func(other alternative) bool { return p.shareSlot(c, other.marker, target) }) {
			continue // it is not always there
		}
		always := p.Table.Values(c, target)
		for _, value := range added {
			if !slices.ContainsFunc(always, func(v any) bool { return reflect.DeepEqual(v, value) }) {
				continue
			}
			d := p.Reporter.Report(report.NeedlessCondition, p.file.Pkg.At(a.marker.Pos), "remove it from one of them",
				"value \"%v\" depends on %s, but the Enum has it anyway", value, a.condition)
			d.Related = []diag.Related{{Pos: p.Reporter.Position(c.Pos), Message: "the Enum"}}
			p.Reporter.Delimit(d, a.marker.End(), nil)
		}
	}
}

// ofPackage returns the condition beside the package clause, which may be in another file. It is
// nil if there is none.
func (e *Eraser) ofPackage(p *source.Package) []bareCondition {
	if known, ok := e.packages[p]; ok {
		return known
	}
	var found []bareCondition
	for _, f := range p.Sources {
		tree, err := f.Tree()
		if !f.MentionsGates() || err != nil {
			continue
		}
		for _, c := range e.Table.Collect(tree).Package {
			if d := e.reader(p).Read(c, markers.Package).Declares; d != nil && c.Pos < tree.Name.End() {
				found = append(found, bareCondition{marker: c, condition: d.Condition})
			}
		}
	}
	if e.packages == nil {
		e.packages = map[*source.Package][]bareCondition{}
	}
	e.packages[p] = slices.Clip(found)
	return found
}

// isKind reports whether a type seems to be a kind: it embeds the metadata of one.
func isKind(spec *ast.TypeSpec) bool {
	st, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(st.Fields.List, func(field *ast.Field) bool {
		name := source.ExprName(field.Type)
		return len(field.Names) == 0 && name[strings.LastIndexByte(name, '.')+1:] == "ObjectMeta"
	})
}
