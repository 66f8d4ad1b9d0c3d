package containment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
)

// Channel is a channel with its definitions, which a server accepts.
type Channel struct {
	Name        string
	Gates       gates.Set
	Definitions []*crd.Definition
}

// Change is a change from one channel to another.
type Change struct {
	compare.Change
	// Place is the condition that causes the change, or nil if it was not found.
	Place *Place
	// Pos is the position in Go of what changes, or of the kind.
	Pos diag.Position
	// Absent is the name of a field that the change is about and that the first channel lacks:
	// the one that is required, or that a rule reads.
	Absent string
}

// Compare returns the changes if the definitions of one channel replace those of another, in
// the order of [compare.Definitions]. Those that +schemagen:allowChange allows are waived. in
// reads the Go files with the markers.
func Compare(ctx context.Context, target *apiserver.Target, reader *inputs.Reader, narrow, wide *Channel) ([]Change, error) {
	return changes(ctx, target, reader, narrow, wide, func(*compare.Change) bool { return true })
}

// Unsafe is [Compare] for the changes that are not safe.
func Unsafe(ctx context.Context, target *apiserver.Target, reader *inputs.Reader, narrow, wide *Channel) ([]Change, error) {
	return changes(ctx, target, reader, narrow, wide, func(c *compare.Change) bool { return c.Category != compare.Safe })
}

func changes(ctx context.Context, target *apiserver.Target, reader *inputs.Reader, narrow, wide *Channel,
	wanted func(*compare.Change) bool) ([]Change, error) {
	compared, err := compare.Accepted(ctx, target, narrow.Definitions, wide.Definitions)
	if err != nil {
		return nil, err
	}
	all := compare.Folded(compared)
	found := slices.DeleteFunc(slices.Clone(all), func(c compare.Change) bool { return !wanted(&c) })
	if len(found) == 0 {
		return nil, nil
	}
	if err := definitions.AllowInGo(ctx, reader, found, wide.Definitions); err != nil {
		return nil, err
	}
	return locate(reader, found, all, narrow, wide)
}

// Located returns changes from one channel to another, as [compare.Definitions] finds them, with
// the conditions that cause them.
func Located(reader *inputs.Reader, found []compare.Change, narrow, wide *Channel) ([]Change, error) {
	return locate(reader, found, found, narrow, wide)
}

// locate returns the found ones of all changes.
func locate(reader *inputs.Reader, found, all []compare.Change, narrow, wide *Channel) ([]Change, error) {
	table, err := markers.NewTable()
	if err != nil {
		return nil, err
	}
	conditions := &places{in: reader, table: table, files: map[string]*gatedsource.File{}}
	var out []Change
	for _, c := range found {
		change := Change{Change: c}
		index := slices.IndexFunc(wide.Definitions, func(d *crd.Definition) bool { return d.CRD.Name == c.Definition })
		switch c.Kind {
		case changekind.RequiredAdded: // the change is at the object, and the marker at the field
			change.NewPos, change.Related = wide.Definitions[index].Position(parentPath(c.NewPath) + ".properties[" + c.New + "]")
		case changekind.RuleAdded:
			change.NewPos, change.Related = wide.Definitions[index].Position(fmt.Sprintf("%s[%d]", c.NewPath, c.Index))
		}
		change.Absent = absent(&c, all)
		conditions.locate(&change, narrow.Gates, wide.Gates)
		out = append(out, change)
	}
	return out, nil
}

// parentPath returns the path of the node that a keyword belongs to.
func parentPath(path string) string { return path[:strings.LastIndexByte(path, '.')] }

// absent returns the field that a change is about if the changes also add it.
func absent(c *compare.Change, found []compare.Change) string {
	if c.Kind != changekind.RequiredAdded && c.Kind != changekind.RuleAdded {
		return ""
	}
	for _, added := range found {
		name, ok := strings.CutPrefix(added.NewPath, parentPath(c.NewPath)+".properties[")
		if added.Kind != changekind.FieldAdded || added.Definition != c.Definition || !ok {
			continue
		}
		name = strings.TrimSuffix(name, "]")
		if c.Kind == changekind.RequiredAdded && c.New == name {
			return name
		}
		if celName, ok := celtext.Name(name); ok && c.Kind == changekind.RuleAdded && strings.Contains(c.New, "self."+celName) {
			return celName
		}
	}
	return ""
}

// locate finds the place and the position of a change between two sets of gates.
func (p *places) locate(c *Change, source, target gates.Set) {
	about, _, _ := strings.Cut(strings.ToLower(string(c.Kind)), "-")
	if about == "rule" {
		about = "validation"
	}
	positions := []diag.Position{c.NewPos, c.OldPos}
	if strings.HasSuffix(string(c.Kind), "-removed") {
		slices.Reverse(positions)
	}
	c.Place, c.Pos = p.find(positions, about, source, target)
	if c.Place == nil {
		c.Pos, _ = c.Position()
	}
}

// Findings returns the changes from a narrow to a wide channel that contradict containment, with
// the given severity.
func Findings(changes []Change, narrow, wide *Channel, severity diag.Severity) (out diag.List) {
	for i := range changes {
		c := &changes[i]
		if c.Category == compare.Safe || c.Waived != "" {
			continue
		}
		reason, _, _ := strings.Cut(c.Reason, "; ") // what follows is about stored objects
		hint := fmt.Sprintf("allow it with +schemagen:allowChange:kind=%s,for=channels,reason=\"…\"", c.Kind)
		var related []diag.Related
		if c.Place != nil {
			related = []diag.Related{{Pos: c.Place.Pos, Message: "the condition"}}
		}
		switch {
		case c.Kind == changekind.RequiredAdded && c.Absent != "":
			hint = "make it optional, or give it a default"
			reason = "required"
			if c.Place != nil {
				reason += " and gated by " + c.Place.Condition.String()
			}
			reason += ": every object of " + narrow.Name
			if c.Field != "." {
				reason += " with " + c.Field
			}
			reason += " is refused"
		case c.Place != nil:
			reason += fmt.Sprintf(" (gate %s)", c.Place.Condition)
		}
		if c.Kind == changekind.RuleAdded && c.Absent != "" {
			hint = fmt.Sprintf("begin it with !has(self.%s) ||, or %s", c.Absent, hint)
		}
		if severity == diag.Warning {
			hint += "; a warning, because contains in schemagen.yaml does not list these channels"
		}
		d := NotContained.At(c.Pos, hint, "channel %s %s: %s: %s%s: %s", wide.Name, effect(&c.Change, narrow.Name), c.Subject(), c.Kind, c.Values(), reason)
		out = append(out, d.As(severity).With(related...))
	}
	return out
}

// Turned returns the findings about a pair of which the wide channel has fewer gates than the
// narrow one, with one at the position of the pair. If there are no findings about the reverse pair,
// that is the only one.
func Turned(pos diag.Position, findings, reverse diag.List, narrow, wide *Channel) diag.List {
	message := fmt.Sprintf("channel %s is to contain %s, which has more gates", wide.Name, narrow.Name)
	if len(reverse) == 0 {
		message = message + "; it is the other way round"
		findings = nil
	}
	hint := fmt.Sprintf("did you mean {narrow: %s, wide: %s}?", wide.Name, narrow.Name)
	return append(diag.List{NotContained.At(pos, hint, "%s", message).As(diag.Error)}, findings...)
}

// effect describes what a change does to what a channel accepts.
func effect(c *compare.Change, narrow string) string {
	refuses := "refuses what " + narrow + " accepts"
	stores := "stores otherwise what " + narrow + " accepts"
	merges := "merges what clients apply otherwise than " + narrow
	switch c.Kind {
	case changekind.DefinitionRemoved, changekind.VersionRemoved, changekind.VersionUnserved,
		changekind.StatusRemoved, changekind.ScaleRemoved, changekind.SelectableRemoved,
		changekind.NameRemoved, changekind.NamesChanged, changekind.KindChanged, changekind.ScopeChanged:
		return "does not serve what " + narrow + " serves"
	case changekind.FieldRemoved, changekind.DefaultAdded, changekind.DefaultChanged, changekind.DefaultRemoved,
		changekind.UnknownPruned, changekind.NullableAdded, changekind.StatusAdded, changekind.EmbeddedRemoved,
		changekind.PruningChanged, changekind.ConversionLossy:
		return stores
	case changekind.FieldAdded, changekind.StructureChanged, changekind.StorageChanged,
		changekind.ConversionChanged, changekind.NotUnderstood:
		return "refuses or stores otherwise what " + narrow + " accepts"
	case changekind.NullableRemoved:
		if !strings.HasSuffix(c.Field, "[*]") {
			return stores
		}
	case changekind.MapTypeChanged:
		return merges
	case changekind.ListTypeChanged:
		if c.New == "atomic" {
			return merges
		}
	}
	return refuses
}
