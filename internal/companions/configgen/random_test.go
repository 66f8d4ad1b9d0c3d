package configgen_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	ctrbac "sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/yaml"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var packages = flag.Int("packages", 0, "compare this number of random packages with controller-gen, and write the outcome to testdata/config/random.txt")

// batch is the number of random packages of one call of the go command.
const batch = 2000

// TestRandom writes random packages with markers of both generators and compares the files
// with controller-gen's. The outcome of a run with -packages is checked in.
func TestRandom(t *testing.T) {
	outcome := map[string]int{}
	if *packages == 0 {
		compareRandom(t, 1, 300, outcome)
		if outcome["equal files"] < 20 {
			t.Errorf("too few random packages have files: %v", outcome)
		}
		return
	}
	for first := 0; first < *packages; first += batch {
		compareRandom(t, uint64(first), min(batch, *packages-first), outcome)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d random packages, compared with controller-gen. \"cases\" are of 1 to 3 packages.\n", *packages)
	for _, name := range slices.Sorted(maps.Keys(outcome)) {
		fmt.Fprintf(&text, "%6d %s\n", outcome[name], name)
	}
	if err := os.WriteFile("../../../testdata/config/random.txt", []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// compareRandom compares the files for count random packages, and counts the outcomes of
// their cases.
func compareRandom(t *testing.T, seed uint64, count int, outcome map[string]int) {
	t.Helper()
	r := &randomSource{Rand: rand.New(rand.NewPCG(seed, 18))}
	var cases []*gentest.Case
	for n := 0; n < count; {
		archive := &txtar.Archive{}
		for p := range min(1+r.IntN(3), count-n) {
			for f := range 1 + r.IntN(2) {
				archive.Files = append(archive.Files, txtar.File{Name: fmt.Sprintf("p%d/f%d.go", p, f), Data: []byte(r.file(fmt.Sprintf("p%d", p)))})
			}
			n++
		}
		cases = append(cases, &gentest.Case{Name: fmt.Sprintf("random%d", len(cases)), Archive: archive})
	}
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	g := generators{rbac: ctrbac.Generator{RoleName: "manager-role"}, skipVerify: true}
	verified := g
	verified.skipVerify = false
	for _, c := range cases {
		lister := gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
		files, findings := g.run(t, filepath.Join(dir, c.Name), lister)
		verifiedFiles, rejected := verified.run(t, filepath.Join(dir, c.Name), lister)
		theirs := g.peer(c, peer)
		fail := func(format string, args ...any) {
			t.Errorf("seed %d: %s\n%v\n%s", seed, fmt.Sprintf(format, args...), findings, txtar.Format(c.Archive))
		}
		if len(verifiedFiles) > 0 && len(verifiedFiles) == len(files) && !maps.Equal(files, verifiedFiles) {
			fail("verification changes files")
		}
		switch {
		case theirs.Panic != nil:
			fail("controller-gen panics: %v", theirs.Panic)
		case len(theirs.Errors) > 0 && findings.HasErrors():
			outcome["both reject"]++
		case len(theirs.Errors) > 0:
			fail("only controller-gen rejects: %v", theirs.Errors)
		case findings.HasErrors():
			fail("only schemagen rejects")
		case slices.ContainsFunc(rejected, func(d diag.Diagnostic) bool { return d.Code == configgen.InvalidRole.Code }) && files["manifests.yaml"] == theirs.Files["manifests.yaml"]:
			// controller-gen merges a rule without groups at random with one for the core group.
			outcome["only schemagen rejects: a role that the API server rejects"]++
		case maps.Equal(files, theirs.Files) && len(files) == 0:
			outcome["equal, no files"]++
		case maps.Equal(files, theirs.Files):
			outcome["equal files"]++
		case slices.ContainsFunc(rejected, func(d diag.Diagnostic) bool { return d.Code == configgen.InvalidWebhook.Code }) && sameLines(files, theirs.Files):
			// controller-gen reads the markers of a file in random order if some are near a type.
			outcome["only schemagen rejects: several webhooks of one name, in another order"]++
		case losesPermission(t, files, theirs.Files):
			// Sometimes the rule that it loses is part of another, and the files are equal.
			outcome["equal files"]++
		default:
			for _, name := range slices.Compact(slices.Sorted(maps.Keys(joined(files, theirs.Files)))) {
				if files[name] != theirs.Files[name] {
					fail("%s is different: %s\ntheirs:\n%s", name, gentest.Difference(theirs.Files[name], files[name]), theirs.Files[name])
				}
			}
		}
		if t.Failed() {
			return
		}
	}
}

// sameLines reports whether files have the same lines, in any order.
func sameLines(a, b map[string]string) bool {
	return maps.EqualFunc(a, b, func(a, b string) bool {
		return slices.Equal(slices.Sorted(strings.Lines(a)), slices.Sorted(strings.Lines(b)))
	})
}

func joined(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// losesPermission reports whether our files differ from controller-gen's only in permissions
// that controller-gen loses when it merges rules.
func losesPermission(t *testing.T, ours, theirs map[string]string) bool {
	t.Helper()
	a, b := maps.Clone(ours), maps.Clone(theirs)
	delete(a, "role.yaml")
	delete(b, "role.yaml")
	if !maps.Equal(a, b) {
		return false
	}
	more, less := permissions(t, ours["role.yaml"]), permissions(t, theirs["role.yaml"])
	for permission := range less {
		if !more[permission] {
			return false
		}
	}
	return len(less) < len(more)
}

// permissions returns the permissions of roles: each is a role, a verb, and a resource or URL.
func permissions(t *testing.T, roles string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for document := range strings.SplitSeq(roles, "---\n") {
		var role rbacv1.Role
		if err := yaml.Unmarshal([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			verbs := rule.Verbs
			rule.Verbs = nil
			each, err := json.Marshal(rule)
			if err != nil {
				t.Fatal(err)
			}
			for _, verb := range verbs {
				out[fmt.Sprint(role.Kind, role.Namespace, role.Name, verb, string(each))] = true
			}
		}
	}
	return out
}

// randomSource writes random Go files.
type randomSource struct{ *rand.Rand }

func pick[T any](r *randomSource, list ...T) T { return list[r.IntN(len(list))] }

// list returns a list of random values in one of the forms of a marker.
func (r *randomSource) list(values ...string) string {
	var out []string
	for range pick(r, 1, 1, 1, 2, 2, 3) {
		value := pick(r, values...)
		if value == "" || r.IntN(12) == 0 {
			value = pick(r, `"`+value+`"`, "`"+value+"`")
		}
		out = append(out, value)
	}
	switch r.IntN(12) {
	case 0:
		return "{" + strings.Join(out, pick(r, ",", ", ")) + "}"
	case 1:
		return strings.Join(out, "; ")
	}
	return strings.Join(out, ";")
}

// arguments joins arguments in random order, sometimes with a mistake.
func (r *randomSource) arguments(list []string) string {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if r.IntN(150) == 0 {
		list = list[1:]
	}
	if r.IntN(150) == 0 {
		list = append(list, pick(r, "unknown=1", "verb=get", "", "verbs", "verbs=", "verbs=get,list"))
	}
	return strings.Join(list, pick(r, ",", ",", ",", ",", ", "))
}

// marker returns a random marker.
func (r *randomSource) marker() string {
	if n := r.IntN(10); n == 0 {
		return pick(r, "+optional", "+kubebuilder:object:generate=true", "+kubebuilder:rbca:groups=a,resources=x,verbs=get", "+kubebuilder", "+",
			"+kubebuilder:rbacs:groups=a", "+kubebuilder:webhooks:name=a", "+kubebuilder:validation:Minimum=1", "+a:kubebuilder:rbac:verbs=get", "+kubebuilder:resource:path=x")
	} else if n < 3 {
		return r.webhook()
	} else if n == 3 && r.IntN(3) == 0 {
		return "+kubebuilder:webhookconfiguration:" + r.arguments([]string{"mutating=" + pick(r, "true", "false"), "name=" + pick(r, "a", "b", `"c"`, `""`)})
	}
	return r.rule()
}

func (r *randomSource) rule() string {
	list := []string{"verbs=" + r.list("get", "list", "watch", "*", "create")}
	if r.IntN(8) == 0 {
		list = append(list, "urls="+r.list("/a", "/b", "/c"))
	} else {
		list = append(list, "groups="+r.list("a", "b", "c", "", "core", "apps"), "resources="+r.list("x", "y", "z", "x/status", "*"))
	}
	if r.IntN(10) == 0 {
		list = append(list, "resourceNames="+r.list("n", "m"))
	}
	if r.IntN(6) == 0 {
		list = append(list, "namespace="+pick(r, "one", "two"))
	}
	if r.IntN(6) == 0 {
		list = append(list, "roleName="+pick(r, "r", "manager-role", "s"))
	}
	if r.IntN(12) == 0 {
		list = append(list, pick(r, "namespace=", `roleName=""`))
	}
	return "+kubebuilder:rbac:" + r.arguments(list)
}

func (r *randomSource) webhook() string {
	list := []string{
		"mutating=" + pick(r, "true", "false"), "failurePolicy=" + pick(r, "fail", "Ignore", "FAIL"), "sideEffects=" + pick(r, "None", "none", "NoneOnDryRun"),
		"groups=" + r.list("a", "b", "core", ""), "resources=" + r.list("x", "y/status", "*"), "verbs=" + r.list("create", "UPDATE", "*", "connect"),
		"versions=" + r.list("v1", "v2", "*"), "name=" + pick(r, "a.b.c", "b.b.c", "c.b.c", "d.b.c", "e.b.c"), "admissionReviewVersions=" + r.list("v1", "v1beta1"),
		pick(r, "path=/a", "path=/validate-a-v1-x", `url="https://a.b/c"`),
	}
	for _, optional := range []string{
		"matchPolicy=exact", "timeoutSeconds=5", "serviceName=s", "serviceNamespace=n", "servicePort=8443", "webhookVersions=v1", "reinvocationPolicy=IfNeeded",
		"patch=`{\"timeoutSeconds\":7}`", "patch=`{\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}}`",
	} {
		if r.IntN(12) == 0 {
			list = append(list, optional)
		}
	}
	if r.IntN(60) == 0 {
		list = append(list, pick(r, "matchPolicy=any", "timeoutSeconds=31", "timeoutSeconds=x", "sideEffects=Some", "webhookVersions=v1beta1", "path=/b", "patch={", "url=b", "admissionReviewVersions="))
	}
	return "+kubebuilder:webhook:" + r.arguments(list)
}

// comment returns a line comment, mostly with a marker, or a block comment.
func (r *randomSource) comment() string {
	switch r.IntN(12) {
	case 0:
		return "/* " + r.marker() + " */"
	case 1:
		return pick(r, "// prose", "//", "//go:generate true", "// see +kubebuilder:rbac:verbs=get")
	case 2:
		return "// " + pick(r, " ", "+", "+ ", "\t") + r.marker()
	}
	return pick(r, "// ", "// ", "// ", "//", "//   ", "//\t") + r.marker() + pick(r, "", "", "", " ", "\t")
}

// gap returns what is between two lines: comments, blank lines, or nothing.
func (r *randomSource) gap(indent string) string {
	var out strings.Builder
	for range pick(r, 0, 0, 0, 1, 1, 2, 3, 4) {
		if r.IntN(3) == 0 {
			out.WriteString("\n")
		} else {
			out.WriteString(indent + r.comment() + "\n")
		}
	}
	return out.String()
}

// lines joins lines of code with gaps between them and comments behind them.
func (r *randomSource) lines(lines ...string) string {
	var out strings.Builder
	for _, line := range lines {
		indent := line[:len(line)-len(strings.TrimLeft(line, "\t"))]
		out.WriteString(r.gap(indent) + line)
		if r.IntN(8) == 0 {
			out.WriteString(" " + r.comment())
		}
		out.WriteString("\n")
	}
	return out.String()
}

// file returns a random Go file.
func (r *randomSource) file(name string) string {
	lines := []string{"package " + name}
	if r.IntN(3) == 0 {
		lines = append(lines, pick(r, []string{`import _ "fmt"`}, []string{"import (", "\t_ \"fmt\"", "\t_ \"os\"", ")"}, []string{"import ()"})...)
	}
	for i := range r.IntN(5) {
		lines = append(lines, r.declaration(i)...)
	}
	if r.IntN(200) == 0 {
		lines = append(lines, "func {")
	}
	text := r.lines(lines...) + r.gap("")
	switch r.IntN(20) {
	case 0:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 1:
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

// declaration returns the lines of a declaration.
func (r *randomSource) declaration(i int) []string {
	name := fmt.Sprintf("n%d", i)
	return pick(r,
		[]string{"func " + name + "() {", "\tvar a int", "\t_ = a", "\ttype T struct {", "\t\tA int", "\t}", "\tconst c = 1", "\tfor {", "\t}", "}"},
		[]string{"func " + name + "() {}"},
		[]string{"func (T) " + name + "(", "\ta int,", "\tb struct {", "\t\tC int", "\t},", ") (", "\tc string,", ") {", "}"},
		[]string{"func " + name + "()"},
		[]string{"type " + name + " struct {", "\tA int", "\tB struct {", "\t\tC int `json:\"c\"`", "\t}", "\tT", "}"},
		[]string{"type " + name + " struct{}"},
		[]string{"type " + name + " int"},
		[]string{"type " + name + " = int"},
		[]string{"type " + name + "[T any] struct {", "\tA []T", "}"},
		[]string{"type " + name + " interface {", "\tM()", "\tN(", "\t\ta int,", "\t)", "\tfmt.Stringer", "}"},
		[]string{"type " + name + " func(", "\ta int,", ")"},
		[]string{"type (", "\t" + name + " int", "\t" + name + "a struct {", "\t\tA int", "\t}", ")"},
		[]string{"type ()"},
		[]string{"var " + name + " = 1"},
		[]string{"var (", "\t" + name + " = 1", "\t" + name + "a int", ")"},
		[]string{"var " + name + " = func() {", "\tvar a int", "\t_ = a", "}"},
		[]string{"var " + name + " = map[string]int{", "\t\"a\": 1,", "\t\"b\": 2,", "}"},
		[]string{"const " + name + " = iota"},
		[]string{"const (", "\t" + name + " = iota", "\t" + name + "a", ")"},
	)
}
