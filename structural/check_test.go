package structural

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"math/rand"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

var schemas = flag.Int("schemas", 30_000, "how many random schemas to check")

// randomProps returns a random schema that is often not structural, and small enough that
// single mistakes are recognizable.
func randomProps(r *rand.Rand, depth int, inJunctor, isRoot bool) apiextensionsv1.JSONSchemaProps {
	var p apiextensionsv1.JSONSchemaProps
	rarely := func(n int) bool { return r.Intn(n) == 0 }
	types := []string{"object", "object", "object", "array", "string", "integer", ""}
	p.Type = types[r.Intn(len(types))]
	if isRoot && !rarely(6) {
		p.Type = "object"
	}
	if inJunctor && !rarely(6) {
		p.Type = ""
	}
	if rarely(12) {
		p.XIntOrString = true
	}
	if rarely(12) {
		p.XPreserveUnknownFields = ptr.To(true)
	}
	if rarely(12) {
		p.XEmbeddedResource = true
	}
	if rarely(15) {
		p.Description = "text"
	}
	if rarely(25) {
		p.Title = "text"
	}
	if rarely(25) {
		p.Nullable = true
	}
	if rarely(25) {
		p.Default = &apiextensionsv1.JSON{Raw: []byte([]string{"1", "null", `{"a":1}`}[r.Intn(3)])}
	}
	if rarely(15) {
		p.Pattern = []string{"a+", "(", "^[a-z]$"}[r.Intn(3)]
	}
	if rarely(20) {
		p.MinLength = ptr.To(int64(1))
	}
	if rarely(25) {
		p.XListType = ptr.To("set")
	}
	if rarely(25) {
		p.XListMapKeys = []string{"a"}
	}
	if rarely(25) {
		p.XMapType = ptr.To("atomic")
	}
	if rarely(25) {
		p.XValidations = apiextensionsv1.ValidationRules{{Rule: "true"}}
	}
	pair := []apiextensionsv1.JSONSchemaProps{{Type: "integer"}, {Type: "string"}}
	if rarely(10) {
		p.AnyOf = pair
	}
	if rarely(10) {
		p.AllOf = []apiextensionsv1.JSONSchemaProps{{AnyOf: pair}}
	}
	if depth == 0 {
		return p
	}
	sub := func(junctor bool) apiextensionsv1.JSONSchemaProps {
		return randomProps(r, depth-1, inJunctor || junctor, false)
	}
	if p.Type == "array" && !rarely(8) || rarely(15) {
		items := sub(false)
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}
	}
	if p.Type == "object" && !rarely(4) || rarely(8) {
		p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
		names := []string{"a", "b", "kind", "apiVersion", "metadata", "name", "generateName"}
		for range r.Intn(4) {
			p.Properties[names[r.Intn(len(names))]] = sub(false)
		}
	}
	if rarely(12) {
		p.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}
		if rarely(2) {
			additional := sub(false)
			p.AdditionalProperties.Schema = &additional
		}
	}
	if rarely(8) {
		p.AllOf = append(p.AllOf, sub(true))
	}
	if rarely(8) {
		p.AnyOf = append(p.AnyOf, sub(true))
	}
	if rarely(8) {
		p.OneOf = append(p.OneOf, sub(true), sub(true))
	}
	if rarely(12) {
		not := sub(true)
		p.Not = &not
	}
	return p
}

// serverSays returns the API server's violations.
func serverSays(t testing.TB, p *apiextensionsv1.JSONSchemaProps) field.ErrorList {
	t.Helper()
	s, err := schema.NewStructural(internalProps(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return schema.ValidateStructural(field.NewPath("ROOT"), s)
}

// upstreamError is a position in the server's source that creates an error, with the form of
// the error's path and message.
type upstreamError struct {
	kind, path, detail string
	matches            *regexp.Regexp
}

// upstreamErrors extracts the errors of ValidateStructural from its source, so that none is
// missed when the server adds a new one. Positions that create the same error count as one.
func upstreamErrors(t testing.TB) []upstreamError {
	t.Helper()
	pkg, err := build.Default.Import("k8s.io/apiextensions-apiserver/pkg/apiserver/schema", ".", build.FindOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []upstreamError
	for _, name := range []string{"validation.go", "complete.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			fun, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || len(call.Args) < 2 {
				return true
			}
			if x, ok := fun.X.(*ast.Ident); !ok || x.Name != "field" {
				return true
			}
			e := upstreamError{kind: fun.Sel.Name, path: pathPattern(t, call.Args[0]), detail: detailPattern(t, call.Args[len(call.Args)-1])}
			kind, ok := map[string]ViolationKind{"Required": Required, "Invalid": Invalid, "NotSupported": NotSupported, "Forbidden": Forbidden}[e.kind]
			if !ok {
				t.Fatalf("%s: field.%s", name, e.kind)
			}
			e.matches = regexp.MustCompile(`(?s)^ROOT\S*` + e.path + ": " + string(kind) + ": .*" + e.detail + "$")
			if kind == Required || kind == Forbidden {
				e.matches = regexp.MustCompile(`(?s)^ROOT\S*` + e.path + ": " + string(kind) + ": " + e.detail + "$")
			}
			if !slices.ContainsFunc(out, func(o upstreamError) bool { return o.matches.String() == e.matches.String() }) {
				out = append(out, e)
			}
			return true
		})
	}
	return out
}

// pathPattern returns a pattern for the end of the field path that an expression creates, as
// far as its source determines it.
func pathPattern(t testing.TB, expr ast.Expr) string {
	t.Helper()
	call, ok := expr.(*ast.CallExpr)
	if !ok {
		return "" // a variable
	}
	fun := call.Fun.(*ast.SelectorExpr)
	step := `[^]]*`
	if literal, ok := call.Args[0].(*ast.BasicLit); ok {
		step = regexp.QuoteMeta(unquoted(t, literal))
	}
	switch fun.Sel.Name {
	case "Child":
		return pathPattern(t, fun.X) + `\.` + step
	case "Key", "Index":
		return pathPattern(t, fun.X) + `\[` + step + `\]`
	}
	t.Fatalf("unknown step %s", fun.Sel.Name)
	return ""
}

// detailPattern returns a pattern for the messages that an expression creates.
func detailPattern(t testing.TB, expr ast.Expr) string {
	t.Helper()
	switch expr := expr.(type) {
	case *ast.BasicLit:
		return regexp.QuoteMeta(unquoted(t, expr))
	case *ast.CallExpr: // fmt.Sprintf
		format := detailPattern(t, expr.Args[0])
		return strings.NewReplacer("%s", ".*", "%v", ".*").Replace(format)
	}
	t.Fatalf("unknown detail %T", expr)
	return ""
}

func unquoted(t testing.TB, literal *ast.BasicLit) string {
	t.Helper()
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// indexOf returns the index of the error that e is an instance of: of the errors that match,
// the one with the longest path pattern. It is negative if there is none.
func indexOf(known []upstreamError, e *field.Error) int {
	found := -1
	for i, k := range known {
		if (found < 0 || len(k.path) > len(known[found].path)) && k.matches.MatchString(e.Error()) {
			found = i
		}
	}
	return found
}

// lookAlike returns a key that is equal only for errors of the same kind: the last two steps
// of the path, and the message.
func lookAlike(e *field.Error) string {
	at := strings.LastIndexByte(e.Field, '.')
	at = strings.LastIndexByte(e.Field[:max(at, 0)], '.')
	detail, _, _ := strings.Cut(e.Detail, " ROOT")
	return e.Field[at+1:] + " " + string(e.Type) + " " + detail
}

// TestCheckAgreesWithServer compares Check with the API server's ValidateStructural on random
// schemas: the messages must be the same. Each error in the server's source must occur a
// thousand times in a million schemas; run with -v to see the counts.
func TestCheckAgreesWithServer(t *testing.T) {
	known := upstreamErrors(t)
	counts := make([]int, len(known))
	kinds := map[string]int{} // indexes in known, by the key of their errors
	rejected := 0
	for seed := range *schemas {
		p := randomProps(rand.New(rand.NewSource(int64(seed))), 3, false, true)
		errs := serverSays(t, &p)
		want := messages(errs, "")
		s, unsupported := FromProps(&p)
		if len(unsupported) > 0 {
			t.Fatalf("seed %d: unsupported %v", seed, unsupported)
		}
		var got []string
		for _, v := range Check(s) {
			got = append(got, v.At("ROOT"))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
		}
		if len(want) > 0 {
			rejected++
		}
		for _, e := range errs {
			key := lookAlike(e)
			i, seen := kinds[key]
			if !seen {
				i = indexOf(known, e)
				kinds[key] = i
			}
			if i < 0 {
				t.Fatalf("seed %d: an error that the source does not have: %s", seed, e)
			}
			counts[i]++
		}
	}
	t.Logf("%d schemas, %d rejected, %d different errors", *schemas, rejected, len(known))
	if rejected*10 < *schemas*3 {
		t.Errorf("only %d of %d schemas are rejected", rejected, *schemas)
	}
	for i, e := range known {
		t.Logf("%8d  %s %s: %s", counts[i], e.kind, e.path, e.detail)
		if counts[i]*1000 < *schemas {
			t.Errorf("%d of %d schemas have %s %s: %s", counts[i], *schemas, e.kind, e.path, e.detail)
		}
	}
}

// TestPropsRoundTrip checks that FromProps and Props lose nothing.
func TestPropsRoundTrip(t *testing.T) {
	for seed := range 2000 {
		p := randomProps(rand.New(rand.NewSource(int64(seed))), 3, false, true)
		s, _ := FromProps(&p)
		again, _ := FromProps(s.Props())
		shared := new(SharedProps)
		first, second := shared.Of(s), shared.Of(s)
		if !reflect.DeepEqual(first, s.Props()) || s != nil && first != second {
			t.Fatalf("shared: got %s and %s, want %s", mustJSON(t, first), mustJSON(t, second), mustJSON(t, s.Props()))
		}
		if a, b := fmt.Sprintf("%v", mustJSON(t, s.Props())), fmt.Sprintf("%v", mustJSON(t, &p)); a != b {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, a, b)
		}
		if a, b := mustJSON(t, again.Props()), mustJSON(t, s.Props()); a != b {
			t.Fatalf("seed %d: second round", seed)
		}
	}
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
