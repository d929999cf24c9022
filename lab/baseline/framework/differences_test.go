package framework

import (
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// What planners were found to differ in from their sources, once they were executed
// beside them, as facts of the sources.

func TestDifferencesByHand(t *testing.T) {
	for _, c := range []struct {
		name, planner string
		params        map[string]string
		buffers       [][4]int64 // size, lower, upper, alignment
		want          []int64
	}{
		{
			"TFLite's arena aligns starts and rounds no size: the last byte is 74, not 128", "tflite-arena",
			map[string]string{"align": "64"},
			[][4]int64{{10, 0, 2, 1}, {20, 0, 2, 1}, {1, 2, 3, 1}},
			[]int64{64, 0, 0},
		},
		{
			"SOMAS makes 1024 bytes of 512, for it adds 543 and cuts to a multiple of 512", "somas",
			map[string]string{"round": "512", "pad": "32"},
			[][4]int64{{512, 0, 2, 1}, {480, 0, 2, 1}, {1, 0, 2, 1}},
			[]int64{0, 1024, 1536},
		},
		{
			"XLA's repacker breaks ties by the block's id, not by its start", "xla-repacker",
			nil,
			[][4]int64{{4, 1, 3, 1}, {4, 0, 2, 1}},
			[]int64{0, 4},
		},
		{
			// In the program's time both live for two steps, and the first is placed first. In XLA's the second's
			// events are three ticks apart, for what is freed in between counts, and the first's two.
			"XLA's sorts count events", "xla-heap",
			map[string]string{"sort": "temporal"},
			[][4]int64{{4, 1, 3, 1}, {4, 0, 2, 1}, {2, 0, 1, 1}},
			[]int64{4, 0, 4},
		},
		{
			// 9 × (2 + 1) is more than 5 × (4 + 1), though 9 × 2 is less than 5 × 4.
			"XLA's area counts both ends", "xla-heap",
			map[string]string{"sort": "spatial-temporal"},
			[][4]int64{{9, 0, 1, 1}, {5, 0, 3, 1}, {1, 1, 2, 1}},
			[]int64{0, 9, 0},
		},
	} {
		p := &model.Problem{Name: c.name}
		for i, b := range c.buffers {
			p.Buffers = append(p.Buffers,
				model.Buffer{ID: strconv.Itoa(i), Size: b[0], Lower: b[1], Upper: b[2], Alignment: b[3]})
		}
		if r := planned(t, named(t, c.planner), p, plan.Options{Params: c.params}); !slices.Equal(r.Offsets, c.want) {
			t.Errorf("%s: offsets %v, want %v", c.name, r.Offsets, c.want)
		}
	}
}

// TestPortfolios: what a framework takes of several plans of its own.
func TestPortfolios(t *testing.T) {
	first, second := 0, 0
	for seed := range uint64(60) {
		p := shuffled(10+int(seed), seed)
		height := func(planner string, params map[string]string) int64 {
			return planned(t, named(t, planner), p, plan.Options{Params: params}).Height
		}
		spatial, temporal := height("xla-heap", map[string]string{"sort": "spatial"}),
			height("xla-heap", map[string]string{"sort": "temporal"})
		if got := height("xla-heap", nil); got != min(spatial, temporal) {
			t.Fatalf("seed %d: XLA %d of spatial %d and temporal %d", seed, got, spatial, temporal)
		}
		offsets, objects := height("tflite-greedy-by-size", nil), height("tflite-objects-best", nil)
		if got := height("tflite-opencl", nil); got != min(offsets, objects) {
			t.Fatalf("seed %d: OpenCL %d of offsets %d and objects %d", seed, got, offsets, objects)
		}
		if temporal < spatial {
			first++
		}
		if spatial < temporal {
			second++
		}
	}
	if first == 0 || second == 0 {
		t.Errorf("temporal is lower on %d problems, spatial on %d: neither may always be", first, second)
	}
}

// TestDifferencesOnPublic holds planners to heights of an audit by execution: the sources
// compiled, and run on the public instances.
func TestDifferencesOnPublic(t *testing.T) {
	dir := public.Dir()
	if dir == "" {
		t.Skip("TestDifferencesOnPublic needs the public instances; set STOWAGE_DATA to their folder")
	}
	for _, c := range []struct {
		file, planner string
		thousandths   int64 // of the load, rounded
	}{
		{"challenging/F.*.csv", "xla-packing-search", 1367},
		{"challenging/H.*.csv", "xla-packing-search", 1308},
		{"challenging/I.*.csv", "xla-packing-search", 1405},
		{"challenging/K.*.csv", "xla-packing-search", 1306},
		{"idealloc/G_1.csv", "somas", 1000},
	} {
		paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(c.file)))
		if err != nil || len(paths) != 1 {
			t.Fatalf("%s: %v, %v", c.file, paths, err)
		}
		p := must.Get(public.Load(filepath.ToSlash(filepath.Dir(c.file)) + "/" + filepath.Base(paths[0])))(t)
		load := timeline.New(p).MaxLoad
		r := planned(t, named(t, c.planner), p, plan.Options{})
		if got := (r.Height*1000 + load/2) / load; got != c.thousandths {
			t.Errorf("%s: %s is at %d thousandths of the load, the source at %d", c.file, c.planner, got, c.thousandths)
		}
	}
}
