package graph

// A Value is a block of bytes that an operator makes, or that is there before the first one runs.
type Value struct {
	// Name names the value in files and messages. Every value must have one, and no two the same.
	Name string
	// Size is the number of bytes, 0 or more. A value without bytes gets the offset 0.
	Size int64
	// Alignment: the offset must be a multiple of it. 0 and 1 both mean no constraint.
	Alignment int64
	// Constant values, such as weights, lie elsewhere: they get no offset and take no memory.
	Constant bool
	// Fixed is the only offset in bytes that the value may have; nil for any offset.
	Fixed *int64
	// Lines is how many lines of the same size the value has, one behind the other, such as the rows of an image; 0 if
	// nothing is known of lines.
	Lines int
}

// planned reports whether the value takes memory.
func (v *Value) planned() bool { return !v.Constant && v.Size > 0 }

// A Permit lets a result of an operator lie over an operand that dies there: an operand that no later operator reads,
// and that is no output of the graph. If the operand lives on, the permit has no effect. A pair of one result and one
// operand may have several permits; any one of them is then enough.
//
// Permits are about pairs: a result with permits for two operands may lie over both.
type Permit struct {
	// Result and Operand are values of the operator, as indices into Graph.Values.
	Result, Operand int
	// Distance in bytes: the pair may overlap if offset(operand) - offset(result) is at least this. 0 is in place: the
	// result starts where the operand does, or below. With the size of the result or more, the permit permits nothing.
	// A negative distance lets the result start above the operand's start, as where an operator has read far ahead
	// before it writes. With minus the size of the operand or less, any place is permitted.
	Distance int64
	// Exactly permits only this Distance: the operand is already where the result wants it, and its bytes stay. With
	// 0 that is a reshape that copies nothing. Other distances, which may be negative, are for a concatenation or a
	// split. The permit has no effect if the two share no bytes at the distance.
	Exactly bool
}

// An Operator reads its operands and makes its results. All of them take memory while it runs.
type Operator struct {
	// Name names the operator in files and messages. Every operator must have one, and no two the same.
	Name string
	// Operands and Results are indices into Graph.Values. An operand may stand twice. A result
	// that nobody reads takes memory while the operator runs, and not afterwards.
	Operands, Results []int
	// Scratch is the number of bytes that the operator needs only while it runs; 0 for none. Scratch lies apart from
	// all else. Several blocks, or scratch with permits, are results that nobody reads.
	Scratch int64
	// ScratchAlignment: the offset of the scratch must be a multiple of it. 0 and 1 both mean no constraint.
	ScratchAlignment int64
	// After has operators that must run before this one, besides those that make its operands.
	After []int
	// Permits says which results may lie over which operands.
	Permits []Permit
	// Reads says which lines of operands the operator reads for a line of its results. With one it may be called for some
	// lines at a time, so that it can be part of a chain in strips (Options.Strips). Without one it runs as a whole.
	Reads []Read
	// Work is the arithmetic of the operator, such as its multiply-accumulates, in the same unit for all operators. It is
	// for lines that are computed twice in strips. 0 means the bytes of its results.
	Work int64
}

// A Graph is a program without branches: each operator runs once. A loop or a branch is one operator here.
type Graph struct {
	// Name says where the graph comes from, for messages and pictures. It may be empty.
	Name string
	// Values are what lies in memory. Their order decides nothing but ties.
	Values []Value
	// Operators may stand in any order. If the order is to be kept, each must stand behind those that it needs.
	Operators []Operator
	// Inputs are there before the first operator runs: no operator makes them. Outputs stay after the last. A value
	// that is both, such as a variable, takes memory all the time, and no result lies over it.
	Inputs, Outputs []int
}
