package apiserver

import "k8s.io/client-go/util/jsonpath"

// maxColumnPath bounds the JSONPath of a column that is parsed: the parser calls
// itself for each step.
const maxColumnPath = 1 << 16

// ColumnError parses the JSONPath of a printer column as the server does when it
// begins to serve the definition, which no validation has done before. It returns
// nil for a path that the server takes.
func ColumnError(path string) error {
	if len(path) > maxColumnPath {
		return nil
	}
	return jsonpath.New("column").Parse("{" + path + "}")
}
