package cuda

import (
	"encoding/binary"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/format/internal/source"
)

// Idea: a pickle is a program for a machine with a stack, and in general it may call
// any function of Python. This machine has the opcodes that make plain data, and
// refuses the others. Nothing is called, and nothing is looked up by name.
//
// The reader wants only some keys of dictionaries. All other entries are dropped at once, among them the stack
// traces, most of a snapshot. A text is kept as its place in the file.
//
// Invariant: everything that is kept is paid for from the budget, and the stack has a limit. Containers are made once
// and referred to by number, so a list within itself is no endless loop.
//
// Complexity: O(bytes).
//
// Source: Python's pickletools.py, which documents each opcode. Protocols 2 to 5.

// A kind is what a datum is.
type kind uint8

const (
	other kind = iota // what the reader has no use for
	integer
	text
	list // tuples, too
	dictionary
	mark
)

// A datum is a value: its number, the place of its text, or the number of its container.
type datum struct {
	n      int64
	length uint32 // of a text
	kind   kind
}

// An entry of a dictionary.
type entry struct {
	key   key
	value datum
}

// A table is a long list that grows without being copied.
type table[T any] struct {
	chunks [][]T
	n      int
}

const chunk = 1 << 10

func (t *table[T]) add(v T) int {
	if t.n%chunk == 0 {
		t.chunks = append(t.chunks, make([]T, 0, chunk))
	}
	last := &t.chunks[len(t.chunks)-1]
	*last = append(*last, v)
	t.n++
	return t.n - 1
}

// at returns where entry n is.
func (t *table[T]) at(n int64) *T { return &t.chunks[n/chunk][n%chunk] }

const (
	maxStack = 1 << 18
	maxMarks = 1 << 10
)

// A machine runs a pickle.
type machine struct {
	source.Budget
	data  []byte
	at    int // of the next opcode
	stack []datum
	marks []int // the places of the marks on the stack
	memo  table[datum]
	lists table[[]datum]
	dicts table[[]entry]
	fault string // what is wrong; the first ends it
}

// run runs the pickle and returns what it makes.
func (m *machine) run() datum {
	start := 0
	for m.fault == "" {
		start = m.at
		op := m.bytes(1)
		if op == nil {
			break
		}
		if op[0] == '.' {
			if top := m.pop(); m.fault == "" {
				return top
			}
			break
		}
		m.step(op[0])
	}
	m.at = start
	return datum{}
}

func (m *machine) fail(message string) {
	if m.fault == "" {
		m.fault = message
	}
}

func (m *machine) spend(n int) bool {
	if !m.Spend(n) {
		m.fail(m.Excess())
	}
	return m.fault == ""
}

// bytes returns the next n bytes, nil if there are fewer.
func (m *machine) bytes(n int) []byte {
	if n < 0 || n > len(m.data)-m.at {
		m.fail("the file is truncated or damaged")
		return nil
	}
	m.at += n
	return m.data[m.at-n : m.at]
}

// length returns a little-endian number of n bytes.
func (m *machine) length(n int) int {
	b := m.bytes(n)
	if b == nil {
		return 0
	}
	var full [8]byte
	copy(full[:], b)
	v := binary.LittleEndian.Uint64(full[:])
	if v > uint64(len(m.data)) {
		m.fail("the file is truncated or damaged")
		return 0
	}
	return int(v)
}

func (m *machine) push(d datum) {
	if len(m.stack) == maxStack {
		m.fail("the file is damaged: it keeps more than " + strconv.Itoa(maxStack) + " values at once")
		return
	}
	m.stack = append(m.stack, d)
}

func (m *machine) pop() datum {
	floor := 0
	if n := len(m.marks); n > 0 {
		floor = m.marks[n-1]
	}
	if len(m.stack) == floor {
		m.fail("the file is damaged: an opcode finds no value")
		return datum{}
	}
	d := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	return d
}

// since takes the values since the last mark off the stack, and the mark, and returns the values. They are valid
// until the next push.
func (m *machine) since() []datum {
	if len(m.marks) == 0 {
		m.fail("the file is damaged: an opcode finds no mark")
		return nil
	}
	floor := m.marks[len(m.marks)-1]
	m.marks = m.marks[:len(m.marks)-1]
	values := m.stack[floor:]
	m.stack = m.stack[:floor]
	return values
}

// integer pushes the number of these bytes, little-endian and signed.
func (m *machine) integer(b []byte, signed bool) {
	if len(b) > 8 || m.fault != "" {
		m.push(datum{kind: other})
		return
	}
	var full [8]byte
	copy(full[:], b)
	if n := len(b); signed && n > 0 && b[n-1]&0x80 != 0 {
		for k := n; k < 8; k++ {
			full[k] = 0xff
		}
	}
	m.push(datum{kind: integer, n: int64(binary.LittleEndian.Uint64(full[:]))})
}

// text pushes the next n bytes.
func (m *machine) text(n int, k kind) {
	at := m.at
	if m.bytes(n) != nil {
		m.push(datum{kind: k, n: int64(at), length: uint32(n)})
	}
}

// string returns the bytes of a text.
func (m *machine) string(d datum) []byte {
	if d.kind != text {
		return nil
	}
	return m.data[d.n : d.n+int64(d.length)]
}

func (m *machine) newList(values []datum) {
	if m.spend(24 + 16*len(values)) {
		m.push(datum{kind: list, n: int64(m.lists.add(append([]datum(nil), values...)))})
	}
}

func (m *machine) newDict() {
	if m.spend(24) {
		m.push(datum{kind: dictionary, n: int64(m.dicts.add(nil))})
	}
}

// extend adds values to the list on top of the stack.
func (m *machine) extend(values []datum) {
	to := m.top()
	if m.fault != "" || to.kind == other { // a set
		return
	}
	if to.kind != list {
		m.fail("the file is damaged: it appends to a value that is not a list")
		return
	}
	if m.spend(20 * len(values)) {
		l := m.lists.at(to.n)
		*l = append(*l, values...)
	}
}

// set adds pairs of keys and values to the dictionary on top of the stack.
func (m *machine) set(pairs []datum) {
	to := m.top()
	if m.fault != "" {
		return
	}
	if to.kind != dictionary || len(pairs)%2 != 0 {
		m.fail("the file is damaged: it sets items of a value that is not a dictionary")
		return
	}
	for k := 0; k < len(pairs); k += 2 {
		if name, ok := keys()[string(m.string(pairs[k]))]; ok && m.spend(28) {
			d := m.dicts.at(to.n)
			*d = append(*d, entry{name, pairs[k+1]})
		}
	}
}

// top returns the value on top of the stack, where it stays.
func (m *machine) top() datum {
	d := m.pop()
	if m.fault == "" {
		m.stack = m.stack[:len(m.stack)+1]
	}
	return d
}

// put keeps the value on top of the stack under a number.
func (m *machine) put(n int) {
	d := m.top()
	switch {
	case m.fault != "":
	case n < m.memo.n:
		*m.memo.at(int64(n)) = d
	case n > m.memo.n:
		m.fail("memo " + strconv.Itoa(n) + " comes before memo " + strconv.Itoa(m.memo.n) +
			", which Python's own pickler never writes")
	case m.spend(24):
		m.memo.add(d)
	}
}

func (m *machine) get(n int) {
	if m.fault == "" && n >= m.memo.n {
		m.fail("the file is damaged: memo " + strconv.Itoa(n) + " was never written")
	}
	if m.fault == "" {
		m.push(*m.memo.at(int64(n)))
	}
}

// refused has the opcodes that call or look up something.
var refused = sync.OnceValue(func() map[byte]string {
	return map[byte]string{
		'c': "GLOBAL", 0x93: "STACK_GLOBAL", 'R': "REDUCE", 'b': "BUILD", 'i': "INST", 'o': "OBJ", 0x81: "NEWOBJ",
		0x92: "NEWOBJ_EX", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 'P': "PERSID", 'Q': "BINPERSID", 0x97: "NEXT_BUFFER",
		0x98: "READONLY_BUFFER",
	}
})

// step runs one opcode.
func (m *machine) step(op byte) {
	switch op {
	case 0x80: // PROTO
		if b := m.bytes(1); b != nil && (b[0] < 2 || b[0] > 5) {
			m.fail("has protocol " + strconv.Itoa(int(b[0])) + " of pickle: only 2 to 5 can be read")
		}
	case 0x95: // FRAME
		m.bytes(8)
	case '(': // MARK
		if len(m.marks) == maxMarks {
			m.fail("is nested more than " + strconv.Itoa(maxMarks) + " deep")
			return
		}
		m.marks = append(m.marks, len(m.stack))
	case '0': // POP
		m.pop()
	case '1': // POP_MARK
		m.since()
	case '2': // DUP
		m.push(m.top())
	case 'N', 0x88, 0x89, 0x8f: // NONE, NEWTRUE, NEWFALSE, EMPTY_SET
		m.push(datum{kind: other})
	case 'G': // BINFLOAT
		m.text(8, other)
	case 'J', 'K', 'M': // BININT, BININT1, BININT2
		width := map[byte]int{'J': 4, 'K': 1, 'M': 2}[op]
		m.integer(m.bytes(width), op == 'J')
	case 0x8a: // LONG1
		m.integer(m.bytes(m.length(1)), true)
	case 0x8b: // LONG4
		m.integer(m.bytes(m.length(4)), true)
	case 0x8c, 'U': // SHORT_BINUNICODE, SHORT_BINSTRING
		m.text(m.length(1), text)
	case 'X', 'T': // BINUNICODE, BINSTRING
		m.text(m.length(4), text)
	case 0x8d: // BINUNICODE8
		m.text(m.length(8), text)
	case 'C': // SHORT_BINBYTES
		m.text(m.length(1), other)
	case 'B': // BINBYTES
		m.text(m.length(4), other)
	case 0x8e, 0x96: // BINBYTES8, BYTEARRAY8
		m.text(m.length(8), other)
	case ']', ')': // EMPTY_LIST, EMPTY_TUPLE
		m.newList(nil)
	case 'l', 't': // LIST, TUPLE
		m.newList(m.since())
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		var values [3]datum
		n := int(op - 0x84)
		for k := n - 1; k >= 0; k-- {
			values[k] = m.pop()
		}
		m.newList(values[:n])
	case '}': // EMPTY_DICT
		m.newDict()
	case 'd': // DICT
		pairs := append([]datum(nil), m.since()...)
		m.newDict()
		m.set(pairs)
	case 'a': // APPEND
		m.extend([]datum{m.pop()})
	case 'e', 0x90: // APPENDS, ADDITEMS
		m.extend(m.since())
	case 's': // SETITEM
		value := m.pop()
		m.set([]datum{m.pop(), value})
	case 'u': // SETITEMS
		m.set(m.since())
	case 0x91: // FROZENSET
		m.since()
		m.push(datum{kind: other})
	case 'q': // BINPUT
		m.put(m.length(1))
	case 'r': // LONG_BINPUT
		m.put(m.length(4))
	case 0x94: // MEMOIZE
		m.put(m.memo.n)
	case 'h': // BINGET
		m.get(m.length(1))
	case 'j': // LONG_BINGET
		m.get(m.length(4))
	default:
		if name, ok := refused()[op]; ok {
			m.fail("opcode " + name + " would run code or name a class, which a snapshot never does")
			return
		}
		m.fail("opcode 0x" + strconv.FormatUint(uint64(op), 16) + " is unknown: this is not a pickle of protocol 2 to 5")
	}
}
