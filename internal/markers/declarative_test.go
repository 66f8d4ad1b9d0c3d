package markers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "regenerate the files in testdata")

const tagsFile = "testdata/declarative-tags.txt"

// TestDeclarativeTags compares our table with the tags of validation-gen, as listed by its
// own documentation output. -update regenerates the list.
func TestDeclarativeTags(t *testing.T) {
	if *update {
		writeTags(t)
	}
	data, err := os.ReadFile(tagsFile)
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{} // scopes by name
	for line := range strings.Lines(string(data)) {
		name, scopes, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.Contains(name, "=") {
			listed[name] = scopes
		}
	}
	if len(listed) < 40 {
		t.Fatalf("got %d tags, want at least 40", len(listed))
	}
	tags := table(t).declarative
	for name, scopes := range listed {
		tag, ok := tags[name]
		if !ok {
			t.Errorf("+%s has no row", name)
			continue
		}
		for scope, target := range map[string]Target{"struct fields": Field, "type definitions": Type} {
			if has := slices.Contains(tag.targets, target); has != strings.Contains(scopes, scope) {
				t.Errorf("+%s on %s: got %t, want %t as in validation-gen", name, scope, has, !has)
			}
		}
	}
	for name := range tags {
		if _, ok := listed[name]; !ok {
			t.Errorf("+%s is not a tag of validation-gen", name)
		}
	}
	for _, name := range strings.Fields(`minimum maximum minLength maxLength maxBytes minItems maxItems minProperties maxProperties format enum unique
		eachVal eachKey item subfield immutable required optional forbidden listType listMapKey update dependentRequired dependentForbidden neq monotonic`) {
		if tag := tags["k8s:"+name]; tag == nil || tag.unsupported != "" {
			t.Errorf("+k8s:%s is not supported", name)
		}
	}
}

// writeTags runs the pinned validation-gen for its documentation and stores the names of tags
// with their scopes, and of the values that a tag lists.
func writeTags(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "tool", "-modfile=../../tools/go.mod", "validation-gen", "--docs").Output()
	if err != nil {
		t.Fatal(err)
	}
	var docs []struct {
		Tag      string
		Scopes   []string
		Payloads []struct{ Description string }
	}
	if err := json.Unmarshal(out, &docs); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, tag := range docs {
		fmt.Fprintf(&text, "%s: %s\n", tag.Tag, strings.Join(tag.Scopes, ", "))
		for _, payload := range tag.Payloads {
			if !strings.HasPrefix(payload.Description, "<") {
				fmt.Fprintf(&text, "%s=%s\n", tag.Tag, payload.Description)
			}
		}
	}
	if err := os.WriteFile(tagsFile, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
