package beam

import "math"

// Idea: which buffer comes back first decides how soon ejections come to rest. By area those come first that take most
// memory. Where the load differs over time, memory is not worth the same at all moments, so what counts is
//
//	size × (sum over the sections of size × (load / highest load)^crowding), the largest first
//
// A section that is 3% free counts about 0.4, one that is 10% free 0.03. So the fullest sections are arranged first,
// with what else lives there, and the others have room for what is left. Size counts twice, for a large buffer needs
// one hole.
//
// Complexity: a step for each section of each buffer, once for a problem.
//
// Source: this project. Most constrained first is a usual order of search.
//
// Trials: docs/lab/merge.md (other powers).

const crowding = 32

// scarcity returns how much each buffer takes of what is scarce.
func (e *ejection) scarcity() func(k int32) float64 {
	var load []float64
	highest := 0.0
	for q, k := range e.whose {
		for len(load) < int(e.closes[q]) {
			load = append(load, 0)
		}
		for s := e.opens[q]; s < e.closes[q]; s++ {
			load[s] += float64(e.size[k])
			highest = max(highest, load[s])
		}
	}
	sums := make([]float64, len(load)+1)
	for s, l := range load {
		sums[s+1] = sums[s] + math.Pow(l/highest, crowding)
	}
	return func(k int32) float64 {
		sum := 0.0
		for q := e.of[k]; q < e.of[k+1]; q++ {
			sum += sums[e.closes[q]] - sums[e.opens[q]]
		}
		return float64(e.size[k]) * float64(e.size[k]) * sum
	}
}
