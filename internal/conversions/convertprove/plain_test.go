package convertprove

import "testing"

// TestPlainText checks that values in messages have no escapes for HTML.
func TestPlainText(t *testing.T) {
	if got := text(map[string]any{"<": "&>"}); got != `{"<":"&>"}` {
		t.Errorf("got %s", got)
	}
}
