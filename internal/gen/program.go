package gen

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a compiler emits a list of ops. An op writes buffers, and reads buffers of earlier ops. A buffer lives from
// the op that writes it to the last op that reads it, both included. graph.go has a few published networks with their
// shapes and names. A program is for large numbers: it has exactly as many buffers as are asked for, up to millions,
// with sizes drawn from the ranges of real layers.
//
// Invariant: a program has at most the number of buffers asked for. Further writes make no buffer, and reads of such
// buffers do nothing. So a generator need not count: its last op is cut short.
//
// Complexity: O(1) a buffer and a read.

// bufferID indexes program.buffers; -1 is a buffer that was not made.
type bufferID int32

// program is a list of ops in the making.
type program struct {
	*RNG
	buffers []model.Buffer
	limit   int    // of buffers
	step    int64  // index of the op in the making
	prefix  string // of the names of buffers
}

// newProgram returns an empty program of up to o.Buffers buffers.
func newProgram(o Options, kind string) *program {
	return &program{RNG: NewRNG(o.Seed, kind), buffers: make([]model.Buffer, 0, o.Buffers), limit: o.Buffers}
}

// full reports whether all buffers are made.
func (p *program) full() bool { return len(p.buffers) >= p.limit }

// room is the number of buffers still to be made.
func (p *program) room() int { return p.limit - len(p.buffers) }

// write makes a buffer that the op in the making writes.
func (p *program) write(name string, size int64) bufferID {
	if p.full() {
		return -1
	}
	id := bufferID(len(p.buffers))
	p.buffers = append(p.buffers, model.Buffer{
		ID: p.prefix + name + "." + strconv.Itoa(int(id)), Lower: p.step, Upper: p.step + 1,
		Size: max(1, ceilDiv(size, granule)) * granule,
	})
	return id
}

// read says that the op in the making reads buffers.
func (p *program) read(ids ...bufferID) {
	for _, id := range ids {
		if id >= 0 {
			p.buffers[id].Upper = max(p.buffers[id].Upper, p.step+1)
		}
	}
}

// next ends the op in the making and starts another.
func (p *program) next() { p.step++ }

// op is a whole op: it reads, writes one buffer and ends.
func (p *program) op(name string, size int64, reads ...bufferID) bufferID {
	p.read(reads...)
	id := p.write(name, size)
	p.next()
	return id
}

// instance returns the program as a problem.
func (p *program) instance(o Options) *Instance {
	if o.Alignment > 1 {
		for i := range p.buffers {
			p.buffers[i].Alignment = o.Alignment
		}
	}
	return &Instance{Problem: &model.Problem{Capacity: o.Capacity, Buffers: p.buffers}}
}
