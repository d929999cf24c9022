package sample

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/render"
)

// A Medium is a package that draws plans.
type Medium struct {
	Name          string
	Width, Height int // of a picture that nobody chose a size for
	Most          int // bytes that a picture of 20,000 buffers may take
	Write         func(io.Writer, *model.Problem, []int64, render.Options) error
	WriteProfile  func(io.Writer, *model.Problem, render.Options) error
}

// Test checks what all media promise: errors, files of bounded size, the same bytes for the same plan.
func (m Medium) Test(t *testing.T) {
	t.Run("errors", m.errors)
	t.Run("bounded", m.bounded)
}

func (m Medium) errors(t *testing.T) {
	p, ok := Paper(), []int64{8, 8, 4, 4, 0}
	empty := &model.Problem{Buffers: []model.Buffer{{ID: "a", Lower: 3, Upper: 3, Size: 1}}}
	for _, c := range []struct {
		p       *model.Problem
		offsets []int64
		o       render.Options
		want    string
	}{
		{nil, nil, render.Options{}, m.Name + ": no problem"},
		{p, nil, render.Options{}, m.Name + ": 0 offsets for 5 buffers"},
		{p, []int64{8, 8, 4, -4, 0}, render.Options{}, "buffer b4: offset -4"},
		{empty, []int64{0}, render.Options{}, "the lifespan is empty"},
		{p, ok, render.Options{Width: 10}, fmt.Sprintf("size 10 x %d", m.Height)},
		{p, ok, render.Options{Height: 1 << 20}, fmt.Sprintf("size %d x 1048576", m.Width)},
		{p, ok, render.Options{Width: 20001}, fmt.Sprintf("size 20001 x %d", m.Height)},
		{p, ok, render.Options{Capacity: -1}, "capacity -1"},
	} {
		if err := m.Write(io.Discard, c.p, c.offsets, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if err := m.WriteProfile(io.Discard, p, render.Options{Width: 20001}); err == nil {
		t.Error("no error for a profile that is too large")
	}
	if err := m.Write(new(golden.Room), p, ok, render.Options{}); !errors.Is(err, golden.ErrFull) {
		t.Errorf("error %v from a writer without room", err)
	}
	for _, p := range []*model.Problem{{}, {Buffers: []model.Buffer{{ID: "\xff\x00", Upper: 1, Size: 1}}}} {
		if err := m.Write(io.Discard, p, make([]int64, len(p.Buffers)), render.Options{Title: "\x00\xff\u202e"}); err != nil {
			t.Errorf("%d buffers: %v", len(p.Buffers), err)
		}
	}
}

func (m Medium) bounded(t *testing.T) {
	const columns = 200
	p, offsets := &model.Problem{}, []int64{}
	for i := range int64(20_000) {
		id := fmt.Sprint(i) + strings.Repeat("/a&b", 50)
		p.Buffers = append(p.Buffers, model.Buffer{ID: id, Lower: i % columns, Upper: i%columns + 1, Size: 64})
		offsets = append(offsets, i/columns*64)
	}
	draw := func() []byte {
		return golden.Written(t, func(w io.Writer) error { return m.Write(w, p, offsets, render.Options{}) })
	}
	first := draw()
	if !bytes.Equal(first, draw()) {
		t.Error("the same plan gives other bytes")
	}
	if len(first) > m.Most {
		t.Errorf("20,000 buffers take %d bytes", len(first))
	}
}
