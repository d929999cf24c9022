package command

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/model"
)

// Idea: package format says what a file means as a problem. This file has what the command
// adds. A file with an offset for every buffer leaves nothing to plan, which the command says
// on standard error. It does not use the plan in a JSON file, and says so too.

// readProblem reads a problem for a search: with the flag's capacity if there is one, and without fixed offsets if
// the flags ignore them.
func (s *search) readProblem(path string, deadline time.Time) (*format.File, error) {
	f, err := readProblemUntil(path, s.capacity, s.ignoreOffsets, &s.model, deadline)
	if err != nil {
		return nil, err
	}
	return f, s.pools.apply(path, f.Problem)
}

// leastWait is how long the command waits for a pipe at least, even if the timeout is shorter.
// The program that writes to the pipe may still be starting.
const leastWait = time.Second

// deadline returns the time until which a run waits for its input. Without a timeout it waits
// for ever. began is when the run began.
func (s *search) deadline(began time.Time) time.Time {
	if s.timeout == 0 {
		return time.Time{}
	}
	return began.Add(max(time.Duration(s.timeout), leastWait))
}

// left returns how much of the timeout is left for the search, if the run began at a given
// time. It is never 0, which would mean no limit.
func (s *search) left(began time.Time) time.Duration {
	if s.timeout == 0 {
		return 0
	}
	return max(1, time.Duration(s.timeout)-time.Since(began))
}

// sayLate says that the timeout came before the input.
func sayLate(cmd *cobra.Command, late *format.LateError) {
	fmt.Fprintf(cmd.ErrOrStderr(), "unknown: the timeout came before all of %s was read\n", late.Name)
}

func readProblem(path string, capacity size, ignoreOffsets bool, m *modelFlags) (*format.File, error) {
	return readProblemUntil(path, capacity, ignoreOffsets, m, time.Time{})
}

func readProblemUntil(path string, capacity size, ignoreOffsets bool, m *modelFlags,
	deadline time.Time,
) (*format.File, error) {
	o, err := m.options()
	if err != nil {
		return nil, err
	}
	o.Deadline = deadline
	if !collects.Load() {
		if info, err := os.Stat(path); err != nil || info.Size() > smallInput {
			collectLess() // standard input counts as large
		}
	}
	f, err := format.ReadFileWith(path, o)
	if err != nil {
		return nil, err
	}
	if f.Problem.Ruled() {
		if err := checkRuled(path, f.Problem, m, capacity); err != nil {
			return nil, err
		}
	}
	if capacity != 0 {
		f.Problem.Capacity = max(int64(capacity), 0) // 0 is none
	}
	if ignoreOffsets {
		f.Unpin()
	}
	return f, nil
}

// checkRuled refuses a problem with rules if the command takes none. It also refuses a capacity, because the pools have
// their own.
func checkRuled(path string, p *stowage.Problem, m *modelFlags, capacity size) error {
	switch {
	case !m.ruled:
		return fmt.Errorf("%s: has rules, such as pools or pairs apart, which this command does not take; 'stowage solve %s' plans it, with '-o plan.html' for a page that shows the plan; if no plan keeps the rules, it says how many bytes would", nameOf(path), typed(path))
	case capacity > 0 && len(p.Rules.Pools) > 0:
		return usagef("--capacity is for one pool: the pools of %s have capacities of their own; solve and explain "+
			"take --pool NAME=SIZE", nameOf(path))
	}
	return nil
}

// warnRead warns that a problem leaves nothing to plan, that the meaning of its times was guessed, or that proofs
// about it do not hold for the model behind it. The wording is a contract with scripts.
func warnRead(cmd *cobra.Command, path string, f *format.File) {
	warnEnds(cmd, path, f)
	if f.Shares {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: warning: the model has a plan of its own in which tensors share bytes while both live, as Vela's "+
				"do; the problem read from it keeps them apart, so no bound or proof here holds for the model: see "+
				"'stowage plan' [own-plan]\n", nameOf(path))
	}
	if f.Pinned() {
		instead := "--ignore-offsets plans anew"
		if cmd.Flags().Lookup("start") != nil { // only solve has it
			from := path
			if path == format.Standard {
				from = "FILE" // it cannot be read twice
			}
			instead += ", --start " + from + " improves on this plan"
		}
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: warning: every buffer has a fixed offset, so no other plan is looked for; %s [pinned]\n", nameOf(path), instead)
	}
}

// warnEnds says how the reader has taken ends of lifespans if it had to guess. noteRead reports all other decisions.
func warnEnds(cmd *cobra.Command, path string, f *format.File) {
	if !f.Times.Sure() {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: %s [ends]\n", nameOf(path), f.Times.EndsNote())
	}
}

// noteRead says what the reader decided without a guess.
func noteRead(cmd *cobra.Command, path string, f *format.File) {
	tag := "model"
	if f.Heaps != nil {
		tag = "dump"
	} else if f.Kind == format.CSV {
		tag = "extra-columns"
	}
	if note := f.Times.EndsNote(); note != "" && f.Times.Sure() {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: %s [ends]\n", nameOf(path), note)
	}
	if note := f.Times.ScaleNote(); note != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: %s [times]\n", nameOf(path), note)
	}
	for _, note := range f.Notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: %s [%s]\n", nameOf(path), note, tag)
	}
}

// notePlan says that the plan in a file is not used.
func notePlan(cmd *cobra.Command, path string, f *format.File) {
	noteRead(cmd, path, f)
	if f.Plan != nil && f.Plan.Offsets != nil && path != format.Standard {
		note := "the plan in it is not used"
		if !f.Problem.Ruled() { // --start does not go with rules
			note += "; --start " + path + " improves on it"
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: %s [plan-unused]\n", path, note)
	}
}

func nameOf(path string) string {
	if path == format.Standard {
		return "stdin"
	}
	return path
}

// readStart reads the plan to improve on, and matches it to the problem by ID. If the plan is
// in the input itself, the offsets of a CSV file are that plan, and are not fixed.
func readStart(start, input string, f *format.File, deadline time.Time) ([]int64, error) {
	switch {
	case !sameFile(start, input):
		plan, err := format.ReadPlanUntil(start, f.Problem, deadline)
		if err != nil {
			return nil, err
		}
		return plan.Offsets, nil
	case f.Header == nil && (f.Plan == nil || f.Plan.Offsets == nil):
		return nil, fmt.Errorf("%s: has no plan to start from", start)
	case f.Header == nil:
		return f.Plan.Offsets, nil
	}
	own := ownPlan(f)
	if own.offsets == nil {
		return nil, own.needPlan(start)
	}
	return own.offsets, nil
}

// sameFile reports whether two paths lead to one file.
func sameFile(a, b string) bool {
	if a == format.Standard || b == format.Standard {
		return false
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// An owned plan is a problem with the plan that its file carries: the JSON's plan, or the offset column of a CSV.
type owned struct {
	*format.File
	offsets []int64       // nil if the file has no plan, or an incomplete one
	pools   []int32       // of each buffer; nil if there is one pool
	parts   []model.Parts // of buffers with evictions that the plan takes
	missing int           // the number of buffers without an offset, if offsets is nil
}

// readOwned reads a problem and the plan in the same file. The capacity is the flag's if there is one, else the file's.
func readOwned(path string, capacity size, m *modelFlags) (owned, error) {
	f, err := readProblem(path, capacity, false, m)
	if err != nil {
		return owned{}, err
	}
	return ownPlan(f), nil
}

// ownPlan returns the plan that is in a file.
//
// A complete offset column is a plan, not a list of fixed offsets. If its offsets were fixed, the height of the plan
// would become the lower bound.
func ownPlan(f *format.File) owned {
	if f.Plan != nil && f.Plan.Offsets != nil {
		return owned{File: f, offsets: f.Plan.Offsets, pools: f.Plan.Pools, parts: f.Plan.Parts}
	}
	missing := 0
	offsets := make([]int64, len(f.Problem.Buffers))
	for i := range f.Problem.Buffers {
		if at := f.Problem.Buffers[i].Fixed; at != nil {
			offsets[i] = *at
		} else {
			missing++
		}
	}
	if missing > 0 {
		return owned{File: f, missing: missing}
	}
	f.Unpin()
	return owned{File: f, offsets: offsets}
}

// needPlan is the error for a file that has no plan.
func (o owned) needPlan(path string) error {
	switch n := len(o.Problem.Buffers); {
	case o.offsets != nil:
		return nil
	case o.Plan != nil:
		return fmt.Errorf("%s: has no plan: its status is %s", path, o.Plan.Status)
	case o.missing == n:
		return fmt.Errorf("%s: has no plan: neither an offset column nor, in JSON, a plan", path)
	default:
		return fmt.Errorf("%s: is no plan: %d of %s have no offset", path, o.missing, count(n, "buffer"))
	}
}

// bound returns the higher of two lower bounds: the computed one and the one that the file
// claims. If the claim is higher, claimant says who claims it; otherwise claimant is empty.
func (o owned) bound(computed int64) (bound int64, claimant string) {
	if o.Plan == nil || o.Plan.LowerBound <= computed {
		return computed, ""
	}
	if claimant = o.Plan.Planner; claimant == "" {
		claimant = "the file"
	}
	return o.Plan.LowerBound, claimant
}

// readPlan reads the plan of another file and matches it to p by ID.
func readPlan(path string, p *stowage.Problem) (*stowage.Plan, error) {
	if path == format.Standard {
		return nil, errors.New("the plan cannot come from standard input together with its problem")
	}
	return format.ReadPlan(path, p)
}
