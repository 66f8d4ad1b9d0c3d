package verify

import (
	"fmt"
	"strings"
	"testing"
)

// TestLargestParts verifies a definition that is too large, with few large parts and many small ones. The
// hint has at most one line for each version, with flags of no command that wrote the file.
func TestLargestParts(t *testing.T) {
	description := strings.Repeat("word ", 20_000)
	var small strings.Builder
	for i := range 400 {
		fmt.Fprintf(&small, "\n      small%d: {type: string}", i)
	}
	schema := `type: object
description: a widget
properties:
  spec:
    type: object
    properties:
      template:
        type: object
        properties:
          containers:
            type: array
            items:
              type: object
              description: "` + description + `"
              properties:
                name: {type: string, description: "` + description + `"}
      labels:
        type: object
        additionalProperties: {type: string, description: "` + description + `"}` + small.String()
	found, _ := verifyText(t, manifestOf(schema))
	if len(found) != 1 || found[0].Code != tooLarge.Code {
		t.Fatalf("got %v", found)
	}
	const want = "where it is generated, drop or shorten descriptions, which are 96 %, with maxDescLen or +schemagen:descriptions. Largest parts, in bytes:\n" +
		"\tv1: .spec.template.containers[] 200076, .spec.template.containers[].name 100042, .spec.labels{} 100034"
	if found[0].Hint != want {
		t.Errorf("got hint\n%s\nwant\n%s", found[0].Hint, want)
	}
}
