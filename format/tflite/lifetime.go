package tflite

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: TensorFlow Lite Micro has one clock for the whole model. It ticks at each operator, and at each subgraph that
// an operator runs. A tensor lives from its first tick as an input or output to its last. The subgraphs of one
// operator run one after the other: then before else, and condition before body. A subgraph that is called twice runs
// twice, so its tensors live from the first run to the last.
//
// Invariant: the lifespans are those that AllocationInfoBuilder derives, quirks included: a tensor that no operator
// touches lives only at the time -1.
//
// Complexity: O(operators marked). Control flow can nest so that this is
// exponential in the size of the file, so there is a limit.
//
// Source: tensorflow/tflite-micro 90b983c, micro_allocation_info.cc.

// A Lifespan is a range of ticks, inclusive at both ends, as TensorFlow Lite Micro
// counts them. It is {-1, -1} if nothing uses the tensor.
type Lifespan struct {
	First, Last int32 // first and last tick of use
}

// untouched is the lifespan of what no operator touches.
var untouched = Lifespan{-1, -1}

// Lifetimes has the lifespans of a model's tensors and of the scratch buffers of its operators.
type Lifetimes struct {
	Tensors   []Lifespan // one for each tensor
	Operators []Lifespan // one for each operator: the lifespan of its scratch buffers
}

// maxMarks bounds the operators that are marked, subgraphs run again included.
const maxMarks = 1 << 22

// Lifetimes derives the lifespans. The error is a *model.InputError if subgraphs call
// each other in a cycle, or too often.
func (m *Model) Lifetimes() (*Lifetimes, error) {
	c := clock{m: m, running: make([]bool, len(m.Subgraphs)), left: maxMarks}
	c.t.Tensors = make([]Lifespan, len(m.Tensors))
	c.t.Operators = make([]Lifespan, len(m.Operators))
	for i := range c.t.Tensors {
		c.t.Tensors[i] = untouched
	}
	for i := range c.t.Operators {
		c.t.Operators[i] = untouched
	}
	if fault, at := c.mark(0); fault != "" {
		return nil, model.Issue{File: m.File, Field: "subgraph " + strconv.Itoa(at), Message: fault}.Err()
	}
	return &c.t, nil
}

// clock marks lifespans.
type clock struct {
	m       *Model
	t       Lifetimes
	now     int32
	running []bool
	left    int
}

func (l *Lifespan) born(now int32) {
	if l.First < 0 {
		l.First = now
	}
}

func (c *clock) mark(subgraph int) (fault string, at int) {
	if c.running[subgraph] {
		return "runs itself, directly or through others", subgraph
	}
	c.running[subgraph] = true
	defer func() { c.running[subgraph] = false }()
	g, tensors := &c.m.Subgraphs[subgraph], c.t.Tensors
	for _, i := range g.Inputs {
		tensors[i].born(c.now)
		tensors[i].Last = c.now
	}
	for k := range g.OperatorCount {
		if c.left--; c.left < 0 {
			return "is run too often to be followed", subgraph
		}
		at := g.FirstOperator + k
		o := &c.m.Operators[at]
		c.now++
		for _, i := range o.Outputs {
			tensors[i].born(c.now)
		}
		start := c.now
		for _, callee := range o.Callees {
			if c.left--; c.left < 0 {
				return "is run too often to be followed", subgraph
			}
			c.now++
			if fault, at := c.mark(int(callee)); fault != "" {
				return fault, at
			}
		}
		for _, i := range o.Inputs {
			if i >= 0 {
				tensors[i].Last = c.now
			}
		}
		for _, i := range o.Outputs {
			tensors[i].Last = c.now
		}
		c.t.Operators[at].born(start)
		c.t.Operators[at].Last = c.now
	}
	for _, i := range g.Outputs {
		tensors[i].born(c.now)
		tensors[i].Last = c.now
	}
	return "", 0
}
