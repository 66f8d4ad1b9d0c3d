package migrate

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// toolPackage is the package from which controller-gen is installed, productPackage that of schemagen.
const (
	toolPackage    = "sigs.k8s.io/controller-tools/cmd/controller-gen"
	productPackage = "github.com/schemagen/schemagen/cmd/schemagen"
)

// edits change the text of files so that they install and call schemagen. They are rules for text and
// not certain to be right: [migration.prove] decides.
type edits struct {
	// version is the version of schemagen to install.
	version string
	// with is the command to call; if it is set, nothing else is changed.
	with string
	// known are versions of controller-gen that the project installs. They are replaced on every line
	// that names the tool.
	known []string
	// drop removes the searches in PATH from values as well as from conditions, and run lets go run programs
	// that are called by their names: another one may be first in PATH.
	drop, run bool

	// installs is set if a file installs controller-gen. names are the variables with its version in the file
	// that is changed: the shared ones, and the file's own. used are those with which a file installs it.
	installs            bool
	names, shared, used map[string]bool
	own                 map[string]map[string]bool
	// values are the values that files assign to variables.
	values map[string][]string
	// installers are the functions of Makefiles that get the package of controller-gen.
	installers map[string]bool
}

// fileKind is the syntax of a file.
type fileKind int

const (
	otherFile fileKind = iota
	makeFile
	scriptFile
	goFile
)

// kindOf returns the syntax of a file, given its name and its beginning.
func kindOf(name string, data []byte) fileKind {
	base := path.Base(name)
	switch {
	case slices.Contains(makefileNames(), base), strings.HasSuffix(base, ".mk"), strings.HasPrefix(base, "Makefile."):
		return makeFile
	case strings.HasSuffix(base, ".sh"), strings.HasSuffix(base, ".bash"), strings.HasSuffix(base, ".env"), isShebang(data):
		return scriptFile
	case strings.HasSuffix(base, ".go"):
		return goFile
	}
	return otherFile
}

// isShebang reports whether a file starts with the line that makes it a shell script.
func isShebang(data []byte) bool { return shebang().Match(data) }

var shebang = lazyregexp.New(`^#!.*\b(ba|z|da|k)?sh\b`)

// apply returns the files that change.
func (e *edits) apply(files map[string][]byte) map[string][]byte {
	changed := map[string][]byte{}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		text := string(files[name])
		e.installs = e.installs || strings.Contains(text, toolPackage) || downloadCommand().MatchString(text)
	}
	e.findVersions(files)
	for _, name := range names {
		e.names = e.versionNames(name)
		if text := e.file(kindOf(name, files[name]), string(files[name])); text != string(files[name]) {
			changed[name] = []byte(text)
		}
	}
	return changed
}

// reference is a regular expression for a reference of make or of a shell to a variable.
const reference = `\$+[({]?([A-Za-z_]\w*)[)}]?`

var (
	anyVariable      = lazyregexp.New(reference)
	versionReference = lazyregexp.New(`(?:` + regexp.QuoteMeta(toolPackage) + `@|` + peerName + `-|/controller-tools/\S*/)["']?v?` + reference)
	versionName      = lazyregexp.New(`(?i)^controller[-_]?(gen|tools?)\w*ver(sion)?$`)
	packageInCall    = lazyregexp.New(`\$\(call[ \t]+([^\s,]*).*` + regexp.QuoteMeta(toolPackage) + `.*`)
	// goGet matches go get of the argument of a function. It installs no programs since Go 1.17.
	goGet          = lazyregexp.New(`(` + goProgram + space + `)get(` + space + `)((?:-[du]` + space + `)*)(["']?\$\(\d\))`)
	literalVersion = lazyregexp.New(`\bv?\d+\.\d+\.\d+(-[0-9A-Za-z][0-9A-Za-z.-]*)?\b|^["']?(latest|main|master)["']?$`)
	// assignment has the head, the name, the operator and the value.
	assignment = lazyregexp.New(`(?s)^([ \t]*(?:[^\s:=$"'#]+:[ \t]+)?(?:export[ \t]+|override[ \t]+|readonly[ \t]+|local[ \t]+|declare[ \t]+(?:-\w+[ \t]+)*)*)` +
		`([A-Za-z_][\w.-]*)([ \t]*(?:\?|\+|!|:{0,3})=)(.*)$`)
)

// findVersions finds the names of variables with the version of controller-gen. If the file that uses one
// sets it, too, those of other files with this name may be others.
func (e *edits) findVersions(files map[string][]byte) {
	e.shared = map[string]bool{}
	e.own = map[string]map[string]bool{}
	e.values = map[string][]string{}
	e.installers = map[string]bool{}
	e.used = map[string]bool{}
	used := map[string][]string{}
	for name, data := range files { // the order has no effect
		e.own[name] = map[string]bool{}
		text := string(data)
		for _, match := range versionReference().FindAllStringSubmatch(text, -1) {
			used[name] = append(used[name], match[1])
		}
		for _, line := range logicalLines(text) {
			if match := assignment().FindStringSubmatch(line); match != nil && kindOf(name, data) != goFile {
				e.values[match[2]] = append(e.values[match[2]], match[4])
				e.own[name][match[2]] = false
				e.shared[match[2]] = e.shared[match[2]] || versionName().MatchString(match[2])
			}
			call := packageInCall().FindStringSubmatch(line)
			if call == nil {
				continue
			}
			e.installers[call[1]] = true
			for _, match := range anyVariable().FindAllStringSubmatch(call[0], -1) {
				if strings.Contains(strings.ToLower(match[1]), "ver") {
					used[name] = append(used[name], match[1])
				}
			}
		}
	}
	// The package, or the name of the file, may be the value of a variable.
	for _, variable := range slices.Sorted(maps.Keys(e.values)) {
		if !slices.ContainsFunc(e.values[variable], func(value string) bool { return toolItself().MatchString(strings.TrimSpace(value)) }) {
			continue
		}
		after := regexp.MustCompile(`\$+[({]` + regexp.QuoteMeta(variable) + `[)}][@-]v?` + reference)
		for name, data := range files {
			for _, match := range after.FindAllStringSubmatch(string(data), -1) {
				used[name] = append(used[name], match[1])
			}
		}
	}
	for name, variables := range used {
		for _, variable := range variables {
			e.used[variable] = true
			if _, isOwn := e.own[name][variable]; isOwn {
				e.own[name][variable] = true
			} else {
				e.shared[variable] = true
			}
		}
	}
}

// versionNames returns the names of the variables with the version in a file, with those that have it as their value.
func (e *edits) versionNames(file string) map[string]bool {
	names := map[string]bool{}
	for _, found := range []map[string]bool{e.shared, e.own[file]} {
		for name, isVersion := range found {
			if isVersion && e.values[name] != nil { // otherwise the environment has it, or a function
				names[name] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, name := range slices.Sorted(maps.Keys(names)) {
			for _, value := range e.values[name] {
				match := onlyReference().FindStringSubmatch(strings.TrimSpace(value))
				if match != nil && e.values[match[1]] != nil && !names[match[1]] {
					names[match[1]] = true
					changed = true
				}
			}
		}
	}
	return names
}

// toolItself matches the package of controller-gen and its name.
var toolItself = lazyregexp.New(`^["']?(` + regexp.QuoteMeta(toolPackage) + `|` + peerName + `)["']?$`)

// onlyReference matches a value that is a reference to a variable.
var onlyReference = lazyregexp.New(`^["']?` + reference + `["']?$`)

// logicalLines splits a text into lines, each with the lines that continue it.
func logicalLines(text string) (out []string) {
	current := ""
	for line := range strings.Lines(text) {
		current += line
		if !strings.HasSuffix(strings.TrimRight(line, "\r\n"), `\`) {
			out = append(out, current)
			current = ""
		}
	}
	if current != "" {
		out = append(out, current)
	}
	return out
}

var (
	condition = lazyregexp.New(`^\s*(else\s+)?ifn?eq\b`)
	ruleLine  = lazyregexp.New(`^[^\t#=]*:([^=]|$)`)
)

// file returns the changed text of a file.
func (e *edits) file(kind fileKind, text string) string {
	var out strings.Builder
	defined := ""
	for _, line := range logicalLines(text) {
		first := strings.TrimSpace(line)
		if words := strings.Fields(first); len(words) > 1 && words[0] == "define" {
			defined = words[1]
		} else if first == "endef" {
			defined = ""
		}
		switch {
		case kind == goFile && !strings.HasPrefix(line, "//go:generate "), kind == otherFile:
		case kind != goFile && strings.HasPrefix(first, "#"):
		case e.with != "":
			line = e.setTool(line)
		case kind == makeFile && condition().MatchString(line):
			line = e.words(cutShell(line), "")
		case assignment().MatchString(line) && kind != goFile:
			line = e.assign(line, kind)
		case e.installers[defined]:
			line = e.command(goGet().ReplaceAllString(line, "${1}install${2}${4}"), "$$")
		case kind == makeFile && defined == "" && !strings.HasPrefix(line, "\t") && ruleLine().MatchString(line):
			line = e.words(line, "/")
		case kind == makeFile:
			line = e.command(line, "$$")
		default:
			line = e.command(line, "$")
		}
		out.WriteString(line)
	}
	return out.String()
}

// setTool gives a variable with the tool another value.
func (e *edits) setTool(line string) string {
	match := assignment().FindStringSubmatch(line)
	if match == nil || strings.HasPrefix(line, "\t") || !toolValue().MatchString(makeComment().ReplaceAllString(strings.TrimRight(match[4], "\r\n"), "")) {
		return line
	}
	return match[1] + match[2] + match[3] + withValue(match[4], e.with)
}

// toolValue matches a value that names the tool.
var toolValue = lazyregexp.New(`(^|[/\s"'])controller-gen(@\S*|-\S*)?["')]*\s*$`)

// makeComment matches a comment at the end of a line.
var makeComment = lazyregexp.New(`(^|\s)#.*$`)

// withValue returns the end of an assignment with another value. Its comment remains.
func withValue(old, value string) string {
	text := strings.TrimRight(old, "\r\n")
	comment := makeComment().FindString(text)
	if strings.HasPrefix(comment, "#") {
		comment = " " + comment
	}
	space := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	return space + value + comment + old[len(text):]
}

// assign changes an assignment.
func (e *edits) assign(line string, kind fileKind) string {
	match := assignment().FindStringSubmatch(line)
	if !e.names[match[2]] {
		dollar := "$"
		if kind == makeFile {
			dollar = "$$"
		}
		if installed := e.installedAs(match[2], match[4]); installed != "" {
			match[4] = withValue(match[4], installed)
		}
		if e.drop && e.installs {
			match[4] = cutShell(match[4])
		}
		// In a recipe, it may be a command with a variable of its own.
		return e.command(match[1]+match[2]+match[3]+match[4], dollar)
	}
	value := strings.TrimSpace(makeComment().ReplaceAllString(strings.TrimRight(match[4], "\r\n"), ""))
	if inner := onlyReference().FindStringSubmatch(value); inner != nil && e.names[inner[1]] {
		return line
	}
	changed := literalVersion().ReplaceAllStringFunc(value, func(old string) string {
		bare := strings.Trim(old, `"'`)
		return strings.Replace(old, bare, e.formed(bare), 1)
	})
	if changed == value {
		if !e.used[match[2]] || !concernsTool().MatchString(line) {
			return line // a computed value that may have other uses
		}
		changed = e.version
	}
	return match[1] + match[2] + match[3] + withValue(match[4], changed)
}

// installedAs returns the value that a variable has where the tool is installed, for one that is the result
// of a search in PATH, or "".
func (e *edits) installedAs(name, value string) string {
	if !e.installs || !searchValue().MatchString(value) {
		return ""
	}
	for _, other := range e.values[name] {
		if !searchValue().MatchString(other) && namesTool().MatchString(other) {
			return strings.TrimSpace(makeComment().ReplaceAllString(strings.TrimRight(other, "\r\n"), ""))
		}
	}
	return ""
}

// searchValue matches a value that is the result of a search for the tool in PATH.
var searchValue = lazyregexp.New(`\$\((shell\s+)?(which|command -v|type -P)\s+["']?` + peerName + `["']?[^()]*\)`)

// formed returns the version to write in place of another one, without its v if that has none.
func (e *edits) formed(old string) string {
	if old != "" && old[0] >= '0' && old[0] <= '9' {
		return strings.TrimPrefix(e.version, "v")
	}
	return e.version
}

// cutShell removes the calls of make's function shell that name the tool.
func cutShell(text string) string {
	for from := 0; ; {
		start := strings.Index(text[from:], "$(shell ")
		if start < 0 {
			return text
		}
		start += from
		end := start + balanced(text[start:])
		if namesTool().MatchString(text[start:end]) {
			text = text[:start] + text[end:]
			from = start
			continue
		}
		from = start + 1
	}
}

var namesTool = lazyregexp.New(`\bcontroller-gen\b|CONTROLLER_GEN\b`)

// balanced returns the length of the reference at the beginning of a text, with those in it.
func balanced(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// Parts of regular expressions for commands in recipes and scripts, which may be continued.
const (
	space     = `(?:[ \t]|\\\r?\n)+`
	goProgram = `(?:\bgo|\$[({]GO[A-Z_]*[)}]|"?\$\{?GO\}?"?)`
	flags     = `((?:-[^\s;&|]+` + space + `)*)`
	inDir     = `(?:` + space + `-C[ \t=]\S+)?`
)

var (
	// goTool matches go tool with the tool, goToolPath a question for its path.
	goTool     = lazyregexp.New(`(` + goProgram + inDir + space + `)tool` + space + flags + `(?:` + regexp.QuoteMeta(toolPackage) + `|` + peerName + `\b)`)
	goToolPath = lazyregexp.New(`\$\(shell` + space + goProgram + space + `tool` + space + flags + `-n` + space + `(?:` + regexp.QuoteMeta(toolPackage) + `|` + peerName + `)[ \t]*\)`)
	// goBuild has the variables, the command, the target and the package.
	goBuild = lazyregexp.New(`((?:\b[A-Z][A-Z0-9_]*=[^\s;&|]*` + space + `)*)(` + goProgram + `)` + inDir + space + `build\b([^;&|]*?)` + space + `-o[ =]` +
		`((?:\$\([^()]*\)|[^\s;&|])+)[^;&|]*?["']?[^\s"';&|]*` + regexp.QuoteMeta(toolPackage) + `["']?`)
	// goCommand has the command and its flags, before the package.
	goCommand = lazyregexp.New(`(` + goProgram + inDir + space + `)(install|run|get)(` + space + `)` + flags + `(["']?)[^\s"'@]*` + regexp.QuoteMeta(toolPackage) + `(@?)`)
	// moduleFlag matches a flag that go does not accept for a package with a version.
	moduleFlag      = lazyregexp.New(`-(mod|modfile)=[^\s]*` + space + `|-[ud]` + space)
	downloadCommand = lazyregexp.New(`(?:\bcurl|\bwget|\$[({]CURL[)}])\b?[^;&|]*/controller-tools/[^;&|\r\n]*`)
	downloadTarget  = lazyregexp.New(`(?:-[a-zA-Z]*[oO]|--output)[ \t]+([^\s]+)|>[ \t]*([^\s]+)`)
	// search matches a search for the tool in PATH by a shell.
	search = lazyregexp.New(`\b(which|command -v|type -P|type|hash)[ \t]+["']?` + peerName + `["']?`)
)

// command changes a line of a recipe or of a script. dollar is how it refers to variables of the shell.
func (e *edits) command(line, dollar string) string {
	if !strings.Contains(line, peerName) && !strings.Contains(line, "controller-tools") {
		return e.knownVersions(line)
	}
	product := func(version string) string { return productPackage + "@" + version }
	install := func(variables, program, version, target string) string {
		bin := dollar + "bin"
		return fmt.Sprintf("{ bin=%s(mktemp -d) && %sGOBIN=%s %s install %s && mv %s/%s %s; }", dollar, variables, bin, program,
			product(version), bin, productName, target)
	}
	line = goToolPath().ReplaceAllStringFunc(line, func(string) string { return "go run " + product(e.version) })
	line = goTool().ReplaceAllString(line, "${1}run "+product(e.version))
	line = goBuild().ReplaceAllStringFunc(line, func(text string) string {
		match := goBuild().FindStringSubmatch(text)
		return install(match[1], match[2], e.version, match[4])
	})
	line = downloadCommand().ReplaceAllStringFunc(line, func(text string) string {
		target := downloadTarget().FindStringSubmatch(text)
		if target == nil {
			return text
		}
		version := ""
		if match := versionReference().FindStringSubmatch(text); match != nil && e.names[match[1]] {
			version = "v" + strings.TrimPrefix(match[0][strings.Index(match[0], "$"):], "v")
			version = strings.TrimPrefix(version, "v")
		}
		if version == "" {
			version = e.version
		}
		return install("", "go", version, target[1]+target[2]) + text[len(strings.TrimRight(text, " \t\\\r\n")):]
	})
	line = goCommand().ReplaceAllStringFunc(line, func(text string) string {
		match := goCommand().FindStringSubmatch(text)
		command := strings.Replace(match[2], "get", "install", 1)
		flags := moduleFlag().ReplaceAllString(match[4], "")
		if match[6] == "@" {
			return match[1] + command + match[3] + flags + match[5] + toolPackage + "@"
		}
		return match[1] + command + match[3] + flags + match[5] + product(e.version)
	})
	line = e.knownVersions(e.packages(line))
	if e.installs {
		line = search().ReplaceAllString(line, "false")
	}
	return e.words(line, "")
}

// packages replaces the package of controller-gen. Its version remains if it is a variable that is
// changed.
func (e *edits) packages(line string) string {
	var out strings.Builder
	for {
		head, tail, found := strings.Cut(line, toolPackage)
		out.WriteString(head)
		if !found {
			return out.String()
		}
		out.WriteString(productPackage)
		if strings.HasPrefix(tail, "@") {
			start := 1 + len(tail[1:]) - len(strings.TrimLeft(tail[1:], `"'`))
			end := start
			for end < len(tail) && !strings.ContainsRune(" \t\r\n\"';,)&|\\`", rune(tail[end])) {
				if tail[end] == '$' && end+1 < len(tail) {
					rest := strings.TrimLeft(tail[end:], "$")
					skipped := len(tail) - end - len(rest)
					if rest != "" && strings.ContainsRune("({", rune(rest[0])) {
						end += skipped + balanced(rest)
						continue
					}
				}
				end++
			}
			token := tail[start:end]
			match := versionToken().FindStringSubmatch(token)
			if match == nil || !e.names[match[1]] {
				token = e.version
			}
			out.WriteString(tail[:start] + token)
			tail = tail[end:]
		}
		line = tail
	}
}

// versionToken matches a version that is a variable.
var versionToken = lazyregexp.New(`^v?` + reference + `$`)

// knownVersions replaces versions that the project installs, on a line that names the tool.
func (e *edits) knownVersions(line string) string {
	if !namesTool().MatchString(line) && !strings.Contains(line, productPackage) {
		return line
	}
	return literalVersion().ReplaceAllStringFunc(line, func(old string) string {
		if !slices.Contains(e.known, old) && !slices.Contains(e.known, "v"+old) {
			return old
		}
		return e.formed(old)
	})
}

// words replaces the word controller-gen where it may be a program: after before, if that is set, and
// else anywhere but in the names of other files and after make.
func (e *edits) words(line, before string) string {
	var out strings.Builder
	rest := line
	for {
		head, tail, found := strings.Cut(rest, peerName)
		out.WriteString(head)
		if !found {
			return out.String()
		}
		previous := strings.TrimLeft(out.String(), "\t @-+")
		begins := previous == "" || strings.ContainsRune(" \t\"'/=(,;|&{[`", rune(previous[len(previous)-1]))
		ends := tail == "" || !wordContinues().MatchString(tail)
		word := peerName
		if begins && ends && (strings.HasSuffix(previous, "/") || !makesTarget().MatchString(previous)) && strings.HasSuffix(previous, before) {
			word = productName
			if e.run && before == "" && !strings.HasSuffix(previous, "/") && strings.TrimLeft(tail, " \t\\") != tail {
				word = "go run " + productPackage + "@" + e.version
			}
		}
		out.WriteString(word)
		rest = tail
	}
}

var (
	// wordContinues matches what makes controller-gen a part of another name.
	wordContinues = lazyregexp.New(`^([A-Za-z0-9_/]|-[^v0-9$]|\.[A-Za-z])`)
	// makesTarget matches a call of make before its targets.
	makesTarget = lazyregexp.New(`(\$[({]MAKE[)}]|\bmake)(\s+[^;&|]*)?\s$`)
)

// ProductVersion returns the version of schemagen to install, given that of this program, and
// whether it is a release.
func ProductVersion(program string) (version string, released bool) {
	if v := strings.TrimPrefix(program, "schemagen-"); strings.HasPrefix(v, "v") && !strings.Contains(v, "+") {
		return v, true
	}
	return "latest", false
}
