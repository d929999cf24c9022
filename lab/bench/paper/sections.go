package main

import (
	"regexp"

	"github.com/stowage-go/stowage/internal/comparison"
)

// A section is an experiment of a paper that is planners on problems.
type section struct {
	id     string
	title  string
	source string // where the paper's figures stand
	inputs string // what our problems are
	spec   string // in sweep/specs
	// These select the section's runs from the kept ones: the names of its problems, and the limit of its runs in
	// seconds.
	problems *regexp.Regexp
	limit    float64
	planners []string // the columns, those that were run
	claims   []claim
	table    func(*comparison.Result) *comparison.Table
	pictures func(*comparison.Result) []string
	times    map[string]float64 // the paper's own, in ms, by problem
}

// challengingTimes are those of table 2 of the MiniMalloc paper.
var challengingTimes = map[string]float64{
	"A": 4910, "B": 3661, "C": 637, "D": 2674, "E": 3717, "F": 5358, "G": 1181, "H": 1808, "I": 3908, "J": 883, "K": 628,
}

var everyone = []string{"exact", "tela", "auto", "milp", "cp", "meta-csp", "csp", "cp-sat", "minimalloc"}

const (
	noFigure    = "in a diagram alone"
	losesGround = "loses ground as buffers grow; no figure in the text"
)

var sections = []section{
	{
		id: "minimalloc-figure-8", title: "MiniMalloc, figure 8: the original suite", source: "section 8.1, text",
		inputs:   "Public networks and generated ones, each at 110% of its least height.",
		spec:     "paper-networks.yaml",
		problems: regexp.MustCompile(`@1\.1$`), limit: 60, planners: everyone, table: byProblem, pictures: timesPicture,
		claims: []claim{
			{"tela's time over the canonical search's, median", "30×", 30, more, ratio("tela", "exact")},
			{"mixed integer program over tela, median", "9× (4.7× in TelaMalloc's own paper)", 9, more, ratio("milp", "tela")},
			{"mixed integer program over the canonical search, median", "328×", 328, more, ratio("milp", "exact")},
			{"slowest input of the canonical search", "under 100 ms", 0.1, less | ceiling, slowest("exact")},
			{"solved by csp", "0 of 11", none, neither, solved("csp", always)},
			{"solved by meta-csp", "8 of 11", 8.0 / 11, neither, solved("meta-csp", always)},
			{"tela's time over that of auto, median", "not in the paper", 0, neither, ratio("tela", "auto")},
			{"google/minimalloc's process over the canonical search, median", "", 0, neither, ratio("minimalloc", "exact")},
		},
	},
	{
		id: "minimalloc-figure-9", title: "MiniMalloc, figure 9: the share solved by a time", source: "section 8.2, text",
		inputs:   "Networks at 100% to 130% of their load and generated problems. A capacity that is refuted counts as solved.",
		spec:     "extended.yaml",
		problems: regexp.MustCompile(`@`), limit: 10, planners: everyone, table: byTime, pictures: timePicture,
		claims: []claim{
			{"solved within 1 ms by the canonical search", "85%", 0.85, more, solved("exact", 1e-3)},
			{"solved within 1 ms by tela", "32%", 0.32, more, solved("tela", 1e-3)},
			{"solved within 1 ms by the mixed integer program", "16%", 0.16, more, solved("milp", 1e-3)},
			{"solved within 1 ms by auto", "not in the paper", 0, neither, solved("auto", 1e-3)},
			{"solved within 1 ms by google/minimalloc's process", "85%, in the process", 0, neither, solved("minimalloc", 1e-3)},
			{"solved within 100 ms by tela", "about 85%", 0.85, more, solved("tela", 0.1)},
			{"inputs on which the canonical search is the fastest", "99%, of all solvers", 0.99, more, fastest("exact", "auto")},
		},
	},
	{
		id: "minimalloc-figure-10", title: "MiniMalloc, figure 10: the synthetic suite", source: "section 8.3, text",
		inputs:   "525 problems after the paper's description; the canonical search ran on all, the others on some of each size.",
		spec:     "synthetic.yaml",
		problems: regexp.MustCompile(`^synthetic-`), limit: 60, planners: everyone, table: bySize, pictures: sizePictures,
		claims: []claim{
			{"solved by the canonical search", "all 525", 1, more, solved("exact", always)},
			{"within a millisecond", "“the vast majority”", 0, neither, solved("exact", 1e-3)},
			{"its slowest", "", 0, neither, slowest("exact")},
			{"solved by tela", losesGround, 0, neither, solved("tela", always)},
			{"solved by the mixed integer program", losesGround, 0, neither, solved("milp", always)},
		},
	},
	{
		id: "minimalloc-table-2", title: "MiniMalloc, table 2: the challenging suite", source: "table 2",
		inputs:   "A to K, at their capacity.",
		spec:     "paper-challenging.yaml",
		problems: regexp.MustCompile(`^[A-K]$`), limit: 60, planners: everyone, table: byProblem, pictures: timesPicture,
		times: challengingTimes,
		claims: []claim{
			{"solved by the canonical search", "11 of 11", 1, more | whole, solved("exact", always)},
			{"its time, the paper's over ours, geometric mean", "1", 1, more, gain("exact", challengingTimes)},
			{"google/minimalloc's process over the canonical search, here, median", "1", 1, more, ratio("minimalloc", "exact")},
			{"solved by tela", "0 of 11, in an hour", none, more | whole, solved("tela", always)},
			{"solved by the mixed integer program", "0 of 11, in an hour", none, more | whole, solved("milp", always)},
		},
	},
	{
		id: "telamalloc-figure-13", title: "TelaMalloc, figures 12 and 13: time relative to TelaMalloc's",
		source:   "section 7.2, text",
		inputs:   "Those of MiniMalloc's figure 8. One machine stands for the paper's phone and workstation.",
		spec:     "paper-networks.yaml",
		problems: regexp.MustCompile(`@1\.1$`), limit: 60, planners: everyone, table: byProblem, pictures: timesPicture,
		claims: []claim{
			{"mixed integer program over TelaMalloc, median", "about 4.7×", 4.7, more, ratio("milp", "tela")},
			{"the paper's constraint program by plain search, over tela", noFigure, 0, neither, ratio("cp", "tela")},
			{"CP-SAT, one no-overlap a section, over tela", noFigure, 0, neither, ratio("cp-sat", "tela")},
			{"the canonical search over tela", "not in this paper", 0, neither, ratio("exact", "tela")},
		},
	},
	{
		id: "idealloc-table-1", title: "idealloc, table 1: growth of the time", source: "table 1; its unit is not given",
		inputs:   "A, F and K, idealloc's own graphs at their load, and training steps at 105% of theirs for inputs that are not public.",
		spec:     "paper-growth.yaml",
		problems: regexp.MustCompile(`^([AFK]|training-\d+|[GS]_1|resnet50|pangu_2\.6B)$`), limit: 60,
		planners: []string{"exact", "auto", "boxing", "minimalloc"}, table: byProblem, pictures: timesPicture,
		claims: []claim{
			{"planned by auto within the limit", "not in the paper", 0, neither, solved("auto", always)},
			{"planned by MiniMalloc", "not 18,692 buffers; 1,821 and 5,620 if tuned by hand", 0, neither, solved("minimalloc",
				always)},
		},
	},
}
