package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	spdxjson "github.com/spdx/tools-golang/json"
)

// The fixture is a small program with a dependency, which both modules have in the cache.
const (
	fixtureMain = `package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "completion" {
		fmt.Println("# completes", os.Args[2])
		return
	}
	info, _ := debug.ReadBuildInfo()
	fmt.Println(info.Main.Version, new(errgroup.Group).Wait())
}
`
	fixtureReadme = "[start](docs/start.md#first) [all](docs) [changes](CHANGELOG.md) [here](#install) [there](https://example.com/docs/start.md)\n" +
		"![picture](docs/picture.svg) <img src=\"docs/picture.svg\">\n"
	fixtureChangelog = "# Changelog\n\n## Unreleased\n\n## v1.2.3 - 2026-01-02\n\n- first\n"
)

func fixture(t *testing.T) string {
	t.Helper()
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	license, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod":                "module example.com/fixture\n\ngo 1.26.0\n\nrequire golang.org/x/sync v0.22.0\n",
		"go.sum":                string(sums),
		"main.go":               fixtureMain,
		"LICENSE":               string(license),
		"README.md":             fixtureReadme,
		"docs/start.md":         "start\n",
		"docs/picture.svg":      "<svg/>\n",
		changelogName:           fixtureChangelog,
		".gitignore":            "/ignored.go\n",
		"man_test.go":           "package main\n\nimport (\n\t\"flag\"\n\t\"os\"\n\t\"testing\"\n)\n\nvar man = flag.String(\"man\", \"\", \"\")\n\nfunc TestMan(t *testing.T) {\n\tif err := os.WriteFile(*man+\"/fixture.1\", []byte(\".TH\"), 0o644); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
		"completions/README.md": "not packed\n",
	})
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "first")
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, text)
	}
}

// releaseOf returns a release of the fixture for the host and one other system.
func releaseOf(dir, out string) *release {
	return &release{
		product: product{
			name: "fixture", pkg: "example.com/fixture", repository: "example.com/fixture", image: "example.com/fixture", description: "a fixture", license: "Apache-2.0",
			shells: []string{"bash", "powershell"}, cold: []string{"golang.org/x/sync/..."}, files: []string{"LICENSE", "README.md", changelogName},
			manPages: func(dir string) []string { return []string{"test", ".", "-run", "^TestMan$", "-man", dir} },
		},
		source: dir, out: out, targets: []target{{runtime.GOOS, runtime.GOARCH}, {"windows", "arm64"}}, log: io.Discard,
	}
}

func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[entry.Name()] = data
	}
	return out
}

// TestRelease releases a tagged commit twice, from two directories, the second with ignored
// files and another user's settings, and looks into what was made.
func TestRelease(t *testing.T) {
	first := fixture(t)
	git(t, first, "tag", "v1.2.3")
	second := filepath.Join(t.TempDir(), "another")
	git(t, first, "clone", "-q", first, second)
	one, two := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "deep", "out")
	if err := releaseOf(first, one).make(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, second, map[string]string{"ignored.go": "package main\n\nfunc init() { println() }\n"})
	t.Setenv("GOFLAGS", "-ldflags=-X=main.x=y")
	cache, _ := exec.Command("go", "env", "GOCACHE").Output()
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("TZ", "Asia/Tokyo")
	again := releaseOf(second, two)
	again.targets = again.targets[:1] // without a cache, each takes a while
	if err := again.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	files := read(t, one)
	for name, data := range read(t, two) {
		if !bytes.Equal(data, files[name]) && !strings.HasSuffix(name, "checksums.txt") {
			t.Errorf("%s differs between two directories", name)
		}
	}
	host := "fixture_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
	want := []string{"checksums.txt", host, host + ".spdx.json", "fixture_1.2.3_windows_arm64.zip", "fixture_1.2.3_windows_arm64.zip.spdx.json"}
	if runtime.GOOS == "linux" {
		want = append(want, "fixture_1.2.3_image.tar")
	}
	slices.Sort(want)
	var got []string
	for name, data := range files {
		got = append(got, name)
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name)
		if name != want[0] && !strings.Contains(string(files[want[0]]), line) {
			t.Errorf("no checksum of %s", name)
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	contents := []string{"CHANGELOG.md", "LICENSE", "README.md", "THIRD_PARTY_LICENSES", "completions/fixture.bash", "completions/fixture.ps1", "fixture", "man/man1/fixture.1"}
	packed := untar(t, gunzip(t, files[host]))
	if names := sortedNames(packed); !slices.Equal(names, contents) {
		t.Errorf("%s has %v", host, names)
	}
	zipped := unzip(t, files["fixture_1.2.3_windows_arm64.zip"])
	contents[6] = "fixture.exe"
	if names := sortedNames(zipped); !slices.Equal(names, contents) {
		t.Errorf("the zip file has %v", names)
	}
	for _, text := range []string{"golang.org/x/sync v0.22.0: BSD-3-Clause", "std " + runtime.Version(), "Redistribution and use"} {
		if !strings.Contains(string(packed["THIRD_PARTY_LICENSES"]), text) {
			t.Errorf("THIRD_PARTY_LICENSES does not have %q", text)
		}
	}
	// What is not in the archive is linked to where the tag has it.
	wantReadme := "[start](https://example.com/fixture/blob/v1.2.3/docs/start.md#first) [all](https://example.com/fixture/blob/v1.2.3/docs) " +
		"[changes](CHANGELOG.md) [here](#install) [there](https://example.com/docs/start.md)\n" +
		"![picture](https://example.com/fixture/raw/v1.2.3/docs/picture.svg) <img src=\"https://example.com/fixture/raw/v1.2.3/docs/picture.svg\">\n"
	if got := string(packed["README.md"]); got != wantReadme {
		t.Errorf("README.md of the archive is\n%s\nwant\n%s", got, wantReadme)
	}
	if info, err := buildinfo.Read(bytes.NewReader(packed["fixture"])); err != nil || setting(info, "-gcflags") != "golang.org/x/sync/...=-l" {
		t.Errorf("the program was built with %v, %v", info.Settings, err)
	}
	checkBOM(t, packed["fixture"], files[host+".spdx.json"])
	checkBOM(t, zipped["fixture.exe"], files["fixture_1.2.3_windows_arm64.zip.spdx.json"])

	program := filepath.Join(t.TempDir(), "fixture")
	if err := os.WriteFile(program, packed["fixture"], 0o755); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(program).CombinedOutput(); err != nil || string(text) != "v1.2.3 <nil>\n" {
		t.Errorf("the program printed %q, %v", text, err)
	}
	if runtime.GOOS == "linux" {
		checkImage(t, files["fixture_1.2.3_image.tar"], packed["fixture"])
	}
}

// TestPublish runs the script that the workflow runs, with a registry in this process, and
// with programs that note how they are called in place of cosign and gh.
func TestPublish(t *testing.T) {
	r := releaseOf("", "")
	r.temp = t.TempDir()
	packed, err := r.writeImage([]*bundle{{binary: binary{target: target{"linux", "amd64"}}, files: []file{{name: "fixture", data: []byte("program"), executable: true}}}}, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{packed.name: string(packed.data), "checksums.txt": string(checksums("", []file{*packed}).data)})
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	image := strings.TrimPrefix(server.URL, "http://") + "/schemagen/fixture"
	bin := t.TempDir()
	calls := filepath.Join(bin, "calls")
	write(t, bin, map[string]string{
		"cosign": "#!/bin/sh\necho cosign \"$@\" >> " + calls + "\nif test \"$4\" = checksums.txt.sigstore.json; then echo signed > \"$4\"; fi\n",
		"gh":     "#!/bin/sh\necho gh \"$@\" >> " + calls + "\n",
		"notes":  "- first\n",
	})
	for _, name := range []string{"cosign", "gh"} {
		if err := os.Chmod(filepath.Join(bin, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	publish := func() (string, error) {
		cmd := exec.Command("../../hack/publish.sh", dir, "v1.2.3", filepath.Join(bin, "notes"), image)
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "GOFLAGS=")
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	if text, err := publish(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	ref, err := name.ParseReference(image + ":v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	index, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(calls)
	var names []string
	for name := range read(t, dir) {
		names = append(names, "./"+name)
	}
	slices.Sort(names)
	want := "cosign sign-blob --yes --bundle checksums.txt.sigstore.json checksums.txt\n" +
		"cosign sign --yes --recursive " + image + "@" + digest.String() + "\n" +
		"gh release create v1.2.3 --verify-tag --title v1.2.3 --notes-file " + filepath.Join(bin, "notes") + " " + strings.Join(names, " ") + "\n"
	if string(got) != want {
		t.Errorf("called\n%s\nwant\n%s", got, want)
	}
	// A file that was changed on its way is not published.
	write(t, dir, map[string]string{"fixture.txt": "", "fixture_1.2.3_image.tar": "changed"})
	_ = os.Remove(calls)
	if text, err := publish(); err == nil || !strings.Contains(text, "fixture_1.2.3_image.tar: FAILED") {
		t.Errorf("a changed file: %v\n%s", err, text)
	}
	if text, err := os.ReadFile(calls); err == nil {
		t.Errorf("a changed file: %s", text)
	}
}

// checkBOM compares a list of what is in a program with its build information.
func checkBOM(t *testing.T, program, text []byte) {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{info.Main.Path + " " + info.Main.Version, "stdlib " + strings.TrimPrefix(info.GoVersion, "go")}
	for _, m := range info.Deps {
		want = append(want, m.Path+" "+m.Version)
	}
	doc, err := spdxjson.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range doc.Packages {
		got = append(got, p.PackageName+" "+p.PackageVersion)
		if p.PackageLicenseConcluded == "" || p.PackageLicenseConcluded == "NOASSERTION" {
			t.Errorf("%s has no licence", p.PackageName)
		}
	}
	if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("the SBOM has %v, and the program %v", got, want)
	}
	if len(doc.Relationships) != len(doc.Packages) || doc.CreationInfo.Created != "2026-01-02T03:04:05Z" {
		t.Errorf("%d packages, %d relationships, created %s", len(doc.Packages), len(doc.Relationships), doc.CreationInfo.Created)
	}
}

// checkImage reads an image back with the library and compares the program in it.
func checkImage(t *testing.T, data, program []byte) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range untar(t, data) {
		write(t, dir, map[string]string{name: string(text)})
	}
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := outer.IndexManifest()
	if err != nil || len(list.Manifests) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	if name := list.Manifests[0].Annotations["io.containerd.image.name"]; name != "example.com/fixture:v1.2.3" {
		t.Errorf("the image is named %q", name)
	}
	index, err := outer.ImageIndex(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	if list, err = index.IndexManifest(); err != nil || len(list.Manifests) != 1 || !list.Manifests[0].Platform.Equals(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}) {
		t.Fatalf("%v, %v", list, err)
	}
	image, err := index.Image(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	root, err := io.ReadAll(mutate.Extract(image))
	if err != nil {
		t.Fatal(err)
	}
	files := untar(t, root)
	if want := []string{"usr/bin/fixture", "usr/share/doc/fixture/LICENSE", "usr/share/doc/fixture/THIRD_PARTY_LICENSES"}; !slices.Equal(sortedNames(files), want) {
		t.Errorf("the image has %v", sortedNames(files))
	}
	if !bytes.Equal(files["usr/bin/fixture"], program) {
		t.Error("the program of the image is not that of the archive")
	}
	config, err := image.ConfigFile()
	if err != nil || !slices.Equal(config.Config.Entrypoint, []string{"/usr/bin/fixture"}) || config.Config.User != "65532:65532" {
		t.Errorf("%+v, %v", config, err)
	}
}

// TestNotReleasable wants nothing to be written for commits that cannot be released.
func TestNotReleasable(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, dir string)
		want   []string
	}{
		"no tag":           {func(*testing.T, string) {}, []string{"has no version tag: git tag -a vX.Y.Z"}},
		"a tag of no form": {func(t *testing.T, dir string) { git(t, dir, "tag", "1.2.3") }, []string{"has no version tag"}},
		"changes":          {func(t *testing.T, dir string) { write(t, dir, map[string]string{"main.go": "package main\n"}) }, []string{"has changes", "M main.go", "has no version tag"}},
		"an untracked file": {func(t *testing.T, dir string) {
			git(t, dir, "tag", "v1.2.3")
			write(t, dir, map[string]string{"new.go": ""})
		}, []string{"has changes", "?? new.go"}},
		"no notes": {func(t *testing.T, dir string) { git(t, dir, "tag", "v1.2.4") }, []string{`CHANGELOG.md has no section "## v1.2.4"`}},
		"two tags": {func(t *testing.T, dir string) { git(t, dir, "tag", "v1.10.0"); git(t, dir, "tag", "v1.9.0") }, []string{`no section "## v1.10.0"`}},
		"a broken build": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"main.go": "package main\n\nfunc main() { undefined() }\n"})
			git(t, dir, "commit", "-q", "-a", "-m", "broken")
			git(t, dir, "tag", "v1.2.3")
		}, []string{"undefined: undefined"}},
		"a replaced module": {func(t *testing.T, dir string) {
			write(t, dir, map[string]string{"sync/go.mod": "module golang.org/x/sync\n", "sync/errgroup/e.go": "package errgroup\n\ntype Group struct{}\n\nfunc (*Group) Wait() error { return nil }\n"})
			data, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
			write(t, dir, map[string]string{"go.mod": string(data) + "\nreplace golang.org/x/sync => ./sync\n"})
			git(t, dir, "add", "-A")
			git(t, dir, "commit", "-q", "-m", "replaced")
			git(t, dir, "tag", "v1.2.3")
		}, []string{"golang.org/x/sync is replaced in go.mod"}},
		"a broken link": {func(t *testing.T, dir string) {
			git(t, dir, "rm", "-q", "docs/start.md")
			git(t, dir, "commit", "-q", "-m", "none")
			git(t, dir, "tag", "v1.2.3")
		}, []string{"README.md: there is no docs/start.md"}},
		"no licence": {func(t *testing.T, dir string) {
			git(t, dir, "rm", "-q", "LICENSE")
			git(t, dir, "commit", "-q", "-m", "none")
			git(t, dir, "tag", "v1.2.3")
		}, []string{"LICENSE"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, parent := fixture(t), t.TempDir()
			test.change(t, dir)
			err := releaseOf(dir, filepath.Join(parent, "out")).make(t.Context())
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
			if entries, _ := os.ReadDir(parent); len(entries) > 0 {
				t.Errorf("%s was left", entries[0].Name())
			}
		})
	}
}

// TestSnapshot builds a commit without a tag in a git worktree with changes, which are left out.
func TestSnapshot(t *testing.T) {
	dir := fixture(t)
	tree := filepath.Join(t.TempDir(), "tree")
	git(t, dir, "worktree", "add", "-q", "-b", "other", tree)
	write(t, tree, map[string]string{"README.md": "changed\n"})
	var log strings.Builder
	r := releaseOf(tree, filepath.Join(t.TempDir(), "out"))
	r.snapshot, r.log, r.targets = true, &log, r.targets[:1]
	if err := r.make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "without the changes in the working tree") {
		t.Errorf("printed %q", &log)
	}
	for name, data := range read(t, r.out) {
		if name != "checksums.txt" && !strings.HasPrefix(name, "fixture_0.0.0-20260102030405-"+r.commit.hash[:12]+"_") {
			t.Errorf("file %s", name)
		}
		if strings.HasSuffix(name, ".tar.gz") && !strings.Contains(string(untar(t, gunzip(t, data))["README.md"]), "https://example.com/fixture/blob/"+r.commit.hash+"/docs/start.md#first") {
			t.Error("a change in the working tree was packed, or a link is not that of the commit")
		}
	}
	if err := r.make(t.Context()); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second run over the results: %v", err)
	}
}

// TestFormula compares the formula of archives for four systems.
func TestFormula(t *testing.T) {
	r := release{product: schemagen()}
	var files []file
	for _, system := range []string{"darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"} {
		if f := r.formula("v1.2.3", files); f != nil {
			t.Errorf("a formula of %d archives", len(files))
		}
		files = append(files, file{name: "schemagen_1.2.3_" + system + ".tar.gz", data: []byte(system)})
	}
	text := string(r.formula("v1.2.3", files).data)
	for _, want := range []string{
		"class Schemagen < Formula\n", `license "Apache-2.0"`,
		"    on_arm do\n      url \"https://github.com/schemagen/schemagen/releases/download/v1.2.3/schemagen_1.2.3_linux_arm64.tar.gz\"\n      sha256 \"" + digest([]byte("linux_arm64")) + "\"\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestCut cuts versions from a copy of the changelog and of the pages that name a version,
// and prints the notes of one.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for _, name := range append([]string{changelogName}, versionedPages...) {
		data, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	write(t, dir, files)
	for _, match := range link.FindAllStringSubmatch(files[changelogName], -1) {
		if name, _, _ := strings.Cut(match[2], "#"); !strings.Contains(name, ":") {
			write(t, dir, map[string]string{name: cmp.Or(files[name], "linked\n")})
		}
	}
	do := func(args ...string) (string, error) {
		var out strings.Builder
		err := run(context.Background(), append([]string{"-C", dir}, args...), &out)
		return out.String(), err
	}
	now := func() map[string]string {
		t.Helper()
		out := map[string]string{}
		for name := range files {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			out[name] = string(data)
		}
		return out
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"notes", "v9.9.9"}, `no section "## v9.9.9"`},
		{[]string{"notes"}, "no section"},
		{[]string{"cut", "9.9.9", "2026-11-23"}, `"9.9.9" is not a version`},
		{[]string{"cut", "v9.9.9", "today"}, `"today" is not a date`},
		{[]string{"publish"}, `unknown command "publish"`},
		{nil, "-o is missing"},
		{[]string{"-o", "out", "-targets", "plan9/amd64"}, `"plan9/amd64" is not one of`},
	} {
		if _, err := do(test.args...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v", test.args, err)
		}
	}
	if _, err := do("cut", "v9.9.9", "2026-11-23"); err != nil {
		t.Fatal(err)
	}
	cut := now()
	if restored := strings.Replace(cut[changelogName], "## Unreleased\n\n## v9.9.9 - 2026-11-23\n", unreleased, 1); restored != files[changelogName] {
		t.Error("cutting a version changed something else in " + changelogName)
	}
	for _, name := range versionedPages {
		was := versionLine.FindAllString(files[name], -1)
		is := versionLine.FindAllString(cut[name], -1)
		for i, line := range is {
			if !strings.HasSuffix(line, "v9.9.9") {
				t.Errorf("%s still has %q", name, line)
			}
			was[i] = versionLine.ReplaceAllString(was[i], "${1}v9.9.9")
		}
		if len(is) == 0 || !slices.Equal(is, was) || versionLine.ReplaceAllString(cut[name], "") != versionLine.ReplaceAllString(files[name], "") {
			t.Errorf("cutting a version made %v of %v in %s, or changed something else", is, was, name)
		}
	}
	for name, want := range map[string]string{
		"README.md":     "go install github.com/schemagen/schemagen/cmd/schemagen@v9.9.9\n",
		"docs/start.md": "go install github.com/schemagen/schemagen/cmd/schemagen@v9.9.9\n",
		"docs/ci.md":    "    - uses: schemagen/schemagen@v9.9.9\n      with: {version: v9.9.9}\n",
	} {
		if !strings.Contains(cut[name], want) {
			t.Errorf("%s does not have %q", name, want)
		}
	}
	notes, err := do("notes", "v9.9.9")
	if err != nil || !strings.Contains(notes, "\n- ") || strings.Contains(notes, "Unreleased") {
		t.Errorf("%.100q, %v", notes, err)
	}
	// The page of a release does not resolve relative links.
	if !strings.Contains(notes, "](https://github.com/schemagen/schemagen/blob/v9.9.9/docs/start.md)") || strings.Contains(notes, "](docs/") {
		t.Errorf("the notes have relative links: %.300s", notes)
	}
	if _, err := do("cut", "v9.10.0", "2026-11-24"); err == nil || !strings.Contains(err.Error(), "nothing under Unreleased") {
		t.Errorf("a second version without changes: %v", err)
	}
	write(t, dir, map[string]string{changelogName: files[changelogName], "docs/ci.md": "nothing\n"})
	before := now()
	if _, err := do("cut", "v9.10.0", "2026-11-24"); err == nil || !strings.Contains(err.Error(), "docs/ci.md names no version") {
		t.Errorf("a page without a version: %v", err)
	}
	if !maps.Equal(now(), before) {
		t.Error("a failure changed files")
	}
	text, err := exec.Command("make", "-n", "-C", "../..", "release-cut", "VERSION=v9.9.9").CombinedOutput()
	if err != nil || !regexp.MustCompile(`run -C tools/release \. -C \S+ cut v9\.9\.9 `).Match(text) {
		t.Errorf("make release-cut would run %s, %v", text, err)
	}
}

func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// untar returns the files of an archive, and checks their order, owners and dates.
func untar(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Gid != 0 || header.Uname != "" || header.ModTime.UTC().Format("2006-01-02") != "2026-01-02" {
			t.Errorf("%s: owner %d:%d %s, %s", header.Name, header.Uid, header.Gid, header.Uname, header.ModTime)
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		if out[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func unzip(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range r.File {
		part, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if out[f.Name], err = io.ReadAll(part); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func sortedNames(files map[string][]byte) []string {
	var out []string
	for name := range files {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// TestBOMIsValidJSON parses a document without the library that wrote it.
func TestBOMIsValidJSON(t *testing.T) {
	b := &bundle{binary: binary{info: &buildinfo.BuildInfo{GoVersion: "go1.26.0"}}, stem: "x"}
	r := release{product: schemagen()}
	f, err := r.sbom(b, file{name: "x.tar.gz"})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		SPDXVersion string `json:"spdxVersion"`
		Packages    []struct {
			SPDXID       string
			ExternalRefs []struct{ ReferenceLocator string } `json:"externalRefs"`
		}
	}
	if err := json.Unmarshal(f.data, &doc); err != nil || doc.SPDXVersion != "SPDX-2.3" || len(doc.Packages) != 2 || doc.Packages[1].ExternalRefs[0].ReferenceLocator != "pkg:golang/stdlib@1.26.0" {
		t.Errorf("%+v, %v", doc, err)
	}
}
