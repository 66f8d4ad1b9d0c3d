package typegen

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// Import paths of packages with well-known types.
const (
	metav1Path   = "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimePath  = "k8s.io/apimachinery/pkg/runtime"
	intstrPath   = "k8s.io/apimachinery/pkg/util/intstr"
	quantityPath = "k8s.io/apimachinery/pkg/api/resource"
	schemaPath   = "k8s.io/apimachinery/pkg/runtime/schema"
	crdV1Path    = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	corev1Path   = "k8s.io/api/core/v1"
	rbacv1Path   = "k8s.io/api/rbac/v1"
)

// quantityPattern is the pattern of the schema of a resource.Quantity.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// candidateTypes are the types that are recognized by their schemas, in order of preference.
func candidateTypes() []candidate {
	var out []candidate
	for _, c := range []struct{ path, names string }{
		{metav1Path, "Condition LabelSelector LabelSelectorRequirement OwnerReference GroupVersionKind GroupKind GroupResource"},
		{crdV1Path, "JSON"},
		{corev1Path, "LocalObjectReference ObjectReference TypedLocalObjectReference TypedObjectReference SecretReference SecretKeySelector ConfigMapKeySelector " +
			"EnvVar EnvVarSource EnvFromSource ResourceRequirements ResourceClaim VolumeResourceRequirements PodTemplateSpec PodSpec Container EphemeralContainer " +
			"Volume VolumeMount VolumeDevice VolumeSource KeyToPath Affinity NodeAffinity PodAffinity PodAntiAffinity NodeSelector NodeSelectorTerm " +
			"NodeSelectorRequirement PodAffinityTerm WeightedPodAffinityTerm PreferredSchedulingTerm Toleration Taint TopologySpreadConstraint SecurityContext PodSecurityContext " +
			"Capabilities SELinuxOptions SeccompProfile AppArmorProfile WindowsSecurityContextOptions Sysctl Probe Lifecycle LifecycleHandler HTTPGetAction HTTPHeader ExecAction TCPSocketAction " +
			"GRPCAction HostAlias PodDNSConfig PodDNSConfigOption PodReadinessGate PodSchedulingGate PodOS PodResourceClaim ContainerPort ServicePort PersistentVolumeClaimSpec PersistentVolumeClaimStatus PersistentVolumeClaimTemplate " +
			"SecretVolumeSource ConfigMapVolumeSource EmptyDirVolumeSource CSIVolumeSource HostPathVolumeSource NFSVolumeSource ProjectedVolumeSource PersistentVolumeClaimVolumeSource " +
			"DownwardAPIVolumeSource EphemeralVolumeSource ObjectFieldSelector ResourceFieldSelector SecretProjection ConfigMapProjection ServiceAccountTokenProjection SecretEnvSource ConfigMapEnvSource"},
		{rbacv1Path, "PolicyRule Subject RoleRef"},
	} {
		out = append(out, candidate{c.path, strings.Fields(c.names)})
	}
	return out
}

// wellKnown are the types of other modules that a module can use.
type wellKnown struct {
	types map[digest]knownType
	paths map[string]bool
	// list has the types in order of preference, and aliases the names of packages.
	list    []knownType
	aliases map[string]string
	// root are the properties that every root type has.
	root []structural.Property
}

type knownType struct {
	path, name, description string
	// fields are the JSON names of the fields.
	fields []string
}

func (w *wellKnown) has(path string) bool { return w.paths[path] }

// A Module is what the packages of a Go module can use from others.
type Module struct{ known *wellKnown }

// probeDir is the directory of a package that exists only in memory.
const probeDir = "zz_schemagen_probe"

// Open finds out which well-known types a package in a directory can use, and their schemas.
// Types that the module does not require are left out. Imports are patterns of further
// packages whose structs are recognized; structs that have no schema are left out.
func Open(ctx context.Context, dir string, imports ...string) (*Module, diag.List, error) {
	mod := goMod(dir)
	if mod == "" {
		const hint = "create a module: go mod init example.com/project && go get " + apimachinery
		d := noModule.At(diag.Position{}, hint, "there is no go.mod in the output directory or above it")
		return nil, diag.List{d}, nil
	}
	candidates := candidateTypes()
	own, found, err := imported(ctx, dir, imports)
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	own, err = usable(ctx, dir, own)
	if err != nil {
		return nil, nil, err
	}
	candidates = append(own, candidates...)
	for {
		known, found, err := probe(ctx, dir, candidates)
		if err != nil || known != nil {
			return &Module{known}, found, err
		}
		var rest []candidate
		for _, c := range candidates {
			missing := false
			for _, d := range found {
				missing = missing || strings.Contains(d.Message, fmt.Sprintf("%q", c.path))
			}
			if !missing {
				rest = append(rest, c)
			}
		}
		if len(rest) == len(candidates) { // something else is wrong
			return nil, inModule(mod, found), nil
		}
		candidates = rest
	}
}

// apimachinery is the module that all Go types of CRDs need.
const apimachinery = "k8s.io/apimachinery"

// goMod returns the go.mod file of the module that contains a directory, which need not exist,
// or "".
func goMod(dir string) string {
	var disk *inputs.Reader
	for {
		if physical, err := disk.EvalSymlinks(dir); err == nil {
			dir = physical
		}
		name := filepath.Join(dir, "go.mod")
		if info, err := disk.Stat(name); err == nil && !info.IsDir() {
			return name
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// inModule returns what was found in the package that exists only in memory as diagnostics of
// its module.
func inModule(mod string, found diag.List) diag.List {
	var disk *inputs.Reader
	position := diag.Position{File: mod, Line: 1, Column: 1}
	data, _ := disk.ReadFile(mod, nil) // the packages of the module have been listed
	file, err := modfile.ParseLax(mod, data, nil)
	isRequired := func(r *modfile.Require) bool { return r.Mod.Path == apimachinery }
	if err == nil && !slices.ContainsFunc(file.Require, isRequired) {
		const hint = "run go get " + apimachinery + " in the module"
		return diag.List{noModule.At(position, hint, "the module does not require %s, which the Go types import", apimachinery)}
	}
	var out diag.List
	for _, d := range found {
		if strings.Contains(filepath.ToSlash(d.Pos.File), probeDir) {
			d.Pos = position
			d.Related = nil
		}
		out = append(out, d)
	}
	return out
}

// probe generates the schemas of types in a package that exists only in memory.
func probe(ctx context.Context, dir string, candidates []candidate) (*wellKnown, diag.List, error) {
	var text strings.Builder
	text.WriteString("// +groupName=probe.example.com\npackage probe\n\nimport (\n\tmetav1 \"" + metav1Path + "\"\n")
	for i, c := range candidates {
		fmt.Fprintf(&text, "\tp%d %q\n", i, c.path)
	}
	text.WriteString(")\n\ntype Probe struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
	types := map[string]knownType{}
	for i, c := range candidates {
		for _, name := range c.names {
			key := fmt.Sprintf("f%d%s", i, name)
			types[key] = knownType{path: c.path, name: name}
			fmt.Fprintf(&text, "\tF%d%s p%d.%s `json:%q`\n", i, name, i, name, key+",omitempty")
		}
	}
	text.WriteString("}\n")
	folder := filepath.Join(dir, probeDir)
	result, found, err := generator.Run(ctx, generator.Options{
		Source:   generator.Source{Dir: dir, Patterns: []string{folder}, Overlay: map[string][]byte{filepath.Join(folder, "probe.go"): []byte(text.String())}},
		Language: generator.Language{AllowDangerousTypes: true},
	})
	if err != nil || found.HasErrors() || len(result.CRDs()) == 0 {
		return nil, found, err
	}
	out := &wellKnown{types: map[digest]knownType{}, paths: map[string]bool{}}
	var paths []string
	for _, c := range candidates {
		out.paths[c.path] = true
		paths = append(paths, c.path)
	}
	out.aliases = aliases(paths)
	d := &digests{bodies: map[*structural.Schema]digest{}}
	for _, p := range result.CRDs()[0].Schema("probe").Properties {
		t, ok := types[p.Name]
		switch body := d.body(p.Schema); {
		case !ok:
			out.root = append(out.root, p)
		case t.name == "JSON":
		default:
			if _, ok := out.types[body]; !ok {
				t.description = p.Schema.Description
				t.fields = locate.FieldNames(p.Schema)
				out.types[body] = t
				out.list = append(out.list, t)
			}
		}
	}
	return out, nil, nil
}

// knownType returns the well-known type with the schema of a node.
func (b *builder) knownType(s *structural.Schema, u use) (expr, bool) {
	if s.Type != "object" || len(s.Properties) == 0 {
		return expr{}, false
	}
	t, ok := b.known.types[b.body(s)]
	if !ok {
		return expr{}, false
	}
	b.describeElement(s, u, t.description)
	return expr{path: t.path, name: t.name}, true
}
