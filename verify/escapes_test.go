package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// escapedNames are names of properties, most of which rules have to escape.
var escapedNames = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
	"namespace", "return", "var", "void", "while", "a-b", "a.b", "a/b", "a__b", "__x", "x-y.z/a", "in-a", "a-in", "a$b", "1a", "a@b",
	"name", "size", "int", "string", "type", "a_b", "inside",
}

// escapedForms are rules that read the property N.
var escapedForms = []string{
	"self.N == 'x'",
	"'self.N' != 'x' && self.N != 'y'",
	"has(self.N)",
	"!has(self.N) || self.N != 'x'",
	"size(self.N) > 1",
	"self.sub.N.startsWith('x')",
	"self.sub\n  .N == 'x'",
	"self.list.exists(e, e.N == 'x')",
	"self.list[0].N == 'x'",
	"[self.sub][0].N == 'x'",
	"oldSelf.N == 'x' || self.sub.N == 'x'",
}

// escapedManifest returns a CRD with a rule about properties of a name.
func escapedManifest(name, rule, message string) string {
	properties := fmt.Sprintf("{%q: {type: string, maxLength: 5}, other: {type: string}}", name)
	extra := ""
	if message != "" {
		extra = fmt.Sprintf(", messageExpression: %q", message)
	}
	return manifestOf(fmt.Sprintf("type: object\nproperties:\n  spec:\n    type: object\n    x-kubernetes-validations: [{rule: %q%s}]\n    properties:\n"+
		"      %q: {type: string, maxLength: 5}\n      sub: {type: object, properties: %s}\n      list: {type: array, maxItems: 3, items: {type: object, properties: %s}}", rule, extra, name, properties, properties))
}

// TestEscapes writes names of properties in rules as they are, for several versions of Kubernetes. Where the
// server refuses the rule, the hint is how to write the name, or that rules cannot refer to it, and the rule with
// the escaped name is accepted.
func TestEscapes(t *testing.T) {
	counts := map[string]int{}
	versions := apiserver.Versions()
	for i, version := range versions {
		for _, name := range escapedNames {
			if few := []string{"namespace", "in", "a-b", "1a", "size"}; i > 0 && i < len(versions)-1 && !slices.Contains(few, name) {
				continue // the others differ in the same way
			}
			escaped, ok := apiservercel.Escape(name)
			for _, form := range escapedForms {
				for _, isMessage := range []bool{false, true} {
					manifest := func(name, written string) string {
						expression := strings.ReplaceAll(form, "N", written)
						if isMessage {
							return escapedManifest(name, "true || self.sub.other == ''", "string("+expression+")")
						}
						return escapedManifest(name, expression, "")
					}
					cell := fmt.Sprintf("%s: %s, message %t, version %q", strings.ReplaceAll(form, "N", name), name, isMessage, version)
					rejection := compileError(t, version, manifest(name, name))
					switch {
					case rejection == nil:
						counts["accepted"]++
					case !ok:
						counts["impossible"]++
						if !strings.Contains(rejection.Hint, "rules cannot refer to property "+name) {
							t.Errorf("%s: got %v", cell, rejection)
						}
					case escaped == name:
						t.Errorf("%s: unexpected %v", cell, rejection)
					default:
						counts["escaped"]++
						if !strings.Contains(rejection.Hint, "."+escaped) {
							t.Errorf("%s: got hint %q", cell, rejection.Hint)
						}
						if after := compileError(t, version, manifest(name, escaped)); after != nil {
							t.Errorf("%s: with %s: %v", cell, escaped, after)
						}
					}
				}
			}
		}
	}
	t.Log(counts)
}

// compileError returns the error about an expression in a manifest that does not compile.
func compileError(t *testing.T, version, manifest string) *diag.Diagnostic {
	t.Helper()
	found, _ := verifyFor(t, version, manifest)
	i := slices.IndexFunc(found, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && strings.Contains(d.Message, "compilation failed")
	})
	if i < 0 {
		return nil
	}
	return &found[i]
}
