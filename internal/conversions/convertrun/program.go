package convertrun

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/conversions/written"
)

// answersMark is in front of the answers, so that they are found behind what packages print.
const answersMark = "\x00schemagen answers\x00"

// engine is the part of the program that does not depend on the kinds.
//
//go:embed engine.txt
var engine string

// Program returns the source of a program that reads a list of [Request] from standard input
// and writes a list of [Answer].
func Program(kinds []written.Kind) []byte {
	names := map[string]string{}
	var imports, table bytes.Buffer
	typeOf := func(v written.Version) string {
		name, ok := names[v.Package]
		if !ok {
			name = fmt.Sprintf("api%d", len(names)+1)
			names[v.Package] = name
			fmt.Fprintf(&imports, "\t%s %q\n", name, v.Package)
		}
		return name + "." + v.Type
	}
	for _, k := range kinds {
		hub := typeOf(k.Hub)
		fmt.Fprintf(&table, "\t{%q, %q}: {hub: %q, newHub: func() any { return new(%s) }, spokes: map[string]spoke{\n", k.Group, k.Name, k.Hub.Name, hub)
		for _, s := range k.Spokes {
			own := typeOf(s.Version)
			up := fmt.Sprintf("s.(*%s).ConvertTo(h.(*%s))", own, hub)
			down := fmt.Sprintf("s.(*%s).ConvertFrom(h.(*%s))", own, hub)
			if s.Up != "" {
				up = fmt.Sprintf("%s.%s(context.Background(), s.(*%s), h.(*%s))", names[s.Package], s.Up, own, hub)
				down = fmt.Sprintf("%s.%s(context.Background(), h.(*%s), s.(*%s))", names[s.Package], s.Down, hub, own)
			}
			fmt.Fprintf(&table, "\t\t%q: {func() any { return new(%s) }, func(s, h any) error { return %s }, func(s, h any) error { return %s }},\n", s.Name, own, up, down)
		}
		table.WriteString("\t}},\n")
	}
	return []byte(strings.NewReplacer("\tIMPORTS\n", imports.String(), "\tKINDS\n", table.String(), "MARK", fmt.Sprintf("%q", answersMark)).Replace(engine))
}
