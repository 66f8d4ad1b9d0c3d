package migrate

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/run/output"
)

// WithinFlag is the hidden flag that confines schemagen's own run to a copy.
const WithinFlag = "within"

// confined is a call of controller-gen to run in a copy of the project.
type confined struct {
	copy string // the root of the copy, without symlinks
	dir  string // where it runs, in the copy
	env  []string
}

// outside reports whether writing to a path leaves the copy.
func (c confined) outside(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	return !output.IsBelow(c.copy, output.Physical(path))
}

// isOutside is the end of a message about a path that leads outside.
const isOutside = " is outside"

// escape returns the argument or marker that would make controller-gen write outside of the
// copy, or "". controller-gen takes directories from its arguments, and file names from
// arguments and markers.
func (c confined) escape(ctx context.Context, args []string) (string, error) {
	registry, err := commandline.Registry()
	if err != nil {
		return "", err
	}
	var patterns []string
	nextToPackages := false
	for _, arg := range args {
		text := "+" + strings.TrimPrefix(arg, "+")
		definition := registry.Lookup(text, markers.DescribesPackage)
		var value any
		if definition != nil {
			value, err = definition.Parse(text)
		}
		if definition == nil || err != nil {
			// Another version of controller-gen may understand it.
			if strings.ContainsAny(arg, `/\`) {
				return arg + " is unknown, and may lead outside", nil
			}
			continue
		}
		var dirs []string
		switch value := value.(type) {
		case commandline.OutputDir:
			dirs = []string{string(value)}
		case commandline.OutputArtifacts:
			dirs = []string{string(value.Config), string(value.Code)}
		case rbac.Generator:
			if strings.ContainsAny(value.FileName, `/\`) {
				return arg + isOutside, nil
			}
		case commandline.InputPaths:
			patterns = append(patterns, value...)
		}
		nextToPackages = nextToPackages || slices.Contains([]string{"object", commandline.ApplyConfigurationName}, definition.Name)
		if slices.ContainsFunc(dirs, c.outside) {
			return arg + isOutside, nil
		}
	}
	return c.escapeOfPackages(ctx, patterns, nextToPackages)
}

// escapeOfPackages checks packages: their directories, if files are written next to them, and
// their markers.
func (c confined) escapeOfPackages(ctx context.Context, patterns []string, nextToPackages bool) (string, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	for _, pattern := range patterns {
		base, _, recursive := strings.Cut(pattern, "...")
		local := filepath.IsAbs(base) || slices.Contains([]string{".", ".."}, strings.Split(filepath.ToSlash(base), "/")[0])
		var dirs []string
		switch {
		case !local:
			var err error
			dirs, err = c.list(ctx, pattern)
			if err != nil {
				return "", err
			}
			recursive = false
		case recursive && !strings.HasSuffix(base, "/"), strings.HasSuffix(base, ".go"):
			dirs = []string{filepath.Dir(base)}
		default:
			dirs = []string{base}
		}
		for _, dir := range dirs {
			if !filepath.IsAbs(dir) {
				dir = filepath.Join(c.dir, dir)
			}
			dir = output.Physical(dir) // because WalkDir does not follow symlinks
			if nextToPackages && c.outside(dir) {
				return "paths=" + pattern + isOutside, nil
			}
			if found, err := c.markersBelow(ctx, dir, recursive); err != nil || found != "" {
				return found, err
			}
		}
	}
	return "", nil
}

// list returns the directories of packages from the go command.
func (c confined) list(ctx context.Context, pattern string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-find", "-f", "{{.Dir}}", "--", pattern)
	cmd.Dir = c.dir
	cmd.Env = c.env
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages %s: %w", pattern, err)
	}
	return strings.Fields(string(out)), nil
}

// namingMarker matches a marker that determines the name of a file or directory.
var namingMarker = lazyregexp.New(`^[\s/*]*(\+(?:groupName|kubebuilder:resource|kubebuilder:ac:output:package)\b(.*))`)

// markersBelow finds a marker for which controller-gen would write outside of the copy.
func (c confined) markersBelow(ctx context.Context, dir string, recursive bool) (found string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // no such package
		case ctx.Err() != nil:
			return ctx.Err()
		case d.IsDir() && name != dir && !recursive:
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		line := 0
		for text := range bytes.Lines(data) {
			line++
			match := namingMarker().FindSubmatch(text)
			if match == nil {
				continue
			}
			marker := strings.TrimSpace(string(match[1]))
			value := strings.TrimSpace(string(match[2]))
			problem := ""
			if strings.HasPrefix(marker, "+kubebuilder:ac:") {
				if rel := strings.Trim(value, "=`\""); strings.Contains(rel, `\`) || c.outside(filepath.Join(filepath.Dir(name), rel)) {
					problem = isOutside
				}
			} else if strings.ContainsAny(value, `/\`) {
				problem = " may lead outside"
			}
			if problem != "" {
				if rel, err := filepath.Rel(c.copy, name); err == nil && !c.outside(name) {
					name = rel
				}
				found = fmt.Sprintf("%s:%d: %s%s", filepath.ToSlash(name), line, marker, problem)
				return filepath.SkipAll
			}
		}
		return nil
	})
	return found, err
}
