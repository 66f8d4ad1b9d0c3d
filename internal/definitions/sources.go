package definitions

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source is a file with manifests.
type Source struct {
	// Name is "-" for standard input.
	Name string
	// Found is set if the file was found in a directory rather than named.
	Found bool
}

// Find resolves names to files and Go packages.
func Find(names []string) (sources []Source, packages []string, err error) {
	return FindWithout(names, nil)
}

// FindObjects resolves names of files and directories with objects, which a flag has.
func FindObjects(flag string, names []string) ([]Source, error) {
	sources, packages, err := Find(names)
	switch {
	case err != nil:
		return nil, err
	case len(packages) > 0:
		return nil, fmt.Errorf("%s %s: no such file or directory", flag, packages[0])
	case len(sources) == 0 && len(names) > 0:
		return nil, fmt.Errorf("no YAML or JSON files in %s", strings.Join(names, ", "))
	}
	return sources, nil
}

// Folders returns the names with directories instead of patterns: dir for dir/... if it exists.
// They are for what is found below directories anyway.
func Folders(names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		dir, isPattern := strings.CutSuffix(name, "/...")
		dir = cmp.Or(dir, "/")
		if isPattern && isFolder(dir) {
			out[i] = dir
		}
	}
	return out
}

// isFolder reports whether a directory with the name exists.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// FindSuites resolves names of files and directories with test suites.
func FindSuites(names []string) ([]Source, error) {
	sources, missing, err := Find(names)
	if err != nil {
		return nil, err
	}
	// A directory with Go files but no YAML file has no suite; that is not a mistake.
	missing = slices.DeleteFunc(missing, isFolder)
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: no such file or directory", missing[0])
	}
	return sources, nil
}

// FindWithout is [Find] without the files in directories of which skip returns true.
func FindWithout(names []string, skip func(dir, file string) bool) (sources []Source, packages []string, err error) {
	for _, name := range names {
		if name == "-" {
			sources = append(sources, Source{Name: "-"})
			continue
		}
		info, err := os.Stat(name)
		switch {
		case err != nil && strings.HasPrefix(name, gitPrefix):
			return nil, nil, fmt.Errorf("%s: commits are read only by diff and verify --old", name)
		case errors.Is(err, fs.ErrNotExist) && isManifestName(name):
			return nil, nil, fmt.Errorf("%s: no such file or directory", name)
		case errors.Is(err, fs.ErrNotExist):
			packages = append(packages, name) // a pattern or an import path
			continue
		case err != nil:
			return nil, nil, err
		case !info.IsDir() && filepath.Ext(name) == ".go":
			packages = append(packages, folderPattern(filepath.Dir(name)))
			continue
		case !info.IsDir():
			sources = append(sources, Source{Name: name})
			continue
		}
		found, hasGo, err := findInFolder(name)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 && hasGo {
			packages = append(packages, folderPattern(name))
		}
		if skip != nil {
			found = slices.DeleteFunc(found, func(s Source) bool { return skip(name, s.Name) })
		}
		sources = append(sources, found...)
	}
	return sources, packages, nil
}

// CheckPackages returns an error if a name is not one of packages but of something that other
// commands read.
func CheckPackages(command string, names []string) error {
	for _, name := range names {
		info, err := os.Stat(name)
		var what string
		switch {
		case name == "-":
			what = "standard input"
		case err != nil && strings.HasPrefix(name, gitPrefix):
			what = "a commit"
		case err == nil && !info.IsDir() && isManifestName(name):
			what = "a file of YAML or JSON"
		default:
			continue
		}
		return fmt.Errorf("%s: %s reads Go packages, and this is %s", name, command, what)
	}
	return nil
}

// folderPattern returns the pattern of the package in a directory.
func folderPattern(name string) string {
	pattern := filepath.ToSlash(filepath.Clean(name))
	if filepath.IsAbs(name) {
		return pattern
	}
	return "./" + pattern
}

// findInFolder returns the YAML and JSON files in a directory and below it, except for
// directories that are generated or hold something else. hasGo reports
// whether the directory itself has Go files.
func findInFolder(dir string) (out []Source, hasGo bool, err error) {
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != dir && (isSkipped(entry.Name()) || isChartTemplates(name)) {
				return filepath.SkipDir
			}
			return nil
		}
		switch {
		case filepath.Ext(name) == ".go":
			hasGo = hasGo || filepath.Dir(name) == filepath.Clean(dir)
		case isManifestName(name):
			// A symlink may point to something other than a regular file.
			if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
				return fmt.Errorf("%s: not a regular file", name)
			}
			out = append(out, Source{Name: name, Found: true})
		}
		return nil
	})
	return out, hasGo, err
}

// isSkipped reports whether a directory with this name has no manifests that people write:
// dist is where Kubebuilder builds an installer and a chart.
func isSkipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "dist"
}

// isChartTemplates reports whether a directory has the templates of a Helm chart, which are not
// YAML.
func isChartTemplates(dir string) bool {
	if filepath.Base(dir) != "templates" {
		return false
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(dir), "Chart.yaml"))
	return err == nil
}

// isManifestName reports whether a file with this name has manifests.
func isManifestName(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml" || ext == ".json"
}

// findDefinitions resolves names to files and packages with definitions. A directory with Go
// files in or below it has packages even if it has YAML files, such as test suites, unless they
// mention CRDs.
func findDefinitions(names []string, skip func(dir, file string) bool) (sources []Source, packages []string, err error) {
	for _, name := range names {
		found, missing, err := FindWithout([]string{name}, skip)
		if err != nil {
			return nil, nil, err
		}
		pattern, err := packagesIn(name, found)
		switch {
		case err != nil:
			return nil, nil, err
		case pattern != "":
			packages = append(packages, pattern)
		default:
			sources = append(sources, found...)
			packages = append(packages, missing...)
		}
	}
	return sources, packages, nil
}

// packagesIn returns the pattern of the packages in a directory, if none of the found files
// mentions CRDs. It is empty if name is no directory with Go files. Those below the working
// directory, which is also a default, have to be named.
func packagesIn(name string, found []Source) (pattern string, err error) {
	if !isFolder(name) {
		return "", nil // a name that does not exist is an import path
	}
	_, hasGo, err := findInFolder(name)
	if err != nil {
		return "", err
	}
	pattern = folderPattern(name)
	if !hasGo {
		if filepath.Clean(name) == "." || !hasGoBelow(name) {
			return "", nil
		}
		pattern += "/..."
	}
	for _, source := range found {
		data, err := os.ReadFile(source.Name)
		if err != nil {
			return "", err
		}
		if mentionsDefinitions(data) {
			return "", nil
		}
	}
	return pattern, nil
}

// hasGoBelow reports whether a directory of packages has Go files.
func hasGoBelow(dir string) (found bool) {
	_ = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir() && name != dir && (isSkipped(entry.Name()) || entry.Name() == "testdata"):
			return filepath.SkipDir
		case !entry.IsDir() && filepath.Ext(name) == ".go":
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

func mentionsDefinitions(data []byte) bool {
	return bytes.Contains(data, []byte("CustomResourceDefinition"))
}

// Read returns the content of the file, or of standard input.
func (s Source) Read(stdin io.Reader) ([]byte, error) {
	if s.Name == "-" {
		data, err := io.ReadAll(stdin)
		if err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
		return data, nil
	}
	return os.ReadFile(s.Name)
}

// Exists reports whether the file exists.
func (s Source) Exists() bool {
	info, err := os.Stat(s.Name)
	return err == nil && info.Mode().IsRegular()
}

// ReadIn returns a function that reads files whose names may be relative to dir.
func ReadIn(dir string) func(file string) ([]byte, error) {
	return func(file string) ([]byte, error) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		return os.ReadFile(file)
	}
}
