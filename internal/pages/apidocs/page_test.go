package apidocs

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/publish"
)

const trap = "</script><script>alert(1)</script><!-- {{.}} '\\u003c"

// TestPagePolicy checks that the page has one script and one style, the ones allowed by its
// policy, and that texts of definitions are only in its data.
func TestPagePolicy(t *testing.T) {
	kinds := []*explain.Documented{{
		Resource: &publish.Resource{Group: trap, Version: trap, Kind: trap, Plural: trap, ShortNames: []string{trap}},
		Versions: []explain.Version{{Name: trap, Warning: trap}},
		Field:    &fields.Field{Name: trap, Description: trap + " [x](javascript:alert)", Fields: []*fields.Field{{Name: trap, Default: trap, Example: trap, Member: trap, Enum: []fields.EnumValue{{Value: trap, Description: trap}}, Limits: []string{trap}}}},
		Examples: []explain.Example{{Title: trap, YAML: trap}},
	}}
	page, err := Page(trap, kinds)
	if err != nil {
		t.Fatal(err)
	}
	policy := html.UnescapeString(string(regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindSubmatch(page)[1]))
	elements := regexp.MustCompile(`(?s)<(script|style)( type="application/json" id="data")?>(.*?)</(script|style)>`).FindAllSubmatch(page, -1)
	if len(elements) != 3 {
		t.Fatalf("%d scripts and styles", len(elements))
	}
	for _, e := range elements {
		if len(e[2]) > 0 {
			continue
		}
		sum := sha256.Sum256(e[3])
		if want := string(e[1]) + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %s does not have %s", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none';") {
		t.Errorf("the policy is %s", policy)
	}
	if bytes.Contains(page, []byte("<script>alert")) {
		t.Error("a text became a script")
	}
	again, err := Page(trap, kinds)
	if err != nil || !bytes.Equal(page, again) {
		t.Errorf("the page differs from run to run: %v", err)
	}
}
