package snapshot

import (
	"os"
	"time"
)

// Folder is the name of the folder of a cache.
const Folder = "schemagen-cache"

// Directory returns the directory that contains the folder of the cache: the given one, or
// that of the user, or "" if there is none.
func Directory(dir string) string {
	if dir == "" {
		dir, _ = os.UserCacheDir()
	}
	return dir
}

// Replayable reports whether an [Entry] may be printed to a file. For a person, who reads a
// terminal, findings are shown in another form, which depends on that terminal.
func Replayable(stderr *os.File) bool {
	info, err := stderr.Stat()
	if err != nil {
		return false
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		return true
	}
	null, err := os.Stat(os.DevNull) // also a character device
	return err == nil && os.SameFile(info, null)
}

// Find returns the entry for this process, which has these arguments, if it holds.
func Find(args []string) (e Entry, ok bool) {
	path := Path(args)
	if path == "" {
		return e, false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return e, false
	}
	e, ok = Parse(path, string(text))
	if !ok {
		return e, false
	}
	return e, e.holds(time.Now())
}

func (e Entry) holds(now time.Time) bool {
	if now.Unix() < e.From || now.Unix() >= e.Until || len(e.Facts) == 0 {
		return false
	}
	for _, f := range e.Facts {
		if !f.Holds(now) {
			return false
		}
	}
	return true
}

// Path returns the path of the entry for a process that is like this one, but has these
// arguments, or "" if it can have none.
func Path(args []string) string {
	cache := Directory(cacheDir(args))
	program := programStamp()
	dir, err := os.Getwd()
	if cache == "" || program == (Stamp{}) || err != nil {
		return ""
	}
	key := appendText(nil, program.Value())
	key = appendNumber(key, uint64(os.Geteuid()))
	key = appendText(key, dir)
	key = appendTexts(key, os.Args[:1])
	key = appendTexts(key, args)
	key = appendTexts(key, Variables())
	return File(cache+separator+Folder, Digest(string(key)))
}

// File returns the path of a file in the folder of a cache, given its name.
func File(folder, name string) string { return folder + separator + name[:2] + separator + name[2:] }

const separator = string(os.PathSeparator)

func appendTexts(b []byte, texts []string) []byte {
	b = appendNumber(b, uint64(len(texts)))
	for _, text := range texts {
		b = appendText(b, text)
	}
	return b
}

// cacheDir returns the directory that --set cacheDir=DIR gives in arguments. If they have another
// meaning, the directory has no entry for them.
func cacheDir(args []string) (dir string) {
	const flag, key = "--set", "cacheDir="
	for i, arg := range args {
		if hasPrefix(arg, flag+"="+key) {
			dir = arg[len(flag)+1+len(key):]
		} else if hasPrefix(arg, key) && i > 0 && args[i-1] == flag {
			dir = arg[len(key):]
		}
	}
	return dir
}

// programStamp returns the stamp of the file of this program. On Linux, that is the running
// file even if its path now names another one.
func programStamp() Stamp {
	info, err := os.Stat("/proc/self/exe")
	if err != nil {
		name, failed := os.Executable()
		if failed != nil {
			return Stamp{}
		}
		info, err = os.Stat(name)
	}
	if err != nil {
		return Stamp{}
	}
	return StampOf(info, time.Now())
}

// Variables returns the environment variables that libraries in this program may read,
// sorted.
func Variables() []string {
	var out []string
	for _, v := range os.Environ() {
		if !hasPrefix(v, "GO") && !hasPrefix(v, "CGO") && !hasPrefix(v, "KUBE") {
			continue
		}
		out = append(out, v)
		for i := len(out) - 1; i > 0 && out[i] < out[i-1]; i-- {
			out[i], out[i-1] = out[i-1], out[i]
		}
	}
	return out
}

func hasPrefix(text, prefix string) bool {
	return len(text) >= len(prefix) && text[:len(prefix)] == prefix
}
