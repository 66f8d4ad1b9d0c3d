package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/schemas/compat"
	"github.com/schemagen/schemagen/structural"
)

// Wording selects whose rules a [Compatibility] follows.
type Wording int

// Wordings.
const (
	// ServerWording is what an API server does, in its words.
	ServerWording Wording = iota
	// ProposalWording is what the KEP "Structural Schemas" demands, in its words.
	ProposalWording
)

// Compatibility is what the API Compatibility Plan of the KEP "Structural Schemas" is about:
// the condition NonStructuralSchema of a definition, whether the definition is accepted, and
// which features are refused beside the condition. It is rendered as YAML or JSON.
type Compatibility struct {
	// Name is the name of the definition.
	Name string `json:"name" yaml:"name"`
	// Condition is the condition that a server sets, or nil if the definition gets none, or
	// loses the one that it had.
	Condition *Condition `json:"condition" yaml:"condition"`
	// Request is "create", or "update" if the definition replaces another one. Accepted
	// reports whether it succeeds, and Errors why not.
	Request  string   `json:"request" yaml:"request"`
	Accepted bool     `json:"accepted" yaml:"accepted"`
	Errors   []string `json:"errors,omitempty" yaml:"errors,omitempty"`
	// Features are what the plan reserves for structural schemas, if there is a condition.
	Features []Feature `json:"features,omitempty" yaml:"features,omitempty"`
}

// Condition is a condition as a server stores it, without the time.
type Condition struct {
	Type    string `json:"type" yaml:"type"`
	Status  string `json:"status" yaml:"status"`
	Reason  string `json:"reason" yaml:"reason"`
	Message string `json:"message" yaml:"message"`
}

// Feature is a feature that needs structural schemas.
type Feature struct {
	// Name is pruning, defaults, webhook conversion, or unions.
	Name string `json:"name" yaml:"name"`
	// Used reports whether the definition uses it, and Refused whether the same request with
	// the feature is refused. Errors has the errors that only the feature causes.
	Used    bool     `json:"used" yaml:"used"`
	Refused bool     `json:"refused" yaml:"refused"`
	Errors  []string `json:"errors,omitempty" yaml:"errors,omitempty"`
}

// Compatibility returns the result of the plan for a definition, as an update if it has an
// old one. The answers in the server's wording come from its own validation, which is run once for
// each feature.
func (v *Verifier) Compatibility(ctx context.Context, s *crd.Definition, wording Wording) (*Compatibility, error) {
	s, err := v.completed(s)
	if err == nil && wording != ServerWording && wording != ProposalWording {
		err = fmt.Errorf("unknown wording %d: use ServerWording or ProposalWording", wording)
	}
	if err != nil {
		return nil, err
	}
	object := s.CRD
	if object == nil {
		object = s.Build()
	}
	out := &Compatibility{Name: object.Name, Request: "create", Condition: conditionOf(object, s, wording)}
	if s.Old != nil {
		out.Request = "update"
	}
	requests := v.serverRequests
	if wording == ProposalWording {
		requests = proposalRequests
	}
	request, features, err := requests(ctx, object, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", object.Name, err)
	}
	out.Errors, err = request(noFeature)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", object.Name, err)
	}
	out.Accepted = len(out.Errors) == 0
	if out.Condition == nil {
		return out, nil
	}
	for _, f := range []feature{pruning, defaults, webhookConversion, unionsKeyword} {
		errors, err := request(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", object.Name, err)
		}
		refused := len(errors) > 0
		added := slices.DeleteFunc(errors, func(text string) bool { return !features[f] && slices.Contains(out.Errors, text) })
		out.Features = append(out.Features,
			Feature{Name: string(f), Used: features[f], Refused: refused, Errors: shortList(added)})
	}
	return out, nil
}

// feature is a feature that needs structural schemas.
type feature string

const (
	noFeature         feature = ""
	pruning           feature = "pruning"
	defaults          feature = "defaults"
	webhookConversion feature = "webhook conversion"
	unionsKeyword     feature = "unions"
)

// request returns the errors of a request whose definition also uses a feature.
type request func(feature) ([]string, error)

// shortList abbreviates a list of errors: pruning a schema repeats all of its violations.
func shortList(errors []string) []string {
	const most = 3
	if len(errors) <= most {
		return errors
	}
	return append(slices.Clone(errors[:most]), fmt.Sprintf("… and %d more", len(errors)-most))
}

// conditionOf returns the condition of a definition.
func conditionOf(object *apiextensionsv1.CustomResourceDefinition, s *crd.Definition, wording Wording) *Condition {
	checked := checkedVersions(object, s)
	condition := structural.NonStructuralSchema(object.Spec.PreserveUnknownFields, checked)
	if condition == nil {
		return nil
	}
	out := &Condition{string(condition.Type), string(condition.Status), condition.Reason, condition.Message}
	if wording == ProposalWording && condition.Status == apiextensionsv1.ConditionTrue {
		out.Message = structural.ProposedMessage(object.Spec.PreserveUnknownFields, checked)
	}
	return out
}

// checkedVersions checks the schemas of a definition.
func checkedVersions(object *apiextensionsv1.CustomResourceDefinition, s *crd.Definition) []structural.CheckedVersion {
	out := make([]structural.CheckedVersion, len(object.Spec.Versions))
	for i, v := range object.Spec.Versions {
		out[i].Name = v.Name
		if i < len(s.Schemas) && s.Schemas[i] != nil {
			out[i].Violations = structural.Check(s.Schemas[i])
		}
		if i < len(s.Unsupported) {
			out[i].Unsupported = s.Unsupported[i]
		}
	}
	return out
}

// useOf returns the features that a definition uses.
func useOf(object *apiextensionsv1.CustomResourceDefinition, s *crd.Definition) compat.Use {
	use := compat.UseOf(s.Schemas)
	for _, unsupported := range s.Unsupported {
		use.Structural = use.Structural && len(unsupported) == 0
	}
	use.Pruning = !object.Spec.PreserveUnknownFields
	use.Webhook = object.Spec.Conversion != nil && object.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
	return use
}

// featuresOf returns the features in use.
func featuresOf(use compat.Use) map[feature]bool {
	return map[feature]bool{pruning: use.Pruning, defaults: use.Defaults, webhookConversion: use.Webhook,
		unionsKeyword: use.Unions}
}

// proposalRequests answers by the rules of the KEP.
func proposalRequests(_ context.Context, object *apiextensionsv1.CustomResourceDefinition,
	s *crd.Definition) (request, map[feature]bool, error) {
	now := useOf(object, s)
	var oldUse *compat.Use
	if s.Old != nil {
		old, err := (&crd.Definition{CRD: s.Old}).Completed()
		if err != nil {
			return nil, nil, err
		}
		use := useOf(s.Old, old)
		oldUse = &use
	}
	return func(f feature) ([]string, error) {
		use := now
		use.Pruning = use.Pruning || f == pruning
		use.Defaults = use.Defaults || f == defaults
		use.Webhook = use.Webhook || f == webhookConversion
		use.Unions = use.Unions || f == unionsKeyword
		var out []string
		for _, rejection := range compat.Check(oldUse, use) {
			if f == noFeature || isAbout(rejection, f) {
				out = append(out, rejection.String())
			}
		}
		return out, nil
	}, featuresOf(now), nil
}

// isAbout reports whether a rejection names a feature.
func isAbout(r compat.Rejection, f feature) bool {
	return map[feature]bool{
		pruning:           r.Field == "spec.preserveUnknownFields",
		defaults:          strings.Contains(r.Detail, "defaults"),
		webhookConversion: r.Field == "spec.conversion.strategy",
		unionsKeyword:     strings.Contains(r.Detail, "x-kubernetes-unions"),
	}[f]
}

// serverRequests answers with the server's validation.
func (v *Verifier) serverRequests(ctx context.Context, object *apiextensionsv1.CustomResourceDefinition,
	s *crd.Definition) (request, map[feature]bool, error) {
	return func(f feature) ([]string, error) {
		if f == unionsKeyword { // whatever the schema, no server knows the keyword
			return []string{fmt.Sprintf("strict decoding error: unknown field %q", schemaPath(0)+".x-kubernetes-unions")}, nil
		}
		changed := object.DeepCopy()
		use(changed, f)
		var found []apiserver.Finding
		var err error
		if s.Old != nil {
			found, err = v.target.ValidateUpdate(ctx, changed, s.Old)
		} else {
			found, err = v.target.ValidateCreate(ctx, changed)
		}
		if err != nil {
			return nil, err
		}
		var out []string
		for _, f := range found {
			if !f.Warning {
				out = append(out, shorten(f.String()))
			}
		}
		slices.Sort(out)
		return slices.Compact(out), nil
	}, featuresOf(useOf(object, s)), nil
}

// use makes a definition use a feature.
func use(object *apiextensionsv1.CustomResourceDefinition, f feature) {
	switch f {
	case pruning:
		object.Spec.PreserveUnknownFields = false
	case webhookConversion:
		if c := object.Spec.Conversion; c == nil || c.Strategy != apiextensionsv1.WebhookConverter {
			url := "https://localhost/convert"
			object.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
				ClientConfig: &apiextensionsv1.WebhookClientConfig{URL: &url}, ConversionReviewVersions: []string{"v1"},
			}}
		}
	case defaults:
		for i := range object.Spec.Versions {
			if v := &object.Spec.Versions[i]; v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
				withDefault(v.Schema.OpenAPIV3Schema)
				return
			}
		}
	}
}

// withDefault adds a property with a default to the root of a schema.
func withDefault(schema *apiextensionsv1.JSONSchemaProps) {
	properties := map[string]apiextensionsv1.JSONSchemaProps{}
	for name, p := range schema.Properties {
		properties[name] = p
	}
	name := "default"
	for ; ; name += "0" {
		if _, taken := properties[name]; !taken {
			break
		}
	}
	properties[name] = apiextensionsv1.JSONSchemaProps{Type: "boolean", Default: &apiextensionsv1.JSON{Raw: []byte("true")}}
	schema.Properties = properties
}

// ratcheted warns about a definition that the server accepts only because the schema that it
// replaces is not structural either.
func (c *checks) ratcheted() {
	if c.Old == nil || slices.ContainsFunc(c.list,
		func(r result) bool { return r.Code == rejectedByServer.Code && r.Severity == diag.Error }) {
		return
	}
	condition := conditionOf(c.CRD, c.Definition, ServerWording)
	if condition == nil {
		return
	}
	path := "spec.preserveUnknownFields"
	for i, version := range checkedVersions(c.CRD, c.Definition) {
		if len(version.Violations) > 0 {
			path = schemaPath(i) + version.Violations[0].Path.String()
			break
		}
	}
	c.add(nonStructural, path, "pruning, defaults and webhook conversion are refused until it is structural; see schemagen verify --condition",
		"the API server accepts this only because the old definition is not structural either, and sets the condition %s=%s, %s: %s",
		condition.Type, condition.Status, condition.Reason, shorten(condition.Message))
}
