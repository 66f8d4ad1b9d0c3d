package apidocs

import (
	"fmt"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/pages/prose"
)

// asciidocProse returns a description in AsciiDoc, for a section or a table cell: paragraphs, lists and code are
// kept, everything else is text.
func asciidocProse(description string) string {
	var parser prose.Parser
	return asciidocBlocks(parser.Parse(description), "")
}

// asciidocItem returns a description in AsciiDoc for an item of a list with these bullets.
func asciidocItem(bullets, description string) string {
	var parser prose.Parser
	return asciidocItemBlocks(parser.Parse(description), bullets)
}

// asciidocItemBlocks returns the blocks of an item, which begins with a line of text.
func asciidocItemBlocks(blocks []prose.Block, bullets string) string {
	text := asciidocBlocks(blocks, bullets)
	switch {
	case len(blocks) > 0 && blocks[0].Kind == prose.Paragraph:
		return text
	case len(blocks) == 0 || isList(blocks[0]):
		return "{empty}\n" + text
	}
	return "{empty}\n+\n" + text
}

// asciidocBlocks returns blocks with an empty line between them. In a list, bullets are the bullets of
// the item with the blocks, and a line with a plus sign attaches a block to it, or after an empty line to
// the item around a list.
func asciidocBlocks(blocks []prose.Block, bullets string) string {
	var b strings.Builder
	for i, block := range blocks {
		attached := bullets != "" && !isList(block)
		if i > 0 && (!attached || isList(blocks[i-1])) {
			b.WriteString("\n")
		}
		if i > 0 && attached {
			b.WriteString("+\n")
		}
		switch block.Kind {
		case prose.Bullets, prose.Ordered:
			b.WriteString(asciidocList(block, bullets))
		case prose.Code:
			b.WriteString(asciidocCodeLines(block.Code) + "\n")
		case prose.Quote:
			b.WriteString(asciidocBlocks(block.Blocks, bullets))
		case prose.Paragraph, prose.Heading:
			b.WriteString(asciidocSpans(block.Spans) + "\n")
		}
	}
	return b.String()
}

func isList(block prose.Block) bool {
	return block.Kind == prose.Bullets || block.Kind == prose.Ordered
}

// asciidocList returns the items of a list in an item with bullets, or in none.
func asciidocList(list prose.Block, bullets string) string {
	var b strings.Builder
	bullet := "*"
	if list.Kind == prose.Ordered {
		bullet = "."
		if list.Start != 1 {
			fmt.Fprintf(&b, "[start=%d]\n", list.Start)
		}
	}
	bullets += bullet
	for _, item := range list.Blocks {
		depth := strings.Count(bullets, bullet)
		b.WriteString(strings.Repeat(bullet, depth) + " " + asciidocItemBlocks(item.Blocks, bullets))
	}
	return b.String()
}

// asciidocCodeLines returns lines of code as lines of a paragraph, because a listing would end a table cell at a |.
func asciidocCodeLines(code string) string {
	var out []string
	for line := range strings.SplitSeq(code, "\n") {
		text := strings.TrimLeft(line, " ")
		out = append(out, strings.Repeat("&#160;", len(line)-len(text))+asciidocCode(text))
	}
	return strings.Join(out, " +\n")
}

// asciidocSpans returns the text of spans, of which only code and links are markup.
func asciidocSpans(spans []prose.Span) string {
	return prose.Writer{Text: asciidocSpaced, Code: asciidocCode, Link: asciidocLink}.Write(spans)
}

// plainURL matches the URLs that can be in a link macro without escapes.
var plainURL = lazyregexp.New(`^https?://[\w./#?=&%~:,@;-]+$`)

// asciidocLink returns a link, as text if AsciiDoc could interpret the URL.
func asciidocLink(url, label string) string {
	if plainURL().MatchString(url) {
		return "link:++" + url + "++[" + label + "]"
	}
	if target := asciidoc(url); target != label {
		return label + " " + asciidoc("(") + target + asciidoc(")")
	}
	return label
}

// asciidocSpaced escapes a part of a line, and keeps the space on both of its sides.
func asciidocSpaced(text string) string {
	inner := strings.TrimSpace(text)
	if inner == "" {
		return " "
	}
	before := text[:strings.Index(text, inner)]
	after := text[len(before)+len(inner):]
	return strings.Repeat(" ", min(len(before), 1)) + asciidoc(inner) + strings.Repeat(" ", min(len(after), 1))
}
