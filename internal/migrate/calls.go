package migrate

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/project"
)

// makefile has the calls of controller-gen in a Makefile, in the files that it includes, and in the
// Makefiles that its recipes run make on.
type makefile struct {
	// path is the path of the Makefile.
	path string
	// in reads the files.
	in *inputs.Reader
	// goals are the targets that make was asked about.
	goals []string
	// databases are printed by make; there are none if it was not asked.
	databases []*makeDatabase
	// recipes are the expanded recipes.
	recipes []expandedRecipe
	// The calls of controller-gen, or of schemagen in its place, and of schemagen itself.
	foundCalls
	// pinned is the version of controller-gen that the Makefile installs, or "".
	pinned string
	// unexpanded is set if only the text was read, and has calls that only make can expand.
	unexpanded bool
	// incomplete is set if calls are missing that only make can expand, also those without settings.
	incomplete bool
	// repeated is a variable of the tool that is set more than once, if only the text was read.
	repeated string
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

// readMakefile asks make, in a copy of the project, for the calls of controller-gen. root is
// the copy, and dir the directory of the Makefile in it. Without goals, make is asked about the
// targets that mention controller-gen.
func (r *migration) readMakefile(ctx context.Context, root, dir, path string, goals ...string) (*makefile, error) {
	m := &makefile{path: path}
	base := filepath.Base(path)
	// The Makefile itself is a goal for which make does nothing but read.
	first, err := askMake(ctx, dir, base, makeTimeLimit, base)
	if err != nil {
		return nil, err
	}
	if first.failed && makeErrors().MatchString(first.stderr) || len(first.databases) == 0 {
		return nil, fmt.Errorf("make cannot read %s:\n%s", path, first.errors())
	}
	if len(goals) == 0 {
		goals = first.databases[len(first.databases)-1].goals()
	}
	m.goals = goals
	if len(goals) == 0 {
		m.databases = first.databases
		return m, nil
	}
	if _, set := first.databases[len(first.databases)-1].variables[toolVariable]; !set && os.Getenv(toolVariable) == "" {
		goals = append(slices.Clip(goals), toolVariable+"=controller-gen") // the caller of make sets it
	}
	answer, err := askMake(ctx, dir, base, makeTimeLimit, goals...)
	if err != nil {
		return nil, err
	}
	m.databases = answer.databases
	m.recipes = answer.recipes
	if len(m.databases) == 0 {
		return nil, fmt.Errorf("make -n %s failed:\n%s", strings.Join(goals, " "), answer.errors())
	}
	reader := callReader{makefile: m, root: root, dir: dir, project: r.project.root}
	for _, recipe := range m.recipes {
		reader.recipe(recipe)
	}
	reader.unreached(answer)
	byPlace := func(a, b controllerGenCall) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	}
	slices.SortStableFunc(m.calls, byPlace)
	slices.SortStableFunc(m.own, byPlace)
	return m, nil
}

// main returns the data base of the Makefile itself, which make prints after those of the makes
// that it calls.
func (m *makefile) main() *makeDatabase { return m.databases[len(m.databases)-1] }

// callReader finds the calls in expanded recipes.
type callReader struct {
	*makefile
	root, dir string // the copy, and the directory of the Makefile in it
	project   string // the project, whose path replaces that of the copy
}

// database returns the data base of the make that ran in a directory.
func (reader *callReader) database(dir string) *makeDatabase {
	for _, db := range slices.Backward(reader.databases) {
		if db.dir == dir {
			return db
		}
	}
	return reader.main()
}

// place returns a file of a data base relative to the working directory of schemagen.
func (reader *callReader) place(db *makeDatabase, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(db.dir, file)
	}
	if rel, err := filepath.Rel(reader.dir, file); err == nil {
		file = rel
	}
	return filepath.Join(filepath.Dir(reader.path), file)
}

// rule returns the rule of a target, and whether there is one.
func (db *makeDatabase) rule(target string) (makeRule, bool) {
	for _, rule := range db.rules {
		if rule.target == target || isPattern(rule.target, target) {
			return rule, true
		}
	}
	return makeRule{}, false
}

// isPattern reports whether a pattern of make matches a target.
func isPattern(pattern, target string) bool {
	head, tail, ok := strings.Cut(pattern, "%")
	return ok && len(target) > len(head)+len(tail) && strings.HasPrefix(target, head) && strings.HasSuffix(target, tail)
}

// recipe records the calls of a recipe.
func (reader *callReader) recipe(recipe expandedRecipe) {
	db := reader.database(recipe.dir)
	rule, known := db.rule(recipe.target)
	lines := recipe.lines
	if _, oneShell := db.rule(".ONESHELL"); oneShell {
		lines = []string{strings.Join(lines, "\n")}
	}
	var raw []int // the lines of the recipe before expansion that may call the tool
	for i, line := range rule.recipe {
		if db.mentionsTool(line) {
			raw = append(raw, i)
		}
	}
	var all []foundCalls
	for _, line := range lines {
		if version := installedVersion().FindStringSubmatch(line); version != nil && reader.pinned == "" {
			reader.pinned = version[1]
		}
		found := readShell(line, recipe.dir)
		if !found.isEmpty() || strings.Contains(line, "controller-gen") {
			all = append(all, found)
		}
	}
	for i, f := range all {
		if f.isEmpty() {
			continue
		}
		file := reader.place(db, rule.file)
		line := rule.line
		variable := ""
		if known && len(raw) > 0 {
			offset := raw[0]
			if len(raw) == len(all) {
				offset = raw[i]
			}
			line = reader.line(db, rule, offset)
			variable = db.toolIn(rule.recipe[offset])
		}
		for _, problem := range f.problems {
			reader.problems = append(reader.problems, fmt.Sprintf("%s:%d: %s", file, line, problem))
		}
		for _, call := range f.calls {
			call.file = file
			call.line = line
			call.variable = variable
			reader.calls = reader.add(reader.calls, call)
		}
		for _, call := range f.own {
			call.file = file
			call.line = line
			reader.own = reader.add(reader.own, call)
		}
	}
}

// add adds a call, with the paths of the project, unless it is known from another target.
func (reader *callReader) add(calls []controllerGenCall, call controllerGenCall) []controllerGenCall {
	if rel, err := filepath.Rel(reader.dir, call.dir); err == nil {
		call.dir = rel
	}
	here := func(words []string) (out []string) {
		for _, word := range words {
			out = append(out, replacePath(word, reader.root, reader.project))
		}
		return out
	}
	call.env, call.tool, call.args = here(call.env), here(call.tool), here(call.args)
	if slices.ContainsFunc(calls, func(c controllerGenCall) bool {
		return c.dir == call.dir && slices.Equal(c.env, call.env) && slices.Equal(c.args, call.args)
	}) {
		return calls
	}
	return append(calls, call)
}

// line returns the line in the file of a line of a recipe: make tells that of the first, and
// leaves out comments and conditionals.
func (reader *callReader) line(db *makeDatabase, rule makeRule, index int) int {
	file := rule.file
	if !filepath.IsAbs(file) {
		file = filepath.Join(db.dir, file)
	}
	data, err := reader.in.ReadFile(file, nil)
	if err != nil {
		return rule.line
	}
	lines := strings.Split(string(data), "\n")
	offset := rule.line - 1
	for i := 0; i <= index; i++ {
		first, _, _ := strings.Cut(rule.recipe[i], "\n")
		for n := offset; n < len(lines); n++ {
			if strings.TrimRight(strings.TrimLeft(lines[n], "\t"), "\r") == strings.TrimLeft(strings.TrimRight(first, "\r"), "\t") {
				offset = n + 1
				break
			}
		}
	}
	return max(offset, rule.line)
}

// toolIn returns the variable by which a line of a recipe refers to the tool, or "".
func (db *makeDatabase) toolIn(line string) string {
	names := references(line)
	if slices.Contains(names, toolVariable) {
		return toolVariable
	}
	for _, name := range names {
		text := db.variables[name].value + "\n" + db.variables[name].source
		for _, reached := range db.reach("$(" + name + ")") {
			text += "\n" + db.variables[reached].value
		}
		if toolPath().MatchString(text) {
			return name
		}
	}
	return ""
}

// toolPath matches a value that ends in the file name of controller-gen or in its package.
var toolPath = lazyregexp.New(`(?m)(^|/|\s)(controller-gen|schemagen)(@\S*|-\S*)?"?\s*$`)

// installedVersion matches a version in an expanded line that installs controller-gen.
var installedVersion = lazyregexp.New(regexp.QuoteMeta(toolPackage) + `.*?\b(v0\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)`)

// unreached records rules with calls that no goal reaches, with the errors of make.
func (reader *callReader) unreached(answer *makeAnswer) {
	for _, db := range reader.databases {
		for _, rule := range db.rules {
			i := slices.IndexFunc(rule.recipe, func(line string) bool { return db.mentionsTool(line) && looksLikeCall(line) })
			reached := slices.ContainsFunc(reader.recipes, func(r expandedRecipe) bool {
				return r.target == rule.target || isPattern(rule.target, r.target)
			})
			if i < 0 || reached {
				continue
			}
			problem := fmt.Sprintf("%s:%d: make -n %s does not reach it", reader.place(db, rule.file), reader.line(db, rule, i), rule.target)
			for text := range strings.Lines(answer.errors()) {
				if strings.Contains(text, "'"+rule.target+"'") {
					problem += ": " + strings.TrimSpace(text)
					break
				}
			}
			problem = strings.ReplaceAll(problem, reader.root+string(filepath.Separator), "")
			if !slices.Contains(reader.problems, problem) {
				reader.problems = append(reader.problems, problem)
			}
		}
	}
}

// scriptCall matches a call of controller-gen in a line of a script.
var scriptCall = lazyregexp.New(`^[^#]*(^|[/\s"'&|;(}])controller-gen(@\S*)?["']?\s+(\\|.*\b(paths=|output:|crd|object|rbac|webhook))`)

// directiveCall matches a call in a Go file, by go generate.
var directiveCall = lazyregexp.New(`^//go:generate .*controller-gen\b`)

// scripts returns the places in a directory where scripts and directives of go generate call
// controller-gen, with the target that names the script.
func (m *makefile) scripts(dir string) (out []string) {
	for _, name := range project.FilesBelow(nil, dir) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		match := scriptCall
		switch filepath.Ext(name) {
		case ".go":
			match = directiveCall
		case ".sh", ".bash":
		default:
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(data, []byte("controller-gen")) {
			continue
		}
		line := 0
		for text := range bytes.Lines(data) {
			line++
			if match().Match(bytes.TrimRight(text, "\r\n")) {
				caller := ""
				if filepath.Ext(name) != ".go" {
					caller = m.callerOf(filepath.Base(name))
				}
				out = append(out, fmt.Sprintf("%s:%d%s", name, line, caller))
				break
			}
		}
	}
	return out
}

// callerOf names the first target whose recipe names a script.
func (m *makefile) callerOf(script string) string {
	for _, db := range m.databases {
		for _, rule := range db.rules {
			if slices.ContainsFunc(rule.recipe, func(line string) bool { return strings.Contains(line, script) }) {
				return ", called by target " + rule.target
			}
		}
	}
	return ""
}
