package command

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// counted counts the calls of Write, and fails from a number of calls on, if that is not 0.
type counted struct {
	strings.Builder
	calls, fails int
}

var errFull = errors.New("it is full")

func (c *counted) Write(p []byte) (int, error) {
	if c.calls++; c.fails > 0 && c.calls >= c.fails {
		return 0, errFull
	}
	return c.Builder.Write(p)
}

// TestGather: lines come together, whole, in their order and soon.
func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c counted
		g := gather(&c)
		written := func() (calls int, text string) {
			g.mu.Lock()
			defer g.mu.Unlock()
			return c.calls, c.String()
		}
		want := ""
		print := func(line string) {
			want += line
			if _, err := g.Write([]byte(line)); err != nil {
				t.Error(err)
			}
		}
		print("a\n")
		print("b\n")
		if calls, _ := written(); calls != 0 {
			t.Errorf("%d calls for two lines", calls)
		}
		time.Sleep(time.Minute) // in no time
		if calls, text := written(); calls != 1 || text != "a\nb\n" {
			t.Errorf("%d calls, %q", calls, text)
		}
		line := strings.Repeat("x", 99) + "\n"
		for range 100 {
			print(line)
			if _, got := written(); !strings.HasSuffix(got, "\n") {
				t.Errorf("half a line: %q", got[max(0, len(got)-20):])
			}
		}
		print(strings.Repeat("y", 2*gatherMax) + "\n")
		if err := g.Close(); err != nil || c.String() != want || c.calls > 6 {
			t.Errorf("%v, %d calls, %d bytes, want %d", err, c.calls, c.Len(), len(want))
		}
	})
}

// TestGatherFails: an error comes back, and nothing is written behind the gap.
func TestGatherFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := counted{fails: 1}
		g := gather(&c)
		g.Write([]byte("a\n"))
		time.Sleep(time.Minute) // in no time
		if _, err := g.Write([]byte("b\n")); err != errFull {
			t.Error(err)
		}
		if err := g.Close(); err != errFull || c.Len() > 0 || c.calls != 1 {
			t.Errorf("%v, %q, %d calls", err, c.String(), c.calls)
		}
	})
}
