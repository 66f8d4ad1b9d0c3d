package changetable

import (
	"fmt"
	"strings"
)

// Facts are a server's responses to a pair: "ok", the code of an error, or "lost" if it
// answered without what was stored or sent. "-" means that there was no request.
type Facts struct {
	// Name is the name of the pair.
	Name string
	// Update is the replacement of the definition; the rest happens after it.
	Update string
	// Read is reading the stored object, limited to fields of the old definition. Touch is
	// an update of a label, Edit an update of unrelated fields, Apply a server-side
	// apply of a label.
	Read, Touch, Edit, Apply string
	// Send is an object sent by an old client, Reapply its apply, Ask its other requests.
	Send, Reapply, Ask string
}

// Category returns the category of the facts, as named by package compare.
func (f Facts) Category() string {
	return [...]string{"safe", "breaks clients", "breaks stored objects"}[f.Harm()]
}

// Harm returns 0 if the change is safe, 1 if it breaks clients, 2 if it breaks stored objects.
func (f Facts) Harm() int {
	for _, fact := range []string{f.Update, f.Read, f.Touch, f.Edit, f.Apply} {
		if fact != "ok" {
			return 2
		}
	}
	for _, fact := range []string{f.Send, f.Reapply, f.Ask} {
		if fact != "ok" && fact != "-" {
			return 1
		}
	}
	return 0
}

// String returns the line for the facts file.
func (f Facts) String() string {
	return fmt.Sprintf("%-45s update:%s read:%s touch:%s edit:%s apply:%s send:%s reapply:%s ask:%s = %s",
		f.Name, f.Update, f.Read, f.Touch, f.Edit, f.Apply, f.Send, f.Reapply, f.Ask, f.Category())
}

// ReadFacts parses the facts file. The error names the line.
func ReadFacts(data string) (map[string]Facts, error) {
	out := map[string]Facts{}
	for line := range strings.Lines(data) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words, _, _ := strings.Cut(line, " = ")
		fields := strings.Fields(words)
		var f Facts
		into := []struct {
			name string
			fact *string
		}{{"update", &f.Update}, {"read", &f.Read}, {"touch", &f.Touch}, {"edit", &f.Edit}, {"apply", &f.Apply}, {"send", &f.Send}, {"reapply", &f.Reapply}, {"ask", &f.Ask}}
		if len(fields) != len(into)+1 {
			return nil, fmt.Errorf("malformed line: %s", line)
		}
		f.Name = fields[0]
		for i, target := range into {
			name, value, _ := strings.Cut(fields[i+1], ":")
			if name != target.name {
				return nil, fmt.Errorf("malformed line: %s", line)
			}
			*target.fact = value
		}
		if f.String() != line {
			return nil, fmt.Errorf("line not in canonical form: %s", line)
		}
		out[f.Name] = f
	}
	return out, nil
}
