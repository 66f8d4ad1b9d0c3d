package conversions

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// Condition is a condition in generated code under which something is kept, or restored. With
// [Options.Mutable], the code can run as if it were not there.
type Condition struct {
	// Number is its number in the file, from 1.
	Number int
	// Name is what is compared: "same", "guards".
	Name string
	// Function is the function that has it, and Text its source.
	Function, Text string
}

// markedCondition matches a condition between marks, which those in support.txt have, too:
// without it, one that holds is true, and one that refuses is false.
var markedCondition = lazyregexp.New(`(?s)/\*(holds|refuses) ([a-z ]+)\*/(.*?)/\*\*/`)

// functionName matches the first line of a function.
var functionName = lazyregexp.New(`(?m)^func (?:\([^)]*\) )?(\w+)`)

// onlyIf marks a condition that has to hold, in mutable code.
func (f *codeFile) onlyIf(name, condition string) string {
	if !f.options.Mutable {
		return condition
	}
	return "/*holds " + name + "*/" + condition + "/**/"
}

// mutable replaces the marks of conditions by calls of the function in [mutants], and returns the
// conditions.
func mutable(body string) (string, []Condition) {
	var out strings.Builder
	var conditions []Condition
	last := 0
	for _, m := range markedCondition().FindAllStringSubmatchIndex(body, -1) {
		c := Condition{Number: len(conditions) + 1, Name: body[m[4]:m[5]], Text: body[m[6]:m[7]]}
		if names := functionName().FindAllStringSubmatch(body[:m[0]], -1); len(names) > 0 {
			c.Function = names[len(names)-1][1]
		}
		conditions = append(conditions, c)
		out.WriteString(body[last:m[0]])
		fmt.Fprintf(&out, "conversionMutable(%d, %t, %s)", c.Number, body[m[2]:m[3]] == "holds", c.Text)
		last = m[1]
	}
	out.WriteString(body[last:])
	return out.String(), conditions
}

// mutants is what mutable code needs: the number of the condition that is removed is in the
// environment. A condition is reported when it is not what it would be without it.
const mutants = `
var conversionMutant, _ = strconv.Atoi(os.Getenv("CONVERSION_MUTANT"))

var conversionMatters sync.Map

func conversionMutable(number int, without, condition bool) bool {
	if condition == without {
		return condition
	}
	if _, reported := conversionMatters.LoadOrStore(number, true); !reported && conversionMutant == 0 {
		fmt.Printf("condition %d matters\n", number)
	}
	if conversionMutant == number {
		return without
	}
	return condition
}
`
