package configgen

import (
	"bytes"
	"fmt"
	"io"

	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
)

// Header returns the text of a header file: see [report.Header].
func (r *Reader) Header(name, year string) string {
	text, unreadable := report.Header(r.Program.ReadFile, name, year)
	r.Report.List = append(r.Report.List, unreadable...)
	return text
}

// Write returns a file with the objects, one YAML document each, after the header.
func Write(name, header string, objects []any) (source.Output, error) {
	out := &memory{}
	context := genall.GenerationContext{OutputRule: out}
	if err := context.WriteYAML(name, header, objects,
		genall.WithTransform(genall.TransformRemoveCreationTimestamp)); err != nil {
		return source.Output{}, fmt.Errorf("write %s: %w", name, err)
	}
	return source.Output{Name: name, Data: out.Bytes()}, nil
}

// memory is an output rule for one file.
type memory struct{ bytes.Buffer }

// Open implements [genall.OutputRule].
func (m *memory) Open(*loader.Package, string) (io.WriteCloser, error) { return m, nil }

// Close implements [io.Closer].
func (*memory) Close() error { return nil }
