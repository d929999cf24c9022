package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: firmware needs the smallest arena in which AllocateTensors succeeds. The runtime takes persistent data from
// the arena's end and everything else from its beginning, in these steps:
//
//	prepare   records for the scratch that kernels may request, and temporary copies of tensors
//	plan      records of all tensors and of the planner
//	run       the head, which holds the plan
//
// In no step may the data at the beginning and at the end meet. So the smallest arena is the largest of their sums.
// Often that is the planning step. So an arena of the size that the runtime reports as used is too small.
//
// This file repeats the allocations in the runtime's order, with its sizes and alignments.
//
// Invariant: if the table (kernels.go) has all operators, the result is that of the runtime, rounded to Alignment.
// Otherwise it is a lower bound.
//
// Complexity: O(tensors + operators).
//
// Source: tensorflow/tflite-micro 90b983c: micro_interpreter.cc,
// micro_allocator.cc, micro_allocation_info.cc, single_arena_buffer_allocator.cc.

// A Target is a build of the runtime: how large its own objects are.
type Target struct {
	// Name is the target in a few words, such as "32 bit".
	Name string

	word   int64 // bytes of a pointer
	column int   // in data
	// The bytes of the runtime's structures. Their alignment is the word.
	arenaAllocator, planner, allocator, subgraph, evalTensor, node, tensor, quantization int64
	request, info, resources, resource                                                   int64
}

// The targets. Sizes as compilers make them, see kernels.go.
var (
	// Firmware32 is a build for a 32-bit microcontroller.
	Firmware32 = Target{
		Name: "32 bit", word: 4, column: 1,
		arenaAllocator: 36, planner: 44, allocator: 36, subgraph: 8, evalTensor: 12, node: 32, tensor: 40, quantization: 12,
		request: 12, info: 24, resources: 12, resource: 20,
	}
	// Firmware64 is the same for a 64-bit processor.
	Firmware64 = Target{
		Name: "64 bit", word: 8, column: 0,
		arenaAllocator: 72, planner: 72, allocator: 72, subgraph: 16, evalTensor: 24, node: 64, tensor: 64, quantization: 24,
		request: 16, info: 32, resources: 16, resource: 40,
	}
	// Interpreter is the package tflite_micro of PyPI: 64 bit, with an allocator
	// that records, and support for compressed weights.
	Interpreter = Target{
		Name: "Python", word: 8, column: 2,
		arenaAllocator: 104, planner: 72, allocator: 272, subgraph: 24, evalTensor: 24, node: 64, tensor: 64,
		quantization: 24, request: 16, info: 32, resources: 16, resource: 40,
	}
)

// A Footprint is what an arena holds and how large it must be.
type Footprint struct {
	// Tail is the persistent data, Room what planning needs beside it.
	Tail, Room int64
	// Smallest is the smallest arena that works: a multiple of Alignment.
	Smallest int64
	// Limit says which step sets Smallest.
	Limit Limit
	// Front is the most bytes that the runtime has at the arena's beginning: the head, or its data while it plans. For
	// a runtime with two arenas (MicroAllocator::Create with two) it is the size of the arena that is not persistent.
	// It is a multiple of Alignment.
	Front int64

	planning int64 // the tail while the runtime plans
}

// A Limit is what sets the smallest arena.
type Limit string

// The limits.
const (
	LimitHead     Limit = "head"     // the plan, beside the tail
	LimitPlanning Limit = "planning" // the records that the runtime plans with
	LimitPrepare  Limit = "prepare"  // the temporary tensors of a kernel that prepares
)

// maxScratch is how many scratch buffers an operator may request. The runtime keeps as many records free.
const maxScratch = 12

// perBuffer is the bytes for a buffer in the planner's arrays, on all targets.
const perBuffer = 40

// Predict returns the footprint of a model with a plan of this head, in bytes, on a target, if it is built with the
// kernels of the set. The arena's problem has the scratch buffers; offsets are the plan's, nil for none.
func (s Set) Predict(m *tflite.Model, a *tflite.Arena, offsets []int32, head int64, t *Target) Footprint {
	return s.predict(m, a, offsets, head, t, perBuffer)
}

// HeadWithin returns the largest head with which an arena of a size works, without a plan in the model: what the runtime
// keeps is not for tensors. ok is false if no head does.
func (s Set) HeadWithin(m *tflite.Model, a *tflite.Arena, size int64, t *Target) (head int64, ok bool) {
	size -= size % tflite.Alignment
	if s.Predict(m, a, nil, 0, t).Smallest > size {
		return 0, false
	}
	return size - (s.Predict(m, a, nil, size, t).Smallest - size), true // with so large a head, nothing else counts
}

// predict is Predict for a planner that takes each bytes for a buffer while it plans.
func (s Set) predict(m *tflite.Model, a *tflite.Arena, offsets []int32, head int64, t *Target, each int64) Footprint {
	f := newArena(t)
	room, planning := f.load(s, m, a, offsets, head, each)
	return Footprint{
		Tail: f.tail, Room: room, Smallest: tflite.RoundUp(f.smallest), Limit: f.limit, Front: tflite.RoundUp(f.front),
		planning: planning,
	}
}

// newArena repeats MicroAllocator::Create.
func newArena(t *Target) *arena {
	f := &arena{t: t, stage: LimitPrepare}
	f.persist(t.arenaAllocator, t.word)
	f.persist(t.planner, t.word)
	f.persist(t.allocator, t.word)
	return f
}

// load repeats what an interpreter does until its model can run. It returns the room for planning, and the tail
// meanwhile. Models that are loaded one after the other keep their tails. Their heads lie over each other.
func (f *arena) load(s Set, m *tflite.Model, a *tflite.Arena, offsets []int32, head int64, each int64) (room,
	planning int64,
) {
	f.set, f.stage = s, LimitPrepare
	f.start(m)
	requests := f.prepareAll(m, a)
	room = f.finish(m, offsets, requests) + each*int64(len(a.Tensor)+len(a.Empty))
	// The planner gets whole multiples between beginning and end.
	f.stage = LimitPlanning
	planning, front := f.tail, max(f.front, room)
	f.need(room + tflite.RoundUp(f.tail) - f.tail)
	f.front = front
	f.highest = max(f.highest, head)
	f.stage, f.head = LimitHead, f.highest
	f.need(f.head)
	f.ends(m)
	return room, planning
}

// start repeats StartModelAllocation.
func (f *arena) start(m *tflite.Model) {
	t, word := f.t, f.t.word
	f.resources(m)
	f.persist(2*word, word) // the allocator of options
	f.head = t.request * maxScratch
	f.need(f.head)
	f.persist(t.subgraph*int64(len(m.Subgraphs)), word)
	for i := range m.Subgraphs {
		f.persist(t.evalTensor*int64(m.Subgraphs[i].TensorCount), word)
	}
	for i := range m.Subgraphs {
		f.persist(t.node*int64(m.Subgraphs[i].OperatorCount), word)
	}
}

// prepareAll repeats the parsing of options, Init and Prepare of each operator. It returns how many scratch buffers
// they request.
func (f *arena) prepareAll(m *tflite.Model, a *tflite.Arena) (requests int64) {
	t := f.t
	for i := range m.Operators {
		if o := kernels()[m.Operators[i].Name()].options; o.size.on(t) > 0 {
			f.persist(o.size.on(t), o.align.on(t))
		}
	}
	all := make([]kernel, len(m.Operators))
	for i := range m.Operators {
		all[i] = f.set.kernel(m, &m.Operators[i], t)
		if size := all[i].data.on(t); size > 0 {
			f.persist(size, tflite.Alignment)
		}
	}
	asked := make([]int64, len(m.Operators))
	for _, k := range slices.Concat(a.Operators, a.Empty) {
		asked[k]++
	}
	for i := range m.Operators {
		f.prepare(m, &m.Operators[i], &all[i])
		requests += asked[i]
		f.head = t.request * (requests + maxScratch)
		f.need(f.head)
	}
	return requests
}

// finish repeats FinishModelAllocation: handles of scratch, variables, records. It returns the room that these take
// before the planner.
func (f *arena) finish(m *tflite.Model, offsets []int32, requests int64) (room int64) {
	t, word := f.t, f.t.word
	if requests > 0 {
		f.persist(word*requests, word)
	}
	room = bound.Up(f.head, word)
	room = bound.Up(room+word*int64(len(m.Subgraphs)), word)
	room += t.info * (int64(len(m.Tensors)) + requests)
	for i := range m.Tensors {
		if t := &m.Tensors[i]; t.Variable && (i >= len(offsets) || offsets[i] == tflite.Online) {
			f.persist(t.Bytes, tflite.Alignment)
		}
	}
	return tflite.RoundUp(room)
}

// ends keeps the model's own inputs and outputs, which come after the plan.
func (f *arena) ends(m *tflite.Model) {
	t, word := f.t, f.t.word
	main := &m.Subgraphs[0]
	for _, list := range [][]int32{main.Inputs, main.Outputs} {
		f.persist(word*int64(len(list)), tflite.Alignment)
		for _, i := range list {
			f.persist(t.tensor, word)
			if n := m.Tensors[i].Channels; n > 0 {
				f.persist(t.quantization, word)
				f.persist(integers(n), 4)
			}
		}
	}
}

// Measured returns the smallest arena for a tail that the target itself reports,
// whatever its kernels keep, and a plan of this head.
func (f *Footprint) Measured(tail, head int64) int64 {
	return tflite.RoundUp(max(tail+head, tflite.RoundUp(tail-(f.Tail-f.planning))+f.Room))
}

// An arena is the state of the runtime's allocations.
type arena struct {
	t          *Target
	set        Set
	tail, head int64
	highest    int64            // the highest head of a model that is loaded
	handles    map[int32]string // the variable of each tensor of a VAR_HANDLE
	smallest   int64
	front      int64 // the most at the beginning
	stage      Limit // of the run
	limit      Limit // the stage that set smallest
}

// persist takes persistent bytes from the end.
func (f *arena) persist(size, align int64) {
	f.tail = bound.Up(f.tail+size, align)
	f.need(f.head)
}

// need notes that front bytes are in use at the beginning.
func (f *arena) need(front int64) {
	f.front = max(f.front, front)
	if n := tflite.RoundUp(f.tail + front); n > f.smallest {
		f.smallest, f.limit = n, f.stage
	}
}

// resources takes the table of variables, with room for those of the model, which
// the program makes before the interpreter.
func (f *arena) resources(m *tflite.Model) {
	f.handles = map[int32]string{}
	names := map[string]bool{}
	for i := range m.Operators {
		if o := &m.Operators[i]; o.Name() == "VAR_HANDLE" && len(o.Outputs) > 0 {
			f.handles[o.Outputs[0]] = o.Resource
			names[o.Resource] = true
		}
	}
	if len(names) > 0 {
		f.persist(f.t.resources, tflite.Alignment)
		f.persist(f.t.resource*int64(len(names)), tflite.Alignment)
	}
}

// assign takes the memory of a variable, where its first ASSIGN_VARIABLE prepares.
func (f *arena) assign(m *tflite.Model, o *tflite.Operator) {
	if len(o.Inputs) < 2 || o.Inputs[1] < 0 {
		return
	}
	name, known := f.handles[o.Inputs[0]]
	if !known {
		return
	}
	f.persist(m.Tensors[o.Inputs[1]].Bytes, tflite.Alignment)
	for t, of := range f.handles {
		if of == name {
			delete(f.handles, t)
		}
	}
}

// prepare repeats the allocations of a kernel that prepares: the tensors that it looks at, and the bytes that it keeps.
func (f *arena) prepare(m *tflite.Model, o *tflite.Operator, k *kernel) {
	if o.Name() == "ASSIGN_VARIABLE" {
		f.assign(m, o)
	}
	if k.kept != nil {
		for _, size := range k.kept(call{m, o, f.t}) {
			f.persist(size, tflite.Alignment)
		}
	}
	front := f.head
	look := func(list []int32, at int) {
		if at >= len(list) || list[at] < 0 {
			return
		}
		front = bound.Up(front, f.t.word) + f.t.tensor
		if n := m.Tensors[list[at]].Channels; n > 0 {
			front += f.t.quantization + integers(n)
		}
	}
	for _, x := range k.temporaries {
		switch x {
		case 'o', 'p':
			look(o.Outputs, int(x-'o'))
		case '*':
			for i := range o.Inputs {
				look(o.Inputs, i)
			}
		default:
			look(o.Inputs, int(x-'0'))
		}
	}
	f.need(front)
}

// Unknown returns the operators of a model that the table lacks, each once, in
// order: with them a footprint is a lower bound.
func Unknown(m *tflite.Model) []string {
	var out []string
	for i := range m.Operators {
		name := m.Operators[i].Name()
		if _, ok := kernels()[name]; !ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
