package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// oraclesResult has how generated conversions differ from those that projects wrote by hand.
const oraclesResult = "oracles.txt"

// oracleObjects is the number of random objects of each kind and direction, and oracleSeed
// their seed.
const (
	oracleObjects = 10000
	oracleSeed    = 1
)

// oracle is a module with hand-written conversions. oracles/NAME.txt has what is put into a
// copy of it, and what is known of the differences, in sections:
//
//	markers DIR   Type.Field MARKER, without the prefix +schemagen:convert:
//	hooks DIR     a Go file for the package
//	values        Type.Field or Type, and strings that random objects have there: a|b;
//	              Type.Field[] for the keys of a map
//	differences   KIND DIRECTION PATH REASON, with KIND.VERSION if the hub has several spokes
type oracle struct {
	name string
	// modules are by the directory in which a replace directive expects them.
	modules map[string]string
	// in is the module with the types.
	in     string
	groups []oracleGroup
	// written are patterns of the files with hand-written conversions.
	written []string
	// equal are kinds that are the same in both versions.
	equal []string
	// annotations are those in which they keep data.
	annotations []string
	// setup is a statement before the first conversion, and imports what it needs.
	setup   string
	imports []string
}

// oracleGroup are the packages of a spoke and its hub.
type oracleGroup struct {
	spoke, hub string
	// functions is the package of the functions; empty for methods. Their names are as in
	// "Convert%sV1Beta1ToHub".
	functions, up, down string
	kinds               []string
}

func allOracles() []oracle {
	return []oracle{
		{
			name:    "kruise",
			modules: map[string]string{".": "github.com/openkruise/kruise@v1.8.2"},
			groups:  []oracleGroup{{spoke: "apis/apps/v1alpha1", hub: "apis/apps/v1beta1", kinds: []string{"StatefulSet"}}},
			written: []string{"apis/apps/v1alpha1/*_conversion.go"},
		},
		{
			name:    "cluster-api",
			modules: map[string]string{".": "sigs.k8s.io/cluster-api@v1.14.2", "api": "sigs.k8s.io/cluster-api/api@v1.14.2"},
			in:      "api",
			groups: []oracleGroup{{
				spoke: "api/core/v1beta1", hub: "api/core/v1beta2",
				functions: "core/webhooks/conversion", up: "Convert%sV1Beta1ToHub", down: "Convert%sHubToV1Beta1",
				kinds: []string{"Cluster", "ClusterClass", "Machine", "MachineDeployment", "MachineHealthCheck", "MachinePool", "MachineSet"},
			}},
			written:     []string{"api/core/v1beta1/conversion.go", "api/core/v1beta2/conversion.go", "core/webhooks/conversion/*.go"},
			equal:       []string{"MachineDrainRule"},
			annotations: []string{"cluster.x-k8s.io/conversion-data"},
			setup:       `written0.SetAPIVersionGetter(func(_ context.Context, gk schema.GroupKind) (string, error) { return gk.Group + "/v1", nil })`,
			imports:     []string{`"k8s.io/apimachinery/pkg/runtime/schema"`},
		},
		{
			name:    "cluster-api-chain",
			modules: map[string]string{".": "sigs.k8s.io/cluster-api@v1.10.4"},
			groups: []oracleGroup{
				{spoke: "internal/apis/core/v1alpha3", hub: "api/v1beta1", kinds: []string{"Cluster", "Machine", "MachineDeployment", "MachineHealthCheck", "MachineSet"}},
				{spoke: "internal/apis/core/v1alpha4", hub: "api/v1beta1", kinds: []string{"Cluster", "ClusterClass", "Machine", "MachineDeployment", "MachineHealthCheck", "MachineSet"}},
			},
			written:     []string{"internal/apis/core/*/conversion.go"},
			annotations: []string{"cluster.x-k8s.io/conversion-data"},
		},
		{
			name:    "kubeadm",
			modules: map[string]string{".": "sigs.k8s.io/cluster-api@v1.14.2", "api": "sigs.k8s.io/cluster-api/api@v1.14.2"},
			in:      "api",
			groups: []oracleGroup{
				{
					spoke: "api/bootstrap/kubeadm/v1beta1", hub: "api/bootstrap/kubeadm/v1beta2",
					functions: "bootstrap/kubeadm/webhooks/conversion", up: "Convert%sV1Beta1ToHub", down: "Convert%sHubToV1Beta1",
					kinds: []string{"KubeadmConfig", "KubeadmConfigTemplate"},
				},
				{
					spoke: "api/controlplane/kubeadm/v1beta1", hub: "api/controlplane/kubeadm/v1beta2",
					functions: "controlplane/kubeadm/webhooks/conversion", up: "Convert%sV1Beta1ToHub", down: "Convert%sHubToV1Beta1",
					kinds: []string{"KubeadmControlPlane", "KubeadmControlPlaneTemplate"},
				},
			},
			written: []string{
				"api/bootstrap/kubeadm/v1beta1/conversion.go", "api/bootstrap/kubeadm/v1beta2/conversion.go", "bootstrap/kubeadm/webhooks/conversion/*.go",
				"api/controlplane/kubeadm/v1beta1/conversion.go", "controlplane/kubeadm/webhooks/conversion/*.go",
			},
			annotations: []string{"cluster.x-k8s.io/conversion-data"},
			setup:       `written1.SetAPIVersionGetter(func(_ context.Context, gk schema.GroupKind) (string, error) { return gk.Group + "/v1", nil })`,
			imports:     []string{`"k8s.io/apimachinery/pkg/runtime/schema"`},
		},
		{
			name:    "kueue",
			modules: map[string]string{".": "sigs.k8s.io/kueue@v0.16.1"},
			groups: []oracleGroup{{
				spoke: "apis/kueue/v1beta1", hub: "apis/kueue/v1beta2",
				kinds: []string{"ClusterQueue", "Cohort", "LocalQueue", "MultiKueueCluster", "Workload"},
			}},
			written: []string{"apis/kueue/v1beta1/*_conversion.go"},
		},
		{
			name:    "kserve",
			modules: map[string]string{".": "github.com/kserve/kserve@v0.17.0"},
			groups: []oracleGroup{{
				spoke: "pkg/apis/serving/v1alpha1", hub: "pkg/apis/serving/v1alpha2",
				kinds: []string{"LLMInferenceService", "LLMInferenceServiceConfig"},
			}},
			written:     []string{"pkg/apis/serving/v1alpha1/*_conversion.go"},
			annotations: []string{"internal.serving.kserve.io/model-criticality", "internal.serving.kserve.io/lora-criticalities"},
		},
		{
			name:    "vm-operator",
			modules: map[string]string{".": "github.com/vmware-tanzu/vm-operator/api@v1.8.6"},
			groups: []oracleGroup{{
				spoke: "v1alpha1", hub: "v1alpha2",
				kinds: []string{"ClusterVirtualMachineImage", "VirtualMachine", "VirtualMachineClass", "VirtualMachineImage", "VirtualMachinePublishRequest", "VirtualMachineSetResourcePolicy"},
			}},
			written: []string{"v1alpha1/*_conversion.go", "utilconversion/conversion.go"},
			equal:   []string{"VirtualMachineService"},
		},
	}
}

// withoutOracle says what is not compared, and why.
const withoutOracle = `kruise v1.8.2: CloneSet and WorkloadSpread have one version, so nothing converts them.
kueue v0.14.0 and kserve v0.15.2 have no conversions of these kinds, and later versions of kueue and kruise cannot be had with a checksum.
vm-operator/api v1.8.6 has one spoke, so the chain of spokes is that of cluster-api v1.10.4. The archive of v1.9.0 cannot be had: 403 Forbidden, this module version is not available.
`

// oracles generates conversions for copies of public modules, and compares them with those that
// the projects wrote by hand.
func oracles(ctx context.Context, w workspace, only, given string, update bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	golden, err := readSections(oraclesResult)
	if err != nil {
		return err
	}
	failed := false
	for _, o := range allOracles() {
		if only != "" && !slices.Contains(strings.Split(only, ","), o.name) {
			continue
		}
		section, unexplained, err := w.oracleOf(ctx, product, o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		if unexplained != "" {
			failed = true
			fmt.Fprintf(out, "%s: differences that oracles/%[1]s.txt does not explain:\n%s", o.name, unexplained)
		}
		if !update && golden[o.title()] != section {
			failed = true
			fmt.Fprintf(out, "%s: differs from %s:\n%s", o.name, oraclesResult, excerpt(golden[o.title()], section))
		}
		golden[o.title()] = section
	}
	if update {
		golden["all"] = fmt.Sprintf("%d random objects of each kind and direction, seed %d, %s. up is to the hub; chain is from the hub to one spoke and back, and then to the other and back.\n", oracleObjects, oracleSeed, time.Now().UTC().Format(time.DateOnly)) + withoutOracle
		if err := writeSections(oraclesResult, golden); err != nil {
			return err
		}
	}
	if failed {
		return errDiffers
	}
	return nil
}

// title returns the modules with their versions.
func (o oracle) title() string {
	return strings.ReplaceAll(strings.Join(slices.Sorted(maps.Values(o.modules)), ", "), "@", " ") + ": " + o.name
}

// oracleOf returns the result for a module, and the differences that are not explained.
func (w workspace) oracleOf(ctx context.Context, product string, o oracle) (section, unexplained string, err error) {
	p, err := w.prepareOracle(ctx, product, o)
	defer os.RemoveAll(p.root)
	if err != nil {
		return "", "", err
	}
	results, err := p.run(ctx, "-objects", strconv.Itoa(oracleObjects), "-seed", strconv.Itoa(oracleSeed))
	if err != nil {
		return "", "", err
	}
	section, unexplained, err = explain(results, p.given["differences"])
	if err != nil {
		return "", "", err
	}
	for _, kind := range o.equal {
		section += kind + ": the versions are equal, so nothing is generated\n"
	}
	var written []string
	for _, pattern := range o.written {
		files, err := filepath.Glob(filepath.Join(p.root, pattern))
		if err != nil {
			return "", "", err
		}
		written = append(written, files...)
	}
	counts, err := countStatements(p.hooks, written)
	if err != nil {
		return "", "", err
	}
	needed := counts.hooks + counts.called
	return fmt.Sprintf("markers: %d; statements: %d by hand, %d in hooks, which call %d of those by hand (%.1f %%)\n", p.markers, counts.written, counts.hooks, counts.called, 100*float64(needed)/float64(max(counts.written, 1))) + section, unexplained, nil
}

// preparedOracle is a copy of a module with markers, hooks, generated conversions, and the
// program that compares.
type preparedOracle struct {
	root  string
	given map[string]string // sections of oracles/NAME.txt
	// markers is the number of markers, and hooks are the files with hooks.
	markers int
	hooks   []string
}

// prepareOracle copies a module. The caller removes the copy, even if there is an error.
func (w workspace) prepareOracle(ctx context.Context, product string, o oracle) (p preparedOracle, err error) {
	// Always the same directory, because it is in the keys of Go's build cache.
	p.root = filepath.Join(w.cache, "oracles", o.name)
	p.given, err = readSections(filepath.Join("oracles", o.name+".txt"))
	if err != nil {
		return p, err
	}
	if err := copyOracle(ctx, p.root, o.modules); err != nil {
		return p, err
	}
	for name, text := range p.given {
		what, dir, _ := strings.Cut(name, " ")
		switch what {
		case "markers":
			n, err := putMarkers(filepath.Join(p.root, dir), text)
			if err != nil {
				return p, err
			}
			p.markers += n
		case "hooks":
			file := filepath.Join(p.root, dir, "schemagen_hooks.go")
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				return p, err
			}
			p.hooks = append(p.hooks, file)
		}
	}
	if err := o.generate(ctx, product, p.root); err != nil {
		return p, err
	}
	return p, o.writeProgram(p.root, p.given["values"])
}

// run runs the program that compares, and returns its output.
func (p preparedOracle) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"run", "-mod=mod", "./schemagen_oracle"}, args...)...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = p.root, &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go run: %w\n%s", err, stderr.Bytes())
	}
	return out, err
}

// copyOracle copies the Go files of modules.
func copyOracle(ctx context.Context, root string, modules map[string]string) error {
	if err := os.RemoveAll(root); err != nil {
		return err
	}
	for _, at := range slices.Sorted(maps.Keys(modules)) {
		found, err := downloadVersion(ctx, modules[at])
		if err != nil {
			return err
		}
		err = filepath.WalkDir(found.Dir, func(name string, d fs.DirEntry, err error) error {
			base := path.Base(name)
			if err != nil || !d.Type().IsRegular() || strings.HasSuffix(base, "_test.go") || filepath.Ext(base) != ".go" && base != "go.mod" && base != "go.sum" {
				return err
			}
			relative, _ := filepath.Rel(found.Dir, name)
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			to := filepath.Join(root, at, relative)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, data, 0o644)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// generate writes the conversions, and wants gofmt to leave them as they are.
func (o oracle) generate(ctx context.Context, product, root string) error {
	args := []string{"conversions", "--set", "conversions.style=functions"}
	for _, g := range o.groups {
		for _, dir := range []string{g.spoke, g.hub} {
			relative, err := filepath.Rel(cmp.Or(o.in, "."), dir)
			if err != nil {
				return err
			}
			if pattern := "./" + filepath.ToSlash(relative); !slices.Contains(args, pattern) {
				args = append(args, pattern)
			}
		}
	}
	cmd := exec.CommandContext(ctx, product, args...)
	cmd.Dir = filepath.Join(root, o.in)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("schemagen %s: %w\n%s", strings.Join(args, " "), err, text)
	}
	return wantFormatted(root)
}

// wantFormatted returns an error for generated files that gofmt would change: schemagen writes
// them without it.
func wantFormatted(root string) error {
	generated := []string{"zz_generated.conversions.go", "zz_generated.conversions_test.go", "zz_generated.laws.go", "zz_generated.units.go"}
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !slices.Contains(generated, d.Name()) {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		formatted, err := format.Source(data)
		if err == nil && !bytes.Equal(formatted, data) {
			err = errors.New("gofmt would change it")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// putMarkers puts markers into the Go files of a package, and returns how many.
func putMarkers(dir, text string) (n int, err error) {
	wanted := map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		place, marker, ok := strings.Cut(line, " ")
		if !ok {
			return 0, fmt.Errorf("%q has no marker", line)
		}
		wanted[place] = append(wanted[place], "// +schemagen:convert:"+strings.TrimSpace(marker)+"\n")
		n++
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
		if err != nil {
			return 0, err
		}
		inserts := map[int]string{}
		put := func(place string, at token.Pos) {
			if lines := wanted[place]; lines != nil {
				offset := fset.Position(at).Offset
				inserts[offset-fset.Position(at).Column+1] = strings.Join(lines, "")
				delete(wanted, place)
			}
		}
		for _, decl := range file.Decls {
			types, ok := decl.(*ast.GenDecl)
			if !ok || types.Tok != token.TYPE {
				continue
			}
			for _, spec := range types.Specs {
				spec := spec.(*ast.TypeSpec)
				put(spec.Name.Name, types.Pos())
				fields, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range fields.Fields.List {
					for _, field := range f.Names {
						put(spec.Name.Name+"."+field.Name, field.Pos())
					}
				}
			}
		}
		for _, offset := range slices.Backward(slices.Sorted(maps.Keys(inserts))) {
			data = slices.Concat(data[:offset], []byte(inserts[offset]), data[offset:])
		}
		if len(inserts) > 0 {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				return 0, err
			}
		}
	}
	if len(wanted) > 0 {
		return 0, fmt.Errorf("%s has no %s", dir, strings.Join(slices.Sorted(maps.Keys(wanted)), ", "))
	}
	return n, nil
}

// explain returns a table of results with the reasons of differences, and those without one.
func explain(results []byte, known string) (section, unexplained string, err error) {
	type reason struct {
		pattern *regexp.Regexp
		text    string
	}
	var reasons []reason
	for line := range strings.Lines(known) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.SplitN(line, " ", 4)
		if len(parts) < 4 {
			return "", "", fmt.Errorf("%q is not KIND DIRECTION PATH REASON", line)
		}
		for i, part := range parts[:3] {
			parts[i] = strings.ReplaceAll(regexp.QuoteMeta(part), `\*`, ".*")
		}
		pattern, err := regexp.Compile("^" + strings.Join(parts[:3], " ") + "$")
		if err != nil {
			return "", "", err
		}
		reasons = append(reasons, reason{pattern, parts[3]})
	}
	decoder := json.NewDecoder(bytes.NewReader(results))
	for decoder.More() {
		var r struct {
			Kind, Direction string
			Equal           int
			Differences     map[string]int
			Examples        map[string][3]string
		}
		if err := decoder.Decode(&r); err != nil {
			return "", "", err
		}
		section += fmt.Sprintf("%s %s: %d equal\n", r.Kind, r.Direction, r.Equal)
		for _, at := range slices.Sorted(maps.Keys(r.Differences)) {
			i := slices.IndexFunc(reasons, func(known reason) bool { return known.pattern.MatchString(r.Kind + " " + r.Direction + " " + at) })
			if i < 0 {
				example := r.Examples[at]
				unexplained += fmt.Sprintf("%s %s %s: %d objects\n\ttheirs %s\n\tours   %s\n\tof     %s\n", r.Kind, r.Direction, at, r.Differences[at], example[0], example[1], example[2])
				continue
			}
			section += fmt.Sprintf("\t%d %s: %s\n", r.Differences[at], at, reasons[i].text)
		}
	}
	return section, unexplained, nil
}
