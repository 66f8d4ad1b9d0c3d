package migrate

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// makefile has the calls of controller-gen in a Makefile.
type makefile struct {
	// path is the path of the Makefile.
	path  string
	calls []controllerGenCall
	// problems describe what could not be read.
	problems []string
	// unexpanded is set if there are calls that only make can expand.
	unexpanded bool
	// incomplete is set if calls are missing that only make can expand, also those without settings.
	incomplete bool
	// arguments match those of the calls on each line.
	arguments []lineArguments
	// methods describes calls that only make can expand and that only write methods, as those of
	// Kubebuilder's layout do.
	methods []string
}

// lineArguments match the arguments of a call on a line of a Makefile, joined by spaces.
type lineArguments struct {
	line    int
	pattern *regexp.Regexp
}

// lineOf returns the line with the call that make ran with these arguments, or 0 if it is not certain.
func (m *makefile) lineOf(args []string) (line int) {
	joined := strings.Join(args, " ")
	for _, arguments := range m.arguments {
		if !arguments.pattern.MatchString(joined) {
			continue
		}
		if line > 0 {
			return 0
		}
		line = arguments.line
	}
	return line
}

// makefileNames returns the names of Makefiles in make's order.
func makefileNames() []string { return []string{"GNUmakefile", "makefile", "Makefile"} }

// findMakefile returns the name of the Makefile that make reads in a directory, or "".
func findMakefile(reader *inputs.Reader, dir string) string {
	for _, name := range makefileNames() {
		if info, err := reader.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}

// literalMakefile reads the Makefile in a directory without make, or returns nil if there is
// none.
func literalMakefile(reader *inputs.Reader, dir string) (*makefile, error) {
	name := findMakefile(reader, dir)
	if name == "" {
		return nil, nil
	}
	data, err := reader.ReadFile(filepath.Join(dir, name), nil)
	if err != nil {
		return nil, err
	}
	m := &makefile{path: name}
	m.addLiteral(data)
	return m, nil
}

// addLiteral adds the calls in the text of the Makefile whose words are all literal but for the tool.
// Only make can expand other calls.
func (m *makefile) addLiteral(data []byte) {
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		first := i
		text := lines[i]
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text = strings.TrimSuffix(text, `\`) + " " + strings.TrimSpace(lines[i])
		}
		if !strings.HasPrefix(text, "\t") || !literalCall().MatchString(text) {
			continue
		}
		text = toolReference().ReplaceAllString(strings.TrimLeft(text, "\t @-+"), "controller-gen")
		m.addArguments(first+1, text)
		if reference := anyReference().FindString(strings.ReplaceAll(text, "$$", "")); reference != "" {
			m.incomplete = true
			problem := fmt.Sprintf("%s:%d: only make can expand %s", m.path, first+1, reference)
			if slices.Equal(generatorsIn(strings.Fields(text)), []string{"object"}) {
				m.methods = append(m.methods, problem)
				continue
			}
			m.unexpanded = true
			m.problems = append(m.problems, problem)
			continue
		}
		calls, ok := shellCalls(text)
		if !ok {
			m.incomplete = true
			m.unexpanded = true
			m.problems = append(m.problems, fmt.Sprintf("%s:%d: only a shell can expand it", m.path, first+1))
		}
		for _, call := range calls {
			call.file = m.path
			call.line = first + 1
			m.calls = append(m.calls, call)
		}
	}
}

// addArguments adds the arguments of the calls in a line, whose references of make may be any text.
func (m *makefile) addArguments(line int, text string) {
	const reference = "\x00"
	for _, command := range commandEnd().Split(anyReference().ReplaceAllString(text, reference), -1) {
		words, _ := shellWords(command)
		if i := slices.IndexFunc(words, isTool); i >= 0 {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.Join(words[i+1:], " ")), reference, ".*")
			m.arguments = append(m.arguments, lineArguments{line: line, pattern: regexp.MustCompile("^" + pattern + "$")})
		}
	}
}

// anyReference matches a reference of make.
var anyReference = lazyregexp.New(`\$(\([^()]*\)?|\{[^{}]*\}?|.)`)

// literalCall matches a line that may call controller-gen.
var literalCall = lazyregexp.New(`(controller-gen|CONTROLLER_GEN[)}])"?\s`)

// shellCalls returns the calls in commands of a shell that only have words, in directories to which cd
// leads. ok is false if a call has anything else.
func shellCalls(text string) (calls []controllerGenCall, ok bool) {
	dir := "."
	for _, command := range commandEnd().Split(text, -1) {
		words, simple := shellWords(command)
		var env []string
		for len(words) > 0 && setsVariable().MatchString(words[0]) {
			env = append(env, words[0])
			words = words[1:]
		}
		switch {
		case len(words) == 2 && words[0] == "cd":
			dir = filepath.Join(dir, words[1])
		case len(words) == 0 || !isTool(words[0]):
			if literalCall().MatchString(command) {
				return calls, false
			}
		case !simple:
			return calls, false
		default:
			if call, isCall := callOf(words); isCall {
				call.dir = dir
				call.env = env
				calls = append(calls, call)
			}
		}
	}
	return calls, true
}

var (
	// commandEnd matches what separates commands, and setsVariable a word that sets a variable.
	commandEnd   = lazyregexp.New(`&&|\|\||[;|()]`)
	setsVariable = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)
)

// shellWords returns the words of a command without their quotes. simple is false if a shell would expand
// them.
func shellWords(text string) (words []string, simple bool) {
	simple = true
	current := ""
	quote := rune(0)
	inWord := false
	for _, char := range text {
		switch {
		case quote != 0 && char == quote:
			quote = 0
		case quote == 0 && (char == '"' || char == '\''):
			quote = char
			inWord = true
		case quote == 0 && (char == ' ' || char == '\t'):
			if inWord {
				words = append(words, current)
			}
			current = ""
			inWord = false
		default:
			simple = simple && (quote == '\'' || !strings.ContainsRune("$`\\", char)) && (quote != 0 || !strings.ContainsRune("*?[{<>&~", char))
			current += string(char)
			inWord = true
		}
	}
	if inWord {
		words = append(words, current)
	}
	return words, simple && quote == 0
}

// toolVariable is the variable with the tool in Kubebuilder's Makefiles.
const toolVariable = "CONTROLLER_GEN"

// toolReference matches a reference to the variable with the tool.
var toolReference = lazyregexp.New(`\$[({]` + toolVariable + `[)}]`)

// Rewrite returns the Makefile in a directory, which installs controller-gen as Kubebuilder's
// does, with the lines changed that make it install and call a version of schemagen. It does
// not run make, so it changes only what the text alone makes certain: otherwise changed is nil
// and reason says why. If there is nothing to change, both are empty.
func Rewrite(reader *inputs.Reader, dir, version string) (name string, changed []byte, reason string) {
	name = findMakefile(reader, dir)
	if name == "" {
		return "Makefile", nil, "it does not exist"
	}
	data, err := reader.ReadFile(filepath.Join(dir, name), nil)
	if err != nil {
		return name, nil, err.Error()
	}
	text := string(data)
	values := assigned(text)
	tool := values[toolVariable]
	installs := strings.Contains(text, toolPackage)
	switch {
	case len(tool) == 0:
		return name, nil, "it does not set " + toolVariable
	case !installs && strings.Contains(tool[0], productName):
		return name, nil, ""
	case !installs || !literalTool().MatchString(tool[0]):
		return name, nil, "it does not install controller-gen as Kubebuilder's does"
	}
	e := &edits{version: version}
	files := e.apply(map[string][]byte{name: data})
	for _, variable := range append(slices.Sorted(maps.Keys(e.names)), toolVariable) {
		if len(values[variable]) > 1 {
			return name, nil, fmt.Sprintf("it sets %s more than once", variable)
		}
	}
	after := assigned(string(files[name]))
	pinned := strings.Contains(string(files[name]), productPackage+"@"+version)
	for variable := range e.names {
		pinned = pinned || slices.Equal(after[variable], []string{version})
	}
	if !pinned || len(after[toolVariable]) == 0 || !strings.Contains(after[toolVariable][0], productName) {
		return name, nil, "the lines to change are not certain"
	}
	return name, files[name], ""
}

// literalTool matches the value of the variable with the tool where the Makefile installs it.
var literalTool = lazyregexp.New(`(^|/)` + peerName + `["']?$`)

// assigned returns the values that a Makefile assigns to its variables, in all branches of its
// conditionals.
func assigned(text string) map[string][]string {
	out := map[string][]string{}
	for _, line := range logicalLines(text) {
		if match := assignment().FindStringSubmatch(line); match != nil && !strings.HasPrefix(line, "\t") {
			value := makeComment().ReplaceAllString(strings.TrimRight(match[4], "\r\n"), "")
			out[match[2]] = append(out[match[2]], strings.TrimSpace(value))
		}
	}
	return out
}
