package changetable

import (
	"fmt"
	"strings"
)

// Facts are what a server did with a pair: "ok", the code of a refusal, or "lost" where
// it answered, but not with what was there or was sent. "-" was not asked.
type Facts struct {
	// Name is the pair.
	Name string
	// Update is the replacement of the definition; the others follow it.
	Update string
	// Read is the stored object, in the fields that the old definition has. Touch is an
	// update of a label, Beside one that leaves alone what was changed, Apply a
	// server-side apply of a label.
	Read, Touch, Beside, Apply string
	// Send is an object of an old client, Reapply its apply, Ask its other requests.
	Send, Reapply, Ask string
}

// Category is what the facts mean, in the words of package compare.
func (f Facts) Category() string {
	return [...]string{"safe", "breaks clients", "breaks stored objects"}[f.Harm()]
}

// Harm is 0 if the change is safe, 1 if it breaks clients, 2 if it breaks stored objects.
func (f Facts) Harm() int {
	for _, fact := range []string{f.Update, f.Read, f.Touch, f.Beside, f.Apply} {
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

// String is the line of the facts in their file.
func (f Facts) String() string {
	return fmt.Sprintf("%-45s update:%s read:%s touch:%s beside:%s apply:%s send:%s reapply:%s ask:%s = %s",
		f.Name, f.Update, f.Read, f.Touch, f.Beside, f.Apply, f.Send, f.Reapply, f.Ask, f.Category())
}

// ReadFacts reads the file of the facts. An error names the line.
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
		}{{"update", &f.Update}, {"read", &f.Read}, {"touch", &f.Touch}, {"beside", &f.Beside}, {"apply", &f.Apply}, {"send", &f.Send}, {"reapply", &f.Reapply}, {"ask", &f.Ask}}
		if len(fields) != len(into)+1 {
			return nil, fmt.Errorf("malformed line: %s", line)
		}
		f.Name = fields[0]
		for i, to := range into {
			name, value, _ := strings.Cut(fields[i+1], ":")
			if name != to.name {
				return nil, fmt.Errorf("malformed line: %s", line)
			}
			*to.fact = value
		}
		if f.String() != line {
			return nil, fmt.Errorf("the line is not as it was written: %s", line)
		}
		out[f.Name] = f
	}
	return out, nil
}
