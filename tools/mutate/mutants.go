package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// A mutant is a source file with one small fault in it.
type mutant struct {
	pos        token.Position
	start, end int // the offsets of what is replaced
	old, new   string
	rule       string
}

func (m mutant) String() string {
	if m.new == "" {
		return fmt.Sprintf("%s: %s: %q", m.pos, m.rule, m.old)
	}
	return fmt.Sprintf("%s: %s: %q becomes %q", m.pos, m.rule, m.old, m.new)
}

// apply gives the file with the fault.
func (m mutant) apply(src []byte) []byte {
	out := append([]byte{}, src[:m.start]...)
	out = append(out, m.new...)
	return append(out, src[m.end:]...)
}

// mutants lists all that can be made of one file. Some do not compile, since nothing here knows types.
func mutants(name string, src []byte) ([]mutant, error) {
	f := finder{fset: token.NewFileSet(), src: src, seen: map[string]bool{}}
	file, err := parser.ParseFile(f.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range file.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			continue
		}
		ast.Inspect(decl, f.visit)
	}
	return f.found, nil
}

type finder struct {
	fset  *token.FileSet
	src   []byte
	found []mutant
	seen  map[string]bool // what two rules make alike is one mutant
	types []*ast.FuncType // of the functions around the node, the innermost last
	path  []ast.Node
}

func (f *finder) offset(pos token.Pos) int { return f.fset.Position(pos).Offset }

func (f *finder) text(n ast.Node) string {
	return string(f.src[f.offset(n.Pos()):f.offset(n.End())])
}

// replace adds a mutant that has text in the place of the source from pos to end.
func (f *finder) replace(rule string, pos, end token.Pos, text string) {
	m := mutant{pos: f.fset.Position(pos), start: f.offset(pos), end: f.offset(end), new: text, rule: rule}
	m.old = string(f.src[m.start:m.end])
	key := fmt.Sprint(m.start, m.end, text)
	if m.old == text || f.seen[key] {
		return
	}
	f.seen[key] = true
	f.found = append(f.found, m)
}

func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		switch f.path[len(f.path)-1].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			f.types = f.types[:len(f.types)-1]
		}
		f.path = f.path[:len(f.path)-1]
		return true
	}
	f.path = append(f.path, n)
	switch n := n.(type) {
	case *ast.FuncDecl:
		f.types = append(f.types, n.Type)
	case *ast.FuncLit:
		f.types = append(f.types, n.Type)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.BasicLit:
		f.literal(n)
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		f.condition(n.Cond)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			f.cases(n)
		}
	case *ast.IncDecStmt:
		f.replace("count", n.TokPos, n.TokPos+2, map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok])
		f.remove(n)
	case *ast.AssignStmt:
		f.assignment(n)
	case *ast.ExprStmt, *ast.BranchStmt, *ast.DeferStmt:
		f.remove(n)
	case *ast.ReturnStmt:
		f.results(n)
	}
	return true
}

// remove adds a mutant without the statement.
func (f *finder) remove(n ast.Node) { f.replace("statement removed", n.Pos(), n.End(), "") }

var operators = map[token.Token][]struct{ rule, operator string }{
	token.LSS:     {{"boundary", "<="}, {"negation", ">="}},
	token.LEQ:     {{"boundary", "<"}, {"negation", ">"}},
	token.GTR:     {{"boundary", ">="}, {"negation", "<="}},
	token.GEQ:     {{"boundary", ">"}, {"negation", "<"}},
	token.EQL:     {{"negation", "!="}},
	token.NEQ:     {{"negation", "=="}},
	token.LAND:    {{"logic", "||"}},
	token.LOR:     {{"logic", "&&"}},
	token.ADD:     {{"arithmetic", "-"}},
	token.SUB:     {{"arithmetic", "+"}},
	token.MUL:     {{"arithmetic", "/"}},
	token.QUO:     {{"arithmetic", "*"}},
	token.REM:     {{"arithmetic", "*"}},
	token.AND:     {{"arithmetic", "|"}},
	token.OR:      {{"arithmetic", "&"}},
	token.XOR:     {{"arithmetic", "&"}},
	token.AND_NOT: {{"arithmetic", "&"}},
	token.SHL:     {{"arithmetic", ">>"}},
	token.SHR:     {{"arithmetic", "<<"}},
}

func (f *finder) binary(n *ast.BinaryExpr) {
	for _, o := range operators[n.Op] {
		f.replace(o.rule, n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), o.operator)
	}
	if n.Op == token.LAND || n.Op == token.LOR {
		f.replace("half of a condition", n.X.End(), n.Y.End(), "")
		f.replace("half of a condition", n.X.Pos(), n.Y.Pos(), "")
	}
}

// condition negates what the rules of binary operators leave alone.
func (f *finder) condition(cond ast.Expr) {
	if _, ok := cond.(*ast.BinaryExpr); ok || cond == nil {
		return
	}
	if not, ok := cond.(*ast.UnaryExpr); ok && not.Op == token.NOT {
		f.replace("negation", not.Pos(), not.X.Pos(), "")
		return
	}
	f.replace("negation", cond.Pos(), cond.End(), "!("+f.text(cond)+")")
}

func (f *finder) cases(n *ast.SwitchStmt) {
	for _, clause := range n.Body.List {
		for _, cond := range clause.(*ast.CaseClause).List {
			f.condition(cond)
		}
	}
}

func (f *finder) literal(n *ast.BasicLit) {
	switch n.Kind {
	case token.INT:
		v, err := strconv.ParseUint(n.Value, 0, 64)
		if err != nil {
			return
		}
		f.replace("constant", n.Pos(), n.End(), strconv.FormatUint(v+1, 10))
		if v > 0 {
			f.replace("constant", n.Pos(), n.End(), strconv.FormatUint(v-1, 10))
		}
	case token.CHAR:
		r, _, _, err := strconv.UnquoteChar(n.Value[1:len(n.Value)-1], '\'')
		if err != nil || r == 0 {
			return
		}
		f.replace("constant", n.Pos(), n.End(), strconv.QuoteRune(r+1))
		f.replace("constant", n.Pos(), n.End(), strconv.QuoteRune(r-1))
	}
}

func (f *finder) assignment(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE {
		return
	}
	f.remove(n)
	if n.Tok == token.ASSIGN {
		return
	}
	operator := n.Tok.String()
	for tok, others := range operators {
		if tok.String()+"=" == operator {
			f.replace("arithmetic", n.TokPos, n.TokPos+token.Pos(len(operator)), others[0].operator+"=")
		}
	}
}

// results removes the statement and puts the zero value in the place of each result.
func (f *finder) results(n *ast.ReturnStmt) {
	f.remove(n)
	var types []string
	if list := f.types[len(f.types)-1].Results; list != nil {
		for _, field := range list.List {
			for range max(1, len(field.Names)) {
				types = append(types, f.text(field.Type))
			}
		}
	}
	if len(types) != len(n.Results) { // a bare return, or a call that gives all results
		return
	}
	for i, result := range n.Results {
		zero := "*new(" + types[i] + ")"
		switch text := f.text(result); {
		case text == "nil" || text == "0" || text == `""` || text == "false" || text == types[i]+"{}":
			continue
		case types[i] == "bool":
			zero = "false"
		case types[i] == "error":
			zero = "nil"
		}
		f.replace("zero result", result.Pos(), result.End(), zero)
	}
}
