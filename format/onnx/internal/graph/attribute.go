package graph

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/stowage-go/stowage/format/onnx/internal/shape"
)

// Idea: this file reads what is beside the nodes: attributes, facts about tensors, and types. Of an attribute it
// keeps the numbers and the text on which a shape can depend. Of a tensor it keeps type, dimensions, and the place of
// its elements.
//
// Complexity: O(bytes).

func (p *parser) attribute(b []byte, depth int) Attribute {
	var a Attribute
	p.each(b, func(f field) {
		message := f.kind == protowire.BytesType
		switch {
		case f.number == 1 && message:
			a.Name = p.text(f.body)
		case f.number == 2 && f.kind == protowire.Fixed32Type:
			a.Float, a.Set = float64(math.Float32frombits(uint32(f.value))), a.Set|SetFloat
		case f.number == 3 && f.kind == protowire.VarintType:
			a.Int, a.Set = int64(f.value), a.Set|SetInt
		case f.number == 4 && message:
			if len(f.body) > maxShort {
				a.Set |= SetLong
				return
			}
			a.Text, a.Set = p.text(f.body), a.Set|SetString
		case f.number == 5 && message:
			if p.spend(tensorBytes) {
				t := p.tensor(f.body, nil)
				a.Tensor = &t
			}
		case f.number == 6 && message:
			p.in("graph "+a.Name, -1, func() { a.Graph = p.graph(f.body, depth+1) })
		case f.number == 7:
			p.list(&a, f, func(f field) bool {
				if f.kind != protowire.Fixed32Type {
					return false
				}
				a.Floats = append(a.Floats, float64(math.Float32frombits(uint32(f.value))))
				return true
			}, protowire.Fixed32Type, len(a.Floats))
		case f.number == 8:
			p.list(&a, f, func(f field) bool {
				if f.kind != protowire.VarintType {
					return false
				}
				a.Ints = append(a.Ints, int64(f.value))
				return true
			}, protowire.VarintType, len(a.Ints))
		case f.number == 9 && message:
			a.Strings++
		case f.number == 14 && message:
			a.typ = p.typ(f.body, 0)
		case f.number == 21 && message:
			a.Reference = p.text(f.body)
		case f.number == 22 && message:
			if p.spend(tensorBytes) {
				t := p.sparse(f.body, nil)
				a.Tensor = &t
			}
		}
	})
	return a
}

// list reads a repeated number of an attribute, packed or not. If there are more
// than any shape needs, the attribute is marked so and none more is kept.
func (p *parser) list(a *Attribute, f field, add func(field) bool, kind protowire.Type, have int) {
	if a.Set&SetLong != 0 {
		return
	}
	most := maxShort
	if a.Name == "value_ints" || a.Name == "value_floats" {
		most = maxList
	}
	if f.kind != protowire.BytesType {
		if have >= most {
			a.Set |= SetLong
		} else if p.spend(16) {
			add(f)
		}
		return
	}
	for b := f.body; len(b) > 0; have++ {
		if have >= most {
			a.Set |= SetLong
			return
		}
		v, n := number(b, kind)
		if n < 0 || !p.spend(16) {
			p.fail("is truncated or damaged")
			return
		}
		add(field{kind: kind, value: v})
		b = b[n:]
	}
}

// number reads one number of a packed list.
func number(b []byte, kind protowire.Type) (v uint64, n int) {
	switch kind {
	case protowire.VarintType:
		return protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		w, n := protowire.ConsumeFixed32(b)
		return uint64(w), n
	}
	return protowire.ConsumeFixed64(b)
}

// tensor reads what a tensor is, not what is in it.
func (p *parser) tensor(b []byte, name *int32) Tensor {
	t := Tensor{Body: b}
	p.each(b, func(f field) {
		switch f.number {
		case 1:
			p.dims(&t.Dims, f)
		case 2:
			t.Elem = shape.Type(int32(f.value))
		case 8:
			if name != nil {
				*name = p.name(f.body)
			}
		case 13:
			t.Opaque = true
		case 14:
			t.Opaque = t.Opaque || f.value != 0
		}
	})
	if t.Dims == nil {
		t.Dims = []int64{}
	}
	return t
}

// sparse reads what a sparse tensor is. It is named by its values.
func (p *parser) sparse(b []byte, name *int32) Tensor {
	t := Tensor{Opaque: true}
	p.each(b, func(f field) {
		switch {
		case f.number == 1 && f.kind == protowire.BytesType:
			t.Elem = p.tensor(f.body, name).Elem
		case f.number == 3:
			p.dims(&t.Dims, f)
		}
	})
	if t.Dims == nil {
		t.Dims = []int64{}
	}
	return t
}

// dims adds dimensions of a tensor, packed or not.
func (p *parser) dims(to *[]int64, f field) {
	add := func(v uint64) {
		switch {
		case int64(v) < 0 || int64(v) > shape.MaxElements:
			p.fail("has a dimension of " + strconv.FormatInt(int64(v), 10))
		case len(*to) == shape.MaxRank:
			p.fail("has more than " + strconv.Itoa(shape.MaxRank) + " dimensions")
		case p.spend(8):
			*to = append(*to, int64(v))
		}
	}
	if f.kind == protowire.VarintType {
		add(f.value)
		return
	}
	for b := f.body; len(b) > 0 && p.fault == nil; {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			p.fail("is truncated or damaged")
			return
		}
		add(v)
		b = b[n:]
	}
}

func (p *parser) info(b []byte) ValueInfo {
	var v ValueInfo
	p.each(b, func(f field) {
		switch {
		case f.kind != protowire.BytesType:
		case f.number == 1:
			v.Name = p.name(f.body)
		case f.number == 2:
			v.Type = p.typ(f.body, 0)
		}
	})
	return v
}

func (p *parser) typ(b []byte, depth int) *TypeInfo {
	if depth > maxTypes {
		p.fail("has a type that is nested more than " + strconv.Itoa(maxTypes) + " deep")
	}
	if !p.spend(infoBytes) {
		return nil
	}
	t := &TypeInfo{}
	p.each(b, func(f field) {
		if f.kind != protowire.BytesType {
			return
		}
		switch f.number {
		case 1:
			t.Kind = shape.KindTensor
			p.tensorType(t, f.body)
		case 4, 9:
			t.Kind = shape.KindSequence
			if f.number == 9 {
				t.Kind = shape.KindOptional
			}
			p.each(f.body, func(f field) {
				if f.number == 1 && f.kind == protowire.BytesType {
					t.Of = p.typ(f.body, depth+1)
				}
			})
		case 5, 7, 8:
			t.Kind = shape.KindOther
		}
	})
	return t
}

func (p *parser) tensorType(t *TypeInfo, b []byte) {
	p.each(b, func(f field) {
		switch {
		case f.number == 1 && f.kind == protowire.VarintType:
			t.Elem = shape.Type(int32(f.value))
		case f.number == 2 && f.kind == protowire.BytesType:
			t.Ranked = true
			p.each(f.body, func(f field) {
				if f.number != 1 || f.kind != protowire.BytesType {
					return
				}
				if len(t.Dims) == shape.MaxRank {
					p.fail("has more than " + strconv.Itoa(shape.MaxRank) + " dimensions")
				} else if p.spend(48) {
					t.Dims = append(t.Dims, p.dimension(f.body))
				}
			})
		}
	})
}

func (p *parser) dimension(b []byte) Dimension {
	d := Dimension{Value: -1}
	p.each(b, func(f field) {
		switch {
		case f.number == 1 && f.kind == protowire.VarintType:
			// Exporters write -1 and even 0 for what is open; 0 may be meant.
			if d.Value = max(-1, int64(f.value)); d.Value > shape.MaxElements {
				p.fail("has a dimension of " + strconv.FormatInt(d.Value, 10))
			}
		case f.number == 2 && f.kind == protowire.BytesType:
			if d.Name = p.text(f.body); unnamed(d.Name) {
				d.Name = ""
			}
		}
	})
	return d
}

// unnamed reports whether the name of a dimension only says that it is open, as "?", "-1" and "None" do. Two
// dimensions with such a name need not be equal.
func unnamed(name string) bool {
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return name == "-1" || name == "None" || strings.IndexFunc(name, letter) < 0
}
