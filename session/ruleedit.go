package session

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: calls name buffers by their IDs, and rules have indices. An edit works on rules of its own, which become those
// of the session (journal.go) if it succeeds.
//
// Invariant: lists of rules are made anew if they change, since the journal has the old ones. Pools are shared: their
// capacities change by limit alone.
//
// Complexity: O(n + rules) for an edit.

// A ruleEdit edits the rules of a problem.
type ruleEdit struct {
	p     *model.Problem   // its Rules are the edit's own
	index map[string]int32 // index by ID
	named []int32          // buffers whose rules change
}

// editRules edits the rules of the session.
func (s *Session) editRules(edit func(e *ruleEdit) error) error {
	rules, p := *s.p.Rules, s.p
	p.Rules = &rules
	e := ruleEdit{p: &p, index: s.index}
	if err := edit(&e); err != nil {
		return err
	}
	s.named = append(s.named, e.named...)
	s.rule(&rules, s.unpinned)
	return nil
}

// name finds the buffer of an ID, and notes that its rules change.
func (e *ruleEdit) name(issues *model.Issues, id string) int32 {
	i, ok := e.index[id]
	if !ok {
		issues.Join(unknown(id))
	}
	e.named = append(e.named, i)
	return i
}

// bind adds rules.
func (e *ruleEdit) bind(rules Rules) error {
	var issues model.Issues
	name := func(id string) int32 { return e.name(&issues, id) }
	r := e.p.Rules
	r.Together, r.Distances = slices.Clip(r.Together), slices.Clip(r.Distances)
	r.Apart, r.MayOverlap = slices.Clip(r.Apart), slices.Clip(r.MayOverlap)
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
		pair := model.Pair{name(x.First), name(x.Second)}
		r.Distances = append(r.Distances, model.Distance{Buffers: pair, Distance: x.Bytes})
	}
	return issues.Err()
}

// unbind takes rules out.
func (e *ruleEdit) unbind(rules Rules) error {
	var issues model.Issues
	name := func(id string) int32 { return e.name(&issues, id) }
	r := e.p.Rules
	absent := func(field, a, b string) {
		issues.Say(field, strconv.Quote(a)+", "+strconv.Quote(b), "is no such pair of the session")
	}
	without := func(list []model.Pair, field string, pairs [][2]string) []model.Pair {
		for _, x := range pairs {
			pair := model.Pair{name(x[0]), name(x[1])}.Sorted()
			left := slices.DeleteFunc(slices.Clone(list), func(y model.Pair) bool { return y.Sorted() == pair })
			if len(left) == len(list) {
				absent(field, x[0], x[1])
			}
			list = left
		}
		return list
	}
	r.Apart = without(r.Apart, "apart", rules.Apart)
	r.MayOverlap = without(r.MayOverlap, "may_overlap", rules.MayOverlap)
	for _, x := range rules.Distances {
		pair := model.Pair{name(x.First), name(x.Second)}.Sorted()
		is := func(y model.Distance) bool { return y.Buffers.Sorted() == pair }
		left := slices.DeleteFunc(slices.Clone(r.Distances), is)
		if len(left) == len(r.Distances) {
			absent("distances", x.First, x.Second)
		}
		r.Distances = left
	}
	if issues.Err() == nil {
		e.unbindTies(rules.Together, &issues)
	}
	return issues.Err()
}

// unbindTies takes each buffer of the ties out of its body.
func (e *ruleEdit) unbindTies(ties []Tie, issues *model.Issues) {
	body, _, _ := model.BodiesOf(e.p)
	tied := e.p.Rules.Together
	for _, t := range ties {
		for _, id := range t.Buffers {
			i := e.name(issues, id)
			for j := range body { // those that it leaves
				if body[j] == body[i] {
					e.named = append(e.named, int32(j))
				}
			}
			if !slices.ContainsFunc(tied, func(t model.Together) bool { return slices.Contains(t.Buffers, i) }) {
				issues.Say("together", id, "is tied to no buffer")
				continue
			}
			e.untie(i)
		}
	}
}

// untie takes a buffer out of its body. What was tied through it stays tied: the lists that had it are linked.
func (e *ruleEdit) untie(i int32) {
	r := e.p.Rules
	_, at, _ := model.BodiesOf(e.p)
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

// leave takes all rules about a buffer out. The indices of later buffers are one less then.
func (e *ruleEdit) leave(i int32) {
	e.untie(i)
	r := e.p.Rules
	less := func(j int32) int32 {
		if j > i {
			return j - 1
		}
		return j
	}
	lessPair := func(x model.Pair) model.Pair { return model.Pair{less(x[0]), less(x[1])} }
	pairs := func(of []model.Pair) (all []model.Pair) {
		for _, x := range of {
			if x[0] != i && x[1] != i {
				all = append(all, lessPair(x))
			}
		}
		return all
	}
	r.Apart, r.MayOverlap = pairs(r.Apart), pairs(r.MayOverlap)
	var distances []model.Distance
	for _, x := range r.Distances {
		if x.Buffers[0] != i && x.Buffers[1] != i {
			distances = append(distances, model.Distance{Buffers: lessPair(x.Buffers), Distance: x.Distance})
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
}
