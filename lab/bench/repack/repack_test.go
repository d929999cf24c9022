package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/session/repack"
)

// invented is a log in the form of libtpu's, with the lines that record.py reads. Block 1 is in two slices, and
// blocks 2 and 3 are a ring.
const invented = `I1124 17:11:30.1 18355 memory_space_assignment.cc:471] max_size_in_bytes: 16384
I1124 17:11:30.1 18355 memory_space_assignment.cc:471] alignment_in_bytes: 4096
no line of the log
I1124 17:11:30.2 18355 algorithm.cc:5128] Processing buffer: <1 a>
I1124 17:11:30.2 18355 algorithm.cc:9480] Finding allocation for computation = main, value = <1 a> [2, 5] latest prefetch = 5 last use = 7 use = b, operand 0. Size = 8192, def pos = a
I1124 17:11:30.2 18355 algorithm.cc:9495] Definition benefit = 2e-06 use benefit = 1e-06
I1124 17:11:30.2 18355 algorithm.cc:6224] AllocateSegment result: FailOutOfMemory
I1124 17:11:30.2 18355 algorithm.cc:9480] Finding allocation for computation = main, value = <1 a> [5, 7] latest prefetch = 7 last use = 7 use = c, operand 0. Size = 8192, def pos = a
I1124 17:11:30.2 18355 algorithm.cc:9495] Definition benefit = 2e-06 use benefit = 1e-06
I1124 17:11:30.2 18355 algorithm.cc:6224] AllocateSegment result: Success
I1124 17:11:30.2 18355 algorithm.cc:5153] Allocation result = FailOutOfMemory
I1124 17:11:30.2 18355 algorithm.cc:5214] Repacking.
I1124 17:11:30.3 18355 best_fit_repacker.cc:348] Committing repack chunks for id: 1; time interval: [3, 6]; size: 8192; offset: -1; initial offset: 8192; # colocations: 1; original_slice_data: { slices_sorted_by_offset: [ { size: 4096, offset: 8192, inclusive_start_time: 4 }, { size: 4096, offset: 12288, inclusive_start_time: 3 } ] }
I1124 17:11:30.3 18355 best_fit_repacker.cc:348] Committing repack chunks for id: 2; time interval: [0, 1]; size: 4096; offset: -1; initial offset: 4096; # colocations: 2
I1124 17:11:30.3 18355 best_fit_repacker.cc:348] Committing repack chunks for id: 3; time interval: [2, 3]; size: 4096; offset: -1; initial offset: 4096; # colocations: 2
I1124 17:11:30.3 18355 best_fit_repacker.cc:611] AllocationBlock after repacking: id: 1; time interval: [3, 6]; size: 8192; offset: 0; initial offset: 8192; # colocations: 1; original_slice_data: { slices_sorted_by_offset: [ { size: 4096, offset: 8192, inclusive_start_time: 4 }, { size: 4096, offset: 12288, inclusive_start_time: 3 } ] }; repacked_slice_data: { slices_sorted_by_offset: [ { size: 4096, offset: 0, inclusive_start_time: 3 }, { size: 4096, offset: 4096, inclusive_start_time: 4 } ] }
I1124 17:11:30.3 18355 best_fit_repacker.cc:611] AllocationBlock after repacking: id: 2; time interval: [0, 1]; size: 4096; offset: 4096; initial offset: 4096; # colocations: 2
I1124 17:11:30.3 18355 best_fit_repacker.cc:611] AllocationBlock after repacking: id: 3; time interval: [2, 3]; size: 4096; offset: 4096; initial offset: 4096; # colocations: 2
I1124 17:11:30.3 18355 best_fit_repacker.cc:615] Repacking successful with heap size 8192
I1124 17:11:30.3 18355 algorithm.cc:5218] Repack complete. Modified = true
I1124 17:11:30.3 18355 algorithm.cc:5153] Allocation result = Success
I1124 17:11:30.4 18355 memory_space_assignment.cc:614] Estimated elapsed time with async copies (sec): 0.5
`

// read is what becomes of the log.
const read = `{"op":"open","format":"stowage-trace/1","capacity":16384,"alignment":4096,"source":"invented"}
{"op":"request","id":"r1","value":4000000,"segments":[{"id":"r1.0","lower":2,"upper":6,"size":8192},{"id":"r1.1","lower":5,"upper":8,"size":8192}]}
{"op":"add","id":"b1","lower":3,"upper":7,"size":8192,"offset":8192,"slices":[{"lower":4,"size":4096},{"lower":3,"size":4096}]}
{"op":"add","id":"b2","lower":0,"upper":2,"size":4096,"group":"g3","offset":4096}
{"op":"add","id":"b3","lower":2,"upper":4,"size":4096,"group":"g3","offset":4096}
{"op":"request","id":"r1.failed","lower":2,"upper":6,"size":8192}
{"op":"replan","reason":"oom","height":8192,"moved":[{"id":"b1","offset":0,"slices":[{"lower":3,"size":4096},{"lower":4,"size":4096}]}]}
{"op":"result","value":"success"}
`

// TestRecord has record.py read a log, and the trace.
func TestRecord(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("TestRecord needs python3")
	}
	cmd := exec.Command(python, "-c", `import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, ".")
import record
reader = record.Reader()
for line in sys.stdin:
    reader.line(line)
reader.end()
assert reader.estimates["with"] == 0.5 and reader.repacks == 1
record.write(sys.argv[1], reader, "invented")
print(open(sys.argv[1]).read(), end="")
`, t.TempDir()+"/t.jsonl")
	cmd.Stdin = strings.NewReader(invented)
	var fault strings.Builder
	cmd.Stderr = &fault
	out, err := cmd.Output()
	if err != nil || string(out) != read {
		t.Fatalf("%v: %s\n%s", err, fault.String(), out)
	}
}

// TestCalls follows that trace: the call has the blocks, and two of them share bytes in the recorder's plan.
func TestCalls(t *testing.T) {
	tr := must.Get(trace.Read(strings.NewReader(read), "t"))(t)
	calls, err := callsOf(tr)
	if err != nil || len(calls) != 1 {
		t.Fatal(calls, err)
	}
	c := &calls[0]
	if len(c.Blocks) != 3 || c.Blocks[0].End != 6 || c.Blocks[1].Group == 0 || c.Blocks[1].Group != c.Blocks[2].Group ||
		c.wanted.End != 5 || c.theirs != 8192 {
		t.Fatalf("%+v", c)
	}
	var sum tally
	must.Do(t, sum.add(t.Context(), c, repack.Options{}))
	if sum.calls != 1 || sum.atLoad != 1 || sum.bestFit != 1 || sum.higher != 0 || sum.whole != 0 || sum.told != 1 {
		t.Errorf("%+v", sum)
	}
}

// TestReplayed makes both tables of drawn traces: no call is above the given plan or the recorder's.
func TestReplayed(t *testing.T) {
	var all []named
	for seed := range uint64(2) {
		tr := must.Get(traces.MSA(nil, traces.MSAOptions{Seed: seed + 3, Tensors: 120, Share: 0.3, Repacks: 20}))(t)
		all = append(all, named{"t", tr})
		calls, err := callsOf(tr)
		if err != nil || len(calls) == 0 {
			t.Fatal(err)
		}
		for k := range calls {
			if fault := check(&calls[k]); fault != "" {
				t.Fatal(fault)
			}
		}
	}
	text, err := replayed(t.Context(), all, repack.Options{NodeLimit: 50}, true)
	if err != nil || strings.Contains(text, "above in") || strings.Count(text, "\n") != 5 {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err = figure18(t.Context(), all, repack.Options{NodeLimit: 50})
	if err != nil || strings.Count(text, "\n") != 5 {
		t.Fatalf("%v\n%s", err, text)
	}
}

// check returns what is wrong with the plan that a call is given.
func check(c *call) string {
	var at []int64
	var order [][]repack.Slice
	for i := range c.Blocks {
		at, order = append(at, c.Blocks[i].Offset), append(order, c.Blocks[i].Slices)
	}
	return repack.Check(&c.Call, at, order)
}
