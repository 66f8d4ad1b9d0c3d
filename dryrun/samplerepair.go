package dryrun

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/apiserver"
)

// maxRepairs bounds how many changed objects are tried.
const maxRepairs = 2000

// repairer changes an object bit by bit.
type repairer struct {
	kind      *Kind
	server    *apiserver.Kind
	full      bool
	triesLeft int
	// best is the object of which the server has the least to say.
	best   map[string]any
	answer apiserver.Answer
}

// badness is how far the server is from taking an object.
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

// repair makes the first change of those that an error suggests after which the
// server has less to say, and goes on; if there is none, one after which it does not
// say the same, a few times.
func (r *repairer) repair(ctx context.Context, object map[string]any) error {
	answer, err := r.server.Create(ctx, object)
	if err != nil {
		return err
	}
	r.best, r.answer = object, answer
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
		if object, answer = changed, next; badness(answer) < badness(r.answer) {
			r.best, r.answer, detours = object, answer, 0
		}
	}
	return nil
}

// maxDetours is how often in a row a change need not be better.
const maxDetours = 12

// improve returns the changed object with what the server says of it, or nil.
func (r *repairer) improve(ctx context.Context, object map[string]any, answer apiserver.Answer) (map[string]any, apiserver.Answer, error) {
	var detour map[string]any
	var after apiserver.Answer
	for _, e := range answer.Errors {
		for _, change := range r.changes(r.kind.schema.Follow(placeOfError(e))) {
			if r.triesLeft--; r.triesLeft < 0 {
				return nil, answer, nil
			}
			changed := runtime.DeepCopyJSON(object)
			if !change(changed) {
				continue
			}
			next, err := r.server.Create(ctx, changed)
			if err != nil {
				return nil, answer, err
			}
			if badness(next) < badness(answer) {
				return changed, next, nil
			}
			gone := !slices.ContainsFunc(next.Errors, func(other *field.Error) bool { return other.Field == e.Field && other.Detail == e.Detail })
			if detour == nil && gone {
				detour, after = changed, next
			}
		}
	}
	return detour, after, nil
}
