package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/ruled/places"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: buffers of a problem with rules are left out, in ever smaller groups, as long as no plan keeps the rules for
// the rest. Each run asks only whether there is a plan: penalties are left out, so every plan has the best value of the
// objective. The buffers that remain are the set, and the reason is put in words. If every two of them conflict, and
// together they need more bytes than their pools have free, that is the reason, and it needs no search to check. A
// window, an eviction or a distance may let buffers share bytes although they conflict. Such buffers count in no
// clique.
//
//	Σ size of a clique of conflicts > Σ free bytes of the pools that its buffers may be in
//
// If the places of single buffers and pairs prove that there is no plan (internal/ruled/places), the search starts
// from the buffers of that proof, and its sentence is the reason. If a moment is too full (fullest.go), the search
// starts from its largest buffers, as many as it takes.
//
// Invariant: a group is left out only if the rest is proven to have no plan. If a limit ends a run, its group stays.
//
// Complexity: O(k log n) runs for k buffers that are left of n, if groups of half the size each are tried.
//
// Source: delta debugging (Zeller and Hildebrandt, 2002), without its complements.

// A Solver plans a problem with rules, as Solve of internal/ruled does.
type Solver func(ctx context.Context, p *model.Problem, o plan.Options) (plan.Result, error)

// ruledNodes is the least node limit of a run.
const ruledNodes = 2000

// Ruled is Irreducible for a problem with rules. Explanation.Reason has the pools and rules at fault. Fixed
// offsets that collide are not told apart from other reasons.
func Ruled(ctx context.Context, p *model.Problem, o plan.Options, solve Solver) (*plan.Explanation, error) {
	ctx, cancel := limited(ctx, o.Timeout)
	defer cancel()
	o.Minimize, o.Progress, o.Moves, o.Timeout, o.Start = false, nil, nil, 0, nil
	e := &plan.Explanation{Runs: 1}
	all := make([]int, len(p.Buffers))
	for i := range all {
		all[i] = i
	}
	began := time.Now()
	r, err := solve(ctx, model.Among(p, all), o)
	if err != nil {
		return nil, err
	}
	if e.Status = r.Status; r.Status != model.Infeasible {
		if r.Status.HasPlan() {
			e.Status = model.Feasible
		}
		return e, nil
	}
	if o.NodeLimit == 0 {
		o.NodeLimit = max(ruledNodes, 4*r.Stats.Nodes)
	}
	o.Timeout = 10*time.Since(began) + 100*time.Millisecond
	infeasible := func(set []int) (yes, known bool) {
		if ctx.Err() != nil || err != nil {
			return false, false
		}
		e.Runs++
		var r plan.Result
		if r, err = solve(ctx, model.Among(p, set), o); err != nil {
			return false, false
		}
		return r.Status == model.Infeasible, r.Status != model.Unknown
	}
	core, decided := all, true
	if proof := prove(p); proof != nil {
		core = whole(p, proof.Buffers)
	} else if f := fullest(p); f != nil {
		core = whole(p, f.fewest())
	}
	for group := max(1, len(core)/2); ; group /= 2 {
		decided = true
		for at := 0; at < len(core) && len(core) > 1; {
			rest := closed(p, slices.Concat(core[:at], core[min(at+group, len(core)):]))
			yes, known := infeasible(rest)
			if yes {
				core = rest
				continue
			}
			decided = decided && known
			at += group
		}
		if group == 1 {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	e.Buffers, e.Irreducible = core, decided
	e.Reason = ruledReason(p, core)
	return e, nil
}

// prove looks for a proof by places. It writes IDs unchanged.
func prove(p *model.Problem) *places.Proof {
	p, of := leastOf(p)
	proof := places.Prove(p, func(id string) string { return id })
	if proof != nil {
		proof.Buffers = slices.Clone(proof.Buffers)
		for k, i := range proof.Buffers {
			proof.Buffers[k] = of[i]
		}
	}
	return proof
}

// sentence gives words a capital letter and a full stop.
func sentence(words string) string { return upper(words) + "." }

// upper gives words a capital letter.
func upper(words string) string { return strings.ToUpper(words[:1]) + words[1:] }

// ruledReason says in words why no plan keeps the rules of some buffers.
func ruledReason(p *model.Problem, core []int) string {
	if p.Rules.HasAlternatives() {
		return choiceReason(p, core)
	}
	pools := p.AllPools()
	var usable []int
	for k := range pools {
		if slices.ContainsFunc(core, func(i int) bool { return p.Buffers[i].MayUse(int32(k)) }) {
			usable = append(usable, k)
		}
	}
	where, free, bounded := roomOf(pools, usable)
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	conflicts := model.NewConflicts(p)
	near := map[model.Pair]bool{} // may share bytes although they conflict
	for _, d := range p.Rules.Distances {
		near[d.Buffers.Sorted()] = true
	}
	clique, sum := true, int64(0)
	var rules []string
	for _, x := range p.Rules.Listings() {
		for _, list := range *x.Lists {
			var names []string
			for _, i := range list {
				if slices.Contains(core, int(i)) {
					names = append(names, p.Buffers[i].ID)
				}
			}
			if len(names) > 1 {
				rules = append(rules, x.Name+" "+strings.Join(names, " – "))
			}
		}
	}
	for k, i := range core {
		sum += p.Buffers[i].Size
		clique = clique && !p.Buffers[i].HasWindow() && (p.Buffers[i].Extra == nil || len(p.Buffers[i].Extra.Evictions) == 0)
		for _, j := range core[:k] {
			clique = clique && conflicts.Conflict(i, j) && !near[model.Pair{int32(j), int32(i)}]
			names := p.Buffers[j].ID + " – " + p.Buffers[i].ID
			switch {
			case conflicts.SameBody(i, j):
				rules = append(rules, "together "+names)
			case conflicts.Apart(i, j):
				rules = append(rules, "apart "+names)
			}
		}
	}
	when := ""
	if lower, upper, ok := meeting(p, core); ok && len(core) > 1 {
		when = fmt.Sprintf(" All of them are in use in [%d, %d).", lower, upper)
	}
	var s string
	switch proof := prove(model.Among(p, core)); {
	case proof != nil && (len(core) == 1 || !clique || !bounded || sum <= free):
		return sentence(proof.Reason)
	case clique && bounded && sum > free:
		s = "Every two of them conflict. They take " + number(sum) + " bytes, which is " + number(sum-free) + " more than " +
			where + "." + when
	case clique:
		s = "Every two of them conflict, and they take " + number(sum) + " bytes. They may be in " + where +
			", but no arrangement of them keeps the rules." + when
	default:
		s = "They may be in " + where + ", but no arrangement of them keeps the rules." + when
	}
	if len(rules) > 0 {
		more := ""
		if len(rules) > mostShown {
			rules, more = rules[:mostShown], " and more"
		}
		s += " Rules among them: " + strings.Join(rules, ", ") + more + "."
	}
	return s
}

// choiceReason is ruledReason for a problem with alternatives: the reason is that of the least forms.
func choiceReason(p *model.Problem, core []int) string {
	least, of := leastOf(p)
	var at []int
	for k, i := range of {
		if slices.Contains(core, i) {
			at = append(at, k)
		}
	}
	s := ""
	if len(at) > 0 {
		s = ruledReason(least, at) + " "
	}
	var lists []string
	for _, list := range p.Rules.Alternatives {
		if !slices.Contains(core, int(list[0])) {
			continue
		}
		var names []string
		for _, i := range list {
			names = append(names, p.Buffers[i].ID)
		}
		lists = append(lists, strings.Join(names, ", "))
	}
	if len(lists) == 0 {
		return strings.TrimSpace(s)
	}
	more := ""
	if len(lists) > mostShown {
		lists, more = lists[:mostShown], " and more"
	}
	return s + "Alternatives, of which the least form counts: " + strings.Join(lists, "; ") + more + "."
}

// roomOf describes pools by their free bytes, and adds these up. bounded says that all pools have a capacity.
func roomOf(pools []model.Pool, usable []int) (where string, free int64, bounded bool) {
	var words []string
	bounded = true
	for _, k := range usable {
		name := "the pool " + pools[k].ID
		if pools[k].ID == "" {
			name = "the capacity"
		}
		if pools[k].Objects {
			name += ", divided into objects,"
		}
		if len(pools[k].Borders) > 0 {
			name += fmt.Sprintf(", with borders at %d and so on,", pools[k].Borders[0])
		}
		if g := pools[k].Granularity; g > 0 {
			name += fmt.Sprintf(", with pages of %d,", g)
		}
		if pools[k].Capacity == 0 {
			words, bounded = append(words, name+" without a limit"), false
			continue
		}
		left := pools[k].Capacity
		reserved := slices.Clone(pools[k].Reserved)
		sorting.Structs(reserved, func(a, b model.Range) int { return int(min(1, max(-1, a.Lower-b.Lower))) })
		end := int64(0)
		for _, r := range reserved {
			if lower := max(r.Lower, end); lower < r.Upper {
				left, end = left-(r.Upper-lower), r.Upper
			}
		}
		free += left
		word := fmt.Sprintf("%s with %d free", name, left)
		if left < pools[k].Capacity {
			word += fmt.Sprintf(" of %d", pools[k].Capacity)
		}
		words = append(words, word)
	}
	return strings.Join(words, " and "), free, bounded
}

// meeting returns the first stretch of time in which all buffers of a set are in use. ok is false if there is none, or
// if time is no line.
func meeting(p *model.Problem, set []int) (lower, upper int64, ok bool) {
	if p.Rules.Threads > 0 || p.Rules.Period > 0 || len(set) == 0 {
		return 0, 0, false
	}
	type stretch struct{ lower, upper int64 }
	var common []stretch
	for k, i := range set {
		var both []stretch
		for x := range p.Buffers[i].Pieces {
			if k == 0 {
				both = append(both, stretch{x.Lower, x.Upper})
			}
			for _, c := range common {
				if l, u := max(c.lower, x.Lower), min(c.upper, x.Upper); l < u {
					both = append(both, stretch{l, u})
				}
			}
		}
		if common = both; len(common) == 0 {
			return 0, 0, false
		}
	}
	first := slices.MinFunc(common, func(a, b stretch) int { return cmp.Compare(a.lower, b.lower) })
	return first.lower, first.upper, true
}
