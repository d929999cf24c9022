package gen

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/pace"
	"github.com/stowage-go/stowage/model"
)

// TestEmitted checks what all programs of compilers have in common: the number of buffers asked for, sizes in granules,
// times that are indices of ops with none left out, and a load that is neither one buffer nor all of them.
func TestEmitted(t *testing.T) {
	for _, kind := range []string{"inference", "training", "tiles", "prefill", "decode", "mix"} {
		for seed := range uint64(10) {
			for _, n := range []int{1, 2, 7, 60, 1000, 20000} {
				p := must.Get(Generate(kind, Options{Buffers: n, Seed: seed}))(t)
				if len(p.Buffers) != n {
					t.Fatalf("%s seed %d: %d buffers, want %d", kind, seed, len(p.Buffers), n)
				}
				var end, sum, life int64
				for i := range p.Buffers {
					b := &p.Buffers[i]
					if b.Size%granule != 0 || b.Size > 1<<32 || b.Lower < 0 {
						t.Fatalf("%s seed %d: buffer %+v", kind, seed, b)
					}
					end, sum, life = max(end, b.Upper), sum+b.Size, life+b.Upper-b.Lower
				}
				if n < 1000 {
					continue
				}
				if end > 3*int64(n) {
					t.Errorf("%s seed %d: %d buffers over %d ops", kind, seed, n, end)
				}
				if _, load := loads(p); load == sum || load < sum/int64(n)*2 {
					t.Errorf("%s seed %d: the load is %d of %d in %d buffers", kind, seed, load, sum, n)
				}
				if life < 2*int64(n) {
					t.Errorf("%s seed %d: the mean life is %.1f ops", kind, seed, float64(life)/float64(n))
				}
			}
		}
	}
}

// TestTrainingNests checks that activations die in the reverse order of their
// making, and that gradients of weights outlive the backward pass.
func TestTrainingNests(t *testing.T) {
	p := must.Get(Generate("training", Options{Buffers: 5000, Seed: 1}))(t)
	var kept, gradients []model.Buffer
	loss, norm := int64(0), int64(0)
	for _, b := range p.Buffers {
		switch name, _, _ := strings.Cut(b.ID, "."); name {
		case "act":
			kept = append(kept, b)
		case "dw":
			gradients = append(gradients, b)
		case "loss":
			loss = b.Lower
		case "norm":
			norm = b.Lower
		}
	}
	if loss == 0 || norm <= loss || len(kept) < 500 || len(gradients) < 500 {
		t.Fatalf("loss at %d, norm at %d, %d activations, %d gradients", loss, norm, len(kept), len(gradients))
	}
	kept = slices.DeleteFunc(kept, func(b model.Buffer) bool { return b.Upper <= loss+1 })
	if len(kept) < 400 {
		t.Errorf("only %d activations reach the backward pass", len(kept))
	}
	for k := 1; k < len(kept); k++ {
		if kept[k-1].Upper < kept[k].Upper {
			t.Fatalf("%+v ends before %+v", kept[k-1], kept[k])
		}
	}
	for _, b := range gradients {
		if b.Lower < loss || b.Upper <= norm {
			t.Fatalf("gradient %+v: the loss is at %d, the norm at %d", b, loss, norm)
		}
	}
}

// TestTilesAreDoubleBuffered checks that each op of a layer has at most two of
// its input tiles, and that most have both.
func TestTilesAreDoubleBuffered(t *testing.T) {
	p := must.Get(Generate("tiles", Options{Buffers: 3000, Seed: 1}))(t)
	at := map[string]map[int64]int{}
	for _, b := range p.Buffers {
		if layer, rest, _ := strings.Cut(b.ID, "."); strings.HasPrefix(rest, "in.") {
			if at[layer] == nil {
				at[layer] = map[int64]int{}
			}
			for op := b.Lower; op < b.Upper; op++ {
				at[layer][op]++
			}
		}
	}
	one, two := 0, 0
	for layer, ops := range at {
		for op, n := range ops {
			switch n {
			case 1:
				one++
			case 2:
				two++
			default:
				t.Fatalf("layer %s has %d input tiles at op %d", layer, n, op)
			}
		}
	}
	if two < 5*one {
		t.Errorf("%d ops have two tiles, %d have one", two, one)
	}
}

// TestDecodePages checks that pages of keys and values outlive what a step makes.
func TestDecodePages(t *testing.T) {
	p := must.Get(Generate("decode", Options{Buffers: 20000, Seed: 2}))(t)
	pages, life := int64(0), int64(0)
	for _, b := range p.Buffers {
		if strings.HasPrefix(b.ID, "page.") {
			pages++
			life += b.Upper - b.Lower
		} else if b.Upper-b.Lower > 20 {
			t.Fatalf("%+v lives for %d ops", b, b.Upper-b.Lower)
		}
	}
	if pages < 500 || pages > 10000 || life/pages < 500 {
		t.Errorf("%d pages, mean life %d", pages, life/max(1, pages))
	}
}

// TestMillion checks that a million buffers take seconds.
func TestMillion(t *testing.T) {
	for _, kind := range []string{"training", "mix"} {
		pace.Within(t, 20*time.Second, kind, func() {
			p, err := Generate(kind, Options{Buffers: 1_000_000, Seed: 1})
			if err != nil || len(p.Buffers) != 1_000_000 {
				t.Fatalf("%s: %v", kind, err)
			}
		})
	}
}
