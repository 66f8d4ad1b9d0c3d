package conversions

import (
	_ "embed"
	"path"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/generator/internal/source"
)

// supportSource are the functions that generated code may need, as a txtar archive. The name
// of a section is that of the function, followed by other sections that it needs and by the
// packages that it imports.
//
//go:embed support.txt
var supportSource string

// supportSection is a section of the archive.
type supportSection struct {
	name string
	// needs are other sections, and imports are packages.
	needs, imports []string
	// text has marks of conditions.
	text string
}

var supportSections = sync.OnceValue(func() (out []supportSection) {
	for _, file := range txtar.Parse([]byte(supportSource)).Files {
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

// supportText returns the functions that the file needs, and adds their imports.
func (f *codeFile) supportText() string {
	sections := supportSections()
	for again := true; again; {
		again = false
		for _, s := range sections {
			if !f.support[s.name] {
				continue
			}
			for _, need := range s.needs {
				again = again || !f.support[need]
				f.support[need] = true
			}
		}
	}
	var out strings.Builder
	for _, s := range sections {
		if !f.support[s.name] {
			continue
		}
		if strings.Contains(s.text, "metav1.") {
			f.imp(source.MetaV1Path, "metav1")
		}
		for _, word := range s.imports {
			f.imp(word, path.Base(word))
		}
		text := s.text
		if !f.options.Mutable {
			text = withoutMarks(text)
		}
		out.WriteString(text)
	}
	return out.String()
}
