// Package render has what the pictures of a plan share: what to draw. The
// writers are in the packages beneath, one for each medium: svg, tikz and html,
// and chart for comparisons of planners.
package render

// Options say what to draw. The zero value draws all that there is room for.
type Options struct {
	// Title is the heading; empty means the problem's name.
	Title string
	// Width and Height are the size of the whole picture, in the unit of the
	// medium and within its limits; 0 means its default. They fix how much
	// detail there is.
	Width, Height int
	// Capacity is where the capacity line goes, in the unit of the sizes;
	// 0 means the problem's own, which may be none.
	Capacity int64
	// LowerBound is a height that no plan can be under, where one higher than
	// the peak load is known; 0 means none. The gap is taken from it.
	LowerBound int64
	// HideLabels leaves the IDs out of the rectangles.
	HideLabels bool
	// Warning says what is wrong with the plan, in place of what the picture
	// finds itself, where the caller knows more: that it is over a capacity, or
	// that its file claims a false height. The plan is then marked as invalid,
	// whether it breaks a rule or not.
	Warning string
	// Conflict are buffers that cannot fit the capacity together, by their place in the
	// problem. They are painted in the colour of what breaks a rule, over a plan that is
	// above the capacity; Warning says why nothing fits.
	Conflict []int
}
