package passes_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// manyMembers returns a package with a kind that has an unlimited list of structs with a
// union of n members and a required discriminator.
func manyMembers(n int) *gentest.Case {
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
	// +required
	Type Type ` + "`json:\"type,omitempty\"`\n")
	for i := range n {
		fmt.Fprintf(&source, "\t// +unionMember\n\tM%d *int32 `json:\"m%d,omitempty\"`\n", i, i)
	}
	source.WriteString("}\n\n// +enum\ntype Type string\n\nconst (\n")
	for i := range n {
		fmt.Fprintf(&source, "\tT%d Type = \"M%d\"\n", i, i)
	}
	source.WriteString(")\n")
	return &gentest.Case{Name: "many", Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source.String())}}}}
}

// TestUnionsFitEveryServer checks that a union of 25 members in an unlimited list keeps two
// rules per member on all supported servers. Before Kubernetes 1.29, has() costs more: 30
// members only fit later servers.
func TestUnionsFitEveryServer(t *testing.T) {
	dir, listed := gentest.List(t, []*gentest.Case{manyMembers(25)})
	for _, version := range []string{"1.25", "1.26", "1.27", "1.28", "1.31", "1.35", "1.37"} {
		options := define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/many"}}, Server: gentest.Server(t, version)}
		files, found, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 || len(files) != 1 {
			t.Errorf("%s: got %d files, findings %v; want one file", version, len(files), found)
			continue
		}
		if rules := bytes.Count(files[0].Data, []byte("rule: ")); rules != 50 {
			t.Errorf("%s: got %d rules, want 50", version, rules)
		}
		if paths := bytes.Count(files[0].Data, []byte("fieldPath: ")); (paths == 50) != (version >= "1.28") {
			t.Errorf("%s: unexpectedly %d rules have a path", version, paths)
		}
	}
}
