package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/diag"
)

// unfixable returns the kinds of diagnostics whose bad example --fix does not mend, with the
// reason. Kinds that only other commands than crd and controller-gen's report are left out.
func unfixable() map[diag.Code]string {
	const (
		argument    = "an argument on the command line has to change"
		meaning     = "only the author knows what it should be"
		several     = "several corrections are equally good"
		types       = "the type of a field, and with it the API, has to change"
		convention  = "removing or adding it changes an API that may be released"
		destination = "the file or chart is not generated, or is written by other tools"
	)
	return map[diag.Code]string{
		"SG101": argument, "SG102": meaning, "SG103": meaning, "SG104": argument, "SG106": destination, "SG107": argument,
		"SG201": several, "SG202": several, "SG203": several, "SG204": types, "SG206": several, "SG207": meaning, "SG208": several,
		"SG209": several, "SG210": meaning, "SG211": meaning, "SG212": several, "SG214": several, "SG215": types, "SG216": several, "SG219": meaning,
		"SG241": convention, "SG242": types, "SG243": convention, "SG244": convention, "SG245": types, "SG246": types, "SG247": types, "SG248": types,
		"SG249": convention, "SG250": types, "SG252": meaning, "SG255": several, "SG256": several, "SG260": meaning, "SG262": meaning, "SG263": meaning, "SG264": convention, "SG267": convention,
		"SG271": types, "SG273": several, "SG275": several, "SG276": types, "SG277": several,
		"SG278": several, "SG279": convention, "SG280": meaning, "SG281": meaning,
		"SG221": "a variable of another name may be meant", "SG230": types, "SG231": types, "SG232": convention, "SG233": several,
		"SG302": meaning, "SG304": several, "SG307": several, "SG308": "enabling a feature changes all types of the package",
		"SG309": "other tools may read the tag", "SG310": meaning, "SG311": meaning,
		"SG313": convention, "SG314": convention, "SG315": "the rules may also be about something else", "SG316": types, "SG317": convention, "SG333": several, "SG340": types,
		"SG319": meaning, "SG320": argument, "SG321": meaning, "SG323": several, "SG326": several, "SG328": meaning, "SG330": "the setting changes all definitions",
		"SG401": meaning, "SG402": meaning, "SG403": several, "SG404": meaning, "SG405": meaning, "SG406": several, "SG407": several,
		"SG408": argument, "SG409": several, "SG410": destination,
		"SG501": "--prune removes the file", "SG504": destination, "SG505": destination, "SG506": argument, "SG508": several, "SG509": several, "SG510": meaning, "SG512": argument, "SG517": argument, "SG518": destination,
		"SG601": meaning, "SG602": meaning, "SG603": argument, "SG605": meaning, "SG607": several, "SG614": several, "SG615": several,
		"SG616": meaning, "SG617": meaning, "SG618": meaning, "SG622": "only the author knows which of the messages is right", "SG625": meaning, "SG626": "a rule is added to the parent", "SG627": meaning,
		"SG901": meaning, "SG930": several, "SG935": meaning, "SG939": "a manager may serve that path",
	}
}

// TestExampleFixes runs the bad example of each kind with --fix. Afterwards it has no
// diagnostics, and gives the same files as the good example; or it is unchanged, and unfixable
// has the reason.
func TestExampleFixes(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOPROXY", "off")
	reasons := unfixable()
	for _, kind := range reference.Codes() {
		if kind.Bad == "" {
			continue
		}
		bad := exampleOf(kind, kind.Bad)
		if root := newRoot(nil, nil); !isControllerGenSyntax(root, strings.Fields(bad.command)[1:]) && strings.Fields(bad.command)[1] != "crd" {
			continue
		}
		t.Run(string(kind.Code), func(t *testing.T) {
			bad.command += " --fix"
			var out string
			var before, after, want map[string]string
			t.Run("bad", func(t *testing.T) { _, out, before, after = bad.run(t) })
			if reason := reasons[kind.Code]; reason != "" {
				delete(reasons, kind.Code)
				for name, text := range before {
					if after[name] != text {
						t.Errorf("not fixable, because %s, but --fix changed %s", reason, name)
					}
				}
				return
			}
			if !kind.Fixes {
				t.Error("Fixes is not set")
			}
			if diagnostics.MatchString(out) {
				t.Errorf("give it a fix, or the reason in unfixable; after --fix:\n%s", out)
			}
			t.Run("good", func(t *testing.T) { _, _, _, want = exampleOf(kind, kind.Bad, kind.Good).run(t) })
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if _, isSource := before[name]; !isSource && after[name] != want[name] {
					t.Errorf("%s: got\n%s\nwant\n%s", name, after[name], want[name])
				}
			}
		})
	}
	for code, reason := range reasons {
		if reason != "" {
			t.Errorf("%s has no example that crd reports", code)
		}
	}
}

// filesIn returns the files in a directory by slash-separated name.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
