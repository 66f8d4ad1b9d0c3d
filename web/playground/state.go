package playground

import "encoding/json"

// State is what the page shows on its left side, and what a link to the playground has.
type State struct {
	// Files are Go files, YAML files with CRDs, or both. A name may have directories, and is not ObjectName.
	Files []File `json:"files"`
	// Object is YAML with custom resources to try.
	Object string `json:"object,omitempty"`
	// Old are the files of the previous version, which Files are compared with.
	Old []File `json:"old,omitempty"`
}

// File is a file with its name.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Result is what the page shows on its right side. A part that cannot be computed because of an
// error in the files is empty.
type Result struct {
	// CRDs are the files that schemagen crd writes. CRDs of YAML files are not among them.
	CRDs []File `json:"crds"`
	// Findings have the form that --format json gives them, with columns in UTF-16 code units.
	Findings json.RawMessage `json:"findings"`
	// Stored is what a server stores of the objects, as YAML, with what it does as a comment.
	Stored string `json:"stored"`
	// Docs is the documentation in Markdown.
	Docs string `json:"docs"`
	// Changes are the changes since the previous version, one a line, the most harmful first; nil if none was compared.
	Changes []string `json:"changes"`
}

// ObjectName is the name of the file that findings about the object are in.
const ObjectName = "object.yaml"
