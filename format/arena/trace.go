// Package arena reads and writes the two files of plans that run: the trace that stowage_arena.c
// records of a program's allocations, and the plan from which it serves them. Both are text, with a
// version in the first line and a checksum in the last. docs/arena.md has the formats.
//
//	trace.go  a trace: allocations, frees, uses, waits, steps and scopes, in order
//	step.go   which steps are alike, and how long their allocations live: Fold
//	plan.go   a plan: lanes of allocations with lifespans and offsets
//	heap.go   plans as problems, one for each stream
package arena

import (
	"bufio"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Idea: each line is one event: a letter, then numbers. So any program can write a trace. Allocations are numbered from
// 0 in the order of their lines; a free has the number of its allocation. The reader accepts only the form that the
// writer writes: no sign, no leading zero, one blank between words. So reading and writing a file gives the same bytes.
//
// Complexity: O(bytes).

const (
	traceHead = "stowage-arena-trace 1"
	planHead  = "stowage-arena-plan 1"
	headWords = "stowage-arena-"
	// maxStep is the largest number of a thread or a level.
	maxStep = math.MaxInt32
)

// Every, in a wait, is the host as the waiter, or all streams as the streams that it waits for.
const Every = math.MaxUint64

// A Kind is the letter of an event.
type Kind byte

// The kinds of events.
const (
	Alloc Kind = 'a' // an allocation
	Free  Kind = 'f' // the end of one
	Use   Kind = 'u' // another stream uses an allocation
	Wait  Kind = 'w' // a stream, or the host, waits for another
	Begin Kind = 'b' // a step (level 1) or a scope begins
	End   Kind = 'e' // the step or scope of a level ends, with all within it
)

// An Event is a line of a trace. Which fields count depends on its kind.
type Event struct {
	Kind   Kind   // which line it is
	Shift  uint8  // Alloc: the alignment is 1 << Shift bytes
	Thread int32  // Alloc, Free, Begin, End: the number of the thread
	Level  int32  // Begin, End: 1 for a step, more for scopes
	N      int64  // Alloc: size in bytes; Free, Use: the number of the allocation; Begin: index into Trace.Names
	Stream uint64 // Alloc: its stream; Use: the stream that uses it; Wait: what is waited for
	Waiter uint64 // Wait: who waits
}

// A Trace is a recording of steps.
type Trace struct {
	Events []Event  // in order
	Names  []string // names of steps and scopes; Names[0] is "", for those without
}

// IsTrace and IsPlan report whether a file that begins with head may be a trace, or plans, of any version.
func IsTrace(head []byte) bool { return strings.HasPrefix(string(head), headWords+"trace") }

// IsPlan is described at IsTrace.
func IsPlan(head []byte) bool { return strings.HasPrefix(string(head), headWords+"plan") }

// ReadTrace reads a trace from r; file is its name in messages. The error is r's, or a
// *model.InputError with the first fault.
func ReadTrace(r io.Reader, file string) (*Trace, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	l := &lines{text: text}
	t := &Trace{Names: []string{""}}
	l.head(traceHead)
	l.trace(t)
	if l.err == nil && l.at < len(text.Text) {
		l.refuse(text.Text[l.at:], "follows the end of the trace")
	}
	if l.err != nil {
		return nil, l.err
	}
	return t, nil
}

// allocBytes is the memory of an allocation beside its event: while it is folded, and as a buffer of a problem.
const allocBytes = 2*int(unsafe.Sizeof(Allocation{})+unsafe.Sizeof(place{})) + 80 + source.BufferBytes

// trace reads the events and the last line.
func (l *lines) trace(t *Trace) {
	count := int64(1) // lines so far
	allocs, level, inStep := int64(0), int32(0), false
	names := map[string]int64{"": 0}
	for l.next(); l.err == nil; l.next() {
		var e Event
		word := l.word("event")
		switch {
		case word == "end":
			l.finish(count, 0, true)
			return
		case word == "a":
			e = Event{Kind: Alloc, N: l.number("size", 1, model.MaxSum)}
			e.Shift = l.power("alignment")
			e.Thread, e.Stream = int32(l.number("thread", 0, maxStep)), l.stream("stream")
			if allocs++; l.err == nil && !inStep {
				l.refuse("", "an allocation is outside of a step")
			}
		case word == "f":
			e = Event{Kind: Free, N: l.number("allocation", 0, allocs-1), Thread: int32(l.number("thread", 0, maxStep))}
		case word == "u":
			e = Event{Kind: Use, N: l.number("allocation", 0, allocs-1), Stream: l.stream("stream")}
		case word == "w":
			e = Event{Kind: Wait, Waiter: l.streamOrEvery("waiter"), Stream: l.streamOrEvery("waited")}
		case word == "b":
			e = Event{
				Kind: Begin, Level: int32(l.number("level", int64(level)+1, int64(level)+1)),
				Thread: int32(l.number("thread", 0, maxStep)),
			}
			name := l.name("name")
			n, known := names[name]
			if !known {
				n = int64(len(t.Names))
				names[name], t.Names = n, append(t.Names, name)
				l.pay(100)
			}
			e.N = n
			level, inStep = level+1, true
		case word == "e":
			e = Event{Kind: End, Level: int32(l.number("level", 1, int64(level))), Thread: int32(l.number("thread", 0, maxStep))}
			level, inStep = e.Level-1, e.Level > 1
		default:
			l.refuse(word, "is no event: a, f, u, w, b, e or end")
		}
		l.last()
		bytes := 2 * int(unsafe.Sizeof(e))
		if e.Kind == Alloc {
			bytes += allocBytes
		}
		l.pay(bytes)
		t.Events = append(t.Events, e)
		count++
	}
}

// WriteTrace writes a trace. The error is w's.
func WriteTrace(w io.Writer, t *Trace) error {
	return write(w, func(s *summed) {
		s.line(traceHead)
		for _, e := range t.Events {
			switch thread := int64(e.Thread); e.Kind {
			case Alloc:
				s.line("a", e.N, int64(1)<<e.Shift, thread, e.Stream)
			case Free:
				s.line("f", e.N, thread)
			case Use:
				s.line("u", e.N, e.Stream)
			case Wait:
				s.line("w", every(e.Waiter), every(e.Stream))
			case Begin:
				s.line("b", int64(e.Level), thread, nameOr(t.Names[e.N]))
			case End:
				s.line("e", int64(e.Level), thread)
			}
		}
		s.finish()
	})
}

func every(stream uint64) string {
	if stream == Every {
		return "*"
	}
	return strconv.FormatUint(stream, 10)
}

func nameOr(name string) string {
	if name == "" {
		return "-"
	}
	return name
}

// MaxName is the most bytes of a name.
const MaxName = 63

// Clean returns a name in the form that files have: at most MaxName bytes, with _ for each byte that is no letter, no
// digit and none of . _ - of ASCII. "-" alone means no name.
func Clean(name string) string {
	b := []byte(name[:min(len(name), MaxName)])
	for i, c := range b {
		if !strings.ContainsRune("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-", rune(c)) {
			b[i] = '_'
		}
	}
	if string(b) == "-" {
		return ""
	}
	return string(b)
}

// ------------------------------------------------------------------------ lines, both ways

// lines reads a text word by word. After the first fault, err has the fault, and all further reads return zero.
type lines struct {
	text *source.Text
	at   int    // the first byte that is not read yet
	line int    // number of the current line, from 1
	from int    // its first byte
	rest string // the rest of the line; more says that a word follows
	more bool
	err  error

	regionOf map[uint64]Region // of the current plan, by stream
}

// pay takes bytes from the budget for the current line.
func (l *lines) pay(bytes int) {
	if l.err == nil && !l.text.Spend(bytes) {
		line, _, _ := strings.Cut(l.text.Text[min(l.from, len(l.text.Text)):], "\n")
		l.refuse(line, l.text.Excess())
	}
}

func (l *lines) refuse(value, message string) {
	if l.err == nil {
		l.fault("", value, message)
	}
}

func (l *lines) fault(field, value, message string) {
	l.err = model.Issue{File: l.text.File, Line: l.line, Field: field, Value: source.Clip(value), Message: message}.Err()
}

// head reads the first line.
func (l *lines) head(want string) {
	l.next()
	if l.err == nil && l.rest != want {
		l.refuse(l.rest, "must be "+strconv.Quote(want)+": the file is of another kind or version")
	}
}

// next goes on to the next line, whose end must be there.
func (l *lines) next() {
	if l.err != nil {
		return
	}
	l.line++
	l.from = l.at
	end := strings.IndexByte(l.text.Text[l.at:], '\n')
	if end < 0 {
		l.refuse("", "the file ends too early: it is cut short")
		return
	}
	l.rest, l.more = l.text.Text[l.at:l.at+end], true
	l.at += end + 1
}

// word returns the next word of the line.
func (l *lines) word(field string) string {
	if l.err != nil {
		return ""
	}
	if !l.more {
		l.fault(field, "", "is missing")
		return ""
	}
	var word string
	word, l.rest, l.more = strings.Cut(l.rest, " ")
	return word
}

// last says that the line has no further word.
func (l *lines) last() {
	if l.err == nil && l.more {
		l.refuse(l.rest, "is one word too many")
	}
}

// unsigned returns the next word as a number.
func (l *lines) unsigned(field string, least, most uint64) uint64 {
	word := l.word(field)
	if l.err != nil {
		return 0
	}
	x, err := strconv.ParseUint(word, 10, 64)
	if err != nil || strconv.FormatUint(x, 10) != word || x < least || x > most {
		l.fault(field, word, "must be a number from "+strconv.FormatUint(least, 10)+" to "+strconv.FormatUint(most, 10))
		return 0
	}
	return x
}

func (l *lines) number(field string, least, most int64) int64 {
	if most < least { // such as the number of an allocation if there is none
		l.refuse("", field+" names nothing that came before")
		return 0
	}
	return int64(l.unsigned(field, uint64(least), uint64(most)))
}

func (l *lines) stream(field string) uint64 { return l.unsigned(field, 0, Every-1) }

func (l *lines) streamOrEvery(field string) uint64 {
	if l.rest == "*" || strings.HasPrefix(l.rest, "* ") {
		l.word(field)
		return Every
	}
	return l.stream(field)
}

// maxAlignment is the largest alignment.
const maxAlignment = 1 << 30

// power returns the logarithm of the next word.
func (l *lines) power(field string) uint8 {
	x := l.unsigned(field, 1, maxAlignment)
	if l.err == nil && x&(x-1) != 0 {
		l.fault(field, strconv.FormatUint(x, 10), "must be a power of two")
	}
	return uint8(bits.TrailingZeros64(x | 1<<63))
}

func (l *lines) name(field string) string {
	word := l.word(field)
	if l.err == nil && word != "-" && (word == "" || Clean(word) != word) {
		l.fault(field, word, "must have 1 to 63 letters, digits, or . _ -")
	}
	if word == "-" {
		return ""
	}
	return word
}

// finish reads the rest of the last line: how many lines come before it, and the checksum of all bytes from
// `first` up to it. "-" stands for no checksum, if that is allowed.
func (l *lines) finish(count int64, first int, optional bool) {
	have := l.number("lines", 0, math.MaxInt64)
	sum := l.word("checksum")
	l.last()
	if l.err != nil {
		return
	}
	if have != count {
		l.fault("lines", strconv.FormatInt(have, 10), "there are "+strconv.FormatInt(count, 10)+": the file is damaged")
	} else if want := checksum(l.text.Text[first:l.from]); sum != want && !(optional && sum == "-") {
		l.fault("checksum", sum, "must be "+want+": the file is damaged")
	}
}

const fnvStart, fnvFactor = 0xCBF29CE484222325, 0x100000001B3

// checksum is FNV-1a of 64 bits, in hexadecimal.
func checksum(text string) string {
	h := uint64(fnvStart)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvFactor
	}
	return sum(h)
}

func sum(h uint64) string {
	s := strconv.FormatUint(h, 16)
	return strings.Repeat("0", 16-len(s)) + s
}

// summed writes lines and computes their checksum.
type summed struct {
	w     *bufio.Writer
	hash  uint64
	count int64
	buf   []byte
}

func write(w io.Writer, content func(*summed)) error {
	s := &summed{w: bufio.NewWriter(w), hash: fnvStart}
	content(s)
	return s.w.Flush()
}

// line writes a line of words.
func (s *summed) line(words ...any) {
	s.buf = s.buf[:0]
	for i, word := range words {
		if i > 0 {
			s.buf = append(s.buf, ' ')
		}
		switch word := word.(type) {
		case string:
			s.buf = append(s.buf, word...)
		case int64:
			s.buf = strconv.AppendInt(s.buf, word, 10)
		case uint64:
			s.buf = strconv.AppendUint(s.buf, word, 10)
		case int:
			s.buf = strconv.AppendInt(s.buf, int64(word), 10)
		}
	}
	s.buf = append(s.buf, '\n')
	for _, c := range s.buf {
		s.hash = (s.hash ^ uint64(c)) * fnvFactor
	}
	s.count++
	s.w.Write(s.buf) // an error stays in the writer, and Flush returns it
}

// finish writes the last line, and begins anew.
func (s *summed) finish() {
	s.line("end", s.count, sum(s.hash))
	s.hash, s.count = fnvStart, 0
}
