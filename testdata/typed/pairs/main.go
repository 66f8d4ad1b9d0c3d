// Command pairs runs generated functions on pairs of objects. It reads a line
// [old, new] for each from standard input, old being null on create, and writes a
// line with the normalized object, whether it was changed, and the errors.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"cases.test/typed/api"
	"cases.test/typed/carryover"
	"cases.test/typed/strict"
)

// answer is what the functions say of a pair.
type answer struct {
	New     any      `json:"new"`
	Changed bool     `json:"changed"`
	Errors  []string `json:"errors"`
}

func main() {
	answerTo := answerTo(os.Args[1])
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for in.Scan() {
		a, err := answerTo(in.Bytes())
		if err == nil {
			err = encoder.Encode(a)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	out.Flush()
}

// answerTo returns the functions that were generated with the options.
func answerTo(options string) func(line []byte) (answer, error) {
	switch options {
	case "carry-over-only":
		return with(carryover.NormalizeWidgetUnions, carryover.ValidateWidgetUnions)
	case "no-ratcheting":
		return with(strict.NormalizeWidgetUnions, strict.ValidateWidgetUnions)
	}
	return with(api.NormalizeWidgetUnions, api.ValidateWidgetUnions)
}

func with[T any](normalize func(old, new *T) bool, validate func(old, new *T, path *field.Path) field.ErrorList) func([]byte) (answer, error) {
	return func(line []byte) (answer, error) {
		var pair [2]*T
		if err := json.Unmarshal(line, &pair); err != nil {
			return answer{}, err
		}
		old, new := pair[0], pair[1]
		before, _ := json.Marshal(old)
		a := answer{New: new, Changed: normalize(old, new), Errors: []string{}}
		if normalize(old, new) {
			return answer{}, fmt.Errorf("not idempotent: %s", line)
		}
		for _, e := range validate(old, new, nil) {
			a.Errors = append(a.Errors, fmt.Sprintf("%s %s: %s", e.Type, e.Field, e.Detail))
		}
		if after, _ := json.Marshal(old); string(before) != string(after) {
			return answer{}, fmt.Errorf("old was written: %s", line)
		}
		return a, nil
	}
}
