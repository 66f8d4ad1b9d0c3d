//go:build unix

package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOldTemporaryFiles checks that only old temporary files, of killed runs, are removed.
func TestOldTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-61 * time.Minute)
	random := "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	files := map[string]bool{ // whether they stay
		tempPrefix + random + tempSuffix:                              false,
		tempPrefix + "234567ABCDEFGHIJKLMNOPQRST" + tempSuffix:        false,
		tempPrefix + strings.ToLower(random) + tempSuffix:             true,
		tempPrefix + random[1:] + tempSuffix:                          true,
		tempPrefix + random + "A" + tempSuffix:                        true,
		tempPrefix + random[1:] + "1" + tempSuffix:                    true,
		tempPrefix + "notes" + tempSuffix:                             true,
		"schemagen-" + random + tempSuffix:                            true,
		tempPrefix + random:                                           true,
		"x" + tempPrefix + random + tempSuffix:                        true,
		tempPrefix + random + tempSuffix + "~":                        true,
		filepath.Join("below", tempPrefix+random+tempSuffix):          true,
		tempPrefix + "BBCDEFGHIJKLMNOPQRSTUVWXYZ" + tempSuffix + "/x": true,
	}
	young := tempPrefix + "YYCDEFGHIJKLMNOPQRSTUVWXYZ" + tempSuffix
	files[young] = true
	for name := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		for at := name; at != dir && filepath.Base(name) != young; at = filepath.Dir(at) {
			if err := os.Chtimes(at, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	outputs := []File{{Path: filepath.Join(dir, "out.yaml"), Data: []byte("a\n")}, {Path: filepath.Join(dir, "none", "out.yaml"), Data: []byte("a\n")}}
	for _, mode := range []Mode{Check, Write} {
		if _, err := (&Writer{Root: Physical(dir)}).Commit(t.Context(), outputs, mode, &strings.Builder{}); err != nil {
			t.Fatal(err)
		}
		for name, stays := range files {
			if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != (stays || mode == Check) {
				t.Errorf("mode %d: Stat(%s) = %v", mode, name, err)
			}
		}
	}
}
