package tela

import (
	"errors"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/plan"
)

// switches turns each technique of the search on or off. No combination makes a
// plan invalid or a proof wrong; without "completion" a search that runs out of
// candidates ends undecided.
type switches struct {
	lifetime, size, area bool
	solverPlacement      bool
	grouping             bool
	culprits             bool
	promotion            bool
	starved              bool
	stuck                bool
	twins                bool
	partitions           bool
	widening             bool
	completion           bool
	sections             bool
	restarts             bool
}

// table is the one list of the techniques: name, summary, switch.
var table = []struct {
	name, summary string
	of            func(*switches) *bool
}{
	{"longest", "a candidate is the unplaced buffer with the longest lifetime", func(s *switches) *bool { return &s.lifetime }},
	{"largest", "a candidate is the unplaced buffer of the largest size", func(s *switches) *bool { return &s.size }},
	{"widest", "a candidate is the unplaced buffer of the largest area, size times lifetime", func(s *switches) *bool { return &s.area }},
	{"solver-placement", "place at the lowest offset that the engine allows, holes included; without it on the skyline", func(s *switches) *bool { return &s.solverPlacement }},
	{"grouping", "place the buffers of a contention phase together, phases of high contention first", func(s *switches) *bool { return &s.grouping }},
	{"culprits", "go back to the latest placement that the failure follows from; without it by one point", func(s *switches) *bool { return &s.culprits }},
	{"promotion", "a major backtrack takes its candidates along, to the front of those of its target", func(s *switches) *bool { return &s.promotion }},
	{"starved", "a major backtrack also takes along the buffer that a candidate left without room, in front of the candidates", func(s *switches) *bool { return &s.starved }},
	{"stuck", "leave the subtree of a point after too many backtracks in it", func(s *switches) *bool { return &s.stuck }},
	{"sections", "after some backtracks, give up a placement that leaves a section too little room for what is unplaced there", func(s *switches) *bool { return &s.sections }},
	{"twins", "of buffers alike in size, lifespan and alignment only one is a candidate", func(s *switches) *bool { return &s.twins }},
	{"partitions", "search the parts of the problem that share no time apart", func(s *switches) *bool { return &s.partitions }},
	{"widening", "when all candidates have failed, search again with twice as many a point", func(s *switches) *bool { return &s.widening }},
	{"restarts", "leave a tree after so many backtracks for others, and come back to it with twice as many", func(s *switches) *bool { return &s.restarts }},
	{"completion", "when all candidates have failed, decide by complete search over the orders of pairs", func(s *switches) *bool { return &s.completion }},
}

// The strategies of figure 14.
const (
	strategyAll      = "all"
	strategyLifetime = "lifetime"
	strategySize     = "size"
	strategyArea     = "area"
	strategyLowest   = "lowest"
)

// settings are the parameters, parsed.
type settings struct {
	switches
	strategy      string
	candidates    int // most candidates of a point
	stuckAfter    int64
	step          int // percent between thresholds
	effort        int64
	sectionsAfter int64
	restartAfter  int64
	maxPairs      int
}

// params is the one list of the tunables: name, default, summary, and the
// setting of a number.
var params = []struct {
	name, otherwise, summary string
	min, max                 int64
	set                      func(*settings, int64)
}{
	{"strategy", strategyAll, "all, or one alone as in the paper's figure 14: lifetime, size, area, lowest; one alone has no phases, tries every buffer and goes back one point at a time", 0, 0, nil},
	{"candidates", "3", "most candidates of a point, before widening; what a promotion pushes beyond is dropped", 1, 4096, func(s *settings, x int64) { s.candidates = int(x) }},
	{"stuck-after", "100", "backtracks in the subtree of a point after which it is left", 1, 1 << 40, func(s *settings, x int64) { s.stuckAfter = x }},
	{"threshold-step", "10", "percent of the peak contention between one phase threshold and the next", 1, 100, func(s *settings, x int64) { s.step = int(x) }},
	{"restart-after", "5000", "backtracks after which a tree is left, in the first round", 1, 1 << 40, func(s *settings, x int64) { s.restartAfter = x }},
	{"effort", "20000", "steps that minimising spends on a capacity before it calls it too low, in its last round where no limit is set", 1, 1 << 40, func(s *settings, x int64) { s.effort = x }},
	{"sections-after", "200", "backtracks of a partition after which sections are looked at", 0, 1 << 40, func(s *settings, x int64) { s.sectionsAfter = x }},
	{"max-pairs", "8388608", "most conflicting pairs of a partition, about 30 bytes each; a denser problem is refused", 1, 1 << 28, func(s *settings, x int64) { s.maxPairs = int(x) }},
}

// settingsOf reads the options. The names of techniques and parameters have
// been checked.
func settingsOf(name string, o *plan.Options) (settings, error) {
	var s settings
	for _, t := range table {
		*t.of(&s.switches) = true
	}
	for _, off := range o.Without {
		for _, t := range table {
			if t.name == off {
				*t.of(&s.switches) = false
			}
		}
	}
	var errs []error
	for _, p := range params {
		text, ok := o.Params[p.name]
		if !ok {
			text = p.otherwise
		}
		if p.set == nil {
			s.strategy = text
			continue
		}
		x, err := strconv.ParseInt(text, 10, 64)
		if err != nil || x < p.min || x > p.max {
			errs = append(errs, errors.New("planner "+name+": parameter "+p.name+" "+strconv.Quote(text)+
				": must be an integer from "+strconv.FormatInt(p.min, 10)+" to "+strconv.FormatInt(p.max, 10)))
			continue
		}
		p.set(&s, x)
	}
	switch s.strategy {
	case strategyAll:
		if !s.lifetime && !s.size && !s.area {
			errs = append(errs, errors.New("planner "+name+": longest, largest and widest are all off: no buffer would be a candidate"))
		}
	case strategyLifetime, strategySize, strategyArea, strategyLowest:
		s.lifetime, s.size, s.area = s.strategy == strategyLifetime, s.strategy == strategySize, s.strategy == strategyArea
		s.grouping, s.culprits, s.promotion, s.starved, s.stuck = false, false, false, false, false
	default:
		all := []string{strategyAll, strategyLifetime, strategySize, strategyArea, strategyLowest}
		errs = append(errs, errors.New("planner "+name+": parameter strategy "+strconv.Quote(s.strategy)+": must be one of "+strings.Join(all, ", ")))
	}
	return s, errors.Join(errs...)
}

// info describes the planner, or one that adds to it.
func info() plan.Info {
	i := plan.Info{
		Name:    "tela",
		Summary: "heuristic search that a constraint engine guides, with conflict-driven backtracks",
		Source:  "Maas, Beaunon, Chauhan, Ilbeyi, TelaMalloc, ASPLOS 2023; starved, sections, twins, widening, restarts and completion are Stowage's",
	}
	for _, t := range table {
		i.Techniques = append(i.Techniques, plan.Technique{Name: t.name, Summary: t.summary})
	}
	for _, p := range params {
		i.Params = append(i.Params, plan.Param{Name: p.name, Default: p.otherwise, Summary: p.summary})
	}
	return i
}
