// Package onnx reads ONNX models as problems of memory planning.
//
// A model is a protobuf: a graph of nodes that read and write named tensors. The file rarely has the sizes of the
// tensors between nodes, so the package derives them.
//
//	walk.go                           one walk over the graph, in the order of the file, which is topological
//	branch.go, control.go, inline.go  If, loops and functions
//	said.go, given.go                 facts from the file and the user; shapes that the user gives
//	blocks.go                         how many channels an image in blocks has
//	cause.go                          why sizes are still open
//	lifetime.go                       the times of lifespans, in the same walk
//	problem.go                        the buffers of the arena
//
// Three packages are below this one. Each may import those before it:
//
//	internal/shape   element types, dimensions, small tensors: what is known of a value
//	internal/graph   a model as its file has it, read from protobuf
//	internal/ops     a rule for each operator: the shapes of results, and small results themselves
//
// # Where sizes come from
//
// There are three sources: the shape that follows from a node's inputs, the shape that the file gives (value_info, and
// the types of outputs), and shapes and sizes that the user gives (Options). Options.Dims gives the dimensions that
// inputs leave open. An error names the source that is missing.
//
// # What the arena holds
//
// The arena holds every tensor that is neither stored nor constant. Stored tensors are the initialisers, whose data is
// in the file or beside it. Constant tensors are computed only from constants, which a compiler does once. The package
// opens no file of external data.
//
// The package trusts no offset, length, shape or index of a file (internal/graph).
//
// Sources: onnx 1.23.2, onnx.proto for the format and the operators' definitions for shapes.
package onnx

import (
	"io"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// A Type is the element type of a tensor, numbered as in ONNX.
type Type int32

// String returns the type's name in ONNX, such as FLOAT.
func (t Type) String() string { return shape.Type(t).String() }

// Alignment is the default of Options.Alignment, in bytes.
const Alignment = 64

// A Model is the part of a model that planning needs.
type Model struct {
	File      string // file name, for messages
	IRVersion int64  // version of the format
	Producer  string // program that wrote the file
	Nodes     int    // number of nodes, including those of nested graphs and functions
	Optimized bool   // ONNX Runtime saved the graph that it runs: it names its own operator sets then

	file *graph.Model
	data []byte
}

// Read reads a model from r; file is its name in messages. The error is r's, or a *model.InputError that names the
// fault by its place in the model, such as "node 3 "conv1" (Conv), attribute pads".
func Read(r io.Reader, file string) (*Model, error) {
	data, budget, err := source.Binary(r, file)
	if err != nil {
		return nil, err
	}
	return parseWithin(data, file, budget)
}

// Parse is Read for the content of a file. The model keeps data, which must not change.
func Parse(data []byte, file string) (*Model, error) {
	return parseWithin(data, file, source.BudgetOf(len(data)))
}

func parseWithin(data []byte, file string, budget source.Budget) (*Model, error) {
	p, err := graph.Parse(data, file, budget)
	if err != nil {
		return nil, err
	}
	_, optimized := p.Opsets["com.microsoft.nchwc"]
	return &Model{
		File: file, IRVersion: p.Version, Producer: p.Producer, Nodes: p.Count, Optimized: optimized, file: p, data: data,
	}, nil
}
