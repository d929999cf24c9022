package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		paper, here float64
		n           int
		better      direction
		want        string
	}{
		{4.7, 1223, 18, more, ahead}, // F1.1: the very same figure is ahead in figure 12 and in figure 13
		{4.7, 4.7, 18, more, level},
		{4.7, 7.05, 18, more, level},  // the factor itself
		{4.7, 7.06, 18, more, ahead},  // and beyond
		{4.7, 3.14, 18, more, level},  // the same on the other side
		{4.7, 3.13, 18, more, behind}, // and beyond
		{4.7, 1223, 4, more, tooFew},
		{4.7, 1223, 1, more, tooFew},
		{4.7, 1223, 0, more, notRun},
		{4.7, nan, 18, more, notRun},
		{4.7, inf, 18, more, notRun},
		{4.7, 0, 18, more, notRun},
		{4.7, -3, 18, more, notRun},
		{nan, 3, 18, more, notRun},
		{8, 8.5, 18, less, level}, // F1.4
		{8, 1e300, 18, less, behind},
		{8, 1e-300, 18, less, ahead},
		{8, 80, 18, neither, unlike},
	} {
		if got := judge(c.paper, c.here, c.n, c.better); got != c.want {
			t.Errorf("judge(%v, %v, %d, %v) = %s, want %s", c.paper, c.here, c.n, c.better, got, c.want)
		}
	}
	for _, c := range []struct {
		paper            float64
		part, all, least int
		better           direction
		want             string
	}{
		{0.99, 987, 1000, fewestShare, more, level},
		{0.99, 620, 1000, fewestShare, more, behind}, // F1.2
		{0.87, 0, 5, fewestShare, more, tooFew},      // F1.6
		{0.87, 0, 20, fewestShare, more, behind},
		{0.87, 19, 19, fewestShare, more, tooFew},
		{0.87, 20, 20, fewestShare, more, ahead},
		{7.0 / 11, 1, 11, 11, more, behind},
		{7.0 / 11, 7, 11, 11, more, level},
		{0.5, 3, 2, 1, more, notRun}, // more than all
		{0.5, -1, 2, 1, more, notRun},
		{0.5, 0, 0, 1, more, notRun},
		{nan, 1, 30, 1, more, notRun},
		{0.1, 30, 100, fewestShare, less, behind},
		{0.1, 0, 100, fewestShare, less, ahead},
		{0.1, 15, 100, fewestShare, less, level}, // 5 points are the same
	} {
		if got := judgeShare(c.paper, c.part, c.all, c.least, c.better); got != c.want {
			t.Errorf("judgeShare(%v, %d, %d, %d, %v) = %s, want %s", c.paper, c.part, c.all, c.least, c.better, got, c.want)
		}
	}
	for _, c := range [][3]string{{"8", "8", level}, {"8", "9", unlike}, {"8", "", notRun}} {
		if got := judgeSame(c[0], c[1]); got != c[2] {
			t.Errorf("judgeSame(%q, %q) = %s", c[0], c[1], got)
		}
	}
	for x, want := range map[float64]string{1: "takes as long as", 1.05: "takes as long as", 0.5: "is 2.00 times as fast as", 12: "takes 12.0 times as long as"} {
		if got := pace(x); got != want {
			t.Errorf("pace(%v) = %s", x, got)
		}
	}
	for _, c := range []struct {
		paper, here float64
		want        string
	}{
		{30, 31, "the two are the same within 5%"},
		{30, 60, "ours is 2.00 times the paper's"},
		{30, 10, "the paper's is 3.00 times ours"},
		{30, nan, ""},
		{0, 3, ""},
	} {
		if got := apart(c.paper, c.here); got != c.want {
			t.Errorf("apart(%v, %v) = %s", c.paper, c.here, got)
		}
	}
}

// sentences joins what is said.
func sentences(s []string) string { return strings.Join(s, " ") }

// many is n times a value.
func many[T any](n int, x T) (all []T) {
	for range n {
		all = append(all, x)
	}
	return all
}

// TestSay hands made-up figures to each section's sentences: the paper's, the opposite, ties,
// one sample, none, and what is no number. want has to be said, not has not.
func TestSay(t *testing.T) {
	sizesAt := func(factor float64) growing {
		var f growing
		for _, q := range table1 {
			f.add(fmt.Sprint(q.buffers), q.buffers, q.idealloc/1000*factor, false)
		}
		return f
	}
	part := func(name string, part, of int) solvedShare { return solvedShare{name, nan, part, of} }
	for _, c := range []struct {
		name string
		say  []string
		want []string // parts of what has to be said; nil is nothing at all
		not  []string
	}{
		{
			"counts, equal",
			said(sayCounts([]beside{{"a", "8", "8", level}, {"b", "4", "4", level}, {"c", "x", "y", ""}})),
			[]string{"All 2 figures"},
			nil,
		},
		{
			"counts, one is not", said(sayCounts([]beside{{"a", "8", "8", level}, {"b", "4", "5", unlike}})),
			[]string{"1 of 2 figures are not the paper's: b (paper: 4, here: 5)"},
			[]string{"All"},
		},
		{"counts, none", said(sayCounts(nil)), nil, nil},

		{
			"figure 8, closer than the paper", phone{telaExact: ratio{2, 18}, straight: 18, of: 18}.say(),
			[]string{
				"takes 2.00 times as long as exact", "30 times as long", "takes nothing back on any of the 18",
				"One reason",
			},
			[]string{"auto"},
		},
		{
			"figure 8, further than the paper", phone{telaExact: ratio{60, 18}}.say(),
			[]string{"takes 60.0 times as long as exact"},
			[]string{"One reason", "takes nothing back"},
		},
		{
			"figure 8, opposite", phone{telaExact: ratio{0.5, 18}, straight: 3, of: 18}.say(),
			[]string{"tela is 2.00 times as fast as exact", "on 3 of 18"},
			[]string{"any of"},
		},
		{
			"figure 8, tie",
			phone{
				telaExact: ratio{1, 18}, telaAuto: ratio{1, 18}, autoExact: ratio{1, 18}, milpTela: ratio{9, 18},
			}.say(),
			[]string{
				"tela takes as long as exact", "auto, which begins with heuristics, takes as long as exact",
				"the two are the same within 5% (9×)",
			},
			[]string{"times as fast", "behind"},
		},
		{"figure 8, one network", phone{telaExact: ratio{30, 1}, milpTela: ratio{9, 4}}.say(), nil, nil},
		{
			"figure 8, no numbers",
			phone{telaExact: ratio{nan, 18}, milpTela: ratio{inf, 18}, telaAuto: ratio{nan, 0}}.say(), nil, nil,
		},

		{
			"figure 9, each its own",
			extendedFigures{
				within: []solvedShare{
					{"exact", 0.85, 99, 100}, {"tela", 0.32, 32, 100}, {"milp", 0.16, 0, 100}, {"cp", 0.5, 1, 3},
				},
				first: 40, tied: 60, raced: 100,
			}.say(),
			[]string{
				"a larger share than in the paper for exact", "the paper's share for tela",
				"a smaller share than in the paper for milp", "Too few inputs were run to tell for cp",
				"Of all planners that ran except auto, exact is the fastest on 40 of 100 inputs and tied with another on 60 more",
			},
			nil,
		},
		{
			"figure 9, all tied", extendedFigures{tied: 100, raced: 100}.say(),
			[]string{"on 0 of 100 inputs and tied"},
			nil,
		},
		{
			"figure 9, few", extendedFigures{within: []solvedShare{{"exact", 0.85, 0, 0}}, first: 5, raced: 5}.say(),
			nil, nil,
		},

		{
			"figure 10, as the paper",
			sizes{
				exact: part("exact", 525, 525), most: 0.01, limit: time.Minute,
				planners: []solvedBySize{
					{"tela", part("", 50, 50), part("", 20, 50)},
					{"milp", part("", 50, 50), part("", 48, 50)},
					{"cp", part("", 1, 3), part("", 0, 3)},
				},
			}.say(),
			[]string{
				"exact solves all 525", "these solve fewer: tela (100% of the smaller half, 40% of the larger)",
				"These do not: milp (100% and 96%)", "Too few problems were run to tell for cp",
			},
			[]string{"lower bounds"},
		},
		{
			"figure 10, opposite",
			sizes{
				exact: part("exact", 1, 525), limit: time.Second,
				planners: []solvedBySize{{"tela", part("", 10, 50), part("", 50, 50)}},
			}.say(),
			[]string{"1 of the 525", "These do not: tela (20% and 100%)", "lower bounds"},
			[]string{"exact solves all", "solve fewer"},
		},
		{"figure 10, none", sizes{limit: time.Second}.say(), nil, nil},

		{"figure 11, full", said(sayShown([]shown{{"G", 8, 8, 8}, {"K", 8, 8, 8}})), []string{"no byte is free"}, nil},
		{
			"figure 11, room", said(sayShown([]shown{{"G", 8, 8, 7}})),
			[]string{"some bytes are free"},
			[]string{"no byte"},
		},
		{"figure 11, too high", said(sayShown([]shown{{"G", 9, 8, 7}})), []string{"0 of 1"}, []string{"free"}},
		{"figure 11, none", said(sayShown(nil)), nil, nil},

		{
			"table 2, as the paper",
			hardSuite{
				real: true, exact: part("exact", 11, 11), gain: 100, gains: 11,
				rest: []solvedShare{part("tela", 0, 11), part("milp", 0, 11)}, limit: time.Second, peer: nan,
			}.say(),
			[]string{
				"exact solves 11 of 11", "is 100 times as fast as the paper's MiniMalloc",
				"these solve none: tela and milp",
			},
			[]string{"solve some"},
		},
		{
			"table 2, opposite",
			hardSuite{
				real: true, exact: part("exact", 3, 11), gain: 0.5, gains: 3,
				rest: []solvedShare{part("tela", 2, 11), part("milp", 0, 0)}, peer: 0.5, peers: 3,
			}.say(),
			[]string{
				"exact solves 3 of 11", "takes 2.00 times as long as the paper's MiniMalloc",
				"google/minimalloc's process is 2.00 times as fast as exact", "solve some: tela 2 of 11",
			},
			[]string{"none: ", "milp"},
		},
		{"table 2, none", hardSuite{gain: nan, peer: nan}.say(), nil, nil},

		{"table 3, large", sizeOf{210}.say(), []string{"8.40 times what MiniMalloc adds", "0.98 times as much"}, nil},
		{
			"table 3, small", sizeOf{20}.say(),
			[]string{"adds 20 kB, MiniMalloc 25 kB"},
			[]string{"times what MiniMalloc"},
		},
		{"table 3, none", sizeOf{nan}.say(), nil, nil},

		{
			"figure 3, as the paper", live{many(6, 1.2), many(6, 1.1)}.say(),
			[]string{"The order is the paper's", "on 0 of 6"},
			nil,
		},
		{
			"figure 3, opposite", live{many(6, 1.1), many(6, 1.2)}.say(),
			[]string{"more than BFC", "unlike"},
			[]string{"order is the paper's"},
		},
		{
			"figure 3, ties", live{many(6, 1.1), many(6, 1.1)}.say(),
			[]string{"the same in the mean, unlike"},
			[]string{"order is the paper's"},
		},
		{
			"figure 3, all at the least", live{many(6, 1.0), many(6, 1.0)}.say(),
			[]string{"distinguish nothing"},
			[]string{"order is the paper's"},
		},
		{
			"figure 3, heuristic as search", live{many(6, 1.1), many(6, 1.0)}.say(),
			[]string{"needs no more than search", "on 6 of 6"},
			[]string{"order is the paper's"},
		},
		{
			"figure 3, one network of twenty", live{many(20, 1.2), append(many(19, 1.0), 1.003)}.say(),
			[]string{"needs no more than search", "on 19 of 20"},
			[]string{"order is the paper's"},
		},
		{"figure 3, few", live{many(2, 1.2), many(2, 1.1)}.say(), nil, nil},
		{"figure 3, no numbers", live{many(6, nan), many(6, 1.1)}.say(), nil, nil},

		{
			"table 1, faster",
			micros{{"full-overlap-100", 142, 1, 1.42, 0.01}, {"full-overlap-1000", 100758, 500, 100.76, 0.5}}.say(),
			[]string{
				"less time than the paper's on all 2 benchmarks, by a factor of 142 to 202",
				"50.0 times as long; in the paper 71",
			},
			[]string{"thousandth"},
		},
		{
			"table 1, slower", micros{{"a", 1, 2, 1, 2}}.say(),
			[]string{"more time than the paper's on all 1"},
			[]string{"less time"},
		},
		{
			"table 1, tie", micros{{"a", 1, 1, 1, 1}, {"b", 1, 1, 1, 0.5}}.say(),
			[]string{"is 1.00 to 2.00 times ours"},
			[]string{"less time", "more time"},
		},
		{"table 1, none", micros{{"a", 1, nan, 1, nan}}.say(), nil, nil},

		{
			"7.1, as the paper", sayProfile([]profiled{{"K", split{Engine: 0.87, Samples: 100}}}),
			[]string{"K the engine takes 87% of the time, as in the paper"},
			[]string{"less"},
		},
		{
			"7.1, not", sayProfile([]profiled{{"K", split{Engine: 0.3, Preparing: 0.6, Rest: 0.1, Samples: 100}}}),
			[]string{"30% of the time, less than in the paper", "preparing the problem (60%)"},
			[]string{"as in"},
		},
		{
			"7.1, one sample", sayProfile([]profiled{{"K", split{Engine: 1, Samples: 1}}}),
			[]string{"1 samples, too few to tell"},
			[]string{"as in the paper"},
		},
		{"7.1, none", sayProfile([]profiled{{"K", split{}}}), nil, nil},

		{
			"figures 12 and 13",
			against{
				milp: ratio{1223, 18}, learned: ratio{1, 18}, exact: ratio{0.5, 18},
				spreads: []spreadOf{{"milp", 3, 18}, {"cp", 1.1, 18}, {"tela", 9, 2}},
			}.say(),
			[]string{
				"takes 1,223 times as long as tela; ours is 260 times the paper's",
				"The canonical search is 2.00 times as fast as tela", "takes as long as tela with the rules alone",
				"with milp (3.00×)", "It is at most 1.5 times with cp",
			},
			[]string{"tela (9", "easy"},
		},
		{
			"figures 12 and 13, opposite", against{milp: ratio{0.1, 18}}.say(),
			[]string{"is 10.0 times as fast as tela", "the paper's is 47.0 times ours"},
			[]string{"easy"},
		},
		{
			"figures 12 and 13, none",
			against{milp: ratio{1223, 2}, solved: solvedShare{part: 2, of: 20}, limit: time.Second}.say(),
			[]string{"solves 2 of the 20 networks that it ran on within 1s"},
			[]string{"1,223"},
		},
		{
			"figures 12 and 13, nothing", against{milp: ratio{1223, 2}, spreads: []spreadOf{{"milp", nan, 18}}}.say(),
			nil, nil,
		},

		{
			"table 2 of TelaMalloc, easier",
			room{over: many(6, 1.01), tela: part("", 6, 6), slowest: 0.01, milp: part("", 2, 6)}.say(),
			[]string{
				"easier", "0 of 6 need more", "paper's 7 of 11", "solves 6 of 6, the slowest in 10 ms", "solves 2 of 6",
			},
			nil,
		},
		{
			"table 2 of TelaMalloc, harder", room{over: many(6, 2.0)}.say(),
			[]string{"harder", "6 of 6"},
			[]string{"tela", "program"},
		},
		{"table 2 of TelaMalloc, none", room{over: many(2, 1.0)}.say(), nil, nil},

		{
			"figure 14, as the paper",
			alone{
				inputs: 100, failed: 1, failures: []float64{27, 37}, steps: []float64{1.4, 1.8}, fails: []int{27, 37},
			}.say(),
			[]string{"fail least, on 1 of 100", "1.40 to 1.80 times the steps"},
			[]string{"unlike"},
		},
		{
			"figure 14, opposite",
			alone{
				inputs: 100, failed: 50, failures: []float64{0.5}, steps: []float64{0.5, 0.9}, fails: []int{25, 30},
			}.say(),
			[]string{"fails less than all three together, unlike", "no strategy alone takes more steps"},
			[]string{"fail least"},
		},
		{
			"figure 14, tie",
			alone{inputs: 100, failed: 50, failures: []float64{1}, steps: []float64{1, 1}, fails: []int{50, 60}}.say(),
			[]string{"as one of them does alone", "no strategy alone takes more steps"},
			[]string{"fail least"},
		},
		{
			"figure 14, nothing fails", alone{inputs: 100, fails: []int{0, 0}}.say(),
			[]string{"distinguish nothing"},
			nil,
		},
		{"figure 14, few", alone{inputs: 3, failed: 1, fails: []int{2}}.say(), nil, nil},

		{
			"figure 15, few", backtracks{portions: many(12, [2]int64{}), inputs: 23, hard: 5}.say(),
			[]string{"None of the 12 portions takes a backtrack", "5 of 23 inputs are hard, which is too few to tell"},
			[]string{"0%", "improves"},
		},
		{
			"figure 15, as the paper",
			backtracks{
				portions: [][2]int64{{9, 1}, {5, 5}, {1, 3}}, inputs: 1192, hard: 117, improved: 102, worse: 10,
				coin: 3,
			}.say(),
			[]string{
				"Of 3 portions the model takes fewer backtracks on 1, as many on 1 and more on 1", "improves 87%",
				"A coin in its place improves 3%",
			},
			[]string{"None"},
		},
		{
			"figure 15, a coin is as good", backtracks{inputs: 100, hard: 20, improved: 5, coin: 5}.say(),
			[]string{"worth nothing here"},
			nil,
		},
		{
			"figure 15, a coin is better", backtracks{inputs: 100, hard: 20, improved: 0, coin: 20}.say(),
			[]string{"improves more (100%)"},
			nil,
		},
		{"figure 15, none", backtracks{}.say(), nil, nil},

		{"figure 16", said(sayScore(300, 46)), []string{"0.30 µs"}, nil},
		{"figure 16, none", said(sayScore(nan, 46)), nil, nil},

		{
			"figure 17, as the paper",
			features{500, []place{{"lifetime", 9, true, 1}, {"same_phase", 9, false, 9}}, "lifetime", false}.say(),
			[]string{"lifetime, which is one of the paper's", "where the paper has them: lifetime (place 1 of 9"},
			[]string{"Not there"},
		},
		{
			"figure 17, opposite",
			features{
				500,
				[]place{{"lifetime", 9, true, 9}, {"same_phase", 9, false, 1}, {"level", 9, true, 0}},
				"refuted",
				true,
			}.say(),
			[]string{"ours and not in the paper", "Not there: lifetime (place 9 of 9"},
			[]string{"where the paper has them"},
		},
		{
			"figure 17, few", features{3, []place{{"lifetime", 9, true, 1}}, "lifetime", false}.say(),
			[]string{"3 samples are too few"},
			[]string{"counts most"},
		},
		{"figure 17, none", features{}.say(), nil, nil},

		{
			"figure 18, alike", packings{{0.5, 0.5, 0.5}, {0.7, 0.7, 0.7}}.say(),
			[]string{"distinguish nothing"},
			[]string{"more"},
		},
		{
			"figure 18, tela is better", packings{{0.5, 0.6, 0.5}, {0.7, 0.7, 0.6}}.say(),
			[]string{
				"on 2 of 2", "tela lets in more than best fit on 1 and less on 0",
				"auto lets in more than best fit on 0 and less on 1",
			},
			[]string{"nothing"},
		},
		{"figure 18, none", packings{}.say(), nil, nil},

		{
			"figure 19, OpenPose's",
			wave{
				name: "N", high: [][2]float64{{0, 0.2}, {0.4, 0.5}, {0.8, 0.9}}, buffers: 100, nodes: 100, solved: true,
				attempted: true,
			}.say(),
			[]string{
				"has the shape that the paper describes: a high phase at the beginning, and 2 more",
				"in 1.0 steps a buffer",
			},
			[]string{"does not"},
		},
		{
			"figure 19, a ramp",
			wave{
				name: "N", high: [][2]float64{{0.75, 0.8}, {0.85, 0.88}, {0.9, 0.93}, {0.95, 1}}, buffers: 100,
				attempted: true,
			}.say(),
			[]string{
				"does not have the shape", "4 stretches", "after 75% of the time", "ends after 100%",
				"does not plan it",
			},
			[]string{"has the shape"},
		},
		{
			"figure 19, one hill", wave{name: "N", high: [][2]float64{{0, 1}}}.say(),
			[]string{"does not have the shape", "one stretch"},
			[]string{"tela"},
		},
		{"figure 19, none", wave{}.say(), nil, nil},

		{
			"idealloc figure 6, F1.3",
			heights{problems: 11, fits: 11, boxing: many(11, 1.0), compared: 11, tied: 10, onlyExact: 1}.say(),
			[]string{
				"keeps the capacity on 11 of 11",
				"On 1 of 11 it is lower than boxing and nothing else is; on 10 boxing is as low",
			},
			[]string{"11 of 11 it is lower"},
		},
		{
			"idealloc figure 6, all ties",
			heights{problems: 11, fits: 11, boxing: many(11, 1.0), compared: 11, tied: 11}.say(),
			[]string{"distinguish nothing"},
			[]string{"nothing else is"},
		},
		{
			"idealloc figure 6, more tries", heights{real: true, gains: many(6, 1.1), climbs: 11, climbLower: 10}.say(),
			[]string{"10.0% above the most", "lower than boxing on 10 of 11; in the paper"},
			[]string{"within half"},
		},
		{
			"idealloc figure 6, no gain", heights{gains: many(6, 1.0), climbs: 11}.say(),
			[]string{"within half a percent", "on 0 of 11."},
			[]string{"in the paper"},
		},
		{"idealloc figure 6, none", heights{gains: many(6, nan)}.say(), nil, nil},

		{"idealloc table 1, faster", sizesAt(0.5).say(), []string{"less time than idealloc's at all 6 sizes"}, nil},
		{"idealloc table 1, slower", sizesAt(2).say(), []string{"at 0 of 6 sizes", "slower at 154"}, []string{"all 6"}},
		{
			"idealloc table 1, ties", sizesAt(1).say(),
			[]string{"at 0 of 6 sizes", "tied at 154 buffers"},
			[]string{"all 6"},
		},
		{"idealloc table 1, F1.4", func() []string {
			f := sizesAt(0.5)
			f.same[0].here = 0.0085
			return f.say()
		}(), []string{"at 5 of 6 sizes: it is slower at 154"}, []string{"all 6"}},
		{
			"idealloc table 1, another problem",
			growing{same: []sameSize{{"training-154", 154, 0.008, 0.001, true}}}.say(),
			[]string{"not the paper's: 1 of 1."},
			nil,
		},
		{
			"idealloc table 1, one size", growing{same: []sameSize{{"A", 154, 0.008, 0.001, false}}}.say(),
			[]string{"at the 1 of the paper's 6 sizes that were run"},
			[]string{"all 6", "minimalloc"},
		},
		{
			"idealloc table 1, peers",
			growing{
				auto: part("", 9, 9), peer: part("", 5, 9), fails: []string{"S_1 (> 4,000 ms)"}, limit: time.Second,
			}.say(),
			[]string{"plans 5 of 9 within 1s", "auto plans 9 of 9 within 1s; minimalloc has no plan of S_1"},
			nil,
		},
		{
			"idealloc table 1, no peer", growing{auto: part("", 9, 9), limit: time.Second}.say(),
			[]string{"auto plans 9 of 9"},
			[]string{"minimalloc", "MiniMalloc"},
		},
		{"idealloc table 1, none", growing{same: []sameSize{{"A", 154, 0.008, nan, true}}}.say(), nil, nil},

		{"wave, lowest", said(sayLeast(37, 37, true)), []string{"as low as any"}, nil},
		{
			"wave, not proven", said(sayLeast(37, 37, false)),
			[]string{"No lower plan was found"},
			[]string{"as low as any"},
		},
		{"wave, higher", said(sayLeast(37, 36, true)), []string{"A plan of 36 is lower"}, []string{"as low as any"}},
		{"wave, none", said(sayLeast(0, 36, true)), nil, nil},
		{"slides, orders", said(saySameOrders(0.987, 0.62, 7)), []string{"99% or less of both"}, nil},
		{"slides, orders, one", said(saySameOrders(0.999, 0.62, 7)), []string{"one of the two"}, nil},
		{"slides, orders, both", said(saySameOrders(0.999, 0.999, 7)), []string{"as on the slides"}, nil},
		{"slides, orders, none", said(saySameOrders(nan, 0.999, 7)), nil, nil},
		{
			"slides, dominance", pruned{cut: many(6, 0.6), timed: many(6, 0.4)}.say(),
			[]string{"saves 60% of the nodes in the mean; on 0 of 6", "saves 40% of the time"},
			[]string{"costs"},
		},
		{
			"slides, dominance costs", pruned{cut: append(many(5, 0.0), 0.1), timed: many(6, -0.4)}.say(),
			[]string{"on 5 of 6 problems it saves none", "costs time: 40%"},
			[]string{"saves 40%"},
		},
		{"slides, dominance saves nothing", pruned{cut: many(6, 0.0)}.say(), []string{"distinguish nothing"}, nil},
		{
			"slides, dominance saves time alone", pruned{cut: many(6, 0.0), timed: many(2, 0.97)}.say(),
			[]string{"no node on any of the 6", "2 of them take a millisecond, too few"},
			[]string{"distinguish", "97%"},
		},
		{"slides, dominance, few", pruned{cut: many(2, 0.6), timed: many(1, nan)}.say(), nil, nil},
	} {
		text := sentences(c.say)
		if c.want == nil && text != "" {
			t.Errorf("%s: nothing can be said, but it says: %s", c.name, text)
		}
		for _, part := range c.want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: it does not say %q: %s", c.name, part, text)
			}
		}
		for _, part := range append(c.not, "NaN", "Inf", "%!", "  ") {
			if strings.Contains(text, part) {
				t.Errorf("%s: it says %q: %s", c.name, part, text)
			}
		}
		for _, sentence := range c.say {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s: no sentence: %q", c.name, sentence)
			}
		}
	}
}

// TestVerdicts: the verdicts of sections that have rules of their own.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"table 2", hardSuite{real: true, exact: solvedShare{part: 11, of: 11}}.verdict(), level},
		{"table 2, not all", hardSuite{real: true, exact: solvedShare{part: 9, of: 11}}.verdict(), behind},
		{"table 2, cut short", hardSuite{real: true, exact: solvedShare{part: 3, of: 3}}.verdict(), tooFew},
		{"table 2, others", hardSuite{exact: solvedShare{part: 11, of: 11}}.verdict(), differs},
		{"table 2, none", hardSuite{real: true}.verdict(), notRun},
		{"7.1", profiled{"", split{Engine: 0.95, Samples: 60}}.verdict(), level},
		{"7.1, little", profiled{"", split{Engine: 0.5, Samples: 60}}.verdict(), unlike},
		{"7.1, few", profiled{"", split{Engine: 0.95, Samples: 6}}.verdict(), tooFew},
		{"7.1, none", profiled{}.verdict(), notRun},
		{"figure 14", alone{inputs: 100, failed: 5, failures: []float64{27, 37}}.verdict(), level},
		{"figure 14, less", alone{inputs: 100, failed: 5, failures: []float64{1, 3}}.verdict(), behind},
		{"figure 14, more", alone{inputs: 100, failed: 5, failures: []float64{60, 90}}.verdict(), ahead},
		{"figure 14, both", alone{inputs: 100, failed: 5, failures: []float64{1, 90}}.verdict(), unlike},
		{"figure 14, hardly a failure", alone{inputs: 100, failed: 1, failures: []float64{27, 37}}.verdict(), tooFew},
		{"figure 14, none", alone{}.verdict(), notRun},
		{"figure 15, 0 of 5", backtracks{hard: 5}.verdict(), tooFew},
		{"figure 15, none", backtracks{}.verdict(), notRun},
		{"figure 17", features{samples: 500, places: []place{{"", 9, true, 3}}}.verdict(), level},
		{"figure 17, not", features{samples: 500, places: []place{{"", 9, true, 5}}}.verdict(), unlike},
		{"figure 17, few", features{samples: 5, places: []place{{"", 9, true, 1}}}.verdict(), tooFew},
		{"figure 19", wave{high: [][2]float64{{0, 0.1}, {0.2, 0.3}, {0.5, 0.6}}}.verdict(), level},
		{"figure 19, a ramp", wave{high: [][2]float64{{0.7, 0.8}, {0.85, 0.9}, {0.95, 1}}}.verdict(), unlike},
		{"figure 19, none", wave{}.verdict(), notRun},
		{"idealloc figure 6", heights{real: true, boxing: many(11, 1.3)}.verdict(), level},
		{"idealloc figure 6, low", heights{real: true, boxing: many(11, 1.1)}.verdict(), ahead},
		{"idealloc figure 6, high", heights{real: true, boxing: many(11, 1.5)}.verdict(), behind},
		{"idealloc figure 6, one", heights{real: true, boxing: many(1, 1.3)}.verdict(), tooFew},
		{"idealloc figure 6, others", heights{boxing: many(11, 1.3)}.verdict(), differs},
		{"idealloc figure 6, none", heights{real: true}.verdict(), notRun},
		{"idealloc table 1, another problem", sameSize{"training-154", 154, 8, 1, true}.verdict(), differs},
		{"idealloc table 1", sameSize{"A", 154, 8, 1, false}.verdict(), ahead},
		{"slides", pruned{cut: many(6, 0.6)}.verdict(), level},
		{"slides, few", pruned{cut: many(2, 0.6)}.verdict(), tooFew},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.name, c.got, c.want)
		}
	}
}
