package convertrun

import "testing"

// TestPlainText checks that values in messages have no escapes for HTML.
func TestPlainText(t *testing.T) {
	if got := shown(map[string]any{"<": "&>"}); got != `{"<":"&>"}` {
		t.Errorf("got %s", got)
	}
}
