package rehub

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/sourcestyle"
)

// File is a Go file that changes.
type File struct {
	Name string
	// Before is its content when it was read.
	Before, Data []byte
}

// Turn makes a version the hub of all kinds that have it, and returns the Go files that change.
// Whatever the markers cannot say the other way is a finding; if one is an error, there are no
// files. The error is as in [define.Make].
func Turn(ctx context.Context, options define.Options, settings conversions.Options, version string) ([]File, diag.List, error) {
	m, findings, err := conversions.Find(ctx, options, settings)
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	t := &turning{model: m, reporter: m.Run.Reporter, version: version, removed: map[string]map[int]bool{},
		added: map[sourceLine][]string{}}
	found := false
	for _, kind := range m.Kinds {
		found = t.kind(kind) || found || kind.Hub.Name == version
	}
	if !found {
		return nil, nil, fmt.Errorf("no kind with several versions has a version %s", version)
	}
	if t.shared(); t.refused {
		return nil, t.reporter.List.Normalize(), ctx.Err()
	}
	files, err := t.files(options.Inputs)
	if err != nil || len(files) == 0 {
		return nil, t.reporter.List.Normalize(), err
	}
	overlay := maps.Clone(options.Inputs.Overlay())
	if overlay == nil {
		overlay = map[string][]byte{}
	}
	for _, f := range files {
		overlay[f.Name] = f.Data
	}
	options.Inputs = inputs.Overlaid(overlay, nil)
	newModel, findings, err := conversions.Find(ctx, options, settings)
	if err != nil {
		return nil, nil, err
	}
	if t.compare(newModel, findings); t.refused {
		files = nil
	}
	return files, t.reporter.List.Normalize(), ctx.Err()
}

// turning collects what changes if another version is the hub.
type turning struct {
	model    *conversions.Model
	reporter *report.Reporter
	// version is the new hub.
	version string
	// turned are the pairs whose markers are turned round.
	turned  []*conversions.Pair
	refused bool
	// removed are lines of files, and added the lines that are written before one.
	removed map[string]map[int]bool
	added   map[sourceLine][]string
}

// sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

// refuse reports what cannot be turned round.
func (t *turning) refuse(pos token.Pos, pkg *source.Package, hint, format string, args ...any) {
	t.refused = true
	t.reporter.Report(notTurned, pkg.At(pos), hint, "%s cannot be the hub with these markers: %s", t.version, fmt.Sprintf(format, args...))
}

// kind turns the markers of a kind round, and reports whether the kind has the version as a spoke.
func (t *turning) kind(kind *conversions.Kind) bool {
	i := slices.IndexFunc(kind.Spokes, func(v *conversions.Version) bool { return v.Name == t.version })
	if i < 0 {
		return false
	}
	hub := kind.Spokes[i]
	old := kind.Hub
	for _, other := range kind.Spokes {
		if other != hub {
			t.refuse(other.Type.Decl.Spec.Name.Pos(), other.Type.Decl.Pkg, "write the markers of this version for the new hub, and +schemagen:convert:hub, by hand", "version %s of %s is converted to %s, too", other.Name, kind.Name, old.Name)
		}
	}
	t.remove(old.Type.Decl.Markers, "hub")
	if !hub.Storage {
		t.addAbove(hub.Type.Decl, "hub")
	}
	for _, m := range old.Type.Decl.Markers {
		if m.Name == markers.ConvertPrefix+"storeAs" {
			value := m.Value.(markers.Convert)
			if _, ok := value.Get("version"); !ok {
				value.Arguments = append([]markers.ConvertArgument{{Name: "version", Value: old.Name}}, value.Arguments...)
			}
			t.addAbove(hub.Type.Decl, markerText("storeAs", value))
		}
	}
	t.remove(old.Type.Decl.Markers, "storeAs")
	for _, p := range t.model.Pairs {
		if owner, spoke := p.Of(); owner == kind && spoke == hub {
			t.turned = append(t.turned, p)
			t.pair(p)
		}
	}
	return true
}

// shared refuses structs with markers that another kind, whose hub stays, converts, too: their
// markers can say one direction only.
func (t *turning) shared() {
	var turned []*conversions.Pair // of all kinds whose hub changes, also if another kind has them first
	for _, kind := range t.model.Kinds {
		for _, spoke := range kind.Spokes {
			if spoke.Name == t.version {
				turned = append(turned, spoke.Pair.Within()...)
			}
		}
	}
	var reported []*source.Type
	for _, kind := range t.model.Kinds {
		if slices.ContainsFunc(kind.Spokes, func(v *conversions.Version) bool { return v.Name == t.version }) {
			continue
		}
		for _, spoke := range kind.Spokes {
			for _, p := range spoke.Pair.Within() {
				isTurned := slices.ContainsFunc(turned,
					func(o *conversions.Pair) bool { return o.Spoke.ID == p.Spoke.ID && o.Hub.ID == p.Hub.ID })
				if decl := p.Spoke.Decl; isTurned && hasMarkers(p.Spoke) && !slices.Contains(reported, decl) {
					reported = append(reported, decl)
					t.refuse(decl.Spec.Name.Pos(), decl.Pkg, "give one of the kinds a struct of its own", "%s also converts %s, and its hub stays %s", kind.Name, decl.Label(), kind.Hub.Name)
				}
			}
		}
	}
}

// hasMarkers reports whether a struct or one of its fields has markers of conversions.
func hasMarkers(t *conversions.Type) bool {
	marked := func(list source.Markers) bool {
		return slices.ContainsFunc(list,
			func(m *markers.Marker) bool { return strings.HasPrefix(m.Name, markers.ConvertPrefix) })
	}
	return marked(t.Decl.Markers) ||
		slices.ContainsFunc(t.Fields, func(f *conversions.Field) bool { return marked(f.Source.Markers) })
}

// pair turns the markers of a pair of structs round.
func (t *turning) pair(pair *conversions.Pair) {
	decl := pair.Spoke.Decl
	t.remove(decl.Markers, "hubOnly")
	for _, m := range decl.Markers {
		switch strings.TrimPrefix(m.Name, markers.ConvertPrefix) {
		case "func", "set", "union", "label", "annotation":
			t.refuse(m.Pos, decl.Pkg, "", "+%s has no counterpart for the other direction", m.Name)
		}
	}
	fields := slices.Clone(pair.Spoke.Fields)
	for _, u := range pair.Units {
		spoke, _ := u.Fields(conversions.ToHub())
		for _, path := range spoke {
			if len(path) > 1 {
				fields = append(fields, path[len(path)-1])
			}
		}
	}
	for _, f := range fields {
		for _, m := range f.Source.Markers {
			switch name := strings.TrimPrefix(m.Name, markers.ConvertPrefix); name {
			case "to", "values", "key", "keep", "drop", "hubOnly", "guard":
				t.remove(f.Source.Markers, name)
			case "func", "set", "union", "at", "metadata":
				t.refuse(m.Pos, f.Pkg, "", "+%s has no counterpart for the other direction", m.Name)
			}
		}
	}
	for _, u := range pair.Units {
		if u.Presence() || u.Hook != nil || u.Derived != nil {
			continue // refused, or it follows from others
		}
		if guards := t.guards(pair, u); len(u.Hub) == 0 {
			t.hubOnly(pair, u, guards)
		} else {
			t.onField(pair, u, guards)
		}
	}
}

// hubOnly writes the marker of a unit of which the new hub has the only field.
func (t *turning) hubOnly(p *conversions.Pair, u *conversions.Unit, guards string) {
	value := markers.Convert{Value: conversions.Path(u.Spoke)}
	if u.Up == conversions.Dropped {
		value.Arguments = []markers.ConvertArgument{{Name: "drop"}, {Name: "reason", Value: u.Reason}}
	}
	if guards != "" {
		value.Arguments = append(value.Arguments, markers.ConvertArgument{Name: "guard", Value: guards})
	}
	if len(value.Arguments) > 0 || t.model.Options.Strict {
		t.addAbove(p.Hub.Decl, markerText("hubOnly", value))
	}
}

// onField writes the markers of a unit on the field of the old hub.
func (t *turning) onField(pair *conversions.Pair, unit *conversions.Unit, guards string) {
	var lines []string
	field := unit.Hub[len(unit.Hub)-1]
	drop := func() {
		lines = append(lines, markerText("drop", markers.Convert{Arguments: []markers.ConvertArgument{{Name: "reason", Value: unit.Reason}}}))
	}
	if len(unit.Spoke) == 0 {
		if unit.Down == conversions.Dropped {
			drop()
		} else {
			lines = append(lines, "keep")
		}
	} else {
		value := markers.Convert{Value: strings.Repeat("^", len(unit.Hub)-1) + conversions.Path(unit.Spoke)}
		for r := unit.Rule; r != nil; r = r.Elem {
			codec := r.Codec()
			if codec != "" {
				value.Arguments = append(value.Arguments, markers.ConvertArgument{Name: "as", Value: codec})
			}
			if codec == "map" {
				value.Arguments = append(value.Arguments, markers.ConvertArgument{Name: "key", Value: strings.Join(r.Keys, ";")})
			}
			if len(r.Values) > 0 {
				lines = append(lines, "values="+t.values(pair, unit, r))
			}
		}
		if len(value.Arguments) > 0 || len(unit.Spoke) > 1 || conversions.Path(unit.Spoke) != conversions.Path(unit.Hub) {
			lines = append(lines, markerText("to", value))
		}
		if key := unit.Spoke[len(unit.Spoke)-1].Source.Markers.Get(markers.ConvertPrefix + "key"); key != nil {
			lines = append(lines, markerText("key", key.Value.(markers.Convert)))
		}
		if unit.Reason != "" {
			drop()
		}
	}
	if guards != "" {
		lines = append(lines, "guard="+guards)
	}
	if len(lines) > 0 && !field.Pkg.Local() {
		if t.refused {
			return // because of the marker for fields of other modules that led here
		}
		t.refuse(unit.Pos, field.Pkg, "", "%s is a field of another module, which cannot have markers", field.JSON)
		return
	}
	t.add(field.Source.Pos, pair.Hub.Decl.Pkg, lines)
}

// values returns the values of an enum the other way round.
func (t *turning) values(p *conversions.Pair, u *conversions.Unit, r *conversions.Rule) string {
	var out []string
	for i, v := range r.Values {
		if slices.ContainsFunc(r.Values[:i], func(other [2]string) bool { return other[1] == v[1] }) {
			t.refuse(u.Pos, p.Spoke.Decl.Pkg, "", "several values become %s, so that its values would not be told apart", v[1])
		}
		out = append(out, v[1]+": "+v[0])
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// guards returns the guards of a unit as fields of the new hub, separated by semicolons.
func (t *turning) guards(p *conversions.Pair, u *conversions.Unit) string {
	var out []string
	for _, guard := range u.Guards {
		i := slices.IndexFunc(p.Units, func(o *conversions.Unit) bool {
			return len(o.Spoke) > 0 && conversions.Path(o.Hub) == conversions.Path(guard)
		})
		if i < 0 {
			t.refuse(u.Pos, p.Spoke.Decl.Pkg, "", "the guard %s has no counterpart in it", conversions.Path(guard))
			continue
		}
		out = append(out, conversions.Path(p.Units[i].Spoke))
	}
	if len(out) > 0 && len(u.Hub) == 0 && len(u.Spoke) == 1 && conversions.Discriminator(u.Spoke[0], p.Spoke) != nil {
		return "" // the discriminator of a union, which needs no marker in the hub
	}
	return strings.Join(out, ";")
}

// markerText returns the text of a marker after the prefix.
func markerText(name string, value markers.Convert) string {
	var arguments []string
	if value.Value != "" {
		arguments = append(arguments, value.Value)
	}
	for _, a := range value.Arguments {
		switch {
		case a.Value == "":
			arguments = append(arguments, a.Name)
		case a.Name == "reason":
			arguments = append(arguments, fmt.Sprintf("%s=%q", a.Name, a.Value))
		default:
			arguments = append(arguments, a.Name+"="+a.Value)
		}
	}
	separator := "="
	if value.Value == "" {
		separator = ","
	}
	return name + separator + strings.Join(arguments, ",")
}

// remove removes the lines of the markers with a name.
func (t *turning) remove(sourceMarkers source.Markers, name string) {
	for _, m := range sourceMarkers {
		if m.Name == markers.ConvertPrefix+name {
			pos := t.reporter.Fset.Position(m.Pos)
			if t.removed[pos.Filename] == nil {
				t.removed[pos.Filename] = map[int]bool{}
			}
			t.removed[pos.Filename][pos.Line] = true
		}
	}
}

// addAbove adds a marker above a type.
func (t *turning) addAbove(decl *source.Type, marker string) {
	pos := t.reporter.Fset.Position(decl.Spec.Name.Pos())
	place := sourceLine{pos.Filename, pos.Line}
	if !slices.Contains(t.added[place], marker) {
		t.added[place] = append(t.added[place], marker)
	}
}

// add adds the markers of a field, which have to be the same wherever its struct is used.
func (t *turning) add(field token.Pos, pkg *source.Package, lines []string) {
	pos := t.reporter.Fset.Position(field)
	place := sourceLine{pos.Filename, pos.Line}
	if old, ok := t.added[place]; ok && !slices.Equal(old, lines) {
		if t.refused {
			return // because of a marker that is missing here
		}
		t.refuse(field, pkg, "", "the field would need different markers in each place where its struct is used")
		return
	}
	t.added[place] = lines
}

// files returns the files that change.
func (t *turning) files(reader *inputs.Reader) (out []File, err error) {
	names := map[string]bool{}
	for name := range t.removed {
		names[name] = true
	}
	for place, lines := range t.added {
		if len(lines) > 0 {
			names[place.file] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text, err := reader.ReadFile(name, nil)
		if err != nil {
			return nil, err
		}
		var changed bytes.Buffer
		for i, line := range strings.SplitAfter(string(text), "\n") {
			indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			for _, marker := range t.added[sourceLine{name, i + 1}] {
				fmt.Fprintf(&changed, "%s// +%s%s%s", indent, markers.ConvertPrefix, marker, sourcestyle.EndOf([]byte(line)))
			}
			if !t.removed[name][i+1] || !strings.HasPrefix(strings.TrimSpace(line), "//") {
				changed.WriteString(line)
			}
		}
		data, err := sourcestyle.Formatted(text, changed.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, File{Name: name, Before: text, Data: data})
	}
	return out, nil
}

// compare refuses what the turned markers would convert otherwise, or what they make an error.
func (t *turning) compare(newModel *conversions.Model, findings diag.List) {
	for _, d := range findings {
		if d.Severity == diag.Error {
			t.refused = true
			t.reporter.Add(notTurned.At(t.oldPosition(d.Pos), d.Hint, "%s cannot be the hub with these markers: %s (%s)", t.version, d.Message, d.Code))
		}
	}
	if t.refused {
		return
	}
	turned := map[string]bool{}
	for _, p := range newModel.Pairs {
		for _, u := range p.Units {
			turned[summary(p, u, conversions.ToHub())] = true
		}
	}
	for _, p := range t.turned {
		for _, u := range p.Units {
			if !turned[summary(p, u, conversions.FromHub())] {
				spoke, hub := paths(u, conversions.ToHub())
				t.refuse(u.Pos, p.Spoke.Decl.Pkg, "", "%s and %s would be converted otherwise (%s)", spoke, hub, u.RuleName())
			}
		}
	}
}

// summary describes a unit of a pair as one that converts in a direction, and back: two units with the
// same summary convert in the same way.
func summary(p *conversions.Pair, u *conversions.Unit, way conversions.Direction) string {
	source, target := conversions.Sides(way, p.Spoke, p.Hub)
	sourcePaths, targetPaths := paths(u, way)
	forth, back := conversions.Sides(way, u.Up, u.Down)
	rule := u.RuleName()
	for r := u.Rule; r != nil; r = r.Elem {
		values := slices.Clone(r.Values)
		for i, v := range values {
			values[i][0], values[i][1] = conversions.Sides(way, v[0], v[1])
		}
		slices.SortFunc(values, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
		rule += fmt.Sprint(" ", values, r.Keys)
	}
	return fmt.Sprint(source.ID, " ", target.ID, " ", sourcePaths, " ", targetPaths, " ", rule, " ", forth, " ", back, " ", u.Reason, " ", len(u.Guards))
}

// paths returns the fields of each side of a unit as text.
func paths(u *conversions.Unit, way conversions.Direction) (source, target string) {
	text := func(paths [][]*conversions.Field) string {
		var out []string
		for _, path := range paths {
			out = append(out, conversions.Path(path))
		}
		return cmp.Or(strings.Join(out, " "), "(none)")
	}
	sourcePaths, targetPaths := u.Fields(way)
	return text(sourcePaths), text(targetPaths)
}

// oldPosition returns where a line of a changed file was before.
func (t *turning) oldPosition(pos diag.Position) diag.Position {
	for line, offset := 1, 0; ; line++ {
		offset += len(t.added[sourceLine{pos.File, line}])
		if !t.removed[pos.File][line] {
			offset++
		}
		if offset >= pos.Line {
			pos.Line = line
			return pos
		}
	}
}
