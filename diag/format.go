package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Formats are the names that [List.Write] knows.
func Formats() []string { return []string{"text", "json", "sarif", "github"} }

// Write prints the list in one of the formats: text for people, json for
// programs, sarif (2.1.0) for code scanning, github for annotations of a
// workflow. codes document the codes that may stand in a sarif log.
func (l List) Write(w io.Writer, format string, codes []CodeInfo) error {
	switch format {
	case "text":
		return l.WriteText(w)
	case "json":
		return l.writeJSON(w)
	case "sarif":
		return l.writeSARIF(w, codes)
	case "github":
		return l.writeGitHub(w)
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
}

type jsonPlace struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message,omitempty"`
}

// writeJSON prints one object with the list "diagnostics", empty if there are none.
func (l List) writeJSON(w io.Writer) error {
	type diagnostic struct {
		Code     Code        `json:"code"`
		Severity string      `json:"severity"`
		File     string      `json:"file,omitempty"`
		Line     int         `json:"line,omitempty"`
		Column   int         `json:"column,omitempty"`
		Message  string      `json:"message"`
		Hint     string      `json:"hint,omitempty"`
		Related  []jsonPlace `json:"related,omitempty"`
	}
	out := make([]diagnostic, 0, len(l))
	for _, d := range l {
		j := diagnostic{Code: d.Code, Severity: d.Severity.String(), File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Column, Message: d.Message, Hint: d.Hint}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonPlace{r.Pos.File, r.Pos.Line, r.Pos.Column, r.Message})
		}
		out = append(out, j)
	}
	return encode(w, map[string]any{"diagnostics": out})
}

func encode(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// writeSARIF prints a log with one run. Places without a file have no location.
func (l List) writeSARIF(w io.Writer, codes []CodeInfo) error {
	type text struct {
		Text string `json:"text"`
	}
	type region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
	}
	type artifact struct {
		URI string `json:"uri"`
	}
	type physical struct {
		ArtifactLocation artifact `json:"artifactLocation"`
		Region           *region  `json:"region,omitempty"`
	}
	type location struct {
		PhysicalLocation physical `json:"physicalLocation"`
		Message          *text    `json:"message,omitempty"`
	}
	type rule struct {
		ID               Code `json:"id"`
		ShortDescription text `json:"shortDescription"`
		FullDescription  text `json:"fullDescription"`
	}
	type result struct {
		RuleID           Code       `json:"ruleId"`
		Level            string     `json:"level"`
		Message          text       `json:"message"`
		Locations        []location `json:"locations,omitempty"`
		RelatedLocations []location `json:"relatedLocations,omitempty"`
	}
	place := func(p Position, message string) []location {
		if p.File == "" {
			return nil
		}
		at := location{PhysicalLocation: physical{ArtifactLocation: artifact{URI: filepath.ToSlash(p.File)}}}
		if p.Line > 0 {
			at.PhysicalLocation.Region = &region{p.Line, p.Column}
		}
		if message != "" {
			at.Message = &text{message}
		}
		return []location{at}
	}
	results := make([]result, 0, len(l))
	used := map[Code]bool{}
	for _, d := range l {
		used[d.Code] = true
		message := d.Message
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		r := result{RuleID: d.Code, Level: d.Severity.String(), Message: text{message}, Locations: place(d.Pos, "")}
		for _, related := range d.Related {
			r.RelatedLocations = append(r.RelatedLocations, place(related.Pos, related.Message)...)
		}
		results = append(results, r)
	}
	rules := []rule{}
	for _, info := range codes {
		if used[info.Code] {
			rules = append(rules, rule{info.Code, text{info.Title}, text{info.Explanation}})
		}
	}
	return encode(w, map[string]any{
		"version": "2.1.0",
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json",
		"runs": []any{map[string]any{
			"tool":    map[string]any{"driver": map[string]any{"name": "schemagen", "informationUri": "https://github.com/schemagen/schemagen", "rules": rules}},
			"results": results,
		}},
	})
}

// writeGitHub prints workflow commands, one annotation a line.
func (l List) writeGitHub(w io.Writer) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	for _, d := range l {
		var b strings.Builder
		level := d.Severity.String()
		if d.Severity == Note {
			level = "notice"
		}
		b.WriteString("::" + level + " ")
		if d.Pos.File != "" {
			fmt.Fprintf(&b, "file=%s,", property.Replace(filepath.ToSlash(d.Pos.File)))
			if d.Pos.Line > 0 {
				fmt.Fprintf(&b, "line=%d,", d.Pos.Line)
			}
			if d.Pos.Column > 0 {
				fmt.Fprintf(&b, "col=%d,", d.Pos.Column)
			}
		}
		message := d.Message
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		fmt.Fprintf(&b, "title=%s::%s\n", property.Replace(string(d.Code)), data.Replace(message))
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// Strict returns the list with warnings made errors.
func (l List) Strict() List {
	out := make(List, len(l))
	for i, d := range l {
		if d.Severity == Warning {
			d.Severity = Error
		}
		out[i] = d
	}
	return out
}
