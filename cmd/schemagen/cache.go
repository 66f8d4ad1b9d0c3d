package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	name, err := os.Executable()
	if err != nil {
		return nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	// The version alone does not tell two builds of one working tree apart.
	return &cache{dir: dir, maker: fmt.Sprint(toolVersion(), info.Size(), info.ModTime().UnixNano())}
}

func (c *cache) file(key string) string {
	sum := sha256.Sum256([]byte(c.maker + " " + key))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, "verified", name[:2], name[2:])
}

// Load returns what was stored for the key. A file that was cut off is none: its
// first bytes are the sum of the others.
func (c *cache) Load(key string) ([]byte, bool) {
	data, err := os.ReadFile(c.file(key))
	if err != nil || len(data) < sha256.Size {
		return nil, false
	}
	sum := sha256.Sum256(data[sha256.Size:])
	return data[sha256.Size:], string(sum[:]) == string(data[:sha256.Size])
}

// Store keeps the data for the key. Readers see all of it or nothing.
func (c *cache) Store(key string, data []byte) {
	name := c.file(key)
	if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "new-*")
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
}
