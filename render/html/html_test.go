package html

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render/internal/sample"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestPage holds a page to the golden file.
func TestPage(t *testing.T) {
	var got bytes.Buffer
	o := Options{LowerBound: 12, Facts: []Fact{{"status", "optimal"}, {"height", "12"}}}
	if err := Write(&got, sample.Paper(), []int64{8, 8, 4, 4, 0}, o); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "paper.html")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run go test with -update to write it)", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the page differs (-want +got); run with -update if that is meant:\n%s", diff)
	}
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
