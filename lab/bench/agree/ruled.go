package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/lab/agree"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// ruling is a run about problems with rules.
type ruling struct {
	*seeds
	share   uint64
	workers int
	into    string        // "" for no document
	enough  time.Duration // no problem is begun after so long
}

// ask asks about the problems of the seeds, or those that even chooses, unless it is nil. The name is that of the
// block in the document.
func (r *ruling) ask(name string, even *agree.Even, caseOf func(uint64) *agree.RuledCase) error {
	var mu sync.Mutex
	var wg sync.WaitGroup
	began, faults, seconds := time.Now(), 0, 0
	fault := func(q agree.RuledQuestion, fault, problem string) {
		mu.Lock()
		defer mu.Unlock()
		faults++
		fmt.Printf("%s: %s\n%s\n", q, fault, problem)
	}
	sum, least, last := agree.NewRuledTally(nil), ^uint64(0), uint64(0)
	planners := run.All()
	for range r.workers {
		wg.Go(func() {
			tally := agree.NewRuledTally(fault)
			tally.CaseOf = caseOf
			one := func(seed uint64) []string {
				has := tally.Seed(seed, planners, r.share)
				mu.Lock()
				defer mu.Unlock()
				least, last = min(least, seed), max(last, seed)
				if now := int(time.Since(began).Seconds()); now/60 > seconds/60 {
					seconds = now
					fmt.Fprintf(os.Stderr, "seed %d, %d faults, %d s\n", seed, faults, now)
				}
				return has
			}
			if even != nil {
				for seed, ok := even.Next(); ok && time.Since(began) < r.enough; seed, ok = even.Next() {
					even.Had(one(seed))
				}
			} else {
				for seed := range r.taken() {
					if one(seed); time.Since(began) > r.enough {
						break
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			sum.Add(tally)
		})
	}
	wg.Wait()
	fmt.Printf("seeds %d to %d: %s", least, last, sum)
	if r.into != "" {
		text := fmt.Sprintf("%s, commit %s, `%s`: seeds %d to %d, %d false answers.\n%s", record.Today(), commit(),
			strings.Join(os.Args[1:], " "), least, last, faults, sum.Table())
		if err := record.ReplaceBlock(r.into, name, text); err != nil {
			return err
		}
	}
	return verdict(faults)
}

// commit names the commit of the working copy that the program runs in.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
