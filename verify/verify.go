package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Subject is a CRD that is to be verified.
type Subject struct {
	// CRD is the definition with its schemas; nil where Build makes it.
	CRD   *apiextensionsv1.CustomResourceDefinition
	Build func() *apiextensionsv1.CustomResourceDefinition
	// Bytes are what the definition is written as, by which results are
	// remembered; nil if they are not to be.
	Bytes []byte
	// Old is the definition that is to be replaced, nil where it is created.
	Old *apiextensionsv1.CustomResourceDefinition
	// Schemas are the schemas of the versions, by index, and Unheld what of them
	// the model cannot hold.
	Schemas []*structural.Schema
	Unheld  [][]structural.Unsupported
	// Place returns the place of a path in the CRD, for example
	// "spec.versions[0].schema.openAPIV3Schema.properties[a].type", and further
	// places that belong to it.
	Place func(path string) (diag.Position, []diag.Related)
	// OnlySchemas: what stands beside the schemas is known to be wrong already.
	OnlySchemas bool
	// Measure: its size is judged, too.
	Measure bool
}

// Options say how strictly to judge.
type Options struct {
	// Generating: another step may still add what the server wants beside the
	// schemas, so that refusals of the group's name and of the missing approval
	// are warnings.
	Generating bool
	// Memory keeps results between runs; nil keeps none.
	Memory Memory
}

// Verifier verifies CRDs for one version of Kubernetes. It is safe for concurrent
// use.
type Verifier struct {
	target  *apiserver.Target
	options Options
}

// New returns a verifier for an API server.
func New(target *apiserver.Target, options Options) *Verifier {
	return &Verifier{target: target, options: options}
}

// All verifies several CRDs side by side. The lists are in their order.
func (v *Verifier) All(ctx context.Context, subjects []*Subject) (diag.List, error) {
	lists := make([]diag.List, len(subjects))
	errs := make([]error, len(subjects))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range subjects {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			lists[i], errs[i] = v.One(ctx, s)
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(lists...), nil
}

// One verifies a CRD. The error is for what is not the CRD's: the context has
// ended, or the server's code could not answer.
func (v *Verifier) One(ctx context.Context, s *Subject) (diag.List, error) {
	results, err := v.remembered(ctx, s)
	if err != nil {
		return nil, err
	}
	var out diag.List
	for _, r := range results {
		out = append(out, r.diagnostic(s))
	}
	return out, nil
}

// Result is one thing that is wrong with a CRD, without its places in a file.
type Result struct {
	Code          diag.Code
	Severity      diag.Severity
	Path          string
	More          []string // further paths
	Message, Hint string
}

// diagnostic is the result with its places.
func (r Result) diagnostic(s *Subject) diag.Diagnostic {
	pos, related := s.Place(r.Path)
	d := diag.Diagnostic{Code: r.Code, Severity: r.Severity, Pos: pos, Message: r.Message, Hint: r.Hint, Related: related}
	for _, more := range r.More {
		if pos, _ := s.Place(more); pos != d.Pos {
			d.Related = append(d.Related, diag.Related{Pos: pos, Message: "and here"})
		}
	}
	return d
}

// Memory keeps results between runs.
type Memory = apiserver.Memory

// remembered returns the results for the subject from the memory, or examines it.
func (v *Verifier) remembered(ctx context.Context, s *Subject) ([]Result, error) {
	if v.options.Memory == nil || s.Bytes == nil || s.Old != nil {
		return v.examine(ctx, s)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %t %t %t %d\n", v.target.Version(), v.options.Generating, s.OnlySchemas, s.Measure, len(s.Bytes))
	hash.Write(s.Bytes)
	key := hex.EncodeToString(hash.Sum(nil))
	var results []Result
	if data, ok := v.options.Memory.Load(key); ok && json.Unmarshal(data, &results) == nil {
		return results, nil
	}
	results, err := v.examine(ctx, s)
	if err != nil {
		return nil, err
	}
	if data, err := json.Marshal(results); err == nil {
		v.options.Memory.Store(key, data)
	}
	return results, nil
}

// examine does all checks.
func (v *Verifier) examine(ctx context.Context, s *Subject) ([]Result, error) {
	if s.CRD == nil {
		s.CRD = s.Build()
		defer func() { s.CRD = nil }() // it is large: not one for each subject at once
	}
	c := &checks{Verifier: v, Subject: s}
	known := map[string]bool{}
	for crd, n := s.CRD, 0; crd != nil && n < maxMendings; n++ {
		report, err := v.target.Check(ctx, crd, s.Old)
		if err != nil {
			return nil, fmt.Errorf("verify %s: %w", crd.Name, err)
		}
		found := report.Findings[:0]
		for _, f := range report.Findings {
			if message := f.Path + f.String(); !known[message] {
				known[message] = true
				found = append(found, f)
			}
		}
		for _, f := range found {
			inSchema := len(f.Places) > 0 && strings.Contains(f.Places[0], "].schema.")
			if inSchema || n == 0 && !s.OnlySchemas {
				d := c.server(f, report.Rules)
				if n > 0 {
					d.Hint = strings.TrimPrefix(d.Hint+"; "+laterHint, "; ")
				}
			}
		}
		crd = mend(crd, found)
	}
	for i, schema := range s.Schemas {
		if schema == nil {
			continue
		}
		at := schemaPath(i)
		for _, f := range structural.CheckProposals(schema, s.unheld(i)) {
			if path := at + f.Path.String(); !f.Server && !c.refused(path) {
				c.warn(codeProposal, path, "", "%s", f.String())
			}
		}
		for _, f := range structural.Contradictions(schema) {
			c.warn(codeContradiction, at+f.Path.String(), f.Hint, "%s", f.Message)
		}
		c.paths(i, schema)
		if err := c.defaults(ctx, i); err != nil {
			return nil, err
		}
	}
	c.size()
	return c.list, nil
}

// defaults warns of defaults that pass only because the server looks at them too
// early.
func (c *checks) defaults(ctx context.Context, version int) error {
	schema := c.CRD.Spec.Versions[version].Schema
	if schema == nil || schema.OpenAPIV3Schema == nil || slices.ContainsFunc(c.list, func(r Result) bool { return r.Severity == diag.Error }) {
		return nil
	}
	found, err := apiserver.FilledDefaults(ctx, schema.OpenAPIV3Schema)
	if err != nil {
		return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
	}
	for _, d := range found {
		value, err := json.Marshal(d.Value)
		if err != nil {
			return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
		}
		var words []string
		for _, e := range d.Errors {
			words = append(words, e.Error())
		}
		c.warn(codeContradiction, schemaPath(version)+"."+d.Path, "write the inner defaults out in this one, or change them",
			"the default becomes %s by the defaults inside of it, which is refused: %s", shorten(string(value)), shorten(strings.Join(words, "; ")))
	}
	return nil
}

// refused reports whether the server refuses something in the same place.
func (c *checks) refused(path string) bool {
	pos, _ := c.Place(path)
	return slices.ContainsFunc(c.list, func(r Result) bool {
		other, _ := c.Place(r.Path)
		return r.Severity == diag.Error && other == pos
	})
}

// Rules returns the CEL rules of a CRD with their costs.
func (v *Verifier) Rules(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) ([]apiserver.Rule, error) {
	return v.target.Rules(ctx, crd)
}

func (s *Subject) unheld(i int) []structural.Unsupported {
	if i < len(s.Unheld) {
		return s.Unheld[i]
	}
	return nil
}

// schemaPath is the path of the schema of a version.
func schemaPath(i int) string { return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i) }

// checks collects what is found about one CRD.
type checks struct {
	*Verifier
	*Subject
	list []Result
}

func (c *checks) add(code diag.Code, severity diag.Severity, path, hint, message string) *Result {
	c.list = append(c.list, Result{Code: code, Severity: severity, Path: path, Message: message, Hint: hint})
	return &c.list[len(c.list)-1]
}

func (c *checks) warn(code diag.Code, path, hint, format string, args ...any) {
	c.add(code, diag.Warning, path, hint, fmt.Sprintf(format, args...))
}

// server reports what the API server says.
func (c *checks) server(f apiserver.Finding, rules []apiserver.Rule) *Result {
	code, severity, hint := codeRefused, diag.Error, ""
	switch {
	case f.Source == apiserver.Version:
		code = codeVersion
	case f.Source == apiserver.Limit, f.Source == apiserver.Panic:
		code = codeUnknown
	case f.Warning:
		code = codeServerWarning
	case c.options.Generating && c.isOutside(f.Path):
		code, hint = codeOutside, "another step of the build may still do it"
	default:
		hint = costHint(f, rules)
	}
	if f.Warning || code == codeOutside {
		severity = diag.Warning
	}
	place := f.Path
	if len(f.Places) > 0 {
		place = f.Places[0]
	}
	if strings.HasPrefix(f.Detail, "unrecognized format") {
		place += ".format" // the server names the node
	}
	d := c.add(code, severity, place, hint, shorten(f.String()))
	d.More = f.Places[min(1, len(f.Places)):]
	return d
}

// laterHint marks what the server says only once other errors are mended.
const laterHint = "the API server comes to this once the other errors are mended"

// isOutside reports whether a refusal is about what another step may add.
func (c *checks) isOutside(path string) bool {
	return path == "spec.group" || path == "metadata.name" && c.CRD.Spec.Group == "" || strings.HasPrefix(path, "metadata.annotations[api-approved")
}

// shorten cuts out the middle of a message: some quote a whole schema.
func shorten(message string) string {
	const most = 1200
	message = strings.Join(strings.Fields(message), " ")
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most/2], "") + " … " + strings.ToValidUTF8(message[len(message)-most/2:], "")
}

// costHint says what makes a refused rule expensive, and which bound would help.
func costHint(f apiserver.Finding, rules []apiserver.Rule) string {
	if f.Type != field.ErrorTypeForbidden {
		return ""
	}
	for _, rule := range rules {
		if len(rule.Causes) == 0 || !slices.ContainsFunc(f.Places, func(place string) bool { return strings.HasPrefix(place, rule.Path) }) {
			continue
		}
		return CostText(rule)
	}
	return ""
}

// CostText is the share of a rule in words, with its causes and the bound that helps.
func CostText(rule apiserver.Rule) string {
	text := fmt.Sprintf("the rule may cost %.0f %% of what one may", 100*rule.RuleShare())
	for _, cause := range rule.Causes {
		text += fmt.Sprintf("; %s has no %s", cause.Path, cause.Keyword)
		if cause.Limit != nil {
			text = strings.TrimSuffix(text, "has no "+cause.Keyword) + fmt.Sprintf("has %s %d", cause.Keyword, *cause.Limit)
		}
		switch {
		case cause.Bound > 0:
			text += fmt.Sprintf(": %d would do", cause.Bound)
		case cause.JointBound > 0:
			text += fmt.Sprintf(": %d would do if all of them had it", cause.JointBound)
		}
	}
	return text
}
