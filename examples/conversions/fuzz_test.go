package conversions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/conversion"

	v1 "github.com/schemagen/schemagen/examples/conversions/api/v1"
	"github.com/schemagen/schemagen/examples/conversions/api/v1alpha1"
	"github.com/schemagen/schemagen/examples/conversions/api/v1beta1"
)

const annotation = "backups.example.com/conversion"

// FuzzAnnotation converts objects whose annotation is anything: malformed, forged, huge, or of
// another program. The hub can always be read as a spoke. What the hub has of a spoke is what the
// spoke says, and nothing that the hub's schema refuses.
func FuzzAnnotation(f *testing.F) {
	specs := []string{
		`{}`,
		`{"schedule": "1", "cronSchedule": "1", "drain": "1.5s", "policy": "Borrow", "volumes": [{"name": "a"}, {"name": "a"}, {"name": "b", "path": "p"}], "legacy": "l", "retries": 2}`,
		`{"deletion": {}, "paused": false, "policy": "MayStop", "volumes": [null, {"compression": "Zstd"}], "networks": [{"cidr": "1", "note": "n"}, {"cidr": "1"}, {}], "keep": 0}`,
	}
	for _, text := range []string{
		"", "nonsense", "null", "[]", `""`, `{"v1": 5}`, `{"v1": {"#over": 3}}`, `{"v1": {"spec": {"#over": 3}}}`, `{"v7": {"spec": {}}, "v1beta1": [], "v1alpha1": {"spec": 1}}`,
		`{"v1": {"spec": {"keep": 0}}}`, `{"v1": {"spec": {"keep": 3, "notes": null, "paused": false, "deletion": {"drainSeconds": 9}}}, "v1": {}}`,
		`{"v1": {"spec": {"volumes": {"a": {"compression": "No"}, "b": {"compression": "Zstd"}, "gone": {}}}}}`,
		`{"v1": {"spec": {"volumes": [{"i": 0, "n": 2, "v": {"name": "a", "compression": "No"}}, {"i": -1, "n": 1e9, "v": null}]}}}`,
		`{"v1": {"spec": {"networks": [{"i": 0, "n": 2, "v": {"cidr": "1", "note": "x"}}, {"i": 5}, {"v": 1}, null]}}}`,
		`{"v1beta1": {"spec": {"drain": "soon", "legacy": ["l"], "policy": "Nothing"}}}`,
		`{"v1":` + strings.Repeat("[", 20_000), `{"v1": {"spec": {"notes": "` + strings.Repeat("x", 262_000) + `"}}}`, strings.Repeat("x", 300_000),
	} {
		for _, spec := range specs {
			f.Add(text, spec)
		}
	}
	f.Fuzz(func(t *testing.T, text, spec string) {
		object := func(into any) bool {
			data, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{annotation: text, "other": "o"}}, "spec": json.RawMessage(spec)})
			return err == nil && json.Unmarshal(data, into) == nil
		}
		for _, newSpoke := range []func() conversion.Convertible{
			func() conversion.Convertible { return &v1beta1.Backup{} },
			func() conversion.Convertible { return &v1alpha1.Backup{} },
		} {
			var stored v1.Backup
			if object(&stored) {
				read := newSpoke()
				if err := read.ConvertFrom(&stored); err != nil {
					t.Fatalf("the hub cannot be read: %v", err)
				}
				readable(t, read)
			}
			spoke := newSpoke()
			if !object(spoke) {
				continue
			}
			before := encoded(t, spoke)
			var hub v1.Backup
			err := spoke.ConvertTo(&hub)
			if after := encoded(t, spoke); !bytes.Equal(before, after) {
				t.Errorf("the source changed from %s to %s", before, after)
			}
			if err != nil {
				if !strings.Contains(err.Error(), "cannot be written as") {
					t.Error(err)
				}
				continue
			}
			readable(t, &hub)
			if keep := hub.Spec.Keep; keep != nil && *keep < 1 {
				t.Errorf("keep is %d", *keep)
			}
			for _, volume := range hub.Spec.Volumes {
				if !slices.Contains([]string{"", "None", "Zstd"}, volume.Compression) {
					t.Errorf("the compression is %q", volume.Compression)
				}
			}
			if beta, ok := spoke.(*v1beta1.Backup); ok && !slices.Contains([]string{"", "Preempt", "Borrow", "TryNext"}, beta.Spec.Policy) {
				continue // the schema refuses it, so it is not kept
			}
			back := newSpoke()
			if err := back.ConvertFrom(&hub); err != nil {
				t.Fatal(err)
			}
			if before, after := specOf(t, before), specOf(t, encoded(t, back)); !bytes.Equal(before, after) {
				t.Errorf("converted there and back, %s is %s", before, after)
			}
		}
	})
}

// readable checks that the server takes an object with its annotations.
func readable(t *testing.T, object any) {
	t.Helper()
	var out struct {
		Metadata struct{ Annotations map[string]string }
	}
	if err := json.Unmarshal(encoded(t, object), &out); err != nil {
		t.Fatal(err)
	}
	if out.Metadata.Annotations["other"] != "o" {
		t.Error("another annotation is lost")
	}
	kept, ok := out.Metadata.Annotations[annotation]
	if ok && !json.Valid([]byte(kept)) {
		t.Errorf("the annotation is %.200s", kept)
	}
	if size := len(annotation) + len(kept) + len("othero"); size > 262_144 {
		t.Errorf("the annotations have %d bytes", size)
	}
}

func encoded(t *testing.T, object any) []byte {
	t.Helper()
	out, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// specOf returns the spec of an object, without the field that v1alpha1 drops.
func specOf(t *testing.T, object []byte) []byte {
	t.Helper()
	var out struct{ Spec map[string]any }
	if err := json.Unmarshal(object, &out); err != nil {
		t.Fatal(err)
	}
	delete(out.Spec, "retries")
	return encoded(t, out.Spec)
}
