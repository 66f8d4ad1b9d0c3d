// Command release builds the archives, the image and the Homebrew formula of a version
// of schemagen from a commit, as files that anyone can build again from the commit,
// byte for byte. It signs and publishes nothing.
//
//	release [-snapshot] [-targets linux/amd64,…] -o DIRECTORY
//	release notes VERSION       print the section of CHANGELOG.md
//	release cut VERSION DATE    turn "Unreleased" in CHANGELOG.md into a version, which the pages then install
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	r := release{product: schemagen(), log: stdout}
	flags.StringVar(&r.source, "C", ".", "working tree whose commit is built")
	flags.StringVar(&r.out, "o", "", "directory for the results; it must be empty or not exist")
	flags.BoolVar(&r.snapshot, "snapshot", false, "build any commit; without a tag, its version is a pseudo-version")
	targets := flags.String("targets", strings.Join(allTargets(), ","), "systems to build for")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch flags.Arg(0) {
	case "":
		if r.out == "" {
			return errors.New("-o is missing: the directory for the results")
		}
		var err error
		if r.targets, err = parseTargets(*targets); err != nil {
			return err
		}
		return r.make(ctx)
	case "notes":
		return r.printNotes(stdout, flags.Arg(1))
	case "cut":
		return cutVersion(r.source, flags.Arg(1), flags.Arg(2))
	}
	return fmt.Errorf("unknown command %q: use notes, cut, or none", flags.Arg(0))
}

// product is the program that is released.
type product struct {
	name        string
	pkg         string // import path of the command
	repository  string // without https://
	image       string // repository of images
	description string
	license     string // SPDX identifier
	shells      []string
	// cold are patterns of packages that are linked but hardly run: they are compiled without
	// inlining, which makes the program smaller.
	cold []string
	// files are copied from the working tree into archives.
	files []string
	// manPages returns the arguments of the go command that write the manual pages into
	// a directory.
	manPages func(dir string) []string
}

func schemagen() product {
	return product{
		name:        "schemagen",
		pkg:         "github.com/schemagen/schemagen/cmd/schemagen",
		repository:  "github.com/schemagen/schemagen",
		image:       "ghcr.io/schemagen/schemagen",
		description: "Generate Kubernetes CustomResourceDefinitions from Go types",
		license:     "Apache-2.0",
		shells:      []string{"bash", "zsh", "fish", "powershell"},
		cold: []string{
			"crypto/...", "net/...", "k8s.io/api/...", "k8s.io/apimachinery/pkg/apis/...",
			"k8s.io/apiserver/pkg/apis/...", "k8s.io/client-go/...", "k8s.io/code-generator/...", "k8s.io/component-base/...", "k8s.io/gengo/...",
			"github.com/fxamacker/cbor/v2", "github.com/go-openapi/...", "github.com/google/gnostic-models/...", "github.com/json-iterator/go",
			"github.com/prometheus/...", "github.com/spf13/...", "github.com/yuin/goldmark/...", "go.lsp.dev/...", "go.opentelemetry.io/...", "go.uber.org/...", "golang.org/x/net/...",
			"google.golang.org/genproto/...", "google.golang.org/grpc/...", "sigs.k8s.io/apiserver-network-proxy/...",
			"sigs.k8s.io/structured-merge-diff/...",
		},
		files: []string{"LICENSE", "README.md", changelogName},
		manPages: func(dir string) []string {
			// Cobra's writer of manual pages is not linked into the product.
			return []string{"test", "./cmd/schemagen", "-count=1", "-run", "^TestManPages$", "-man", dir}
		},
	}
}

// release is one run.
type release struct {
	product
	source, out string
	snapshot    bool
	targets     []target
	log         io.Writer

	commit commit
	temp   string
}

// make builds everything in a temporary directory next to the results and renames it at
// the end, so that a failure leaves nothing behind.
func (r *release) make(ctx context.Context) (err error) {
	if r.source, err = filepath.Abs(r.source); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if entries, err := os.ReadDir(r.out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", r.out)
	}
	if r.commit, err = readCommit(ctx, r.source); err != nil {
		return err
	}
	if !r.snapshot {
		if err := r.commit.releasable(); err != nil {
			return err
		}
		if err := r.printNotes(io.Discard, r.commit.tag); err != nil {
			return err
		}
	}
	if r.commit.changes != "" {
		fmt.Fprintf(r.log, "the build is of commit %.12s, without the changes in the working tree\n", r.commit.hash)
	}
	if err := os.MkdirAll(filepath.Dir(r.out), 0o755); err != nil {
		return err
	}
	if r.temp, err = os.MkdirTemp(filepath.Dir(r.out), ".release-*"); err != nil {
		return err
	}
	defer os.RemoveAll(r.temp)
	if err := r.clone(ctx); err != nil {
		return err
	}

	results, err := r.artifacts(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.temp, "results")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, f := range results {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	if err := os.Remove(r.out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(dir, r.out)
}

// clone checks the commit out into a directory of its own, and makes that the source: without
// ignored files, and with a repository that the go command recognizes, unlike git worktrees.
func (r *release) clone(ctx context.Context) error {
	dir := filepath.Join(r.temp, "source")
	if _, err := output(ctx, r.temp, nil, "git", "clone", "-q", "--no-checkout", r.source, dir); err != nil {
		return err
	}
	r.source = dir
	_, err := output(ctx, dir, nil, "git", "-c", "core.autocrlf=false", "checkout", "-q", "--detach", r.commit.hash)
	return err
}

// artifacts returns the files of the release, checksums last.
func (r *release) artifacts(ctx context.Context) ([]file, error) {
	binaries, err := r.build(ctx)
	if err != nil {
		return nil, err
	}
	version := binaries[0].info.Main.Version
	extras, err := r.extras(ctx)
	if err != nil {
		return nil, err
	}
	licenses, err := newLicenses(r.source)
	if err != nil {
		return nil, err
	}
	var out []file
	var packed []*bundle
	for _, b := range binaries {
		found, err := licenses.of(ctx, r.pkg, b)
		if err != nil {
			return nil, err
		}
		p := &bundle{binary: b, stem: fmt.Sprintf("%s_%s_%s_%s", r.name, strings.TrimPrefix(version, "v"), b.os, b.arch), licenses: found}
		p.files = append([]file{{name: r.name + b.suffix(), data: b.data, executable: true}}, extras...)
		p.files = append(p.files, file{name: "THIRD_PARTY_LICENSES", data: found.text()})
		archive, err := p.archive(r.commit.date)
		if err != nil {
			return nil, err
		}
		sbom, err := r.sbom(p, archive)
		if err != nil {
			return nil, err
		}
		out = append(out, archive, sbom)
		packed = append(packed, p)
		fmt.Fprintf(r.log, "%s: %.1f MB, with a program of %.1f MB and %d modules\n", archive.name, float64(len(archive.data))/1e6, float64(len(b.data))/1e6, len(b.info.Deps))
	}
	image, err := r.writeImage(packed, version)
	if err != nil {
		return nil, err
	}
	if image != nil {
		out = append(out, *image)
	}
	if formula := r.formula(version, out); formula != nil {
		out = append(out, *formula)
	}
	return append(out, checksums("checksums.txt", out)), nil
}

// output runs a command in the working tree and returns its standard output.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errors strings.Builder
	cmd.Stderr = &errors
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, text, errors.String())
	}
	return string(text), nil
}
