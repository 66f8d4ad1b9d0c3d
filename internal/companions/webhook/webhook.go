package webhook

import (
	"cmp"
	"context"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Options configure [Generate].
type Options struct {
	// Generator has the options of controller-tools' generator.
	Generator webhook.Generator
	// SkipVerify leaves out what only the API server rejects.
	SkipVerify bool
	// Server checks what only patches set. If it is nil, nothing does.
	Server Server
	// Kinds are the kinds of the run. There are none if it does not generate CRDs.
	Kinds configgen.Kinds
}

// Server is the API server. Package verify implements it.
type Server interface {
	// CheckWebhook returns the server's errors about the selectors and match conditions of a
	// webhook, with paths in the webhook.
	CheckWebhook(hook *admissionv1.ValidatingWebhook) field.ErrorList
}

// Generate generates the configurations for the markers of the root packages. There are no
// files if a diagnostic is an error, or if the program reports a file with markers that
// cannot be parsed. The error is a [source.Unsure] if the files depend on an order of the
// packages that is not known.
func Generate(ctx context.Context, p *source.Program, roots []*source.Package,
	options Options) ([]source.Output, diag.List, error) {
	r := configgen.NewReader(p, markers.TableOf(webhook.ConfigDefinition, webhook.WebhookConfigDefinition))
	g := &run{Reader: r, options: options}
	packages, err := g.inOrder(r.Packages(roots), roots)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range packages {
		g.configurations(p)
		g.webhooks(p)
	}
	if !options.SkipVerify {
		g.repeated()
	}
	g.shared()
	// As in controller-gen, the header file must exist even if nothing is written.
	header := r.Header(options.Generator.HeaderFile, options.Generator.Year)
	objects := g.objects()
	findings := r.Report.List.Normalize()
	if len(objects) == 0 || r.Failed() {
		return nil, findings, ctx.Err()
	}
	file, err := configgen.Write("manifests.yaml", header, objects)
	if err != nil {
		return nil, nil, err
	}
	return []source.Output{file}, findings, ctx.Err()
}

// run is the state of one run.
type run struct {
	*configgen.Reader
	options Options
	hooks   []*hook
	// mutatingName and validatingName are the names of the configurations; empty for the
	// default.
	mutatingName, validatingName string
	mutating                     []admissionv1.MutatingWebhook
	validating                   []admissionv1.ValidatingWebhook
}

// inOrder returns the packages as controller-gen processes them, if that matters: for the names
// of configurations, of which the last one counts, and for webhooks of the same name, which
// are errors unless verification is skipped.
func (g *run) inOrder(packages []configgen.Package, roots []*source.Package) ([]configgen.Package, error) {
	type key struct {
		mutating, configuration bool
		name                    string // empty for a configuration
	}
	seen := map[key]int{} // the index of a package
	shared := false
	for i, p := range packages {
		for _, m := range p.Markers {
			var k key
			switch value := m.Value.(type) {
			case webhook.WebhookConfig:
				k = key{value.Mutating, true, ""}
			case webhook.Config:
				if !g.options.SkipVerify {
					continue
				}
				k = key{value.Mutating, false, value.Name}
			}
			if other, ok := seen[k]; ok && other != i {
				shared = true
			}
			seen[k] = i
		}
	}
	if !shared {
		return packages, nil
	}
	ordered, ok := g.Program.InOrder(roots)
	if !ok {
		return nil, source.Unsuref("several packages have webhooks or configurations of the same name, and the order in which controller-gen loads them is not known")
	}
	location := func(p configgen.Package) int { return slices.Index(ordered, p.Package) }
	slices.SortStableFunc(packages, func(a, b configgen.Package) int { return location(a) - location(b) })
	return packages, nil
}

// configurations takes the names of the configurations from the markers of a package. Those
// of the last package count.
func (g *run) configurations(p configgen.Package) {
	first := map[bool]configgen.Marker{} // by mutating
	for _, m := range p.Markers {
		value, ok := m.Value.(webhook.WebhookConfig)
		if !ok {
			continue
		}
		if earlier, ok := first[value.Mutating]; ok {
			d := g.reject(m, "the package has two +%s markers with mutating=%t", m.Name, value.Mutating)
			d.Related = append(d.Related, diag.Related{Pos: g.Position(earlier), Message: "the other one"})
			continue
		}
		first[value.Mutating] = m
		if problems := validation.IsDNS1123Subdomain(value.Name); value.Name != "" && len(problems) > 0 && !g.options.SkipVerify {
			g.reject(m, "%q is not the name of a configuration: %s", value.Name, problems[0])
		}
		if value.Mutating {
			g.mutatingName = value.Name
		} else {
			g.validatingName = value.Name
		}
	}
}

// reject reports that no valid webhook can be made of a marker.
func (g *run) reject(m configgen.Marker, format string, args ...any) *diag.Diagnostic {
	return g.Report.Report(configgen.InvalidWebhook, m.File.Pkg.At(m.Pos), "", format, args...)
}

// webhooks adds the webhooks of a package, in the order of their names.
func (g *run) webhooks(p configgen.Package) {
	found := slices.DeleteFunc(slices.Clone(p.Markers), func(m configgen.Marker) bool {
		_, ok := m.Value.(webhook.Config)
		return !ok
	})
	slices.SortStableFunc(found, func(a, b configgen.Marker) int {
		return strings.Compare(a.Value.(webhook.Config).Name, b.Value.(webhook.Config).Name)
	})
	for _, m := range found {
		g.webhook(m)
	}
}

// webhook adds the webhook of a marker, and checks it.
func (g *run) webhook(m configgen.Marker) {
	config := m.Value.(webhook.Config)
	config.Groups = slices.Clone(config.Groups) // it replaces core
	arguments, _ := configgen.Arguments(webhook.ConfigDefinition, m.Comment)
	start := len(g.Report.List)
	sound := g.Shape(webhook.ConfigDefinition, m, arguments)
	shaped := len(g.Report.List)
	c := &checker{g.Reader, &hook{Marker: m, arguments: arguments, mutating: config.Mutating}}
	if c.makeable(config) {
		if err := g.add(config, c.hook); err != nil {
			c.reject("patch", "", "%s", strings.TrimPrefix(err.Error(), "failed to apply patch: "))
		} else {
			c.checkRequired()
			if !g.options.SkipVerify {
				c.check()
				c.checkPatched(g.options.Server)
			}
		}
	}
	switch {
	case sound:
		c.suspicious()
		c.checkKinds(g.options.Kinds)
	case len(g.Report.List) > shaped:
		// What else is wrong is a consequence of the missing comma.
		g.Report.List = g.Report.List[:shaped]
		g.Report.List[start].Severity = diag.Error
	}
}

// add makes the webhook of a marker, and fills in h.
func (g *run) add(config webhook.Config, h *hook) error {
	if config.Mutating {
		made, err := config.ToMutatingWebhook()
		if err != nil {
			return err
		}
		g.mutating = append(g.mutating, made)
		h.name = made.Name
		h.rules = made.Rules
		h.client = made.ClientConfig
		h.timeout = made.TimeoutSeconds
		h.reviewVersions = made.AdmissionReviewVersions
		h.failurePolicy = made.FailurePolicy
		h.matchPolicy = made.MatchPolicy
		h.sideEffects = text(made.SideEffects)
		h.reinvocation = made.ReinvocationPolicy
		h.patched = admissionv1.ValidatingWebhook{
			NamespaceSelector: made.NamespaceSelector, ObjectSelector: made.ObjectSelector, MatchConditions: made.MatchConditions,
		}
	} else {
		made, err := config.ToValidatingWebhook()
		if err != nil {
			return err
		}
		g.validating = append(g.validating, made)
		h.name = made.Name
		h.rules = made.Rules
		h.client = made.ClientConfig
		h.timeout = made.TimeoutSeconds
		h.reviewVersions = made.AdmissionReviewVersions
		h.failurePolicy = made.FailurePolicy
		h.matchPolicy = made.MatchPolicy
		h.sideEffects = text(made.SideEffects)
		h.patched = made
	}
	g.hooks = append(g.hooks, h)
	return nil
}

// repeated reports webhooks with the name of an earlier one, which the API server rejects.
func (g *run) repeated() {
	type key struct {
		mutating bool
		name     string
	}
	first := map[key]*hook{}
	for _, h := range g.hooks {
		earlier, ok := first[key{h.mutating, h.name}]
		if !ok {
			first[key{h.mutating, h.name}] = h
			continue
		}
		c := &checker{g.Reader, h}
		d := c.reject("name", "give each webhook a name of its own", "another webhook has the name %s", h.name)
		d.Related = append(d.Related, diag.Related{Pos: g.Position(earlier.Marker), Message: "the other one"})
	}
}

// objects returns the configurations that have webhooks.
func (g *run) objects() (out []any) {
	version := admissionv1.SchemeGroupVersion.String()
	if len(g.mutating) > 0 {
		// Not stable, as in controller-tools, whose bytes depend on it.
		slices.SortFunc(g.mutating, func(a, b admissionv1.MutatingWebhook) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, &admissionv1.MutatingWebhookConfiguration{
			TypeMeta:   metav1.TypeMeta{Kind: "MutatingWebhookConfiguration", APIVersion: version},
			ObjectMeta: metav1.ObjectMeta{Name: cmp.Or(g.mutatingName, "mutating-webhook-configuration")},
			Webhooks:   g.mutating,
		})
	}
	if len(g.validating) > 0 {
		slices.SortFunc(g.validating, func(a, b admissionv1.ValidatingWebhook) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, &admissionv1.ValidatingWebhookConfiguration{
			TypeMeta:   metav1.TypeMeta{Kind: "ValidatingWebhookConfiguration", APIVersion: version},
			ObjectMeta: metav1.ObjectMeta{Name: cmp.Or(g.validatingName, "validating-webhook-configuration")},
			Webhooks:   g.validating,
		})
	}
	return out
}
