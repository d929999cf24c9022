package ops

import (
	"math"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: each operator has a rule. It derives facts about the results from facts about the inputs. Rules know the
// versions of the operator sets, and never guess. If a rule cannot derive something, that stays open. The rule gives
// a reason if it has a better one than "an input is open".
//
// Source: the definitions of the operators in onnx 1.23.2. For gaps in these, onnx's type and shape inference.

// An Operand is what is known of an input.
type Operand struct {
	shape.Result
	Stored   *graph.Tensor // an initialiser
	Constant bool          // the same in each run: stored, or computed from constants
	tried    bool          // whether decoding it was tried
}

// A Scope shows a rule the model around its node.
type Scope interface {
	// Attribute returns an attribute of a node, nil for none. In a function that may be one of the node that calls it.
	Attribute(n *graph.Node, name string) *graph.Attribute
	// Quote returns a value's name for messages.
	Quote(name int32) string
	// Padded returns how many channels an image has after a node that brings it into blocks of channels.
	Padded(n *graph.Node, channels int64) int64
	// Spend takes bytes from the budget for values, and reports whether they were left.
	Spend(bytes int) bool
}

// A Call is one node with what is known of its inputs.
type Call struct {
	Node   *graph.Node
	Opset  int64      // version of the node's domain
	In     []*Operand // nil for one left out
	Out    []shape.Result
	Scope  Scope
	Budget *source.Budget // for elements that are known
}

// Infer applies the rule of the node's operator.
func (c *Call) Infer() string {
	if len(c.Out) == 0 {
		return ""
	}
	r := ruleOf(c.Node)
	if r == nil {
		return "the operator " + c.Node.Operator() + " is not supported: its result sizes cannot be derived"
	}
	if !graph.Standard(c.Node.Domain) {
		c.Opset = runtimeOpset
	}
	return r(c)
}

// Deterministic reports whether a node computes the same from the same inputs each time, as far as is known.
func Deterministic(n *graph.Node) bool {
	switch n.Op {
	case "RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial",
		"BiasDropout", "BitmaskDropout", "BitmaskBiasDropout":
		return false
	case "Dropout":
		return len(n.In) < 3
	}
	return ruleOf(n) != nil
}

// Generates reports whether a node makes something of nothing.
func Generates(n *graph.Node) bool {
	return n.Op == "Constant" || n.Op == "SequenceEmpty" || n.Op == "Optional"
}

// attribute returns an attribute of the node, nil for none.
func (c *Call) attribute(name string) *graph.Attribute { return c.Scope.Attribute(c.Node, name) }

// integer returns an attribute that is a number, or what it is without.
func (c *Call) integer(name string, without int64) int64 { return c.attribute(name).Integer(without) }

// integers returns an attribute that is a list of numbers, or nil if the node does not have it.
func (c *Call) integers(name string) []int64 { return c.attribute(name).Integers() }

func (c *Call) has(name string) bool { return c.attribute(name) != nil }

func (c *Call) text(name, without string) string {
	if a := c.attribute(name); a != nil && a.Set&graph.SetString != 0 {
		return a.Text
	}
	return without
}

// given reports whether an input is there.
func (c *Call) given(k int) bool { return k < len(c.In) && c.In[k] != nil }

// dims returns the dimensions of an input; nil if its rank is not known.
func (c *Call) dims(k int) []int64 {
	if !c.given(k) {
		return nil
	}
	return c.In[k].Dims
}

// elem returns the element type of an input, 0 if it is not known.
func (c *Call) elem(k int) shape.Type {
	if !c.given(k) {
		return 0
	}
	return c.In[k].Elem
}

// ints returns the elements of an input of whole numbers, nil if they are not known.
func (c *Call) ints(k int) []int64 {
	if !c.given(k) {
		return nil
	}
	if d := c.In[k].Known(c.Budget); d != nil {
		return d.Ints
	}
	return nil
}

// floats is ints for an input of fractions.
func (c *Call) floats(k int) []float64 {
	if !c.given(k) {
		return nil
	}
	if d := c.In[k].Known(c.Budget); d != nil {
		return d.Floats
	}
	return nil
}

// axesOf returns axes that are an attribute up to a version and an input from then
// on, and whether there are any. They are nil if they are not known.
func (c *Call) axesOf(name string, input int, since int64) (axes []int64, given bool) {
	if c.Opset < since {
		return c.integers(name), c.has(name)
	}
	return c.ints(input), c.given(input)
}

// set says what a result is.
func (c *Call) set(k int, elem shape.Type, dims []int64) {
	if k < len(c.Out) {
		c.Out[k].Elem, c.Out[k].Dims = elem, dims
	}
}

// small reports whether numbers are so small that arithmetic on them and on dimensions does not overflow.
func small(list []int64) bool {
	for _, x := range list {
		if x > 1<<18 || x < -1<<18 {
			return false
		}
	}
	return true
}

// float32Of rounds as arithmetic in FLOAT does.
func float32Of(elem shape.Type, x float64) float64 {
	if elem == shape.TypeFloat {
		return float64(float32(x))
	}
	return x
}

// whole reports whether a fraction converts to a number of 64 bits.
func whole(x float64) bool { return !math.IsNaN(x) && x > -1<<62 && x < 1<<62 }
