package publish

import (
	"fmt"
	"slices"

	"github.com/schemagen/schemagen/structural"
)

// UnionProblem is a reason why x-kubernetes-unions is not published.
type UnionProblem struct {
	// Path is the path in the schema.
	Path    string
	Message string
	// Invalid is set if it contradicts the schema or itself. Otherwise it is only omitted.
	Invalid bool
}

// UnionProblems returns the problems of the unions of a schema. path is the path of the
// schema in its definition.
func UnionProblems(s *structural.Schema, path string) []UnionProblem {
	var out []UnionProblem
	for _, f := range structural.CheckUnions(s) {
		location := f.Path
		if f.In != nil {
			location = f.In
		}
		out = append(out, UnionProblem{Path: location.String(), Message: f.At(path), Invalid: true})
	}
	eachObject(s, nil, func(s *structural.Schema, location *structural.Path) {
		out = append(out, unionProblems(s, location)...)
	})
	return out
}

// eachObject visits a schema and all schemas below it outside of junctors.
func eachObject(s *structural.Schema, path *structural.Path, visit func(*structural.Schema, *structural.Path)) {
	if s == nil {
		return
	}
	visit(s, path)
	for edge, child := range s.Children() {
		eachObject(child, path.Edge(edge), visit)
	}
}

// unionProblems returns problems with the unions of an object that the proposals do not
// check.
func unionProblems(schema *structural.Schema, path *structural.Path) []UnionProblem {
	var out []UnionProblem
	byDiscriminator := map[string][]structural.UnionMember{}
	check := func(discriminator string, members []structural.UnionMember, location *structural.Path) {
		wrong := func(format string, args ...any) {
			out = append(out, UnionProblem{Path: location.String(), Message: UnionsKeyword + " of " + discriminator + ": " + fmt.Sprintf(format, args...), Invalid: true})
		}
		for i, m := range members {
			if m.Name == "" {
				continue
			}
			for _, other := range members[:i] {
				if other.Name == m.Name {
					wrong("values %q and %q both select %s", other.Value, m.Value, m.Name)
				}
				if other.Value == m.Value {
					wrong("value %q selects both %s and %s", m.Value, other.Name, m.Name)
				}
			}
			if m.Name == discriminator {
				wrong("the discriminator cannot be a member")
			}
			if m.Value == "" {
				wrong("the value \"\" means no member, but selects %s", m.Name)
			}
		}
		earlier, ok := byDiscriminator[discriminator]
		if ok && !slices.Equal(selections(earlier), selections(members)) {
			wrong("duplicate definition with different members")
		}
		byDiscriminator[discriminator] = members
	}
	for _, p := range schema.Properties {
		if len(p.Schema.XUnionMembers) > 0 {
			check(p.Name, p.Schema.XUnionMembers, path.Property(p.Name).Child(UnionsKeyword))
		}
	}
	for i, u := range schema.XUnions {
		location := path.Index(UnionsKeyword, i)
		if u.Discriminator == "" {
			out = append(out, UnionProblem{Path: location.String(), Message: "a union without a discriminator cannot be expressed in documents and is not published"})
			continue
		}
		members := make([]structural.UnionMember, len(u.Fields))
		for i, f := range u.Fields {
			members[i] = structural.UnionMember{Value: f.Value, Name: f.Name}
		}
		if len(members) == 0 {
			out = append(out, UnionProblem{Path: location.String(), Message: UnionsKeyword + " of " + u.Discriminator + " has no members and is not published"})
			continue
		}
		check(u.Discriminator, members, location)
	}
	return out
}

// selections returns the values that select members, sorted, which both forms express.
func selections(members []structural.UnionMember) []string {
	var out []string
	for _, m := range members {
		if m.Name != "" {
			out = append(out, m.Value+"\x00"+m.Name)
		}
	}
	slices.Sort(out)
	return out
}
