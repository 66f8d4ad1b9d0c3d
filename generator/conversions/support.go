package conversions

import (
	_ "embed"
	"path"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/generator/internal/source"
)

// supportSource are the functions that generated code may need, as a txtar archive. The name
// of a section is that of the function, followed by other sections that it needs and by the
// packages that it imports.
//
//go:embed support.txt
var supportSource string

// supportText returns the functions that the file needs, and adds their imports.
func (f *codeFile) supportText() string {
	sections := txtar.Parse([]byte(supportSource)).Files
	for again := true; again; {
		again = false
		for _, section := range sections {
			words := strings.Fields(section.Name)
			if !f.support[words[0]] {
				continue
			}
			for _, word := range words[1:] {
				again = again || !f.support[word]
				f.support[word] = true
			}
		}
	}
	var out strings.Builder
	for _, section := range sections {
		words := strings.Fields(section.Name)
		if !f.support[words[0]] {
			continue
		}
		if strings.Contains(string(section.Data), "metav1.") {
			f.imp(source.MetaV1Path, "metav1")
		}
		for _, word := range words[1:] {
			if !strings.HasPrefix(word, "conversion") && word != "readConversion" {
				f.imp(word, path.Base(word))
			}
		}
		out.Write(section.Data)
	}
	return out.String()
}
