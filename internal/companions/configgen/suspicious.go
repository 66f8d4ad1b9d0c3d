package configgen

import (
	"go/token"
	"slices"
	"strings"

	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Reject reports an argument of a marker that makes the API server reject the object. It points to
// the argument's first value, or to the marker if the argument is nil.
func (r *Reader) Reject(kind *diag.Kind, m Marker, a *Argument, hint, format string, args ...any) *diag.Diagnostic {
	pos := m.Pos
	end := m.End()
	if a != nil && len(a.Values) > 0 {
		pos = a.Values[0].Pos
		end = a.Values[len(a.Values)-1].End
	} else if a != nil {
		pos = a.Pos
		end = a.Pos + token.Pos(len(a.Name))
	}
	d := r.Report.Report(kind, m.File.Pkg.At(pos), hint, format, args...)
	r.Report.Delimit(d, end, nil)
	return d
}

// RejectValue is like Reject for a value.
func (r *Reader) RejectValue(kind *diag.Kind, m Marker, v Value, hint, format string, args ...any) *diag.Diagnostic {
	d := r.Report.Report(kind, m.File.Pkg.At(v.Pos), hint, format, args...)
	r.Report.Delimit(d, v.End, nil)
	return d
}

// Meant adds to a diagnostic about a value the fix that replaces it by a text, unless that is
// empty.
func (r *Reader) Meant(d *diag.Diagnostic, v Value, text string) {
	if text != "" {
		r.Report.Fix(d, "write "+text, &markers.Edit{Pos: v.Pos, End: v.End, New: text})
	}
}

// Suspect reports a value that the API server accepts but that probably means another one,
// which is empty if it is not known.
func (r *Reader) Suspect(m Marker, v Value, meant, hint, format string, args ...any) {
	d := r.Report.Report(Suspicious, m.File.Pkg.At(v.Pos), hint, format, args...)
	var edit *markers.Edit
	if meant != "" {
		edit = &markers.Edit{Pos: v.Pos, End: v.End, New: meant}
	}
	r.Report.Delimit(d, v.End, edit)
}

// Unknown reports an unknown word that is nearly a known one: it differs in one letter, in the
// order of two letters, or in case. It returns whether it does.
func (r *Reader) Unknown(m Marker, v Value, what string, known []string) bool {
	for _, word := range known {
		if v.Text != word && (strings.EqualFold(v.Text, word) || len(word) > 2 && words.EditDistance(v.Text, word, 3) <= 2) {
			r.Suspect(m, v, word, "did you mean "+word+"?", "unknown %s %q", what, v.Text)
			return true
		}
	}
	return false
}

// Shape reports what is suspicious about the arguments of a marker, whatever they mean.
// ok is unset if a comma is missing, so that one argument is part of another.
func (r *Reader) Shape(def *ctmarkers.Definition, m Marker, arguments []Argument) (ok bool) {
	if r.missingComma(m.File.Pkg, def, arguments) != nil {
		return false
	}
	for i, a := range arguments {
		list := def.Fields[a.Name].Type == ctmarkers.SliceType
		if Find(arguments[i+1:], a.Name) != nil {
			v := Value{a.Name, a.Pos, a.Pos + token.Pos(len(a.Name)), false}
			hint := "remove one of them"
			if list {
				hint = "write all values into one: " + a.Name + "=a;b"
			}
			r.Suspect(m, v, "", hint, "+%s: a later %s overrides this one", m.Name, a.Name)
		}
		if !list {
			continue
		}
		for _, v := range a.Values {
			r.element(m, a.Name, v)
		}
	}
	return true
}

// element reports a value of a list that contains characters that no value has.
func (r *Reader) element(m Marker, name string, v Value) {
	switch {
	case v.Quoted && strings.ContainsAny(v.Text, ";,"):
		list := strings.Join(strings.FieldsFunc(v.Text, func(c rune) bool { return c == ';' || c == ',' || c == ' ' }), ";")
		r.Suspect(m, v, list, "write "+name+"="+list, "%q is one value, not a list", v.Text)
	case strings.ContainsAny(v.Text, " \t"):
		r.Suspect(m, v, strings.Join(strings.Fields(v.Text), ";"), "separate values by semicolons, and arguments by commas", "the value %q contains a blank", v.Text)
	case strings.ContainsAny(v.Text, `"=`) || !v.Quoted && strings.Contains(v.Text, "`"):
		r.Suspect(m, v, "", "", "the value %q contains a character that no %s has", v.Text, strings.TrimSuffix(name, "s"))
	}
}

// nextArgument matches an argument that follows a blank instead of a comma.
var nextArgument = lazyregexp.New(`[ \t]+([A-Za-z]+)=`)

// missingComma reports a value that contains a further argument of the marker, and returns
// the diagnostic, or nil.
func (r *Reader) missingComma(p *source.Package, def *ctmarkers.Definition, arguments []Argument) *diag.Diagnostic {
	for _, a := range arguments {
		for _, v := range a.Values {
			location := nextArgument().FindStringSubmatchIndex(v.Text)
			if v.Quoted || location == nil {
				continue
			}
			name := v.Text[location[2]:location[3]]
			if _, ok := def.Fields[name]; !ok {
				continue
			}
			pos := v.Pos + token.Pos(location[0])
			end := v.Pos + token.Pos(location[2])
			d := r.Report.Report(Suspicious, p.At(end), "write "+a.Name+"="+v.Text[:location[0]]+","+name+"=…", "+%s: a comma is missing before %s, which is part of %s", def.Name, name, a.Name)
			r.Report.Delimit(d, end+token.Pos(len(name)), &markers.Edit{Pos: pos, End: end, New: ","})
			return d
		}
	}
	return nil
}

// APIGroup reports a group that is written with a version.
func (r *Reader) APIGroup(m Marker, v Value) {
	if group, version, ok := strings.Cut(v.Text, "/"); ok && !strings.ContainsAny(v.Text, " ;,") {
		r.Suspect(m, v, group, "write "+group, "the group %q has a version, %s", v.Text, version)
	}
}

// Resource reports a resource that is probably the name of a kind.
func (r *Reader) Resource(m Marker, v Value) {
	resource, _, _ := strings.Cut(v.Text, "/")
	if strings.ToLower(resource) != resource && !strings.ContainsAny(v.Text, " ;,") {
		r.Suspect(m, v, "", "a resource is the plural name of a kind, in lower case", "the resource %q is not in lower case", resource)
	}
}

// List returns the values of an argument, and none if it is nil.
func (a *Argument) List() []Value {
	if a == nil {
		return nil
	}
	return a.Values
}

// ValueOf returns the value of an argument with a text, and ok if there is one.
func (a *Argument) ValueOf(text string) (Value, bool) {
	i := slices.IndexFunc(a.List(), func(v Value) bool { return v.Text == text })
	if i < 0 {
		return Value{}, false
	}
	return a.Values[i], true
}
