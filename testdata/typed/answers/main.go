// Command answers runs generated functions on requests. For each line of standard
// input it writes a line with the answer, at once.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"cases.test/typed/rows"
	"cases.test/typed/rowscarryover"
	"cases.test/typed/rowsstrict"
)

// request asks what becomes of an object; old is absent on create.
type request struct {
	Options string          `json:"options"`
	Shape   string          `json:"shape"`
	Old     json.RawMessage `json:"old"`
	New     json.RawMessage `json:"new"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	answers := byName()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	encoder := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var r request
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return err
		}
		answer := answers[r.Options+": "+r.Shape]
		if answer == nil {
			return fmt.Errorf("no type for %q with options %q", r.Shape, r.Options)
		}
		if err := encoder.Encode(answer(r.Old, r.New)); err != nil {
			return err
		}
	}
	return in.Err()
}

// byName are the functions of all packages by "options: shape".
func byName() map[string]func(old, new []byte) any {
	out := map[string]func(old, new []byte) any{}
	add(out, "default", rows.Shapes())
	add(out, "carry-over-only", rowscarryover.Shapes())
	add(out, "no-ratcheting", rowsstrict.Shapes())
	return out
}

func add[A any](to map[string]func(old, new []byte) any, options string, shapes map[string]func(old, new []byte) A) {
	for name, answer := range shapes {
		to[options+": "+name] = func(old, new []byte) any { return answer(old, new) }
	}
}
