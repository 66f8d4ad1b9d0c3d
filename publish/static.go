package publish

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// staticText is what the server says about every resource, taken from its
// libraries by a test.
//
//go:embed static.json
var staticText []byte

// KubeVersion is the Kubernetes release whose documents these are: that of the
// libraries from which static.json is taken.
const KubeVersion = "1.37"

// static is the content of static.json.
type static struct {
	V2, V3 staticDialect
}

// staticDialect is what one version of OpenAPI has.
type staticDialect struct {
	// Definitions are those of Kubernetes, by name.
	Definitions map[string]json.RawMessage `json:"definitions"`
	// Shared are the parameters that v2 refers to.
	Shared map[string]json.RawMessage `json:"shared,omitempty"`
	// Parameters are those of each action, by name.
	Parameters map[string][]parameter `json:"parameters"`
	// Namespace is the parameter in the path.
	Namespace parameter `json:"namespace"`
	// Bodies are what v3 reads for an action, where that is no custom resource.
	Bodies map[string]json.RawMessage `json:"bodies,omitempty"`
}

// parameter is a parameter of a request, as it is written.
type parameter struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

func newParameter(name string, value object) parameter {
	raw, _ := json.Marshal(value) // texts and bools
	return parameter{name, raw}
}

func (p parameter) equals(other parameter) bool {
	return p.Name == other.Name && bytes.Equal(p.Value, other.Value)
}

// readStatic takes as long as a small document does, so it is done where one is
// made.
func readStatic() (*static, error) {
	out := &static{}
	if err := json.Unmarshal(staticText, out); err != nil {
		return nil, fmt.Errorf("static.json: %w", err)
	}
	return out, nil
}
