package report

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// UnusedGateAt returns the diagnostic for a gate that no condition names. used are the gates that
// conditions name.
func UnusedGateAt(pos diag.Position, name string, used []string) diag.Diagnostic {
	hint := words.DidYouMean(name, used, "remove it, or correct the conditions that should name it")
	return UnusedGate.At(pos, hint, "nothing uses gate %s", name)
}

// GateOnEverywhere returns the diagnostic for a gate that is on in all channels.
func GateOnEverywhere(pos diag.Position, name string) diag.Diagnostic {
	return NeedlessCondition.At(pos, "remove its conditions from the source", "gate %s is on in every channel", name)
}

// GateOnNowhere returns the diagnostic for a gate that is on in no channel. named are the gates that
// the project file names.
func GateOnNowhere(pos diag.Position, name string, named []string) diag.Diagnostic {
	hint := "add it to the gates of a channel"
	if !slices.Contains(named, name) {
		hint = words.DidYouMean(name, named, hint)
	}
	return NeedlessCondition.At(pos, hint, "gate %s is on in no channel", name)
}

// UnknownGateAt returns the diagnostic for a gate that is not among the known ones.
func UnknownGateAt(pos diag.Position, name string, known []string) diag.Diagnostic {
	return UnknownGate.At(pos, words.DidYouMean(name, known, "gates are declared in schemagen.yaml"), "unknown gate %q", name)
}
