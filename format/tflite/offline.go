package tflite

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// MetadataName is the name of the metadata that holds an offline plan.
const MetadataName = "OfflineMemoryAllocation"

// Online is the offset of a tensor that the planner on the device places.
const Online = -1

// An Offline is the metadata OfflineMemoryAllocation, a plan made before the program runs. It has 32-bit words: a
// version, a subgraph, a count, and an offset for each tensor of all subgraphs. TensorFlow Lite Micro reads only the
// count and the offsets. If the model has several entries of the name, the last one counts.
type Offline struct {
	Version, Subgraph int32 // the first two words, which no runtime reads
	// Count is the number of offsets that the metadata claims to have. A runtime
	// refuses the model if it is not the number of tensors.
	Count int32
	// Offsets has the offsets in bytes that are there, at most Count.
	Offsets []int32
	// Entries is the number of metadata entries with this name.
	Entries int
}

// Shares reports whether the plan puts two tensors of an arena over one another while both live. The arena must be
// that of the plan's model. Vela's plans have such overlaps on purpose: the tensors that an NPU reads and writes lie
// inside its scratch. The problem keeps such tensors apart, so its bound is no bound for the model. Complexity: O(n²)
// for n tensors that live at once.
func (o *Offline) Shares(a *Arena) bool {
	type block struct{ lower, upper, from, to int64 }
	var blocks []block
	for k, t := range a.Tensor {
		if t < 0 || t >= len(o.Offsets) || o.Offsets[t] < 0 {
			continue
		}
		b, at := &a.Problem.Buffers[k], int64(o.Offsets[t])
		blocks = append(blocks, block{b.Lower, b.Upper, at, at + b.Size})
	}
	slices.SortFunc(blocks, func(x, y block) int { return cmp.Compare(x.lower, y.lower) })
	for i, x := range blocks {
		for _, y := range blocks[i+1:] {
			if y.lower >= x.upper {
				break
			}
			if x.from < y.to && y.from < x.to {
				return true
			}
		}
	}
	return false
}

// offline reads the plan that the model has.
func (p *parser) offline() {
	var entry tfliteschema.Metadata
	for i := range p.root.MetadataLength() {
		p.root.Metadata(&entry, i)
		if string(entry.Name()) != MetadataName {
			continue
		}
		entries := 1
		if p.m.Offline != nil {
			entries += p.m.Offline.Entries
		}
		place := "metadata " + strconv.Itoa(i)
		if int64(entry.Buffer()) >= int64(p.root.BuffersLength()) {
			p.refuse(place+", buffer", strconv.Itoa(int(entry.Buffer())), "there are "+strconv.Itoa(p.root.BuffersLength()))
			return
		}
		var b tfliteschema.Buffer
		p.root.Buffers(&b, int(entry.Buffer()))
		words := b.DataBytes()
		if len(words) < 12 {
			p.refuse(place, "", MetadataName+" has "+strconv.Itoa(len(words))+
				" bytes; it must begin with three words of four bytes")
			return
		}
		if !p.spend(place, len(words)) {
			return
		}
		word := func(k int) int32 { return int32(binary.LittleEndian.Uint32(words[4*k:])) }
		o := &Offline{Version: word(0), Subgraph: word(1), Count: word(2), Entries: entries}
		for k := 3; 4*k+4 <= len(words) && (o.Count < 0 || k-3 < int(o.Count)); k++ {
			o.Offsets = append(o.Offsets, word(k))
		}
		p.m.Offline = o
	}
}
