package order

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Program is what runs: operators that read and write values. Values and operators are numbered from 0. The
// package only reads a Program.
//
// A value that is no input, that no operator produces, and that lies in no such value is a constant. Constants
// are not counted.
type Program struct {
	// Sizes has the bytes of each value, 0 or more. The caller rounds them if the runtime does.
	Sizes []int64
	// Operators has the operators. Their numbers are the order that they were given in; another order is
	// [Options.Given].
	Operators []Operator
	// Inputs are filled before the first operator. Each is live from then on, until its last reader has run. An
	// input that nobody reads is live only before the first operator. No operator produces an input.
	Inputs []int32
	// Outputs are live until the end.
	Outputs []int32
	// Alias says for each value in which other value it lies, -1 for none; nil if there are no aliases. The value has
	// no bytes of its own: whoever reads or produces it reads or produces the other one. The other one lives from the
	// first beginning to the last end of them all. Chains are followed. Examples are a reshape that costs nothing,
	// and operands that are written to their places in a concatenation.
	Alias []int32
	// LateInputs lets the life of an input begin with its first reader.
	LateInputs bool
}

// Operator is one step of a program.
type Operator struct {
	// Operands are the values that it reads. A value may stand twice, and constants may be left out.
	Operands []int32
	// Results are the values that it produces. A value has one producer.
	Results []int32
	// Scratch is how many further bytes it needs while it runs.
	Scratch int64
	// After names operators that have to run before this one though it reads nothing of theirs. Readers and
	// writers of a variable tensor or a resource, and control flow, keep their order by it.
	After []int32
	// Permits says which results may lie over which operands.
	Permits []Permit
}

// Permit lets a result of an operator share bytes with an operand, if the operand dies at this operator: if this
// operator is its last reader, and it is no output. The result is written while the operand is still read, and
// the kernel's order of reading and writing says how far ahead the operand has to lie:
//
//	offset(operand) - offset(result) >= Distance
//
// Together the two need max(size(result), Distance + size(operand)) bytes instead of the sum of their sizes.
// If that is no less, the permit changes nothing. Values that the operator does not name, and pairs that lie
// in the same value by Program.Alias, are an error and without effect.
type Permit struct {
	Result, Operand int32
	// Distance is in bytes. 0 is in place. A negative one counts as 0, because nothing is saved by it, unless
	// Exactly is set.
	Distance int64
	// Exactly allows only this Distance, which may be negative: the result has the operand's bytes where they are, as
	// in a concatenation that copies nothing. The savings of such pairs add up if they share different bytes of one
	// result, or of one operand.
	Exactly bool
}

// saving returns by how many bytes a pair is smaller than the two apart, at least 0.
//
//	size(result) + size(operand) - max(size(result), distance + size(operand))
//	= min(size(operand), size(result) - distance)
func (p *Permit) saving(result, operand int64) int64 {
	from, to := p.Shared(result, operand)
	return to - from
}

// Shared returns the most bytes that values of these sizes share, counted from the start of the result. If they share
// none, from is to.
func (p *Permit) Shared(result, operand int64) (from, to int64) {
	at := p.Distance
	if !p.Exactly {
		at = max(at, 0)
	}
	if at >= result || at <= -operand {
		return 0, 0
	}
	return max(at, 0), min(at+operand, result)
}

// Check reports everything that is wrong with the program: numbers out of range, negative sizes, two producers of a
// value, a produced input, aliases or operators in a circle, operands in bytes that nobody has written, permits for
// values that are none of the operator's, and more than 2^62 bytes in all. Operators are named by their number.
func (p *Program) Check() error {
	c := &checking{p: p, producer: make([]int32, len(p.Sizes))}
	c.values()
	for o := range p.Operators {
		c.operator(o)
	}
	if c.total == math.MaxInt64 {
		c.fault("more than 2^62 bytes in all")
	}
	c.aliases()
	if c.errs != nil {
		return errors.Join(c.errs...)
	}
	for v := range p.Alias {
		w := int32(v)
		for range len(p.Sizes) {
			if w = p.Alias[w]; w < 0 {
				break
			}
		}
		if w >= 0 {
			return fmt.Errorf("alias: value %d lies in itself", v)
		}
	}
	if err := p.written(c.producer); err != nil {
		return err
	}
	return p.acyclic(c.producer)
}

// checking is the state of Check.
type checking struct {
	p        *Program
	errs     []error
	producer []int32 // of each value: an operator, anInput, or -1
	total    int64   // bytes; math.MaxInt64 if there are too many
}

// anInput is the producer of inputs.
const anInput = math.MaxInt32

func (c *checking) fault(format string, arguments ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, arguments...))
}

// count counts bytes.
func (c *checking) count(bytes int64) {
	const most = 1 << 62
	if bytes > most || c.total > most-bytes {
		c.total = math.MaxInt64
		return
	}
	c.total += bytes
}

func (c *checking) known(v int32) bool { return v >= 0 && int(v) < len(c.p.Sizes) }

// values checks sizes, inputs and outputs.
func (c *checking) values() {
	for v, size := range c.p.Sizes {
		if c.producer[v] = -1; size < 0 {
			c.fault("value %d: size %d is negative", v, size)
			continue
		}
		c.count(size)
	}
	for _, v := range c.p.Outputs {
		if !c.known(v) {
			c.fault("outputs: value %d of %d", v, len(c.p.Sizes))
		}
	}
	for _, v := range c.p.Inputs {
		if !c.known(v) {
			c.fault("inputs: value %d of %d", v, len(c.p.Sizes))
		} else {
			c.producer[v] = anInput
		}
	}
}

// operator checks what an operator names.
func (c *checking) operator(o int) {
	op, values, operators := &c.p.Operators[o], len(c.p.Sizes), len(c.p.Operators)
	if op.Scratch < 0 {
		c.fault("operator %d: scratch %d is negative", o, op.Scratch)
	} else {
		c.count(op.Scratch)
	}
	for _, v := range op.Operands {
		if !c.known(v) {
			c.fault("operator %d: operand %d of %d values", o, v, values)
		}
	}
	for _, v := range op.Results {
		switch {
		case !c.known(v):
			c.fault("operator %d: result %d of %d values", o, v, values)
		case c.producer[v] == anInput:
			c.fault("operator %d: result %d is an input", o, v)
		case c.producer[v] >= 0:
			c.fault("operator %d: result %d is a result of operator %d too", o, v, c.producer[v])
		default:
			c.producer[v] = int32(o)
		}
	}
	for _, q := range op.After {
		if q < 0 || int(q) >= operators {
			c.fault("operator %d: after operator %d of %d", o, q, operators)
		}
	}
	for k := range op.Permits {
		m := &op.Permits[k]
		if !slices.Contains(op.Results, m.Result) {
			c.fault("operator %d: permit %d: value %d is none of its results", o, k, m.Result)
		}
		if !slices.Contains(op.Operands, m.Operand) {
			c.fault("operator %d: permit %d: value %d is none of its operands", o, k, m.Operand)
		}
	}
}

// aliases checks the entries of Alias.
func (c *checking) aliases() {
	values := len(c.p.Sizes)
	if c.p.Alias != nil && len(c.p.Alias) != values {
		c.fault("alias: %d entries for %d values", len(c.p.Alias), values)
		return
	}
	for v, w := range c.p.Alias {
		if w < -1 || int(w) >= values {
			c.fault("alias: value %d lies in value %d of %d", v, w, values)
		}
	}
}

// written returns an error if an operator reads a value that nobody fills or produces, though it lies in bytes
// that are not constant.
func (p *Program) written(producer []int32) error {
	if p.Alias == nil {
		return nil
	}
	counted := make([]bool, len(p.Sizes))
	for v, q := range producer {
		if q >= 0 {
			counted[p.root(int32(v))] = true
		}
	}
	for o := range p.Operators {
		for _, v := range p.Operators[o].Operands {
			if producer[v] < 0 && counted[p.root(v)] {
				return fmt.Errorf("operator %d: operand %d is no input and no result, but lies in value %d, which is not constant",
					o, v, p.root(v))
			}
		}
	}
	return nil
}

// acyclic returns an error if the operators wait for one another in a circle. producer has the operator of each
// value; what is no operator's number has none.
func (p *Program) acyclic(producer []int32) error {
	const unseen, open, closed = 0, 1, 2
	type frame struct{ operator, next int32 }
	operators := len(p.Operators)
	state := make([]uint8, operators)
	var stack []frame
	for root := range p.Operators {
		if state[root] != unseen {
			continue
		}
		state[root] = open
		stack = append(stack[:0], frame{int32(root), 0})
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			op := &p.Operators[top.operator]
			k := int(top.next)
			top.next++
			before := int32(-1)
			switch {
			case k < len(op.Operands):
				before = producer[op.Operands[k]]
			case k < len(op.Operands)+len(op.After):
				before = op.After[k-len(op.Operands)]
			default:
				state[top.operator] = closed
				stack = stack[:len(stack)-1]
				continue
			}
			if before < 0 || int(before) >= operators || state[before] == closed {
				continue
			}
			if state[before] == open {
				return fmt.Errorf("operator %d: it has to run before itself", before)
			}
			state[before] = open
			stack = append(stack, frame{before, 0})
		}
	}
	return nil
}

// root returns the value that v lies in, v itself if it is no alias.
func (p *Program) root(v int32) int32 {
	if p.Alias != nil {
		for p.Alias[v] >= 0 {
			v = p.Alias[v]
		}
	}
	return v
}
