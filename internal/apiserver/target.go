package apiserver

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	baseversion "k8s.io/component-base/version"
)

const (
	// DefaultVersion is the default Kubernetes version of a target.
	DefaultVersion = "1.35"
	// oldestMinor is the first version with CEL rules enabled by default.
	oldestMinor = 25
	// firstCompatible is the first version that accepts only new rules that the version
	// before it also understands.
	firstCompatible = 28
)

// Target is an API server of a given Kubernetes version. It is safe for concurrent use and
// caches the rules that it compiled.
type Target struct {
	version *version.Version
	// compatibility is the version whose CEL functions and formats the server accepts in
	// new objects.
	compatibility *version.Version
	// The libraries of new and of stored rules are created when the first rule is compiled.
	newRules, storedRules func() (*ruleLibrary, error)
	// defaultRules caches the rules for defaults.
	defaultRules func() *ruleLibrary
	// conditions is the compiler of the match conditions of webhooks, created on first use.
	conditions func() plugincel.Compiler
	// heldRules are the costs of rules for the values in defaults for which they hold, by heldKey.
	heldRules sync.Map
	compiled  *compilationCache
	parsed    parsedTexts
	// results caches compilations between runs; nil means none.
	results ResultCache
	// slots limits the number of goroutines that compile.
	slots chan struct{}
}

// IsValid reports whether the target comes from [NewTarget].
func (t *Target) IsValid() bool { return t != nil && t.version != nil }

// NewTarget returns the target of a Kubernetes version, such as "1.35" or "v1.35.2". The
// default is [DefaultVersion]. The patch version and any suffix are ignored.
func NewTarget(text string) (*Target, error) {
	if text == "" {
		text = DefaultVersion
	}
	minor, err := parseMinor(text)
	if err != nil {
		return nil, err
	}
	newest := linkedVersion()
	switch {
	case minor < oldestMinor:
		return nil, fmt.Errorf("version %q: Kubernetes versions before 1.%d are not supported", text, oldestMinor)
	case minor > newest.Minor():
		return nil, fmt.Errorf("version %q: newer than Kubernetes %s, the newest supported version", text, newest)
	}
	t := &Target{
		defaultRules:  sync.OnceValue(newDefaultRules),
		version:       version.MajorMinor(1, minor),
		compatibility: compatibilityOf(minor),
		compiled:      newCache(),
		slots:         make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	t.conditions = sync.OnceValue(func() plugincel.Compiler {
		return plugincel.NewCompiler(environment.MustBaseEnvSet(t.compatibility))
	})
	t.newRules = sync.OnceValues(func() (*ruleLibrary, error) { return t.libraryOf(t.compatibility) })
	t.storedRules = sync.OnceValues(func() (*ruleLibrary, error) { return t.libraryOf(t.version) })
	return t, nil
}

// UseCache caches compilations between runs. It must be called before any other method.
func (t *Target) UseCache(m ResultCache) { t.results = m }

// Version returns the Kubernetes version, for example "1.35".
func (t *Target) Version() string { return t.version.String() }

// Versions returns the Kubernetes versions that [NewTarget] accepts, such as "1.35", the
// newest first.
func Versions() []string {
	var out []string
	for minor := linkedVersion().Minor(); minor >= oldestMinor; minor-- {
		out = append(out, version.MajorMinor(1, minor).String())
	}
	return out
}

// linkedVersion returns the Kubernetes version of the linked library.
func linkedVersion() *version.Version {
	return version.MustParseGeneric(baseversion.DefaultKubeBinaryVersion)
}

// compatibilityOf returns the version whose CEL environment a server uses for new rules. A
// server rejects what the version before it would not understand, so that it can be rolled
// back. Servers up to 1.27 do not.
func compatibilityOf(minor uint) *version.Version {
	if minor >= firstCompatible {
		minor--
	}
	return version.MajorMinor(1, minor)
}

// Before reports whether the target is older than 1.minor.
func (t *Target) Before(minor uint) bool { return t.version.Minor() < minor }

// parseMinor returns the minor version of "1.35", "v1.35.2", "v1.35.2-suffix" or
// "v1.35.2+suffix".
func parseMinor(text string) (uint, error) {
	malformed := fmt.Errorf("version %q: want a Kubernetes version such as %q", text, DefaultVersion)
	numbers := strings.TrimPrefix(text, "v")
	suffix := ""
	if offset := strings.IndexAny(numbers, "-+"); offset >= 0 {
		numbers, suffix = numbers[:offset], numbers[offset:]
	}
	parts := strings.Split(numbers, ".")
	if len(parts) < 2 || len(parts) > 3 || suffix != "" && len(parts) < 3 {
		return 0, malformed
	}
	var values []uint64
	for _, p := range parts {
		value, err := strconv.ParseUint(p, 10, 16)
		if err != nil || p[0] == '+' {
			return 0, malformed
		}
		values = append(values, value)
	}
	if values[0] != 1 {
		return 0, malformed
	}
	return uint(values[1]), nil
}
