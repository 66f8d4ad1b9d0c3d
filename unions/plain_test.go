package unions

import "testing"

// TestPlainText checks that values in messages have no escapes for HTML.
func TestPlainText(t *testing.T) {
	if got := Text(map[string]any{"<": "&>"}) + string(literal("<&>").Raw); got != `{"<":"&>"}"<&>"` {
		t.Errorf("got %s", got)
	}
}
