package diag_test

import (
	"fmt"
	"os"

	"github.com/schemagen/schemagen/diag"
)

var unbounded = &diag.Kind{Code: "ACME001", Severity: diag.Warning, Title: "a string without a maximum length"}

func Example() {
	position := diag.Position{File: "api/types.go", Line: 12, Column: 2}
	list := diag.List{unbounded.At(position, "add +kubebuilder:validation:MaxLength", "%s has no maximum length", "color")}
	fmt.Println(list[0])
	fmt.Println(list.HasErrors())
	if err := list.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// api/types.go:12:2: warning[ACME001]: color has no maximum length
	// false
	// api/types.go:12:2: warning[ACME001]: color has no maximum length
	// 	hint: add +kubebuilder:validation:MaxLength
}
