// Package colour decides which colour a buffer has. The pictures of render/svg and render/tikz and the viewer all take
// it from here, so that a buffer has the same colour in each of them.
//
// Colours that mean something come first: buffers of one group have one colour, where
// names tell groups (Groups). Otherwise colours only tell buffers apart (Apart).
//
//	colour.go  the colours
//	groups.go  groups of buffers, from their names
//	apart.go   colours that tell neighbours apart
package colour

// A Colour is the fill of a buffer and the outline that goes with it, each as six hexadecimal digits.
type Colour struct{ Fill, Edge string }

// Palette is Paul Tol's "light" scheme without its grey (Colour Schemes, SRON technical note 09-002, 2021): distinct in
// all common forms of colour vision, and light enough for black text. The outlines are the fills darkened. Those next
// to each other in the list differ most.
var Palette = [...]Colour{
	{"77AADD", "3B6C9D"},
	{"EE8866", "AC4C2C"},
	{"BBCC33", "74811A"},
	{"FFAABB", "B9606F"},
	{"44BB99", "1F7A60"},
	{"EEDD88", "A09040"},
	{"99DDFF", "4F8FB0"},
	{"AAAA00", "6B6B00"},
}

// Rest is the index, one past the Palette, of buffers in no group with a colour. They are drawn in Grey.
const Rest = len(Palette)

// Grey is the colour of the buffers at Rest.
var Grey = Colour{"C9D1DB", "7D8794"}

// At returns the colour of an index into Palette, or Grey for Rest.
func At(k int) Colour {
	if k >= Rest {
		return Grey
	}
	return Palette[k]
}
