package unions

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// matrixRow is a row of the version-skew matrix: members a and b exist in the first version
// of the API, n was added in the second; client and server each know one of them.
type matrixRow struct {
	name, skew, client, operation, stored, intent string
	// want has the result for each kind of union.
	want []string
}

func matrix(t *testing.T) []matrixRow {
	t.Helper()
	text, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out []matrixRow
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		out = append(out, matrixRow{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], cells[6:]})
	}
	if len(out) != 56 {
		t.Fatalf("got %d rows", len(out))
	}
	return out
}

// matrixUnion returns the union of a column in a version of the API.
func matrixUnion(column int, withN bool) Union {
	var values []string
	members := []Member{{Name: "a", Value: "A"}, {Name: "b", Value: "B"}}
	if withN {
		members = append(members, Member{Name: "n", Value: "N", Optional: column == 4})
	}
	for _, m := range members {
		values = append(values, m.Value)
	}
	if column == 2 || column == 3 {
		for i := range members {
			members[i].Value = ""
		}
		return Union{Members: members, AtMostOne: column == 3}
	}
	if column == 1 {
		values = append(values, "")
	}
	u := New("type", values, members...)
	u.Required = column != 1
	return u
}

// matrixShape returns the name of the Go type for that union.
func matrixShape(column int, withN bool) string {
	name := "matrix " + []string{"required D", "optional D", "exactly one", "at most one", "n optional"}[column]
	if withN {
		name += ", n"
	}
	return name
}

// request returns the object that the server receives, before it prunes, from a client that
// has read the stored object.
func (r matrixRow) request(stored map[string]any, discriminated, clientKnowsN bool) map[string]any {
	out := clone(stored)
	known := []string{"a", "b"}
	if clientKnowsN {
		known = append(known, "n")
	}
	if r.operation == "PUT" && r.client == "structured" && !clientKnowsN {
		delete(out, "n") // a typed client drops it when reading
	}
	if r.intent == "echo" {
		out["other"] = "changed"
		return out
	}
	// A client removes the fields that it knows by PUT, or by PATCH with null. By APPLY it
	// cannot, because they are owned by another manager.
	if r.operation != "APPLY" {
		for _, name := range known {
			delete(out, name)
		}
	}
	member := map[string]string{"set-known(b)": "b", "set-new(n)": "n"}[r.intent]
	if member != "" {
		out[member] = map[string]any{}
	}
	switch {
	case !discriminated:
	case member != "":
		out["type"] = strings.ToUpper(member)
	case r.operation == "APPLY":
		out["type"] = ""
	default:
		delete(out, "type")
	}
	return out
}

func (r matrixRow) run(t *testing.T, column int, run runner, build func(string, *structural.Schema, Options) implementation) string {
	clientKnowsN := r.skew == "server old" || r.skew == "none"
	serverKnowsN := r.skew == "client old" || r.skew == "none"
	u := matrixUnion(column, serverKnowsN)
	stored := map[string]any{r.stored: map[string]any{}, "other": "o"}
	if u.Discriminator != "" {
		stored["type"] = strings.ToUpper(r.stored)
	}
	new := r.request(stored, u.Discriminator != "", clientKnowsN)
	sent := clone(new)
	if !serverKnowsN {
		delete(new, "n")
	}
	if !run.server && !run.typed {
		sent = new // the other implementations prune it themselves
	}
	set := func(object map[string]any) []string {
		var out []string
		for _, name := range []string{"a", "b", "n"} {
			if object[name] != nil {
				out = append(out, name)
			}
		}
		return out
	}
	got := build(matrixShape(column, serverKnowsN), schemaFor(t, u, LowerOptions{Forms: []Form{FormCEL}}), Options{})(stored, sent)
	if got.untyped != "" {
		return "cannot be expressed in Go: " + got.untyped
	}
	if !got.accepted {
		return strings.Join(slices.Compact(got.errors), ", ")
	}
	out := "ok {" + strings.Join(set(got.object), ",") + "}"
	for _, name := range set(new) {
		if got.object[name] == nil {
			out += " -" + name
		}
	}
	return out
}

// TestMatrix runs all rows and columns of the version-skew matrix with all implementations.
func TestMatrix(t *testing.T) {
	for _, run := range runners() {
		t.Run(run.name, func(t *testing.T) {
			ran, build := 0, run.builder(t)
			for _, row := range matrix(t) {
				for column, want := range row.want {
					if want == "n/a" || want == "-" {
						continue
					}
					ran++
					if got := row.run(t, column, run, build); got != want {
						t.Errorf("%s, column %d (%s, %s %s of %s, %s): got %s, want %s",
							row.name, column, row.skew, row.client, row.operation, row.stored, row.intent, got, want)
					}
				}
			}
			if ran < 220 {
				t.Errorf("got %d cells, want more", ran)
			}
		})
	}
}
