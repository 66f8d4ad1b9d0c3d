package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// makeTimeLimit ends a make that waits or loops. It only expands, which takes seconds even in
// the largest projects.
const makeTimeLimit = 2 * time.Minute

// makeAnswer is what make prints about a project: the data bases of make and of the makes that its
// recipes call, and the recipes of the goals after expansion.
type makeAnswer struct {
	databases []*makeDatabase
	recipes   []expandedRecipe
	// stderr are the errors of make and of the programs that it runs to expand functions.
	stderr string
	failed bool
}

// makeDatabase is the part of a data base that concerns recipes.
type makeDatabase struct {
	// dir is the working directory of make.
	dir       string
	variables map[string]makeVariable
	rules     []makeRule
}

// makeVariable is a variable that a Makefile sets. The value is not expanded, unless make does
// so on assignment.
type makeVariable struct {
	value string
	file  string
	line  int
	// source is the assignment in the file, which refers to variables even if make has
	// expanded them in the value.
	source string
}

// makeRule is a target with a recipe, whose lines are not expanded and include continuations.
type makeRule struct {
	target string
	file   string
	line   int
	recipe []string
}

// expandedRecipe are the lines that make would run for a target.
type expandedRecipe struct {
	// dir is the working directory of make.
	dir    string
	target string
	lines  []string
}

// Lines of make's output, in the words of GNU make 3.81 to 4.4.
var (
	makeDebug = lazyregexp.New(`^ *(File ['\x60].*' (does not exist|was considered already)\.|(Prerequisite|Newest prerequisite|Pruning|Finished|Considering|No need to remake|Giving up on|Failed to remake|Re-executing|Recipe of|Commands of) ?.*['\x60].*'.*|Reading makefiles\.\.\.|Updating (makefiles|goal targets)\.\.\.\.)$`)
	makeBegin = lazyregexp.New(`^ *Must remake target ['\x60](.*)'\.$`)
	makeEnd   = lazyregexp.New(`^ *(Successfully remade target file|Failed to remake target file) ['\x60].*'\.$`)
	makeDir   = lazyregexp.New(`^(?:# )?\S*make\S*(?:\[\d+\])?: (Entering|Leaving) directory ['\x60](.*)'$`)
	makeFrom  = lazyregexp.New(`^# +(.*) \(from ['\x60](.*)', line (\d+)\):?$`)
	makeSet   = lazyregexp.New(`^([^\s:#=]+) (?:\?|\+|:{0,3})= ?(.*)$`)
)

// makeProgram returns the path of GNU make.
func makeProgram() (string, error) {
	for _, name := range []string{"gmake", "make"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("make not found; migrate asks it for the command lines\ninstall GNU make, or pass the arguments of controller-gen: schemagen migrate -- ARGUMENTS")
}

// askMake runs make in a directory without running recipes, for the goals. make runs programs
// nevertheless, for functions such as $(shell …) and for recipe lines with $(MAKE).
func askMake(ctx context.Context, dir, file string, limit time.Duration, goals ...string) (*makeAnswer, error) {
	program, err := makeProgram()
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// -B expands what is up to date as well. Without --debug, nothing separates the recipes.
	cmd := exec.CommandContext(limited, program, slices.Concat([]string{"-npBkw", "--debug=b", "-f", file}, goals)...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), fromMake), "LC_ALL=C", "PWD="+dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	killGroup(cmd)
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("make -n did not end within %s: pass the arguments of controller-gen with schemagen migrate -- ARGUMENTS", limit)
	case err != nil && !errors.As(err, &exit):
		return nil, err
	case !bytes.Contains(stdout.Bytes(), []byte("# GNU Make ")):
		return nil, fmt.Errorf("%s is not GNU make", program)
	}
	answer := &makeAnswer{stderr: stderr.String(), failed: err != nil}
	answer.read(dir, stdout.String())
	return answer, nil
}

// fromMake reports whether a variable of the environment is one by which a make tells another
// its flags: schemagen may run in a recipe.
func fromMake(set string) bool {
	name, _, _ := strings.Cut(set, "=")
	return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEFILES", "MAKE_TERMOUT", "MAKE_TERMERR"}, name)
}

// read reads the output of make.
func (a *makeAnswer) read(dir, text string) {
	dirs := []string{dir}
	lines := strings.Split(text, "\n")
	var recipes []*expandedRecipe // of make and of the makes that it calls
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		if strings.HasPrefix(line, "# Make data base, printed on") {
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(lines[end], "# Finished Make data base") {
				end++
			}
			a.databases = append(a.databases, readDatabase(dirs[len(dirs)-1], lines[i+1:end]))
			i = end
			continue
		}
		if match := makeDir().FindStringSubmatch(line); match != nil {
			if match[1] == "Entering" {
				dirs = append(dirs, match[2])
			} else if len(dirs) > 1 {
				dirs = dirs[:len(dirs)-1]
			}
			continue
		}
		if match := makeBegin().FindStringSubmatch(line); match != nil {
			recipes = append(recipes, &expandedRecipe{target: match[1]})
			continue
		}
		if makeEnd().MatchString(line) && len(recipes) > 0 {
			a.recipes = append(a.recipes, *recipes[len(recipes)-1])
			recipes = recipes[:len(recipes)-1]
			continue
		}
		if len(recipes) == 0 || makeDebug().MatchString(line) || strings.HasPrefix(line, "# ") || line == "" {
			continue
		}
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line += "\n" + strings.TrimSuffix(lines[i], "\r")
		}
		recipe := recipes[len(recipes)-1]
		if len(recipe.lines) == 0 {
			recipe.dir = dirs[len(dirs)-1]
		}
		recipe.lines = append(recipe.lines, line)
	}
	for _, recipe := range recipes { // of a make that failed
		a.recipes = append(a.recipes, *recipe)
	}
}

// readDatabase reads a data base as make -p prints it.
func readDatabase(dir string, lines []string) *makeDatabase {
	db := &makeDatabase{dir: dir, variables: map[string]makeVariable{}}
	defer db.addSources()
	var file, target string
	offset := 0
	isRecipe := false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if match := makeFrom().FindStringSubmatch(line); match != nil {
			file = match[2]
			isRecipe = strings.HasSuffix(match[1], "to execute")
			offset, _ = strconv.Atoi(match[3])
			if isRecipe && target != "" {
				recipe := recipeOf(lines[i+1:])
				db.rules = append(db.rules, makeRule{target, file, offset, recipe})
			}
			continue
		}
		switch {
		case line == "":
			target = ""
			file = ""
		case strings.HasPrefix(line, "# makefile"):
			file = ""
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "\t"):
		case strings.HasPrefix(line, "CURDIR := "):
			db.dir = strings.TrimPrefix(line, "CURDIR := ")
		case file != "" && strings.HasPrefix(line, "define "):
			name, _, _ := strings.Cut(strings.TrimPrefix(line, "define "), " ")
			start := i + 1
			for i++; i < len(lines) && lines[i] != "endef"; i++ {
			}
			db.variables[name] = makeVariable{value: strings.Join(lines[start:min(i, len(lines))], "\n"), file: file, line: offset}
			file = ""
		case file != "" && makeSet().MatchString(strings.TrimPrefix(line, "override ")):
			match := makeSet().FindStringSubmatch(strings.TrimPrefix(line, "override "))
			db.variables[match[1]] = makeVariable{value: match[2], file: file, line: offset}
			file = ""
		case target == "":
			target, _, _ = strings.Cut(line, ":")
		}
	}
	return db
}

// addSources reads the assignments of the variables.
func (db *makeDatabase) addSources() {
	files := map[string][]string{}
	for name, variable := range db.variables {
		path := variable.file
		if !filepath.IsAbs(path) {
			path = filepath.Join(db.dir, path)
		}
		lines, known := files[path]
		if !known {
			data, err := os.ReadFile(path)
			if err != nil {
				data = nil // a file that a rule has removed, or standard input
			}
			lines = strings.Split(string(data), "\n")
			files[path] = lines
		}
		if variable.line >= 1 && variable.line <= len(lines) {
			variable.source = strings.Join(lines[variable.line-1:logicalEnd(lines, variable.line)], "\n")
			db.variables[name] = variable
		}
	}
}

// recipeOf returns the lines of the recipe at the beginning of lines, with their continuations.
func recipeOf(lines []string) (out []string) {
	for i := 0; i < len(lines) && strings.HasPrefix(lines[i], "\t"); i++ {
		line := strings.TrimPrefix(lines[i], "\t")
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line += "\n" + lines[i]
		}
		out = append(out, line)
	}
	return out
}

// makeReference matches a reference to a variable, as its value or as a function to call.
var makeReference = lazyregexp.New(`\$[({](?:call +)?([^\s(){}:$,#=]+)`)

// references returns the variables that a text refers to directly.
func references(text string) (out []string) {
	for _, match := range makeReference().FindAllStringSubmatch(text, -1) {
		out = append(out, match[1])
	}
	return out
}

// reach returns the variables that a text refers to, directly or through other variables.
func (db *makeDatabase) reach(text string) (out []string) {
	queue := references(text)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		variable, known := db.variables[name]
		if !known || slices.Contains(out, name) {
			continue
		}
		out = append(out, name)
		queue = append(queue, references(variable.value+"\n"+variable.source)...)
	}
	return out
}

// mentionsTool reports whether a text mentions controller-gen, possibly by variables.
func (db *makeDatabase) mentionsTool(text string) bool {
	return namesTool(text) || slices.Contains(references(text), toolVariable) ||
		slices.ContainsFunc(db.reach(text), func(name string) bool {
			return namesTool(db.variables[name].value)
		})
}

// namesTool reports whether a text names controller-gen, or schemagen in its place.
func namesTool(text string) bool {
	return strings.Contains(text, "controller-gen") || strings.Contains(text, "schemagen")
}

// toolVariable is the variable with controller-gen in Kubebuilder's Makefiles.
const toolVariable = "CONTROLLER_GEN"

// usualGoals are targets that generate, which may call another make for it.
func usualGoals() []string { return []string{"manifests", "generate", "codegen", "gen", "crds"} }

// goals returns the targets to ask make about.
func (db *makeDatabase) goals() (out []string) {
	for _, rule := range db.rules {
		mentions := slices.ContainsFunc(rule.recipe, db.mentionsTool)
		if (mentions || slices.Contains(usualGoals(), rule.target)) && !strings.ContainsAny(rule.target, "%=") {
			out = append(out, rule.target)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// makeErrors matches the lines of make's own errors.
var makeErrors = lazyregexp.New(`(?m)^(.*?)\*\*\* (.*)$`)

// errors returns make's own errors, with their places in Makefiles, or else all of its error
// output.
func (a *makeAnswer) errors() string {
	var out []string
	for _, match := range makeErrors().FindAllStringSubmatch(a.stderr, -1) {
		place := match[1]
		if program := strings.TrimRight(place, ": "); !strings.Contains(program, ":") {
			place = ""
		}
		out = append(out, place+match[2])
	}
	if len(out) == 0 {
		return strings.TrimSpace(a.stderr)
	}
	return strings.Join(out, "\n")
}
