package review

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/apidocs"
)

//go:embed page/review.html
var pageText string

//go:embed page/review.css
var pageStyle string

// html returns the review as one page that needs neither a script nor anything outside of it.
func (r *Review) html() ([]byte, error) {
	t, err := template.New("review").Funcs(template.FuncMap{
		"cells": r.Report.cells, "percent": percent, "share": share, "bytes": bytesText, "line": screen.Line, "first": first[string], "rest": rest[string], "rules": first[RuleCost], "moreRules": rest[RuleCost],
		"mark": func(mark string) string {
			return map[string]string{"+": "added", "-": "removed", "~": "gap"}[mark]
		},
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("review.html: %w", err)
	}
	style := apidocs.Palette() + pageStyle
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		*Review
		Policy template.HTMLAttr
		Style  template.CSS
	}{r, apidocs.Policy(style, ""), template.CSS(style)})
	if err != nil {
		return nil, fmt.Errorf("review.html: %w", err)
	}
	return b.Bytes(), nil
}

// percent writes a share of a limit.
func percent(share float64) string {
	switch {
	case share == 0:
		return "0 %"
	case share < 0.0001:
		return "< 0.01 %"
	case share < 0.1:
		return fmt.Sprintf("%.2f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// share is [percent] of what may not exist.
func share(fraction *float64) string {
	if fraction == nil {
		return "–"
	}
	return percent(*fraction)
}

// bytesText writes a size.
func bytesText(n int) string {
	switch {
	case n == 0:
		return "–"
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}

// shown is the number of elements of a list that pages show; JSON has all.
const shown = 12

func first[T any](list []T) []T { return list[:min(shown, len(list))] }

// rest returns the number of elements that are not shown.
func rest[T any](list []T) int { return max(0, len(list)-shown) }
