package conversions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/markers"
)

// Store is an annotation in which an earlier conversion of a project kept values.
type Store struct {
	Key string
	// Version is the version whose values it has, and Field the JSON names of the field that
	// it is; empty for the object.
	Version string
	Field   []string
	// Text is set if the field is a string, which the annotation may have as it is.
	Text bool
}

// stores reads the markers storeAs of the versions of a kind.
func (p *pairer) stores(kind *Kind) {
	for _, v := range kind.Spokes { // all versions
		for _, m := range v.Type.Decl.Markers {
			if m.Name != markers.ConvertPrefix+"storeAs" {
				continue
			}
			fail := func(hint, format string, args ...any) {
				p.fail(noRule, m.Pos, v.Type.Decl.Pkg, hint, "+%s: %s", m.Name, fmt.Sprintf(format, args...))
			}
			value := m.Value.(markers.Convert)
			store := Store{Key: value.Value, Version: kind.Hub.Name}
			if version, ok := value.Get("version"); ok {
				store.Version = version
			}
			i := slices.IndexFunc(kind.Spokes, func(v *Version) bool { return v.Name == store.Version })
			problems := validation.IsQualifiedName(strings.ToLower(store.Key)) // as for annotations
			switch {
			case v != kind.Hub:
				fail("", "it belongs above the type of the hub, %s", kind.Hub.Name)
				continue
			case len(problems) > 0:
				fail("", "%q cannot be a key: %s", store.Key, problems[0])
				continue
			case store.Key == crd.ConversionAnnotation(kind.Group):
				fail("", "%s is the annotation in which these conversions keep values", store.Key)
				continue
			case i < 0:
				fail("", "%s has no version %s", kind.Name, store.Version)
				continue
			}
			if field, ok := value.Get("field"); ok {
				t := kind.Spokes[i].Type
				if !exists(p.types, t, field, func(hint string) { fail(hint, "%s of %s has no field %s", t.Label(), store.Version, field) }) {
					continue
				}
				store.Field = strings.Split(field, ".")[1:]
				for _, name := range store.Field {
					t = t.Base()
					if t.Shape != Struct {
						fail("", "%s is below a list or a map", field)
						break
					}
					t = t.Field(name).Type
				}
				store.Text = t.Base().Shape == String
			}
			kind.Stores = append(kind.Stores, store)
		}
	}
}

// stores returns literals of the annotations that may have values of a version.
func (f *codeFile) stores(kind *Kind, version string) (out []string) {
	for _, s := range kind.Stores {
		if s.Version != version {
			continue
		}
		text := "conversionStore{Key: " + strconv.Quote(s.Key)
		if len(s.Field) > 0 {
			text += fmt.Sprintf(", Field: %#v", s.Field)
		}
		if s.Text {
			text += ", Text: true"
		}
		out = append(out, text+"}")
	}
	return out
}

// removeStores writes the statements that remove annotations of earlier conversions.
func (f *codeFile) removeStores(kind *Kind) {
	var keys []string
	for _, s := range kind.Stores {
		if !slices.Contains(keys, s.Key) {
			keys = append(keys, s.Key)
			f.line("out.Annotations = %s(out.Annotations, %q, nil)", f.use("conversionSet"), s.Key)
		}
	}
}
