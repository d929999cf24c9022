package html_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/html"
)

// TestBrowserOverlaps shows a plan in which a result lies over an operand: the bytes that the two
// share are hatched while their operator runs, and each says so of the other.
func TestBrowserOverlaps(t *testing.T) {
	gap := func(at, low, high int64) []model.Gap {
		return []model.Gap{{Lower: at, Upper: at + 1, Window: &model.Window{Lower: low, Upper: high}}}
	}
	p := &model.Problem{Name: "overlaps", Buffers: []model.Buffer{
		{ID: "image", Lower: 0, Upper: 2, Size: 4096, Gaps: gap(1, 0, 4096)},
		{ID: "features", Lower: 1, Upper: 3, Size: 3072, Gaps: gap(1, 0, 112)},
		{ID: "other", Lower: 0, Upper: 3, Size: 64},
	}}
	page := chromium.Open(t, 1200, 800)
	var b bytes.Buffer
	o := html.Options{Overlaps: []html.Overlap{{Result: 1, Operand: 0, Lower: 1, Upper: 3}}}
	must.Do(t, html.Write(&b, p, []int64{112, 0, 4208}, o))
	path := filepath.Join(t.TempDir(), "page.html")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
	page.Go("file://" + path)
	page.Until("window.stowage && stowage.ready")
	says := func(i int) string {
		return page.Text(fmt.Sprintf(`(() => { stowage.select(0, %d, true);
			return document.getElementById("says").textContent; })()`, i))
	}
	for i, want := range []string{"Under features at time 1: 2", "Lies over image at time 1: 2"} {
		if got := says(i); !strings.Contains(got, want) || !strings.Contains(got, "distance 112") {
			t.Errorf("buffer %d says %q", i, got)
		}
	}
	if got := says(2); strings.Contains(got, "Under") || strings.Contains(got, "Lies over") {
		t.Errorf("a buffer apart says %q", got)
	}
	var hatched struct {
		Full string
		Box  []float64
		Want []float64
	}
	page.Eval(`(() => { const p = stowage.plots[0]; p.draw(); const d = p.drawn.find((d) => d.kind === "overlap");
		return {full: d.full, box: d.box,
			want: [p.toX(1), p.toY(3072), p.toX(3) - p.toX(1), p.toY(112) - p.toY(3072)]}; })()`, &hatched)
	if hatched.Full != "features over image" || fmt.Sprint(hatched.Box) != fmt.Sprint(hatched.Want) {
		t.Errorf("hatched is %s in %v, not %v", hatched.Full, hatched.Box, hatched.Want)
	}
	page.Quiet()
}
