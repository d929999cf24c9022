package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/plan"
)

// Idea: an answer of "no" comes with a next step: how many bytes are too many, how many would be enough, and the
// command to type. Package explain finds the ways out and words them; this file prints them for solve and explain.

// nextNodes is the node limit of the run with which solve finds a capacity that is enough.
const nextNodes = 2000

// ways looks for ways out, in what is left of the timeout.
func (e *explainFlags) ways(ctx context.Context, p *stowage.Problem, x *stowage.Explanation,
	began time.Time,
) (*explain.Ways, error) {
	ctx, cancel := e.within(ctx, began)
	defer cancel()
	return explain.WaysOut(ctx, p, x, stowage.Solve)
}

// within limits a context to what is left of the timeout.
func (s *search) within(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if s.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, s.left(began))
}

// writeWays prints ways out, and the command for the first of them. arena says that a capacity is that of an arena.
func writeWays(w io.Writer, ways *explain.Ways, p *stowage.Problem, given []poolSize, file string, arena bool) error {
	if ways == nil {
		if missing := lacking(p); missing != "" {
			fmt.Fprintf(w, "\nnext: %s: 'stowage solve --pool NAME=SIZE %s' gives a pool another capacity\n", missing, file)
		}
		return nil
	}
	if ways.NoRoom {
		fmt.Fprintln(w, "\nNo capacities of the pools are enough: the rules alone have no plan.")
	}
	lines := ways.Lines(p, cell)
	if len(lines) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nenough, each alone:\n")
	for _, line := range lines {
		fmt.Fprintln(w, "  "+line)
	}
	if ways.Changes() == 0 {
		several := "; --conflicts names several sets"
		if p.Ruled() {
			several = ""
		}
		fmt.Fprintf(w, "No change of one buffer was found that is enough alone%s.\n", several)
	}
	if next := enlarged(ways.Enough, ways.Rooms, ways.Together, p, given); next != "" {
		verb := "solve"
		if arena {
			verb = "plan"
		}
		fmt.Fprintf(w, "next: stowage %s %s %s\n", verb, next, file)
	}
	return nil
}

// lacking says what pools lack at least; nothing if that is not known.
func lacking(p *stowage.Problem) string {
	if !p.Ruled() {
		return ""
	}
	return explain.Missing(p, cell)
}

// enlarged returns the flags for the first capacities that are enough; empty if none are known. The other pools keep
// the capacities that were given.
func enlarged(enough int64, alone, together []explain.Room, p *stowage.Problem, given []poolSize) string {
	switch {
	case enough > 0:
		return fmt.Sprintf("-c %d", enough)
	case len(alone) > 0:
		together = alone[:1]
	}
	var flags []string
	if len(together) > 0 {
		for _, q := range given {
			if !slices.ContainsFunc(together, func(r explain.Room) bool { return p.Rules.Pools[r.Pool].ID == q.name }) {
				flags = append(flags, q.typed())
			}
		}
	}
	for _, r := range together {
		flags = append(flags, quoted(fmt.Sprintf("--pool=%s=%d", p.Rules.Pools[r.Pool].ID, r.To)))
	}
	return strings.Join(flags, " ")
}

// typed returns a path as it is typed in a shell.
func typed(path string) string {
	if strings.HasPrefix(path, "-") && path != format.Standard {
		path = "./" + path
	}
	return quoted(path)
}

// waysJSON are the ways out in JSON. The keys are a contract with scripts.
type waysJSON struct {
	Enough int64        `json:"enough,omitempty"`
	Least  int64        `json:"at_least"`
	Shrink []shrunkJSON `json:"shrink"`
	Absent []absentJSON `json:"absent"`

	// Of problems with rules.
	Pools    []roomJSON    `json:"pools,omitempty"`    // each alone is enough
	Together []roomJSON    `json:"together,omitempty"` // all of them are
	NoRoom   bool          `json:"no_capacity,omitempty"`
	Allowed  []allowedJSON `json:"allowed,omitempty"`
	Unfixed  []string      `json:"unfixed,omitempty"`
	Loose    [][2]string   `json:"not_apart,omitempty"`
	Without  []droppedJSON `json:"without,omitempty"`
}

type roomJSON struct {
	ID       string `json:"id"`
	By       int64  `json:"by"`
	Capacity int64  `json:"capacity"`
	Least    int64  `json:"at_least,omitempty"` // while the other pools stay
}

type allowedJSON struct { // in a further pool
	ID   string `json:"id"`
	Pool string `json:"pool"`
}

type droppedJSON struct { // a rule of banks
	Rule    string   `json:"rule"`
	Buffers []string `json:"buffers,omitempty"`
	Pool    string   `json:"pool,omitempty"`
}

func roomsOf(rooms []explain.Room, p *stowage.Problem) (out []roomJSON) {
	for _, r := range rooms {
		out = append(out, roomJSON{p.Rules.Pools[r.Pool].ID, r.By, r.To, r.Least})
	}
	return out
}

type shrunkJSON struct {
	ID   string `json:"id"`
	By   int64  `json:"by"`
	Size int64  `json:"size"`
}

type absentJSON struct { // not in use in that time
	ID    string   `json:"id"`
	Times [2]int64 `json:"times"`
}

func waysOf(w *explain.Ways, p *stowage.Problem) *waysJSON {
	if w == nil {
		return nil
	}
	out := &waysJSON{Enough: w.Enough, Least: w.Least, Shrink: []shrunkJSON{}, Absent: []absentJSON{}}
	for _, s := range w.Shrink {
		out.Shrink = append(out.Shrink, shrunkJSON{p.Buffers[s.Buffer].ID, s.By, s.To})
	}
	for _, a := range w.Absent {
		out.Absent = append(out.Absent, absentJSON{p.Buffers[a.Buffer].ID, [2]int64{a.Lower, a.Upper}})
	}
	out.Pools, out.Together, out.NoRoom = roomsOf(w.Rooms, p), roomsOf(w.Together, p), w.NoRoom
	for _, a := range w.Allowed {
		out.Allowed = append(out.Allowed, allowedJSON{p.Buffers[a.Buffer].ID, p.AllPools()[a.Pool].ID})
	}
	for _, i := range w.Unfixed {
		out.Unfixed = append(out.Unfixed, p.Buffers[i].ID)
	}
	for _, x := range w.Without {
		d := droppedJSON{Rule: x.Rule}
		for _, i := range x.Buffers {
			d.Buffers = append(d.Buffers, p.Buffers[i].ID)
		}
		if x.Pool >= 0 {
			d.Pool = p.Rules.Pools[x.Pool].ID
		}
		out.Without = append(out.Without, d)
	}
	for _, x := range w.Loose {
		out.Loose = append(out.Loose, [2]string{p.Buffers[x[0]].ID, p.Buffers[x[1]].ID})
	}
	return out
}

// sayNext says after a run without a plan how many bytes are too many and what to type next.
func (s *solveFlags) sayNext(ctx context.Context, stderr io.Writer, input string, r *stowage.Result,
	p *stowage.Problem, began time.Time,
) {
	file := s.model.typed(input)
	if input == format.Standard {
		file = s.model.typed("FILE")
	}
	capacity := ""
	if s.capacity > 0 {
		capacity = fmt.Sprintf("-c %d ", int64(s.capacity))
	}
	switch {
	case r.Status.HasPlan():
	case r.Status == stowage.Unknown:
		fmt.Fprintln(stderr, "next: "+s.more(r, p, file))
	case p.Ruled():
		s.sayRuledNext(ctx, stderr, capacity+s.pools.typed(), file, p, began)
	case r.Collision != nil:
		fmt.Fprintf(stderr, "next: 'stowage solve --ignore-offsets %s%s' plans anew, without the fixed offsets\n",
			capacity, file)
	default:
		fmt.Fprintf(stderr, "%s\n", explain.Reason(p, p.Capacity, r.LowerBound, cell))
		ctx, cancel := s.within(ctx, began)
		defer cancel()
		// An error is not of this run, which is over.
		if enough, least, err := explain.LeastCapacity(ctx, p, nextNodes, stowage.Solve); err == nil && enough > 0 {
			fmt.Fprintf(stderr, "enough: %s\n", explain.Enough(enough, max(least, r.LowerBound)))
		}
		fmt.Fprintf(stderr, "next: 'stowage explain %s%s' names the buffers that cannot fit and the cheapest ways out; 'stowage solve %s' without a capacity looks for the lowest plan\n",
			capacity, file, file)
	}
}

// sayRuledNext is sayNext for a problem with rules that has no plan: which pool needs how many bytes.
func (s *solveFlags) sayRuledNext(ctx context.Context, stderr io.Writer, flags, file string, p *stowage.Problem,
	began time.Time,
) {
	ctx, cancel := s.within(ctx, began)
	defer cancel()
	// Errors are not of this run, which is over.
	enough, least, _ := explain.LeastCapacity(ctx, p, nextNodes, stowage.Solve)
	alone, together, never, _ := explain.Rooms(ctx, p, nextNodes, stowage.Solve)
	if p.Capacity == 0 {
		enough = 0
	}
	if enough > 0 {
		fmt.Fprintf(stderr, "enough: %s\n", explain.Enough(enough, max(least, p.Capacity+1)))
	}
	for k := range alone {
		fmt.Fprintf(stderr, "enough: %s\n", alone[k].InPool(p, cell))
	}
	if len(together) > 0 {
		fmt.Fprintf(stderr, "enough: %s\n", explain.AllTogether(together, p, cell))
	}
	if never {
		fmt.Fprintln(stderr, "No capacities of the pools are enough: the rules alone have no plan.")
	}
	next := fmt.Sprintf("next: 'stowage explain %s%s' names the buffers and rules that cannot go together and the cheapest ways out", flags, file)
	if larger := enlarged(enough, alone, together, p, s.pools.given); larger != "" {
		next += fmt.Sprintf("; 'stowage solve %s %s' has a plan", larger, file)
	} else if missing := lacking(p); missing != "" && !never {
		next += fmt.Sprintf("; %s are needed: 'stowage solve --pool NAME=SIZE %s' gives a pool another capacity",
			missing, file)
	}
	fmt.Fprintln(stderr, next)
}

// longer says which flags may decide a run that a limit has ended; nodes reports whether that was --nodes.
func (s *search) longer(nodes bool) (ways []string) {
	switch {
	case nodes:
		ways = append(ways, fmt.Sprintf("a higher --nodes (it was %d)", s.nodes))
	case s.timeout > 0:
		ways = append(ways, fmt.Sprintf("a longer --timeout (it was %v)", time.Duration(s.timeout)))
	}
	if s.planner != stowage.DefaultPlanner {
		ways = append(ways, "--planner "+stowage.DefaultPlanner)
	}
	if s.workers == 1 {
		ways = append(ways, "more --workers than 1")
	}
	return ways
}

// more says what may decide a run that a limit has ended.
func (s *solveFlags) more(r *stowage.Result, p *stowage.Problem, file string) string {
	text, pools := "a larger capacity", p.Ruled() && len(p.Rules.Pools) > 0
	if pools {
		text = "a larger capacity of a pool, by --pool NAME=SIZE"
	}
	if ways := s.longer(r.Stopped == plan.StopNodes); len(ways) > 0 {
		text = strings.Join(ways, ", ")
	}
	if r.Enough > 0 {
		text += fmt.Sprintf("; 'stowage solve -c %d %s' has a plan", r.Enough, file)
	} else if !pools {
		text += fmt.Sprintf("; 'stowage solve %s' without a capacity says how low a plan it finds", file)
	}
	return text
}
