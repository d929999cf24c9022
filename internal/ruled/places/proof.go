package places

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/ruled/parts"
	"github.com/stowage-go/stowage/model"
)

// Idea: a fault depends on the buffers of its bodies, on the neighbours that took their places, and on the neighbours
// of these. Buffers are left out of this set, in ever smaller groups, as long as the rest still has a fault. What
// remains is put in words.
//
// If a problem has evictions, all of them are taken. A plan of the problem, cut to the stretches that no eviction takes
// away, is a plan of these parts. So the proof holds for every set of evictions.
//
// Invariant: without any one of its buffers the places prove nothing. A search may prove that fewer buffers are enough.
//
// Complexity: the places are found O(k log n) times if k of n buffers remain, and at most mostRuns times.

const mostRuns = 1000

// namedInProof is how many buffers, pools and ranges of offsets a sentence names.
const namedInProof = 4

// A Proof says that there is no plan, and why.
type Proof struct {
	Buffers []int  // the buffers that the proof needs, ascending
	Reason  string // a sentence, without a capital letter and a full stop
	None    []int  // the buffers that have no place; one body, or two
}

// Prove looks for a proof that a valid problem with rules has no plan. It returns nil if the places prove nothing.
// name is how an ID is written.
func Prove(p *model.Problem, name func(id string) string) *Proof {
	core := coreOf(p)
	if core == nil {
		return nil
	}
	runs := 0
	for group := max(1, len(core)/2); ; group /= 2 {
		for at := 0; at < len(core) && len(core) > 1 && runs < mostRuns; {
			rest := slices.Concat(core[:at], core[min(at+group, len(core)):])
			runs++
			less := coreOf(model.Among(p, rest))
			if less == nil {
				at += group
				continue
			}
			core, at = picked(rest, less), 0
		}
		if group <= 1 {
			break
		}
	}
	s, of := find(model.Among(p, core))
	w := &wording{s, name}
	proof := &Proof{Buffers: core, Reason: w.fault()}
	for _, k := range []int32{s.fault.a, s.fault.b} {
		if k >= 0 {
			for _, i := range s.bodies[k].members {
				proof.None = append(proof.None, core[of[i]])
			}
		}
	}
	return proof
}

func picked(from, at []int) []int {
	out := make([]int, len(at))
	for k, n := range at {
		out[k] = from[n]
	}
	return out
}

// None reports whether the places prove that a valid problem with rules has no plan, with any evictions.
func None(p *model.Problem) bool {
	s, _ := find(p)
	return s.None()
}

// find finds the places of the parts that are left if all evictions are taken. of has the buffer of each part.
func find(p *model.Problem) (s *Sets, of []int32) {
	q := parts.All(p)
	return Find(q.Problem, model.NewConflicts(q.Problem)), q.Of
}

// coreOf returns the buffers that a fault depends on, ascending; nil if there is no fault.
func coreOf(p *model.Problem) (core []int) {
	s, of := find(p)
	if s.fault == nil {
		return nil
	}
	seen := make([]bool, len(s.bodies))
	stack := []int32{s.fault.a}
	if s.fault.b >= 0 {
		stack = append(stack, s.fault.b)
	}
	for len(stack) > 0 {
		k := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[k] {
			continue
		}
		seen[k] = true
		stack = append(stack, s.bodies[k].causes...)
		for _, i := range s.bodies[k].members {
			core = append(core, int(of[i]))
		}
	}
	slices.Sort(core)
	return slices.Compact(core)
}

// A wording puts a fault in words.
type wording struct {
	sets  *Sets
	write func(id string) string
}

// fault returns the fault as a sentence.
func (s *wording) fault() string {
	a := &s.sets.bodies[s.sets.fault.a]
	if s.sets.fault.b >= 0 {
		return s.pair(a, &s.sets.bodies[s.sets.fault.b], s.sets.fault.pool)
	}
	var clauses []string
	var usable []int32
	for q := range s.sets.pools {
		if s.sets.mayUse(a, int32(q)) {
			usable = append(usable, int32(q))
		}
	}
	if len(usable) == 0 {
		return "buffers " + s.names(a, false) + " are tied to one pool, and none is allowed to all of them"
	}
	for _, q := range usable[:min(len(usable), namedInProof)] {
		where := ""
		if id := s.sets.pools[q].ID; id != "" {
			where = "in the pool " + s.write(id) + " "
		}
		clauses = append(clauses, where+s.clause(a, q))
	}
	if more := len(usable) - namedInProof; more > 0 {
		clauses = append(clauses, fmt.Sprintf("nor does it in %d more", more))
	}
	who := "buffer " + s.names(a, true) + " has"
	if len(a.members) > 1 {
		who = "buffers " + s.names(a, true) + ", which are tied, have"
	}
	return who + " no place: " + strings.Join(clauses, "; ")
}

// pair returns the sentence for two bodies without places beside each other.
func (s *wording) pair(a, b *body, pool int32) string {
	why := "are live together" + s.when(a, b)
	for _, i := range a.members {
		for _, j := range b.members {
			if s.sets.pairs.conflicts.Apart(int(i), int(j)) {
				why = "are apart"
			} else if d, ok := s.sets.pairs.distances[model.Pair{i, j}.Sorted()]; ok {
				why = fmt.Sprintf("are live together%s at a distance of %d", s.when(a, b), d.Distance)
			}
		}
	}
	q, where := &s.sets.pools[pool], ""
	if q.ID != "" {
		where = " and have places only in the pool " + s.write(q.ID)
	}
	text := "buffers " + s.names(a, true) + " and " + s.names(b, true) + " " + why + where
	room := int64(0)
	for _, r := range freeOf(q) {
		room += r.last - r.first
	}
	if sum := a.end + b.end; len(a.members)+len(b.members) == 2 && sum > room && !s.near(a.members[0], b.members[0]) {
		text += fmt.Sprintf(": they take %d bytes, which is %d more than ", sum, sum-room)
		if room < q.Capacity {
			return text + fmt.Sprintf("the %d of %d that are not reserved", room, q.Capacity)
		}
		return text + fmt.Sprintf("the capacity of %d", room)
	}
	text += fmt.Sprintf("; within the capacity of %d they share bytes wherever they lie: %s may begin at %s, and %s at %s",
		q.Capacity,
		s.write(s.sets.p.Buffers[a.members[0]].ID), s.offsets(a, pool), s.write(s.sets.p.Buffers[b.members[0]].ID),
		s.offsets(b, pool))
	if causes := s.causes(pool, a, b); causes != "" {
		text += " beside " + causes
	}
	return text
}

// when says at what time two bodies first meet; empty if time is no line.
func (s *wording) when(a, b *body) string {
	if s.sets.p.Rules.Threads > 0 || s.sets.p.Rules.Period > 0 {
		return ""
	}
	var lower, upper int64
	for _, i := range a.members {
		for _, j := range b.members {
			for x := range s.sets.p.Buffers[i].Pieces {
				for y := range s.sets.p.Buffers[j].Pieces {
					if l, u := max(x.Lower, y.Lower), min(x.Upper, y.Upper); l < u && (lower == upper || l < lower) {
						lower, upper = l, u
					}
				}
			}
		}
	}
	if lower == upper {
		return ""
	}
	return fmt.Sprintf(" in [%d, %d)", lower, upper)
}

// alone returns the places of a body in a pool, without neighbours.
func (s *wording) alone(b *body, pool int32, free []span) []span {
	var x set
	s.sets.within(&x, b, pool, free)
	return x.spans
}

// near reports whether two buffers may share bytes at some distances although they conflict.
func (s *wording) near(i, j int32) (some bool) {
	a, b := &s.sets.p.Buffers[i], &s.sets.p.Buffers[j]
	whole := false
	s.sets.pairs.Between(i, j, func(low, high int64) { whole = whole || low == -a.Size && high == b.Size })
	return !whole
}

// clause says why a body has no place in a pool that it may use.
func (s *wording) clause(b *body, pool int32) string {
	q, it, takes := &s.sets.pools[pool], "it", "takes"
	if len(b.members) > 1 {
		it, takes = "they", "take"
	}
	grid, ok := s.sets.gridOf(b, q)
	if !ok {
		return s.unaligned(b, q)
	}
	if origin, fixed := s.sets.fixedAt(b); fixed {
		return s.fixedClause(b, q, pool, origin)
	}
	switch {
	case q.Capacity > 0 && b.end > q.Capacity:
		return fmt.Sprintf("%s %s %d, more than the capacity of %d", it, takes, b.end, q.Capacity)
	case q.Capacity > 0 && grid.First > q.Capacity-b.end:
		return fmt.Sprintf("alignments let them begin at %d and end at %d, above the capacity of %d", grid.First,
			grid.First+b.end, q.Capacity)
	}
	free := freeOf(q)
	if len(s.alone(b, pool, free)) == 0 {
		if longest := longestOf(free); len(b.members) == 1 && longest < b.end {
			return fmt.Sprintf("%s %s %d, and the longest stretch that is not reserved has %d", it, takes, b.end, longest)
		}
		return fmt.Sprintf("%s would share bytes with a reserved range at each offset that the alignment of %d allows",
			it, grid.Step)
	}
	with := s.causes(pool, b)
	if len(q.Reserved) > 0 {
		with += ", or with what is reserved"
	}
	return it + " would share bytes, wherever " + it + " began, with " + with
}

// unaligned says that the alignments of tied buffers contradict each other.
func (s *wording) unaligned(b *body, q *model.Pool) string {
	var words []string
	for _, i := range b.members[:min(len(b.members), namedInProof)] {
		step := bound.LCM(s.sets.p.Buffers[i].Align(), max(q.Alignment, 1), model.MaxSum)
		where := ""
		if above := s.sets.from(i) - s.sets.from(b.members[0]); above > 0 {
			where = fmt.Sprintf(", %d above it,", above)
		} else if above < 0 {
			where = fmt.Sprintf(", %d below it,", -above)
		}
		words = append(words, fmt.Sprintf("%s%s at a multiple of %d", s.name(i), where, step))
	}
	return "no offset has " + joined(words)
}

// fixedClause is clause for a body with a fixed offset.
func (s *wording) fixedClause(b *body, q *model.Pool, pool int32, origin int64) string {
	var by int32
	for _, i := range b.members {
		if s.sets.p.Buffers[i].Fixed != nil {
			by = i
			break
		}
	}
	text := "it is"
	if len(b.members) > 1 {
		text = s.write(s.sets.p.Buffers[by].ID) + " is"
	}
	text += fmt.Sprintf(" fixed at %d", *s.sets.p.Buffers[by].Fixed)
	other := func(i int32, does string) string {
		if i == by {
			return text + " and " + does
		}
		return text + ", so " + s.write(s.sets.p.Buffers[i].ID) + " " + does
	}
	for _, i := range b.members {
		at, end := origin+s.sets.from(i), origin+s.sets.from(i)+s.sets.p.Buffers[i].Size
		step := max(q.Alignment, 1)
		if at%step == 0 {
			step = s.sets.p.Buffers[i].Align()
		}
		switch {
		case at < 0:
			return other(i, fmt.Sprintf("begins at %d, below 0", at))
		case at%step != 0:
			return other(i, fmt.Sprintf("begins at %d, which is no multiple of %d", at, step))
		case q.Capacity > 0 && end > q.Capacity:
			return other(i, fmt.Sprintf("ends at %d, above the capacity of %d", end, q.Capacity))
		}
		for _, r := range lower.Merged(q.Reserved) {
			if at < r.Upper && r.Lower < end {
				return other(i, fmt.Sprintf("would share bytes with [%d, %d), which is reserved", r.Lower, r.Upper))
			}
		}
	}
	return text + " and would share bytes with " + s.causes(pool, b)
}

// causes names the neighbours in a pool that took the places of bodies.
func (s *wording) causes(pool int32, of ...*body) string {
	var all []int32
	for _, b := range of {
		for _, k := range b.causes {
			if at, _, _ := s.sets.bodies[k].only(); at == pool && !slices.Contains(all, k) {
				all = append(all, k)
			}
		}
	}
	var words []string
	for _, k := range all[:min(len(all), namedInProof)] {
		f := &s.sets.bodies[k]
		_, origin, _ := f.only()
		i := f.members[0]
		at := origin + s.sets.from(i)
		what := "which has only the offset"
		if _, fixed := s.sets.fixedAt(f); fixed {
			what = "which is fixed at"
		}
		apart := ""
		for _, b := range of {
			for _, i := range b.members {
				for _, j := range f.members {
					if apart == "" && s.sets.pairs.conflicts.Apart(int(i), int(j)) {
						apart = " and is apart from " + s.write(s.sets.p.Buffers[i].ID)
					}
				}
			}
		}
		words = append(words, fmt.Sprintf("%s of %d, %s %d%s", s.name(i), s.sets.p.Buffers[i].Size, what, at, apart))
	}
	if more := len(all) - namedInProof; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, ", or ")
}

// offsets lists the offsets that the first member of a body may have in a pool.
func (s *wording) offsets(b *body, pool int32) string {
	x, from := &b.in[pool], s.sets.from(b.members[0])
	var words []string
	for k, r := range x.spans {
		switch {
		case k == namedInProof:
			return strings.Join(append(words, "and more"), ", ")
		case r.first == r.last:
			words = append(words, fmt.Sprint(r.first+from))
		case x.grid.Step == 1:
			words = append(words, fmt.Sprintf("%d to %d", r.first+from, r.last+from))
		default:
			words = append(words, fmt.Sprintf("%d to %d in steps of %d", r.first+from, r.last+from, x.grid.Step))
		}
	}
	return strings.Join(words, ", ")
}

// names lists the members of a body, with their sizes if it is asked for.
func (s *wording) names(b *body, sizes bool) string {
	var words []string
	for _, i := range b.members[:min(len(b.members), namedInProof)] {
		words = append(words, s.name(i))
		if sizes {
			words[len(words)-1] += fmt.Sprintf(" of %d", s.sets.p.Buffers[i].Size)
		}
	}
	if more := len(b.members) - namedInProof; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return joined(words)
}

// joined joins words with commas, and the last with and.
func joined(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return words[0]
}

// name is how a sentence names a buffer: by its ID, and with its life if it is one of several parts.
func (s *wording) name(i int32) string {
	b := &s.sets.p.Buffers[i]
	for k := range s.sets.p.Buffers {
		if int32(k) != i && s.sets.p.Buffers[k].ID == b.ID {
			return fmt.Sprintf("%s in [%d, %d)", s.write(b.ID), b.Lower, b.Upper)
		}
	}
	return s.write(b.ID)
}
