// Package graph plans a program: operators with operands, results and permissions in, an order, overlaps and offsets
// out. It is for compilers that know which operator may write over its operands.
//
//	g := &graph.Graph{
//		Values: []graph.Value{{Name: "x", Size: 64}, {Name: "y", Size: 64}, {Name: "z", Size: 16}},
//		Operators: []graph.Operator{
//			{Name: "relu", Operands: []int{0}, Results: []int{1}, Permits: []graph.Permit{{Result: 1, Operand: 0}}},
//			{Name: "pool", Operands: []int{1}, Results: []int{2}},
//		},
//		Inputs: []int{0}, Outputs: []int{2},
//	}
//	p, err := graph.Make(ctx, g, graph.Options{Solve: stowage.Solve})
//
// A value takes memory from the operator that makes it to the last operator that reads it. Inputs are there before
// the first operator runs. Outputs stay to the end. Two values that take memory at once lie apart, except for a
// permitted pair.
//
// A permit is for a result y and an operand x of one operator. It counts if x dies there: no later operator reads x,
// and x is no output. Then y may lie over x if
//
//	offset(x) - offset(y) >= Distance
//
// An element-wise operator reads each element before it writes the same one, so it permits the distance 0. A
// convolution needs more: the most bytes by which its writing is ahead of its reading. A concatenation may permit
// exactly the distance at which there is nothing to copy. A wrong permit makes a wrong program: only the author of
// the operator's code can know what it allows.
//
// An operator may say which lines of its operands it reads for a line of its results (Read). With Options.Strips, chains
// of such operators run in strips, so that what lies between them is never there as a whole.
//
// Each step is also available by itself. Validate checks a graph. Lower turns a graph and an order into a problem
// that every planner takes. Verify checks a plan by replaying the operators, and shares no code with Lower.
//
// The package imports no planner, so that readers of files can fill a Graph. Options.Solve
// brings one: usually stowage.Solve.
package graph
