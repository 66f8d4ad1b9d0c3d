package verify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/apiserver/crdsize"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/schemapath"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Options configure a Verifier.
type Options struct {
	// Generating makes rejections of the group name and of a missing api-approved annotation
	// warnings, because another build step may still add them.
	Generating bool
	// Rules are the codes of findings to look for that are off by default; see [Rules]. Others are ignored.
	Rules []diag.Code
	// Unions also reports what unions rules enforce (SG628), and where they accept more (SG627).
	Unions bool
	// ResultCache caches results between runs. If it is nil, nothing is cached.
	Cache ResultCache
}

// Target is a version of Kubernetes, and its server's own code. It is safe for concurrent use, and
// keeps what it has compiled.
type Target = apiserver.Target

// NewTarget returns the target of a version, such as 1.35; that of the default version if the text
// is empty. It fails if the version is not known.
func NewTarget(version string) (*Target, error) { return apiserver.NewTarget(version) }

// Verifier verifies CRDs against one version of Kubernetes. It implements generator.Server
// and is safe for concurrent use.
type Verifier struct {
	target  *apiserver.Target
	options Options
	// newest returns the target of the newest known version.
	newest func() (*apiserver.Target, error)
	// handled has the answers so far to requests about definitions.
	handled answeredVersions
}

// errNoTarget is the error of a Verifier without a target.
var errNoTarget = errors.New("the verifier has no target: use New with the result of NewTarget")

// completed returns a copy of a definition, which may be changed, with all that verification
// needs.
func (v *Verifier) completed(d *crd.Definition) (*crd.Definition, error) {
	if v.target == nil {
		return nil, errNoTarget
	}
	return d.Completed()
}

// New returns a Verifier for the target. If that does not come from [NewTarget], the methods of the
// Verifier return an error.
func New(target *Target, options Options) *Verifier {
	if !target.IsValid() {
		target = nil
	}
	if options.Cache != nil && target != nil {
		target.UseCache(options.Cache)
	}
	return &Verifier{target: target, options: options, newest: sync.OnceValues(func() (*apiserver.Target, error) {
		return apiserver.NewTarget(apiserver.Versions()[0])
	})}
}

// Sharing returns the other Verifier if it asks the same server, since it may know answers
// already, and v otherwise. Options other than the version have to be the same; other may be nil.
func (v *Verifier) Sharing(other *Verifier) *Verifier {
	if other != nil && other.target != nil && v.target != nil && other.target.Version() == v.target.Version() {
		return other
	}
	return v
}

// Check verifies CRDs in parallel and returns the findings in their order. It returns the
// first error. Of the definitions, it changes nothing.
func (v *Verifier) Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error) {
	subjects := make([]*crd.Definition, len(definitions))
	for i, d := range definitions {
		completed, err := v.completed(d)
		if err != nil {
			return nil, err
		}
		subjects[i] = completed
	}
	results := make([][]result, len(subjects))
	known := make([]bool, len(subjects))
	var common shared
	checked := progress.Start(ctx, "checking", "definitions", len(subjects))
	packs := packsOf(subjects)
	err := parallel.Do(len(packs), func(n int) error {
		p := packs[n]
		if v.load(subjects[p.start:p.end], results[p.start:p.end]) {
			for i := p.start; i < p.end; i++ {
				known[i] = true
				checked.Add(1)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts := make([]*partial, len(subjects))
	if slices.Contains(known, false) {
		parts = partials(subjects)
	}
	err = parallel.Do(len(subjects), func(i int) (err error) {
		if known[i] {
			parts[i] = nil
			return nil
		}
		defer checked.Add(1)
		results[i], err = v.examine(ctx, subjects[i], parts[i], &common)
		return err
	})
	if err != nil {
		return nil, err
	}
	again := unsure(parts, func(i int) bool { return slices.ContainsFunc(results[i], result.isRejection) })
	err = parallel.Do(len(again), func(n int) (err error) {
		i := again[n]
		results[i], err = v.examine(ctx, subjects[i], nil, &common)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if !known[p.start] {
			v.store(subjects[p.start:p.end], results[p.start:p.end])
		}
	}
	var found []located
	for i, s := range subjects {
		accepted := ""
		if s.Old == nil && !s.Provenance().OnlySchemas && !slices.ContainsFunc(results[i], result.isDoubt) {
			accepted = v.target.Version()
		}
		s.Provenance().Accepted.Set(accepted)
		found = append(found, locateAll(s, results[i])...)
		if lost := v.lostBetweenVersions(s); lost != nil {
			found = append(found, located{Diagnostic: *lost})
		}
	}
	return FoldNotes(onePerMistake(found)), nil
}

// One verifies a CRD. It returns an error if the context has ended or the server's code
// could not answer.
func (v *Verifier) One(ctx context.Context, d *crd.Definition) (diag.List, error) {
	s, err := v.completed(d)
	if err != nil {
		return nil, err
	}
	pack := []*crd.Definition{s}
	results := make([][]result, 1)
	if !v.load(pack, results) {
		results[0], err = v.examine(ctx, s, nil, &shared{})
		if err != nil {
			return nil, err
		}
		v.store(pack, results)
	}
	found := locateAll(s, results[0])
	if lost := v.lostBetweenVersions(s); lost != nil {
		found = append(found, located{Diagnostic: *lost})
	}
	return onePerMistake(found), nil
}

// located is a result with its positions.
type located struct {
	diag.Diagnostic
	// mistake is what is wrong at the position, or empty if the finding is not the server's.
	mistake string
}

// onePerMistake drops diagnostics about a mistake that has already been reported. Several nodes
// of a schema may come from one place in the source, such as a Go type that several fields have.
func onePerMistake(found []located) diag.List {
	type key struct {
		pos     diag.Position
		code    diag.Code
		mistake string
	}
	var out diag.List
	seen := map[key]bool{}
	for _, l := range found {
		k := key{l.Pos, l.Code, l.mistake}
		if l.mistake != "" && l.Pos.File != "" && seen[k] {
			continue
		}
		seen[k] = true
		out = append(out, l.Diagnostic)
	}
	return out
}

// locateAll returns results with their positions, without results that follow from mistakes already
// reported.
func locateAll(s *crd.Definition, results []result) []located {
	var out []located
	incomplete := s.Provenance().Incomplete
	for _, r := range results {
		if incomplete != nil && incomplete(r.Path, r.Cost) {
			continue
		}
		l := located{Diagnostic: r.diagnostic(s)}
		if r.Detail != "" {
			l.mistake = r.Detail + "\n" + belowPosition(s, r.Path)
		}
		out = append(out, l)
	}
	return out
}

// belowPosition returns the part of a path below the outermost value that has its position, with
// the name of that value if it is a keyword. Nodes that one place in the source describes differ
// only in the rest of their paths. Where no position is known, the part is the whole path.
func belowPosition(s *crd.Definition, path string) string {
	pos, _ := s.Position(path)
	top := len(path)
	for i := len(path) - 1; i > 0; i-- {
		if path[i] != '.' && path[i] != '[' {
			continue
		}
		if parent, _ := s.Position(path[:i]); parent != pos {
			break
		}
		top = i
	}
	step := path[strings.LastIndexByte(path[:top], '.')+1 : top]
	if strings.HasSuffix(step, "]") || step == "items" || step == "additionalProperties" {
		step = "" // a node
	}
	return step + path[top:]
}

// result is a finding about a CRD, without source positions.
type result struct {
	Code          diag.Code
	Severity      diag.Severity
	Path          string
	More          []string // related paths
	Message, Hint string
	Subject       string // as in [diag.Diagnostic.Subjects], of findings that are off by default
	// Cause is the message without the path and without values that are objects; it may be
	// empty. Quotes are the rules that it is about.
	Cause  string
	Quotes []diag.Quote
	// Detail is the server's message without the path, or empty if the finding is not the
	// server's.
	Detail string
	// Cost reports whether the finding is about the cost of rules.
	Cost bool
	// Old is a text in the value at the path that probably should be Meant; if that is empty,
	// it is not known.
	Old, Meant string
	// Line and Column are the position in the value at the path, 1-based, or 0.
	Line, Column int
}

// isRejection reports whether the server has found something that may hide other findings.
func (r result) isRejection() bool { return r.Detail != "" && !isAboutMetadata(r.Path) }

// isDoubt reports whether the server may refuse a definition about which there is the result.
func (r result) isDoubt() bool {
	return r.Severity == diag.Error || r.Detail != "" && r.Code != serverWarning.Code
}

// isAboutMetadata reports whether a path is in the metadata of a CRD, which the server validates
// independently of the rest.
func isAboutMetadata(path string) bool { return strings.HasPrefix(path, "metadata.") }

// diagnostic returns the result as a diagnostic, with source positions.
func (r result) diagnostic(s *crd.Definition) diag.Diagnostic {
	pos, related := s.Position(r.Path)
	inText := false
	line, column, ok := celPosition(r.Message)
	if r.Line > 0 {
		line = r.Line
		column = r.Column
		ok = true
	}
	if ok && s.TextPosition != nil {
		if inside, ok := s.TextPosition(r.Path, line, column); ok {
			pos = inside
			inText = true
		}
	}
	d := diag.Diagnostic{
		Code: r.Code, Severity: r.Severity, Pos: pos, Message: r.Message, Hint: r.Hint, Related: related,
		Cause: r.Cause, Path: r.Path, Quotes: r.Quotes, QuotesAtPos: inText,
	}
	if r.Subject != "" {
		d.Subjects = []string{r.Subject}
	}
	if r.Meant != "" && s.Replacement != nil {
		if edit, ok := s.Replacement(r.Path, r.Old, r.Meant); ok {
			d.Fixes = []diag.Fix{{Message: "write " + r.Meant, Edits: []diag.Edit{edit}}}
		}
	}
	for _, more := range r.More {
		if pos, _ := s.Position(more); pos != d.Pos {
			d.Related = append(d.Related, diag.Related{Pos: pos, Message: "also here"})
		}
	}
	return d
}

// ResultCache caches results between runs.
type ResultCache = apiserver.ResultCache

// textOf returns the text of a definition, or nil.
func textOf(s *crd.Definition) []byte {
	known := s.Provenance()
	if known.Text == nil {
		return known.Draft
	}
	return known.Text
}

// pack is a range of definitions whose results are in one entry of the cache.
type pack struct{ start, end int }

// packsOf returns the packs of definitions. Verifying a tiny definition takes less time than reading
// or writing a file, so that about 32 of them share an entry. Their texts determine where a pack ends:
// other packs stay the same if a definition changes, is added or is removed.
func packsOf(subjects []*crd.Definition) (out []pack) {
	start := 0
	for i, s := range subjects {
		last := i+1 == len(subjects)
		if last || !isTiny(s) || !isTiny(subjects[i+1]) || crc32.ChecksumIEEE(textOf(s))%32 == 0 {
			out = append(out, pack{start, i + 1})
			start = i + 1
		}
	}
	return out
}

func isTiny(s *crd.Definition) bool {
	text := textOf(s)
	return len(text) <= 4<<10 && !bytes.Contains(text, []byte("x-kubernetes-validations"))
}

// key returns the key under which the results of definitions may be in the cache, or an empty string.
// All results may be under one that is exact; under the other, only results that do not depend on
// descriptions.
func (v *Verifier) key(definitions []*crd.Definition, exact bool) string {
	hash := sha256.New()
	for _, s := range definitions {
		content := textOf(s)
		if v.options.Cache == nil || content == nil || s.Old != nil {
			return ""
		}
		if !exact {
			// The limits of a server are far above this size.
			if s.Provenance().Undescribed == "" || s.CheckSize || isLarge(content) {
				return ""
			}
			content = []byte(s.Provenance().Undescribed)
		}
		fmt.Fprintf(hash, "11 %s %t %v %t %t %t %d\n", v.target.Version(), v.options.Generating, v.options.Rules, v.options.Unions,
			s.Provenance().OnlySchemas, s.CheckSize, len(content))
		hash.Write(content)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// load reads the results of definitions from the cache and reports whether they are there.
func (v *Verifier) load(definitions []*crd.Definition, results [][]result) bool {
	for _, exact := range []bool{false, true} {
		key := v.key(definitions, exact)
		if key == "" {
			continue
		}
		var loaded [][]result
		data, ok := v.options.Cache.Load(key)
		if ok && json.Unmarshal(data, &loaded) == nil && len(loaded) == len(definitions) {
			copy(results, loaded)
			return true
		}
	}
	return false
}

// store writes the results of definitions to the cache. What the server rejects, it may quote with a
// description.
func (v *Verifier) store(definitions []*crd.Definition, results [][]result) {
	rejected := slices.ContainsFunc(results, func(of []result) bool {
		return slices.ContainsFunc(of, func(r result) bool { return r.Detail != "" })
	})
	key := ""
	if !rejected {
		key = v.key(definitions, false)
	}
	if key == "" {
		key = v.key(definitions, true)
	}
	if data, err := json.Marshal(results); err == nil && key != "" {
		v.options.Cache.Store(key, data)
	}
}

// examine runs all checks. If part is not nil, the server is asked about that first.
func (v *Verifier) examine(ctx context.Context, s *crd.Definition, part *partial, common *shared) ([]result, error) {
	if s.CRD == nil {
		if part != nil {
			s.CRD = s.Provenance().BuildWith(part.schemas)
			// The server looks up these fields in the schema.
			if slices.ContainsFunc(s.CRD.Spec.Versions,
				func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.SelectableFields != nil }) {
				part = nil
			}
		}
		if part == nil {
			s.CRD = s.Build()
		}
		defer func() { s.CRD = nil }() // it is large; do not hold all of them at once
	}
	c := &checks{Verifier: v, Definition: s, partial: part != nil, shared: common}
	var bySchema []schemaFindings
	err := parallel.Do(2, func(part int) error {
		if part == 1 {
			bySchema = schemaFindingsOf(s)
			return nil
		}
		if err := c.askServer(ctx); err != nil {
			return err
		}
		return c.newerCosts(ctx)
	})
	if err != nil {
		return nil, err
	}
	for i, schema := range s.Schemas {
		if schema == nil {
			continue
		}
		c.schema(schemaPath(i), bySchema[i])
		// The compiler has parsed most of the rules by now.
		for _, r := range c.target.ConstantRules(schema) {
			c.constant(schemaPath(i), r)
		}
		c.paths(i, schema)
		if err := c.defaults(ctx, i); err != nil {
			return nil, err
		}
		if err := c.absentFields(ctx, i); err != nil {
			return nil, err
		}
		if c.options.Unions || c.isLookedFor(leakyUnion) {
			c.unions(i)
		}
	}
	c.ratcheted()
	c.size()
	return c.list, nil
}

// schemaFindings are findings about a schema that do not depend on the server's.
type schemaFindings struct {
	proposals      []structural.Finding
	contradictions []contradictions.Contradiction
}

// schemaFindingsOf returns the findings for each schema of a definition.
func schemaFindingsOf(s *crd.Definition) []schemaFindings {
	out := make([]schemaFindings, len(s.Schemas))
	for i, schema := range s.Schemas {
		if schema == nil {
			continue
		}
		var unsupported []structural.Unsupported
		if i < len(s.Unsupported) {
			unsupported = s.Unsupported[i]
		}
		out[i] = schemaFindings{structural.CheckProposals(schema, unsupported), contradictions.Find(schema)}
	}
	return out
}

// schema adds the findings about a schema, whose path is at.
func (c *checks) schema(location string, found schemaFindings) {
	for _, f := range found.proposals {
		if path := location + f.Path.String(); !f.Server && !c.rejected(path) {
			c.add(discouragedByProposals, path, "", "%s", f.String())
		}
	}
	for _, f := range found.contradictions {
		result := c.add(contradictionKind(f.Kind), location+f.Path.String(), f.Hint, "%s", f.Message)
		if f.First != nil {
			result.More = []string{location + f.First.String()}
		}
	}
}

// constant warns about a rule that always has the same result.
func (c *checks) constant(location string, r apiserver.ConstantRule) {
	path := rulePath(location, r.Path, r.Index)
	switch {
	case c.rejected(path): // it does not compile
	case r.Holds:
		c.add(constantRule, path, "remove it, or compare it with part of the value", "this rule is always true, so it rejects nothing")
	default:
		c.add(constantRule, path, "", "this rule is false for every value that the rest of the schema allows, so every value is rejected")
	}
}

func contradictionKind(kind contradictions.Kind) *diag.Kind {
	switch kind {
	case contradictions.Misfit:
		return misfittingBound
	case contradictions.Idle:
		return idleKeyword
	case contradictions.Example:
		return rejectedExample
	case contradictions.Repeated:
		return repeatedRule
	case contradictions.Unmergeable:
		return unmergeableSet
	}
	return contradiction
}

// askServer reports the server's findings, and the findings that will follow once the first are
// corrected.
func (c *checks) askServer(ctx context.Context) error {
	crd := c.CRD
	known := map[string]bool{}
	corrected := corrections{}
	for n := range maxRounds {
		report, err := c.target.Check(ctx, crd, c.Old)
		if err != nil {
			return fmt.Errorf("verify %s: %w", crd.Name, err)
		}
		if c.partial && slices.ContainsFunc(report.Findings,
			func(f apiserver.Finding) bool { return !isAboutMetadata(f.Path) }) {
			c.complete()
			crd = c.CRD
			report, err = c.target.Check(ctx, crd, c.Old)
			if err != nil {
				return fmt.Errorf("verify %s: %w", crd.Name, err)
			}
		}
		if n == 0 {
			c.rules = report.Rules
		}
		found := foldCosts(slices.DeleteFunc(withoutCopies(report.Findings),
			func(f apiserver.Finding) bool { return known[identity(f)] }), report.Rules)
		for _, f := range found {
			known[identity(f)] = true
		}
		confirmed := found
		if n > 0 {
			confirmed, err = c.notCausedBy(ctx, corrected, found)
			if err != nil {
				return fmt.Errorf("verify %s: %w", crd.Name, err)
			}
		}
		for _, f := range confirmed {
			inSchema := len(f.Paths) > 0 && strings.Contains(f.Paths[0], "].schema.")
			if inSchema || n == 0 && !c.Provenance().OnlySchemas {
				d := c.server(f, report.Rules)
				if n > 0 {
					d.Hint = strings.TrimPrefix(d.Hint+"; "+laterHint, "; ")
				}
			}
		}
		if !corrected.add(found) {
			return nil
		}
		crd = corrected.apply(c.CRD, clearing)
	}
	return nil
}

// complete makes the CRD complete, if it is partial.
func (c *checks) complete() {
	if c.partial {
		c.CRD = c.Build()
		c.partial = false
	}
}

// defaults warns about defaults that the server accepts only because it validates them
// before it fills in nested defaults.
func (c *checks) defaults(ctx context.Context, version int) error {
	schema := c.CRD.Spec.Versions[version].Schema
	if schema == nil || schema.OpenAPIV3Schema == nil ||
		slices.ContainsFunc(c.list, func(r result) bool { return r.Severity == diag.Error }) {
		return nil
	}
	found, err := apiserver.FilledDefaults(ctx, c.Schemas[version])
	if err != nil {
		return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
	}
	for _, d := range found {
		value, err := plainjson.Marshal(d.Value)
		if err != nil {
			return fmt.Errorf("verify %s: %w", c.CRD.Name, err)
		}
		var words []string
		for _, e := range d.Errors {
			words = append(words, e.Error())
		}
		c.add(contradiction, schemaPath(version)+"."+d.Path, "write the nested defaults out in this one, or change them",
			"nested defaults turn this default into %s, which is rejected: %s", shorten(string(value)), shorten(strings.Join(words, "; ")))
	}
	return nil
}

// withoutCopies drops the errors at spec.version that are also at the name of the first version. The server
// sets the field to that name, and a v1 definition does not have it.
func withoutCopies(findings []apiserver.Finding) []apiserver.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f apiserver.Finding) bool {
		return f.Path == "spec.version" && slices.ContainsFunc(findings, func(other apiserver.Finding) bool {
			return other.Path == "spec.versions[0].name" && other.Type == f.Type && other.Detail == f.Detail
		})
	})
}

// rejected reports whether the server rejects something at the same position.
func (c *checks) rejected(path string) bool {
	pos, _ := c.Position(path)
	return slices.ContainsFunc(c.list, func(r result) bool {
		other, _ := c.Position(r.Path)
		return r.Severity == diag.Error && other == pos
	})
}

// Rules returns the CEL rules of a definition with their costs.
func (v *Verifier) Rules(ctx context.Context, d *crd.Definition) ([]apiserver.Rule, error) {
	d, err := v.completed(d)
	switch {
	case err != nil:
		return nil, err
	case d.CRD == nil:
		d.CRD = d.Build()
	}
	if d.Provenance().Accepted.By(v.target.Version()) {
		return v.target.AcceptedRules(ctx, d.CRD)
	}
	return v.target.Rules(ctx, d.CRD)
}

// Costs returns the estimated costs of the CEL rules of a CRD.
func (v *Verifier) Costs(ctx context.Context, definition *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error) {
	if _, err := v.completed(&crd.Definition{CRD: definition}); err != nil {
		return nil, err
	}
	rules, err := v.target.Rules(ctx, definition)
	if err != nil {
		return nil, err
	}
	out := make([]unions.RuleCost, len(rules))
	for i, r := range rules {
		out[i] = unions.RuleCost{Version: r.Version, Path: r.Path, Rule: r.Text, OfRule: r.RuleShare(),
			OfSchema: r.SchemaShare()}
	}
	return out, nil
}

// JudgeUnion compares handwritten rules in the schema of an object with a union; it returns nil if there are none, or if
// it cannot tell.
func (v *Verifier) JudgeUnion(u *unions.Union, s *structural.Schema) *unions.Judgement {
	if u == nil || s == nil {
		return nil
	}
	return rules.JudgeUnion(u, s)
}

// CheckWebhook returns the server's errors about the selectors and match conditions of a webhook. The only
// error is an internal one if there is no webhook, or the verifier was not made by [New].
func (v *Verifier) CheckWebhook(hook *admissionregistrationv1.ValidatingWebhook) field.ErrorList {
	if v.target == nil {
		return field.ErrorList{field.InternalError(nil, errNoTarget)}
	}
	if hook == nil {
		return field.ErrorList{field.InternalError(nil, errors.New("a webhook is nil"))}
	}
	return v.target.CheckWebhook(hook)
}

// Before reports whether the server is older than Kubernetes 1.minor.
func (v *Verifier) Before(minor uint) bool { return v.target != nil && v.target.Before(minor) }

// schemaPath returns the path of the schema of a version.
func schemaPath(i int) string { return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i) }

// rulePath returns the path of a rule of the node at a path below location.
func rulePath(location string, path *structural.Path, rule int) string {
	return fmt.Sprintf("%s%s.x-kubernetes-validations[%d].rule", location, path, rule)
}

// checks collects the findings about one CRD.
type checks struct {
	*Verifier
	*crd.Definition
	list []result
	// partial is set if the schemas of the CRD lack parts that are verified elsewhere.
	partial bool
	// rules are the rules of the original definition.
	rules  []apiserver.Rule
	shared *shared
	// kinds has what the versions share.
	kinds apiserver.Kinds
}

// shared is what the definitions of a run share: what is known of nodes that several of them have.
type shared struct {
	sizes    crdsize.Sizes
	unproved rules.Unproved
}

// add adds a result. The returned pointer is valid until the next call.
// suggest adds to a result the hint, and the fix, that a text in the value should be another
// one, unless that is empty.
func (r *result) suggest(old, meant string) {
	if meant != "" {
		r.Hint = "did you mean " + meant + "?"
		r.Old = old
		r.Meant = meant
	}
}

func (c *checks) add(kind *diag.Kind, path, hint, format string, args ...any) *result {
	d := kind.At(diag.Position{}, hint, format, args...)
	r := result{Code: d.Code, Severity: d.Severity, Path: path, Message: d.Message, Hint: d.Hint}
	if kind.Off {
		_, node, _ := strings.Cut(path, "openAPIV3Schema") // without the indexes of versions and rules
		node, _, _ = strings.Cut(node, ".x-kubernetes-validations")
		r.Subject = c.CRD.Name + " " + node
	}
	c.list = append(c.list, r)
	return &c.list[len(c.list)-1]
}

// server adds a finding of the API server.
func (c *checks) server(f apiserver.Finding, rules []apiserver.Rule) *result {
	kind := rejectedByServer
	hint := ""
	switch {
	case f.Source == apiserver.Version:
		kind = unknownToVersion
	case f.Source == apiserver.Limit, f.Source == apiserver.Panic:
		kind = unknownAnswer
	case f.Warning:
		kind = serverWarning
	case c.options.Generating && c.isOutside(f.Path):
		kind = rejectedOutsideSchemas
		hint = "another build step may still add it"
	default:
		hint = cmp.Or(costHint(f, rules), c.defaultHint(f), c.uniqueHint(f))
	}
	path := f.Path
	if len(f.Paths) > 0 {
		path = f.Paths[0]
	}
	if strings.HasPrefix(f.Detail, "unrecognized format") {
		path += ".format" // the server reports the path of the node
		for _, format := range []string{"int32", "int64", "float", "double"} {
			if strings.HasSuffix(f.Detail, strconv.Quote(format)) {
				hint = "this is a format of numbers: remove it, in Go with +kubebuilder:validation:Format=\"\""
			}
		}
	}
	d := c.add(kind, path, hint, "%s", shorten(f.String()))
	if f.Detail == "entries must all be names of item properties" {
		d.suggest(c.meantKey(path))
	}
	c.suggestEscape(d, f)
	if f.Warning {
		d.Severity = diag.Warning
	}
	if !f.Warning {
		d.Cause, d.Quotes = cause(f)
		c.describe(d)
	}
	d.Detail = string(f.Type) + ": " + f.Detail
	d.Cost = isCost(f)
	switch {
	case isTotal(f):
		d.Detail = "total cost"
	case d.Cost:
		d.Detail = "cost" // the amount depends on the path
	}
	if d.Cost && d.Hint != "" {
		d.Cause, _, _ = strings.Cut(f.Detail, " (try ") // the hint says what to try
	}
	d.More = f.Paths[min(1, len(f.Paths)):]
	return d
}

// meantKey returns the key of a list of type map that is not a property of its items, and the
// only property that is similar.
func (c *checks) meantKey(path string) (key, meant string) {
	version, path, ok := splitSchemaPath(strings.TrimSuffix(path, ".x-kubernetes-list-map-keys"))
	if !ok || version >= len(c.Schemas) || c.Schemas[version] == nil {
		return "", ""
	}
	list := locate.Innermost(c.Schemas[version], path)
	if list.Items == nil {
		return "", ""
	}
	var names []string
	for _, p := range list.Items.Properties {
		names = append(names, p.Name)
	}
	for _, key := range list.XListMapKeys {
		if nearest, ok := words.OnlyNearest(key, names); ok && nearest != key {
			return key, nearest
		}
	}
	return "", ""
}

// uniqueHint returns the list type that makes the items of a list unique, in place of
// uniqueItems.
func (c *checks) uniqueHint(f apiserver.Finding) string {
	if !strings.HasPrefix(f.Detail, "uniqueItems cannot be set to true") || len(f.Paths) == 0 {
		return ""
	}
	version, path, ok := splitSchemaPath(strings.TrimSuffix(f.Paths[0], ".uniqueItems"))
	if !ok || version >= len(c.Schemas) || c.Schemas[version] == nil {
		return ""
	}
	list := locate.Innermost(c.Schemas[version], path)
	switch {
	case list.Items == nil || list.Items.Type == "array":
		return ""
	case list.Items.Type == "object":
		return "remove it; in Go, +listType=map with +listMapKey=KEY, a required field, makes the items unique"
	}
	return "remove it; in Go, +listType=set makes the items unique"
}

// laterHint marks errors that the server reports only once other errors are fixed.
const laterHint = "the API server will report this once the other errors are fixed"

// isOutside reports whether a rejection is about something that another build step may add.
func (c *checks) isOutside(path string) bool {
	return path == "spec.group" || path == "metadata.name" && c.CRD.Spec.Group == "" || strings.HasPrefix(path, "metadata.annotations[api-approved")
}

// shorten removes the middle of a long message; some messages quote a whole schema.
func shorten(message string) string {
	const most = 1200
	message = strings.Join(strings.Fields(message), " ")
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most/2], "") + " … " + strings.ToValidUTF8(message[len(message)-most/2:], "")
}

// costHint explains why a rejected rule is expensive and which bound would help.
func costHint(f apiserver.Finding, rules []apiserver.Rule) string {
	if f.Type != field.ErrorTypeForbidden {
		return ""
	}
	var text string
	highest := -1.0
	for _, rule := range rules {
		for _, path := range f.Paths {
			rest, ok := strings.CutPrefix(path, rule.Path)
			if !ok || rule.Causes == nil || rest != "" && rest[0] != '.' {
				continue
			}
			subject := ruleText
			share := rule.RuleShare()
			if rest == ".messageExpression" {
				subject = messageText
				share = rule.MessageShare()
			}
			// A total has the paths of several rules.
			if share > highest {
				highest = share
				text = costText(subject, share, rule.Causes)
			}
		}
	}
	return text
}

// The subjects of texts about costs.
const (
	ruleText    = "the rule"
	messageText = "the message expression"
)

// CostText describes the cost of a rule, its causes, and the bounds that would help.
func CostText(rule apiserver.Rule) string {
	if rule.RuleShare() <= 1 && rule.MessageShare() > 1 {
		return costText(messageText, rule.MessageShare(), rule.Causes)
	}
	return costText(ruleText, rule.RuleShare(), rule.Causes)
}

func costText(subject string, share float64, causes []apiserver.Cause) string {
	text := fmt.Sprintf("%s may cost %.0f %% of the limit per rule", subject, 100*share)
	if share >= 10 {
		text = fmt.Sprintf("%s may cost %.0f times the limit per rule", subject, share)
	}
	for _, cause := range causes {
		text += "; " + causeText(cause)
	}
	if share > 1 && causes != nil && len(causes) == 0 {
		text += "; no limit in the schema changes that: simplify the expression"
	}
	return text
}

// causeText describes a cause and the bound that would help.
func causeText(cause apiserver.Cause) string {
	bound := ""
	switch {
	case cause.Bound > 0:
		bound = fmt.Sprintf("%d would suffice", cause.Bound)
	case cause.JointBound > 0:
		bound = fmt.Sprintf("%d would suffice if all of them had it", cause.JointBound)
	}
	var text string
	path := schemapath.Short(cause.Path)
	switch {
	case cause.Limit != nil:
		text = fmt.Sprintf("%s has %s %d", path, cause.Keyword, *cause.Limit)
	case cause.Nested != nil:
		text = fmt.Sprintf("%s has %s %d only in allOf, which the API server ignores here: set it once", path, cause.Keyword, *cause.Nested)
		if cause.Bound > 0 {
			return fmt.Sprintf("%s, to at most %d", text, cause.Bound)
		} else if cause.JointBound > 0 {
			return fmt.Sprintf("%s, to at most %d if all of them have it", text, cause.JointBound)
		}
		return text
	default:
		text = fmt.Sprintf("%s has no %s", path, cause.Keyword)
	}
	if bound != "" {
		text += ": " + bound
	}
	return text
}
