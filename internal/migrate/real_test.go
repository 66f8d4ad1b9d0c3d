package migrate

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	realProjects = flag.Bool("real", false, "migrate public repositories and projects made by Kubebuilder, which are downloaded")
	checkouts    = flag.String("checkouts", "", "directory with the public repositories, as owner/name; those that it lacks are cloned into it")
	update       = flag.Bool("update", false, "rewrite testdata")
)

// publicProject is a public repository whose Makefile or scripts call controller-gen.
type publicProject struct {
	repository, commit string
	// dir is the directory of the project in the repository, and command what generates; if it is
	// empty, the Makefile does.
	dir     string
	command []string
}

func (p publicProject) String() string { return fmt.Sprintf("%s@%.12s", p.repository, p.commit) }

// publicProjects returns the projects of TestRealProjects: those by which the dry runs were designed,
// and then others, which nobody looked at before. Of the first, cloud-on-k8s, kyverno, redis-operator,
// spark-operator, vertical-pod-autoscaler, external-secrets and kserve are left out: their dry runs take minutes.
func publicProjects() []publicProject {
	return []publicProject{
		{repository: "volcano-sh/volcano", commit: "ed72c7c815a9fd547a787134676f73d42e9d049c"},
		{repository: "Kuadrant/kuadrant-operator", commit: "ae698811cdbec09e1bb927678420967d31d09194"},
		{repository: "alexandrevilain/temporal-operator", commit: "0b07bcd4d922265b2f1e5d5d3c55397707189c7e"},
		{repository: "apecloud/kubeblocks", commit: "13138f463941aa24f5f1e7005d5433763b56360e"},
		{repository: "dragonflydb/dragonfly-operator", commit: "b28637d78d828f80a3b3fd76acaa2dd6e3c28603"},
		{repository: "istio-ecosystem/sail-operator", commit: "328df99dc9fc973a7dd0c6442145dc86459a1481", command: []string{"make", "-ki", "-f", "Makefile.core.mk", "gen-manifests", "gen-code"}},
		{repository: "kubewarden/kubewarden-controller", commit: "3460bb719b3816ddf5eb958665282c9b9ce8ee29"},
		{repository: "Opster/opensearch-k8s-operator", commit: "d017e93cc4463a7849956641db77bd0636da40a9", dir: "opensearch-operator"},
		{repository: "percona/percona-xtradb-cluster-operator", commit: "b3b0b10a7c2af9e7f8c61a1810fb51a10a12c631"},
		{repository: "planetscale/vitess-operator", commit: "6b0a1b8cdbbf276d4a4cdba19adb392e3c7ca898"},
		{repository: "rabbitmq/messaging-topology-operator", commit: "e736e2df95cd2fd8027f793dfce9020f5de86c1a"},
		{repository: "vmware/pinniped", commit: "66e2f566839a680d5241aee5704e8b45c09c68a6", command: []string{"env", "CONTAINED=1", "hack/lib/update-codegen.sh", "1.36"}},
		{repository: "kubernetes-sigs/cluster-api-operator", commit: "46918b657109212410b71c7e0401f63b0198406d"},
		{repository: "projectcontour/contour", commit: "31c4bb38e0a52cef4d8273dd5641a70e39f1d693"},
		{repository: "grafana/grafana-operator", commit: "60d3ebd2b21a7736970cac8964aa71f7a4ac2ecc"},

		{repository: "metal3-io/baremetal-operator", commit: "02aa5059e3482f9dc3b5115c3a45cec4b000ae16"},
		{repository: "jaegertracing/jaeger-operator", commit: "87d8ae049d910a65015a14c409dbdd1a8e561099"},
		{repository: "cockroachdb/cockroach-operator", commit: "f019f0eb00ec0b4bbb248bc872c301d994484fef"},
		{repository: "piraeusdatastore/piraeus-operator", commit: "0ef32285b13b0a3cd22e0a3b7a09f3becd9cb9ec"},
		{repository: "mongodb/mongodb-kubernetes-operator", commit: "f6a53c96128e3e998f4c274964876206ce409305"},
		{repository: "kubernetes-sigs/kernel-module-management", commit: "de3f8c9d5eae9cc68c0dbfaa72ba2d9c103b6494"},
		{repository: "open-feature/open-feature-operator", commit: "90d373fd1661c998ae22f95fb32367dcbfd2d86c"},
		{repository: "humio/humio-operator", commit: "8e81f0e1b0386780f81d5a8460f7631eaa4d4f69"},
		{repository: "k8up-io/k8up", commit: "80a2ae8c41243d951d68d2b97d94a2eb2d742d02"},
		{repository: "kube-green/kube-green", commit: "1045c7062173af5b204863ccd533567aa0492584"},
		{repository: "submariner-io/submariner-operator", commit: "393ed877bc3bb8b550c9b81812e0461034bf5c72"},
		{repository: "aquasecurity/trivy-operator", commit: "1006872c1463e81a40d48298145625aefef2a02f"},
	}
}

// TestRealProjects migrates public repositories without comparing both tools, and compares the verdicts with
// testdata/real.txt. With -artifacts, it keeps what migrate prints, with the change. Read each one: the
// digest in testdata/real.txt stands for a text that was read.
//
// Left out of make generate: make migrate-real records it.
func TestRealProjects(t *testing.T) {
	if !*realProjects {
		t.Skip("needs -real")
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if *checkouts == "" {
		*checkouts = t.TempDir()
	}
	name := filepath.Join(wd, "testdata", "real.txt")
	data, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	rows := map[string]string{} // those of other repositories remain if one is run
	for line := range strings.Lines(string(data)) {
		key, _, _ := strings.Cut(line, "\t")
		rows[key] = line
	}
	for _, project := range publicProjects() {
		t.Run(strings.ReplaceAll(project.repository, "/", "+"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "project")
			if err := os.CopyFS(dir, os.DirFS(checkout(t, project))); err != nil {
				t.Fatal(err)
			}
			commit(t, dir)
			start := time.Now()
			printed := describe(t, filepath.Join(dir, project.dir), project.command...)
			t.Logf("%.1f s", time.Since(start).Seconds())
			if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "printed.txt"), []byte(printed), 0o666); err != nil {
				t.Fatal(err)
			}
			row := project.String() + "\t" + verdict(printed) + "\n"
			if row != rows[project.String()] && !*update {
				t.Errorf("got %s, want %s", row, rows[project.String()])
			}
			rows[project.String()] = row
		})
	}
	if !*update {
		return
	}
	got := realHead(t)
	for _, project := range publicProjects() {
		got += rows[project.String()]
	}
	if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
		t.Fatal(err)
	}
}

// verdict sums up what migrate printed: the number of calls, and the change or why there is none.
func verdict(printed string) string {
	calls := 0
	files := 0
	last := ""
	for line := range strings.Lines(printed) {
		if strings.HasPrefix(line, peerName+" ") {
			calls++
		}
		if strings.HasPrefix(line, "+++ ") {
			files++
		}
		if strings.HasPrefix(line, "skipped: ") || strings.HasPrefix(line, "no Makefile found") || strings.HasPrefix(line, "Nothing was changed: ") || strings.Contains(line, " called no controller-gen.") {
			last = strings.TrimSpace(line)
		}
	}
	_, diff, _ := strings.Cut(printed, "\n--- a/")
	text := fmt.Sprintf("%.4x\t%s\t", sha256.Sum256([]byte(diff)), count(calls, "call"))
	if last == "" && strings.HasSuffix(printed, "schemagen migrate --write makes this change.\n") {
		return text + "changes " + count(files, "file")
	}
	return text + "refused: " + last
}

// checkout returns the directory of a project's repository.
func checkout(t *testing.T, project publicProject) string {
	t.Helper()
	dir := filepath.Join(*checkouts, filepath.FromSlash(project.repository))
	if exists(dir) {
		return dir
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "git", "init", "--quiet")
	command(t, dir, "git", "fetch", "--quiet", "--depth=1", "https://github.com/"+project.repository, project.commit)
	command(t, dir, "git", "checkout", "--quiet", "FETCH_HEAD")
	if err := os.RemoveAll(filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// realHead is the first line of testdata/real.txt: when and with which make it was measured.
func realHead(t *testing.T) string {
	t.Helper()
	version, err := exec.Command("make", "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(version), "\n")
	return fmt.Sprintf("# %d repositories, measured on %s with %s.\n", len(publicProjects()), time.Now().UTC().Format(time.DateOnly), first)
}

// TestRealHead checks that testdata/real.txt says what was measured, and has every repository.
func TestRealHead(t *testing.T) {
	data, err := os.ReadFile("testdata/real.txt")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("# %d repositories, measured on 20", len(publicProjects())); !bytes.HasPrefix(data, []byte(want)) {
		t.Errorf("testdata/real.txt does not start with %q", want)
	}
	var recorded []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		project, _, _ := strings.Cut(line, "\t")
		recorded = append(recorded, project)
	}
	var want []string
	for _, project := range publicProjects() {
		want = append(want, project.String())
	}
	if !slices.Equal(recorded, want) {
		t.Errorf("testdata/real.txt is of %v: run make migrate-real", recorded)
	}
}
