package suggest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// This file searches documentation for statements about unions. Only unambiguous wording
// counts.

// mayBeAbsent returns why a member may be absent although its value is selected; empty if
// there is no indication. Kubernetes' tag for it takes precedence. A member that the
// documentation requires is not optional, whatever else the documentation states.
func mayBeAbsent(f *unionField, value string) string {
	if mode, needs := f.mode(); mode == value {
		if needs == "optional" {
			return "+k8s:ifMode specifies it"
		}
		return ""
	}
	why := ""
	for _, sentence := range sentences(f.field.Doc) {
		switch {
		case mustBeSet().MatchString(sentence):
			return ""
		case why != "":
		case whereAbsent().MatchString(sentence):
			why = "its documentation allows its absence: " + excerpt(whereAbsent(), sentence)
		case onlyIf().MatchString(sentence) && hasWord(sentence, value):
			why = "its documentation explains when it may be set, not that it must be: " + excerpt(onlyIf(), sentence)
		}
	}
	return why
}

// mode returns the value for which Kubernetes' tags set whether the field is required, and
// the setting: "required" or "optional". Both are empty if there is no such tag.
func (f *unionField) mode() (value, needs string) {
	for _, c := range f.comments {
		if groups := modeTag().FindStringSubmatch(c.Text); groups != nil {
			return groups[1], groups[2]
		}
	}
	return "", ""
}

// modeComment matches the tags for modes.
var modeComment = lazyregexp.New(`\+k8s:(modeDiscriminator|ifMode)\b`)

var modeTag = lazyregexp.New(`\+k8s:ifMode\("([^"]+)"\)=\+k8s:(required|optional)$`)

func excerpt(pattern *regexp.Regexp, sentence string) string {
	return fmt.Sprintf("%q", strings.TrimSpace(pattern.FindString(sentence)))
}

// allowsBoth reports whether the documentation allows several fields to be set.
func allowsBoth(doc string) bool {
	return slices.ContainsFunc(sentences(doc), func(sentence string) bool {
		return bothAllowed().MatchString(sentence) && !negation().MatchString(bothAllowed().FindString(sentence))
	})
}

// documentedOneOf reports whether the documentation of a struct, or of each of its fields, says
// that one of them is set, and quotes it.
func documentedOneOf(doc string, fields []*unionField) (atMostOne bool, why string) {
	if atMostOne, quoted := oneOf(doc, fields); quoted != "" {
		return atMostOne, fmt.Sprintf("its documentation says %q", quoted)
	}
	for _, f := range fields {
		lax, quoted := oneOf(f.field.Doc, fields)
		if quoted == "" {
			return false, ""
		}
		atMostOne = atMostOne || lax
		why = fmt.Sprintf("the documentation of each of its fields implies %q", quoted)
	}
	return atMostOne, why
}

// oneOf reports whether the documentation says that one of the fields is set, and quotes it.
// If it is ambiguous, a union with no field set is allowed. It must be clear which fields are
// meant: all of them, or a list that names all of them.
func oneOf(doc string, fields []*unionField) (atMostOne bool, quoted string) {
	if severalWords().MatchString(doc) {
		return false, ""
	}
	for _, sentence := range sentences(doc) {
		quantity := oneOfWords().FindString(sentence)
		switch {
		case quantity == "" || !settingWords().MatchString(sentence):
			continue
		case exceptionWords().MatchString(sentence):
			return false, "" // a person has to decide which fields are meant
		case exclusive().MatchString(quantity) && len(fields) != 2:
			continue // with more fields it may be about groups of them
		case !exclusive().MatchString(quantity) && !membersWords().MatchString(sentence) && !mentionsAll(sentence, fields):
			continue
		}
		exactly := exactlyWords().MatchString(quantity) || obliging().MatchString(sentence) && !onlyWords().MatchString(quantity)
		return !exactly || noneWords().MatchString(doc), quantity
	}
	return false, ""
}

func mentionsAll(sentence string, fields []*unionField) bool {
	return !slices.ContainsFunc(fields, func(f *unionField) bool {
		return !hasWord(sentence, f.field.Label()) && !hasWord(sentence, f.name)
	})
}

var (
	conditional  = lazyregexp.New(`(?i)\b(if|when|only|unless)\b`)
	negation     = lazyregexp.New(`(?i)\b(?:not|never|invalid|ignored|empty|nil|unset|forbidden|unless)\b`)
	defaultWords = lazyregexp.New(`(?i)\b(?:default(?:s|ed)?(?: value)?(?::| is| to| to be)?|assumes(?: the)?) (\S+)|(\S+) (?:is the default|\((?:the )?default\))`)
	bothAllowed  = lazyregexp.New(`(?i)\b(?:both|several|more than one|multiple)\b.*\b(?:can|may)\b.*\b(?:set|specified|used|present|given|provided)\b`)
	mustBeSet    = lazyregexp.New(`(?i)\bmust (?:not be (?:empty|nil|unset|null|omitted)|be (?:set|specified|provided|present|defined|given|configured|non-?empty|non-?nil|not))\b|\b(?:is )?required (?:if|when|for)\b|\bif and only if\b|\bcannot be (?:empty|nil|unset|omitted)\b`)
	whereAbsent  = lazyregexp.New(`(?i)\b(?:if|when)(?: (?:it|this|this field|the field|left))?(?: is)? (?:not (?:set|specified|provided|defined|given|present)|unset|unspecified|omitted|absent|nil|empty|left out)\b|\b(?:may|can) be (?:empty|omitted|unset|left out|left empty|nil)\b|\b(?:may|can) be non-empty(?: if| when|[.,]|$)`)
	onlyIf       = lazyregexp.New(`(?i)\b(?:present|set|specified|valid|used|allowed|honou?red|considered|applicable|relevant|effective|meaningful|respected) only (?:if|when|for)\b|\bonly (?:present|set|specified|valid|used|allowed|honou?red|considered|applicable|relevant|effective|meaningful|respected) (?:if|when|for)\b|\bonly applies (?:if|when|to)\b|\bmay only be (?:set|specified|present|used)\b|\bignored (?:if|when|unless)\b`)

	oneOfWords     = lazyregexp.New(`(?i)\b(?:exactly|precisely|one and only|only|at most|no more than|zero or|up to|just) one\b|\bone of (?:its|the|these|them|their|following)\b|\bmutually[ -]exclusive\b`)
	membersWords   = lazyregexp.New(`(?i)\bone(?: of)?(?: [a-z-]+){0,3} (?:members?|(?:sub-?)?fields?|propert(?:y|ies)|attributes?|options?|sources?|following|below)\b|\bone of (?:these|them|those) (?:must|may|can|should|shall|has|have|needs?|is|are|will)\b`)
	severalWords   = lazyregexp.New(`(?i)\bif (?:both|several|multiple|more than one|all)\b|\btakes? (?:precedence|priority)\b|\bat least one\b`)
	exclusive      = lazyregexp.New(`(?i)exclusive`)
	exactlyWords   = lazyregexp.New(`(?i)^(?:exactly|precisely|one and only|just)`)
	onlyWords      = lazyregexp.New(`(?i)^(?:only|at most|no more|zero|up to|mutually)`)
	obliging       = lazyregexp.New(`(?i)\b(?:must|has to|have to|needs? to|should|shall|required)\b`)
	settingWords   = lazyregexp.New(`(?i)\b(?:set|specified|specify|provided|defined|non-?nil|non-?empty|populated|configured|filled|present|allowed|chosen|given|supplied|used|mutually[ -]exclusive)\b`)
	exceptionWords = lazyregexp.New(`(?i)\b(?:except|besides|other than|apart from|aside from|unless|at least)\b`)
	noneWords      = lazyregexp.New(`(?i)\bif (?:none|no (?:member|field)|neither)\b|\bnone of (?:them|these|the (?:members|fields)) (?:is|are) (?:set|specified)\b`)
)

// sentences splits documentation into sentences, and replaces line breaks within them by
// blanks.
func sentences(doc string) []string {
	var out []string
	for paragraph := range strings.SplitSeq(doc, "\n\n") {
		text := strings.Join(strings.Fields(paragraph), " ")
		for {
			end := strings.Index(text, ". ")
			if end < 0 {
				break
			}
			out = append(out, text[:end+1])
			text = text[end+2:]
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// hasWord reports whether a text contains a word, ignoring case.
func hasWord(text, word string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text,
		func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }),
		func(w string) bool { return strings.EqualFold(w, word) })
}
