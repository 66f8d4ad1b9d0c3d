package generator

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// manyMembers is a package with a kind that has a list without limits of structs
// with a union of n members and a required discriminator.
func manyMembers(n int) *testCase {
	var source strings.Builder
	source.WriteString(`// +groupName=example.com
// +schemagen:unions=cel
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	List []Union ` + "`json:\"list\"`" + `
}

type Union struct {
	// +unionDiscriminator
	Type Type ` + "`json:\"type\"`\n")
	for i := range n {
		fmt.Fprintf(&source, "\t// +unionMember\n\tM%d *int32 `json:\"m%d,omitempty\"`\n", i, i)
	}
	source.WriteString("}\n\n// +enum\ntype Type string\n\nconst (\n")
	for i := range n {
		fmt.Fprintf(&source, "\tT%d Type = \"M%d\"\n", i, i)
	}
	source.WriteString(")\n")
	return &testCase{name: "many", archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source.String())}}}}
}

// TestUnionsFitEveryServer: thirty members in a list without limits keep their two
// rules each, from the oldest server that is known to the newest.
func TestUnionsFitEveryServer(t *testing.T) {
	dir, listed := listCases(t, []*testCase{manyMembers(30)})
	for _, version := range []string{"1.25", "1.26", "1.27", "1.28", "1.31", "1.35", "1.37"} {
		options := Options{Dir: dir, Lister: staticLister{listed, caseModule + "/many"}, KubeVersion: version}
		files, found, err := Generate(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 || len(files) != 1 {
			t.Errorf("%s: %d files, %v", version, len(files), found)
			continue
		}
		if rules := bytes.Count(files[0].Data, []byte("rule: ")); rules != 60 {
			t.Errorf("%s: %d rules", version, rules)
		}
		if places := bytes.Count(files[0].Data, []byte("fieldPath: ")); (places == 60) != (version >= "1.28") {
			t.Errorf("%s: %d rules have a path", version, places)
		}
	}
}
