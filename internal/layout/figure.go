package layout

// A Figure is a picture in page units: x to the right, y down from the top
// left corner. The writers draw its parts in the order of the fields.
type Figure struct {
	Width, Height float64
	Description   string // the heading and the facts, for readers who cannot see
	Plot          Rect   // the area between the axes
	Bands         []Rect // the part of the plot that is over the capacity
	Grid          []Line
	Areas         []Area  // filled outlines of a profile
	Fills         []Fill  // pieces too many or too small for an element each
	Shapes        []Shape // buffers, one each, in the order of the problem
	Hatch         []Line  // over what results share with operands on purpose
	Clashes       []Rect  // where two buffers use the same bytes at once
	Lines         []Line  // axes, marks and their leaders
	Swatches      []Shape
	Texts         []Text
}

// A Rect spans from its left top (X0, Y0) to its right bottom (X1, Y1).
type Rect struct{ X0, Y0, X1, Y1 float64 }

// Point is a corner of an Area.
type Point struct{ X, Y float64 }

// A Shape is a buffer: one rectangle for each piece of it that is drawn.
type Shape struct {
	Colour   int    // index into Palette
	Stroke   Stroke // by the size of the largest rectangle
	Fixed    bool   // the offset is prescribed
	Broken   bool   // breaks a rule of the plan, or is in conflict
	Conflict bool   // cannot fit the capacity with the others that are marked so
	Rects    []Rect // where the buffer is in use whole
	Parts    []Rect // where only a window of it is in use
	Tip      string // ID and figures; empty for none
	Group    bool   // a swatch for the colour of a group
}

// Stroke is the weight of an outline.
type Stroke uint8

// Outlines get lighter with the rectangle, so that they never hide the fill.
const (
	NoStroke Stroke = iota
	ThinStroke
	FullStroke
)

// A Fill is a set of rectangles of one colour without outlines.
type Fill struct {
	Colour int  // index into Palette
	Faint  bool // less than half of the area is in use
	Rects  []Rect
}

// An Area is a closed outline over the base of the plot.
type Area struct {
	Over   bool // the part above the capacity
	Points []Point
}

// LineStyle says what a line stands for.
type LineStyle uint8

// The line styles.
const (
	GridLine LineStyle = iota
	AxisLine
	LeaderLine
	CapacityLine
	HeightLine
	BoundLine
	LoadLine
	TogetherLine // between buffers that a rule ties
	ApartLine    // between buffers that share no byte
	PenaltyLine  // between buffers that pay a penalty
)

// A Line runs from (X0, Y0) to (X1, Y1).
type Line struct {
	Rect
	Style LineStyle
}

// Role says what a text stands for.
type Role uint8

// The roles of texts. Those from CapacityText on are in the order of the line styles they belong to.
const (
	Title Role = iota
	Fact
	Alarm // a heading or a fact of a plan that is not valid
	Tick
	Axis
	Note
	Label    // the ID of a buffer
	SubLabel // the size of a buffer
	Value    // the figure that belongs to a line
	CapacityText
	HeightText
	BoundText
	LoadText
)

// Anchor says which point of a text (X, Y) is.
type Anchor uint8

// The anchors, all on the baseline.
const (
	Start Anchor = iota
	Middle
	End
)

// A Text is one line of clean text: valid UTF-8 without control characters, still to be escaped for the medium.
type Text struct {
	X, Y    float64 // the anchor, on the baseline
	Text    string
	Size    float64
	Role    Role
	Anchor  Anchor
	Upright bool // turned by 90 degrees, reading upwards
}

func (f *Figure) text(t Text) {
	if t.Text != "" {
		f.Texts = append(f.Texts, t)
	}
}

func (f *Figure) line(x0, y0, x1, y1 float64, style LineStyle) {
	l := Line{Rect{x0, y0, x1, y1}, style}
	if style == GridLine {
		f.Grid = append(f.Grid, l)
		return
	}
	f.Lines = append(f.Lines, l)
}
