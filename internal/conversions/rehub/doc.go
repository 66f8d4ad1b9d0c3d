// Package rehub turns the markers of conversions round, so that another version is the hub.
//
//	turn      pairs of the old hub ─▶ lines to remove, and markers to write
//	files     lines ─▶ Go source
//	compare   the conversions of that source ─▶ a refusal, unless each unit converts as before
//
// It knows markers and units, but not how code is generated from them.
package rehub
