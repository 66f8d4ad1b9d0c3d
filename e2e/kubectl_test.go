package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// caseCRD returns the expected definition of a case.
func caseCRD(t *testing.T, name string) CRD {
	t.Helper()
	wanted, _, err := CaseCRDs(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range wanted {
		if strings.HasPrefix(c.From, name+".txtar: ") {
			return c
		}
	}
	t.Fatalf("no case %s", name)
	return CRD{}
}

// installed creates a definition for the duration of a test.
func installed(t *testing.T, s *Server, crd CRD) {
	t.Helper()
	if _, err := s.CreateCRD(within(t), crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := afterwards()
		defer cancel()
		if err := s.DeleteCRD(ctx, crd.Name); err != nil {
			t.Error(err)
		}
		if err := s.WaitGone(ctx, crd.Name); err != nil {
			t.Error(err)
		}
	})
}

// rollout returns an object for the case union-served.
func rollout(name, strategy string) string {
	return `{"apiVersion": "example.com/v1", "kind": "Rollout", "metadata": {"name": "` + name + `", "namespace": "default"}, "spec": {"strategy": ` + strategy + `}}`
}

// A kubectlStep is a command, whether it fails, and its expected output.
type kubectlStep struct {
	name  string
	args  string // separated by spaces
	stdin string
	fails bool
	want  []string
	// not must not be in the output.
	not []string
}

const (
	canary    = `{"type": "Canary", "canary": {"percent": 10}}`
	swapped   = `{"type": "Canary", "blueGreen": {"service": "a"}}`
	recreate  = `{"type": "Recreate"}`
	required  = "spec.strategy.canary: Required value: must be specified when `type` is \"Canary\""
	forbidden = "spec.strategy.blueGreen: Forbidden: may only be specified when `type` is \"BlueGreen\""
)

// kubectlSteps returns steps to run in order on one server.
func kubectlSteps() []kubectlStep {
	explain := []string{"GROUP:      example.com", "KIND:       Rollout", "VERSION:    v1"}
	return []kubectlStep{
		{name: "explain", args: "explain rollouts.spec.strategy", want: append(explain,
			"FIELD: strategy <Object>", "Strategy says how.",
			"canary\t<Object>", "Canary first replaces a few.", "enum: BlueGreen, Canary, Recreate", "Type selects the member.", "-required-")},
		{name: "explain a field", args: "explain rollouts.spec.strategy.canary.percent", want: []string{"FIELD: percent <integer>", "Percent is the share"}},
		{name: "explain recursively", args: "explain rollouts --recursive", want: append(explain,
			"Rollout replaces what runs.", "strategy\t<Object> -required-", "percent\t<integer> -required-", "service\t<string> -required-", "outcome\t<Object>")},
		{name: "explain an unknown property", args: "explain rollouts.spec.nothing", fails: true, want: []string{`field "nothing" does not exist`}},

		{name: "create", args: "create --dry-run=server --validate=strict -f -", stdin: rollout("a", canary), want: []string{"rollout.example.com/a created (server dry run)"}},
		{name: "create what the union rejects", args: "create --dry-run=server --validate=strict -f -", stdin: rollout("a", swapped), fails: true, want: []string{required, forbidden}},
		{name: "create an empty member", args: "create --dry-run=server --validate=strict -f -", stdin: rollout("a", recreate), want: []string{"created (server dry run)"}},
		{name: "create with an unknown value", args: "create --dry-run=server --validate=strict -f -", stdin: rollout("a", `{"type": "Nothing", "canary": {"percent": 10}}`), fails: true,
			want: []string{`spec.strategy.type: Unsupported value: "Nothing": supported values: "BlueGreen", "Canary", "Recreate"`}, not: []string{"may only be specified"}},
		{name: "create with an unknown field", args: "create --dry-run=server --validate=strict -f -", stdin: rollout("a", `{"type": "Recreate", "nothing": 1}`), fails: true,
			want: []string{`unknown field "spec.strategy.nothing"`}},
		{name: "nothing was created", args: "get rollouts", want: []string{"No resources found"}},

		{name: "create for good", args: "create --validate=strict -f -", stdin: rollout("a", canary), want: []string{"rollout.example.com/a created"}},
		{name: "apply at the server", args: "apply --server-side -f -", stdin: rollout("b", recreate), want: []string{"rollout.example.com/b serverside-applied"}},
		{name: "columns", args: "get ro", want: []string{"NAME   STRATEGY   REPLICAS", "a      Canary", "b      Recreate"}},
		{name: "defaults", args: "get rollout a -o jsonpath={.spec.replicas}", want: []string{"1"}},

		{name: "status", args: "patch rollout a --subresource=status --type=merge -p -", stdin: `{"status":{"replicas":3,"selector":"app=a"}}`, want: []string{"rollout.example.com/a patched"}},
		{name: "status leaves the rest", args: "patch rollout a --subresource=status --type=merge -p -", stdin: `{"spec":{"replicas":9},"status":{"replicas":4}}`, want: []string{"patched"}},
		{name: "the rest leaves the status", args: "patch rollout a --type=merge -p -", stdin: `{"status":{"replicas":9}}`, want: []string{"patched (no change)"}},
		{name: "both are as they should be", args: "get rollout a -o jsonpath={.spec.replicas},{.status.replicas}", want: []string{"1,4"}},
		{name: "a union in status", args: "patch rollout a --subresource=status --type=merge -p -", stdin: `{"status":{"outcome":{"type":"Failed"}}}`, fails: true,
			want: []string{"status.outcome.failed: Required value: must be specified when `type` is \"Failed\""}},
		{name: "status in a column", args: "get rollout a --no-headers", want: []string{"a   Canary   4"}},

		{name: "scale", args: "scale rollout a --replicas=5", want: []string{"rollout.example.com/a scaled"}},
		{name: "scaled", args: "get rollout a -o jsonpath={.spec.replicas}", want: []string{"5"}},
		{name: "the scale subresource", args: "get rollout a --subresource=scale -o jsonpath={.spec.replicas},{.status.replicas},{.status.selector}", want: []string{"5,4,app=a"}},
		{name: "scale below what is allowed", args: "scale rollout a --replicas=-1", fails: true, want: []string{"COUNT must be greater than or equal to 0"}},

		{name: "another member", args: "patch rollout a --type=merge -p -", stdin: `{"spec":{"strategy":{"type":"BlueGreen","blueGreen":{"service":"a"}}}}`, fails: true,
			want: []string{"spec.strategy.canary: Forbidden: may only be specified when `type` is \"Canary\""}},
		{name: "another member alone", args: "patch rollout a --type=merge -p -", stdin: `{"spec":{"strategy":{"type":"BlueGreen","blueGreen":{"service":"a"},"canary":null}}}`, want: []string{"patched"}},
	}
}

// TestKubectl runs kubectl commands for a kind with unions.
func TestKubectl(t *testing.T) {
	part(t, "kubectl")
	s := cluster(t)
	installed(t, s, caseCRD(t, "union-served"))
	ctx := within(t)
	// The OpenAPI document that explain reads is updated a second later.
	for poll := (poller{}); ; {
		if _, err := s.Kubectl(ctx, "", "explain", "rollouts"); err == nil {
			break
		} else if late := poll.next(ctx); late != nil {
			t.Fatal(err)
		}
	}
	steps := kubectlSteps()
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			args := strings.Fields(step.args)
			stdin := step.stdin
			if at := len(args) - 1; args[at-1] == "-p" { // patch does not read standard input
				file := filepath.Join(t.TempDir(), "patch.json")
				if err := os.WriteFile(file, []byte(stdin), 0o600); err != nil {
					t.Fatal(err)
				}
				args, stdin = append(args[:at-1], "--patch-file", file), ""
			}
			out, err := s.Kubectl(ctx, stdin, args...)
			if (err != nil) != step.fails {
				t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
			}
			for _, want := range step.want {
				if !strings.Contains(folded(out), folded(want)) {
					t.Errorf("kubectl %s: want %q in the output, got\n%s", strings.Join(args, " "), want, out)
				}
			}
			for _, not := range step.not {
				if strings.Contains(folded(out), folded(not)) {
					t.Errorf("kubectl %s: unexpected %q in the output:\n%s", strings.Join(args, " "), not, out)
				}
			}
		})
	}
	suite.report.Count("kubectl commands on a kind with unions", len(steps))
}

// folded replaces each sequence of white space with a space, since kubectl wraps and aligns
// text.
func folded(text string) string { return strings.Join(strings.Fields(text), " ") }
