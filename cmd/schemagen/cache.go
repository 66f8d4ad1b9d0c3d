package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// cache keeps results between runs as files of a directory. What is kept is
// found by what it was made from, so that runs and machines can share it; what
// cannot be read or written is made again, and no mistake.
type cache struct {
	dir string
	// maker stands for this program: another one may judge differently.
	maker string
}

// newCache returns the cache in a directory, or in the user's cache directory. It
// is nil if there is none.
func newCache(dir string) *cache {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil
		}
		dir = filepath.Join(user, "schemagen")
	}
	maker, err := makerName()
	if err != nil {
		return nil
	}
	return &cache{dir: dir, maker: maker}
}

// makerName tells builds of this program apart: by what they were built from, and,
// where a working tree or a local module went into it, by the file itself.
func makerName() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if ok && isReleased(info) {
		return info.String(), nil
	}
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(toolVersion(), file.Size(), file.ModTime().UnixNano()), nil
}

// isReleased reports whether the versions in the information tell all that a
// program was built from.
func isReleased(info *debug.BuildInfo) bool {
	for _, module := range append(info.Deps, &info.Main) {
		if module.Replace != nil {
			module = module.Replace
		}
		if module.Sum == "" || strings.HasSuffix(module.Version, "+dirty") {
			return false
		}
	}
	return true
}

func (c *cache) file(key string) string {
	sum := sha256.Sum256([]byte(c.maker + " " + key))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name[2:])
}

// Load returns what was stored for the key. A file that was cut off is none: its
// first bytes are the sum of the others.
func (c *cache) Load(key string) ([]byte, bool) {
	name := c.file(key)
	data, err := os.ReadFile(name)
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(data[sha256.Size:])
	if string(sum[:]) != string(data[:sha256.Size]) {
		return nil, false
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > day {
		_ = os.Chtimes(name, time.Time{}, time.Now()) // it is in use
	}
	return data[sha256.Size:], true
}

// Store keeps the data for the key. Readers see all of it or nothing.
func (c *cache) Store(key string, data []byte) {
	name := c.file(key)
	if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(name), newPrefix+"*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	_, err = io.WriteString(temp, string(sum[:])+string(data))
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
func (c *cache) trim() {
	last := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(last); err == nil && time.Since(info.ModTime()) < day {
		return
	}
	if os.WriteFile(last, nil, 0o644) != nil || os.Chtimes(last, time.Time{}, time.Now()) != nil {
		return
	}
	folders, _ := os.ReadDir(c.dir)
	for _, folder := range folders {
		if !isCacheFolder(folder) {
			continue
		}
		dir := filepath.Join(c.dir, folder.Name())
		files, _ := os.ReadDir(dir)
		for _, file := range files {
			if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > unusedFor {
				_ = os.Remove(filepath.Join(dir, file.Name()))
			}
		}
	}
}

// isCacheFolder reports whether a folder is one of those that entries are in:
// nothing else in the directory is ours to remove.
func isCacheFolder(folder fs.DirEntry) bool {
	_, err := hex.DecodeString(folder.Name())
	return folder.IsDir() && len(folder.Name()) == 2 && err == nil
}
