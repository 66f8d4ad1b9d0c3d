package convertprove

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/conversions/laws"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// MutantResult is what became of a mutant: generated code without one of the conditions under which it
// keeps and restores values.
type MutantResult string

// The fates of mutants.
const (
	Refuted  MutantResult = "refuted"  // the generated test fails
	Dead     MutantResult = "dead"     // the condition was never other than without it
	Survived MutantResult = "survived" // the test passes
)

// Mutant is generated code without a condition.
type Mutant struct {
	conversions.Condition
	// Dir is the directory of the package.
	Dir    string
	Result MutantResult
	// Law is what refuted it.
	Law string
}

// Mutate removes each condition in turn from conversions that were generated as mutable, and
// runs their generated tests with a number of histories.
func (r *Run) Mutate(ctx context.Context) ([]Mutant, error) {
	if err := r.Consent.RequireCode(convertrun.Packages(kindsOf(r.Generated.Model))); err != nil {
		return nil, err
	}
	tests, err := laws.Generated(r.Generated.Model, "")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, f := range slices.Concat(r.Generated.Files, tests.Files) {
		files[f.Name] = f.Data
	}
	var out []Mutant
	for _, name := range slices.Sorted(maps.Keys(r.Generated.Conditions)) {
		mutants, err := r.mutants(ctx, filepath.Dir(name), r.Generated.Conditions[name], files)
		if err != nil {
			return nil, err
		}
		out = append(out, mutants...)
	}
	return out, nil
}

// mutants runs the tests of a package without each of its conditions.
func (r *Run) mutants(ctx context.Context, dir string, conditions []conversions.Condition,
	files map[string][]byte) ([]Mutant, error) {
	progress.Start(ctx, "building", "tests", 0)
	test, err := convertrun.BuildTest(ctx, r.code(files), dir)
	if err != nil {
		return nil, err
	}
	defer test.Close()
	histories := fmt.Sprintf("CONVERSION_HISTORIES=%d", r.Cases)
	run := func(mutant int) (string, bool, error) {
		return test.Run(ctx, "^TestConversionLaws$", histories, "CONVERSION_FIRST=yes", "CONVERSION_MUTANT="+strconv.Itoa(mutant))
	}
	output, failed, err := run(0)
	if err == nil && failed {
		err = fmt.Errorf("the tests of %s fail without a mutant:\n%s", dir, output)
	}
	if err != nil {
		return nil, err
	}
	law := regexp.MustCompile(`L\d: [^\n]*`)
	mattered := map[string]bool{}
	for _, m := range regexp.MustCompile(`condition (\d+) matters`).FindAllStringSubmatch(output, -1) {
		mattered[m[1]] = true
	}
	tested := progress.Start(ctx, "testing", "mutants", len(conditions))
	out := make([]Mutant, len(conditions))
	return out, parallel.Do(len(conditions), func(i int) error {
		defer tested.Add(1)
		out[i] = Mutant{Condition: conditions[i], Dir: dir, Result: Dead}
		if !mattered[strconv.Itoa(conditions[i].Number)] {
			return nil
		}
		output, failed, err := run(conditions[i].Number)
		out[i].Result = Survived
		if failed {
			out[i].Result = Refuted
			out[i].Law = law.FindString(output)
		}
		return err
	})
}

// WriteMutants removes conditions and writes a line for each of them. It is an error if one
// survives, because then schemagen's tests are too weak.
func (r *Run) WriteMutants(ctx context.Context) error {
	mutants, err := r.Mutate(ctx)
	if err != nil {
		return err
	}
	counts := map[MutantResult]int{}
	for _, m := range mutants {
		counts[m.Result]++
		line := fmt.Sprintf("%s: %s, %s: %s", m.Result, m.Function, m.Name, strings.Join(strings.Fields(m.Text), " "))
		if m.Law != "" {
			line += " (" + m.Law + ")"
		}
		if _, err := fmt.Fprintln(r.Stdout, screen.Line(line)); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.Stdout, "%d conditions: without %d of them a law does not hold, %d never decide anything\n", len(mutants), counts[Refuted], counts[Dead])
	if counts[Survived] > 0 {
		return fmt.Errorf("the tests do not notice that %d conditions are missing; more histories may, with --cases", counts[Survived])
	}
	return nil
}
