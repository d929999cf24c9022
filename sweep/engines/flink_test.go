package engines_test

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestFlink runs a sweep on a real cluster, and kills a task manager with kill -9 when eight files are
// there. The third task manager takes its place, and Flink starts the job again.
func TestFlink(t *testing.T) {
	plantest.Nightly(t)
	for _, name := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(name); err != nil || runtime.GOOS != "linux" {
			t.Skipf("there is no %s to start Flink with (java)", name)
		}
	}
	file, out := specFile(t)
	script, err := filepath.Abs("../flink/boot.sh")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c := newCluster(t, filepath.Join(boot(t), "boot"), 2)
	t.Logf("the cluster is up after %v", time.Since(began).Round(time.Second))

	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	client := sweep(t, "run", file, "--runner=flink", "--endpoint="+c.endpoint(), "--parallelism=2",
		"--environment_type=PROCESS", "--environment_config={\"command\":"+strconv.Quote(script)+"}")
	var said bytes.Buffer
	client.Stdout, client.Stderr = &said, &said
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	going, over := context.WithCancel(ctx)
	go func() { ended <- client.Wait(); over() }()
	if !reach(going, out, 8) {
		t.Fatalf("%d files\n%s\n%s", files(out), &said, c.logs())
	}
	victim := c.running[1]
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-victim.ended
	c.running = slices.Delete(c.running, 1, 2)
	at := files(out)
	if at >= 40 {
		t.Errorf("%d of 50 files were there when the task manager was killed: too late to test anything", at)
	}
	c.taskManager(3)
	select {
	case err = <-ended:
	case <-ctx.Done():
		client.Process.Kill()
		err = ctx.Err()
	}
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, &said, c.logs())
	}
	t.Logf("killed at %d files; done after %v\n%s", at, time.Since(began).Round(time.Second), &said)
	check(t, out)
	once(t, out)

	if len(c.left()) < 4 {
		t.Errorf("the cluster's own processes are not found: %q", c.left())
	}
	// The workers of the killed task manager ended with it, and all others end with theirs.
	c.stop()
	var left []string
	for range 300 {
		if left = c.left(); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("processes are left: %q", left)
}
