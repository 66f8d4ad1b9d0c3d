package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/project"
)

// otherVersion is the version of a schemagen in PATH that the project does not install.
const otherVersion = "v0.0.0-other"

// changeableFiles returns the files of the project whose text may be changed: Makefiles, scripts and directives
// of go generate which name controller-gen or set its version, and files that these may include. Their
// names are relative to the project.
func (r *migration) changeableFiles(ctx context.Context) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, name := range r.project.tracked(ctx) {
		if slices.Contains(strings.Split(name, "/"), "vendor") {
			continue
		}
		file := filepath.Join(r.project.root, filepath.FromSlash(name))
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() { // the target of a link has its own name
			continue
		}
		if path.Ext(name) != "" && kindOf(name, nil) == otherFile || info.Size() > maxSaved {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		kind := kindOf(name, data)
		if kind == otherFile || kind == goFile && !directive().Match(data) || kind == scriptFile && !concernsTool().Match(data) {
			continue
		}
		out[name] = data
	}
	return out, nil
}

var (
	directive    = lazyregexp.New(`(?m)^//go:generate .*controller-gen\b`)
	concernsTool = lazyregexp.New(`(?i)controller[-_]?(gen|tools)`)
)

// tracked returns the files that git tracks or, without git, all files.
func (p *copiedProject) tracked(ctx context.Context) []string {
	if exists(filepath.Join(p.root, ".git")) {
		cmd := exec.CommandContext(ctx, "git", "-C", p.root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
		if list, err := cmd.Output(); err == nil {
			return slices.Compact(strings.Split(strings.TrimRight(string(list), "\x00"), "\x00"))
		}
	}
	return project.FilesBelow(nil, p.root)
}

// world is a machine on which the changed project must work.
type world struct {
	name string
	path []pathTool
}

// worlds returns the machines. What the project expects in PATH is there.
func (r *migration) worlds() []world {
	out := []world{
		{"without a controller-gen in PATH", nil},
		{"with a controller-gen in PATH", []pathTool{{peerName, ""}}},
	}
	if !r.inPath && r.With == "" {
		return append(out, world{"with another schemagen in PATH", []pathTool{{productName, otherVersion}}})
	}
	for i := range out {
		out[i].path = append(out[i].path, pathTool{productName, ""})
	}
	return out
}

// prove runs the commands dry with changed files, on all machines, and returns the first difference
// to what must be, or "".
func (r *migration) prove(ctx context.Context, before *recording, changed map[string][]byte) (problem string, err error) {
	for _, w := range r.worlds() {
		dry := r.dry
		dry.changed = changed
		dry.path = w.path
		after, err := r.record(ctx, dry)
		if err != nil {
			return "", err
		}
		if problem := r.difference(before, after); problem != "" {
			return w.name + ", " + problem, nil
		}
	}
	return "", nil
}

// has reports whether a recording has a call, by whatever tool.
func (found *recording) has(call controllerGenCall) bool {
	return slices.ContainsFunc(found.calls, func(c controllerGenCall) bool { return c.id() == call.id() })
}

// difference returns the first difference between the calls before and after the change, or "".
func (r *migration) difference(before, after *recording) string {
	for _, call := range after.calls {
		words := strings.Join(call.args, " ")
		switch {
		case call.tool == peerName:
			return fmt.Sprintf("%s still calls controller-gen (%s): %s", r.dry.command[0], call.how, words)
		case !before.has(call):
			return fmt.Sprintf("%s makes another call: %s", r.dry.command[0], words)
		case r.With == "" && !r.inPath && call.version != r.pin:
			return fmt.Sprintf("%s calls schemagen %s (%s), not %s: %s", r.dry.command[0], call.version, call.how, r.pin, words)
		}
	}
	for _, call := range before.calls {
		if !after.has(call) {
			problem := fmt.Sprintf("%s does not make the call: %s", r.dry.command[0], strings.Join(call.args, " "))
			if len(r.dry.stubs) > 0 {
				problem += fmt.Sprintf("; it expects %s, which it does not install", strings.TrimPrefix(r.dry.stubs[0], copyMark+"/"))
			}
			for _, text := range after.replaced {
				if strings.Contains(text, productPackage) {
					problem += "; it runs " + text
				}
			}
			// A variable in quotes, as in Kubebuilder's Makefile, is one word: no program has the name of a command.
			for line := range strings.Lines(after.output) {
				if r.With != "" && strings.Contains(line, ": "+r.With+": ") {
					return problem + "; it prints " + strings.TrimSpace(line)
				}
			}
			return problem
		}
	}
	for _, install := range after.installs {
		switch {
		case install.Tool == peerName:
			return fmt.Sprintf("%s still installs controller-gen: %s %s", r.dry.command[0], strings.Fields(install.How)[0], strings.Join(install.Args, " "))
		case install.Version != r.pin:
			return fmt.Sprintf("%s installs schemagen %s, not %s", r.dry.command[0], install.Version, r.pin)
		}
	}
	return ""
}

// minimize undoes the changes of files that the proof does not need, halves of them first.
func (r *migration) minimize(ctx context.Context, before *recording,
	changed map[string][]byte) (map[string][]byte, error) {
	var undo func(names []string) error
	undo = func(names []string) error {
		if len(names) == 0 || len(changed) == 1 {
			return nil
		}
		fewer := maps.Clone(changed)
		for _, name := range names {
			delete(fewer, name)
		}
		if len(fewer) > 0 {
			problem, err := r.prove(ctx, before, fewer)
			if err != nil {
				return err
			}
			if problem == "" {
				changed = fewer
				return nil
			}
		}
		if len(names) == 1 {
			return nil
		}
		half := len(names) / 2
		return errors.Join(undo(names[:half]), undo(names[half:]))
	}
	names := slices.Sorted(maps.Keys(changed))
	half := len(names) / 2
	err := errors.Join(undo(names[:half]), undo(names[half:]))
	return changed, err
}

// unchanged returns the first line of every file that names the tool and is not changed.
func unchanged(files, changed map[string][]byte) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, isChanged := changed[name]; isChanged {
			continue
		}
		number := 0
		for line := range bytes.Lines(files[name]) {
			number++
			if bytes.Contains(line, []byte(peerName)) && !bytes.HasPrefix(bytes.TrimSpace(line), []byte("#")) {
				out = append(out, fmt.Sprintf("%s:%d", name, number))
				break
			}
		}
	}
	return out
}

// managed returns the file that makes a tool manager install controller-gen, or "".
func (r *migration) managed(ctx context.Context) string {
	for _, name := range r.project.tracked(ctx) {
		switch base := path.Base(name); {
		case base == peerName+".mod" && path.Base(path.Dir(name)) == ".bingo", strings.HasPrefix(base, "."+peerName+"-") && strings.HasSuffix(base, ".pkg"):
			return name
		case r.inPath && slices.Contains([]string{"mise.toml", ".mise.toml", ".tool-versions", "flake.nix", "shell.nix", "devbox.json"}, base):
			data, err := os.ReadFile(filepath.Join(r.project.root, filepath.FromSlash(name)))
			if err == nil && concernsTool().Match(data) {
				return name
			}
		}
	}
	return ""
}
