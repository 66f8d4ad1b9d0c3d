package configgen_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// planted are markers with one mistake each, which « precedes, and a part of the diagnostic
// that is expected there.
var planted = []struct{ marker, want string }{
	{`rbac:groups=apps,«resource=deployments,verbs=get`, "error[SG301] did you mean resources?"},
	{`rbac:groups=apps,resources=deployments,verbs=get,«list`, "error[SG301] verbs=get;list"},
	{`rbac:groups=apps,resources=deployments «verbs=get`, "error[SG936] a comma is missing before verbs"},
	{`rbac:groups=apps «resources=deployments,verbs=get`, "error[SG936] a comma is missing before resources"},
	{`rbac:groups=apps,resources=deployments,resourceNames=a «namespace=b,verbs=get`, "warning[SG936] a comma is missing before namespace"},
	{`rbac:groups=apps,resources=deployments,verbs=get;«lsit`, "warning[SG936] did you mean list?"},
	{`rbac:groups=apps,resources=deployments,verbs=get;«Watch`, "warning[SG936] did you mean watch?"},
	{`rbac:groups=apps,resources=deployments,verbs=«put`, "warning[SG936] did you mean update?"},
	{`rbac:urls=/metrics,verbs=«gett`, "warning[SG936] did you mean get?"},
	{`rbac:groups=apps,resources=deployments,verbs=«"get;list"`, "warning[SG936] write verbs=get;list"},
	{`rbac:groups=apps,resources=«deployments statefulsets,verbs=get`, "warning[SG936] contains a blank"},
	{`rbac:groups=apps,«verbs=get,resources=deployments,verbs=list`, "warning[SG936] overrides"},
	{`rbac:groups=«apps/v1,resources=deployments,verbs=get`, "warning[SG936] write apps"},
	{`rbac:groups=apps,resources=«Deployment,verbs=get`, "warning[SG936] not in lower case"},
	{`rbac:urls=«metrics,verbs=get`, "warning[SG936] write /metrics"},
	{`«rbac:groups=apps,verbs=get`, "error[SG935] no resources"},
	{`«rbac:resources=deployments,verbs=get`, "error[SG935] no group"},
	{`rbac:groups=apps,resources=deployments,urls=«/metrics,verbs=get`, "error[SG935] resources and URLs"},
	{`rbac:urls=«/metrics,namespace=system,verbs=get`, "error[SG935] remove namespace"},
	{`rbac:groups=apps,resources=deployments,namespace=«My_NS,verbs=get`, "error[SG935] not a namespace"},
	{`rbac:groups=apps,resources=deployments,roleName=«a/b,verbs=get`, "error[SG935] the role name"},
	{`rbac:groups=apps,resources=deployments,roleName=«A_b,verbs=get`, "warning[SG936] not a DNS name"},
	{`rbac:groups=apps,resources=deployments,«verbs=`, "error[SG935] no verbs"},
	{`webhook:path=/validate-a,mutating=«no,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG301] true or false"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=«fial,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] did you mean Fail?"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=«Nnoe,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] did you mean None?"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create;«updaet,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] did you mean update?"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create;«patch,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] a patch is an update"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=«widgets,admissionReviewVersions=v1`, "error[SG934] three parts"},
	{`webhook:path=«validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] write path=/validate-a"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=«a/v1,name=a.b.c,admissionReviewVersions=v1`, "warning[SG936] write v1"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=«create;*,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] write * alone"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=*;«b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] part of *"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=«v2`, "error[SG934] write admissionReviewVersions=v1"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,timeoutSeconds=«60,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] from 1 to 30"},
	{`webhook:url=«"http://a.b/c",mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG934] https"},
	{`webhook:path=/validate-a,mutating=true,failurePolicy=fail,sideEffects=None,reinvocationPolicy=«IfNeded,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "warning[SG936] did you mean IfNeeded?"},
	{`webhook:path=/validate-a «mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG936] a comma is missing before mutating"},
	{`webhook:path=/validate-a,mutating=false,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,«update,versions=v1,name=a.b.c,admissionReviewVersions=v1`, "error[SG301] verbs=create;update"},
	{`«webhookconfiguration:mutating=true,name=My_Hooks`, "error[SG934] not the name of a configuration"},
}

// misplaced are markers with other mistakes: their position, or no plus sign.
var misplaced = []string{
	"package a\n\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\nfunc f() {}\n",
	"package a\n\n// kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n\nfunc f() {}\n",
	"package a\n\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\ntype T struct{}\n",
	"package a\n\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list\nvar v int\n",
}

// TestFixes applies the fix of each diagnostic, after which there is none.
func TestFixes(t *testing.T) {
	var sources []string
	for _, mistake := range planted {
		sources = append(sources, "package a\n\n// +kubebuilder:"+strings.Replace(mistake.marker, "«", "", 1)+"\n\nfunc f() {}\n")
	}
	sources = append(sources, misplaced...)
	var fixed []string
	for i, findings := range findingsOf(t, sources) {
		if len(findings) > 0 && len(findings[0].Fixes) > 0 {
			fixed = append(fixed, apply(sources[i], findings[0].Fixes[0].Edits[0]))
		}
	}
	if len(fixed) < 15 {
		t.Errorf("only %d mistakes have a fix", len(fixed))
	}
	for i, findings := range findingsOf(t, fixed) {
		if len(findings) > 0 {
			t.Errorf("after the fix: %v\n%s", findings, fixed[i])
		}
	}
}

// apply returns a source with an edit.
func apply(source string, edit diag.Edit) string {
	offset := func(p diag.Position) int {
		lines := strings.SplitAfter(source, "\n")
		return len(strings.Join(lines[:p.Line-1], "")) + p.Column - 1
	}
	return source[:offset(edit.Pos)] + edit.New + source[offset(edit.End):]
}

// findingsOf returns the findings of both generators for files of packages of their own.
func findingsOf(t *testing.T, sources []string) (out []diag.List) {
	t.Helper()
	var cases []*gentest.Case
	for i, source := range sources {
		cases = append(cases, &gentest.Case{Name: fmt.Sprintf("planted%d", i), Archive: &txtar.Archive{Files: []txtar.File{{Name: "a/a.go", Data: []byte(source)}}}})
	}
	dir, listed := gentest.List(t, cases)
	g := generators{rbac: ctrbac.Generator{RoleName: "manager-role"}}
	for _, c := range cases {
		_, findings := g.run(t, dir, gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name})
		out = append(out, findings)
	}
	return out
}

// TestPlantedMistakes plants one mistake in each package, and expects one diagnostic, at its
// position.
func TestPlantedMistakes(t *testing.T) {
	var sources []string
	for _, mistake := range planted {
		sources = append(sources, "package a\n\n// +kubebuilder:"+strings.Replace(mistake.marker, "«", "", 1)+"\n\nfunc f() {}\n")
	}
	for i, findings := range findingsOf(t, sources) {
		mistake := planted[i]
		column := len("// +kubebuilder:") + strings.Index(mistake.marker, "«") + 1
		if strings.HasPrefix(mistake.marker, "«") {
			column = len("// +")
		}
		if len(findings) != 1 {
			t.Errorf("%s: %d diagnostics: %v", mistake.marker, len(findings), findings)
			continue
		}
		d := findings[0]
		code, text, _ := strings.Cut(mistake.want, " ")
		if d.Pos.Line != 3 || d.Pos.Column != column || fmt.Sprintf("%s[%s]", d.Severity, d.Code) != code || !strings.Contains(d.Message+"\n"+d.Hint, text) {
			t.Errorf("%s: got column %d, want %d: %v", mistake.marker, d.Pos.Column, column, d)
		}
	}
}
