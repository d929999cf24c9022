package pairs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// TestCorrupted breaks the state of a search that has found a plan, in each way that check looks for.
func TestCorrupted(t *testing.T) {
	window := &model.Window{Lower: 1, Upper: 2}
	tl := timeline.New(&model.Problem{Buffers: []model.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4, Gaps: []model.Gap{{Lower: 1, Upper: 2, Window: window}}},
		{ID: "b", Lower: 0, Upper: 2, Size: 1},
		{ID: "c", Lower: 1, Upper: 3, Size: 2},
	}})
	for says, corrupt := range map[string]func(s *Search){
		"":                  func(*Search) {},
		"break their order": func(s *Search) { clear(s.low) },
		"no offset":         func(s *Search) { s.low[0], s.high[0] = 3, 2 },
		"is violated": func(s *Search) {
			clear(s.low)
			clear(s.out)
			s.decided[0] = true
		},
		"queue": func(s *Search) {
			s.queue = append(s.queue[:0], 1)
			s.queued[1] = true
		},
	} {
		s := fresh(t, tl, 0)
		if s.Run(7, 1000) != common.Fits {
			t.Fatal("no plan")
		}
		corrupt(s)
		what := caught(s.check)
		if !strings.Contains(what, says) || (says == "") != (what == "") {
			t.Errorf("%q is caught as %q", says, what)
		}
	}
}

// caught returns what f panics with.
func caught(f func()) (what string) {
	defer func() {
		if r := recover(); r != nil {
			what = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}
