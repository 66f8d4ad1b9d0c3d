package main

import (
	"regexp"
	"slices"
	"strings"
)

// A line is one of the command lines in a project's Makefile besides that of the crd
// generator alone.
type line struct {
	// commands are the arguments of the commands that the Makefile runs for it, separated by
	// blanks, without output rules.
	commands []string
	// listings are as in benchCase.
	listings []listing
	// files is the expected number of files. It is 0 if the project does not have the line.
	files int
	// imported is set if packages of the line import the files that it writes next to them:
	// controller-gen fails without these packages, so the files are emptied instead of removed.
	imported bool
	// slow is set if controller-gen takes more than ten seconds. Only the cold row measures it.
	slow bool
}

// Names of lines, by which rows select them.
const (
	crdLine      = "crd"
	manifestLine = "manifests"
	objectLine   = "object"
	applyLine    = "applyconfiguration"
	projectLine  = "project" // all command lines of the Makefile, and schemagen generate
)

// Paths of the files that lines write next to the packages.
var (
	objectFiles = regexp.MustCompile(`(^|/)zz_generated\.deepcopy\.go$`)
	applyFiles  = regexp.MustCompile(`(^|/)applyconfigurations?/`)
	// projectFiles are in the directories of Kubebuilder's scaffold, too.
	projectFiles = regexp.MustCompile(`^config/(crd/bases|rbac|webhook)/|` + objectFiles.String() + `|` + applyFiles.String())
)

// lines returns the case once for each of its lines: itself, whose line is that of the crd
// generator, and copies that run the others.
func (c benchCase) lines() []benchCase {
	c.line = crdLine
	out := []benchCase{c}
	if c.object.files > 0 && c.object.commands == nil {
		c.object.commands = []string{strings.Join(append([]string{"object"}, c.pathArguments()...), " ")}
		c.object.listings = c.listings
	}
	add := func(name string, l line, inTree *regexp.Regexp) {
		if l.files > 0 {
			other := c
			other.line, other.commands, other.listings, other.files = name, l.commands, l.listings, l.files
			other.inTree, other.imported, other.slow = inTree, l.imported, l.slow
			other.name += ": " + name
			out = append(out, other)
		}
	}
	add(manifestLine, c.manifests, nil)
	add(objectLine, c.object, objectFiles)
	add(applyLine, c.apply, applyFiles)
	add(projectLine, c.project, projectFiles)
	return out
}

// allLines returns the lines of all cases.
func allLines(selected []benchCase) (out []benchCase) {
	for _, c := range selected {
		out = append(out, c.lines()...)
	}
	return out
}

// arguments returns the arguments of the commands for both tools. out is the directory for
// files that are not written next to the packages.
func (c benchCase) arguments(out string) [][]string {
	if c.commands == nil {
		return [][]string{slices.Concat([]string{c.crd}, c.pathArguments(), []string{"output:crd:dir=" + out})}
	}
	var all [][]string
	for _, command := range c.commands {
		args := strings.Fields(command)
		if c.inTree == nil {
			args = append(args, "output:dir="+out)
		}
		all = append(all, args)
	}
	return all
}

func (c benchCase) pathArguments() (out []string) {
	for _, p := range c.paths {
		out = append(out, "paths="+p)
	}
	return out
}

// patterns returns the package patterns of the commands.
func (c benchCase) patterns() (out []string) {
	for _, args := range c.arguments("") {
		for _, arg := range args {
			if value, ok := strings.CutPrefix(arg, "paths="); ok {
				out = append(out, strings.Split(value, ";")...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
