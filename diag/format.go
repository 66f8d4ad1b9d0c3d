package diag

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Formats returns the names of the formats that [List.Write] accepts.
func Formats() []string { return []string{"text", "json", "sarif", "github", "junit"} }

// Write prints the list in one of the formats: text for people, json for programs, sarif
// (2.1.0) for code scanning, github for workflow annotations, junit for reports of test results. codes are the kinds that a
// SARIF log describes if it uses them.
func (l List) Write(w io.Writer, format string, codes []*Kind) error {
	out, err := NewWriter(w, format, codes)
	if err != nil {
		return err
	}
	if err := out.Write(l); err != nil {
		return err
	}
	return out.Close()
}

// Writer prints diagnostics incrementally in one of the formats of [List.Write], without
// keeping them.
type Writer struct {
	w      io.Writer
	format string
	codes  []*Kind
	// used are the codes of the diagnostics printed so far.
	used map[Code]bool
}

// NewWriter returns a writer for a format. [Writer.Close] completes the output.
func NewWriter(w io.Writer, format string, codes []*Kind) (*Writer, error) {
	if !slices.Contains(Formats(), format) {
		return nil, fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
	}
	return &Writer{w: w, format: format, codes: codes, used: map[Code]bool{}}, nil
}

// errNoWriter is the error of a Writer that is a literal.
var errNoWriter = errors.New("the writer writes nowhere: use NewWriter")

// Write prints further diagnostics.
func (w *Writer) Write(list List) error {
	if w.w == nil {
		return errNoWriter
	}
	list = list.On()
	switch w.format {
	case "text":
		return list.WriteText(w.w)
	case "github":
		return list.writeGitHub(w.w)
	}
	for _, d := range list {
		text, err := w.text(d)
		if err != nil {
			return err
		}
		w.used[d.Code] = true
		if _, err := io.WriteString(w.w, text); err != nil {
			return err
		}
	}
	return nil
}

// text returns a diagnostic as part of a document, after what precedes it.
func (w *Writer) text(d Diagnostic) (string, error) {
	var value any
	var head, indent string
	switch w.format {
	case "junit":
		if len(w.used) == 0 {
			head = junitHead
		}
		return head + junitOf(d), nil
	case "sarif":
		value = sarifOf(d)
		head = sarifHead
		indent = "        "
	default:
		value = jsonOf(d)
		head = jsonHead
		indent = "    "
	}
	if len(w.used) > 0 {
		head = ","
	}
	text, err := encode(value, indent)
	return head + "\n" + indent + text, err
}

// The text before and after the diagnostics of a document.
const (
	jsonHead  = "{\n  \"diagnostics\": ["
	jsonEnd   = "\n}\n"
	sarifHead = "{\n  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n  \"runs\": [\n    {\n      \"results\": ["
	sarifEnd  = "\n    }\n  ],\n  \"version\": \"2.1.0\"\n}\n"
)

// Close prints the text after the last diagnostic.
func (w *Writer) Close() error {
	if w.w == nil {
		return errNoWriter
	}
	var head, listEnd, end string
	switch w.format {
	case "junit":
		head = junitHead + junitNone
		end = junitEnd
	case "json":
		head = jsonHead
		listEnd = "\n  ]"
		end = jsonEnd
	case "sarif":
		tool, err := encode(sarifTool(w.codes, w.used), "      ")
		if err != nil {
			return err
		}
		head = sarifHead
		listEnd = "\n      ]"
		end = ",\n      \"tool\": " + tool + sarifEnd
	}
	if len(w.used) > 0 {
		head = ""
	} else if listEnd != "" {
		listEnd = "]"
	}
	_, err := io.WriteString(w.w, head+listEnd+end)
	return err
}

// encode returns the JSON of a value that is part of a document.
func encode(v any, indent string) (string, error) {
	text, err := plainjson.Indented(v, indent, "  ")
	return screen.EscapeJSON(string(text)), err
}

type jsonPosition struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Message string `json:"message,omitempty"`
}

// jsonDiagnostic is an element of the list "diagnostics".
type jsonDiagnostic struct {
	Code      Code           `json:"code"`
	Severity  string         `json:"severity"`
	File      string         `json:"file,omitempty"`
	Line      int            `json:"line,omitempty"`
	Column    int            `json:"column,omitempty"`
	EndLine   int            `json:"endLine,omitempty"`
	EndColumn int            `json:"endColumn,omitempty"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint,omitempty"`
	Related   []jsonPosition `json:"related,omitempty"`
	Fixes     []jsonFix      `json:"fixes,omitempty"`
}

// jsonFix is a possible correction of a diagnostic's source.
type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

// jsonEdit replaces text of a file. Its end is exclusive.
type jsonEdit struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	New       string `json:"new"`
}

func jsonOf(d Diagnostic) jsonDiagnostic {
	j := jsonDiagnostic{Code: d.Code, Severity: d.Severity.String(), File: d.Pos.File, Line: d.Pos.Line,
		Column: d.Pos.Column, EndLine: d.End.Line, EndColumn: d.End.Column, Message: d.Message, Hint: d.Hint}
	for _, r := range d.Related {
		j.Related = append(j.Related, jsonPosition{r.Pos.File, r.Pos.Line, r.Pos.Column, r.Message})
	}
	for _, fix := range d.Fixes {
		f := jsonFix{Message: fix.Message}
		for _, e := range fix.Edits {
			f.Edits = append(f.Edits, jsonEdit{e.Pos.File, e.Pos.Line, e.Pos.Column, e.End.Line, e.End.Column, e.New})
		}
		j.Fixes = append(j.Fixes, f)
	}
	return j
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           *sarifRegion  `json:"region,omitempty"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysical `json:"physicalLocation"`
	Message          *sarifText    `json:"message,omitempty"`
}

type sarifRule struct {
	ID               Code      `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
}

// sarifResult is a diagnostic in the only run of a log.
type sarifResult struct {
	RuleID           Code            `json:"ruleId"`
	Level            string          `json:"level"`
	Message          sarifText       `json:"message"`
	Locations        []sarifLocation `json:"locations,omitempty"`
	RelatedLocations []sarifLocation `json:"relatedLocations,omitempty"`
	Fixes            []sarifFix      `json:"fixes,omitempty"`
}

type sarifFix struct {
	Description     sarifText     `json:"description"`
	ArtifactChanges []sarifChange `json:"artifactChanges"`
}

// sarifChange holds the edits of a fix in one file.
type sarifChange struct {
	ArtifactLocation sarifArtifact      `json:"artifactLocation"`
	Replacements     []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	DeletedRegion   sarifRegion `json:"deletedRegion"`
	InsertedContent *sarifText  `json:"insertedContent,omitempty"`
}

func sarifOf(d Diagnostic) sarifResult {
	message := d.Text()
	if d.Hint != "" {
		message += "\n" + d.Hint
	}
	r := sarifResult{RuleID: d.Code, Level: d.Severity.String(), Message: sarifText{message}, Locations: sarifLocations(d.Pos, "")}
	if d.End.Line > 0 && len(r.Locations) > 0 {
		r.Locations[0].PhysicalLocation.Region = regionOf(d.Pos, d.End)
	}
	for _, related := range d.Related {
		r.RelatedLocations = append(r.RelatedLocations, sarifLocations(related.Pos, related.Message)...)
	}
	for _, fix := range d.Fixes {
		r.Fixes = append(r.Fixes, sarifFixOf(fix))
	}
	return r
}

// sarifFixOf groups the edits of a fix by file.
func sarifFixOf(fix Fix) sarifFix {
	out := sarifFix{Description: sarifText{fix.Message}}
	for _, e := range fix.Edits {
		file := sarifArtifact{URI: uri(e.Pos.File)}
		i := slices.IndexFunc(out.ArtifactChanges, func(c sarifChange) bool { return c.ArtifactLocation == file })
		if i < 0 {
			i = len(out.ArtifactChanges)
			out.ArtifactChanges = append(out.ArtifactChanges, sarifChange{ArtifactLocation: file})
		}
		replacement := sarifReplacement{DeletedRegion: *regionOf(e.Pos, e.End)}
		if e.New != "" {
			replacement.InsertedContent = &sarifText{e.New}
		}
		out.ArtifactChanges[i].Replacements = append(out.ArtifactChanges[i].Replacements, replacement)
	}
	return out
}

func regionOf(pos, end Position) *sarifRegion {
	return &sarifRegion{pos.Line, pos.Column, end.Line, end.Column}
}

// sarifLocations returns the SARIF location of a position, or none if it has no file.
func sarifLocations(p Position, message string) []sarifLocation {
	if p.File == "" {
		return nil
	}
	place := sarifLocation{PhysicalLocation: sarifPhysical{ArtifactLocation: sarifArtifact{URI: uri(p.File)}}}
	if p.Line > 0 {
		place.PhysicalLocation.Region = regionOf(p, Position{})
	}
	if message != "" {
		place.Message = &sarifText{message}
	}
	return []sarifLocation{place}
}

// uri returns the URI reference of a file.
func uri(file string) string {
	return uriOf(filepath.ToSlash(filepath.VolumeName(file)), filepath.ToSlash(file))
}

// uriOf returns the URI reference of a path with slashes, which begins with a volume of
// Windows, or with none: C:/x becomes file:///C:/x, and //server/share/x
// file://server/share/x.
func uriOf(volume, path string) string {
	switch {
	case strings.HasPrefix(volume, "//"):
		host, path, _ := strings.Cut(path[2:], "/")
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + path}).String()
	case volume != "" && strings.HasPrefix(path[len(volume):], "/"):
		return (&url.URL{Scheme: "file", Path: "/" + path}).String()
	}
	// A colon must not look like the end of a scheme.
	return strings.ReplaceAll((&url.URL{Path: path}).EscapedPath(), ":", "%3A")
}

// sarifTool describes the tool, and the codes used in the log.
func sarifTool(codes []*Kind, used map[Code]bool) any {
	rules := []sarifRule{}
	for _, info := range codes {
		if used[info.Code] {
			rules = append(rules, sarifRule{info.Code, sarifText{info.Title}, sarifText{info.Explanation}})
		}
	}
	return map[string]any{"driver": map[string]any{
		"name": "schemagen", "informationUri": "https://github.com/schemagen/schemagen", "rules": rules,
	}}
}

// writeGitHub prints workflow commands, one annotation per line.
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
			fmt.Fprintf(&b, "file=%s,", property.Replace(screen.Line(filepath.ToSlash(d.Pos.File))))
			if d.Pos.Line > 0 {
				fmt.Fprintf(&b, "line=%d,", d.Pos.Line)
			}
			if d.Pos.Column > 0 {
				fmt.Fprintf(&b, "col=%d,", d.Pos.Column)
			}
		}
		message := screen.Line(d.Text())
		if d.Hint != "" {
			message += "\n" + strings.Join(lines(d.Hint), "\n")
		}
		fmt.Fprintf(&b, "title=%s::%s\n", property.Replace(string(d.Code)), data.Replace(message))
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// Strict returns the list with warnings turned into errors.
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
