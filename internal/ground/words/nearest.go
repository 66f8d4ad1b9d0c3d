// Package words finds the word that was probably meant by one that is unknown.
package words

import "slices"

// maxCandidates limits the words that are compared with another one. A definition with n fields may have n
// unknown ones, and n² comparisons would take seconds. No struct that people write has so many fields.
const maxCandidates = 1000

// tooFar is the first result of [EditDistance] that is more than two edits.
const tooFar = 5

// Nearest returns the candidate with the smallest edit distance to the word, if it is at most
// two and less than half the length of the word. A change of case counts as half an edit. There is
// none among more than a thousand, unless it is equal.
func Nearest(word string, candidates []string) (string, bool) {
	if slices.Contains(candidates, word) {
		return word, true
	}
	return NearestOther(word, candidates)
}

// NearestOther is [Nearest] for a word that is not one of the candidates.
func NearestOther(word string, candidates []string) (string, bool) {
	if len(candidates) > maxCandidates {
		return "", false
	}
	best := ""
	bestDistance := tooFar
	for _, candidate := range candidates {
		if distance := EditDistance(word, candidate, tooFar); distance < bestDistance {
			best = candidate
			bestDistance = distance
		}
	}
	return best, best != "" && bestDistance < len(word)
}

// OnlyNearest is [Nearest], but fails if another candidate is equally near.
func OnlyNearest(word string, candidates []string) (string, bool) {
	nearest, ok := Nearest(word, candidates)
	if !ok {
		return "", false
	}
	rest := slices.DeleteFunc(slices.Clone(candidates), func(name string) bool { return name == nearest })
	other, ok := Nearest(word, rest)
	return nearest, !ok || EditDistance(word, other, tooFar) > EditDistance(word, nearest, tooFar)
}

// DidYouMean returns a hint for a word that is not one of the candidates: the nearest one if
// it is near enough, or the text otherwise.
func DidYouMean(word string, candidates []string, otherwise string) string {
	if nearest, ok := Nearest(word, candidates); ok {
		return "did you mean " + nearest + "?"
	}
	return otherwise
}

// Suggestion returns the end of a message about a word that is not one of the candidates: empty if none
// is near.
func Suggestion(word string, candidates []string) string {
	if nearest, ok := Nearest(word, candidates); ok {
		return "; did you mean " + nearest + "?"
	}
	return ""
}

// EditDistance returns twice the number of insertions, deletions, substitutions and
// transpositions of adjacent characters that turn b into a; a change of case counts one. It
// stops at limit.
func EditDistance(a, b string, limit int) int {
	if d := 2 * (len(a) - len(b)); d >= limit || -d >= limit {
		return limit
	}
	previous2 := make([]int, len(b)+1)
	previous := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = 2 * j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = 2 * i
		lowest := row[0]
		for j := 1; j <= len(b); j++ {
			cost := 2
			switch {
			case a[i-1] == b[j-1]:
				cost = 0
			case a[i-1]|0x20 == b[j-1]|0x20:
				cost = 1
			}
			row[j] = min(previous[j]+2, row[j-1]+2, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], previous2[j-2]+2)
			}
			lowest = min(lowest, row[j])
		}
		if lowest >= limit {
			return limit
		}
		previous2, previous, row = previous, row, previous2
	}
	return previous[len(b)]
}
