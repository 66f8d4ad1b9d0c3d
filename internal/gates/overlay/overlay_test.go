package overlay

import (
	"fmt"
	"testing"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/source"
)

func TestParts(t *testing.T) {
	used := func(alternatives ...[]string) []source.Gated { return []source.Gated{{Gates: alternatives}} }
	for _, c := range []struct {
		used []source.Gated
		on   gates.Set
		want string
	}{
		{nil, gates.Set{"A"}, "[]"},
		{used([]string{""}), nil, "[]"},
		{used([]string{"B"}, []string{""}, []string{"A"}, []string{"C"}), gates.Set{"*", "!C"}, "[ A B]"},
		{used([]string{"A", "C"}, []string{"B"}, []string{"C"}), gates.Set{"*"}, "[ B C A+C]"},
		{used([]string{"A", "B"}, []string{"C"}, []string{"A"}, []string{"B"}), gates.Set{"*"}, "[ A B A+B C]"},
		{used([]string{"A", "B"}), gates.Set{"A"}, "[]"},
		{append([]source.Gated{{Gates: [][]string{{"B"}}, Exists: true}}, used([]string{"A"})...), gates.Set{"*"}, "[A B]"},
	} {
		if got := fmt.Sprint(Parts(c.used, c.on)); got != c.want {
			t.Errorf("%v of %v: got %s, want %s", c.on, c.used, got, c.want)
		}
	}
}

func TestSet(t *testing.T) {
	named := []string{"A", "B"}
	for _, c := range []struct {
		part Part
		want string
	}{
		{Part{}, "[* !X !A !B]"},
		{Part{"B"}, "[* !X !A B !]"},
	} {
		if got := fmt.Sprint(c.part.Set(gates.Set{"*", "!X", "B"}, named)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.part, got, c.want)
		}
	}
}
