package models

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: several models share an arena if only one runs at a time (tflm.Tenancy). A resident model runs beside the
// others, or keeps its tensors between its runs. So it has an arena of its own, and the number is the sum.

// Tenants are models that share an arena, and residents beside them.
type Tenants struct {
	plans  []*tflitePlan // those that share, then residents
	shared int           // how many share
	at     int           // the target, among the arenas
	r      tenantsReport
}

// A tenantsReport is the report about several models. The keys of its JSON are a contract; new ones go to the end.
type tenantsReport struct {
	Order  []string      `json:"order"` // in which the models that share are loaded
	Head   int64         `json:"head"`  // the highest of those that share
	Arenas []sharedArena `json:"smallest_arenas"`
	Fit    *sharedFit    `json:"fit,omitempty"`
	Models []*planReport `json:"models"`   // those that share
	Beside []*planReport `json:"resident"` // models with arenas of their own
}

// A sharedArena has the bytes of a target: those that models share, of the residents' arenas, and of both together.
type sharedArena struct {
	Target   string `json:"target"`
	Shared   int64  `json:"shared"`
	Resident int64  `json:"resident"`
	All      int64  `json:"all"`
	Given    int64  `json:"in_given_order"` // all, if the models are loaded in the order in which they were given
	Apart    int64  `json:"apart"`          // if each model has an arena of its own
	AtLeast  bool   `json:"at_least"`       // these are lower bounds
}

// A sharedFit answers --capacity.
type sharedFit struct {
	Capacity int64  `json:"capacity"`
	Target   string `json:"target"`
	Fits     string `json:"fits"` // yes, no (proven) or unknown
	Needed   int64  `json:"needed"`
}

// PlanTenants plans models of TensorFlow Lite Micro. The first of them share an arena, the others are resident.
func PlanTenants(ctx context.Context, all []Model, shared int, p *Options) (*Tenants, error) {
	x := &Tenants{shared: shared, at: slices.Index(Targets, p.Target)}
	if p.Verify {
		if err := p.verifiable(ctx); err != nil {
			return nil, err
		}
	}
	for i, m := range all {
		of, ok := m.(*tfliteModel)
		if !ok {
			return nil, misusef("several models share the arena of TensorFlow Lite Micro: all must be .tflite")
		}
		o := *p
		o.Capacity, o.Report, o.Verify = 0, false, p.Verify && i >= shared
		made, err := of.Plan(ctx, &o)
		if err != nil {
			return nil, err
		}
		x.plans = append(x.plans, made.(*tflitePlan))
	}
	if err := x.choose(p); err != nil {
		return nil, err
	}
	for _, q := range x.plans[:shared] {
		if p.Verify {
			if err := q.verify(ctx); err != nil {
				return nil, err
			}
		}
	}
	x.report(p)
	return x, nil
}

// choose takes of each model that shares the plan with which the arena is the smallest.
func (x *Tenants) choose(p *Options) error {
	var plans [][]*tflm.Plan
	for _, q := range x.plans[:x.shared] {
		all := []*tflm.Plan{q.made}
		if q.parts.Plan != nil {
			all = slices.Concat(all, []*tflm.Plan{q.whole}, q.parts.Plans())
		}
		plans = append(plans, all)
	}
	for i, k := range tflm.Among(plans, p.on()) {
		q := x.plans[i]
		if k == 0 {
			continue
		}
		parts := &tflm.Split{Why: "the arena that the models share is not smaller with strips in this one"}
		if k > 1 {
			var err error
			if parts, err = q.parts.Take(k - 2); err != nil {
				return err
			}
		}
		front, o := q.r.Split.Front, *p
		o.doubts = q.r.doubts
		q.made = q.whole
		if parts.Plan != nil {
			q.made = parts.Plan
		}
		q.r = o.reportOf(q.made, q.r.Folded, []wouldLower{})
		q.r.Split = splitOf(q.whole.Model, parts)
		q.r.Split.Front = front
	}
	return nil
}

// report fills in the report.
func (x *Tenants) report(p *Options) {
	r := &x.r
	r.Models, r.Beside = []*planReport{}, []*planReport{}
	var plans []*tflm.Plan
	for i, q := range x.plans {
		if i < x.shared {
			plans, r.Models = append(plans, q.made), append(r.Models, q.r)
		} else {
			r.Beside = append(r.Beside, q.r)
		}
	}
	t := tflm.NewTenancy(plans, p.on())
	r.Head = t.Head
	for _, i := range t.Order {
		r.Order = append(r.Order, x.plans[i].r.Model)
	}
	for k := range x.plans[0].r.Arenas {
		a := sharedArena{Target: x.plans[0].r.Arenas[k].Target, Shared: t.Arenas[k].Smallest, Given: t.Given[k].Smallest}
		for i, q := range x.plans {
			bytes, exact := q.r.Arenas[k].needed(q.r)
			a.AtLeast = a.AtLeast || !exact
			a.Apart += bytes
			if i >= x.shared {
				a.Resident += bytes
			}
		}
		a.All = a.Shared + a.Resident
		a.Given += a.Resident
		r.Arenas = append(r.Arenas, a)
	}
	if p.Capacity > 0 {
		r.Fit = x.fit(p)
	}
}

// fit answers --capacity. It is proven not to fit if no plan of a model is lower.
func (x *Tenants) fit(p *Options) *sharedFit {
	a := &x.r.Arenas[x.at]
	f := &sharedFit{Capacity: p.Capacity, Target: a.Target, Needed: a.All, Fits: "no"}
	if a.All <= p.Capacity {
		f.Fits = "yes"
	}
	open := func(q *tflitePlan) bool { return q.r.Status != stowage.Optimal || q.r.Split != nil || p.Reorder }
	if a.AtLeast && f.Fits == "yes" || f.Fits == "no" && slices.ContainsFunc(x.plans, open) {
		f.Fits = "unknown"
	}
	return f
}

// Status returns the worst status of a model.
func (x *Tenants) Status() stowage.Status {
	for _, q := range x.plans {
		if s := q.Status(); !s.HasPlan() {
			return s
		}
	}
	return stowage.Feasible
}

// Fits answers Options.Capacity: yes, no or unknown; empty if there was none.
func (x *Tenants) Fits() string {
	if x.r.Fit == nil {
		return ""
	}
	return x.r.Fit.Fits
}

// Doubts reports whether it is unknown if the models run, and why.
func (x *Tenants) Doubts() (why []string) {
	for _, q := range x.plans {
		_, more := q.Doubts(true)
		why = append(why, more...)
	}
	return why
}

// Into makes the models with their plans; files has one for each.
func (x *Tenants) Into(files []string) error {
	for i, q := range x.plans {
		if err := q.Into([]File{{files[i], "tflite"}}); err != nil {
			return err
		}
	}
	return nil
}

// Write writes a model with its plan.
func (x *Tenants) Write(w io.Writer, model int) error {
	_, err := x.plans[model].Write(w, "tflite", false)
	return err
}

// JSON writes the report in JSON.
func (x *Tenants) JSON(w io.Writer) error { return writeJSON(w, &x.r) }

// Print writes the report for people.
func (x *Tenants) Print(w io.Writer) error {
	var s strings.Builder
	r := &x.r
	fmt.Fprintf(&s, "%s in one arena, one runs at a time", count(x.shared, "model"))
	if n := len(r.Beside); n > 0 {
		fmt.Fprintf(&s, "; %d beside them in arenas of their own", n)
	}
	s.WriteByte('\n')
	for _, a := range r.Arenas {
		least := ""
		if a.AtLeast {
			least = "at least "
		}
		fmt.Fprintf(&s, "  smallest arena, %-6s  %s%d", a.Target, least, a.Shared)
		if a.Resident > 0 {
			fmt.Fprintf(&s, ", and %d for residents: %d", a.Resident, a.All)
		}
		fmt.Fprintf(&s, "; %d if each has its own\n", a.Apart)
	}
	width := len("model")
	for _, q := range x.plans {
		width = max(width, len(cell(filepath.Base(q.r.Model))))
	}
	fmt.Fprintf(&s, "  %-*s %10s %9s %10s  %s\n", width, "model", "head", "tail", "alone", "in bytes, on "+r.Arenas[x.at].Target)
	for i, q := range x.plans {
		alone, _ := q.r.Arenas[x.at].needed(q.r)
		fmt.Fprintf(&s, "  %-*s %10d %9d %10d  %s\n", width, cell(filepath.Base(q.r.Model)), q.made.WrittenHead(),
			q.r.Arenas[x.at].Tail, alone, [2]string{"shares", "resident"}[number(i >= x.shared)])
	}
	for _, q := range x.plans {
		if q.r.Split != nil {
			for _, line := range q.r.Split.lines() {
				fmt.Fprintf(&s, "  %s: %s\n", cell(filepath.Base(q.r.Model)), line)
			}
		}
		if q.r.Verified != "" {
			fmt.Fprintf(&s, "  %s: verify: %s\n", cell(filepath.Base(q.r.Model)), q.r.Verified)
		}
		for _, o := range q.r.CannotRun {
			fmt.Fprintf(&s, "  %s: %s\n", cell(filepath.Base(q.r.Model)), o.words())
		}
	}
	for _, line := range x.advice() {
		s.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// number returns 1 for true.
func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// advice says how firmware shares the arena.
func (x *Tenants) advice() (out []string) {
	r := &x.r
	if x.shared > 1 {
		out = append(out, "give one MicroAllocator to the interpreters that share, and read a model's outputs before the next "+
			"one is filled: their tensors lie in the same bytes")
	}
	if a := &r.Arenas[x.at]; a.Given > a.All {
		var names []string
		for _, name := range r.Order {
			names = append(names, cell(filepath.Base(name)))
		}
		out = append(out, fmt.Sprintf("call AllocateTensors in this order: %s; in the order given %d bytes more are needed",
			strings.Join(names, ", "), a.Given-a.All))
	}
	if f := r.Fit; f != nil {
		out = append(out, map[string]string{
			"yes":     fmt.Sprintf("it fits into %d bytes (%s): it needs %d", f.Capacity, f.Target, f.Needed),
			"no":      fmt.Sprintf("it does not fit into %d bytes (%s): it needs %d", f.Capacity, f.Target, f.Needed),
			"unknown": fmt.Sprintf("whether it fits into %d bytes (%s) is not known: %d is what was found", f.Capacity, f.Target, f.Needed),
		}[f.Fits])
	}
	return out
}
