package generator

import (
	"go/ast"
	"go/token"

	"github.com/schemagen/schemagen/markers"
)

type constant struct {
	name, value string
	pos         token.Pos
	doc         string
	markers     []markers.Comment
	literal     bool
	repeated    bool
}
type constantError struct {
	pos     token.Pos
	message string
}

func (t *typeDecl) constants() ([]constant, []constantError)   { return nil, nil }
func (f *file) intConstant(expr ast.Expr) (int64, bool) { return 0, false }
