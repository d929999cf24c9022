package strips

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
)

// Idea: of the strips of a loop (loop.go) the first one is written as the body. Its operands become tensors of the
// subgraph: those that it makes, constants once more, and variables. Then DYNAMIC_UPDATE_SLICE puts the strip's lines
// into the result, and ADD moves what begins somewhere. The condition compares where the result's lines begin with
// their number.
//
// Tensors of strips that are gone leave the edit at the end (drop).
//
// Invariant: the variables are in one order in the WHILE, in its condition, and at both ends of the body.

// A variable of a loop.
type variable struct {
	start, end int32 // tensors of the first subgraph: before the loop and after it
	in, next   int32 // tensors of the body: at its begin and at its end
	step       int32 // of a begin: the constant that is added; 0 for others
}

// A bodyBuilder writes a loop.
type bodyBuilder struct {
	*looping
	body, condition tflite.NewSubgraph
	about           string // which strips these are
	variables       []variable
	begins          map[string]int  // by first value and step: the variable
	place           map[int32]int32 // of tensors of the first subgraph in the body
}

// write replaces strips by a loop, and returns the parts of the result.
func (l *looping) write(result int32, parts []piece, from, to int, relations []relation) []piece {
	b := l.b
	x := &bodyBuilder{
		looping: l, about: fmt.Sprintf(", in a loop of strips %d to %d", from, to), begins: map[string]int{},
		place: map[int32]int32{},
	}
	lines := span{parts[from].first, parts[to].end}
	name := b.s.m.Tensors[result].Name + "[" + b.axis.String() + " " + strconv.Itoa(lines.first) + ":" +
		strconv.Itoa(lines.end) + x.about + "]"
	x.body.Name, x.condition.Name = name, name+", condition"

	// The lines of the result, and where they begin.
	step := [4]int32{}
	step[1+b.axis] = int32(parts[from].end - parts[from].first)
	where := x.variables[x.begin([4]int32{}, step)].in
	made := b.tensor(tflite.NewTensor{Name: name, Shape: b.shape(result, lines.end-lines.first), Like: result})
	x.carry(made)
	result0 := len(x.variables) - 1
	if to+1-from == len(parts) { // the loop makes it all
		x.variables[result0].end = result
	}

	origins := x.strip(from, relations)
	x.body.Operators = append(x.body.Operators, tflite.NewOperator{
		From: -1, Code: codePut, Inputs: []int32{x.variables[result0].in, x.place[parts[from].tensor], where},
		Outputs: []int32{x.tensor(*b.tensorOf(made))},
	})
	x.variables[result0].next = int32(len(x.body.Tensors) - 1)
	for k := range x.variables {
		if v := &x.variables[k]; v.step > 0 {
			v.next = x.tensor(x.body.Tensors[v.in])
			x.body.Operators = append(x.body.Operators, tflite.NewOperator{
				From: -1, Code: codeAdd, Inputs: []int32{v.in, v.step}, Outputs: []int32{v.next},
			})
		}
	}
	for len(origins) < len(x.body.Operators) {
		origins = append(origins, Origin{b.s.maker[result], b.number, from, true})
	}
	x.test(step[1+b.axis] * int32(to+1-from))
	b.loops = append(b.loops, Loop{b.number, from, to, 1 + len(b.edit.Subgraphs), origins})
	x.replace(from, to, made)
	return slices.Concat(parts[:from], []piece{{x.variables[result0].end, lines}}, parts[to+1:])
}

// tensor makes a tensor of the body.
func (x *bodyBuilder) tensor(t tflite.NewTensor) int32 {
	x.body.Tensors = append(x.body.Tensors, t)
	return int32(len(x.body.Tensors) - 1)
}

// form returns a tensor as a new one of the same form.
func (x *bodyBuilder) form(t int32) tflite.NewTensor {
	if made := x.b.tensorOf(t); made != nil {
		out := *made
		out.Name = strings.TrimSuffix(out.Name, "]") + x.about + "]"
		return out
	}
	old := &x.b.s.m.Tensors[t]
	return tflite.NewTensor{Name: old.Name + "[" + strings.TrimPrefix(x.about, ", ") + "]", Shape: old.Shape, Like: t}
}

// carry makes a tensor the start of a variable. At first, its value stays.
func (x *bodyBuilder) carry(t int32) int {
	form := x.form(t)
	if made := x.b.tensorOf(t); made != nil && strings.HasSuffix(made.Name, x.about+"]") {
		form.Name = made.Name
	}
	in := x.tensor(form)
	x.variables = append(x.variables, variable{start: t, end: x.b.tensor(form), in: in, next: in})
	return len(x.variables) - 1
}

// begin returns the variable that has a first value and grows by a step.
func (x *bodyBuilder) begin(first, step [4]int32) int {
	key := fmt.Sprint(first, step)
	k, ok := x.begins[key]
	if !ok {
		form := tflite.NewTensor{
			Name: "begin" + x.about, Shape: []int32{4}, Like: -1, Type: typeNumber,
		}
		k = len(x.variables)
		x.variables = append(x.variables, variable{
			start: x.b.constant([]int32{4}, first[:]...), end: x.b.tensor(form), in: x.tensor(form),
			step: x.tensor(tflite.NewTensor{Shape: []int32{4}, Data: slices.Clone(step[:])}),
		})
		x.begins[key] = k
	}
	return k
}

// strip writes the operators of a strip into the body, and returns their origins.
func (x *bodyBuilder) strip(from int, relations []relation) (origins []Origin) {
	b := x.b
	carries := map[place]int{}
	for k := x.strips[from][0]; k < x.strips[from][1]; k++ {
		o := b.edit.Operators[k]
		o.Inputs, o.Outputs = slices.Clone(o.Inputs), slices.Clone(o.Outputs)
		for n, t := range o.Inputs {
			r := relations[0]
			relations = relations[1:]
			switch {
			case r.kind == begin:
				first := [4]int32(b.tensorOf(t).Data)
				o.Inputs[n] = x.variables[x.begin(first, r.step)].in
			case r.kind == carried:
				v, known := carries[r.at]
				if !known {
					v = x.carry(t)
					carries[r.at] = v
				}
				o.Inputs[n] = x.variables[v].in
			default:
				o.Inputs[n] = x.operand(t)
			}
		}
		for n, t := range o.Outputs {
			o.Outputs[n] = x.tensor(x.form(t))
			x.place[t] = o.Outputs[n]
		}
		x.body.Operators = append(x.body.Operators, o)
		origins = append(origins, b.origins[k])
	}
	for at, v := range carries {
		x.variables[v].next = x.body.Operators[at.operator].Outputs[at.result]
	}
	return origins
}

// operand returns a tensor of the first subgraph in the body.
func (x *bodyBuilder) operand(t int32) int32 {
	if t < 0 {
		return t
	}
	at, ok := x.place[t]
	if ok {
		return at
	}
	made := x.b.tensorOf(t)
	switch {
	case made != nil && made.Data != nil:
		at = x.tensor(*made)
	case made == nil && x.b.s.m.Tensors[t].Constant:
		at = x.tensor(tflite.NewTensor{Like: t, Same: true})
	default:
		at = x.variables[x.carry(t)].in
	}
	x.place[t] = at
	return at
}

// test writes the condition: the first variable is below a limit.
func (x *bodyBuilder) test(limit int32) {
	c := &x.condition
	for k := range x.variables {
		c.Tensors = append(c.Tensors, x.body.Tensors[x.variables[k].in])
		c.Inputs = append(c.Inputs, int32(k))
		x.body.Inputs = append(x.body.Inputs, x.variables[k].in)
		x.body.Outputs = append(x.body.Outputs, x.variables[k].next)
	}
	n, one := int32(len(c.Tensors)), []int32{1}
	number := func(v int32) tflite.NewTensor { return tflite.NewTensor{Shape: one, Data: []int32{v}} }
	c.Tensors = append(c.Tensors, number(int32(1+x.b.axis)), number(1), number(limit),
		tflite.NewTensor{Name: "line" + x.about, Shape: one, Like: -1, Type: typeNumber},
		tflite.NewTensor{Name: "goes on" + x.about, Shape: one, Like: -1, Type: typeBool})
	c.Operators = []tflite.NewOperator{
		{From: -1, Code: codeSlice, Inputs: []int32{0, n, n + 1}, Outputs: []int32{n + 3}},
		{From: -1, Code: codeLess, Inputs: []int32{n + 3, n + 2}, Outputs: []int32{n + 4}},
	}
	c.Outputs = []int32{n + 4}
}

// replace puts the loop in place of the strips.
func (x *bodyBuilder) replace(from, to int, result int32) {
	b := x.b
	form := b.tensorOf(result)
	loop := tflite.NewOperator{
		From: -1, Code: codeWhile, Callees: []int32{int32(len(b.edit.Subgraphs)), int32(len(b.edit.Subgraphs) + 1)},
	}
	for _, v := range x.variables {
		loop.Inputs, loop.Outputs = append(loop.Inputs, v.start), append(loop.Outputs, v.end)
	}
	b.edit.Subgraphs = append(b.edit.Subgraphs, x.condition, x.body)
	zero := b.tensor(tflite.NewTensor{Shape: []int32{1, 1, 1, 1}, Like: form.Like, Zeros: true})
	first := tflite.NewOperator{
		From: -1, Code: codeFill, Inputs: []int32{zero, b.constant([]int32{4}, b.tensorOf(result).Shape...)},
		Outputs: []int32{result},
	}
	after := map[int32]int32{} // tensors of the last strip that are read later: what the loop leaves
	for _, v := range x.variables {
		for t, in := range x.in {
			if at := x.made[t]; in == to && v.next != v.in && at.operator < len(x.body.Operators) &&
				slices.Index(x.body.Operators[at.operator].Outputs, v.next) == at.result {
				after[t] = v.end
			}
		}
	}
	begins, ends := x.strips[from][0], x.strips[to][1]
	origin := Origin{b.s.maker[form.Like], b.number, -1, true}
	for k := ends; k < len(b.edit.Operators); k++ {
		o := &b.edit.Operators[k]
		o.Inputs = slices.Clone(o.Inputs)
		for n, t := range o.Inputs {
			if left, ok := after[t]; ok {
				o.Inputs[n] = left
			}
		}
	}
	b.edit.Operators = slices.Replace(b.edit.Operators, begins, ends, first, loop)
	b.origins = slices.Replace(b.origins, begins, ends, origin, origin)
}

// drop leaves out tensors of ours that nothing uses any more.
func (b *builder) drop() {
	known := len(b.s.maker)
	used := make([]bool, len(b.edit.Tensors))
	lists := func(do func(all []int32)) {
		for k := range b.edit.Operators {
			do(b.edit.Operators[k].Inputs)
			do(b.edit.Operators[k].Outputs)
		}
	}
	lists(func(all []int32) {
		for _, t := range all {
			if int(t) >= known {
				used[int(t)-known] = true
			}
		}
	})
	number, kept := make([]int32, len(used)), b.edit.Tensors[:0:0]
	for k, u := range used {
		if number[k] = int32(known + len(kept)); u {
			kept = append(kept, b.edit.Tensors[k])
		}
	}
	b.edit.Tensors = kept
	for k := range b.edit.Operators { // lists may be those of the model
		o := &b.edit.Operators[k]
		o.Inputs, o.Outputs = slices.Clone(o.Inputs), slices.Clone(o.Outputs)
	}
	lists(func(all []int32) {
		for i, t := range all {
			if int(t) >= known {
				all[i] = number[int(t)-known]
			}
		}
	})
}
