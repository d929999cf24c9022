package changes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// Idea: calls of sessions as text, for readers without JSON, and Go's answer to each. A call is drawn for
// the present state of the session, so the answers are made together with the calls.

// A Case is a session and calls of it.
type Case struct {
	Name    string
	Problem []byte // as JSON
	Head    string // lines with nodes, seed, effort and whether there are rules; with the offsets; and with the pools
	Calls   string // one after another, and "end"
	Answers string // a line for each call
}

// A ruledDraw draws the calls of one session.
type ruledDraw struct {
	r      *gen.RNG
	s      *session.Session
	marks  []session.Mark // all that were made; 0 if one is gone
	next   int
	tiny   bool // small numbers, so that rules often decide
	calls  strings.Builder
	answer strings.Builder
}

// A rule is one pair of one kind, by IDs.
type rule struct {
	kind, a, b string
	by         int64
}

// RuledCases returns n sessions with rules, and n/6 that traces with rules make. Of three, one is a tiny problem with
// any rules; the others have two pools that just hold their buffers.
func RuledCases(n int) (all []Case, err error) {
	if all, err = tracedRules(n / 6); err != nil {
		return nil, err
	}
	ctx := context.Background()
	for seed := range uint64(n) {
		r := gen.NewRNG(seed, "ruled calls")
		o := session.Options{NodeLimit: []int64{0, 0, 60, 1}[seed%4], Seed: seed << 60}
		if seed%5 == 4 {
			o.Effort = session.Repair
		}
		var p *model.Problem
		if seed%3 == 0 {
			p = tinyRules(seed)
		} else {
			p = crowded(r)
		}
		s, err := session.Open(ctx, p, nil, session.Options{})
		var none *session.NoPlanError
		if errors.As(err, &none) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if seed%3 != 0 {
			tighten(ctx, s)
		}
		problem, plan := s.Snapshot()
		inPairs(problem.Rules)
		var text bytes.Buffer
		if err := json.Write(&text, problem, nil); err != nil {
			return nil, err
		}
		c := Case{Name: fmt.Sprint("seed ", seed), Problem: text.Bytes()}
		// The problem as its readers have it.
		if problem, _, err = json.Read(bytes.NewReader(c.Problem), ""); err != nil {
			return nil, err
		}
		if problem.Rules == nil {
			continue // they were empty, which a file does not say
		}
		d := ruledDraw{r: r, tiny: seed%3 == 0}
		if d.s, err = session.OpenPlan(ctx, problem, plan, o); err != nil {
			return nil, err
		}
		c.Head = head(&o, problem.Rules, plan)
		for range 60 {
			if err := d.call(ctx); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
		}
		c.Calls, c.Answers = d.calls.String()+"end\n", d.answer.String()
		all = append(all, c)
	}
	return all, nil
}

// head returns the lines of Case.Head.
func head(o *session.Options, rules *model.Rules, plan *model.Plan) string {
	ruled := 0
	if rules != nil {
		ruled = 1
	}
	first := fmt.Sprintln(o.NodeLimit, int64(o.Seed), int(o.Effort), ruled)
	return first + numbers(plan.Offsets) + "\n" + numbers(poolsOf(plan)) + "\n"
}

// tinyRules draws a tiny problem with any rules that a session takes.
func tinyRules(seed uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 270))
	for {
		p := drawn.Ruled(r)
		for _, priced := range []string{"penalties", "costs", "evictions", "objective"} {
			p = drawn.Without(p, priced)
		}
		if p.Rules == nil {
			p.Rules = &model.Rules{}
		}
		if model.Validate(p) == nil {
			return p
		}
	}
}

// inPairs splits ties into pairs, as columns have them: messages count the lists.
func inPairs(r *model.Rules) {
	if r == nil {
		return
	}
	var pairs []model.Together
	for _, t := range r.Together {
		for k := 1; k < len(t.Buffers); k++ {
			tie := model.Together{Buffers: []int32{t.Buffers[0], t.Buffers[k]}, At: []int64{0, 0}}
			if t.At != nil {
				tie.At[1] = t.At[k] - t.At[0]
			}
			pairs = append(pairs, tie)
		}
	}
	r.Together = pairs
}

// crowded draws a problem with two pools and some of each rule.
func crowded(r *gen.RNG) *model.Problem {
	pools := []model.Pool{{ID: "fast", Alignment: 2}, {ID: "slow", Reserved: []model.Range{{Lower: 8, Upper: 12}}}}
	p := &model.Problem{Rules: &model.Rules{Pools: pools}}
	n := r.Within(12, 24)
	for k := range n {
		b := model.Buffer{ID: fmt.Sprint("d", k), Lower: r.Below(30), Size: r.Within(1, 40)}
		b.Upper = b.Lower + r.Within(1, 15)
		if k >= 4 && r.Chance(0.3) {
			b.Extra = &model.Extra{Pools: []int32{int32(r.Below(2))}}
		}
		p.Buffers = append(p.Buffers, b)
	}
	pair := func() model.Pair {
		i := r.Below(n - 3)
		return model.Pair{int32(3 + i), int32(3 + (i+r.Within(1, n-4))%(n-3))}
	}
	for range n / 8 {
		p.Rules.Apart, p.Rules.MayOverlap = append(p.Rules.Apart, pair()), append(p.Rules.MayOverlap, pair())
	}
	p.Rules.Together = []model.Together{{Buffers: []int32{0, 1, 2}, At: []int64{0, 2 * r.Below(20), 2 * r.Below(20)}}}
	return p
}

// tighten limits each pool to its height.
func tighten(ctx context.Context, s *session.Session) {
	p, plan := s.Snapshot()
	for pool := range p.Rules.Pools {
		high := int64(16)
		for i, at := range plan.Offsets {
			if int(plan.PoolOf(i)) == pool {
				high = max(high, at+p.Buffers[i].Size)
			}
		}
		_, _ = s.LimitPool(ctx, int32(pool), high)
	}
}

// buffer draws a buffer that comes. It has clocks if the session has, and clocked is true.
func (d *ruledDraw) buffer(p *model.Problem, id string, clocked bool) model.Buffer {
	r := d.r
	b := model.Buffer{ID: id, Lower: r.Below(30), Size: r.Within(1, 40)}
	b.Upper = b.Lower + r.Within(1, 15)
	if d.tiny {
		b.Lower, b.Size = r.Below(6), r.Within(1, 4)
		b.Upper = b.Lower + r.Within(1, 5)
	}
	if t := p.Rules.Threads; t > 0 && clocked {
		lower, upper := make([]int64, t), make([]int64, t)
		for k := range lower {
			lower[k] = r.Below(4)
			upper[k] = lower[k] + r.Within(0, 3)
		}
		b.SetClocks(lower, upper)
	}
	if t := p.Rules.Period; t > 0 {
		b.Lower %= t
		b.Upper = min(b.Upper, b.Lower+t)
	}
	if r.Chance(0.3) {
		b.Alignment = r.Pick(2, 3)
	}
	if r.Chance(0.2) {
		at := r.Below(40)
		b.Hint = &at
	}
	if k := int64(len(p.Rules.Pools)); k > 1 && r.Chance(0.4) {
		if b.Extra == nil {
			b.Extra = &model.Extra{}
		}
		b.Extra.Pools = []int32{int32(r.Below(k))}
	}
	if r.Chance(0.1) && (len(p.Rules.Pools) < 2 || b.Extra != nil && b.Extra.Pools != nil) {
		at := r.Below(20) * b.Align()
		b.Fixed = &at
	}
	return b
}

// rules draws rules about buffers, the first of them in each pair.
func (d *ruledDraw) rules(ids, others []string) (all []rule) {
	for range d.r.Within(1, 2) {
		x := rule{kind: []string{"together", "apart", "may_overlap", "distances"}[d.r.Below(4)]}
		x.a, x.b = ids[d.r.Below(int64(len(ids)))], others[d.r.Below(int64(len(others)))]
		if x.kind == "together" || x.kind == "distances" {
			x.by = 2 * d.r.Within(-2, 10)
		}
		if x.kind == "distances" { // the second is born where the first dies
			x.a, x.b = x.b, x.a
		}
		all = append(all, x)
	}
	return all
}

// present draws a rule that the session has.
func (d *ruledDraw) present(p *model.Problem) []rule {
	var all []rule
	for _, t := range p.Rules.Together {
		other := t.Buffers[d.r.Below(int64(len(t.Buffers)))]
		all = append(all, rule{"together", p.Buffers[t.Buffers[0]].ID, p.Buffers[other].ID, 0})
	}
	for _, x := range p.Rules.Apart {
		all = append(all, rule{"apart", p.Buffers[x[1]].ID, p.Buffers[x[0]].ID, 0})
	}
	for _, x := range p.Rules.MayOverlap {
		all = append(all, rule{"may_overlap", p.Buffers[x[0]].ID, p.Buffers[x[1]].ID, 0})
	}
	for _, x := range p.Rules.Distances {
		all = append(all, rule{"distances", p.Buffers[x.Buffers[1]].ID, p.Buffers[x.Buffers[0]].ID, 7})
	}
	if len(all) == 0 {
		return []rule{{"apart", "absent", "nowhere", 0}}
	}
	return all[d.r.Below(int64(len(all))):][:1]
}

// together returns rules as a session takes them.
func together(all ...[]rule) (rules session.Rules) {
	for _, x := range slices.Concat(all...) {
		switch pair := [2]string{x.a, x.b}; x.kind {
		case "together":
			t := session.Tie{Buffers: pair[:], At: []int64{0, x.by}}
			if x.a == x.b && x.by == 0 {
				t = session.Tie{Buffers: pair[:1]}
			}
			rules.Together = append(rules.Together, t)
		case "apart":
			rules.Apart = append(rules.Apart, pair)
		case "may_overlap":
			rules.MayOverlap = append(rules.MayOverlap, pair)
		default:
			rules.Distances = append(rules.Distances, session.Distance{First: x.a, Second: x.b, Bytes: x.by})
		}
	}
	return rules
}

// call draws a call, makes it, and writes both down.
func (d *ruledDraw) call(ctx context.Context) error {
	r, s := d.r, d.s
	p, plan := s.Snapshot()
	ids := []string{"absent"}
	for i := range p.Buffers {
		ids = append(ids, p.Buffers[i].ID)
	}
	id := ids[r.Below(int64(len(ids)))]
	present := ids[min(1, len(ids)-1):]
	if r.Chance(0.9) {
		id = present[r.Below(int64(len(present)))]
	}
	pool, bytes := r.Within(0, int64(len(p.AllPools()))), r.Within(0, 50)
	if d.tiny {
		bytes /= 5
	}
	at := bytes
	if i := slices.Index(ids, id) - 1; i >= 0 && r.Chance(0.4) {
		at = plan.Offsets[i]
	}
	say := func(form string, x ...any) { fmt.Fprintf(&d.calls, form+"\n", x...) }
	switch kind := r.Below(24); {
	case kind < 5:
		n, asked := r.Within(1, 2), "place"
		if kind == 4 {
			asked = "fits"
		}
		effort := session.None
		if kind == 3 {
			effort = session.Window
		}
		var buffers []model.Buffer
		var mine []string
		clocked := r.Chance(0.9)
		for range n {
			d.next++
			buffers = append(buffers, d.buffer(p, fmt.Sprint("n", d.next), clocked))
			mine = append(mine, buffers[len(buffers)-1].ID)
		}
		var own, with []rule
		if r.Chance(0.3) && n > 1 {
			own = d.rules(mine[:1], mine[1:])
		}
		if r.Chance(0.5) {
			with = d.rules(mine, slices.Concat(present, mine))
		}
		for _, x := range with { // buffers with a distance meet in one slot
			i, k := slices.Index(ids, x.a)-1, slices.Index(mine, x.b)
			if x.kind == "distances" && i >= 0 && k >= 0 && p.Rules.Threads == 0 && p.Rules.Period == 0 {
				b := &buffers[k]
				b.Lower, b.Upper = p.Buffers[i].Upper-1, p.Buffers[i].Upper-1+b.Upper-b.Lower
			}
		}
		say("%s %d %d %d %d", asked, int(effort), n, len(own), len(with))
		for i := range buffers {
			say("%s", line(&buffers[i]))
		}
		d.rulesSaid(own, with)
		if asked == "fits" {
			a, err := s.FitsWith(ctx, buffers, together(own, with))
			return d.answered(asked, a, err)
		}
		a, err := s.PlaceWith(ctx, buffers, together(own, with), effort)
		return d.answered(asked, a, err)
	case kind < 10:
		asked, rules, call := "bind", d.rules(present, present), s.Bind
		if kind > 7 {
			asked, rules, call = "unbind", d.present(p), s.Unbind
		}
		say("%s %d", asked, len(rules))
		d.rulesSaid(rules)
		a, err := call(ctx, together(rules))
		return d.answered(asked, a, err)
	case kind < 12:
		b := d.buffer(p, id, r.Chance(0.9))
		say("replace %s", line(&b))
		a, err := s.Replace(ctx, id, func(x *model.Buffer) { *x = b })
		return d.answered("replace", a, err)
	case kind == 12:
		say("remove %s", id)
		return d.done("remove", s.Remove(id))
	case kind == 13:
		say("unpin %s", id)
		return d.done("unpin", s.Unpin(id))
	case kind < 16:
		say("resize %s %d", id, bytes+1)
		a, err := s.Resize(ctx, id, bytes+1)
		return d.answered("resize", a, err)
	case kind == 16:
		lower := r.Below(20)
		say("retime %s %d %d", id, lower, lower+bytes)
		a, err := s.Retime(ctx, id, lower, lower+bytes)
		return d.answered("retime", a, err)
	case kind == 17:
		say("pin %s %d", id, at)
		a, err := s.Pin(ctx, id, at)
		return d.answered("pin", a, err)
	case kind == 18:
		say("pin_in %s %d %d", id, pool, at)
		a, err := s.PinIn(ctx, id, int32(pool), at)
		return d.answered("pin_in", a, err)
	case kind == 19:
		say("limit_pool %d %d", pool, 3*bytes)
		a, err := s.LimitPool(ctx, int32(pool), 3*bytes)
		return d.answered("limit_pool", a, err)
	case kind == 20:
		height := r.Pick(0, 0, plan.Height-1)
		asked, call := "replan", func() (session.Answer, error) { return s.Replan(ctx, max(0, height), session.None) }
		if r.Chance(0.3) {
			asked, height, call = "limit", 4*bytes, func() (session.Answer, error) { return s.Limit(ctx, 4*bytes) }
		}
		say("%s %d", asked, max(0, height))
		a, err := call()
		return d.answered(asked, a, err)
	case kind == 21 || len(d.marks) == 0:
		say("mark")
		d.marks = append(d.marks, s.Mark())
		return d.done("mark", nil)
	}
	k := r.Below(int64(len(d.marks)))
	if r.Chance(0.6) {
		say("rollback %d", k)
		return d.done("rollback", s.Rollback(d.marks[k]))
	}
	say("commit %d", k)
	return d.done("commit", s.Commit(d.marks[k]))
}

// rulesSaid writes rules, one a line.
func (d *ruledDraw) rulesSaid(all ...[]rule) {
	for _, x := range slices.Concat(all...) {
		fmt.Fprintf(&d.calls, "%s %s %s %d\n", x.kind, x.a, x.b, x.by)
	}
}

// line returns a buffer as a line: its numbers, with -1 for none, the pool that it may be in, and its clocks.
func line(b *model.Buffer) string {
	some := func(x *int64) int64 {
		if x == nil {
			return -1
		}
		return *x
	}
	pool := int32(-1)
	var lower, upper []int64
	if b.Extra != nil {
		if b.Extra.Pools != nil {
			pool = b.Extra.Pools[0]
		}
		if c := b.Extra.Clocks; c != nil {
			lower, upper = c.Lower, c.Upper
		}
	}
	plain := []int64{b.Lower, b.Upper, b.Size, b.Alignment, some(b.Fixed), some(b.Hint), int64(pool), int64(len(lower))}
	return b.ID + numbers(plain, lower, upper)
}

func numbers(all ...[]int64) string {
	var b strings.Builder
	for _, x := range slices.Concat(all...) {
		fmt.Fprint(&b, " ", x)
	}
	return b.String()
}

// poolsOf returns the pools of a plan, also if there is one.
func poolsOf(plan *model.Plan) []int64 {
	all := make([]int64, len(plan.Offsets))
	for i := range all {
		all[i] = int64(plan.PoolOf(i))
	}
	return all
}

// answered writes what a call answered. Only a fault of the session is an error here.
func (d *ruledDraw) answered(kind string, a session.Answer, err error) error {
	if err != nil {
		return d.done(kind, err)
	}
	pools := make([]int64, len(a.Pools))
	for k, pool := range a.Pools {
		pools[k] = int64(pool)
	}
	least := 0
	if a.Least {
		least = 1
	}
	m := &a.Moved
	fmt.Fprintf(&d.answer, "%s %d %s at%s in%s moved", kind, int(a.Status), a.Step, numbers(a.Offsets), numbers(pools))
	fmt.Fprintf(&d.answer, " %d %d %d %d least %d enough %d nodes %d", m.Cost, m.Buffers, m.Bytes, m.Slots, least,
		a.Enough, a.Nodes)
	if p := a.Proof; p != nil {
		fmt.Fprintf(&d.answer, " %s %d %d %d: %s", p.Why, p.Slot, p.Load, p.LowestPossible, p)
	}
	d.state()
	return nil
}

// done writes what became of a call without an answer.
func (d *ruledDraw) done(kind string, err error) error {
	switch input := (*model.InputError)(nil); {
	case err == nil:
		fmt.Fprintf(&d.answer, "%s done", kind)
	case errors.As(err, &input), errors.Is(err, session.ErrUnsupported):
		fmt.Fprintf(&d.answer, "%s refused: %s", kind, strings.ReplaceAll(err.Error(), "\n", "; "))
	default:
		return err
	}
	d.state()
	return nil
}

// state writes the plan after a call.
func (d *ruledDraw) state() {
	_, plan := d.s.Snapshot()
	fmt.Fprintf(&d.answer, " |%s |%s\n", numbers(plan.Offsets), numbers(poolsOf(plan)))
}
