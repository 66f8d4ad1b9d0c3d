package unions

import (
	"slices"
	"testing"
)

// TestTransitionAgreesWithValidate evaluates all rules, including the one about an unchanged
// discriminator, for all pairs of old and new objects.
func TestTransitionAgreesWithValidate(t *testing.T) {
	for _, shape := range []string{"", "D optional", `D optional ""`, "a optional"} {
		u := abc(shape)
		s := schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}, Transition: true})
		if errs := definitionErrors(t, s); len(errs) > 0 {
			t.Fatal(errs)
		}
		validate, plan := server(t, s), Compile(s, Options{NoRatcheting: true})
		for _, old := range objectsOf(u) {
			if len(validate(nil, old)) > 0 {
				// It may have been stored before there were rules, and be written again
				// unchanged.
				if slices.Contains(kinds(validate(old, old)), "Invalid type") {
					t.Errorf("%q: %s was not changed", shape, encoded(t, old))
				}
				continue
			}
			for _, new := range objectsOf(u) {
				got, want := plan.Validate(old, new, nil), validate(old, new)
				if g, w := kinds(got), kinds(want); (len(g) > 0) != (len(w) > 0) || slices.Contains(g, "Invalid type") && !slices.Equal(g, w) {
					t.Errorf("%q: %s → %s: got %v, want %v as from the server", shape, encoded(t, old), encoded(t, new), g, w)
				}
				if slices.Contains(kinds(want), "Invalid type") && !slices.Contains(kinds(got), "Invalid type") {
					t.Errorf("%q: %s → %s: only the server reports %v", shape, encoded(t, old), encoded(t, new), want)
				}
			}
		}
	}
}
