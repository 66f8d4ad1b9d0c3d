package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// link matches the start and the target of links and pictures in the Markdown of our pages.
var link = regexp.MustCompile(`(!?\[[^]]*\]\(|\b(?:src|srcset|href)=")([^)"\s]+)`)

// linked returns a page of the archive whose relative links lead to the repository, at the
// tag or commit, unless the archive has the file.
func (r *release) linked(name string, text []byte) ([]byte, error) {
	var missing []string
	out := link.ReplaceAllStringFunc(string(text), func(match string) string {
		parts := link.FindStringSubmatch(match)
		start, target := parts[1], parts[2]
		file, _, _ := strings.Cut(target, "#")
		if file == "" || strings.Contains(file, ":") || slices.Contains(r.files, file) {
			return match
		}
		if _, err := os.Stat(filepath.Join(r.source, filepath.FromSlash(file))); err != nil {
			missing = append(missing, file)
		}
		kind := "blob"
		if strings.HasPrefix(start, "!") || strings.HasPrefix(start, "src") {
			kind = "raw"
		}
		return fmt.Sprintf("%shttps://%s/%s/%s/%s", start, r.repository, kind, cmp.Or(r.commit.tag, r.commit.hash), target)
	})
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: there is no %s", name, strings.Join(missing, ", "))
	}
	return []byte(out), nil
}
