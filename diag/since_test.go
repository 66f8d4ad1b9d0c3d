package diag_test

import (
	"slices"
	"testing"

	"github.com/schemagen/schemagen/diag"
)

func TestSince(t *testing.T) {
	about := func(code diag.Code, message string, subjects ...string) diag.Diagnostic {
		return diag.Diagnostic{Code: code, Message: message, Subjects: subjects}
	}
	tests := []struct {
		name         string
		earlier, now diag.List
		want         []string // messages
	}{
		{"the same", diag.List{about("A", "m", "x")}, diag.List{about("A", "m", "x")}, nil},
		{"another subject", diag.List{about("A", "m", "x")}, diag.List{about("A", "n", "y")}, []string{"n"}},
		{"another code", diag.List{about("A", "m", "x")}, diag.List{about("B", "n", "x")}, []string{"n"}},
		{"another message", diag.List{about("A", "m", "x")}, diag.List{about("A", "n", "x")}, nil},
		{"one of several subjects", diag.List{about("A", "m", "T.x", "a.x")}, diag.List{about("A", "m", "U.x", "a.x")}, nil},
		{"one type becomes two", diag.List{about("A", "m", "T.x", "a.x", "b.x")}, diag.List{about("A", "m", "U.x", "a.x"), about("A", "m", "V.x", "b.x")}, nil},
		{"two types become one", diag.List{about("A", "m", "T.x", "a.x"), about("A", "m", "U.x", "b.x")}, diag.List{about("A", "m", "V.x", "a.x", "b.x")}, nil},
		{"two instead of one", diag.List{about("A", "m", "x")}, diag.List{about("A", "k", "x"), about("A", "m", "x")}, []string{"k"}},
		{"one instead of two", diag.List{about("A", "k", "x"), about("A", "m", "x")}, diag.List{about("A", "m", "x")}, nil},
		{"no subject", diag.List{about("A", "m")}, diag.List{about("A", "m")}, []string{"m"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, d := range test.now.Since(test.earlier) {
				got = append(got, d.Message)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
