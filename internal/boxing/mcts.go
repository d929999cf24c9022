package boxing

import (
	"math"
	"math/rand/v2"
)

// Idea: the choices of a try are moves of a game for one player, and its score
// is the height of the plan. The first choices are those of the first, largest
// class and of the outermost splits, and decide most. So keep a tree of them:
// a node is the choices so far, a child one more. Each try walks down by the
// upper confidence bound (UCT), adds one node where it leaves the tree, goes on
// at random, and leaves its score in the nodes it came through.
//
// A choice is among up to 2k points; a tree so wide is never revisited. So a
// node has at most branches children, each a stretch of the points; the point
// is the middle of the stretch where the tree decides, and any below it.
//
// Invariant: a try's choices up to where it leaves the tree are a function of
// its path, so a node always stands for the same boxes.
//
// Complexity: one node a try; UCT takes O(branches) a level.
//
// Source: planned by idealloc's authors (CONVOLVE D5.5, section 4.4); Browne et
// al., "A Survey of Monte Carlo Tree Search Methods", 2012.
//
// Tries are not cut off here: the tree learns from the higher plans too.

const (
	branches    = 6   // children of a node
	exploration = 0.5 // weight of the confidence term; scores lie in [0, 1]
)

type treeNode struct {
	child [branches]int32 // 0 where there is none yet
	tries int32
	score float64 // sum
}

// tree is a chooser that learns.
type tree struct {
	seed   uint64
	pcg    *rand.PCG
	rng    *rand.Rand
	nodes  []treeNode // nodes[0] is the root
	path   []int32
	inside bool // the try has not left the tree
	// Scores are relative to the lowest and the highest plan so far.
	least, most int64
}

func newTree(seed uint64) *tree {
	t := &tree{seed: seed, pcg: rand.NewPCG(0, 0), nodes: make([]treeNode, 1), least: math.MaxInt64}
	t.rng = rand.New(t.pcg)
	return t
}

func (t *tree) begin(k uint64) {
	t.pcg.Seed(t.seed, k)
	t.path = append(t.path[:0], 0)
	t.inside = true
}

func (t *tree) choose(n int) int {
	if !t.inside {
		return t.rng.IntN(n)
	}
	at := t.path[len(t.path)-1]
	width := min(n, branches)
	node := &t.nodes[at]
	pick, best := 0, math.Inf(-1)
	free := 0
	for c := range width {
		if node.child[c] == 0 {
			// Untried children come first, one of them at random.
			if free++; t.rng.IntN(free) == 0 {
				pick = c
			}
			continue
		}
		if free > 0 {
			continue
		}
		child := &t.nodes[node.child[c]]
		tries := float64(child.tries)
		if v := child.score/tries + exploration*math.Sqrt(math.Log(float64(node.tries+1))/tries); v > best {
			pick, best = c, v
		}
	}
	if free > 0 {
		t.inside = false
		t.nodes = append(t.nodes, treeNode{})
		t.nodes[at].child[pick] = int32(len(t.nodes) - 1)
	}
	t.path = append(t.path, t.nodes[at].child[pick])
	from, to := pick*n/width, (pick+1)*n/width
	return (from + to) / 2
}

// end scores the path: 1 for the lowest plan so far, 0 for the highest.
func (t *tree) end(height int64) {
	t.least, t.most = min(t.least, height), max(t.most, height)
	score := 1.0
	if t.most > t.least {
		score = float64(t.most-height) / float64(t.most-t.least)
	}
	for _, k := range t.path {
		t.nodes[k].tries++
		t.nodes[k].score += score
	}
}
