package rules

import (
	"slices"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Table has the answers of conditions of an object for all values that the conditions tell apart.
//
// A column is a field that the conditions read, with its classes: the absence of the field, and values
// that represent all others for these conditions. A row is a class of each column. The server's own code
// gives the answers, so a table is exact if its columns are; see [reader] and [use].
type Table struct {
	schema  *structural.Schema
	self    *part
	columns []*part
	uses    map[*part]*use
	rows    []row
	// accepted are the rows that all conditions accept.
	accepted []row
	// members are the columns that may be members of unions; [Table.meaning] finds them.
	members []*part
}

// row is a class of each column, and the outcome of each condition. A rule that fails to evaluate does not
// accept.
type row struct {
	classes  []int
	outcomes []unions.Outcome
}

func isAccepted(outcomes []unions.Outcome) bool {
	return !slices.ContainsFunc(outcomes, func(o unions.Outcome) bool { return o != unions.Outcome{} })
}

func hasFailure(outcomes []unions.Outcome) bool {
	return slices.ContainsFunc(outcomes, func(o unions.Outcome) bool { return o.Failure != "" })
}

// maxRows bounds the rows of a table, maxAnswers its answers, one of each condition for each row, and maxEvaluated
// the rows for which conditions are evaluated.
const (
	maxRows      = 1 << 15
	maxAnswers   = 1 << 19
	maxEvaluated = 1 << 12
)

// newTable returns the table of conditions of an object; nil if one cannot be read exactly, or is refused by the
// server, or if there are too many rows.
func newTable(s *structural.Schema, conditions []Condition) *Table {
	r := newReader(s)
	read, ok := r.readConditions(conditions)
	if !ok || !r.setChoices() {
		return nil
	}
	t := &Table{schema: s, self: r.self, columns: r.self.below(), uses: r.uses}
	size := t.self.combinations(t.columns)
	evaluated := 0
	for _, r := range read {
		evaluated += t.self.combinations(r.columns) * (len(r.counted) + 1)
	}
	if size > maxRows || size*len(conditions) > maxAnswers || min(size, evaluated) > maxEvaluated {
		return nil
	}
	answers, err := newAnswerer(t.self, conditions, read)
	if err != nil {
		return nil
	}
	chosen := assignment{}
	assign(t.self.children, chosen, func() {
		next := row{outcomes: answers.of(chosen)}
		for _, column := range t.columns {
			next.classes = append(next.classes, chosen[column])
		}
		t.rows = append(t.rows, next)
		if next.isAccepted() {
			t.accepted = append(t.accepted, next)
		}
	})
	return t
}

// textOf returns small integers from -1 on as a key of maps.
func textOf(list []int) string {
	var key []rune
	for _, n := range list {
		key = append(key, rune(n+1))
	}
	return string(key)
}

// combinations returns the number of combinations of columns below a part that is present; more than maxRows
// if there are too many.
func (p *part) combinations(columns []*part) int {
	product := 1
	for _, child := range p.children {
		if !slices.Contains(columns, child) {
			continue
		}
		size := child.combinations(columns)
		if len(child.children) == 0 {
			size = len(child.choices)
		}
		if child.optional {
			size++
		}
		product = min(product*size, maxRows+1)
	}
	return product
}

// assign calls next for each combination of the classes of parts and what is below them: a part of
// what is absent is absent.
func assign(parts []*part, chosen assignment, next func()) {
	if len(parts) == 0 {
		next()
		return
	}
	column := parts[0]
	rest := func() { assign(parts[1:], chosen, next) }
	if column.optional {
		chosen[column] = absent
		for _, below := range column.below() {
			chosen[below] = absent
		}
		rest()
	}
	for i := range column.choices {
		chosen[column] = i
		assign(column.children, chosen, rest)
	}
}

// object returns the object of a row.
func (t *Table) object(r row) map[string]any {
	chosen := assignment{}
	for i, column := range t.columns {
		chosen[column] = r.classes[i]
	}
	return t.self.object(chosen)
}

// isPossible reports whether the schema accepts the values of a row.
func (t *Table) isPossible(r row) bool {
	for i, column := range t.columns {
		if r.classes[i] == absent || len(column.children) > 0 {
			continue
		}
		value, err := plainjson.Marshal(column.choices[r.classes[i]])
		if err != nil || contradictions.Refusal(column.schema, structural.JSON{Raw: value}) != "" {
			return false
		}
	}
	return true
}
