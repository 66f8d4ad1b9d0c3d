package apiserver

import (
	"fmt"
	"sync"
	"time"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// ruleLibrary is a CEL environment without variables, and the scopes that extend it. It is safe
// for concurrent use.
type ruleLibrary struct {
	*celgo.Env
	// keywords is set if fields whose names are CEL keywords may be selected unescaped.
	keywords bool

	mu sync.Mutex
	// free are the scopes that are not in use.
	free map[scopeKey][]*scope
}

func newRuleLibrary(env *celgo.Env) *ruleLibrary {
	return &ruleLibrary{Env: env, free: map[scopeKey][]*scope{}}
}

// keywordMinor is the first compatibility version with unescaped keywords
// (filterAndBuildOpts of k8s.io/apiserver/pkg/cel/environment).
const keywordMinor = 31

// scopeKey distinguishes scopes: they can be reused for all types of self with the same
// outline, in which all objects are equal.
type scopeKey struct {
	self string
	// optional is set if oldSelf is an optional value.
	optional bool
}

// scope is a ruleLibrary with the variables of rules. Creating one takes longer than compiling
// a rule, so scopes are reused, with other types. It is not safe for concurrent use.
type scope struct {
	*celgo.Env
	key   scopeKey
	name  string // of the type of self, if it is an object
	types *scopeTypes
}

// scopeTypes provides the types of the node that a scope is used for.
type scopeTypes struct{ *apiservercel.DeclTypeProvider }

// scope returns a scope for values of a type. It must be released.
func (l *ruleLibrary) scope(kind *apiservercel.DeclType, optional bool) (*scope, error) {
	key := scopeKey{kind.CelType().String(), optional}
	s := l.take(key)
	if s == nil {
		// Like the server, use a name that rules cannot know.
		s = &scope{key: key, name: fmt.Sprintf("selfType%d", time.Now().Nanosecond()), types: &scopeTypes{}}
	}
	kind = kind.MaybeAssignTypeName(s.name)
	types := apiservercel.NewDeclTypeProvider(kind)
	types.SetRecognizeKeywordAsFieldName(l.keywords)
	var err error
	s.types.DeclTypeProvider, err = types.WithTypeProvider(l.CELTypeProvider())
	if err != nil {
		return nil, err
	}
	if s.Env != nil {
		return s, nil
	}
	old := kind.CelType()
	if optional {
		old = celgo.OptionalType(old)
	}
	s.Env, err = l.Extend(celgo.CustomTypeProvider(s.types), celgo.CustomTypeAdapter(s.types),
		celgo.Variable(cel.ScopedVarName, kind.CelType()), celgo.Variable(cel.OldScopedVarName, old))
	return s, err
}

// take returns a free scope, or nil.
func (l *ruleLibrary) take(key scopeKey) *scope {
	l.mu.Lock()
	defer l.mu.Unlock()
	free := l.free[key]
	if len(free) == 0 {
		return nil
	}
	l.free[key] = free[:len(free)-1]
	return free[len(free)-1]
}

// release makes a scope available for other types.
func (l *ruleLibrary) release(s *scope) {
	s.types.DeclTypeProvider = nil // do not keep the types
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free[s.key] = append(l.free[s.key], s)
}

// program makes a checked rule executable, in the same way as the server.
func (s *scope) program(checked *celgo.Ast, kind *apiservercel.DeclType) (celgo.Program, error) {
	return s.Program(checked, celgo.CostLimit(celconfig.PerCallLimit), celgo.CostTracking(costsOf(kind)),
		celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
}

// usesOldSelf reports whether a checked expression depends on the old value.
func usesOldSelf(checked *celgo.Ast) bool {
	for _, reference := range checked.NativeRep().ReferenceMap() {
		if reference.Name == cel.OldScopedVarName {
			return true
		}
	}
	return false
}
