package migrate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// controllerGenCall is a command line of controller-gen.
type controllerGenCall struct {
	// file and line are its place in a Makefile; line is 0 for a call in the arguments.
	file string
	line int
	// dir is the directory in which it runs, absolute or relative to the directory of the Makefile.
	dir string
	// env are variables that are set for it.
	env []string
	// tool are the words before the arguments: a program, or for example go run and a package.
	tool []string
	args []string
	// variable is the variable of the Makefile with the tool, or "" if a recipe names it.
	variable string
}

// where is the place of a call, followed by a colon, or "".
func (c controllerGenCall) where() string {
	if c.line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", c.file, c.line)
}

// toolName matches the file name of controller-gen, or its package with a version.
var toolName = lazyregexp.New(`^controller-gen(-v?[0-9.]+)?(@.*)?$`)

// setsVariable matches a word of a command that sets a variable for it.
var setsVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// callOf returns the call of controller-gen in the words of a command; ok is false if it is
// another command, or runs no generator. The tool ends where its arguments begin. If the
// arguments name packages, it may be a wrapper.
func callOf(words []string) (call controllerGenCall, ok bool) {
	for len(words) > 0 && setsVariable().MatchString(words[0]) {
		call.env = append(call.env, words[0])
		words = words[1:]
	}
	for i, word := range words {
		named := toolName().MatchString(filepath.Base(word))
		if !named && !isArgument(word) {
			continue
		}
		if named {
			i++
		}
		if i == 0 {
			return call, false
		}
		call.tool = slices.Clip(words[:i])
		call.args = words[i:]
		generates := len(generatorsIn(call.args)) > 0
		wraps := slices.ContainsFunc(call.args, func(arg string) bool { return strings.HasPrefix(arg, "paths=") })
		isTool := len(call.tool) == 1 || filepath.Base(words[0]) == "go"
		return call, words[0] != "echo" && generates && (named && isTool || wraps)
	}
	return call, false
}

// productName matches the file name of schemagen, or its package with a version, and
// productCommands are the commands that a Makefile calls to generate and check.
var productName = lazyregexp.New(`^schemagen(-v?[0-9.]+|-latest)?(@.*)?$`)

func productCommands() []string {
	return []string{"crd", "unions", "types", "openapi", "jsonschema", "docs", "verify"}
}

// ownCallOf returns the call of schemagen, in its own syntax, in the words of a command.
func ownCallOf(words []string) (call controllerGenCall, ok bool) {
	for i, word := range words[:max(len(words)-1, 0)] {
		if productName().MatchString(filepath.Base(word)) && slices.Contains(productCommands(), words[i+1]) && (i == 0 || filepath.Base(words[0]) == "go") {
			call.tool = slices.Clip(words[:i+1])
			call.args = words[i+1:]
			return call, true
		}
	}
	return call, false
}

func isArgument(word string) bool {
	return len(generatorsIn([]string{word})) > 0 || strings.HasPrefix(word, "paths=") || strings.HasPrefix(word, "output:")
}

// generatorsIn returns the generators named in arguments of controller-gen.
func generatorsIn(args []string) (out []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "+"), ":")
		if slices.Contains(commandline.Names(), name) {
			out = append(out, name)
		}
	}
	return out
}

// shellReader finds calls of controller-gen in shell commands. Nothing is run: all branches of
// conditions are read, loops over words are unrolled, and what depends on the output of a
// command is a problem.
type shellReader struct {
	dir      string
	set      map[string]string
	exported []string
	steps    int
	foundCalls
}

// foundCalls are the calls in a line of a recipe.
type foundCalls struct {
	calls []controllerGenCall
	// own are calls of schemagen in its own syntax.
	own []controllerGenCall
	// problems describe what could not be read.
	problems []string
}

func (f *foundCalls) isEmpty() bool { return len(f.calls)+len(f.own)+len(f.problems) == 0 }

// readShell returns the calls in a line of a recipe that runs in a directory.
func readShell(line, dir string) foundCalls {
	if looksLikeCall(line) && braceRange().MatchString(line) {
		return foundCalls{problems: []string{"cannot expand ranges in braces"}}
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil && looksLikeCall(line) {
		return foundCalls{problems: []string{fmt.Sprintf("cannot read as shell command: %v", err)}}
	}
	if err != nil {
		return foundCalls{}
	}
	r := shellReader{dir: dir, set: map[string]string{}}
	r.statements(file.Stmts)
	return r.foundCalls
}

// braceRange matches a range in braces, whose expansion has any length.
var braceRange = lazyregexp.New(`\{[^{} ]*\.\.[^{} ]*\}`)

// maxSteps bounds the commands that are read: loops in loops unroll to any number.
const maxSteps = 10_000

// looksLikeCall reports whether a text that cannot be read may call controller-gen. Lines that
// install the tool mention it as well.
func looksLikeCall(text string) bool {
	return (strings.Contains(text, "controller-gen") || strings.Contains(text, toolVariable)) &&
		(strings.Contains(text, "paths=") || strings.Contains(text, "output:"))
}

func (r *shellReader) statements(list []*syntax.Stmt) {
	for _, s := range list {
		r.command(s.Cmd)
	}
}

// inSubshell reads statements whose directory and variables end with them.
func (r *shellReader) inSubshell(list []*syntax.Stmt) {
	dir := r.dir
	exported := r.exported
	r.statements(list)
	r.dir = dir
	r.exported = exported
}

func (r *shellReader) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.command(c.X.Cmd)
		r.command(c.Y.Cmd)
	case *syntax.Block:
		r.statements(c.Stmts)
	case *syntax.Subshell:
		r.inSubshell(c.Stmts)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.command(c.Stmt.Cmd)
		}
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.inSubshell(c.Cond)
			r.inSubshell(c.Then)
		}
	case *syntax.WhileClause:
		r.inSubshell(c.Do)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			r.inSubshell(item.Stmts)
		}
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.DeclClause:
		for _, assign := range c.Args {
			if set, ok := r.assign(assign); ok && c.Variant.Value == "export" {
				r.exported = append(slices.Clip(r.exported), set)
			}
		}
	}
}

func (r *shellReader) loop(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.inSubshell(c.Do)
		return
	}
	items, err := r.fields(words.Items)
	if err != nil { // the calls that use the variable have the problem
		delete(r.set, words.Name.Value)
		r.inSubshell(c.Do)
		return
	}
	for _, item := range items {
		if r.steps++; r.steps > maxSteps {
			r.problems = []string{"too many turns of loops"}
			return
		}
		r.set[words.Name.Value] = item
		r.inSubshell(c.Do)
	}
}

// assign sets a variable, and returns it as in an environment.
func (r *shellReader) assign(a *syntax.Assign) (set string, ok bool) {
	if a.Name == nil {
		return "", false
	}
	value := ""
	if a.Value != nil {
		var err error
		value, err = expand.Literal(r.config(), a.Value)
		if err != nil {
			delete(r.set, a.Name.Value)
			return "", false
		}
	}
	r.set[a.Name.Value] = value
	return a.Name.Value + "=" + value, true
}

func (r *shellReader) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return
	}
	var text strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&text, c); err != nil {
		return
	}
	words, err := r.fields(c.Args)
	for _, a := range c.Assigns {
		value := ""
		if a.Value != nil && err == nil {
			value, err = expand.Literal(r.config(), a.Value)
		}
		words = append([]string{a.Name.Value + "=" + value}, words...)
	}
	if err != nil {
		if looksLikeCall(text.String()) {
			r.problems = append(r.problems, fmt.Sprintf("cannot expand shell syntax in %q", text.String()))
		}
		return
	}
	if len(words) == 2 && words[0] == "cd" {
		if filepath.IsAbs(words[1]) {
			r.dir = words[1]
		} else {
			r.dir = filepath.Join(r.dir, words[1])
		}
		return
	}
	for len(words) > 0 && (words[0] == "exec" || words[0] == "env" || words[0] == "command") {
		words = words[1:]
	}
	if call, ok := callOf(words); ok {
		call.dir = r.dir
		call.env = slices.Concat(r.exported, call.env)
		r.calls = append(r.calls, call)
	} else if call, ok := ownCallOf(words); ok {
		r.own = append(r.own, call)
	}
}

func (r *shellReader) fields(words []*syntax.Word) ([]string, error) {
	return expand.Fields(r.config(), words...)
}

// errNoGlob is returned for patterns of files: which files there are may depend on the recipe.
var errNoGlob = errors.New("patterns of files are not expanded")

func (r *shellReader) config() *expand.Config {
	return &expand.Config{
		NoUnset:  true,
		ReadDir2: func(string) ([]os.DirEntry, error) { return nil, errNoGlob },
		Env: expand.FuncEnviron(func(name string) string {
			if value, ok := r.set[name]; ok {
				return value
			}
			if name == "PWD" && filepath.IsAbs(r.dir) {
				return r.dir
			}
			return os.Getenv(name)
		}),
	}
}
