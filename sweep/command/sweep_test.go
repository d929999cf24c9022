package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	_ "github.com/stowage-go/stowage/plan/all"
	"github.com/stowage-go/stowage/sweep/beam"
	"github.com/stowage-go/stowage/sweep/core"
	"github.com/stowage-go/stowage/sweep/spec"
)

// child says that the program is to be stowage-sweep: a test starts itself, since to build the command
// once more would take as long as all tests.
const child = "STOWAGE_SWEEP_CHILD"

func TestMain(m *testing.M) {
	plan.Register(deadly{})
	if os.Getenv(child) != "" {
		Main()
	}
	os.Exit(m.Run())
}

// deadly is a planner that ends its process, if the problem has 13 buffers.
type deadly struct{}

func (deadly) Info() plan.Info { return plan.Info{Name: "deadly", Summary: "ends its process"} }

func (deadly) Plan(_ context.Context, p *model.Problem, _ plan.Options) (plan.Result, error) {
	if len(p.Buffers) == 13 {
		os.Exit(7)
	}
	return plan.NewResult(model.Unknown, nil), nil
}

// sixty has sixty tasks of a millisecond or a hundred, with 360 rows.
const sixty = `
problems:
  - {generator: random, buffers: [40, 80], seeds: 0..4}
  - {generator: synthetic, seeds: 0..4}
  - {generator: infeasible, seeds: 0..4}
capacities: [minimize, 95%, 100%, 105%, 110%, 150%]
planners: [auto, exact, boxing]
nodes: 3000
timeout: 10m
`

// write writes a specification and returns its path and that of its folder.
func write(t *testing.T, text string) (file, out string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "spec.yaml")
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	return file, filepath.Join(filepath.Dir(file), spec.DefaultOut)
}

// sweep runs the command in this process.
func sweep(args ...string) (code int, stdout, stderr string) {
	for _, name := range beam.Flags { // Beam's options are variables of its own
		f := beam.Flag(name)
		if err := f.Value.Set(f.DefValue); err != nil {
			panic(err)
		}
	}
	var out, errs bytes.Buffer
	code = execute(New("stowage-sweep"), args, &out, &errs)
	return code, out.String(), errs.String()
}

// start runs the command in a process of its own.
func start(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), child+"=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	must.Do(t, cmd.Start())
	return cmd, &out
}

// plain returns the rows that a plain loop makes.
func plain(t *testing.T, file string) (all []core.Row) {
	t.Helper()
	s := must.Get(spec.Read(file, plannerNames()))(t)
	store := core.Local(t.TempDir())
	l := must.Get(core.Load(t.Context(), s, store))(t)
	j := must.Get(core.Cut(t.Context(), s, l, store, core.Version()))(t)
	for k := range j.All {
		rows := must.Get(core.NewWorker(store, core.Version()).Solve(t.Context(), &j.All[k]))(t)
		all = append(all, rows...)
	}
	return settled(all)
}

// settled returns rows without what differs from run to run.
func settled(rows []core.Row) (all []core.Row) {
	for _, r := range rows {
		all = append(all, r.Settled())
	}
	core.Sort(all)
	return all
}

// kept returns the rows in a folder. Each run must be in one file alone.
func kept(t *testing.T, out string) []core.Row {
	t.Helper()
	rows := must.Get(core.ReadRows(t.Context(), core.Local(out)))(t)
	n := 0
	for _, name := range files(t, out) {
		data := must.Get(os.ReadFile(name))(t)
		in := must.Get(core.Decode(data, name))(t)
		n += len(in)
	}
	if n != len(rows) {
		t.Errorf("the files have %d rows of %d runs", n, len(rows))
	}
	return settled(rows)
}

func files(t *testing.T, out string) []string {
	t.Helper()
	return must.Get(filepath.Glob(filepath.Join(out, "runs", "*", "*.parquet")))(t)
}

// TestKill: a sweep on Prism is killed five times when so many files are there, and goes on. Its rows are
// those of a plain loop, and each is there once.
func TestKill(t *testing.T) {
	file, out := write(t, sixty)
	for _, n := range []int{1, 9, 20, 33, 47} {
		cmd, said := start(t, "run", file, "-q")
		for len(files(t, out)) < n {
			if time.Sleep(time.Millisecond); cmd.ProcessState != nil || t.Context().Err() != nil {
				t.Fatalf("%d files: %s", n, said)
			}
		}
		must.Do(t, cmd.Process.Kill())
		if err := cmd.Wait(); err == nil {
			t.Fatalf("it has ended before it was killed at %d files: %s", n, said)
		}
	}
	before := len(files(t, out))
	if before >= 60 {
		t.Errorf("%d files at the last death: too late to test anything", before)
	}
	code, stdout, stderr := sweep("run", file)
	if code != exitOK || stdout != filepath.Join(out, "report.html")+"\n" || !strings.Contains(stderr, "360 of 360 runs") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	must.Same(t, plain(t, file), kept(t, out))
	again := files(t, out)
	if code, _, stderr := sweep("run", file); code != exitOK || !strings.Contains(stderr, "360 runs, 360 done before") ||
		len(files(t, out)) != len(again) {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	for _, pattern := range []string{"t*/*", "runs/*/.*"} {
		left, err := filepath.Glob(filepath.Join(out, filepath.FromSlash(pattern)))
		if err != nil || len(left) != 0 {
			t.Errorf("left behind: %q, %v", left, err)
		}
	}
}

// TestShards: eight shards, each a run of its own, make the rows that Prism makes.
func TestShards(t *testing.T) {
	file, out := write(t, sixty)
	parts := filepath.Join(filepath.Dir(out), "parts")
	for i := range 8 {
		code, stdout, stderr := sweep("run", file, "-q", "-o", parts, fmt.Sprintf("--shard=%d/8", i))
		if last := i == 7; code != exitOK || (stdout != "") != last {
			t.Errorf("shard %d: exit code %d\n%s\n%s", i, code, stdout, stderr)
		}
	}
	if code, _, stderr := sweep("run", file, "-q"); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	must.Same(t, kept(t, out), kept(t, parts))
	if code, stdout, stderr := sweep("diff", out, parts); code != exitOK || !strings.Contains(stdout, "360 the same") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, stderr := sweep("status", file); code != exitOK ||
		!strings.Contains(stdout, "360 of 360 runs, 60 of 60 tasks") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if code, stdout, stderr := sweep("report", out); code != exitOK || stdout != filepath.Join(out, "report.html")+"\n" {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
	if info, err := os.Stat(files(t, out)[0]); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestReportRuns: report writes the runs as lines, compressed if the name says so; diff of a sweep that
// lacks rows says that it is worse.
func TestReportRuns(t *testing.T) {
	file, out := write(t, "problems:\n  - {generator: random, buffers: [12, 13, 14]}\nplanners: [first-fit]\nout: sweep-out\n")
	if code, _, stderr := sweep("run", file, "-q", "--runner=loop"); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	plain, packed := filepath.Join(filepath.Dir(out), "runs.jsonl"), filepath.Join(filepath.Dir(out), "runs.jsonl.gz")
	for _, path := range []string{plain, packed} {
		if code, _, stderr := sweep("report", out, "--runs", path); code != exitOK {
			t.Errorf("exit code %d\n%s", code, stderr)
		}
	}
	lines, err := os.ReadFile(plain)
	if err != nil || strings.Count(string(lines), "\n") != 3 || !strings.Contains(string(lines), `"planner":"first-fit"`) {
		t.Errorf("%v\n%s", err, lines)
	}
	f := must.Get(os.Open(packed))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	if unpacked, err := io.ReadAll(z); err != nil || string(unpacked) != string(lines) {
		t.Errorf("%v\n%s", err, unpacked)
	}
	fewer := filepath.Join(filepath.Dir(out), "fewer")
	must.Do(t, os.CopyFS(fewer, os.DirFS(out)))
	must.Do(t, os.Remove(files(t, fewer)[0]))
	if code, stdout, _ := sweep("diff", out, fewer); code != exitWorse || !strings.Contains(stdout, "missing: 1\n") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	if code, stdout, _ := sweep("diff", fewer, out); code != exitOK || !strings.Contains(stdout, "new: 1\n") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// TestDeadlyTask: a task that ends its process is given up at the fourth run, and the others are done.
func TestDeadlyTask(t *testing.T) {
	file, out := write(t, "problems:\n  - {generator: random, buffers: [12, 13, 14]}\nplanners: [deadly, first-fit]\nout: sweep-out\n")
	for k := range core.Deaths {
		cmd, said := start(t, "run", file, "-q", "--runner=loop", "--workers=1")
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
			t.Fatalf("run %d: %v\n%s", k, err, said)
		}
	}
	code, _, stderr := sweep("run", file)
	if code != exitIncomplete || !strings.Contains(stderr, "5 of 6 runs, 1 line in dead.jsonl") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, stdout, _ := sweep("status", out); code != exitIncomplete ||
		!strings.Contains(stdout, "given up: random-13-seed-0 deadly: its worker died 3 times") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	if rows := kept(t, out); len(rows) != 5 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestEndpoint: a job server that is not there, or is none, is told within seconds.
func TestEndpoint(t *testing.T) {
	file, out := write(t, sixty)
	listener := must.Get(net.Listen("tcp", "localhost:0"))(t)
	mute := listener.Addr().String() // accepts nobody
	gone := must.Get(net.Listen("tcp", "localhost:0"))(t)
	gone.Close()
	defer listener.Close()
	for address, want := range map[string]string{
		gone.Addr().String(): "nobody answers", mute: "is no job server of Beam",
		"nowhere.invalid:8099": "nobody answers", "8099": "nobody answers",
	} {
		code, _, stderr := sweep("run", file, "--runner=flink", "--endpoint="+address)
		if code != exitUsage || !strings.Contains(stderr, fmt.Sprintf("--endpoint %q: %s", address, want)) {
			t.Errorf("%s: exit code %d\n%s", address, code, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// TestUsage: what makes no sense is told, with exit code 2, and nothing is written.
func TestUsage(t *testing.T) {
	file, out := write(t, sixty)
	bad, _ := write(t, "problems: ['*.csv']\nplanner: auto\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run"}, "stowage-sweep: missing argument SPEC"},
		{[]string{"run", file, "more"}, `stowage-sweep: unexpected argument "more"`},
		{[]string{"run", filepath.Join(out, "none.yaml")}, "stowage-sweep: open "},
		{[]string{"run", bad}, bad + `:2: "planner": is no key of a sweep; did you mean planners?`},
		{[]string{"run", file, "--shard=8/8"}, `stowage-sweep: invalid argument "8/8" for --shard: must be I/N with I from 0 to N-1`},
		{[]string{"run", file, "--shard=0/2", "--runner=flink"}, "stowage-sweep: --shard and --runner=flink"},
		{[]string{"run", file, "--runner=spork"}, `stowage-sweep: no runner is named "spork"; there are prism, flink`},
		{[]string{"run", file, "--runner=loop", "--endpoint=a:1"}, "stowage-sweep: --endpoint is for a runner of Beam"},
		{[]string{"run", file, "--workers=2"}, "stowage-sweep: --workers is for --shard"},
		{[]string{"run", file, "-o", "ftp://host/folder"}, "stowage-sweep: ftp://host/folder: no object store"},
		{[]string{"run", file, "--nodes=4"}, "stowage-sweep: unknown flag: --nodes"},
		{[]string{"status", filepath.Dir(file)}, "stowage-sweep: " + filepath.Dir(file) + ": is no folder of a sweep"},
		{[]string{"diff", out, out}, "stowage-sweep: " + out + ": has no rows of a sweep"},
		{[]string{"diff", out, out, "--format=xml"}, `stowage-sweep: invalid argument "xml" for --format`},
	} {
		if code, stdout, stderr := sweep(c.args...); code != exitUsage || stdout != "" || !strings.HasPrefix(stderr, c.want) {
			t.Errorf("%q: exit code %d\n%s%swant %s", c.args, code, stdout, stderr, c.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}

// TestUnwritable: an output that cannot be written is exit code 1, and told once, however many problems there are.
func TestUnwritable(t *testing.T) {
	file, _ := write(t, sixty)
	for k, name := range []string{"one.csv", "two.csv"} {
		text := fmt.Sprintf("id,lower,upper,size\na,0,1,%d\n", k+1)
		must.Do(t, os.WriteFile(filepath.Join(filepath.Dir(file), name), []byte(text), 0o666))
	}
	must.Do(t, os.WriteFile(file, []byte("problems: ['*.csv']\n"), 0o666))
	taken := filepath.Join(t.TempDir(), "taken")
	must.Do(t, os.WriteFile(taken, nil, 0o666))
	code, _, stderr := sweep("run", "-q", file, "-o", taken)
	if code != exitInternal || !strings.HasPrefix(stderr, "stowage-sweep: cannot write into "+taken+": ") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("a file for a folder: exit code %d\n%s", code, stderr)
	}
	code, _, stderr = sweep("run", "-q", file, "-o", "")
	if code != exitUsage || !strings.HasPrefix(stderr, `stowage-sweep: invalid argument "" for --out`) {
		t.Errorf("no folder: exit code %d\n%s", code, stderr)
	}
}

// TestDamaged: a file of a sweep that is damaged is exit code 2, and told with its path and what to do. What
// is told helps.
func TestDamaged(t *testing.T) {
	file, out := write(t, sixty)
	if code, _, stderr := sweep("run", "-q", file); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	runs, err := filepath.Glob(filepath.Join(out, "runs", "*", "*.parquet"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("%q, %v", runs, err)
	}
	ruin := func(path, text string) {
		t.Helper()
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)))
	}
	refused := func(path, want string, args ...string) {
		t.Helper()
		code, _, stderr := sweep(args...)
		if _, last, _ := strings.Cut("\n"+stderr, "\n"+path+": is damaged: "); code != exitUsage ||
			!strings.Contains(last, want) {
			t.Errorf("%q: exit code %d\n%s", args, code, stderr)
		}
	}
	ruin(runs[0], "junk")
	for _, args := range [][]string{{"run", "-q", file}, {"report", out}, {"diff", out, out}} {
		refused(runs[0], "remove it, and run the sweep again", args...)
	}
	must.Do(t, os.Remove(runs[0]))
	if code, _, stderr := sweep("run", "-q", file); code != exitOK {
		t.Errorf("after removal: exit code %d\n%s", code, stderr)
	}
	dead := filepath.Join(out, "dead", "abc.json")
	ruin(dead, "junk")
	refused(dead, "--retry-dead", "status", out)
	refused(dead, "--retry-dead", "run", "-q", file)
	if code, _, stderr := sweep("run", "-q", "--retry-dead", file); code != exitOK {
		t.Errorf("with --retry-dead: exit code %d\n%s", code, stderr)
	}
	for _, text := range []string{"", "{}", "null", "[]", `{"schema":1,"tasks":["a"]}`} {
		tasks := filepath.Join(out, "tasks.json")
		ruin(tasks, text)
		refused(tasks, "run the sweep again", "status", out)
	}
	if code, _, stderr := sweep("run", "-q", file); code != exitOK {
		t.Errorf("after tasks.json: exit code %d\n%s", code, stderr)
	}
}
