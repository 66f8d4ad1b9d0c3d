package unions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// PolicyTarget is the resource that a policy is for: one served version of a
// kind, because each version has members of its own.
type PolicyTarget struct {
	Group, Version, Plural string
	// StatusSubresource says that the version has a status subresource, so that
	// its status changes through requests of their own.
	StatusSubresource bool
}

// maxDepth is the greatest number of lists and maps in each other. CEL's parser
// gives up at 250 expressions in each other.
const maxDepth = 40

// longLine is the length from which the conditions of an expression have a line each.
const longLine = 120

// maxExpression is the greatest length of one CEL expression, in code points
// (cel-go's default of ExpressionSizeCodePointLimit, which the API server keeps).
const maxExpression = 100_000

// Policies returns a MutatingAdmissionPolicy that does on the API server what
// [Plan.Normalize] does, and the binding that puts it in force. Both are nil
// where the schema leads to no union that normalizes. Of the options only
// CarryOverOnly matters.
//
// The policy needs Kubernetes 1.36. It acts on updates only, since nothing is
// ever cleared on create, and where one of its expressions fails (at values of a
// wrong type, or at the cost limit) it lets the request pass: the rules of the
// schema still refuse what was not cleared.
//
// An error says, with its path in the schema, what no expression can do.
func Policies(s *structural.Schema, target PolicyTarget, opts Options) (
	*admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding, error,
) {
	return policiesWithin(s, target, opts, maxExpression)
}

// policiesWithin has no expression of limit code points or more.
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
		return nil, nil, fmt.Errorf("%q is no name for a policy: %s", name, strings.Join(problems, "; "))
	}
	policy, binding := policyOf(name, target, w.resources(target), expressions)
	return policy, binding, nil
}

// policyOf puts the expressions into the objects.
func policyOf(name string, target PolicyTarget, resources, expressions []string) (
	*admissionregistrationv1.MutatingAdmissionPolicy, *admissionregistrationv1.MutatingAdmissionPolicyBinding,
) {
	kind := func(name string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: admissionregistrationv1.SchemeGroupVersion.String(), Kind: name}
	}
	exact, ignore := admissionregistrationv1.Exact, admissionregistrationv1.Ignore
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
func PolicyYAML(policy *admissionregistrationv1.MutatingAdmissionPolicy, binding *admissionregistrationv1.MutatingAdmissionPolicyBinding) ([]byte, error) {
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

// step is a part of an expression, of type list(JSONPatch).
type step struct {
	// guards are the conditions of the rest: without them the list is empty.
	guards []string
	// open and close stand around what is below, or are empty.
	open, close string
	below       []*step
	// leaf is the number of the union of which the step clears members; nothing
	// is below then, and open is the whole text.
	leaf int
}

// leaf is one union at one place.
type leaf struct {
	// path is for errors. The first field of it decides about the subresource.
	path *field.Path
	top  string
	// loop is the number of the outermost list or map around the union, or 0.
	loop int
}

// policyWriter goes through a schema. The first error ends it.
type policyWriter struct {
	opts   Options
	limit  int // of expressions, in code points
	leaves []leaf
	loops  int
	err    error
}

// pairAt is a place in two objects at once.
type pairAt struct {
	// old and new are CEL expressions of the two values, which are not null.
	old, new string
	// pointer are the terms of the CEL expression of the place as a JSON pointer.
	pointer []string
	path    *field.Path
	top     string
	// depth and loop count the lists and maps around the place.
	depth, loop int
}

func (w *policyWriter) fail(path *field.Path, format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
}

// value returns the steps of all unions in and below a value, inner ones first:
// so each patch still finds what it removes, and a member that is removed later
// may have been patched before.
func (w *policyWriter) value(s *structural.Schema, n *node, at pairAt) []*step {
	if n.items != nil {
		return w.list(s, n, at)
	}
	return w.object(s, n, at)
}

func (w *policyWriter) object(s *structural.Schema, n *node, at pairAt) []*step {
	var out []*step
	for _, f := range n.fields {
		p := propertyOf(s, f.name)
		child := at
		child.old, child.new = access(at.old, f.name), access(at.new, f.name)
		child.path = at.path.Child(f.name)
		child.pointer = w.pointerTo(at, f.name, child.path)
		if at.path == nil {
			child.top = f.name
		}
		if below := w.value(p, f.node, child); len(below) > 0 {
			out = append(out, &step{guards: []string{isSet(at.old, f.name, p), isSet(at.new, f.name, p)}, below: below})
		}
	}
	if n.values != nil {
		out = append(out, w.values(s.AdditionalProperties.Schema, n.values, at)...)
	}
	w.checkApart(n, at)
	for i := range n.unions {
		if u := &n.unions[i]; u.Discriminator != "" && len(u.Members) > 0 {
			out = append(out, w.clear(s, u, at))
			w.leaves = append(w.leaves, leaf{path: at.path.Child(u.Discriminator), top: topOf(at, u), loop: at.loop})
		}
	}
	return out
}

func topOf(at pairAt, u *union) string {
	if at.path == nil {
		return u.Discriminator
	}
	return at.top
}

// enter is the place inside of a list or map.
func (w *policyWriter) enter(at pairAt) pairAt {
	if at.depth == 0 {
		w.loops++
		at.loop = w.loops
	}
	if at.depth++; at.depth > maxDepth {
		w.fail(at.path, "no policy can reach unions in more than %d lists and maps in each other", maxDepth)
	}
	return at
}

// unpatchable are the characters with which the server quotes a path so that it cannot
// read it as JSON, but for some of the planes above U+FFFF: see [policyWriter.pointerTo].
const unpatchable = `[\x00-\x07\x0b\x0e-\x1f\x7f]`

// values goes through a map. Keys that only one of the objects has are not
// entered, nor are those of which no path is possible: the patches of the others would
// fail with theirs.
func (w *policyWriter) values(s *structural.Schema, n *node, at pairAt) []*step {
	in := w.enter(at)
	key, value := "k"+strconv.Itoa(in.depth), "v"+strconv.Itoa(in.depth)
	in.old, in.new = at.old+"["+key+"]", value
	in.path = at.path.Key("*")
	in.pointer = append(slices.Clone(at.pointer), "'/'", "jsonpatch.escapeKey("+key+")")
	below := w.value(s, n, in)
	if len(below) == 0 {
		return nil
	}
	filter := key + " in " + at.old + " && !" + key + ".matches(r'" + unpatchable + "')"
	if s.Nullable {
		filter += " && " + in.old + " != null && " + in.new + " != null"
	}
	return []*step{{
		open:  at.new + ".transformList(" + key + ", " + value + ", " + filter + ",",
		below: below,
		close: ").flatten()",
	}}
}

// list goes through a keyed list. Other lists have no counterparts.
//
// Elements are found by an index, built once: a search for each element would
// exceed the cost limit at some hundred of them. transformMapEntry, CEL's way to
// build a map, fails at the first key that occurs twice, which the server
// accepts in an object that was stored so, and nothing in the list would be
// normalized. A parsed query is a map of keys to the lists of their values: here
// to the index in the old list and, after an "n", that in the new one. So a key
// that occurs once in each list has these two values, in this order. (Go reads
// 10,000 parameters of a query. In longer lists nothing has a counterpart.)
func (w *policyWriter) list(s *structural.Schema, n *node, at pairAt) []*step {
	if len(n.keys) == 0 {
		return nil
	}
	in := w.enter(at)
	key, found := "k"+strconv.Itoa(in.depth), "v"+strconv.Itoa(in.depth)
	in.old = at.old + "[int(" + found + "[0])]"
	in.new = at.new + "[int(" + found + "[1].substring(1))]"
	in.path = at.path.Key("*")
	in.pointer = append(slices.Clone(at.pointer), "'/'", found+"[1].substring(1)")
	below := w.value(s.Items, n.items, in)
	if len(below) == 0 {
		return nil
	}
	has, text := keyText(s.Items, n.keys)
	pairs := func(list, prefix string) string {
		return list + ".transformList(i, e, " + has + "\n      " + text + " + '=" + prefix + "' + string(i))"
	}
	return []*step{{
		open: "// A query of the keys: each is in both lists once if it has two values, the index in the\n" +
			"// old list and, behind an n, that in the new one.\n" +
			"url('/?' + (" + pairs(at.old, "") + "\n  + " + pairs(at.new, "n") + ").join('&')).getQuery()\n" +
			"  .transformList(" + key + ", " + found + ", " + found + ".size() == 2 && !" + found + "[0].startsWith('n') && " + found + "[1].startsWith('n'),",
		below: below,
		close: ").flatten()",
	}}
}

// keyText is the expression of the keys of element e as one name of a query, and
// the filter of elements that have all of them, with a comma. The text of a key
// ends where the next one begins, whatever is in it.
func keyText(items *structural.Schema, keys []listKey) (filter, text string) {
	var present, texts []string
	for i, k := range keys {
		p := propertyOf(items, k.name)
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
		case p.Type == "integer": // 1.0 is the same key as 1
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

// celLiteral is a decoded scalar as CEL has it.
func celLiteral(value any) (string, bool) {
	if text, ok := value.(string); ok {
		return structural.CELString(text), true
	}
	raw, err := json.Marshal(value)
	return string(raw), err == nil
}

// queryEscaped is the text that an expression has, as a name in a query. What holds a
// character that would end the name there, be another one, or that no URL can have is
// written in hexadecimal behind a control character, which no other text begins with.
func queryEscaped(text string) string {
	return "(" + text + ".matches('[%&+;=#[:cntrl:]]') ? '%01' + '%x'.format([" + text + "]) : " + text + ")"
}

// checkApart refuses unions that are not apart from each other: the patches are
// found all at once, but [Plan.Normalize] clears one union after the other.
func (w *policyWriter) checkApart(n *node, at pairAt) {
	var members, discriminators []string
	for i := range n.unions {
		u := &n.unions[i]
		if u.Discriminator == "" {
			continue
		}
		discriminators = append(discriminators, u.Discriminator)
		for _, m := range u.Members {
			if slices.Contains(members, m.Name) {
				w.fail(at.path.Child(m.Name), "no policy can clear a field that is a member twice")
			}
			members = append(members, m.Name)
		}
	}
	for _, name := range discriminators {
		if slices.Contains(members, name) {
			w.fail(at.path.Child(name), "no policy can clear a field that is a discriminator and a member")
		}
	}
}

// clear is the step of the patches of one union.
func (w *policyWriter) clear(s *structural.Schema, u *union, at pairAt) *step {
	d := propertyOf(s, u.Discriminator)
	if d == nil {
		d = &structural.Schema{}
	}
	absent := ""
	if u.Default != nil {
		absent = *u.Default
	}
	read := func(object string) string {
		return "(" + isSet(object, u.Discriminator, d) + " ? " + access(object, u.Discriminator) + " : " + structural.CELString(absent) + ")"
	}
	// A value that validation refuses clears nothing: what is refused then is what was
	// sent, not what is left of it.
	var values []string
	for _, v := range u.Values {
		values = append(values, structural.CELString(v.Name))
	}
	guards := []string{
		read(at.new) + " != " + read(at.old),
		"(!(" + isSet(at.new, u.Discriminator, d) + ") || " + access(at.new, u.Discriminator) + " in [" + strings.Join(values, ", ") + "])",
	}
	var members []string
	name, filters := "m", []string{"m in " + at.new}
	nullable := false
	for _, m := range u.Members {
		members = append(members, structural.CELString(m.Name)+": "+structural.CELString(m.Value))
		if strings.ContainsAny(m.Name, "~/") {
			name = "jsonpatch.escapeKey(m)"
		}
		if p := propertyOf(s, m.Name); p != nil && p.Nullable {
			nullable = true
		}
		w.pointerTo(at, m.Name, at.path.Child(m.Name))
	}
	if nullable {
		filters = append(filters, at.new+"[m] != null")
	}
	if w.opts.CarryOverOnly {
		filters = append(filters, "m in "+at.old)
		if nullable {
			filters = append(filters, at.old+"[m] != null")
		}
	}
	filters = append(filters, "v != "+read(at.new))
	pointer := joinTerms(append(slices.Clone(at.pointer), "'/'", name))
	return &step{
		guards: guards,
		open: "{" + strings.Join(members, ", ") + "}.transformList(m, v, " + conjunction(filters, "    ") + ",\n" +
			"  JSONPatch{op: 'remove', path: " + pointer + "})",
		leaf: len(w.leaves),
	}
}

// joinTerms joins string expressions, and literals that stand side by side.
func joinTerms(terms []string) string {
	text := strings.Join(terms, " + ")
	return strings.ReplaceAll(text, "' + '", "")
}

// pointerTo is the JSON pointer of a field. The server quotes a path as Go does,
// and reads it as JSON: characters for which the two differ make the patch fail.
func (w *policyWriter) pointerTo(at pairAt, name string, path *field.Path) []string {
	var decoded string
	if err := json.Unmarshal([]byte(strconv.Quote(name)), &decoded); err != nil || decoded != name {
		w.fail(path, "no path of a patch can have the name %q", name)
	}
	return append(slices.Clone(at.pointer), structural.CELString("/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name)))
}

var fieldRegexp = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// isField reports whether a name can follow a dot. Other words of the language
// are allowed there; these are tokens.
func isField(name string) bool {
	return fieldRegexp.MatchString(name) && !slices.Contains([]string{"in", "true", "false", "null"}, name)
}

// access is the expression of a field. Policies see names as they are: only the
// rules of a schema escape them.
func access(object, name string) string {
	if isField(name) {
		return object + "." + name
	}
	return object + "[" + structural.CELString(name) + "]"
}

// isSet is the expression that a field is present and not null. The server
// removes null from fields that are not nullable before admission.
func isSet(object, name string, s *structural.Schema) string {
	text := structural.CELString(name) + " in " + object
	if isField(name) {
		text = "has(" + access(object, name) + ")"
	}
	if s.Nullable {
		text += " && " + access(object, name) + " != null"
	}
	return text
}

// expressions are those of the mutations. Each list or map has one of its own:
// a large one that exceeds the cost limit takes nothing else with it. The others
// come last, because only they can be around a list or map.
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

// longest is the expression for the most of the first unions that fit, and how
// many these are.
func (w *policyWriter) longest(root *step, group []int) (int, string) {
	fits := func(count int) (string, bool) {
		text := root.text(group[:count])
		return text, utf8.RuneCountInString(text) < w.limit
	}
	if text, ok := fits(len(group)); ok {
		return len(group), text
	}
	low, high, longest := 0, len(group), "" // low fits, high does not
	for high-low > 1 {
		middle := (low + high) / 2
		if text, ok := fits(middle); ok {
			low, longest = middle, text
		} else {
			high = middle
		}
	}
	return low, longest
}

// text is the expression of the step with the leaves given, in ascending order,
// or empty.
func (s *step) text(leaves []int) string { return guarded(s.parts(leaves)) }

func guarded(guards []string, body string) string {
	if len(guards) == 0 || body == "" {
		return body
	}
	return "(" + conjunction(guards, "  ") + " ?\n" + indented(body) + "\n: [])"
}

// conjunction joins conditions, in lines of their own where one would be long.
func conjunction(conditions []string, indent string) string {
	if text := strings.Join(conditions, " && "); len(text) <= longLine {
		return text
	}
	return strings.Join(conditions, "\n"+indent+"&& ")
}

// parts are the conditions of the expression, and what they guard. Those of
// steps that follow each other are one.
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
			guards, body = g, text
			texts = append(texts, guarded(g, text))
		}
	}
	switch {
	case len(texts) == 0:
		return nil, ""
	case len(texts) > 1:
		guards, body = nil, "[\n"+indented(strings.Join(texts, ",\n"))+"\n].flatten()"
	}
	if s.open != "" {
		guards, body = nil, s.open+"\n"+indented(guarded(guards, body))+"\n"+s.close
	}
	return slices.Concat(s.guards, guards), body
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// resources are those whose updates can change a union.
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
