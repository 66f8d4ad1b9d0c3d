package unions

import "testing"

// TestPlainText checks that values in schemas have no escapes for HTML.
func TestPlainText(t *testing.T) {
	if got := string(literal("<&>").Raw); got != `"<&>"` {
		t.Errorf("got %s", got)
	}
}
