package schemagen_test

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// escapedJSON are the functions that call encoding/json, which escapes <, > and & for HTML, with the
// reason why people do not read the result. All others use package plainjson.
func escapedJSON() map[string]string {
	const decoded = "the result is only decoded again"
	const compared = "the result is only compared, or hashed"
	const program = "a program of ours decodes it"
	const stored = "a server stores it like this, and its size is limited"
	return map[string]string{
		"internal/ground/plainjson.Indented": "it turns the escapes off",

		"internal/migrate.dryWorld.build":                   decoded,
		"internal/migrate.shim.log":                         decoded,
		"structural/manifest.appendJSONString":              decoded,
		"structural.objectMetaOf":                           decoded,
		"internal/companions/schemapatch.schemaNode":        decoded,
		"internal/define/crdyaml.libraryYAML":               decoded,
		"internal/define.Swagger.Document":                  decoded,
		"internal/define.swagger.keywords":                  decoded,
		"internal/conventions/clients.encode":               decoded,
		"internal/define/edits.Reader.Fragment":             decoded,
		"internal/apiserver.Kind.setScale":                  decoded,
		"crd.New":                                           decoded,
		"dryrun.NewObject":                                  decoded,
		"dryrun.Object.policy":                              decoded,
		"dryrun.patchedCRD":                                 decoded,
		"dryrun.clientView":                                 decoded,
		"internal/editor/symbols.Place.keywordsOf":          decoded,
		"internal/pages/derived.decoded":                    decoded,
		"internal/test/changetable.Copy":                    decoded,
		"internal/definitions.StoredObjects.put":            decoded,
		"internal/run/runcache.Run.store":                   decoded,
		"verify.Verifier.store":                             decoded,
		"internal/conversions/convertrun.Target.request":    program,
		"internal/conversions/convertrun.Target.values":     program,
		"internal/conversions/convertrun.Converter.Convert": program,
		"internal/conversions/convertprove.subject.convert": program,
		"internal/conversions/convertrun.writeOverlay":      "the go command decodes it",
		"internal/test/crdfields.walker.add":                "only tests use it",
		"internal/types/typegen.digests.body":               compared,
		"internal/types/typegen.digests.whole":              compared,
		"internal/types/typegen.intOrString":                compared,
		"internal/apiserver.defaultRules.holdAt":            compared,
		"compare.groups.text":                               compared,
		"verify.Verifier.handle":                            compared,
		"internal/apiserver/crdsize.Sizes.Of":               stored,
		"internal/apiserver/crdsize.Sizes.Schema":           stored,
		"internal/generate/crdinstall.HelmReleaseSize":      stored,
		"structural.Violation.At":                           "it is a message of the API server, which escapes",
		"internal/conversions.codeFile.appendStruct":        "generated code writes what encoding/json does",
		"internal/companions/commandline.WriteMarkers":      "controller-gen's bytes",
	}
}

// TestPlainJSON wants JSON that people may read, or that is written to files, to be encoded by package
// plainjson.
func TestPlainJSON(t *testing.T) {
	libraries := regexp.MustCompile(`^(encoding/json|encoding/json/v2|sigs\.k8s\.io/json|sigs\.k8s\.io/yaml|k8s\.io/apimachinery/pkg/util/(json|yaml))$`)
	// YAML that is converted from JSON has no escapes: TestYAML of package plainjson.
	encodes := regexp.MustCompile(`^(Marshal|MarshalIndent|NewEncoder|HTMLEscape|YAMLToJSON|YAMLToJSONStrict|ToJSON)$`)
	used := map[string]bool{}
	for _, f := range product(t) {
		if f.test {
			continue
		}
		names := map[string]string{}
		for _, spec := range f.ast.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if match := libraries.FindStringSubmatch(path); match != nil {
				name := path[strings.LastIndex(path, "/")+1:]
				if spec.Name != nil {
					name = spec.Name.Name
				}
				names[name] = path
			}
		}
		for _, decl := range f.ast.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := selector.X.(*ast.Ident)
				path := ""
				if ok {
					path = names[pkg.Name]
				}
				toYAML := path == "sigs.k8s.io/yaml" && selector.Sel.Name == "Marshal"
				if path == "" || toYAML || !encodes.MatchString(selector.Sel.Name) {
					return true
				}
				place := f.dir + "." + functionName(decl)
				used[place] = true
				if escapedJSON()[place] == "" {
					t.Errorf("%s: %s in %s: use package plainjson, or give the reason in escapedJSON", f.fset.Position(n.Pos()), selector.Sel.Name, place)
				}
				return true
			})
		}
	}
	for _, place := range slices.Sorted(maps.Keys(escapedJSON())) {
		if !used[place] {
			t.Errorf("escapedJSON has %s, which does not encode JSON", place)
		}
	}
}

// functionName returns the name of a function, after that of its receiver.
func functionName(decl ast.Decl) string {
	function, ok := decl.(*ast.FuncDecl)
	if !ok {
		return "?"
	}
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name + "." + function.Name.Name
	}
	return "?." + function.Name.Name
}
