package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// searchResult has the markers of rbac and webhook that have no effect where they are, in the
// modules of all cases and of field.tsv.
const searchResult = "search.txt"

// misplacedCode is the code of schemagen's diagnostic for such a marker.
const misplacedCode = "SG937"

// configMarker matches a line comment that is a marker of rbac or webhook.
var configMarker = regexp.MustCompile(`^//\s*\+kubebuilder:(rbac|webhook|webhookconfiguration):`)

// search searches the comments of all modules for markers of rbac and webhook, without the
// code of schemagen, and compares those that have no effect with the ones that schemagen
// reports, and with the checked-in result.
func search(ctx context.Context, w workspace, only, given string, update bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	names, err := w.searched(ctx)
	if err != nil {
		return err
	}
	golden, err := readSections(searchResult)
	if err != nil {
		return err
	}
	if only == "" && update {
		golden = map[string]string{} // without modules that are no longer searched
	}
	failed, counts := 0, map[string]int{}
	hold := func(name, section string) {
		if !update && golden[name] != section {
			failed++
			fmt.Fprintf(out, "%s: differs from %s:\n%s", name, searchResult, excerpt(golden[name], section))
		}
		golden[name] = section
	}
	if only != "" {
		names = slices.DeleteFunc(names, func(name string) bool {
			module, _, _ := strings.Cut(name, "@")
			return !slices.Contains(strings.Split(only, ","), module)
		})
	}
	for _, name := range names {
		m, err := downloadVersion(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		section, problems, err := searchModule(ctx, m.Dir, product, counts)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, problem := range problems {
			failed++
			fmt.Fprintf(out, "%s: %s\n", name, problem)
		}
		hold(name, section)
	}
	total := fmt.Sprintf("%d modules\n", len(names))
	for _, place := range slices.Sorted(maps.Keys(counts)) {
		total += fmt.Sprintf("%d %s\n", counts[place], place)
	}
	if only == "" {
		hold("all", total)
	}
	fmt.Fprint(out, total)
	if update {
		if err := writeSections(searchResult, golden); err != nil {
			return err
		}
	}
	if failed > 0 {
		return errDiffers
	}
	return nil
}

// searchedToo returns modules that no other table names.
func searchedToo() []string {
	return []string{
		"github.com/Azure/azure-service-operator/v2@v2.13.0",
		"github.com/argoproj-labs/argocd-operator@v0.15.0",
		"github.com/open-policy-agent/gatekeeper/v3@v3.17.0",
		"github.com/project-codeflare/appwrapper@v1.1.2",
		"sigs.k8s.io/cluster-api@v1.10.4",
		"sigs.k8s.io/controller-runtime@v0.25.2",
		"sigs.k8s.io/scheduler-plugins@v0.34.1-devel",
	}
}

// searched returns the modules of the cases, of field.tsv and of searchedToo with their
// versions, sorted.
func (w workspace) searched(ctx context.Context) ([]string, error) {
	names := searchedToo()
	for _, c := range cases() {
		if c.local != "" || c.generated != nil {
			continue
		}
		versions, err := w.versions(ctx, c)
		if err != nil {
			return nil, err
		}
		for version := range strings.SplitSeq(versions, ", ") {
			names = append(names, strings.Replace(version, " ", "@", 1))
		}
	}
	rows, err := readFieldTable()
	for _, row := range rows {
		if !isCommit(row.version) {
			names = append(names, row.name())
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// searchModule returns the section of a module, and the markers that only one of the searches
// finds. It adds the number of markers to counts, by what they belong to.
func searchModule(ctx context.Context, dir, product string, counts map[string]int) (section string, problems []string, err error) {
	found, effective, err := markersIn(dir)
	if err != nil {
		return "", nil, err
	}
	reported, err := reportedIn(ctx, dir, product)
	if err != nil {
		return "", nil, err
	}
	for _, at := range slices.Sorted(maps.Keys(found)) {
		counts[found[at]]++
		section += at + " " + found[at] + "\n"
		if !reported[at] {
			problems = append(problems, at+": only the search finds it, "+found[at])
		}
	}
	for _, at := range slices.Sorted(maps.Keys(reported)) {
		if found[at] == "" {
			problems = append(problems, at+": only schemagen reports it")
		}
	}
	counts["in effect"] += effective
	if effective > 0 {
		section = fmt.Sprintf("%d in effect\n", effective) + section
	}
	return section, problems, nil
}

// reportedIn returns the positions of the markers in a module that schemagen reports.
func reportedIn(ctx context.Context, dir, product string) (map[string]bool, error) {
	cmd := exec.CommandContext(ctx, product, "rbac:roleName=role", "webhook", "paths=./...", "output:none", "--no-cache", "--skip-verify", "--format=json")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=") // go.work names modules that the archive does not have
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%w\n%s", err, head(stderr.Bytes(), 10))
	}
	var result struct {
		Diagnostics []struct {
			Code, File string
			Line       int
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, d := range result.Diagnostics {
		if d.Code == misplacedCode {
			out[fmt.Sprintf("%s:%d", d.File, d.Line)] = true
		}
	}
	return out, nil
}

// markersIn searches the Go files below a directory that the go command would build. It
// returns the markers without effect by position, with what they belong to, and the number
// of the others.
func markersIn(dir string) (found map[string]string, effective int, err error) {
	found = map[string]string{}
	files := build.Default
	files.BuildTags = []string{"ignore_autogenerated"}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != dir && (base == "testdata" || base == "vendor" || strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		if matches, err := files.MatchFile(filepath.Dir(name), base); err != nil || !matches {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		for line, place := range placesOf(src) {
			if place == "" {
				effective++
			} else {
				found[fmt.Sprintf("%s:%d", filepath.ToSlash(relative), line)] = place
			}
		}
		return nil
	})
	return found, effective, err
}

// placesOf returns what each marker of a file belongs to, by line: the doc comment of a
// declaration, or the inside of one; or "" for a marker that describes the package.
func placesOf(src []byte) map[int]string {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	out := map[int]string{}
	var group []int // the lines of the markers in the comments directly above
	// end is the last line of these comments, and code that of the code before them.
	end, code, depth := 0, 0, 0
	for {
		pos, tok, text := s.Scan()
		line := file.Line(pos)
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		if line > end+1 {
			group = nil
		}
		switch tok {
		case token.EOF:
			return out
		case token.COMMENT:
			if configMarker.MatchString(text) {
				out[line] = ""
				if depth > 0 {
					out[line] = "inside of a declaration"
				}
				if line != code {
					group = append(group, line)
				}
			}
			end = line + strings.Count(text, "\n")
			continue
		case token.FUNC, token.TYPE, token.VAR, token.CONST:
			if depth == 0 {
				for _, line := range group {
					out[line] = "above " + tok.String()
				}
			}
		case token.LBRACE, token.LPAREN, token.LBRACK:
			depth++
		case token.RBRACE, token.RPAREN, token.RBRACK:
			depth--
		}
		group, end, code = nil, 0, line+strings.Count(text, "\n")
	}
}
