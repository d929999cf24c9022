// Package render has the options that all pictures of a plan share. The packages svg, tikz and html below, and
// print/png and print/pdf of the command's module, draw the pictures.
package render

import "github.com/stowage-go/stowage/model"

// Options say what to draw. The zero value draws everything that there is room for.
type Options struct {
	// Title is the heading; empty means the problem's name.
	Title string
	// Width and Height are the size of the whole picture, in the unit of the medium
	// and within its limits; 0 means its default. A larger picture shows more detail.
	Width, Height int
	// Capacity is the height of the capacity line, in bytes; 0 means the problem's
	// capacity. If that is 0 too, there is no line.
	Capacity int64
	// LowerBound is a proven bound in bytes: no plan is lower. Set it if you know a bound above the peak load; 0 means
	// none. The gap in the picture is that between height and bound.
	LowerBound int64
	// HideLabels leaves the IDs out of the rectangles.
	HideLabels bool
	// Warning says what is wrong with the plan; empty means that the picture says what it finds itself. Set it if you
	// know more: that the plan is above a capacity, or that its file claims a false height. The plan is then marked as
	// invalid, even if it breaks no rule.
	Warning string
	// Conflict has buffers that cannot fit the capacity together, as indices into Problem.Buffers. They are drawn in
	// the colour of faults, in a plan that is above the capacity. Warning then says why nothing fits.
	Conflict []int
	// Overlaps are results that lie over operands on purpose. What the two share is hatched while their operator runs.
	Overlaps []Overlap
	// Pools has the pool of each buffer, as in model.Plan, if the problem has rules; nil if it has one pool.
	Pools []int32
	// Parts has the buffers that are evicted, as in model.Plan.
	Parts []model.Parts
}

// An Overlap is a result that an operator writes over one of its operands.
type Overlap struct {
	Result, Operand int   // indices into Problem.Buffers
	Lower, Upper    int64 // the time of the operator, half-open
}
