package derived

import "testing"

// TestPlainText checks that values in messages have no escapes for HTML.
func TestPlainText(t *testing.T) {
	if got := value([]any{"<&>"}) + scalar("<&>"); got != `["<&>"]"<&>"` {
		t.Errorf("got %s", got)
	}
}
