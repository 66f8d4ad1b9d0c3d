package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// makefile is what a Makefile says of controller-gen: as much of make as the
// Makefiles of operators need. Conditions are not looked at, and functions are not
// called; what needs them is a problem.
type makefile struct {
	name  string
	lines []string
	// values and at are those of variables, by name, and their lines.
	values map[string]string
	at     map[string]int
	// commands are the command lines of controller-gen, program what is called.
	commands []generatorCommand
	program  string
	problems []string
	// expansions are counted: variables that stand twice in each other have no end.
	expansions int
}

const (
	generatorVariable = "CONTROLLER_GEN"
	generatorPackage  = "sigs.k8s.io/controller-tools/cmd/controller-gen"
	productPackage    = "github.com/schemagen/schemagen/cmd/schemagen"
	maxExpansions     = 10_000
)

var (
	assignment  = regexp.MustCompile(`^(?:export |override )*([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*(\?|:{1,3}|\+)?=[ \t]*(.*)$`)
	variableUse = regexp.MustCompile(`\$[({]([^(){}$]*)[)}]`)
	calls       = regexp.MustCompile(`\$[({]` + generatorVariable + `[)}]|\bcontroller-gen[ "']`)
	version     = regexp.MustCompile(regexp.QuoteMeta(generatorPackage) + `[@,]\$[({]([A-Za-z0-9_]+)[)}]`)
)

// readMakefile finds the command lines of controller-gen in recipes.
func readMakefile(name, text string) *makefile {
	m := &makefile{name: name, lines: strings.Split(text, "\n"), values: map[string]string{}, at: map[string]int{}}
	type logical struct {
		text string
		line int
	}
	var recipes []logical
	for i := 0; i < len(m.lines); i++ {
		line := logical{strings.TrimSuffix(m.lines[i], "\r"), i + 1}
		for strings.HasSuffix(line.text, `\`) && i+1 < len(m.lines) {
			i++
			line.text = strings.TrimSuffix(line.text, `\`) + " " + strings.TrimSpace(m.lines[i])
		}
		if strings.HasPrefix(line.text, "\t") {
			recipes = append(recipes, line)
		} else if a := assignment.FindStringSubmatch(line.text); a != nil {
			value, _, _ := strings.Cut(a[3], " #")
			if _, known := m.values[a[1]]; !known || a[2] != "?" {
				m.values[a[1]], m.at[a[1]] = strings.TrimSpace(value), line.line
			}
		}
	}
	for _, r := range recipes {
		if !calls.MatchString(r.text) || strings.HasPrefix(strings.TrimSpace(r.text), "#") || strings.Contains(r.text, generatorPackage+",") {
			continue // the last installs it
		}
		if err := m.recipe(r.line, r.text); err != nil {
			m.problems = append(m.problems, fmt.Sprintf("%s:%d: left out: %v; give its arguments behind --", name, r.line, err))
		}
	}
	if program, err := m.expand(m.values[generatorVariable], 0); err == nil && program != "" && !strings.ContainsAny(program, " \t") {
		m.program = program
	}
	return m
}

// recipe takes the command lines of a recipe's line.
func (m *makefile) recipe(line int, text string) error {
	// The program is found by a word that no Makefile has.
	const marker = "\x00controller-gen\x00"
	kept := m.values[generatorVariable]
	m.values[generatorVariable] = marker
	expanded, err := m.expand(text, 0)
	m.values[generatorVariable] = kept
	if err != nil {
		return err
	}
	commands, err := splitShell(strings.TrimLeft(strings.TrimSpace(expanded), "@-+"))
	if err != nil {
		return err
	}
	dir := ""
	for _, words := range commands {
		for len(words) > 0 && strings.ContainsRune(words[0], '=') && !strings.Contains(words[0], "/") {
			words = words[1:] // a variable of the environment
		}
		switch {
		case len(words) == 2 && words[0] == "cd":
			dir = filepath.ToSlash(filepath.Join(dir, words[1]))
		case len(words) > 1 && words[0] == marker || len(words) > 1 && filepath.Base(words[0]) == "controller-gen":
			c := generatorCommand{place: fmt.Sprintf("%s:%d", m.name, line), dir: dir}
			for _, word := range words[1:] {
				c.args = append(c.args, strings.ReplaceAll(word, marker, kept))
			}
			m.commands = append(m.commands, c)
			if m.program == "" && words[0] != marker {
				m.program = words[0]
			}
		}
	}
	return nil
}

// expand replaces references to variables.
func (m *makefile) expand(text string, depth int) (string, error) {
	if m.expansions++; depth > 50 || m.expansions > maxExpansions {
		return "", fmt.Errorf("variables refer to each other")
	}
	text = strings.ReplaceAll(text, "$$", "\x01")
	for {
		at := variableUse.FindStringSubmatchIndex(text)
		if at == nil {
			break
		}
		name := text[at[2]:at[3]]
		value, ok := m.values[name]
		if !ok {
			value, ok = os.LookupEnv(name)
		}
		switch {
		case name == "CURDIR" || name == "PWD":
			value = "."
		case strings.ContainsAny(name, " \t,"):
			return "", fmt.Errorf("$(%s) is a function of make", name)
		case !ok:
			value = ""
		}
		value, err := m.expand(value, depth+1)
		if err != nil {
			return "", err
		}
		text = text[:at[0]] + value + text[at[1]:]
		if len(text) > 1<<16 {
			return "", fmt.Errorf("variables expand without end")
		}
	}
	if strings.Contains(text, "$") {
		return "", fmt.Errorf("%s cannot be expanded", text[strings.IndexByte(text, '$'):])
	}
	return strings.ReplaceAll(text, "\x01", "$"), nil
}

// splitShell splits a line into commands and words as a shell does, without
// expanding anything.
func splitShell(text string) (commands [][]string, err error) {
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
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\'', '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return nil, fmt.Errorf("a quote is not closed")
			}
			word.WriteString(text[i+1 : i+1+end])
			i += end + 1
			inWord = true
		case '\\':
			if i++; i < len(text) {
				word.WriteByte(text[i])
				inWord = true
			}
		case ' ', '\t':
			endWord()
		case ';', '&', '|':
			endWord()
			commands, words = append(commands, words), nil
		case '`', '$', '*', '<', '>', '(':
			return nil, fmt.Errorf("%q is for a shell", c)
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endWord()
	return append(commands, words), nil
}

// edited is the Makefile with schemagen in the place of controller-gen: the value
// of CONTROLLER_GEN, and where a line installs it, its package and version.
func (m *makefile) edited() string {
	lines := append([]string(nil), m.lines...)
	for i, line := range lines {
		if v := version.FindStringSubmatch(line); v != nil {
			if at, ok := m.at[v[1]]; ok {
				if value := m.values[v[1]]; value != "" {
					lines[at-1] = strings.Replace(lines[at-1], value, productVersion(), 1)
				}
			}
		}
		lines[i] = strings.ReplaceAll(lines[i], generatorPackage, productPackage)
	}
	if at, ok := m.at[generatorVariable]; ok {
		lines[at-1] = strings.Replace(lines[at-1], "controller-gen", "schemagen", 1)
	}
	return strings.Join(lines, "\n")
}

// productVersion is the version to install.
func productVersion() string {
	if v := strings.TrimPrefix(toolVersion(), "schemagen-"); v != "devel" && !strings.Contains(v, "+") {
		return v
	}
	return "latest"
}
