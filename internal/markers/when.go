package markers

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/schemagen/schemagen/internal/ground/gates"
)

// The values of the markers that depend on gates.
type (
	// When makes a declaration, or the marker after the equals sign, depend on gates:
	// +schemagen:when(A && !B), +schemagen:when(A)=+kubebuilder:validation:MaxItems=5.
	When struct {
		Condition gates.Condition

		value int // offset in the marker of the one that is conditional; 0 if there is none
	}
	// DocBlock begins the lines of a doc comment that depend on gates: +schemagen:doc(A).
	DocBlock struct{ Condition gates.Condition }
	// DocEnd ends them: +schemagen:doc:end.
	DocEnd struct{}
)

func parseWhen(text, name string) (value any, offset int, err error) {
	condition, end, err := condition(text, name)
	if err != nil {
		return nil, end, err
	}
	if constant, ok := condition.Constant(); ok {
		return nil, 2 + len(name), fmt.Errorf("the condition %q is %s true", condition, map[bool]string{true: "always", false: "never"}[constant])
	}
	switch rest := text[end:]; {
	case rest == "":
		return When{Condition: condition}, 0, nil
	case !strings.HasPrefix(rest, "=+"):
		return nil, end, fmt.Errorf("expected the end of the line, or a marker: +%s(%s)=+…", name, condition)
	}
	return When{condition, end + 1}, 0, nil
}

func parseDocBlock(text, name string) (value any, offset int, err error) {
	condition, end, err := condition(text, name)
	if err != nil {
		return nil, end, err
	}
	if text[end:] != "" {
		return nil, end, errors.New("expected the end of the line")
	}
	if constant, ok := condition.Constant(); ok && condition.String() != gates.Never {
		return nil, 2 + len(name), fmt.Errorf("the condition %q is %s true", condition, map[bool]string{true: "always", false: "never"}[constant])
	}
	return DocBlock{condition}, 0, nil
}

// condition returns the condition in the parentheses after the name of a marker, and the offset
// after them or, with an error, that of the error.
func condition(text, name string) (c gates.Condition, end int, err error) {
	start := 1 + len(name)
	if !strings.HasPrefix(text[start:], "(") {
		return c, start, fmt.Errorf("needs a condition: +%s(GATE)", name)
	}
	start++
	c, end, err = gates.Scan(text[start:])
	var syntax *gates.SyntaxError
	if errors.As(err, &syntax) {
		return c, start + syntax.Offset, fmt.Errorf("cannot read the condition: %w", err)
	}
	if start+end == len(text) {
		return c, start - 1, errors.New("cannot read the condition: unclosed parenthesis")
	}
	return c, start + end + 1, nil
}

// parseOption reads +k8s:ifEnabled(A)=+TAG and +k8s:ifDisabled(A)=+TAG.
func parseOption(text, name string) (value any, offset int, err error) {
	tag, err := codetags.Parse(text[1:])
	if err != nil {
		return nil, 0, err
	}
	option, ok := tag.PositionalArg()
	switch {
	case !ok || option.Value == "" || option.Value == gates.Never || strings.ContainsAny(option.Value, "\"\r\n"):
		return nil, 1 + len(name), fmt.Errorf("needs an option: +%s(OPTION)=+…", name)
	case tag.ValueTag == nil:
		return nil, 1 + len(name), fmt.Errorf("needs a tag after the equals sign: +%s(%s)=+…", name, option.Value)
	}
	condition := gates.Name(option.Value)
	if name == TagIfDisabledName {
		condition = gates.Not(condition)
	}
	return When{condition, equalsSign(text) + 1}, 0, nil
}

// IsCondition reports whether the marker is a condition on gates, or ends its block.
func (d *Definition) IsCondition() bool {
	switch d.row.value.(type) {
	case When, DocBlock, DocEnd:
		return true
	}
	return false
}

// IsConditional reports whether the text of a marker may have conditions on gates.
func IsConditional(text string) bool {
	return strings.Contains(text, "+"+WhenName) || strings.Contains(text, "+"+TagIfEnabledName) || strings.Contains(text, "+"+TagIfDisabledName)
}

// InnerOffset returns the offset of the marker after the equals sign. ok is false if there is
// none.
func (m *Marker) InnerOffset() (offset int, ok bool) {
	switch value := m.Value.(type) {
	case Tag:
		return value.value, strings.HasPrefix(value.Value, "+")
	case When:
		return value.value, value.value > 0
	case Declarative:
		return value.value, value.value > 0
	}
	return 0, false
}

// Replaced returns the marker with another one after the equals sign. If that begins further to
// the right in the source, blanks before the closing parenthesis keep its position, except in
// Kubernetes' tags, which may have none there.
func (m *Marker) Replaced(inner Comment) Comment {
	c := m.Comment
	offset, _ := m.InnerOffset()
	head := c.Text[:offset]
	_, isTag := m.Value.(Tag)
	if shift := int(inner.Pos - c.PosAt(offset)); shift > 0 && isTag {
		head = strings.TrimSuffix(head, ")=") + strings.Repeat(" ", shift) + ")="
	}
	rest := strings.Count(inner.Text, "\n")
	out := Comment{Text: head + inner.Text, Pos: c.Pos, Godoc: c.Godoc}
	for i, l := range c.lines {
		if i >= len(c.lines)-rest {
			out.lines = append(out.lines, line{l.offset + len(out.Text) - len(c.Text), l.pos})
		}
	}
	return out
}
