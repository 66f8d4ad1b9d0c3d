package verify

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/structural"
)

// paths checks that the paths of a version's printer columns and scale subresource exist in
// its schema. The server does not check them.
func (c *checks) paths(i int, schema *structural.Schema) {
	if i >= len(c.CRD.Spec.Versions) {
		return
	}
	version := c.CRD.Spec.Versions[i]
	location := fmt.Sprintf("spec.versions[%d].", i)
	for j, column := range version.AdditionalPrinterColumns {
		c.heading(fmt.Sprintf("%sadditionalPrinterColumns", location), version.AdditionalPrinterColumns, j)
		found, missing, meant := follow(schema, column.JSONPath)
		path := fmt.Sprintf("%sadditionalPrinterColumns[%d].jsonPath", location, j)
		err := apiserver.ColumnError(column.JSONPath)
		switch {
		case !strings.HasPrefix(column.JSONPath, "."): // the server rejects it
		case err != nil:
			c.add(misleadingColumn, path, columnHint(column.JSONPath), "printer column %s: %s is not a valid JSONPath: %v. The API server prints neither this column nor those after it",
				column.Name, column.JSONPath, err)
		case missing != "":
			c.add(noSuchPath, path, "", "printer column %s: %s does not exist in the schema: no field %s", column.Name, column.JSONPath, missing).suggest(missing, meant)
		case found != nil && found.Type != "" && !columnFits(column.Type, found):
			c.add(noSuchPath, path, "", "printer column %s has type %s, but %s has type %s", column.Name, column.Type, column.JSONPath, found.Type)
		default:
			if b := blank(schema, column); b != nil {
				c.add(b.kind, path, b.hint, "printer column %s: %s never has a value: %s", column.Name, column.JSONPath, b.reason).suggest(b.old, b.meant)
			}
		}
	}
	if s := version.Subresources; s != nil && s.Scale != nil {
		c.scale(location, schema, s.Scale)
	}
}

// heading warns about a column that has the heading of an earlier one: kubectl prints
// headings in capitals.
func (c *checks) heading(location string, columns []apiextensionsv1.CustomResourceColumnDefinition, j int) {
	for i := range j {
		if columns[j].Name != "" && strings.EqualFold(columns[i].Name, columns[j].Name) {
			path := func(i int) string { return fmt.Sprintf("%s[%d].name", location, i) }
			c.add(misleadingColumn, path(j), "give each column a unique name", "duplicate printer column %s: both are printed under the same heading", columns[j].Name)
			c.list[len(c.list)-1].More = []string{path(i)}
			return
		}
	}
}

// columnHint returns how to write a JSONPath that does not parse.
func columnHint(path string) string {
	if strings.Contains(path, `["`) {
		return `quote keys with single quotes and escape each dot with a backslash: ['a\.b']`
	}
	return ""
}

func (c *checks) scale(location string, schema *structural.Schema, scale *apiextensionsv1.CustomResourceSubresourceScale) {
	check := func(keyword, jsonPath, want string) {
		if jsonPath == "" {
			return
		}
		// The server splits these paths at dots: there are no lists, quotes or escapes.
		found, missing, meant := followSteps(schema, strings.Split(strings.TrimPrefix(jsonPath, "."), "."))
		path := location + "subresources.scale." + keyword
		switch {
		case missing != "" && strings.ContainsAny(missing, `[]\'"`):
			c.add(noSuchPath, path, "the path must lead through fields of objects only", "scale: the API server splits %s at dots and looks for a field named %q, which does not exist in the schema",
				jsonPath, missing[strings.LastIndex(missing, ".")+1:])
		case missing != "":
			c.add(noSuchPath, path, "", "scale: %s does not exist in the schema: no field %s", jsonPath, missing).suggest(missing, meant)
		case found != nil && found.Type != "" && found.Type != want:
			c.add(noSuchPath, path, "", "scale: %s must have type %s, but has type %s", jsonPath, want, found.Type)
		}
	}
	check("specReplicasPath", scale.SpecReplicasPath, "integer")
	check("statusReplicasPath", scale.StatusReplicasPath, "integer")
	if scale.LabelSelectorPath != nil {
		check("labelSelectorPath", *scale.LabelSelectorPath, "string")
	}
}

// columnFits reports whether values of a schema can be printed in a column of the given
// type.
func columnFits(column string, s *structural.Schema) bool {
	switch column {
	case "integer", "number", "boolean":
		return s.Type == column || column == "number" && s.Type == "integer" || s.XIntOrString
	case "date":
		return s.Type == "string"
	}
	return true // anything is printed as a string
}

// follow follows a simple JSONPath through a schema and returns the schema it leads to, or
// as missing the shortest prefix that does not exist, and as meant the prefix with the only
// field that is similar. All are empty if that cannot be determined: below preserved fields,
// and for paths that are not simple.
func follow(s *structural.Schema, path string) (found *structural.Schema, missing, meant string) {
	steps, ok := splitPath(path)
	if !ok {
		return nil, "", ""
	}
	return followSteps(s, steps)
}

// followSteps is follow for a path that is split.
func followSteps(schema *structural.Schema, steps []string) (found *structural.Schema, missing, meant string) {
	inMetadata := false
	for i, step := range steps {
		next := child(schema, step)
		isResource := i == 0 || schema.XEmbeddedResource
		if isResource && (step == "kind" || step == "apiVersion") {
			next = &structural.Schema{Generic: structural.Generic{Type: "string"}}
		} else if isResource && step == "metadata" {
			next = structural.ObjectMeta()
			inMetadata = true
		} else if inMetadata && schema.Type == "object" && len(schema.Properties) == 0 && schema.AdditionalProperties == nil {
			return nil, "", "" // managedFields[].fieldsV1
		}
		if next == nil && (schema.XPreserveUnknownFields != nil || schema.AdditionalProperties != nil &&
			schema.AdditionalProperties.Schema == nil) {
			return nil, "", ""
		}
		if next == nil {
			parent := strings.Join(append([]string{""}, steps[:i]...), ".") + "."
			var names []string
			for _, p := range schema.Properties {
				names = append(names, p.Name)
			}
			if nearest, ok := words.OnlyNearest(step, names); ok {
				meant = parent + nearest
			}
			return nil, parent + step, meant
		}
		schema = next
	}
	return schema, "", ""
}

// child returns the schema of a step into a value; "[]" is any element.
func child(s *structural.Schema, step string) *structural.Schema {
	if step == "[]" {
		if s.Items == nil && s.AdditionalProperties != nil {
			return s.AdditionalProperties.Schema // ['key']
		}
		return s.Items
	}
	if p := s.Property(step); p != nil || s.AdditionalProperties == nil {
		return p
	}
	return s.AdditionalProperties.Schema
}

// splitPath splits a simple JSONPath into steps: .a.b, with "[]" for an element. ok is
// false for recursive descent, wildcard names and unions.
func splitPath(path string) (steps []string, ok bool) {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "{"), "}")
	path = strings.TrimPrefix(path, "$")
	for path != "" {
		switch {
		case path[0] == '[':
			end := closing(path)
			if end < 0 {
				return nil, false
			}
			inner := path[1:end]
			path = path[end+1:]
			if key, ok := strings.CutPrefix(inner, "'"); ok && len(key) > 1 && strings.IndexByte(key, '\'') == len(key)-1 {
				// The server reads ['a.b'] as .a.b, and ['a\.b'] as one key.
				path = "." + key[:len(key)-1] + path
				continue
			}
			if strings.ContainsAny(inner, ",:*") && !strings.HasPrefix(inner, "?") && inner != "*" {
				return nil, false
			}
			steps = append(steps, "[]")
		case path[0] == '.':
			name := path[1:]
			end := 0
			for end < len(name) && name[end] != '.' && name[end] != '[' {
				if name[end] == '\\' && end+1 < len(name) {
					end++
				}
				end++
			}
			if end == 0 || name[:end] == "*" {
				return nil, false
			}
			steps = append(steps, strings.ReplaceAll(name[:end], `\`, ""))
			path = name[end:]
		default:
			return nil, false
		}
	}
	return steps, len(steps) > 0
}

// closing returns the index of the bracket that closes the one at the start, or -1.
func closing(text string) int {
	depth := 0
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[':
			depth++
		case c == ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
