// Mutants breaks conditions and bounds at random places of the search packages, runs the tests, and lists the changes
// that no test sees. It changes no file: the Go command reads the changes through an overlay.
//
//	go run ./lab/mutants [-n 200] [-seed TEXT] [-for 1h] [-log FILE] [PACKAGE...]
//
// The seed is any text; the hash of the last commit before the draw shows that nobody chose the places. All changes are
// built into the tests at once (embed.go). A change meets the short tests that reach it, in any package, the shortest
// first (judge.go). One whose tests take too long counts as seen: it made a search endless. With -log, a second
// call goes on after the first.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// searches are the packages that are drawn from if none are named.
var searches = []string{
	"internal/exact/canonical", "internal/exact/common", "internal/exact/engine", "internal/exact/ladder",
	"internal/exact/clauses", "internal/exact/pairs",
	"internal/merge", "internal/merge/walls", "internal/climb", "internal/greedy", "internal/place", "internal/auto",
	"internal/planners/boxing", "internal/planners/core", "internal/planners/descend", "internal/planners/minimalloc",
	"internal/planners/pairwise", "internal/planners/sweep", "internal/planners/tela",
	"internal/lower",
	"internal/ruled", "internal/ruled/assign", "internal/ruled/conflictgraph", "internal/ruled/enumerate",
	"internal/ruled/eviction",
	"internal/ruled/evictbound", "internal/ruled/floor", "internal/ruled/heights", "internal/ruled/objects",
	"internal/ruled/parts", "internal/ruled/penalty", "internal/ruled/places",
	"internal/ruled/poolchoice", "internal/ruled/pools", "internal/ruled/stackdp", "session",
}

// callers are further packages whose tests judge changes.
var callers = []string{"internal/exact", "internal/run", "internal/explain", "session/repack"}

func main() {
	n := flag.Int("n", 200, "how many mutants are drawn")
	seed := flag.String("seed", "1", "any text")
	budget := flag.Duration("for", time.Hour, "no mutant is begun after this time")
	longest := flag.Duration("longest", 3*time.Second, "tests that take more of the processor's time judge nothing")
	each := flag.Duration("each", 8*time.Second, "the processor's time for the tests of a change that they do not see")
	at := flag.Int("at", 2, "how many tests run at a time")
	log := flag.String("log", "", "a file of verdicts: those in it are not asked for again")
	clock := flag.String("times", "", "a file of how long tests take: those that take too long are not tried again")
	own := flag.Bool("own", false, "only the tests of the named packages judge")
	flag.Parse()
	if err := run(flag.Args(), *n, *seed, *log, *clock, *budget, *longest, *each, *at, *own); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folders []string, n int, seed, log, clock string, budget, longest, each time.Duration, at int, own bool) error {
	tests := slices.Concat(searches, callers)
	if own {
		tests = folders
	}
	if len(folders) == 0 {
		folders = searches
	}
	for _, folder := range folders {
		if !slices.Contains(tests, folder) {
			tests = append(tests, folder)
		}
	}
	began := time.Now()
	var all []site
	for _, folder := range folders {
		in, err := sitesOf(folder)
		if err != nil {
			return err
		}
		all = append(all, in...)
	}
	drawn := draw(all, n, seed)
	fmt.Printf("%d places in %d packages; %d are drawn by the seed %s\n", len(all), len(folders), len(drawn), seed)
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	overlay, err := embed(drawn, work)
	if err != nil {
		return err
	}
	times := map[string]time.Duration{}
	if text, err := os.ReadFile(clock); err == nil {
		if err := json.Unmarshal(text, &times); err != nil {
			return fmt.Errorf("%s: %w", clock, err)
		}
	}
	c, err := gather(drawn, overlay, work, tests, longest, times, at)
	if err != nil {
		return err
	}
	if text, err := json.MarshalIndent(times, "", " "); err == nil && clock != "" {
		if err := os.WriteFile(clock, text, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%d tests reach a change; without one they take %v\n", len(c.judges), c.spent.Round(time.Second))
	known, err := verdicts(log)
	if err != nil {
		return err
	}
	var (
		guard  sync.Mutex
		counts = map[verdict]int{}
		left   int
		spent  time.Duration
	)
	parallel(len(drawn), at, func(k int) {
		name := drawn[k].String()
		v, by, took := known[name], "", time.Duration(0)
		switch {
		case v != "":
		case time.Since(began) > budget:
			guard.Lock()
			left++
			guard.Unlock()
			return
		default:
			v, by, took = c.try(k, each)
		}
		guard.Lock()
		defer guard.Unlock()
		counts[v]++
		spent += took
		line := fmt.Sprintf("%-9s %s\t%.1f s\t%s\n", v, name, took.Seconds(), by)
		fmt.Printf("%3d %s", k+1, line)
		if log != "" && known[name] == "" {
			if err := note(log, line); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	})
	tried, lives := len(drawn)-left, counts[survived]+counts[unreached]
	share := 100 * float64(lives) / float64(max(1, tried))
	fmt.Printf("%d of %d tried: %d seen, %d endless, %d survive (%.0f%%), %d of these where no test comes; %.1f s each\n",
		tried, len(drawn), counts[killed], counts[endless], lives, share, counts[unreached],
		spent.Seconds()/float64(max(1, tried)))
	return nil
}

// verdicts reads a log; an absent one is empty.
func verdicts(log string) (map[string]verdict, error) {
	known := map[string]verdict{}
	text, err := os.ReadFile(log)
	if err != nil && (log == "" || os.IsNotExist(err)) {
		return known, nil
	}
	for line := range strings.Lines(string(text)) {
		if v, rest, ok := strings.Cut(line, " "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(rest), "\t")
			known[name] = verdict(v)
		}
	}
	return known, err
}

// note adds a line to a log.
func note(log, line string) error {
	f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// draw takes n of all places, by the seed.
func draw(all []site, n int, seed string) []site {
	h := fnv.New64a()
	h.Write([]byte(seed))
	r := rand.New(rand.NewPCG(h.Sum64(), 41))
	var drawn []site
	for _, k := range r.Perm(len(all))[:min(n, len(all))] {
		drawn = append(drawn, all[k])
	}
	return drawn
}
