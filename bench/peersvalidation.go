package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed testdata/validationrecorder/recorder.go
var validationRecorder []byte

// validationCall is a call of a generated function by a test of validation-gen.
type validationCall struct {
	Package, Test, Type string
	Update              bool
	Value, OldValue     json.RawMessage
	Options             map[string]bool
	Subresources        []string
	Errors              []validationError

	// name is that of the case; kind is the directory of its kind.
	name, kind string
}

type validationError struct{ Field, Type, Detail, Level string }

// validationKind is a kind whose spec is a type of a test.
type validationKind struct {
	dir, source, typeName, group string
	// bounded is set if the types have limits for the server's estimates of costs.
	bounded bool
	// refused are the errors about it.
	refused []string
	// ignored has the tags that schemagen warns about, by the JSON name of the field, or the name
	// of the type after "type ".
	ignored map[string][]string
}

// validationCases records the objects of the tests of validation-gen's tags, generates a CRD with
// the type of each, and asks schemagen try about the objects.
func validationCases(ctx context.Context, r peerRun) ([]peerTable, error) {
	dir := filepath.Join(r.temp, "validation")
	sources, err := r.validationSources()
	if err != nil {
		return nil, err
	}
	docs := map[string]map[string]fieldDoc{}
	for pkg, source := range sources {
		docs[pkg], err = fieldDocs(source["doc.go"])
		if err != nil {
			return nil, err
		}
	}
	calls, err := r.validationCalls(ctx, dir, sources)
	if err != nil {
		return nil, err
	}
	var tables []peerTable
	table := func(call validationCall) *peerTable {
		name, _, _ := strings.Cut(strings.TrimPrefix(call.Package, validationModule+"/"+validationTests+"/tags/"), "/")
		i := slices.IndexFunc(tables, func(t peerTable) bool { return t.name == name })
		if i < 0 {
			tables = append(tables, peerTable{name: name})
			i = len(tables) - 1
		}
		return &tables[i]
	}
	kinds := map[string]*validationKind{}
	var served []validationCall
	for _, call := range calls {
		t := table(call)
		if reason := call.omission(); reason != "" {
			t.omit(reason)
			continue
		}
		gates := call.gates()
		call.kind = filepath.Join(strings.Join(append([]string{"gates"}, gates...), "-"),
			filepath.FromSlash(strings.TrimPrefix(call.Package, validationModule+"/"+validationTests+"/")), call.Type)
		if kinds[call.kind] == nil {
			kinds[call.kind] = &validationKind{
				dir: call.kind, source: call.Package, typeName: call.Type,
				group: fmt.Sprintf("g%d.peers.example.com", len(kinds)),
			}
		}
		served = append(served, call)
	}
	if err := r.validationCRDs(ctx, dir, kinds, sources); err != nil {
		return nil, err
	}
	found, err := r.validationAnswers(ctx, dir, served, kinds)
	if err != nil {
		return nil, err
	}
	for i, call := range served {
		table(call).compareFields(validationDifference{
			call: call, kind: kinds[call.kind], found: found[validationFile(i)], docs: docs[call.Package],
		})
	}
	return tables, nil
}

// omission returns why schemagen cannot get a call, or "".
func (c validationCall) omission() string {
	forced := func(e validationError) bool { return strings.HasPrefix(e.Detail, forcedFailure) }
	switch {
	case len(c.Subresources) > 0:
		return "the call is for a subresource"
	case c.Type == "":
		return "the value has a type without a name"
	case strings.Contains(c.Package, "/supported_resources/"):
		return "the tag is about subresources"
	case slices.ContainsFunc(c.Errors, func(e validationError) bool { return e.Type == "InternalError" }):
		return "the call does not declare an option of a tag"
	case len(c.Errors) > 0 && !slices.ContainsFunc(c.Errors, func(e validationError) bool { return !forced(e) }):
		return "all errors are those of +k8s:validateFalse"
	}
	return ""
}

func (t *peerTable) omit(reason string) {
	i := slices.IndexFunc(t.omitted, func(o peerOmission) bool { return o.reason == reason })
	if i < 0 {
		t.omitted = append(t.omitted, peerOmission{reason: reason})
		i = len(t.omitted) - 1
	}
	t.omitted[i].count++
}

// gates returns the options that a call turns on.
func (c validationCall) gates() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(c.Options)) {
		if c.Options[name] {
			out = append(out, name)
		}
	}
	return out
}

// expected returns the fields of the errors that a server reports: it ignores those of tags in
// +k8s:alpha, and +k8s:validateFalse is not for servers.
func (c validationCall) expected() []string {
	var out []string
	for _, e := range c.Errors {
		if e.Level == "alpha" || strings.HasPrefix(e.Detail, forcedFailure) {
			continue
		}
		out = append(out, fieldPath(strings.TrimSuffix("spec."+strings.TrimPrefix(e.Field, "<nil>"), ".")))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// forcedFailure begins the details of errors of +k8s:validateFalse.
const forcedFailure = "forced failure: "

// skippedRules is an error of the server without a field.
const skippedRules = "some validation rules were not checked"

// errorFields returns the fields that errors of the server name.
func errorFields(messages []string) []string {
	var out []string
	for _, m := range messages {
		if strings.HasPrefix(m, skippedRules) {
			continue
		}
		if m := quotedField.FindStringSubmatch(m); m != nil {
			out = append(out, fieldPath(m[1]))
			continue
		}
		path, _, _ := strings.Cut(m, ": ")
		out = append(out, fieldPath(path))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var (
	// quotedField matches the field in the error of a schema in allOf, anyOf or not.
	quotedField = regexp.MustCompile(`^"([^"]+)" must`)

	// keyInBrackets matches the key of a map in a path. The server writes some keys after a dot.
	keyInBrackets = regexp.MustCompile(`\[([^\]]*[^\]0-9][^\]]*)\]`)
)

// fieldPath returns a path with the keys of maps after dots.
func fieldPath(path string) string { return keyInBrackets.ReplaceAllString(path, ".$1") }

func validationFile(i int) string { return fmt.Sprintf("%04d.json", i) }

// validationAnswers returns the errors for the objects, by file.
func (r peerRun) validationAnswers(
	ctx context.Context, dir string, calls []validationCall, kinds map[string]*validationKind,
) (map[string][]string, error) {
	for _, name := range []string{"create", "update", "old"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			return nil, err
		}
	}
	for i, call := range calls {
		k := kinds[call.kind]
		if len(k.refused) > 0 {
			continue
		}
		write := func(sub string, spec json.RawMessage) error {
			text, err := json.Marshal(map[string]any{
				"apiVersion": k.group + "/v1", "kind": "Peer", "spec": spec,
				"metadata": map[string]any{"name": fmt.Sprintf("p%d", i)},
			})
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, sub, validationFile(i)), text, 0o644)
		}
		if !call.Update || string(call.OldValue) == "null" {
			if err := write("create", call.Value); err != nil {
				return nil, err
			}
			continue
		}
		if err := write("update", call.Value); err != nil {
			return nil, err
		}
		if err := write("old", call.OldValue); err != nil {
			return nil, err
		}
	}
	crds := filepath.Join(dir, "crds")
	out := map[string][]string{}
	for _, args := range [][]string{
		{"-f", filepath.Join(dir, "create")},
		{"-f", filepath.Join(dir, "update"), "--old", filepath.Join(dir, "old")},
	} {
		found, err := r.findings(ctx, append([]string{"try", crds, "-o", "none", "--validate", "warn"}, args...)...)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if f.Severity == "error" {
				name := filepath.Base(f.File)
				out[name] = append(out[name], f.Message)
			}
		}
	}
	return out, nil
}

// validationCRDs generates the CRDs of kinds. A kind with errors has none.
func (r peerRun) validationCRDs(
	ctx context.Context, dir string, kinds map[string]*validationKind, sources map[string]map[string][]byte,
) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.temp, name), text, 0o644); err != nil {
			return err
		}
	}
	byGates := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		if err := k.write(filepath.Join(r.temp, k.dir), sources[k.source]); err != nil {
			return err
		}
		gates, _, _ := strings.Cut(name, string(filepath.Separator))
		byGates[gates] = append(byGates[gates], name)
	}
	other := filepath.FromSlash(validationTests + "/_codegenignore/other")
	if err := os.CopyFS(filepath.Join(r.temp, other), os.DirFS(filepath.Join(r.dir, other))); err != nil {
		return err
	}
	for _, gates := range slices.Sorted(maps.Keys(byGates)) {
		args := []string{
			"crd", "--enable", "k8s,enum,unsigned", "--unions", "cel", "--set", "crd.allowDangerousTypes=true", "--no-cache",
			"-o", filepath.Join(dir, "crds"),
		}
		if names := strings.Split(gates, "-")[1:]; len(names) > 0 {
			args = append(args, "--gates", strings.Join(names, ","))
		}
		generated := false
		for !generated {
			byDir := map[string]*validationKind{}
			packages := slices.Clone(args)
			for _, name := range byGates[gates] {
				if len(kinds[name].refused) == 0 {
					byDir[name] = kinds[name]
					packages = append(packages, "./"+name)
				}
			}
			found, err := r.findings(ctx, packages...)
			if err != nil {
				return err
			}
			generated, err = r.sortFindings(found, byDir, sources)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sortFindings gives findings to the kinds that they are about, and limits to those whose rules
// cost too much. It reports whether no kind has an error.
func (r peerRun) sortFindings(
	found []peerFinding, kinds map[string]*validationKind, sources map[string]map[string][]byte,
) (bool, error) {
	errs := map[*validationKind][]string{}
	for _, f := range found {
		k := kinds[filepath.Dir(f.File)]
		switch {
		case k == nil:
			return false, fmt.Errorf("a finding at %s:%d: %s", f.File, f.Line, f.Message)
		case f.Severity == "error":
			errs[k] = append(errs[k], f.Code+" "+f.Message)
		case f.Code == "SG309":
			if err := k.ignore(filepath.Join(r.temp, f.File), f); err != nil {
				return false, err
			}
		}
	}
	for k, messages := range errs {
		if k.bounded || !said(messages, "cost") {
			k.refused = messages
			continue
		}
		k.bounded = true
		if err := k.write(filepath.Join(r.temp, k.dir), sources[k.source]); err != nil {
			return false, err
		}
	}
	return len(errs) == 0, nil
}

// write writes a package with the types of a test, and the kind.
func (k *validationKind) write(dir string, source map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	clause := ""
	for name, text := range source {
		clause = packageClause.FindStringSubmatch(string(text))[1]
		text = schemeUse.ReplaceAll(text, nil)
		if k.bounded {
			bounded, err := boundedSource(text)
			if err != nil {
				return err
			}
			text = bounded
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	header := strings.ReplaceAll(fmt.Sprintf(peerKindsHeader, clause), "peers.example.com", k.group+"\n// +versionName=v1")
	kind := fmt.Sprintf(peerKind, "", "Spec "+k.typeName+" `json:\"spec\"`")
	text := header + strings.ReplaceAll(kind, "type Peers ", "type Peer ")
	return os.WriteFile(filepath.Join(dir, "zz_peers.go"), []byte(text), 0o644)
}

// ignore records a tag without an effect.
func (k *validationKind) ignore(file string, f peerFinding) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	tag, _, _ := strings.Cut(f.Message, " ")
	for _, line := range strings.Split(string(text), "\n")[f.Line:] {
		if m := declaredName.FindStringSubmatch(line); m != nil {
			if k.ignored == nil {
				k.ignored = map[string][]string{}
			}
			name := m[1] + m[2]
			if !slices.Contains(k.ignored[name], tag) {
				k.ignored[name] = append(k.ignored[name], tag)
			}
			return nil
		}
	}
	return nil
}

// schemeUse matches what registers functions of a package.
var schemeUse = regexp.MustCompile(
	`(?m)^(import|\t)? *"k8s.io/code-generator/cmd/validation-gen/testscheme"$|^var localSchemeBuilder = .*$`)

// validationDifference is a call with what schemagen makes of it.
type validationDifference struct {
	call validationCall
	kind *validationKind
	// found are the errors for the object.
	found []string
	// docs are the comments of fields by JSON name.
	docs map[string]fieldDoc
}

// compareFields adds a case: the fields that have errors.
func (t *peerTable) compareFields(d validationDifference) {
	t.count++
	expected := d.call.expected()
	ours := answerText(d.found)
	theirs, others := differentErrors(expected, errorFields(d.found))
	reason := ""
	switch {
	case len(d.kind.refused) > 0:
		ours = answerText(d.kind.refused)
		reason = refusalReason(d.kind.refused)
	case len(theirs)+len(others) == 0:
		return
	default:
		reason = d.reason(theirs, others)
	}
	t.differs = append(t.differs, peerCase{name: d.call.name, theirs: answerText(expected), ours: ours, reason: reason})
}

// refusalReason returns why schemagen refuses a type, or "".
func refusalReason(messages []string) string {
	for _, known := range []struct{ part, reason string }{
		{"cannot be nested in another tag in a CRD", "the type is refused: a CRD cannot express the tag there"},
		{"must apply listMapKey to an associative-list",
			"the type is refused: +k8s:alpha hides the type or the keys of its list"},
		{"has no closed set of values", "the type is refused: a discriminator needs an enum"},
		{"no enum values found", "the type is refused: its enum has no values"},
		{"oldSelf cannot be used on the uncorrelatable portion",
			"the type is refused: elements of a list without keys have no old value in a CRD"},
		{"must be atomic as item of a list with x-kubernetes-list-type=set",
			"the type is refused: the server takes no such list"},
		{"so it must have a default or be a required property",
			"the type is refused: the server takes no such list"},
	} {
		if said(messages, known.part) {
			return known.reason
		}
	}
	return ""
}

// reason returns why the fields with errors differ, or "".
func (d validationDifference) reason(theirs, ours []string) string {
	var reasons []string
	for _, path := range theirs {
		reasons = append(reasons, d.missing(path, ours))
	}
	for _, path := range ours {
		reasons = append(reasons, d.additional(path, theirs))
	}
	if slices.Contains(reasons, "") {
		return ""
	}
	slices.Sort(reasons)
	return strings.Join(slices.Compact(reasons), "; ")
}

const atParent = "the error is at the object or list, not at its field or element"

// additional returns why only schemagen has an error at a path, or "".
func (d validationDifference) additional(path string, theirs []string) string {
	elements := pathElements(path)
	doc := d.docs[elements[len(elements)-1]].text
	switch {
	case slices.ContainsFunc(theirs, func(below string) bool { return isBelow(below, path) }):
		return atParent
	case slices.ContainsFunc(d.call.expected(), func(below string) bool { return isBelow(below, path) }):
		return "validation-gen stops at the first error of a field"
	case len(elements) > 1 && slices.Contains(d.kind.ignored[elements[1]], "+k8s:customUnique"):
		return "SG309: a CRD cannot express +k8s:customUnique"
	case said(d.found, `Unsupported value: ""`) && strings.Contains(doc, "+k8s:unionDiscriminator"):
		return "an empty discriminator is a value in a CRD"
	case d.call.Update && said(d.found, ": the item with "):
		return "the server checks the items of a list if one of them changes"
	case d.call.Update && len(d.found) == 1 && said(d.found, "must specify") && sameFields(d.call.Value, d.call.OldValue):
		return "the server checks the union of a changed object, even if the same members are set"
	}
	return ""
}

// sameFields reports whether two objects have the same fields.
func sameFields(a, b json.RawMessage) bool {
	var one, other map[string]json.RawMessage
	if json.Unmarshal(a, &one) != nil || json.Unmarshal(b, &other) != nil {
		return false
	}
	return maps.EqualFunc(one, other, func(x, y json.RawMessage) bool { return true })
}

func pathElements(path string) []string {
	return strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(".[]", c) })
}

// missing returns why schemagen has no error at a path, or "".
func (d validationDifference) missing(path string, ours []string) string {
	if slices.ContainsFunc(ours, func(parent string) bool { return isBelow(path, parent) }) {
		return atParent
	}
	if said(d.found, skippedRules) {
		return "the server evaluates rules only for objects that the schema allows"
	}
	elements := pathElements(path)
	tags := d.kind.ignored["type "+d.kind.typeName]
	for _, name := range elements {
		tags = append(tags, d.kind.ignored[name]...)
		for _, t := range d.docs[name].types {
			tags = append(tags, d.kind.ignored["type "+t]...)
		}
	}
	if len(tags) > 0 {
		slices.Sort(tags)
		return "SG309: a CRD cannot express " + strings.Join(slices.Compact(tags), ", ")
	}
	if _, present := valueAt(d.call.Value, elements[1:]); present {
		return ""
	}
	doc := d.docs[elements[len(elements)-1]].text
	switch {
	case strings.Contains(doc, "+default="):
		return "the server sets the default first"
	case strings.Contains(doc, "+k8s:min"):
		return "a list or map that is absent has no minimum"
	}
	return ""
}

func isBelow(path, parent string) bool {
	return strings.HasPrefix(path, parent+".") || strings.HasPrefix(path, parent+"[")
}

// valueAt returns a field of an object.
func valueAt(text json.RawMessage, path []string) (json.RawMessage, bool) {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil || object[name] == nil {
			return nil, false
		}
		text = object[name]
	}
	return text, true
}

// validationCalls runs the tests with a recording function, and returns its calls.
func (r peerRun) validationCalls(
	ctx context.Context, dir string, sources map[string]map[string][]byte,
) ([]validationCall, error) {
	const file = validationScheme + "/testscheme.go"
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	const method = "func (v *ValidationTester) validate("
	if bytes.Count(text, []byte(method)) != 1 {
		return nil, fmt.Errorf("%s has no method validate", file)
	}
	text = bytes.Replace(text, []byte(method), []byte("func (v *ValidationTester) recordedValidate("), 1)
	files := map[string][]byte{file: text, validationScheme + "/recorder.go": validationRecorder}
	for pkg, source := range sources {
		for name, text := range source {
			files[strings.TrimPrefix(pkg, validationModule+"/")+"/"+name] = text
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	results, err := r.goTest(ctx, validationTests+"/tags/...", files, []string{"PEERS_DIR=" + dir})
	if err != nil {
		return nil, err
	}
	for _, result := range results {
		if result.failed {
			return nil, fmt.Errorf("%s fails: %s", result.name, result.output)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.call.json"))
	if err != nil {
		return nil, err
	}
	var calls []validationCall
	for _, name := range names {
		var call validationCall
		if err := readJSON(name, &call); err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	numbers := map[string]int{}
	for i, call := range calls {
		pkg := strings.TrimPrefix(call.Package, validationModule+"/"+validationTests+"/tags/")
		name := pkg + ": " + call.Test + "/" + call.Type
		numbers[name]++
		calls[i].name = fmt.Sprintf("%s#%d", name, numbers[name])
	}
	slices.SortStableFunc(calls, func(a, b validationCall) int { return strings.Compare(a.name, b.name) })
	return calls, nil
}
