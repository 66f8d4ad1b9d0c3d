package conversions

import (
	_ "embed"
	"maps"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
)

// supportText has the functions that generated conversions call, as a txtar archive. The name of a
// section is the function's name, followed by other sections that it needs and by the packages that
// it imports. Conditions under which something is kept or restored are between marks, which are the
// only comments between /* and */.
//
//go:embed support.txt
var supportText string

// supportSection is a section of the archive: a function.
type supportSection struct {
	name string
	// needs are other sections, and imports are packages.
	needs, imports []string
	text           string
}

var supportSections = sync.OnceValue(func() (out []supportSection) {
	for _, file := range txtar.Parse([]byte(supportText)).Files {
		words := strings.Fields(file.Name)
		s := supportSection{name: words[0], text: string(file.Data)}
		for _, word := range words[1:] {
			if strings.HasPrefix(word, "conversion") || word == "readConversion" {
				s.needs = append(s.needs, word)
			} else {
				s.imports = append(s.imports, word)
			}
		}
		out = append(out, s)
	}
	return out
})

// supportFunctions returns the functions with the names and the functions that they need, as gofmt writes
// them, and the packages that they import. Conditions of mutable code keep their marks.
func supportFunctions(names map[string]bool, options Options) (text string, imports []string) {
	needed := maps.Clone(names)
	for again := true; again; {
		again = false
		for _, s := range supportSections() {
			if !needed[s.name] {
				continue
			}
			for _, need := range s.needs {
				again = again || !needed[need]
				needed[need] = true
			}
		}
	}
	var out strings.Builder
	for _, s := range supportSections() {
		if !needed[s.name] {
			continue
		}
		imports = append(imports, s.imports...)
		if options.Mutable {
			out.WriteString(s.text)
		} else {
			writeWithoutMarks(&out, s.text)
		}
	}
	return out.String(), imports
}

func writeWithoutMarks(out *strings.Builder, text string) {
	for {
		head, rest, found := strings.Cut(text, "/*")
		out.WriteString(head)
		if !found {
			return
		}
		_, text, _ = strings.Cut(rest, "*/")
	}
}
