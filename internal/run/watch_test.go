package run

import (
	"context"
	"runtime"
	"testing"
)

// TestWatched: the watches in a watched context are one, which outlives the Close of each, and ends with the context.
func TestWatched(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	with, release := Watched(ctx)
	defer release()
	a, b := NewWatch(with), NewWatch(with)
	if again, _ := Watched(with); a != b || again != with {
		t.Error("a run registered a watch of its own")
	}
	below, stop := context.WithCancel(with)
	defer stop()
	own := NewWatch(below)
	defer own.Close()
	mine := Stoppable(with)
	defer mine.Close()
	if mine.Stop(); own == a || mine == a || a.Over() {
		t.Error("a context below, or a search that is stopped, has the watch of all")
	}
	a.Close()
	if b.Over() || own.Over() {
		t.Error("over before the end")
	}
	cancel()
	for !b.Over() || !own.Over() { // AfterFunc has a goroutine of its own
		runtime.Gosched()
	}

	ctx, cancel = context.WithCancel(t.Context())
	with, release = Watched(ctx)
	release()
	if cancel(); NewWatch(with).Over() {
		t.Error("over after the release")
	}
	if same, _ := Watched(context.Background()); same != context.Background() {
		t.Error("a context without an end is watched")
	}
	if with, _ := Watched(EndAtLook(ctx, 1)); !NewWatch(with).Over() {
		t.Error("a context that is over")
	}
}
