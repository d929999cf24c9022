package boxing

import (
	"math"
	"math/rand/v2"
)

// Idea: the choices of a try are moves of a game for one player, and the score is the height of the plan. The first
// choices are about the largest class and the outermost splits, and decide most. So a tree keeps them: a node is a
// sequence of choices, and a child adds one. Each try walks down the tree by the upper confidence bound (UCT), adds a
// node where it leaves the tree, goes on at random, and adds its score to the nodes on its way.
//
// A choice is among up to 2k points. Tries would hardly ever meet again in so wide a tree. So a node has at most
// branches children, each for a stretch of the points. If the tree decides, the choice is the middle of the stretch.
//
// A try has hundreds of choices and the tree decides on the first few. Below the tree, plain random choices are no
// better than restarts. So there a try repeats the choice of the best try at the same turn, three times in four. That
// choice is kept as a fraction of the points, since their number may differ.
//
// Invariant: a try's choices up to where it leaves the tree are a function of
// its path, so a node always stands for the same boxes.
//
// Complexity: one node a try; UCT takes O(branches) a level.
//
// Source: planned by idealloc's authors (CONVOLVE D5.5, section 4.4); Browne et
// al., "A Survey of Monte Carlo Tree Search Methods", 2012.
//
// Following the best try is from Rosin, "Nested Rollout Policy Adaptation", 2011, with a policy of one sequence. A
// child is worth the mean of its average and its best score, as in one-player games (Schadd et al., 2008).
//
// Tries are never cut off, because the tree learns from higher plans too.
//
// Trials: docs/lab/planners.md (the tree alone wins as often as it loses; following the best try makes it win).

const (
	branches    = 6   // children of a node
	exploration = 0.2 // weight of the confidence term; scores lie in [0, 1]
	follow      = 75  // percent of the choices below the tree that follow the best try
)

type treeNode struct {
	child [branches]int32 // 0 if there is none yet
	tries int32
	score float64 // sum
	best  float64 // largest
}

// tree is a chooser that learns.
type tree struct {
	seed   uint64
	pcg    *rand.PCG
	rng    *rand.Rand
	nodes  []treeNode // nodes[0] is the root
	path   []int32
	follow int       // percent
	drawn  []float64 // the choices of the try, as fractions
	model  []float64 // those of the best try
	inside bool      // the try has not left the tree
	// Scores are relative to the lowest and the highest plan so far.
	least, most int64
}

func newTree(seed uint64, follow int) *tree {
	t := &tree{seed: seed, follow: follow, pcg: rand.NewPCG(0, 0), nodes: make([]treeNode, 1), least: math.MaxInt64}
	t.rng = rand.New(t.pcg)
	return t
}

func (t *tree) begin(k uint64) {
	t.pcg.Seed(t.seed, k)
	t.path = append(t.path[:0], 0)
	t.drawn = t.drawn[:0]
	t.inside = true
}

func (t *tree) choose(n int) int {
	if !t.inside {
		k := t.rng.IntN(n)
		if d := len(t.drawn); d < len(t.model) && t.rng.IntN(100) < t.follow {
			k = int(t.model[d] * float64(n))
		}
		t.drawn = append(t.drawn, (float64(k)+0.5)/float64(n))
		return k
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
		if v := (child.score/tries+child.best)/2 + exploration*math.Sqrt(math.Log(float64(node.tries+1))/tries); v > best {
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
	t.drawn = append(t.drawn, (float64((from+to)/2)+0.5)/float64(n))
	return (from + to) / 2
}

// end scores the path: 1 for the lowest plan so far, 0 for the highest.
func (t *tree) end(height int64) {
	if height <= t.least {
		t.model = append(t.model[:0], t.drawn...)
	}
	t.least, t.most = min(t.least, height), max(t.most, height)
	score := 1.0
	if t.most > t.least {
		score = float64(t.most-height) / float64(t.most-t.least)
	}
	for _, k := range t.path {
		t.nodes[k].tries++
		t.nodes[k].score += score
		t.nodes[k].best = max(t.nodes[k].best, score)
	}
}
