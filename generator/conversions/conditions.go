package conversions

import (
	"fmt"
	"regexp"
	"strings"
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

// markedCondition matches a condition between two comments, in generated code and in
// support.txt: without it, one that holds is true, and one that refuses is false.
const markedCondition = `(?s)/\*(holds|refuses) ([a-z ]+)\*/(.*?)/\*\*/`

// onlyIf marks a condition that has to hold.
func onlyIf(name, condition string) string { return "/*holds " + name + "*/" + condition + "/**/" }

// unmark removes the marks of conditions. With mutable set, the conditions are those of
// [mutants], and are returned.
func unmark(body string, mutable bool) (string, []Condition) {
	marked := regexp.MustCompile(markedCondition)
	if !mutable {
		return marked.ReplaceAllString(body, "$3"), nil
	}
	function := regexp.MustCompile(`(?m)^func (?:\([^)]*\) )?(\w+)`)
	var out strings.Builder
	var conditions []Condition
	last := 0
	for _, m := range marked.FindAllStringSubmatchIndex(body, -1) {
		c := Condition{Number: len(conditions) + 1, Name: body[m[4]:m[5]], Text: body[m[6]:m[7]]}
		if names := function.FindAllStringSubmatch(body[:m[0]], -1); len(names) > 0 {
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
