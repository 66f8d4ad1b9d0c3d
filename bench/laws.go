package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// lawsResult has the violations of the laws of conversions in public modules.
const lawsResult = "laws.txt"

// lawsModule is a public module with hand-written conversions.
type lawsModule struct {
	// name has the version.
	name string
	// modules are other modules of the repository, by the directory in which a replace
	// directive expects them.
	modules  map[string]string
	packages []string
}

func lawsModules() []lawsModule {
	return []lawsModule{
		{
			name:     "sigs.k8s.io/cluster-api@v1.14.2",
			modules:  map[string]string{"api": "sigs.k8s.io/cluster-api/api@v1.14.2"},
			packages: []string{"bootstrap/kubeadm/webhooks/conversion", "controlplane/kubeadm/webhooks/conversion", "core/webhooks/conversion"},
		},
		{name: "github.com/openkruise/kruise@v1.8.0", packages: []string{"apis/apps/v1alpha1"}},
		{name: "github.com/vmware-tanzu/vm-operator/api@v1.8.6", packages: []string{"v1alpha1"}},
		{
			name:     "sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0",
			packages: []string{"api/v1beta1", "bootstrap/eks/api/v1beta1", "controlplane/eks/api/v1beta1", "exp/api/v1beta1"},
		},
	}
}

// laws generates tests for the unchanged conversions of public modules, runs them, and
// compares the violations with the checked-in ones.
func laws(ctx context.Context, w workspace, only, given string, update bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	golden, err := readSections(lawsResult)
	if err != nil {
		return err
	}
	failed := false
	counts := map[string]int{}
	for _, m := range lawsModules() {
		module, _, _ := strings.Cut(m.name, "@")
		if only != "" && !slices.Contains(strings.Split(only, ","), module) {
			continue
		}
		section, err := w.lawsOf(ctx, product, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, law := range regexp.MustCompile(`(?m)^\S+ \S+ (L\d) `).FindAllStringSubmatch(section, -1) {
			counts[law[1]]++
		}
		if !update && golden[m.name] != section {
			failed = true
			fmt.Fprintf(out, "%s: differs from %s:\n%s", m.name, lawsResult, excerpt(golden[m.name], section))
		}
		golden[m.name] = section
	}
	for _, law := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "%s: %d violations\n", law, counts[law])
	}
	if update {
		golden["all"] = "2000 histories of each kind, seed 1, " + time.Now().UTC().Format(time.DateOnly) + ", with the smallest history of some violations of L0, L3, L4 and L5.\n"
		return writeSections(lawsResult, golden)
	}
	if failed {
		return errDiffers
	}
	return nil
}

// lawsOf returns the violations in a module.
func (w workspace) lawsOf(ctx context.Context, product string, m lawsModule) (string, error) {
	dir, err := w.once("laws-"+strings.NewReplacer("/", "_", "@", "-").Replace(m.name), func(dir string) error {
		modules := maps.Clone(m.modules)
		if modules == nil {
			modules = map[string]string{}
		}
		modules["."] = m.name
		for at, name := range modules {
			found, err := downloadVersion(ctx, name)
			if err != nil {
				return err
			}
			if err := os.CopyFS(filepath.Join(dir, at), os.DirFS(found.Dir)); err != nil {
				return err
			}
		}
		// The module's own tests may need more than its archive has.
		return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, "_test.go") {
				return os.Remove(name)
			}
			return err
		})
	})
	if err != nil {
		return "", err
	}
	args := []string{"conversions", "--laws-only"}
	for _, p := range m.packages {
		args = append(args, "./"+p)
	}
	cmd := exec.CommandContext(ctx, product, args...)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("schemagen %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	var section strings.Builder
	for _, p := range m.packages {
		cmd := exec.CommandContext(ctx, "go", "test", "-mod=mod", "-count=1", "-run", "^TestConversionLaws$", "./"+p)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || !strings.Contains(string(text), "--- FAIL: TestConversionLaws")) {
			return "", fmt.Errorf("go test ./%s: %w\n%s", p, err, text)
		}
		section.WriteString(violations(p, string(text)))
	}
	return section.String(), nil
}

// violations returns the violations that a test reports: of L1 and L2 the paths, of the others
// also the smallest histories of the first three of a kind. Of a conversion that is not
// deterministic it returns nothing else, because that changes from run to run.
func violations(pkg, text string) string {
	var out strings.Builder
	for _, kind := range strings.Split(text, "\n    --- FAIL: TestConversionLaws/")[1:] {
		name, _, _ := strings.Cut(kind, " ")
		const random = "the same object converts to different values"
		isRandom := strings.Contains(kind, random)
		histories := map[string]int{}
		for _, m := range violation.FindAllStringSubmatch(kind, -1) {
			law, message, steps := m[1], m[2], m[3]
			if isRandom && !strings.Contains(message, random) {
				continue
			}
			if law != "L0" {
				message, _, _ = strings.Cut(message, ": ")
			}
			fmt.Fprintf(&out, "%s %s %s %s\n", pkg, name, law, message)
			if histories[law]++; isRandom || law == "L1" || law == "L2" || histories[law] > 3 {
				continue
			}
			for line := range strings.Lines(steps) {
				line = strings.TrimSpace(line)
				fmt.Fprintf(&out, "\t%s\n", line[:min(len(line), 400)])
			}
		}
	}
	return out.String()
}

// violation matches a violation in the output of a test.
var violation = regexp.MustCompile(`(?m)^ +zz_\S+ (L\d): .*\n +(.*) \(history \d+\)\n((?: {20}.*\n)*)`)
