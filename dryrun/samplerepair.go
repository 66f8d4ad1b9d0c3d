package dryrun

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/schemas/locate"
)

// maxRepairs bounds the number of changed objects that are tried.
const maxRepairs = 2000

// repairer changes an object step by step.
type repairer struct {
	kind      *Kind
	server    *apiserver.Kind
	full      bool
	triesLeft int
	// best is the object for which the server reports the least.
	best   map[string]any
	answer apiserver.Answer
}

// badness measures how far an object is from being valid.
func badness(a apiserver.Answer) int {
	n := 0
	for _, e := range a.Errors {
		n++
		if strings.HasPrefix(e.Detail, "some validation rules were not checked") {
			n += 1000
		}
	}
	return n
}

// repair applies the first of the changes suggested by an error that makes the server
// report less, and repeats. If there is none, it applies one after which the server
// reports something else, up to maxDetours times in a row.
func (r *repairer) repair(ctx context.Context, object map[string]any) error {
	answer, err := r.create(ctx, object)
	if err != nil {
		return err
	}
	r.best = object
	r.answer = answer
	for detours := 0; len(answer.Errors) > 0 && r.triesLeft > 0 && detours < maxDetours; {
		changed, next, err := r.improve(ctx, object, answer)
		if err != nil {
			return err
		}
		if changed == nil {
			break
		}
		if badness(next) >= badness(answer) {
			detours++
		}
		object = changed
		answer = next
		if badness(answer) < badness(r.answer) {
			r.best = object
			r.answer = answer
			detours = 0
		}
	}
	return nil
}

// create asks the server about an object. The server visits fields in random order: errors are sorted by
// field, so that always the same change is tried first.
func (r *repairer) create(ctx context.Context, object map[string]any) (apiserver.Answer, error) {
	answer, err := r.server.Create(ctx, object)
	slices.SortStableFunc(answer.Errors, func(a, b *field.Error) int {
		return cmp.Or(strings.Compare(a.Field, b.Field), strings.Compare(a.Detail, b.Detail))
	})
	return answer, err
}

// maxDetours is the number of consecutive changes that need not be an improvement.
const maxDetours = 12

// improve returns the changed object and the server's answer, or nil.
func (r *repairer) improve(ctx context.Context, object map[string]any,
	answer apiserver.Answer) (map[string]any, apiserver.Answer, error) {
	var detour map[string]any
	var newAnswer apiserver.Answer
	for _, e := range answer.Errors {
		for _, change := range r.changes(locate.Follow(r.kind.schema, placeOfError(e))) {
			if r.triesLeft--; r.triesLeft < 0 {
				return nil, answer, nil
			}
			changed := runtime.DeepCopyJSON(object)
			if !change(changed) {
				continue
			}
			next, err := r.create(ctx, changed)
			if err != nil {
				return nil, answer, err
			}
			if badness(next) < badness(answer) {
				return changed, next, nil
			}
			gone := !slices.ContainsFunc(next.Errors,
				func(other *field.Error) bool { return other.Field == e.Field && other.Detail == e.Detail })
			if detour == nil && gone {
				detour = changed
				newAnswer = next
			}
		}
	}
	return detour, newAnswer, nil
}
