package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestPublisher changes resources one by one. The documents must be those of a new
// publisher, and unchanged documents must be reused.
func TestPublisher(t *testing.T) {
	var resources []*Resource
	for i := range 6 {
		resources = append(resources, read(t, definition(fmt.Sprintf("g%d.io", i/2), fmt.Sprintf("Kind%d", i), "v1", shapeSpec))...)
	}
	options := Options{ObjectUnions: true}
	p, err := NewPublisher(options)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Documents(resources)
	if err != nil {
		t.Fatal(err)
	}
	last := first
	for _, c := range []struct {
		name   string
		change func([]*Resource) []*Resource
		// made are the documents that are made again.
		made []string
		// parts is the number of parts, and rendered the number of new ones.
		parts, rendered int
	}{
		{"nothing", func(r []*Resource) []*Resource { return r }, []string{}, 14, 0},
		{"one", func(r []*Resource) []*Resource {
			r[3] = read(t, definition("g1.io", "Kind3", "v1", "type: string"))[0]
			return r
		}, []string{"v2", "v3/apis/g1.io/v1"}, 14, 2},
		{"one less", func(r []*Resource) []*Resource { return r[:5] }, []string{"v2", "v3/apis/g2.io/v1"}, 12, 0},
		{"one in another group", func(r []*Resource) []*Resource {
			return append(r, read(t, definition("g9.io", "Kind9", "v1", "type: string"))...)
		}, []string{"v2", "v3/apis/g9.io/v1"}, 14, 2},
		{"none", func([]*Resource) []*Resource { return nil }, []string{"v2"}, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := map[partKey]*part{}
			for key, value := range p.parts {
				before[key] = value
			}
			resources = c.change(slices.Clone(resources))
			got, err := p.Documents(resources)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Documents(resources, options)
			if err != nil {
				t.Fatal(err)
			}
			if !sameDocuments(got, want) {
				t.Error("the documents differ from those of a new publisher")
			}
			made := []string{}
			for _, d := range got {
				kept := slices.ContainsFunc(last, func(l Document) bool { return l.Path == d.Path && &l.Data[0] == &d.Data[0] })
				if !kept && d.Path != "v3" {
					made = append(made, d.Path)
				}
			}
			if !slices.Equal(made, c.made) {
				t.Errorf("made again: %q, want %q", made, c.made)
			}
			rendered := 0
			for key, value := range p.parts {
				if before[key] != value {
					rendered++
				}
			}
			if len(p.parts) != c.parts || rendered != c.rendered {
				t.Errorf("%d parts, %d of them rendered, want %d and %d", len(p.parts), rendered, c.parts, c.rendered)
			}
			last = got
		})
	}
}

func sameDocuments(a, b []Document) bool {
	return slices.EqualFunc(a, b, func(x, y Document) bool { return x.Path == y.Path && bytes.Equal(x.Data, y.Data) })
}

// TestMembersAreWrittenAsOne compares documents, which are assembled from rendered members,
// with the same value written at once.
func TestMembersAreWrittenAsOne(t *testing.T) {
	resources := read(t, definition("ex.io", "Shape", "v1", shapeSpec)+definition("ex.io", "Shade", "v1", "type: string\ndescription: '<b> & \u2028'"))
	for _, list := range [][]*Resource{resources, nil} {
		documents, err := Documents(list, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range documents {
			// Values from static.json have their own order of keys.
			var texts map[string]json.RawMessage
			if err := json.Unmarshal(d.Data, &texts); err != nil {
				t.Fatal(err)
			}
			again := object{}
			for key, text := range texts {
				var values map[string]json.RawMessage
				if err := json.Unmarshal(text, &values); err != nil {
					again[key] = text // the version
					continue
				}
				again[key] = values
				if key == "components" {
					var schemas map[string]map[string]json.RawMessage
					if err := json.Unmarshal(text, &schemas); err != nil {
						t.Fatal(err)
					}
					again[key] = schemas
				}
			}
			want, err := marshal(again)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(d.Data, want) {
				t.Errorf("%s:\n%.300s\nwant\n%.300s", d.Path, d.Data, want)
			}
		}
	}
}

// FuzzWriting compares the JSON writer with encoding/json.
func FuzzWriting(f *testing.F) {
	f.Add([]byte(`{"b": [1, 2.5, "x", null, true, [], {}], "a<>&": "\u2028\\\"\n\u00e9", "": {"c": {"d": -1e300}}}`))
	f.Add([]byte(`["` + "\xff" + `", "\u0000", "\ud800"]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var value any
		if json.Unmarshal(data, &value) != nil {
			return
		}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		if err := e.Encode(value); err != nil {
			t.Fatal(err)
		}
		got, err := marshal(value)
		if err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want.Bytes())
		}
	})
}
