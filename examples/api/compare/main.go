// Command compare prints what breaks if the CRDs of one file replace those of another.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/verify"
)

func main() {
	before, err := crd.Read("testdata/old.yaml")
	if err != nil {
		log.Fatal(err)
	}
	after, err := crd.Read("testdata/new.yaml")
	if err != nil {
		log.Fatal(err)
	}
	target, err := verify.NewTarget("1.35")
	if err != nil {
		log.Fatal(err)
	}
	changes, err := compare.Definitions(context.Background(), target, before, after)
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range changes {
		if change.Category != compare.Safe {
			fmt.Println(change)
		}
	}
}
