package crdyaml

import (
	"math"
	"strconv"
)

// appendNumber appends a JSON number the way the library prints it after reading it: as an
// integer if it is written as one and fits into 64 bits, otherwise as the nearest float, or
// unchanged if it is out of range.
func appendNumber(b []byte, text string) []byte {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.AppendInt(b, n, 10)
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return strconv.AppendUint(b, n, 10)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return append(b, text...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendFloat appends a number that reaches the library through encoding/json. ok is false
// for NaN and infinities, which JSON cannot represent.
func appendFloat(b []byte, f float64) (_ []byte, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, false
	}
	// encoding/json writes all digits of floats below 1e21, so they look like integers. Up
	// to 2^53 those digits are exact.
	switch abs := math.Abs(f); {
	case f != math.Trunc(f) || abs >= 1e21:
		return strconv.AppendFloat(b, f, 'g', -1, 64), true
	case abs <= 1<<53:
		return strconv.AppendInt(b, int64(f), 10), true
	}
	return appendNumber(b, strconv.FormatFloat(f, 'f', -1, 64)), true
}
