package networks

import (
	"reflect"
	"slices"
	"testing"
)

// TestSuite checks each network: it is a program, its orders run, everything that is made is read or an output, and
// it is the same each time.
func TestSuite(t *testing.T) {
	names := map[string]bool{}
	for _, sharing := range []Sharing{Apart, InPlace, Distances} {
		again := slices.Concat(Suite(sharing), Large(sharing))
		for k, n := range slices.Concat(Suite(sharing), Large(sharing)) {
			name := n.Family + " " + n.Name
			if sharing == Apart && names[name] {
				t.Errorf("%s stands twice", name)
			}
			names[name] = true
			if !reflect.DeepEqual(n, again[k]) {
				t.Errorf("%s differs when it is made again", name)
			}
			p := n.Program
			for which, order := range [][]int32{nil, DepthFirst(p), BreadthFirst(p)} {
				if _, err := p.Peak(order); err != nil {
					t.Errorf("%s: order %d: %v", name, which, err)
				}
			}
			read := make([]bool, len(p.Sizes))
			for _, v := range p.Outputs {
				read[v] = true
			}
			permits := 0
			for _, op := range p.Operators {
				permits += len(op.Permits)
				for _, v := range op.Operands {
					read[v] = true
				}
			}
			if k := slices.Index(read, false); k >= 0 {
				t.Errorf("%s: nobody reads value %d", name, k)
			}
			if (permits > 0) != (sharing > Apart) {
				t.Errorf("%s: %d permits", name, permits)
			}
		}
	}
}

// TestWirings checks the numbers of edges that follow from the parameters, and that rewiring and chance do something.
func TestWirings(t *testing.T) {
	edgesOf := func(w Wiring, nodes int, seed uint64) (edges int, all [][]int) {
		all = w.draw(newRNG(seed, w.Name), nodes)
		for v, list := range all {
			edges += len(list)
			for _, u := range list {
				if u == v || !slices.Contains(all[u], v) {
					t.Fatalf("%s: edge of %d and %d", w.Name, v, u)
				}
			}
		}
		return edges / 2, all
	}
	for seed := range uint64(20) {
		if n, _ := edgesOf(WattsStrogatz(4, 0.75), 32, seed); n != 64 {
			t.Errorf("WS(4) of 32 nodes has %d edges, want 64", n)
		}
		if n, _ := edgesOf(BarabasiAlbert(5), 32, seed); n != 27*5 {
			t.Errorf("BA(5) of 32 nodes has %d edges, want %d", n, 27*5)
		}
		if n, all := edgesOf(ErdosRenyi(0.2), 32, seed); n < 60 || n > 140 || !edges(all).connected() {
			t.Errorf("ER(0.2) of 32 nodes has %d edges, want about 99", n)
		}
	}
	_, ring := edgesOf(WattsStrogatz(4, 0), 32, 0)
	if _, other := edgesOf(WattsStrogatz(4, 0.75), 32, 0); reflect.DeepEqual(ring, other) {
		t.Error("rewiring changes nothing")
	}
	_, one := edgesOf(BarabasiAlbert(5), 32, 0)
	if _, other := edgesOf(BarabasiAlbert(5), 32, 1); reflect.DeepEqual(one, other) {
		t.Error("the seed changes nothing")
	}
}

// TestRowsAhead compares the distance of a convolution with the order of its reads and writes, element by element.
func TestRowsAhead(t *testing.T) {
	for _, c := range []struct{ height, width, in, out, kernel, stride int }{
		{5, 4, 3, 3, 3, 1}, {6, 6, 2, 4, 3, 2}, {4, 4, 4, 2, 1, 1}, {7, 5, 1, 6, 5, 1}, {8, 8, 3, 3, 7, 2},
	} {
		b := &builder{}
		x := b.tensor(c.height, c.width, c.in)
		y := b.window(x, c.out, c.kernel, c.stride)
		// What is written up to an element lies below what it and later elements read.
		need := int64(0)
		least := x.size()
		for row := y.height - 1; row >= 0; row-- {
			for column := y.width - 1; column >= 0; column-- {
				top, left := max(0, row*c.stride-c.kernel/2), max(0, column*c.stride-c.kernel/2)
				least = min(least, int64((top*c.width+left)*c.in))
				need = max(need, int64((row*y.width+column+1)*c.out)-least)
			}
		}
		if got := rowsAhead(x, y, c.kernel, c.stride); got < need {
			t.Errorf("%+v: distance %d, the kernel needs %d", c, got, need)
		}
	}
}
