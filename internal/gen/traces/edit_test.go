package traces

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// stacked returns a plan: each buffer above all before it.
func stacked(p *model.Problem) (offsets []int64, height int64) {
	for i := range p.Buffers {
		offsets = append(offsets, height)
		height += p.Buffers[i].Size
	}
	return offsets, height
}

// TestEdit follows traces: the loads fit, the number of buffers stays near that of the base, and a written trace can be
// read.
func TestEdit(t *testing.T) {
	for seed := range uint64(4) {
		base := must.Get(gen.Generate("random", gen.Options{Seed: seed, Buffers: 60, MaxSize: 4096, MinSize: 64}))(t)
		offsets, _ := stacked(base)
		capacity := peakOf(base.Buffers) * 21 / 20
		tr := must.Get(Edit(base, offsets, EditOptions{Seed: seed, Changes: 400, Capacity: capacity, Pins: 0.05}))(t)
		seen := map[trace.Kind]int{}
		live := map[string]model.Buffer{}
		saved := map[string]map[string]model.Buffer{}
		for _, op := range tr.Ops {
			seen[op.Kind]++
			b := live[op.ID]
			switch op.Kind {
			case trace.Add:
				live[op.ID] = op.Buffer()
			case trace.Remove:
				delete(live, op.ID)
			case trace.Resize:
				b.Size = op.Size
				live[op.ID] = b
			case trace.Retime:
				if op.Upper-op.Lower != b.Upper-b.Lower {
					t.Fatalf("seed %d: a shift changes the duration", seed)
				}
				b.Lower, b.Upper = op.Lower, op.Upper
				live[op.ID] = b
			case trace.Mark:
				saved[op.ID] = map[string]model.Buffer{}
				for id, b := range live {
					saved[op.ID][id] = b
				}
			case trace.Rollback:
				live = saved[op.ID]
			}
			if seen[trace.Add] < len(base.Buffers) {
				continue
			}
			var all []model.Buffer
			for _, b := range live {
				all = append(all, b)
			}
			if load := peakOf(all); load > capacity || len(all) < 54 || len(all) > 66 {
				t.Fatalf("seed %d: %d buffers, load %d of %d", seed, len(all), load, capacity)
			}
		}
		for _, kind := range []trace.Kind{
			trace.Add, trace.Remove, trace.Resize, trace.Retime, trace.Mark, trace.Rollback, trace.Commit, trace.Pin,
			trace.Unpin,
		} {
			if seen[kind] < 3 {
				t.Errorf("seed %d: %s came %d times", seed, kind, seen[kind])
			}
		}
		var text, again bytes.Buffer
		must.Do(t, trace.Write(&text, tr))
		read := must.Get(trace.Read(bytes.NewReader(text.Bytes()), "t"))(t)
		if err := trace.Write(&again, read); err != nil || !bytes.Equal(text.Bytes(), again.Bytes()) {
			t.Fatal("what is written is not what is read")
		}
		if sum := fmt.Sprintf("%x", sha256.Sum256(text.Bytes()))[:16]; seed == 1 && sum != "4874c927b15f8d5e" {
			t.Errorf("the trace of seed 1 has changed: %s", sum)
		}
	}
}

// TestEditRefuses has bases that a trace cannot say.
func TestEditRefuses(t *testing.T) {
	at := int64(0)
	for _, b := range []model.Buffer{
		{ID: "a", Upper: 9, Size: 64, Fixed: &at},
		{ID: "a", Upper: 9, Size: 64, Gaps: []model.Gap{{Lower: 3, Upper: 4}}},
	} {
		if _, err := Edit(&model.Problem{Buffers: []model.Buffer{b}}, []int64{0}, EditOptions{}); err == nil {
			t.Error("no error")
		}
	}
	if _, err := Edit(&model.Problem{}, nil, EditOptions{}); err == nil {
		t.Error("no error without buffers")
	}
}

// peakOf is the largest load, slot by slot where a buffer begins.
func peakOf(buffers []model.Buffer) (peak int64) {
	for i := range buffers {
		load := int64(0)
		for j := range buffers {
			if b := &buffers[j]; b.Lower <= buffers[i].Lower && buffers[i].Lower < b.Upper {
				load += b.Size
			}
		}
		peak = max(peak, load)
	}
	return peak
}
