package define

import (
	"go/token"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/structural"
)

// TestEveryKeywordIsMerged checks that the result of a merge has the keywords of both
// nodes.
func TestEveryKeywordIsMerged(t *testing.T) {
	ofTheFirst := []string{"description", "title", "example", "externalDocs"} // as in controller-gen
	draftOf := func(p *apiextensionsv1.JSONSchemaProps) *draft {
		s, _ := structural.FromProps(p)
		return &draft{Generic: s.Generic, Extensions: s.Extensions, values: s.ValueValidation}
	}
	gentest.EachKeyword(t, func(k *keywords.Keyword, p *apiextensionsv1.JSONSchemaProps) {
		other := &apiextensionsv1.JSONSchemaProps{Format: "date"}
		if k.Name == "format" {
			other = &apiextensionsv1.JSONSchemaProps{Pattern: "a"}
		}
		isSet := func(d *draft) bool {
			return k.IsSet(keywords.Parts{Generic: &d.Generic, Extensions: &d.Extensions, ValueValidation: d.values})
		}
		for _, parts := range [][2]*draft{{draftOf(p), draftOf(other)}, {draftOf(p), {}}} {
			first, second := *parts[0], *parts[1]
			(&Flattener{}).mergeInto(&first, parts[1])
			(&Flattener{}).mergeInto(&second, parts[0])
			if !isSet(&first) || isSet(&second) == slices.Contains(ofTheFirst, k.Name) {
				t.Errorf("%s: set in the first: %v, in the second: %v", k.Name, isSet(&first), isSet(&second))
			}
		}
	})
}

// TestMergedEnum merges two enums, and wants the position of the one that takes precedence.
func TestMergedEnum(t *testing.T) {
	draftOf := func(value string, pos token.Pos) *draft {
		return &draft{
			values: &structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(value)}}},
			origin: structural.Origin{Keywords: []structural.KeywordOrigin{{Keyword: "enum", Pos: pos}}},
		}
	}
	merged := draftOf(`"a"`, 1)
	(&Flattener{}).mergeInto(merged, draftOf(`"b"`, 2))
	if got := string(merged.values.Enum[0].Raw); got != `"a"` || merged.origin.Of("enum") != 1 {
		t.Errorf("got %s with position %d", got, merged.origin.Of("enum"))
	}
}
