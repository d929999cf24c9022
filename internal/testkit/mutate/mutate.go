// Package mutate damages files and holds a reader to its limits on them, for tests.
package mutate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// Variable is the environment variable that says how many damaged files a test
// reads: STOWAGE_MUTATIONS=100000 go test -run Mutated ./format/...
const Variable = "STOWAGE_MUTATIONS"

// Read damages the seeds and calls read on each result. read may return an error and must not panic. Read fails if a
// call allocates more than three times the budget of a reader, which is 32 MiB and 32 bytes for each byte of the file
// (format/internal/source/budget.go). In make pace it also fails if a call takes longer than a second of the
// processor for each MB begun. Of a hundred files at least one must still be readable, and one must not, or the
// damage shows nothing.
func Read(t *testing.T, most int, seeds [][]byte, read func(data []byte) error) {
	t.Helper()
	most = Times(t, most)
	rng := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range most {
		if Hold(t, damage(rng, seeds), read) == nil {
			good++
		}
	}
	if bad := most - good; most >= 500 && (good < most/100 || bad < most/100) {
		t.Errorf("one-sided: %d files read, %d do not", good, bad)
	}
}

// Times returns how many damaged files a test is to read: what Variable says, or most in
// CI and a third of them on a desk.
func Times(t *testing.T, most int) int {
	t.Helper()
	s := os.Getenv(Variable)
	if s == "" {
		return plantest.Share(most, most/3)
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q, want a number of files", Variable, s)
	}
	return n
}

// Hold calls read on one file and fails if that takes too much memory, in make pace also time. It
// returns what read does.
func Hold(t *testing.T, data []byte, read func(data []byte) error) error {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var err error
	limit := time.Duration(1+len(data)>>20) * time.Second
	pace.Quietly(t, limit, func() string {
		return fmt.Sprintf("a file of %d bytes that begins %q", len(data), data[:min(len(data), 100)])
	}, func() { err = read(data) })
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 3*(uint64(32*len(data))+32<<20) {
		t.Fatalf("a file of %d bytes took %d of memory; it begins %q", len(data), used, data[:min(len(data), 100)])
	}
	return err
}

// damage returns a seed with one to four faults.
func damage(rng *rand.Rand, seeds [][]byte) []byte {
	data := bytes.Clone(seeds[rng.IntN(len(seeds))])
	for range 1 + rng.IntN(4) {
		if len(data) < 2 {
			break
		}
		at := rng.IntN(len(data))
		switch rng.IntN(9) {
		case 0:
			data[at] ^= 1 << rng.IntN(8)
		case 1:
			data[at] = byte(rng.IntN(256))
		case 2: // as far as a length or a number reaches
			data[at] = 0xff
		case 3:
			data = data[:at]
		case 4: // a piece again, somewhere else
			piece := data[at:min(len(data), at+1+rng.IntN(64))]
			data = bytes.Join([][]byte{data[:at], piece, data[at:]}, nil)
		case 5: // a piece less
			end := min(len(data), at+1+rng.IntN(64))
			data = bytes.Join([][]byte{data[:at], data[end:]}, nil)
		case 6: // a piece of another seed
			other := seeds[rng.IntN(len(seeds))]
			from := rng.IntN(len(other))
			copy(data[at:], other[from:min(len(other), from+1+rng.IntN(64))])
		case 7: // a digit
			data[at] = "0123456789-"[rng.IntN(11)]
		case 8: // a line or so many times
			piece := data[at:min(len(data), at+1+rng.IntN(100))]
			data = bytes.Join([][]byte{data[:at], bytes.Repeat(piece, 1+rng.IntN(1000)), data[at:]}, nil)
		}
	}
	return data
}
