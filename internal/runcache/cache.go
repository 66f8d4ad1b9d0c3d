// Package runcache keeps what runs read, wrote and said, so that a run after which
// nothing has changed need not be done again: in files of a folder (cache.go), by
// a key made from all that was asked (key.go), for one build of the program
// (maker.go). It knows bytes, records of package inputs, and findings.
package runcache

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Cache keeps results between runs as files of a folder of its own. What is kept is
// found by what it was made from, so that runs and machines can share it; what
// cannot be read or written is made again, and no mistake.
type Cache struct {
	// dir is the folder in the directory that the user knows.
	dir string
	// maker stands for this program: another one may judge differently.
	maker string
}

const (
	// folder is the name of the folder that a cache keeps to.
	folder = "schemagen-cache"
	// markText is in the file markName of each such folder. Nothing is written
	// to, and nothing removed from, a folder without it. Its beginning tells programs
	// that make backups what it is (bford.info/cachedir).
	markText = "Signature: 8a477f597d28d172789f06886806bc55\n# schemagen keeps results between runs here, and removes those that nobody asks for.\n"
	// markName is its name.
	markName = "CACHEDIR.TAG"
	// header begins each entry.
	header = "schemagen cache 1\n"
)

// Open returns the cache in a directory, or in the user's cache directory, for a
// program of a version. It is nil if there is none, or if what has its place is
// something else.
func Open(dir, version string) *Cache {
	dir = Directory(dir)
	if dir == "" {
		return nil
	}
	maker, err := makerName(version)
	if err != nil {
		return nil
	}
	c := &Cache{dir: filepath.Join(dir, folder), maker: maker}
	if !c.isOurs() {
		return nil
	}
	return c
}

// Dir is the folder of the cache.
func (c *Cache) Dir() string { return c.dir }

// Directory is the directory whose folder is the cache; empty if there is none.
func Directory(dir string) string {
	if dir == "" {
		dir, _ = os.UserCacheDir()
	}
	return dir
}

// isOurs reports whether the folder is a cache, or may become one. A mark that was
// not written to its end is one.
func (c *Cache) isOurs() bool {
	mark, err := os.ReadFile(filepath.Join(c.dir, markName))
	if err == nil {
		return strings.HasPrefix(markText, string(mark))
	}
	entries, err := os.ReadDir(c.dir)
	return len(entries) == 0 && (err == nil || os.IsNotExist(err))
}

// mark marks the folder.
func (c *Cache) mark() error {
	name := filepath.Join(c.dir, markName)
	if mark, err := os.ReadFile(name); err == nil && string(mark) == markText {
		return nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(markText), 0o644)
}

func (c *Cache) file(key string) string {
	sum := sha256.Sum256([]byte(c.maker + " " + key))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name[2:])
}

// entry is the content of a file of the cache: the data behind a header, and a sum
// that also tells which file it is.
func (c *Cache) entry(file string, data []byte) []byte {
	head := header + string(sumOf(file, data))
	return append([]byte(head), data...)
}

func sumOf(file string, data []byte) []byte {
	sum := sha256.New()
	_, _ = io.WriteString(sum, filepath.Base(file))
	_, _ = sum.Write(data)
	return sum.Sum(nil)
}

// Load returns what was stored for the key. A file that was cut off, or that belongs
// elsewhere, is none.
func (c *Cache) Load(key string) ([]byte, bool) {
	name := c.file(key)
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	rest, ok := strings.CutPrefix(string(content), header)
	if !ok || len(rest) < sha256.Size || string(sumOf(name, []byte(rest[sha256.Size:]))) != rest[:sha256.Size] {
		return nil, false
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > day {
		_ = os.Chtimes(name, time.Time{}, time.Now()) // it is in use
	}
	return content[len(header)+sha256.Size:], true
}

// Store keeps the data for the key. Readers see all of it or nothing.
func (c *Cache) Store(key string, data []byte) {
	name := c.file(key)
	if c.mark() != nil || os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(name), newPrefix+"*")
	if err != nil {
		return
	}
	_, err = temp.Write(c.entry(name, data))
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	c.trim()
}

const (
	day = 24 * time.Hour
	// unusedFor is how long what nobody asks for is kept.
	unusedFor = 14 * day
	newPrefix = "new-"
)

// trim removes what nobody asked for in a while. It looks once a day.
func (c *Cache) trim() {
	last := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(last); err == nil && time.Since(info.ModTime()) < day {
		return
	}
	if os.WriteFile(last, nil, 0o644) != nil || os.Chtimes(last, time.Time{}, time.Now()) != nil {
		return
	}
	folders, _ := os.ReadDir(c.dir)
	for _, entry := range folders {
		if !entry.IsDir() || !isHex(entry.Name(), 1) {
			continue
		}
		dir := filepath.Join(c.dir, entry.Name())
		files, _ := os.ReadDir(dir)
		for _, file := range files {
			info, err := file.Info()
			if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > unusedFor && isEntry(dir, info) {
				_ = os.Remove(filepath.Join(dir, file.Name()))
			}
		}
	}
}

// isEntry reports whether a file is one that Store made, if only its beginning.
func isEntry(dir string, info fs.FileInfo) bool {
	isNew := strings.HasPrefix(info.Name(), newPrefix)
	if !isNew && !isHex(info.Name(), sha256.Size-1) {
		return false
	}
	file, err := os.Open(filepath.Join(dir, info.Name()))
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(header))
	n, _ := io.ReadFull(file, head)
	return string(head[:n]) == header || isNew && strings.HasPrefix(header, string(head[:n]))
}

// isHex reports whether a name is so many bytes in hexadecimal.
func isHex(name string, size int) bool {
	data, err := hex.DecodeString(name)
	return err == nil && len(data) == size && strings.ToLower(name) == name
}
