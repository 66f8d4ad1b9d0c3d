// Package examples holds projects that make demo runs schemagen on.
package examples

// The demo generates the CRDs of a real API, too.
import _ "sigs.k8s.io/gateway-api/apis/v1"
