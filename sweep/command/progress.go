package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/stowage-go/stowage/sweep/core"
)

// Idea: the files of a sweep tell how far it is, whoever does the tasks. Listing them takes time, in an object store
// above all. So the pause between two listings is many times as long as a listing.

const (
	barWidth    = 32
	drawEvery   = 250 * time.Millisecond // on a terminal
	tellEvery   = 30 * time.Second       // elsewhere
	patience    = 10 * time.Minute       // without a file, a note says so
	listingCost = 20                     // the pause is so many times as long as a listing
)

// A bar shows how far a sweep is until stop is called.
type bar struct {
	w    io.Writer
	done chan struct{}
	wait sync.WaitGroup
}

// startBar draws on a terminal, and writes a line now and then elsewhere.
func startBar(ctx context.Context, w io.Writer, j *core.Job, store core.Store) *bar {
	b := &bar{w: w, done: make(chan struct{})}
	terminal := isTerminal(w)
	every := tellEvery
	if terminal {
		every = drawEvery
	}
	began, last, grew, noted := time.Now(), -1, time.Now(), false
	b.wait.Go(func() {
		for {
			pause := every
			listing := time.Now()
			if done, runs, err := j.Progress(ctx, store); err == nil {
				if done != last {
					last, grew, noted = done, time.Now(), false
				}
				line := barLine(done, runs, time.Since(began))
				if terminal {
					line = "\r\x1b[K" + line
				} else {
					line += "\n"
				}
				io.WriteString(w, line)
				if time.Since(grew) > patience && !noted {
					noted = true
					fmt.Fprintf(w, "\nno file has come for %v: see whether the workers live\n", patience)
				}
			}
			pause = max(pause, listingCost*time.Since(listing))
			select {
			case <-b.done:
				return
			case <-time.After(pause):
			}
		}
	})
	return b
}

func (b *bar) stop() {
	if b == nil {
		return
	}
	close(b.done)
	b.wait.Wait()
	if isTerminal(b.w) {
		io.WriteString(b.w, "\r\x1b[K")
	}
}

// barLine is a bar with figures.
func barLine(done, runs int, elapsed time.Duration) string {
	full := barWidth
	percent := 100
	if runs > 0 {
		full, percent = barWidth*done/runs, 100*done/runs
	}
	return fmt.Sprintf("[%s%s] %3d%%  %d of %d runs  %02d:%02d", strings.Repeat("#", full),
		strings.Repeat("-", barWidth-full), percent,
		done, runs, int(elapsed.Minutes()), int(elapsed.Seconds())%60)
}

// isTerminal reports whether what is written is seen at once.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
