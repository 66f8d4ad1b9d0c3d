package laws_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// spokeBook and hubBook have a unit of each form: equal fields, one that only the hub has, a
// union, a list with keys, and a hook.
type spokeBook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Name  string      `json:"name,omitempty"`
	Sort  string      `json:"sort,omitempty"`
	Class string      `json:"class,omitempty"`
	Items []spokeItem `json:"items,omitempty"`
}

type hubBook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Name  string    `json:"name,omitempty"`
	Sort  string    `json:"sort,omitempty"`
	Of    *string   `json:"of,omitempty"` // a member of a union
	Note  string    `json:"note,omitempty"`
	Rank  string    `json:"rank,omitempty"`
	Items []hubItem `json:"items,omitempty"`
}

// bookKept is what the conversion of books keeps of the hub.
type bookKept struct {
	Of, Sort *string          `json:",omitempty"`
	Note     string           `json:",omitempty"`
	Weights  map[string]int64 `json:",omitempty"`
	Over     bool             `json:"#over,omitempty"`
}

func rankOf(class string) string { return class }

func bookUp(mutant string, s *spokeBook, h *hubBook) error {
	var kept map[string]bookKept
	if json.Unmarshal([]byte(s.Annotations[keptIn]), &kept) != nil {
		kept = nil
	}
	k := kept["v1"]
	if k.Over && mutant != "over" {
		return errors.New("too much")
	}
	*h = hubBook{ObjectMeta: s.ObjectMeta, Name: s.Name, Sort: s.Sort, Rank: s.Class}
	h.Annotations = maps.Clone(s.Annotations)
	if _, unknown := kept["unknown"]; !unknown || mutant != "unknown" {
		delete(h.Annotations, keptIn)
	}
	if k.Note != "refused" || mutant == "refused" {
		h.Note = k.Note
	}
	if k.Of != nil && (mutant == "guard" || k.Sort == nil && s.Sort == "" || k.Sort != nil && *k.Sort == s.Sort) {
		h.Of = k.Of
	}
	if mutant == "else" && s.Class == "b" {
		h.Note = ""
	}
	for i, item := range s.Items {
		out := hubItem{Name: item.Name}
		if weight, ok := k.Weights[item.Name]; ok {
			out.Weight = &weight
		} else if mutant == "nowhere" && i == 0 {
			for _, weight := range k.Weights {
				out.Weight = &weight
			}
		}
		h.Items = append(h.Items, out)
	}
	return nil
}

func bookDown(mutant string, h *hubBook, s *spokeBook) error {
	*s = spokeBook{ObjectMeta: h.ObjectMeta, Name: h.Name, Sort: h.Sort, Class: h.Rank}
	k := bookKept{Note: h.Note, Of: h.Of, Weights: map[string]int64{}}
	if h.Of != nil && h.Sort != "" {
		k.Sort = &h.Sort
	}
	for _, item := range h.Items {
		s.Items = append(s.Items, spokeItem{Name: item.Name})
		if item.Weight != nil {
			k.Weights[item.Name] = *item.Weight
		}
	}
	s.Annotations = maps.Clone(h.Annotations)
	delete(s.Annotations, keptIn)
	text, err := json.Marshal(k)
	if err != nil || string(text) == "{}" && mutant != "always" {
		return err
	}
	if len(s.Annotations["a"]) > 200000 {
		text = []byte(`{"#over":true}`)
	}
	if s.Annotations == nil {
		s.Annotations = map[string]string{}
	}
	s.Annotations[keptIn] = `{"v1":` + string(text) + "}"
	return nil
}

func book(mutant string) Kind {
	from := func(rank string) string { return rank }
	if mutant == "hook" {
		from = func(rank string) string { return "a" + rank + "b" }
	}
	units := map[string][]Unit{
		"Book": {
			{Same: "name sort"},
			{Spoke: ".items", Hub: ".items", Of: "Item", Keys: ".name", Lossy: true},
			{Hub: ".of", Guards: ".sort", Lossy: true},
			{Hub: ".note", Refused: `"refused"`, Lossy: true},
			{Spoke: ".class", Hub: ".rank", To: rankOf, From: from},
		},
		"Item": {{Same: "name"}, {Hub: ".weight", Lossy: true}},
	}
	return Kind{
		Name: "Book", Spoke: "v1beta1", Hub: "v1",
		NewSpoke: func() any { return new(spokeBook) },
		NewHub:   func() any { return new(hubBook) },
		Up:       func(s, h any) error { return bookUp(mutant, s.(*spokeBook), h.(*hubBook)) },
		Down:     func(h, s any) error { return bookDown(mutant, h.(*hubBook), s.(*spokeBook)) },
		Fields: []Field{
			{At: "github.com/schemagen/schemagen/internal/conversions/laws_test.spokeBook.Items", Keys: []string{"name"}},
			{At: "github.com/schemagen/schemagen/internal/conversions/laws_test.hubBook.Items", Keys: []string{"name"}},
		},
		Annotation: keptIn,
		Checks:     Units("Book", units, nil, false),
	}
}

// TestUnits wants no violation for the conversion of books, and one of the named law for each
// mutant of it.
func TestUnits(t *testing.T) {
	for mutant, law := range map[string]string{
		"": "", "always": "L2", "else": "L4", "guard": "L6", "nowhere": "L6", "unknown": "L6", "refused": "L7", "hook": "L8", "over": "L9",
	} {
		t.Run(mutant, func(t *testing.T) {
			found := run(book(mutant), 2000, 1)
			refuted := mutant == "" && len(found) == 0
			for _, v := range found {
				t.Log(v)
				refuted = refuted || mutant != "" && strings.HasPrefix(v.law, law)
			}
			if !refuted {
				t.Errorf("%d violations, want one of %q", len(found), law)
			}
		})
	}
}
