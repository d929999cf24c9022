package tflm

import (
	"context"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
)

// Idea: a part has a small fast memory and a larger slow one. They are pools, and each tensor is assigned to one of
// them. The cost of a plan is its traffic: bytes moved × cost of the pool. A tensor is written once. Each operator
// that has it as an operand reads it once.
//
// One pool is the home of the runtime's arena. The arena's tail lies there too: what the runtime keeps, and the
// variable tensors. So the bytes of the tail are taken off the home's capacity first. A planner class places the
// tensors (format/cheader/banks.go).
//
// Invariant: height of home + tail is at most the home's capacity, and the runtime's planning has room there.
//
// Complexity: that of stowage.Solve for a problem with pools.
//
// Source: Stowage. The runtime's side: tensorflow/tflite-micro 90b983c, CommitPlan in micro_allocator.cc.

// BankOptions say how to plan a model in several memories.
type BankOptions struct {
	// Pools are the memories, the fastest first. Pool.Cost is the cost of each byte moved. If no pool has one, only
	// their order is known, and they cost 0, 1, 2 and so on.
	Pools []model.Pool
	// Home is the pool of the runtime's arena, as an index into Pools; -1 for the one with the most bytes. It has no
	// reserved bytes.
	Home int
	// Target is the build of the runtime; nil for Firmware32.
	Target *Target
	// Tail is the tail in bytes that the target reports; 0 for what Predict says.
	Tail int64
	// Scratch is what kernels ask for beside tensors, as in Options.
	Scratch []tflite.Scratch
	// Set is the kernels that need Scratch, as in Options.
	Set Set
	// Named says that the firmware has just these kernels, as in Options.
	Named bool
	// InPlace lets results lie over operands that die, as in Options.
	InPlace bool
	// Solve steers the planner. It has no capacity: the pools have their own.
	Solve stowage.Options
}

// Banks is a plan of a model in several memories.
type Banks struct {
	Model *tflite.Model // that was planned
	// Arena has a buffer for each tensor of the arena, and then one for each scratch buffer. The order is that in which
	// the runtime asks its planner for them.
	Arena *tflite.Arena
	// Problem is what is planned: pools, and what each buffer costs in each. With InPlace, a result and the
	// operand that it lies over are one buffer of it.
	Problem *model.Problem
	// In has, for each buffer of Arena.Problem, its buffer in Problem.
	In []int
	// Pools are the memories as they were given, with the costs that count.
	Pools []model.Pool
	// ByOrder says that no costs were given.
	ByOrder bool
	// Home is the pool of the runtime's arena, as an index into Pools.
	Home int
	// Result is the planner's. If the arena's tail does not fit Home, nothing is planned, and its status is Infeasible.
	Result *stowage.Result
	// Pool has the pool of each buffer of Arena.Problem; nil without a plan.
	Pool []int32
	// Placed has its offset there, in bytes; nil without a plan.
	Placed []int64
	// Tail is what the runtime keeps in Home beside the tensors, in bytes, variable tensors included.
	Tail int64
	// Variables is the part of Tail that variable tensors take.
	Variables int64
	// Used is the bytes that each pool must have: the highest end of a tensor, and for Home an arena that works.
	Used []int64
	// Heads is the highest end of a tensor in each pool.
	Heads []int64
	// Moved is the bytes written and read in each pool.
	Moved []int64
	// Traffic is bytes moved × cost; 0 without a plan.
	Traffic int64
	// Bound is a lower bound of the traffic of every plan.
	Bound int64
	// Slow is the traffic if all tensors are in the pool with the highest cost.
	Slow int64
	// Short is the least number of bytes that all pools together lack; 0 if that is not known, or if there is a plan.
	Short int64

	target   *Target
	set      Set
	floor    int64 // the smallest arena for an empty head
	reported bool  // the target has reported the tail
}

// MakeBanks plans a model in several memories. The error is for bad input. If no plan was found, Result.Status says so.
// A model with an offline plan is refused, because that plan is for one memory.
func MakeBanks(ctx context.Context, m *tflite.Model, o BankOptions) (*Banks, error) {
	var issues model.Issues
	if len(o.Pools) == 0 {
		issues.Say("pools", "", "there are none")
	}
	if o.Home < -1 || o.Home >= len(o.Pools) {
		issues.Say("home", strconv.Itoa(o.Home), "there is no such pool")
	}
	home := o.Home
	if len(o.Pools) > 0 && home == -1 {
		home = largest(o.Pools)
	}
	if home >= 0 && home < len(o.Pools) && len(o.Pools[home].Reserved) > 0 {
		issues.Say("pools", o.Pools[home].ID,
			"has the runtime's arena, which the runtime writes over: it can have no reserved bytes")
	}
	if m.Offline != nil {
		issues.Add(model.Issue{
			File: m.File, Message: "has a plan for one memory (" + tflite.MetadataName + "): give the model without it",
		})
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	a, err := m.Arena(l, o.Scratch)
	if err != nil {
		return nil, err
	}
	b := &Banks{Model: m, Arena: a, Pools: o.Pools, Home: home, target: o.Target, set: o.Set}
	if b.target == nil {
		b.target = &Firmware32
	}
	b.Problem, b.In = unite(a, groups(m, l, func(int, int) bool { return o.InPlace }))
	b.Problem.Name = a.Problem.Name
	if err := b.price(); err != nil {
		return nil, err
	}
	if !b.reserveTail(o.Tail) {
		b.Result = &stowage.Result{Status: stowage.Infeasible, Planner: "none", ProvedBy: "tail"}
		return b, nil
	}
	if b.Result, err = stowage.Solve(ctx, b.Problem, o.Solve); err != nil {
		return nil, err
	}
	b.judge()
	return b, nil
}

// largest returns the pool with the most bytes; if several have as many, the slowest. Pools with reserved bytes count
// only if there are no others.
func largest(pools []model.Pool) (at int) {
	better := func(q, than *model.Pool) bool {
		if free, other := len(q.Reserved) == 0, len(than.Reserved) == 0; free != other {
			return free
		}
		return q.Capacity == 0 || than.Capacity > 0 && q.Capacity >= than.Capacity
	}
	for k := range pools {
		if better(&pools[k], &pools[at]) {
			at = k
		}
	}
	return at
}

// Moved returns the bytes that a run of a model moves for each tensor: written once, and read once by each operator
// that has it as an operand. The caller of a subgraph writes its inputs and reads its outputs. Operators of subgraphs
// count once, however often they run.
func Moved(m *tflite.Model) []int64 {
	times := make([]int64, len(m.Tensors))
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for _, t := range s.Inputs {
			times[t]++
		}
		for _, t := range s.Outputs {
			times[t]++
		}
		for k := range s.OperatorCount {
			o := &m.Operators[s.FirstOperator+k]
			for n, t := range o.Inputs {
				if t >= 0 && !slices.Contains(o.Inputs[:n], t) {
					times[t]++
				}
			}
			for _, t := range o.Outputs {
				times[t]++
			}
		}
	}
	for t := range times {
		times[t] *= m.Tensors[t].Bytes
	}
	return times
}

// moved returns what is moved for each buffer of the arena. Scratch is written once and read once.
func (b *Banks) moved() []int64 {
	tensors, out := Moved(b.Model), make([]int64, len(b.Arena.Tensor))
	for k, t := range b.Arena.Tensor {
		if t >= 0 {
			out[k] = tensors[t]
		} else {
			out[k] = 2 * b.Arena.Problem.Buffers[k].Size
		}
	}
	return out
}

// price gives each buffer its cost in each pool.
func (b *Banks) price() (err error) {
	united := make([]int64, len(b.Problem.Buffers))
	for k, bytes := range b.moved() {
		united[b.In[k]] += bytes
	}
	b.Pools, b.ByOrder, b.Slow, err = Price(b.Problem, b.Pools, united)
	return err
}

// Price turns a problem into one of several memories, the fastest first. A buffer costs in a pool: bytes moved for it ×
// cost of a byte there. If no pool has a cost, byOrder is true, and the pools cost 0, 1, 2 and so on. priced has the
// pools with these costs. slow is the cost if all buffers are in the pool with the highest cost. The error is an
// *InputError: the sum is too large.
func Price(p *model.Problem, pools []model.Pool, moved []int64) (priced []model.Pool, byOrder bool, slow int64,
	err error,
) {
	priced = slices.Clone(pools)
	if byOrder = !slices.ContainsFunc(pools, func(q model.Pool) bool { return q.Cost != 0 }); byOrder {
		for k := range priced {
			priced[k].Cost = int64(k)
		}
	}
	var most, sum int64
	for _, q := range priced {
		most = max(most, q.Cost)
	}
	for _, bytes := range moved {
		if sum += bytes; most > 0 && sum > model.MaxSum/most {
			return nil, byOrder, 0, model.Issue{
				Field: "cost", Value: strconv.FormatInt(most, 10),
				Message: "is too large: the traffic exceeds what can be counted",
			}.Err()
		}
	}
	p.Rules = &model.Rules{Pools: slices.Clone(priced), Objective: []model.Measure{model.MeasureCost, model.MeasureHeight}}
	for i := range p.Buffers {
		x := &model.Extra{}
		for q := range priced {
			x.Costs = append(x.Costs, model.PoolCost{Pool: int32(q), Cost: moved[i] * priced[q].Cost})
		}
		p.Buffers[i].Extra = x
	}
	return priced, byOrder, sum * most, nil
}

// reserveTail takes the tail off the capacity of the home. It returns false if the tail does not fit.
func (b *Banks) reserveTail(reported int64) bool {
	own := *b.target
	own.planner = 0 // the planner class lies outside
	f := b.set.predict(b.Model, b.Arena, nil, 0, &own, 0)
	b.Tail, b.floor = tflite.RoundUp(f.Tail), f.Smallest
	if reported > 0 {
		b.Tail, b.floor, b.reported = tflite.RoundUp(reported), f.Measured(reported, 0), true
	}
	for t := range b.Model.Tensors {
		if x := &b.Model.Tensors[t]; x.Variable {
			b.Variables += tflite.RoundUp(x.Bytes)
		}
	}
	home := &b.Problem.Rules.Pools[b.Home]
	if home.Capacity == 0 {
		return true
	}
	if b.Short = max(b.Tail, b.floor) - home.Capacity; b.Short > 0 {
		return false
	}
	b.Short = 0
	home.Capacity = max(1, home.Capacity-b.Tail) // 1: no buffer is that small, and 0 would mean no limit
	return true
}

// judge computes the figures from the planner's result.
func (b *Banks) judge() {
	for k, m := range b.Result.Objective {
		if m == model.MeasureCost && k < len(b.Result.Bounds) {
			b.Bound = b.Result.Bounds[k].Value
		}
	}
	if !b.Result.Status.HasPlan() {
		b.Short = b.lacking()
		return
	}
	b.Heads, b.Used, b.Moved = make([]int64, len(b.Pools)), make([]int64, len(b.Pools)), make([]int64, len(b.Pools))
	moved := b.moved()
	for k := range b.Arena.Tensor {
		i := b.In[k]
		q, at := b.Result.PoolOf(i), b.Result.Offsets[i]
		b.Pool, b.Placed = append(b.Pool, q), append(b.Placed, at)
		b.Heads[q] = max(b.Heads[q], at+b.Problem.Buffers[i].Size)
		b.Moved[q] += moved[k]
	}
	copy(b.Used, b.Heads)
	b.Used[b.Home] = max(b.floor, b.Tail+b.Heads[b.Home])
	b.Traffic = model.ValueOf(b.Result.Measures, model.MeasureCost)
}

// lacking returns how many bytes the pools together lack for the tail and the bytes that are live at one time; 0 if
// they have enough.
func (b *Banks) lacking() int64 {
	room, limited := Room(b.Problem.Rules.Pools)
	if !limited {
		return 0
	}
	return max(0, slices.Max(loads(b.Problem))-room)
}

// Room returns the bytes of all pools that are not reserved. limited is false if one of them has no limit.
func Room(pools []model.Pool) (bytes int64, limited bool) {
	for _, q := range pools {
		if q.Capacity == 0 {
			return 0, false
		}
		bytes += q.Capacity
		for _, r := range q.Reserved {
			bytes -= max(0, min(r.Upper, q.Capacity)-r.Lower)
		}
	}
	return bytes, true
}

// Strip is what a runtime with one strip of memory needs: all tensors in one head.
type Strip struct {
	Head  int64 // the bytes of all tensors, planned
	Arena int64 // the smallest arena that works, in bytes
	// NonPersistent and Persistent are sizes in bytes for a runtime with two arenas (MicroAllocator::Create with two):
	// the arena of all tensors, and the arena of the data that the runtime keeps. Both are multiples of 16.
	NonPersistent, Persistent int64
}

// OneStrip plans the model for a runtime that has one strip, with the build and the scratch of the options.
func OneStrip(ctx context.Context, m *tflite.Model, o BankOptions) (*Strip, error) {
	p, err := Make(ctx, m, Options{Scratch: o.Scratch, Set: o.Set, Named: o.Named, InPlace: o.InPlace, Solve: o.Solve})
	if err != nil {
		return nil, err
	}
	t := o.Target
	if t == nil {
		t = &Firmware32
	}
	var offsets []int32
	if p.Worth() {
		offsets = p.Offsets
	}
	f := o.Set.Predict(m, p.Arena, offsets, p.WrittenHead(), t)
	// Two allocators take two words more than one (arena_allocator of the runtime).
	s := &Strip{
		Head: p.WrittenHead(), Arena: f.Smallest, NonPersistent: f.Front, Persistent: tflite.RoundUp(f.Tail + 2*t.word),
	}
	if o.Tail > 0 {
		s.Arena, s.Persistent = f.Measured(o.Tail, s.Head), tflite.RoundUp(o.Tail+2*t.word)
	}
	return s, nil
}

// A BankArena is an arena that works on a target, with the planner class.
type BankArena struct {
	Target *Target // the build of the runtime
	Bytes  int64   // a multiple of 16
}

// Arenas returns sizes of an arena in Home that works with the plan, on firmware of 32 and of 64 bits; nil if there is
// no plan. If the model has no variable tensors, a size is at most 16 bytes above the smallest. With BankOptions.Tail
// both have one size. A size is a lower bound if Unknown names an operator of the model.
func (b *Banks) Arenas() (out []BankArena) {
	if b.Pool == nil {
		return nil
	}
	for _, t := range []*Target{&Firmware32, &Firmware64} {
		bytes := b.Used[b.Home]
		if !b.reported {
			own := *t
			own.planner = 0
			bytes = b.set.predict(b.Model, b.Arena, nil, b.Heads[b.Home], &own, 0).Smallest
		}
		out = append(out, BankArena{t, bytes})
	}
	return out
}

// ForC returns the plan as C takes it, for WriteBanks and WritePlanner of format/cheader; there must be one.
// Identifiers begin with name, and note is a sentence about the sizes, for a comment.
func (b *Banks) ForC(name, note string) *cheader.BankPlan {
	out := &cheader.BankPlan{Name: name, Home: b.Home, Note: note, AtLeast: len(Unknown(b.Model)) > 0 && !b.reported}
	for k, q := range b.Pools {
		out.Banks = append(out.Banks,
			cheader.Bank{Name: q.ID, Bytes: b.Heads[k], Alignment: q.Alignment, Reserved: len(q.Reserved) > 0})
	}
	for k, s := range b.Arenas() {
		size := targets[k]
		size.Bytes = s.Bytes
		out.Arenas = append(out.Arenas, size)
	}
	for k := range b.Arena.Tensor {
		x := &b.Arena.Problem.Buffers[k]
		out.Buffers = append(out.Buffers, cheader.BankBuffer{
			Name: x.ID, Size: x.Size, First: int32(x.Lower) - 1, Last: int32(x.Upper) - 2, Bank: b.Pool[k], Offset: b.Placed[k],
		})
	}
	return out
}
