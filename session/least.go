package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: if only a few buffers could move, every set of them can be asked about: is there a plan if these may move,
// and no others? The sets come in the order of their movement, so the first set with a plan moves least, and that is
// proven. The set of all comes first: if it has no plan, there is none.
//
// A block is what moves or stays as a whole: the buffers of one body that lie as if they were tied. If the ties of a
// body hold, it is one block. New ties may join buffers that lie apart. Then their body has several blocks, and at
// most one of them can stay.
//
// A block could move if a chain of buffers that may conflict leads from it to the buffers of the call.
//
// A set without a plan rules out all of its subsets. So most sets are never asked.
//
// Complexity: at most 2^leastMost questions of exact search, each about few buffers.

// leastMost is the largest number of blocks that could move for which all sets are asked. A question takes ten to
// thirty microseconds.
const leastMost = 7

// leastNodes limits each question, in nodes of exact search. Questions of so few buffers need some tens.
const leastNodes = 5_000

// A block is the buffers of one body that stay or move together. Buffers of the call are in none.
type block struct {
	body    int32
	members []int32
	moves   Movement
}

// blocksOf returns the blocks of a body.
func (c *call) blocksOf(body int32) (blocks []block) {
	before := c.before()
	for _, i := range c.members(body) {
		if c.mine[i] {
			continue
		}
		k := slices.IndexFunc(blocks, func(b block) bool {
			j := b.members[0]
			return before.in(i) == before.in(j) && c.old[i]-c.from(i) == c.old[j]-c.from(j)
		})
		if k < 0 {
			k = len(blocks)
			blocks = append(blocks, block{body: body})
		}
		blocks[k].members = append(blocks[k].members, i)
		blocks[k].moves.add(c.s.cost(i), &c.s.p.Buffers[i])
	}
	return blocks
}

// least is the step repair for few blocks.
func (c *call) least() (Answer, placing, error) {
	all, blocks := c.ground.chain(leastMost)
	if len(blocks) > leastMost {
		return Answer{}, placing{}, nil
	}
	exact, err := run.Lookup("exact")
	if err != nil {
		return Answer{}, placing{}, err
	}
	every := uint32(1)<<len(blocks) - 1
	best, err := c.mayMove(exact, all, blocks, every)
	if err != nil || best.status == model.Unknown {
		return Answer{}, placing{}, err
	}
	if best.status == model.Infeasible {
		return Answer{Status: best.status, Proof: best.proof}, placing{}, nil
	}
	proven := true
	var ruledOut []uint32
	moves := make([]Movement, len(blocks))
	for k := range blocks {
		moves[k] = blocks[k].moves
	}
	for _, set := range byMovement(moves) {
		if set == every {
			break
		}
		if c.watch.Over() {
			return Answer{}, placing{}, nil
		}
		if slices.ContainsFunc(ruledOut, func(no uint32) bool { return set&^no == 0 }) {
			continue
		}
		found, err := c.mayMove(exact, all, blocks, set)
		if err != nil {
			return Answer{}, placing{}, err
		}
		if found.plan.at != nil {
			best = found
			break
		}
		if found.status == model.Unknown {
			proven = false
			continue
		}
		ruledOut = append(ruledOut, set)
	}
	return Answer{Least: proven}, best.plan, nil
}

// byMovement returns all sets of what could move in the order of their movement.
func byMovement(moves []Movement) []uint32 {
	sets := make([]uint32, 1<<len(moves))
	sums := make([]Movement, len(sets))
	for set := range sets {
		sets[set] = uint32(set)
		for k := range moves {
			if set>>k&1 > 0 {
				sums[set].Cost = min(sums[set].Cost+moves[k].Cost, model.MaxSum)
				sums[set].Buffers += moves[k].Buffers
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b uint32) int { return sums[a].compare(&sums[b]) })
	return sets
}

// mayMove asks exact search for a plan of some buffers. Only those of the call and the blocks of a set may move.
func (c *call) mayMove(exact run.Planner, all []int32, blocks []block, set uint32) (reply, error) {
	held := make([]bool, len(c.at))
	stays := int32(away) // the last body that stays: blocks of one body come one after another
	for k, b := range blocks {
		if set>>k&1 > 0 {
			continue
		}
		i := b.members[0]
		if stays == b.body || !c.ground.mayLie(b.body, c.before().in(i), c.old[i]-c.from(i)) {
			return reply{status: model.Infeasible}, nil
		}
		stays = b.body
		for _, i := range b.members {
			held[i] = true
		}
	}
	return c.question(all, exact, leastNodes, held, nil)
}

// A reply is what a planner says of a question.
type reply struct {
	status model.Status
	plan   placing // empty if there is none
	proof  *Proof  // if there is no plan, and nothing was held
}

// question asks a planner for a plan of some buffers. Held buffers stay where they are, or were before the call. Then
// "no" is no proof for all. edit changes the problem, if it is not nil.
func (c *call) question(
	all []int32, planner run.Planner, nodes int64, held []bool, edit func(q *model.Problem),
) (reply, error) {
	q := c.ground.among(all)
	for k, i := range all {
		if held == nil || !held[i] {
			continue
		}
		from := c.now()
		if c.at[i] == away {
			from = c.before()
		}
		b := &q.Buffers[k]
		if b.Fixed = &from.at[i]; c.pool != nil {
			onlyIn(b, from.in(i))
		}
	}
	if edit != nil {
		edit(q)
	}
	r, err := c.ask(q, planner, false, nodes)
	said := reply{status: r.Status}
	switch {
	case err != nil:
	case r.Status == model.Infeasible && !slices.Contains(held, true):
		said.proof = c.ground.proof(q, &r, planner)
	case r.Status.HasPlan():
		said.plan = c.now().clone()
		for k, i := range all {
			if said.plan.at[i] = r.Offsets[k]; c.pool != nil {
				said.plan.pool[i] = r.PoolOf(k)
			}
		}
	}
	return said, err
}

// onlyIn allows a buffer of a question one pool.
func onlyIn(b *model.Buffer, pool int32) {
	x := copied(*b)
	setPools(&x, []int32{pool})
	b.Extra = x.Extra
}
