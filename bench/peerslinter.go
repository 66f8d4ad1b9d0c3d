package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// linterPackage returns the package of testdata of a rule of kube-api-linter whose configuration
// is that of the comparison, or "" if the rule is tested with other ones only.
func linterPackage(rule string) string {
	switch rule {
	case "optionalfields":
		return "b"
	case "preferredmarkers":
		return ""
	}
	return "a"
}

// linterCases compares findings with the comments "want" in kube-api-linter's testdata. Each field
// and type is a case.
func linterCases(ctx context.Context, r peerRun) ([]peerTable, error) {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(r.temp, name), text, 0o644); err != nil {
			return nil, err
		}
	}
	var out []peerTable
	for _, rule := range conventionRules() {
		if pkg := linterPackage(rule.name); pkg != "" {
			t, err := r.linterTable(ctx, rule, pkg)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rule.name, err)
			}
			out = append(out, t)
		}
	}
	return out, nil
}

func (r peerRun) linterTable(ctx context.Context, rule conventionRule, pkg string) (peerTable, error) {
	t := peerTable{name: rule.name + " = " + strings.Join(rule.codes, "+")}
	wanted, files, err := r.linterSource(rule, pkg)
	if err != nil {
		return t, err
	}
	found, err := runPeerRules(ctx, r, rule.name)
	if err != nil {
		return t, err
	}
	fields, err := goFields(r.temp, files)
	if err != nil {
		return t, err
	}
	theirs, err := linterVerdicts(fields, wanted)
	if err != nil {
		return t, err
	}
	refused, err := linterVerdicts(fields, slices.DeleteFunc(slices.Clone(found), func(f rawFinding) bool {
		return f.Rule != refusal
	}))
	if err != nil {
		return t, err
	}
	ours, err := linterVerdicts(fields, slices.DeleteFunc(slices.Clone(found), func(f rawFinding) bool {
		return !slices.Contains(rule.codes, f.Code) || isMisplaced(f) && !presenceName.MatchString(f.Message)
	}))
	if err != nil {
		return t, err
	}
	all, err := linterVerdicts(fields, slices.DeleteFunc(found, func(f rawFinding) bool {
		_, err := fieldAt(fields, f)
		return err != nil
	}))
	if err != nil {
		return t, err
	}
	for _, name := range files {
		for _, f := range fields[name] {
			f.reached = true
		}
	}
	for _, name := range files {
		for _, f := range fields[name] {
			if f.encodes {
				continue
			}
			t.count++
			if (len(theirs[f]) > 0) == (len(ours[f]) > 0) {
				continue
			}
			c := peerCase{name: fmt.Sprintf("%s.%s", f.owner, f.name), theirs: answerText(theirs[f]), ours: answerText(ours[f])}
			c.reason = linterReason(rule.name, f, linterFindings{theirs[f], ours[f], all[f], refused[f]})
			if c.reason == "" && len(ours[f]) > 0 {
				c.reason = classOfOurs(rule.name, f, ours[f])
			}
			if c.reason == "" && len(theirs[f]) > 0 {
				c.reason = classOfTheirs(rule.name, f, theirs[f], conventionFindings{rule.name: ours}, fields)
			}
			if len(ours[f]) == 0 && len(refused[f]) > 0 {
				c.ours = answerText(refused[f])
			}
			t.differs = append(t.differs, c)
		}
	}
	return t, nil
}

// sharesName reports whether another field of testdata has the JSON name of a field.
func sharesName(f *goField) bool {
	return slices.Contains([]string{
		"CommentStartTestStruct.NoComment",
		"TestStructs.StructWithNonOmittedFieldsAndMinPropertiesWithOmitEmpty",
		"TestStructs.StructWithOneNonOmittedFieldAndMinProperties",
	}, f.owner+"."+f.name)
}

// linterFindings are messages about a field: those of the linter, those for the same rule here,
// all of them here, and those that are errors.
type linterFindings struct{ theirs, ours, all, refused []string }

// linterReason returns why verdicts on a field of testdata differ, if no class of conventions
// says so.
func linterReason(rule string, f *goField, found linterFindings) string {
	isBasic := slices.Contains([]string{"nobools", "nodurations", "nofloats"}, rule)
	switch {
	case len(found.refused) > 0 && len(found.ours) == 0:
		return "the field or its marker is refused with an error instead"
	case len(found.refused) > 0:
		return "the marker is refused with an error, so that the field has none"
	case isBasic && f.isType:
		return "reported at the type; here, at the fields that have it"
	case rule == "nodurations" && said(found.theirs, "Alias"):
		return "reported here at the declaration of its type"
	case f.name == "NoJSONTag" && len(found.ours) > 0:
		return "the JSON name that the comparison adds"
	case sharesName(f):
		return "another field with its JSON name is the one in the definition"
	case rule == "defaults" && said(found.all, "SG252"):
		return "reported by SG252, which is for defaultorrequired there"
	case rule == "defaults" && said(found.theirs, "has +k8s:default but"):
		return "the other name of the marker, +k8s:default"
	case rule == "defaults" && said(found.theirs, "use only the marker"):
		return "the other name of the marker, +kubebuilder:default"
	case rule == "duplicatemarkers" && said(found.ours, "overridden by a later one"):
		return "two values of a marker, which is for uniquemarkers there"
	case rule == "duplicatemarkers" && classOfRepeated(f) == "":
		return "the same marker twice has the effect of one: only a value that is overridden is reported"
	case rule == "noreferences" && len(found.ours) > 0:
		return "Reference in the middle of a name"
	case rule == "nonullable" && said(found.theirs, "FieldTypeAlias"):
		return "the marker is at the type, where it has no effect"
	case rule == "optionalorrequired" && said(found.theirs, "as both k8s:optional", "and k8s:required"):
		return "markers of two generators that disagree: not compared here"
	case rule == "ssatags" && said(found.theirs, "listType=set is not recommended"):
		return "lists in a set: only objects are reported here"
	case rule == "statussubresource" && f.isType:
		return "not a kind here: it does not embed TypeMeta"
	case rule == "statusoptional" && f.owner == "InlineEmbed":
		return "a field of a struct that the status inlines: not looked at here"
	case rule == "optionalfields" && said(found.theirs, "omitzero tag, but by policy"):
		return "the test is configured to refuse omitzero"
	case rule == "requiredfields" && said(found.theirs, "does not need to be a pointer"):
		return "a needless pointer, which does no harm"
	case rule == "statusoptional" && said([]string{f.doc}, "+required", "Required"):
		return "a field that is marked as required"
	}
	return ""
}

// linterVerdicts returns messages by the field that they are about.
func linterVerdicts(fields map[string][]*goField, found []rawFinding) (map[*goField][]string, error) {
	out := map[*goField][]string{}
	for _, raw := range found {
		f, err := fieldAt(fields, raw)
		if err != nil {
			return nil, err
		}
		out[f] = append(out[f], raw.Message)
	}
	return out, nil
}

// refusal is the rule of findings that are errors.
const refusal = "error"

// runPeerRules returns the findings about a package.
func runPeerRules(ctx context.Context, r peerRun, pkg string) ([]rawFinding, error) {
	found, err := r.findings(ctx, "crd", "-o", "linted", "--rules", "review", "--no-cache", "--set", "crd.allowDangerousTypes=true", "./"+pkg)
	if err != nil {
		return nil, err
	}
	var out []rawFinding
	for _, f := range found {
		if filepath.Base(f.File) == "zz_peers.go" {
			continue
		}
		rule := ""
		if f.Severity == "error" {
			rule = refusal
		}
		out = append(out, rawFinding{Rule: rule, Code: f.Code, File: f.File, Line: f.Line, Message: f.Code + " " + f.Message})
	}
	return out, nil
}

// linterSource writes a package of testdata with a kind for each of its structs, because only
// what occurs in a CRD is looked at, and with a JSON name for each field that lacks one, unless
// the rule is about them. It returns what the linter is expected to find, and the files.
func (r peerRun) linterSource(rule conventionRule, pkg string) ([]rawFinding, []string, error) {
	source := filepath.Join(r.dir, "pkg", "analysis", rule.name, "testdata", "src", pkg)
	names, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	if err := os.Mkdir(filepath.Join(r.temp, rule.name), 0o755); err != nil {
		return nil, nil, err
	}
	var wanted []rawFinding
	var files []string
	kinds := map[string]bool{}
	clause := ""
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		file := rule.name + "/" + filepath.Base(name)
		files = append(files, file)
		found, err := linterWants(file, string(text))
		if err != nil {
			return nil, nil, err
		}
		wanted = append(wanted, found...)
		clause = packageClause.FindStringSubmatch(string(text))[1]
		text, err = taggedSource(text, rule.name != "jsontags", kinds)
		if err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(r.temp, filepath.FromSlash(file)), text, 0o644); err != nil {
			return nil, nil, err
		}
	}
	field := "Spec %s `json:\"spec\"`"
	if rule.name == "statusoptional" { // which looks at the field status of a kind
		field = "%s `json:\",inline\"`"
	}
	kindFile := fmt.Sprintf(peerKindsHeader, clause)
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		kindFile += fmt.Sprintf(peerKind, strings.ToUpper(name[:1])+name[1:], fmt.Sprintf(field, name))
	}
	err = os.WriteFile(filepath.Join(r.temp, rule.name, "zz_peers.go"), []byte(kindFile), 0o644)
	return wanted, files, err
}

const (
	peerKindsHeader = `// +groupName=peers.example.com
package %s

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
`
	peerKind = `
// +kubebuilder:object:root=true
type Peers%s struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	%s
}
`
)

var (
	packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

	wantComment = regexp.MustCompile("// want((?: +(?:\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`))+)")
	// quotedRune matches a rune that a regular expression quotes.
	quotedRune = regexp.MustCompile(`\\(\W)`)
	wantText   = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`")
)

// linterWants returns the expected findings in a file.
func linterWants(file, text string) (out []rawFinding, err error) {
	line := 0
	for source := range strings.Lines(text) {
		line++
		m := wantComment.FindStringSubmatch(source)
		if m == nil {
			continue
		}
		for _, quoted := range wantText.FindAllString(m[1], -1) {
			message, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, line, err)
			}
			out = append(out, rawFinding{File: file, Line: line, Message: quotedRune.ReplaceAllString(message, "$1")})
		}
	}
	return out, nil
}

// taggedSource returns Go source with JSON names for fields without a tag, and adds its structs
// to kinds. Lines stay where they are.
func taggedSource(text []byte, tags bool, kinds map[string]bool) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type insertion struct {
		offset int
		text   string
	}
	var insertions []insertion
	for _, d := range file.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, s := range general.Specs {
			spec := s.(*ast.TypeSpec)
			if _, ok := spec.Type.(*ast.StructType); ok && spec.TypeParams == nil {
				kinds[spec.Name.Name] = true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		st, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range st.Fields.List {
			if f.Tag != nil || !tags {
				continue
			}
			tag := " `json:\",inline\"`"
			if len(f.Names) > 0 {
				tag = fmt.Sprintf(" `json:\"%s\"`", strings.ToLower(f.Names[0].Name[:1])+f.Names[0].Name[1:])
			}
			insertions = append(insertions, insertion{fset.Position(f.Type.End()).Offset, tag})
		}
		return true
	})
	slices.SortFunc(insertions, func(a, b insertion) int { return b.offset - a.offset })
	for _, i := range insertions {
		text = slices.Insert(text, i.offset, []byte(i.text)...)
	}
	return text, nil
}
