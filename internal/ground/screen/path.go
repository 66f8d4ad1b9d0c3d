package screen

import (
	"path/filepath"
	"strings"
)

// Nearby is the maximum number of levels above a directory at which file names are still
// printed relative to it.
const Nearby = 2

// Relative returns the name of a file relative to dir, with slashes, if it begins with at
// most up elements "..". Otherwise, or if the name is already relative, it is returned
// unchanged.
func Relative(dir, file string, up int) string {
	if !filepath.IsAbs(file) {
		return file
	}
	rel, err := filepath.Rel(dir, file)
	parent := strings.Repeat("../", up+1)
	rel = filepath.ToSlash(rel)
	if err != nil || strings.HasPrefix(rel+"/", parent) {
		return file
	}
	return rel
}
