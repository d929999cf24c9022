package core

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/sweep/spec"
)

const version = "test"

var planners = []string{"auto", "exact", "first-fit", "merge", "climb"}

// asked reads a specification that lies in a new folder, with files beside it.
func asked(t *testing.T, text string, files map[string]string) *spec.Spec {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return must.Get(spec.Parse([]byte(text), filepath.Join(dir, "spec.yaml"), planners))(t)
}

// jobOf is Load and Cut.
func jobOf(t *testing.T, s *spec.Spec, store Store) *Job {
	t.Helper()
	l := must.Get(Load(t.Context(), s, store))(t)
	return must.Get(Cut(t.Context(), s, l, store, version))(t)
}

// run does the tasks that are left and returns how many ran.
func run(t *testing.T, store Store, tasks []Task) int {
	t.Helper()
	ran := make(chan Outcome, len(tasks))
	must.Do(t, NewWorker(store, version).Loop(t.Context(), nil, tasks, 2, func(_ *Task, o Outcome) { ran <- o }))
	close(ran)
	n := 0
	for o := range ran {
		if o == Done {
			n++
		}
	}
	return n
}

// plain returns the rows of a plain loop, without what differs from run to run.
func plain(t *testing.T, store Store, tasks []Task) (all []Row) {
	t.Helper()
	for k := range tasks {
		rows := must.Get(NewWorker(store, version).Solve(t.Context(), &tasks[k]))(t)
		all = append(all, rows...)
	}
	return settled(all)
}

func settled(rows []Row) (all []Row) {
	for _, r := range rows {
		all = append(all, r.Settled())
	}
	Sort(all)
	return all
}

// kept returns the rows in the store.
func kept(t *testing.T, store Store) []Row {
	t.Helper()
	rows := must.Get(ReadRows(t.Context(), store))(t)
	return settled(rows)
}

const small = `
problems:
  - generator: random
    buffers: [12, 30]
    seeds: 0..2
  - generator: infeasible
    buffers: 12
    seeds: 0..2
  - "*.csv"
capacities: [minimize, 90%, 100%, 102.5%, 120%, 150%]
planners: [auto, first-fit]
nodes: 2000
`

var files = map[string]string{"one.csv": "id,lower,upper,size\na,0,3,400\nb,2,5,410\nc,4,9,500\n"}

// TestPlainLoop: the files of a sweep have the rows of a plain loop, with tasks of one problem and of
// several, in one process and in eight shards.
func TestPlainLoop(t *testing.T) {
	var want []Row
	for _, chunk := range []int{1, 4} {
		s := asked(t, small+fmt.Sprintf("chunk: %d\n", chunk), files)
		whole, parts := Local(t.TempDir()), Local(t.TempDir())
		j := jobOf(t, s, whole)
		if want == nil {
			want = plain(t, whole, j.All)
		}
		if len(want) != 10*2*6 {
			t.Fatalf("%d rows", len(want))
		}
		if ran := run(t, whole, j.Left); ran != len(j.All) || chunk == 4 && ran != 2*3 {
			t.Errorf("%d of %d tasks ran", ran, len(j.All))
		}
		if diff := cmp.Diff(want, kept(t, whole)); diff != "" {
			t.Errorf("chunk %d: %s", chunk, diff)
		}
		again := jobOf(t, s, whole)
		if len(again.Left) != 0 || again.Done != len(want) {
			t.Errorf("chunk %d: %d tasks are left, %d of %d runs are done", chunk, len(again.Left), again.Done, len(want))
		}
		ran := 0
		for i := range 8 {
			ran += run(t, parts, Shard(jobOf(t, s, parts).Left, i, 8))
		}
		if diff := cmp.Diff(want, kept(t, parts)); diff != "" || ran != len(j.All) {
			t.Errorf("chunk %d: eight shards ran %d tasks of %d: %s", chunk, ran, len(j.All), diff)
		}
	}
}

// TestWider: a wider specification runs what is new, with other chunks too.
func TestWider(t *testing.T) {
	store := Local(t.TempDir())
	narrow := strings.Replace(small, "0..2", "1..2", 1)
	first := jobOf(t, asked(t, narrow+"chunk: 4\n", files), store)
	run(t, store, first.Left)
	if n := len(kept(t, store)); n != 8*2*6 {
		t.Fatalf("%d rows", n)
	}
	for _, chunk := range []int{3, 1} {
		wide := strings.Replace(small, "first-fit", "first-fit, exact", 1) + fmt.Sprintf("chunk: %d\n", chunk)
		j := jobOf(t, asked(t, wide, files), store)
		runs := 0
		for k := range j.Left {
			runs += j.Left[k].Runs()
		}
		want := 10*3*6 - 8*2*6
		if chunk == 1 {
			want = 0 // the pass before has made them
		}
		if runs != want {
			t.Errorf("chunk %d: %d runs are left, want %d", chunk, runs, want)
		}
		run(t, store, j.Left)
		if rows := kept(t, store); len(rows) != 10*3*6 {
			t.Errorf("chunk %d: %d rows", chunk, len(rows))
		}
		st, err := jobStatus(t, j, store)
		if err != nil || !st.Complete() || st.Runs != 10*3*6 {
			t.Errorf("%+v, %v", st, err)
		}
	}
}

func jobStatus(t *testing.T, j *Job, store Store) (*Status, error) {
	t.Helper()
	must.Do(t, j.Save(t.Context(), store))
	return ReadStatus(t.Context(), store)
}

// TestKey: keys stay what they are, since the files of sweeps have them; whatever rows follow from changes them.
func TestKey(t *testing.T) {
	u := Unit{
		Problem: Problem{Digest: "0123456789abcdef"}, Planner: "auto", Limits: Limits{100, 0.5, 1},
		Capacities: []int64{0, 10},
	}
	u.setKey("v1")
	if u.Key != "b14f34e67178b0f3a5295308" {
		t.Errorf("the key is %s", u.Key)
	}
	seen := map[string]bool{u.Key: true}
	for k, change := range []func(*Unit){
		func(u *Unit) { u.Problem.Digest = "0" },
		func(u *Unit) { u.Problem.Order = spec.Reordered },
		func(u *Unit) { u.Planner = "exact" },
		func(u *Unit) { u.Nodes++ },
		func(u *Unit) { u.Timeout++ },
		func(u *Unit) { u.Seed++ },
		func(u *Unit) { u.Capacities = []int64{0, 11} },
		func(u *Unit) { u.Capacities = []int64{0, 1, 0} },
	} {
		other := u
		change(&other)
		if other.setKey("v1"); seen[other.Key] {
			t.Errorf("change %d keeps the key", k)
		}
		seen[other.Key] = true
	}
	if u.setKey("v2"); seen[u.Key] {
		t.Error("another version has the key")
	}
	u.Problem.Name = "another"
	before := u.Key
	if u.setKey("v2"); u.Key != before {
		t.Error("a name changes the key")
	}
}

// TestCurve: what is implied is what the planner says when it is asked, and of many capacities few are asked about.
func TestCurve(t *testing.T) {
	s := asked(t, small, files)
	store := Local(t.TempDir())
	l := must.Get(Load(t.Context(), s, store))(t)
	w := NewWorker(store, version)
	asked, implied := 0, 0
	for _, planner := range []string{"exact", "auto"} {
		for _, p := range l.Problems {
			u := Unit{Problem: p, Planner: planner, Limits: Limits{Nodes: 100_000}}
			for c := p.Load - 10; c < p.Load+10; c++ {
				u.Capacities = append(u.Capacities, max(c, 1))
			}
			u.Capacities = slices.Compact(u.Capacities)
			in := must.Get(w.open(t.Context(), &p))(t)
			rows := must.Get(solveCurve(t.Context(), &u, in, Row{}))(t)
			for _, r := range rows {
				if !r.Implied {
					asked++
					continue
				}
				implied++
				var alone Row
				solveOne(t.Context(), &u, in, r.Capacity, &alone)
				if r.HasPlan() != alone.HasPlan() || (r.Status == "infeasible") != (alone.Status == "infeasible") ||
					r.Height > r.Capacity {
					t.Errorf("%s on %s at %d: implied %+v, asked %+v", planner, p.Name, r.Capacity, r, alone)
				}
			}
		}
	}
	if implied < 3*asked {
		t.Errorf("%d rows are implied and %d asked", implied, asked)
	}
}

// TestDeaths: a task whose workers die is tried three times and buried; of a task with several
// problems the one at fault is.
func TestDeaths(t *testing.T) {
	for _, chunk := range []int{1, 10} {
		store := Local(t.TempDir())
		j := jobOf(t, asked(t, small+fmt.Sprintf("chunk: %d\n", chunk), files), store)
		task := j.Left[0]
		fatal := task.Units[len(task.Units)/2]
		deaths := 0
		for range 6 { // an engine's retries, or runs one after the other
			if die(t, store, &task, fatal.Key) {
				deaths++
			}
		}
		if deaths != Deaths {
			t.Errorf("chunk %d: %d workers died", chunk, deaths)
		}
		st, err := jobStatus(t, j, store)
		if err != nil || len(st.Dead) != 1 || st.Dead[0].Task != fatal.Key || st.Dead[0].Attempts != Deaths ||
			st.Trying != 0 {
			t.Errorf("chunk %d: %+v, %v", chunk, st, err)
		}
		if rows := kept(t, store); len(rows) != (len(task.Units)-1)*6 {
			t.Errorf("chunk %d: %d rows", chunk, len(rows))
		}
		after := jobOf(t, asked(t, small+fmt.Sprintf("chunk: %d\n", chunk), files), store)
		if slices.ContainsFunc(after.Left, func(o Task) bool { return o.Key == task.Key }) {
			t.Error("what is buried is tried again")
		}
		run(t, store, after.Left)
		if st, err := jobStatus(t, after, store); err != nil || !st.Complete() {
			t.Errorf("chunk %d: %+v, %v", chunk, st, err)
		}
		must.Do(t, Raise(t.Context(), store))
		if n := len(jobOf(t, asked(t, small+fmt.Sprintf("chunk: %d\n", chunk), files), store).Left); n != 1 {
			t.Errorf("chunk %d: %d tasks are left after the dead are raised", chunk, n)
		}
	}
}

// die does a task in a worker that dies when it comes to a unit: the store panics, and what a worker
// would do after its death does not happen.
func die(t *testing.T, store Store, task *Task, unit string) (died bool) {
	t.Helper()
	mortal := &mortalStore{Store: store}
	w := NewWorker(mortal, version)
	copied := *task
	copied.Units = slices.Clone(task.Units)
	for k := range copied.Units {
		if copied.Units[k].Key == unit {
			copied.Units[k].Problem.Kind, copied.Units[k].Problem.Digest = "", "deadly"
		}
	}
	_, err := w.Work(t.Context(), &copied)
	if err != nil && !mortal.dead {
		t.Fatal(err)
	}
	return mortal.dead
}

// A mortalStore takes no more writes and removals after the deadly problem was read.
type mortalStore struct {
	Store
	dead bool
}

func (m *mortalStore) Read(ctx context.Context, name string) ([]byte, error) {
	if strings.Contains(name, "deadly") {
		m.dead = true
		return nil, fmt.Errorf("the worker dies")
	}
	return m.Store.Read(ctx, name)
}

func (m *mortalStore) Write(ctx context.Context, name string, data []byte) error {
	if m.dead {
		return fmt.Errorf("the worker is dead")
	}
	return m.Store.Write(ctx, name, data)
}

func (m *mortalStore) Remove(ctx context.Context, name string) error {
	if m.dead {
		return fmt.Errorf("the worker is dead")
	}
	return m.Store.Remove(ctx, name)
}

// TestInterrupt: a context that ends leaves no marker and no file, and is no death.
func TestInterrupt(t *testing.T) {
	store := Local(t.TempDir())
	j := jobOf(t, asked(t, small, files), store)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := NewWorker(store, version).Loop(ctx, nil, j.Left, 2, nil); err == nil {
		t.Error("no error")
	}
	if _, err := NewWorker(store, version).Work(ctx, &j.Left[0]); err == nil {
		t.Error("no error")
	}
	stop := make(chan struct{})
	close(stop)
	if err := NewWorker(store, version).Loop(t.Context(), stop, j.Left, 2, nil); err != nil {
		t.Error(err)
	}
	names, err := store.List(t.Context(), "try")
	if err != nil || len(names) > 0 {
		t.Errorf("%v, %v", names, err)
	}
}

// TestEnds: a table whose ends may mean two things is read as the command reads it, and that is said.
func TestEnds(t *testing.T) {
	j := jobOf(t, asked(t, "problems: ['*.csv']\n", map[string]string{
		"plain.csv": files["one.csv"], "ends.csv": "id,start,end,size\na,0,2,600\nb,2,4,600\n",
		"point.csv": "id,start,end,size\na,0,0,6\n",
	}), Local(t.TempDir()))
	want := "in ends end is read as inclusive, the last time slot of each lifespan; if it is the first one after the lifespan, name it upper"
	if len(j.Notes) != 1 || j.Notes[0] != want {
		t.Errorf("%q", j.Notes)
	}
}

// TestUnreadable: a file that cannot be read is dead, and the others are run.
func TestUnreadable(t *testing.T) {
	store := Local(t.TempDir())
	j := jobOf(t, asked(t, "problems: ['*.csv']\n", map[string]string{
		"good.csv": files["one.csv"], "bad.csv": "id,lower,upper,size\na,0,x,4\n", "same.csv": files["one.csv"],
	}), store)
	if len(j.All) != 1 || len(j.Unread) != 1 || !strings.Contains(j.Unread[0].Reason, "bad.csv:2: buffer a: upper") {
		t.Errorf("%+v", j)
	}
	if len(j.Notes) != 1 || j.Notes[0] != "same is the same problem as good, which stands for both" {
		t.Errorf("%q", j.Notes)
	}
	st := must.Get(jobStatus(t, j, store))(t)
	must.Do(t, st.WriteDead(t.Context(), store))
	data, err := store.Read(t.Context(), "dead.jsonl")
	if err != nil || strings.Count(string(data), "\n") != 1 || !strings.Contains(string(data), "bad.csv:2") {
		t.Errorf("%s, %v", data, err)
	}
}

// TestVersions: a worker refuses the tasks of another version.
func TestVersions(t *testing.T) {
	store := Local(t.TempDir())
	j := jobOf(t, asked(t, small, files), store)
	if _, err := NewWorker(store, "other").Work(t.Context(), &j.Left[0]); err == nil ||
		!strings.Contains(err.Error(), "other") {
		t.Errorf("%v", err)
	}
}

// TestLargeFirst: the tasks are in the order of their sizes.
func TestLargeFirst(t *testing.T) {
	j := jobOf(t, asked(t, small, files), Local(t.TempDir()))
	for k := range j.Left[1:] {
		if a, b := &j.Left[k].Units[0].Problem, &j.Left[k+1].Units[0].Problem; a.Buffers < b.Buffers {
			t.Errorf("%s is before %s", a.Name, b.Name)
		}
	}
}

// TestCapacities: the problem's own capacity is none of a sweep's.
func TestCapacities(t *testing.T) {
	store := Local(t.TempDir())
	for _, r := range plain(t, store,
		jobOf(t, asked(t, "problems: [{generator: perfect, capacity: 1KiB, buffers: 9}]\n", nil), store).All) {
		if r.Capacity != 0 || r.Share != 0 || r.Height != 1024 || r.Load != 1024 || r.Status != "optimal" {
			t.Errorf("%+v", r)
		}
	}
}
