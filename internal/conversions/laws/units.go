package laws

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/source/gotext"
	"github.com/schemagen/schemagen/structural"
)

// Generated returns a file of tests for each package for which conversions are generated.
func Generated(m *conversions.Model, header string) (Files, error) {
	b := &define.Builder{Run: m.Run, Reporter: m.Run.Reporter}
	var out Files
	engines := engines{in: m.Run.Options.Inputs, units: true}
	for _, p := range m.Packages() {
		dir := filepath.Dir(p.Files[0])
		engines.add(p)
		f := newTestFile(b, p)
		if m.Options.BuildTag != "" {
			f.constraint += " && " + m.Options.BuildTag
		}
		table := unitTable{file: f, names: map[*conversions.Pair]string{}, taken: map[string]bool{}}
		for _, kind := range m.Kinds {
			for _, spoke := range kind.Spokes {
				if spoke.Type.Decl.Pkg == p && !kind.Equal && !spoke.ByHand() {
					table.kind(m, kind, spoke)
				}
			}
		}
		if len(table.names) == 0 {
			out.Without = append(out.Without, dir)
			continue
		}
		data, err := f.bytes(header, engines.use(p), table.text())
		if err != nil {
			return Files{}, err
		}
		out.Files = append(out.Files, define.File{Name: filepath.Join(dir, FileName), Data: data})
	}
	slices.Sort(out.Without)
	engines.finish(header, &out)
	return out, nil
}

// unitTable is the table of units of a file.
type unitTable struct {
	file    *testFile
	names   map[*conversions.Pair]string
	taken   map[string]bool
	pending []*conversions.Pair
}

func (t *unitTable) kind(m *conversions.Model, kind *conversions.Kind, spoke *conversions.Version) {
	pair := &written.Pair{Spoke: spoke.Type.Decl, Hub: kind.Hub.Type.Decl}
	if m.Options.Functions {
		name := spoke.Type.Decl.Spec.Name.Name
		pair.Up = "Convert" + name + "ToHub"
		pair.Down = "Convert" + name + "FromHub"
	}
	others := "nil"
	if names := otherVersions(kind, spoke); len(names) > 0 {
		others = fmt.Sprintf("%#v", names)
	}
	t.file.kind(pair, spoke.Name, kind.Hub.Name, gotext.Pair{Key: "Annotation", Value: strconv.Quote(crd.ConversionAnnotation(kind.Group))},
		gotext.Pair{Key: "Checks", Value: fmt.Sprintf("%s.Units(%q, units, %s, %t)", enginePackage, t.name(spoke.Pair), others, spoke.Storage)})
}

func otherVersions(kind *conversions.Kind, spoke *conversions.Version) (out []string) {
	for _, v := range kind.Spokes {
		if v != spoke {
			out = append(out, v.Name)
		}
	}
	return out
}

// name returns the name of a pair, which will be written.
func (t *unitTable) name(p *conversions.Pair) string {
	if name, ok := t.names[p]; ok {
		return name
	}
	name := gotext.Unique(p.Spoke.Decl.Spec.Name.Name, func(name string) bool { return t.taken[name] })
	t.taken[name] = true
	t.names[p] = name
	t.pending = append(t.pending, p)
	return name
}

// text returns the declaration of the table.
func (t *unitTable) text() string {
	var pairs []gotext.Pair
	for len(t.pending) > 0 {
		p := t.pending[0]
		t.pending = t.pending[1:]
		var same, lines []string
		for _, u := range p.Units {
			if isSame(u) {
				same = append(same, u.Spoke[0].JSON)
			} else if !u.Presence() && !u.Depends() {
				lines = append(lines, "{"+t.unit(p, u)+"},\n")
			}
		}
		if len(same) > 0 {
			lines = slices.Insert(lines, 0, fmt.Sprintf("{Same: %q},\n", strings.Join(same, " ")))
		}
		pairs = append(pairs, gotext.Pair{Key: strconv.Quote(t.names[p]), Value: braces(lines)})
	}
	return "units := map[string][]" + enginePackage + ".Unit{\n" + gotext.Pairs(pairs) + "}\n"
}

// isSame reports whether a unit is a field of either side with the same name and of which
// nothing is lost.
func isSame(u *conversions.Unit) bool {
	return u.Hook == nil && len(u.Spoke) == 1 && len(u.Hub) == 1 && u.Spoke[0].JSON == u.Hub[0].JSON &&
		u.Up == conversions.Lossless && u.Down == conversions.Lossless && structs(u.Rule) == nil && len(u.Rule.Values) == 0
}

// unit returns the literal of a unit.
func (t *unitTable) unit(p *conversions.Pair, unit *conversions.Unit) string {
	var parts []string
	add := func(name, value string) {
		if value != "" {
			parts = append(parts, name+": "+quoted(value))
		}
	}
	if unit.Hook != nil {
		add("Spoke", paths(unit.Hook.Fields))
		add("Hub", paths(unit.Hook.Targets))
		name := t.file.imports.qualifier(unit.Hook.From(t.file.pkg)) + unit.Hook.Name
		return strings.Join(append(parts, "To: "+name+"To", "From: "+name+"From"), ", ") + t.fate(unit)
	}
	add("Spoke", conversions.Path(unit.Spoke))
	add("Hub", conversions.Path(unit.Hub))
	add("Guards", paths(unit.Guards))
	var values []string
	for r := unit.Rule; r != nil; r = r.Elem {
		if r.Name == "json" {
			values = append(values, "{}", "[]", `{"name":"a"}`, "name:")
		}
		for _, pair := range r.Values {
			for _, value := range pair {
				if !slices.Contains(values, value) && !strings.ContainsAny(value, " \t\n") && value != "" {
					values = append(values, value)
				}
			}
		}
	}
	add("Values", strings.Join(values, " "))
	switch {
	case len(unit.Spoke) == 0:
		add("Refused", refused(p.Hubward, unit.Hub))
	case len(unit.Hub) == 0:
		add("Refused", refused(p.Spokeward, unit.Spoke))
	}
	pair := structs(unit.Rule)
	if pair == nil || unit.Up == conversions.Dropped || unit.Down == conversions.Dropped {
		return strings.Join(parts, ", ") + t.fate(unit)
	}
	add("Of", t.name(pair))
	add("Keys", strings.Join(keysOf(unit.Rule), " "))
	if unit.Up == conversions.Kept || unit.Down == conversions.Kept {
		parts = append(parts, "Lossy: true")
	}
	return strings.Join(parts, ", ")
}

// quoted returns a string literal that is easy to read.
func quoted(text string) string {
	if strings.Contains(text, `"`) && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// fate returns the fields about what is lost of a unit.
func (t *unitTable) fate(u *conversions.Unit) string {
	switch {
	case u.Up == conversions.Dropped || u.Down == conversions.Dropped || u.Drops() && structs(u.Rule) == nil:
		return ", Dropped: true"
	case u.Up == conversions.Kept || u.Down == conversions.Kept:
		return ", Lossy: true"
	}
	return ""
}

func keysOf(r *conversions.Rule) (out []string) {
	for ; r != nil; r = r.Elem {
		for _, key := range r.Keys {
			out = append(out, "."+strings.TrimPrefix(key, "."))
		}
	}
	return out
}

// structs returns the pair of structs in a field, in a list or in a map, unless nothing of
// them can be lost and all their fields are units of theirs.
func structs(r *conversions.Rule) *conversions.Pair {
	lists := 0
	for ; r != nil; r = r.Elem {
		if r.Pair != nil {
			if differs(r.Pair, map[*conversions.Pair]bool{}) {
				return r.Pair
			}
			return nil
		}
		if shape := r.Spoke.Shape; shape == conversions.List || shape == conversions.Map {
			lists++
		}
		if lists > 1 {
			return nil
		}
	}
	return nil
}

func differs(p *conversions.Pair, seen map[*conversions.Pair]bool) bool {
	if seen[p] {
		return false
	}
	seen[p] = true
	return p.Entered() || slices.ContainsFunc(p.Units, func(u *conversions.Unit) bool {
		if u.Rule == nil || u.Up != conversions.Lossless || u.Down != conversions.Lossless {
			return true
		}
		for r := u.Rule; r != nil; r = r.Elem {
			if r.Pair != nil && differs(r.Pair, seen) {
				return true
			}
		}
		return false
	})
}

func paths(list [][]*conversions.Field) string {
	var out []string
	for _, fields := range list {
		out = append(out, conversions.Path(fields))
	}
	return strings.Join(out, " ")
}

// refused returns a value, as JSON, that the schema of a field does not allow; empty if there
// is none that the type of the field can express.
func refused(s *structural.Schema, path []*conversions.Field) string {
	for _, f := range path {
		s = s.Property(f.JSON)
	}
	if s == nil || s.ValueValidation == nil {
		return ""
	}
	v := s.ValueValidation
	switch s.Type {
	case "string":
		pattern, err := regexp.Compile(v.Pattern)
		for _, text := range []string{"refused", "?", strings.Repeat("refused", 200)} {
			if len(v.Enum) > 0 || err == nil && !pattern.MatchString(text) || v.MaxLength != nil &&
				int64(len(text)) > *v.MaxLength || v.MinLength != nil && int64(len(text)) < *v.MinLength {
				return strconv.Quote(text)
			}
		}
	case "integer", "number":
		switch {
		case v.Maximum != nil && *v.Maximum < 1<<31-1:
			return strconv.FormatFloat(*v.Maximum+1, 'f', -1, 64)
		case v.Minimum != nil && *v.Minimum > 1:
			return strconv.FormatFloat(*v.Minimum-1, 'f', -1, 64)
		}
	case "array":
		if v.MaxItems != nil && *v.MaxItems < 100 {
			return "[" + strings.Repeat("null,", int(*v.MaxItems)) + "null]"
		}
	}
	return ""
}
