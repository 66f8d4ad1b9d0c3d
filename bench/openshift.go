package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// openshiftAPI is a copy of OpenShift's API, which has CRDs next to each package.
type openshiftAPI struct {
	root, product string
	out           io.Writer
}

// singleGates is the directory of the CRDs of single gates.
const singleGates = "zz_generated.featuregated-crd-manifests"

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
	commit, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return fmt.Errorf("git rev-parse in %s: %w", dir, err)
	}
	return d.openshift(ctx, "github.com/openshift/api"+atCommit+strings.TrimSpace(string(commit)), dir)
}

func (d *dialectRun) openshift(ctx context.Context, source, dir string) error {
	o := &openshiftAPI{root: filepath.Join(d.temp, filepath.Base(dir)), product: d.product, out: d.out}
	if err := o.copyFrom(dir); err != nil {
		return err
	}
	equal, all, err := o.single(ctx)
	if err != nil {
		return err
	}
	d.result(source, "%d of the %d CRDs of single gates that it has are equal.", equal, all)
	d.differs = d.differs || equal != all
	return nil
}

// Markers in the comments of kinds.
var (
	// Their generator takes annotations from these.
	filePattern = regexp.MustCompile(`(?m)^// ?\+openshift:file-pattern=(.*)$`)
	approvedBy  = regexp.MustCompile(`(?m)^// ?\+openshift:api-approved.openshift.io=(\S+)$`)
	capability  = regexp.MustCompile(`(?m)^// ?\+openshift:capability=(\S+)$`)
	// It does not read this one.
	scale = regexp.MustCompile(`(?m)^// ?\+kubebuilder:subresource:scale:.*\n`)
	// The CRD of another gate than that of its kind does not depend on the latter.
	kindGate = regexp.MustCompile(`(?m)^// ?\+openshift:enable:FeatureGate=.*\n`)
)

// copyFrom copies the packages, with markers of schemagen's for what their generator reads, and
// without those that it does not read.
func (o *openshiftAPI) copyFrom(dir string) error {
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
			data = []byte(translated(string(data)))
		}
		return os.WriteFile(filepath.Join(o.root, name), data, 0o644)
	})
}

// translated returns Go source with the markers that are different for schemagen.
func translated(source string) string {
	const metadata = "// +kubebuilder:metadata:annotations="
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
	source = approvedBy.ReplaceAllString(source, "$0\n"+metadata+`"api-approved.openshift.io=$1"`)
	source = capability.ReplaceAllString(source, "$0\n"+metadata+`"capability.openshift.io/name=$1"`)
	source = scale.ReplaceAllString(source, "")
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

// generate returns the CRDs of channels of a package by channel and file name. Parts of a CRD
// need not be accepted by a server, so they are not verified.
func (o *openshiftAPI) generate(ctx context.Context, pkg string, channels map[string]*channelConfig) (map[string]map[string]string, error) {
	config, err := json.Marshal(map[string]any{ // JSON is YAML
		"paths": []string{"./" + filepath.ToSlash(pkg)}, "enable": []string{"openshift"}, "outputs": map[string]string{"crd": "dialects"},
		"crd": map[string]bool{"omitToolVersion": true, "skipVerify": true}, "channels": channels,
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
		return nil, fmt.Errorf("schemagen crd of %s: %w\n%s", pkg, err, messages)
	}
	all := map[string]map[string]string{}
	for name := range channels {
		if all[name], err = readCRDs(filepath.Join(out, name)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ours returns the text of a CRD as their generator would write it: only schemagen begins files
// with a separator, and writes, as controller-gen does, subresources of a kind that has columns
// but none of them.
func ours(text string) string {
	return strings.Replace(strings.TrimPrefix(text, "---\n"), "\n    subresources: {}\n", "\n", 1)
}

// report prints the difference between two CRDs, and returns whether they are equal.
func (o *openshiftAPI) report(theirs publishedCRD, ours string) bool {
	name, _ := filepath.Rel(o.root, theirs.path)
	switch {
	case ours == "":
		fmt.Fprintf(o.out, "%s is not written\n", name)
	case ours != theirs.text:
		fmt.Fprintf(o.out, "%s differs\n  %s\n", name, indent(excerpt(theirs.text, ours)))
	}
	return ours == theirs.text
}

// single compares the CRDs of single gates, of combinations of gates, and of none: each is a
// channel of its package, in which what has the empty name is off unless there is no gate.
func (o *openshiftAPI) single(ctx context.Context) (equal, all int, err error) {
	const (
		annotation = "feature-gate.release.openshift.io/"
		none       = "AAA_ungated" // their file name
		noGate     = "NONE"        // in place of the empty name, which no server accepts
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
					channel.Annotations[annotation+noGate] = "true"
				} else {
					for gate := range strings.SplitSeq(name, ".") {
						channel.Annotations[annotation+gate] = "true"
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
		written, err := o.generate(ctx, pkg, channels)
		if err != nil {
			return 0, 0, err
		}
		for _, c := range theirs {
			all++
			if o.report(c, strings.Replace(ours(written[channelOf(c)][c.file]), annotation+noGate+":", annotation+":", 1)) {
				equal++
			}
		}
	}
	return equal, all, nil
}
