// Command celcosts records what the API server of one minor version of Kubernetes
// estimates for CEL rules. It is built against that version's own libraries: the
// module files are <version>.mod, and `make cel-costs` runs it for each of them.
//
// It adds a column to a table: the cost of one evaluation of each rule, "-" where the
// rule does not compile, and "!" where the compiler panics.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: celcosts VERSION SCHEMA TABLE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(version, schema, table string) error {
	rules := allRules()
	costs, err := costsOf(rules, schema)
	if err != nil {
		return err
	}
	// Columns by the name of the version; the rule is the last one.
	known := map[string]map[string]string{}
	versions := []string{version}
	if text, err := os.ReadFile(table); err == nil {
		var header []string
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if header == nil {
				header = cells
				continue
			}
			row := map[string]string{}
			for i, cell := range cells {
				row[header[i]] = cell
			}
			known[row["rule"]] = row
		}
		versions = append(versions, header[:max(0, len(header)-1)]...)
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	var out strings.Builder
	out.WriteString(strings.Join(versions, "\t") + "\trule\n")
	for i, rule := range rules {
		row := maps.Clone(known[rule])
		if row == nil {
			row = map[string]string{}
		}
		row[version] = costs[i]
		for _, v := range versions {
			out.WriteString(row[v] + "\t")
		}
		out.WriteString(rule + "\n")
	}
	return os.WriteFile(table, []byte(out.String()), 0o644)
}

// costsOf asks the server's compiler.
func costsOf(rules []string, schemaFile string) ([]string, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	var external apiextensionsv1.JSONSchemaProps
	if err := yaml.UnmarshalStrict(text, &external); err != nil {
		return nil, err
	}
	var schema apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &schema, nil); err != nil {
		return nil, err
	}
	var out []string
	for _, rule := range rules {
		schema.XValidations = apiextensions.ValidationRules{{Rule: rule}}
		info, err := validation.RootCELContext(&schema).TypeInfo()
		if err != nil {
			return nil, err
		}
		out = append(out, costOf(rule, info))
	}
	return out, nil
}

// costOf is the cost of one evaluation of the only rule of a schema, "-" if it does not
// compile, and "!" if the compiler panics.
func costOf(rule string, info *validation.CELTypeInfo) (cost string) {
	defer func() {
		if p := recover(); p != nil {
			cost = "!"
		}
	}()
	results, err := compile(info)
	if err == nil && results[0].Error != nil {
		err = fmt.Errorf("%s", results[0].Error.Detail)
	}
	if err != nil {
		if os.Getenv("CELCOSTS_ERRORS") != "" {
			fmt.Fprintf(os.Stderr, "%s: %v\n", rule, err)
		}
		return "-"
	}
	return fmt.Sprint(results[0].MaxCost)
}
