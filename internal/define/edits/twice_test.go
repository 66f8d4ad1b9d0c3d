package edits

import (
	"encoding/json"
	"go/token"
	"reflect"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// refusals counts the markers that do not fit.
type refusals struct {
	Reporter
	count int
}

func (r *refusals) DoesNotFit(source.Origin, string, string, ...any) { r.count++ }

// TestTwice gives each marker with one value twice, and wants the position of each keyword to be
// that of the marker whose value it has.
func TestTwice(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	// applied applies values of a marker to a node; the n-th marker is at position n+1.
	applied := func(def *markers.Definition, typ string, at ...string) *structural.Schema {
		var set source.Markers
		for i, value := range at {
			m, err := table.Parse(markers.Comment{Text: "+" + def.Name + value, Pos: token.Pos(i + 1)}, def.Target)
			if err != nil || m == nil || m.Stage() == markers.NoStage {
				return nil
			}
			if _, isEnum := m.Value.(crdmarkers.K8sEnum); isEnum {
				return nil // its values are those of the type
			}
			set = append(set, m)
		}
		s := &structural.Schema{Generic: structural.Generic{Type: typ}}
		if typ == "array" {
			s.Items = &structural.Schema{}
		}
		r := &refusals{}
		ApplyMarkers(r, keywords.Of(s), false, nil, set, nil)
		if r.count > 0 {
			return nil
		}
		return s
	}
	values := []string{
		"=1", "=2", `="2"`, "=true", "=false", "={a}", "={b}", "=granular", "=atomic", "=set", "=string", "=integer", "=date", "=byte", ":url=a", ":url=b",
	}
	seen := map[string]bool{}
	compare := func(def *markers.Definition, typ string) {
		var alone []*structural.Schema
		var texts []string
		for _, text := range values {
			if s := applied(def, typ, text); s != nil {
				alone, texts = append(alone, s), append(texts, text)
			}
		}
		for i, one := range alone {
			for j, two := range alone {
				changed := keywords.Changed(keywords.Of(one).Props(), keywords.Of(two).Props())
				if len(changed) == 0 {
					continue
				}
				both := applied(def, typ, texts[i], texts[j])
				if both == nil {
					continue
				}
				for _, keyword := range changed {
					var want token.Pos
					switch got := valueOf(t, both, keyword); {
					case got == nil:
						continue
					case reflect.DeepEqual(got, valueOf(t, two, keyword)):
						want = 2
					case reflect.DeepEqual(got, valueOf(t, one, keyword)):
						want = 1
					default:
						continue // both took effect
					}
					seen[def.Name] = true
					places := locate.Positions(both, "."+keyword)
					if of, located := both.Origin.Of(keyword), places[len(places)-1]; of != want || located != want {
						t.Errorf("+%s%s, +%s%s: %s is that of %d, but Of is %d, and Locate %d", def.Name, texts[i], def.Name, texts[j], keyword, want, of, located)
					}
				}
			}
		}
	}
	for _, def := range table.Definitions() {
		if def.Target == markers.Package {
			continue
		}
		for _, typ := range []string{"", "string", "integer", "array", "object"} {
			compare(def, typ)
		}
	}
	for _, name := range []string{"kubebuilder:default", "kubebuilder:validation:Pattern", "kubebuilder:validation:items:MaxLength", "listType"} {
		if !seen[name] {
			t.Errorf("+%s was not compared; only %d were", name, len(seen))
		}
	}
}

// valueOf returns the value of a keyword.
func valueOf(t *testing.T, s *structural.Schema, keyword string) any {
	t.Helper()
	var all map[string]any
	text, err := json.Marshal((*apiextensionsv1.JSONSchemaProps)(keywords.Of(s).Props()))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all[keyword]
}
