package define

import (
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
)

// optionFindings returns the findings about the options of a json tag.
func optionFindings(options string) diag.List {
	c := fieldChecker{&Builder{Reporter: &report.Reporter{}}}
	t := &source.Type{Pkg: &source.Package{Package: &Package{}}}
	c.checkTag(t, &source.Field{Name: "Field"}, source.JSONTag{Name: "field", Options: options})
	return c.Reporter.List
}

// TestTagOptions checks that every single typo in omitempty and omitzero is reported, and
// no option of another library.
func TestTagOptions(t *testing.T) {
	for _, option := range []string{"omitempty", "omitzero"} {
		slips := []string{" " + option, option + " ", strings.ToUpper(option), strings.ToUpper(option[:1]) + option[1:]}
		for i := range option {
			slips = append(slips, option[:i]+option[i+1:], option[:i]+"x"+option[i:], option[:i]+"x"+option[i+1:], option[:i]+option[i:i+1]+option[i:])
			if i > 0 && option[i] != option[i-1] {
				slips = append(slips, option[:i-1]+option[i:i+1]+option[i-1:i]+option[i+1:])
			}
		}
		for _, slip := range slips {
			if found := optionFindings(slip); len(found) != 1 || found[0].Hint != "write "+option {
				t.Errorf("%q: got %v, want one finding", slip, found)
			}
		}
	}
	for _, options := range []string{
		"", "omitempty", "omitzero", "string", "inline", "omitempty,string", "omitempty,", ",omitempty",
		"required", "nocopy", "intern", "squash", "remain", "flow", "embed", "unknown", "case:ignore", "case:strict", "format:RFC3339", "format:'2006-01-02, omitempt'",
		"strict", "strong", "ro", "rw", "minsize", "default=1", "enum=a|b", "deprecated", "omit", "omitnil", "omitdefault", "keepempty", "as_string", "struct", "online", "outline",
	} {
		if found := optionFindings(options); len(found) != 0 {
			t.Errorf("%q: got %v, want no findings", options, found)
		}
	}
}
