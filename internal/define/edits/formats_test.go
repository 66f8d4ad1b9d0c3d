package edits

import (
	"context"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	apioperation "k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/structural"
)

type stringValidator func(context.Context, apioperation.Operation, *field.Path, *string, *string) field.ErrorList

// validators returns the API server's validators for the formats.
func validators() map[string]stringValidator {
	return map[string]stringValidator{
		"k8s-extended-resource-name": validate.ExtendedResourceName[string],
		"k8s-label-key":              validate.LabelKey[string],
		"k8s-label-value":            validate.LabelValue[string],
		"k8s-long-name":              validate.LongName[string],
		//lint:ignore SA1019 the tag still has the format
		"k8s-long-name-caseless":            validate.LongNameCaseless[string],
		"k8s-path-segment-name":             validate.PathSegmentName[string],
		"k8s-prefixed-label-key":            validate.PrefixedLabelKey[string],
		"k8s-resource-fully-qualified-name": validate.ResourceFullyQualifiedName[string],
		"k8s-resource-pool-name":            validate.ResourcePoolName[string],
		"k8s-short-name":                    validate.ShortName[string],
		"k8s-uuid":                          validate.UUID[string],
	}
}

// TestFormatsAgreeWithServer compares the keywords of each format with the API server's own
// validators, on random strings of relevant characters.
func TestFormatsAgreeWithServer(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, validator := range validators() {
		format, ok := findFormat(name)
		if !ok {
			t.Errorf("no format %s", name)
			continue
		}
		var v structural.ValueValidation
		format.restrict(&v)
		accepted := 0
		for range 10000 {
			s := randomName(random)
			want := len(validator(t.Context(), apioperation.Operation{}, nil, &s, nil)) == 0
			if strings.Count(s, "/") > 1 && name == "k8s-resource-fully-qualified-name" {
				want = false // the server's validator ignores further parts
			}
			if want {
				accepted++
			}
			if got := accepts(&v, s); got != want {
				t.Errorf("%s %q: got %t, want %t as the server", name, s, got, want)
			}
		}
		if accepted < 5 {
			t.Errorf("%s: only %d strings accepted", name, accepted)
		}
	}
}

// randomName returns a random string that often has one of the formats, or nearly so.
func randomName(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	part := func() string {
		switch random.IntN(12) {
		case 0:
			return strings.Repeat("a", pickInt(random, 31, 32, 33, 62, 63, 64, 130, 244, 252, 253, 254))
		case 1:
			return pick("", "-", ".", "..", "...", "a%b", "_", "A", "a_B", "kubernetes.io", "requests.x", "example.com", "é", "a b", "x\n")
		case 2:
			return "0123abcd-0123-4567-89ab-0123456789a" + pick("b", "B", "", "bc", "g")
		}
		var out strings.Builder
		for range 1 + random.IntN(6) {
			out.WriteString(pick("a", "b", "0", "Z", "-", ".", "_", "a", "b", "c"))
		}
		return out.String()
	}
	s := part()
	for random.IntN(3) == 0 {
		s += pick("/", "/", ".", "") + part()
	}
	return s
}

func pickInt(random *rand.Rand, list ...int) int { return list[random.IntN(len(list))] }

// accepts reports whether the keywords accept a string.
func accepts(v *structural.ValueValidation, s string) bool {
	if v.Pattern != "" && !regexp.MustCompile(v.Pattern).MatchString(s) {
		return false
	}
	if v.MaxLength != nil && int64(utf8.RuneCountInString(s)) > *v.MaxLength {
		return false
	}
	for i := range v.AllOf {
		if !accepts(&v.AllOf[i].ValueValidation, s) {
			return false
		}
	}
	ok := v.AnyOf == nil
	for i := range v.AnyOf {
		ok = ok || accepts(&v.AnyOf[i].ValueValidation, s)
	}
	return ok && (v.Not == nil || !accepts(&v.Not.ValueValidation, s))
}

// TestFormatsAreComplete checks that every format documented by validation-gen is supported.
func TestFormatsAreComplete(t *testing.T) {
	data, err := os.ReadFile("../../markers/testdata/declarative-tags.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "k8s:format="); ok {
			n++
			if _, known := findFormat(name); !known {
				t.Errorf("no format %s", name)
			}
		}
	}
	if n != len(stringFormats()) {
		t.Errorf("%d formats are documented, but %d supported", n, len(stringFormats()))
	}
}
