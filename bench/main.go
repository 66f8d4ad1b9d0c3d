// Command bench compares schemagen with controller-gen on real API modules: the bytes that
// both write, and the time and memory that both need.
//
// It knows the command lines (cases.go), the sources of their packages, and how a run is
// measured. Of CRDs it knows only the one line whose value may differ.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

const usage = `usage: go run . COMMAND [flags]

  list                                    the cases and their versions
  parity   [-schemagen PATH] [-case A,B] [-update]
                                          compare every file byte for byte
  field    [-schemagen PATH] [-case MODULE,MODULE] [-update]
                                          run both tools over public repositories (field.tsv)
                                          and hold files and findings against field.txt
  search   [-schemagen PATH] [-case MODULE,MODULE] [-update]
                                          search the same modules for markers of rbac and
                                          webhook without effect, and hold what schemagen
                                          reports against them and search.txt
  conventions [-schemagen PATH] [-case A,B] [-update]
                                          compare findings about API conventions with those of
                                          kube-api-linter, and the result with conventions.txt
  peers    [-schemagen PATH] [-case SUITE,SUITE] [-update]
                                          give the test cases of other projects to schemagen, and
                                          hold the verdicts against peers.txt
  laws     [-schemagen PATH] [-case MODULE,MODULE] [-update]
                                          test the hand-written conversions of public modules,
                                          and hold the violations against laws.txt
  oracles  [-schemagen PATH] [-case NAME,NAME] [-update]
                                          compare generated conversions with those that public
                                          modules have, and the result with oracles.txt
  speed    [-schemagen PATH] [-n 7] [-record]
                                          CPU and allocations of generated conversions and of
                                          those that cluster-api wrote by hand
  time     [-schemagen PATH] [-case A,B] [-rows A,B] [-n 5] [-record]
                                          wall, CPU and memory of both
  page                                    rewrite the tables of performance.md, in docs and docs/dev, and README's chart
  growth   [-schemagen PATH] [-n 5] [-modules kinds,rules] [-o FILE.csv] [-depth 4] [-width 6]
           [-unions 2] [-rules 3] [-description 120]
                                          wall, CPU and memory of both by the size of modules
  bounds   [-schemagen PATH] [-dimensions A,B] [-record]
                                          CPU of every command by the size of its input, and
                                          after an interrupt
  damages  [-schemagen PATH] [-n 2000] [-seed 1] [-record]
                                          damage Go files of public repositories: what is lost
                                          must be reported, which a mutant does not do
  channels [-schemagen PATH] [-n 5] [-record]
                                          CPU of one, two and ten channels of gateway-api
  dialects [-schemagen PATH] [-openshift DIR] [-opcon DIR] [-record]
                                          compare the CRDs that gateway-api, openshift/api and
                                          operator-controller publish with those from their
                                          tags and markers; DIR is a checkout to compare
  lsp      [-schemagen PATH] [-edits 200] [-soak 3600] [-record]
                                          an editor's session: time and CPU of each keystroke in
                                          the largest definitions, and memory over a longer one
  review   [-schemagen PATH] [-n 7] [-record]
                                          wall, CPU and memory of reviews of synthetic-25
  generate [-schemagen PATH] -case A -o DIR [-peer]
                                          run one tool on one case
  versions -o DIR [-case A,B]             run each release of controller-gen, for the table of
                                          what changed (internal/migrate/peerversions)
`

// errDiffers is returned by a comparison that found differences and has printed them.
var errDiffers = errors.New("outputs differ")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case errors.Is(err, errDiffers):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return flag.ErrHelp
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	product := flags.String("schemagen", "", "the binary to hold against the peer; built from .. by default")
	names := flags.String("case", "", "comma-separated names of cases; all by default")
	runs, edits, soak, rowNames := 0, 0, 0, ""
	var t tree
	var seed uint64
	dir, openshift, opcon, peer, update, recorded := "", "", "", false, false, false
	switch args[0] {
	case "list", "page":
	case "parity", "field", "search", "conventions", "peers", "laws", "oracles":
		flags.BoolVar(&update, "update", false, "rewrite the recorded result, of parity the warnings, for what is selected")
	case "speed":
		flags.IntVar(&runs, "n", 7, "measured rounds")
		flags.BoolVar(&recorded, "record", false, "write the results to speed.txt")
	case "dialects":
		flags.StringVar(&openshift, "openshift", "", "a checkout of openshift/api")
		flags.StringVar(&opcon, "opcon", "", "a checkout of operator-controller")
		flags.BoolVar(&recorded, "record", false, "write the result to dialects.txt")
	case "bounds":
		flags.StringVar(&rowNames, "dimensions", "", "comma-separated names of dimensions; all by default")
		flags.BoolVar(&recorded, "record", false, "write the results to bounds.txt")
	case "damages":
		flags.IntVar(&runs, "n", 2000, "damages")
		flags.Uint64Var(&seed, "seed", 1, "where the random numbers begin")
		flags.BoolVar(&recorded, "record", false, "write the result to damages.txt")
	case "channels":
		flags.IntVar(&runs, "n", 5, "measured runs")
		flags.BoolVar(&recorded, "record", false, "write the results to channels.txt")
	case "lsp":
		flags.IntVar(&edits, "edits", 200, "measured keystrokes")
		flags.IntVar(&soak, "soak", 3600, "keystrokes in the session whose memory is measured, at least 100; none if 0")
		flags.BoolVar(&recorded, "record", false, "write the results to lsp.txt")
	case "review":
		flags.IntVar(&runs, "n", 7, "measured runs")
		flags.BoolVar(&recorded, "record", false, "write the results to review.txt")
	case "time":
		flags.IntVar(&runs, "n", 5, "measured runs of each tool")
		flags.BoolVar(&recorded, "record", false, "add the results to docs/performance.csv, and rewrite performance.md in docs and docs/dev")
		flags.StringVar(&rowNames, "rows", "", "comma-separated names of rows; all by default")
	case "growth":
		flags.IntVar(&runs, "n", 5, "measured runs of each tool")
		flags.StringVar(&rowNames, "modules", "", "comma-separated names of modules; all by default")
		flags.StringVar(&dir, "o", "", "file for the points, which bench/plot draws")
		flags.IntVar(&t.depth, "depth", 4, "levels of structs below one of kinds")
		flags.IntVar(&t.width, "width", 6, "fields of a struct that are no structs")
		flags.IntVar(&t.unions, "unions", 2, "structs of a kind with a union")
		flags.IntVar(&t.rules, "rules", 3, "structs of a kind with a CEL rule")
		flags.IntVar(&t.description, "description", 120, "bytes of a field's description")
	case "generate":
		flags.StringVar(&dir, "o", "", "directory of the output")
		flags.BoolVar(&peer, "peer", false, "run controller-gen instead")
	case "versions":
		flags.StringVar(&dir, "o", "", "directory of the outputs")
	default:
		fmt.Fprint(os.Stderr, usage)
		return flag.ErrHelp
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	w, err := openWorkspace()
	if err != nil {
		return err
	}
	switch args[0] {
	case "field":
		return field(ctx, w, *names, *product, update, out)
	case "search":
		return search(ctx, w, *names, *product, update, out)
	case "conventions":
		return conventions(ctx, w, *names, *product, update, out)
	case "peers":
		return peers(ctx, w, *names, *product, update, out)
	case "laws":
		return laws(ctx, w, *names, *product, update, out)
	case "oracles":
		return oracles(ctx, w, *names, *product, update, out)
	case "speed":
		return speed(ctx, w, *product, max(runs, 1), recorded, out)
	case "dialects":
		return dialects(ctx, w, *product, openshift, opcon, recorded, out)
	case "bounds":
		return measureBounds(ctx, w, *product, rowNames, recorded, out)
	case "damages":
		return damages(ctx, w, *product, max(runs, 1), seed, recorded, out)
	case "channels":
		return channels(ctx, w, *product, max(runs, 1), recorded, out)
	case "lsp":
		return lsp(ctx, w, *product, max(edits, 1), soak, recorded, out)
	case "review":
		return reviews(ctx, w, *product, max(runs, 1), recorded, out)
	}
	if args[0] == "versions" {
		selected, err := selectVersionCases(*names)
		if err == nil && dir == "" {
			err = errors.New("versions needs -o")
		}
		if err != nil {
			return err
		}
		return writeVersions(ctx, w, selected, dir, out)
	}
	selected := timedCases()
	if args[0] == "parity" {
		selected = cases()
	}
	if *names != "" {
		if selected, err = selectCases(*names); err != nil {
			return err
		}
	}
	if (args[0] == "time" || args[0] == "growth") && runs < 1 {
		return errors.New("-n must be at least 1")
	}
	switch args[0] {
	case "list":
		return list(ctx, w, selected, out)
	case "parity":
		return parity(ctx, w, selected, *product, update, out)
	case "time":
		rows, err := selectRows(rowNames)
		if err != nil {
			return err
		}
		return timing(ctx, w, selected, rows, *product, runs, recorded, out)
	case "page":
		return writePages(w)
	case "growth":
		return growth(ctx, w, t, rowNames, *product, runs, dir, out)
	default:
		if len(selected) != 1 || dir == "" {
			return errors.New("generate needs one -case and -o")
		}
		return generate(ctx, w, selected[0], *product, peer, dir)
	}
}

// list prints the table of cases with the versions of their modules. The first command line is
// that of crd.
func list(ctx context.Context, w workspace, selected []benchCase, out io.Writer) error {
	fmt.Fprintln(out, "| case | CRDs | module | command line | other lines |")
	fmt.Fprintln(out, "|---|--:|---|---|---|")
	for _, c := range selected {
		versions, err := w.versions(ctx, c)
		if err != nil {
			return err
		}
		lines := c.lines()
		var others []string
		for _, l := range lines[1:] {
			others = append(others, "`"+l.commandLine()+"`")
		}
		fmt.Fprintf(out, "| %s | %d | %s | `%s` | %s |\n", c.name, c.files, versions, lines[0].commandLine(), strings.Join(others, "<br>"))
	}
	return nil
}

// generate runs one tool for one case and passes its messages through.
func generate(ctx context.Context, w workspace, c benchCase, product string, peer bool, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	var tool string
	args := c.lines()[0].productArguments(dir)
	if peer {
		args = c.lines()[0].arguments(dir)
		tool, err = w.peer(ctx)
	} else {
		tool, err = w.product(ctx, product)
	}
	if err != nil {
		return err
	}
	place, err := w.prepare(ctx, c)
	if err != nil {
		return err
	}
	messages, err := runAll(ctx, place.dir, tool, args)
	os.Stderr.Write(messages)
	return err
}
