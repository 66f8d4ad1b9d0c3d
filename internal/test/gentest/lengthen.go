package gentest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// declaredName matches the declaration of a type, and of a field with its name in JSON.
var declaredName = lazyregexp.New(`(?m)^(?:type (\w+)|\t([A-Z]\w*) +[^=\n]*json:"(\w+))`)

var word = lazyregexp.New(`\b\w+\b`)

// Lengthen appends to the names of types and fields in the sources of a case of conversions, so that
// generated lines have other lengths. Expected files are removed.
func (c *Case) Lengthen(random *rand.Rand) {
	kept := []string{ // words that others read
		"Spec", "spec", "metadata", "ObjectMeta", "TypeMeta", "Time", "Duration", "Quantity", "IntOrString",
		"list", "map", "set", "string", "values", "key", "name", "namespace", "label", "annotation", "json", "single", "not", "to", "as",
	}
	names := map[string]string{}
	var sources []txtar.File
	for _, f := range c.Archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		sources = append(sources, f)
		for _, m := range declaredName().FindAllStringSubmatch(string(f.Data), -1) {
			for _, name := range m[1:] {
				if name != "" && !slices.Contains(kept, name) {
					names[name] = name + strings.Repeat("x", random.IntN(1+random.IntN(60)))
				}
			}
		}
	}
	for i := range sources {
		sources[i].Data = []byte(word().ReplaceAllStringFunc(string(sources[i].Data), func(name string) string {
			if longer, ok := names[name]; ok {
				return longer
			}
			return name
		}))
	}
	c.Archive.Files = sources
}
