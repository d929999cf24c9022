package session

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/model"
)

// Idea: a call about a problem with rules edits a copy of its state, the draft. If the call makes the change, the draft becomes the
// state; otherwise it is dropped. So a call that fails has changed nothing, and a mark is a state that is kept.
//
// Invariant: a state never changes once a session has it. A draft has its own buffers, offsets and pools, and lists of rules
// are made anew if they change.
//
// Complexity: O(n + rules) for a call, and as much memory for a mark.

// A state is a problem with rules and its plan.
type state struct {
	p    *model.Problem     // the buffers in the order of arrival; Rules is not nil
	at   []int64            // offset of each buffer; away in a draft if it has none
	pool []int32            // pool of each buffer
	kept map[string][]int32 // allowed pools of pinned buffers, as they were before Pin
}

// A draft is the state that a call makes.
type draft struct {
	state
	o     *Options
	index map[string]int32 // made when it is needed
	mine  []int32          // the buffers that the call is about, in its order
	named []int32          // buffers whose rules change, but that the call is not about
}

// draft begins a draft of the next state.
func (s *state) draft(o *Options) *draft {
	p := *s.p
	rules := *p.Rules
	p.Buffers, p.Rules = slices.Clone(p.Buffers), &rules
	return &draft{state: state{p: &p, at: slices.Clone(s.at), pool: slices.Clone(s.pool), kept: s.kept}, o: o}
}

// find returns the index of a buffer, or -1.
func (s *state) find(id string) int32 {
	return int32(slices.IndexFunc(s.p.Buffers, func(b model.Buffer) bool { return b.ID == id }))
}

// of returns the index of a buffer for a list of rules.
func (d *draft) of(id string) (int32, error) {
	if d.index == nil {
		d.index = make(map[string]int32, len(d.p.Buffers))
		for i := range d.p.Buffers {
			d.index[d.p.Buffers[i].ID] = int32(i)
		}
	}
	if i, ok := d.index[id]; ok {
		return i, nil
	}
	return 0, unknown(id)
}

// addAll adds buffers and rules.
func (d *draft) addAll(buffers []model.Buffer, rules Rules) error {
	var issues model.Issues
	for _, b := range buffers {
		if d.find(b.ID) >= 0 {
			issues.Add(model.Issue{Buffer: b.ID, Field: "id", Value: b.ID, Message: "is in the session already"})
			continue
		}
		b = aligned(copied(b), d.o)
		d.mine = append(d.mine, int32(len(d.at)))
		d.p.Buffers, d.at, d.pool = append(d.p.Buffers, b), append(d.at, away), append(d.pool, 0)
	}
	d.index = nil
	if err := issues.Err(); err != nil {
		return err
	}
	return d.bind(rules)
}

// replace edits a buffer.
func (d *draft) replace(id string, edit func(*model.Buffer)) error {
	i := d.find(id)
	if i < 0 {
		return unknown(id)
	}
	b := copied(d.p.Buffers[i])
	in := allowedPools(&b)
	edit(&b)
	b.ID = id
	// The list of a pinned buffer is that of Pin. One that the edit has given it, even with the same pool, is meant for good.
	if pools, pinned := d.kept[id]; pinned {
		now := allowedPools(&b)
		left := len(now) == 1 && &now[0] == &in[0] && now[0] == d.p.Buffers[i].Extra.Pools[0]
		if left && b.Fixed == nil {
			setPools(&b, pools)
		}
		if !left || b.Fixed == nil {
			d.keep(id, nil, false)
		}
	}
	d.p.Buffers[i] = aligned(copied(b), d.o)
	d.mine = append(d.mine, i)
	return nil
}

// keep remembers the allowed pools of a buffer from before Pin, or forgets them.
func (d *draft) keep(id string, pools []int32, pinned bool) {
	kept := maps.Clone(d.kept)
	if pinned {
		if kept == nil {
			kept = map[string][]int32{}
		}
		kept[id] = pools
	} else {
		delete(kept, id)
	}
	d.kept = kept
}

// pin fixes a buffer at an offset of a pool.
func (d *draft) pin(id string, pool int32, offset int64) error {
	i := d.find(id)
	if i < 0 {
		return unknown(id)
	}
	if pools := len(d.p.AllPools()); pool < 0 || int(pool) >= pools {
		return fault(id, "pool", int64(pool), fmt.Sprintf("there is no pool of this index; there are %d", pools))
	}
	b := copied(d.p.Buffers[i])
	pools, pinned := d.kept[id]
	if !pinned {
		pools = allowedPools(&b)
	}
	if may := (&model.Buffer{Extra: &model.Extra{Pools: pools}}); !may.MayUse(pool) {
		return fault(id, "pool", int64(pool), "is "+d.p.AllPools()[pool].ID+", where the buffer may not be")
	}
	b.Fixed = &offset
	if len(d.p.Rules.Pools) > 1 {
		setPools(&b, []int32{pool})
		d.keep(id, pools, true)
	}
	d.p.Buffers[i] = b
	d.mine = append(d.mine, i)
	return nil
}

// unpin lets a buffer move again.
func (d *draft) unpin(id string) error {
	i := d.find(id)
	if i < 0 {
		return unknown(id)
	}
	b := copied(d.p.Buffers[i])
	b.Fixed = nil
	if pools, pinned := d.kept[id]; pinned {
		setPools(&b, pools)
		d.keep(id, nil, false)
	}
	d.p.Buffers[i] = b
	return nil
}

// allowedPools returns the list of pools that a buffer may be in; nil for any.
func allowedPools(b *model.Buffer) []int32 {
	if b.Extra == nil {
		return nil
	}
	return b.Extra.Pools
}

// setPools sets that list. The buffer's Extra is its own.
func setPools(b *model.Buffer, pools []int32) {
	if b.Extra == nil {
		b.Extra = &model.Extra{}
	}
	if b.Extra.Pools = pools; pools == nil && b.Extra.Clocks == nil {
		b.Extra = nil
	}
}

// limit gives a pool another capacity.
func (d *draft) limit(pool int32, capacity int64) error {
	r := d.p.Rules
	if n := len(d.p.AllPools()); pool < 0 || int(pool) >= n {
		return fault("", "pool", int64(pool), fmt.Sprintf("there is no pool of this index; there are %d", n))
	}
	if len(r.Pools) == 0 {
		d.p.Capacity = capacity
		return nil
	}
	r.Pools = slices.Clone(r.Pools)
	r.Pools[pool].Capacity = capacity
	return nil
}

// remove takes a buffer out, and out of its rules.
func (d *draft) remove(id string) error {
	i := d.find(id)
	if i < 0 {
		return unknown(id)
	}
	d.untie(i)
	d.keep(id, nil, false)
	d.p.Buffers, d.at, d.pool = slices.Delete(d.p.Buffers, int(i), int(i)+1), slices.Delete(d.at, int(i), int(i)+1), slices.Delete(d.pool, int(i), int(i)+1)
	d.index = nil
	r := d.p.Rules
	less := func(j int32) int32 {
		if j > i {
			return j - 1
		}
		return j
	}
	pairs := func(of []model.Pair) (all []model.Pair) {
		for _, x := range of {
			if x[0] != i && x[1] != i {
				all = append(all, model.Pair{less(x[0]), less(x[1])})
			}
		}
		return all
	}
	r.Apart, r.MayOverlap = pairs(r.Apart), pairs(r.MayOverlap)
	var distances []model.Distance
	for _, x := range r.Distances {
		if x.Buffers[0] != i && x.Buffers[1] != i {
			distances = append(distances, model.Distance{Buffers: model.Pair{less(x.Buffers[0]), less(x.Buffers[1])}, Distance: x.Distance})
		}
	}
	r.Distances = distances
	ties := make([]model.Together, len(r.Together))
	for k, t := range r.Together {
		ties[k].At = t.At
		for _, j := range t.Buffers {
			ties[k].Buffers = append(ties[k].Buffers, less(j))
		}
	}
	r.Together = ties
	return nil
}

// untie takes a buffer out of its body. What was tied through it stays tied: the lists that had it are linked.
func (d *draft) untie(i int32) {
	r := d.p.Rules
	_, at, _ := model.BodiesOf(d.p)
	var ties []model.Together
	var link model.Together
	for _, t := range r.Together {
		if !slices.Contains(t.Buffers, i) {
			ties = append(ties, t)
			continue
		}
		var rest model.Together
		for k, j := range t.Buffers {
			if j == i {
				continue
			}
			rest.Buffers = append(rest.Buffers, j)
			if t.At != nil {
				rest.At = append(rest.At, t.At[k])
			}
		}
		if len(rest.Buffers) == 0 {
			continue
		}
		if first := rest.Buffers[0]; !slices.Contains(link.Buffers, first) {
			link.Buffers, link.At = append(link.Buffers, first), append(link.At, at[first])
		}
		if len(rest.Buffers) > 1 {
			ties = append(ties, rest)
		}
	}
	if len(link.Buffers) > 1 {
		ties = append(ties, link)
	}
	r.Together = ties
}

// naming returns a function that finds the buffer of an ID, and notes that its rules change.
func (d *draft) naming(issues *model.Issues) func(id string) int32 {
	return func(id string) int32 {
		i, err := d.of(id)
		issues.Join(err)
		d.named = append(d.named, i)
		return i
	}
}

// bind adds rules.
func (d *draft) bind(rules Rules) error {
	var issues model.Issues
	name := d.naming(&issues)
	r := d.p.Rules
	r.Together, r.Apart, r.MayOverlap, r.Distances = slices.Clip(r.Together), slices.Clip(r.Apart), slices.Clip(r.MayOverlap), slices.Clip(r.Distances)
	for _, t := range rules.Together {
		tie := model.Together{At: slices.Clone(t.At)}
		for _, id := range t.Buffers {
			tie.Buffers = append(tie.Buffers, name(id))
		}
		r.Together = append(r.Together, tie)
	}
	for _, x := range rules.Apart {
		r.Apart = append(r.Apart, model.Pair{name(x[0]), name(x[1])})
	}
	for _, x := range rules.MayOverlap {
		r.MayOverlap = append(r.MayOverlap, model.Pair{name(x[0]), name(x[1])})
	}
	for _, x := range rules.Distances {
		r.Distances = append(r.Distances, model.Distance{Buffers: model.Pair{name(x.First), name(x.Second)}, Distance: x.Bytes})
	}
	return issues.Err()
}

// unbind takes rules out.
func (d *draft) unbind(rules Rules) error {
	var issues model.Issues
	name := d.naming(&issues)
	r := d.p.Rules
	without := func(list []model.Pair, field string, pairs [][2]string) []model.Pair {
		for _, x := range pairs {
			pair := model.Pair{name(x[0]), name(x[1])}.Sorted()
			left := slices.DeleteFunc(slices.Clone(list), func(y model.Pair) bool { return y.Sorted() == pair })
			if len(left) == len(list) {
				issues.Say(field, strconv.Quote(x[0])+", "+strconv.Quote(x[1]), "is no such pair of the session")
			}
			list = left
		}
		return list
	}
	r.Apart = without(r.Apart, "apart", rules.Apart)
	r.MayOverlap = without(r.MayOverlap, "may_overlap", rules.MayOverlap)
	for _, x := range rules.Distances {
		pair := model.Pair{name(x.First), name(x.Second)}.Sorted()
		left := slices.DeleteFunc(slices.Clone(r.Distances), func(y model.Distance) bool { return y.Buffers.Sorted() == pair })
		if len(left) == len(r.Distances) {
			issues.Say("distances", strconv.Quote(x.First)+", "+strconv.Quote(x.Second), "is no such pair of the session")
		}
		r.Distances = left
	}
	if issues.Err() == nil && len(rules.Together) > 0 {
		body, _, _ := model.BodiesOf(d.p)
		tied := r.Together
		for _, t := range rules.Together {
			for _, id := range t.Buffers {
				i := name(id)
				for j := range body { // those that it leaves
					if body[j] == body[i] {
						d.named = append(d.named, int32(j))
					}
				}
				if !slices.ContainsFunc(tied, func(t model.Together) bool { return slices.Contains(t.Buffers, i) }) {
					issues.Say("together", id, "is tied to no buffer")
					continue
				}
				d.untie(i)
			}
		}
	}
	return issues.Err()
}

// check returns what is wrong with the draft as a problem.
func (d *draft) check() error {
	var issues model.Issues
	issues.Join(model.Validate(d.p))
	if err := issues.Err(); err != nil {
		return err
	}
	if err := refused(d.p); err != nil {
		return err
	}
	pools := d.p.AllPools()
	var room int64
	for k := range pools {
		for _, r := range pools[k].Reserved {
			room = min(room+r.Upper, model.MaxSum)
		}
	}
	for _, t := range d.p.Rules.Together {
		for _, by := range t.At {
			room = min(room+max(by, -by), model.MaxSum)
		}
	}
	for i := range d.p.Buffers {
		b := &d.p.Buffers[i]
		step := int64(1)
		for k := range pools {
			if b.MayUse(int32(k)) {
				step = max(step, bound.LCM(b.Align(), max(pools[k].Alignment, 1), model.MaxSum))
			}
		}
		if room = min(room+b.Size, model.MaxSum) + step - 1; room > mostBytes {
			return fault(b.ID, "size", b.Size, tooMuch)
		}
		if b.Fixed != nil && *b.Fixed > mostBytes-b.Size {
			return fault(b.ID, "offset", *b.Fixed, "is too large for a session")
		}
		if err := d.o.suits(b); err != nil {
			return err
		}
	}
	return nil
}
