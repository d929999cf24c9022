package html

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/golden"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/internal/sample"
)

// TestPage holds a page to the golden file.
func TestPage(t *testing.T) {
	var got bytes.Buffer
	o := Options{LowerBound: 12, Facts: []Fact{{"status", "optimal"}, {"height", "12"}}}
	if err := Write(&got, sample.Paper(), []int64{8, 8, 4, 4, 0}, o); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/paper.html", got.Bytes())
}

// TestHostile demands that names, warnings and facts cannot add markup.
func TestHostile(t *testing.T) {
	const hostile = `<script>"&'</script>`
	p := &model.Problem{Name: hostile, Buffers: []model.Buffer{{ID: hostile, Upper: 1, Size: 1}}}
	for _, offsets := range [][]int64{nil, {0}} {
		var b bytes.Buffer
		o := Options{Warning: hostile, Facts: []Fact{{hostile, hostile}}}
		var err error
		if offsets == nil {
			err = WriteProfile(&b, p, o)
		} else {
			err = Write(&b, p, offsets, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if strings.Contains(page, "<script") {
			t.Errorf("markup got through:\n%s", page)
		}
		const escaped = "&lt;script&gt;"
		for _, in := range []string{"<h1>" + escaped, "<title>" + escaped, `<p class="warning">` + escaped, "<th>" + escaped, "<td>" + escaped} {
			if !strings.Contains(page, in) {
				t.Errorf("no %s in\n%s", in, page)
			}
		}
	}
}

// TestNothingBroken demands that a page that cannot be drawn is not begun, and
// that the writer's error comes back.
func TestNothingBroken(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, sample.Paper(), []int64{1}, Options{}); err == nil || b.Len() > 0 {
		t.Errorf("one offset for five buffers: %v, %d bytes written", err, b.Len())
	}
	if err := WriteProfile(&b, nil, Options{}); err == nil || b.Len() > 0 {
		t.Errorf("no problem: %v, %d bytes written", err, b.Len())
	}
	if err := WriteProfile(full{}, sample.Paper(), Options{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
