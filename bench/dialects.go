package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// dialectsFile has how many published files schemagen writes alike, as last recorded.
const dialectsFile = "dialects.txt"

// atCommit precedes the commit of a checkout in a result.
const atCommit = " at commit "

// standardKinds are the kinds of gateway-api's channel standard, which are listed in the source
// of its generator.
const standardKinds = "BackendTLSPolicy, GRPCRoute, Gateway, GatewayClass, HTTPRoute, ListenerSet, ReferenceGrant, TCPRoute, TLSRoute, UDPRoute"

// dialects compares the CRDs that projects with generators of their own for gates publish with
// those that schemagen writes from the same source. openshift and opcon are checkouts of
// openshift/api, to compare besides its module, and of operator-controller, or empty.
func dialects(ctx context.Context, w workspace, given, openshift, opcon string, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-dialects-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	d := dialectRun{workspace: w, product: product, temp: temp, out: out}
	if err := d.gatewayAPI(ctx); err != nil {
		return err
	}
	if err := d.openshiftModule(ctx); err != nil {
		return err
	}
	if openshift != "" {
		if err := d.openshiftCheckout(ctx, openshift); err != nil {
			return err
		}
	}
	if opcon != "" {
		if err := d.operatorController(ctx, opcon); err != nil {
			return err
		}
	}
	if recorded {
		if err := d.record(); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(out, strings.Join(d.lines, "")); err != nil {
		return err
	}
	if d.differs {
		return errDiffers
	}
	return nil
}

// dialectRun is a run of dialects.
type dialectRun struct {
	workspace
	product, temp string
	out           io.Writer
	// lines are the results, each for a source. differs is set if a file differs.
	lines   []string
	differs bool
}

// result adds a result.
func (d *dialectRun) result(source, format string, args ...any) {
	d.lines = append(d.lines, fmt.Sprintf("%s, %s: %s\n", source, time.Now().UTC().Format(time.DateOnly), fmt.Sprintf(format, args...)))
}

// sourceOf names a checkout of a project.
func sourceOf(ctx context.Context, project, dir string) (string, error) {
	commit, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("git rev-parse in %s: %w", dir, err)
	}
	return project + atCommit + strings.TrimSpace(string(commit)), nil
}

// record writes the results, and keeps those of checkouts that were not compared. A result goes on
// in lines that begin with blanks.
func (d *dialectRun) record() error {
	old, err := os.ReadFile(dialectsFile)
	if err != nil {
		return err
	}
	lines, kept := slices.Clone(d.lines), false
	for line := range strings.Lines(string(old)) {
		if !strings.HasPrefix(line, " ") {
			project, _, isCheckout := strings.Cut(line, atCommit)
			kept = isCheckout && !slices.ContainsFunc(d.lines, func(l string) bool { return strings.HasPrefix(l, project+atCommit) })
		}
		if kept {
			lines = append(lines, line)
		}
	}
	return os.WriteFile(dialectsFile, []byte(strings.Join(lines, "")), 0o644)
}

// gatewayAPI compares the CRDs of gateway-api, whose own generator makes two channels from tags
// in descriptions.
func (d *dialectRun) gatewayAPI(ctx context.Context) error {
	selected, err := selectCases("gateway-api")
	if err != nil {
		return err
	}
	c := selected[0]
	versions, err := d.versions(ctx, c)
	if err != nil {
		return err
	}
	checkout, err := d.prepare(ctx, c)
	if err != nil {
		return err
	}
	project, err := checkout.copyTo(filepath.Join(d.temp, "gateway-api"))
	if err != nil {
		return err
	}
	_, version, _ := strings.Cut(versions, " ")
	if err := configureGateway(project.dir, version, c); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, d.product, "crd", "--no-cache")
	cmd.Dir = project.dir
	if messages, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("schemagen crd: %w\n%s", err, messages)
	}
	equal, all := 0, 0
	for _, channel := range []string{"standard", "experimental"} {
		same, of, err := compareCRDs(filepath.Join(project.dir, "config", "crd", channel), filepath.Join(project.dir, "dialects", channel), d.out)
		if err != nil {
			return err
		}
		equal, all = equal+same, all+of
	}
	d.result(versions, "%d of the %d CRDs that it publishes in two channels are equal.", equal, all)
	d.differs = d.differs || equal != all
	return nil
}

var (
	// approval matches the annotation that gateway-api's generator takes from the source.
	approval = regexp.MustCompile(`ApprovalLink = "(.*)"`)
	// alphaVersion matches a line above the kinds of alpha versions, which the generator does
	// not serve in the channel standard.
	alphaVersion = regexp.MustCompile(`(?m)^// \+kubebuilder:deprecatedversion:warning="The v\w*alpha.*$`)
)

// configureGateway writes what is in the source of gateway-api's generator into a copy of
// gateway-api: the channels, to schemagen.yaml, and which versions are not served.
func configureGateway(root, version string, c benchCase) error {
	constants, err := os.ReadFile(filepath.Join(root, "pkg", "consts", "consts.go"))
	if err != nil {
		return err
	}
	link := approval.FindSubmatch(constants)
	if link == nil {
		return errors.New("pkg/consts/consts.go has no ApprovalLink")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "paths: [%s]\nenable: [gateway]\noutputs: {crd: dialects}\ncrd: {omitToolVersion: true}\nchannels:\n", strings.Join(c.patterns(), ", "))
	for _, channel := range []struct{ name, rest string }{{"standard", "kinds: [" + standardKinds + "]"}, {"experimental", "gates: [experimental]"}} {
		fmt.Fprintf(&b, "  %s:\n    %s\n    annotations:\n      api-approved.kubernetes.io: %s\n", channel.name, channel.rest, link[1])
		fmt.Fprintf(&b, "      gateway.networking.k8s.io/bundle-version: %s\n      gateway.networking.k8s.io/channel: %s\n", version, channel.name)
	}
	if err := os.WriteFile(filepath.Join(root, "schemagen.yaml"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(root, "apis", "v*alpha*", "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		source = alphaVersion.ReplaceAll(source, []byte("$0\n// +schemagen:when(!experimental)=+kubebuilder:unservedversion"))
		if err := os.WriteFile(name, source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compareCRDs compares the CRDs in two directories. It prints which differ, with the first
// difference of each.
func compareCRDs(published, written string, out io.Writer) (equal, all int, err error) {
	theirs, err := readCRDs(published)
	if err != nil {
		return 0, 0, err
	}
	ours, err := readCRDs(written)
	if err != nil {
		return 0, 0, err
	}
	for _, name := range slices.Sorted(maps.Keys(ours)) {
		if _, ok := theirs[name]; !ok {
			fmt.Fprintf(out, "%s: %s is not published\n", filepath.Base(published), name)
			all++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		all++
		// Only ours begin with a separator.
		switch data, ok := strings.CutPrefix(ours[name], "---\n"); {
		case !ok:
			fmt.Fprintf(out, "%s: %s is not written\n", filepath.Base(published), name)
		case data != theirs[name]:
			fmt.Fprintf(out, "%s: %s differs\n  %s\n", filepath.Base(published), name, indent(excerpt(theirs[name], data)))
		default:
			equal++
		}
	}
	return equal, all, nil
}

// readCRDs returns the CRDs in a directory, by file name. Other files are ignored.
func readCRDs(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(data, []byte("\nkind: CustomResourceDefinition\n")) {
			out[filepath.Base(name)] = string(data)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no CRDs", dir)
	}
	return out, nil
}
