package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// target is a system to build for.
type target struct{ os, arch string }

func allTargets() []string {
	return []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}
}

func parseTargets(list string) (out []target, err error) {
	for _, text := range strings.Split(list, ",") {
		system, arch, ok := strings.Cut(text, "/")
		if !ok || !slices.Contains(allTargets(), text) {
			return nil, fmt.Errorf("-targets: %q is not one of %s", text, strings.Join(allTargets(), ", "))
		}
		out = append(out, target{system, arch})
	}
	return out, nil
}

func (t target) String() string { return t.os + "/" + t.arch }

// suffix is that of the names of programs.
func (t target) suffix() string {
	if t.os == "windows" {
		return ".exe"
	}
	return ""
}

// binary is a built program.
type binary struct {
	target
	data []byte
	info *debug.BuildInfo
}

// environment is that of the go command for a target. It leaves nothing that changes the
// result to the user's environment.
func (t target) environment() []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=-trimpath", "GOWORK=off", "GOEXPERIMENT=", "GOFIPS140=off",
	}
}

// build builds the program for all targets. The go command stamps the version, the commit
// and its date.
func (r *release) build(ctx context.Context) (out []binary, err error) {
	for _, t := range r.targets {
		b, err := r.buildOne(ctx, t)
		if err != nil {
			return nil, err
		}
		version := b.info.Main.Version
		if !r.snapshot && version != r.commit.tag {
			return nil, fmt.Errorf("the go command stamped %s into the program, and the tag is %s", version, r.commit.tag)
		}
		out = append(out, b)
	}
	return out, nil
}

func (r *release) buildOne(ctx context.Context, t target) (b binary, err error) {
	name := filepath.Join(r.temp, t.os+"_"+t.arch, r.name+t.suffix())
	args := []string{"build", "-buildvcs=true", "-ldflags=-s -w", "-o", name}
	for _, pattern := range r.cold {
		args = append(args, "-gcflags="+pattern+"=-l")
	}
	if _, err := output(ctx, r.source, t.environment(), "go", append(args, r.pkg)...); err != nil {
		return b, err
	}
	b.target = t
	if b.data, err = os.ReadFile(name); err != nil {
		return b, err
	}
	if b.info, err = buildinfo.Read(bytes.NewReader(b.data)); err != nil {
		return b, err
	}
	if stamped := setting(b.info, "vcs.revision"); stamped != r.commit.hash || setting(b.info, "vcs.modified") != "false" {
		return b, fmt.Errorf("the go command stamped commit %q instead of %s, or found changes", stamped, r.commit.hash)
	}
	for _, module := range b.info.Deps {
		if module.Replace != nil {
			return b, fmt.Errorf("%s is replaced in go.mod: the release could not be built from its module", module.Path)
		}
	}
	return b, nil
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// extras returns the files that are equal in all archives: those of the working tree,
// completion scripts and manual pages.
func (r *release) extras(ctx context.Context) (out []file, err error) {
	for _, name := range r.files {
		data, err := os.ReadFile(filepath.Join(r.source, name))
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == ".md" {
			if data, err = r.linked(name, data); err != nil {
				return nil, err
			}
		}
		out = append(out, file{name: name, data: data})
	}
	host := target{runtime.GOOS, runtime.GOARCH}
	program := filepath.Join(r.temp, host.os+"_"+host.arch, r.name+host.suffix())
	if !slices.Contains(r.targets, host) {
		if _, err := r.buildOne(ctx, host); err != nil {
			return nil, err
		}
	}
	for _, shell := range r.shells {
		text, err := output(ctx, r.temp, nil, program, "completion", shell)
		if err != nil {
			return nil, err
		}
		extension := shell
		if shell == "powershell" {
			extension = "ps1"
		}
		out = append(out, file{name: "completions/" + r.name + "." + extension, data: []byte(text)})
	}
	if r.manPages == nil {
		return out, nil
	}
	dir := filepath.Join(r.temp, "man")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := output(ctx, r.source, append(host.environment(), "SOURCE_DATE_EPOCH="+fmt.Sprint(r.commit.date.Unix())), "go", r.manPages(dir)...); err != nil {
		return nil, err
	}
	pages, err := os.ReadDir(dir)
	if err == nil && len(pages) == 0 {
		err = errors.New("no manual pages were written")
	}
	for _, page := range pages {
		data, err := os.ReadFile(filepath.Join(dir, page.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, file{name: "man/man1/" + page.Name(), data: data})
	}
	return out, err
}
