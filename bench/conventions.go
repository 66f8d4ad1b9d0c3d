package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// conventionsResult compares the rules of kube-api-linter with those of schemagen.
const conventionsResult = "conventions.txt"

// conventionsCases are the cases whose packages are compared: their API packages only, because
// kube-api-linter type-checks all that they import.
func conventionsCases() []benchCase {
	of := map[string][]string{
		"argo-rollouts": {"./pkg/apis/rollouts/v1alpha1"}, "cloudnative-pg": {"./api/..."}, "cluster-api-aws": {"./api/...", "./exp/api/...", "./controlplane/rosa/api/..."},
		"envoy-gateway": {"./api/..."}, "jobset": {"./api/..."}, "karpenter": {"./pkg/apis/..."}, "keda": {"./apis/..."}, "kueue": {"./apis/..."},
		"metal-operator": {"./api/..."}, "trust-manager": {"./pkg/apis/..."},
	}
	var out []benchCase
	for _, c := range cases() {
		if patterns, ok := of[c.name]; ok {
			c.paths, c.dir = patterns, ""
			out = append(out, c)
		}
	}
	return out
}

// conventionRules are the rules of kube-api-linter, with the codes that stand for them here.
func conventionRules() []conventionRule {
	return []conventionRule{
		{"arrayofstruct", []string{"SG260"}}, {"commentstart", []string{"SG240"}}, {"conditions", []string{"SG261"}}, {"defaultorrequired", []string{"SG252"}},
		{"defaults", []string{"SG253"}}, {"duplicatemarkers", []string{"SG305"}}, {"integers", []string{"SG246"}}, {"jsontags", []string{"SG205", "SG218", "SG241"}},
		{"maxlength", []string{"SG262"}}, {"minlength", []string{"SG263"}}, {"nobools", []string{"SG245"}}, {"nodurations", []string{"SG215", "SG250"}},
		{"nofloats", []string{"SG203", "SG247"}}, {"nomaps", []string{"SG248"}}, {"nonullable", []string{"SG249"}}, {"nophase", []string{"SG242"}},
		{"noreferences", []string{"SG243"}}, {"notimestamp", []string{"SG244"}}, {"optionalfields", []string{"SG254", "SG255"}},
		{"optionalorrequired", []string{"SG251", "SG265", "SG339", "SG302", "SG304"}}, {"preferredmarkers", []string{"SG265"}}, {"requiredfields", []string{"SG256", "SG257"}},
		{"ssatags", []string{"SG259"}}, {"statusoptional", []string{"SG258"}}, {"statussubresource", []string{"SG264"}}, {"uniquemarkers", []string{"SG305"}},
	}
}

type conventionRule struct {
	name  string
	codes []string
}

// goField is a field of a struct in Go source, or a type.
type goField struct {
	file          string
	line          int
	owner, name   string
	json, options string
	doc, typ      string
	embedded      bool
	// encodes is set for a type with a method MarshalJSON.
	encodes  bool
	isType   bool
	reached  bool
	from, to int
}

func (f *goField) String() string { return fmt.Sprintf("%s:%d %s.%s", f.file, f.line, f.owner, f.name) }

// goFields returns the fields and types of the files in dir, by file; inner ones are last.
func goFields(dir string, files []string) (map[string][]*goField, error) {
	out := map[string][]*goField{}
	for _, name := range files {
		fset := token.NewFileSet()
		full := filepath.Join(dir, filepath.FromSlash(name))
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, full, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		line := func(pos token.Pos) int { return fset.PositionFor(pos, false).Line }
		source := func(n ast.Node) string {
			return string(text[fset.PositionFor(n.Pos(), false).Offset:fset.PositionFor(n.End(), false).Offset])
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "MarshalJSON" {
				out[name] = append(out[name], &goField{file: name, owner: strings.TrimLeft(source(f.Recv.List[0].Type), "*"), encodes: true})
			}
			general, ok := decl.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				t := spec.(*ast.TypeSpec)
				from := line(general.Pos())
				if general.Doc != nil {
					from = line(general.Doc.Pos())
				}
				out[name] = append(out[name], &goField{file: name, line: line(t.Name.Pos()), owner: t.Name.Name, isType: true, from: from, to: line(t.End()), typ: source(t.Type), doc: commentText(general.Doc)})
				ast.Inspect(t.Type, func(n ast.Node) bool {
					st, ok := n.(*ast.StructType)
					if !ok {
						return true
					}
					previous := line(st.Pos())
					for _, f := range st.Fields.List {
						field := &goField{file: name, line: line(f.Pos()), owner: t.Name.Name, typ: source(f.Type), embedded: len(f.Names) == 0, from: previous + 1, to: line(f.End())}
						previous = field.to
						if len(f.Names) > 0 {
							field.name = f.Names[0].Name
						}
						if f.Tag != nil {
							tag, _ := strconv.Unquote(f.Tag.Value)
							field.json, field.options, _ = strings.Cut(reflect.StructTag(tag).Get("json"), ",")
						}
						for _, group := range file.Comments {
							if line(group.Pos()) >= field.from && line(group.End()) <= field.to {
								field.doc += commentText(group)
							}
						}
						out[name] = append(out[name], field)
					}
					return true
				})
			}
		}
	}
	return out, nil
}

// commentText returns the lines of a comment as they are written.
func commentText(group *ast.CommentGroup) (out string) {
	if group != nil {
		for _, c := range group.List {
			out += c.Text + "\n"
		}
	}
	return out
}

// conventionFindings are the messages of one tool, by rule and field.
type conventionFindings map[string]map[*goField][]string

func (c conventionFindings) add(rule string, f *goField, message string) {
	if c[rule] == nil {
		c[rule] = map[*goField][]string{}
	}
	c[rule][f] = append(c[rule][f], message)
}

// rawFinding is a finding with its place.
type rawFinding struct {
	Rule, Code, File string
	Line             int
	Message          string
}

// conventions runs both tools on the API packages of ten repositories, and compares what they find
// with the checked-in result. Each difference belongs to a class.
func conventions(ctx context.Context, w workspace, only, given string, update bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	linter := filepath.Join(w.cache, "bin", "kal")
	if _, err := goCommand(ctx, filepath.Join(w.bench, "kal"), "build", "-o", linter, "."); err != nil {
		return err
	}
	golden, err := readSections(conventionsResult)
	if err != nil {
		return err
	}
	failed := false
	total := tally{}
	for _, c := range conventionsCases() {
		if only != "" && !slices.Contains(strings.Split(only, ","), c.name) {
			continue
		}
		dir, err := w.checkOut(ctx, c)
		if err != nil {
			return err
		}
		counts, unexplained, err := w.compareConventions(ctx, c, dir, product, linter)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for _, line := range unexplained {
			failed = true
			fmt.Fprintf(out, "%s: no class: %s\n", c.name, line)
		}
		total.merge(counts)
		versions, err := w.versions(ctx, c)
		if err != nil {
			return err
		}
		name := c.name + " (" + versions + ")"
		if section := counts.text(); update {
			golden[name] = section
		} else if golden[name] != section {
			failed = true
			fmt.Fprintf(out, "%s: differs from %s:\n%s", name, conventionsResult, excerpt(golden[name], section))
		}
	}
	if only == "" {
		if update {
			golden["all"] = total.text()
		} else if golden["all"] != total.text() {
			failed = true
		}
	}
	fmt.Fprint(out, total.text())
	if update {
		if err := writeSections(conventionsResult, golden); err != nil {
			return err
		}
	}
	if failed {
		return errDiffers
	}
	return nil
}

// tally has numbers of fields by rule and by what was found about them: both, or a class of
// differences.
type tally map[string]map[string]int

func (t tally) add(rule, what string) {
	if t[rule] == nil {
		t[rule] = map[string]int{}
	}
	t[rule][what]++
}

func (t tally) merge(other tally) {
	for rule, counts := range other {
		for what, n := range counts {
			if t[rule] == nil {
				t[rule] = map[string]int{}
			}
			t[rule][what] += n
		}
	}
}

const foundByBoth = "both"

// text returns a line for each rule: fields that both report, those that only kube-api-linter
// reports, and those that only schemagen does; and a line for each class of the differences.
func (t tally) text() string {
	var b strings.Builder
	for _, rule := range conventionRules() {
		sides := map[string]int{}
		for what, n := range t[rule.name] {
			side, _, _ := strings.Cut(what, ":")
			sides[side] += n
		}
		if len(sides) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s = %s: both %d, only kube-api-linter %d, only here %d\n", rule.name, strings.Join(rule.codes, "+"), sides[foundByBoth], sides["theirs"], sides["ours"])
		for _, what := range slices.Sorted(maps.Keys(t[rule.name])) {
			if side, class, ok := strings.Cut(what, ":"); ok {
				fmt.Fprintf(&b, "\t%d %s\n", t[rule.name][what], map[string]string{"theirs": "only kube-api-linter: ", "ours": "only here: "}[side]+class)
			}
		}
	}
	return b.String()
}

func (w workspace) compareConventions(ctx context.Context, c benchCase, dir, product, linter string) (tally, []string, error) {
	theirRaw, err := w.linted(ctx, c, dir, linter)
	if err != nil {
		return nil, nil, err
	}
	ourRaw, err := runRules(ctx, c, dir, product)
	if err != nil {
		return nil, nil, err
	}
	reached, err := reachedPlaces(ctx, c, dir, product)
	if err != nil {
		return nil, nil, err
	}
	var files []string
	for _, f := range slices.Concat(theirRaw, ourRaw) {
		files = append(files, f.File)
	}
	for place := range reached {
		files = append(files, place[:strings.LastIndexByte(place, ':')])
	}
	slices.Sort(files)
	fields, err := goFields(dir, slices.Compact(files))
	if err != nil {
		return nil, nil, err
	}
	for _, of := range fields {
		for _, f := range of {
			f.reached = reached[fmt.Sprintf("%s:%d", f.file, f.line)]
		}
	}
	theirs, ours := conventionFindings{}, conventionFindings{}
	for _, raw := range theirRaw {
		f, err := fieldAt(fields, raw)
		if err != nil {
			return nil, nil, err
		}
		theirs.add(raw.Rule, f, raw.Message)
	}
	for _, raw := range ourRaw {
		for _, rule := range conventionRules() {
			if slices.Contains(rule.codes, raw.Code) && (!isMisplaced(raw) || presenceName.MatchString(raw.Message)) {
				f, err := fieldAt(fields, raw)
				if err != nil {
					return nil, nil, err
				}
				ours.add(rule.name, f, raw.Message)
			}
		}
	}
	counts := tally{}
	var unexplained []string
	for _, rule := range conventionRules() {
		note := func(side string, f *goField, messages []string) {
			class := classOfOurs(rule.name, f, messages)
			if side == "theirs" {
				class = classOfTheirs(rule.name, f, messages, ours, fields)
			}
			if class == "" {
				class = "no class"
				unexplained = append(unexplained, fmt.Sprintf("%s %s %s %q %s %q", rule.name, side, f, f.typ, f.json+","+f.options, messages))
			}
			counts.add(rule.name, side+":"+class)
		}
		for f, messages := range theirs[rule.name] {
			if ours[rule.name][f] != nil {
				counts.add(rule.name, foundByBoth)
				continue
			}
			note("theirs", f, messages)
		}
		for f, messages := range ours[rule.name] {
			if theirs[rule.name][f] == nil {
				note("ours", f, messages)
			}
		}
	}
	slices.Sort(unexplained)
	return counts, unexplained, nil
}

// fieldAt returns the innermost field or type at the line of a finding.
func fieldAt(fields map[string][]*goField, raw rawFinding) (*goField, error) {
	var found *goField
	for _, f := range fields[raw.File] {
		if f.from <= raw.Line && raw.Line <= f.to && (found == nil || found.isType || f.to-f.from <= found.to-found.from) {
			found = f
		}
	}
	if found == nil {
		return nil, fmt.Errorf("no field at %s:%d: %s", raw.File, raw.Line, raw.Message)
	}
	return found, nil
}

// linted returns the findings of kube-api-linter, which are kept, because they do not change.
func (w workspace) linted(ctx context.Context, c benchCase, dir, linter string) (out []rawFinding, err error) {
	binary, err := os.ReadFile(linter)
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Append(binary, dir, c.paths))
	const name = "findings"
	kept, err := w.once(fmt.Sprintf("kal-%s-%x", c.name, key[:8]), func(to string) error {
		text, err := runLinter(ctx, c, dir, linter)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(kept, name))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var f rawFinding
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			return nil, err
		}
		relative, err := filepath.Rel(dir, f.File)
		if err != nil {
			return nil, err
		}
		f.File = filepath.ToSlash(relative)
		out = append(out, f)
	}
	return out, lines.Err()
}

// runLinter returns what kube-api-linter prints.
func runLinter(ctx context.Context, c benchCase, dir, linter string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, linter, c.paths...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, head(stderr.Bytes(), 20))
	}
	return text, nil
}

// runRules returns the findings of schemagen.
func runRules(ctx context.Context, c benchCase, dir, product string) ([]rawFinding, error) {
	temp, err := os.MkdirTemp("", "schemagen-rules-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	cmd := exec.CommandContext(ctx, product, append([]string{"crd", "-o", temp, "--rules", "review", "--format", "json", "--no-cache", "--skip-verify", "--set", "crd.allowDangerousTypes=true"}, c.paths...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, head(stderr.Bytes(), 20))
	}
	var result struct{ Diagnostics []rawFinding }
	err = json.Unmarshal(stdout.Bytes(), &result)
	return slices.DeleteFunc(result.Diagnostics, func(f rawFinding) bool { return f.File == "" || filepath.IsAbs(f.File) }), err
}

// reachedPlaces returns the lines of the fields that occur in definitions.
func reachedPlaces(ctx context.Context, c benchCase, dir, product string) (map[string]bool, error) {
	temp, err := os.MkdirTemp("", "schemagen-conventions-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	template := filepath.Join(temp, "reached.tmpl")
	const text = "{{range .Groups}}{{range .Kinds}}{{range .Versions}}{{if .Field}}{{range fields .Field}}{{.Position}}\n{{end}}{{end}}{{end}}{{end}}{{end}}"
	if err := os.WriteFile(template, []byte(text), 0o644); err != nil {
		return nil, err
	}
	config := filepath.Join(temp, "schemagen.yaml")
	if err := os.WriteFile(config, []byte("crd: {allowDangerousTypes: true, skipVerify: true}\n"), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, product, append([]string{"docs", "-o", temp, "--template", template, "--examples=false", "--config", config}, c.paths...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, head(output, 20))
	}
	places, err := os.ReadFile(filepath.Join(temp, "reached"))
	out := map[string]bool{}
	for place := range strings.FieldsSeq(string(places)) {
		out[place[:strings.LastIndexByte(place, ':')]] = true
	}
	return out, err
}
