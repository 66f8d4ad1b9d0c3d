package explain

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// hostileTexts returns texts that a definition may contain.
func hostileTexts() []string {
	return []string{
		"b`<img src=x onerror=alert(2)>`c", "``<script>alert(1)</script>``", "n\n\n<script>alert(4)</script>", "```\n<script>\n```", "\\`<b>\\`", "\\<b>", "\\", "`", "a\\`b`<i>",
		"| <b> | `|<i>", "[x](javascript:alert(1))", "![x](http://x)", "<!--", "&lt;b&gt;", "~~~\n<b>\n~~~", "# FORGED", "x\n# FORGED\n===", "\x1b[2J\a", "\u202eevil", "a\u009bb", "<http://x>", "]]><svg onload=x>",
		"@octocat", "by @octocat (#1), fixes o/r#23 and GH-45, unlike user@example.com",
	}
}

// codeSpan matches most code spans, in which nothing is a reference.
var codeSpan = regexp.MustCompile("`+[^`]+`+")

// liveMarkup returns the first part of a page that is not plain text: outside of code there
// must be no tag, no entity that was not in the input, and no markup that is not ours. As
// in CommonMark, fences are parsed first, then code spans and tags from left to right.
func liveMarkup(page string, ours *regexp.Regexp) string {
	fence := ""
	for line := range strings.SplitSeq(page, "\n") {
		line = strings.TrimLeft(line, " ")
		if fence != "" {
			if trimmed := strings.TrimRight(line, " "); strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "" {
				fence = ""
			}
			continue
		}
		if ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; len(ticks) >= 3 && !strings.Contains(line[len(ticks):], "`") {
			fence = ticks
			continue
		}
		rest := line
		for rest != "" {
			switch {
			case rest[0] == '\\' && len(rest) > 1 && strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rune(rest[1])):
				rest = rest[2:]
			case rest[0] == '`':
				ticks := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
				end := regexp.MustCompile("[^`]" + ticks + "($|[^`])").FindStringIndex(rest[len(ticks):])
				if end == nil {
					return fmt.Sprintf("a code span without end: %q", line)
				}
				rest = strings.TrimLeft(rest[len(ticks)+end[0]+1:], "`")
			case strings.ContainsRune("<>*_[~", rune(rest[0])):
				return fmt.Sprintf("%q in %q", rest[0], line)
			default:
				rest = rest[1:]
			}
		}
		// GitHub notifies people and links issues in a comment that has the page.
		if reference := regexp.MustCompile(`(^|\W)@\w|(^|[^&])#\d|GH-\d`).FindString(codeSpan.ReplaceAllString(line, "`")); reference != "" {
			return fmt.Sprintf("the reference %q in %q", reference, line)
		}
		if strings.HasPrefix(line, "#") && !ours.MatchString(line) || strings.HasPrefix(line, "=") {
			return fmt.Sprintf("the heading %q", line)
		}
		if strings.IndexFunc(line, unicode.IsControl) >= 0 || strings.ContainsRune(line, '\u202e') {
			return fmt.Sprintf("a control character in %q", line)
		}
	}
	return ""
}

// TestHostileMarkdown puts texts into every string of a definition, one after the other,
// and checks that none of them becomes markup.
func TestHostileMarkdown(t *testing.T) {
	const schema = `{"type":"object","description":"DESCRIPTION","required":["PROPERTY"],
		"x-kubernetes-validations":[{"rule":"self == self /* RULE */","message":"MESSAGE"}],
		"properties":{"PROPERTY":{"type":"string","description":"INNER","format":"FORMAT","pattern":"PATTERN","default":"DEFAULT","enum":["ENUM","B"],"title":"TITLE"},
			"list":{"type":"array","items":{"type":"object","properties":{"DEEP":{"type":"string","description":"DEEPER"}}}},
			"rules":{"type":"object","x-kubernetes-validations":[{"rule":"true","message":"SAID","messageExpression":"EXPRESSION"}]}}}`
	ours := regexp.MustCompile(`^(# |## |### Fields of )`)
	planted := regexp.MustCompile(`"[A-Z]{3,}[" ]|/\* RULE \*/`).FindAllString(schema, -1)
	checked := 0
	for _, text := range hostileTexts() {
		marshalled, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		quoted := screen.EscapeJSON(string(marshalled))
		for _, target := range append(planted, "everywhere") {
			spec := schema
			for _, each := range planted {
				if target != each && target != "everywhere" {
					continue
				}
				if strings.HasPrefix(each, "/*") {
					spec = strings.ReplaceAll(spec, each, "/* "+strings.Trim(quoted, `"`)+" */")
				} else {
					spec = strings.ReplaceAll(spec, each, quoted)
				}
			}
			kinds := documented(t, definition("ex.io", "Shape", "v1", spec))
			kinds[0].Examples = []Example{{Title: text, YAML: "a: |\n  " + strings.ReplaceAll(strings.Map(func(r rune) rune {
				if r != '\n' && (unicode.IsControl(r) || r == '\u202e') {
					return 'x'
				}
				return r
			}, text), "\n", "\n  ") + "\n"}}
			kinds[0].ShortNames = []string{text, text}
			kinds[0].Versions = []Version{{Name: "v1", Warning: text}, {Name: text}}
			if kinds[0].Field != nil {
				checked++
				kinds[0].Field.Each(func(f *fields.Field) {
					f.Position = text
					f.Enum = append(f.Enum, fields.EnumValue{Value: `"a"`, Description: text})
				})
			}
			for _, file := range MarkdownDocs(kinds) {
				if live := liveMarkup(string(file.Data), ours); live != "" {
					t.Errorf("%q as %s becomes markup: %s", text, target, live)
				}
			}
			for _, format := range []string{"markdown", "json", "text"} {
				if kinds[0].Field == nil {
					continue // its schema is rejected
				}
				var b strings.Builder
				if err := (&Explanation{kinds[0].Resource, kinds[0].Field, fields.OneLevel}).Write(&b, format); err != nil {
					t.Fatal(err)
				}
				if live := liveMarkup(b.String(), ours); format == "markdown" && live != "" {
					t.Errorf("%q as %s becomes markup: %s", text, target, live)
				}
				if strings.Contains(b.String(), "\nFORGED") || strings.Contains(b.String(), "\n# FORGED") && format != "text" {
					t.Errorf("%q as %s forges a line of %s:\n%s", text, target, format, b.String())
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d definitions had fields", checked)
	}
}

// TestLiveMarkup checks that liveMarkup finds markup.
func TestLiveMarkup(t *testing.T) {
	ours := regexp.MustCompile(`^# `)
	for _, page := range []string{"a <b>", "`a` <b>", "``a` <b>", "`a``b` <i>", "\\\\`x` *a*", "## x", "```\n<b>\n```\n<i>", "a `b <i>", "[x](y)", "=", "\x1b", "@a", "see #1", "a/b#2", "GH-3"} {
		if liveMarkup(page, ours) == "" {
			t.Errorf("nothing is found in %q", page)
		}
	}
	for _, page := range []string{"# a &lt;b\\*", "`<b>`", "`` `<b>` ``", "````\n```\n<b>\n````\nx", "\\<b", "\\`a", "a@b.c", "`@a #1`", "@&#8203;a", "a #&#8203;1"} {
		if live := liveMarkup(page, ours); live != "" {
			t.Errorf("%q: %s", page, live)
		}
	}
}
