package models

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: with pools, plan answers two questions. For a runtime that accepts a foreign plan: which tensors go where?
// For a runtime with one strip: does the strip fit a memory, or by how much is it too large?

// A banksReport is the report about a plan in pools. The keys of its JSON are a contract; new ones go to the end.
type banksReport struct {
	Model    string           `json:"model"`
	Tensors  int              `json:"tensors"`
	Buffers  int              `json:"buffers"`
	Scratch  int              `json:"scratch"`
	Status   stowage.Status   `json:"status"`
	Part     string           `json:"target"`     // of --target, or the bits of the build
	ByOrder  bool             `json:"order_only"` // no costs are given: they are 0, 1, 2 …
	Pools    []bankReport     `json:"pools"`
	Measures map[string]int64 `json:"measures"`
	Bounds   map[string]int64 `json:"bounds"`
	Traffic  int64            `json:"traffic"`
	Slow     int64            `json:"traffic_all_in_slow"`
	Bound    int64            `json:"traffic_bound"`
	Fits     string           `json:"fits"` // yes, no (proven) or unknown
	Short    int64            `json:"short_by"`
	Arena    string           `json:"arena"` // the pool of the runtime's arena; empty without a runtime
	Tail     int64            `json:"tail"`
	Variable int64            `json:"variables"` // of the tail
	Arenas   []arenaSize      `json:"arenas"`
	Unknown  []string         `json:"unknown_operators"`
	Strip    *stripReport     `json:"one_strip,omitempty"`
	Stopped  string           `json:"stopped,omitempty"`
	Kernels  *kernelsReport   `json:"kernels,omitempty"` // that the figures hold for; of a runtime
	// CannotRun are the reasons why the model does not run unchanged. The size of its arena is then a lower bound.
	CannotRun []obstacleReport `json:"cannot_run,omitempty"`

	set      tflm.Set    // the runtime's kernels
	about    []string    // about them
	doubts   tflm.Doubts // about the target's tail
	memories *Memories
	slowest  string
	read     []string // what the reader decided
}

// A bankReport is one pool of the plan.
type bankReport struct {
	ID        string `json:"id"`
	Capacity  int64  `json:"capacity"`
	Alignment int64  `json:"alignment"`
	Cost      int64  `json:"cost"`
	Used      int64  `json:"used"` // with the tail, if it is the arena's
	Head      int64  `json:"head"` // the highest end of a buffer
	Buffers   int    `json:"buffers"`
	Moved     int64  `json:"moved"`
}

type arenaSize struct {
	Target string `json:"target"`
	Bytes  int64  `json:"bytes"`
}

// A stripReport has the size that a runtime with one strip needs, and the pools with that size.
type stripReport struct {
	Arena         int64       `json:"arena"`
	Head          int64       `json:"head"`
	NonPersistent int64       `json:"non_persistent"` // of two arenas, the one of the tensors
	Persistent    int64       `json:"persistent"`
	Pools         []stripPool `json:"pools"`
}

// A stripPool says by how much the arena, and each of two arenas, is too large for a pool; 0 if it fits.
type stripPool struct {
	ID            string `json:"id"`
	Arena         int64  `json:"arena_short_by"`
	NonPersistent int64  `json:"non_persistent_short_by"`
	Persistent    int64  `json:"persistent_short_by"`
}

// planBanks plans a .tflite model in pools.
func planBanks(ctx context.Context, m *tflite.Model, scratch []tflite.Scratch, p *Options) (Plan, error) {
	options := tflm.BankOptions{
		Pools: p.Memories.Pools, Home: p.Memories.Home, Target: &tflm.Firmware32, Tail: p.Tail, Scratch: scratch,
		Set: p.Kernels.Set, Named: p.named(), InPlace: p.InPlace, Solve: p.Run,
	}
	if p.Target == "64" {
		options.Target = &tflm.Firmware64
	}
	made, err := tflm.MakeBanks(ctx, m, options)
	if err != nil {
		return nil, err
	}
	r := p.banksReport(made)
	if p.Report {
		if r.Strip, err = stripOf(ctx, m, options); err != nil {
			return nil, err
		}
	}
	forC := func() *cheader.BankPlan { return p.bankPlan(NameFor(m.File), made) }
	return &banksPlan{r, pooled(made.Problem, made.Result), forC}, nil
}

// A banksPlan is a plan in pools with its report.
type banksPlan struct {
	r    *banksReport
	d    *Document
	forC func() *cheader.BankPlan
}

// pooled returns a plan in pools.
func pooled(p *model.Problem, r *stowage.Result) *Document {
	return &Document{Problem: p, Offsets: r.Offsets, Pools: r.Pools, Height: r.Height, LowerBound: r.LowerBound, Result: r}
}

func (x *banksPlan) Status() stowage.Status    { return x.d.Result.Status }
func (x *banksPlan) Fits() string              { return "" } // each pool has its own capacity
func (x *banksPlan) Needs(string) bool         { return !x.Status().HasPlan() }
func (x *banksPlan) Into([]File) error         { return nil }
func (x *banksPlan) Document(string) *Document { return x.d }
func (x *banksPlan) Page() *Page               { return nil }
func (x *banksPlan) Print(w io.Writer) error   { return x.r.print(w) }

// Doubts: the unknown parts of the arena may make it too large for its pool.
func (x *banksPlan) Doubts(bool) (bool, []string) { return x.r.doubts.AtLeast(), nil }

func (x *banksPlan) Write(w io.Writer, kind string, report bool) (bool, error) {
	switch {
	case report:
		return true, writeJSON(w, x.r)
	case kind == "h":
		return true, cheader.WriteBanks(w, x.forC())
	case kind == PlannerClass:
		return true, cheader.WritePlanner(w, x.forC())
	}
	return false, nil
}

// stripOf returns the size that a runtime with one strip needs.
func stripOf(ctx context.Context, m *tflite.Model, o tflm.BankOptions) (*stripReport, error) {
	s, err := tflm.OneStrip(ctx, m, o)
	if err != nil {
		return nil, err
	}
	r := &stripReport{Arena: s.Arena, Head: s.Head, NonPersistent: s.NonPersistent, Persistent: s.Persistent}
	for _, q := range o.Pools {
		room := free(q)
		r.Pools = append(r.Pools, stripPool{
			q.ID, max(0, s.Arena-room), max(0, s.NonPersistent-room), max(0, s.Persistent-room),
		})
	}
	return r, nil
}

// free returns the longest run of bytes of a pool that is not reserved.
func free(q model.Pool) (most int64) {
	reserved := append(slices.Clone(q.Reserved), model.Range{Lower: q.Capacity, Upper: q.Capacity})
	slices.SortFunc(reserved, func(a, b model.Range) int { return cmp.Compare(a.Lower, b.Lower) })
	end := int64(0)
	for _, r := range reserved {
		most, end = max(most, r.Lower-end), max(end, r.Upper)
	}
	return most
}

// banksReport reports a plan in pools.
func (p *Options) banksReport(b *tflm.Banks) *banksReport {
	r := &banksReport{
		Model: b.Model.File, Tensors: len(b.Model.Tensors), Buffers: len(b.Arena.Tensor),
		Scratch: len(b.Arena.Tensor) - b.Arena.Scratch,
		Part:    p.Target, ByOrder: b.ByOrder, Slow: b.Slow, Short: b.Short, Arena: b.Pools[b.Home].ID, Tail: b.Tail,
		Variable: b.Variables,
		Unknown:  append([]string{}, tflm.Unknown(b.Model)...), Measures: map[string]int64{}, Bounds: map[string]int64{},
		memories: p.Memories,
	}
	kernels := p.Kernels.report()
	r.Kernels, r.set, r.about, r.doubts = &kernels, p.Kernels.Set, p.aboutKernels(r.Scratch), p.doubts
	r.CannotRun = obstaclesOf(p.doubts.Obstacles)
	if p.Tail > 0 {
		r.doubts.Unknown = nil
	}
	if p.scratchFrom() != "reference" {
		r.doubts.Scratch = nil
	}
	r.solved(b.Result, b.Pools)
	if r.Fits == "yes" && r.doubts.AtLeast() {
		r.Fits = "unknown"
	}
	if b.Pool != nil {
		for k := range r.Pools {
			x := &r.Pools[k]
			x.Used, x.Head, x.Moved = b.Used[k], b.Heads[k], b.Moved[k]
		}
		for _, at := range b.Pool {
			r.Pools[at].Buffers++
		}
	}
	for _, s := range b.Arenas() {
		r.Arenas = append(r.Arenas, arenaSize{s.Target.Name, s.Bytes})
	}
	return r
}

// solved copies a planner's result into the report.
func (r *banksReport) solved(result *stowage.Result, pools []model.Pool) {
	r.Status, r.Stopped = result.Status, string(result.Stopped)
	switch {
	case result.Status.HasPlan():
		r.Fits = "yes"
	case result.Status == stowage.Infeasible:
		r.Fits = "no"
	default:
		r.Fits = "unknown"
	}
	for _, v := range result.Measures {
		r.Measures[string(v.Measure)] = v.Value
	}
	for _, v := range result.Bounds {
		r.Bounds[string(v.Measure)] = v.Value
	}
	r.Traffic, r.Bound = r.Measures[string(model.MeasureCost)], r.Bounds[string(model.MeasureCost)]
	costliest := int64(-1)
	for _, q := range pools {
		r.Pools = append(r.Pools, bankReport{ID: q.ID, Capacity: q.Capacity, Alignment: q.Alignment, Cost: q.Cost})
		if q.Cost > costliest {
			costliest, r.slowest = q.Cost, q.ID
		}
	}
}

// bankPlan returns the plan as C takes it.
func (p *Options) bankPlan(name string, b *tflm.Banks) *cheader.BankPlan {
	out := b.ForC(name, tflm.KernelsNote(p.Kernels.Set))
	out.AtLeast = out.AtLeast || p.doubts.AtLeast() && p.Tail == 0
	return out
}

// print writes the report for people.
func (r *banksReport) print(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s, %s in %s", filepath.Base(r.Model), count(r.Tensors, "tensor"), count(r.Buffers, "buffer"),
		countOf(len(r.Pools), "memory", "memories"))
	if r.Scratch > 0 {
		fmt.Fprintf(&s, ", %d of them scratch", r.Scratch)
	}
	s.WriteByte('\n')
	width := len("memory")
	for _, q := range r.Pools {
		width = max(width, len(q.ID))
	}
	if r.Status.HasPlan() {
		fmt.Fprintf(&s, "  %-*s %11s %10s %8s %10s\n", width, "memory", "capacity", "used", "buffers", "moved")
		for _, q := range r.Pools {
			fmt.Fprintf(&s, "  %-*s %11d %10d %8d %10d", width, q.ID, q.Capacity, q.Used, q.Buffers, q.Moved)
			if r.Arena != "" && q.ID == r.Arena {
				fmt.Fprintf(&s, "  the arena, with a tail of %d", r.Tail)
			}
			s.WriteByte('\n')
		}
		proof := fmt.Sprintf("no plan is below %d", r.Bound)
		if r.Traffic == r.Bound {
			proof = "the least in this order, proven"
		}
		fmt.Fprintf(&s, "traffic %d: %s; %d if all is in %s\n", r.Traffic, proof, r.Slow, r.slowest)
	} else {
		for _, q := range r.Pools {
			fmt.Fprintf(&s, "  %-*s %11d bytes\n", width, q.ID, q.Capacity)
		}
		if r.Arena != "" {
			fmt.Fprintf(&s, "  the arena is in %s, with a tail of %d\n", r.Arena, r.Tail)
		}
	}
	for _, n := range r.notes() {
		s.WriteString("  " + n + "\n")
	}
	s.WriteString(r.verdict() + "\n")
	if t := r.Strip; t != nil {
		if r.Arena == "" {
			fmt.Fprintf(&s, "in one strip: an arena of %d\n", t.Arena)
		} else {
			fmt.Fprintf(&s, "in one strip: an arena of %[1]s%[2]d; or two, %[3]d for the tensors and %[1]s%[4]d for the rest\n",
				r.atLeast(), t.Arena, t.NonPersistent, t.Persistent)
		}
		for _, q := range t.Pools {
			fmt.Fprintf(&s, "  %-*s  %s\n", width, q.ID, q.words(r.Arena != ""))
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// words says whether the strip fits a pool. A runtime may have two arenas.
func (q *stripPool) words(two bool) string {
	fits := func(what string, short int64) string {
		if short == 0 {
			return what + " fits"
		}
		return fmt.Sprintf("%s is short by %d", what, short)
	}
	switch {
	case q.Arena == 0:
		return "fits"
	case !two:
		return fmt.Sprintf("short by %d", q.Arena)
	}
	return fits("one arena", q.Arena) + "; " + fits("that of the tensors", q.NonPersistent) + ", " +
		fits("that of the rest", q.Persistent)
}

func (r *banksReport) atLeast() string {
	if r.doubts.AtLeast() {
		return "at least "
	}
	return ""
}

// verdict says whether the plan fits.
func (r *banksReport) verdict() string {
	switch {
	case r.Fits == "yes" && r.Kernels != nil:
		return "fits, for " + WhichKernels(r.set)
	case r.Fits == "yes":
		return "fits"
	case r.Status.HasPlan():
		return "whether it fits is not known: its arena needs this or more"
	case r.Fits == "no" && r.Short > 0:
		return fmt.Sprintf("short by %d: that is proven", r.Short)
	case r.Fits == "no":
		return "does not fit: that is proven, though the bytes alone would be enough"
	case r.Short > 0:
		return fmt.Sprintf("short by %d", r.Short)
	}
	return "undecided: no plan was found in the limits, and none is ruled out"
}

// notes returns the sentences below the figures.
func (r *banksReport) notes() (out []string) {
	for _, note := range r.read {
		out = append(out, "note: "+note)
	}
	switch {
	case r.ByOrder && len(r.Pools) == 2:
		out = append(out, "order only: the traffic is the bytes moved in "+r.Pools[1].ID)
	case r.ByOrder && len(r.Pools) > 2:
		out = append(out, "order only: a byte moved costs 0, 1, 2 … from the first memory to the last")
	case r.memories.Part != nil && r.memories.Part.Costs:
		out = append(out, "traffic in picoseconds, by "+r.memories.Part.Source)
	}
	if r.memories.Whole {
		out = append(out, "capacities are whole memories: --pool NAME=SIZE says what the firmware leaves")
	}
	if r.Variable > 0 {
		out = append(out, fmt.Sprintf("variable tensors, %d bytes, are in the tail", r.Variable))
	}
	for k := range r.CannotRun {
		out = append(out, r.CannotRun[k].words())
	}
	if len(r.Unknown) > 0 {
		out = append(out, "nothing is known of what the kernels of "+strings.Join(r.Unknown, ", ")+" keep: see --tail")
	}
	return append(out, r.about...)
}

// countOf counts things whose plural is irregular.
func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
