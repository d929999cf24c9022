package graph

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: a protobuf message is a row of numbered fields, each with its length. Only the fields that planning reads are
// decoded. Weights are skipped, and small tensors are decoded if a shape depends on them (decode.go). Names of values
// become numbers at once.
//
// Invariant: everything that is kept is paid for from the budget, since an empty message takes two bytes of a file
// and a hundred of memory. The depth of graphs and types is bounded, too.
//
// Complexity: O(bytes that are not weights), each list counted before it is made.
//
// Source: onnx.proto of onnx 1.23.2 for the numbers of fields.

const (
	MaxDepth     = 24   // of graphs in graphs
	maxTypes     = 8    // of sequences of sequences
	maxList      = 4096 // of the numbers of a constant in an attribute that are kept
	maxShort     = 256  // of the numbers or characters of any other
	nodeBytes    = 160  // what a node takes in memory, and so on
	attrBytes    = 184
	operandBytes = 32 // of a node, with what the walk keeps of it while it is there
	resultBytes  = 256
	infoBytes    = 160
	tensorBytes  = 96
	nameBytes    = 64
)

// Parse reads a model from the content of a file, whose name is for messages. The model
// keeps data, which must not change. It also keeps what is left of the budget.
func Parse(data []byte, file string, budget source.Budget) (*Model, error) {
	p := parser{
		m: &Model{
			File: file, Functions: map[FunctionKey]*Function{}, Opsets: Opsets{}, Names: []string{""},
			Size: len(data), Budget: budget,
		},
		ids:   map[string]int32{"": 0},
		texts: map[string]string{},
	}
	if len(data) > source.MaxBinary {
		p.fail("is larger than 2 GiB, which no protobuf message may be")
	} else {
		p.model(data)
	}
	if p.fault == nil && p.m.Graph == nil {
		p.fail("is not an ONNX model: there is no graph in it")
	}
	if p.fault != nil {
		return nil, p.fault.Err()
	}
	return p.m, nil
}

// A parser turns messages into a model. The first fault ends it.
type parser struct {
	m     *Model
	ids   map[string]int32  // names of values to their numbers
	texts map[string]string // other strings, each kept once
	taken []int32           // by the number of a name: the body that has it last, by its own number
	body  int32             // bodies so far
	where []place           // for messages
	fault *model.Issue
}

func (p *parser) fail(message string) {
	if p.fault != nil {
		return
	}
	field := ""
	for i, w := range p.where {
		if i > 0 {
			field += ", "
		}
		field += w.what
		if w.at >= 0 {
			field += " " + strconv.Itoa(w.at)
		}
	}
	p.fault = &model.Issue{File: p.m.File, Field: field, Message: message}
}

// A place of a model, as messages name it: node 3, or graph.
type place struct {
	what string
	at   int // -1 for none
}

// in calls do with a place below the one where the parser is.
func (p *parser) in(what string, at int, do func()) {
	p.where = append(p.where, place{what, at})
	do()
	p.where = p.where[:len(p.where)-1]
}

// spend takes n from the budget.
func (p *parser) spend(n int) bool {
	if !p.m.Budget.Spend(n) {
		p.fail(p.m.Budget.Excess())
	}
	return p.fault == nil
}

// A field of a message: a number for varint and fixed ones, else the bytes.
type field struct {
	number protowire.Number
	kind   protowire.Type
	value  uint64
	body   []byte
}

// each calls do for each field of a message, until that or the message fails.
func (p *parser) each(b []byte, do func(f field)) {
	for len(b) > 0 && p.fault == nil {
		f, n := next(b)
		if n < 0 {
			p.fail("is truncated or damaged, or this is not an ONNX model")
			return
		}
		b = b[n:]
		do(f)
	}
}

// next splits the first field off a message: n is its length, negative if it is broken.
func next(b []byte) (f field, n int) {
	var k int
	if f.number, f.kind, n = protowire.ConsumeTag(b); n < 0 {
		return f, n
	}
	switch f.kind {
	case protowire.VarintType:
		f.value, k = protowire.ConsumeVarint(b[n:])
	case protowire.Fixed32Type:
		var v uint32
		v, k = protowire.ConsumeFixed32(b[n:])
		f.value = uint64(v)
	case protowire.Fixed64Type:
		f.value, k = protowire.ConsumeFixed64(b[n:])
	case protowire.BytesType:
		f.body, k = protowire.ConsumeBytes(b[n:])
	default:
		// A group, which ONNX has none of: a field that is not known.
		k = protowire.ConsumeFieldValue(f.number, f.kind, b[n:])
	}
	if k < 0 {
		return f, k
	}
	return f, n + k
}

// count returns how many fields of each of the numbers a message has, messages only.
func (p *parser) count(b []byte, numbers ...protowire.Number) []int {
	counts := make([]int, len(numbers))
	p.each(b, func(f field) {
		for k, n := range numbers {
			if f.number == n && f.kind == protowire.BytesType {
				counts[k]++
			}
		}
	})
	return counts
}

// text keeps a string, once however often it is there.
func (p *parser) text(b []byte) string {
	if s, ok := p.texts[string(b)]; ok {
		return s
	}
	if !p.spend(nameBytes + len(b)) {
		return ""
	}
	s := string(b)
	p.texts[s] = s
	return s
}

// name returns the number of a value's name.
func (p *parser) name(b []byte) int32 {
	if id, ok := p.ids[string(b)]; ok {
		return id
	}
	if !p.spend(nameBytes + len(b)) {
		return 0
	}
	id := int32(len(p.m.Names))
	s := string(b)
	p.m.Names = append(p.m.Names, s)
	p.ids[s] = id
	return id
}
