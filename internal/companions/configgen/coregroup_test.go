package configgen_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/yaml"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// groupForms are the forms of a marker's groups. The first three have no group.
var groupForms = []string{"", "groups=,", "groups={},", `groups="",`, "groups=core,", "groups=apps,"}

// A groupPair is two markers in order.
type groupPair struct{ first, second, otherResource, otherVerbs int }

func (p groupPair) source() string {
	resource := []string{"pods", "services"}[p.otherResource]
	verb := []string{"get", "list"}[p.otherVerbs]
	first := "// +kubebuilder:rbac:" + groupForms[p.first] + "resources=pods,verbs=get\n"
	second := "// +kubebuilder:rbac:" + groupForms[p.second] + "resources=" + resource + ",verbs=" + verb + "\n"
	return "package a\n\n" + first + second
}

// random reports whether controller-gen merges the rules in random order, so that the result
// has a group or not.
func (p groupPair) random() bool {
	isCore := func(form int) bool { return form == 3 || form == 4 }
	mixed := p.first < 3 && isCore(p.second) || isCore(p.first) && p.second < 3
	return mixed && p.otherResource == 1 && p.otherVerbs == 0
}

// lost reports whether a rule without a group becomes part of one for apps, and grants nothing.
func (p groupPair) lost() bool {
	const apps = 5
	mixed := p.first < 3 && p.second == apps || p.first == apps && p.second < 3
	return mixed && p.otherResource == 0 && p.otherVerbs == 0
}

// TestGroupless compares the roles of two markers, whose groups have every form, with
// controller-gen's. A marker is rejected if the role has a rule without groups, or lacks what
// the marker grants, and only then.
func TestGroupless(t *testing.T) {
	var pairs []groupPair
	var cases []*gentest.Case
	for i := range len(groupForms) * len(groupForms) * 4 {
		pair := groupPair{i / 4 % len(groupForms), i / 4 / len(groupForms), i % 2, i / 2 % 2}
		pairs = append(pairs, pair)
		cases = append(cases, &gentest.Case{Name: fmt.Sprintf("pair%d", i), Archive: &txtar.Archive{
			Files: []txtar.File{{Name: "a/a.go", Data: []byte(pair.source())}},
		}})
	}
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	checked := generators{rbac: ctrbac.Generator{RoleName: "manager-role"}}
	unchecked := checked
	unchecked.skipVerify = true
	for i, c := range cases {
		root := filepath.Join(dir, c.Name)
		lister := gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
		_, findings := checked.run(t, root, lister)
		files, _ := unchecked.run(t, root, lister)
		theirs := unchecked.peer(c, peer).Files["role.yaml"]
		rejects := slices.ContainsFunc(findings, func(d diag.Diagnostic) bool { return d.Code == configgen.InvalidRole.Code })
		switch {
		case pairs[i].random():
			if !rejects {
				t.Errorf("not rejected, though the role is random:\n%s", pairs[i].source())
			}
		case files["role.yaml"] != theirs:
			t.Errorf("%s%s", pairs[i].source(), gentest.Difference(theirs, files["role.yaml"]))
		case rejects != (hasGroupless(t, theirs) || pairs[i].lost()):
			t.Errorf("rejected: %t\n%s\n%s", rejects, pairs[i].source(), theirs)
		}
	}
}

// hasGroupless reports whether a role has a rule with resources but no group.
func hasGroupless(t *testing.T, text string) bool {
	t.Helper()
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal([]byte(text), &role); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return len(r.APIGroups) == 0 })
}
