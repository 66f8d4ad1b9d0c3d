// Command documentation prints the documentation of the kinds of a file.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/apidocs"
	"github.com/schemagen/schemagen/crd"
)

func main() {
	definitions, err := crd.Read("testdata/old.yaml")
	if err != nil {
		log.Fatal(err)
	}
	files, err := apidocs.Markdown(context.Background(), definitions, apidocs.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		fmt.Printf("%s:\n%s", file.Path, file.Data)
	}
}
