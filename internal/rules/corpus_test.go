package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/structural"
)

var checkouts = flag.String("checkouts", "", "a directory with checkouts of the repositories that TestCorpus records, named OWNER+NAME")

// corpusProjects are modules, and repositories at commits, with definitions.
var corpusProjects = []string{
	"github.com/apecloud/kubeblocks@13138f463941aa24f5f1e7005d5433763b56360e",
	"github.com/argoproj/argo-rollouts@v1.9.0",
	"github.com/cert-manager/cert-manager@v1.21.2",
	"github.com/cert-manager/trust-manager@v0.25.0",
	"github.com/cilium/cilium@v1.20.1",
	"github.com/cloudnative-pg/cloudnative-pg@v1.28.0",
	"github.com/CrunchyData/postgres-operator@0fbac3062d649b2b5fadde4e00f17bad250c0052",
	"github.com/dragonflydb/dragonfly-operator@b28637d78d828f80a3b3fd76acaa2dd6e3c28603",
	"github.com/envoyproxy/gateway@v1.9.1",
	"github.com/external-secrets/external-secrets@cc5bfbc2234ace9cb0caff4ea89c435cf517b27b",
	"github.com/fluent/fluent-operator@00625bfdaf4eefc64b787ad035245e8eaa8f3a80",
	"github.com/grafana/grafana-operator@60d3ebd2b21a7736970cac8964aa71f7a4ac2ecc",
	"github.com/humio/humio-operator@8e81f0e1b0386780f81d5a8460f7631eaa4d4f69",
	"github.com/ironcore-dev/metal-operator@v0.1.0",
	"github.com/kedacore/keda/v2@v2.21.0",
	"github.com/kserve/kserve@aaac4e294dae2c7b1aa1886447793f3aa1c30912",
	"github.com/kubeflow/trainer/v2@v2.1.0",
	"github.com/kubeflow/training-operator@v1.9.3",
	"github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0",
	"github.com/kubernetes-sigs/kernel-module-management@de3f8c9d5eae9cc68c0dbfaa72ba2d9c103b6494",
	"github.com/kubernetes-sigs/lws@060ab4da17eea1f0865fcbd3236bb1075e2cea32",
	"github.com/kyverno/kyverno@111e07bbecc66abfde36ab99969af22d7a961003",
	"github.com/medik8s/node-healthcheck-operator@dd44432997c6edb4b577043919c4701c16524a73",
	"github.com/nginx/kubernetes-ingress@0eb3072d14f04931824bb74c99a6566d8c108f3c",
	"github.com/openshift/api@v0.0.0-20250227152946-1ee1ef831100",
	"github.com/pingcap/tidb-operator@42684baa3d1c8cb9c4e37e70a96372b096b99a13",
	"github.com/projectcontour/contour@31c4bb38e0a52cef4d8273dd5641a70e39f1d693",
	"github.com/rook/rook@d0c3b9ce6d64ff0c47074437aab7314b7adf7f2c",
	"k8s.io/autoscaler/vertical-pod-autoscaler@v1.8.1",
	"knative.dev/serving@v0.48.1",
	"sigs.k8s.io/cluster-api-operator@v0.29.0",
	"sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0",
	"sigs.k8s.io/cluster-api@v1.14.2",
	"sigs.k8s.io/gateway-api@v1.6.3",
	"sigs.k8s.io/jobset@v0.10.1",
	"sigs.k8s.io/karpenter@v1.13.0",
	"sigs.k8s.io/kueue@v0.15.0",
}

// freshProjects were first looked at when the analysis was finished.
var freshProjects = []string{
	"github.com/Azure/karpenter-provider-azure@352646f599290c3a6d2f9710fb535a7b288f88ed",
	"github.com/Kuadrant/kuadrant-operator@ae698811cdbec09e1bb927678420967d31d09194",
	"github.com/aws/karpenter-provider-aws@1d927085dd81a9df9301e613f371dac5b4d16bfe",
	"github.com/istio-ecosystem/sail-operator@328df99dc9fc973a7dd0c6442145dc86459a1481",
	"github.com/kgateway-dev/kgateway@06ff8b9d6ce36702df2b643b84d80cc7a3b6a3ba",
	"github.com/stacklok/toolhive@e25de16cf9720b13cf0b400c861a2f6840e2763c",
	"github.com/vmware/pinniped@66e2f566839a680d5241aee5704e8b45c09c68a6",
	"github.com/volcano-sh/volcano@ed72c7c815a9fd547a787134676f73d42e9d049c",
}

// class is what becomes of a rule, from good to bad.
type class int

const (
	proved class = iota
	// possible reads may fail; no object was found for which the rule does.
	possible
	// unknown reads are of values about which nothing is known.
	unknown
	// masked failures are of objects that the rule would refuse anyway, failed ones of others.
	masked
	failed
)

var classNames = []string{"proved", "possible", "unknown", "SG625", "SG624"}

// occurrence is the worst that becomes of a rule with one text.
type occurrence struct {
	class           class
	detail, project string
}

// corpus has what becomes of the rules of definitions, by text.
type corpus struct {
	t           *testing.T
	project     string
	definitions int
	rules       int
	// proved is the number of rules that are proved, at all of their places.
	proved int
	texts  map[string]occurrence
	// other has failures that are not about absent fields, by the text of the rule.
	other map[string]string
}

func newCorpus(t *testing.T) *corpus {
	return &corpus{t: t, texts: map[string]occurrence{}, other: map[string]string{}}
}

// eachDefinition calls add for the definitions of a project that have rules.
func eachDefinition(t *testing.T, project string, add func(*apiextensionsv1.CustomResourceDefinition)) {
	err := filepath.WalkDir(dir(t, project), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".yaml" || strings.Contains(name, "/testdata/") {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("x-kubernetes-validations")) {
			return err
		}
		for _, document := range bytes.Split(text, []byte("\n---")) {
			var definition apiextensionsv1.CustomResourceDefinition
			if yaml.Unmarshal(document, &definition) == nil && definition.Kind == "CustomResourceDefinition" {
				add(&definition)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// add adds the rules of a definition.
func (c *corpus) add(definition *apiextensionsv1.CustomResourceDefinition) {
	c.definitions++
	apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
	for _, version := range definition.Spec.Versions {
		if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
			continue
		}
		schema, _ := structural.FromProps(version.Schema.OpenAPIV3Schema)
		search := &Search{
			Group: definition.Spec.Group, Version: version.Name, Kind: definition.Spec.Names.Kind, Schema: schema, Masked: true, Unproved: &Unproved{},
			Server: func() (*apiserver.Kind, error) { return (&apiserver.Kinds{}).New(definition, schema, version.Name) },
		}
		var visit func(s *structural.Schema, edges []structural.Edge)
		visit = func(s *structural.Schema, edges []structural.Edge) {
			for _, rule := range s.XValidations {
				c.rules++
				o := c.occurrence(search, s, edges, rule)
				o.project = c.project
				if o.class == proved {
					c.proved++
				}
				c.put(rule.Rule, o)
			}
			for edge, child := range s.Children() {
				visit(child, append(slices.Clip(edges), edge))
			}
		}
		visit(schema, nil)
	}
}

// occurrence returns what becomes of a rule at one place.
func (c *corpus) occurrence(search *Search, s *structural.Schema, edges []structural.Edge, rule structural.Rule) occurrence {
	place := Inside
	if len(edges) == 0 {
		place = Root
	}
	a := Reads(rule, s, place)
	if a == nil {
		return occurrence{class: unknown, detail: "it does not parse"}
	}
	if len(a.Failing) == 0 {
		if _, isTried := c.texts[rule.Rule]; !isTried {
			c.try(search, s, rule, a, place)
		}
		return occurrence{class: proved}
	}
	out := occurrence{class: possible}
	for _, read := range a.Failing {
		out.detail += fmt.Sprintf("%d:%d %s ", read.Line, read.Column, read.Text)
		if read.Reason == Unknown {
			out.class = unknown
		}
	}
	failure, err := search.Failure(c.t.Context(), edges, s, rule, a)
	if err != nil {
		c.t.Error(err)
	}
	if failure == nil {
		return out
	}
	out.class = masked
	if failure.Accepts {
		out.class = failed
	}
	value, _ := json.Marshal(failure.Value)
	out.detail = failure.Read.Text + " is absent in " + string(value)
	if failure.Old != nil {
		old, _ := json.Marshal(failure.Old)
		out.detail += ", before the update " + string(old)
	}
	return out
}

// try evaluates a rule that is proved for as many values as the search would, and notes a failure. None is about
// an absent field.
func (c *corpus) try(search *Search, s *structural.Schema, rule structural.Rule, a *Analysis, place Place) {
	t, err := search.Unproved.trial(a, s, rule, place == Root)
	if err != nil {
		c.t.Fatal(err)
	}
	left := maxEvaluations
	for chosen := range assignments(t.parts(), nil) {
		tried := failing{value: t.self.build(chosen, nil)}
		if t.old != nil {
			tried.old = t.old.build(chosen, nil)
		}
		if place == Root {
			tried = failing{value: search.complete(tried.value), old: search.complete(tried.old)}
		}
		outcome := t.evaluator.Evaluate(c.t.Context(), defaulted(t.schema, tried.value), defaulted(t.schema, tried.old))
		if strings.HasPrefix(outcome.Failure, noKey) {
			c.t.Errorf("%s is proved and fails for %v, before it %v: %s", rule.Rule, tried.value, tried.old, outcome.Failure)
		}
		if outcome.Failure != "" {
			c.other[rule.Rule] = outcome.Failure
		}
		if left--; left == 0 {
			return
		}
	}
}

// merge adds what becomes of rules elsewhere.
func (c *corpus) merge(other *corpus) {
	c.definitions += other.definitions
	c.rules += other.rules
	c.proved += other.proved
	maps.Copy(c.other, other.other)
	for text, o := range other.texts {
		c.put(text, o)
	}
}

func (c *corpus) put(text string, o occurrence) {
	if known, ok := c.texts[text]; !ok || known.class < o.class {
		c.texts[text] = o
	}
}

// row returns the numbers of distinct rules by class.
func (c *corpus) row(name string) string {
	counts := make([]int, len(classNames))
	for _, o := range c.texts {
		counts[o.class]++
	}
	out := fmt.Sprintf("%-95s %5d %6d %5d", name, c.definitions, c.rules, len(c.texts))
	for _, n := range counts {
		out += fmt.Sprintf(" %8d", n)
	}
	return out + "\n"
}

// shares returns how many rules are proved, and how many of those that do not fail.
func (c *corpus) shares() string {
	distinct := 0
	failing := 0
	for _, o := range c.texts {
		switch o.class {
		case proved:
			distinct++
		case masked, failed:
			failing++
		}
	}
	percent := func(n, total int) string {
		return fmt.Sprintf("%d of %d (%.1f %%)", n, total, 100*float64(n)/float64(total))
	}
	out := fmt.Sprintf("Proved to read nothing absent: %s rules, %s distinct ones, %s of those that the search finds no failure of.\n",
		percent(c.proved, c.rules), percent(distinct, len(c.texts)), percent(distinct, len(c.texts)-failing))
	out += fmt.Sprintf("Of the proved ones, the search makes %d distinct rules fail for another reason:\n", len(c.other))
	for _, text := range slices.Sorted(maps.Keys(c.other)) {
		out += fmt.Sprintf("\t%s: %q\n", c.other[text], text)
	}
	return out
}

// dir returns the directory of a module or a repository.
func dir(t *testing.T, project string) string {
	name, version, _ := strings.Cut(project, "@")
	if !strings.HasPrefix(version, "v") {
		parts := strings.Split(name, "/")
		return filepath.Join(*checkouts, parts[1]+"+"+parts[2])
	}
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", project)
	cmd.Dir = t.TempDir()
	text, err := cmd.Output()
	var info struct{ Dir string }
	if err != nil || json.Unmarshal(text, &info) != nil {
		t.Fatalf("%s: %v\n%s", project, err, text)
	}
	return info.Dir
}

const (
	corpusResult = "testdata/corpus.txt"
	// unread is the verdict on a rule that nobody has judged.
	unread = "not read"
)

// verdicts returns the verdicts in the recorded result, by the text of the rule.
func verdicts(t *testing.T) map[string]string {
	text, err := os.ReadFile(corpusResult)
	if err != nil {
		t.Log(err)
	}
	out := map[string]string{}
	var rule string
	for line := range strings.Lines(string(text)) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch field {
		case "rule":
			rule = value
		case "verdict":
			out[rule] = value
		}
	}
	return out
}

// TestCorpus analyzes the rules of public projects, and rewrites testdata/corpus.txt, if -checkouts is
// given. Otherwise, it wants what is recorded to be judged.
func TestCorpus(t *testing.T) {
	known := verdicts(t)
	if *checkouts == "" {
		if len(known) == 0 {
			t.Error("no rules are recorded")
		}
		for rule, verdict := range known {
			if verdict == unread {
				t.Errorf("nobody has judged %s", rule)
			}
		}
		return
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Rules of public projects, %s. A rule counts once for its text, as the worst of its places.\n", time.Now().UTC().Format(time.DateOnly))
	out.WriteString("SG624 and SG625 are failures that the server confirms; of possible ones, the search found no object.\n\n")
	all := newCorpus(t)
	for _, group := range []struct {
		name     string
		projects []string
	}{{"known", corpusProjects}, {"fresh", freshProjects}} {
		sum := newCorpus(t)
		fmt.Fprintf(&out, "%-95s definitions rules distinct %s\n", group.name, strings.Join(classNames, " "))
		for _, project := range group.projects {
			c := newCorpus(t)
			c.project = project
			eachDefinition(t, project, c.add)
			out.WriteString(c.row(project))
			sum.merge(c)
		}
		out.WriteString(sum.row("all "+group.name) + "\n")
		all.merge(sum)
	}
	out.WriteString(all.row("all") + "\n" + all.shares())
	for _, worst := range []class{failed, masked, possible, unknown} {
		for _, text := range slices.Sorted(maps.Keys(all.texts)) {
			if o := all.texts[text]; o.class == worst {
				fmt.Fprintf(&out, "\n%s in %s\n\trule: %q\n\tread: %s\n\tverdict: %s\n",
					classNames[worst], o.project, text, o.detail, cmp.Or(known[fmt.Sprintf("%q", text)], unread))
			}
		}
	}
	if err := os.WriteFile(corpusResult, []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
