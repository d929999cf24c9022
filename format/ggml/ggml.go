// Package ggml reads the log of ggml's graph allocator as problems of memory planning.
//
// ggml-alloc.c writes the log if its macro AT_PRINTF prints:
//
//	sed -i 's/^#define AT_PRINTF(...)$/#define AT_PRINTF(...) GGML_LOG_DEBUG(__VA_ARGS__)/' ggml/src/ggml-alloc.c
//
// The lines that count are
//
//	ggml_dyn_tallocr_alloc: allocating x (4096 bytes) - block 0, offset 0, chunk 0
//	reusing parent x for y
//	freeing extra 64 bytes from parent x for y
//	exec: ADD (y) <= x, z
//	ggml_gallocr_free_node: freeing y at {chunk=0, offset=0} (4096 bytes) - n_free_blocks = 1
//
// Time is the number of the operation (exec). A block that is allocated before an operation is live from that operation
// on. A block that is freed after an operation is live up to and including it. A block that is not freed lives to the
// end. If ggml lays a result over its operand, both are in one block, and so are one buffer, named after the operand.
// If the result is smaller, the rest of the block is free from then on: a gap with a window.
//
// A log may have several graphs, one after the other. A graph ends where a block is allocated over a live one. Chunks
// are separate blocks of memory. Offsets count as a plan only if all are in one chunk.
//
// Complexity: O(bytes), and moving n numbers for each allocation and free with n live blocks.
//
// Source: ggml 0.25.3, src/ggml-alloc.c, as llama_cpp_python 0.3.36 on PyPI carries it.
package ggml

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Alignment is the alignment of tensors on the CPU, in bytes. ggml has rounded sizes in the log to the alignment of the
// backend, so the largest power of two that divides all of them is used, at most this one.
const Alignment = 32

// A Graph is the problem of one graph.
type Graph struct {
	// Name counts the graphs of the log from 0.
	Name string
	// Problem has a buffer for each block that ggml allocated.
	Problem *model.Problem
	// Offsets is where ggml put the blocks, in the order of the buffers; nil if they are in several chunks.
	Offsets []int64
	// InPlace is the number of results that lie over an operand.
	InPlace int
}

const (
	allocating = "ggml_dyn_tallocr_alloc: allocating "
	freeing    = "ggml_gallocr_free_node: freeing "
	extra      = "freeing extra "
	reusing    = "reusing "
	exec       = "exec: "
)

// IsLog reports whether head, the beginning of a file, may be that of a log.
func IsLog(head []byte) bool {
	text := string(head)
	return strings.HasPrefix(text, allocating) || strings.HasPrefix(text, exec)
}

// Read reads the graphs of a log from r, at least one, in the order of the log; file is its name in messages. Other
// lines are skipped. The error is r's, or a *model.InputError that names a fault by its line.
func Read(r io.Reader, file string) ([]Graph, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	p := parser{text: text}
	p.begin()
	for at, line := range text.Lines() {
		if p.line(at, line); p.err != nil {
			return nil, p.err
		}
	}
	if p.end(); p.err != nil {
		return nil, p.err
	}
	if len(p.graphs) == 0 {
		return nil, text.Refuse(0, "",
			"has no line of ggml's graph allocator: it begins with "+strconv.Quote(strings.TrimSpace(allocating))+
				", and ggml writes it if AT_PRINTF in ggml-alloc.c prints")
	}
	return p.graphs, nil
}

// place is the place of a block.
type place struct{ chunk, offset int64 }

// block is a buffer of the problem that is being read.
type block struct {
	place
	size, now int64 // bytes at first, and by now
	freed     bool
}

// blockBytes is the memory of a block, in lists that grow and in the tables of names and places. graphBytes is that of
// a graph.
const (
	blockBytes = 2*int(unsafe.Sizeof(block{})+unsafe.Sizeof(model.Buffer{})) + 200
	graphBytes = 1000
)

// maxName is more than the longest name in ggml (GGML_MAX_NAME). Longer words are not searched for names.
const maxName = 256

// unsure stands for no block: ggml lets tensors share a name, and tensors of this name are in several blocks.
const unsure = -1

// parser goes through a log line by line.
type parser struct {
	text   *source.Text
	graphs []Graph
	err    error

	// Of the graph that is being read:
	time    int64
	names   map[string]int // how many buffers have a name
	live    []int          // the live blocks, by their places; no two overlap
	tensors map[string]int // the live block that the tensor of this name is in; unsure if there may be several
	blocks  []block        // in the order of the buffers
	problem *model.Problem
	inPlace int
}

// begin starts a graph.
func (p *parser) begin() {
	p.time, p.inPlace, p.blocks = 0, 0, nil
	p.names, p.live, p.tensors = map[string]int{}, nil, map[string]int{}
	p.problem = &model.Problem{Name: "graph " + strconv.Itoa(len(p.graphs))}
	p.text.Spend(graphBytes)
}

// end completes a graph that has a block.
func (p *parser) end() {
	if len(p.blocks) == 0 {
		return
	}
	g := Graph{Name: strconv.Itoa(len(p.graphs)), Problem: p.problem, InPlace: p.inPlace, Offsets: []int64{}}
	step := int64(Alignment)
	for k := range p.blocks {
		for p.blocks[k].size%step != 0 {
			step /= 2
		}
	}
	for k := range p.blocks {
		b, x := &p.blocks[k], &p.problem.Buffers[k]
		x.Alignment = step
		if !b.freed {
			x.Upper = max(p.time, x.Lower+1)
		}
		if n := len(x.Gaps); n > 0 {
			x.Gaps[n-1].Upper = x.Upper
			if x.Gaps[n-1].Lower >= x.Upper {
				x.Gaps = x.Gaps[:n-1]
			}
		}
		if b.chunk != p.blocks[0].chunk {
			g.Offsets = nil
		}
		if g.Offsets != nil {
			g.Offsets = append(g.Offsets, b.offset)
		}
	}
	if err := model.Validate(p.problem); err != nil { // sizes that are too large to add up
		p.err = p.text.Refuse(0, "", "is damaged: "+err.Error())
	}
	p.graphs = append(p.graphs, g)
}

// line reads one line.
func (p *parser) line(at int, line string) {
	switch {
	case strings.HasPrefix(line, allocating):
		p.allocate(at, line)
	case strings.HasPrefix(line, freeing):
		p.free(at, line)
	case strings.HasPrefix(line, extra):
		p.shrink(at, line)
	case strings.HasPrefix(line, reusing):
		p.reuse(at, line)
	case strings.HasPrefix(line, exec):
		p.time++
	}
}

func (p *parser) refuse(at int, line, message string) {
	p.err = p.text.Refuse(at, source.Clip(line), message)
}

// allocate reads the line of a new block.
func (p *parser) allocate(at int, line string) {
	name, rest, ok := cutLast(strings.TrimPrefix(line, allocating), " (")
	size, rest, sized := number(rest, " bytes) - block ")
	_, rest, blocked := number(rest, ", offset ")
	offset, chunk, placed := int64(0), int64(0), false
	if text, after, more := strings.Cut(rest, ", chunk "); more {
		offset, _, placed = number(text, "")
		var last bool
		chunk, _, last = number(after, "")
		placed = placed && last
	} else { // before ggml had chunks
		offset, _, placed = number(rest, "")
	}
	if !ok || !sized || !blocked || !placed || size == 0 || offset > math.MaxInt64-size {
		p.refuse(at, line, "is not of the form ggml_dyn_tallocr_alloc: allocating NAME (SIZE bytes) - block N, offset N, chunk N")
		return
	}
	b := block{place: place{chunk, offset}, size: size, now: size}
	among, _ := p.at(b.place)
	over := func(k int) bool {
		if k < 0 || k == len(p.live) {
			return false
		}
		x := &p.blocks[p.live[k]]
		return x.chunk == chunk && x.offset < offset+size && offset < x.offset+x.now
	}
	if over(among-1) || over(among) {
		p.end()
		p.begin()
		among = 0
	}
	if !p.text.Spend(blockBytes + 2*len(name)) {
		p.err = p.text.Exceeded(at, name)
		return
	}
	id := name
	if n := p.names[name]; n > 0 || name == "" {
		id = name + "#" + strconv.Itoa(n+1)
	}
	for p.names[id] > 0 {
		id += "'"
	}
	p.names[name]++
	if id != name {
		p.names[id]++
	}
	p.live = slices.Insert(p.live, among, len(p.blocks))
	p.holds(name, len(p.blocks))
	p.blocks = append(p.blocks, b)
	p.problem.Buffers = append(p.problem.Buffers, model.Buffer{ID: id, Lower: p.time, Size: size})
}

// at returns where the live block at a place is, or would be, among the live blocks.
func (p *parser) at(x place) (int, bool) {
	return slices.BinarySearchFunc(p.live, x, func(k int, x place) int {
		return cmp.Or(cmp.Compare(p.blocks[k].chunk, x.chunk), cmp.Compare(p.blocks[k].offset, x.offset))
	})
}

// holds notes the block that a tensor is in.
func (p *parser) holds(name string, k int) {
	if before, found := p.tensors[name]; found && before != k && (before == unsure || !p.blocks[before].freed) {
		k = unsure
	}
	p.tensors[name] = k
}

// free reads the line of a block that is free from now on.
func (p *parser) free(at int, line string) {
	_, rest, ok := strings.Cut(line, " at {chunk=")
	chunk, rest, chunked := number(rest, ", offset=")
	offset, _, placed := number(rest, "} (")
	among, found := p.at(place{chunk, offset})
	switch {
	case !ok || !chunked || !placed:
		p.refuse(at, line, "is not of the form ggml_gallocr_free_node: freeing NAME at {chunk=N, offset=N} (SIZE bytes) - n_free_blocks = N")
		return
	case !found:
		p.refuse(at, line, "frees a block that is not live: the log is of several backends at once, or is not whole")
		return
	}
	k := p.live[among]
	p.live = slices.Delete(p.live, among, among+1)
	p.blocks[k].freed = true
	x := &p.problem.Buffers[k]
	x.Upper = max(p.time, x.Lower+1)
}

// reuse reads the line of a result that lies over its operand.
func (p *parser) reuse(at int, line string) {
	rest, view := strings.CutPrefix(strings.TrimPrefix(line, reusing), "view parent ")
	rest, parent := strings.CutPrefix(rest, "parent ")
	operand, result, ok := cutLast(rest, " for ")
	if !ok || view == parent {
		p.refuse(at, line, "is not of the form reusing parent NAME for NAME")
		return
	}
	if view { // the view's name, and in brackets that of what it is a view of, either of which may have brackets
		name := strings.TrimSuffix(operand, ")")
		for at := max(0, len(name)-maxName); at < len(name); at++ {
			if rest, cut := strings.CutPrefix(name[at:], " ("); cut {
				if _, found := p.tensors[rest]; found {
					operand = rest
					break
				}
			}
		}
	}
	if !p.text.Spend(64) {
		p.err = p.text.Exceeded(at, result)
		return
	}
	p.inPlace++
	k, found := p.tensors[operand]
	if !found {
		k = unsure
	}
	delete(p.tensors, operand)
	p.holds(result, k)
}

// shrink reads the line of a block whose end is free from now on.
func (p *parser) shrink(at int, line string) {
	bytes, rest, ok := number(strings.TrimPrefix(line, extra), " bytes from parent ")
	_, result, named := cutLast(rest, " for ")
	if !ok || !named {
		p.refuse(at, line, "is not of the form freeing extra SIZE bytes from parent NAME for NAME")
		return
	}
	// The line before has said that the result is in the operand's block.
	k, found := p.tensors[result]
	if !found || k == unsure || p.blocks[k].freed || bytes == 0 || bytes >= p.blocks[k].now {
		p.refuse(at, line, "is about a block that is not known, or has no more bytes than that: tensors may have one name")
		return
	}
	if !p.text.Spend(2*int(unsafe.Sizeof(model.Gap{})) + int(unsafe.Sizeof(model.Window{}))) {
		p.err = p.text.Exceeded(at, result)
		return
	}
	b, x := &p.blocks[k], &p.problem.Buffers[k]
	b.now -= bytes
	if n := len(x.Gaps); n > 0 {
		if x.Gaps[n-1].Lower == p.time {
			x.Gaps = x.Gaps[:n-1]
		} else {
			x.Gaps[n-1].Upper = p.time
		}
	}
	x.Gaps = append(x.Gaps, model.Gap{Lower: p.time, Window: &model.Window{Upper: b.now}})
}

// number cuts a number that is not negative, and what must follow it, from the beginning of a text.
func number(text, after string) (n int64, rest string, ok bool) {
	digits := text
	if after != "" {
		if digits, rest, ok = strings.Cut(text, after); !ok {
			return 0, "", false
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, rest, err == nil && n >= 0
}

// cutLast is strings.Cut at the last separator: names may have anything.
func cutLast(text, separator string) (before, after string, found bool) {
	if at := strings.LastIndex(text, separator); at >= 0 {
		return text[:at], text[at+len(separator):], true
	}
	return text, "", false
}
