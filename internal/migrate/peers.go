package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// toolModule is the module of controller-gen.
const toolModule = "sigs.k8s.io/controller-tools"

// peer is a controller-gen.
type peer struct {
	// command is its command line, or empty if there is none.
	command []string
	// version is the version that it prints, for example "v0.23.0".
	version string
}

// EqualVersion returns the version of controller-tools whose output schemagen reproduces.
func EqualVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == toolModule {
				return module.Version
			}
		}
	}
	return "latest"
}

// candidates returns the commands that may be the project's controller-gen.
func (r *migration) candidates() [][]string {
	root := r.commandDir()
	out := [][]string{{filepath.Join(root, "bin", peerName)}, {peerName}}
	if data, err := os.ReadFile(filepath.Join(findUp("go.mod", root), "go.mod")); err == nil && bytes.Contains(data, []byte(toolPackage)) {
		out = append(out, []string{"go", "tool", peerName})
	}
	return out
}

// pinnedVersion returns the version of controller-gen that the project uses, or "".
func pinnedVersion(calls []controllerGenCall, found *recording) string {
	for _, call := range calls {
		if call.version != "" && call.tool == peerName {
			return call.version
		}
	}
	if found != nil {
		for _, install := range found.installs {
			if install.Tool == peerName && install.Version != "" {
				return install.Version
			}
		}
	}
	return ""
}

// findPeer searches for the project's controller-gen: in the version that the project uses, if
// it names one, which is installed for this purpose if necessary.
func (r *migration) findPeer(ctx context.Context, calls []controllerGenCall, recorded *recording) error {
	if r.Tool != "" {
		words := strings.Fields(r.Tool)
		if len(words) > 0 {
			r.peer = peerOf(ctx, words)
		}
		if len(r.peer.command) == 0 {
			return fmt.Errorf("--controller-gen %s: cannot be run", r.Tool)
		}
		return nil
	}
	pinned := pinnedVersion(calls, recorded)
	declined := map[string]bool{}
	var found []peer
	for _, words := range r.candidates() {
		what := r.repositoryProgram(words)
		if declined[what] {
			continue
		}
		if what != "" && !r.Consent.Allows("Run "+what) {
			declined[what] = true
			fmt.Fprintf(r.out, "did not run %s: allow it with --yes, or pass your own controller-gen with --controller-gen\n", screen.Line(what))
			continue
		}
		p := peerOf(ctx, words)
		if len(p.command) == 0 {
			continue
		}
		if pinned == "" || p.version == pinned {
			r.peer = p
			return nil
		}
		found = append(found, p)
	}
	if pinned != "" {
		p, err := r.installPeer(ctx, pinned)
		if err == nil {
			r.peer = p
			return nil
		}
		fmt.Fprintf(r.out, "controller-gen %s, the project's version, could not be built:\n%s", screen.Line(pinned), indented(err.Error()))
	}
	if len(found) > 0 {
		r.peer = found[0]
		return nil
	}
	fmt.Fprintf(r.out, "controller-gen not found: nothing was compared. Install it, or pass its path with --controller-gen:\n\tgo install %s@%s\n\n", toolPackage, cmp.Or(pinned, EqualVersion()))
	r.differs = true
	r.reason = "nothing was compared"
	return nil
}

// installPeer builds a version of controller-gen. Building needs consent, which the caller has.
func (r *migration) installPeer(ctx context.Context, version string) (peer, error) {
	dir := filepath.Join(r.project.temp, "controller-gen-"+version)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return peer{}, err
	}
	mod := "module controllergen\n\ngo 1.22\n\nrequire " + toolModule + " " + version + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return peer{}, err
	}
	program := filepath.Join(dir, "controller-gen")
	// A module of its own, unlike go install, needs no list of versions from a proxy.
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-o", program, toolPackage)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+dir, "GOTMPDIR="+dir)
	killGroup(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return peer{}, fmt.Errorf("%s%w", out, err)
	}
	return peer{[]string{program}, version}, nil
}

// basePeer returns a controller-gen of the version whose output schemagen reproduces, or an
// error. It is asked for only if the project uses another version.
func (r *migration) basePeer(ctx context.Context) (peer, error) {
	if p := peerOf(ctx, []string{"controller-gen"}); p.version == EqualVersion() {
		return r.named(p), nil
	}
	p, err := r.installPeer(ctx, EqualVersion())
	return r.named(p), err
}

// repositoryProgram describes a command that belongs to the repository: a program in it, or
// one that its go.mod names. It returns "" for a program of the user's, and for
// one that does not exist.
func (r *migration) repositoryProgram(words []string) string {
	file, err := exec.LookPath(words[0])
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return ""
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return ""
	}
	if len(words) == 1 {
		for _, root := range []string{r.Dir, r.project.unresolved, r.project.root} {
			if output.IsBelow(root, file) || output.IsBelow(root, output.Physical(file)) {
				if rel, err := filepath.Rel(r.Dir, file); err == nil {
					file = rel
				}
				return file + ", which is in the repository"
			}
		}
	}
	if slices.Equal(words, []string{peerName}) {
		return ""
	}
	return strings.Join(words, " ") + ", which go.mod names"
}

// peerOf returns the controller-gen that a command runs, or an empty one if it is something else.
func peerOf(ctx context.Context, words []string) peer {
	file, err := exec.LookPath(words[0])
	if err != nil {
		return peer{}
	}
	file, err = filepath.Abs(file)
	if err != nil { // calls may run in other directories
		return peer{}
	}
	words = append([]string{file}, words[1:]...)
	cmd := exec.CommandContext(ctx, words[0], append(slices.Clone(words[1:]), "--version")...)
	killGroup(cmd)
	out, err := cmd.Output()
	version, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "Version: ")
	if err != nil || !ok || strings.HasPrefix(version, "schemagen") {
		return peer{}
	}
	return peer{words, version}
}

// named makes sure that controller-gen is called by that name, which applyconfiguration writes
// to the first line of its files, if its file has another name such as controller-gen-v0.20.0.
func (r *migration) named(p peer) peer {
	const name = "controller-gen"
	if len(p.command) != 1 || filepath.Base(p.command[0]) == name {
		return p
	}
	dir, err := os.MkdirTemp(r.project.temp, "")
	if err != nil {
		return p
	}
	link := filepath.Join(dir, name)
	if err := os.Symlink(p.command[0], link); err == nil {
		p.command = []string{link}
	}
	return p
}
