package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Idea: only tests that reach a change can see it, and the shortest of them comes first. Tests of the changed package
// and of recorded decisions count as a fifth of their length. Each test runs once by itself without a change, to
// learn which changes it reaches and how long it takes.
//
// Invariant: a change survives only if all tests that reach it have passed, or enough of them to use up its time.
//
// Complexity: the tests once, and a few tests for each change that is seen. Time is processor time, which other
// programs do not lengthen.

// A verdict is what became of a mutant.
type verdict string

const (
	killed    verdict = "seen"
	endless   verdict = "endless"
	survived  verdict = "SURVIVES"
	unreached verdict = "UNREACHED"
)

// A judge is a test of a package.
type judge struct {
	pkg, name string
	program   string
	folder    string
	took      time.Duration
}

func (j *judge) String() string { return j.pkg + "." + j.name }

// most is the time that a test may take with a change: many times its time without.
func (j *judge) most() time.Duration { return 5*time.Second + 8*j.took }

// A court has the tests, and by change those that reach it.
type court struct {
	drawn  []site
	judges []*judge
	of     map[int][]*judge
	spent  time.Duration // in the tests without a change
}

// gather builds the tests of packages and runs each once. Tests that fail, or take longer than longest, judge nothing.
// times has how long tests once took, and gets how long they take; those that are known to take long are not run.
func gather(drawn []site, overlay, work string, packages []string, longest time.Duration, times map[string]time.Duration,
	at int,
) (*court, error) {
	c := &court{drawn: drawn, of: map[int][]*judge{}}
	var all []*judge
	for k, pkg := range packages {
		program := filepath.Join(work, strconv.Itoa(k)+".test")
		build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./"+pkg)
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("the tests of %s: %w\n%s", pkg, err, out)
		}
		if _, err := os.Stat(program); err != nil {
			continue // it has none
		}
		folder, err := filepath.Abs(pkg)
		if err != nil {
			return nil, err
		}
		list := exec.Command(program, "-test.list", "^(Test|Fuzz|Example)")
		list.Dir = folder
		names, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("the tests of %s: %w", pkg, err)
		}
		for name := range strings.Lines(string(names)) {
			j := &judge{pkg: pkg, name: strings.TrimSpace(name), program: program, folder: folder}
			if times[j.String()] <= longest {
				all = append(all, j)
			}
		}
	}
	var guard sync.Mutex
	parallel(len(all), at, func(k int) {
		j := all[k]
		note := filepath.Join(work, fmt.Sprintf("reach%d", k))
		failed, over, took := j.run(longest, "STOWAGE_REACH="+note)
		guard.Lock()
		defer guard.Unlock()
		c.spent += took
		j.took, times[j.String()] = took, took
		text, err := os.ReadFile(note)
		if err != nil {
			return // it reaches no change
		}
		if failed {
			fmt.Printf("left out: %v, which %s without a change\n", j, map[bool]string{true: "takes long", false: "fails"}[over])
			return
		}
		c.judges = append(c.judges, j)
		for line := range strings.Lines(string(text)) {
			if id, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
				c.of[id-1] = append(c.of[id-1], j)
			}
		}
	})
	for k, js := range c.of {
		slices.SortFunc(js, func(a, b *judge) int { return cmp.Compare(c.turn(k, a), c.turn(k, b)) })
	}
	return c, nil
}

// turn is when a test comes.
func (c *court) turn(k int, j *judge) time.Duration {
	if j.pkg == filepath.Dir(c.drawn[k].in.path) || strings.HasPrefix(j.name, "TestRecorded") {
		return j.took / 5
	}
	return j.took
}

// run runs the test, for so much of the processor's time at most.
func (j *judge) run(most time.Duration, env string) (failed, over bool, took time.Duration) {
	// Ten minutes by the clock end a test that waits for ever.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	seconds := int(most/time.Second) + 1
	cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -v 8000000; ulimit -t "$0"; exec "$@"`, strconv.Itoa(seconds),
		j.program, "-test.run", "^"+j.name+"$", "-test.short", "-test.failfast", "-test.timeout", "0")
	cmd.Dir = j.folder
	cmd.Env = append(os.Environ(), env, "GOMAXPROCS=2")
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if s := cmd.ProcessState; s != nil {
		took = s.UserTime() + s.SystemTime()
	}
	return err != nil, err != nil && (took >= most || ctx.Err() != nil), took
}

// try runs the tests that reach change k, for so much of the processor's time, as measured without the change.
func (c *court) try(k int, each time.Duration) (v verdict, by string, took time.Duration) {
	if len(c.of[k]) == 0 {
		return unreached, "", 0
	}
	passed := 0
	for _, j := range c.of[k] {
		if j.took > each {
			continue
		}
		each -= j.took
		passed++
		failed, over, t := j.run(j.most(), "STOWAGE_MUTANT="+strconv.Itoa(k+1))
		took += t
		switch {
		case over:
			return endless, j.String(), took
		case failed:
			return killed, j.String(), took
		}
	}
	return survived, fmt.Sprintf("%d of %d tests", passed, len(c.of[k])), took
}

// parallel calls f for 0 to n-1, so many at a time.
func parallel(n, at int, f func(k int)) {
	var (
		group sync.WaitGroup
		next  = make(chan int)
	)
	for range at {
		group.Go(func() {
			for k := range next {
				f(k)
			}
		})
	}
	for k := range n {
		next <- k
	}
	close(next)
	group.Wait()
}
