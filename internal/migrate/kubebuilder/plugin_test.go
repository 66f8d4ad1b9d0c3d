package kubebuilder

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata")

// TestCases sends the requests in testdata. An archive has a request as it is, request.json, or
// the files of a project in universe/, with the command in the first line. The other files are
// the expected response and the notes.
func TestCases(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment}
			universe := map[string]string{}
			var sent []byte
			for _, file := range archive.Files {
				below, isProject := strings.CutPrefix(file.Name, "universe/")
				switch {
				case isProject:
					universe[below] = string(file.Data)
				case file.Name == "request.json":
					sent = file.Data
				default:
					continue
				}
				got.Files = append(got.Files, file)
			}
			if sent == nil {
				command, _, _ := strings.Cut(string(archive.Comment), "\n")
				if sent, err = json.Marshal(map[string]any{
					"apiVersion": "v1alpha1", "command": command, "args": []string{}, "universe": universe,
					"pluginChain": []string{"go.kubebuilder.io/v4"}, "config": map[string]any{"domain": "example.com"},
				}); err != nil {
					t.Fatal(err)
				}
			}
			got.Files = append(got.Files, serve(t, sent)...)
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if text := txtar.Format(got); !bytes.Equal(text, txtar.Format(archive)) {
				t.Errorf("got\n%s", text)
			}
			if command, _, _ := strings.Cut(string(archive.Comment), "\n"); command != "init" && command != "edit" {
				return
			}
			// What is done once is not done again.
			for _, file := range got.Files {
				if below, ok := strings.CutPrefix(file.Name, "response/"); ok {
					universe[below] = string(file.Data)
				}
			}
			again, err := json.Marshal(map[string]any{"apiVersion": "v1alpha1", "command": "edit", "universe": universe})
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range serve(t, again) {
				if strings.HasPrefix(file.Name, "response/") {
					t.Errorf("the second run writes %s", file.Name)
				}
			}
		})
	}
}

// serve returns the response: its JSON without files, the files, and the notes.
func serve(t *testing.T, sent []byte) (out []txtar.File) {
	t.Helper()
	var stdout, notes bytes.Buffer
	if err := Serve(bytes.NewReader(sent), &stdout, &notes, Options{Dir: t.TempDir(), Version: "schemagen-v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	var answer response
	dec := json.NewDecoder(&stdout)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&answer); err != nil || dec.More() {
		t.Fatalf("got %s: %v", stdout.Bytes(), err)
	}
	files := answer.Universe
	answer.Universe = nil
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(answer); err != nil {
		t.Fatal(err)
	}
	out = append(out, txtar.File{Name: "response.json", Data: text.Bytes()})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, txtar.File{Name: "response/" + name, Data: []byte(files[name])})
	}
	if notes.Len() > 0 {
		out = append(out, txtar.File{Name: "notes", Data: notes.Bytes()})
	}
	return out
}

// endless is a text that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestLargeRequest(t *testing.T) {
	if _, err := readRequest(io.MultiReader(strings.NewReader(`{"universe":{"bin/large":"`), endless{}), 1<<20); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("got error %v", err)
	}
	// Files that the plugin does not read are not kept.
	universe := map[string]string{"bin/kubectl": strings.Repeat("x", 1<<20), "Makefile": "all:\n"}
	sent, err := json.Marshal(map[string]any{"apiVersion": "v1alpha1", "command": "edit", "universe": universe})
	if err != nil {
		t.Fatal(err)
	}
	req, err := readRequest(bytes.NewReader(sent), maxRequest)
	if err != nil || len(req.files["bin/kubectl"]) > 0 || string(req.files["Makefile"]) != "all:\n" {
		t.Errorf("got %v, %v", req.files, err)
	}
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	for _, c := range []struct{ system, home, variable, want string }{
		{"linux", "/h", "", "/h/.config/kubebuilder/plugins"},
		{"darwin", "/h", "", "/h/Library/Application Support/kubebuilder/plugins"},
		{"darwin", "/h", "XDG_CONFIG_HOME", "/v/kubebuilder/plugins"},
		{"linux", "", "EXTERNAL_PLUGINS_PATH", "/v"},
		{"linux", "", "", ""},
		{"windows", "/h", "EXTERNAL_PLUGINS_PATH", ""},
	} {
		clear(env)
		env[c.variable] = "/v"
		got, err := ScriptPath(c.system, c.home, getenv)
		want := c.want
		if want != "" {
			want = filepath.FromSlash(want + "/schemagen.github.io/v1/schemagen.github.io")
		}
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%v: got %q, %v", c, got, err)
		}
	}
	name := filepath.Join(dir, "a", "schemagen.github.io")
	for range 2 {
		if err := Install(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
		t.Errorf("got %v, %v", info, err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Install(t.Context(), name); err == nil {
		t.Error("Install replaced a file of others")
	}
}

// FuzzServe checks that every request has a response of the protocol, and that no file is
// written outside of the project or replaced, except for Makefiles.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		``, `{`, `[]`, `null`, `{"universe":{`, `{"apiVersion":"v1alpha1","command":"edit","universe":null}`,
		`{"apiVersion":"v1alpha1","command":"init","universe":{"Makefile":"CONTROLLER_GEN ?= a/controller-gen\nx:\n\tgo install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.21.0\n"}}`,
		`{"apiVersion":"v1alpha1","command":"edit","universe":{"../Makefile":"","/etc/passwd":"","schemagen.yaml":"[","PROJECT":"\u0000: *a",".github/x":""}}`,
		`{"apiVersion":"v1alpha1","command":"edit","config":` + strings.Repeat("[", 20000),
		`{"apiVersion":"v1alpha1","command":"metadata","args":["--init"]}`,
		`{"apiVersion":"v1alpha1","command":"edit","universe":{"Makefile":"\tcontroller-gen crd paths=../../.. output:dir=../x\ndefine"}}`,
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, sent string) {
		var out bytes.Buffer
		if err := Serve(strings.NewReader(sent), &out, io.Discard, Options{Dir: dir, Version: "schemagen-v1.2.3"}); err != nil {
			t.Fatal(err)
		}
		var answer response
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil || answer.Error != (len(answer.ErrorMsgs) > 0) {
			t.Fatalf("got %s: %v", out.Bytes(), err)
		}
		if answer.Error && len(answer.Universe) > 0 {
			t.Errorf("got files with an error: %s", out.Bytes())
		}
		req, _ := readRequest(strings.NewReader(sent), maxRequest)
		for name := range answer.Universe {
			_, known := req.files[name]
			if !filepath.IsLocal(name) || known && !strings.EqualFold(filepath.Base(name), "Makefile") && name != "GNUmakefile" {
				t.Errorf("%s is written", name)
			}
		}
	})
}
