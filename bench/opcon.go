package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// opconConfig has the channels of operator-controller, which are in the source of its generator.
const opconConfig = `paths: [./api/v1]
enable: ["gateway:opcon"]
outputs: {crd: dialects}
channels:
  standard:
    kinds: [ClusterExtension, ClusterCatalog]
    annotations: {olm.operatorframework.io/generator: standard}
  experimental:
    gates: [experimental]
    annotations: {olm.operatorframework.io/generator: experimental}
`

// operatorController compares the CRDs in a checkout of operator-controller, whose own generator
// makes two channels from tags in descriptions. What its go.mod requires for its API has to be in
// the module cache.
func (d *dialectRun) operatorController(ctx context.Context, dir string) error {
	source, err := sourceOf(ctx, "github.com/operator-framework/operator-controller", dir)
	if err != nil {
		return err
	}
	root := filepath.Join(d.temp, "operator-controller")
	if err := os.CopyFS(filepath.Join(root, "api"), os.DirFS(filepath.Join(dir, "api"))); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(root, "schemagen.yaml"), []byte(opconConfig), 0o644); err != nil {
		return err
	}
	if err := replaceOneOf(root); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, d.product, "crd", "--no-cache")
	cmd.Dir = root
	if messages, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("schemagen crd: %w\n%s", err, messages)
	}
	equal, all := 0, 0
	for _, channel := range []string{"standard", "experimental"} {
		theirs, err := filepath.Glob(filepath.Join(dir, "helm", "olmv1", "base", "*", "crd", channel, "*.yaml"))
		if err != nil {
			return err
		}
		for _, name := range theirs {
			all++
			published, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			written, err := os.ReadFile(filepath.Join(root, "dialects", channel, filepath.Base(name)))
			if err != nil {
				fmt.Fprintln(d.out, err)
				continue
			}
			if a, b := withoutVersion(published), withoutVersion(written); string(a) != string(b) {
				fmt.Fprintf(d.out, "%s: %s differs\n  %s\n", channel, filepath.Base(name), indent(excerpt(string(a), string(b))))
				continue
			}
			equal++
		}
	}
	d.result(source, "%d of the %d CRDs that it has in two channels are equal, with the rule of ExactlyOneOf that controller-gen wrote before v0.22.", equal, all)
	d.differs = d.differs || all == 0 || equal != all
	return nil
}

// exactlyOneOf matches markers with the names of fields.
var exactlyOneOf = regexp.MustCompile(`\+kubebuilder:validation:ExactlyOneOf=\{?([\w,;]+)\}?`)

// replaceOneOf replaces markers in Go files by the rules that controller-gen wrote for them before
// v0.22, the version that operator-controller uses.
func replaceOneOf(root string) error {
	return filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, exactlyOneOf.ReplaceAllFunc(source, func(marker []byte) []byte {
			names := strings.FieldsFunc(string(exactlyOneOf.FindSubmatch(marker)[1]), func(r rune) bool { return r == ',' || r == ';' })
			return fmt.Appendf(nil, `+kubebuilder:validation:XValidation:rule="[has(self.%s)].filter(x,x==true).size() == 1",message="exactly one of the fields in %v must be set"`,
				strings.Join(names, "),has(self."), names)
		}), 0o644)
	})
}
