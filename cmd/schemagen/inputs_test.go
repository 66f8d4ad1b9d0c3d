package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
)

// inputKind is a kind of input that definitions are read from.
type inputKind struct {
	kind, name string
	// folder and packages are whether it has files in a directory, or Go packages.
	folder, packages bool
	// onlyCompared is set for what only a comparison reads.
	onlyCompared bool
}

// inputKinds are in a module whose packages are those of testdata/inputs/project.txtar. All have the
// same definitions.
func inputKinds(dir string) []inputKind {
	return []inputKind{
		{kind: "file", name: "all.yaml"},
		{kind: "standard input", name: "-"},
		{kind: "directory", name: "config/crd", folder: true},
		{kind: "absolute directory", name: filepath.Join(dir, "config/crd"), folder: true},
		{kind: "default", folder: true},
		{kind: "package", name: "./api/v1", packages: true},
		{kind: "packages", name: "./api/...", packages: true},
		{kind: "directory of packages", name: "./api", packages: true},
		{kind: "absolute directory of a package", name: filepath.Join(dir, "api/v1"), packages: true},
		{kind: "import path", name: "example.com/project/api/v1", packages: true},
		{kind: "file of a commit", name: "git:HEAD:all.yaml", onlyCompared: true},
		{kind: "directory of a commit", name: "git:HEAD:config/crd", folder: true, onlyCompared: true},
		{kind: "package of a commit", name: "git:HEAD:api/v1", packages: true, onlyCompared: true},
		{kind: "packages of a commit", name: "git:HEAD:api/...", packages: true, onlyCompared: true},
	}
}

// inputRole is a place of a command line at which definitions are named.
type inputRole struct {
	command *cobra.Command
	// place is "argument", "OLD", "NEW", or a flag.
	place string
}

func (r inputRole) String() string { return r.command.Name() + " " + r.place }

// compares reports whether the role is one of a comparison, which may be a commit.
func (r inputRole) compares() bool { return r.place == "OLD" || r.place == "NEW" || r.place == "--old" }

// inputRoles reads the roles from the commands.
func inputRoles(root *cobra.Command) (out []inputRole) {
	for _, cmd := range root.Commands() {
		add := func(place string) { out = append(out, inputRole{cmd, place}) }
		if strings.Contains(cmd.Use, "packages or -") || strings.Contains(cmd.Use, "CRD...") {
			add("argument")
		}
		if strings.Contains(cmd.Use, "OLD") {
			add("OLD")
			add("NEW")
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name == "old" && strings.Contains(f.Usage, "ackages") {
				add("--" + f.Name)
			}
		})
	}
	return out
}

// withoutDefinitions are the commands that read no definitions, by what they read instead.
func withoutDefinitions() map[string]string {
	return map[string]string{
		"crd": "packages", "unions": "packages", "conversions": "packages", "gates": "", "config": "packages", "generate": "",
		"lsp": "an editor's requests", "init": "", "migrate": "",
		"kubebuilder-plugin": "Kubebuilder's request", controllerGenCommand: "packages", "version": "", "help": "", "completion": "",
	}
}

// line is the command line of a role for an input. It writes nothing.
func (r inputRole) line(name string) (args []string) {
	switch r.String() {
	case "verify argument":
		args = []string{"verify", "--costs"}
	case "verify --old":
		args = []string{"verify", "narrow.yaml", "--old", name}
		if strings.HasSuffix(name, "config/crd") { // both channels have definitions of one name
			args = append(args, "--channel", "standard")
		}
		return args
	case "diff OLD":
		return []string{"diff", name, "narrow.yaml"}
	case "diff NEW":
		args = []string{"diff", "wide.yaml"}
	case "docs argument":
		args = []string{"docs", "-o", "-", "--format", "markdown"}
	case "openapi argument", "jsonschema argument":
		args = []string{r.command.Name(), "-o", "-"}
	case "schema argument":
		args = []string{"schema"}
	case "types argument":
		args = []string{"types", "-o", "types", "--diff"}
	case "explain argument":
		args = []string{"explain", "widget.spec", "--recursive"}
	case "try argument":
		args = []string{"try", "-f", "objects", "-o", "yaml"}
	case "test argument":
		args = []string{"test", "-f", "suites"}
	}
	switch {
	case name == "":
	case strings.HasPrefix(r.place, "--"):
		args = append(args, r.place, name)
	default:
		args = append(args, name)
	}
	return args
}

// readsFiles reports whether the role reads no packages.
func (r inputRole) readsFiles() bool { return r.command.Name() == "types" }

// hasDefault reports whether the role need not be named.
func (r inputRole) hasDefault() bool {
	return !r.compares() && r.String() != "schema argument" && !r.readsFiles()
}

// flagEffect is what a flag does. Its row is for a command, or for a role of it.
type flagEffect struct {
	flag, value string
	// base has arguments that the flag needs to have an effect, and without those that it cannot be
	// used with.
	base, without string
	// want is matched by the output with the flag only, gone by that without the flag only.
	want, gone string
	// same is the reason why the flag has no effect in this role; its output has want anyway. packages
	// is matched by the output for Go packages instead.
	same, packages string
}

// flagEffects are the rows of the table: each flag of a command with a role has one.
func flagEffects() map[string][]flagEffect {
	const burst, noUnions = `(?i)burst`, `may only be specified when|type selects the member|"const": "Text"`
	kube := flagEffect{flag: "kube-version", value: "1.29", want: `this Kubernetes version rejects every update`}
	generation := func(channel, enable, unions flagEffect) []flagEffect {
		channel.flag, channel.value = "channel", "experimental"
		gates := channel
		gates.flag, gates.value = "gates", "Burst"
		enable.flag, enable.value = "enable", "k8s"
		unions.flag, unions.value = "unions", "none"
		return []flagEffect{channel, gates, enable, unions}
	}
	documents := generation(flagEffect{want: burst},
		flagEffect{want: `(?i)max_?length"?: 7|at most 7 characters`}, flagEffect{gone: noUnions})
	const noFindings = "there are no findings about files"
	written := []flagEffect{
		{flag: "output", value: "out --check", want: `(?m)^\+\+\+ b/out`},
		{flag: "check", value: "-o out", want: `(?m)^\+\+\+ b/out`},
		{flag: "diff", value: "-o out", want: `(?m)^\+\+\+ b/out`},
	}
	diagnostics := []flagEffect{{flag: "format", value: "json", want: `"code": "SG`}, {flag: "strict", want: `error\[SG`}}
	compared := []flagEffect{
		{flag: "format", value: "json", want: `"kind": "maxLength-lowered"`},
		{flag: "output", value: "changes.txt", gone: `SG81`},
		{flag: "fail-on", value: "none", gone: `error\[SG811\]`},
		{flag: "partial", gone: `definition-removed`},
		{flag: "source", value: "./api/v1", want: `allowed: a test allows it`},
	}
	return map[string][]flagEffect{
		"verify argument": slices.Concat([]flagEffect{
			{flag: "channel", value: "experimental", want: `properties\[burst\]`},
			{flag: "costs", without: "--costs", want: `(?m)% of a rule`},
			{flag: "unions", same: "no rule means a union"},
			{flag: "kube-version", value: "1.28", want: `undeclared reference to 'isQuantity'`},
			{flag: "old", value: "cluster.yaml", want: `spec.scope: Invalid value: "Namespaced": field is immutable`},
			{flag: "condition", without: "--costs", want: `(?m)^accepted: true$`},
			{flag: "proposal", without: "--costs", base: "--condition", want: `accepted`, same: "the schemas are structural"},
		}, diagnostics),
		"verify --old": slices.Concat([]flagEffect{
			{flag: "channel", value: "experimental", want: `SG607`, same: "the definitions are those of narrow.yaml"},
			{flag: "costs", want: `(?m)% of a rule`},
			{flag: "unions", same: "no rule means a union"},
			{flag: "kube-version", value: "1.28", want: `SG607`, same: "the stored rule is tolerated"},
			{flag: "old", want: `SG607`, same: "the role names it"},
			{flag: "condition", want: `(?m)^request: update$`},
			{flag: "proposal", base: "--condition", want: `update`, same: "the schemas are structural"},
		}, diagnostics),
		"diff NEW": slices.Concat(generation(flagEffect{want: `\.spec\.burst: field-added`},
			flagEffect{want: `maxLength-added`}, flagEffect{want: `union-removed`}), compared, []flagEffect{kube}),
		"diff OLD": slices.Concat(generation(flagEffect{want: `\.spec\.burst: field-removed`},
			flagEffect{want: `maxLength-removed`}, flagEffect{want: `union-added`}), compared, []flagEffect{kube}),
		"try argument": slices.Concat(generation(flagEffect{want: `burst: 3`},
			flagEffect{want: `may not be more than 7`}, flagEffect{want: `file: b`}), []flagEffect{
			{flag: "filename", value: "objects/name.yaml", without: "-f objects", want: `name: longer than seven`},
			{flag: "old", value: "objects", without: "-o yaml", want: `: updated`},
			{flag: "output", value: "none", gone: `(?m)^  name: `},
			{flag: "pruning", value: "proposal", want: `longer than seven`, same: "the schemas have no junctors"},
			{flag: "sample", value: "Widget", without: "-f objects", want: `(?m)^# A minimal Widget: required fields only`},
			{flag: "subresource", value: "status", base: "--old objects", want: `ready: true`},
			{flag: "to", value: "v2", without: "-f objects", base: "-f objects/name.yaml", want: `do not convert Widget of example.com/v1`},
			{flag: "strip", without: "-f objects", base: "-f objects/name.yaml --to v2", want: `do not convert Widget`, same: "there is nothing to convert"},
			{flag: "yes", without: "-f objects", base: "-f objects/name.yaml --to v2", want: `do not convert Widget`, same: "there is nothing to run"},
			{flag: "policy", value: "policies", without: "-f objects", base: "-f updates/new.yaml --old updates/stored.yaml", want: `SG704`},
			{flag: "format", value: "json", without: "-o yaml", base: "-o none", want: `"code": "SG70`}, {flag: "strict", base: "--validate warn", want: `error\[SG702\]`},
			{flag: "validate", value: "warn", want: `warning\[SG702\]`},
		}),
		"test argument": slices.Concat(generation(flagEffect{base: "-v", want: `ok   Widget/onCreate/burst is stored`},
			flagEffect{base: "-v", want: `ok   Widget/onCreate/a long name is rejected`},
			flagEffect{base: "-v", want: `ok   Widget/onCreate/a union is not enforced`}), []flagEffect{
			{flag: "filename", value: "suites", without: "-f suites", want: `passed`, same: "the role names it"},
			{flag: "run", value: "name.is.stored", want: `(?m)^1 passed, 0 failed$`},
			{flag: "verbose", want: `(?m)^ok   Widget/onCreate/a name is stored$`},
			{flag: "format", value: "json", want: `"code": "SG707"`},
			{flag: "policy", value: "policies", base: "-v", want: `ok   Widget/onUpdate/a policy clears the text`},
			{flag: "strict", want: `4 failed`, same: "failed cases are errors anyway"},
		}),
		"openapi argument": slices.Concat(documents, written, []flagEffect{
			{flag: "all-unions", base: "--unions none", want: `x-kubernetes-unions`},
			{flag: "lost", want: `OpenAPI v2 of Widget example.com/v1 leaves out nullable`},
			{flag: "object-unions", want: `x-kubernetes-unions": \[`},
			{flag: "omit-field-validation", gone: `fieldValidation`},
			{flag: "unfold-unions", want: `"oneOf": \[`},
			{flag: "serve", value: "nowhere", without: "-o -", want: `nowhere`},
			{flag: "format", value: "json", without: "-o -", base: "-o out --check --lost", want: `"code": "SG`},
			{flag: "strict", base: "--lost", want: `note\[SG803\]`, same: "these are notes", packages: `error\[SG607\]`},
		}),
		"jsonschema argument": slices.Concat(documents, written, []flagEffect{
			{flag: "base-url", value: "https://example.com/schemas", want: `https://example.com/schemas/example.com/widget_v1.json`},
			{flag: "draft", value: "draft-07", want: `draft-07/schema`},
			{flag: "modeline", want: `(?m)^# yaml-language-server: \$schema=`},
			{flag: "open", gone: `"additionalProperties": false`},
			{flag: "format", value: "json", without: "-o -", base: "-o out --check", want: `"kind"`, same: noFindings, packages: `"code": "SG607"`},
			{flag: "strict", want: `"kind"`, same: noFindings, packages: `error\[SG607\]`},
		}),
		"docs argument": slices.Concat(documents, written, []flagEffect{
			{flag: "examples=false", gone: "(?m)^```yaml$"},
			{flag: "format", value: "asciidoc", without: "--format markdown", want: `(?m)^= `},
			{flag: "template", value: "page.tmpl", want: `(?m)^1 groups by template$`},
			{flag: "title", value: "Our-kinds", without: "--format markdown", base: "--format asciidoc", want: `(?m)^= Our-kinds$`},
		}),
		"explain argument": slices.Concat(generation(flagEffect{want: `(?m)^ +burst`},
			flagEffect{want: `at most 7 characters`}, flagEffect{gone: noUnions}), []flagEffect{
			{flag: "api-version", value: "v9", want: `v9`},
			{flag: "format", value: "json", want: `"name": "amount"`},
			{flag: "recursive", without: "--recursive", want: `(?m)^ {4}file <string>$`},
		}),
		"types argument": {
			{flag: "output", value: "out/types", want: `(?m)^\+\+\+ b/out/types`},
			{flag: "kinds", value: "Widget", gone: `type Gadget struct`},
			{flag: "allow-dangerous-types", want: `type Widget struct`, same: "there are no numbers"},
			{flag: "check", want: `--check and --diff cannot be used together`},
			{flag: "diff", want: `(?m)^\+\+\+ b/types`, same: "the role has it"},
			{flag: "overwrite", want: `type Widget struct`, same: "nobody has edited a file"},
			{flag: "prune", want: `type Widget struct`, same: "there are no other files"},
			{flag: "import", value: "./api/v1", want: `api/v1`},
			{flag: "format", value: "json", want: `"diagnostics": \[\]`},
			{flag: "strict", want: `type Widget struct`, same: "there are no warnings"},
		},
		"schema argument": slices.Concat(documents, []flagEffect{
			{flag: "drop-validations", gone: `maxLength: 20`},
			{flag: "path", value: "spec", gone: `(?m)^  metadata:`},
			{flag: "published", value: "v2", want: `x-kubernetes-group-version-kind`},
			{flag: "skeleton", gone: `maxLength: 20`},
			{flag: "unfold", want: `maxLength: 20`, same: "the schemas are without extensions to unfold"},
			{flag: "version", value: "v9", want: `v9`},
			{flag: "format", value: "json", want: `maxLength: 20`, same: noFindings, packages: `"code": "SG607"`},
			{flag: "strict", want: `maxLength: 20`, same: noFindings, packages: `error\[SG607\]`},
		}),
	}
}

// TestInputs executes a table of roles × kinds of input × flags. The roles and flags are read from
// the commands. Definitions are the same in every kind of input, so the output has to be, too; a flag
// has its effect in every cell, or is refused where it cannot have one.
func TestInputs(t *testing.T) {
	root := newRoot(io.Discard, io.Discard)
	roles := inputRoles(root)
	for _, cmd := range root.Commands() {
		_, without := withoutDefinitions()[cmd.Name()]
		if has := slices.ContainsFunc(roles, func(r inputRole) bool { return r.command == cmd }); has == without {
			t.Errorf("%s: its roles are %v: complete inputRoles or withoutDefinitions", cmd.Name(), roles)
		}
	}
	table := newInputTable(t)
	effects := flagEffects()
	for _, role := range roles {
		t.Run(role.String(), func(t *testing.T) { table.role(t, role, effects[role.String()]) })
	}
	t.Logf("%d roles, %d kinds of input, %d cells", len(roles), len(table.kinds), table.cells)
}

// TestInputsOfPackages executes the commands that read only packages with the other kinds of input.
func TestInputsOfPackages(t *testing.T) {
	table := newInputTable(t)
	for command, what := range withoutDefinitions() {
		if what != "packages" || command == controllerGenCommand {
			continue
		}
		for name, kind := range map[string]string{
			"all.yaml": "a file of YAML or JSON", "-": "standard input", "git:HEAD": "a commit", "git:HEAD:api/v1": "a commit",
		} {
			got := table.run(t, command, name)
			want := "schemagen: " + name + ": " + command + " reads Go packages, and this is " + kind + "\n"
			if got.code != reporting.ExitFailure || got.stderr != want || got.stdout != "" {
				t.Errorf("%s %s: got exit code %d, want %q:\n%s", command, name, got.code, want, got)
			}
		}
	}
	t.Logf("%d cells", table.cells)
}

// inputTable executes the cells.
type inputTable struct {
	kinds []inputKind
	stdin string
	cells int
	known map[string]inputCell
}

// inputCell is the result of a command line.
type inputCell struct {
	code           int
	stdout, stderr string
}

func (c inputCell) String() string { return c.stdout + c.stderr }

// newInputTable sets the module up.
func newInputTable(t *testing.T) *inputTable {
	t.Helper()
	t.Setenv("GOCACHE", goEnv(t, "GOCACHE"))
	t.Setenv("GOMODCACHE", goEnv(t, "GOMODCACHE"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	archive, err := txtar.ParseFile("../../testdata/inputs/project.txtar")
	if err != nil {
		t.Fatal(err)
	}
	mod, sum := requirements(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	write := func(name string, data []byte) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, data, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", regexp.MustCompile(`(?m)^module .*`).ReplaceAll(mod, []byte("module example.com/project")))
	write("go.sum", sum)
	var other string
	for _, file := range archive.Files {
		write(file.Name, file.Data)
		if file.Name == "other.yaml" {
			other = string(file.Data)
		}
	}
	table := &inputTable{kinds: inputKinds(dir), known: map[string]inputCell{}}
	if made := table.run(t, "crd"); made.code != 0 {
		t.Fatal(made)
	}
	var files []string
	for _, name := range []string{"gadgets", "widgets"} {
		data, err := os.ReadFile("config/crd/standard/example.com_" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
	}
	all := strings.Join(files, "")
	table.stdin = all
	write("all.yaml", []byte(all))
	write("wide.yaml", []byte(strings.ReplaceAll(all, "maxLength: 20\n", "maxLength: 30\n")+"---\n"+other))
	write("narrow.yaml", []byte(strings.ReplaceAll(files[1], "maxLength: 20\n", "maxLength: 10\n")))
	write("cluster.yaml", []byte(strings.ReplaceAll(all, "scope: Namespaced", "scope: Cluster")))
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first"}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, commit} {
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return table
}

// run runs a command line. Standard input has all definitions.
func (table *inputTable) run(t *testing.T, args ...string) inputCell {
	t.Helper()
	table.cells++
	key := strings.Join(args, "\x00")
	if known, ok := table.known[key]; ok {
		return known
	}
	file := filepath.Join(t.TempDir(), "stdin")
	if err := os.WriteFile(file, []byte(table.stdin), 0o666); err != nil {
		t.Fatal(err)
	}
	stdin, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	before := os.Stdin
	os.Stdin = stdin
	defer func() { os.Stdin = before }()
	var stdout, stderr strings.Builder
	code := run(t.Context(), args, &stdout, &stderr)
	table.known[key] = inputCell{code, stdout.String(), stderr.String()}
	return table.known[key]
}

// role executes the cells of a role.
func (table *inputTable) role(t *testing.T, role inputRole, effects []flagEffect) {
	var missing []string
	role.command.LocalFlags().VisitAll(func(f *pflag.Flag) {
		has := func(e flagEffect) bool { name, _, _ := strings.Cut(e.flag, "="); return name == f.Name }
		isOwn := f.Name != "help" && role.command.InheritedFlags().Lookup(f.Name) == nil
		if isOwn && "--"+f.Name != role.place && !slices.ContainsFunc(effects, has) {
			missing = append(missing, f.Name)
		}
	})
	if len(missing) > 0 {
		t.Errorf("%s has no rows for the flags %v", role, missing)
	}
	for _, kind := range table.kinds {
		if kind.name == "" && !role.hasDefault() {
			continue
		}
		t.Run(kind.kind, func(t *testing.T) {
			base := table.run(t, role.line(kind.name)...)
			if kind.onlyCompared && !role.compares() {
				want := "commits are read only by diff and verify --old"
				if base.code != reporting.ExitFailure || !strings.Contains(base.stderr, want) {
					t.Errorf("got exit code %d, want %q:\n%s", base.code, want, base)
				}
				return
			}
			if kind.packages && role.readsFiles() {
				refusal := regexp.MustCompile("is not a file or directory with CRDs|no CRD found in ./api\n")
				if base.code == 0 || base.stdout != "" || !refusal.MatchString(base.stderr) {
					t.Errorf("got exit code %d, want a refusal:\n%s", base.code, base)
				}
				return
			}
			reference := role.line("all.yaml")
			switch {
			case role.String() == "verify argument" && kind.folder: // of all channels, unless one is selected
				base = table.run(t, append(role.line(kind.name), "--channel", "standard")...)
			case role.String() == "diff NEW" && kind.packages: // markers in Go allow changes
				reference = append(reference, "--source", "./api/v1")
			}
			got, want := withoutPlaces(base.stdout), withoutPlaces(table.run(t, reference...).stdout)
			if got != want || want == "" && role.place != "--old" {
				t.Errorf("%v: got\n%s\n%s\nwant, as for a file\n%s", role.line(kind.name), got, base.stderr, want)
			}
			for _, e := range effects {
				if "--"+e.flag != role.place {
					table.effect(t, role, kind, e)
				}
			}
		})
	}
}

// places matches positions, which differ between inputs, and markers in Go that allow changes.
var places = regexp.MustCompile(`(?m)\S*(\.yaml|\.go|\b|-)(:\d+){2}|DEFINED AT: .*\n\n|, defined at .[^)]*|^ *defined at .*|^-:`)

// withoutPlaces returns an output without positions, and with its lines sorted by the rest.
func withoutPlaces(output string) string {
	lines := strings.Split(places.ReplaceAllString(output, ""), "\n")
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n")
}

// effect executes a cell with a flag: the flag is refused, or it has its effect.
func (table *inputTable) effect(t *testing.T, role inputRole, kind inputKind, e flagEffect) {
	t.Helper()
	if e.flag == "channel" && role.String() == "verify argument" && kind.folder { // otherwise those of all channels
		e.value = "standard"
		e.gone = e.want
		e.want = ""
	}
	base := role.line(kind.name)
	if without := strings.Fields(e.without); len(without) > 0 {
		index := slices.Index(base, without[0])
		base = slices.Delete(base, index, index+len(without))
	}
	base = append(base, strings.Fields(e.base)...)
	args := append(append(slices.Clone(base), "--"+e.flag), strings.Fields(e.value)...)
	if e.flag == "old" && e.value == "" {
		return
	}
	if e.flag == "unions" && !kind.packages && (role.String() == "try argument" || role.String() == "test argument") {
		e.same = "it also turns policies off, and there are none"
		e.want = ""
	}
	got := table.run(t, args...)
	flag := role.command.Flags().Lookup(e.flag)
	refused := ""
	switch {
	case e.flag == "unions" && strings.HasPrefix(e.same, "it also"):
		if plain := table.run(t, base...); got != plain {
			t.Errorf("%v: got %.2000s, without the flag %.2000s", args, got, plain)
		}
		return
	case flag != nil && strings.HasPrefix(flag.Usage, "for Go packages: ") && !kind.packages:
		refused = "--" + e.flag + " would have no effect: it is for Go packages, and there are none in "
	case strings.Contains(e.base, "--unions") && !kind.packages:
		refused = "--unions would have no effect: it is for Go packages, and there are none in "
	case e.flag == "channel" && !kind.packages && !kind.folder:
		refused = "--channel would have no effect: there are neither Go packages nor a directory of the channel in "
	case e.flag == "condition" && kind.packages || e.flag == "proposal" && kind.packages:
		if role.place == "argument" {
			refused = "--condition reads definitions, not packages"
		}
	}
	if refused != "" {
		if got.code != reporting.ExitFailure || !strings.Contains(got.stderr, refused) || got.stdout != "" {
			t.Errorf("%v: got exit code %d, want %q:\n%.2000s", args, got.code, refused, got)
		}
		return
	}
	plain := table.run(t, base...)
	if kind.packages && e.packages != "" {
		e.want = e.packages
		e.same = ""
	}
	same := e.same != "" || role.place == "NEW" && e.flag == "source" && kind.packages
	for _, pattern := range []string{e.want, e.gone} {
		if pattern == "" {
			continue
		}
		expression := regexp.MustCompile(pattern)
		matches := expression.MatchString(got.String())
		matched := expression.MatchString(plain.String())
		if wanted := pattern == e.want; matches != wanted || matched == wanted && !same {
			t.Errorf("%v: %q matches: %t with the flag, %t without:\n%.3000s", args, pattern, matches, matched, got)
		}
	}
}
