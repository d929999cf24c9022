package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// Idea: if each way plays its own changes, their times are not comparable: a way that gives up a change does not have
// that buffer later, so its later changes are easier. Here one way plays, and all ways are asked about each of its
// changes. For that a session is opened with the buffers, pins and offsets of the moment before, makes the change,
// and is thrown away. Opening is not timed. The way that plays is asked, too, as "session, opened". The difference
// from the row "session" is the gain or loss of one long session.
//
// A way that gives up early is fast. So the fresh ways can be asked with several node limits. That shows the time in
// which they decide as much as another way.
//
// Invariant: questions leave no trace in the session that plays. The states still follow from the plans of the way
// that plays, and may suit it or not. So each way should play once.
//
// Small times are larger than in the default mode, since the questions leave cold caches and garbage. On a machine
// with other work pose_landmark_full has a median of 14 µs instead of 6 µs, and a 95th percentile of 162 µs instead
// of 53 µs. Tried and dropped: a garbage collection before each call. It makes the caches colder still.

// gamesOf returns the games: in each, the first way plays and the others are asked. which names the ways that play
// or, with -same, those that are asked. If it is empty, all are meant.
func gamesOf(c settings, which []string) (games [][]way, err error) {
	chosen := func(w way) bool { return len(which) == 0 || slices.Contains(which, w.name) }
	for _, w := range ways {
		if c.same == "" && chosen(w) {
			games = append(games, []way{w})
		}
	}
	if c.same == "" {
		return games, nil
	}
	at := slices.IndexFunc(ways, func(w way) bool { return w.name == c.same && !w.open })
	if at < 0 {
		return nil, fmt.Errorf("no way with a capacity is named %q", c.same)
	}
	game := []way{ways[at]}
	for k, w := range ways {
		if w.open || !chosen(w) {
			continue
		}
		name := w.name
		if k == at {
			name += ", opened"
		}
		w.name = name
		if len(c.others) == 0 || w.without == nil {
			game = append(game, w)
			continue
		}
		for _, nodes := range c.others {
			w.name, w.nodes = fmt.Sprintf("%s, %d nodes", name, nodes), nodes
			game = append(game, w)
		}
	}
	return [][]way{game}, nil
}

// ask opens a session with a plan, and makes a change of it.
func ask(ctx context.Context, p *model.Problem, plan *model.Plan, op *trace.Op, o session.Options) (outcome, error) {
	s, err := session.OpenPlan(ctx, p, plan, o)
	if err != nil {
		return outcome{}, err
	}
	x, _, err := timed(ctx, session.NewPlayer(s), op, p.Capacity)
	return x, err
}

// contradict reports whether one answer is a plan and the other a proof that there is none.
func contradict(a, b model.Status) bool {
	return a != model.Unknown && b != model.Unknown && a.HasPlan() != b.HasPlan()
}

// A comparison is a table of the way that plays beside each other way: on the changes that both decide, that one
// decides, and that neither decides.
type comparison struct {
	text strings.Builder
	all  [][]outcome // of the instances since the last total
	n    int         // instances since then
}

const compareHead = "\n| instance | first | second | decided by | changes " +
	"| first: moved | median | 95th | sum | second: moved | median | 95th | sum |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"

// add adds an instance. outcomes has the outcomes of each way of a game, in the order of the changes.
func (c *comparison) add(name string, g []way, outcomes [][]outcome) {
	c.n++
	if c.all == nil {
		c.all = make([][]outcome, len(g))
	}
	for k := range g {
		c.all[k] = append(c.all[k], outcomes[k]...)
		if k > 0 {
			c.lines(name, g[0].name, g[k].name, outcomes[0], outcomes[k])
		}
	}
}

// lines compares two ways.
func (c *comparison) lines(name, first, second string, a, b []outcome) {
	for k, decided := range []string{"none", "first", "second", "both"} {
		var x, y []outcome
		for i := range a {
			if btoi(a[i].Status != model.Unknown)+2*btoi(b[i].Status != model.Unknown) == k {
				x, y = append(x, a[i]), append(y, b[i])
			}
		}
		if len(x) == 0 {
			continue
		}
		fmt.Fprintf(&c.text, "| %s | %s | %s | %s | %d |", name, first, second, decided, len(x))
		for _, r := range []row{tally(name, first, x), tally(name, second, y)} {
			fmt.Fprintf(&c.text, " %s | %s | %s | %s |", share(r.moved), short(r.median), short(r.late), short(r.sum))
		}
		fmt.Fprintln(&c.text)
	}
}

// total adds the changes of all instances since the last one.
func (c *comparison) total(folder string, g []way) {
	if c.n > 1 {
		for k := 1; k < len(g); k++ {
			c.lines(fmt.Sprintf("**%s**, all %d", folder, c.n), g[0].name, g[k].name, c.all[0], c.all[k])
		}
	}
	c.all, c.n = nil, 0
}
