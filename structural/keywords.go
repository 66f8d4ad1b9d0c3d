package structural

import (
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Keywords returns the JSON names of everything that JSONSchemaProps of
// apiextensions.k8s.io/v1 has, in its order.
func Keywords() []string {
	var out []string
	for field := range reflect.TypeFor[apiextensionsv1.JSONSchemaProps]().Fields() {
		out = append(out, keywordOf(field))
	}
	return out
}

// SetKeywords returns the names of the keywords that are set.
func SetKeywords(p *apiextensionsv1.JSONSchemaProps) []string {
	var out []string
	for field, value := range reflect.ValueOf(p).Elem().Fields() {
		if !value.IsZero() {
			out = append(out, keywordOf(field))
		}
	}
	return out
}

// ClearKeyword removes a keyword, and reports whether it was there.
func ClearKeyword(p *apiextensionsv1.JSONSchemaProps, keyword string) bool {
	for field, value := range reflect.ValueOf(p).Elem().Fields() {
		if keywordOf(field) == keyword {
			was := !value.IsZero()
			value.SetZero()
			return was
		}
	}
	return false
}

// CopyKeywords sets in dst what is set in src.
func CopyKeywords(dst, src *apiextensionsv1.JSONSchemaProps) {
	to := reflect.ValueOf(dst).Elem()
	for field, value := range reflect.ValueOf(src).Elem().Fields() {
		if !value.IsZero() {
			to.FieldByIndex(field.Index).Set(value)
		}
	}
}

func keywordOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
