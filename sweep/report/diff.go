package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: two runs of one sweep are matched row by row. Each pair has at most one change: the first one of the list of
// kinds that applies. So a run that lost its plan is not named again for its nodes.
//
// Invariant: a row is matched by what was asked: problem, order, planner, capacity, limits and seed. A proof against a
// plan of another night is a contradiction, and comes first: one of the two versions is wrong.
//
// Complexity: O(n log n) for n rows.
//
// Seconds are no change: between two runs of one program they differ by more than most changes of a search. Nodes do
// not differ at all.

// A Kind says what has changed between two rows.
type Kind string

// The kinds. Those up to Missing are for the worse.
const (
	Contradiction Kind = "contradiction"   // a plan where a proof was that there is none, or the other way round
	NewFailure    Kind = "new failure"     // invalid or died; was not
	FitLost       Kind = "fit lost"        // had a plan that fits
	ProofLost     Kind = "proof lost"      // was proven infeasible, or proven to be the lowest
	NewRefusal    Kind = "new refusal"     // the planner refuses the problem; did not
	Higher        Kind = "higher"          // a higher plan, of a run without a capacity
	MoreNodes     Kind = "more nodes"      // for the same answer, by Limits.Nodes
	Changed       Kind = "problem changed" // the problem of that name is another one
	Missing       Kind = "missing"         // the row is not there any more

	FitGained   Kind = "fit gained"
	ProofGained Kind = "proof gained"
	Mended      Kind = "mended" // had failed, or was refused
	Lower       Kind = "lower"
	FewerNodes  Kind = "fewer nodes"
	New         Kind = "new" // the row was not there
)

// kinds are all, the worst first.
var kinds = []Kind{
	Contradiction, NewFailure, FitLost, ProofLost, NewRefusal, Higher, MoreNodes, Changed, Missing,
	FitGained, ProofGained, Mended, Lower, FewerNodes, New,
}

// Worse reports whether a kind is for the worse.
func (k Kind) Worse() bool { return slices.Index(kinds, k) <= slices.Index(kinds, Missing) }

// Limits says from where on a difference counts.
type Limits struct {
	// Nodes is the factor from which on more or fewer nodes are a change; 0 means 1.1. A
	// difference of less than 100 nodes never is.
	Nodes float64
}

// fewestNodes is the least difference of nodes that is a change.
const fewestNodes = 100

// A Change is a pair of rows that differ. One is nil if the row is missing or new.
type Change struct {
	Kind     Kind
	Old, New *core.Row
}

// row is the one that says what was asked.
func (c *Change) row() *core.Row {
	if c.New != nil {
		return c.New
	}
	return c.Old
}

// A Difference is what changed between two sweeps.
type Difference struct {
	Changes []Change // the worst kinds first, then by problem, order, planner and capacity
	Same    int      // pairs without a change
}

// asked is what a row answers.
type asked struct {
	problem, name, order, planner string
	capacity, nodes, seed         int64
	timeout                       float64
}

func askedBy(r *core.Row) asked {
	return asked{r.Problem, r.Name, r.Order, r.Planner, r.Capacity, r.NodeLimit, int64(r.Seed), r.Timeout}
}

// elsewhere is the question of a row whose problem may have changed: the capacity of a changed problem differs as well.
type elsewhere struct {
	name, order, planner string
	nodes, seed          int64
	timeout              float64
}

func elsewhereOf(r *core.Row) elsewhere {
	return elsewhere{r.Name, r.Order, r.Planner, r.NodeLimit, int64(r.Seed), r.Timeout}
}

// Diff compares the rows of two sweeps of one specification.
func Diff(before, after []core.Row, limits Limits) Difference {
	if limits.Nodes <= 0 {
		limits.Nodes = 1.1
	}
	was := map[asked]*core.Row{}
	for k := range before {
		was[askedBy(&before[k])] = &before[k]
	}
	is := map[asked]bool{}
	problems := map[elsewhere]map[string]bool{} // digests of the new rows
	for k := range after {
		r := &after[k]
		is[askedBy(r)] = true
		if problems[elsewhereOf(r)] == nil {
			problems[elsewhereOf(r)] = map[string]bool{}
		}
		problems[elsewhereOf(r)][r.Problem] = true
	}
	var d Difference
	changed := map[elsewhere]bool{}
	for k := range before {
		r := &before[k]
		if is[askedBy(r)] {
			continue
		}
		switch now := problems[elsewhereOf(r)]; {
		case len(now) == 0 || now[r.Problem]:
			d.Changes = append(d.Changes, Change{Missing, r, nil})
		case !changed[elsewhereOf(r)]: // once for all capacities
			changed[elsewhereOf(r)] = true
			d.Changes = append(d.Changes, Change{Changed, r, nil})
		}
	}
	seen := map[asked]bool{}
	for k := range after {
		r := &after[k]
		if seen[askedBy(r)] {
			continue
		}
		seen[askedBy(r)] = true
		old := was[askedBy(r)]
		if old == nil {
			if !changed[elsewhereOf(r)] {
				d.Changes = append(d.Changes, Change{New, nil, r})
			}
			continue
		}
		if kind := kindOf(old, r, limits); kind != "" {
			d.Changes = append(d.Changes, Change{kind, old, r})
		} else {
			d.Same++
		}
	}
	slices.SortStableFunc(d.Changes, func(a, b Change) int {
		x, y := a.row(), b.row()
		return cmp.Or(
			cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Problem, y.Problem),
			seriesOf(x).compare(seriesOf(y)), cmp.Compare(x.Capacity, y.Capacity),
		)
	})
	return d
}

// kindOf says what has changed from one row to the next; empty for nothing.
func kindOf(old, now *core.Row, limits Limits) Kind {
	was, is := outcomeOf(old), outcomeOf(now)
	proven := func(r *core.Row) bool { return r.Status == "optimal" || r.Status == "infeasible" }
	switch {
	case was == fits && is == refuted, was == refuted && is == fits,
		contradicts(old, now), contradicts(now, old):
		return Contradiction
	case is >= invalid && was < invalid:
		return NewFailure
	case is == refused && was < refused:
		return NewRefusal
	case was >= refused && is < was && is != refused:
		return Mended
	case was >= refused:
		return "" // as it was
	case was == fits && is != fits:
		return FitLost
	case was == refuted && is != refuted:
		return ProofLost
	case was != fits && is == fits:
		return FitGained
	case was != refuted && is == refuted:
		return ProofGained
	}
	// The outcome is the same. With a capacity any plan that fits will do.
	if is == fits && now.Capacity == 0 {
		switch {
		case now.Height > old.Height:
			return Higher
		case now.Height < old.Height:
			return Lower
		case proven(old) && !proven(now):
			return ProofLost
		case proven(now) && !proven(old):
			return ProofGained
		}
	}
	return nodesOf(old, now, limits)
}

// contradicts reports whether a plan of one row is lower than the other says is proven to be the lowest.
func contradicts(proof, plan *core.Row) bool {
	return proof.Status == "optimal" && proof.Capacity == 0 && outcomeOf(plan) == fits && plan.Height > 0 &&
		plan.Height < proof.Height
}

// nodesOf compares the nodes of two runs that ended by themselves, with one answer.
func nodesOf(old, now *core.Row, limits Limits) Kind {
	if !ran(old) || !ran(now) || cutByClock(old) || cutByClock(now) {
		return ""
	}
	a, b := old.Nodes, now.Nodes
	switch {
	case b-a >= fewestNodes && float64(b) >= limits.Nodes*float64(a):
		return MoreNodes
	case a-b >= fewestNodes && float64(a) >= limits.Nodes*float64(b):
		return FewerNodes
	}
	return ""
}

// Count returns how many changes are of a kind.
func (d *Difference) Count(k Kind) (n int) {
	for i := range d.Changes {
		if d.Changes[i].Kind == k {
			n++
		}
	}
	return n
}

// Worse counts the changes for the worse.
func (d *Difference) Worse() (n int) {
	for i := range d.Changes {
		if d.Changes[i].Kind.Worse() {
			n++
		}
	}
	return n
}

// mostLines is how many changes of a kind the text names.
const mostLines = 20

// WriteText writes the changes for people: how many of each kind there are, then the first of each.
func (d *Difference) WriteText(w io.Writer) error {
	var s strings.Builder
	worse := d.Worse()
	fmt.Fprintf(&s, "%d for the worse, %d for the better or new, %d the same\n", worse, len(d.Changes)-worse, d.Same)
	clock := 0
	for k := range d.Changes {
		if c := &d.Changes[k]; c.Old != nil && c.New != nil && (cutByClock(c.Old) || cutByClock(c.New)) {
			clock++
		}
	}
	if clock > 0 {
		fmt.Fprintf(&s, "%d of the changes are of runs that the clock cut: these may differ between two nights of "+
			"one version\n", clock)
	}
	for _, kind := range kinds {
		n := d.Count(kind)
		if n == 0 {
			continue
		}
		fmt.Fprintf(&s, "\n%s: %d\n", kind, n)
		named := 0
		for k := range d.Changes {
			c := &d.Changes[k]
			if c.Kind != kind {
				continue
			}
			if named++; named > mostLines {
				fmt.Fprintf(&s, "  and %d more\n", n-mostLines)
				break
			}
			s.WriteString("  " + c.text() + "\n")
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// text is a change as a line.
func (c *Change) text() string {
	r := c.row()
	parts := []string{r.Planner, "on", r.Name}
	if r.Order != "" {
		parts = append(parts, "in the order", r.Order)
	}
	if r.Capacity > 0 && c.Kind != Changed {
		parts = append(parts, fmt.Sprintf("at %d", r.Capacity))
	}
	var said string
	switch c.Kind {
	case Missing:
		said = "was " + c.Old.Status
	case New:
		said = c.New.Status
	case Changed:
		said = "the problem of that name has other buffers, so nothing is compared"
	case Higher, Lower:
		said = fmt.Sprintf("%d, was %d", c.New.Height, c.Old.Height)
	case MoreNodes, FewerNodes:
		said = fmt.Sprintf("%s nodes, was %s", comparison.Grouped(c.New.Nodes), comparison.Grouped(c.Old.Nodes))
	default:
		said = state(c.New) + ", was " + state(c.Old)
		if c.New.Message != "" {
			said += ": " + firstLine(c.New.Message)
		}
	}
	return strings.Join(parts, " ") + ": " + said
}

// state is the status of a row, with the height of its plan.
func state(r *core.Row) string {
	if outcomeOf(r) == fits {
		return fmt.Sprintf("%s at height %d", r.Status, r.Height)
	}
	return r.Status
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// WriteCSV writes a line for each change, with a header.
func (d *Difference) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"kind", "worse", "problem", "name", "order", "planner", "capacity", "node_limit", "timeout", "seed",
		"status_old", "status_new", "height_old", "height_new", "nodes_old", "nodes_new", "message",
	}}
	for k := range d.Changes {
		c := &d.Changes[k]
		r := c.row()
		old, now := c.sides()
		rows = append(rows, []string{
			string(c.Kind), strconv.FormatBool(c.Kind.Worse()), r.Problem, r.Name, r.Order, r.Planner,
			strconv.FormatInt(r.Capacity, 10), strconv.FormatInt(r.NodeLimit, 10), strconv.FormatFloat(r.Timeout, 'f', -1, 64),
			fmt.Sprint(r.Seed),
			old.Status, now.Status, some(float64(old.Height), 0), some(float64(now.Height), 0), some(float64(old.Nodes), 0),
			some(float64(now.Nodes), 0), now.Message,
		})
	}
	return out.WriteAll(rows)
}

// sides returns both rows; one that is not there is empty.
func (c *Change) sides() (old, now core.Row) {
	if c.Old != nil {
		old = *c.Old
	}
	if c.New != nil {
		now = *c.New
	}
	return old, now
}

// WriteJSON writes the counts by kind, and each change.
func (d *Difference) WriteJSON(w io.Writer) error {
	type side struct {
		Status     string `json:"status"`
		Height     int64  `json:"height"`
		LowerBound int64  `json:"lower_bound"`
		Nodes      int64  `json:"nodes"`
		Stopped    string `json:"stopped,omitempty"`
		Message    string `json:"message,omitempty"`
		Version    string `json:"version,omitempty"`
	}
	type change struct {
		Kind     Kind   `json:"kind"`
		Worse    bool   `json:"worse"`
		Problem  string `json:"problem"`
		Name     string `json:"name"`
		Order    string `json:"order,omitempty"`
		Planner  string `json:"planner"`
		Capacity int64  `json:"capacity"`
		Old      *side  `json:"old"`
		New      *side  `json:"new"`
	}
	sideOf := func(r *core.Row) *side {
		if r == nil {
			return nil
		}
		return &side{r.Status, r.Height, r.LowerBound, r.Nodes, r.Stopped, r.Message, r.Version}
	}
	out := struct {
		Worse   int          `json:"worse"`
		Same    int          `json:"same"`
		Counts  map[Kind]int `json:"counts"`
		Changes []change     `json:"changes"`
	}{d.Worse(), d.Same, map[Kind]int{}, []change{}}
	for k := range d.Changes {
		c := &d.Changes[k]
		r := c.row()
		out.Counts[c.Kind]++
		out.Changes = append(out.Changes,
			change{c.Kind, c.Kind.Worse(), r.Problem, r.Name, r.Order, r.Planner, r.Capacity, sideOf(c.Old), sideOf(c.New)})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
