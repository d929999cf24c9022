package source

import "github.com/stowage-go/stowage/model"

// Match puts the plan of the problem q, read from a file, into the order of the
// buffers of p, which it finds by their IDs. The error is a *model.InputError
// that lists the buffers that only one of the two has.
func Match(file string, q *model.Problem, offsets []int64, p *model.Problem) ([]int64, error) {
	var issues model.Issues
	index := make(map[string]int32, len(p.Buffers))
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = int32(i)
	}
	matched := make([]int64, len(p.Buffers))
	seen := make([]bool, len(p.Buffers))
	for k := range q.Buffers {
		name := q.Buffers[k].ID
		i, ok := index[name]
		if !ok {
			issues.Add(model.Issue{File: file, Buffer: Clip(name), Field: "id", Value: Clip(name), Message: "is not a buffer of the problem"})
			continue
		}
		matched[i], seen[i] = offsets[k], true
	}
	for i, ok := range seen {
		if !ok {
			issues.Add(model.Issue{File: file, Buffer: Clip(p.Buffers[i].ID), Message: "is not in the plan"})
		}
	}
	if err := issues.Err(); err != nil {
		return nil, err
	}
	return matched, nil
}
