package uniongen

import (
	"encoding/json"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file handles lists with map keys, whose elements can be matched with those of the old
// object.

// list returns the functions of a keyed list; nil if a key is not a field.
func (f *functionFile) list(v *valueEdge, s *structural.Schema) *goList {
	node := v.elem.targetStruct()
	pointers := v.elem.kind == kindPointer
	names := slices.Clone(s.XListMapKeys)
	id := f.nodeText(node) + " " + strconv.FormatBool(pointers) + " " + strings.Join(names, ",")
	if list, ok := f.lists[id]; ok {
		return list.goList
	}
	list := &listNode{goList: &goList{Type: f.nodeText(node), Pointers: pointers, Elem: f.functions(node)}, node: node}
	f.lists[id] = list
	var fields []string
	for _, name := range names {
		key, ok := f.listKey(node, name, s.Items)
		if !ok {
			delete(f.lists, id)
			return nil
		}
		list.Keys = append(list.Keys, key)
		fields = append(fields, upperFirst(key.Field))
	}
	list.By = names[len(names)-1]
	if rest := names[:len(names)-1]; len(rest) > 0 {
		list.By = strings.Join(rest, ", ") + " and " + list.By
	}
	label := upperFirst(f.label(node))
	if pointers {
		label += "Pointer"
	}
	label += "ListBy"
	cause := strings.Join(fields, "And")
	list.label = label + cause
	if !f.foreign {
		if list.Elem.Clears {
			list.Normalize = f.unique("normalize" + list.label)
		}
		list.Validate = f.unique("validate" + list.label)
		list.Counterparts = f.unique("counterparts" + list.label)
	}
	list.Key = f.unique(lowerFirst(f.label(node)) + cause)
	list.KeyType = list.Keys[0].Type
	if len(list.Keys) > 1 {
		list.KeyType = f.unique(lowerFirst(f.label(node)) + "By" + cause)
	}
	f.keyed = append(f.keyed, list)
	f.out.Lists = append(f.out.Lists, list.goList)
	return list.goList
}

// listNode is a keyed list and the struct of its elements.
type listNode struct {
	*goList
	node  *structNode
	label string
}

// listKey returns the template data for a key of a list, and whether it is a field.
func (f *functionFile) listKey(node *structNode, name string, items *structural.Schema) (goKey, bool) {
	found := node.field(name)
	if found == nil {
		return goKey{}, false
	}
	field := found.Field
	file := found.Owner.File
	goName := field.GoName()
	key := goKey{Go: goName, Field: lowerFirst(goName), Guards: found.Pointers}
	typ := field.Type
	for range maxTypeDepth {
		declaring, expr := file.ResolveExpr(typ)
		star, ok := expr.(*ast.StarExpr)
		if !ok {
			break
		}
		key.Pointer = true
		file = declaring
		typ = star.X
	}
	key.Type = f.text(file, typ)
	if !isComparable(file, typ, 0) {
		return goKey{}, false
	}
	if !key.Pointer && field.JSON().Omits() {
		key.Zero = f.zero(file, field)
	}
	key.Default = keyDefault(name, items, node.schema)
	if key.Default != "" && !key.Pointer && key.Zero == "" && len(found.Pointers) == 0 {
		key.Default = "" // the key is always present
	}
	return key, true
}

// keyDefault returns the default of a property as a Go constant, from the first schema that
// has one; empty if there is none.
func keyDefault(name string, schemas ...*structural.Schema) string {
	for _, s := range schemas {
		key := s.Property(name)
		if key == nil || key.Default == nil {
			continue
		}
		raw := key.Default.Raw
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return strconv.Quote(text)
		}
		return string(raw)
	}
	return ""
}

// field returns the field with a JSON name, as declared in the struct or one that it embeds, or nil.
func (n *structNode) field(name string) *source.JSONField {
	if n.defined != nil {
		return n.defined.field(name)
	}
	for _, f := range n.decl.JSONFields() {
		if f.Name == name {
			return &f
		}
	}
	return nil
}

// mayChange requests the function that reports whether a discriminator in a struct differs,
// with all functions that it calls.
func (f *functionFile) mayChange(node *structNode) {
	if !node.clears || f.functions(node) == nil {
		return
	}
	s := f.structs[node]
	if s.MayChange != "" {
		return
	}
	label := f.label(node)
	if s.Foreign {
		label = upperFirst(node.decl.Pkg.Name) + label
	}
	s.MayChange = f.unique("unionsMayChange" + upperFirst(label))
	if s.Foreign {
		s.Unknown = !f.canNameTypes(node, map[*structNode]bool{})
		if s.Unknown {
			return
		}
		f.foreign = true
		f.fill(s, node)
		f.foreign = false
	}
	if node.defined != nil {
		f.mayChange(node.defined)
		return
	}
	for _, field := range node.fields {
		if field.value.leafStruct().clears && f.graph.walks(node, field) {
			f.mayChangeBelow(field.value, node.below(field))
		}
	}
}

// mayChangeBelow requests the functions for a value.
func (f *functionFile) mayChangeBelow(v *valueEdge, s *structural.Schema) {
	if f.functions(v.leafStruct()) == nil {
		return // already reported
	}
	if v.isKeyed(s) {
		list := f.listNodeOf(v, s)
		if list == nil || list.MayChange != "" || !list.Elem.Clears {
			return
		}
		list.MayChange = f.unique("unionsMayChangeIn" + list.label)
	}
	if v.kind == kindStruct {
		f.mayChange(v.to)
		return
	}
	if v.kind != kindList || v.isKeyed(s) {
		f.mayChangeBelow(v.elem, v.child(s))
	}
}

func (f *functionFile) listNodeOf(v *valueEdge, s *structural.Schema) *listNode {
	list := f.list(v, s)
	i := slices.IndexFunc(f.keyed, func(n *listNode) bool { return n.goList == list })
	if i < 0 {
		return nil
	}
	return f.keyed[i]
}

// canNameTypes reports whether the package can name all types below a struct of another package.
func (f *functionFile) canNameTypes(node *structNode, seen map[*structNode]bool) bool {
	if seen[node] {
		return true
	}
	seen[node] = true
	if node.unnamed != "" || node.decl.Generic != nil || node.defined != nil || !ast.IsExported(node.decl.Spec.Name.Name) {
		return false
	}
	for _, field := range node.fields {
		if target := field.value.leafStruct(); target.clears && f.graph.walks(node, field) && !f.canNameTypes(target, seen) {
			return false
		}
	}
	return true
}
