package source

import (
	"strconv"
	"strings"
)

// flags are what the scan of a file finds, apart from names and the size, and whether the file was parsed
// without errors. First comes what the scan depends on besides the content.
func (f *text) flags() []*bool {
	return []*bool{
		&f.local, &f.root,
		&f.MentionsKind, &f.MentionsDeepCopy, &f.MentionsObject, &f.MentionsApply, &f.MentionsConfig, &f.SuspectMarkers,
		&f.mayMatter, &f.mentionsGates, &f.mentionsPackage, &f.mentionsMarshal, &f.mentionsIsZero, &f.hasConstants,
		&f.hintsIncomplete, &f.sound,
	}
}

// scanned returns what the scan of a file found, for [text.recall].
func (f *text) scanned() string {
	bits := uint64(0)
	for i, flag := range f.flags() {
		if *flag {
			bits |= 1 << i
		}
	}
	words := []string{strconv.FormatUint(bits, 16), strconv.Itoa(f.size)}
	return strings.Join(append(words, f.hints...), " ")
}

// keepSound notes that the file was parsed without errors; of the user's files, also for later runs.
func (files *Files) keepSound(f *text) {
	if f.sound {
		return
	}
	f.sound = true
	if f.local {
		files.inputs.Derive(f.Name, f.scanned())
	}
}

// recall sets what a scan of the same content found in an earlier run. It returns false if the file was not
// scanned as one of the same kind of package.
func (f *text) recall(scanned string) bool {
	words := strings.Split(scanned, " ")
	bits, err := strconv.ParseUint(words[0], 16, 64)
	if err != nil || len(words) < 2 || f.local != (bits&1 != 0) || f.root != (bits&2 != 0) {
		return false
	}
	f.size, err = strconv.Atoi(words[1])
	for i, flag := range f.flags() {
		*flag = bits&(1<<i) != 0
	}
	f.hints = words[2:]
	return err == nil
}
