package png

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
)

func drawn(t *testing.T, p *model.Problem, offsets []int64, o Options) (image.Image, []byte) {
	t.Helper()
	file := golden.Written(t, func(w io.Writer) error { return Write(w, p, offsets, o) })
	picture := must.Get(png.Decode(bytes.NewReader(file)))(t)
	return picture, file
}

// hexAt returns the colour at a place in page units.
func hexAt(picture image.Image, x, y float64) string {
	c := color.NRGBAModel.Convert(picture.At(int(x*Density), int(y*Density))).(color.NRGBA)
	return fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B)
}

func TestMedium(t *testing.T) {
	sample.Medium{
		Name: "png", Width: 1200, Height: 720, Most: 6 << 20, Write: Write, WriteProfile: WriteProfile,
	}.Test(t)
}

// TestColours looks into each rectangle near its corners, where no name is, and at the lines.
func TestColours(t *testing.T) {
	for name, c := range map[string]struct {
		p       *model.Problem
		offsets []int64
		o       Options
	}{
		"paper":  {sample.Paper(), []int64{8, 8, 4, 4, 0}, Options{}},
		"random": {sample.Random(40, 1), sample.FirstFit(sample.Random(40, 1)), Options{Width: 900, Height: 500}},
	} {
		picture, _ := drawn(t, c.p, c.offsets, c.o)
		f := must.Get(layout.Plan(c.p, c.offsets, c.o, medium))(t)
		if size := picture.Bounds().Size(); float64(size.X) != f.Width*Density || float64(size.Y) != f.Height*Density {
			t.Fatalf("%s: the image is %v, the figure %v x %v", name, size, f.Width, f.Height)
		}
		looked := 0
		for _, s := range f.Shapes {
			for _, r := range s.Rects {
				if r.X1-r.X0 < 8 || r.Y1-r.Y0 < 8 {
					continue
				}
				want := layout.Palette[s.Colour].Fill
				for _, at := range [][2]float64{{r.X0 + 2, r.Y0 + 3}, {r.X1 - 2, r.Y1 - 3}} {
					crossed := false // by a mark
					for _, l := range f.Lines {
						crossed = crossed || math.Abs(l.Y0-at[1]) < 2.5 && l.Style >= layout.CapacityLine
					}
					if got := hexAt(picture, at[0], at[1]); got != want && !crossed {
						t.Errorf("%s: %s is %s at %v, want %s", name, s.Tip, got, at, want)
					}
					looked++
				}
			}
		}
		if looked < 10 {
			t.Errorf("%s: only %d places", name, looked)
		}
		if got := hexAt(picture, 2, 2); got != "FFFFFF" {
			t.Errorf("%s: the corner is %s", name, got)
		}
		for _, l := range f.Lines {
			if l.Style == layout.HeightLine {
				if got := hexAt(picture, (l.X0+l.X1)/2, l.Y0); got != "111111" && got != "0077BB" &&
					got != "CC3311" { // load and capacity may lie on it
					t.Errorf("%s: the line of the height is %s", name, got)
				}
			}
		}
	}
}

// TestText wants ink where the layout has texts, and none where it has nothing.
func TestText(t *testing.T) {
	p := &model.Problem{
		Name: "x", Buffers: []model.Buffer{
			{ID: "llllllllllllllll", Upper: 10, Size: 10}, {ID: "日本", Lower: 10, Upper: 20, Size: 10},
		},
	}
	picture, _ := drawn(t, p, []int64{0, 0}, Options{})
	f := must.Get(layout.Plan(p, []int64{0, 0}, Options{}, medium))(t)
	for _, text := range f.Texts {
		dark := 0
		for y := text.Y - text.Size; y < text.Y; y += 0.5 {
			for x := text.X - text.Size; x < text.X+text.Size; x += 0.5 {
				c := color.GrayModel.Convert(picture.At(int(x*Density), int(y*Density))).(color.Gray)
				if c.Y < 110 {
					dark++
				}
			}
		}
		if dark < 5 && text.Text != "·" {
			t.Errorf("%q at %.0f, %.0f left %d dark pixels", text.Text, text.X, text.Y, dark)
		}
		if strings.Contains(text.Text, "日") {
			t.Errorf("%q is to be drawn, which the fonts lack", text.Text)
		}
	}
}

// TestThinLayers has thousands of buffers live at the peak, each a part of a pixel high: the
// plot is as full as the plan is.
func TestThinLayers(t *testing.T) {
	p := &model.Problem{}
	var offsets []int64
	for k := range int64(6000) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(k), Lower: 0, Upper: 10, Size: 1})
		offsets = append(offsets, k)
	}
	picture, _ := drawn(t, p, offsets, Options{})
	f := must.Get(layout.Plan(p, offsets, Options{}, medium))(t)
	colours, looked := map[string]int{}, 0
	x := f.Plot.X0 + 0.3*(f.Plot.X1-f.Plot.X0)
	for y := f.Plot.Y0 + 20; y < f.Plot.Y1-3; y += 0.5 {
		colours[hexAt(picture, x, y)]++
		looked++
	}
	full := 0
	for _, c := range layout.Palette {
		full += colours[c.Fill]
	}
	if full < looked*8/10 || colours["FFFFFF"] > 0 {
		t.Errorf("of %d places %d have the colour of a buffer, %d are white", looked, full, colours["FFFFFF"])
	}
}

func TestProfile(t *testing.T) {
	var file bytes.Buffer
	p := sample.Random(60, 1)
	must.Do(t, WriteProfile(&file, p, Options{Capacity: 100 << 10}))
	picture := must.Get(png.Decode(&file))(t)
	f := must.Get(layout.Profile(p, Options{Capacity: 100 << 10}, medium))(t)
	seen := map[string]bool{}
	for x := f.Plot.X0; x < f.Plot.X1; x++ {
		for y := f.Plot.Y0; y < f.Plot.Y1; y++ {
			seen[hexAt(picture, x, y)] = true
		}
	}
	for _, want := range []string{"99CCEE", "F2A995", "CC3311"} { // the load, what is above the capacity, and its line
		if !seen[want] {
			t.Errorf("no %s in the plot", want)
		}
	}
}
