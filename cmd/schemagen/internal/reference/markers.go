package reference

import (
	"io"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/markers"
)

// WriteMarkers prints the reference of the markers whose name, or a part of it after a colon, begins with
// a prefix, as text, markdown or json. As text, it lists all markers for an empty prefix.
func WriteMarkers(out io.Writer, prefix, format string) error {
	reference, err := markers.New()
	if err != nil {
		return err
	}
	if prefix != "" {
		reference, err = reference.Select(prefix)
		if err != nil {
			return err
		}
	}
	switch {
	case format == "json":
		text, err := plainjson.Indented(reference, "", "  ")
		if err != nil {
			return err
		}
		_, err = out.Write(append(text, '\n'))
		return err
	case format == "markdown":
		return reference.WriteMarkdown(out)
	case prefix == "":
		return reference.WriteList(out)
	}
	return reference.WriteText(out)
}
