package passes_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/gengo/v2/codetags"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var tagLine = regexp.MustCompile(`(?m)^(\s*// )(\+(k8s:\w+).*)$`)

// TestBeta puts +k8s:beta= before all declarative-validation tags of the cases without conditions:
// the definitions stay the same.
func TestBeta(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]int{}
	beta := func(line []byte) []byte {
		m := tagLine.FindSubmatch(line)
		unsupported, ok := table.Declarative(string(m[3]))
		_, err := codetags.Parse(strings.TrimSpace(string(m[2][1:])))
		onConstant := bytes.Contains(line, []byte(markers.TagEnumExcludeName))
		if !ok || unsupported != "" || err != nil || onConstant || string(m[3]) == markers.TagBetaName {
			return line
		}
		tags[string(m[3])]++
		return slices.Concat(m[1], []byte("+"+markers.TagBetaName+"="), m[2])
	}
	var cases []*gentest.Case
	for _, c := range readCases(t) {
		changed := &gentest.Case{Name: c.Name + "-beta", Archive: &txtar.Archive{}}
		different := false
		for _, f := range c.Archive.Files {
			text := f.Data
			if strings.HasSuffix(f.Name, ".go") && !markers.IsConditional(string(text)) {
				text = tagLine.ReplaceAllFunc(text, beta)
				different = different || !bytes.Equal(text, f.Data)
				text = bytes.ReplaceAll(text, []byte(typedmodule.Path+"/"+c.Name+"/"), []byte(typedmodule.Path+"/"+changed.Name+"/"))
			}
			changed.Archive.Files = append(changed.Archive.Files, txtar.File{Name: f.Name, Data: text})
		}
		if different {
			cases = append(cases, c, changed)
		}
	}
	dir, listed := gentest.List(t, cases)
	generate := func(c *gentest.Case, like *gentest.Case) map[string]string {
		options, _ := parseOptions(t, like.Options)
		options.Dir = filepath.Join(dir, c.Name)
		options.SkipVerify = true
		options.Gates = like.Gates
		options.Enable = []string{markers.FeatureK8s, markers.FeatureEnum}
		options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
		files, _, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		return wanted(files, "")
	}
	compared := 0
	for i := 0; i < len(cases); i += 2 {
		want := generate(cases[i], cases[i])
		got := generate(cases[i+1], cases[i])
		compared += len(want)
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: %s: %s", cases[i].Name, name, gentest.Difference(want[name], got[name]))
			}
		}
	}
	if compared < 20 || len(tags) < 20 {
		t.Errorf("%d files with the tags %v are compared", compared, tags)
	}
}
