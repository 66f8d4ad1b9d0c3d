// Package openshift keeps github.com/openshift/api in go.mod, for make dialects.
package openshift

import _ "github.com/openshift/api/config/v1"
