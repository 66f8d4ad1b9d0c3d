package structural

import (
	"slices"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// types reports types that are not OpenAPI v3 types.
func (c *proposals) types(s *Schema, path *Path) {
	known := []string{"array", "boolean", "integer", "number", "object", "string"}
	if s.Type != "" && !slices.Contains(known, s.Type) {
		c.reject(ruleTypeNames, notSupported(path.Child("type"), s.Type, known, s.Origin, "type"))
	}
	if s.Type == "null" {
		c.reject(ruleTypeNames, Violation{
			Path: path.Child("type"), Kind: Forbidden, Pos: s.Origin.Of("type"),
			Detail: "type cannot be set to null, use nullable as an alternative",
		})
	}
}

// notSupported returns the violation for a value that is not in known.
func notSupported(path *Path, value string, known []string, origin Origin, keyword string) Violation {
	detail := "supported values: "
	for i, name := range known {
		if i > 0 {
			detail += ", "
		}
		detail += plainjson.Text(name)
	}
	return Violation{Path: path, Kind: NotSupported, Value: value, Detail: detail, Pos: origin.Of(keyword)}
}

// structOrMap reports a node that is both a struct and a map.
func (c *proposals) structOrMap(s *Schema, path *Path) {
	if isStructAndMap(s) {
		c.reject(ruleStructOrMap, Violation{
			Path: path.Child("additionalProperties"), Kind: Forbidden, Pos: s.Origin.Of("additionalProperties"),
			Detail: "additionalProperties and properties are mutual exclusive",
		})
	}
}

func isStructAndMap(s *Schema) bool {
	a := s.AdditionalProperties
	return len(s.Properties) > 0 && a != nil && (a.Schema != nil || !a.Bool)
}

// topology checks x-kubernetes-preserve-unknown-fields and the extensions that
// define how lists and maps are merged.
func (c *proposals) topology(schema *Schema, path *Path) {
	const mapType, listType = "x-kubernetes-map-type", "x-kubernetes-list-type"
	if schema.XPreserveUnknownFields != nil && !*schema.XPreserveUnknownFields {
		c.reject(rulePreserve, Violation{
			Path: path.Child(preserve), Kind: Invalid, Value: false, Detail: "must be true or undefined", Pos: schema.Origin.Of(preserve),
		})
	}
	if schema.XMapType != "" {
		if schema.Type != "object" {
			c.wrongType(ruleMapType, schema, path, "must be object if x-kubernetes-map-type is specified", mapType)
		}
		if known := []string{"atomic", "granular"}; !slices.Contains(known, schema.XMapType) {
			c.reject(ruleMapType, notSupported(path.Child(mapType), schema.XMapType, known, schema.Origin, mapType))
		}
	}
	if schema.XListType != "" {
		if schema.Type != "array" {
			c.wrongType(ruleListType, schema, path, "must be array if x-kubernetes-list-type is specified", listType)
		}
		if known := []string{"atomic", "set", "map"}; !slices.Contains(known, schema.XListType) {
			c.reject(ruleListType, notSupported(path.Child(listType), schema.XListType, known, schema.Origin, listType))
		}
	}
	if schema.XListType == "set" && schema.Type == "array" && schema.Items != nil {
		c.setOfAtomics(schema.Items, path.Child("items"))
	}
	if len(schema.XListMapKeys) > 0 && schema.XListType != "map" {
		v := Violation{
			Path: path.Child(listType), Kind: Invalid, Value: schema.XListType,
			Detail: "must be map if x-kubernetes-list-map-keys is non-empty", Pos: schema.Origin.Of("x-kubernetes-list-map-keys"),
		}
		if schema.XListType == "" {
			v.Kind = Required
		}
		c.reject(ruleListMapKeys, v)
	}
	if schema.XListType == "map" {
		c.listOfMaps(schema, path)
	}
	if schema.Items != nil && schema.Items.Nullable && (schema.XListType == "set" || schema.XListType == "map") {
		c.reject(ruleListType, Violation{
			Path: path.Child("items").Child("nullable"), Kind: Forbidden,
			Detail: "cannot be nullable when x-kubernetes-list-type is " + schema.XListType, Pos: schema.Items.Origin.Of("nullable"),
		})
	}
}

// wrongType reports an extension on a node of a type that it does not apply to.
func (c *proposals) wrongType(rule string, s *Schema, path *Path, detail, keyword string) {
	v := Violation{Path: path.Child("type"), Kind: Invalid, Value: s.Type, Detail: detail, Pos: s.Origin.Of(keyword)}
	if s.Type == "" {
		v.Kind = Required
	}
	c.reject(rule, v)
}

// setOfAtomics checks the elements of a set. The server prints the list type of
// the element in both messages.
func (c *proposals) setOfAtomics(items *Schema, path *Path) {
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	var value any
	if items.XListType != "" {
		value = items.XListType
	}
	switch {
	case items.Type == "array" && items.XListType != "" && items.XListType != "atomic":
		c.reject(ruleListType, Violation{
			Path: path.Child("x-kubernetes-list-type"), Kind: Invalid, Value: value, Detail: detail, Pos: items.Origin.Of("x-kubernetes-list-type"),
		})
	case items.Type == "object" && items.XMapType != "atomic":
		c.reject(ruleListType, Violation{
			Path: path.Child("x-kubernetes-map-type"), Kind: Invalid, Value: value, Detail: detail, Pos: items.Origin.Of("x-kubernetes-map-type"),
		})
	}
}

// listOfMaps checks a list of type map and its keys.
func (c *proposals) listOfMaps(schema *Schema, path *Path) {
	const keysKeyword = "x-kubernetes-list-map-keys"
	keysPath := path.Child(keysKeyword)
	if len(schema.XListMapKeys) == 0 {
		c.reject(ruleListMapKeys, Violation{
			Path: keysPath, Kind: Required, Detail: "must not be empty if x-kubernetes-list-type is map", Pos: schema.Origin.Of("x-kubernetes-list-type"),
		})
	}
	items := schema.Items
	itemsPath := path.Child("items")
	if items == nil {
		c.reject(ruleListType, Violation{
			Path: itemsPath, Kind: Required, Detail: "must have a schema if x-kubernetes-list-type is map", Pos: schema.Origin.Of("x-kubernetes-list-type"),
		})
		return
	}
	if items.Type != "object" {
		c.reject(ruleListType, Violation{
			Path: itemsPath.Child("type"), Kind: Invalid, Value: items.Type,
			Detail: "must be object if parent array's x-kubernetes-list-type is map", Pos: items.Origin.Of("type"),
		})
	}
	keys := func(detail string) Violation {
		return Violation{Path: keysPath, Kind: Invalid, Value: schema.XListMapKeys, Detail: detail, Pos: schema.Origin.Of(keysKeyword)}
	}
	for i, key := range schema.XListMapKeys {
		property := items.Property(key)
		propertyPath := itemsPath.Property(key)
		if items.Type == "object" {
			switch {
			case property == nil:
				c.reject(ruleListMapKeys, keys("entries must all be names of item properties"))
			case property.Type == "array" || property.Type == "object":
				// The server prints the type of the element.
				c.reject(ruleListMapKeys, Violation{
					Path: propertyPath.Child("type"), Kind: Invalid, Value: items.Type,
					Detail: "must be a scalar type if parent array's x-kubernetes-list-type is map", Pos: property.Origin.Of("type"),
				})
			}
			if slices.Contains(schema.XListMapKeys[:i], key) {
				c.reject(ruleListMapKeys, keys("must not contain duplicate entries"))
			}
		}
		if property == nil {
			continue
		}
		if property.Default == nil && !items.Requires(key) {
			c.reject(ruleListMapKeys, Violation{
				Path: propertyPath.Child("default"), Kind: Required, Pos: property.Origin.Pos,
				Detail: "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
			})
		}
		if property.Nullable {
			c.reject(ruleListMapKeys, Violation{
				Path: propertyPath.Child("nullable"), Kind: Forbidden, Pos: property.Origin.Of("nullable"),
				Detail: "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
			})
		}
	}
}
