// Package recorded compares what searches decide with files of digests. A digest covers all that a group of runs
// answers: plans, bounds, proofs, nodes. So it changes if a condition or a bound in the search changes, even if the
// plans stay right. The flag -update writes the files anew, for a change that is meant.
//
// Digests see that a search decides otherwise, not that it is wrong. For that, planners are held against themselves: no
// bound that a setting proves is above a plan that another one finds.
package recorded

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// A Book collects the lines of a file of digests: one for each group of runs.
type Book struct{ lines strings.Builder }

// Line adds a line: a name and the digest of all answers that run passes to say.
func (b *Book) Line(name string, run func(say func(answers ...any))) (digest uint64) {
	h := fnv.New64a()
	run(func(answers ...any) { fmt.Fprintln(h, answers...) })
	fmt.Fprintf(&b.lines, "%-24s %016x\n", name, h.Sum64())
	return h.Sum64()
}

// Hold has write fill a book, and compares it with the file testdata/NAME.txt.
func Hold(t testing.TB, name string, write func(b *Book)) {
	t.Helper()
	var b Book
	write(&b)
	if !t.Failed() {
		golden.File(t, filepath.Join("testdata", name+".txt"), []byte(b.lines.String()))
	}
}

// A Planner is recorded with all techniques, without each, and with each of Params.
type Planner struct {
	Name  string
	Nodes int64
	// Scale is how many problems there are of each kind; 0 means 1.
	Scale int
	// Larger has problems beside the small ones.
	Larger []*model.Problem
	// Params has parameters as name=value.
	Params []string
	// Quiet has the settings whose answers may equal those of the default.
	Quiet []string
}

// Hold records the planner. Each setting must decide otherwise than the default at least once.
func (x Planner) Hold(t *testing.T) {
	t.Helper()
	planner, err := run.Lookup(x.Name)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(small(max(x.Scale, 1)), x.Larger)
	n := len(all)
	tls, asked, best, bounds := make([]*timeline.Timeline, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for k, p := range all {
		tls[k], best[k] = timeline.New(p), model.MaxSum
	}
	// ask asks three questions about each problem: for the lowest plan, for a plan as low as the first one that was found,
	// and for a plan that is at least one byte lower.
	ask := func(name string, o plan.Options, say func(...any)) {
		for k, tl := range tls {
			for below := int64(-1); below < 2; below++ {
				if o.Capacity = asked[k] - below; below < 0 {
					o.Capacity = 0
				} else if o.Capacity < 1 {
					continue
				}
				r, err := plantest.Try(t, context.Background(), planner, tl, o)
				if err != nil {
					say(err)
					continue
				}
				say(r.Status, r.Height, r.LowerBound, r.Stats.Nodes, r.Stats.Backtracks, r.Stats.Minor, r.Stats.Major, r.Offsets,
					r.Member, r.ProvedBy, r.Stopped, r.Enough)
				if bounds[k] = max(bounds[k], r.LowerBound); r.Status.HasPlan() {
					if best[k] = min(best[k], r.Height); asked[k] == 0 {
						asked[k] = r.Height
					}
				}
				if bounds[k] > best[k] {
					t.Fatalf("%s, %s: a plan has the height %d, and a bound is %d", name, tl.Problem.Name, best[k], bounds[k])
				}
			}
		}
	}
	Hold(t, "recorded", func(b *Book) {
		base := plan.Options{NodeLimit: x.Nodes, Seed: 5}
		usual := b.Line("all", func(say func(...any)) { ask("all", base, say) })
		differs := func(name string, o plan.Options) {
			if b.Line(name, func(say func(...any)) { ask(name, o, say) }) == usual && !slices.Contains(x.Quiet, name) {
				t.Errorf("%s decides as the default does", name)
			}
		}
		for _, technique := range planner.Info().Techniques {
			o := base
			o.Without = []string{technique.Name}
			differs("without "+technique.Name, o)
		}
		for _, param := range x.Params {
			name, value, _ := strings.Cut(param, "=")
			o := base
			o.Params = map[string]string{name: value}
			differs(param, o)
		}
	})
}

// small returns problems of all kinds that tests draw.
func small(scale int) (all []*model.Problem) {
	for k, kind := range drawn.DrawnKinds() {
		for s := range scale {
			all = append(all, drawn.Drawn(kind, uint64(100*s+k), 8, 20))
		}
	}
	for s := range uint64(8 * scale) {
		all = append(all, drawn.Wide(s), drawn.Awkward(s), drawn.Cut(s).Problem,
			plantest.RandomOf(rand.New(rand.NewPCG(s, 3)), 12, 8))
	}
	return all
}

// Rules returns problems with rules, by the kind of draw: each problems of every kind.
func Rules(each int) map[string][]*model.Problem {
	kinds := map[string]func(r *rand.Rand) *model.Problem{
		"ruled": drawn.Ruled, "banked": drawn.Banked, "evicted": drawn.Evicted, "pooled": drawn.Pooled,
		"one pool": drawn.OnePool, "loaded": drawn.Loaded,
		"crowd":   func(r *rand.Rand) *model.Problem { return drawn.Crowd(r, 9) },
		"spilled": func(r *rand.Rand) *model.Problem { return drawn.Spilled(r, 16) },
		"several": func(r *rand.Rand) *model.Problem { return drawn.Several(r, 12) },
		"tight":   func(r *rand.Rand) *model.Problem { return drawn.Tight(r, 12) },
	}
	for _, feature := range drawn.RuledFeatures {
		kinds["broad "+feature] = func(r *rand.Rand) *model.Problem { return drawn.Broad(r, feature) }
	}
	return draw(kinds, each)
}

// LargeRules is Rules with problems that are too large for brute force.
func LargeRules(each int) map[string][]*model.Problem {
	return draw(map[string]func(r *rand.Rand) *model.Problem{
		"crowd":     func(r *rand.Rand) *model.Problem { return drawn.Crowd(r, 24) },
		"spilled":   func(r *rand.Rand) *model.Problem { return drawn.Spilled(r, 40) },
		"several":   func(r *rand.Rand) *model.Problem { return drawn.Several(r, 30) },
		"tight":     func(r *rand.Rand) *model.Problem { return drawn.Tight(r, 24) },
		"penalties": func(r *rand.Rand) *model.Problem { return drawn.BroadOf(r, 14, "penalties", "capacity") },
		"distances": func(r *rand.Rand) *model.Problem { return drawn.BroadOf(r, 14, "distances", "pools") },
		"together":  func(r *rand.Rand) *model.Problem { return drawn.BroadOf(r, 14, "together", "reserved") },
		"clocks":    func(r *rand.Rand) *model.Problem { return drawn.BroadOf(r, 20, "clocks") },
		"period":    func(r *rand.Rand) *model.Problem { return drawn.BroadOf(r, 14, "period", "choice") },
		"objective": func(r *rand.Rand) *model.Problem { return drawn.BroadOf(r, 14, "objective", "costs") },
	}, each)
}

func draw(kinds map[string]func(r *rand.Rand) *model.Problem, each int) map[string][]*model.Problem {
	all := map[string][]*model.Problem{}
	for k, kind := range slices.Sorted(maps.Keys(kinds)) {
		for s := range each {
			all[kind] = append(all[kind], kinds[kind](rand.New(rand.NewPCG(uint64(s), uint64(k)))))
		}
	}
	return all
}
