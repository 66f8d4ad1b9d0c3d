package containment_test

import (
	"context"
	"testing"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/test/containmenttest"
)

// generate is [containmenttest.Generate].
func generate(t *testing.T, specs map[string]string) *containmenttest.Pair {
	t.Helper()
	p, err := containmenttest.Generate(t.Context(), t.TempDir(), specs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// kinds returns the API server's code for the kind of a package in both channels.
func kinds(t *testing.T, p *containmenttest.Pair, name string) (narrow, wide *apiserver.Kind) {
	t.Helper()
	of := func(c *containment.Channel) *apiserver.Kind {
		kind, err := apiserver.NewKind(containmenttest.DefinitionOf(c, name).Build(), "v1")
		if err != nil {
			t.Fatal(err)
		}
		return kind
	}
	return of(&p.Narrow), of(&p.Wide)
}

// create returns what a server stores, or its answer if it refuses the object.
func create(ctx context.Context, t *testing.T, kind *apiserver.Kind, object map[string]any) (stored map[string]any, refused string) {
	t.Helper()
	answer, err := kind.Create(ctx, object)
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Errors) > 0 {
		return nil, answer.Errors.ToAggregate().Error()
	}
	return answer.Object, ""
}
