package runcache

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schemagen/schemagen/internal/ground/snapshot"
)

// Cache stores results between runs as files of its own folder. Entries are found by what
// they were made from, so runs and machines can share a folder; entries that cannot be read
// or written are recomputed without an error.
type Cache struct {
	// dir is the folder inside the directory that the user knows.
	dir string
	// maker identifies this build of the program: another one may give other results.
	maker string
}

const (
	// folder is the name of the folder of a cache.
	folder = snapshot.Folder
	// markText is the content of the file markName in each such folder. Folders without
	// it are neither written to nor cleaned. Its first line marks the folder for backup
	// programs (bford.info/cachedir).
	markText = "Signature: 8a477f597d28d172789f06886806bc55\n# schemagen keeps results between runs here, and removes those that nobody asks for.\n"
	// markName is the name of the file with markText.
	markName = "CACHEDIR.TAG"
	// header is the beginning of each entry.
	header = snapshot.Header
)

// Open returns the cache in a directory, or in the user's cache directory, for a version of
// the program. It returns nil if there is none, or if its path is used by something else.
func Open(dir, version string) *Cache {
	dir = snapshot.Directory(dir)
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

// Dir returns the folder of the cache.
func (c *Cache) Dir() string { return c.dir }

// isOurs reports whether the folder is a cache or may become one. An incompletely written
// mark counts.
func (c *Cache) isOurs() bool {
	mark, err := os.ReadFile(filepath.Join(c.dir, markName))
	if err == nil {
		return strings.HasPrefix(markText, string(mark))
	}
	entries, err := os.ReadDir(c.dir)
	return len(entries) == 0 && (err == nil || os.IsNotExist(err))
}

// open opens the folder, and creates it with its mark. Files are written through it, so that
// symlinks in the folder, which may be in a repository, lead nowhere else.
func (c *Cache) open() (*os.Root, error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	if mark, err := root.ReadFile(markName); err == nil && string(mark) == markText {
		return root, nil
	}
	if err := root.WriteFile(markName, []byte(markText), 0o644); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}

func (c *Cache) file(key string) string {
	sum := sha256.Sum256([]byte(c.maker + " " + key))
	return snapshot.File(c.dir, hex.EncodeToString(sum[:]))
}

// head returns the beginning of a cache file with the data: the header and a checksum that covers the name of
// the file.
func (c *Cache) head(file string, data []byte) []byte {
	return append([]byte(header), sumOf(file, data)...)
}

func sumOf(file string, data []byte) []byte {
	sum := sha256.New()
	_, _ = io.WriteString(sum, filepath.Base(file))
	_, _ = sum.Write(data)
	return sum.Sum(nil)
}

// Load returns the data that was stored for the key. Truncated or misplaced files are
// ignored.
func (c *Cache) Load(key string) ([]byte, bool) {
	name := c.file(key)
	content, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	sum, ok := bytes.CutPrefix(content, []byte(header))
	if !ok || len(sum) < sha256.Size || !bytes.Equal(sumOf(name, sum[sha256.Size:]), sum[:sha256.Size]) {
		return nil, false
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > day {
		_ = os.Chtimes(name, time.Time{}, time.Now()) // mark as used
	}
	return sum[sha256.Size:], true
}

// Store stores the data for the key, atomically.
func (c *Cache) Store(key string, data []byte) {
	name := c.file(key)
	c.write(name, c.head(name, data), data)
}

// write writes a file of the cache, atomically, from its parts: data may have megabytes.
func (c *Cache) write(name string, parts ...[]byte) {
	root, err := c.open()
	if err != nil {
		return
	}
	defer root.Close()
	folder := filepath.Base(filepath.Dir(name))
	if root.MkdirAll(folder, 0o755) != nil {
		return
	}
	temp := filepath.Join(folder, newPrefix+rand.Text())
	if writeParts(root, temp, parts) != nil || root.Rename(temp, filepath.Join(folder, filepath.Base(name))) != nil {
		_ = root.Remove(temp)
	}
	trim(root)
}

func writeParts(root *os.Root, name string, parts [][]byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, failed := f.Write(part); err == nil {
			err = failed
		}
	}
	return errors.Join(err, f.Close())
}

const (
	day = 24 * time.Hour
	// unusedFor is the time after which unused entries are removed.
	unusedFor = 14 * day
	newPrefix = "new-"
)

// trim removes unused entries. It runs at most once a day.
func trim(root *os.Root) {
	const last = "trimmed"
	if info, err := root.Stat(last); err == nil && time.Since(info.ModTime()) < day {
		return
	}
	if root.WriteFile(last, nil, 0o644) != nil || root.Chtimes(last, time.Time{}, time.Now()) != nil {
		return
	}
	folders, _ := fs.ReadDir(root.FS(), ".")
	for _, entry := range folders {
		if !entry.IsDir() || !isHex(entry.Name(), 1) {
			continue
		}
		files, _ := fs.ReadDir(root.FS(), entry.Name())
		for _, file := range files {
			name := filepath.Join(entry.Name(), file.Name())
			info, err := file.Info()
			if err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > unusedFor && isEntry(root, name) {
				_ = root.Remove(name)
			}
		}
	}
}

// isEntry reports whether a file was written by Store, even incompletely.
func isEntry(root *os.Root, name string) bool {
	base := filepath.Base(name)
	isNew := strings.HasPrefix(base, newPrefix)
	if !isNew && !isHex(base, sha256.Size-1) {
		return false
	}
	file, err := root.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(header))
	n, _ := io.ReadFull(file, head)
	return string(head[:n]) == header || isNew && strings.HasPrefix(header, string(head[:n]))
}

// isHex reports whether a name is size bytes in hexadecimal.
func isHex(name string, size int) bool {
	data, err := hex.DecodeString(name)
	return err == nil && len(data) == size && strings.ToLower(name) == name
}
