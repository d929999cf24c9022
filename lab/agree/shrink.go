package agree

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// Idea: leave out one thing after the other, a buffer, a gap, a constraint, half of a size, as long as the same planner
// still says something false of what remains. The oracle answers each remainder anew, so a shrunk problem is a fault in
// its own right. A limit may have to fall elsewhere on a smaller problem, so the first few are tried too.

// shrinkTries bounds the problems that are tried. shrinkTime bounds the time: if the fault is a missing answer, each
// try takes long.
const (
	shrinkTries = 4000
	shrinkTime  = 15 * time.Second
)

// Shrink returns a fault that is as small as leaving out makes it.
func Shrink(f Fault, p run.Planner) Fault {
	var judge oracle.Orders
	tries, began, exact := 0, time.Now(), p.Info().Exact
	again := func(q *model.Problem) bool {
		if tries++; tries > shrinkTries || time.Since(began) > shrinkTime || len(q.Buffers) == 0 || model.Validate(q) != nil {
			return false
		}
		c := answered(q, &judge)
		for _, question := range nearby(f.Question) {
			if _, words := ask(p, exact, c, question, Patience); words != "" && kindOf(words) == kindOf(f.Words) {
				f.Question, f.Words, f.Problem = question, words, q
				return true
			}
		}
		return false
	}
	if len(f.Problem.Buffers) > 9 {
		return f // the oracle would not end
	}
	for progress := true; progress; {
		progress = false
		for _, q := range smaller(f.Problem) {
			if again(q) {
				progress = true
				break
			}
		}
	}
	return f
}

// kindOf returns the beginning of a fault's words. A shrunk fault must be of the same kind.
func kindOf(words string) string {
	kind, _, _ := strings.Cut(words, " ")
	return kind
}

// nearby returns the question, and it with other limits and fewer options.
func nearby(q Question) []Question {
	all := []Question{}
	plain := q
	plain.Without, plain.Seed, plain.Start = nil, 0, false
	for _, base := range []Question{plain, q} {
		if base.Nodes > 0 {
			for nodes := int64(1); nodes <= 6; nodes++ {
				limited := base
				limited.Nodes = nodes
				all = append(all, limited)
			}
		}
		if base.Look >= 0 {
			for look := range int64(6) {
				limited := base
				limited.Look = look
				all = append(all, limited)
			}
		}
		all = append(all, base)
	}
	return all
}

// smaller returns what p becomes by leaving out one thing.
func smaller(p *model.Problem) []*model.Problem {
	var all []*model.Problem
	change := func(i int, f func(b *model.Buffer)) {
		q := &model.Problem{Name: p.Name, Buffers: slices.Clone(p.Buffers)}
		b := &q.Buffers[i]
		b.Gaps = slices.Clone(b.Gaps)
		f(b)
		all = append(all, q)
	}
	for i := range p.Buffers {
		all = append(all, &model.Problem{Name: p.Name, Buffers: slices.Delete(slices.Clone(p.Buffers), i, i+1)})
	}
	all = append(all, compact(p)...)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Hint != nil {
			change(i, func(b *model.Buffer) { b.Hint = nil })
		}
		if b.Fixed != nil {
			change(i, func(b *model.Buffer) { b.Fixed = nil })
			if *b.Fixed > 0 {
				change(i, func(b *model.Buffer) { at := *b.Fixed / 2 / b.Align() * b.Align(); b.Fixed = &at })
				change(i, func(b *model.Buffer) { at := *b.Fixed - b.Align(); b.Fixed = &at })
			}
		}
		if b.Alignment != 0 {
			change(i, func(b *model.Buffer) { b.Alignment = 0 })
		}
		if b.Alignment > 2 {
			change(i, func(b *model.Buffer) { b.Alignment = 2 })
			change(i, func(b *model.Buffer) { b.Alignment /= 2 })
		}
		for k := range b.Gaps {
			change(i, func(b *model.Buffer) { b.Gaps = slices.Delete(b.Gaps, k, k+1) })
			if b.Gaps[k].Window != nil {
				change(i, func(b *model.Buffer) { b.Gaps[k].Window = nil })
			}
		}
		if b.Size > 1 {
			for _, size := range []int64{1, b.Size / 2, b.Size - 1} {
				change(i, func(b *model.Buffer) { resize(b, size) })
			}
		}
	}
	return all
}

// resize sets the size and keeps the windows within it.
func resize(b *model.Buffer, size int64) {
	b.Size = size
	for k, g := range b.Gaps {
		if g.Window != nil {
			w := model.Window{Lower: min(g.Window.Lower, size-1), Upper: min(g.Window.Upper, size)}
			w.Upper = max(w.Upper, w.Lower+1)
			b.Gaps[k].Window = &w
		}
	}
}

// compact numbers the times of all changes from 0. It returns nothing if they are so already.
func compact(p *model.Problem) []*model.Problem {
	var times []int64
	for i := range p.Buffers {
		times = append(times, p.Buffers[i].Lower, p.Buffers[i].Upper)
		for _, g := range p.Buffers[i].Gaps {
			times = append(times, g.Lower, g.Upper)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	if times[0] == 0 && times[len(times)-1] == int64(len(times))-1 {
		return nil
	}
	rank := func(t int64) int64 { at, _ := slices.BinarySearch(times, t); return int64(at) }
	q := &model.Problem{Name: p.Name, Buffers: slices.Clone(p.Buffers)}
	for i := range q.Buffers {
		b := &q.Buffers[i]
		b.Lower, b.Upper = rank(b.Lower), rank(b.Upper)
		b.Gaps = slices.Clone(b.Gaps)
		for k := range b.Gaps {
			b.Gaps[k].Lower, b.Gaps[k].Upper = rank(b.Gaps[k].Lower), rank(b.Gaps[k].Upper)
		}
	}
	return []*model.Problem{q}
}

// String is the fault with its problem as CSV.
func (f Fault) String() string {
	return fmt.Sprintf("FAULT seed %d, %s: %s\n%s", f.Seed, f.Question, f.Words, rows(f.Problem))
}

// String is the case as CSV, under its answer.
func (c *Case) String() string {
	return c.Problem.Name + ": " + c.answer() + "\n" + rows(c.Problem)
}

// rows returns a problem as CSV.
func rows(p *model.Problem) string {
	var text bytes.Buffer
	if err := csv.Write(&text, p, nil); err != nil {
		return err.Error() + "\n"
	}
	return text.String()
}
