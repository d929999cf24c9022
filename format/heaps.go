package format

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/format/cuda"
	"github.com/stowage-go/stowage/format/ggml"
	"github.com/stowage-go/stowage/format/inductor"
	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/format/iree"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/xla"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/model"
)

// Idea: dumps of compilers and runtimes have several heaps, each an address space of its own. The heights of two
// heaps neither add up nor bound each other, so a problem is one heap: the heap that is asked for, or the one with
// the largest load. A note then names the others.

// A heap is one problem of a file that has several.
type heap struct {
	name    string
	problem *model.Problem
	plan    *json.Plan // nil for none
	note    string     // what to say of it if it is chosen; empty for nothing
}

// readXLA reads the heaps of a module: from the HloProto, or from the texts, of which
// the live ranges may be in a file beside this one.
func readXLA(r io.Reader, name string, o Options) (*File, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(16) // an error comes back when the file is read
	r = peeked(b, r)
	var d *xla.Dump
	var err error
	if xla.IsText(head) {
		d, err = xla.ReadText(r, name, siblings(name, o.Beside))
	} else {
		d, err = xla.Read(r, name)
	}
	if err != nil {
		return nil, err
	}
	heaps := make([]heap, len(d.Heaps))
	for k := range d.Heaps {
		h := &d.Heaps[k]
		heaps[k] = heap{name: strconv.FormatInt(h.Allocation, 10), problem: h.Problem}
		if h.Offsets != nil {
			heaps[k].plan = &json.Plan{Planner: "xla", Status: model.Feasible, Height: h.Height, Offsets: h.Offsets}
		}
	}
	return choose(name, o.Heap, heaps, d.Notes)
}

// siblings returns a function that opens the file with the same name as an assignment of XLA's and another suffix. It
// returns nil if no file can lie beside it, as for standard input.
func siblings(name string, open func(string) (io.ReadCloser, error)) func(string) (io.ReadCloser, string, error) {
	base, ok := strings.CutSuffix(name, xla.AssignmentSuffix)
	if !ok {
		return nil
	}
	if open == nil {
		open = func(name string) (io.ReadCloser, error) { return os.Open(name) }
	}
	return func(suffix string) (io.ReadCloser, string, error) {
		f, err := open(base + suffix)
		if err != nil {
			return nil, "", err
		}
		return f, base + suffix, nil
	}
}

// heapsOf reads a dump that is a list of heaps: read reads the list, and one makes a heap of an entry.
func heapsOf[T any](read func(io.Reader, string) ([]T, error), one func(*T) heap) func(io.Reader, string, Options) (
	*File, error,
) {
	return func(r io.Reader, name string, o Options) (*File, error) {
		entries, err := read(r, name)
		if err != nil {
			return nil, err
		}
		heaps := make([]heap, len(entries))
		for k := range entries {
			heaps[k] = one(&entries[k])
		}
		return choose(name, o.Heap, heaps, nil)
	}
}

func heapOfIREE(p *iree.Pack) heap {
	return heap{name: p.Name, problem: p.Problem, note: leftOut(p.Dynamic, "slices")}
}

func heapOfGGML(g *ggml.Graph) heap {
	h := heap{
		name: g.Name, problem: g.Problem, note: strconv.Itoa(g.InPlace) + " results lie over an operand, as ggml decided",
	}
	if g.Offsets != nil {
		h.plan = &json.Plan{
			Planner: "ggml", Status: model.Feasible, Height: model.HeightOf(g.Problem, g.Offsets), Offsets: g.Offsets,
		}
	}
	return h
}

func heapOfInductor(p *inductor.Pool) heap {
	h := heap{name: p.Name, problem: p.Problem, note: leftOut(p.Symbolic, "buffers")}
	if p.Offsets != nil {
		h.plan = &json.Plan{Planner: "inductor", Status: model.Feasible, Height: p.Height, Offsets: p.Offsets}
	}
	return h
}

// leftOut says that a heap lacks n of something, because the file gives their sizes as symbols. It is empty for n = 0.
func leftOut(n int, what string) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + " of its " + what + " are left out: their sizes are known only at run time"
}

func heapOfCUDA(s *cuda.Heap) heap {
	return heap{
		name: s.Name(), problem: s.Problem,
		note: "the allocator reserved at most " + strconv.FormatInt(s.Reserved, 10) + " bytes for this stream",
	}
}

// readTrace reads the steps of a recorded program: what each stream needs for those that repeat.
func readTrace(r io.Reader, name string, o Options) (*File, error) {
	t, err := arena.ReadTrace(r, name)
	if err != nil {
		return nil, err
	}
	plans := arena.Fold(t, arena.FoldOptions{})
	var notes []string
	for i := range plans {
		notes = append(notes, plans[i].String())
	}
	return chooseArena(name, o.Heap, plans, notes)
}

// readPlans reads plans of an arena: what each stream needs, and its offsets.
func readPlans(r io.Reader, name string, o Options) (*File, error) {
	plans, err := arena.ReadPlans(r, name)
	if err != nil {
		return nil, err
	}
	return chooseArena(name, o.Heap, plans, nil)
}

func chooseArena(name, heapName string, plans []arena.Plan, notes []string) (*File, error) {
	streams := arena.Heaps(plans)
	if len(streams) == 0 {
		return nil, model.Issue{
			File: name, Message: "has nothing to plan: no whole step with an allocation that is freed within a step",
		}.Err()
	}
	heaps := make([]heap, len(streams))
	for k := range streams {
		s := &streams[k]
		heaps[k] = heap{name: s.Name(), problem: s.Problem}
		if s.Problem.Rules != nil { // all commands know gaps, and few know periods
			heaps[k].problem = lower.Turned(s.Problem)
		}
		if s.Offsets != nil {
			heaps[k].plan = arenaPlan(s, &plans[0])
		}
	}
	return choose(name, heapName, heaps, notes)
}

// arenaPlan returns the plan of a stream as one that begins at byte 0. What is claimed of the block is claimed of a
// stream only if there is no other.
func arenaPlan(s *arena.Heap, p *arena.Plan) *json.Plan {
	plan := &json.Plan{Planner: "arena", Status: model.Feasible, Offsets: slices.Clone(s.Offsets)}
	base := int64(0)
	for _, r := range p.Regions {
		if r.Stream == s.Stream {
			base = r.Offset
		}
	}
	for k := range plan.Offsets {
		plan.Offsets[k] -= base
	}
	plan.Height = model.HeightOf(s.Problem, plan.Offsets)
	if len(p.Regions) == 1 && plan.Height == p.Height {
		plan.Status, plan.LowerBound = p.Status, p.Bound
	}
	return plan
}

// planPlans reads the plan of an arena as one of p.
func planPlans(r io.Reader, name string, p *model.Problem) (*model.Plan, error) {
	f, err := readPlans(r, name, Options{})
	if err != nil {
		return nil, err
	}
	return source.Match(name, f.Problem, f.Plan.Model(), p)
}

// choose returns the heap of this name, or the largest if the name is empty.
func choose(file, name string, heaps []heap, notes []string) (*File, error) {
	f := &File{Notes: notes}
	taken := make(map[string]bool, len(heaps))
	for k := range heaps {
		h := &heaps[k]
		if taken[h.name] { // several in one allocation
			h.name += "." + strconv.Itoa(k)
		}
		taken[h.name] = true
		f.Heaps = append(f.Heaps, h.name)
	}
	at := 0
	switch {
	case name != "":
		if at = slices.Index(f.Heaps, name); at < 0 {
			return nil, model.Issue{
				File: file, Field: "heap", Value: name, Message: "is not in this file: there " + listed(f.Heaps),
			}.Err()
		}
	case len(heaps) > 1:
		most := int64(-1)
		for k := range heaps {
			if p := profile.New(heaps[k].problem).Peak; p > most {
				at, most = k, p
			}
		}
		f.Notes = append(f.Notes, "this is heap "+heaps[at].name+", the one with the largest load. There "+listed(f.Heaps)+
			"; --heap selects one")
	}
	f.Problem, f.Plan = heaps[at].problem, heaps[at].plan
	if note := heaps[at].note; note != "" {
		f.Notes = append(f.Notes, note)
	}
	return f, nil
}

// listed lists names, of many the first.
func listed(names []string) string {
	const most = 8
	all := strings.Join(names[:min(len(names), most)], ", ")
	switch {
	case len(names) == 1:
		return "is " + all
	case len(names) > most:
		return "are " + all + " and " + strconv.Itoa(len(names)-most) + " more"
	}
	return "are " + all
}
