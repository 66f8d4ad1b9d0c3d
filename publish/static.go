package publish

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// staticText is what the server publishes about every resource, generated from its
// libraries by a test.
//
//go:embed static.json
var staticText []byte

// kubeVersion is the Kubernetes release of the documents, that is, of the libraries from
// which static.json is generated.
const kubeVersion = "1.37"

// static is the content of static.json.
type static struct {
	V2, V3 staticDialect
}

// staticDialect is the content for one version of OpenAPI.
type staticDialect struct {
	// Definitions are Kubernetes' own definitions, by name.
	Definitions map[string]json.RawMessage `json:"definitions"`
	// Shared are the parameters that v2 refers to.
	Shared map[string]json.RawMessage `json:"shared,omitempty"`
	// Parameters are the parameters of each action, by name.
	Parameters map[string][]parameter `json:"parameters"`
	// Namespace is the path parameter.
	Namespace parameter `json:"namespace"`
	// Bodies are the request bodies of v3 by action, if they are not custom resources.
	Bodies map[string]json.RawMessage `json:"bodies,omitempty"`
}

// parameter is a parameter of a request, as JSON.
type parameter struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

func newParameter(name string, value object) parameter {
	raw, _ := plainjson.Marshal(value) // strings and booleans
	return parameter{name, raw}
}

func (p parameter) equals(other parameter) bool {
	return p.Name == other.Name && bytes.Equal(p.Value, other.Value)
}

// readStatic parses static.json. It takes as long as a small document, so it is called only
// when one is made.
func readStatic() (*static, error) {
	out := &static{}
	if err := json.Unmarshal(staticText, out); err != nil {
		return nil, fmt.Errorf("static.json: %w", err)
	}
	return out, nil
}
