package output

import (
	"bytes"
	"go/token"
	"strings"

	"github.com/schemagen/schemagen/structural/manifest"
)

// Generated returns the comments of a file which say that a program wrote it: lines with
// DO NOT EDIT above everything else. Texts further down, such as descriptions in a CRD, may
// contain these words, too.
func Generated(data []byte) (marks []string) {
	data, _ = bytes.CutPrefix(data, []byte("\ufeff"))
	end := "" // of the comment that has begun
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimSpace(line)
		begins := end
		if end == "" {
			switch {
			case strings.HasPrefix(line, "/*"):
				begins = "*/"
			case strings.HasPrefix(line, "<!--"):
				begins = "-->"
			case strings.HasPrefix(line, "{{"):
				begins = "}}"
			case line == "", line == "---", strings.HasPrefix(line, "//"), strings.HasPrefix(line, "#"):
			default:
				return marks
			}
		}
		end = begins
		if end != "" && strings.Contains(line, end) {
			end = ""
		}
		if strings.Contains(line, "DO NOT EDIT") {
			marks = append(marks, line)
		}
	}
	return marks
}

// generatedByOther returns the comment of a file which says that another program wrote it, or "".
// Comments that the new content has as well are in a header file, and scripts put them above
// definitions that a generator has written: if all objects of the file are written again, it is the
// same file.
func generatedByOther(old, data []byte) string {
	marks := Generated(old)
	if len(marks) == 0 || bytes.Contains(old, []byte("controller-gen.kubebuilder.io/version: ")) {
		return ""
	}
	for _, mark := range marks {
		if isPredecessor(mark) || bytes.Contains(data, []byte(mark)) {
			return ""
		}
	}
	if hasObjectsOf(data, old) {
		return ""
	}
	return marks[0]
}

// hasObjectsOf reports whether YAML has the objects of another one, which has at least one.
func hasObjectsOf(data, old []byte) bool {
	objects := objectsIn(data)
	replaced := objectsIn(old)
	for object := range replaced {
		if !objects[object] {
			return false
		}
	}
	return len(replaced) > 0
}

// object identifies an object in a file. Its version may change.
type object struct{ group, kind, name string }

// objectsIn returns the objects in YAML; none if something else is in it.
func objectsIn(data []byte) map[object]bool {
	found, problems := manifest.Read(token.NewFileSet(), "", data)
	if len(problems) > 0 && len(found) == 0 {
		return nil
	}
	out := map[object]bool{}
	for _, m := range found {
		if m.Kind == "" || m.Name == "" {
			return nil
		}
		group, _, _ := strings.Cut(m.APIVersion, "/")
		out[object{group, m.Kind, m.Name}] = true
	}
	return out
}

// isPredecessor reports whether a comment names a program whose files are written here: schemagen,
// controller-gen, and the generators of Kubernetes that controller-gen's read the markers of. A project that
// changes from one to the other keeps the names of its files.
func isPredecessor(mark string) bool {
	return strings.Contains(mark, "schemagen") || strings.Contains(mark, "controller-gen") ||
		strings.Contains(mark, " by deepcopy-gen.") || strings.Contains(mark, " by applyconfiguration-gen.")
}
