package typegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/types/typegen"
)

// TestLongMarker refuses an enum that needs a longer marker than there may be, with the reason.
func TestLongMarker(t *testing.T) {
	var values []string
	for i := range 4000 {
		values = append(values, fmt.Sprintf(`"value%d"`, i))
	}
	spec := `{"type":"object","properties":{"mode":{"type":"string","enum":[` + strings.Join(values, ",") + `]}}}`
	text := strings.Replace(definitionsOf(version{"one.io", "Job", "v1", "{}"}), "spec: {type: object, properties: {}}", "spec: "+spec, 1)
	result, found, err := moduleOf(t).Generate(t.Context(), read(t, "crd.yaml", []byte(text)), typegen.Options{Dir: root(t), Output: "api"})
	if err != nil || result != nil || len(found) != 1 {
		t.Fatal(result, found, err)
	}
	if want := "longer than 32768 bytes"; found[0].Code != "SG411" || !strings.Contains(found[0].Message, want) {
		t.Errorf("got %s: %s, want SG411: …%s", found[0].Code, found[0].Message, want)
	}
}
