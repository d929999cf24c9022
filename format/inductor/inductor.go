// Package inductor reads the Python that PyTorch's Inductor generates, if it plans memory, as problems of memory
// planning.
//
// With torch._inductor.config.memory_planning = True (and TORCH_COMPILE_DEBUG=1, or
// TORCH_LOGS=output_code, to see the code) the generated function call has lines like
//
//	pool2 = empty_strided_cpu((220800, ), (1, ), torch.uint8)
//	buf0 = alloc_from_pool(pool2, 0, torch.float32, (120, 120), (120, 1))
//	extern_kernels.mm(arg0_1, arg1_1, out=buf0)
//	buf1 = buf0;  # reuse
//	buf2 = reinterpret_tensor(buf1, (60, 240), (240, 1), 0);  # reuse
//	buf3 = buf0  # alloc
//
// Each pool is a problem. A buffer is live from the line that allocates it to the last line that uses it, by any of
// its names; del does not count. Its size follows from shape and stride. In the last of the lines above, buf3 is
// another buffer: it takes over the bytes and the tensor of buf0.
//
// Complexity: O(bytes).
//
// Source: pytorch, torch/_inductor/codegen/memory_planning.py and wrapper.py; code that
// torch 2.15.0 generated for the CPU.
package inductor

import (
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Alignment is the alignment of buffers in a pool, in bytes.
const Alignment = 64

// A Pool is one pool of the generated code.
type Pool struct {
	Name    string         // as in the code, with the line number if several pools have the name
	Problem *model.Problem // a buffer for each alloc_from_pool, with the name there as its ID
	Offsets []int64        // Inductor's own plan, in bytes
	Height  int64          // height of that plan in bytes
	// Symbolic is the number of buffers that are left out because their sizes are
	// known only at run time. If it is above 0, Offsets is nil.
	Symbolic int

	last []int32 // where the buffers are among those of the parser
}

const (
	from  = " = alloc_from_pool("
	again = "  # alloc"
	// bufferBytes is what a buffer takes in memory, nameBytes what another name or a pool does.
	bufferBytes, nameBytes, poolBytes = 300, 100, 1000
)

// sizes has the bytes of an element of each type.
var sizes = map[string]int64{
	"torch.float64": 8, "torch.float32": 4, "torch.float16": 2, "torch.bfloat16": 2, "torch.int64": 8, "torch.int32": 4,
	"torch.int16": 2,
	"torch.int8":  1, "torch.uint8": 1, "torch.uint16": 2, "torch.uint32": 4, "torch.uint64": 8, "torch.bool": 1,
	"torch.complex64":  8,
	"torch.complex128": 16, "torch.float8_e4m3fn": 1, "torch.float8_e5m2": 1, "torch.float8_e4m3fnuz": 1,
	"torch.float8_e5m2fnuz": 1,
}

// IsCode reports whether head, the beginning of a file, may be that of generated code.
func IsCode(head []byte) bool { return strings.HasPrefix(string(head), "# AOT ID: ") }

// Read reads the pools of generated code from r, at least one, in the order of the code; file is its name in messages.
// The error is r's, or a *model.InputError that names each fault by its line.
func Read(r io.Reader, file string) ([]Pool, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	p := parser{text: text, names: map[string]int32{}, pools: map[string]int{}}
	// The buffers are counted, so that nothing grows as they are read.
	p.buffers = make([]buffer, 0, text.Most(strings.Count(text.Text, from)+strings.Count(text.Text, again), bufferBytes))
	for at, line := range text.Lines() {
		p.number++
		if p.line(at, line); p.err != nil {
			return nil, p.err
		}
	}
	return p.finish()
}

// parser goes through the code line by line.
type parser struct {
	text    *source.Text
	number  int              // of the line
	now     int64            // the statement
	names   map[string]int32 // the buffer that has this name
	pools   map[string]int   // the pool that has this name
	all     []Pool
	buffers []buffer
	err     error
}

// A buffer is one alloc_from_pool; size is 0 if that is not known.
type buffer struct {
	name         string
	line         int
	offset, size int64
	lower, upper int64
	pool         int // index
	symbolic     bool
}

func (p *parser) refuse(at int, field, value, message string) {
	if p.err == nil {
		p.err = model.Issue{
			File: p.text.File, Line: p.text.Line(at), Field: field, Value: source.Clip(value), Message: message,
		}.Err()
	}
}

// spend takes n from the budget for what a name stands for.
func (p *parser) spend(at int, name string, n int) bool {
	if !p.text.Spend(n) {
		p.refuse(at, "", name, p.text.Excess())
	}
	return p.err == nil
}

// line reads one line, without the space around it.
func (p *parser) line(at int, line string) {
	switch {
	case line == "" || line[0] == '#' || strings.HasPrefix(line, "del "):
		return
	case strings.HasPrefix(line, "def "):
		// Names are those of one function.
		// Maps are made anew: to clear a large one takes as long as it was large.
		p.names, p.pools = map[string]int32{}, map[string]int{}
		return
	}
	p.now++
	if name, rest, ok := strings.Cut(line, from); ok && word(name) == len(name) {
		p.allocate(at, name, rest)
		return
	}
	left, right, assigned := strings.Cut(line, " = ")
	if !assigned || word(left) != len(left) || left == "" {
		p.use(line)
		return
	}
	if of, ok := strings.CutSuffix(right, again); ok {
		if k, ok := p.names[of]; ok {
			b := p.buffers[k]
			b.name = left
			p.add(at, b)
			return
		}
	}
	p.use(right)
	if strings.HasPrefix(right, "empty_strided") && strings.HasPrefix(left, "pool") {
		delete(p.pools, left) // a pool of this name again is another
		return
	}
	// "buf1 = buf0;  # reuse": another name for the same buffer. So is a view of it,
	// "buf1 = reinterpret_tensor(buf0, …)", which is how a buffer of another shape is
	// reused; a part of it or a method's result may be one.
	right = strings.TrimPrefix(right, "reinterpret_tensor(")
	n := word(right)
	k, ok := p.names[right[:n]]
	if ok && (n == len(right) || strings.IndexByte("; ,.[", right[n]) >= 0) && p.spend(at, left, nameBytes) {
		p.names[left] = k
		p.buffers[k].upper = p.now + 1
	} else if !ok {
		delete(p.names, left)
	}
}

// word returns how long the name is that a text begins with.
func word(s string) int {
	for k := range len(s) {
		if c := s[k]; c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return k
		}
	}
	return len(s)
}

// use makes the buffers live that a piece of code names.
func (p *parser) use(code string) {
	code, _, _ = strings.Cut(code, "  #")
	for code != "" {
		n := word(code)
		if n == 0 {
			code = code[1:]
			continue
		}
		if k, ok := p.names[code[:n]]; ok {
			p.buffers[k].upper = p.now + 1
		}
		code = code[n:]
	}
}

// allocate reads "pool2, 57600, torch.float32, (120, 120), (120, 1))".
func (p *parser) allocate(at int, name, rest string) {
	pool, rest, ok := strings.Cut(rest, ", ")
	offset, rest, ok2 := strings.Cut(rest, ", ")
	typ, rest, ok3 := strings.Cut(rest, ", (")
	shape, rest, ok4 := strings.Cut(rest, "), (")
	stride, _, ok5 := strings.Cut(rest, ")")
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 {
		p.refuse(at, name, rest, "is not an alloc_from_pool: expected POOL, OFFSET, TYPE, (SHAPE), (STRIDE)")
		return
	}
	width, known := sizes[typ]
	if !known {
		p.refuse(at, name+", type", typ, "is a type of unknown size")
		return
	}
	k, ok := p.pools[pool]
	if !ok {
		if !p.spend(at, pool, poolBytes) {
			return
		}
		k = len(p.all)
		p.pools[pool] = k
		p.all = append(p.all, Pool{Name: pool, Problem: &model.Problem{}})
	}
	b := buffer{name: name, pool: k}
	start, err := strconv.ParseInt(offset, 10, 64)
	size, constant := span(shape, stride, width)
	switch {
	case err != nil || !constant:
		b.symbolic = true
	case start < 0 || start > model.MaxSum:
		p.refuse(at, name+", offset", offset, "must be from 0 to "+strconv.FormatInt(model.MaxSum, 10))
	case size < 0:
		p.refuse(at, name+", shape", "("+shape+"), ("+stride+")", "does not span a valid amount of storage")
	default:
		b.offset, b.size = start, size
	}
	p.add(at, b)
}

// add adds a buffer that is allocated here.
func (p *parser) add(at int, b buffer) {
	if !p.spend(at, b.name, bufferBytes+len(b.name)) {
		return
	}
	b.line, b.lower, b.upper = p.number, p.now, p.now+1
	pool := &p.all[b.pool]
	if b.symbolic {
		pool.Symbolic++
	}
	p.names[b.name] = int32(len(p.buffers))
	pool.last = append(pool.last, int32(len(p.buffers)))
	p.buffers = append(p.buffers, b)
}

// span returns the bytes from the first to the last element, -1 if those are
// impossible. It reports false if a dimension is not a number.
func span(shape, stride string, width int64) (size int64, constant bool) {
	last, impossible := int64(0), false
	for {
		d, shapes, _ := strings.Cut(shape, ",")
		s, strides, _ := strings.Cut(stride, ",")
		d, s = strings.TrimSpace(d), strings.TrimSpace(s)
		if d == "" && s == "" {
			break
		}
		n, err := strconv.ParseInt(d, 10, 64)
		step, err2 := strconv.ParseInt(s, 10, 64)
		switch {
		case err != nil || err2 != nil:
			return 0, false
		case n < 0 || step < 0 || n > 0 && step > 0 && n-1 > (math.MaxInt64/64-last)/step:
			impossible = true
		case n == 0:
			return 0, true
		default:
			last += (n - 1) * step
		}
		shape, stride = shapes, strides
	}
	if impossible || (last+1) > model.MaxSum/width {
		return -1, true
	}
	return (last + 1) * width, true
}

// finish makes the problems.
func (p *parser) finish() ([]Pool, error) {
	if len(p.all) == 0 {
		return nil, p.text.Refuse(0, "",
			"has no alloc_from_pool: Inductor writes them with torch._inductor.config.memory_planning = True")
	}
	taken := map[string]bool{}
	var out []Pool
	for k := range p.all {
		pool := &p.all[k]
		var lines []int
		ids := map[string]bool{}
		align := int64(Alignment)
		pool.Problem.Buffers, pool.Offsets = make([]model.Buffer, 0, len(pool.last)), make([]int64, 0, len(pool.last))
		for _, i := range pool.last {
			b := &p.buffers[i]
			if b.size == 0 {
				continue
			}
			id := b.name
			if ids[id] {
				id += " in line " + strconv.Itoa(b.line)
			}
			ids[id] = true
			for b.offset%align != 0 { // Inductor's own plan has to be one of the problem's
				align /= 2
			}
			pool.Problem.Buffers = append(pool.Problem.Buffers,
				model.Buffer{ID: id, Lower: b.lower, Upper: b.upper, Size: b.size})
			pool.Offsets = append(pool.Offsets, b.offset)
			pool.Height = max(pool.Height, b.offset+b.size)
			lines = append(lines, b.line)
		}
		if len(lines) == 0 {
			continue
		}
		for i := range pool.Problem.Buffers {
			pool.Problem.Buffers[i].Alignment = align
		}
		if pool.Symbolic > 0 {
			pool.Offsets, pool.Height = nil, 0
		}
		if taken[pool.Name] {
			pool.Name += " in line " + strconv.Itoa(lines[0])
		}
		taken[pool.Name] = true
		pool.Problem.Name = pool.Name
		err := model.ValidateAs(pool.Problem, model.Terms{Where: func(i int) model.Issue {
			return model.Issue{File: p.text.File, Line: lines[max(i, 0)]}
		}})
		if err != nil {
			return nil, err
		}
		out = append(out, *pool)
	}
	if len(out) == 0 {
		return nil, p.text.Refuse(0, "", "has no buffer whose size is known before run time")
	}
	return out, nil
}
