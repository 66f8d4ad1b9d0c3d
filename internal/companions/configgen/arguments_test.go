package configgen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"
	ctwebhook "sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/markers"
)

// TestArguments compares the values of random markers with those that controller-tools'
// parser returns, and the text at their positions.
func TestArguments(t *testing.T) {
	r := &randomSource{Rand: rand.New(rand.NewPCG(1, 18))}
	parsed := 0
	for range 5000 {
		text := r.rule()
		value, err := ctrbac.RuleDefinition.Parse(text)
		if err != nil {
			continue
		}
		parsed++
		rule := value.(ctrbac.Rule)
		arguments, _ := configgen.Arguments(ctrbac.RuleDefinition, markers.Comment{Text: text, Pos: 1})
		for name, want := range map[string][]string{"groups": rule.Groups, "resources": rule.Resources, "resourceNames": rule.ResourceNames, "verbs": rule.Verbs, "urls": rule.URLs} {
			compareValues(t, text, arguments, name, want)
		}
		compareValues(t, text, arguments, "namespace", []string{rule.Namespace})
		compareValues(t, text, arguments, "roleName", []string{rule.RoleName})

		text = r.webhook()
		if value, err = ctwebhook.ConfigDefinition.Parse(text); err != nil {
			continue
		}
		config := value.(ctwebhook.Config)
		arguments, _ = configgen.Arguments(ctwebhook.ConfigDefinition, markers.Comment{Text: text, Pos: 1})
		for name, want := range map[string][]string{"groups": config.Groups, "versions": config.Versions, "verbs": config.Verbs, "admissionReviewVersions": config.AdmissionReviewVersions} {
			compareValues(t, text, arguments, name, want)
		}
		for name, want := range map[string]string{"name": config.Name, "path": config.Path, "url": config.URL, "patch": config.Patch, "matchPolicy": config.MatchPolicy} {
			compareValues(t, text, arguments, name, []string{want})
		}
	}
	if parsed < 4000 {
		t.Errorf("only %d of 5000 markers can be parsed", parsed)
	}
}

func compareValues(t *testing.T, text string, arguments []configgen.Argument, name string, want []string) {
	t.Helper()
	a := configgen.Find(arguments, name)
	var got []string
	for _, v := range a.List() {
		got = append(got, v.Text)
		if written := text[v.Pos-1 : v.End-1]; !v.Quoted && written != v.Text || v.Quoted && written[1:len(written)-1] != v.Text {
			t.Errorf("%s: the value %q of %s is at %q", text, v.Text, name, written)
		}
	}
	if a == nil && len(want) == 1 && want[0] == "" {
		return // the argument has its zero value
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s is %q, controller-tools parses %q", text, name, got, want)
	}
}
