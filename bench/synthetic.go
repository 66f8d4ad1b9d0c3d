package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// A groupSource is an API group of the synthetic module.
type groupSource struct {
	Name  string
	Kinds []string
}

// groups returns five groups of five kinds.
func groups() []groupSource {
	return []groupSource{
		{"batch", []string{"Backfill", "Pipeline", "Reindex", "Rollup", "Sweep"}},
		{"cache", []string{"Edge", "Mirror", "Proxy", "Replica", "Shard"}},
		{"media", []string{"Encoder", "Ingest", "Packager", "Recorder", "Transcoder"}},
		{"stream", []string{"Broker", "Connector", "Consumer", "Mux", "Processor"}},
		{"train", []string{"Evaluator", "Experiment", "Notebook", "Server", "Trainer"}},
	}
}

// groupTemplate is the source of a group. Every kind embeds two complete pod templates, which
// is what makes the CRDs of operators large.
const groupTemplate = `// Package v1 is the API group {{.Name}} of a generated module that the timing
// harness of schemagen makes.
//
// +groupName={{.Name}}.synthetic.example.com
// +kubebuilder:object:generate=true
package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Strategy says how pods are replaced.
// +kubebuilder:validation:Enum=Recreate;Rolling;Canary
type Strategy string

// Rollout is how a change reaches the pods.
type Rollout struct {
	// +kubebuilder:default=Rolling
	Strategy Strategy ` + "`json:\"strategy,omitempty\"`" + `
	// MaxUnavailable is a number or a percentage.
	// +optional
	MaxUnavailable *intstr.IntOrString ` + "`json:\"maxUnavailable,omitempty\"`" + `
	// Budget bounds what all replicas together may use.
	// +optional
	Budget *resource.Quantity ` + "`json:\"budget,omitempty\"`" + `
	// Pause holds the rollout after each step.
	// +optional
	Pause *metav1.Duration ` + "`json:\"pause,omitempty\"`" + `
}

// Step is one step of the work.
type Step struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
	Name string ` + "`json:\"name\"`" + `
	// +kubebuilder:validation:Minimum=0
	// +optional
	Retries *int32 ` + "`json:\"retries,omitempty\"`" + `
	// +optional
	Env []corev1.EnvVar ` + "`json:\"env,omitempty\"`" + `
}
{{range .Kinds}}
// {{.}}Spec is what the user wants of a {{.}}.
type {{.}}Spec struct {
	Rollout ` + "`json:\",inline\"`" + `

	// Replicas is the number of pods of each template.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:default=1
	// +optional
	Replicas *int32 ` + "`json:\"replicas,omitempty\"`" + `
	// Worker is the template of the pods that do the work of the {{.}}.
	Worker corev1.PodTemplateSpec ` + "`json:\"worker\"`" + `
	// Coordinator is the template of the pods that hand the work out.
	// +optional
	Coordinator *corev1.PodTemplateSpec ` + "`json:\"coordinator,omitempty\"`" + `
	// Steps run in order.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	// +optional
	Steps []Step ` + "`json:\"steps,omitempty\"`" + `
}

// {{.}}Status is what is seen of a {{.}}.
type {{.}}Status struct {
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition ` + "`json:\"conditions,omitempty\"`" + `
	// +optional
	ReadyReplicas int32 ` + "`json:\"readyReplicas,omitempty\"`" + `
	// +optional
	LastRun *metav1.Time ` + "`json:\"lastRun,omitempty\"`" + `
}

// {{.}} is a kind of the synthetic module.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=` + "`.status.readyReplicas`" + `
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=` + "`.metadata.creationTimestamp`" + `
// +kubebuilder:validation:XValidation:rule="!has(self.status) || self.status.readyReplicas >= 0",message="readyReplicas must not be negative"
type {{.}} struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec   {{.}}Spec   ` + "`json:\"spec\"`" + `
	Status {{.}}Status ` + "`json:\"status,omitempty\"`" + `
}

// {{.}}List is a list of {{.}}.
//
// +kubebuilder:object:root=true
type {{.}}List struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `

	Items []{{.}} ` + "`json:\"items\"`" + `
}
{{end}}`

// A sourceFile is a file of a generated module.
type sourceFile struct {
	name    string // with slashes
	content []byte
}

// podTemplates returns the files of the module synthetic-25, without its go.mod.
func podTemplates() ([]sourceFile, error) {
	source, err := template.New("group").Parse(groupTemplate)
	if err != nil {
		return nil, err
	}
	var files []sourceFile
	for _, g := range groups() {
		var text bytes.Buffer
		if err := source.Execute(&text, g); err != nil {
			return nil, err
		}
		files = append(files, sourceFile{"api/" + g.Name + "/v1/types.go", text.Bytes()})
	}
	return files, nil
}

// synthesize writes the generated module of a case to the cache and returns its root. The
// requirements are those of bench/apis, so that the module uses the same k8s.io/api and
// nothing needs to be downloaded for it alone.
func (w workspace) synthesize(c benchCase) (string, error) {
	goMod, err := os.ReadFile(filepath.Join(w.bench, c.pins, "go.mod"))
	if err != nil {
		return "", err
	}
	goSum, err := os.ReadFile(filepath.Join(w.bench, c.pins, "go.sum"))
	if err != nil {
		return "", err
	}
	first, rest, _ := strings.Cut(string(goMod), "\n")
	if !strings.HasPrefix(first, "module ") {
		return "", fmt.Errorf("%s/go.mod does not start with its module line", c.pins)
	}
	files, err := c.generated()
	if err != nil {
		return "", err
	}
	files = append([]sourceFile{
		{"go.mod", []byte("module synthetic.example.com/operator\n" + rest)},
		{"go.sum", goSum},
	}, files...)
	// The name of the directory includes a checksum of the content, so that a changed
	// template or version results in a new one.
	sum := sha256.New()
	for _, f := range files {
		fmt.Fprintf(sum, "%s %d\n%s", f.name, len(f.content), f.content)
	}
	return w.once(fmt.Sprintf("%s@%x", c.name, sum.Sum(nil)[:6]), func(dir string) error {
		for _, f := range files {
			path := filepath.Join(dir, filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, f.content, 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}
