package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/structural"
)

// randomNumber returns the schema of a number with small random bounds, some of them below
// allOf.
func randomNumber(r *rand.Rand) *apiextensionsv1.JSONSchemaProps {
	s := &apiextensionsv1.JSONSchemaProps{Type: []string{"integer", "integer", "number"}[r.IntN(3)]}
	s.Format = []string{"", "", "int32", "int64"}[r.IntN(4)]
	if s.Type == "number" {
		s.Format = []string{"", "float", "double"}[r.IntN(3)]
	}
	edges := []float64{math.MinInt32, math.MaxInt32, math.MaxInt32 + 1, math.MinInt64, math.MaxInt64, math.MaxUint64, 1e300}
	bound := func(integral, edge bool) *float64 {
		f := float64(r.IntN(13) - 6)
		switch {
		case edge && r.IntN(12) == 0:
			f = edges[r.IntN(len(edges))]
		case !integral && r.IntN(2) == 0:
			f += []float64{0.25, 0.5, 0.1}[r.IntN(3)]
		}
		return &f
	}
	fill := func(s *apiextensionsv1.JSONSchemaProps, integral, edge bool) {
		if r.IntN(4) > 0 {
			s.Minimum = bound(integral, edge)
			s.ExclusiveMinimum = r.IntN(4) == 0
		}
		if r.IntN(4) > 0 {
			s.Maximum = bound(integral, edge)
			s.ExclusiveMaximum = r.IntN(4) == 0
		}
		if r.IntN(2) == 0 {
			s.MultipleOf = new(float64(r.IntN(10)))
			if !integral && r.IntN(2) == 0 {
				s.MultipleOf = new([]float64{0.5, 0.25, 0.1, 1.5}[r.IntN(4)])
			}
		}
	}
	fill(s, s.Type == "integer" && r.IntN(8) > 0, s.Type == "integer")
	for range r.IntN(2) {
		// Below allOf the server truncates bounds, and bounds outside of int64 overflow;
		// neither is predicted.
		s.AllOf = append(s.AllOf, apiextensionsv1.JSONSchemaProps{})
		fill(&s.AllOf[len(s.AllOf)-1], s.Type == "integer", false)
	}
	return s
}

// numbersToTry returns values near all bounds: small multiples of 1/20, which cover
// quarters and tenths, and neighbors of the limits of the types.
func numbersToTry(integral bool) []any {
	var out []any
	for i := int64(-81); i <= 81; i++ {
		out = append(out, i)
	}
	for _, near := range []int64{math.MinInt32, math.MaxInt32, math.MinInt64 + 80, math.MaxInt64 - 80} {
		for i := int64(-72); i <= 72; i++ {
			out = append(out, near+i)
		}
	}
	if !integral {
		for i := -10 * 20; i <= 10*20; i++ {
			out = append(out, float64(i)/20)
		}
	}
	return out
}

// TestNumbersMatchServer compares the contradictions reported for random bounds with a
// search for a value that the server's own validation accepts: if there is one, nothing may
// be reported; if there is none, something must be.
func TestNumbersMatchServer(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 18))
	reported, clashes := 0, 0
	for range 1200 {
		props := randomNumber(r)
		s, _ := structural.FromProps(props)
		var messages []string
		never := false
		for _, c := range contradictions.Find(s) {
			if c.Kind != contradictions.Idle {
				messages = append(messages, c.Path.String()+": "+c.Message)
			}
			never = never || strings.Contains(c.Message, "lies between")
		}
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internal, nil); err != nil {
			t.Fatal(err)
		}
		validator, _, err := validation.NewSchemaValidator(&internal)
		if err != nil {
			t.Fatal(err)
		}
		tries := numbersToTry(props.Type == "integer")
		accepted := slices.IndexFunc(tries, func(v any) bool {
			return len(validation.ValidateCustomResource(field.NewPath("v"), v, validator)) == 0
		})
		text, _ := json.Marshal(props)
		if len(messages) > 0 && accepted >= 0 && !cutsOff(props) {
			t.Errorf("%s: the server accepts %v, but\n%s", text, tries[accepted], strings.Join(messages, "\n"))
		}
		if len(messages) == 0 && accepted < 0 {
			t.Errorf("%s: the server accepts no value, but nothing is reported", text)
		}
		if len(messages) > 0 {
			reported++
		}
		if never {
			clashes++
		}
	}
	t.Logf("%d reported, %d of them because no value lies between the bounds", reported, clashes)
	if clashes < 30 {
		t.Error(fmt.Sprint("too few clashes: ", clashes))
	}
}

// cutsOff reports whether the server accepts integers that the bounds exclude, because it
// truncates the bounds of a number.
func cutsOff(s *apiextensionsv1.JSONSchemaProps) bool {
	for _, f := range []*float64{s.Minimum, s.Maximum, s.MultipleOf} {
		if s.Type != "integer" && f != nil && *f != math.Trunc(*f) {
			return true
		}
	}
	return slices.ContainsFunc(s.AllOf, func(n apiextensionsv1.JSONSchemaProps) bool { return cutsOff(&n) })
}
