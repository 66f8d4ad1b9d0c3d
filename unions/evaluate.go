package unions

// Outcome is the result of a rule for an object: it holds, it does not hold, or it
// cannot be evaluated.
type Outcome struct {
	Rejected bool
	// Failure is the error of a failed evaluation, or "". The server then rejects
	// the object with this error instead of the rule's message.
	Failure string
}

// Evaluate returns the outcome of each rule for one object.
type Evaluate func(object map[string]any) []Outcome
