package onnx

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
)

// Idea: the new file has the old one's bytes, but for the nodes, and for what it says of values that are gone. A node
// in a strip is the old node with other names, and with the padding of the strip. Slice has its numbers as attributes
// before version 10 of the operators, and as inputs since. Those come from a Constant, once for each list.
//
// Source: onnx.proto of onnx 1.23.2 for the numbers of fields.

// The fields of messages.
const (
	modelGraph = 7

	graphNode      = 1
	graphValueInfo = 13
	valueInfoName  = 1

	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOp        = 4
	nodeAttribute = 5

	attributeName   = 1
	attributeInt    = 3
	attributeTensor = 5
	attributeInts   = 8
	attributeType   = 20

	typeInt    = 2
	typeTensor = 4
	typeInts   = 7

	tensorDims = 1
	tensorType = 2
	tensorInts = 7
	int64Type  = 7
)

// A stripWriter writes nodes.
type stripWriter struct {
	m         *Model
	own       []stretch // of the old nodes
	opset     int64
	constants map[int64]string // names of those that are written
	taken     map[string]bool
	out       []byte // of the graph
}

// rewritten returns the file with these nodes in place of the old ones.
func (m *Model) rewritten(nodes []stripNode, taken map[string]bool, opset int64) ([]byte, error) {
	graphs, ok := fields(m.data, 0, len(m.data), modelGraph)
	if !ok || len(graphs) != 1 {
		return nil, errDamaged(m.File)
	}
	g := graphs[0]
	own, ok := fields(m.data, g.body, g.end, graphNode)
	if !ok || len(own) != len(m.file.Graph.Nodes) {
		return nil, errDamaged(m.File)
	}
	w := &stripWriter{m: m, own: own, opset: opset, constants: map[int64]string{}, taken: taken}
	there := map[string]bool{}
	for i := range nodes {
		if err := w.node(&nodes[i], i); err != nil {
			return nil, err
		}
		for _, name := range nodes[i].out {
			there[name] = true
		}
	}
	gone := map[string]bool{}
	for k := range m.file.Graph.Nodes {
		for _, name := range m.file.Graph.Nodes[k].Out {
			gone[m.file.Names[name]] = !there[m.file.Names[name]]
		}
	}
	if err := w.rest(g, gone); err != nil {
		return nil, err
	}
	out := append([]byte{}, m.data[:g.start]...)
	out = protowire.AppendTag(out, modelGraph, protowire.BytesType)
	out = protowire.AppendBytes(out, w.out)
	return append(out, m.data[g.end:]...), nil
}

// rest copies what a graph has beside its nodes, and leaves out what it says of values that are gone.
func (w *stripWriter) rest(g stretch, gone map[string]bool) error {
	data := w.m.data
	return eachField(w.m, g.body, g.end, func(number protowire.Number, at, body, end int) {
		switch number {
		case graphNode:
			return
		case graphValueInfo:
			names, ok := fields(data, body, end, valueInfoName)
			if ok && len(names) == 1 && gone[string(data[names[0].body:names[0].end])] {
				return
			}
		}
		w.out = append(w.out, data[at:end]...)
	})
}

// eachField calls do with each field of a message: where its tag, its body and what follows begin.
func eachField(m *Model, from, to int, do func(number protowire.Number, at, body, end int)) error {
	for at := from; at < to; {
		number, kind, tag := protowire.ConsumeTag(m.data[at:to])
		if tag < 0 {
			return errDamaged(m.File)
		}
		size := protowire.ConsumeFieldValue(number, kind, m.data[at+tag:to])
		if size < 0 {
			return errDamaged(m.File)
		}
		body := at + tag
		if kind == protowire.BytesType {
			_, length := protowire.ConsumeVarint(m.data[body:to])
			body += length
		}
		do(number, at, body, at+tag+size)
		at += tag + size
	}
	return nil
}

// add writes a node that is complete.
func (w *stripWriter) add(node []byte) {
	w.out = protowire.AppendTag(w.out, graphNode, protowire.BytesType)
	w.out = protowire.AppendBytes(w.out, node)
}

// node writes a node.
func (w *stripWriter) node(x *stripNode, number int) error {
	if x.at >= 0 && x.op == "" {
		w.out = append(w.out, w.m.data[w.own[x.at].start:w.own[x.at].end]...)
		return nil
	}
	in := x.in
	var attributes []byte
	switch {
	case x.at >= 0:
	case x.op == "Concat":
		attributes = appendInts(attributes, "axis", int64(x.axis))
	case w.opset < 10:
		attributes = appendList(attributes, "starts", []int64{int64(x.lines.First)})
		attributes = appendList(attributes, "ends", []int64{int64(x.lines.End)})
		attributes = appendList(attributes, "axes", []int64{int64(x.axis)})
	default:
		in = append([]string{}, in...)
		for _, value := range []int{x.lines.First, x.lines.End, x.axis} {
			in = append(in, w.constant(int64(value)))
		}
	}
	var node []byte
	for _, name := range in {
		node = appendText(node, nodeInput, name)
	}
	for _, name := range x.out {
		node = appendText(node, nodeOutput, name)
	}
	node = appendText(node, nodeName, x.out[0])
	if x.at < 0 {
		w.add(append(appendText(node, nodeOp, x.op), attributes...))
		return nil
	}
	old := w.own[x.at]
	err := eachField(w.m, old.body, old.end, func(number protowire.Number, at, body, end int) {
		switch number {
		case nodeInput, nodeOutput, nodeName:
			return
		case nodeAttribute:
			names, ok := fields(w.m.data, body, end, attributeName)
			if !ok || len(names) != 1 {
				break
			}
			switch string(w.m.data[names[0].body:names[0].end]) {
			case "pads", "auto_pad", "ceil_mode":
				if x.pads != nil {
					return
				}
			}
		}
		node = append(node, w.m.data[at:end]...)
	})
	if x.pads != nil {
		node = appendList(node, "pads", x.pads)
	}
	w.add(node)
	return err
}

// constant returns the name of a list of one number.
func (w *stripWriter) constant(value int64) string {
	if name, ok := w.constants[value]; ok {
		return name
	}
	name := "strips:" + strconv.FormatInt(value, 10)
	for w.taken[name] {
		name += "'"
	}
	w.taken[name], w.constants[value] = true, name
	var tensor []byte
	tensor = appendNumber(tensor, tensorDims, 1)
	tensor = appendNumber(tensor, tensorType, int64Type)
	tensor = appendNumber(tensor, tensorInts, uint64(value))
	var attribute []byte
	attribute = appendText(attribute, attributeName, "value")
	attribute = protowire.AppendTag(attribute, attributeTensor, protowire.BytesType)
	attribute = protowire.AppendBytes(attribute, tensor)
	attribute = appendNumber(attribute, attributeType, typeTensor)
	node := appendText(nil, nodeOutput, name)
	node = appendText(node, nodeName, name)
	node = appendText(node, nodeOp, "Constant")
	node = protowire.AppendTag(node, nodeAttribute, protowire.BytesType)
	w.add(protowire.AppendBytes(node, attribute))
	return name
}

func appendText(b []byte, number protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), text)
}

func appendNumber(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}

// appendInts appends an attribute of a node that is a number.
func appendInts(b []byte, name string, value int64) []byte {
	x := appendText(nil, attributeName, name)
	x = appendNumber(x, attributeInt, uint64(value))
	x = appendNumber(x, attributeType, typeInt)
	return protowire.AppendBytes(protowire.AppendTag(b, nodeAttribute, protowire.BytesType), x)
}

// appendList appends an attribute of a node that is a list of numbers.
func appendList(b []byte, name string, values []int64) []byte {
	x := appendText(nil, attributeName, name)
	for _, v := range values {
		x = appendNumber(x, attributeInts, uint64(v))
	}
	x = appendNumber(x, attributeType, typeInts)
	return protowire.AppendBytes(protowire.AppendTag(b, nodeAttribute, protowire.BytesType), x)
}

// wholeNodes returns nodes of a model as they are.
func wholeNodes(m *Model, first, end int) (out []stripNode) {
	for k := first; k < end; k++ {
		n := &m.file.Graph.Nodes[k]
		out = append(out, stripNode{at: k, out: names(m.file, n.Out)})
	}
	return out
}

func names(m *graph.Model, numbers []int32) (out []string) {
	for _, n := range numbers {
		out = append(out, m.Names[n])
	}
	return out
}
