package apiserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// large returns a CRD of about 900 KB of YAML: nested objects with descriptions, and some
// rules, some of which repeat.
func large(t testing.TB, seed int) *crd {
	var tree func(depth int) props
	count := 0
	tree = func(depth int) props {
		count++
		s := props{Type: "object", Description: strings.Repeat("What this is for. ", 8), Properties: map[string]props{}}
		if depth == 0 {
			return props{Type: "string", Description: s.Description}
		}
		for i := range 8 {
			s.Properties[fmt.Sprintf("field%d", i)] = tree(depth - 1)
		}
		if count%97 == 0 {
			s.XValidations = append(s.XValidations, rule("!has(self.field1) || has(self.field2)"))
		}
		if count%1009 == 0 {
			s.XValidations = append(s.XValidations, rule(fmt.Sprintf("!has(self.field3) || has(self.field%d)", seed%8)))
		}
		return s
	}
	return withProps(t, tree(4))
}

func BenchmarkCheck(b *testing.B) {
	var crds []*crd
	size := 0
	for seed := range 5 {
		crds = append(crds, large(b, seed))
		text, err := json.Marshal(crds[seed])
		if err != nil {
			b.Fatal(err)
		}
		size += len(text)
	}
	b.SetBytes(int64(size / len(crds)))
	b.ReportAllocs()
	target, n := target(b, DefaultVersion), 0
	for b.Loop() {
		report, err := target.Check(context.Background(), crds[n%len(crds)], nil)
		if err != nil || len(report.Findings) > 0 {
			b.Fatal(report.Findings, err)
		}
		n++
	}
}

// BenchmarkServer measures the server's own validation.
func BenchmarkServer(b *testing.B) {
	given := large(b, 0)
	b.ReportAllocs()
	for b.Loop() {
		in, err := internal(given)
		if err != nil {
			b.Fatal(err)
		}
		addStoredVersion(in)
		if errs := serverErrors(context.Background(), in, nil); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
