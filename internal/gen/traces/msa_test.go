package traces

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestMSA follows traces: blocks in fast memory never overlap, a group has one offset, and packings and requests do
// what they say.
func TestMSA(t *testing.T) {
	base := must.Get(gen.Generate("random", gen.Options{Seed: 4, Buffers: 60, MaxSize: 1 << 20, MinSize: 64}))(t)
	seen := map[string]int{}
	for seed := range uint64(4) {
		o := MSAOptions{Seed: seed, Tensors: 150, Share: 0.4, Repacks: 50, Evict: 0.04}
		of := base
		if seed%2 == 0 {
			of = nil
		}
		tr := must.Get(MSA(of, o))(t)
		follow(t, tr, seen)
		var text, again bytes.Buffer
		must.Do(t, trace.Write(&text, tr))
		read := must.Get(trace.Read(bytes.NewReader(text.Bytes()), "t"))(t)
		if err := trace.Write(&again, read); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
			t.Fatal("what is written is not what is read")
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text.Bytes()))[:16]; seed == 2 && sum != "a593d07f7a0717c1" {
			t.Errorf("the trace of seed 2 has changed: %s", sum)
		}
	}
	for what, least := range map[string]int{
		"success": 300, "oom": 20, "moved": 20, "refused": 1, "remove": 5, "grouped": 100, "copied": 5,
	} {
		if seen[what] < least {
			t.Errorf("%s came %d times", what, seen[what])
		}
	}
	if _, err := MSA(nil, MSAOptions{Tensors: 20, Capacity: 1 << 20}); err != nil {
		t.Error(err)
	}
}

// follow checks a trace of requests.
func follow(t *testing.T, tr *trace.Trace, seen map[string]int) {
	t.Helper()
	live, saved := map[string]trace.Op{}, map[string]map[string]trace.Op{}
	request := trace.Op{}
	for n := range tr.Ops {
		op := tr.Ops[n]
		switch op.Kind {
		case trace.Request:
			if op.Segments != nil {
				request = op
			} else if !strings.HasPrefix(op.ID, request.ID+".") || op.Size != request.Segments[0].Size {
				t.Fatalf("%+v fails in request %s", op, request.ID)
			}
		case trace.Add:
			live[op.ID] = op
		case trace.Remove:
			seen["remove"]++
			delete(live, op.ID)
		case trace.Mark:
			saved[op.ID] = map[string]trace.Op{}
			for id, x := range live {
				saved[op.ID][id] = x
			}
		case trace.Rollback:
			live = saved[op.ID]
		case trace.Replan:
			if seen["moved"]++; op.Moved == nil {
				if seen["refused"]++; op.Height <= tr.Capacity {
					t.Fatal("a packing that fits moves nothing")
				}
			}
			for _, m := range op.Moved {
				x := live[m.ID]
				offset := m.Offset
				x.Offset = &offset
				live[m.ID] = x
			}
		case trace.Result:
			seen[op.Outcome]++
			for k, s := range request.Segments {
				x, there := live[s.ID]
				if there != (op.Outcome == "success") {
					t.Fatalf("%s: %s, but %s is there: %v", request.ID, op.Outcome, s.ID, there)
				}
				if there && (x.Upper != s.Upper || x.Lower < s.Lower) {
					t.Fatalf("%+v is not of %+v", x, s)
				}
				if there && k > 0 && x.Group == live[request.Segments[k-1].ID].Group {
					seen["grouped"]++
				} else if there && k > 0 {
					seen["copied"]++
				}
			}
		}
		if op.Kind != trace.Result && op.Kind != trace.Replan {
			continue
		}
		for id, x := range live {
			if *x.Offset%tr.Alignment != 0 || *x.Offset+x.Size > tr.Capacity {
				t.Fatalf("%s lies at %d", id, *x.Offset)
			}
			for other, y := range live {
				if id < other && x.Group == y.Group && *x.Offset != *y.Offset {
					t.Fatalf("%s and %s of one group lie at %d and %d", id, other, *x.Offset, *y.Offset)
				}
				if id < other && x.Lower < y.Upper && y.Lower < x.Upper && *x.Offset < *y.Offset+y.Size &&
					*y.Offset < *x.Offset+x.Size {
					t.Fatalf("%s and %s overlap", id, other)
				}
			}
		}
	}
}
