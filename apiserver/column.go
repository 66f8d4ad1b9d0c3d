package apiserver

import "k8s.io/client-go/util/jsonpath"

// maxColumnPath is the maximum length of a column's JSONPath that is parsed: the parser
// recurses for each step.
const maxColumnPath = 1 << 16

// ColumnError parses the JSONPath of a printer column as the server does when it starts to
// serve the resource, which no earlier validation does. It returns nil if the server
// accepts the path.
func ColumnError(path string) error {
	if len(path) > maxColumnPath {
		return nil
	}
	return jsonpath.New("column").Parse("{" + path + "}")
}
