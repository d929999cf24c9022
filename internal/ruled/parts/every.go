package parts

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: a search that decides on evictions one by one needs all parts that any set of evictions leaves, with the rules
// between them. Let a buffer have k evictions. They cut its life at k places, so a part begins with the life or after
// one of them, and ends before a later one or with the life:
//
//	(k + 1) · (k + 2) / 2 parts
//
// Invariant: a plan of p is a choice of parts, with places that keep the rules between the chosen parts. The chosen
// parts of a buffer, with the evictions between them, make up its life.
//
// Complexity: as in parts.go.

// Stretches are the parts of all sets of evictions. They are one problem, but a plan of p has only some of them.
type Stretches struct {
	Problem *model.Problem
	Buffer  []int32 // of each part, its buffer
	First   []int32 // of each buffer, its first part; one more for the end
	From    []int64 // of each part, where it begins in the life of its buffer
}

// Every returns the parts of each buffer: those that begin first come first, and of these the shortest.
func Every(p *model.Problem) *Stretches {
	q := empty(p)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		q.first = append(q.first, int32(len(q.Problem.Buffers)))
		all := evictionsOf(b)
		for begin := 0; begin <= len(all); begin++ {
			lower := b.Lower
			if begin > 0 {
				lower = all[begin-1].Upper
			}
			for end := begin; end < len(all); end++ {
				q.add(p, i, lower, all[end].Lower)
			}
			q.add(p, i, lower, b.Upper)
		}
	}
	q.first = append(q.first, int32(len(q.Problem.Buffers)))
	q.rules(q.Problem.Rules)
	return &Stretches{q.Problem, q.Of, q.first, q.from}
}

// Valid reports whether the parts are a valid problem. They are not if their sizes or costs add up to too much.
func (s *Stretches) Valid() bool {
	named := *s.Problem
	named.Buffers = slices.Clone(named.Buffers)
	for k := range named.Buffers {
		named.Buffers[k].ID = strconv.Itoa(k) // parts of one buffer have its ID
	}
	return model.Validate(&named) == nil
}
