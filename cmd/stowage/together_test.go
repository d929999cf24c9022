package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTogether has the figures of --stats that cannot be written: then the plan is not
// there either, and an older one stays.
func TestTogether(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here (linux)")
	}
	dir := t.TempDir()
	problem, plan := filepath.Join(dir, "p.csv"), filepath.Join(dir, "plan.csv")
	if err := os.WriteFile(problem, []byte("id,lower,upper,size\na,0,2,3\nb,1,3,4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	solve := func(stats string) int {
		return execute([]string{"solve", problem, "-q", "-o", plan, "--stats", stats}, os.Stdout, os.Stderr)
	}
	if code := solve("/dev/full"); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(plan); err == nil {
		t.Error("the plan was written")
	}
	if err := os.WriteFile(plan, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := solve("/dev/full"); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if text, err := os.ReadFile(plan); err != nil || string(text) != "old" {
		t.Errorf("the old plan is %q, %v", text, err)
	}
	if code := solve(filepath.Join(dir, "stats.json")); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if text, err := os.ReadFile(plan); err != nil || string(text) == "old" {
		t.Errorf("the plan is %q, %v", text, err)
	}
}
