package migrate

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// controllerGenCall is a call of controller-gen, or of schemagen in its place.
type controllerGenCall struct {
	// file and line are its place in a Makefile whose text was read; line is 0 if it is not known.
	file string
	line int
	// tool is the name of the program, version its version if it is known, and how says how it was reached.
	tool, version, how string
	// dir is the directory in which it runs, absolute or relative to the working directory.
	dir string
	// env are variables that are set for it.
	env  []string
	args []string
	// order is its place among the calls of a dry run.
	order int
	// world is the directory of the dry run that recorded it.
	world string
}

// temporaryName matches the name of a file of mktemp below the directory for temporary files.
var temporaryName = lazyregexp.New(worldMark + `/tmp/[^/\s,]*`)

// id identifies a call in all dry runs, whatever tool makes it.
func (c controllerGenCall) id() string {
	text := strings.Join(slices.Concat([]string{c.dir}, c.env, []string{"--"}, c.args), " ")
	if c.world != "" {
		text = strings.ReplaceAll(text, c.world, worldMark)
	}
	return temporaryName().ReplaceAllString(text, worldMark+"/tmp")
}

// callOf returns the call of controller-gen in words: all after its name, or all words. ok is false for
// another command, and without a generator.
func callOf(words []string) (call controllerGenCall, ok bool) {
	if i := slices.IndexFunc(words, isTool); i >= 0 {
		words = words[i+1:]
	}
	ok = len(generatorsIn(words)) > 0 && (isArgument(words[0]) || strings.HasPrefix(words[0], "+"))
	return controllerGenCall{tool: peerName, args: words}, ok
}

// isTool reports whether a word of a command names controller-gen.
func isTool(word string) bool { return toolFile().MatchString(filepath.Base(word)) }

func isArgument(word string) bool {
	return len(generatorsIn([]string{word})) > 0 || strings.HasPrefix(word, "paths=") || strings.HasPrefix(word, "output:")
}

// generatorsIn returns the generators named in arguments of controller-gen.
func generatorsIn(args []string) (out []string) {
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "+"), ":")
		if slices.Contains(commandline.Names(), name) {
			out = append(out, name)
		}
	}
	return out
}
