package dryrun

import (
	"bytes"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/schemagen/schemagen/crd"
)

// This file selects the variants of a CRD that a suite tests, as openshift/api's
// tests/crd_filter.go does: there is a variant for each feature set and cluster profile.

// Annotations of OpenShift's manifests.
const (
	featureSetAnnotation   = "release.openshift.io/feature-set"
	majorVersionAnnotation = "release.openshift.io/major-version"
	profileAnnotation      = "include.release.openshift.io/"
	oneGateAnnotation      = "feature-gate.release.openshift.io/"
	// allFields is the feature set whose variants have every field.
	allFields = "CustomNoUpgrade"
)

// testedVersion is a version of a definition.
type testedVersion struct {
	definition *crd.Definition
	version    string
}

// variants returns the definitions with a name that have different specs, from the files nearest to
// the suite. Definitions with the fields of one gate only, from which OpenShift's others are
// merged, are left out if there are others.
func (t *Trial) variants(name, suite string) []*crd.Definition {
	var nearest []*crd.Definition
	most := 0
	for _, d := range t.definitions {
		if d.CRD.Name != name || len(d.CRD.Spec.Versions) == 0 {
			continue
		}
		pos, _ := d.Position("metadata.name")
		shared := sharedDirectories(pos.File, suite)
		if shared > most {
			nearest = nil
			most = shared
		}
		if shared == most {
			nearest = append(nearest, d)
		}
	}
	var all, whole []*crd.Definition
	for _, d := range nearest {
		same := func(other *crd.Definition) bool { return reflect.DeepEqual(other.CRD.Spec, d.CRD.Spec) }
		if !slices.ContainsFunc(all, same) {
			all = append(all, d)
		}
		ofOneGate := slices.ContainsFunc(slices.Collect(maps.Keys(d.CRD.Annotations)),
			func(key string) bool { return strings.HasPrefix(key, oneGateAnnotation) })
		if !ofOneGate && !slices.ContainsFunc(whole, same) {
			whole = append(whole, d)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return all
}

// sharedDirectories returns the number of directories with which the paths of two files begin.
func sharedDirectories(a, b string) int {
	first := strings.Split(filepath.ToSlash(filepath.Dir(filepath.Clean(a))), "/")
	second := strings.Split(filepath.ToSlash(filepath.Dir(filepath.Clean(b))), "/")
	n := 0
	for n < min(len(first), len(second)) && first[n] == second[n] {
		n++
	}
	return n
}

// featureGates are the states of gates for a feature set and a cluster profile.
type featureGates struct {
	annotations map[string]string
	enabled     map[string]bool
}

// AddFeatureGates reads the FeatureGate objects of OpenShift in a file. They have the states of
// gates for a feature set, which select variants of CRDs for suites with featureGates.
func (t *Trial) AddFeatureGates(file crd.File) {
	if !bytes.Contains(file.Data, []byte("FeatureGate")) {
		return
	}
	objects, _ := ReadObjects(file) // mistakes are reported for definitions and suites
	for _, o := range objects {
		lists, _, err := unstructured.NestedSlice(o.Value, "status", "featureGates")
		if o.Kind != "FeatureGate" || err != nil || len(lists) == 0 {
			continue
		}
		first, _ := lists[0].(map[string]any)
		u := unstructured.Unstructured{Object: o.Value}
		out := featureGates{annotations: u.GetAnnotations(), enabled: map[string]bool{}}
		for _, state := range []string{"enabled", "disabled"} {
			gates, _, _ := unstructured.NestedSlice(first, state) // absent without gates
			for _, gate := range gates {
				object, _ := gate.(map[string]any)
				if name, ok := object["name"].(string); ok {
					out.enabled[name] = state == "enabled"
				}
			}
		}
		t.gates = append(t.gates, out)
	}
}

// fits reports whether gates are on in a variant or, with a minus sign, off.
func (t *Trial) fits(d *crd.Definition, gates []string) bool {
	sets := parts(d.CRD.Annotations[featureSetAnnotation])
	if slices.Contains(sets, allFields) {
		return !slices.ContainsFunc(gates, func(gate string) bool { return strings.HasPrefix(gate, "-") })
	}
	var profiles []string
	for _, key := range slices.Sorted(maps.Keys(d.CRD.Annotations)) {
		if strings.HasPrefix(key, profileAnnotation) && d.CRD.Annotations[key] == "true" {
			profiles = append(profiles, key)
		}
	}
	if len(profiles) == 0 {
		return true
	}
	if len(sets) == 0 {
		sets = []string{"Default"}
	}
	versions := parts(d.CRD.Annotations[majorVersionAnnotation])
	i := slices.IndexFunc(t.gates, func(g featureGates) bool {
		_, ofProfile := g.annotations[profiles[0]]
		known := parts(g.annotations[majorVersionAnnotation])
		ofVersion := len(versions) == 0 || slices.ContainsFunc(versions,
			func(v string) bool { return slices.Contains(known, v) })
		return ofProfile && ofVersion && slices.Contains(sets, g.annotations[featureSetAnnotation])
	})
	if i < 0 {
		return false
	}
	return !slices.ContainsFunc(gates, func(gate string) bool {
		name, negated := strings.CutPrefix(gate, "-")
		enabled, known := t.gates[i].enabled[name]
		return !known || enabled == negated
	})
}

// parts returns the elements of a list separated by commas.
func parts(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}
