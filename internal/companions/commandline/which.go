package commandline

import (
	"encoding/json"
	"fmt"
	"io"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/genall/help"
	"sigs.k8s.io/controller-tools/pkg/genall/help/pretty"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// WriteMarkers writes the markers of generators like controller-gen -w: their names and
// summaries at level 1, their arguments at levels 2 and 3, everything as JSON at level 4. If
// crd is true, those of the crd generator are included.
func WriteMarkers(out io.Writer, generators map[string]Generator, crd bool, level int) error {
	registry := &markers.Registry{}
	for name, g := range generators {
		if err := g.RegisterMarkers(registry); err != nil {
			return fmt.Errorf("markers of %s: %w", name, err)
		}
	}
	if crd {
		if err := crdmarkers.Register(registry); err != nil {
			return fmt.Errorf("markers of crd: %w", err)
		}
	}
	categories := help.ByCategory(registry, help.SortByCategory)
	if level >= 4 {
		return json.NewEncoder(out).Encode(categories)
	}
	for _, category := range categories {
		if category.Category == "" {
			continue
		}
		text := pretty.MarkersSummary(category.Category, category.Markers)
		if level > 1 {
			text = pretty.MarkersDetails(level > 2, category.Category, category.Markers)
		}
		if err := text.Write(out); err != nil {
			return err
		}
	}
	return nil
}
