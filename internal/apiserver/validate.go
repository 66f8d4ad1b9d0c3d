package apiserver

import (
	"context"
	"errors"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/api/validate/content"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// Report contains all findings and rules of a CRD.
type Report struct {
	Findings []Finding
	Rules    []Rule
}

// ValidateCreate returns the server's errors and warnings for the creation of a decoded
// CRD. Unlike the server, it returns warnings even if there are errors. It returns an error
// if the context ended or the server's code failed. The CRD is not changed.
func (t *Target) ValidateCreate(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) ([]Finding, error) {
	c, err := t.check(ctx, crd, nil)
	return c.findings, err
}

// ValidateUpdate is like ValidateCreate for an update of the old CRD, which counts as
// established if it has no conditions. Metadata that only the server writes is taken from
// the old CRD, as with kubectl apply.
func (t *Target) ValidateUpdate(ctx context.Context, crd, old *apiextensionsv1.CustomResourceDefinition) ([]Finding, error) {
	if old == nil {
		return nil, errors.New("no old CustomResourceDefinition")
	}
	c, err := t.check(ctx, crd, old)
	return c.findings, err
}

// Check combines ValidateCreate, or ValidateUpdate if old is not nil, with Rules.
func (t *Target) Check(ctx context.Context, crd, old *apiextensionsv1.CustomResourceDefinition) (Report, error) {
	c, err := t.check(ctx, crd, old)
	if err != nil || c.request == nil {
		return Report{Findings: c.findings}, err
	}
	rules, err := t.rules(ctx, c.request, c.schemas)
	if err != nil {
		return Report{}, err
	}
	return Report{Findings: c.findings, Rules: rules}, nil
}

// checked is the result of [Target.check]. The request is nil if the CRD cannot be decoded.
type checked struct {
	findings []Finding
	request  *request
	schemas  []*compiledSchema
}

func (t *Target) check(ctx context.Context, crd, old *apiextensionsv1.CustomResourceDefinition) (checked, error) {
	if err := ctx.Err(); err != nil {
		return checked{}, err
	}
	r, rejection, err := t.newRequest(crd, old)
	if err != nil {
		return checked{}, err
	}
	if rejection != nil {
		return checked{findings: []Finding{*rejection}}, nil
	}
	answer, panics, err := t.answerWithoutPanics(ctx, r)
	if err != nil {
		return checked{}, err
	}
	schemas, err := t.compileRules(ctx, r, answer)
	if untyped := r.removeUntyped(err); len(untyped) > 0 {
		answer, panics, err = t.answerWithoutPanics(ctx, r)
		if err != nil {
			return checked{}, err
		}
		panics = append(panics, untyped...)
		schemas, err = t.compileRules(ctx, r, answer)
	}
	if err != nil {
		return checked{}, err
	}
	findings := append(r.findings(answer.errs), panics...)
	for _, s := range schemas {
		findings = append(findings, r.findings(s.errors(t.suppressesCost(r, s.ruleSchema)))...)
		if s.tooDeep() {
			findings = append(findings, r.tooDeep(s.ruleSchema))
		}
	}
	findings = append(findings, t.warnings(r)...)
	findings = append(findings, t.versionFindings(r)...)
	return checked{sortFindings(findings), r, schemas}, nil
}

// answer is the result of the server's validation without CEL.
type answer struct {
	errs field.ErrorList
	// skipped are the schemas whose rules the server does not evaluate.
	skipped []*ruleSchema
	// blocked are paths with an error at or below them: the server does not evaluate the
	// rules of these nodes.
	blocked map[string]bool
}

// answer validates a CRD without the CEL of its rules.
func (t *Target) answer(ctx context.Context, r *request) (out answer, err error) {
	err = guard(func() error {
		if slices.ContainsFunc(r.schemas, (*ruleSchema).tooDeep) {
			// The server's errors about the rules remain unknown. Validate without the
			// rules.
			out.errs = t.filterForVersion(serverErrors(ctx, r.with(noRules), r.old))
			out.skipped = r.schemas
			return ctx.Err()
		}
		errs, whole, err := r.quickErrors(ctx)
		if whole || err != nil {
			out.errs = t.filterForVersion(errs)
			return err
		}
		errs = serverErrors(ctx, r.crd, r.old)
		if err := ctx.Err(); err != nil {
			return err
		}
		out.errs = t.filterForVersion(slices.DeleteFunc(errs, isCELError))
		return t.findBlocked(ctx, r, &out)
	})
	return out, err
}

// quickErrors validates the CRD with empty rules. whole reports whether these are all of
// the server's errors except CEL errors: the schemas with rules have no errors, and no
// error quotes one.
func (r *request) quickErrors(ctx context.Context) (errs field.ErrorList, whole bool, err error) {
	if slices.ContainsFunc(r.surveys, func(s survey) bool { return s.needsFullRun }) {
		return nil, false, nil
	}
	errs = slices.DeleteFunc(serverErrors(ctx, r.with(blankRules), r.old), isBlankRule)
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	for _, s := range r.schemas {
		root := s.root.path.String()
		if slices.ContainsFunc(errs, func(e *field.Error) bool { return touches(e.Field, root) }) {
			return nil, false, nil
		}
		if passes, err := r.target.defaultsPass(ctx, s); err != nil || !passes {
			return nil, false, err
		}
	}
	return errs, true, nil
}

// touches reports whether one path is equal to or below the other.
func touches(a, b string) bool {
	_, isChild := cutStep(a, b)
	_, isParent := cutStep(b, a)
	return isChild || isParent
}

// serverErrors runs the server's own validation, for updates including the generic
// validation of metadata.
func serverErrors(ctx context.Context, crd, old *apiextensions.CustomResourceDefinition) field.ErrorList {
	if old == nil {
		return validation.ValidateCustomResourceDefinition(ctx, crd)
	}
	errs := genericvalidation.ValidateObjectMetaAccessor(crd, false, isPathSegment, field.NewPath("metadata"))
	return append(errs, validation.ValidateCustomResourceDefinitionUpdate(ctx, crd, old)...)
}

// isPathSegment is the server's requirement for names of all kinds (validatePathSegment of
// k8s.io/apiserver/pkg/registry/rest).
func isPathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// filterForVersion removes errors that the target does not report yet.
func (t *Target) filterForVersion(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return t.Before(caBundleMinor) && e.Field == "spec.conversion.webhookClientConfig.caBundle" ||
			t.Before(numberFormatMinor) && numberFormatError().MatchString(e.Detail)
	})
}

// numberFormatError matches the server's errors about numbers and bounds outside the range
// of their type and format (IsValueValidAgainstRange of k8s.io/kube-openapi).
var numberFormatError = lazyregexp.New(`^(Checked|MultipleOf|Maximum boundary|Minimum boundary) value must be of type (integer|number) `)

// isBlankRule reports whether the error is about an empty rule.
func isBlankRule(e *field.Error) bool {
	return e.Type == field.ErrorTypeRequired && e.Detail == "rule is not specified" && strings.HasSuffix(e.Field, "].rule")
}

// defaultsPass reports whether the defaults to which rules apply are valid. The server
// evaluates the rules with everything that it supports, regardless of the target. Pruning
// of defaults was validated with empty rules.
func (t *Target) defaultsPass(ctx context.Context, s *ruleSchema) (bool, error) {
	if !s.underDefault || t.rulesHold(ctx, s) {
		return true, ctx.Err()
	}
	structural, err := structuralschema.NewStructural(s.root.schema)
	if err != nil {
		return false, nil
	}
	if !hasNestedRules(structural) {
		removeUnreached(structural, nil)
	}
	errs, err := defaulting.ValidateDefaults(ctx, s.root.path, structural, true, false)
	return err == nil && len(errs) == 0, ctx.Err()
}

// findBlocked determines which rules the server does not evaluate: all rules of a schema
// that is not structural or has invalid defaults; otherwise those above an error, unless
// the error is only found at the root.
func (t *Target) findBlocked(ctx context.Context, r *request, a *answer) error {
	for _, s := range r.schemas {
		root := s.root.path.String()
		within := func(e *field.Error) bool {
			_, ok := cutStep(e.Field, root)
			return ok
		}
		structural, err := structuralschema.NewStructural(s.root.schema)
		if err == nil {
			wrong := structuralschema.ValidateStructural(nil, structural)
			if len(wrong) == 0 {
				wrong, err = defaulting.ValidateDefaults(ctx, s.root.path, structural, true, false)
				wrong = t.filterForVersion(wrong)
			}
			if len(wrong) == 0 && err == nil &&
				!slices.ContainsFunc(a.errs, func(e *field.Error) bool { return within(e) && isUnpruned(e) }) {
				for _, e := range a.errs {
					if within(e) && !isRootError(e, root) {
						a.block(inspectedPath(e))
					}
				}
				continue
			}
		}
		a.skipped = append(a.skipped, s)
	}
	return ctx.Err()
}

// inspectedPath returns the path that the server was validating when it found an error. It
// finds some errors of lists in their items and keys.
func inspectedPath(e *field.Error) string {
	for _, words := range []string{
		"must be atomic as item of a list with x-kubernetes-list-type=set",
		"must be object if parent array's x-kubernetes-list-type is map",
		"must be a scalar type if parent array's x-kubernetes-list-type is map",
		"cannot be nullable when x-kubernetes-list-type is ",
		"this property is in x-kubernetes-list-map-keys, ",
	} {
		if !strings.HasPrefix(e.Detail, words) {
			continue
		}
		offset := strings.LastIndex(e.Field, ".items.properties[")
		if offset < 0 || !strings.Contains(words, "scalar") && !strings.Contains(words, "this property") {
			offset = strings.LastIndex(e.Field, ".items.")
		}
		if offset >= 0 {
			return e.Field[:offset]
		}
	}
	return e.Field
}

// isUnpruned reports whether the error is about a default with fields that its schema does
// not have.
func isUnpruned(e *field.Error) bool {
	return e.Detail == "must not have unknown fields" && strings.HasSuffix(e.Field, ".default")
}

// isRootError reports whether the server finds the error at the root of a schema before it
// validates the nodes.
func isRootError(e *field.Error, root string) bool {
	switch e.Field {
	case root:
		return true
	case root + ".type":
		return strings.HasPrefix(e.Detail, `only "object" is allowed`)
	case root + ".nullable":
		return e.Detail == "nullable cannot be true at the root"
	}
	return false
}

// block records an error at a path.
func (a *answer) block(path string) {
	if a.blocked == nil {
		a.blocked = map[string]bool{}
	}
	for i := range path {
		if path[i] == '.' || path[i] == '[' {
			a.blocked[path[:i]] = true
		}
	}
	a.blocked[path] = true
}

// blocks reports whether the server does not evaluate the rules of a node.
func (a answer) blocks(s *ruleSchema, n *node) bool {
	return slices.Contains(a.skipped, s) || len(a.blocked) > 0 && a.blocked[n.path.String()]
}
