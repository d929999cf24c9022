package graph

import (
	"strconv"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// A Model is a model as its file has it.
type Model struct {
	File      string // name, for messages
	Version   int64  // of the format
	Producer  string // program that wrote the file
	Count     int    // of nodes, those of nested graphs and functions included
	Graph     *Graph
	Functions map[FunctionKey]*Function
	Opsets    Opsets
	Names     []string      // of values, by number
	Size      int           // of the file
	Values    int           // that nodes make, initialisers and inputs
	Notes     []string      // what had to be decided
	Budget    source.Budget // what is left of it
}

// Opsets are the versions of the operator sets, by domain. ONNX itself has the domain "".
type Opsets map[string]int64

// A Graph is a body of nodes with its inputs, outputs and stored tensors.
type Graph struct {
	Nodes   []Node
	Inputs  []ValueInfo
	Outputs []ValueInfo
	Stored  []Initializer
	// Declared has what the file says of values, by name.
	Declared map[int32]*TypeInfo
}

// A Function is a body of nodes that nodes may call.
type Function struct {
	Nodes    []Node
	Inputs   []int32 // names
	Outputs  []int32
	Defaults []Attribute
	Declared map[int32]*TypeInfo
	Opsets   Opsets
}

// A FunctionKey is what a node names a function by.
type FunctionKey struct{ Domain, Name, Overload string }

// A Node of a graph. Values are by the number of their name; 0 is the empty name, an input or output left out.
type Node struct {
	Op, Domain, Overload, Name string
	In, Out                    []int32
	Attributes                 []Attribute
}

// Label names a node in messages.
func (n *Node) Label(at int) string {
	s := "node " + strconv.Itoa(at)
	if n.Name != "" && len(n.Name) <= LongName {
		s += " " + strconv.Quote(n.Name)
	}
	return s + " (" + n.Operator() + ")"
}

// Operator returns the name of the operator, with its domain if that is not the standard one.
func (n *Node) Operator() string {
	op := n.Op
	if len(op) > LongName {
		op = op[:LongName] + "…"
	}
	if Standard(n.Domain) || len(n.Domain) > LongName {
		return op
	}
	return n.Domain + "." + op
}

// LongName is the length of names beyond which messages do without them.
const LongName = 80

// Quoted returns a name for messages, the beginning of a long one.
func Quoted(name string) string {
	if len(name) > LongName {
		name = name[:LongName] + "…"
	}
	return strconv.Quote(name)
}

// Standard reports whether a domain is that of ONNX itself.
func Standard(domain string) bool { return domain == "" || domain == "ai.onnx" }

// An Attribute of a node: one of these is set, as the file has it.
type Attribute struct {
	Name, Reference string // Reference: the attribute of a function that it stands for
	Int             int64
	Float           float64
	Text            string
	Ints            []int64
	Floats          []float64
	Strings         int // how many strings there are
	Tensor          *Tensor
	Graph           *Graph
	typ             *TypeInfo
	Set             Set
}

// Integer returns an attribute that is a number, or what it is without.
func (a *Attribute) Integer(without int64) int64 {
	if a != nil && a.Set&SetInt != 0 {
		return a.Int
	}
	return without
}

// Integers returns an attribute that is a list of numbers, or nil if the node does not have it.
func (a *Attribute) Integers() []int64 {
	if a != nil && a.Set&SetLong == 0 {
		return a.Ints
	}
	return nil
}

// Set says which fields of an attribute are there.
type Set uint8

const (
	SetInt Set = 1 << iota
	SetFloat
	SetString
	SetLong // a list that is too long to be of use for shapes; it is not kept
)

// A Tensor of the file. The data stay there.
type Tensor struct {
	Elem   shape.Type
	Dims   []int64
	Body   []byte // the message
	Opaque bool   // the data are elsewhere, or sparse
}

// An Initializer is a stored tensor with the number of its name.
type Initializer struct {
	Name   int32
	Tensor Tensor
}

// ValueInfo is the file's declaration of a value.
type ValueInfo struct {
	Name int32
	Type *TypeInfo
}

// TypeInfo is the type of a value.
type TypeInfo struct {
	Kind   shape.Kind
	Elem   shape.Type
	Ranked bool // has a shape
	Dims   []Dimension
	Of     *TypeInfo // of a sequence or an optional
}

// A Dimension is a number, or a name, or nothing. Equal names are equal sizes.
type Dimension struct {
	Value int64 // -1 for none
	Name  string
}
