package conversions

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/structural"
)

// parseValues returns the pairs of values in the text of a marker, {Old: New, …}. problem is what is wrong
// with it, and hint what to write.
func parseValues(text string) (values [][2]string, problem, hint string) {
	list, ok := strings.CutPrefix(text, "{")
	list, closed := strings.CutSuffix(list, "}")
	var pairs []string // as they should be written
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		source, target, found := strings.Cut(entry, ":")
		if !found {
			source, target, found = strings.Cut(entry, "=")
			ok = false
		}
		source = strings.TrimSpace(source)
		target = strings.TrimSpace(target)
		if !found || source == "" || target == "" {
			if problem == "" {
				problem = "\"" + entry + "\" is not a pair of values"
			}
			pairs = append(pairs, source+": …")
			continue
		}
		pairs = append(pairs, source+": "+target)
		source = strings.Trim(source, `"`)
		target = strings.Trim(target, `"`)
		if i := slices.IndexFunc(values, func(v [2]string) bool { return v[0] == source }); i >= 0 {
			return nil, source + " has two values, " + values[i][1] + " and " + target, "remove one of them"
		}
		values = append(values, [2]string{source, target})
	}
	if problem == "" && !(ok && closed) {
		problem = text + " is not a list of values"
	}
	if problem != "" {
		return nil, problem, "write {" + strings.Join(pairs, ", ") + "}"
	}
	return values, "", ""
}

// didYouMean returns a hint for an unknown word; empty if no known one is near.
func didYouMean(word string, known []string) string {
	if nearest, ok := words.Nearest(word, known); ok {
		return "did you mean " + nearest + "?"
	}
	return ""
}

// enumValues returns the values of a schema's enum; nil if it has none, or one that is not a string.
func enumValues(s *structural.Schema) (out []string) {
	if s == nil || s.ValueValidation == nil {
		return nil
	}
	for _, value := range s.Enum {
		var text string
		if err := json.Unmarshal(value.Raw, &text); err != nil {
			return nil
		}
		out = append(out, text)
	}
	return out
}

// unknownValue returns the first value of one side that is not in its enum, which may be nil, and a hint.
func unknownValue(values [][2]string, side int, enum []string) (value, hint string) {
	if enum == nil {
		return "", ""
	}
	known := setOf(enum)
	for _, pair := range values {
		if known[pair[side]] {
			continue
		}
		return pair[side], cmp.Or(didYouMean(pair[side], enum), "write one of "+strings.Join(enum, ", "))
	}
	return "", ""
}

// lackingValues returns the values of the spoke's enum that the hub's enum lacks, if both have one, and for
// which there are no others, and the argument of the marker with which there would be.
func lackingValues(spoke, hub []string, values [][2]string) (lacking []string, text string) {
	if hub == nil {
		return nil, ""
	}
	known := setOf(hub)
	var pairs []string
	for _, pair := range values {
		pairs = append(pairs, pair[0]+": "+pair[1])
		known[pair[0]] = true
	}
	for _, value := range spoke {
		if value == "" || known[value] {
			continue // an empty text may be left out
		}
		nearest, ok := words.NearestOther(value, hub)
		if !ok {
			nearest = "…"
		}
		lacking = append(lacking, value)
		pairs = append(pairs, value+": "+nearest)
	}
	return lacking, "{" + strings.Join(pairs, ", ") + "}"
}

func setOf(values []string) map[string]bool {
	out := make(map[string]bool, len(values))
	for _, value := range values {
		out[value] = true
	}
	return out
}
