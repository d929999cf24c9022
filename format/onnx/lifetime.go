package onnx

import "slices"

// Idea: one clock ticks at each node, in the order of the file. A value lives from the tick at which it is made to
// the last tick at which it is read. Inputs live from 0, and outputs to the end. Nodes that only compute constants
// take no tick.
//
// The two branches of an If have ticks one after the other, though only one branch runs. So a value of one branch has
// no tick in common with a value of the other. Take a value from before the If that both branches read and no later
// node reads. After its last use in the first branch it need not be kept until the second begins: that is a gap of its
// lifespan. If the value is read after the If, the gap closes. The results of an If are made at the end of each branch,
// with a gap between.
//
// A body of a loop has ticks once. Values that it reads from outside are kept until its end, since the next round reads
// them again.
//
//	tick     3    4 5 6   7 8 9   10
//	       If(c)  then    else    next
//	x        █    █ █ ·   █ · ·   ·       read at 5 and at 7
//	result   ·    · · █   · · █   █       made at 6 or at 9
//
// Invariant: if some path of control makes a value before a tick and reads it after the tick, without making it again
// between, the value is live at the tick.
//
// Complexity: O(uses × depth of control flow).
//
// Source: Stowage; the order is what ONNX asks of a file.

// A life is when a value is in use.
type life struct {
	first, last int64 // ticks, both included
	gaps        []gap
	depth       int32 // of open constructs where the value is made
	region      int32 // the body that makes it: a graph, a branch, one of a loop
	captive     int   // the loop that keeps it, by its number; 0 for none
	state       bool  // goes from one round of a loop to the next
	reads       int   // ticks at which it is read; a loop reads what is outside once
	read        int64 // the last of them
}

// A gap is when a value need not be kept: [from, to).
type gap struct {
	from, to int64
	own      bool // of a result of an If, which is made on both sides
}

// A construct is an If or a loop that is being walked.
type construct struct {
	id       int
	start    int64
	other    int64 // where the second branch begins; 0 before it
	loop     bool
	captives []int32 // what the loop reads from outside
}

// A clock has the tick and where control is.
type clock struct {
	now     int64
	open    []construct
	region  int32
	regions int32
	serial  int // constructs so far
}

func (w *walker) start() { w.region, w.regions = 1, 1 }

func (w *walker) tick() { w.now++ }

// push opens a construct at the present tick.
func (w *walker) push(loop bool) {
	w.serial++
	w.open = append(w.open, construct{id: w.serial, start: w.now, loop: loop})
	w.tick()
}

// pop closes the last construct.
func (w *walker) pop() { w.open = w.open[:len(w.open)-1] }

// enter begins a region of its own and returns the one around it.
func (w *walker) enter() (outer int32) {
	outer = w.region
	w.regions++
	w.region = w.regions
	return outer
}

// born makes a value live at a tick.
func (w *walker) born(v int32, at int64) {
	w.values[v].life = life{first: at, last: at, depth: int32(len(w.open)), region: w.region}
}

// use keeps a value until a tick, the present one.
func (w *walker) use(v int32, at int64) {
	val := &w.values[v]
	if val.Constant || val.Stored != nil {
		return
	}
	for k := int(val.depth); k < len(w.open); k++ {
		if c := &w.open[k]; c.loop {
			if val.captive != c.id && w.Spend(8) {
				val.captive = c.id
				c.captives = append(c.captives, v)
			}
			return
		}
	}
	val.gaps = slices.DeleteFunc(val.gaps, func(g gap) bool { return !g.own && !w.apart(g) })
	for k := int(val.depth); k < len(w.open); k++ {
		c := &w.open[k]
		if c.other == 0 || val.last >= c.other {
			continue
		}
		if from := max(val.last, c.start) + 1; from < c.other && w.Spend(24) {
			val.gaps = append(val.gaps, gap{from: from, to: c.other})
		}
	}
	val.last = max(val.last, at)
	if val.reads == 0 || val.read != at {
		val.reads, val.read = val.reads+1, at
	}
}

// apart reports whether a gap lies in the first branch of an If while the walk is in the second. Then no run goes
// from one to the other.
func (w *walker) apart(g gap) bool {
	for k := len(w.open) - 1; k >= 0; k-- {
		if c := &w.open[k]; c.start < g.from {
			return g.from < c.other
		}
	}
	return false
}
