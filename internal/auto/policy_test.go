package auto

import (
	"context"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// names returns the members of a round in their order.
func (m members) names() string {
	var all []string
	for k, name := range []string{"tela", "merge", "exact", "rows", "beam", "climb"} {
		if m&(1<<k) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, " ")
}

// TestPolicy checks the table at the sizes around each of its limits.
func TestPolicy(t *testing.T) {
	all := settings{heuristics: true, merge: true, tela: true, exact: true, rows: true, beam: true, climb: true}
	without := func(switchOff func(*settings)) settings {
		s := all
		switchOff(&s)
		return s
	}
	noExact := without(func(s *settings) { s.exact = false })
	noBeam := without(func(s *settings) { s.beam = false })
	noClimb := without(func(s *settings) { s.climb = false })
	noSearch := without(func(s *settings) { s.exact, s.climb = false, false })
	for _, tc := range []struct {
		name         string
		s            settings
		n            int64
		packed       bool
		round        string
		peak, look   bool
		lowest, fits ending
	}{
		{"24 buffers", all, 24, false, "tela exact climb", false, true, oneRound, untilAnswer},
		{"47 buffers", all, 47, true, "tela exact climb", false, true, oneRound, untilAnswer},
		{"48 buffers", all, 48, false, "tela merge exact beam climb", false, true, oneRound, untilAnswer},
		{"3,000 buffers", all, 3000, false, "tela merge exact rows beam climb", true, true, oneRound, untilAnswer},
		{"4,097 buffers", all, 4097, false, "tela merge rows beam climb", true, false, oneRound, oneRound},
		{"8,193 buffers", all, 8193, false, "tela merge rows beam climb", true, false, peakIfClose, peakIfClose},
		{"16,385 buffers", all, 16385, false, "tela rows beam climb", true, false, peakIfClose, peakIfClose},
		{"16,385 buffers, a packing", all, 16385, true, "tela merge rows beam climb", true, false, peakIfClose, peakIfClose},
		{"131,073 buffers", all, 131073, true, "climb", false, false, peakOnly, peakOnly},
		{"3,000 without exact", noExact, 3000, false, "tela merge rows beam climb", true, false, oneRound, oneRound},
		{"9,000 without climb", noClimb, 9000, false, "tela merge exact rows beam", false, false, oneRound, untilAnswer},
		{"3,000 without beam", noBeam, 3000, false, "tela merge exact rows climb", true, true, oneRound, untilAnswer},
		{"3,000 without both", noSearch, 3000, false, "tela rows beam", false, false, oneRound, oneRound},
	} {
		c := tc.s.policy(tc.n, func() bool { return tc.packed })
		if c.round.names() != tc.round || c.peak != tc.peak || (c.exactLook.part > 0) != tc.look {
			t.Errorf("%s: round %q, peak %v, look of exact %v", tc.name, c.round.names(), c.peak, c.exactLook)
		}
		if c.ends(true, false) != tc.lowest || c.ends(false, false) != tc.fits {
			t.Errorf("%s: ends %d and %d", tc.name, c.lowest, c.fits)
		}
		if c.ends(true, true) != untilAnswer || c.ends(false, true) != untilAnswer {
			t.Errorf("%s: a limit does not let rounds go on", tc.name)
		}
	}
}

// TestClassesAscend holds the rows in ascending order, with no problem left out.
func TestClassesAscend(t *testing.T) {
	for k := 1; k < len(classes); k++ {
		if classes[k].upTo <= classes[k-1].upTo {
			t.Errorf("row %d ends at %d, the one before at %d", k, classes[k].upTo, classes[k-1].upTo)
		}
	}
	if last := classes[len(classes)-1].upTo; last != 1<<63-1 {
		t.Errorf("the last row ends at %d", last)
	}
}

// TestTurns follows the turns of a run: they add up to the result, and the run is the same as without.
func TestTurns(t *testing.T) {
	rounds := 0
	for seed := range uint64(12) {
		tl := hard(t, seed)
		var turns []plan.Turn
		o := plan.Options{NodeLimit: 4000, Without: []string{"merge"}, Turns: func(t plan.Turn) { turns = append(turns, t) }}
		r := planned(t, "auto", context.Background(), tl, o)
		o.Turns = nil
		quiet := planned(t, "auto", context.Background(), tl, o)
		if r.Height != quiet.Height || r.Stats.Nodes != quiet.Stats.Nodes || r.ProvedBy != quiet.ProvedBy {
			t.Fatalf("seed %d: %+v with turns, %+v without", seed, r.Stats, quiet.Stats)
		}
		nodes, before := int64(0), plan.Turn{Height: 1 << 62}
		for _, turn := range turns {
			if turn.Height > before.Height || turn.LowerBound < before.LowerBound || turn.Round < before.Round {
				t.Fatalf("seed %d: from %+v to %+v", seed, before, turn)
			}
			nodes, before = nodes+turn.Nodes, turn
			rounds = max(rounds, turn.Round)
		}
		if before.Height != r.Height || before.Member != r.Member || nodes != r.Stats.Nodes ||
			before.LowerBound > r.LowerBound {
			t.Fatalf("seed %d: the turns end at %+v with %d nodes, the result is %+v", seed, before, nodes, r)
		}
	}
	if rounds == 0 {
		t.Error("no problem came to a round")
	}
}

// TestProvedBy names who proved: the bound alone, or the member that searched.
func TestProvedBy(t *testing.T) {
	if r := planned(t, "auto", context.Background(), timeline.New(gen.Wave()), plan.Options{}); r.ProvedBy != "bound" {
		t.Errorf("proved by %q, want the bound", r.ProvedBy)
	}
	exact := 0
	for seed := range uint64(10) {
		in := generate(t, "infeasible", gen.Options{Seed: seed, Buffers: int(thresholds.LadderMost)})
		r := planned(t, "auto", context.Background(), timeline.New(in.Problem),
			plan.Options{Capacity: in.Problem.Capacity, NodeLimit: 20_000})
		if r.Status == model.Infeasible && r.ProvedBy == "exact" {
			exact++
		} else if (r.ProvedBy != "") != (r.Status == model.Infeasible) {
			t.Errorf("seed %d: %s, proved by %q", seed, r.Status, r.ProvedBy)
		}
	}
	if exact == 0 {
		t.Error("exact search proved none")
	}
}
