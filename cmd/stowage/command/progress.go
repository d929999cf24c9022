package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/units"
)

const (
	progressEvery = 150 * time.Millisecond
	eraseLine     = "\r\x1b[K"
)

// A progress keeps one line on a terminal up to date while a search runs:
//
//	3 of 9 · height 1048576 · bound 1012224 · gap 3.59% · 12.4M nodes · 00:07, 00:53 left
//
// The share and the time that is left are there if they are known. Every command that may run for long shows it, by
// showProgress if it searches for one plan, and by lineOf if there is more to say; compare counts its runs, which may be
// side by side, in a line of its own.
//
// The search only stores a snapshot, and a goroutine draws it a few times a second. So the
// clock moves even if a node takes long, and a slow terminal does not slow down the search.
//
// A nil *progress is the line of a command that shows none: its methods do nothing.
type progress struct {
	w   io.Writer
	out sync.Mutex // of writing to w
	end func()

	mu   sync.Mutex
	done string            // the share that is done, such as "3 of 9", or ""
	last *stowage.Progress // nil if a plan is nothing to speak of, as with several searches side by side
}

// showProgress makes a run show its progress on a terminal, until stop is called.
func showProgress(stderr io.Writer, quiet bool, o *stowage.Options) (stop func()) {
	line := lineOf(stderr, quiet, o.Timeout)
	line.follow(o)
	return line.stop
}

// lineOf starts the progress line of a command, or returns nil if it is quiet or stderr is no terminal. limit is that of
// the run, or 0.
func lineOf(stderr io.Writer, quiet bool, limit time.Duration) *progress {
	if quiet || !canRedraw(stderr) {
		return nil
	}
	return startProgress(outletOf(stderr).w, func() int { return columns(stderr) }, progressEvery, limit)
}

// startProgress draws on the terminal w until stop. width returns the number of its columns. It
// draws nothing for short runs. limit is that of the run, or 0.
func startProgress(w io.Writer, width func() int, every, limit time.Duration) *progress {
	p := &progress{w: w}
	start := time.Now()
	p.end = each(every, func() bool {
		p.mu.Lock()
		line := progressLine(p.done, p.last, time.Since(start), limit, width())
		p.mu.Unlock()
		p.out.Lock()
		io.WriteString(w, eraseLine+line)
		p.out.Unlock()
		return true
	})
	return p
}

// each calls do again and again, until that returns false or the returned function is called, which waits for it.
func each(every time.Duration, do func() bool) (stop func()) {
	done := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				if !do() {
					return
				}
			}
		}
	})
	return func() {
		close(done)
		wait.Wait()
	}
}

// follow shows the plan of a run with these options. A callback that is in the options is still called.
func (p *progress) follow(o *stowage.Options) {
	if p == nil {
		return
	}
	p.update(stowage.Progress{})
	record := o.Progress
	o.Progress = func(snapshot stowage.Progress) {
		p.update(snapshot)
		if record != nil {
			record(snapshot)
		}
	}
}

// update takes a snapshot from the search.
func (p *progress) update(snapshot stowage.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.last = &snapshot
	p.mu.Unlock()
}

// share sets how many of several are done, and what comes next, or "".
func (p *progress) share(done, of int, next string) {
	if p == nil || of < 2 {
		return
	}
	text := fmt.Sprintf("%d of %d", done, of)
	if next != "" {
		text += " · " + next
	}
	p.mu.Lock()
	p.done = text
	p.mu.Unlock()
}

// aside erases the line and lets a command write to the terminal. The line comes back by itself.
func (p *progress) aside(write func()) {
	if p != nil {
		p.out.Lock()
		defer p.out.Unlock()
		io.WriteString(p.w, eraseLine)
	}
	write()
}

// stop ends the drawing and erases the line.
func (p *progress) stop() {
	if p != nil {
		p.end()
		io.WriteString(p.w, eraseLine)
	}
}

// recordEvery is how often --progress writes.
const recordEvery = 50 * time.Millisecond

// recordProgress makes a run with these options write its progress to a file, a line each time, until end is called. A
// reader of the file takes the last complete line. After an error nothing more is written, and the search goes on; end
// returns the error. A pipe that nobody reads does not delay end.
func recordProgress(path string, o *stowage.Options) (end func() error, err error) {
	if path == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, outputError{path, err}
	}
	var mu sync.Mutex
	var last stowage.Progress
	before := o.Progress
	o.Progress = func(snapshot stowage.Progress) {
		mu.Lock()
		last = snapshot
		mu.Unlock()
		if before != nil {
			before(snapshot)
		}
	}
	start := time.Now()
	var failed error
	stop := each(recordEvery, func() bool {
		mu.Lock()
		q := last
		mu.Unlock()
		_, failed = fmt.Fprintf(f, `{"height":%d,"lower_bound":%d,"nodes":%d,"seconds":%.3f}`+"\n", q.Height, q.LowerBound,
			q.Nodes, time.Since(start).Seconds())
		return failed == nil
	})
	return func() error {
		f.SetWriteDeadline(time.Now().Add(recordEvery)) // fails for a file, which does not block
		stop()
		if errors.Is(failed, os.ErrDeadlineExceeded) {
			failed = nil
		}
		if err := errors.Join(failed, f.Close()); err != nil {
			return outputError{path, err}
		}
		return nil
	}, nil
}

// progressLine formats a snapshot, which may be nil. It leaves the last column empty, because a line that wraps cannot
// be erased.
func progressLine(done string, p *stowage.Progress, elapsed, limit time.Duration, width int) string {
	var parts []string
	if done != "" {
		parts = append(parts, done)
	}
	if p != nil {
		parts = append(parts, soFar(p)...)
	}
	now := clock(elapsed)
	if left := limit - elapsed; left > 0 {
		now += ", " + clock(left) + " left"
	}
	line := strings.Join(append(parts, now), " · ")
	if r := []rune(line); len(r) > width-1 {
		line = string(r[:max(0, width-1)])
	}
	return line
}

// soFar is what a progress line says of the plan.
func soFar(p *stowage.Progress) []string {
	parts := []string{"no plan yet"}
	if p.Height > 0 {
		parts[0] = "height " + strconv.FormatInt(p.Height, 10)
	}
	if p.LowerBound > 0 {
		parts = append(parts, "bound "+strconv.FormatInt(p.LowerBound, 10))
	}
	if p.Height > 0 && p.LowerBound > 0 {
		parts = append(parts, "gap "+gap(p.Height, p.LowerBound))
	}
	return append(parts, comparison.Count(p.Nodes)+" "+units.Plural(p.Nodes, "node"))
}

// gap formats how far a height is above the lower bound, in percent of the bound. Only a gap of zero is shown as zero.
func gap(height, bound int64) string {
	if height == bound {
		return "0.00%"
	}
	if height <= 0 || bound <= 0 {
		return "?"
	}
	percent := 100 * float64(height-bound) / float64(bound)
	if percent > 0 && percent < 0.01 {
		return "<0.01%"
	}
	return strconv.FormatFloat(percent, 'f', 2, 64) + "%"
}

// clock formats a duration as minutes and seconds, with hours if there are any.
func clock(d time.Duration) string {
	s := int64(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
