package inputs

import (
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/snapshot"
)

// Facts returns facts from which it follows that the record holds, or false if the content
// of a file would have to be read to find out. Those about files that changed last come
// first: they are the most likely to change again.
func (rec Record) Facts() ([]snapshot.Fact, bool) {
	if rec.HasUnstamped() {
		return nil, false
	}
	byAge := slices.Clone(rec)
	slices.SortStableFunc(byAge, func(a, b entry) int { return cmp.Compare(b.stamp.Modified, a.stamp.Modified) })
	var out []snapshot.Fact
	seen := map[snapshot.Fact]bool{}
	for _, e := range byAge {
		facts, ok := e.facts()
		if !ok {
			return nil, false
		}
		for _, f := range facts {
			if !seen[f] {
				seen[f] = true
				out = append(out, f)
			}
		}
	}
	return out, true
}

// HasUnstamped reports whether a file or directory that exists has no stamp.
func (rec Record) HasUnstamped() bool { return slices.ContainsFunc(rec, entry.isUnstamped) }

func (e entry) isUnstamped() bool {
	content := e.op == opFile || e.op == opPart || e.op == opHead || e.op == opDir
	return content && e.stamp == (stamp{}) && e.answer != snapshot.Missing
}

// facts returns facts from which the answer follows, without reading the content of files.
func (e entry) facts() (out []snapshot.Fact, ok bool) {
	about := func(about snapshot.About) ([]snapshot.Fact, bool) {
		return []snapshot.Fact{{About: about, Name: e.name, Value: string(e.answer)}}, true
	}
	isError := strings.HasPrefix(string(e.answer), `"`)
	switch e.op {
	case opFile, opPart, opHead, opDir:
		if e.stamp != (stamp{}) {
			return []snapshot.Fact{{About: snapshot.Stamped, Name: e.name, Value: e.stamp.Value()}}, true
		}
		return about(snapshot.Kind)
	case opKind:
		if !isError {
			return about(snapshot.Kind)
		}
	case opPlain:
		return nil, true // a change of permissions changes the stamp of the file, which is read, too
	case opLKind:
		if !isError {
			return about(snapshot.LinkKind)
		}
	case opEnv:
		return about(snapshot.Variable)
	case opLink:
		facts, answer, known := linkFacts(e.name)
		return facts, known && answer == e.answer
	case opLookPath:
		facts, answer, known := lookFacts(e.name)
		return facts, known && answer == e.answer
	}
	return nil, false
}

// maxLinks is the number of symlinks that the system follows in a name.
const maxLinks = 40

// linkFacts returns the digest of an absolute name with symlinks resolved, and the facts
// that lead to it.
func linkFacts(name string) (facts []snapshot.Fact, answer digest, ok bool) {
	const separator = string(filepath.Separator)
	if !filepath.IsAbs(name) || filepath.VolumeName(name) != "" {
		return nil, "", false
	}
	resolved := separator
	rest := strings.Split(name, separator)
	links := 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			resolved = filepath.Dir(resolved)
			continue
		}
		next := filepath.Join(resolved, part)
		kind := snapshot.KindOf(os.Lstat(next))
		switch kind {
		case snapshot.Missing:
			return append(facts, snapshot.Fact{About: snapshot.LinkKind, Name: next, Value: kind}), "missing", true
		case fs.ModeSymlink.String():
			target, err := os.Readlink(next)
			if links++; err != nil || links > maxLinks {
				return nil, "", false
			}
			facts = append(facts, snapshot.Fact{About: snapshot.Target, Name: next, Value: target})
			if filepath.IsAbs(target) {
				resolved = separator
			}
			rest = append(strings.Split(target, separator), rest...)
		case fs.ModeDir.String(), fs.FileMode(0).String():
			facts = append(facts, snapshot.Fact{About: snapshot.LinkKind, Name: next, Value: kind})
			if kind != fs.ModeDir.String() && len(rest) > 0 {
				return nil, "", false
			}
			resolved = next
		default:
			return nil, "", false
		}
	}
	return facts, answered([]byte(resolved), nil), true
}

// lookFacts returns the digest of the path of a command, and the facts that lead to it.
func lookFacts(command string) (facts []snapshot.Fact, answer digest, ok bool) {
	if filepath.Base(command) != command {
		return nil, "", false
	}
	path := os.Getenv("PATH")
	facts = append(facts, snapshot.Fact{About: snapshot.Variable, Name: "PATH", Value: snapshot.Digest(path)})
	for _, dir := range filepath.SplitList(path) {
		name := filepath.Join(dir, command)
		info, err := os.Stat(name)
		switch kind := snapshot.KindOf(info, err); kind {
		case snapshot.Missing, fs.ModeDir.String():
			facts = append(facts, snapshot.Fact{About: snapshot.Kind, Name: name, Value: kind})
		case fs.FileMode(0).String():
			s := stampOf(info) // a change of permissions changes it
			if s == (stamp{}) || !filepath.IsAbs(name) {
				return nil, "", false
			}
			facts = append(facts, snapshot.Fact{About: snapshot.Stamped, Name: name, Value: s.Value()})
			if _, err := exec.LookPath(name); err == nil {
				return facts, answered([]byte(name), nil), true
			}
		default:
			return nil, "", false
		}
	}
	return facts, failure(&exec.Error{Name: command, Err: exec.ErrNotFound}), true
}
