package agree

import (
	"cmp"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Fault is a false word of a planner.
type Fault struct {
	Seed     uint64
	Question Question
	Words    string
	Problem  *model.Problem
}

// Counts are what a run has come to.
type Counts struct {
	Problems  int64 // seeds asked about
	Calls     int64
	Fits      int64 // calls with a capacity that holds a plan
	DoesNot   int64 // calls with one that holds none
	Limited   int64 // calls with a limit
	Collide   int64 // problems without a plan at any height
	AboveLoad int64 // problems whose lowest height is above every simple bound
	Refused   int64 // problems that a planner does not take
	Undecided int64 // calls without an answer within the patience
	Faults    int64
}

// Add adds other.
func (c *Counts) Add(other Counts) {
	c.Problems += other.Problems
	c.Calls += other.Calls
	c.Fits += other.Fits
	c.DoesNot += other.DoesNot
	c.Limited += other.Limited
	c.Collide += other.Collide
	c.AboveLoad += other.AboveLoad
	c.Refused += other.Refused
	c.Undecided += other.Undecided
	c.Faults += other.Faults
}

// An Asker asks planners about the problems of seeds, one goroutine at a time.
type Asker struct {
	Counts Counts
	// Limits is how many limits of each kind fall on a problem and planner.
	Limits int
	// Every makes a limit fall at every node and at every look of a run, in place of at Limits of each kind. After
	// the first everyOne only some are taken.
	Every bool
	// Patience is how long each answer may take; 0 for the constant of that name.
	Patience time.Duration
	// OnFault is called with each fault.
	OnFault func(Fault)
	// OnUndecided is called with each question that an exact planner did not decide, if it is set.
	OnUndecided func(Fault)
	// OnAsk is called before each question, if it is set.
	OnAsk func(seed uint64, q Question)

	judge   oracle.Orders
	planner run.Planner
	info    plan.Info
	c       *Case
	seed    uint64
	state   uint64
}

// hardNodes limits what is spent on a problem of middle size.
const hardNodes = 300

// Begin takes the problem of the seed in hand.
func (a *Asker) Begin(seed uint64) {
	a.seed = seed
	a.c = CaseOf(seed, &a.judge)
	a.Counts.Problems++
	if !a.c.Fits {
		a.Counts.Collide++
	} else if a.c.Height > a.c.tl.LowerBound {
		a.Counts.AboveLoad++
	}
}

// Ask asks a planner about the problem in hand.
func (a *Asker) Ask(p run.Planner) {
	a.planner, a.info = p, p.Info()
	a.state = a.seed
	for _, b := range []byte(a.info.Name) {
		a.state = splitmix.Next(&a.state) ^ uint64(b)
	}
	a.all()
}

// below returns a number in [0, n).
func (a *Asker) below(n int64) int64 { return int64(splitmix.Next(&a.state) >> 1 % uint64(n)) }

// all asks the planner in hand everything about the case in hand.
func (a *Asker) all() {
	q := Question{Planner: a.info.Name, Look: -1, Seed: a.seed % 4}
	if a.below(3) == 0 {
		for _, t := range a.info.Techniques {
			// Without exact search auto has no answer to wait for.
			if a.below(3) == 0 && t.Name != "exact" {
				q.Without = append(q.Without, t.Name)
			}
		}
	}
	if a.c.Hard || a.info.Name == "climb" || a.info.Name == "boxing" { // these go on until a limit comes
		most := int64(hardNodes)
		if a.Every {
			most = everyNodes
		}
		q.Nodes = 1 + a.below(most)
	}
	free := q
	r, words := a.put(free)
	if words == refused {
		a.Counts.Refused++
		return
	}
	a.limits(free, r.Stats.Nodes)

	fit := q
	fit.Limited, fit.Minimize, fit.Start = true, a.below(3) == 0, a.below(6) == 0
	r, _ = a.put(fit)
	a.limits(fit, r.Stats.Nodes)

	none := q
	none.Limited, none.Minimize, none.Capacity = true, a.below(3) == 0, -1
	r, _ = a.put(none)
	a.limits(none, r.Stats.Nodes)

	if a.c.Fits {
		near := q
		near.Limited, near.Minimize = true, a.below(2) == 0
		near.Capacity = drawn.Boundary(a.c.Problem, a.c.Height, a.seed) - a.c.Height
		if near.Capacity != 0 && near.Capacity != -1 {
			a.put(near)
		}
	}
}

// limits asks again with limits at some of the nodes and looks of a run that had the given number of nodes.
func (a *Asker) limits(q Question, nodes int64) {
	bounded := q.Nodes > 0
	q.Nodes = 0
	if a.Every {
		a.everyLimit(q, nodes, bounded)
		return
	}
	for k := range int64(a.Limits) {
		limited := q
		switch {
		case nodes <= int64(a.Limits) && k+1 < nodes:
			limited.Nodes = k + 1
		case nodes > int64(a.Limits):
			limited.Nodes = 1 + a.below(min(nodes, hardNodes))
		}
		if limited.Nodes > 0 {
			a.put(limited)
		}
	}
	// How many looks there are is not known: go on until one has no effect.
	look := a.below(3)
	for range a.Limits {
		limited := q
		limited.Look = look
		if bounded {
			limited.Nodes = hardNodes
		}
		if r, _ := a.put(limited); r.Stopped == plan.Finished && a.info.Exact {
			break
		}
		look += 1 + a.below(look+2)
	}
}

// everyOne is the number of the node, and of the look, up to which a limit falls at each. Beyond it, each limit is a
// sixteenth further than the last, since a run may have a million nodes.
const everyOne = 200

// everyNodes is the node limit of planners that end by no other limit, if they are asked at every look.
const everyNodes = 16

// everyLimit asks again with a limit at every node of a run that had the given number
// of them, and with one at every look, until one comes after the planner has ended.
func (a *Asker) everyLimit(q Question, nodes int64, bounded bool) {
	for at := int64(1); at <= max(1, nodes); at += 1 + max(0, at-everyOne)/16 {
		limited := q
		limited.Nodes = at
		a.put(limited)
	}
	if bounded {
		q.Nodes = everyNodes
	}
	for look := int64(0); ; look += 1 + max(0, look-everyOne)/16 {
		limited := q
		limited.Look = look
		if r, _ := a.put(limited); r.Stopped != plan.StopInterrupt {
			return
		}
	}
}

// put asks and reports.
func (a *Asker) put(q Question) (r plan.Result, words string) {
	if a.OnAsk != nil {
		a.OnAsk(a.seed, q)
	}
	a.Counts.Calls++
	if q.Limited && a.c.Fits && q.Capacity >= 0 {
		a.Counts.Fits++
	} else if q.Limited {
		a.Counts.DoesNot++
	}
	if !q.unlimited() {
		a.Counts.Limited++
	}
	r, words = ask(a.planner, a.info.Exact, a.c, q, cmp.Or(a.Patience, Patience))
	switch words {
	case "", refused:
	case undecided:
		a.Counts.Undecided++
		if a.OnUndecided != nil {
			a.OnUndecided(Fault{Seed: a.seed, Question: q, Words: words, Problem: a.c.Problem})
		}
	default:
		a.Counts.Faults++
		if a.OnFault != nil {
			a.OnFault(Fault{Seed: a.seed, Question: q, Words: words, Problem: a.c.Problem})
		}
	}
	return r, words
}
