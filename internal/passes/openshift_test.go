package passes_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// TestWithOpenShift is [TestWith] for OpenShift's markers. Rules without gates come after those
// with gates, so their order does not count.
func TestWithOpenShift(t *testing.T) {
	count := max(300, *erasures)
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	c := &gentest.Case{Name: "erasure", Archive: &txtar.Archive{Files: []txtar.File{{Name: "openshift/types.go", Data: []byte(randomOpenShift(rand.New(rand.NewPCG(0, 0))))}}}}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	lab := &erasureLab{t, dir, listed, gentest.Server(t, "")}
	changed, refused, wrong := 0, 0, 0
	for i := range count {
		r := rand.New(rand.NewPCG(uint64(i), 24))
		written := randomOpenShift(r)
		gate, on := []string{"A", "B", "C"}[r.IntN(3)], r.IntN(2) == 0
		rest := slices.DeleteFunc([]string{"A", "B", "C"}, func(name string) bool { return name == gate || r.IntN(2) == 0 })
		with := append(slices.Clone(rest), gate)
		file, err := gatedsource.Parse(table, "types.go", []byte(written), []string{markers.FeatureOpenShift})
		if err != nil {
			t.Fatal(err)
		}
		if file == nil {
			continue
		}
		result, err := file.With(gate, on)
		if err != nil {
			refused++ // two markers would both hold
			continue
		}
		set := map[bool][]string{true: with, false: rest}[on]
		want, findings := lab.generate(map[string]string{"openshift": written}, set)
		if strings.Contains(findings, "error[SG323]") {
			wrong++
			continue
		}
		got, after := lab.generate(map[string]string{"openshift": string(result.Text)}, [][]string{rest, with}[r.IntN(2)])
		if sorted(joined(got)) != sorted(joined(want)) || len(got) == 0 {
			t.Fatalf("source %d, gate %s is %v, gates %v: generated\n%s%s\nwant\n%s%s\nsource\n%s\nafter\n%s", i, gate, on, rest, joined(got), after, joined(want), findings, written, result.Text)
		}
		if again, err := gatedsource.Parse(table, "types.go", result.Text, []string{markers.FeatureOpenShift}); err != nil || again != nil && slices.ContainsFunc(again.Uses, func(u gatedsource.Use) bool { return slices.Contains(u.Condition.Names(), gate) }) {
			t.Fatalf("source %d still has gate %s: %v\n%s", i, gate, err, result.Text)
		}
		if string(result.Text) != written {
			changed++
		}
	}
	t.Logf("of %d sources, %d changed, %d were refused, and %d are wrong", count, changed, refused, wrong)
	if changed < count/3 || refused > count/4 || wrong > count/2 {
		t.Errorf("of %d sources, %d changed, %d were refused, and %d are wrong", count, changed, refused, wrong)
	}
}

// sorted returns the lines of a text in order.
func sorted(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.Replace(line, "- ", "  ", 1) // the first key of a rule
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// randomOpenShift returns a package with random markers of OpenShift's.
func randomOpenShift(r *rand.Rand) string {
	// lists returns the arguments for gates.
	lists := func() string {
		names := slices.DeleteFunc([]string{"A", "B", "C"}, func(string) bool { return r.IntN(2) == 0 })
		if len(names) > 0 && r.IntN(3) == 0 {
			return "requiredFeatureGate=" + strings.Join(names, ";")
		}
		if len(names) == 0 || r.IntN(4) == 0 {
			names = append([]string{`""`}, names...)
		}
		return "featureGate=" + strings.Join(names, ";")
	}
	some := func(n int, write func(i int)) {
		for i := range r.IntN(n + 1) {
			write(i)
		}
	}
	var b strings.Builder
	b.WriteString("// +groupName=example.com\n// +schemagen:enable=openshift\npackage openshift\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n}\n\n")
	some(3, func(int) {
		fmt.Fprintf(&b, "// +openshift:validation:FeatureGateAwareXValidation:%s,rule=\"self.b > %d\"\n", lists(), r.IntN(3))
	})
	some(1, func(int) { b.WriteString("// +kubebuilder:validation:XValidation:rule=\"self.b > 7\"\n") })
	b.WriteString("type Spec struct {\n\tB int32 `json:\"b\"`\n\n")
	for i := range 3 {
		some(2, func(int) {
			fmt.Fprintf(&b, "\t// +openshift:enable:FeatureGate=%s\n", []string{"A", "B", "C", "A;B", "C;A"}[r.IntN(5)])
		})
		some(3, func(int) {
			fmt.Fprintf(&b, "\t// +openshift:validation:FeatureGateAwareMaxItems:%s,maxItems=%d\n", lists(), 1+r.IntN(3))
		})
		some(1, func(int) { b.WriteString("\t// +kubebuilder:validation:MaxItems=9\n") })
		fmt.Fprintf(&b, "\tList%d []string `json:\"list%d\"`\n\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}
