package unions

// Outcome is the result of a rule for an object: it holds, it does not hold, or it
// cannot be evaluated.
type Outcome struct {
	Rejected bool
	// Failure is the error of a failed evaluation, or "". The server then rejects
	// the object with this error instead of the rule's message.
	Failure string
}

// Judgement is a comparison of handwritten rules with a union. Rules are judged by their behavior rather than their
// text, on objects that represent all others.
type Judgement struct {
	// Rules are the indexes of the rules that were judged: they mention members of the union and
	// nothing outside the union.
	Rules []int
	// Same is true if together they reject exactly the objects that the union rejects.
	Same bool
	// Slips is an object that violates the union although the rules accept it, or nil.
	Slips map[string]any
	// Fails is an object for which the rule FailsRule cannot be evaluated because
	// of the error Failure, or nil.
	Fails     map[string]any
	FailsRule int
	Failure   string
	// OneMessage are the rules that reject exactly the absence and the presence of
	// one member, with a single message for both.
	OneMessage []int
	// NoFieldPath are the rules without a fieldPath.
	NoFieldPath []int
}
