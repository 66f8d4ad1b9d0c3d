package gatedsource

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/markers"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestFiles compares the uses of each file in testdata with those expected, and the text with
// a gate taken for on and off, for all line ends.
func TestFiles(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in := archive.Files[0].Data
		got := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{archive.Files[0]}}
		file, err := Parse(table, "types.go", in, []string{markers.FeatureK8s, markers.FeatureOpenShift})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var uses strings.Builder
		for _, u := range file.Uses {
			fmt.Fprintf(&uses, "%d:%d: %s %s at %d: %s %q %q\n", u.Pos.Line, u.Pos.Column, u.Kind, u.Name, u.At.Line, u.Condition, u.Text, u.Slots)
		}
		got.Files = append(got.Files, txtar.File{Name: "uses", Data: []byte(uses.String())})
		for state, on := range map[string]bool{"on": true, "off": false} {
			if result, err := file.With("X", on); err == nil {
				windows, _ := Parse(table, "types.go", []byte(strings.ReplaceAll(string(in), "\n", "\r\n")), []string{markers.FeatureK8s, markers.FeatureOpenShift})
				if again, err := windows.With("X", on); err != nil || string(again.Text) != strings.ReplaceAll(string(result.Text), "\n", "\r\n") {
					t.Errorf("%s: with other line ends, the result is %q, %v", name, again.Text, err)
				}
				if formatted, err := format.Source(in); err != nil || string(formatted) != string(in) {
					continue
				}
				if formatted, err := format.Source(result.Text); err != nil || string(formatted) != string(result.Text) {
					t.Errorf("%s: %s: gofmt changes the result: %v", name, state, err)
				}
			}
		}
		for _, state := range []string{"on", "off"} {
			result, err := file.With("X", state == "on")
			var reason *Error
			if errors.As(err, &reason) {
				got.Files = append(got.Files, txtar.File{Name: state, Data: []byte(fmt.Sprintln(reason, reason.Hint))})
				continue
			}
			got.Files = append(got.Files, txtar.File{Name: state, Data: result.Text}, txtar.File{Name: state + " removed", Data: []byte(fmt.Sprintln(result.Removed))})
		}
		if text := txtar.Format(got); string(text) != string(txtar.Format(archive)) {
			if *update {
				if err := os.WriteFile(name, text, 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			t.Errorf("%s: got\n%s", name, text)
		}
	}
}
