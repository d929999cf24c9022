package viewer

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
)

// TestBrowserShapes moves the slider of a family: at each value the page has the sizes and offsets that the order
// gives, and says how far the plan is above the load. The curve has a point for each value.
func TestBrowserShapes(t *testing.T) {
	f := &model.Family{Problem: &model.Problem{Name: "net"}, Symbols: []model.Symbol{{Name: "n", Low: 1, High: 9, Step: 1}}}
	for i, text := range []string{"64*n", "n^2", "100", "32*n+8", "3*n"} {
		f.Problem.Buffers = append(f.Problem.Buffers, model.Buffer{ID: fmt.Sprint("b", i), Lower: int64(i), Upper: int64(i + 2)})
		f.Formulas = append(f.Formulas, must.Get(model.ParseFormula(text))(t))
	}
	r := must.Get(stowage.SolveFamily(context.Background(), f, stowage.Options{}))(t)
	o := html.Options{LowerBound: r.LowerBound}
	for _, x := range r.Points {
		s := html.Shape{Name: x.Name, Load: x.Load, Height: x.Height, Sizes: f.SizesAt(x.Point), Offsets: make([]int64, 5)}
		must.Get(r.Order.Place(s.Sizes, s.Offsets))(t)
		o.Shapes = append(o.Shapes, s)
	}
	o.Shapes[2].Height += 10 // as if the order were above the load there
	page := chromium.Open(t, 1000, 700)
	show(t, page, html.Document{Problem: f.Problem, Offsets: r.Offsets, Options: o})
	var at int
	page.Eval(`document.getElementById("shapes").hidden ? -1 : Number(document.getElementById("shape").value)`, &at)
	if at != 8 {
		t.Errorf("the slider is at %d, not at the largest", at)
	}
	for _, k := range []int{0, 5, 2, 8} {
		var got struct {
			Height, Load   int64
			Sizes, Offsets []int64
			Says           string
		}
		page.Eval(fmt.Sprintf(`(() => {
			const slider = document.getElementById("shape");
			slider.value = %d;
			slider.dispatchEvent(new Event("input"));
			const facts = stowage.facts(0);
			return {Height: facts.height, Load: facts.load.peak, Sizes: [...facts.doc.size], Offsets: [...facts.shown],
				Says: document.getElementById("shape-says").textContent};
		})()`, k), &got)
		s, want := o.Shapes[k], ", 0% over the load"
		height := s.Height
		if k == 2 {
			height -= 10
			want = fmt.Sprintf(", %.3f%% over the load", 100*10/float64(s.Load))
		}
		if got.Height != height || got.Load != s.Load || !slices.Equal(got.Sizes, s.Sizes) || !slices.Equal(got.Offsets, s.Offsets) {
			t.Errorf("%s: %+v, want %+v", s.Name, got, s)
		}
		if want := fmt.Sprintf("%s: height %d, load %d%s", s.Name, s.Height, s.Load, want); got.Says != want {
			t.Errorf("it says %q, want %q", got.Says, want)
		}
	}
	picture(t, page, "shapes")
	var points int
	page.Eval(`document.querySelector("#shape-curve polyline").getAttribute("points").split(" ").length`, &points)
	if points != 9 {
		t.Errorf("the curve has %d points", points)
	}
	show(t, page, html.Document{Problem: f.Problem, Offsets: r.Offsets})
	if page.Eval(`document.getElementById("shapes").hidden ? 1 : 0`, &at); at != 1 {
		t.Error("a plan of one size has a slider")
	}
}
