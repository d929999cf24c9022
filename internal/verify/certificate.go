package verify

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// Idea: a certificate claims that no plan of a problem fits a capacity. It is a tree of questions: is buffer j at v or
// lower, or above v? A leaf claims that the answers on the way to it contradict the problem. The checker keeps for each
// buffer an interval of offsets that the answers allow. It draws its own conclusions from these intervals, and accepts
// a leaf only if they end in a contradiction. It does not trust the search that wrote the tree, the inferences of that
// search, or the order of the questions.
//
// The conclusions (propagate) are about one plan. Among all plans that fit, take one with the
// least sum of offsets. Let its buffers that could change places stand in the order of the
// certificate. If any plan fits, this one exists. So if it cannot exist, no plan fits.
//
//	apart    of two buffers in one slot, one is below the other: if j cannot be below i,
//	         it is above i
//	stacked  the buffers of a slot are stacked. So for any set of them the lowest bound
//	         plus all sizes is at most the highest end that any of them may have. A
//	         buffer that cannot be the lowest of the set lies above another of the set
//	resting  a buffer that is not fixed lies on the ground or rests on another buffer;
//	         otherwise it could be lower
//	lowered  a buffer has no free place below its lowest offset; otherwise it could be
//	         lower
//	twins    buffers with the same slots, size and alignment are in order
//
// docs/certificates.md has the format and the proofs.
//
// Complexity: each node of the tree takes some passes over the pairs that share a slot.
// Memory is O(pairs). The tree is read as a stream.

// These limits keep a file from taking all memory.
const (
	certificateVersion = "stowage certificate 1"
	mostEntries        = 1 << 24 // buffers in use, summed over the slots looked at
	mostContacts       = 1 << 25 // pairs that share a slot
	mostLine           = 1 << 20 // bytes of a line
)

// Certificate reads a certificate and checks it against the problem, which should be one
// that model.Validate accepts. It returns the capacity that the certificate proves too
// small for any plan. The error says why the certificate proves nothing.
func Certificate(p *model.Problem, r io.Reader) (capacity int64, err error) {
	c := &proof{in: bufio.NewScanner(r)}
	c.in.Buffer(nil, mostLine)
	if err = c.read(p); err == nil {
		if err = c.slots(); err == nil {
			err = c.node(false, 0)
		}
	}
	if err == nil && c.in.Scan() {
		err = errors.New("the file has text after the proof")
	}
	if err = errors.Join(err, c.in.Err()); err != nil {
		return 0, fmt.Errorf("line %d: %w", max(c.line, 1), err)
	}
	return c.capacity, nil
}

// proof is the state of a check. Buffers are numbered in the order of the certificate.
type proof struct {
	in       *bufio.Scanner
	line     int
	capacity int64
	list     []*model.Buffer
	step     int64 // divides every offset
	low, up  []int64
	twin     []int     // the twin before it in the order of the certificate; -1 if there is none
	slot     [][]stay  // per slot: the buffers in use
	met      [][]touch // per buffer: the buffers that share a slot with it
	rest     []int64   // scratch of resting: the lowest offset at which a buffer can rest
	seen     []bool
}

// stay is the use of one slot by one buffer: the bytes [from, to), counted from the
// buffer's offset. begins says whether this use begins with the slot.
type stay struct {
	who      int
	from, to int64
	begins   bool
}

// touch is a buffer that shares a slot with this one. If this one is above,
//
//	offset(this) >= offset(who) + over
//
// and if who is above, offset(who) >= offset(this) + under.
type touch struct {
	who         int
	over, under int64
}

func (c *proof) next() (string, error) {
	c.line++
	if !c.in.Scan() {
		return "", errors.New("the certificate ends too soon")
	}
	return c.in.Text(), nil
}

// read reads the head: version, capacity and buffers.
func (c *proof) read(p *model.Problem) error {
	var head [3]string
	var count int
	for k := range head {
		var err error
		if head[k], err = c.next(); err != nil {
			return err
		}
	}
	if head[0] != certificateVersion {
		return fmt.Errorf("%.40q is not %q", head[0], certificateVersion)
	}
	var err error
	if text, found := strings.CutPrefix(head[1], "capacity "); !found {
		return fmt.Errorf("%.40q is not a capacity", head[1])
	} else if c.capacity, err = strconv.ParseInt(text, 10, 64); err != nil || c.capacity < 0 || c.capacity > model.MaxSum {
		return fmt.Errorf("%.40q is not a capacity", text)
	}
	if text, found := strings.CutPrefix(head[2], "buffers "); !found {
		return fmt.Errorf("%.40q is not a number of buffers", head[2])
	} else if count, err = strconv.Atoi(text); err != nil || count < 1 || count > len(p.Buffers) {
		return fmt.Errorf("%.40q is not a number of buffers from 1 to that of the problem", text)
	}
	index := make(map[string]*model.Buffer, len(p.Buffers))
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = &p.Buffers[i]
	}
	for range count {
		text, err := c.next()
		if err != nil {
			return err
		}
		id, err := strconv.Unquote(text)
		b := index[id]
		if err != nil || b == nil {
			return fmt.Errorf("%.40s is not a buffer of the problem, or is named twice", text)
		}
		delete(index, id)
		c.list = append(c.list, b)
		c.step = common(c.step, b.Align())
		if b.HasWindow() {
			c.step = 1
		}
	}
	for _, b := range c.list {
		low, high := int64(0), c.capacity-b.Size
		if b.Fixed != nil {
			low, high = *b.Fixed, min(*b.Fixed, high)
		}
		c.low, c.up = append(c.low, low), append(c.up, high)
	}
	return nil
}

// common returns the greatest common divisor. The checker has its own arithmetic, so that
// it cannot repeat a mistake of the planners.
func common(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// upTo returns the least multiple of the alignment that is at least x. x is at least 0.
func upTo(x, alignment int64) int64 { return (x + alignment - 1) / alignment * alignment }

// slots finds which buffers are in use together. A slot is recorded before the first end that follows a begin. Sizes
// are rounded up to the step if there are no windows, because the next offset above is a multiple of the step.
func (c *proof) slots() error {
	type event struct {
		at    int64
		begin bool
		what  stay
	}
	var events []event
	for j, b := range c.list {
		for x := range b.Pieces {
			s := stay{who: j, from: x.From, to: x.From + upTo(x.To-x.From, c.step)}
			events = append(events, event{x.Lower, true, s}, event{x.Upper, false, s})
		}
	}
	sorting.Structs(events, func(a, b event) int {
		switch {
		case a.at != b.at && a.at < b.at || a.at == b.at && !a.begin && b.begin:
			return -1
		case a.at != b.at || a.begin != b.begin:
			return 1
		}
		return 0
	})
	var now []stay
	fresh, entries := false, 0
	for _, e := range events {
		if e.begin {
			e.what.begins = true
			now, fresh = append(now, e.what), true
			continue
		}
		if fresh {
			if entries += len(now); entries > mostEntries {
				return errors.New("the buffers are too many to be checked")
			}
			c.slot = append(c.slot, slices.Clone(now))
			for k := range now {
				now[k].begins = false
			}
			fresh = false
		}
		k := slices.IndexFunc(now, func(s stay) bool { return s.who == e.what.who && s.from == e.what.from && s.to == e.what.to })
		now = slices.Delete(now, k, k+1)
	}
	return nil
}

// meet lists for each buffer the ones that share a slot with it, and finds the twins.
func (c *proof) meet() error {
	c.met, c.rest, c.seen = make([][]touch, len(c.list)), make([]int64, len(c.list)), make([]bool, len(c.list))
	contacts := 0
	for _, slot := range c.slot {
		for i, a := range slot {
			for _, b := range slot[:i] {
				if a.begins || b.begins {
					if contacts++; contacts > mostContacts {
						return errors.New("the pairs of buffers are too many to be checked")
					}
					if b.to <= a.from || a.to <= b.from {
						return fmt.Errorf("the windows of %s and %s let the upper one start lower, which cannot be checked",
							strconv.Quote(c.list[a.who].ID), strconv.Quote(c.list[b.who].ID))
					}
					c.met[a.who] = append(c.met[a.who], touch{b.who, b.to - a.from, a.to - b.from})
					c.met[b.who] = append(c.met[b.who], touch{a.who, a.to - b.from, b.to - a.from})
				}
			}
		}
	}
	// Two buffers are twins if they use the same bytes in the same slots, and have the same size and alignment.
	type row struct{ from, to, first, last int64 }
	rows := make([][]row, len(c.list))
	for s, slot := range c.slot {
		for _, a := range slot {
			r, now := rows[a.who], row{a.from, a.to, int64(s), int64(s)}
			if k := len(r) - 1; k >= 0 && r[k].last == now.first-1 && r[k].from == now.from && r[k].to == now.to {
				r[k].last = now.last
				continue
			}
			rows[a.who] = append(r, now)
		}
	}
	last := map[string]int{}
	for j, b := range c.list {
		c.twin = append(c.twin, -1)
		if b.Fixed == nil && rows[j] != nil {
			key := fmt.Sprint(b.Size, b.Align(), rows[j])
			if i, found := last[key]; found {
				c.twin[j] = i
			}
			last[key] = j
		}
	}
	return nil
}

// node checks the next subtree of the certificate. dead says that the answers above it
// already contradict the problem. On return the bounds are as they were on entry.
func (c *proof) node(dead bool, depth int) error {
	low, up := slices.Clone(c.low), slices.Clone(c.up)
	defer func() { copy(c.low, low); copy(c.up, up) }()
	for {
		if !dead {
			var err error
			if dead, err = c.contradicts(); err != nil {
				return err
			}
		}
		text, err := c.next()
		if err != nil {
			return err
		}
		if text == "." {
			if !dead {
				return errors.New("a case is left open: nothing contradicts it")
			}
			return nil
		}
		number, offset, _ := strings.Cut(text, " ")
		j, err := strconv.Atoi(number)
		v, err2 := strconv.ParseInt(offset, 10, 64)
		if err != nil || err2 != nil || j < 0 || j >= len(c.list) || v < 0 || v > model.MaxSum {
			return fmt.Errorf("%.40q is neither a dot nor a buffer and an offset", text)
		}
		if depth > len(c.list) {
			return errors.New("the cases are nested deeper than there are buffers")
		}
		high := c.up[j]
		c.up[j] = min(high, v)
		if err := c.node(dead, depth+1); err != nil {
			return err
		}
		c.up[j] = high
		c.low[j] = max(c.low[j], v+1)
	}
}
