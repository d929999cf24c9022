package milp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Idea: Go cannot interrupt compiled WebAssembly. While a loop of HiGHS calls nothing of the host, no garbage
// collection can begin. Once a collection waits to begin, the whole program stands still: its clocks, signals and
// other goroutines. HiGHS can stay in such a loop for ever if numbers are wide. So the module is changed when it is
// loaded. Every loop counts its turns in one global. After so many turns the code looks at the host's clock, which
// lets Go run, and ends a solve that nobody waits for any more.
//
//	global.get n; i32.const 1; i32.sub; global.set n
//	global.get n; i32.eqz
//	if; i32.const turns; global.set n; call emscripten_get_now; drop; end
//
// Invariant: nothing in the module changes except that global and the virtual time. No index changes, since the
// module already imports the function.
//
// Complexity: one pass over the module's code, some 10 ms. HiGHS takes 6 to 13% longer for
// the same nodes (random problems of 30 buffers, 200 nodes).
//
// Source: the binary format in chapter 5 of the WebAssembly specification, 2.0.
//
// wazero's own checks in loops (WithCloseOnContextDone) leave the module at every turn: HiGHS is 3.3 times as slow.

// turns is how many turns of loops come between two looks.
const turns = 1 << 18

// Sections of a module.
const (
	sectionImport = 2
	sectionGlobal = 6
	sectionCode   = 10
)

// withLooks returns the module with a look at the clock in its loops. It is for a module that imports functions alone,
// importNow among them, and that has a global, as HiGHS's does.
func withLooks(module []byte) (out []byte, err error) {
	defer func() {
		if recover() != nil { // an index beyond the end
			out, err = nil, errors.New("the module is cut off")
		}
	}()
	r := reader{data: slices.Clip(module)}
	if string(r.bytes(8)) != "\x00asm\x01\x00\x00\x00" {
		return nil, errors.New("this is not a module of version 1")
	}
	out = append(make([]byte, 0, len(module)+len(module)/8), module[:8]...)
	clock, counter := -1, -1
	for r.at < len(module) {
		id := r.byte()
		section := reader{data: r.bytes(r.unsigned())}
		body := section.data
		switch id {
		case sectionImport:
			clock = section.imported(importNow)
		case sectionGlobal:
			counter = section.unsigned()
			body = binary.AppendUvarint(nil, uint64(counter)+1)
			body = append(body, section.data[section.at:]...)
			body = append(body, 0x7f, 1, 0x41) // i32, mutable, i32.const
			body = append(appendSigned(body, turns), 0x0b)
		case sectionCode:
			if clock < 0 || counter < 0 {
				return nil, errors.New("the module has no clock, or no globals")
			}
			if body, err = section.functions(look(clock, counter)); err != nil {
				return nil, err
			}
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	return out, nil
}

// look is the code at the head of a loop.
func look(clock, counter int) []byte {
	global := func(code []byte, op byte) []byte { return binary.AppendUvarint(append(code, op), uint64(counter)) }
	const get, set = 0x23, 0x24
	code := append(global(nil, get), 0x41, 1, 0x6b)                                    // i32.const 1; i32.sub
	code = append(global(global(code, set), get), 0x45, 0x04, 0x40)                    // i32.eqz; if
	code = global(appendSigned(append(code, 0x41), turns), set)                        // i32.const turns
	return append(binary.AppendUvarint(append(code, 0x10), uint64(clock)), 0x1a, 0x0b) // call; drop; end
}

// appendSigned appends a number as signed LEB128.
func appendSigned(to []byte, x int64) []byte {
	for x < -64 || x >= 64 {
		to, x = append(to, byte(x)|0x80), x>>7
	}
	return append(to, byte(x)&0x7f)
}

// A reader reads a module; it panics at the end of it.
type reader struct {
	data []byte
	at   int
}

func (r *reader) byte() byte { return r.bytes(1)[0] }

func (r *reader) bytes(n int) []byte {
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// unsigned reads a number of LEB128.
func (r *reader) unsigned() int {
	x, n := binary.Uvarint(r.data[r.at:])
	r.at += n
	if n <= 0 || x > 1<<31 {
		panic(n)
	}
	return int(x)
}

// skip passes over so many numbers, whether they have a sign or not.
func (r *reader) skip(numbers int) {
	for range numbers {
		for r.byte() >= 0x80 {
		}
	}
}

// imported returns the index of the function that is imported by that name, -1 for none.
func (r *reader) imported(name string) int {
	index := -1
	for k := range r.unsigned() {
		r.bytes(r.unsigned())
		if string(r.bytes(r.unsigned())) == name {
			index = k
		}
		if r.byte() != 0 {
			return -1 // no function, so that indices are others
		}
		r.skip(1)
	}
	return index
}

// functions returns the section of code with the look in each loop.
func (r *reader) functions(look []byte) ([]byte, error) {
	count := r.unsigned()
	out := binary.AppendUvarint(make([]byte, 0, len(r.data)+len(r.data)/8), uint64(count))
	var code []byte
	for k := range count {
		f := reader{data: r.bytes(r.unsigned())}
		for range f.unsigned() { // groups of locals
			f.skip(1)
			f.byte()
		}
		copied := 0
		code = code[:0]
		for f.at < len(f.data) {
			loop, err := f.instruction()
			if err != nil {
				return nil, fmt.Errorf("function %d: %w", k, err)
			}
			if loop {
				code = append(append(code, f.data[copied:f.at]...), look...)
				copied = f.at
			}
		}
		code = append(code, f.data[copied:]...)
		out = append(binary.AppendUvarint(out, uint64(len(code))), code...)
	}
	return out, nil
}

// instruction passes over an instruction and says whether a loop begins with it.
func (r *reader) instruction() (loop bool, err error) {
	switch op := r.byte(); {
	case op == 0x02 || op == 0x03 || op == 0x04: // block, loop, if
		r.skip(1)
		return op == 0x03, nil
	case op == 0x0e || op == 0x1c: // br_table, select with types
		n := r.unsigned()
		r.skip(n)
		if op == 0x0e {
			r.skip(1)
		}
	case op == 0x0c || op == 0x0d || op == 0x10 || op >= 0x20 && op <= 0x26 || op >= 0x3f && op <= 0x42 || op == 0xd0 ||
		op == 0xd2:
		r.skip(1) // br, call, variables, tables, memory.size and grow, constants, ref
	case op == 0x11 || op >= 0x28 && op <= 0x3e: // call_indirect, load and store
		r.skip(2)
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == 0xfc:
		switch sub := r.unsigned(); {
		case sub <= 7: // saturating conversions
		case sub == 9 || sub == 11 || sub == 13 || sub >= 15 && sub <= 17:
			r.skip(1)
		case sub <= 14:
			r.skip(2)
		default:
			return false, fmt.Errorf("the instruction fc %x is unknown", sub)
		}
	case op <= 0x01 || op == 0x05 || op == 0x0b || op == 0x0f || op == 0x1a || op == 0x1b || op >= 0x45 && op <= 0xc4 ||
		op == 0xd1:
	default:
		return false, fmt.Errorf("the instruction %x is unknown", op)
	}
	return false, nil
}
