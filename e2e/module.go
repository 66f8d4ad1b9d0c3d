package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

const (
	kubernetes = "k8s.io/kubernetes"
	etcdServer = "go.etcd.io/etcd/server/v3"
)

// ModuleOf returns the module for a Kubernetes version such as "v1.35.4": the one in own if
// version is empty or the same, otherwise one that is created once in the cache.
func ModuleOf(ctx context.Context, own, cache, version string) (Module, error) {
	file, err := readModule(filepath.Join(own, "go.mod"))
	if err != nil {
		return Module{}, err
	}
	if ownVersion := requirement(file, kubernetes); version == "" || version == ownVersion {
		return Module{Dir: own, Version: ownVersion, Programs: Programs()}, nil
	}
	m := Module{Dir: filepath.Join(cache, "modules", version), Version: version, Programs: Programs()}
	if err := os.MkdirAll(filepath.Dir(m.Dir), 0o755); err != nil {
		return Module{}, err
	}
	unlock, err := lock(filepath.Join(filepath.Dir(m.Dir), ".lock"))
	if err != nil {
		return Module{}, err
	}
	defer unlock()
	if _, err := os.Stat(m.Dir); err == nil {
		return m, nil
	}
	return m, makeModule(ctx, own, m, file.Go.Version)
}

// makeModule creates the directory of a module atomically.
func makeModule(ctx context.Context, own string, m Module, goVersion string) error {
	if err := removeAll(filepath.Join(filepath.Dir(m.Dir), ".new-*")); err != nil {
		return err
	}
	out, err := goCommand(ctx, own, nil, "mod", "download", "-json", kubernetes+"@"+m.Version)
	if err != nil {
		return fmt.Errorf("download Kubernetes %s: %w", m.Version, err)
	}
	var downloaded struct{ GoMod string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return err
	}
	upstream, err := readModule(downloaded.GoMod)
	if err != nil {
		return err
	}
	text, err := moduleText(upstream, m, goVersion)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(m.Dir), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.WriteFile(filepath.Join(temp, "go.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	if _, err := goCommand(ctx, temp, nil, "mod", "tidy"); err != nil {
		return fmt.Errorf("resolve the modules of Kubernetes %s: %w", m.Version, err)
	}
	return os.Rename(temp, m.Dir)
}

// moduleText returns a go.mod for the programs of a version. upstream is that of
// k8s.io/kubernetes, which requires its staging modules at v0.0.0 and replaces them with
// directories that are not in its archive.
func moduleText(upstream *modfile.File, m Module, goVersion string) (string, error) {
	etcd := requirement(upstream, etcdServer)
	release, ok := strings.CutPrefix(m.Version, "v1.")
	if etcd == "" || !ok {
		return "", fmt.Errorf("no programs in Kubernetes %s: not a 1.x version, or it does not require etcd", m.Version)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "module schemagen.e2e/servers\n\ngo %s\n\n", goVersion)
	for _, p := range m.Programs {
		fmt.Fprintf(&text, "tool %s\n", p.Package)
	}
	fmt.Fprintf(&text, "require (\n\t%s %s\n\t%s %s\n)\n", kubernetes, m.Version, etcdServer, etcd)
	for _, r := range upstream.Require {
		if r.Mod.Version == "v0.0.0" {
			fmt.Fprintf(&text, "replace %s => %s v0.%s\n", r.Mod.Path, r.Mod.Path, release)
		}
	}
	return text.String(), nil
}

func readModule(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(name, data, nil)
	if err == nil && file.Go == nil {
		err = errors.New(name + " has no Go version")
	}
	return file, err
}

// requirement returns the version of a module that a go.mod requires, or "".
func requirement(file *modfile.File, path string) string {
	for _, r := range file.Require {
		if r.Mod.Path == path {
			return r.Mod.Version
		}
	}
	return ""
}
