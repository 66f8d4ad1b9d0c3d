package unions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/structural"
)

// PolicyTarget is the resource that a policy applies to: one served version of a
// kind, because each version has its own members.
type PolicyTarget struct {
	Group, Version, Plural string
	// StatusSubresource is true if the version has a status subresource, so that
	// its status changes through separate requests.
	StatusSubresource bool
}

// maxDepth limits the nesting of lists and maps. CEL's parser rejects expressions
// nested more than 250 deep.
const maxDepth = 40

// longLine is the length from which each condition of an expression is on its own line.
const longLine = 120

// maxExpression is the maximum length of a CEL expression in code points (the default
// of cel-go's ExpressionSizeCodePointLimit, which the API server keeps).
const maxExpression = 100_000

// Policies returns a MutatingAdmissionPolicy that makes the API server do the same as
// [Plan.Normalize], and the binding that enables it. Both are nil if the schema has no
// union that normalizes. Of the options only CarryOverOnly matters.
//
// The policy requires Kubernetes 1.36. It applies to updates only, because nothing is
// ever cleared on create. If one of its expressions fails (for values of a wrong type,
// or at the cost limit), the request is admitted: the rules of the schema still reject
// what was not cleared.
//
// The error names the path in the schema for which no expression can be written.
func Policies(s *structural.Schema, target PolicyTarget, opts Options) (
	*admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding, error,
) {
	return policiesWithin(s, target, opts, maxExpression)
}

// policiesWithin is Policies with expressions shorter than limit code points.
func policiesWithin(s *structural.Schema, target PolicyTarget, opts Options, limit int) (
	*admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding, error,
) {
	plan := Compile(s, opts)
	if plan.root == nil {
		return nil, nil, nil
	}
	w := policyWriter{opts: opts, limit: limit}
	root := &step{below: w.object(s, plan.root, pairAt{old: "oldObject", new: "object"})}
	if w.err != nil || len(w.leaves) == 0 {
		return nil, nil, w.err
	}
	expressions, err := w.expressions(root)
	if err != nil {
		return nil, nil, err
	}
	name := strings.Join([]string{"unions", target.Version, target.Plural, target.Group}, ".")
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		return nil, nil, fmt.Errorf("%q is not a valid name for a policy: %s", name, strings.Join(problems, "; "))
	}
	policy, binding := policyOf(name, target, w.resources(target), expressions)
	return policy, binding, nil
}

// policyOf builds the objects from the expressions.
func policyOf(name string, target PolicyTarget, resources, expressions []string) (
	*admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding,
) {
	kind := func(name string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: name}
	}
	exact := admissionregistrationv1.Exact
	ignore := admissionregistrationv1.Ignore
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{
		TypeMeta:   kind("MutatingAdmissionPolicy"),
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			FailurePolicy: &ignore,
			MatchConstraints: &admissionregistrationv1.MatchResources{
				MatchPolicy: &exact,
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
						Rule: admissionregistrationv1.Rule{
							APIGroups: []string{target.Group}, APIVersions: []string{target.Version}, Resources: resources,
						},
					},
				}},
			},
			ReinvocationPolicy: admissionregistrationv1.IfNeededReinvocationPolicy,
		},
	}
	for _, text := range expressions {
		policy.Spec.Mutations = append(policy.Spec.Mutations, admissionregistrationv1.Mutation{
			PatchType: admissionregistrationv1.PatchTypeJSONPatch,
			JSONPatch: &admissionregistrationv1.JSONPatch{Expression: text},
		})
	}
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		TypeMeta:   kind("MutatingAdmissionPolicyBinding"),
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
	}
	return policy, binding
}

// PolicyYAML renders the objects of [Policies] as a stream of YAML documents.
func PolicyYAML(policy *admissionregistrationv1.MutatingAdmissionPolicy,
	binding *admissionregistrationv1.MutatingAdmissionPolicyBinding) ([]byte, error) {
	var out bytes.Buffer
	for _, object := range []any{policy, binding} {
		document, err := yaml.Marshal(object)
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(document)
	}
	return out.Bytes(), nil
}

// step is part of an expression of type list(JSONPatch).
type step struct {
	// guards are the conditions of the rest: if they fail, the list is empty.
	guards []string
	// open and close enclose the steps below, or are empty.
	open, close string
	below       []*step
	// leaf is the number of the union whose members the step clears; it then has
	// no steps below, and open is the whole text.
	leaf int
}

// leaf is one union at one path.
type leaf struct {
	// path is used in errors. Its first field decides about the subresource.
	path *field.Path
	top  string
	// loop is the number of the outermost enclosing list or map, or 0.
	loop int
}

// policyWriter walks a schema and stops at the first error.
type policyWriter struct {
	opts   Options
	limit  int // length of expressions in code points
	leaves []leaf
	loops  int
	err    error
}

// pairAt is a path in two objects at once.
type pairAt struct {
	// old and new are CEL expressions for the two values, which are not null.
	old, new string
	// pointer are the terms of the CEL expression for the path as a JSON pointer.
	pointer []string
	path    *field.Path
	top     string
	// depth and loop count the enclosing lists and maps.
	depth, loop int
}

func (w *policyWriter) fail(path *field.Path, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
}

// value returns the steps of all unions in and below a value, inner ones first, so
// that each patch still finds what it removes; a member that is removed later may have
// been patched before.
func (w *policyWriter) value(s *structural.Schema, n *node, pair pairAt) []*step {
	if n.items != nil {
		return w.list(s, n, pair)
	}
	return w.object(s, n, pair)
}

func (w *policyWriter) object(schema *structural.Schema, n *node, pair pairAt) []*step {
	var out []*step
	for _, f := range n.fields {
		p := schema.Property(f.name)
		child := pair
		child.old = access(pair.old, f.name)
		child.new = access(pair.new, f.name)
		child.path = pair.path.Child(f.name)
		child.pointer = w.pointerTo(pair, f.name, child.path)
		if pair.path == nil {
			child.top = f.name
		}
		if children := w.value(p, f.node, child); len(children) > 0 {
			out = append(out, &step{guards: []string{isSet(pair.old, f.name, p), isSet(pair.new, f.name, p)}, below: children})
		}
	}
	if n.values != nil {
		out = append(out, w.values(schema.AdditionalProperties.Schema, n.values, pair)...)
	}
	w.checkApart(n, pair)
	for i := range n.unions {
		if u := &n.unions[i]; u.Discriminator != "" && len(u.Members) > 0 {
			out = append(out, w.clear(schema, u, pair))
			w.leaves = append(w.leaves, leaf{path: pair.path.Child(u.Discriminator), top: topOf(pair, u), loop: pair.loop})
		}
	}
	return out
}

func topOf(pair pairAt, u *union) string {
	if pair.path == nil {
		return u.Discriminator
	}
	return pair.top
}

// enter returns the path inside a list or map.
func (w *policyWriter) enter(pair pairAt) pairAt {
	if pair.depth == 0 {
		w.loops++
		pair.loop = w.loops
	}
	if pair.depth++; pair.depth > maxDepth {
		w.fail(pair.path, "no policy can reach unions nested in more than %d lists and maps", maxDepth)
	}
	return pair
}

// unpatchable matches characters that the server quotes in a path in a way that is not
// valid JSON, except for some in the planes above U+FFFF: see [policyWriter.pointerTo].
const unpatchable = `[\x00-\x07\x0b\x0e-\x1f\x7f]`

// values walks a map. It skips keys that only one of the objects has, and keys for
// which no path can be written: the patches of the other keys would fail with theirs.
func (w *policyWriter) values(s *structural.Schema, n *node, pair pairAt) []*step {
	inner := w.enter(pair)
	key := "k" + strconv.Itoa(inner.depth)
	value := "v" + strconv.Itoa(inner.depth)
	inner.old = pair.old + "[" + key + "]"
	inner.new = value
	inner.path = pair.path.Key("*")
	inner.pointer = append(slices.Clone(pair.pointer), "'/'", "jsonpatch.escapeKey("+key+")")
	children := w.value(s, n, inner)
	if len(children) == 0 {
		return nil
	}
	filter := key + " in " + pair.old + " && !" + key + ".matches(r'" + unpatchable + "')"
	if s.Nullable {
		filter += " && " + inner.old + " != null && " + inner.new + " != null"
	}
	return []*step{{
		open:  pair.new + ".transformList(" + key + ", " + value + ", " + filter + ",",
		below: children,
		close: ").flatten()",
	}}
}

// list walks a keyed list. Other lists have no counterparts.
//
// Elements are found through an index that is built once: searching for each element
// would exceed the cost limit at a few hundred elements. transformMapEntry, CEL's
// function to build a map, fails at the first duplicate key, which the server
// accepts in an object that was stored with it; nothing in the list would then be
// normalized. A parsed query maps keys to the lists of their values: here, to the index
// in the old list and, after an "n", the index in the new one. So a key that occurs
// once in each list has exactly these two values, in this order. (Go parses at most
// 10,000 parameters of a query. In longer lists nothing has a counterpart.)
func (w *policyWriter) list(s *structural.Schema, n *node, pair pairAt) []*step {
	if len(n.keys) == 0 {
		return nil
	}
	inner := w.enter(pair)
	key := "k" + strconv.Itoa(inner.depth)
	found := "v" + strconv.Itoa(inner.depth)
	inner.old = pair.old + "[int(" + found + "[0])]"
	inner.new = pair.new + "[int(" + found + "[1].substring(1))]"
	inner.path = pair.path.Key("*")
	inner.pointer = append(slices.Clone(pair.pointer), "'/'", found+"[1].substring(1)")
	children := w.value(s.Items, n.items, inner)
	if len(children) == 0 {
		return nil
	}
	has, text := keyText(s.Items, n.keys)
	pairs := func(list, prefix string) string {
		return list + ".transformList(i, e, " + has + "\n      " + text + " + '=" + prefix + "' + string(i))"
	}
	return []*step{{
		open: "// A query of the keys: each is in both lists once if it has two values, the index in the\n" +
			"// old list and, behind an n, that in the new one.\n" +
			"url('/?' + (" + pairs(pair.old, "") + "\n  + " + pairs(pair.new, "n") + ").join('&')).getQuery()\n" +
			"  .transformList(" + key + ", " + found + ", " + found + ".size() == 2 && !" + found + "[0].startsWith('n') && " + found + "[1].startsWith('n'),",
		below: children,
		close: ").flatten()",
	}}
}

// keyText returns the expression for the keys of element e as one name in a query, and
// the filter of elements that have all keys, followed by a comma. The text of a key is
// self-delimiting, whatever its content.
func keyText(items *structural.Schema, keys []listKey) (filter, text string) {
	var present, texts []string
	for i, k := range keys {
		p := items.Property(k.name)
		if p == nil {
			p = &structural.Schema{}
		}
		value := access("e", k.name)
		if k.absent == nil {
			present = append(present, isSet("e", k.name, p))
		} else if literal, ok := celLiteral(k.absent); ok {
			value = "(" + isSet("e", k.name, p) + " ? " + value + " : " + literal + ")"
		}
		last := i == len(keys)-1
		switch {
		case p.Type == "string" && last:
			texts = append(texts, queryEscaped(value))
		case p.Type == "string":
			texts = append(texts, "string("+value+".size()) + ',' + "+queryEscaped(value))
		case p.Type == "integer": // 1.0 and 1 are the same key
			texts = append(texts, "string(int("+value+"))")
		case p.Type == "boolean":
			texts = append(texts, "string("+value+")")
		default: // a number, or of several types
			texts = append(texts, "(type("+value+") == string ? string(size(string("+value+"))) + '\"' : '') + "+queryEscaped("string("+value+")"))
		}
	}
	if len(present) > 0 {
		filter = strings.Join(present, " && ") + ","
	}
	return filter, strings.Join(texts, "\n      + ',' + ")
}

// celLiteral returns a decoded scalar as a CEL literal.
func celLiteral(value any) (string, bool) {
	if text, ok := value.(string); ok {
		return celtext.String(text), true
	}
	raw, err := plainjson.Marshal(value)
	return string(raw), err == nil
}

// queryEscaped returns an expression for the text of an expression, escaped as a name in
// a query. Texts with a character that would end or change the name, or that no URL can
// contain, are written in hexadecimal after a control character, with which no other
// text begins.
func queryEscaped(text string) string {
	return "(" + text + ".matches('[%&+;=#[:cntrl:]]') ? '%01' + '%x'.format([" + text + "]) : " + text + ")"
}

// checkApart rejects unions that overlap: all patches are computed at once, whereas
// [Plan.Normalize] clears one union after the other.
func (w *policyWriter) checkApart(n *node, pair pairAt) {
	var members, discriminators []string
	for i := range n.unions {
		u := &n.unions[i]
		if u.Discriminator == "" {
			continue
		}
		discriminators = append(discriminators, u.Discriminator)
		for _, m := range u.Members {
			if slices.Contains(members, m.Name) {
				w.fail(pair.path.Child(m.Name), "no policy can clear a field that is a member more than once")
			}
			members = append(members, m.Name)
		}
	}
	for _, name := range discriminators {
		if slices.Contains(members, name) {
			w.fail(pair.path.Child(name), "no policy can clear a field that is both a discriminator and a member")
		}
	}
}

// clear returns the step with the patches of one union.
func (w *policyWriter) clear(schema *structural.Schema, u *union, pair pairAt) *step {
	d := schema.Property(u.Discriminator)
	if d == nil {
		d = &structural.Schema{}
	}
	absent := ""
	if u.Default != nil {
		absent = *u.Default
	}
	read := func(object string) string {
		return "(" + isSet(object, u.Discriminator, d) + " ? " + access(object, u.Discriminator) + " : " + celtext.String(absent) + ")"
	}
	// A value that validation rejects clears nothing: the error is then about the
	// object as sent, not about what is left of it.
	var values []string
	for _, v := range u.Values {
		values = append(values, celtext.String(v.Name))
	}
	guards := []string{
		read(pair.new) + " != " + read(pair.old),
		"(!(" + isSet(pair.new, u.Discriminator, d) + ") || " + access(pair.new, u.Discriminator) + " in [" + strings.Join(values, ", ") + "])",
	}
	var members []string
	name := "m"
	filters := []string{"m in " + pair.new}
	nullable := false
	for _, m := range u.Members {
		members = append(members, celtext.String(m.Name)+": "+celtext.String(m.Value))
		if strings.ContainsAny(m.Name, "~/") {
			name = "jsonpatch.escapeKey(m)"
		}
		if p := schema.Property(m.Name); p != nil && p.Nullable {
			nullable = true
		}
		w.pointerTo(pair, m.Name, pair.path.Child(m.Name))
	}
	if nullable {
		filters = append(filters, pair.new+"[m] != null")
	}
	if w.opts.CarryOverOnly {
		filters = append(filters, "m in "+pair.old)
		if nullable {
			filters = append(filters, pair.old+"[m] != null")
		}
	}
	filters = append(filters, "v != "+read(pair.new))
	pointer := joinTerms(append(slices.Clone(pair.pointer), "'/'", name))
	return &step{
		guards: guards,
		open: "{" + strings.Join(members, ", ") + "}.transformList(m, v, " + conjunction(filters, "    ") + ",\n" +
			"  JSONPatch{op: 'remove', path: " + pointer + "})",
		leaf: len(w.leaves),
	}
}

// joinTerms joins string expressions, and merges adjacent literals.
func joinTerms(terms []string) string {
	text := strings.Join(terms, " + ")
	return strings.ReplaceAll(text, "' + '", "")
}

// pointerTo returns the JSON pointer of a field. The server quotes a path as Go does
// and reads it as JSON: characters for which the two differ make the patch fail.
func (w *policyWriter) pointerTo(pair pairAt, name string, path *field.Path) []string {
	var decoded string
	if err := json.Unmarshal([]byte(strconv.Quote(name)), &decoded); err != nil || decoded != name {
		w.fail(path, "no path of a patch can contain the name %q", name)
	}
	return append(slices.Clone(pair.pointer), celtext.String("/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
}

var fieldRegexp = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isField reports whether a name can follow a dot. Other reserved words are allowed
// there; these are tokens.
func isField(name string) bool {
	return fieldRegexp().MatchString(name) && !slices.Contains([]string{"in", "true", "false", "null"}, name)
}

// access returns the expression for a field. Policies use names as they are: only the
// rules of a schema escape them.
func access(object, name string) string {
	if isField(name) {
		return object + "." + name
	}
	return object + "[" + celtext.String(name) + "]"
}

// isSet returns the expression that a field is present and not null. The server
// removes null from fields that are not nullable before admission.
func isSet(object, name string, s *structural.Schema) string {
	text := celtext.String(name) + " in " + object
	if isField(name) {
		text = "has(" + access(object, name) + ")"
	}
	if s.Nullable {
		text += " && " + access(object, name) + " != null"
	}
	return text
}

// expressions returns the expressions of the mutations. Each list or map has its own
// expression, so that a large one that exceeds the cost limit does not affect the
// others. The rest comes last, because only it can enclose a list or map.
func (w *policyWriter) expressions(root *step) ([]string, error) {
	var out []string
	for loop := 1; loop <= w.loops+1; loop++ {
		var group []int
		for i, l := range w.leaves {
			if l.loop == loop%(w.loops+1) {
				group = append(group, i)
			}
		}
		for len(group) > 0 {
			count, text := w.longest(root, group)
			if count == 0 {
				return nil, fmt.Errorf("%s: an expression for this union is longer than the %d characters that the API server allows",
					w.leaves[group[0]].path, w.limit)
			}
			out = append(out, text)
			group = group[count:]
		}
	}
	return out, nil
}

// longest returns the expression for as many of the first unions as fit, and their
// number.
func (w *policyWriter) longest(root *step, group []int) (int, string) {
	fits := func(count int) (string, bool) {
		text := root.text(group[:count])
		return text, utf8.RuneCountInString(text) < w.limit
	}
	if text, ok := fits(len(group)); ok {
		return len(group), text
	}
	low := 0
	high := len(group)
	longest := "" // low unions fit, high do not
	for high-low > 1 {
		middle := (low + high) / 2
		if text, ok := fits(middle); ok {
			low = middle
			longest = text
		} else {
			high = middle
		}
	}
	return low, longest
}

// text returns the expression of the step with the given leaves, in ascending order,
// or "".
func (s *step) text(leaves []int) string { return guarded(s.parts(leaves)) }

func guarded(guards []string, body string) string {
	if len(guards) == 0 || body == "" {
		return body
	}
	return "(" + conjunction(guards, "  ") + " ?\n" + indented(body) + "\n: [])"
}

// conjunction joins conditions, each on its own line if one line would be too long.
func conjunction(conditions []string, indent string) string {
	if text := strings.Join(conditions, " && "); len(text) <= longLine {
		return text
	}
	return strings.Join(conditions, "\n"+indent+"&& ")
}

// parts returns the conditions of the expression and the guarded body. Conditions of
// consecutive steps are merged.
func (s *step) parts(leaves []int) (guards []string, body string) {
	if len(s.below) == 0 {
		if _, ok := slices.BinarySearch(leaves, s.leaf); ok {
			return s.guards, s.open
		}
		return nil, ""
	}
	var texts []string
	for _, b := range s.below {
		g, text := b.parts(leaves)
		if text != "" {
			guards = g
			body = text
			texts = append(texts, guarded(g, text))
		}
	}
	switch {
	case len(texts) == 0:
		return nil, ""
	case len(texts) > 1:
		guards = nil
		body = "[\n" + indented(strings.Join(texts, ",\n")) + "\n].flatten()"
	}
	if s.open != "" {
		guards, body = nil, s.open+"\n"+indented(guarded(guards, body))+"\n"+s.close
	}
	return slices.Concat(s.guards, guards), body
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// resources returns the resources whose updates can change a union.
func (w *policyWriter) resources(target PolicyTarget) []string {
	inStatus := func(l leaf) bool { return target.StatusSubresource && l.top == "status" }
	var out []string
	if slices.ContainsFunc(w.leaves, func(l leaf) bool { return !inStatus(l) }) {
		out = append(out, target.Plural)
	}
	if slices.ContainsFunc(w.leaves, inStatus) {
		out = append(out, target.Plural+"/status")
	}
	return out
}
