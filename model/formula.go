package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Idea: the size of a buffer as an expression in symbols, such as 64+1024*seq+48*seq^2 or 64*ceil(width/8). The text is
// parsed once into a program for a stack of numbers. The same program runs on numbers, for a size, and on ranges, for
// what the size may be at most. A range also says whether the value only rises with each symbol: then its ends are
// values that are taken.
//
// Grammar: a sum of products of powers. A power has a constant exponent. An atom is a whole number, a symbol, a sum in
// parentheses, or floor(a/b) or ceil(a/b); a//b is floor(a/b).
//
// Complexity: O(length of the text) for each evaluation. Nothing overflows: a value beyond MaxSum is an error.

// A Formula is the size of a buffer as an expression in symbols: whole numbers, symbols, + - * ^, floor(a/b) and
// ceil(a/b).
type Formula struct {
	text  string
	names []string // the symbols, in the order in which they first stand
	code  []step
	deep  int // the most numbers on the stack
}

// Limits of a formula. They keep a file from taking time or memory by nested parentheses or huge powers.
const (
	maxFormula  = 4096 // bytes
	maxNested   = 64
	maxExponent = 16
)

// A step of a program: a number to push, a symbol to push, or an operation on the top of the stack.
type step struct {
	op byte  // one of the bytes below
	v  int64 // the number, the index of the symbol, or the exponent
}

const (
	opNumber byte = 'n'
	opSymbol byte = 's'
	opFloor  byte = 'f'
	opCeil   byte = 'c'
)

// ParseFormula reads a formula. The error says what is wrong, and where in the text.
func ParseFormula(text string) (*Formula, error) {
	if len(text) > maxFormula {
		return nil, fmt.Errorf("is longer than %d bytes", maxFormula)
	}
	p := formulaParser{text: text, f: &Formula{text: text}}
	p.sum(0)
	if p.err == nil && p.peek() != 0 {
		p.fail("expected an operator before " + strconv.Quote(text[p.at:]))
	}
	if p.err != nil {
		return nil, p.err
	}
	high := 0
	for _, s := range p.f.code {
		switch s.op {
		case opNumber, opSymbol:
			high++
		case '+', '-', '*', opFloor, opCeil:
			high--
		}
		p.f.deep = max(p.f.deep, high)
	}
	return p.f, nil
}

// String returns the text of the formula.
func (f *Formula) String() string { return f.text }

// Symbols returns the names of the symbols, in the order in which they first stand.
func (f *Formula) Symbols() []string { return slices.Clone(f.names) }

// Walk calls visit for each step of the formula, for a stack of texts or numbers: n pushes the number v, s the symbol
// with a name. The operators + - * f (floor of a/b) and c (ceil of a/b) take two from the stack and push one; _ (minus)
// and ^ (to the power of v) replace the top.
func (f *Formula) Walk(visit func(op byte, v int64, name string)) {
	for _, s := range f.code {
		name := ""
		if s.op == opSymbol {
			name = f.names[s.v]
		}
		visit(s.op, s.v, name)
	}
}

// errBeyond is the error of a value that does not fit.
var errBeyond = fmt.Errorf("exceeds %d on the way", int64(MaxSum))

// errDivisor is the error of a division by zero or less.
var errDivisor = errors.New("divides by zero or less")

// At returns the value of the formula at values of its symbols. The error says that a number on the way exceeds MaxSum,
// or that a divisor is not above 0.
func (f *Formula) At(value func(symbol string) int64) (int64, error) {
	r, err := f.over(func(name string) Span {
		v := value(name)
		return Span{v, v, true}
	})
	return r.Low, err
}

// A Span has what is known of a formula over ranges of its symbols: it is from Low to High. If Rising, it never falls
// when a symbol grows, and takes both values.
type Span struct {
	Low    int64 // no value is lower
	High   int64 // no value is higher
	Rising bool  // it never falls when a symbol grows
}

// Over returns a span of the formula over spans of its symbols.
func (f *Formula) Over(of func(symbol string) Span) (Span, error) { return f.over(of) }

func (f *Formula) over(of func(name string) Span) (Span, error) {
	stack := make([]Span, 0, 8)
	for _, s := range f.code {
		n := len(stack)
		var err error
		switch s.op {
		case opNumber:
			stack = append(stack, Span{s.v, s.v, true})
		case opSymbol:
			stack = append(stack, of(f.names[s.v]))
		case '_':
			a := stack[n-1]
			stack[n-1] = Span{-a.High, -a.Low, a.Low == a.High}
		case '^':
			a, r := stack[n-1], Span{1, 1, true}
			for range s.v {
				if r, err = r.times(a); err != nil {
					return r, err
				}
			}
			stack[n-1] = r
		default:
			a, b := stack[n-2], stack[n-1]
			stack = stack[:n-1]
			switch s.op {
			case '+':
				stack[n-2] = Span{a.Low + b.Low, a.High + b.High, a.Rising && b.Rising}
			case '-':
				stack[n-2] = Span{a.Low - b.High, a.High - b.Low, a.Rising && b.Low == b.High}
			case '*':
				stack[n-2], err = a.times(b)
			case opFloor, opCeil:
				stack[n-2], err = a.over(b, s.op == opCeil)
			}
			if err != nil {
				return Span{}, err
			}
		}
		if r := &stack[len(stack)-1]; r.Low < -MaxSum || r.High > MaxSum {
			return *r, errBeyond
		}
	}
	return stack[0], nil
}

// times returns the span of a product.
func (a Span) times(b Span) (Span, error) {
	var r Span
	for k, x := range [...][2]int64{{a.Low, b.Low}, {a.High, b.High}, {a.Low, b.High}, {a.High, b.Low}} {
		v := x[0] * x[1]
		if x[0] != 0 && (v/x[0] != x[1] || v < -MaxSum || v > MaxSum) {
			return r, errBeyond
		}
		if k == 0 {
			r.Low, r.High = v, v
		}
		r.Low, r.High = min(r.Low, v), max(r.High, v)
	}
	r.Rising = a.Rising && b.Rising && a.Low >= 0 && b.Low >= 0
	return r, nil
}

// over returns the span of a quotient, rounded down or up.
func (a Span) over(b Span, up bool) (Span, error) {
	if b.Low < 1 {
		return Span{}, errDivisor
	}
	quotient := func(x, y int64) int64 {
		q := x / y
		if r := x % y; up && r > 0 {
			q++
		} else if !up && r < 0 {
			q--
		}
		return q
	}
	w, x, y, z := quotient(a.Low, b.Low), quotient(a.Low, b.High), quotient(a.High, b.Low), quotient(a.High, b.High)
	return Span{min(w, x, y, z), max(w, x, y, z), a.Rising && b.Low == b.High}, nil
}

type formulaParser struct {
	text string
	at   int
	f    *Formula
	err  error
}

func (p *formulaParser) fail(message string) {
	if p.err == nil {
		p.err = errors.New("is no formula: " + message)
	}
}

// peek skips white space and returns the next byte; 0 at the end.
func (p *formulaParser) peek() byte {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
	if p.at == len(p.text) || p.err != nil {
		return 0
	}
	return p.text[p.at]
}

func (p *formulaParser) emit(op byte, v int64) { p.f.code = append(p.f.code, step{op, v}) }

// sum reads a sum; depth counts the parentheses around it.
func (p *formulaParser) sum(depth int) {
	if depth > maxNested {
		p.fail("more than " + strconv.Itoa(maxNested) + " parentheses stand in each other")
		return
	}
	negative := p.peek() == '-'
	if negative {
		p.at++
	}
	p.product(depth)
	if negative {
		p.emit('_', 0)
	}
	for c := p.peek(); c == '+' || c == '-'; c = p.peek() {
		p.at++
		p.product(depth)
		p.emit(c, 0)
	}
}

func (p *formulaParser) product(depth int) {
	p.power(depth)
	for {
		switch {
		case p.peek() == '*' && !strings.HasPrefix(p.text[p.at:], "**"):
			p.at++
			p.power(depth)
			p.emit('*', 0)
		case p.peek() == '/' && strings.HasPrefix(p.text[p.at:], "//"):
			p.at += 2
			p.power(depth)
			p.emit(opFloor, 0)
		default:
			return
		}
	}
}

func (p *formulaParser) power(depth int) {
	p.atom(depth)
	if p.peek() != '^' {
		return
	}
	p.at++
	p.peek()
	word := p.word()
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || v > maxExponent {
		p.fail("an exponent is a whole number from 0 to " + strconv.Itoa(maxExponent) + ", not " + strconv.Quote(word))
	}
	p.emit('^', v)
}

// word reads a number or a name. Models name symbols as in p2o.DynamicDimension.0 and x:2.
func (p *formulaParser) word() string {
	from := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c != '_' && c != '.' && c != ':' && (c < '0' || c > '9') && (c|' ' < 'a' || c|' ' > 'z') {
			break
		}
		p.at++
	}
	return p.text[from:p.at]
}

func (p *formulaParser) atom(depth int) {
	c := p.peek()
	if c == '(' {
		p.at++
		p.sum(depth + 1)
		p.closed()
		return
	}
	word := p.word()
	switch {
	case p.err != nil:
	case word == "" && c == 0:
		p.fail("it ends where a number or a symbol is expected")
	case word == "":
		p.fail("expected a number or a symbol before " + strconv.Quote(p.text[p.at:]))
	case word[0] >= '0' && word[0] <= '9':
		v, err := strconv.ParseInt(word, 10, 64)
		if err != nil || v > MaxSum {
			p.fail(strconv.Quote(word) + " is no whole number up to " + strconv.FormatInt(MaxSum, 10))
		}
		p.emit(opNumber, v)
	case (word == "floor" || word == "ceil" || word == "ceiling") && p.peek() == '(':
		p.at++
		p.product(depth + 1)
		p.undivided()
		if p.peek() != '/' {
			p.fail(word + " holds a division, as in " + word + "(width/8)")
			return
		}
		p.at++
		p.power(depth + 1)
		p.emit(map[bool]byte{true: opFloor, false: opCeil}[word == "floor"], 0)
		p.closed()
	default:
		k := slices.Index(p.f.names, word)
		if k < 0 {
			k = len(p.f.names)
			p.f.names = append(p.f.names, word)
		}
		p.emit(opSymbol, int64(k))
	}
}

// undivided is for a sum where a division should stand, such as floor(a+b/2): it names the parentheses that are
// missing.
func (p *formulaParser) undivided() {
	if c := p.peek(); c == '+' || c == '-' {
		p.fail("a sum above a division stands in parentheses, as in floor((width+1)/2)")
	}
}

func (p *formulaParser) closed() {
	if p.peek() != ')' {
		p.fail("a ) is missing")
		return
	}
	p.at++
}
