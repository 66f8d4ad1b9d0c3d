package migrate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

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
	return literalCalls(name, data), nil
}

// literalCalls returns the calls in a Makefile whose words are all literal but for the tool.
// Other calls are problems if they may write manifests: only make can expand them.
func literalCalls(path string, data []byte) *makefile {
	m := &makefile{path: path}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		first := i
		text := lines[i]
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text = strings.TrimSuffix(text, `\`) + " " + strings.TrimSpace(lines[i])
		}
		if !strings.HasPrefix(text, "\t") || !looksLikeCall(text) {
			continue
		}
		text = toolReference().ReplaceAllString(strings.TrimLeft(text, "\t @-+"), "controller-gen")
		if reference := anyReference().FindString(strings.ReplaceAll(text, "$$", "")); reference != "" {
			m.incomplete = true
			if manifestGenerator().MatchString(text) || len(generatorsIn(strings.Fields(text))) == 0 {
				m.unexpanded = true
				m.problems = append(m.problems, fmt.Sprintf("%s:%d: only make can expand %s", path, first+1, reference))
			}
			continue
		}
		found := readShell(strings.ReplaceAll(text, "$$", "$"), ".")
		for _, call := range found.calls {
			call.file = path
			call.line = first + 1
			m.calls = append(m.calls, call)
		}
		for _, problem := range found.problems {
			m.problems = append(m.problems, fmt.Sprintf("%s:%d: %s", path, first+1, problem))
		}
	}
	return m
}

// anyReference matches a reference of make, and manifestGenerator the generators that have
// settings.
var (
	anyReference      = lazyregexp.New(`\$(\([^()]*\)?|\{[^{}]*\}?|.)`)
	manifestGenerator = lazyregexp.New(`\s(crd|rbac|webhook)\b`)
)

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
	m := rewritten(reader, dir, name, data)
	db := m.main()
	tool, isSet := db.variables[toolVariable]
	switch {
	case isSet && !m.mentions(toolPackage) && callsSchemagen(tool):
		return name, nil, ""
	case !isSet:
		return name, nil, "it does not set " + toolVariable
	case !m.installs():
		return name, nil, "it does not install controller-gen as Kubebuilder's does"
	case m.repeated != "":
		return name, nil, fmt.Sprintf("it sets %s more than once", m.repeated)
	}
	e := &edit{makefile: m, dir: dir, lines: map[string][]string{}, read: map[string][]byte{}, changed: map[string]bool{}}
	e.install(dir, version)
	for _, file := range e.outputs(dir) {
		changed = file.Data
	}
	newMakefile := rewritten(reader, dir, name, changed)
	if newMakefile.mentions(toolPackage) || !callsSchemagen(newMakefile.main().variables[toolVariable]) ||
		!newMakefile.pins(version) {
		return name, nil, "the lines to change are not certain"
	}
	return name, changed, ""
}

// callsSchemagen reports whether the variable with the tool names schemagen.
func callsSchemagen(tool makeVariable) bool {
	return strings.HasPrefix(filepath.Base(strings.Trim(tool.value, `"' `)), "schemagen")
}

// pins reports whether every line that installs schemagen names a version, or a variable with
// it as its value.
func (m *makefile) pins(version string) bool {
	db := m.main()
	isVersion := func(name string) bool { return db.variables[name].value == version }
	for _, rule := range db.rules {
		for _, line := range rule.recipe {
			if strings.Contains(line, productPackage) && !strings.Contains(line, productPackage+"@"+version) && !slices.ContainsFunc(references(line), isVersion) {
				return false
			}
		}
	}
	return m.mentions(productPackage)
}

// rewritten reads what [edit.install] needs of a Makefile.
func rewritten(reader *inputs.Reader, dir, name string, data []byte) *makefile {
	m := &makefile{path: name, in: reader, foundCalls: foundCalls{calls: []controllerGenCall{{variable: toolVariable}}}}
	db, repeated := literalDatabase(dir, name, data)
	m.databases = []*makeDatabase{db}
	reached := db.reach("$(" + toolVariable + ")")
	for _, rule := range db.rules {
		for _, line := range rule.recipe {
			if strings.Contains(line, toolPackage) {
				reached = append(reached, references(line)...)
			}
		}
	}
	for _, variable := range append(reached, toolVariable) {
		if slices.Contains(repeated, variable) {
			m.repeated = variable
		}
	}
	return m
}

// literalAssignment matches an assignment in a Makefile.
var literalAssignment = lazyregexp.New(`^\s*(?:export\s+|override\s+)*([^\s:#=?+!]+)\s*(?:\?|\+|!|:{0,3})=\s*(.*)$`)

// literalDatabase reads the variables and recipes of a Makefile from its text, with all
// branches of its conditionals and without the files that it includes. repeated are the
// variables that are set more than once.
func literalDatabase(dir, name string, data []byte) (db *makeDatabase, repeated []string) {
	db = &makeDatabase{dir: dir, variables: map[string]makeVariable{}}
	set := func(variable, value string, line int, source string) {
		if _, known := db.variables[variable]; known {
			repeated = append(repeated, variable)
		}
		value = strings.TrimSpace(makeComment().ReplaceAllString(value, ""))
		db.variables[variable] = makeVariable{value: value, file: name, line: line, source: source}
	}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	inRecipe := false
	for i := 0; i < len(lines); {
		first := i
		i = max(logicalEnd(lines, first+1), first+1)
		text := strings.Join(lines[first:i], "\n")
		words := strings.Fields(lines[first])
		switch {
		case strings.HasPrefix(text, "\t"):
			if !inRecipe {
				db.rules = append(db.rules, makeRule{file: name, line: first + 1})
			}
			inRecipe = true
			rule := &db.rules[len(db.rules)-1]
			rule.recipe = append(rule.recipe, strings.TrimPrefix(text, "\t"))
		case len(words) > 1 && words[0] == "define":
			start := i
			for i < len(lines) && strings.TrimSpace(lines[i]) != "endef" {
				i++
			}
			set(words[1], strings.Join(lines[start:i], "\n"), first+1, "")
		case literalAssignment().MatchString(text):
			match := literalAssignment().FindStringSubmatch(strings.ReplaceAll(text, "\\\n", " "))
			if match != nil {
				set(match[1], match[2], first+1, text)
			}
		case len(words) > 0 && !strings.HasPrefix(words[0], "#"):
			inRecipe = inRecipe && slices.Contains([]string{"ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"}, words[0])
		}
	}
	return db, repeated
}
