package convertrun

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/structural"
)

// The limits of [Target.values]: requests that are in memory at a time, by bytes, and values of
// an object that may come from the conversion.
const (
	maxAsked      = 8 << 20
	maxCandidates = 200
)

// conversion is an object that was converted.
type conversion struct {
	request  Request
	object   *dryrun.Object
	given    map[string]any
	result   map[string]any
	findings diag.List
}

// values finds what becomes of values that the other version does not have as they are, and adds
// a finding for each to its conversion:
//
//   - kept: values in the annotation of the result;
//   - lost: values that are not there, or are others, when the result is converted back;
//   - set: those of the result that are there again if they are removed and the rest is
//     converted there and back, so that they do not come from the object. A zero value that
//     the object has somewhere may come from there.
//
// An object that cannot be converted back has only the first.
func (t *Target) values(ctx context.Context, converter *Converter, done []*conversion) error {
	a := asking{ctx: ctx, converter: converter}
	for _, c := range done {
		if c.request.From == c.request.To {
			continue
		}
		t.kept(c)
		result, err := json.Marshal(c.result)
		if err != nil {
			return err
		}
		back := c.request
		back.From, back.To = back.To, back.From
		back.Object = result
		same := c.request
		same.To = same.From
		same.Normal = true
		whole := back
		whole.Normal = true
		a.ask(same, func(normal map[string]any) {
			a.ask(whole, func(returned map[string]any) { t.lost(c, nil, body(c.given), body(normal), body(returned)) })
		})
		candidates := candidates(nil, body(c.result), body(c.given))
		for _, path := range candidates[:min(len(candidates), maxCandidates)] {
			var value any
			reduced := edited(c.result, path.Steps(), func(parent map[string]any, name string) {
				value = parent[name]
				delete(parent, name)
			})
			back.Object, err = json.Marshal(reduced)
			if err != nil {
				return err
			}
			a.ask(back, func(rest map[string]any) {
				strip(rest, c.request.Group) // it keeps that the value is absent
				again := c.request
				again.Object, err = json.Marshal(rest)
				if err != nil {
					return
				}
				a.ask(again, func(result map[string]any) {
					edited(result, path.Steps(), func(parent map[string]any, name string) {
						if found, ok := parent[name]; ok && reflect.DeepEqual(found, value) &&
							!(isZero(value) && has(c.given, value)) {
							c.note(convertedValue.At(c.object.Pos, "", "%s of %s is %s, which does not come from the object", path, t.To, shown(value)), t.unit(c, t.To, path.Steps()))
						}
					})
				})
			})
		}
		if a.size > maxAsked {
			if err := a.finish(); err != nil {
				return err
			}
		}
	}
	return a.finish()
}

// asking collects requests.
type asking struct {
	ctx       context.Context
	converter *Converter
	requests  []Request
	then      []func(object map[string]any)
	size      int
}

// ask adds a request. then is called with the object, unless it cannot be converted.
func (a *asking) ask(r Request, then func(object map[string]any)) {
	a.requests = append(a.requests, r)
	a.then = append(a.then, then)
	a.size += len(r.Object)
}

// finish makes all requests, including the ones that their answers lead to.
func (a *asking) finish() error {
	for len(a.requests) > 0 {
		requests := a.requests
		then := a.then
		a.requests = nil
		a.then = nil
		a.size = 0
		answers, err := a.converter.Convert(a.ctx, requests)
		if err != nil {
			return err
		}
		for i, answer := range answers {
			if answer.Error != "" {
				continue
			}
			object, err := decodeJSON(answer.Object)
			if err != nil {
				return err
			}
			then[i](object)
		}
	}
	return nil
}

// kept adds a finding for each value in the annotation of the result.
func (t *Target) kept(c *conversion) {
	metadata, _ := c.result["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	text, _ := annotations[crd.ConversionAnnotation(c.request.Group)].(string)
	versions, err := decodeJSON([]byte(text))
	if err != nil {
		return // it is not one of generated conversions
	}
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		tree, _ := versions[version].(map[string]any)
		if tree["#over"] != nil {
			c.note(convertedValue.At(c.object.Pos, "", "%v bytes of %s do not fit into the annotation of %s: the object cannot be written as %s", tree["#over"], version, t.To, t.To), conversions.Converted{})
			continue
		}
		eachKept(nil, tree, func(path *structural.ObjectPath, value any) {
			pos := c.object.Pos
			if version == c.request.From {
				pos = c.object.Position(path)
			}
			what := shown(value)
			if value == nil {
				what = "absent"
			}
			c.note(convertedValue.At(pos, "", "%s of %s is kept in the annotation of %s: %s", path, version, t.To, what), t.unit(c, version, path.Steps()))
		})
	}
}

// eachKept calls f with the values in a tree of an annotation, in order. Names that begin with #
// are not fields: they say something about the value that has them.
func eachKept(path *structural.ObjectPath, tree map[string]any, f func(path *structural.ObjectPath, value any)) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if strings.HasPrefix(name, "#") {
			f(path, tree)
			return
		}
		child, ok := tree[name].(map[string]any)
		if !ok || len(child) == 0 {
			f(path.Field(name), tree[name])
			continue
		}
		eachKept(path.Field(name), child, f)
	}
}

// lost adds a finding for each value that another conversion does not give back. normal is the
// given value as its Go type writes it; either may be nil.
func (t *Target) lost(c *conversion, path *structural.ObjectPath, given, normal, returned any) {
	switch given := given.(type) {
	case map[string]any:
		other, ok := normal.(map[string]any)
		back, still := returned.(map[string]any)
		if ok && still {
			for _, name := range slices.Sorted(maps.Keys(given)) {
				t.lost(c, path.Field(name), given[name], other[name], back[name])
			}
			return
		}
	case []any:
		other, _ := normal.([]any)
		back, _ := returned.([]any)
		if len(other) == len(given) && len(back) == len(given) {
			for i := range given {
				t.lost(c, path.Element(i), given[i], other[i], back[i])
			}
			return
		}
	}
	if reflect.DeepEqual(normal, returned) && (normal != nil || isZero(given)) {
		return
	}
	unit := t.unit(c, c.request.From, path.Steps())
	reason := "the conversion drops it"
	switch {
	case normal == nil:
		reason = "the Go type does not have the field"
	case unit.Reason != "":
		reason = unit.Reason
	case returned != nil:
		reason = "it comes back as " + shown(returned)
	}
	c.note(lostValue.At(c.object.Position(path), "", "%s is lost in %s: %s (%s)", path, t.To, shown(given), reason), unit)
}

// isZero reports whether a value may be left out by omitempty or omitzero.
func isZero(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			if !isZero(v) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	}
	return value == nil || slices.Contains([]string{"0", `""`, "false"}, shown(value))
}

// has reports whether a value is part of another one.
func has(given, value any) bool {
	switch in := given.(type) {
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(in)), func(v any) bool { return has(v, value) })
	case []any:
		return slices.ContainsFunc(in, func(v any) bool { return has(v, value) })
	}
	return shown(given) == shown(value)
}

// candidates returns the fields of a value that another value does not have in the same place.
func candidates(path *structural.ObjectPath, value, other any) (out []*structural.ObjectPath) {
	switch value := value.(type) {
	case map[string]any:
		other, _ := other.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			location := path.Field(name)
			child := candidates(location, value[name], other[name])
			if _, isMap := value[name].(map[string]any); !isMap && child == nil && shown(value[name]) != shown(other[name]) {
				child = append(child, location)
			}
			out = append(out, child...)
		}
	case []any:
		list, _ := other.([]any)
		for i, element := range value {
			if _, isMap := element.(map[string]any); isMap {
				var same any
				if i < len(list) {
					same = list[i]
				}
				out = append(out, candidates(path.Element(i), element, same)...)
			}
		}
	}
	return out
}

// edited returns a copy of an object of which edit changes the map at the end of a path; nil if
// it has no such map.
func edited[T any](value T, path []structural.Step, edit func(parent map[string]any, name string)) T {
	switch typed := any(value).(type) {
	case map[string]any:
		copied := maps.Clone(typed)
		if len(path) == 1 {
			edit(copied, path[0].Field)
		} else if child, ok := copied[path[0].Field]; ok {
			copied[path[0].Field] = edited(child, path[1:], edit)
		}
		return any(copied).(T)
	case []any:
		copied := slices.Clone(typed)
		if i := path[0].Index; i >= 0 && i < len(copied) {
			copied[i] = edited(copied[i], path[1:], edit)
		}
		return any(copied).(T)
	}
	return value
}

// body returns an object without what conversions do not convert.
func body(object map[string]any) any {
	out := maps.Clone(object)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		delete(out, name)
	}
	return out
}

// unit returns what converts a value of a version.
func (t *Target) unit(c *conversion, version string, path []structural.Step) conversions.Converted {
	other := t.To
	if version == t.To {
		other = c.request.From
	}
	return t.model.Of(c.request.Group, c.request.Kind, version, other, path)
}

// note adds a finding about a value, with the field that is converted.
func (c *conversion) note(d diag.Diagnostic, unit conversions.Converted) {
	switch {
	case unit.Rule == "":
	case unit.Unpaired:
		d = d.With(diag.Related{Pos: unit.Pos, Message: "declared here: " + unit.Outcome.String()})
	default:
		d = d.With(diag.Related{Pos: unit.Pos, Message: "converted here: " + unit.Rule})
	}
	c.findings = append(c.findings, d)
}

// shown returns the JSON of a value, shortened.
func shown(value any) string {
	text, err := plainjson.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const most = 100
	if len(text) > most {
		text = append(text[:most:most], "…"...)
	}
	return screen.Line(strings.ToValidUTF8(string(text), ""))
}
