package markers_test

import (
	"fmt"
	"log"

	"github.com/schemagen/schemagen/markers"
)

func Example() {
	reference, err := markers.New()
	if err != nil {
		log.Fatal(err)
	}
	selected, err := reference.Select("kubebuilder:validation:MaxLength")
	if err != nil {
		log.Fatal(err)
	}
	for _, chapter := range selected {
		for _, marker := range chapter.Markers {
			fmt.Println(marker.Syntax, marker.Summary())
		}
	}
	// Output:
	// +kubebuilder:validation:MaxLength=<int> The maximum length of a string, in characters
}
