package rbac

import (
	"cmp"
	"context"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Options configure [Generate].
type Options struct {
	// Generator has the options of controller-tools' generator.
	Generator rbac.Generator
	// SkipVerify leaves out what only the API server rejects.
	SkipVerify bool
	// Kinds are the kinds of the run. There are none if it does not generate CRDs.
	Kinds configgen.Kinds
}

// Generate generates the roles for the markers of the root packages. There are no files if a
// diagnostic is an error, or if the program reports a file with markers that cannot be parsed.
func Generate(ctx context.Context, p *source.Program, roots []*source.Package,
	options Options) ([]source.Output, diag.List, error) {
	r := configgen.NewReader(p, markers.TableOf(rbac.RuleDefinition))
	packages := r.Packages(roots)
	roles := rolesOf(packages, options.Generator.RoleName)
	c := &checker{r, options, map[string]*rule{}}
	c.packages(packages)
	var objects []any
	for _, role := range roles {
		objects = append(objects, role.object())
	}
	header := ""
	if len(objects) > 0 {
		header = r.Header(options.Generator.HeaderFile, options.Generator.Year)
	}
	findings := r.Report.List.Normalize()
	if len(objects) == 0 || r.Failed() {
		return nil, findings, ctx.Err()
	}
	file, err := configgen.Write(cmp.Or(options.Generator.FileName, "role.yaml"), header, objects)
	if err != nil {
		return nil, nil, err
	}
	return []source.Output{file}, findings, ctx.Err()
}

// role is a ClusterRole, or a Role if it has a namespace.
type role struct {
	namespace, name string
	rules           []*rule
}

// rolesOf returns the roles for the markers, sorted by namespace, then name. defaultName is
// the name for markers without roleName.
func rolesOf(packages []configgen.Package, defaultName string) []*role {
	var out []*role
	for _, p := range packages {
		for _, m := range p.Markers {
			value := m.Value.(rbac.Rule)
			namespace := value.Namespace
			name := cmp.Or(value.RoleName, defaultName)
			i := slices.IndexFunc(out, func(r *role) bool { return r.namespace == namespace && r.name == name })
			if i < 0 {
				i = len(out)
				out = append(out, &role{namespace: namespace, name: name})
			}
			out[i].rules = append(out[i].rules, rulesOf(value)...)
		}
	}
	slices.SortFunc(out, func(a, b *role) int {
		return cmp.Or(strings.Compare(a.namespace, b.namespace), strings.Compare(a.name, b.name))
	})
	return out
}

// object returns the role as the API server knows it.
func (r *role) object() any {
	var rules []rbacv1.PolicyRule
	for _, rule := range merge(r.rules) {
		rules = append(rules, rule.policy())
	}
	version := rbacv1.SchemeGroupVersion.String()
	if r.namespace == "" {
		return rbacv1.ClusterRole{
			TypeMeta:   metav1.TypeMeta{Kind: "ClusterRole", APIVersion: version},
			ObjectMeta: metav1.ObjectMeta{Name: r.name},
			Rules:      rules,
		}
	}
	return rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{Kind: "Role", APIVersion: version},
		ObjectMeta: metav1.ObjectMeta{Name: r.name, Namespace: r.namespace},
		Rules:      rules,
	}
}
