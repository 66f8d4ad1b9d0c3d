package webhook

import (
	"net/url"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// hook is a finished webhook, mutating or validating, with its marker.
type hook struct {
	configgen.Marker
	arguments []configgen.Argument
	mutating  bool
	name      string
	rules     []admissionv1.RuleWithOperations
	client    admissionv1.WebhookClientConfig

	failurePolicy  *admissionv1.FailurePolicyType
	matchPolicy    *admissionv1.MatchPolicyType
	sideEffects    string
	timeout        *int32
	reviewVersions []string
	// reinvocation is the policy of a mutating webhook.
	reinvocation *admissionv1.ReinvocationPolicyType
	// patched has the selectors and match conditions, which only a patch can set.
	patched admissionv1.ValidatingWebhook
}

// text returns the value of a pointer to a string, which may be nil.
func text[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// find returns an argument of the marker, or nil.
func (h *hook) find(name string) *configgen.Argument { return configgen.Find(h.arguments, name) }

// checker checks one webhook, as the API server does (pkg/apis/admissionregistration/validation
// of Kubernetes).
type checker struct {
	*configgen.Reader
	*hook
}

// reject reports that the API server rejects the value of an argument.
func (c *checker) reject(argument, hint, format string, args ...any) *diag.Diagnostic {
	a := c.find(argument)
	if a == nil {
		a = c.find("patch") // it sets other fields
	}
	return c.Reject(configgen.InvalidWebhook, c.Marker, a, hint, format, args...)
}

// meant adds to a diagnostic the fix that replaces the only value of an argument.
func (c *checker) meant(d *diag.Diagnostic, argument, text string) {
	if a := c.find(argument); a != nil && len(a.Values) == 1 {
		c.Meant(d, a.Values[0], text)
	}
}

// word reports a value that is not one of the permitted ones.
func (c *checker) word(argument, value string, permitted ...string) {
	if slices.Contains(permitted, value) {
		return
	}
	one := "write " + strings.Join(permitted, " or ")
	if value == "" {
		c.reject(argument, one, "%s has no value", argument)
		return
	}
	d := c.reject(argument, words.DidYouMean(value, permitted, one), "%s cannot be %q", argument, value)
	if nearest, ok := words.Nearest(value, permitted); ok {
		c.meant(d, argument, nearest)
	}
}

// checkRequired reports what controller-tools rejects, too.
func (c *checker) checkRequired() {
	sideEffects := c.sideEffects
	if a := c.find("sideEffects"); sideEffects == "" && a != nil && len(a.Values) > 0 && !strings.HasPrefix(strings.ToLower(a.Values[0].Text), "none") {
		sideEffects = a.Values[0].Text // controller-tools ignores unknown values
	}
	c.word("sideEffects", sideEffects, "None", "NoneOnDryRun")
	if c.timeout != nil && (*c.timeout < 1 || *c.timeout > 30) {
		c.reject("timeoutSeconds", "write a number of seconds from 1 to 30", "timeoutSeconds cannot be %d", *c.timeout)
	}
	if len(c.reviewVersions) == 0 {
		c.reject("admissionReviewVersions", "write admissionReviewVersions=v1", "admissionReviewVersions has no value")
	}
}

// check reports what only the API server rejects.
func (c *checker) check() {
	c.checkName()
	if c.failurePolicy != nil {
		c.word("failurePolicy", string(*c.failurePolicy), "Fail", "Ignore")
	}
	if c.matchPolicy != nil {
		c.word("matchPolicy", string(*c.matchPolicy), "Exact", "Equivalent")
	}
	known := slices.ContainsFunc(c.reviewVersions, func(version string) bool { return version == "v1" || version == "v1beta1" })
	if !known && len(c.reviewVersions) > 0 {
		d := c.reject("admissionReviewVersions", "write admissionReviewVersions=v1", "none of the admissionReviewVersions is one of the API server's, v1 and v1beta1")
		c.meant(d, "admissionReviewVersions", "v1")
	}
	for i, version := range c.reviewVersions {
		if slices.Contains(c.reviewVersions[:i], version) {
			c.reject("admissionReviewVersions", "remove one of them", "admissionReviewVersions has %q twice", version)
		} else if problems := validation.IsDNS1035Label(version); len(problems) > 0 {
			c.reject("admissionReviewVersions", problems[0], "admissionReviewVersions cannot have %q", version)
		}
	}
	for _, rule := range c.rules {
		c.checkRule(rule)
	}
	c.checkClient()
	if c.reinvocation != nil {
		c.word("reinvocationPolicy", string(*c.reinvocation), "Never", "IfNeeded")
	}
}

func (c *checker) checkName() {
	if problems := validation.IsDNS1123Subdomain(c.name); len(problems) > 0 {
		c.reject("name", problems[0], "%q is not the name of a webhook", c.name)
	} else if strings.Count(c.name, ".") < 2 {
		c.reject("name", "write a name with at least two dots, as in "+strings.Trim(c.name, ".")+".example.com", "%q is not the name of a webhook: it needs three parts", c.name)
	}
}

// checkRule checks the lists of a rule.
func (c *checker) checkRule(rule admissionv1.RuleWithOperations) {
	var verbs []string
	for _, operation := range rule.Operations {
		verbs = append(verbs, string(operation))
	}
	for _, list := range []struct {
		argument string
		values   []string
		core     bool // an empty value is valid
	}{{"groups", rule.APIGroups, true}, {"versions", rule.APIVersions, false}, {"resources", rule.Resources, false}, {"verbs", verbs, false}} {
		switch {
		case len(list.values) == 0 && list.argument == "groups":
			c.reject(list.argument, `write groups=…, for the core group groups=""`, "the webhook has no groups")
		case len(list.values) == 0:
			c.reject(list.argument, "write "+list.argument+"=…, or "+list.argument+"=* for all", "the webhook has no %s", list.argument)
		case !list.core && slices.Contains(list.values, ""):
			c.reject(list.argument, "", "%s has an empty value", list.argument)
		case list.argument != "resources" && len(list.values) > 1 && slices.Contains(list.values, "*"):
			c.reject(list.argument, "write * alone", "%s has * and other values", list.argument)
		}
	}
	for _, verb := range verbs {
		c.operation(verb)
	}
	if rule.Scope != nil {
		c.word("scope", string(*rule.Scope), "*", "Cluster", "Namespaced")
	}
	c.resources(rule.Resources)
}

// operation checks an operation, which is written in lower case in the marker.
func (c *checker) operation(verb string) {
	operations := []string{"create", "update", "delete", "connect", "*"}
	if verb == "" || slices.Contains(operations, strings.ToLower(verb)) {
		return
	}
	hint := words.DidYouMean(strings.ToLower(verb), operations, "write create, update, delete, connect or *")
	nearest, _ := words.Nearest(strings.ToLower(verb), operations)
	if verb := strings.ToLower(verb); verb == "patch" {
		nearest = "update"
		hint = "a patch is an update"
	}
	if v, ok := c.find("verbs").ValueOf(verb); ok {
		c.Meant(c.RejectValue(configgen.InvalidWebhook, c.Marker, v, hint, "%q is not an operation", verb), v, nearest)
		return
	}
	c.reject("verbs", hint, "%q is not an operation", verb)
}

// resources checks that no resource is part of another.
func (c *checker) resources(list []string) {
	if len(list) < 2 {
		return
	}
	reject := func(value, format string, args ...any) {
		v, ok := c.find("resources").ValueOf(value)
		if !ok {
			c.reject("resources", "", format, args...)
			return
		}
		c.RejectValue(configgen.InvalidWebhook, c.Marker, v, "", format, args...)
	}
	for _, value := range list {
		resource, sub, ok := strings.Cut(value, "/")
		switch {
		case value == "*/*":
			reject(value, "resources has */* and other values")
		case !ok && value != "*" && slices.Contains(list, "*"):
			reject(value, "%s is part of *, which the same webhook has", value)
		case ok && sub != "*" && slices.Contains(list, resource+"/*"), ok && resource != "*" && slices.Contains(list, "*/"+sub):
			reject(value, "%s is part of another resource of the webhook", value)
		}
	}
}

// checkClient checks where the webhook is served.
func (c *checker) checkClient() {
	switch {
	case (c.client.Service == nil) == (c.client.URL == nil):
		c.reject("patch", "leave either the service or the url", "the webhook needs either a service or a url")
	case c.client.Service != nil:
		if c.client.Service.Name == "" || c.client.Service.Namespace == "" {
			c.reject("patch", "leave its name and namespace", "the service has no name or no namespace")
		}
		c.checkPath(text(c.client.Service.Path))
		if port := c.client.Service.Port; port != nil && len(validation.IsValidPortNum(int(*port))) > 0 {
			c.reject("servicePort", "write a port from 1 to 65535", "servicePort cannot be %d", *port)
		}
	case c.client.URL != nil:
		parsed, err := url.Parse(*c.client.URL)
		const hint = "write a URL like https://example.com/path"
		switch {
		case err != nil || parsed.Scheme != "https" || parsed.Host == "":
			c.reject("url", hint, "%q is not the URL of a webhook: it needs https and a host", *c.client.URL)
		case parsed.User != nil || parsed.Fragment != "" || parsed.RawQuery != "":
			c.reject("url", hint, "%q is not the URL of a webhook: it has a user, query or fragment", *c.client.URL)
		}
	}
}

// checkPath checks a path of the service (ValidateWebhookService of k8s.io/apiserver).
func (c *checker) checkPath(path string) {
	if path == "" || path == "/" {
		return
	}
	if !strings.HasPrefix(path, "/") {
		c.meant(c.reject("path", "write path=/"+path, "the path %q does not begin with a slash", path), "path", "/"+path)
		return
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(path[1:], "/"), "/") {
		if part == "" {
			c.reject("path", "", "the path %q has an empty part", path)
		} else if problems := validation.IsDNS1123Subdomain(part); len(problems) > 0 {
			c.reject("path", problems[0], "the path %q has an invalid part, %q", path, part)
		} else {
			continue
		}
		return
	}
}

// makeable reports arguments of which controller-tools makes no webhook, and returns whether
// there are none. It reports the rest itself.
func (c *checker) makeable(config webhook.Config) bool {
	start := len(c.Report.List)
	for _, version := range config.WebhookVersions {
		if version != admissionv1.SchemeGroupVersion.Version {
			c.reject("webhookVersions", "write v1, or leave it out", "webhookVersions cannot be %q", version)
			break
		}
	}
	switch {
	case config.Path != "" && config.URL != "":
		c.reject("url", "remove one of them", "the webhook has a path and a url")
	case config.Path == "" && config.URL == "":
		c.reject("path", "write path=… or url=…", "the webhook has neither a path nor a url")
	}
	if config.MatchPolicy != "" && !strings.EqualFold(config.MatchPolicy, "Exact") && !strings.EqualFold(config.MatchPolicy, "Equivalent") {
		c.word("matchPolicy", config.MatchPolicy, "Exact", "Equivalent")
	}
	return len(c.Report.List) == start
}

// suspicious reports values that match nothing, or have no effect.
func (c *checker) suspicious() {
	for _, v := range c.find("groups").List() {
		c.APIGroup(c.Marker, v)
	}
	for _, v := range c.find("versions").List() {
		if group, version, ok := strings.Cut(v.Text, "/"); ok {
			c.Suspect(c.Marker, v, version, "write "+version, "the version %q has a group, %s", v.Text, group)
		}
	}
	if a := c.find("reinvocationPolicy"); a != nil && len(a.Values) > 0 {
		c.reinvocationPolicy(a.Values[0])
	}
}

// reinvocationPolicy checks the value of an argument that is ignored if it is unknown.
func (c *checker) reinvocationPolicy(v configgen.Value) {
	policies := []string{"Never", "IfNeeded"}
	switch {
	case !c.mutating:
		c.Suspect(c.Marker, v, "", "remove it", "reinvocationPolicy has no effect on a validating webhook")
	case !slices.ContainsFunc(policies, func(policy string) bool { return strings.EqualFold(policy, v.Text) }):
		nearest, _ := words.Nearest(v.Text, policies)
		c.Suspect(c.Marker, v, nearest, words.DidYouMean(v.Text, policies, "write Never or IfNeeded"), "reinvocationPolicy cannot be %q, and is ignored", v.Text)
	}
}
