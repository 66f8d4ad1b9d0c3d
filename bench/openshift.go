package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// openshiftAPI is a copy of OpenShift's API, which has CRDs next to each package.
type openshiftAPI struct {
	root, product string
	out           io.Writer
}

// The directories of the CRDs of single gates, and of the merged ones.
const (
	singleGates = "zz_generated.featuregated-crd-manifests"
	mergedCRDs  = "zz_generated.crd-manifests"
)

// gateAnnotation begins the annotations of CRDs of single gates.
const gateAnnotation = "feature-gate.release.openshift.io/"

// openshiftModule compares the CRDs of the module that the nested module openshift requires.
func (d *dialectRun) openshiftModule(ctx context.Context) error {
	const path = "github.com/openshift/api"
	c := benchCase{name: "openshift", pins: "openshift", checkout: repository(path), paths: []string{"./config/..."}}
	versions, err := d.versions(ctx, c)
	if err != nil {
		return err
	}
	checkout, err := d.prepare(ctx, c)
	if err != nil {
		return err
	}
	return d.openshift(ctx, versions, checkout.root)
}

// openshiftCheckout compares the CRDs of a checkout.
func (d *dialectRun) openshiftCheckout(ctx context.Context, dir string) error {
	source, err := sourceOf(ctx, "github.com/openshift/api", dir)
	if err != nil {
		return err
	}
	return d.openshift(ctx, source, dir)
}

func (d *dialectRun) openshift(ctx context.Context, source, dir string) error {
	copied := func(name string, single bool) (*openshiftAPI, error) {
		o := &openshiftAPI{root: filepath.Join(d.temp, filepath.Base(dir)+name), product: d.product, out: d.out}
		return o, o.copyFrom(dir, single)
	}
	o, err := copied("-single", true)
	if err != nil {
		return err
	}
	single, singles, err := o.single(ctx)
	if err != nil {
		return err
	}
	if o, err = copied("-merged", false); err != nil {
		return err
	}
	merged, err := o.merged(ctx, "overlay")
	if err != nil {
		return err
	}
	once, err := o.merged(ctx, "once")
	if err != nil {
		return err
	}
	d.result(source, "%d of the %d CRDs of single gates that it has are equal, and %d of the %d merged ones; with merge: once, %d of the latter.%s",
		single, singles, merged.equal, merged.all, once.equal, once.others())
	d.differs = d.differs || single != singles || merged.equal != merged.all || once.equal+len(once.disagree)+len(once.more) != once.all
	return nil
}

// mergedResult is how many merged CRDs are equal, and which are not for one of two reasons:
// gates disagree about a value, or only the rules that their merge loses are added.
type mergedResult struct {
	equal, all     int
	disagree, more []string
}

// others names the CRDs that are not equal.
func (r *mergedResult) others() string {
	var b strings.Builder
	for _, group := range []struct {
		what  string
		names []string
	}{{"Two gates disagree about a value, which is SG323", r.disagree}, {"These have the rules, too, that their merge loses, and are equal otherwise", r.more}} {
		if len(group.names) > 0 {
			fmt.Fprintf(&b, "\n  %s:\n    %s", group.what, strings.Join(group.names, "\n    "))
		}
	}
	return b.String()
}

// Markers in the comments of kinds.
var (
	// Their generator takes annotations from these.
	filePattern = regexp.MustCompile(`(?m)^// ?\+openshift:file-pattern=(.*)$`)
	approvedBy  = regexp.MustCompile(`(?m)^// ?\+openshift:api-approved.openshift.io=(\S+)$`)
	capability  = regexp.MustCompile(`(?m)^// ?\+openshift:capability=(\S+)$`)
	// It does not read this one.
	scale = regexp.MustCompile(`(?m)^// ?\+kubebuilder:subresource:scale:.*\n`)
	// It takes cluster profiles out, and writes those that a merged CRD is for.
	profile = regexp.MustCompile(`(?m)^// ?\+kubebuilder:metadata:annotations="?include\.release\.openshift\.io/.*\n`)
	// The CRD of another gate than that of its kind does not depend on the latter.
	kindGate = regexp.MustCompile(`(?m)^// ?\+openshift:enable:FeatureGate=.*\n`)
)

// copyFrom copies the packages, with markers of schemagen's for what their generator reads, and
// without those that it does not read.
func (o *openshiftAPI) copyFrom(dir string, single bool) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if entry.IsDir() {
			if slices.Contains([]string{".git", "vendor", "tools", "tests"}, name) {
				return filepath.SkipDir
			}
			return os.MkdirAll(filepath.Join(o.root, name), 0o755)
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".go" {
			data = []byte(translated(string(data), single))
		}
		return os.WriteFile(filepath.Join(o.root, name), data, 0o644)
	})
}

// translated returns Go source with the markers that are different for schemagen. CRDs of single
// gates also have what the names of files are made of.
func translated(source string, single bool) string {
	const metadata = "// +kubebuilder:metadata:annotations="
	source = approvedBy.ReplaceAllString(source, "$0\n"+metadata+`"api-approved.openshift.io=$1"`)
	source = capability.ReplaceAllString(source, "$0\n"+metadata+`"capability.openshift.io/name=$1"`)
	source = scale.ReplaceAllString(source, "")
	if !single {
		return profile.ReplaceAllString(source, "")
	}
	source = filePattern.ReplaceAllStringFunc(source, func(marker string) string {
		_, arguments, _ := strings.Cut(marker, "=")
		names := map[string]string{"cvoRunLevel": "cvo-runlevel", "operatorName": "operator", "operatorOrdering": "ordering"}
		for argument := range strings.SplitSeq(arguments, ",") {
			if name, value, _ := strings.Cut(argument, "="); names[name] != "" {
				marker += fmt.Sprintf("\n%s%q", metadata, "api.openshift.io/filename-"+names[name]+"="+value)
			}
		}
		return marker
	})
	return kindGate.ReplaceAllString(source, "")
}

// publishedCRD is a CRD of the repository.
type publishedCRD struct {
	path, text, kind string
	// file is the name that schemagen gives its file.
	file string
}

var (
	kindLine = regexp.MustCompile(`(?m)^    kind: (\S+)$`)
	nameLine = regexp.MustCompile(`(?m)^  name: ([^.\s]+)\.(\S+)$`)
)

// published returns the CRDs in a directory and below it.
func published(dir string) (out []publishedCRD, err error) {
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		kind, name := kindLine.FindSubmatch(data), nameLine.FindSubmatch(data)
		if kind == nil || name == nil {
			return fmt.Errorf("%s is no CRD", path)
		}
		out = append(out, publishedCRD{path, string(data), string(kind[1]), fmt.Sprintf("%s_%s.yaml", name[2], name[1])})
		return nil
	})
	return out, err
}

// channelConfig is a channel of schemagen.yaml.
type channelConfig struct {
	Gates       []string          `json:"gates"`
	Kinds       []string          `json:"kinds"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// errDisagree is the error of generate if markers that hold disagree.
var errDisagree = errors.New("two conditional markers disagree (SG323)")

// generate returns the CRDs of channels of a package by channel and file name. Parts of a CRD
// need not be accepted by a server, so they are not verified.
func (o *openshiftAPI) generate(ctx context.Context, pkg, merge string, channels map[string]*channelConfig) (map[string]map[string]string, error) {
	config, err := json.Marshal(map[string]any{ // JSON is YAML
		"paths": []string{"./" + filepath.ToSlash(pkg)}, "enable": []string{"openshift"}, "outputs": map[string]string{"crd": "dialects"},
		"crd": map[string]bool{"omitToolVersion": true, "skipVerify": true}, "channels": channels, "merge": merge,
	})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(o.root, "schemagen.yaml"), config, 0o644); err != nil {
		return nil, err
	}
	out := filepath.Join(o.root, "dialects")
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, o.product, "crd", "--no-cache")
	cmd.Dir = o.root
	if messages, err := cmd.CombinedOutput(); err != nil {
		if found := errorLines.FindAll(messages, -1); len(found) > 0 && !slices.ContainsFunc(found, func(line []byte) bool { return !bytes.Contains(line, []byte("error[SG323]")) }) {
			return nil, errDisagree
		}
		return nil, fmt.Errorf("schemagen crd of %s: %w\n%s", pkg, err, messages)
	}
	all := map[string]map[string]string{}
	for name := range channels {
		if _, err := os.Stat(filepath.Join(out, name)); errors.Is(err, fs.ErrNotExist) {
			continue // its kinds do not exist
		}
		if all[name], err = readCRDs(filepath.Join(out, name)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// errorLines match the first lines of errors.
var errorLines = regexp.MustCompile(`(?m)^\S.*: error\[SG\d+\]: .*$`)

// ours returns the text of a CRD as their generator would write it: only schemagen begins files
// with a separator, and writes, as controller-gen does, subresources of a kind that has columns
// but none of them.
func ours(text string) string {
	return strings.Replace(strings.TrimPrefix(text, "---\n"), "\n    subresources: {}\n", "\n", 1)
}

// report prints the difference between two CRDs, and returns whether they are equal.
func (o *openshiftAPI) report(theirs publishedCRD, ours string) bool {
	switch {
	case ours == "":
		fmt.Fprintf(o.out, "%s is not written\n", o.name(theirs))
	case ours != theirs.text:
		fmt.Fprintf(o.out, "%s differs\n  %s\n", o.name(theirs), indent(excerpt(theirs.text, ours)))
	}
	return ours == theirs.text
}

// single compares the CRDs of single gates, of combinations of gates, and of none: each is a
// channel of its package, in which what has the empty name is off unless there is no gate.
func (o *openshiftAPI) single(ctx context.Context) (equal, all int, err error) {
	const (
		none   = "AAA_ungated" // their file name
		noGate = "NONE"        // in place of the empty name, which no server accepts
	)
	dirs, err := filepath.Glob(filepath.Join(o.root, "*", "*", singleGates))
	if err != nil {
		return 0, 0, err
	}
	for _, dir := range dirs {
		theirs, err := published(dir)
		if err != nil {
			return 0, 0, err
		}
		channels := map[string]*channelConfig{}
		channelOf := func(c publishedCRD) string {
			return strings.ReplaceAll(strings.TrimSuffix(filepath.Base(c.path), ".yaml"), "+", ".")
		}
		for _, c := range theirs {
			name := channelOf(c)
			if channels[name] == nil {
				channel := &channelConfig{Gates: []string{}, Annotations: map[string]string{}}
				if name == none {
					channel.Annotations[gateAnnotation+noGate] = "true"
				} else {
					for gate := range strings.SplitSeq(name, ".") {
						channel.Annotations[gateAnnotation+gate] = "true"
						channel.Gates = append(channel.Gates, gate)
					}
					channel.Gates = append(channel.Gates, "!")
				}
				channels[name] = channel
			}
			channels[name].Kinds = append(channels[name].Kinds, c.kind)
		}
		pkg, err := filepath.Rel(o.root, filepath.Dir(dir))
		if err != nil {
			return 0, 0, err
		}
		written, err := o.generate(ctx, pkg, "once", channels)
		if err != nil {
			return 0, 0, err
		}
		for _, c := range theirs {
			all++
			if o.report(c, strings.Replace(ours(written[channelOf(c)][c.file]), gateAnnotation+noGate+":", gateAnnotation+":", 1)) {
				equal++
			}
		}
	}
	return equal, all, nil
}

// featureSet is the gates of a feature set in a cluster profile.
type featureSet struct {
	name, profile string
	gates         []string
}

const (
	featureSetAnnotation = "release.openshift.io/feature-set"
	profilePrefix        = "include.release.openshift.io/"
	// customSet has all gates, in every profile, and no file.
	customSet = "CustomNoUpgrade"
)

// featureSets reads the feature sets of the repository.
func (o *openshiftAPI) featureSets() (out []featureSet, err error) {
	files, err := filepath.Glob(filepath.Join(o.root, "payload-manifests", "featuregates", "*.yaml"))
	if err != nil {
		return nil, err
	}
	profiles := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var object struct {
			Metadata struct{ Annotations map[string]string }
			Spec     struct{ FeatureSet string }
			Status   struct {
				FeatureGates []struct{ Enabled []struct{ Name string } }
			}
		}
		if err := yaml.Unmarshal(data, &object); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		set := featureSet{name: cmp.Or(object.Spec.FeatureSet, "Default"), gates: []string{}}
		for key := range object.Metadata.Annotations {
			if strings.HasPrefix(key, profilePrefix) {
				set.profile = key
			}
		}
		for _, gate := range object.Status.FeatureGates[0].Enabled {
			set.gates = append(set.gates, gate.Name)
		}
		profiles[set.profile] = true
		out = append(out, set)
	}
	for _, profile := range slices.Sorted(maps.Keys(profiles)) {
		out = append(out, featureSet{customSet, profile, []string{"*"}})
	}
	return out, nil
}

// metadata is the part of a CRD that says for which clusters it is.
type metadata struct {
	Metadata struct{ Annotations map[string]string }
}

// setsOf returns the feature sets that a merged CRD is for.
func setsOf(c publishedCRD, all []featureSet) ([]featureSet, error) {
	var m metadata
	if err := yaml.Unmarshal([]byte(c.text), &m); err != nil {
		return nil, fmt.Errorf("%s: %w", c.path, err)
	}
	names, restricted := m.Metadata.Annotations[featureSetAnnotation]
	return slices.DeleteFunc(slices.Clone(all), func(s featureSet) bool {
		return m.Metadata.Annotations[s.profile] != "true" || restricted && !slices.Contains(strings.Split(names, ","), s.name)
	}), nil
}

// merged compares the merged CRDs with those that schemagen merges in one of its ways.
func (o *openshiftAPI) merged(ctx context.Context, merge string) (*mergedResult, error) {
	sets, err := o.featureSets()
	if err != nil {
		return nil, err
	}
	dirs, err := filepath.Glob(filepath.Join(o.root, "*", "*", mergedCRDs))
	if err != nil {
		return nil, err
	}
	result := &mergedResult{}
	for _, dir := range dirs {
		theirs, err := published(dir)
		if err != nil {
			return nil, err
		}
		byKind := map[string][]publishedCRD{}
		for _, c := range theirs {
			byKind[c.kind] = append(byKind[c.kind], c)
		}
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			result.all += len(byKind[kind])
			err := o.mergedOf(ctx, byKind[kind], sets, merge, result)
			if errors.Is(err, errDisagree) { // not necessarily for each of them
				for _, c := range byKind[kind] {
					if err = o.mergedOf(ctx, []publishedCRD{c}, sets, merge, result); errors.Is(err, errDisagree) {
						result.disagree, err = append(result.disagree, o.name(c)), nil
					}
					if err != nil {
						return nil, err
					}
				}
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

// mergedOf compares CRDs of a kind, and adds them to the result. Each is generated for all
// feature sets that it is for, which its annotations say, as do the annotations of the channels.
func (o *openshiftAPI) mergedOf(ctx context.Context, theirs []publishedCRD, sets []featureSet, merge string, result *mergedResult) error {
	channels := map[string]*channelConfig{}
	of := make([]map[string]featureSet, len(theirs)) // by channel
	for i, c := range theirs {
		found, err := setsOf(c, sets)
		if err != nil {
			return err
		}
		annotations := map[string]string{"api.openshift.io/merged-by-featuregates": "true"}
		for _, line := range annotationLines.FindAllStringSubmatch(c.text, -1) {
			annotations[line[1]] = line[2]
		}
		of[i] = map[string]featureSet{}
		for j, set := range found {
			name := fmt.Sprintf("c%d.%d", i, j)
			channels[name], of[i][name] = &channelConfig{Gates: set.gates, Kinds: []string{c.kind}, Annotations: annotations}, set
		}
	}
	dir := filepath.Dir(filepath.Dir(theirs[0].path))
	pkg, err := filepath.Rel(o.root, dir)
	if err != nil {
		return err
	}
	written, err := o.generate(ctx, pkg, merge, channels)
	if err != nil {
		return err
	}
	for i, c := range theirs {
		// A feature set without the gates of the kind has no CRD, and no annotation names the
		// others.
		maps.DeleteFunc(of[i], func(name string, _ featureSet) bool { return written[name][c.file] == "" })
		same, more := len(of[i]) > 0 || o.report(c, ""), false
		for _, name := range slices.Sorted(maps.Keys(of[i])) {
			text, err := o.overridden(ours(written[name][c.file]), dir, c, of[i][name])
			if err != nil {
				return err
			}
			if text != c.text && merge == "once" {
				found, err := equalButForRules(c.text, text)
				if err != nil {
					return err
				}
				if found {
					more = true
					continue
				}
			}
			if same = o.report(c, text); !same {
				break
			}
		}
		switch {
		case more && same:
			result.more = append(result.more, o.name(c))
		case same:
			result.equal++
		}
	}
	return nil
}

// name returns the name of a CRD's file in the repository.
func (o *openshiftAPI) name(c publishedCRD) string {
	name, _ := filepath.Rel(o.root, c.path)
	return filepath.ToSlash(name)
}

// equalButForRules reports whether our CRD is equal to theirs without rules that theirs lacks.
func equalButForRules(theirs, ours string) (bool, error) {
	var a, b any
	if err := errors.Join(yaml.Unmarshal([]byte(theirs), &a), yaml.Unmarshal([]byte(ours), &b)); err != nil {
		return false, err
	}
	return reflect.DeepEqual(a, withoutRules(b, a)), nil
}

// withoutRules returns a value without the rules that another one lacks at the same place.
func withoutRules(value, other any) any {
	const rules = "x-kubernetes-validations"
	switch value := value.(type) {
	case map[string]any:
		others, _ := other.(map[string]any)
		for key, v := range value {
			if list, ok := v.([]any); ok && key == rules {
				known, _ := others[rules].([]any)
				list = slices.DeleteFunc(list, func(rule any) bool {
					return !slices.ContainsFunc(known, func(k any) bool { return reflect.DeepEqual(rule, k) })
				})
				if value[key] = list; len(list) == 0 {
					delete(value, key)
				}
				continue
			}
			value[key] = withoutRules(v, others[key])
		}
	case []any:
		others, _ := other.([]any)
		for i, v := range value {
			if i < len(others) {
				value[i] = withoutRules(v, others[i])
			}
		}
	}
	return value
}

// annotationLines match the annotations of a CRD that depend on the feature set.
var annotationLines = regexp.MustCompile(`(?m)^    ((?:include\.)?release\.openshift\.io/(?:feature-set|ibm-cloud-managed|self-managed-high-availability)): "?([^"\n]*)"?$`)

// overridden returns a CRD with what the repository has by hand laid over it.
func (o *openshiftAPI) overridden(text, pkg string, c publishedCRD, set featureSet) (string, error) {
	group, plural, _ := strings.Cut(strings.TrimSuffix(c.file, ".yaml"), "_")
	files, err := filepath.Glob(filepath.Join(pkg, "manual-override-crd-manifests", plural+"."+group, "*.yaml"))
	if err != nil || len(files) == 0 || text == "" {
		return text, err
	}
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		return "", err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		var m metadata
		var over map[string]any
		if err := errors.Join(yaml.Unmarshal(data, &m), yaml.Unmarshal(data, &over)); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if applies(m.Metadata.Annotations, set) {
			delete(over["metadata"].(map[string]any), "annotations")
			object = joined(object, over).(map[string]any)
		}
	}
	out, err := yaml.Marshal(object)
	return string(out), err
}

// applies reports whether a definition with the annotations is for a feature set.
func applies(annotations map[string]string, set featureSet) bool {
	anyProfile, ofProfile := true, false
	for key := range annotations {
		if gate, ok := strings.CutPrefix(key, gateAnnotation); ok && gate != "" && !slices.Contains(set.gates, gate) && set.name != customSet {
			return false
		}
		if strings.HasPrefix(key, profilePrefix) {
			anyProfile, ofProfile = false, ofProfile || key == set.profile
		}
	}
	return anyProfile || ofProfile
}

// joined returns a value with another one laid over it: objects and versions are joined.
func joined(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		if object, ok := a.(map[string]any); ok {
			for key, value := range b {
				object[key] = joined(object[key], value)
			}
			return object
		}
	case []any:
		list, ok := a.([]any)
		named := func(v any) bool { m, _ := v.(map[string]any); return m["name"] != nil }
		if ok && len(list) == 1 && len(b) == 1 && named(list[0]) && named(b[0]) {
			return []any{joined(list[0], b[0])}
		}
	}
	return b
}
