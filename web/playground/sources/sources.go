// Package sources has the sources of the Go packages that types in the playground can import, cut to
// declarations: functions have no bodies, and files that are generated or test something are missing.
// It knows neither schemas nor the page.
//
// All are in one archive, which is loaded with the program: compressed, it has 240 kB, a sixtieth of what the page
// loads. If each package was loaded when a file imports it, a state with another import would wait for a request.
package sources

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// Root and ModCache are the directories of the standard library and of modules in the archive, and
// GoVersion is the version of Go that it belongs to.
const (
	Root      = "/go"
	ModCache  = "/modules"
	GoVersion = "1.26.0"
)

// Offered returns the import paths of the packages.
func Offered() []string {
	return []string{
		"encoding", "encoding/json", "net/url", "strconv", "time",
		"k8s.io/api/core/v1",
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
		"k8s.io/apimachinery/pkg/api/resource",
		"k8s.io/apimachinery/pkg/apis/meta/v1",
		"k8s.io/apimachinery/pkg/runtime",
		"k8s.io/apimachinery/pkg/runtime/schema",
		"k8s.io/apimachinery/pkg/types",
		"k8s.io/apimachinery/pkg/util/intstr",
	}
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	Module          *struct{ Path, Version string }
}

// Archive returns a txtar archive of the packages, as the module in the current directory requires
// them. Its file go.mod is that of a module that requires their modules.
func Archive() ([]byte, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Module"}, Offered()...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	module := "module example.com/playground\n\ngo " + GoVersion + "\n"
	required := map[string]bool{}
	out := &txtar.Archive{}
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		target := path.Join(Root, "src", p.ImportPath)
		if m := p.Module; m != nil {
			target = path.Join(ModCache, m.Path+"@"+m.Version, strings.TrimPrefix(p.ImportPath, m.Path))
			if !required[m.Path] {
				module += fmt.Sprintf("\nrequire %s %s\n", m.Path, m.Version)
			}
			required[m.Path] = true
		}
		for _, name := range p.GoFiles {
			if strings.HasPrefix(name, "zz_generated") || strings.HasSuffix(name, ".pb.go") || strings.HasPrefix(name, "types_swagger") {
				continue
			}
			data, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			cut, err := declarations(name, data)
			if err != nil {
				return nil, err
			}
			out.Files = append(out.Files, txtar.File{Name: path.Join(target, name)[1:], Data: cut})
		}
	}
	out.Files = append(out.Files, txtar.File{Name: "go.mod", Data: []byte(module)})
	return txtar.Format(out), nil
}

// declarations returns a Go file without the bodies of its functions, of which only the line breaks
// are left, so that declarations have their positions.
func declarations(name string, data []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []byte
	end := 0
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		start := fset.Position(f.Body.Lbrace).Offset
		out = append(out, data[end:start]...)
		end = fset.Position(f.Body.Rbrace).Offset + 1
		out = append(out, bytes.Repeat([]byte{'\n'}, bytes.Count(data[start:end], []byte{'\n'}))...)
	}
	return append(out, data[end:]...), nil
}
