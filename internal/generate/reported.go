package generate

import (
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/verify"
)

// Reported returns the kinds of diagnostics that the run reports wherever there is a reason, so that a
// waiver without a finding is not needed: those of rules and generators that run, and of the API server
// if definitions are verified. There are none if the run leaves out a channel, which may have more.
func (r *Request) Reported() []*diag.Kind {
	if !r.EveryChannel {
		return nil
	}
	kinds := slices.Concat(passes.Codes(), configgen.Codes())
	if !r.Options.SkipVerify {
		kinds = append(kinds, verify.Codes()...)
	}
	return slices.DeleteFunc(kinds, func(kind *diag.Kind) bool {
		switch {
		case slices.Contains(passes.Rules(), kind), slices.Contains(verify.Rules(), kind):
			return r.Since != "" || !slices.Contains(r.Options.Rules, kind.Code)
		case slices.Contains(configgen.Codes(), kind):
			return r.Companions.Generators["rbac"] == nil || r.Companions.Generators["webhook"] == nil
		}
		return false
	})
}
