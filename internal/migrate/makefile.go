package migrate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/controllertools"
	"github.com/schemagen/schemagen/internal/lazyregexp"
)

// makefile is the part of a Makefile that concerns controller-gen. Rules are not evaluated:
// simple variables are expanded, and the lines of recipes are read as shell commands.
type makefile struct {
	path  string
	lines []string // as in the file
	// variables are the last assignments, or the first ?= of variables that are not
	// assigned otherwise.
	variables map[string]makeVariable
	// calls are the calls of controller-gen; problems describe lines that could not be read.
	calls    []controllerGenCall
	problems []string
	// expansions counts expanded texts.
	expansions int
}

type makeVariable struct {
	value       string
	line        int // from 0
	conditional bool
}

// controllerGenCall is a command line of controller-gen.
type controllerGenCall struct {
	// line is the line in the Makefile, counted from 1, or 0 for a call in the arguments.
	line int
	// dir is the directory in which it runs, absolute or relative to the directory of the Makefile.
	dir string
	// env are variables that are set for it.
	env  []string
	args []string
	// direct is set if it is not called through the variable CONTROLLER_GEN.
	direct bool
}

// toolVariable is the variable with controller-gen in Kubebuilder's Makefiles.
const toolVariable = "CONTROLLER_GEN"

// calledTool represents the value of that variable in expanded text.
const calledTool = "\x00controller-gen"

var (
	makeAssignment = lazyregexp.New(`^(?:export\s+|override\s+)*([A-Za-z0-9_.-]+)\s*(\?=|:{0,3}=)\s*(.*?)\s*$`)
	makeReference  = lazyregexp.New(`\$(\$|\(([^()]*)\)|\{([^{}]*)\}|.)`)
	makeComment    = lazyregexp.New(`(^|\s)#.*$`)
	toolFile       = lazyregexp.New(`^controller-gen(-v?[0-9.]+)?(@.*)?$`)
	setsVariable   = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// makefileNames returns the names of Makefiles in make's order.
func makefileNames() []string { return []string{"GNUmakefile", "makefile", "Makefile"} }

// firstMakefile reads the first file that exists, or returns nil if none does.
func firstMakefile(names ...string) (*makefile, error) {
	for _, name := range names {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return readMakefile(name, data), nil
	}
	return nil, nil
}

// readMakefile reads the calls of controller-gen in a Makefile.
func readMakefile(path string, data []byte) *makefile {
	m := &makefile{path: path, lines: strings.SplitAfter(string(data), "\n"), variables: map[string]makeVariable{}}
	type recipe struct {
		line int
		text string
	}
	var recipes []recipe
	defining := false
	for i := 0; i < len(m.lines); i++ {
		first, text := i, strings.TrimRight(m.lines[i], "\r\n")
		for strings.HasSuffix(text, `\`) && i+1 < len(m.lines) {
			i++
			text = strings.TrimSuffix(text, `\`) + " " + strings.TrimLeft(strings.TrimRight(m.lines[i], "\r\n"), " \t")
		}
		switch word, _, _ := strings.Cut(strings.TrimSpace(text), " "); {
		case word == "define", word == "endef":
			defining = word == "define"
		case defining:
		case strings.HasPrefix(text, "\t"):
			recipes = append(recipes, recipe{first, text})
		default:
			m.assign(first, makeComment().ReplaceAllString(text, ""))
		}
	}
	for _, r := range recipes {
		m.readRecipe(r.line, r.text)
	}
	return m
}

func (m *makefile) assign(line int, text string) {
	match := makeAssignment().FindStringSubmatch(text)
	if match == nil {
		return
	}
	name, conditional := match[1], match[2] == "?="
	if _, known := m.variables[name]; known && conditional {
		return
	}
	m.variables[name] = makeVariable{match[3], line, conditional}
}

// maxNesting bounds the nesting of variables, maxExpansions the total number of expansions:
// each variable may use another one twice.
const (
	maxNesting    = 20
	maxExpansions = 10_000
)

// expand replaces variables. It returns an error for references that only make can evaluate.
func (m *makefile) expand(text string, depth int) (string, error) {
	var failed error
	m.expansions++
	out := makeReference().ReplaceAllStringFunc(text, func(reference string) string {
		match := makeReference().FindStringSubmatch(reference)
		name := match[2] + match[3]
		switch {
		case reference == "$$":
			return "$"
		case name == toolVariable && depth == 0:
			return calledTool
		case name == "CURDIR", name == "shell pwd", name == "PWD":
			dir, err := filepath.Abs(filepath.Dir(m.path))
			failed = cmp.Or(failed, err)
			return dir
		case name == "" || strings.ContainsAny(name, " ,:$") || depth == maxNesting || m.expansions > maxExpansions:
			failed = cmp.Or(failed, fmt.Errorf("cannot expand %s", reference))
			return ""
		}
		variable, known := m.variables[name]
		if value, set := os.LookupEnv(name); set && (!known || variable.conditional) {
			return value
		}
		value, err := m.expand(variable.value, depth+1)
		failed = cmp.Or(failed, err)
		return value
	})
	return out, failed
}

// readRecipe records the calls in a line of a recipe.
func (m *makefile) readRecipe(line int, text string) {
	expanded, err := m.expand(strings.TrimLeft(text, "\t @-+"), 0)
	if err != nil {
		// Lines that install the tool mention it as well.
		mentionsTool := strings.Contains(text, toolVariable) || strings.Contains(text, "controller-gen")
		if mentionsTool && (strings.Contains(text, "paths=") || strings.Contains(text, "output:")) {
			m.problems = append(m.problems, fmt.Sprintf("%s:%d: %v", m.path, line+1, err))
		}
		return
	}
	dir := "."
	for _, words := range shellCommands(expanded) {
		if len(words) == 2 && words[0] == "cd" {
			if dir = filepath.Join(dir, words[1]); filepath.IsAbs(words[1]) {
				dir = words[1]
			}
			continue
		}
		call, ok := callOf(words)
		if !ok {
			continue
		}
		call.line, call.dir = line+1, dir
		if slices.ContainsFunc(call.args, func(arg string) bool { return strings.ContainsAny(arg, "$`*") }) {
			m.problems = append(m.problems, fmt.Sprintf("%s:%d: cannot expand shell syntax in %q", m.path, line+1, strings.Join(call.args, " ")))
			continue
		}
		m.calls = append(m.calls, call)
	}
}

// callOf returns the call of controller-gen in a command; ok is false if it is another command,
// or runs no generator.
func callOf(words []string) (call controllerGenCall, ok bool) {
	for len(words) > 0 && slices.Contains([]string{"do", "then", "else", "!", "exec", "time"}, words[0]) {
		words = words[1:]
	}
	for len(words) > 0 && setsVariable().MatchString(words[0]) {
		call.env, words = append(call.env, words[0]), words[1:]
	}
	switch {
	case len(words) == 0:
		return call, false
	case words[0] == calledTool:
		call.args = words[1:]
	case toolFile().MatchString(filepath.Base(words[0])):
		call.args, call.direct = words[1:], true
	case len(words) > 2 && filepath.Base(words[0]) == "go" && (words[1] == "run" || words[1] == "tool") && toolFile().MatchString(filepath.Base(words[2])):
		call.args, call.direct = words[3:], true
	}
	return call, len(generatorsIn(call.args)) > 0
}

// generatorsIn returns the generators named in arguments of controller-gen.
func generatorsIn(args []string) (out []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "+"), ":")
		if slices.Contains(controllertools.Names(), name) {
			out = append(out, name)
		}
	}
	return out
}

// shellCommands splits a line into commands, and these into words. Quotes are removed; nothing
// is expanded.
func shellCommands(line string) (out [][]string) {
	var words []string
	var word strings.Builder
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		if len(words) > 0 {
			out = append(out, words)
		}
		words = nil
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t':
			endWord()
		case ';', '&', '|', '(', ')', '{', '}':
			if (c == '{' || c == '}') && inWord {
				word.WriteByte(c)
				continue
			}
			endCommand()
		case '\'', '"':
			inWord = true
			for i++; i < len(line) && line[i] != c; i++ {
				if c == '"' && line[i] == '\\' && i+1 < len(line) {
					i++
				}
				word.WriteByte(line[i])
			}
		case '\\':
			if i++; i < len(line) {
				inWord = true
				word.WriteByte(line[i])
			}
		case '#':
			if !inWord {
				endCommand()
				return out
			}
			word.WriteByte(c)
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	endCommand()
	return out
}

// toolPackage is the package from which controller-gen is installed, productPackage that of schemagen.
const (
	toolPackage    = "sigs.k8s.io/controller-tools/cmd/controller-gen"
	productPackage = "github.com/schemagen/schemagen/cmd/schemagen"
)

// installedVersion matches the variable of the version in a line that installs the tool.
var installedVersion = lazyregexp.New(regexp.QuoteMeta(toolPackage) + `[@,]\s*\$[({]([A-Za-z0-9_.-]+)[)}]`)

// bareInstall matches a line that installs the tool without a version.
var bareInstall = lazyregexp.New(regexp.QuoteMeta(toolPackage) + `([ \t;&|)]|\s*$)`)

// installs reports whether the Makefile installs the tool to the path in its variable, as
// Kubebuilder's do.
func (m *makefile) installs() bool {
	return strings.HasSuffix(m.variables[toolVariable].value, "/controller-gen") &&
		slices.ContainsFunc(m.lines, func(line string) bool { return strings.Contains(line, toolPackage) })
}

// withInstalled returns the text of a Makefile that installs the tool, changed to install a
// version of schemagen instead: path, package and version.
func (m *makefile) withInstalled(version string) string {
	lines := slices.Clone(m.lines)
	at := m.variables[toolVariable].line
	lines[at] = strings.Replace(lines[at], "/controller-gen", "/schemagen", 1)
	for i, line := range m.lines {
		if !strings.Contains(line, toolPackage) {
			continue
		}
		// Without a version it is installed from go.mod, which does not require schemagen.
		line = bareInstall().ReplaceAllString(line, toolPackage+"@"+version+"$1")
		lines[i] = strings.ReplaceAll(strings.ReplaceAll(line, toolPackage, productPackage), "/controller-gen", "/schemagen")
		if match := installedVersion().FindStringSubmatch(line); match != nil {
			if v, ok := m.variables[match[1]]; ok && v.value != "" {
				lines[v.line] = strings.Replace(lines[v.line], v.value, version, 1)
			}
		}
	}
	return strings.Join(lines, "")
}

// withTool returns the text of the Makefile with another value of the variable for
// controller-gen; ok is false if there is no such variable.
func (m *makefile) withTool(value string) (text string, ok bool) {
	variable, ok := m.variables[toolVariable]
	if !ok {
		return "", false
	}
	lines := slices.Clone(m.lines)
	at := variable.line
	line := strings.TrimRight(lines[at], "\r\n")
	end := lines[at][len(line):]
	equals := strings.IndexByte(line, '=') + 1
	comment := makeComment().FindString(line[equals:])
	if strings.HasPrefix(comment, "#") {
		comment = " " + comment
	}
	lines[at] = line[:equals] + " " + value + comment + end
	for strings.HasSuffix(line, `\`) && at+1 < len(lines) { // the rest of a long value
		at++
		line = strings.TrimRight(lines[at], "\r\n")
		lines[at] = ""
	}
	return strings.Join(lines, ""), true
}
