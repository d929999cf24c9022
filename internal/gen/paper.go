package gen

import "github.com/stowage-go/stowage/model"

// The worked examples of the literature. Figure 1 of the TelaMalloc paper has no numbers, so it is left out.

// MiniMalloc returns the running example of the MiniMalloc paper (ASPLOS 2023,
// figure 2): 5 buffers whose lowest plan has the height 12, its capacity.
func MiniMalloc() *model.Problem {
	return &model.Problem{Name: "paper-minimalloc", Capacity: 12, Buffers: []model.Buffer{
		{ID: "b1", Lower: 0, Upper: 3, Size: 4},
		{ID: "b2", Lower: 3, Upper: 9, Size: 4},
		{ID: "b3", Lower: 0, Upper: 9, Size: 4},
		{ID: "b4", Lower: 9, Upper: 21, Size: 4},
		{ID: "b5", Lower: 0, Upper: 21, Size: 4},
	}}
}

// Wave returns the worked example of IREE Wave's page on shared memory allocation: first-fit by decreasing size gives
// the offsets 12, 28, 0, 33, 22, 0 and the height 37, which is the load. The page has inclusive ends.
func Wave() *model.Problem {
	p := &model.Problem{Name: "paper-wave"}
	for i, a := range [...]shape{{1, 5, 10}, {2, 6, 5}, {1, 3, 8}, {4, 7, 4}, {3, 8, 6}, {5, 9, 12}} {
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: string(rune('0' + i)), Lower: a.lower, Upper: a.upper + 1, Size: a.size})
	}
	return p
}
