package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/run/output"
)

// toolPackage is the package from which controller-gen is installed, productPackage that of schemagen.
const (
	toolPackage    = "sigs.k8s.io/controller-tools/cmd/controller-gen"
	productPackage = "github.com/schemagen/schemagen/cmd/schemagen"
)

// edit changes lines of Makefiles so that they call another tool.
type edit struct {
	*makefile
	// dir is the directory of the Makefile.
	dir string
	// lines are the files, by absolute path, in lines as they are in the file, and read the
	// same as they were read.
	lines map[string][]string
	read  map[string][]byte
	// changed are the files that were changed.
	changed map[string]bool
}

// installs reports whether the Makefile installs controller-gen for the variable with the
// tool, as Kubebuilder's do.
func (m *makefile) installs() bool {
	for _, call := range m.calls {
		if call.variable == "" {
			continue
		}
		for _, db := range m.databases {
			for _, name := range db.reach("$(" + call.variable + ")") {
				if text := db.variables[name].value; strings.Contains(text, "/controller-gen") || strings.Contains(text, toolPackage) {
					return m.mentions(toolPackage)
				}
				if db.variables[name].value == "controller-gen" && name != call.variable {
					return m.mentions(toolPackage)
				}
			}
		}
	}
	return false
}

// installsAs returns the first of the words that is the target of a rule which installs
// controller-gen, or "".
func (m *makefile) installsAs(words []string) string {
	for _, db := range m.databases {
		for _, rule := range db.rules {
			if slices.Contains(words, rule.target) && strings.Contains(strings.Join(rule.recipe, "\n"), toolPackage) {
				return rule.target
			}
		}
	}
	return ""
}

// mentions reports whether a recipe or variable contains a text.
func (m *makefile) mentions(text string) bool {
	for _, db := range m.databases {
		for _, rule := range db.rules {
			if strings.Contains(strings.Join(rule.recipe, "\n"), text) {
				return true
			}
		}
		for _, variable := range db.variables {
			if strings.Contains(variable.value, text) {
				return true
			}
		}
	}
	return false
}

// file returns the lines of a file that a data base names, or nil if it is not a file.
func (e *edit) file(db *makeDatabase, root, name string) (path string, lines []string) {
	path = name
	if !filepath.IsAbs(path) {
		path = filepath.Join(db.dir, path)
	}
	path = replacePath(path, root, e.dir)
	if _, known := e.lines[path]; !known {
		data, err := e.in.ReadFile(path, nil)
		if err != nil {
			return path, nil
		}
		e.lines[path] = strings.SplitAfter(string(data), "\n")
		e.read[path] = data
	}
	return path, e.lines[path]
}

// change changes a line, given by its number.
func (e *edit) change(path string, line int, target func(string) string) {
	lines := e.lines[path]
	if line < 1 || line > len(lines) {
		return
	}
	if text := target(lines[line-1]); text != lines[line-1] {
		lines[line-1] = text
		e.changed[path] = true
	}
}

// logicalEnd returns the number of the last line of the one that begins at a line.
func logicalEnd(lines []string, line int) int {
	for line < len(lines) && strings.HasSuffix(strings.TrimRight(lines[line-1], "\r\n"), `\`) {
		line++
	}
	return line
}

// setTool gives the variables with the tool another value.
func (e *edit) setTool(root, value string) {
	for _, call := range e.calls {
		for _, db := range e.databases {
			variable, known := db.variables[call.variable]
			if !known || call.variable == "" {
				continue
			}
			path, lines := e.file(db, root, variable.file)
			if variable.line < 1 || variable.line > len(lines) || !isAssignment(call.variable, lines[variable.line-1]) {
				continue
			}
			end := logicalEnd(lines, variable.line)
			e.change(path, variable.line, func(line string) string { return withValue(line, lines[end-1], value) })
			for n := variable.line + 1; n <= end; n++ {
				e.change(path, n, func(string) string { return "" })
			}
		}
	}
}

// isAssignment reports whether a line of a Makefile sets a variable.
func isAssignment(name, line string) bool {
	return regexp.MustCompile(`^\s*(?:export\s+|override\s+)*` + regexp.QuoteMeta(name) + `\s*(\?|:{0,3})=`).MatchString(line)
}

// makeComment matches a comment at the end of a line.
var makeComment = lazyregexp.New(`(^|\s)#.*$`)

// withValue returns the assignment in a line with another value. last is the last line of the
// old value, whose end remains.
func withValue(line, last, value string) string {
	text := strings.TrimRight(line, "\r\n")
	end := last[len(strings.TrimRight(last, "\r\n")):]
	equals := strings.IndexByte(text, '=') + 1
	comment := makeComment().FindString(text[equals:])
	if strings.HasPrefix(comment, "#") {
		comment = " " + comment
	}
	return text[:equals] + " " + value + comment + end
}

// installedPackage matches the package of controller-gen with its version, if it has a literal
// one.
var installedPackage = lazyregexp.New(regexp.QuoteMeta(toolPackage) + `(@v?[0-9][0-9A-Za-z.+-]*|@latest|@master|@main)?`)

// installCommand matches a command that installs a package without a version, at the end of
// its line or before another command.
var installCommand = lazyregexp.New(`\b(go|\$[({]GO[)}]) (install|run|get) (\S+ )*` + regexp.QuoteMeta(productPackage) + `($|[\s;&|)])`)

// toolWord matches the file name of controller-gen in a path, or as the value of a variable.
var toolWord = lazyregexp.New(`(/|[:?]?=\s*)controller-gen\b`)

// renamed returns a line that names schemagen where it named controller-gen.
func renamed(line, version string) string {
	line = installedPackage().ReplaceAllStringFunc(line, func(found string) string {
		if strings.Contains(found, "@") {
			return productPackage + "@" + version
		}
		return productPackage
	})
	if location := installCommand().FindStringIndex(line); location != nil {
		line = line[:location[0]] + strings.Replace(line[location[0]:], productPackage, productPackage+"@"+version, 1)
	}
	return toolWord().ReplaceAllString(line, "${1}schemagen")
}

// install changes the lines that name controller-gen, its package and its version, so that
// schemagen is installed and called instead.
func (e *edit) install(root, version string) {
	rename := func(line string) string { return renamed(line, version) }
	for _, db := range e.databases {
		var versions []string // variables that may have the version
		for _, name := range slices.Sorted(maps.Keys(db.variables)) {
			variable := db.variables[name]
			if !e.isOfTool(db, name) && !strings.Contains(variable.value, toolPackage) {
				continue
			}
			versions = append(versions, db.reach("$("+name+")")...)
			if strings.Contains(variable.value, "controller-gen") {
				e.changeAll(db, root, variable.file, variable.line, rename)
			}
		}
		for _, rule := range db.rules {
			for i, line := range rule.recipe {
				if !strings.Contains(line, toolPackage) && !slices.ContainsFunc(db.reach(line), func(name string) bool {
					return strings.Contains(db.variables[name].value, toolPackage)
				}) {
					continue
				}
				versions = append(versions, references(line)...)
				path, lines := e.file(db, root, rule.file)
				if lines == nil {
					continue
				}
				offset := (&callReader{makefile: e.makefile}).line(&makeDatabase{dir: replacePath(db.dir, root,
					e.dir)}, rule, i)
				if strings.Contains(line, toolPackage) {
					e.changeAll(db, root, rule.file, offset, rename)
				}
				for head := offset - 1; head > 0; head-- { // the target
					if !strings.HasPrefix(lines[head-1], "\t") {
						e.change(path, head, func(line string) string { return toolTarget().ReplaceAllString(line, "${1}schemagen:") })
						break
					}
				}
			}
		}
		for _, name := range versions {
			variable := db.variables[name]
			if !toolVersion().MatchString(variable.value) || e.pinned != "" && variable.value != e.pinned {
				continue
			}
			if path, lines := e.file(db, root, variable.file); variable.line >= 1 && variable.line <= len(lines) &&
				isAssignment(name, lines[variable.line-1]) {
				e.change(path, variable.line,
					func(line string) string { return strings.Replace(line, variable.value, version, 1) })
			}
		}
	}
}

// toolTarget matches a target that is the file of controller-gen.
var toolTarget = lazyregexp.New(`^(\S*/)controller-gen:`)

// toolVersion matches a version of controller-gen.
var toolVersion = lazyregexp.New(`^(v?0\.\d+\.\d+(-[0-9A-Za-z.-]+)?|latest)$`)

// isOfTool reports whether a variable is the one with the tool or one that it refers to.
func (m *makefile) isOfTool(db *makeDatabase, name string) bool {
	return slices.ContainsFunc(m.calls, func(call controllerGenCall) bool {
		return call.variable != "" && slices.Contains(db.reach("$("+call.variable+")"), name)
	})
}

// changeAll changes all lines of the one that begins at a line.
func (e *edit) changeAll(db *makeDatabase, root, file string, line int, target func(string) string) {
	path, lines := e.file(db, root, file)
	if line < 1 || line > len(lines) {
		return
	}
	for n := line; n <= logicalEnd(lines, line); n++ {
		e.change(path, n, target)
	}
}

// outputs returns the changed files.
func (e *edit) outputs(workingDir string) (out []output.File) {
	for _, path := range slices.Sorted(maps.Keys(e.changed)) {
		name := path
		if rel, err := filepath.Rel(workingDir, path); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		out = append(out, output.File{Path: name, Data: []byte(strings.Join(e.lines[path], "")), Before: e.read[path]})
	}
	return out
}

// ProductVersion returns the version of schemagen to install, given that of this program, and
// whether it is a release.
func ProductVersion(program string) (version string, released bool) {
	if v := strings.TrimPrefix(program, "schemagen-"); strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
		return v, true
	}
	return "latest", false
}

// change prints the lines of the Makefile to change, or changes them.
func (r *migration) change(ctx context.Context, m *makefile) error {
	var direct []string
	for _, call := range m.calls {
		if call.variable == "" && call.line > 0 {
			direct = append(direct, fmt.Sprintf("%s:%d", call.file, call.line))
		}
	}
	if len(direct) > 0 {
		fmt.Fprintf(r.out, "\nThese lines call controller-gen directly; change them to call %s: %s\n", cmp.Or(r.With, "schemagen"), strings.Join(slices.Compact(direct), ", "))
	}
	if len(m.databases) == 0 || len(direct) == len(m.calls) {
		return r.notWritten("no variable has the tool")
	}
	if r.With == "" && r.callsProduct(m) {
		fmt.Fprintf(r.out, "\n%s already calls schemagen.\n", m.path)
		return nil
	}
	version, released := ProductVersion(r.Version)
	e := &edit{makefile: m, dir: r.project.root, lines: map[string][]string{}, read: map[string][]byte{},
		changed: map[string]bool{}}
	installs := r.With == "" && m.installs()
	if installs {
		e.install(r.makeCopy, version)
	} else {
		r.With = cmp.Or(r.With, "schemagen")
		e.setTool(r.makeCopy, r.With)
	}
	outputs := e.outputs(r.project.root)
	for i, file := range outputs { // shown relative to the working directory, if they are below it
		path := filepath.Join(r.project.root, file.Path)
		if filepath.IsAbs(file.Path) {
			path = file.Path
		}
		if !output.IsBelow(r.project.root, path) {
			fmt.Fprintf(r.out, "\n%s is outside the project, and not changed\n", path)
			return r.notWritten("it would change a file outside the project")
		}
		outputs[i].Path = path
		if rel, err := filepath.Rel(output.Physical(r.Dir), path); err == nil && filepath.IsLocal(rel) {
			outputs[i].Path = rel
		}
	}
	if len(outputs) == 0 {
		if r.callsProduct(m) {
			fmt.Fprintf(r.out, "\n%s already calls %s.\n", m.path, r.With)
			return nil
		}
		fmt.Fprintf(r.out, "\n%s has no line that sets %s: run make %[2]s=%s\n", m.path, toolVariable, cmp.Or(r.With, "schemagen"))
		return r.notWritten("no line sets the tool")
	}
	fmt.Fprintln(r.out)
	if _, err := r.writer().Commit(ctx, outputs, output.Diff, r.out); err != nil {
		return r.unwritten(err)
	}
	if installs && !released {
		fmt.Fprintf(r.out, "This schemagen is a development build without a version to pin: the Makefile installs the latest release.\n")
	}
	problem, err := r.verifyChange(ctx, m, outputs)
	if err != nil {
		return err
	}
	return r.writeChange(ctx, outputs, problem)
}

// writeChange writes the changed files, unless something speaks against it, which it prints.
func (r *migration) writeChange(ctx context.Context, outputs []output.File, problem string) error {
	unless := "not all files are equal"
	once := "all files are equal"
	if r.rejects {
		unless = "schemagen reports errors in the source"
		once = "the errors that schemagen reports are fixed"
	}
	switch {
	case problem != "":
		r.differs = true
		fmt.Fprintf(r.out, "The Makefile was not changed: %s\n", problem)
	case r.differs && r.Write:
		fmt.Fprintf(r.out, "The Makefile was not changed: %s.\n", cmp.Or(r.reason, unless))
	case r.differs:
		fmt.Fprintf(r.out, "schemagen migrate --write makes this change once %s.\n", once)
	case !r.Write:
		fmt.Fprintln(r.out, "schemagen migrate --write makes this change.")
	default:
		if reason := r.protected(outputs); reason != "" {
			return r.notWritten(reason)
		}
		if _, err := r.writer().Commit(ctx, outputs, output.Write, r.out); err != nil {
			return r.unwritten(err)
		}
		for _, file := range outputs {
			fmt.Fprintf(r.out, "wrote %s\n", file.Path)
		}
	}
	return nil
}

// writer returns where files may be written: in the project.
func (r *migration) writer() *output.Writer { return &output.Writer{Root: r.project.root} }

// unwritten prints why a file must not be written. It returns other errors.
func (r *migration) unwritten(err error) error {
	if refused, ok := errors.AsType[*output.Refused](err); ok {
		return r.notWritten(refused.Error())
	}
	return err
}

// protected returns why one of the files must not be replaced, or "".
func (r *migration) protected(files []output.File) string {
	for _, file := range files {
		path := file.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(output.Physical(r.Dir), path)
		}
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return err.Error()
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Sprintf("%s is a symlink to %s", file.Path, output.Physical(path))
		case info.Mode().Perm()&0o200 == 0:
			return file.Path + " is read-only"
		}
	}
	return ""
}

// notWritten says that --write has nothing to write, and why.
func (r *migration) notWritten(reason string) error {
	if r.Write {
		r.differs = true
		fmt.Fprintf(r.out, "The Makefile was not changed: %s.\n", reason)
	}
	return nil
}

// callsProduct reports whether all calls run schemagen.
func (r *migration) callsProduct(m *makefile) bool {
	return !slices.ContainsFunc(m.calls, func(call controllerGenCall) bool { return !r.isProduct(call) })
}

// isProduct reports whether a call runs schemagen.
func (r *migration) isProduct(call controllerGenCall) bool {
	if r.With != "" && slices.Equal(call.tool, strings.Fields(r.With)) {
		return true
	}
	return r.With == "" && slices.ContainsFunc(call.tool, func(word string) bool {
		return strings.HasPrefix(filepath.Base(word), "schemagen")
	})
}

// verifyChange asks make, in another copy, whether the changed files call schemagen. It returns
// what is wrong, or "".
func (r *migration) verifyChange(ctx context.Context, m *makefile, outputs []output.File) (problem string, err error) {
	copied, err := r.project.newGitCopy(ctx, io.Discard)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(copied)
	var inCopy []output.File
	for _, file := range outputs {
		path := file.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(output.Physical(r.Dir), path)
		}
		inCopy = append(inCopy, output.File{Path: replacePath(path, r.project.root, copied), Data: file.Data})
	}
	writer := output.Writer{Root: output.Physical(copied)}
	if _, err := writer.Commit(ctx, inCopy, output.Write, io.Discard); err != nil {
		return "", err
	}
	newMakefile, err := r.readMakefile(ctx, copied, replacePath(r.makefileDir(m.path), r.project.root, copied),
		m.path, m.goals...)
	if err != nil {
		return err.Error(), nil
	}
	if target := newMakefile.installsAs(strings.Fields(r.With)); target != "" {
		return fmt.Sprintf("it has a rule that would install controller-gen as %s; without --with, the rule is changed, too", target), nil
	}
	for i, call := range m.calls {
		if call.variable == "" {
			continue
		}
		if i >= len(newMakefile.calls) {
			return fmt.Sprintf("%smake would no longer reach it; pass the command to call with --with", call.where()), nil
		}
		if !slices.Equal(newMakefile.calls[i].args, call.args) {
			return fmt.Sprintf("%sthe arguments would change", call.where()), nil
		}
		changed := newMakefile.calls[i]
		if r.isProduct(changed) {
			continue
		}
		if len(changed.tool) == 1 && changed.tool[0] == r.With {
			return fmt.Sprintf("recipes quote %s, so its value must be a single word: remove the quotes to use %q", changed.variable, r.With), nil
		}
		return fmt.Sprintf("%sit would still call %s; pass the command to call with --with", call.where(), strings.Join(changed.tool, " ")), nil
	}
	return "", nil
}
