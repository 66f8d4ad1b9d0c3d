package edits

import (
	"go/token"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/structural"
)

// TestEveryKeywordIsSet checks that the keywords that a marker sets reach the node, with
// the position of the marker.
func TestEveryKeywordIsSet(t *testing.T) {
	gentest.EachKeyword(t, func(k *keywords.Keyword, p *apiextensionsv1.JSONSchemaProps) {
		if k.Class == keywords.ClassJunctor { // markers can only remove them
			s, _ := structural.FromProps(p)
			keywords.Of(s).Take(keywords.Of(s).Props())
			if !k.IsSet(keywords.PartsOf(s)) {
				t.Errorf("%s is lost", k.Name)
			}
			return
		}
		s := &structural.Schema{}
		before := keywords.Of(s).Props()
		after := keywords.Of(s).Props()
		keywords.Copy(after, p)
		keywords.Of(s).Take(after)
		if !k.IsSet(keywords.PartsOf(s)) {
			t.Errorf("%s is not set", k.Name)
		}
		changed := appendChanged(nil, before, after, 7)
		if len(changed) != 1 || changed[0] != (structural.KeywordOrigin{Keyword: k.Name, Pos: 7}) {
			t.Errorf("%s: got changes %v", k.Name, changed)
		}
	})
}

// TestApplyMarkers applies one of our markers between two of controller-tools.
func TestApplyMarkers(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	var set source.Markers
	for i, text := range []string{"+kubebuilder:title=A", "+schemagen:unset=title", "+kubebuilder:validation:MaxLength=5"} {
		m, err := table.Parse(markers.Comment{Text: text, Pos: token.Pos(i + 1)}, markers.Field)
		if err != nil || m == nil {
			t.Fatal(text, err)
		}
		set = append(set, m)
	}
	s := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	ApplyMarkers(nil, keywords.Of(s), false, nil, set, nil)
	want := []structural.KeywordOrigin{{Keyword: "maxLength", Pos: 3}}
	if s.Title != "" || s.MaxLength == nil || !slices.Equal(s.Origin.Keywords, want) {
		t.Errorf("got title %q, origins %v", s.Title, s.Origin.Keywords)
	}
}
