package engines_test

import (
	"fmt"
	"testing"
)

// TestShards runs eight shards, two at a time.
func TestShards(t *testing.T) {
	file, out := specFile(t)
	done := make(chan error, 2)
	for i := range 8 {
		cmd := sweep(t, "run", file, fmt.Sprintf("--shard=%d/8", i))
		go func() { done <- cmd.Run() }()
		if i%2 == 1 {
			for range 2 {
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	check(t, out)
	once(t, out)
	if said := run(t, "run", file, "--shard=3/8"); files(out) != 50 {
		t.Errorf("a shard that is done was done again: %s", said)
	}
}

// TestPrism runs the sweep with the runner that needs nothing.
func TestPrism(t *testing.T) {
	file, out := specFile(t)
	run(t, "run", file)
	check(t, out)
	once(t, out)
}
