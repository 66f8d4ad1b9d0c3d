package apiserver

import (
	"context"
	"errors"
	"regexp"
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
)

// Report is all that a target says of a CRD.
type Report struct {
	Findings []Finding
	Rules    []Rule
}

// ValidateCreate returns what the server would answer to the creation of a
// decoded CRD: errors, or warnings. Warnings come with errors too, which the
// server leaves for later. An error means that the context ended or that the
// server's code failed. The CRD is not changed.
func (t *Target) ValidateCreate(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) ([]Finding, error) {
	report, err := t.check(ctx, crd, nil, false)
	return report.Findings, err
}

// ValidateUpdate is ValidateCreate for an update of the old CRD, which counts as
// established if it has no conditions. What only the server writes in the
// metadata is taken from it, as kubectl apply does.
func (t *Target) ValidateUpdate(ctx context.Context, crd, old *apiextensionsv1.CustomResourceDefinition) ([]Finding, error) {
	if old == nil {
		return nil, errors.New("no old CustomResourceDefinition")
	}
	report, err := t.check(ctx, crd, old, false)
	return report.Findings, err
}

// Check is ValidateCreate, or ValidateUpdate if old is not nil, and Rules in one
// go.
func (t *Target) Check(ctx context.Context, crd, old *apiextensionsv1.CustomResourceDefinition) (Report, error) {
	return t.check(ctx, crd, old, true)
}

func (t *Target) check(ctx context.Context, crd, old *apiextensionsv1.CustomResourceDefinition, withRules bool) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	r, refusal, err := t.newRequest(crd, old)
	if err != nil {
		return Report{}, err
	}
	if refusal != nil {
		return Report{Findings: []Finding{*refusal}}, nil
	}
	answer, panics, err := t.answerWithoutPanics(ctx, r)
	if err != nil {
		return Report{}, err
	}
	schemas, err := t.compileRules(ctx, r, answer)
	if untyped := r.leaveOutUntyped(err); len(untyped) > 0 {
		if answer, panics, err = t.answerWithoutPanics(ctx, r); err != nil {
			return Report{}, err
		}
		panics = append(panics, untyped...)
		schemas, err = t.compileRules(ctx, r, answer)
	}
	if err != nil {
		return Report{}, err
	}
	report := Report{Findings: append(r.find(answer.errs), panics...)}
	for _, s := range schemas {
		report.Findings = append(report.Findings, r.find(s.errors(t.suppressesCost(r, s.ruleSchema)))...)
		if s.tooDeep() {
			report.Findings = append(report.Findings, r.tooDeep(s.ruleSchema))
		}
	}
	report.Findings = append(report.Findings, t.warnings(r)...)
	report.Findings = append(report.Findings, t.versionFindings(r)...)
	report.Findings = sortFindings(report.Findings)
	if withRules {
		if report.Rules, err = t.rules(ctx, r, schemas); err != nil {
			return Report{}, err
		}
	}
	return report, nil
}

// answer is what the server says of all but the rules' CEL.
type answer struct {
	errs field.ErrorList
	// skipped are the schemas whose rules the server does not look at.
	skipped []*ruleSchema
	// spoiled are paths with an error at or below them: the server does not look at
	// the rules of nodes there.
	spoiled map[string]bool
}

// answer validates a CRD but for the CEL of its rules.
func (t *Target) answer(ctx context.Context, r *request) (out answer, err error) {
	err = guard(func() error {
		if slices.ContainsFunc(r.schemas, (*ruleSchema).tooDeep) {
			// What the server says of the rules will not be known. The rest is what it says
			// without them.
			out.errs, out.skipped = t.older(serverErrors(ctx, r.with(noRules), r.old)), r.schemas
			return ctx.Err()
		}
		errs, whole, err := r.quickErrors(ctx)
		if whole || err != nil {
			out.errs = t.older(errs)
			return err
		}
		errs = serverErrors(ctx, r.crd, r.old)
		if err := ctx.Err(); err != nil {
			return err
		}
		out.errs = t.older(slices.DeleteFunc(errs, isCELError))
		return t.findSpoiled(ctx, r, &out)
	})
	return out, err
}

// quickErrors validates the CRD with empty rules. whole reports whether the errors
// are all that the server says but for CEL: nothing is wrong with a schema that
// has rules, and no error quotes one.
func (r *request) quickErrors(ctx context.Context) (errs field.ErrorList, whole bool, err error) {
	if slices.ContainsFunc(r.surveys, func(s survey) bool { return s.odd }) {
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
		if passes, err := s.defaultsPass(ctx); err != nil || !passes {
			return nil, false, err
		}
	}
	return errs, true, nil
}

// touches reports whether one path lies at or below the other.
func touches(a, b string) bool {
	_, below := cutStep(a, b)
	_, above := cutStep(b, a)
	return below || above
}

// serverErrors is the server's own validation, and for updates what it validates
// of all kinds.
func serverErrors(ctx context.Context, crd, old *apiextensions.CustomResourceDefinition) field.ErrorList {
	if old == nil {
		return validation.ValidateCustomResourceDefinition(ctx, crd)
	}
	errs := genericvalidation.ValidateObjectMetaAccessor(crd, false, isPathSegment, field.NewPath("metadata"))
	return append(errs, validation.ValidateCustomResourceDefinitionUpdate(ctx, crd, old)...)
}

// isPathSegment is what the server asks of the names of all kinds (validatePathSegment of
// k8s.io/apiserver/pkg/registry/rest).
func isPathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// older leaves out errors that the target does not know yet.
func (t *Target) older(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(e *field.Error) bool {
		return t.Before(caBundleMinor) && e.Field == "spec.conversion.webhookClientConfig.caBundle" ||
			t.Before(numberFormatMinor) && numberFormatError.MatchString(e.Detail)
	})
}

// numberFormatError matches what the server says of a number, or of a bound, that is
// not within its type and format (IsValueValidAgainstRange of k8s.io/kube-openapi).
var numberFormatError = regexp.MustCompile(`^(Checked|MultipleOf|Maximum boundary|Minimum boundary) value must be of type (integer|number) `)

// isBlankRule recognizes the error for a rule that was made empty.
func isBlankRule(e *field.Error) bool {
	return e.Type == field.ErrorTypeRequired && e.Detail == "rule is not specified" && strings.HasSuffix(e.Field, "].rule")
}

// defaultsPass reports whether the defaults that rules apply to pass. The server
// evaluates the rules, whatever the target, with all that it knows. Whether
// defaults must be pruned was asked of the schema with empty rules.
func (s *ruleSchema) defaultsPass(ctx context.Context) (bool, error) {
	if !s.underDefault {
		return true, nil
	}
	structural, err := structuralschema.NewStructural(s.root.schema)
	if err != nil {
		return false, nil
	}
	errs, err := defaulting.ValidateDefaults(ctx, s.root.path, structural, true, false)
	return err == nil && len(errs) == 0, ctx.Err()
}

// findSpoiled finds what keeps the server from looking at rules: at all of a
// schema that is not structural or has wrong defaults; else at those above an
// error that it does not find at the root only.
func (t *Target) findSpoiled(ctx context.Context, r *request, a *answer) error {
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
				wrong = t.older(wrong)
			}
			if len(wrong) == 0 && err == nil && !slices.ContainsFunc(a.errs, func(e *field.Error) bool { return within(e) && isUnpruned(e) }) {
				for _, e := range a.errs {
					if within(e) && !isRootError(e, root) {
						a.spoil(finder(e))
					}
				}
				continue
			}
		}
		a.skipped = append(a.skipped, s)
	}
	return ctx.Err()
}

// finder is the path of what the server looked at when it found an error. Of a
// list, it finds errors in the items and their keys.
func finder(e *field.Error) string {
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
		at := strings.LastIndex(e.Field, ".items.properties[")
		if at < 0 || !strings.Contains(words, "scalar") && !strings.Contains(words, "this property") {
			at = strings.LastIndex(e.Field, ".items.")
		}
		if at >= 0 {
			return e.Field[:at]
		}
	}
	return e.Field
}

// isUnpruned recognizes a default with fields that its schema does not have.
func isUnpruned(e *field.Error) bool {
	return e.Detail == "must not have unknown fields" && strings.HasSuffix(e.Field, ".default")
}

// isRootError recognizes what the server finds at the root of a schema before it
// looks at the nodes.
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

// spoil notes an error at a path.
func (a *answer) spoil(path string) {
	if a.spoiled == nil {
		a.spoiled = map[string]bool{}
	}
	for i := range path {
		if path[i] == '.' || path[i] == '[' {
			a.spoiled[path[:i]] = true
		}
	}
	a.spoiled[path] = true
}

// spoils reports whether the server leaves out the rules of a node.
func (a answer) spoils(s *ruleSchema, n *node) bool {
	return slices.Contains(a.skipped, s) || len(a.spoiled) > 0 && a.spoiled[n.path.String()]
}
