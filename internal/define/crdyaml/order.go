package crdyaml

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/structural"
)

// NaturalLess reports whether the key a sorts before b: characters are compared one by one,
// letters sort after all other characters, and at the first difference runs of digits are
// compared by value. The order is not transitive ("12a" < "13" < "123" < "12a").
func NaturalLess(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i < len(a) && a[i] >= utf8.RuneSelf || i < len(b) && b[i] >= utf8.RuneSelf ||
		i > 0 && a[i-1] >= utf8.RuneSelf {
		return naturalLessRunes([]rune(a), []rune(b))
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	aLetter := isLetter(a[i])
	bLetter := isLetter(b[i])
	if aLetter || bLetter {
		return bLetter && (!aLetter || a[i] < b[i])
	}
	if !isDigit(a[i]) && !isDigit(b[i]) {
		return a[i] < b[i]
	}
	return naturalLessRunes([]rune(a), []rune(b))
}

func isLetter(c byte) bool {
	c |= 0x20
	return c >= 'a' && c <= 'z'
}

func naturalLessRunes(a, b []rune) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return len(a) < len(b)
	}
	aLetter := unicode.IsLetter(a[i])
	bLetter := unicode.IsLetter(b[i])
	if aLetter || bLetter {
		return bLetter && (!aLetter || a[i] < b[i])
	}
	// A zero is significant if the digits before it are not all zeros.
	var start int64
	if a[i] == '0' || b[i] == '0' {
		for j := i - 1; j >= 0 && unicode.IsDigit(a[j]); j-- {
			if a[j] != '0' {
				start = 1
				break
			}
		}
	}
	aNumber, aDigits := leadingNumber(start, a[i:])
	bNumber, bDigits := leadingNumber(start, b[i:])
	switch {
	case aNumber != bNumber:
		return aNumber < bNumber
	case aDigits != bDigits:
		return aDigits < bDigits
	}
	return a[i] < b[i]
}

// leadingNumber appends the leading digits of s to the decimal number n, and returns the
// result and the number of digits. The value wraps around on overflow.
func leadingNumber(n int64, s []rune) (int64, int) {
	i := 0
	for i < len(s) && unicode.IsDigit(s[i]) {
		n = n*10 + int64(s[i]-'0')
		i++
	}
	return n, i
}

func naturalCompare(a, b string) int {
	switch {
	case NaturalLess(a, b):
		return -1
	case NaturalLess(b, a):
		return 1
	}
	return 0
}

// inNaturalOrder returns list if its names are sorted, otherwise a sorted copy.
func inNaturalOrder[T any](list []T, name func(*T) string) []T {
	for i := 1; i < len(list); i++ {
		if NaturalLess(name(&list[i]), name(&list[i-1])) {
			list = slices.Clone(list)
			slices.SortStableFunc(list, func(a, b T) int { return naturalCompare(name(&a), name(&b)) })
			break
		}
	}
	return list
}

// SortProperties sorts properties in the order in which they are printed.
func SortProperties(list []structural.Property) {
	slices.SortFunc(list, func(a, b structural.Property) int {
		switch {
		case NaturalLess(a.Name, b.Name):
			return -1
		case NaturalLess(b.Name, a.Name):
			return 1
		}
		return 0
	})
}
