package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/layout"
	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/sample"
	"github.com/stowage-go/stowage/model"
)

func drawn(t *testing.T, p *model.Problem, offsets []int64, o Options) []byte {
	t.Helper()
	return golden.Written(t, func(w io.Writer) error { return Write(w, p, offsets, o) })
}

// content returns what the page draws: the streams of the file that are text.
func content(t *testing.T, file []byte) string {
	t.Helper()
	var out strings.Builder
	for _, m := range regexp.MustCompile(`(?s)stream\r?\n(.*?)\r?\n?endstream`).FindAllSubmatch(file, -1) {
		r, err := zlib.NewReader(bytes.NewReader(m[1]))
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(r)
		if bytes.Contains(text, []byte(" re ")) {
			out.Write(text)
		}
	}
	return out.String()
}

func TestMedium(t *testing.T) {
	sample.Medium{Name: "pdf", Width: 720, Height: 432, Most: 3 << 20, Write: Write, WriteProfile: WriteProfile}.Test(t)
}

// TestStructure wants one page of the size, both fonts in the file, and each rectangle in
// its colour where the layout has it.
func TestStructure(t *testing.T) {
	p, offsets := sample.Paper(), []int64{8, 8, 4, 4, 0}
	file := drawn(t, p, offsets, Options{})
	for _, want := range []string{
		"%PDF-1.", "/Type /Catalog", "/Count 1", "720.00 432.00", "/FontFile2", "/ToUnicode", "%%EOF",
	} {
		if !bytes.Contains(file, []byte(want)) {
			t.Errorf("the file has no %q", want)
		}
	}
	if n := bytes.Count(file, []byte("/FontFile2")); n != 2 {
		t.Errorf("%d fonts in the file", n)
	}
	for _, date := range []string{"/CreationDate", "/ModDate"} {
		if bytes.Contains(file, []byte(date)) {
			t.Errorf("the file has a %s", date)
		}
	}
	f := must.Get(layout.Plan(p, offsets, Options{}, medium))(t)
	page := content(t, file)
	for _, s := range f.Shapes {
		r := s.Rects[0]
		want := fmt.Sprintf("%.2f %.2f %.2f %.2f re B", r.X0, f.Height-r.Y1, r.X1-r.X0, r.Y1-r.Y0)
		before, _, ok := strings.Cut(page, want)
		if !ok {
			t.Errorf("%s: no %q on the page", s.Tip, want)
			continue
		}
		var c color.NRGBA
		fmt.Sscanf(layout.Palette[s.Colour].Fill, "%02X%02X%02X", &c.R, &c.G, &c.B)
		colours := regexp.MustCompile(`([0-9.]+) ([0-9.]+) ([0-9.]+) rg`).FindAllStringSubmatch(before, -1)
		if len(colours) == 0 {
			t.Fatalf("%s has no colour", s.Tip)
		}
		last := colours[len(colours)-1]
		for k, v := range []uint8{c.R, c.G, c.B} {
			var got float64
			fmt.Sscan(last[k+1], &got)
			if d := got - float64(v)/255; d > 0.01 || d < -0.01 {
				t.Errorf("%s is filled with %v, want %v", s.Tip, last[0], c)
			}
		}
	}
}

// TestThinLayers has thousands of buffers live at the peak, each a tenth of a point high: none
// may cover those beside it.
func TestThinLayers(t *testing.T) {
	p := &model.Problem{}
	var offsets []int64
	for k := range int64(6000) {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(k), Lower: 0, Upper: 10, Size: 1})
		offsets = append(offsets, k)
	}
	page := content(t, drawn(t, p, offsets, Options{}))
	covered := 0.0
	for _, m := range regexp.MustCompile(`([0-9.]+) ([0-9.]+) ([0-9.]+) ([0-9.]+) re `).FindAllStringSubmatch(page, -1) {
		var width, height float64
		fmt.Sscan(m[3], &width)
		fmt.Sscan(m[4], &height)
		if width > 100 {
			covered += height
		}
	}
	f := must.Get(layout.Plan(p, offsets, Options{}, medium))(t)
	if high := f.Plot.Y1 - f.Plot.Y0; covered < 0.9*high || covered > 1.6*high {
		t.Errorf("the layers are %.1f points high together, the plot %.1f", covered, high)
	}
}

// hostile has names that mean something in PDF, or that no font has.
func hostile() (*model.Problem, []int64) {
	ids := []string{
		`a)b(c\`, "endstream endobj", "%%EOF", "日本語", "naïve Ω Ж", "line\nbreak\x00", "bad\xff", "<<>>[]",
		"two  spaces", "😀",
	}
	p := &model.Problem{Name: `) Tj ET (`}
	offsets := make([]int64, len(ids))
	for i, id := range ids {
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: int64(i % 2), Upper: int64(i%2) + 1, Size: 8})
		offsets[i] = int64(i/2) * 8
	}
	return p, offsets
}

// poppler returns a program of poppler, which reads PDF and shares nothing with what writes it here.
func poppler(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on PATH: that others read the PDF is not checked", name)
	}
	return path
}

func saved(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "picture.pdf")
	must.Do(t, os.WriteFile(path, file, 0o644))
	return path
}

// TestNamesAreText wants every name that the layout writes to be found as text.
func TestNamesAreText(t *testing.T) {
	pdftotext := poppler(t, "pdftotext")
	odd, oddOffsets := hostile()
	random := sample.Random(40, 1)
	for name, file := range map[string][]byte{
		"paper": drawn(t, sample.Paper(), []int64{8, 8, 4, 4, 0}, Options{}), "hostile": drawn(t, odd, oddOffsets, Options{}),
		"random": drawn(t, random, sample.FirstFit(random), Options{Capacity: 1 << 20}),
	} {
		var complaints bytes.Buffer
		c := exec.Command(pdftotext, "-raw", saved(t, file), "-")
		c.Stderr = &complaints
		text, err := c.Output()
		if err != nil || complaints.Len() > 0 {
			t.Fatalf("%s: %v %s", name, err, complaints.String())
		}
		wants := map[string][]string{
			"paper": {"running example", "b1", "b5", "height"},
			"hostile": {
				`a)b(c\`, "endstream endobj", "%%EOF", "U+65E5U+672CU+8A9E", "naïve Ω Ж", "<<>>[]", "U+1F600", ") Tj ET (",
			},
			"random": {"t1", "random 40", "capacity"},
		}[name]
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %q in:\n%s", name, want, text)
			}
		}
	}
}

// TestColours has poppler draw the page and looks into each rectangle.
func TestColours(t *testing.T) {
	pdftoppm := poppler(t, "pdftoppm")
	p := sample.Random(40, 1)
	offsets := sample.FirstFit(p)
	path := saved(t, drawn(t, p, offsets, Options{}))
	out := strings.TrimSuffix(path, ".pdf")
	if text, err := exec.Command(pdftoppm, "-png", "-singlefile", "-r", "144", path, out).CombinedOutput(); err != nil ||
		len(text) > 0 {
		t.Fatalf("%v %s", err, text)
	}
	file := must.Get(os.Open(out + ".png"))(t)
	defer file.Close()
	picture := must.Get(png.Decode(file))(t)
	f := must.Get(layout.Plan(p, offsets, Options{}, medium))(t)
	looked := 0
	for _, s := range f.Shapes {
		for _, r := range s.Rects {
			if r.X1-r.X0 < 5 || r.Y1-r.Y0 < 5 {
				continue
			}
			c := color.NRGBAModel.Convert(picture.At(int(2*(r.X0+1.5)), int(2*(r.Y0+2)))).(color.NRGBA)
			if got, want := fmt.Sprintf("%02X%02X%02X", c.R, c.G, c.B), layout.Palette[s.Colour].Fill; got != want {
				t.Errorf("%s is %s, want %s", s.Tip, got, want)
			}
			looked++
		}
	}
	if looked < 10 {
		t.Errorf("only %d places", looked)
	}
}
