package source

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/markers"
)

// packageMarkers begin the markers that describe a package, after the plus sign. gateMarkers begin
// the markers that depend on gates. A file is parsed for these markers only if it contains one of the texts.
var (
	packageMarkers = [...]string{
		markers.GroupName, markers.VersionName, markers.SkipName, markers.OptionalName, "schemagen:",
	}
	gateMarkers = [...]string{markers.WhenName, markers.DocName, "k8s:if", "openshift:"}
)

// Index scans the files of the package once. It parses those with declarations of types
// that the scan cannot recognize, and reports files that cannot be read.
func (p *Package) Index() {
	if p.types != nil {
		return
	}
	p.program.Scan([]*Package{p})
	p.types = map[string]*Type{}
	for _, f := range p.Sources {
		if f.unreadable != nil {
			p.program.problems.Unreadable(p, f.Name, f.unreadable)
			f.parsed = true
		} else if f.hintsIncomplete {
			f.Parse()
		}
	}
}

// Scan scans the files of packages in parallel, once.
func (prog *Program) Scan(packages []*Package) {
	var scanned []*Package
	for _, p := range packages {
		if p.hints == nil {
			p.hints = map[string][]*File{}
			scanned = append(scanned, p)
		}
	}
	prog.scan(scanned)
	for _, p := range scanned {
		for _, t := range prog.texts[p.Package] {
			f := &File{text: t, Pkg: p, MentionsPackage: t.mentionsPackage || prog.markers.Corrects(t.Name)}
			p.Sources = append(p.Sources, f)
			for _, name := range t.hints {
				p.hints[name] = append(p.hints[name], f)
			}
		}
	}
}

// scan scans each file of the packages once, in parallel, and assigns the file its positions
// in the file set, which are the same in every run.
func (files *Files) scan(packages []*Package) {
	var unscanned []**text
	for _, p := range packages {
		if _, ok := files.texts[p.Package]; ok {
			continue
		}
		texts := make([]*text, len(p.Files))
		for i, name := range p.Files {
			texts[i] = &text{textKey: textKey{name, p.Local(), p.Root}}
			unscanned = append(unscanned, &texts[i])
		}
		files.texts[p.Package] = texts
	}
	parallel.Workers(len(unscanned), func() func(int) {
		var c content
		return func(i int) { *unscanned[i] = files.scanText(*unscanned[i], &c) }
	})
	for _, f := range unscanned {
		files.place(*f)
	}
}

// scanText scans the bytes of a file, unless it was scanned in an earlier run and has not changed, and
// returns it, or the text of an earlier run that is the same.
func (files *Files) scanText(f *text, c *content) *text {
	if same := files.kept.unread(f, files.inputs); same != nil {
		return same
	}
	if scanned, ok := files.inputs.Recall(f.Name); ok && f.recall(scanned) {
		return f
	}
	if err := files.read(f, c); err != nil {
		f.unreadable = err
		f.mayMatter = true
		return f
	}
	f.size = len(c.all)
	if same := files.kept.same(f, c.all); same != nil {
		return same
	}
	src := c.visible()
	f.mayMatter = f.root && mayMatter(c.all, src)
	f.MentionsKind = bytes.Contains(src, []byte("TypeMeta")) && bytes.Contains(src, []byte("ObjectMeta"))
	f.mentionsMarshal = bytes.Contains(src, []byte("MarshalJSON(")) || bytes.Contains(src, []byte("MarshalText("))
	f.mentionsIsZero = bytes.Contains(src, []byte("IsZero("))
	f.hasConstants = hasConstants(src)
	f.MentionsDeepCopy = bytes.Contains(src, []byte("DeepCopy"))
	f.MentionsObject = f.root && MentionsObject(src)
	f.MentionsApply = f.root && bytes.Contains(src, []byte("+kubebuilder:ac:"))
	f.scanMarkers(src)
	f.MentionsConfig = f.root && (bytes.Contains(src, []byte(markers.RBACName)) ||
		bytes.Contains(src, []byte(markers.WebhookName)))
	f.SuspectMarkers = f.root && files.table.SuspectMarkers(src)
	f.hintsIncomplete = typeHints(src, func(name string) { f.hints = append(f.hints, name) })
	files.inputs.Derive(f.Name, f.scanned())
	return f
}

// scanMarkers finds the markers of a file that describe a package or depend on gates, in one pass:
// generated code is most of the text, and has many plus signs.
func (f *text) scanMarkers(src []byte) {
	for _, tail, ok := bytes.Cut(src, []byte("+")); ok; _, tail, ok = bytes.Cut(tail, []byte("+")) {
		if len(tail) == 0 || tail[0] < 'a' || tail[0] > 'z' {
			continue
		}
		begins := func(marker string) bool { return bytes.HasPrefix(tail, []byte(marker)) }
		f.mentionsPackage = f.mentionsPackage || slices.ContainsFunc(packageMarkers[:], begins)
		f.mentionsGates = f.mentionsGates || slices.ContainsFunc(gateMarkers[:], begins)
	}
}

// mayMatter reports whether a file has a kind or a marker of a generator, or had one before a
// syntax error was made. What is left of them are the names of the metadata types, the prefix of a
// marker, a comment that begins with +, or a line without its slashes.
func mayMatter(all, visible []byte) bool {
	for _, text := range [...]string{"kubebuilder:", "schemagen:", "k8s:"} {
		if bytes.Contains(all, []byte(text)) {
			return true
		}
	}
	if bytes.Contains(all, []byte("TypeMeta")) && bytes.Contains(all, []byte("ObjectMeta")) {
		return true
	}
	for head, tail, ok := bytes.Cut(all, []byte("+")); ok; head, tail, ok = bytes.Cut(tail, []byte("+")) {
		if bytes.HasSuffix(bytes.TrimRight(head, " \t"), []byte("//")) {
			return true
		}
	}
	return !regular(visible)
}

// regular reports whether there is a package clause, and each line begins as it does after gofmt
// outside of raw strings: with white space, a closing bracket, a comment, or the keyword of a
// declaration.
func regular(src []byte) bool {
	clause := false
	for len(src) > 0 {
		if rest, ok := bytes.CutPrefix(src, []byte("/*")); ok {
			_, src, ok = bytes.Cut(rest, []byte("*/"))
			if !ok {
				return false
			}
		} else if !startsRegularly(src) {
			return false
		}
		clause = clause || bytes.HasPrefix(src, []byte("package "))
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	return clause
}

func startsRegularly(line []byte) bool {
	starts := [...]string{
		"\t", "\n", "\r", " ", ")\n", ")\r", "}\n", "}\r", "//", "func ", "type ", "import ", "const ", "var ", "package ",
	}
	for _, start := range starts {
		if bytes.HasPrefix(line, []byte(start)) {
			return true
		}
	}
	return false
}

// MentionsObject reports whether the content of a file contains a marker of the generator object.
func MentionsObject(src []byte) bool {
	return bytes.Contains(src, []byte("+kubebuilder:object:")) || bytes.Contains(src, []byte("+"+markers.DeepCopyName))
}

// typeHints calls hint for each name after the keyword type where a declaration can begin.
// incomplete reports whether there are declarations that this does not find: in a group,
// or with a comment after the keyword.
func typeHints(src []byte, hint func(string)) (incomplete bool) {
	return hints(src, "type", "(/", hint)
}

// hints calls hint for each name after a keyword where a declaration can begin. incomplete reports
// whether the keyword is followed by one of the bytes in others instead.
func hints(src []byte, keyword, others string, hint func(string)) (incomplete bool) {
	for offset := 1; offset < len(src); {
		i := bytes.IndexByte(src[offset:], keyword[1]) // which is rarer than the first letter
		if i < 0 {
			break
		}
		start := offset + i - 1
		offset = start + len(keyword)
		if !bytes.HasPrefix(src[start:], []byte(keyword)) || !startsDeclaration(src[:start]) || offset == len(src) {
			continue
		}
		rest := bytes.TrimLeft(src[offset:], " \t\r\n")
		if name := identifier(rest); name == "" {
			incomplete = incomplete || len(rest) > 0 && strings.IndexByte(others, rest[0]) >= 0
		} else if len(rest) < len(src[offset:]) { // otherwise it is a longer word
			hint(name)
		}
	}
	return incomplete
}

// startsDeclaration reports whether a declaration can begin after the text: at the start of
// a line, or after a semicolon or a comment.
func startsDeclaration(head []byte) bool {
	n := len(head)
	for n > 0 && (head[n-1] == ' ' || head[n-1] == '\t' || head[n-1] == '\r') {
		n--
	}
	return n == 0 || head[n-1] == '\n' || head[n-1] == ';' || bytes.HasSuffix(head[:n], []byte("*/")) ||
		string(head[:n]) == "\uFEFF"
}

func identifier(src []byte) string {
	n := 0
	for n < len(src) {
		r, size := utf8.DecodeRune(src[n:])
		if r != '_' && !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	return string(src[:n])
}

// AnyFile reports whether match returns true for the content of any file of the package. Files
// that cannot be read are skipped here and reported when the package is indexed.
func (p *Package) AnyFile(match func(src []byte) bool) bool {
	return slices.ContainsFunc(p.Files, func(name string) bool {
		src, err := p.program.ReadFile(name)
		return err == nil && match(src)
	})
}
