package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestScan compares the passes over the bytes of files with simpler ones.
func TestScan(t *testing.T) {
	names, err := filepath.Glob("../../*/*.go")
	if err != nil || len(names) < 50 {
		t.Fatalf("%d files, error %v", len(names), err)
	}
	short := []string{"type", "type T", ";type T int", "\uFEFFtype T", "+", "tytype T", "\ttype\r\nT", "/**/type T",
		"xtype T", "ttype T\ntype U"}
	for _, marker := range slices.Concat(packageMarkers[:], gateMarkers[:]) {
		cut := marker[:len(marker)-1]
		short = append(short, "+"+marker, "++"+marker, marker, "+ "+marker, "+\n+"+marker+"=", "+"+cut)
	}
	var texts [][]byte
	for _, text := range short {
		texts = append(texts, []byte(text))
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, src, src[len(src)/3:], bytes.ReplaceAll(src, []byte("\n"), []byte(";")))
	}
	declared := regexp.MustCompile(`(?:\A\x{FEFF}?|[\n;]|\*/)[ \t\r]*type[ \t\r\n]+([\pL_][\pL\p{Nd}_]*)`)
	for i, src := range texts {
		var got, want []string
		typeHints(src, func(name string) { got = append(got, name) })
		for _, match := range declared.FindAllSubmatch(src, -1) {
			want = append(want, string(match[1]))
		}
		scanned := new(text)
		scanned.scanMarkers(src)
		contains := func(marker string) bool { return bytes.Contains(src, []byte("+"+marker)) }
		inPackage := slices.ContainsFunc(packageMarkers[:], contains)
		got = append(got, fmt.Sprint(scanned.mentionsPackage, scanned.mentionsGates))
		want = append(want, fmt.Sprint(inPackage, slices.ContainsFunc(gateMarkers[:], contains)))
		if !slices.Equal(got, want) {
			t.Errorf("text %d: got %q, want %q\n%.200s", i, got, want, src)
		}
	}
}
