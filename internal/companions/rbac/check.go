package rbac

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
)

// checker reports what is wrong with the markers.
type checker struct {
	*configgen.Reader
	options Options
	// first has the first rule for each role and key, without regard to verbs. The verbs of
	// later rules are added to it.
	first map[string]*rule
}

// packages checks the markers of the packages.
func (c *checker) packages(all []configgen.Package) {
	for _, p := range all {
		for _, m := range p.Markers {
			c.marker(m)
		}
	}
	if len(all) > 0 {
		c.roleName(c.options.Generator.RoleName, func(kind *diag.Kind, hint, message string) {
			c.Report.Add(kind.At(diag.Position{}, hint, "%s", message))
		})
	}
}

// joinsCoreGroup reports whether a marker without groups only adds verbs to earlier rules, all
// of which have a group: it has the same key as the core group.
func (c *checker) joinsCoreGroup(m rbac.Rule) bool {
	for _, r := range rulesOf(m) {
		if len(c.firstOf(m, r).groups) == 0 {
			return false
		}
	}
	return true
}

// firstOf returns the rule of the same role that the verbs of a marker's rule are added to,
// which is the rule itself if there is none.
func (c *checker) firstOf(m rbac.Rule, r *rule) *rule {
	key := fmt.Sprintf("%q %q %s", m.Namespace, cmp.Or(m.RoleName, c.options.Generator.RoleName), r.keyWithout(verbs))
	if c.first[key] == nil {
		c.first[key] = r
	}
	return c.first[key]
}

// marker checks a marker.
func (c *checker) marker(m configgen.Marker) {
	for _, r := range rulesOf(m.Value.(rbac.Rule)) {
		c.firstOf(m.Value.(rbac.Rule), r)
	}
	arguments, _ := configgen.Arguments(rbac.RuleDefinition, m.Comment)
	start := len(c.Report.List)
	if !c.Shape(rbac.RuleDefinition, m, arguments) {
		// What else is wrong is a consequence of the missing comma.
		found := len(c.Report.List)
		c.rejected(m, m.Value.(rbac.Rule), arguments)
		if len(c.Report.List) > found {
			c.Report.List = c.Report.List[:found]
			c.Report.List[start].Severity = diag.Error
		}
		return
	}
	c.rejected(m, m.Value.(rbac.Rule), arguments)
	c.suspicious(m, arguments)
}

// rejected reports what the API server rejects (pkg/apis/rbac/validation of Kubernetes).
func (c *checker) rejected(marker configgen.Marker, rule rbac.Rule, arguments []configgen.Argument) {
	if c.options.SkipVerify {
		return
	}
	find := func(name string) *configgen.Argument { return configgen.Find(arguments, name) }
	reject := func(name, hint, format string, args ...any) {
		c.Reject(configgen.InvalidRole, marker, find(name), hint, format, args...)
	}
	if len(rule.Verbs) == 0 {
		reject("verbs", "write verbs=get;list, or verbs=* for all", "the rule has no verbs")
	}
	switch {
	case len(rule.URLs) > 0 && len(rule.Groups)+len(rule.Resources)+len(rule.ResourceNames) > 0:
		reject("urls", "write two markers, one with groups and resources, and one with urls", "the rule is about resources and URLs")
	case len(rule.URLs) > 0 && rule.Namespace != "":
		reject("urls", "remove namespace: only a ClusterRole has URLs", "the rule is about URLs, and part of a Role")
	case len(rule.URLs) > 0:
	case len(rule.Groups) == 0 && len(rule.Resources) == 0:
		reject("urls", "write groups and resources, or urls", "the rule has neither resources nor URLs")
	case len(rule.Groups) == 0 && c.joinsCoreGroup(rule):
		c.Reject(configgen.Suspicious, marker, find("groups"), `write groups=""`,
			"the rule has no group: it is in the core group only because an earlier marker is, with the same resources")
	case len(rule.Groups) == 0:
		reject("groups", `write groups=…, for the core group groups=""`, "the rule has resources but no group")
	case len(rule.Resources) == 0:
		reject("resources", "write resources=…, or resources=* for all", "the rule has a group but no resources")
	}
	if rule.Namespace != "" {
		if problems := validation.IsDNS1123Label(rule.Namespace); len(problems) > 0 {
			reject("namespace", problems[0], "%q is not a namespace", rule.Namespace)
		}
	}
	c.roleName(rule.RoleName, func(kind *diag.Kind, hint, message string) {
		c.Reject(kind, marker, find("roleName"), hint, "%s", message)
	})
}

// roleName checks the name of a role. The API server accepts more names than DNS does.
func (c *checker) roleName(name string, report func(kind *diag.Kind, hint, message string)) {
	if name == "" {
		return
	}
	if problems := content.IsPathSegmentName(name); len(problems) > 0 {
		report(configgen.InvalidRole, "a role name cannot be . or .., or contain / or %", "the role name \""+name+"\" "+problems[0])
		return
	}
	for part := range strings.SplitSeq(name, ":") {
		if problems := validation.IsDNS1123Subdomain(part); len(problems) > 0 {
			report(configgen.Suspicious, "use lower-case letters, digits, hyphens and dots", "the role name \""+name+"\" is not a DNS name")
			return
		}
	}
}

// resourceVerbs and urlVerbs are the verbs of the API server. Others exist, for example of
// aggregated servers.
func resourceVerbs() []string {
	return []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "impersonate", "escalate", "approve"}
}

func urlVerbs() []string {
	return []string{"get", "head", "post", "put", "patch", "delete", "options"}
}

// methods are the verbs that the API server makes of HTTP methods.
func methods() map[string]string {
	return map[string]string{"post": "create", "put": "update", "head": "get"}
}

// suspicious reports values that match nothing.
func (c *checker) suspicious(marker configgen.Marker, arguments []configgen.Argument) {
	known := resourceVerbs()
	what := "verb"
	aboutURLs := len(configgen.Find(arguments, "urls").List()) > 0
	if aboutURLs {
		known = urlVerbs()
		what = "verb for URLs"
	}
	for _, v := range configgen.Find(arguments, "verbs").List() {
		if slices.Contains(known, v.Text) || slices.Contains(resourceVerbs(), v.Text) {
			continue
		}
		if verb, ok := methods()[v.Text]; ok && !aboutURLs {
			c.Suspect(marker, v, verb, "did you mean "+verb+"?", "unknown verb %q: it is a method of HTTP", v.Text)
			continue
		}
		c.Unknown(marker, v, what, known)
	}
	c.nameless(marker, arguments)
	groups := configgen.Find(arguments, "groups").List()
	resources := configgen.Find(arguments, "resources").List()
	for _, v := range groups {
		c.APIGroup(marker, v)
	}
	if _, ok := c.options.Kinds.Resources(c.Reader, marker, groups, resources); !ok {
		for _, v := range resources {
			c.Resource(marker, v)
		}
	}
	for _, v := range configgen.Find(arguments, "urls").List() {
		if v.Text != "*" && !strings.HasPrefix(v.Text, "/") {
			c.Suspect(marker, v, "/"+v.Text, "write /"+v.Text, "the URL %q does not begin with a slash", v.Text)
		}
	}
}

// nameless reports verbs whose requests have no name, beside resourceNames. Requests that create an object of a
// subresource have the name of its object, and requests that list or watch may have one as field
// selector.
func (c *checker) nameless(m configgen.Marker, arguments []configgen.Argument) {
	if len(configgen.Find(arguments, "resourceNames").List()) == 0 {
		return
	}
	resources := configgen.Find(arguments, "resources").List()
	for _, v := range configgen.Find(arguments, "verbs").List() {
		hint := "write a second marker with " + v.Text + " and without resourceNames"
		switch v.Text {
		case "create":
			hint += "; beside them, create and patch allow only server-side apply to create the object"
		case "deletecollection":
		default:
			continue
		}
		i := slices.IndexFunc(resources, func(r configgen.Value) bool {
			return !strings.Contains(r.Text, "/") && (r.Text != "*" || v.Text != "create")
		})
		if i >= 0 {
			c.Suspect(m, v, "", hint, "%s requests for %s have no name, so with resourceNames the rule does not match them", v.Text, resources[i].Text)
		}
	}
}
