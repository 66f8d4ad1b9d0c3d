package crdyaml

import (
	"encoding/json"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// TestEveryKeyword checks that each keyword is written as the library writes it, at the
// root of a schema and in a junctor.
func TestEveryKeyword(t *testing.T) {
	for k := range keywords.Table() {
		if k.Class == keywords.ClassUnsupported {
			continue
		}
		for _, text := range []string{`{"` + k.Name + `": ` + k.Example + `}`, `{"not": {"` + k.Name + `": ` + k.Example + `}}`} {
			var p apiextensionsv1.JSONSchemaProps
			if err := json.Unmarshal([]byte(text), &p); err != nil {
				t.Fatal(err)
			}
			s, _ := structural.FromProps(&p)
			c := testCRD(s)
			if compare(t, c) {
				t.Errorf("%s: fell back to the library", text)
			}
			if written, _, err := Append(nil, c); err != nil || !strings.Contains(string(written), " "+k.Name+":") {
				t.Errorf("%s was not written", text)
			}
		}
	}
}
