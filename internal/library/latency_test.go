package library_test

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/public"
)

// Idea: the time of a call of Solve if there is little to search, for a program that plans while it runs. One shape
// of problem would be one path through the planner, so the problems of each size are from all generators that make
// it, some with an alignment, and from slices of real models.
//
//	go test -run '^$' -bench Latency -benchtime 300x ./internal/library
//
// A round solves each problem once, and a problem's time is its median over the rounds, the collector's share included.
// The report has the median, the ninth decile and the maximum of these times, and the median number of allocations.

// aim says what is asked of a problem.
type aim struct {
	name string
	// room is the capacity in tenths of the lower bound; 0 for none: minimise.
	room int64
}

var aims = []aim{{"tenth", 11}, {"fifth", 12}, {"lowest", 0}}

// shapes are problems of about n buffers.
func shapes(tb testing.TB, n int) []*stowage.Problem {
	var all []*stowage.Problem
	for _, kind := range gen.Kinds() {
		if kind.Name == "infeasible" || !slices.Contains(kind.Takes, "buffers") {
			continue
		}
		for seed := range uint64(4) {
			o := gen.Options{Buffers: n, Seed: seed}
			if seed%2 == 1 && slices.Contains(kind.Takes, "alignment") {
				o.Alignment = 64
			}
			p, err := gen.Generate(kind.Name, o)
			if err != nil {
				continue // it makes none as small, or none with this alignment
			}
			p.Name = kind.Name + "-" + strconv.FormatUint(seed, 10)
			p.Capacity = 0
			all = append(all, p)
		}
	}
	models := []*stowage.Problem{
		gen.MobileNetV2(), gen.UNet(), gen.GoogLeNet(), gen.DenseNet121(), gen.GPT2Prefill(), gen.ResNet50Training(),
	}
	for _, name := range []string{
		"hand_landmark_full", "pose_landmark_heavy", "face_detection_full_range", "selfie_segmentation",
	} {
		if p, err := public.Load("models/" + name + ".csv"); err == nil {
			models = append(models, p)
		}
	}
	for _, m := range models {
		for part := range 2 {
			if at := part * len(m.Buffers) / 2; at+n <= len(m.Buffers) {
				all = append(all, &stowage.Problem{Name: m.Name + "-from-" + strconv.Itoa(at), Buffers: m.Buffers[at : at+n]})
			}
		}
	}
	if len(all) < 20 {
		tb.Fatalf("%d problems of %d buffers", len(all), n)
	}
	return all
}

// asked returns the problem's options for an aim.
func asked(tb testing.TB, p *stowage.Problem, a aim) stowage.Options {
	bound, err := stowage.LowerBound(p)
	if err != nil {
		tb.Fatal(p.Name, err)
	}
	// A node limit, for some are hard to the end; it is for these alone.
	return stowage.Options{Capacity: (bound*a.room + 9) / 10, NodeLimit: 1000}
}

func BenchmarkLatency(b *testing.B) {
	for _, n := range []int{20, 100} {
		for _, a := range aims {
			b.Run(strconv.Itoa(n)+"/"+a.name, func(b *testing.B) { latency(b, shapes(b, n), a) })
		}
	}
	if p, err := public.Load("models/pose_landmark_heavy.csv"); err == nil {
		b.Run("pose_landmark_heavy/"+aims[0].name, func(b *testing.B) { latency(b, []*stowage.Problem{p}, aims[0]) })
	}
}

func latency(b *testing.B, problems []*stowage.Problem, a aim) {
	type row struct {
		name   string
		times  []time.Duration
		allocs uint64
		nodes  int64
		height int64
	}
	rows := make([]row, len(problems))
	options := make([]stowage.Options, len(problems))
	ctx := context.Background()
	for k, p := range problems {
		rows[k] = row{name: p.Name, times: make([]time.Duration, 0, 1<<10)}
		options[k] = asked(b, p, a)
		rows[k].allocs = uint64(testing.AllocsPerRun(1, func() {
			r, err := stowage.Solve(ctx, p, options[k])
			if err != nil {
				b.Fatal(p.Name, err)
			}
			rows[k].nodes, rows[k].height = r.Stats.Nodes, r.Height
		}))
	}
	runtime.GC()
	for b.Loop() {
		for k, p := range problems {
			began := time.Now()
			if _, err := stowage.Solve(ctx, p, options[k]); err != nil {
				b.Fatal(p.Name, err)
			}
			rows[k].times = append(rows[k].times, time.Since(began))
		}
	}
	for k := range rows {
		slices.Sort(rows[k].times)
	}
	micros := func(r *row) float64 { return float64(r.times[len(r.times)/2].Nanoseconds()) / 1000 }
	slices.SortFunc(rows, func(x, y row) int { return cmp.Compare(micros(&x), micros(&y)) })
	micro := func(k int) float64 { return micros(&rows[k]) }
	middle, last := len(rows)/2, len(rows)-1
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(micro(middle), "µs-median")
	b.ReportMetric(micro(last*9/10), "µs-90%")
	b.ReportMetric(micro(last), "µs-most")
	allocs := make([]uint64, len(rows))
	for k := range rows {
		allocs[k] = rows[k].allocs
	}
	slices.Sort(allocs)
	b.ReportMetric(float64(allocs[middle]), "allocs-median")
	if testing.Verbose() {
		for _, r := range rows {
			b.Logf("%9.1f µs %5d allocs %6d nodes  height %d  %s", micros(&r), r.allocs, r.nodes, r.height, r.name)
		}
	}
}
