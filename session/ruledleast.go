package session

import (
	"slices"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/model"
)

// Idea: least.go with rules. What may move or stay is a block: the buffers of one body that lie as if they were tied. If
// the ties of a body hold, it is one block. New ties may join buffers that lie apart. Then their body has several blocks, and at most one
// of them can stay. Every set of blocks is asked about, in the order of its movement: may these move, and no others?
//
// Which blocks could move: those tied to the call by a chain of conflicts. A body with a pin has none, and ends the chain.
//
// Invariant: a buffer outside of the chain never needs to move, so the first set that has a plan moves least.
//
// Complexity: at most 2^leastMost questions of exact search.

// A block is the buffers of one body that stay or move together. Buffers of the call are in none.
type block struct {
	body    int32
	members []int32
	moves   Movement
}

// chain returns the buffers that could be in the way of those to place, ascending, and the blocks among them.
func (c *ruling) chain() (all []int, blocks []block) {
	in := make([]bool, len(c.at))
	var queue []int32
	join := func(body int32) {
		for _, i := range c.members(body) {
			in[i] = true
			queue = append(queue, i)
		}
	}
	for _, body := range c.homeless {
		join(body)
	}
	for k := 0; k < len(queue); k++ {
		i := queue[k]
		if _, pinned := c.pinned(c.of(i)); pinned && !slices.Contains(c.homeless, c.of(i)) {
			continue
		}
		for j := range in {
			if !in[j] && c.conflicts.Conflict(int(i), j) {
				join(c.of(int32(j)))
			}
		}
	}
	for k := range in {
		if !in[k] {
			continue
		}
		all = append(all, k)
		if body := c.of(int32(k)); int(body) == k {
			if _, pinned := c.pinned(body); !pinned {
				blocks = append(blocks, c.blocksOf(body)...)
			}
		}
	}
	return all, blocks
}

// blocksOf returns the blocks of a body.
func (c *ruling) blocksOf(body int32) (blocks []block) {
	for _, i := range c.members(body) {
		if c.mine[i] {
			continue
		}
		k := slices.IndexFunc(blocks, func(b block) bool {
			j := b.members[0]
			return c.oldPool[i] == c.oldPool[j] && c.old[i]-c.from(i) == c.old[j]-c.from(j)
		})
		if k < 0 {
			k = len(blocks)
			blocks = append(blocks, block{body: body})
		}
		blocks[k].members = append(blocks[k].members, i)
		blocks[k].moves.add(c.s.o.cost(&c.p.Buffers[i]), &c.p.Buffers[i])
	}
	return blocks
}

// least is the step repair for few blocks.
func (c *ruling) least() (Answer, *placing, error) {
	all, blocks := c.chain()
	if len(blocks) > leastMost {
		return Answer{}, nil, nil
	}
	every := uint32(1)<<len(blocks) - 1
	p, status, proof, err := c.mayMove(all, blocks, every)
	if err != nil || status == model.Unknown {
		return Answer{}, nil, err
	}
	if status == model.Infeasible {
		return Answer{Status: model.Infeasible, Proof: proof}, nil, nil
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
			return Answer{}, nil, nil
		}
		if slices.ContainsFunc(ruledOut, func(no uint32) bool { return set&^no == 0 }) {
			continue
		}
		found, status, _, err := c.mayMove(all, blocks, set)
		if err != nil {
			return Answer{}, nil, err
		}
		if found != nil {
			p = found
			break
		}
		if status == model.Unknown {
			proven = false
			continue
		}
		ruledOut = append(ruledOut, set)
	}
	return Answer{Least: proven}, p, nil
}

// mayMove asks exact search for a plan of some buffers. Only those of the call and the blocks of a set may move.
func (c *ruling) mayMove(all []int, blocks []block, set uint32) (*placing, model.Status, *Proof, error) {
	held := make(map[int32]bool)
	stays := make(map[int32]bool) // bodies
	for k, b := range blocks {
		if set>>k&1 > 0 {
			continue
		}
		if pool, origin := c.oldPool[b.members[0]], c.old[b.members[0]]-c.from(b.members[0]); stays[b.body] || !c.mayLie(b.body, pool, origin) {
			return nil, model.Infeasible, nil, nil
		}
		stays[b.body] = true
		for _, i := range b.members {
			held[i] = true
		}
	}
	exact, err := run.Lookup("exact")
	if err != nil {
		return nil, model.Unknown, nil, err
	}
	return c.question(all, exact, leastNodes, func(i int32) bool { return held[i] }, nil)
}

// question asks a planner for a plan of some buffers. Those that are held stay where they were: then there is no proof. edit changes the problem, if it is not nil.
func (c *ruling) question(all []int, planner run.Planner, nodes int64, held func(i int32) bool, edit func(q *model.Problem)) (*placing, model.Status, *Proof, error) {
	q := model.Among(c.p, all)
	for k, i := range all {
		b := &q.Buffers[k]
		if !held(int32(i)) {
			continue
		}
		if b.Fixed = &c.old[i]; len(c.p.Rules.Pools) > 1 {
			x := model.Extra{}
			if b.Extra != nil {
				x = *b.Extra
			}
			x.Pools = []int32{c.oldPool[i]}
			b.Extra = &x
		}
	}
	if edit != nil {
		edit(q)
	}
	r, err := c.ask(q, planner, false, nodes)
	if err != nil || !r.Status.HasPlan() {
		var proof *Proof
		if err == nil && r.Status == model.Infeasible && !slices.ContainsFunc(all, func(i int) bool { return held(int32(i)) }) {
			proof = c.proof(q, &r, planner)
		}
		return nil, r.Status, proof, err
	}
	p := &placing{slices.Clone(c.at), slices.Clone(c.pool)}
	for k, i := range all {
		p.at[i], p.pool[i] = r.Offsets[k], r.PoolOf(k)
	}
	return p, r.Status, nil, nil
}
