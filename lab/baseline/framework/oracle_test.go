package framework

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"

	_ "github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/plan"
)

// The planners here are written a second time, as plainly as their sources have
// them and by lifespans alone, and must make the same plans.

func overlap(a, b *model.Buffer) bool { return a.Lower < b.Upper && b.Lower < a.Upper }

func bySize(p *model.Problem, tie func(a, b int) int) []int {
	order := make([]int, len(p.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.Buffers[b].Size, p.Buffers[a].Size), tie(a, b))
	})
	return order
}

func noTie(a, b int) int { return 0 }

// walk places an order by walking the placed buffers that share time, by offset.
func walk(p *model.Problem, order []int, best bool) []int64 {
	offsets := make([]int64, len(p.Buffers))
	var placed []int
	for _, i := range order {
		b := &p.Buffers[i]
		at, least, previous := int64(-1), int64(math.MaxInt64), int64(0)
		for _, j := range placed {
			if !overlap(b, &p.Buffers[j]) {
				continue
			}
			if gap := offsets[j] - previous; gap >= b.Size && (best && gap < least || !best && at < 0) {
				at, least = previous, gap
			}
			previous = max(previous, offsets[j]+p.Buffers[j].Size)
		}
		if at < 0 {
			at = previous
		}
		offsets[i] = at
		placed = append(placed, i)
		slices.SortStableFunc(placed, func(a, b int) int { return cmp.Compare(offsets[a], offsets[b]) })
	}
	return offsets
}

// lift is OpenVINO's way: lifted off whatever it meets until it meets nothing.
func lift(p *model.Problem, order []int) []int64 {
	offsets := make([]int64, len(p.Buffers))
	for k, i := range order {
		for met := true; met; {
			met = false
			for _, j := range order[:k] {
				if overlap(&p.Buffers[i], &p.Buffers[j]) && offsets[i] < offsets[j]+p.Buffers[j].Size &&
					offsets[j] < offsets[i]+p.Buffers[i].Size {
					offsets[i], met = offsets[j]+p.Buffers[j].Size, true
				}
			}
		}
	}
	return offsets
}

// top puts each buffer above all that it conflicts with.
func top(p *model.Problem, order []int) []int64 {
	offsets := make([]int64, len(p.Buffers))
	for k, i := range order {
		for _, j := range order[:k] {
			if overlap(&p.Buffers[i], &p.Buffers[j]) {
				offsets[i] = max(offsets[i], offsets[j]+p.Buffers[j].Size)
			}
		}
	}
	return offsets
}

func conflicts(p *model.Problem) []int {
	count := make([]int, len(p.Buffers))
	for i := range p.Buffers {
		for j := range p.Buffers {
			if i != j && overlap(&p.Buffers[i], &p.Buffers[j]) {
				count[i]++
			}
		}
	}
	return count
}

func TestAgainstPlain(t *testing.T) {
	for seed := range uint64(60) {
		p := shuffled(1+int(seed)*2, seed)
		for i := range p.Buffers {
			p.Buffers[i].Size = 1 + p.Buffers[i].Size/8 // so that there are ties
		}
		degree := conflicts(p)
		crowded := func(a, b int) int { return cmp.Compare(degree[b], degree[a]) }
		name := func(a, b int) int { return cmp.Compare(p.Buffers[b].ID, p.Buffers[a].ID) }
		start := func(a, b int) int {
			return cmp.Or(cmp.Compare(p.Buffers[a].Lower, p.Buffers[b].Lower),
				cmp.Compare(p.Buffers[a].Upper, p.Buffers[b].Upper))
		}
		usmp := func(a, b int) int { return cmp.Or(crowded(a, b), name(a, b)) }
		byConflicts := bySize(p, noTie)
		slices.SortFunc(byConflicts, func(a, b int) int {
			return cmp.Or(crowded(a, b), cmp.Compare(p.Buffers[b].Size, p.Buffers[a].Size), name(a, b))
		})
		byStart := bySize(p, noTie)
		slices.Sort(byStart)
		slices.SortStableFunc(byStart, start)
		for planner, want := range map[string][]int64{
			"wave":                    walk(p, bySize(p, noTie), false),
			"tflite-greedy-by-size":   walk(p, bySize(p, noTie), true),
			"tflm-greedy":             walk(p, bySize(p, func(a, b int) int { return cmp.Compare(b, a) }), false),
			"openvino":                lift(p, bySize(p, start)),
			"tvm-greedy-by-size":      top(p, bySize(p, usmp)),
			"tvm-greedy-by-conflicts": top(p, byConflicts),
			"iree-layout-slices":      walk(p, byStart, true),
		} {
			if got := planned(t, named(t, planner), p, plan.Options{}); !slices.Equal(got.Offsets, want) {
				t.Fatalf("seed %d: %s: offsets %v, want %v", seed, planner, got.Offsets, want)
			}
		}
		first := must.Get(run.Lookup("first-fit"))(t)
		fit, err := first.Plan(t.Context(), timeline.New(p), plan.Options{})
		if got := planned(t, named(t, "wave"), p, plan.Options{}); err != nil || !slices.Equal(got.Offsets, fit.Offsets) {
			t.Fatalf("seed %d: wave %v, first-fit %v", seed, got.Offsets, fit.Offsets)
		}
	}
}

// TestWaveExample is the worked example of wave's page.
func TestWaveExample(t *testing.T) {
	r := planned(t, named(t, "wave"), gen.Wave(), plan.Options{})
	if want := []int64{12, 28, 0, 33, 22, 0}; !slices.Equal(r.Offsets, want) || r.Height != 37 {
		t.Errorf("offsets %v, height %d; want %v, 37", r.Offsets, r.Height, want)
	}
}

// plainBySize is the strategy with a table of distances, task by task.
func plainBySize(p *model.Problem) []int {
	n := len(p.Buffers)
	var end int64
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
	var maxima []int64
	for task := range end {
		var live []int64
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.Lower <= task && task < b.Upper {
				live = append(live, b.Size)
			}
		}
		slices.SortFunc(live, func(a, b int64) int { return cmp.Compare(b, a) })
		for k, size := range live {
			if k == len(maxima) {
				maxima = append(maxima, 0)
			}
			maxima[k] = max(maxima[k], size)
		}
	}
	position := func(i int) int {
		k := 0
		for k < len(maxima) && maxima[k] >= p.Buffers[i].Size {
			k++
		}
		return k - 1
	}
	of := make([]int, n)
	for i := range of {
		of[i] = -1
	}
	objects := 0
	distance := func(i, object int) int64 {
		least := never
		for j := range p.Buffers {
			if of[j] != object {
				continue
			}
			if overlap(&p.Buffers[i], &p.Buffers[j]) {
				return never
			}
			least = min(least, max(p.Buffers[i].Lower-(p.Buffers[j].Upper-1), p.Buffers[j].Lower-(p.Buffers[i].Upper-1)))
		}
		return least
	}
	// The nearest object is remembered: of two as near, the one found first.
	nearest, near := make([]int, n), make([]int64, n)
	for i := range near {
		near[i] = never
	}
	for range n {
		next := -1
		for i := range p.Buffers {
			if of[i] >= 0 {
				continue
			}
			if next < 0 || position(i) < position(next) || position(i) == position(next) &&
				(near[i] < near[next] || near[i] == near[next] && p.Buffers[i].Size > p.Buffers[next].Size) {
				next = i
			}
		}
		object := objects
		if near[next] == never {
			objects++
		} else {
			object = nearest[next]
		}
		of[next] = object
		for i := range p.Buffers {
			if of[i] >= 0 {
				continue
			}
			if near[i] != never && nearest[i] == object && distance(i, object) == never {
				near[i] = never
				for k := range objects {
					if d := distance(i, k); d < near[i] {
						near[i], nearest[i] = d, k
					}
				}
			} else if d := distance(i, object); d < near[i] {
				near[i], nearest[i] = d, object
			}
		}
	}
	return of
}

// plainByBreadth is the strategy over all tasks, not only maximal sections.
func plainByBreadth(p *model.Problem) []int {
	var end int64
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
	live := func(task int64) []int {
		var all []int
		for _, i := range bySize(p, noTie) {
			if p.Buffers[i].Lower <= task && task < p.Buffers[i].Upper {
				all = append(all, i)
			}
		}
		return all
	}
	breadth := make([]int64, end)
	tasks := make([]int64, end)
	for task := range end {
		tasks[task] = task
		for _, i := range live(task) {
			breadth[task] += p.Buffers[i].Size
		}
	}
	slices.SortStableFunc(tasks, func(a, b int64) int { return cmp.Compare(breadth[b], breadth[a]) })
	of := make([]int, len(p.Buffers))
	for i := range of {
		of[i] = -1
	}
	var sizes []int64
	for _, task := range tasks {
		for _, i := range live(task) {
			if of[i] >= 0 {
				continue
			}
			fits, grows := -1, -1
			for k, size := range sizes {
				if slices.ContainsFunc(bySize(p, noTie),
					func(j int) bool { return of[j] == k && overlap(&p.Buffers[i], &p.Buffers[j]) }) {
					continue
				}
				if size >= p.Buffers[i].Size && (fits < 0 || size < sizes[fits]) {
					fits = k
				}
				if size < p.Buffers[i].Size && (grows < 0 || size > sizes[grows]) {
					grows = k
				}
			}
			switch {
			case fits >= 0:
				of[i] = fits
			case grows >= 0:
				of[i] = grows
				sizes[grows] = p.Buffers[i].Size
			default:
				of[i] = len(sizes)
				sizes = append(sizes, p.Buffers[i].Size)
			}
		}
	}
	return of
}

// stacked returns the offsets that go with an assignment.
func stacked(p *model.Problem, of []int) []int64 {
	sizes := make([]int64, len(of)+1)
	for i, k := range of {
		sizes[k+1] = max(sizes[k+1], p.Buffers[i].Size)
	}
	for k := range of {
		sizes[k+1] += sizes[k]
	}
	offsets := make([]int64, len(of))
	for i, k := range of {
		offsets[i] = sizes[k]
	}
	return offsets
}

func TestObjectsAgainstPlain(t *testing.T) {
	for seed := range uint64(40) {
		p := shuffled(1+int(seed), seed)
		size, breadth := stacked(p, plainBySize(p)), stacked(p, plainByBreadth(p))
		if got := planned(t, named(t, "tflite-objects-by-size"), p, plan.Options{}); !slices.Equal(got.Offsets, size) {
			t.Fatalf("seed %d: by size: offsets %v, want %v", seed, got.Offsets, size)
		}
		if got := planned(t, named(t, "tflite-objects-by-breadth"), p, plan.Options{}); !slices.Equal(got.Offsets, breadth) {
			t.Fatalf("seed %d: by breadth: offsets %v, want %v", seed, got.Offsets, breadth)
		}
		want := min(model.HeightOf(p, size), model.HeightOf(p, breadth))
		if got := planned(t, named(t, "tflite-objects-best"), p, plan.Options{}); got.Height != want {
			t.Fatalf("seed %d: best: height %d, want %d", seed, got.Height, want)
		}
	}
}

// TestMinCostFlow checks the cost of the chains against all ways to chain.
func TestMinCostFlow(t *testing.T) {
	for seed := range uint64(30) {
		p := shuffled(7, seed)
		tl := timeline.New(p)
		tk := &task{tl: tl, buffers: p.Buffers}
		order := tk.sorted(tk.earlier)
		f := newFlow(tk, order)
		if !f.solve(tk) {
			t.Fatal("stopped")
		}
		var cost int64
		for e := 0; e < len(f.to); e += 2 {
			if f.cap[e] == 0 {
				cost += f.cost[e]
			}
		}
		if want := cheapest(p, 0, make([]bool, len(p.Buffers))); cost != want {
			t.Errorf("seed %d: cost %d, want %d", seed, cost, want)
		}
	}
}

// cheapest is the least cost of chaining buffers i and on; given[j] says that the memory of j is spoken for.
func cheapest(p *model.Problem, i int, given []bool) int64 {
	if i == len(p.Buffers) {
		return 0
	}
	b := &p.Buffers[i]
	least := b.Size + cheapest(p, i+1, given)
	for j := range p.Buffers {
		if !given[j] && p.Buffers[j].Upper <= b.Lower {
			given[j] = true
			least = min(least, max(0, b.Size-p.Buffers[j].Size)+cheapest(p, i+1, given))
			given[j] = false
		}
	}
	return least
}

// TestColouring checks that equal sizes take the load and no more.
func TestColouring(t *testing.T) {
	for seed := range uint64(20) {
		p := shuffled(80, seed)
		for i := range p.Buffers {
			p.Buffers[i].Size = 64
		}
		if r := planned(t, named(t, "interval-coloring"), p, plan.Options{}); r.Status != model.Optimal {
			t.Errorf("seed %d: status %v, height %d over %d", seed, r.Status, r.Height, r.LowerBound)
		}
	}
}

// TestTieBreaks holds each planner's order of equal buffers that are all live at
// once, if the order shows in the offsets.
func TestTieBreaks(t *testing.T) {
	p := &model.Problem{}
	for i := range 3 {
		p.Buffers = append(p.Buffers, model.Buffer{ID: "b" + strconv.Itoa(i), Lower: 0, Upper: 1, Size: 4})
	}
	forward, backward := []int64{0, 4, 8}, []int64{8, 4, 0}
	for _, planner := range all() {
		want := forward
		switch planner.name {
		case "migraphx", "tflm-greedy", "executorch-greedy", "tsl-bfc", "tvm-greedy-by-size", "tvm-greedy-by-conflicts",
			"tvm-hill-climb":
			want = backward
		}
		if r := planned(t, planner, p, plan.Options{}); !slices.Equal(r.Offsets, want) {
			t.Errorf("%s: offsets %v, want %v", planner.name, r.Offsets, want)
		}
	}
}

// TestGenerators compares the two generators with what C and Python print.
func TestGenerators(t *testing.T) {
	r := randR(0)
	var got []uint32
	for range 6 {
		got = append(got, r.next())
	}
	if want := []uint32{1012484, 1716955679, 1792309082, 229610924, 1639479903, 1362739833}; !slices.Equal(got, want) {
		t.Errorf("rand_r: %v, want %v", got, want)
	}
	m := newMersenne(1)
	var drawn []int
	for range 8 {
		drawn = append(drawn, m.within(0, 100))
	}
	if want := []int{17, 72, 97, 8, 32, 15, 63, 97}; !slices.Equal(drawn, want) {
		t.Errorf("random.randint: %v, want %v", drawn, want)
	}
	m, drawn = newMersenne(1<<40+5), nil // a seed of two words
	for range 6 {
		drawn = append(drawn, m.within(0, 100))
	}
	if want := []int{64, 66, 34, 84, 3, 67}; !slices.Equal(drawn, want) {
		t.Errorf("random.randint: %v, want %v", drawn, want)
	}
}
