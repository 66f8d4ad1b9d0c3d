package crd

import "testing"

// TestFilePositions checks that positions in a part of a file are positions in the file,
// and that text that is not an object is a problem only where objects are expected.
func TestFilePositions(t *testing.T) {
	file := File{Name: "crd.yaml", LineOffset: 10, Data: []byte("a: b\n---\napiVersion: v1\nkind: Node\n")}
	for _, mixed := range []bool{false, true} {
		file.Mixed = mixed
		manifests, problems, position := file.Read()
		if len(manifests) != 1 || len(problems) > 0 == mixed {
			t.Fatalf("mixed %t: %d manifests, problems %v", mixed, len(manifests), problems)
		}
		if got := position(manifests[0].Pos).String(); got != "crd.yaml:13:1" {
			t.Errorf("the object is at %s", got)
		}
		for _, p := range problems {
			if got := position(p.Pos).String(); got != "crd.yaml:11:1" {
				t.Errorf("%s is at %s", p.Message, got)
			}
		}
		if got := position(0); got.Line != 0 {
			t.Errorf("NoPos resolves to %s", got)
		}
	}
}
