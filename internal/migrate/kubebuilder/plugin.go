package kubebuilder

import (
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/migrate"
	"github.com/schemagen/schemagen/internal/project"
)

// Files that the plugin adds, if the project does not have them.
const (
	workflowDir     = ".github/workflows"
	workflowFile    = workflowDir + "/schemagen.yml"
	preCommitFile   = ".pre-commit-config.yaml"
	documentationCI = "https://github.com/schemagen/schemagen/blob/main/docs/ci.md"
)

// filesRead are the files whose content the plugin reads, besides workflows.
func filesRead() []string {
	return []string{"GNUmakefile", "makefile", "Makefile", "PROJECT", project.Name, preCommitFile}
}

// Options configure [Serve].
type Options struct {
	// Dir is the working directory, in which Kubebuilder writes the files of the response.
	Dir string
	// Version is the version of schemagen, prefixed with its name.
	Version string
}

// Serve answers one request of Kubebuilder. A request that cannot be answered gets a response
// with an error; notes is for what users should know, which Kubebuilder shows.
func Serve(input io.Reader, out, notes io.Writer, options Options) error {
	req, err := readRequest(input, maxRequest)
	answer := response{Command: req.command}
	if err == nil {
		p := plugin{request: req, Options: options, changed: map[string]string{}, notes: notes}
		answer.Metadata, err = p.answer()
		answer.Universe = p.changed
	}
	if err != nil {
		answer = response{Command: req.command, Error: true, ErrorMsgs: []string{"schemagen: " + screen.Line(err.Error())}}
	}
	return answer.write(out)
}

// plugin answers a request.
type plugin struct {
	request
	Options
	notes io.Writer
	// changed are the files that the response has. Other files must not be in it: Kubebuilder
	// would write them again, and what is not UTF-8 has been lost on the way.
	changed map[string]string
}

// answer answers the request.
func (p *plugin) answer() (help metadata, err error) {
	switch p.command {
	case "metadata":
		return p.help(), nil
	case "flags", "create api", "create webhook":
		return metadata{}, nil
	case "init", "edit":
		return metadata{}, p.scaffold()
	}
	return metadata{}, fmt.Errorf("unknown command %q of Kubebuilder", p.command)
}

// help describes the command that metadata is about.
func (p *plugin) help() metadata {
	if !slices.Contains(p.args, "--init") && !slices.Contains(p.args, "--edit") {
		return metadata{Description: "This command is not changed by schemagen.\n"}
	}
	return metadata{
		Description: `Make the project use schemagen in place of controller-gen: the Makefile installs and
calls it, and there are a schemagen.yaml, a workflow of GitHub that checks generated files, and a
configuration of pre-commit. Files that exist are not changed, except for the Makefile.
`,
		Examples: "  kubebuilder init --plugins go.kubebuilder.io/v4," + Name + "/" + Version + " --domain example.com\n" +
			"  kubebuilder edit --plugins " + Name + "/" + Version + "\n",
	}
}

// scaffold changes the Makefile and adds files.
func (p *plugin) scaffold() error {
	version, released := migrate.ProductVersion(p.Version)
	overlay := make(map[string][]byte, len(p.files))
	for name, data := range p.files {
		overlay[filepath.Join(p.Dir, filepath.FromSlash(name))] = data
	}
	reader := inputs.Overlaid(overlay, nil)
	// The settings come from the Makefile before it changes.
	if err := p.settings(reader); err != nil {
		return err
	}
	p.makefile(reader, version)
	revision := version // in git
	if !released {
		revision = "main"
	}
	p.workflow(version, revision)
	p.preCommit(revision)
	for _, name := range slices.Sorted(maps.Keys(p.changed)) {
		p.note("%s: written", name)
	}
	if len(p.changed) > 0 && !released {
		p.note("this is a development build without a version to pin: the project uses the latest release")
	}
	return nil
}

func (p *plugin) note(format string, args ...any) {
	fmt.Fprintf(p.notes, "schemagen: %s\n", screen.Line(fmt.Sprintf(format, args...)))
}

// settings adds schemagen.yaml.
func (p *plugin) settings(reader *inputs.Reader) error {
	if p.has(project.Name) {
		return nil
	}
	values, problems, err := migrate.Settings(reader, p.Dir)
	if err != nil {
		return err
	}
	text, err := project.NewFile(values, project.KubebuilderCRDs)
	if err != nil {
		return err
	}
	for _, problem := range problems {
		p.note("%s: skipped %s", project.Name, problem)
	}
	p.changed[project.Name] = string(text)
	return nil
}

// makefile makes the Makefile install and call schemagen.
func (p *plugin) makefile(reader *inputs.Reader, version string) {
	name, changed, reason := migrate.Rewrite(reader, p.Dir, version)
	if strings.ContainsRune(string(changed), utf8.RuneError) {
		changed = nil
		reason = "it is not UTF-8"
	}
	switch {
	case reason != "":
		p.note("%s: not changed: %s; schemagen migrate --yes --write asks make", name, reason)
	case changed != nil:
		p.changed[name] = string(changed)
	}
}

// workflow adds a workflow that checks generated files, in projects on GitHub.
func (p *plugin) workflow(version, revision string) {
	onGitHub := false
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		onGitHub = onGitHub || strings.HasPrefix(name, ".github/")
		if name == workflowFile || path.Dir(name) == workflowDir && strings.Contains(string(p.files[name]), "schemagen") {
			p.note("%s: exists, and is not changed", name)
			return
		}
	}
	if !onGitHub {
		p.note("no workflow for GitHub was added, because there is no directory .github; for other systems see %s", documentationCI)
		return
	}
	p.changed[workflowFile] = fmt.Sprintf(`# Checks that generated files are up to date and that an API server accepts the CRDs.
# %s
name: generated
on: [push, pull_request]
permissions:
  contents: read
jobs:
  generated:
    name: Check the generated files
    runs-on: ubuntu-latest
    steps:
    - uses: actions/checkout@v4
    - uses: actions/setup-go@v5
      with: {go-version: stable}
    - uses: schemagen/schemagen@%s
      with: {version: %s}
`, documentationCI, revision, version)
}

// preCommit adds a configuration of pre-commit.
func (p *plugin) preCommit(revision string) {
	if p.has(preCommitFile) {
		if !strings.Contains(string(p.files[preCommitFile]), "schemagen") {
			p.note("%s: exists, and is not changed; the hooks to add are in %s", preCommitFile, documentationCI)
		}
		return
	}
	p.changed[preCommitFile] = fmt.Sprintf(`# Hooks of https://pre-commit.com that keep generated files up to date.
# %s
repos:
- repo: https://github.com/schemagen/schemagen
  rev: %s
  hooks:
  - id: schemagen
`, documentationCI, revision)
}

func (p *plugin) has(name string) bool {
	_, ok := p.files[name]
	return ok
}
