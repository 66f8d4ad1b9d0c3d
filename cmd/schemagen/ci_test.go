package main

import (
	"flag"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// ciProject sets up the operator in testdata/script/gotool.txtar as a git repository with
// up-to-date CRDs. It returns its directory and the environment for commands.
func ciProject(t *testing.T) (dir string, env []string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it links the command")
	}
	for _, name := range []string{"bash", "git", "go"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	root := t.TempDir()
	dir = filepath.Join(root, "operator")
	for name, text := range map[string]string{
		"meta/go.mod":                     "module k8s.io/apimachinery\n\ngo 1.24\n",
		"meta/pkg/apis/meta/v1/types.go":  metaPackage,
		"operator/go.mod":                 "module example.com/operator\n\ngo 1.24\n\nrequire k8s.io/apimachinery v0.30.0\n\nreplace k8s.io/apimachinery => ../meta\n",
		"operator/schemagen.yaml":         "paths: [./api/...]\noutputs: {crd: config/crd/bases, rbac: config/rbac}\ncrd: {omitToolVersion: true}\ngenerators: [crd, 'rbac:roleName=manager-role']\n",
		"operator/config/rbac/role.yaml":  "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\nrules:\n- apiGroups:\n  - \"\"\n  resources:\n  - pods\n  verbs:\n  - get\n",
		"operator/api/v1/generate.go":     "package v1\n\n// +kubebuilder:rbac:groups=\"\",resources=pods,verbs=get\n\n//go:generate go tool -modfile=../../go.tool.mod schemagen generate\n",
		"operator/api/v1/widget_types.go": "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env = append(os.Environ(), "GOPROXY="+moduleProxies(t), "GOSUMDB=off", "GOFLAGS=", "GOBIN="+filepath.Join(root, "bin"), "RUNNER_TEMP="+root,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	bash(t, dir, env, "schemagen generate && git init -q && git add -A && git commit -q -m one")
	return dir, env
}

// bash runs a script as GitHub does; it must succeed.
func bash(t *testing.T, dir string, env []string, script string) string {
	t.Helper()
	out, err := bashOutput(dir, env, script)
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return out
}

func bashOutput(dir string, env []string, script string) (string, error) {
	cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestCIPage runs the commands in docs/ci.md, one after the other, in a project. schemagen
// itself is built from this repository instead of downloaded. go.mod, go.sum and the versions
// of the project's modules must not change.
func TestCIPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, env := ciProject(t)
	const modules = "cat go.mod; cat go.sum 2>/dev/null || true; go list -m all"
	before := bash(t, dir, env, modules)
	n := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if !ok {
				t.Errorf("not a command: %s", line)
			}
			const released = "github.com/schemagen/schemagen/cmd/schemagen"
			tool, _, versioned := strings.Cut(command, released+"@")
			switch {
			case versioned && tool == "CGO_ENABLED=0 go install ":
				command = "CGO_ENABLED=0 go -C '" + repo + "' install ./cmd/schemagen && \"$GOBIN/schemagen\" version"
			case versioned && strings.HasPrefix(tool, "go get "):
				command = "go mod edit -replace='github.com/schemagen/schemagen=" + repo + "' go.tool.mod && " + tool + released
			}
			out := bash(t, dir, env, command)
			if strings.HasPrefix(command, "schemagen") && out != "" {
				t.Errorf("%s: %s", command, out)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d commands", n)
	}
	if after := bash(t, dir, env, modules); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	if status := bash(t, dir, env, "git status --porcelain"); status != "?? _schemagen\n?? go.tool.mod\n?? go.tool.sum\n?? schemagen.bash\n?? schemagen.fish\n" {
		t.Errorf("changed:\n%s", status)
	}
}

// readYAML decodes YAML strictly.
func readYAML(t *testing.T, text string, into any) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		t.Fatal(err)
	}
}

// ciBlock returns the block in docs/ci.md that begins with the given comment.
func ciBlock(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```yaml\n# " + regexp.QuoteMeta(name) + "\n(.*?)```").FindStringSubmatch(string(page))
	if block == nil {
		t.Fatalf("docs/ci.md has no %s", name)
	}
	return block[1]
}

// actionFile is action.yml.
type actionFile struct {
	Name, Description string
	Branding          map[string]string
	Inputs            map[string]struct{ Description, Default string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	Name, Shell string
	Directory   string `yaml:"working-directory"`
	Env         map[string]string
	Run         string
}

var releaseDir = flag.String("release", "", "files of a release that TestAction installs, from make release-snapshot (default: an archive with this test)")

// releaseServer serves the files of a release at URL/download/v1.2.3 and URL/latest/download. Without
// -release, they are an archive with the command under test, and its checksum.
func releaseServer(t *testing.T) *httptest.Server {
	t.Helper()
	dir := *releaseDir
	if dir == "" {
		dir = t.TempDir()
		archive := "schemagen_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
		bash(t, dir, os.Environ(), `cp "$(command -v schemagen)" schemagen
tar -czf `+archive+` schemagen
rm schemagen
sha256sum * > checksums.txt`)
	}
	files := http.FileServer(http.Dir(dir))
	mux := http.NewServeMux()
	for _, prefix := range []string{"/download/v1.2.3", "/latest/download"} {
		mux.Handle(prefix+"/", http.StripPrefix(prefix, files))
	}
	// A release whose archive is not the one of its checksums.
	mux.HandleFunc("/download/v6.6.6/", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(dir, "checksums.txt"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestAction runs the steps in action.yml as GitHub does, with releases from a local server and no go
// command to install with.
func TestAction(t *testing.T) {
	action, used := readAction(t)
	if len(used) == 0 {
		t.Error("docs/ci.md does not use the action")
	}
	for name := range used {
		if _, ok := action.Inputs[name]; !ok {
			t.Errorf("docs/ci.md uses the input %s, which does not exist", name)
		}
	}
	dir, env := ciProject(t)
	server := releaseServer(t)
	system := map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}[runtime.GOOS]
	processor := map[string]string{"amd64": "X64", "arm64": "ARM64"}[runtime.GOARCH]
	env = append(env, "RUNNER_OS="+system, "RUNNER_ARCH="+processor)
	act := func(inputs map[string]string) (string, error) {
		given := map[string]string{"releases": server.URL}
		maps.Copy(given, inputs)
		return action.run(t, dir, env, given)
	}
	if out, err := act(map[string]string{"version": "v1.2.3"}); err != nil || out != "" {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := act(map[string]string{"version": "v6.6.6"}); err == nil || !strings.Contains(out, "FAILED") {
		t.Errorf("a wrong checksum: %v: %s", err, out)
	}
	if out, err := act(map[string]string{"version": "v9.9.9"}); err == nil || !strings.Contains(out, "404") {
		t.Errorf("a release that does not exist: %v: %s", err, out)
	}
	env = append(env, "RUNNER_ARCH=X86")
	if out, err := act(nil); err == nil || !strings.Contains(out, "::error::the release latest of schemagen has no archive for") {
		t.Errorf("a system without an archive: %v: %s", err, out)
	}
	env = append(env, "RUNNER_ARCH="+processor)
	if out, err := act(map[string]string{"args": "./api/*"}); err == nil || !strings.Contains(out, "./api/*") {
		t.Errorf("args are expanded as globs: %v: %s", err, out)
	}
	if out, err := act(map[string]string{"args": "--only crd\n", "working-directory": "./"}); err != nil {
		t.Errorf("%v: %s", err, out)
	}

	types := filepath.Join(dir, "api/v1/widget_types.go")
	text, err := os.ReadFile(types)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, "\n// +kubebuilder:resource:scope=Cluster\n\n// Gadget is more.\ntype Gadget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n"...)
	if err := os.WriteFile(types, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := act(nil)
	if err == nil || !strings.Contains(out, "schemagen: config/crd/bases/example.com_gadgets.yaml: run schemagen generate --only crd") {
		t.Errorf("an outdated file: %v: %s", err, out)
	}
	if err := os.WriteFile(types, append(text, "\nvar _ = (\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err = act(nil); err == nil || !strings.Contains(out, "::error file=api/v1/widget_types.go,line=") {
		t.Errorf("a mistake: %v: %s", err, out)
	}
}

// readAction returns action.yml, and the inputs that the workflow in docs/ci.md gives it.
func readAction(t *testing.T) (action actionFile, used map[string]string) {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	readYAML(t, string(text), &action)
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(ciBlock(t, ".github/workflows/generated.yaml")), &workflow); err != nil {
		t.Fatal(err)
	}
	for _, step := range workflow.Jobs["generated"].Steps {
		if strings.HasPrefix(step.Uses, "schemagen/schemagen@") {
			used = step.With
		}
	}
	return action, used
}

// run runs the steps of an action in a directory, and returns their output.
func (a actionFile) run(t *testing.T, dir string, env []string, inputs map[string]string) (string, error) {
	t.Helper()
	all := ""
	temp := t.TempDir()
	for _, step := range a.Runs.Steps {
		value := func(text string) string {
			text = strings.ReplaceAll(text, "${{ runner.temp }}", temp)
			for name, input := range a.Inputs {
				given, ok := inputs[name]
				if !ok {
					given = input.Default
				}
				text = strings.ReplaceAll(text, "${{ inputs."+name+" }}", given)
			}
			if strings.Contains(text, "${{") {
				t.Errorf("%s: unknown expression", text)
			}
			return text
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("an expression in a script allows injection: %s", step.Run)
		}
		vars := append(slices.Clone(env), "RUNNER_TEMP="+temp)
		for name, text := range step.Env {
			vars = append(vars, name+"="+value(text))
		}
		at := value(step.Directory)
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		out, err := bashOutput(at, vars, step.Run)
		all += out
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// TestPreCommitHooks runs the hooks in .pre-commit-hooks.yaml as pre-commit does, with the
// arguments in docs/ci.md.
func TestPreCommitHooks(t *testing.T) {
	text, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Description, Language, Entry, Files string
		PassFilenames                                 *bool `yaml:"pass_filenames"`
	}
	readYAML(t, string(text), &hooks)
	var config struct {
		Repos []struct {
			Repo, Rev string
			Hooks     []struct {
				ID   string
				Args []string
			}
		}
	}
	readYAML(t, ciBlock(t, ".pre-commit-config.yaml"), &config)
	dir, env := ciProject(t)
	args := map[string]string{}
	for _, hook := range config.Repos[0].Hooks {
		args[hook.ID] = strings.Join(hook.Args, " ")
	}
	for _, hook := range hooks {
		if hook.Language != "golang" || hook.PassFilenames == nil || *hook.PassFilenames {
			t.Errorf("%+v", hook)
		}
		files := regexp.MustCompile(hook.Files)
		changed := "api/v1/widget_types.go"
		if hook.ID == "schemagen-verify" {
			changed = "config/crd/bases/example.com_widgets.yaml"
		}
		if !files.MatchString(changed) || files.MatchString("README.md") {
			t.Errorf("%s: %s", hook.ID, hook.Files)
		}
		if out, err := bashOutput(dir, env, hook.Entry+" "+args[hook.ID]); err != nil || out != "" {
			t.Errorf("%s: %v: %s", hook.ID, err, out)
		}
		delete(args, hook.ID)
	}
	for id := range args {
		t.Errorf("docs/ci.md uses the hook %s, which does not exist", id)
	}
	if status := bash(t, dir, env, "git status --porcelain"); status != "" {
		t.Errorf("changed:\n%s", status)
	}
}
