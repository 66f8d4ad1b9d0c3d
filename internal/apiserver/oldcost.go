package apiserver

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// oldCostEstimator estimates the cost of an expression as servers before 1.33 do. Their cel-go
// knows fewer sizes: not those of variables, of elements of computed lists and maps, of
// optional values, and of values behind dyn. It is compared with the versions' own results
// in testdata/celcosts/.
type oldCostEstimator struct {
	target  *Target
	checked *ast.AST
	library *library.CostEstimator
	typeSizes
	// paths are the fields that expressions select, sizes the sizes of computed values.
	paths map[int64][]string
	sizes map[int64]checker.SizeEstimate
	// ranges are the expressions that iteration variables range over, the innermost last.
	ranges map[string][]ast.Expr
}

// oldCost returns the cost of an expression on values of a type.
func (t *Target) oldCost(checked *ast.AST, root *apiservercel.DeclType) uint64 {
	c := &oldCostEstimator{
		target: t, checked: checked, typeSizes: typeSizes{root},
		paths: map[int64][]string{}, sizes: map[int64]checker.SizeEstimate{}, ranges: map[string][]ast.Expr{},
	}
	c.library = &library.CostEstimator{SizeEstimator: c}
	return c.cost(checked.Expr()).Max
}

// costNode implements checker.AstNode.
type costNode struct {
	path []string
	kind *types.Type
	expr ast.Expr
	size *checker.SizeEstimate
}

func (n costNode) Path() []string                      { return n.path }
func (n costNode) Type() *types.Type                   { return n.kind }
func (n costNode) Expr() ast.Expr                      { return n.expr }
func (n costNode) ComputedSize() *checker.SizeEstimate { return n.size }

func (c *oldCostEstimator) node(e ast.Expr) checker.AstNode {
	n := costNode{path: c.paths[e.ID()], kind: c.checked.GetType(e.ID()), expr: e}
	if len(n.path) > 0 && (n.path[0] == "__result__" || n.path[0] == "@result") {
		n.path = nil
	}
	if size, ok := c.sizes[e.ID()]; ok {
		n.size = &size
		return n
	}
	size := uint64(1)
	switch e.Kind() {
	case ast.LiteralKind:
		switch value := e.AsLiteral().(type) {
		case types.String:
			size = uint64(len([]rune(value)))
		case types.Bytes:
			size = uint64(len(value))
		}
	case ast.ListKind:
		size = uint64(e.AsList().Size())
	case ast.MapKind:
		size = uint64(e.AsMap().Size())
	default:
		return n
	}
	n.size = new(checker.FixedSizeEstimate(size))
	return n
}

func (c *oldCostEstimator) size(n checker.AstNode) checker.SizeEstimate {
	if size := n.ComputedSize(); size != nil {
		return *size
	}
	if size := c.EstimateSize(n); size != nil {
		return *size
	}
	switch n.Type().Kind() {
	case types.BoolKind, types.DoubleKind, types.DurationKind, types.IntKind, types.TimestampKind, types.UintKind:
		return checker.FixedSizeEstimate(1)
	}
	return checker.UnknownSizeEstimate()
}

func (c *oldCostEstimator) cost(e ast.Expr) checker.CostEstimate {
	sum := checker.CostEstimate{}
	add := func(parts ...ast.Expr) {
		for _, part := range parts {
			sum = sum.Add(c.cost(part))
		}
	}
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		c.paths[e.ID()] = []string{name}
		if ranges := c.ranges[name]; len(ranges) > 0 {
			location := ranges[len(ranges)-1].ID()
			delete(c.paths, e.ID())
			switch c.checked.GetType(location).Kind() {
			case types.ListKind:
				c.paths[e.ID()] = extended(c.paths[location], "@items")
			case types.MapKind:
				c.paths[e.ID()] = extended(c.paths[location], "@keys")
			}
		}
		return checker.FixedCostEstimate(common.SelectAndIdentCost)
	case ast.SelectKind:
		operand := e.AsSelect().Operand()
		if e.AsSelect().IsTestOnly() && c.target.Before(presenceMinor) {
			return sum
		}
		add(operand)
		if e.AsSelect().IsTestOnly() {
			if c.target.Before(freePresenceMinor) {
				sum = sum.Add(checker.FixedCostEstimate(1))
			}
			return sum
		}
		switch c.checked.GetType(operand.ID()).Kind() {
		case types.MapKind, types.StructKind, types.TypeParamKind:
			sum = sum.Add(checker.FixedCostEstimate(common.SelectAndIdentCost))
		}
		c.paths[e.ID()] = extended(c.paths[operand.ID()], e.AsSelect().FieldName())
	case ast.CallKind:
		return c.callCost(e)
	case ast.ListKind:
		add(e.AsList().Elements()...)
		return sum.Add(checker.FixedCostEstimate(common.ListCreateBaseCost))
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			add(entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return sum.Add(checker.FixedCostEstimate(common.MapCreateBaseCost))
	case ast.StructKind:
		for _, f := range e.AsStruct().Fields() {
			add(f.AsStructField().Value())
		}
		return sum.Add(checker.FixedCostEstimate(common.StructCreateBaseCost))
	case ast.ComprehensionKind:
		comp := e.AsComprehension()
		add(comp.IterRange(), comp.AccuInit())
		c.ranges[comp.IterVar()] = append(c.ranges[comp.IterVar()], comp.IterRange())
		loop := c.cost(comp.LoopCondition()).Add(c.cost(comp.LoopStep()))
		c.ranges[comp.IterVar()] = c.ranges[comp.IterVar()][:len(c.ranges[comp.IterVar()])-1]
		add(comp.Result())
		size := c.size(c.node(comp.IterRange()))
		if !c.target.Before(comprehensionSizeMinor) {
			c.sizes[e.ID()] = size
		}
		return sum.Add(size.MultiplyByCost(loop))
	}
	return sum
}

// extended returns a longer path that shares no memory with the given one.
func extended(path []string, name string) []string {
	return append(path[:len(path):len(path)], name)
}

func (c *oldCostEstimator) callCost(e ast.Expr) checker.CostEstimate {
	call := e.AsCall()
	var args []checker.AstNode
	var costs []checker.CostEstimate
	for _, arg := range call.Args() {
		costs = append(costs, c.cost(arg))
		args = append(args, c.node(arg))
	}
	overloadIDs := c.checked.GetOverloadIDs(e.ID())
	if len(overloadIDs) == 0 {
		return checker.CostEstimate{}
	}
	sum := checker.CostEstimate{}
	var target *checker.AstNode
	if call.IsMemberFunction() {
		sum = c.cost(call.Target())
		target = new(c.node(call.Target()))
	}
	all := checker.CostEstimate{Min: math.MaxUint64}
	var result *checker.SizeEstimate
	for _, overload := range overloadIDs {
		estimate := c.overloadCost(call.FunctionName(), overload, target, args, costs)
		all = all.Union(estimate.CostEstimate)
		switch {
		case estimate.ResultSize == nil:
		case result == nil:
			result = estimate.ResultSize
		default:
			result = new(result.Union(*estimate.ResultSize))
		}
		switch overload {
		case overloads.IndexList:
			c.paths[e.ID()] = extended(args[0].Path(), "@items")
		case overloads.IndexMap:
			c.paths[e.ID()] = extended(args[0].Path(), "@values")
		}
	}
	if result != nil {
		c.sizes[e.ID()] = *result
	}
	return sum.Add(all)
}

// libraryCost returns the estimate of the server's libraries for a call, or nil if they
// have none.
func (c *oldCostEstimator) libraryCost(function, overload string, target *checker.AstNode,
	args []checker.AstNode) *checker.CallEstimate {
	estimate := c.library.EstimateCallCost(function, overload, target, args)
	switch {
	case estimate == nil:
	case function == "_==_" && c.target.Before(urlSizeMinor), function == "quantity" && c.target.Before(quantityCostMinor), function == "isQuantity" && c.target.Before(quantityCostMinor):
		return nil
	case function == "url" && c.target.Before(urlSizeMinor):
		estimate.ResultSize = nil
	}
	return estimate
}

// overloadCost returns the cost of a call including its arguments.
func (c *oldCostEstimator) overloadCost(function, overload string, target *checker.AstNode, args []checker.AstNode,
	costs []checker.CostEstimate) checker.CallEstimate {
	var given checker.CostEstimate
	for _, cost := range costs {
		given = given.Add(cost)
	}
	with := func(cost checker.CostEstimate, size *checker.SizeEstimate) checker.CallEstimate {
		return checker.CallEstimate{CostEstimate: cost.Add(given), ResultSize: size}
	}
	traversal := func(size checker.SizeEstimate) checker.CostEstimate {
		return size.MultiplyByCostFactor(common.StringTraversalCostFactor)
	}
	if factor := map[string]float64{"list_sets_contains_list": 1, "list_sets_intersects_list": 1, "list_sets_equivalent_list": 2}[overload]; factor > 0 {
		product := c.size(args[0]).Multiply(c.size(args[1]))
		return with(product.MultiplyByCostFactor(factor).Add(checker.FixedCostEstimate(1)), nil)
	}
	if estimate := c.libraryCost(function, overload, target, args); estimate != nil {
		return with(estimate.CostEstimate, estimate.ResultSize)
	}
	switch overload {
	case overloads.ExtFormatString:
		return with(traversal(c.size(*target)), nil)
	case overloads.StringToBytes:
		size := c.size(args[0])
		return with(traversal(size), &checker.SizeEstimate{Min: size.Min, Max: size.Max * 4})
	case overloads.BytesToString:
		size := c.size(args[0])
		return with(traversal(size), &checker.SizeEstimate{Min: size.Min / 4, Max: size.Max})
	case overloads.ExtQuoteString:
		size := c.size(args[0])
		return with(traversal(size), &checker.SizeEstimate{Min: size.Min + 2, Max: size.Max*2 + 2})
	case overloads.StartsWithString, overloads.EndsWithString:
		return with(traversal(c.size(args[0])), nil)
	case overloads.InList:
		return with(c.size(args[1]).MultiplyByCostFactor(1), nil)
	case overloads.MatchesString:
		pattern := c.size(args[0]).MultiplyByCostFactor(common.RegexStringLengthCostFactor)
		return with(traversal(c.size(*target).Add(checker.FixedSizeEstimate(1))).Multiply(pattern), nil)
	case overloads.ContainsString:
		return with(traversal(c.size(*target)).Multiply(traversal(c.size(args[0]))), nil)
	case overloads.LogicalOr, overloads.LogicalAnd:
		return with(checker.CostEstimate{}, nil)
	case overloads.Conditional:
		size := c.size(args[1]).Union(c.size(args[2]))
		return checker.CallEstimate{CostEstimate: costs[0].Add(costs[1].Union(costs[2])), ResultSize: &size}
	case overloads.AddList:
		return with(checker.FixedCostEstimate(1), new(c.size(args[0]).Add(c.size(args[1]))))
	case overloads.AddString, overloads.AddBytes:
		size := c.size(args[0]).Add(c.size(args[1]))
		return with(traversal(size), &size)
	case overloads.LessString, overloads.GreaterString, overloads.LessEqualsString, overloads.GreaterEqualsString,
		overloads.LessBytes, overloads.GreaterBytes, overloads.LessEqualsBytes, overloads.GreaterEqualsBytes,
		overloads.Equals, overloads.NotEquals:
		return with(traversal(checker.SizeEstimate{Max: min(c.size(args[0]).Max, c.size(args[1]).Max)}), nil)
	}
	return with(checker.FixedCostEstimate(1), nil)
}
