package xla

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// A madeValue is a value of a made module: from instruction start to instruction end, both included.
type madeValue struct {
	id, size, offset int64
	start, end       int
	shares           int    // the value in whose place it is; itself for its own
	tuple            string // the tuple that it is part 0 of; empty for none
	tupleAt          int64  // where that is
	phi              bool
}

func (v *madeValue) name() string {
	if v.phi {
		return fmt.Sprintf("op.%d{0}", v.id)
	}
	return fmt.Sprintf("op.%d", v.id)
}

// A made module is one whose dumps a test writes.
type made struct {
	values       []madeValue // in the order in which they are defined
	instructions int
	old          bool // names in place of numbers
	whole        bool // one text
	color        int64
}

// module makes a module at random. Values share places as in XLA: a value begins where another ends, as in a loop. Or
// they live apart, as results of branches do, which are parts of tuples at one offset.
func module(rng *rand.Rand) made {
	m := made{instructions: 4 + rng.IntN(40), old: rng.IntN(2) == 0, whole: rng.IntN(2) == 0}
	n := 1 + rng.IntN(25)
	end := map[int]int{} // of what shares the place of a value
	for i := range n {
		v := madeValue{size: 4 * (1 + rng.Int64N(50)), start: rng.IntN(m.instructions), shares: i}
		v.end = min(m.instructions, v.start+rng.IntN(8))
		if i > 0 && rng.IntN(3) == 0 {
			first := m.values[rng.IntN(i)].shares
			v.shares, v.size = first, m.values[first].size
			if rng.IntN(6) == 0 {
				v.size = 4 * (1 + rng.Int64N(v.size/4))
			}
			v.start, v.phi = end[first], rng.IntN(2) == 0
			if rng.IntN(2) == 0 { // apart: through tuples, the first value's too
				v.start += 1 + rng.IntN(4)
				v.tuple, v.tupleAt = fmt.Sprintf("tuple.%d", i), int64(1<<20+64*first)
				if t := &m.values[first]; t.tuple == "" {
					t.tuple, t.tupleAt = fmt.Sprintf("tuple.%d", first), v.tupleAt
				}
			}
			v.end = v.start + rng.IntN(5)
		}
		end[v.shares] = max(end[v.shares], v.end)
		m.instructions = max(m.instructions, v.end)
		m.values = append(m.values, v)
	}
	// Ids have nothing to do with the order.
	for i, id := range rng.Perm(n) {
		m.values[i].id = int64(10 + id)
	}
	m.place()
	return m
}

// place gives each place the lowest offset where it meets no other.
func (m *made) place() {
	var spans [][4]int64 // offset, end, first and last instruction
	for i := range m.values {
		if m.values[i].shares != i {
			continue
		}
		s := [4]int64{0, 0, 1 << 40, -1}
		for k := range m.values {
			if v := &m.values[k]; v.shares == i {
				s[1], s[2], s[3] = max(s[1], v.size), min(s[2], int64(v.start)), max(s[3], int64(v.end))
			}
		}
		size := s[1]
		for again := true; again; {
			again = false
			s[1] = s[0] + size
			for _, o := range spans {
				if s[0] < o[1] && o[0] < s[1] && s[2] <= o[3] && o[2] <= s[3] {
					s[0], again = (o[1]+63)/64*64, true
					break
				}
			}
		}
		spans = append(spans, s)
		for k := range m.values {
			if m.values[k].shares == i {
				m.values[k].offset = s[0]
			}
		}
	}
}

// put appends a field of bytes, varint one of a number.
func put(b []byte, field protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
}

func varint(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

const computation = 7 << 32 // the upper bits of an instruction's number

// proto writes the HloProto.
func (m *made) proto() []byte {
	var module, code, assignment, allocation, trace []byte
	module = put(module, moduleName, []byte("jit_made"))
	allocation = varint(allocation, allocationIndex, 3)
	for i := range m.values {
		v := &m.values[i]
		instruction := put(nil, instructionName, fmt.Appendf(nil, "op.%d", v.id))
		code = put(code, computationInstructions, varint(instruction, instructionID, computation|v.id))
		var at []byte
		if m.old {
			at = put(at, 1, []byte("main"))
			at = put(at, locationName, fmt.Appendf(nil, "op.%d", v.id))
		} else {
			at = varint(at, locationID, computation|v.id)
		}
		if v.phi {
			at = put(at, locationIndex, []byte{0})
		}
		buffer := varint(varint(nil, bufferID, v.id), bufferSize, v.size)
		buffer = varint(put(buffer, bufferDefinedAt, at), bufferColor, m.color)
		assignment = put(assignment, assignmentBuffers, buffer)
		assigned := varint(varint(nil, assignedBuffer, v.id), assignedOffset, v.offset)
		allocation = put(allocation, allocationAssigned, varint(assigned, 3, v.size))
	}
	for _, e := range m.events() {
		v := &m.values[e.value]
		event := varint(nil, eventKind, int64(e.kind))
		event = varint(event, eventBuffer, v.id)
		if e.kind == shareWith {
			event = varint(event, eventSharesWith, m.values[v.shares].id)
		}
		trace = put(trace, traceEvents, event)
	}
	assignment = put(assignment, assignmentAllocations, varint(nil, allocationIndex, 1)) // of something else
	assignment = put(assignment, assignmentAllocations, allocation)
	assignment = put(assignment, assignmentTraces, varint(trace, 2, 1))
	return put(put(nil, hloModule, put(module, moduleComputations, code)), hloBufferAssignment, assignment)
}

type madeEvent struct {
	kind  uint64
	value int
}

// events plays the schedule as XLA's heap does: an instruction's results are allocated before its last operands are
// freed, unless a result takes an operand's place.
func (m *made) events() []madeEvent {
	var out []madeEvent
	freed := make([]bool, len(m.values))
	// Only what takes the place of its like does so after that is freed.
	mixed := map[int]bool{}
	for i := range m.values {
		v := &m.values[i]
		mixed[v.shares] = mixed[v.shares] || v.size != m.values[v.shares].size
	}
	for at := 0; at <= m.instructions; at++ {
		for i := range m.values {
			v := &m.values[i]
			if v.start != at {
				continue
			}
			kind := alloc
			if v.shares != i {
				kind = shareWith
				for k := range m.values[:i] {
					if o := &m.values[k]; o.shares == v.shares && !mixed[v.shares] && o.end == at && o.start < at &&
						!freed[k] && i%2 == 0 {
						out, freed[k] = append(out, madeEvent{free, k}), true
					}
				}
			}
			out = append(out, madeEvent{kind, i})
		}
		for i := range m.values {
			if m.values[i].end == at && !freed[i] {
				out = append(out, madeEvent{free, i})
			}
		}
	}
	return out
}

// texts writes the texts, by suffix.
func (m *made) texts() map[string]string {
	var a, l, u strings.Builder
	top := int64(0)
	for i := range m.values {
		top = max(top, m.values[i].offset+m.values[i].size)
	}
	color := ""
	if m.color != 0 {
		color = fmt.Sprintf(", color %d", m.color)
	}
	fmt.Fprintf(&a, "BufferAssignment:\nallocation 0: size 8, parameter 0, shape |f32[2]| at ShapeIndex {}:\n value: <1 x @0> (size=8,offset=0): f32[2]{0}\n")
	fmt.Fprintf(&a, "allocation 3: size %d%s, preallocated-temp:\n", top, color)
	fmt.Fprintf(&l, "HloLiveRange (max %d):\n  InstructionSequence:\n    0:x\n  BufferLiveRange:\n    x{}:0-%d\n",
		m.instructions, m.instructions)
	fmt.Fprintf(&u, "Used values:\n<1 x @0>\n positions:\n  x\n uses:\n  op, operand 0\n from instruction: %%x = f32[2]{0} parameter(0)\n")
	tuples := 0
	for i := range m.values {
		v := &m.values[i]
		name, position := v.name(), v.name()
		if v.phi {
			name += " (phi)"
			position = strings.Replace(position, "{", " {", 1)
		}
		fmt.Fprintf(&a, " value: <%d %s @%d> (size=%d,offset=%d): f32[%d]{0}\n", v.id, name, m.color, v.size,
			v.offset, v.size/4)
		full := v.name()
		if !v.phi {
			full += "{}"
		}
		fmt.Fprintf(&l, "    %s:%d-%d\n", full, v.start, v.end)
		fmt.Fprintf(&u, "<%d %s @%d>\n positions:\n  %s\n", v.id, name, m.color, position)
		if v.tuple != "" {
			tuples++
			fmt.Fprintf(&a, " value: <%d %s{} @0> (size=8,offset=%d): (f32[%d]{0})\n", 1000+tuples, v.tuple, v.tupleAt, v.size/4)
			fmt.Fprintf(&u, "  %s {0}\n", v.tuple)
		}
		fmt.Fprintf(&u, " uses:\n  (none)\n from instruction: %%op = f32[1]{0} op()\n")
	}
	fmt.Fprintf(&l, "  Live ranges at 1 (peak):\n    x{}: 8 bytes (cumulative: 8 bytes)\n")
	if m.whole {
		return map[string]string{
			AssignmentSuffix: a.String() + "\nTotal bytes used: 8 (8B)\n\n" + u.String() + "\n" + l.String(),
		}
	}
	return map[string]string{AssignmentSuffix: a.String(), ranges: l.String(), positions: u.String()}
}

// opener returns what opens a text of a dump by its suffix.
func opener(texts map[string]string) func(string) (io.ReadCloser, string, error) {
	return func(suffix string) (io.ReadCloser, string, error) {
		s, ok := texts[suffix]
		if !ok {
			return nil, "", fs.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(s)), "made" + suffix, nil
	}
}

// joined puts the texts into one file for damage, and parted takes them apart.
func joined(texts map[string]string) []byte {
	return []byte(strings.Join([]string{texts[AssignmentSuffix], texts[ranges], texts[positions]}, "\f"))
}

func parted(data []byte) map[string]string {
	parts := slices.Concat(bytes.Split(data, []byte("\f")), [][]byte{nil, nil, nil})
	return map[string]string{AssignmentSuffix: string(parts[0]), ranges: string(parts[1]), positions: string(parts[2])}
}
