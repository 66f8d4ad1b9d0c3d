package compare

import (
	"testing"

	"github.com/schemagen/schemagen/structural"
)

func TestSame(t *testing.T) {
	value := func(text string) structural.JSON { return structural.JSON{Raw: []byte(text)} }
	field := func(name string, most int64) structural.NestedProperty {
		return structural.NestedProperty{Name: name, Schema: &structural.NestedValueValidation{ValueValidation: structural.ValueValidation{MaxLength: &most}}}
	}
	for _, row := range []struct {
		a, b any
		want bool
	}{
		{value(`{"a": 1, "b": [2]}`), value(`{"b":[2],"a":1}`), true},
		{value(`9007199254740993`), value(`9007199254740992`), false},
		{value(`"a"`), value(`"\u0061"`), true},
		{[]structural.JSON{value("1"), value("2")}, []structural.JSON{value("2"), value("1")}, true},
		{[]structural.JSON{value("1"), value("1")}, []structural.JSON{value("2"), value("1")}, false},
		{[]string{"a", "b"}, []string{"b", "a"}, true},
		{[]string{"a", "a"}, []string{"a", "b"}, false},
		{[]structural.NestedProperty{field("a", 1), field("b", 2)}, []structural.NestedProperty{field("b", 2), field("a", 1)}, true},
		{[]structural.NestedProperty{field("a", 1), field("b", 2)}, []structural.NestedProperty{field("b", 1), field("a", 2)}, false},
		{structural.Origin{Pos: 1}, structural.Origin{Pos: 2}, true},
	} {
		if got := same(row.a, row.b); got != row.want {
			t.Errorf("%s and %s: %t", row.a, row.b, got)
		}
	}
}
