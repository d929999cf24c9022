// Package onnxmade makes ONNX models for tests.
package onnxmade

import (
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Model is a file to make.
type Model struct {
	IR        int64 // version of the format; 0 is 8
	Opset     int64 // 0 is 17
	Domains   []string
	Graph     Graph
	Functions []Function
}

// A Graph is that of a model or of a branch or body.
type Graph struct {
	Nodes   []Node
	Stored  []Tensor
	Inputs  []Value
	Outputs []Value
	Infos   []Value
}

// A Node of a graph. The values of attributes are int64, float64, string, []int64,
// []float64, Tensor, Graph, or Reference.
type Node struct {
	Op, Name, Domain string
	In, Out          []string
	Attributes       map[string]any
}

// A Reference stands for an attribute of the function that the node is in.
type Reference string

// A Tensor has its data as int64s or float32s; External ones have none in the file.
type Tensor struct {
	Name     string
	Type     int64
	Dims     []int64
	Ints     []int64
	Floats   []float64
	External bool
}

// A Value is an input or output with its type. Dimensions are int64, or string for
// ones with a name; nil for no type, and an empty name for one without anything.
type Value struct {
	Name string
	Type int64
	Dims []any
}

// A Function is one of the model's own operators.
type Function struct {
	Domain, Name    string
	Inputs, Outputs []string
	Opset           int64
	Nodes           []Node
}

// The element types that tests use most.
const (
	Float  = 1
	Int64  = 7
	String = 8
	Bool   = 9
	Int4   = 22
)

// Floats is a value of FLOAT.
func Floats(name string, dims ...any) Value { return Value{Name: name, Type: Float, Dims: dims} }

// Names are values of which nothing but the name is said.
func Names(names ...string) []Value {
	var out []Value
	for _, n := range names {
		out = append(out, Value{Name: n})
	}
	return out
}

// Ints is a tensor of INT64 along one dimension.
func Ints(name string, x ...int64) Tensor {
	return Tensor{Name: name, Type: Int64, Dims: []int64{int64(len(x))}, Ints: x}
}

func varint(b []byte, n protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), uint64(v))
}

func bytes(b []byte, n protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
}

func text(b []byte, n protowire.Number, v string) []byte { return bytes(b, n, []byte(v)) }

// Bytes returns the file.
func (m Model) Bytes() []byte {
	ir, version := m.IR, m.Opset
	if ir == 0 {
		ir = 8
	}
	if version == 0 {
		version = 17
	}
	b := varint(nil, 1, ir)
	b = text(b, 2, "onnxmade")
	b = bytes(b, 7, m.Graph.bytes())
	b = bytes(b, 8, opset("", version))
	for _, d := range m.Domains {
		b = bytes(b, 8, opset(d, 1))
	}
	for _, f := range m.Functions {
		b = bytes(b, 25, f.bytes())
	}
	return b
}

func opset(domain string, version int64) []byte {
	return varint(text(nil, 1, domain), 2, version)
}

func (f *Function) bytes() []byte {
	b := text(nil, 1, f.Name)
	for _, s := range f.Inputs {
		b = text(b, 4, s)
	}
	for _, s := range f.Outputs {
		b = text(b, 5, s)
	}
	for k := range f.Nodes {
		b = bytes(b, 7, f.Nodes[k].bytes())
	}
	version := f.Opset
	if version == 0 {
		version = 17
	}
	b = bytes(b, 9, opset("", version))
	return text(b, 10, f.Domain)
}

func (g *Graph) bytes() []byte {
	var b []byte
	for k := range g.Nodes {
		b = bytes(b, 1, g.Nodes[k].bytes())
	}
	b = text(b, 2, "g")
	for k := range g.Stored {
		b = bytes(b, 5, g.Stored[k].bytes())
	}
	for _, v := range g.Inputs {
		b = bytes(b, 11, v.bytes())
	}
	for _, v := range g.Outputs {
		b = bytes(b, 12, v.bytes())
	}
	for _, v := range g.Infos {
		b = bytes(b, 13, v.bytes())
	}
	return b
}

func (n *Node) bytes() []byte {
	var b []byte
	for _, s := range n.In {
		b = text(b, 1, s)
	}
	for _, s := range n.Out {
		b = text(b, 2, s)
	}
	b = text(b, 3, n.Name)
	b = text(b, 4, n.Op)
	for _, name := range keys(n.Attributes) {
		b = bytes(b, 5, attribute(name, n.Attributes[name]))
	}
	return text(b, 7, n.Domain)
}

// keys returns the names of attributes in order, so that a model is the same each time.
func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	for i := range out {
		for j := i; j > 0 && out[j] < out[j-1]; j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

func attribute(name string, v any) []byte {
	b := text(nil, 1, name)
	kind := int64(0)
	switch v := v.(type) {
	case int:
		b, kind = varint(b, 3, int64(v)), 2
	case int64:
		b, kind = varint(b, 3, v), 2
	case float64:
		b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
		b, kind = protowire.AppendFixed32(b, math.Float32bits(float32(v))), 1
	case string:
		b, kind = text(b, 4, v), 3
	case []int64:
		for _, x := range v {
			b = varint(b, 8, x)
		}
		kind = 7
	case []float64:
		var packed []byte
		for _, x := range v {
			packed = protowire.AppendFixed32(packed, math.Float32bits(float32(x)))
		}
		b, kind = bytes(b, 7, packed), 6
	case Tensor:
		b, kind = bytes(b, 5, v.bytes()), 4
	case Graph:
		b, kind = bytes(b, 6, v.bytes()), 5
	case Reference:
		b = text(b, 21, string(v))
	default:
		panic("onnxmade: no such attribute")
	}
	return varint(b, 20, kind)
}

func (t Tensor) bytes() []byte {
	var b []byte
	for _, d := range t.Dims {
		b = varint(b, 1, d)
	}
	b = varint(b, 2, t.Type)
	b = text(b, 8, t.Name)
	switch {
	case t.External:
		b = bytes(b, 13, text(text(nil, 1, "location"), 2, "weights.bin"))
		b = varint(b, 14, 1)
	case t.Ints != nil:
		var packed []byte
		for _, x := range t.Ints {
			packed = protowire.AppendVarint(packed, uint64(x))
		}
		b = bytes(b, 7, packed)
	case t.Floats != nil:
		var raw []byte
		for _, x := range t.Floats {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)))
		}
		b = bytes(b, 9, raw)
	}
	return b
}

func (v Value) bytes() []byte {
	b := text(nil, 1, v.Name)
	if v.Type == 0 {
		return b
	}
	var shape []byte
	for _, d := range v.Dims {
		var dim []byte
		switch d := d.(type) {
		case int:
			dim = varint(nil, 1, int64(d))
		case string:
			if d != "" {
				dim = text(nil, 2, d)
			}
		}
		shape = bytes(shape, 1, dim)
	}
	tensor := bytes(varint(nil, 1, v.Type), 2, shape)
	return bytes(b, 2, bytes(nil, 1, tensor))
}

// Network returns a network of so many layers that is the same for a seed: its
// results are read by later layers, and two are joined now and then.
func Network(seed, layers int) []byte {
	g := Graph{Inputs: []Value{Floats("input", "batch", 3, 16, 16)}}
	rng := uint64(seed)*0x9e3779b97f4a7c15 + 1
	draw := func(n int) int {
		rng ^= rng << 13
		rng ^= rng >> 7
		rng ^= rng << 17
		return int(rng % uint64(n))
	}
	names, channels := []string{"input"}, []int64{3}
	for i := range layers {
		from := max(0, len(names)-1-draw(3))
		out := "layer" + strconv.Itoa(i)
		if draw(3) == 0 {
			g.Nodes = append(g.Nodes, Node{
				Op: "Concat", Name: "join" + strconv.Itoa(i), In: []string{names[from], names[len(names)-1]}, Out: []string{out},
				Attributes: map[string]any{"axis": 1},
			})
			names, channels = append(names, out), append(channels, channels[from]+channels[len(channels)-1])
			continue
		}
		c := int64(1 + draw(8))
		weights := "weights" + strconv.Itoa(i)
		g.Stored = append(g.Stored, Tensor{Name: weights, Type: Float, Dims: []int64{c, channels[from], 3, 3}, External: true})
		g.Nodes = append(g.Nodes, Node{
			Op: "Conv", Name: "conv" + strconv.Itoa(i), In: []string{names[from], weights}, Out: []string{out},
			Attributes: map[string]any{"pads": []int64{1, 1, 1, 1}},
		})
		names, channels = append(names, out), append(channels, c)
	}
	g.Outputs = Names(names[len(names)-1])
	return Model{Graph: g}.Bytes()
}

// Open returns a model that leaves open what a user must give: two dimensions without names of their own, and the
// result of an operator that nobody knows, from which the last result follows.
func Open() []byte {
	return Model{Domains: []string{"com.example"}, Graph: Graph{
		Inputs: []Value{Floats("x", "N", 3, "?", "?")},
		Stored: []Tensor{{Name: "w", Type: Float, Dims: []int64{32, 10}, External: true}},
		Nodes: []Node{
			{Op: "Relu", In: []string{"x"}, Out: []string{"a"}},
			{Op: "Twist", Name: "twist", Domain: "com.example", In: []string{"a"}, Out: []string{"y"}},
			{Op: "MatMul", In: []string{"y", "w"}, Out: []string{"z"}},
		},
		Outputs: Names("z"),
	}}.Bytes()
}

// Saved returns a model as ONNX Runtime saves it: two convolutions on an image in blocks of channels.
func Saved() []byte {
	const domain = "com.microsoft.nchwc"
	conv := func(from, weights, to string) Node {
		return Node{
			Op: "Conv", Domain: domain, In: []string{from, weights}, Out: []string{to},
			Attributes: map[string]any{"pads": []int64{1, 1, 1, 1}},
		}
	}
	weights := Tensor{Name: "w", Type: Float, Dims: []int64{16, 16, 3, 3}, External: true}
	return Model{Domains: []string{domain}, Graph: Graph{
		Inputs: []Value{Floats("x", 1, 16, 8, 8)},
		Stored: []Tensor{weights},
		Nodes: []Node{
			{Op: "ReorderInput", Domain: domain, In: []string{"x"}, Out: []string{"a"}},
			conv("a", "w", "b"), conv("b", "w", "c"),
			{Op: "ReorderOutput", Domain: domain, In: []string{"c"}, Out: []string{"y"}, Attributes: map[string]any{
				"channels": 16,
			}},
		},
		Outputs: Names("y"),
	}}.Bytes()
}

// Pooled returns a network whose first layer has a large result. A pool then makes it small.
func Pooled() []byte {
	return Model{Graph: Graph{
		Inputs: []Value{Floats("input", 1, 3, 64, 16)}, Outputs: Names("pooled"),
		Stored: []Tensor{{Name: "weights", Type: Float, Dims: []int64{32, 3, 3, 3}, External: true}},
		Nodes: []Node{
			{
				Op: "Conv", Name: "conv", In: []string{"input", "weights"}, Out: []string{"large"},
				Attributes: map[string]any{"pads": []int64{1, 1, 1, 1}},
			},
			{Op: "Relu", Name: "relu", In: []string{"large"}, Out: []string{"bent"}},
			{
				Op: "MaxPool", Name: "pool", In: []string{"bent"}, Out: []string{"pooled"},
				Attributes: map[string]any{"kernel_shape": []int64{4, 4}, "strides": []int64{4, 4}},
			},
		},
	}}.Bytes()
}
