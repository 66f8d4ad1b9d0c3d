package source

import (
	"go/ast"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// JSONTag is the json tag of a field. Its readers follow different rules:
//
//   - encoding/json uses the Go name where there is no tag, no name, or none that [IsJSONName],
//     and merges embedded structs without a name into their struct: see [Type.JSONFields].
//   - Schemas, as controller-gen writes them, need the tag. They merge any field without a name, or
//     with the option inline, and take every name.
type JSONTag struct {
	// IsSet is set if the field has the tag, and Text is all of it.
	IsSet bool
	Text  string
	// Name is the text before the first comma, and Options is the text after it.
	Name, Options string
	// Excluded is set for the tag "-", which leaves the field out. The tag "-," names it "-".
	Excluded bool
}

// JSON returns the json tag of the field.
func (f *Field) JSON() JSONTag { return JSONTagOf(f.Tag) }

// JSONTagOf returns the json tag among the tags of a field.
func JSONTagOf(tags reflect.StructTag) JSONTag {
	text, isSet := tags.Lookup("json")
	name, options, _ := strings.Cut(text, ",")
	return JSONTag{IsSet: isSet, Text: text, Name: name, Options: options, Excluded: text == "-"}
}

// Has reports whether the tag has an option.
func (t JSONTag) Has(option string) bool {
	for written := range strings.SplitSeq(t.Options, ",") {
		if written == option {
			return true
		}
	}
	return false
}

// Others returns the options of the tag without some.
func (t JSONTag) Others(without ...string) []string {
	return slices.DeleteFunc(strings.Split(t.Options, ","),
		func(option string) bool { return option == "" || slices.Contains(without, option) })
}

// Omits reports whether the tag has an option that omits some values.
func (t JSONTag) Omits() bool { return t.Has("omitempty") || t.Has("omitzero") }

// IsJSONName reports whether encoding/json takes a name in a json tag as the name of the field.
func IsJSONName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

// JSONField is a field of the object that encoding/json writes for a struct.
type JSONField struct {
	NamedField
	// Owner is the struct that declares the field.
	Owner *Type
	// Pointers are the selectors of the embedded pointers on the way to the field, outermost
	// first: the field exists only if none of them is nil.
	Pointers []string
	// rank orders the fields of one name: those of fewer structs around Owner first, then those
	// whose tag has the name.
	rank int
}

// JSONFields returns the fields of the object that encoding/json writes for a struct, unless a method
// does: the fields of embedded structs follow those of the structs around them. Of several with one
// name, that of the lowest rank is taken, and none if there are several of that rank.
func (t *Type) JSONFields() (out []JSONField) {
	all := t.rankedFields()
	ranks := map[string][]int{}
	for _, f := range all {
		ranks[f.Name] = append(ranks[f.Name], f.rank)
	}
	for _, f := range all {
		rivals := ranks[f.Name]
		after := rivals[slices.Index(rivals, f.rank)+1:]
		if slices.Min(rivals) == f.rank && !slices.Contains(after, f.rank) {
			out = append(out, f)
		}
	}
	return out
}

// embeddedStruct is a struct that another one embeds, whose fields are promoted.
type embeddedStruct struct {
	decl *Type
	// selector is the way from the outermost struct, and pointers are as in JSONField.
	selector string
	pointers []string
}

// rankedFields returns the fields of the struct and of embedded structs, including several with one
// name.
func (t *Type) rankedFields() (out []JSONField) {
	next := []embeddedStruct{{decl: t}}
	visited := map[*Type]bool{}
	for depth := 0; len(next) > 0; depth++ {
		current := next
		next = nil
		count := map[*Type]int{}
		for _, outer := range current {
			count[outer.decl]++
		}
		for _, outer := range current {
			if visited[outer.decl] {
				continue
			}
			visited[outer.decl] = true
			owner := outer.decl.structType()
			for _, field := range owner.Fields() {
				var inner *Type
				if field.Name == "" {
					inner = owner.File.structNamed(Pointee(field.Type))
				}
				tag := field.JSON()
				f := JSONField{NamedField: NamedField{field, tag.Name}, Owner: owner, Pointers: outer.pointers, rank: 2 * depth}
				switch isNamed := IsJSONName(tag.Name); {
				case tag.Excluded || inner == nil && !ast.IsExported(field.GoName()):
					continue
				case !isNamed && inner != nil:
					next = append(next, outer.embed(inner, field))
					continue
				case !isNamed:
					f.Name = field.GoName()
					f.rank++
				}
				out = append(out, f)
				if count[outer.decl] > 1 {
					out = append(out, f) // the fields of a struct that is embedded twice hide each other
				}
			}
		}
	}
	return out
}

// embed returns a struct that a field embeds.
func (e embeddedStruct) embed(inner *Type, field *Field) embeddedStruct {
	out := embeddedStruct{decl: inner, selector: field.GoName(), pointers: e.pointers}
	if e.selector != "" {
		out.selector = e.selector + "." + out.selector
	}
	if field.IsPointer() {
		out.pointers = append(slices.Clone(e.pointers), out.selector)
	}
	return out
}

// structNamed returns the struct that an expression denotes, and nil for other types.
func (f *File) structNamed(expr ast.Expr) *Type {
	f, expr = f.ResolveExpr(expr)
	if st, ok := expr.(*ast.StructType); ok {
		return AnonymousStruct(f, st)
	}
	name, _ := f.Resolve(expr)
	if UnderlyingOf(f, expr).Kind != KindStruct {
		return nil
	}
	return name.Type
}

// structType returns a declaration whose type is written as a struct: the type itself, or an unnamed
// one for a type that is defined as another struct.
func (t *Type) structType() *Type {
	body := UnderlyingOf(t.File, t.Spec.Type)
	if st, ok := body.Expr.(*ast.StructType); ok && body.Expr != t.Spec.Type {
		return AnonymousStruct(body.File, st)
	}
	return t
}
