package laws_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type spokeWidget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec spokeSpec `json:"spec,omitempty"`
}

type spokeSpec struct {
	Size  int64       `json:"size,omitempty"`
	Drain *spokeDrain `json:"drain,omitempty"`
	Items []spokeItem `json:"items,omitempty"`
}

type spokeDrain struct {
	After metav1.Duration `json:"after,omitempty"`
}

type spokeItem struct {
	Name string `json:"name"`
}

type hubWidget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec hubSpec `json:"spec,omitempty"`
}

type hubSpec struct {
	Amount int64            `json:"amount,omitempty"`
	After  *metav1.Duration `json:"after,omitempty"`
	Note   string           `json:"note,omitempty"`
	Items  []hubItem        `json:"items,omitempty"`
}

type hubItem struct {
	Name   string `json:"name"`
	Weight *int64 `json:"weight,omitempty"`
}

// kept is what the conversion of widgets keeps in an annotation.
type kept struct {
	Note    string           `json:"note,omitempty"`
	Weights map[string]int64 `json:"weights,omitempty"`
	Amount  int64            `json:"amount,omitempty"` // of mutants
}

const keptIn = "example.com/conversion"

// up and down are a conversion that fulfils the laws, with a mutant of it for each name.
func up(mutant string, s *spokeWidget, h *hubWidget) error {
	h.ObjectMeta = s.ObjectMeta
	h.Annotations = maps.Clone(s.Annotations)
	if mutant == "source" {
		h.Annotations = s.Annotations
		delete(s.Annotations, "a")
	}
	var k kept
	text, wasKept := h.Annotations[keptIn]
	if err := json.Unmarshal([]byte(text), &k); err != nil && wasKept {
		return err
	}
	delete(h.Annotations, keptIn)
	if mutant == "unsettled" {
		if h.Annotations == nil {
			h.Annotations = map[string]string{}
		}
		h.Annotations["example.com/from-spoke"] = "true"
	}
	h.Spec.Amount = s.Spec.Size
	switch mutant {
	case "narrow":
		h.Spec.Amount = int64(int32(s.Spec.Size))
	case "stale":
		if k.Amount != 0 {
			h.Spec.Amount = k.Amount
		}
	case "error":
		if s.Spec.Size < 0 {
			return errors.New("negative size")
		}
	case "panic":
		h.Spec.After = &s.Spec.Drain.After
	}
	if s.Spec.Drain != nil {
		h.Spec.After = &metav1.Duration{Duration: s.Spec.Drain.After.Duration}
	}
	h.Spec.Note = k.Note
	if mutant == "label" && s.Labels["label"] != "" {
		h.Spec.Note = ""
	}
	names := map[string]bool{}
	for i, item := range s.Spec.Items {
		out := hubItem{Name: item.Name}
		if weight, ok := k.Weights[item.Name]; ok {
			out.Weight = &weight
		}
		if mutant == "elements" && i == 0 {
			for _, weight := range k.Weights {
				out.Weight = &weight
			}
		}
		names[item.Name] = true
		h.Spec.Items = append(h.Spec.Items, out)
	}
	if mutant == "random" {
		h.Spec.Items = nil
		for name := range names {
			h.Spec.Items = append(h.Spec.Items, hubItem{Name: name})
		}
	}
	return nil
}

func down(mutant string, h *hubWidget, s *spokeWidget) error {
	s.ObjectMeta = h.ObjectMeta
	s.Annotations = maps.Clone(h.Annotations)
	s.Spec.Size = h.Spec.Amount
	if h.Spec.After != nil {
		s.Spec.Drain = &spokeDrain{After: *h.Spec.After}
	}
	k := kept{Note: h.Spec.Note, Weights: map[string]int64{}}
	for _, item := range h.Spec.Items {
		s.Spec.Items = append(s.Spec.Items, spokeItem{Name: item.Name})
		if item.Weight != nil {
			k.Weights[item.Name] = *item.Weight
		}
	}
	switch {
	case mutant == "stale":
		k.Amount = h.Spec.Amount
	case mutant == "forgets", mutant == "unsettled" && h.Annotations["example.com/from-spoke"] != "":
		k.Note = ""
	}
	if text, err := json.Marshal(k); err != nil {
		return err
	} else if string(text) != "{}" {
		if s.Annotations == nil {
			s.Annotations = map[string]string{}
		}
		s.Annotations[keptIn] = string(text)
	}
	return nil
}

func widget(mutant string) Kind {
	return Kind{
		Name: "Widget", Spoke: "v1beta1", Hub: "v1",
		NewSpoke: func() any { return new(spokeWidget) },
		NewHub:   func() any { return new(hubWidget) },
		Up:       func(s, h any) error { return up(mutant, s.(*spokeWidget), h.(*hubWidget)) },
		Down:     func(h, s any) error { return down(mutant, h.(*hubWidget), s.(*spokeWidget)) },
		Fields: []Field{
			{At: "github.com/schemagen/schemagen/internal/conversions/laws_test.spokeSpec.Items", Keys: []string{"name"}},
			{At: "github.com/schemagen/schemagen/internal/conversions/laws_test.hubSpec.Items", Keys: []string{"name"}},
		},
	}
}

// TestCorrect wants no violation for the conversion of widgets.
func TestCorrect(t *testing.T) { Run(t, widget("")) }

// TestMutants wants a violation of the named law for each mutant of the conversion of widgets.
func TestMutants(t *testing.T) {
	for mutant, law := range map[string]string{
		"source": "L0", "error": "L0", "panic": "L0", "random": "L0",
		"narrow": "L1", "forgets": "L2", "stale": "L3", "label": "L4", "unsettled": "L5",
	} {
		t.Run(mutant, func(t *testing.T) {
			found := run(widget(mutant), 2000, 1)
			refuted := false
			for _, v := range found {
				t.Log(v)
				refuted = refuted || strings.HasPrefix(v.law, law)
			}
			if !refuted {
				t.Errorf("%d violations, want one of %q", len(found), law)
			}
		})
	}
}

// part has 20 fields.
type spokePart struct {
	A, B, C, D, E string            `json:",omitempty"`
	F, G, H, I, J *int32            `json:",omitempty"`
	K, L, M       []string          `json:",omitempty"`
	N, O          map[string]string `json:",omitempty"`
	P, Q, R       *bool             `json:",omitempty"`
	S, T          int64             `json:",omitempty"`
}

type hubPart spokePart

type spokeLarge struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		A, B, C, D, E spokePart
		F, G, H, I, J *spokePart
	} `json:"spec"`
}

type hubLarge struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		A, B, C, D, E hubPart
		F, G, H, I, J *hubPart
	} `json:"spec"`
}

func BenchmarkHistories(b *testing.B) {
	if found := run(large(), b.N, 1); len(found) > 0 {
		b.Error(found)
	}
}

// large is a kind of 200 fields, with a conversion that costs nearly nothing.
func large() Kind {
	return Kind{
		Name: "Large", Spoke: "v1beta1", Hub: "v1",
		NewSpoke: func() any { return new(spokeLarge) },
		NewHub:   func() any { return new(hubLarge) },
		Up: func(spoke, hub any) error {
			s, h := spoke.(*spokeLarge), hub.(*hubLarge)
			h.ObjectMeta = s.ObjectMeta
			h.Spec.A, h.Spec.B, h.Spec.C, h.Spec.D, h.Spec.E = hubPart(s.Spec.A), hubPart(s.Spec.B), hubPart(s.Spec.C), hubPart(s.Spec.D), hubPart(s.Spec.E)
			h.Spec.F, h.Spec.G, h.Spec.H, h.Spec.I, h.Spec.J = (*hubPart)(s.Spec.F), (*hubPart)(s.Spec.G), (*hubPart)(s.Spec.H), (*hubPart)(s.Spec.I), (*hubPart)(s.Spec.J)
			return nil
		},
		Down: func(hub, spoke any) error {
			s, h := spoke.(*spokeLarge), hub.(*hubLarge)
			s.ObjectMeta = h.ObjectMeta
			s.Spec.A, s.Spec.B, s.Spec.C, s.Spec.D, s.Spec.E = spokePart(h.Spec.A), spokePart(h.Spec.B), spokePart(h.Spec.C), spokePart(h.Spec.D), spokePart(h.Spec.E)
			s.Spec.F, s.Spec.G, s.Spec.H, s.Spec.I, s.Spec.J = (*spokePart)(h.Spec.F), (*spokePart)(h.Spec.G), (*spokePart)(h.Spec.H), (*spokePart)(h.Spec.I), (*spokePart)(h.Spec.J)
			return nil
		},
	}
}
