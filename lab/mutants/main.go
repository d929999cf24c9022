// Mutants breaks conditions and bounds at random places of the search packages, runs the tests, and lists the changes
// that no test sees. It changes no file: the Go command reads each change through an overlay.
//
//	go run ./lab/mutants [-n 200] [-seed TEXT] [-for 1h] [-also PACKAGE,...] [PACKAGE...]
//
// A mutant first meets the tests of its own package, and if it lives those of -also. The seed is any text; the hash of
// the last commit before the draw shows that nobody chose the places. A mutant whose tests run out of time counts as
// seen: it made a search endless.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// searches are the packages that are drawn from if none are named.
var searches = []string{
	"internal/exact/canonical", "internal/exact/common", "internal/exact/engine", "internal/exact/ladder",
	"internal/exact/pairs",
	"internal/merge", "internal/merge/walls", "internal/climb", "internal/greedy", "internal/place", "internal/auto",
	"internal/lower",
	"internal/ruled", "internal/ruled/assign", "internal/ruled/conflictgraph", "internal/ruled/enumerate",
	"internal/ruled/eviction",
	"internal/ruled/evictbound", "internal/ruled/floor", "internal/ruled/parts", "internal/ruled/penalty",
	"internal/ruled/places",
	"internal/ruled/poolchoice", "internal/ruled/pools", "internal/ruled/stackdp", "session",
}

// A verdict is what became of a mutant.
type verdict string

const (
	killed   verdict = "seen"
	endless  verdict = "endless"
	invalid  verdict = "does not compile"
	survived verdict = "SURVIVES"
)

func main() {
	n := flag.Int("n", 200, "how many mutants are drawn")
	seed := flag.String("seed", "1", "any text")
	budget := flag.Duration("for", time.Hour, "no mutant is begun after this time")
	each := flag.Duration("each", 3*time.Minute, "the most time for the tests of one package")
	also := flag.String("also", "", "further packages whose tests a mutant meets, separated by commas")
	flag.Parse()
	folders := flag.Args()
	if len(folders) == 0 {
		folders = searches
	}
	var further []string
	if *also != "" {
		further = strings.Split(*also, ",")
	}
	if err := run(folders, further, *n, *seed, *budget, *each); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folders, also []string, n int, seed string, budget, each time.Duration) error {
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
	began, counts := time.Now(), map[verdict]int{}
	for k := range drawn {
		if time.Since(began) > budget {
			fmt.Printf("the time is over: %d of %d have been tried\n", k, len(drawn))
			break
		}
		v, err := try(&drawn[k], also, each)
		if err != nil {
			return err
		}
		counts[v]++
		fmt.Printf("%3d %-16s %s\n", k+1, v, &drawn[k])
	}
	tried := counts[killed] + counts[endless] + counts[survived]
	fmt.Printf("%d mutants: %d seen, %d endless, %d survive (%.0f%%)\n", tried, counts[killed], counts[endless],
		counts[survived],
		100*float64(counts[survived])/float64(max(1, tried)))
	return nil
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

// try runs the tests against one mutant.
func try(s *site, also []string, each time.Duration) (verdict, error) {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	text, err := s.mutate()
	if err != nil {
		return "", err
	}
	changed := filepath.Join(work, filepath.Base(s.file))
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return "", err
	}
	file, err := filepath.Abs(s.file)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	list := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", err
	}
	for _, pkg := range slices.Concat([]string{filepath.Dir(s.file)}, also) {
		if v, err := test(list, pkg, each); v != survived || err != nil {
			return v, err
		}
	}
	return survived, nil
}

// test runs the tests of one package.
func test(overlay, pkg string, each time.Duration) (verdict, error) {
	ctx, cancel := context.WithTimeout(context.Background(), each)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-failfast", "-vet=off", "-timeout",
		each.String(), "./"+pkg)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return survived, nil
	case ctx.Err() != nil, strings.Contains(string(out), "panic: test timed out"):
		return endless, nil
	case strings.Contains(string(out), "[build failed]"), strings.Contains(string(out), "[setup failed]"):
		return invalid, nil
	case errors.As(err, &exit):
		return killed, nil
	}
	return "", fmt.Errorf("go test: %w", err)
}
