package diag

import (
	"strings"
	"testing"
)

// TestFoldWithCause folds diagnostics whose cause is printed instead of their message, as on a terminal.
func TestFoldWithCause(t *testing.T) {
	list := List{
		{Code: "SG605", Message: "spec: a rule: too costly", Cause: "too costly", Path: "spec"},
		{Code: "SG605", Message: "status: a rule: too costly", Cause: "too costly", Path: "status"},
		{Code: "SG605", Message: "without a cause"},
	}
	got := list.Fold(func(d Diagnostic) (string, bool) { return string(d.Code), true })
	const more = " (and 2 more SG605 in this package; --format json lists them)"
	if len(got) != 1 || got[0].Message != list[0].Message+more || got[0].Cause != list[0].Cause+more {
		t.Errorf("got %+v", got)
	}
	got = list[2:].Fold(func(d Diagnostic) (string, bool) { return string(d.Code), true })
	if got[0].Cause != "" || strings.Contains(got[0].Message, "more") {
		t.Errorf("got %+v", got)
	}
}
