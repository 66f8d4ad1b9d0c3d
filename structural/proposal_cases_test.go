package structural

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// A schemaCase is a txtar file in testdata. Its comment describes the case, and has the lines
//
//	source: the document and section
//	rules: the names of rules in Rules, separated by commas
//
// The file NAME.yaml is a schema, with further files of the same name:
//
//	NAME.want       the findings of Check and CheckProposals, by line; empty if absent
//	NAME.proposed   the violations of Check in the KEP's words
//	NAME.unfolded   the schema, unfolded
//	NAME.dropped    the schema without value validations
//	NAME.bare       the schema, unfolded, and then without value validations
//	NAME.accept     objects that the unfolded schema accepts, and the dropped one
//	NAME.reject     objects that the unfolded schema rejects
//
// Names begin with accepted, warned or rejected, depending on whether the server accepts the
// schema and whether the proposals warn about it. -update-cases rewrites everything except
// schemas and objects.
type schemaCase struct {
	file    string
	archive *txtar.Archive
	rules   []string
}

var updateCases = flag.Bool("update-cases", false, "rewrite the expectations in testdata/*.txtar")

func readSchemaCases(t testing.TB) []*schemaCase {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	rules := regexp.MustCompile(`(?m)^rules: (.*)$`)
	source := regexp.MustCompile(`(?m)^source: .+$`)
	var out []*schemaCase
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := &schemaCase{file: file, archive: archive}
		if m := rules.FindSubmatch(archive.Comment); m != nil {
			c.rules = strings.Split(string(m[1]), ", ")
		}
		if !source.Match(archive.Comment) {
			t.Fatalf("%s says no source", file)
		}
		out = append(out, c)
	}
	return out
}

// section returns the content of a file in the archive, and whether it exists.
func (c *schemaCase) section(name string) (string, bool) {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return string(f.Data), true
		}
	}
	return "", false
}

// caseSchema is a schema of a case.
type caseSchema struct {
	name   string
	props  *apiextensionsv1.JSONSchemaProps
	schema *Schema
	unheld []Unsupported
	lines  *token.File
	// at are the positions of all keywords, by path.
	at map[string]token.Pos
}

func decodeCase(t testing.TB, name, text string) *caseSchema {
	t.Helper()
	s := &caseSchema{name: name, props: &apiextensionsv1.JSONSchemaProps{}, at: map[string]token.Pos{}}
	if err := yaml.Unmarshal([]byte(text), s.props); err != nil {
		t.Fatal(err)
	}
	s.schema, s.unheld = FromProps(s.props)
	s.lines = token.NewFileSet().AddFile(name, -1, len(text))
	s.lines.SetLinesForContent([]byte(text))
	var document yamlv3.Node
	if err := yamlv3.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	s.place(t, document.Content[0], s.schema, nil)
	return s
}

// pos returns the position of a node in the file.
func (s *caseSchema) pos(n *yamlv3.Node) token.Pos {
	return s.lines.LineStart(n.Line) + token.Pos(n.Column-1)
}

// place sets the origins of a schema and everything that JSONSchemaProps cannot represent.
// The position of a schema is that of its first keyword.
func (s *caseSchema) place(t testing.TB, n *yamlv3.Node, schema *Schema, path *Path) {
	t.Helper()
	keywords := s.keywords(t, n, &schema.Extensions, path)
	if schema.Origin.Pos == token.NoPos {
		schema.Origin.Pos = s.pos(n)
	}
	schema.Origin.Keywords = keywords
	each(n, func(key, value *yamlv3.Node) {
		switch key.Value {
		case "properties":
			each(value, func(name, value *yamlv3.Node) {
				child := schema.Property(name.Value)
				child.Origin.Pos = s.pos(name)
				s.place(t, value, child, path.Property(name.Value))
			})
		case "items":
			schema.Items.Origin.Pos = s.pos(key)
			s.place(t, value, schema.Items, path.Child("items"))
		case "additionalProperties":
			if child := schema.AdditionalProperties.Schema; child != nil {
				child.Origin.Pos = s.pos(key)
				s.place(t, value, child, path.Child("additionalProperties"))
			}
		}
	})
	s.placeJunctors(t, n, schema.ValueValidation, path)
}

func (s *caseSchema) placeJunctors(t testing.TB, n *yamlv3.Node, v *ValueValidation, path *Path) {
	t.Helper()
	each(n, func(key, value *yamlv3.Node) {
		list := func(schemas []NestedValueValidation) {
			for i := range schemas {
				s.placeNested(t, value.Content[i], &schemas[i], path.Index(key.Value, i))
			}
		}
		switch key.Value {
		case "allOf":
			list(v.AllOf)
		case "anyOf":
			list(v.AnyOf)
		case "oneOf":
			list(v.OneOf)
		case "not":
			s.placeNested(t, value, v.Not, path.Child("not"))
		}
	})
}

func (s *caseSchema) placeNested(t testing.TB, n *yamlv3.Node, nested *NestedValueValidation, path *Path) {
	t.Helper()
	keywords := s.keywords(t, n, &nested.ForbiddenExtensions, path)
	nested.Origin = Origin{Pos: cmp.Or(nested.Origin.Pos, s.pos(n)), Keywords: keywords}
	each(n, func(key, value *yamlv3.Node) {
		switch key.Value {
		case "properties":
			each(value, func(name, value *yamlv3.Node) {
				i := slices.IndexFunc(nested.Properties, func(p NestedProperty) bool { return p.Name == name.Value })
				nested.Properties[i].Schema.Origin.Pos = s.pos(name)
				s.placeNested(t, value, nested.Properties[i].Schema, path.Property(name.Value))
			})
		case "items":
			nested.Items.Origin.Pos = s.pos(key)
			s.placeNested(t, value, nested.Items, path.Child("items"))
		case "additionalProperties":
			if child := nested.AdditionalProperties.Schema; child != nil {
				child.Origin.Pos = s.pos(key)
				s.placeNested(t, value, child, path.Child("additionalProperties"))
			}
		}
	})
	s.placeJunctors(t, n, &nested.ValueValidation, path)
}

// keywords returns the positions of the keywords of a node, and reads those that
// JSONSchemaProps does not have.
func (s *caseSchema) keywords(t testing.TB, n *yamlv3.Node, x *Extensions, path *Path) []KeywordOrigin {
	t.Helper()
	var out []KeywordOrigin
	each(n, func(key, value *yamlv3.Node) {
		out = append(out, KeywordOrigin{key.Value, s.pos(key)})
		s.at[path.Child(key.Value).String()] = s.pos(key)
		switch key.Value {
		case "x-kubernetes-unions":
			text, err := yamlv3.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := yaml.YAMLToJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			if x.XUnions, x.XUnionMembers, err = ParseUnions(JSON{raw}); err != nil {
				t.Fatal(err)
			}
		case "readOnly":
			s.unheld = append(s.unheld, Unsupported{Path: path, Keyword: key.Value})
		}
	})
	return out
}

func each(mapping *yamlv3.Node, f func(key, value *yamlv3.Node)) {
	if mapping.Kind != yamlv3.MappingNode {
		return
	}
	for i := 0; i < len(mapping.Content); i += 2 {
		f(mapping.Content[i], mapping.Content[i+1])
	}
}

// text encodes a schema, including everything that JSONSchemaProps cannot represent.
func text(t testing.TB, s *Schema) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(mustJSON(t, s.Props())), &value); err != nil {
		t.Fatal(err)
	}
	addUnions(t, s, value)
	out, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func addUnions(t testing.TB, s *Schema, value any) {
	t.Helper()
	object := value.(map[string]any)
	if unions := UnionsJSON(s.Extensions); unions != nil {
		object["x-kubernetes-unions"] = fromJSON(t, string(unions.Raw))
	}
	for _, p := range s.Properties {
		addUnions(t, p.Schema, object["properties"].(map[string]any)[p.Name])
	}
	if s.Items != nil {
		addUnions(t, s.Items, object["items"])
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		addUnions(t, a.Schema, object["additionalProperties"])
	}
}

// findings returns the findings about the schema, by line.
func (s *caseSchema) findings() string {
	type line struct {
		number int
		text   string
	}
	var lines []line
	add := func(v Violation, kind string) {
		number := 0
		if v.Pos.IsValid() {
			number = s.lines.Line(v.Pos)
		}
		lines = append(lines, line{number, kind + ": " + v.String()})
	}
	for _, v := range Check(s.schema) {
		add(v, "error")
	}
	for _, f := range CheckProposals(s.schema, s.unheld) {
		kind := "warning"
		if f.Server {
			kind = "error"
		}
		add(f.Violation, kind+" ["+f.rule+"]")
	}
	for _, u := range s.unheld {
		if u.Keyword != "readOnly" && u.Keyword != preserve { // reported by rules
			path := u.Path.Child(u.Keyword)
			add(Violation{Path: path, Kind: Forbidden, Detail: u.Keyword + " is not supported", Pos: s.at[path.String()]}, "error [decoder]")
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text)) })
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%d: %s\n", l.number, l.text)
	}
	return b.String()
}

// TestSchemaCases runs testdata/*.txtar.
func TestSchemaCases(t *testing.T) {
	for _, c := range readSchemaCases(t) {
		t.Run(strings.TrimSuffix(filepath.Base(c.file), ".txtar"), func(t *testing.T) {
			expected := map[string]string{}
			for _, f := range c.archive.Files {
				if name, isSchema := strings.CutSuffix(f.Name, ".yaml"); isSchema {
					c.run(t, decodeCase(t, name, string(f.Data)), expected)
				}
			}
			c.compare(t, expected)
		})
	}
}

// run checks one schema and stores the expected content of its files in expected.
func (c *schemaCase) run(t *testing.T, s *caseSchema, expected map[string]string) {
	t.Helper()
	findings := s.findings()
	if _, exists := c.section(s.name + ".want"); exists || findings != "" {
		expected[s.name+".want"] = findings
	}
	var proposed strings.Builder
	for _, v := range Check(s.schema) {
		fmt.Fprintln(&proposed, v.proposed())
	}
	for section, content := range map[string]func() string{
		".proposed": proposed.String,
		".unfolded": func() string { return text(t, Unfold(s.schema)) },
		".dropped":  func() string { return text(t, DropValueValidations(s.schema)) },
		".bare":     func() string { return text(t, DropValueValidations(Unfold(s.schema))) },
	} {
		if _, exists := c.section(s.name + section); exists {
			expected[s.name+section] = content()
		}
	}
	hasError, hasWarning := strings.Contains(findings, ": error"), strings.Contains(findings, ": warning")
	word, _, _ := strings.Cut(s.name, "-")
	switch {
	case word == "accepted" && !hasError && !hasWarning, word == "warned" && hasWarning && !hasError, word == "rejected" && hasError:
	default:
		t.Errorf("%s has these findings:\n%s", s.name, findings)
	}
	// Only what the server rejects may be an error.
	errs := serverRejects(t, testCRD(s.props))
	if (len(errs) > 0) != hasError {
		t.Errorf("%s: the server says %v, we say:\n%s", s.name, errs, findings)
	}
	for _, v := range Check(s.schema) {
		const place = "spec.validation.openAPIV3Schema"
		if !slices.Contains(messages(errs, ""), v.At(place)) {
			t.Errorf("%s: the server does not say %s, but %v", s.name, v, errs)
		}
	}
	c.use(t, s)
}

// use validates the objects of a case like the server.
func (c *schemaCase) use(t *testing.T, s *caseSchema) {
	t.Helper()
	unfolded, dropped := validator(t, Unfold(s.schema).Props()), validator(t, DropValueValidations(s.schema).Props())
	objects := func(kind string) []string {
		content, _ := c.section(s.name + kind)
		return strings.FieldsFunc(content, func(r rune) bool { return r == '\n' })
	}
	for _, object := range objects(".accept") {
		value := fromJSON(t, object)
		if errs := unfolded(value); len(errs) > 0 {
			t.Errorf("%s: %s is rejected: %v", s.name, object, errs)
		}
		if errs := dropped(value); len(errs) > 0 {
			t.Errorf("%s: %s is rejected without value validations: %v", s.name, object, errs)
		}
	}
	for _, object := range objects(".reject") {
		if len(unfolded(fromJSON(t, object))) == 0 {
			t.Errorf("%s: %s is accepted", s.name, object)
		}
	}
}

// compare compares the files of the archive with their expected content, or rewrites them.
func (c *schemaCase) compare(t *testing.T, expected map[string]string) {
	t.Helper()
	results := []string{".want", ".proposed", ".unfolded", ".dropped", ".bare"}
	var files []txtar.File
	for _, f := range c.archive.Files {
		if slices.Contains(results, filepath.Ext(f.Name)) {
			continue // written after the schema
		}
		files = append(files, f)
		name, isSchema := strings.CutSuffix(f.Name, ".yaml")
		if !isSchema {
			continue
		}
		for _, section := range results {
			want, exists := expected[name+section]
			if !exists {
				continue
			}
			got, _ := c.section(name + section)
			if got != want && !*updateCases {
				t.Errorf("%s%s is\n%swant\n%s", name, section, want, got)
			}
			if want != "" {
				files = append(files, txtar.File{Name: name + section, Data: []byte(want)})
			}
		}
	}
	if *updateCases {
		c.archive.Files = files
		if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRulesHaveCases checks that every rule of the table has a case with an accepted schema
// and one with a schema that violates it.
func TestRulesHaveCases(t *testing.T) {
	accepted, broken := map[string]bool{}, map[string]bool{}
	for _, c := range readSchemaCases(t) {
		var findings strings.Builder
		hasAccepted := false
		for _, f := range c.archive.Files {
			hasAccepted = hasAccepted || strings.HasPrefix(f.Name, "accepted")
			if strings.HasSuffix(f.Name, ".want") {
				findings.Write(f.Data)
			}
		}
		for _, name := range c.rules {
			i := slices.IndexFunc(rules(), func(r ruleInfo) bool { return r.Name == name })
			if i < 0 {
				t.Errorf("%s: there is no rule %s", c.file, name)
				continue
			}
			mark := map[authority]string{byCheck: ": error: ", byServer: ": error [" + name + "]: ", byProposal: ": warning [" + name + "]: "}[rules()[i].By]
			accepted[name] = accepted[name] || hasAccepted
			broken[name] = broken[name] || strings.Contains(findings.String(), mark)
		}
	}
	for _, rule := range rules() {
		if !accepted[rule.Name] || !broken[rule.Name] {
			t.Errorf("%s: a case that keeps it %v, a case that breaks it %v", rule.Name, accepted[rule.Name], broken[rule.Name])
		}
	}
}
