package source

import "go/ast"

// functionIndex has the functions of a package, but not its methods, without a syntax tree.
type functionIndex struct {
	// files are, for each name, the files that seem to declare a function of that name. Under the
	// empty name are those with functions that the scan cannot recognize.
	files map[string][]*File
}

// functionIndex returns the index of the package's functions. The result of the run then depends
// on all of the package's files.
func (p *Package) functionIndex() *functionIndex {
	if p.functions != nil {
		return p.functions
	}
	p.Index()
	index := &functionIndex{files: map[string][]*File{}}
	p.functions = index
	for _, f := range p.Sources {
		src, err := p.program.ReadFile(f.Name)
		if err != nil {
			continue
		}
		add := func(name string) { index.files[name] = append(index.files[name], f) }
		if hints(src, "func", "/", add) {
			add("")
		}
	}
	return index
}

// Function returns the function of the package with a name, and its file; nil if there is none. The
// result of the run then depends on all of the package's files.
func (p *Package) Function(name string) (*File, *ast.FuncDecl) {
	index := p.functionIndex()
	for _, hint := range []string{name, ""} {
		for _, f := range index.files[hint] {
			f.Parse()
			if f.Syntax == nil {
				continue
			}
			for _, fn := range f.allFunctions() {
				if fn.Recv == nil && fn.Name.Name == name {
					return f, fn
				}
			}
		}
	}
	return nil, nil
}
