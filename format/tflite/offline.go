package tflite

import (
	"encoding/binary"
	"strconv"

	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// MetadataName is the name of the metadata that holds an offline plan.
const MetadataName = "OfflineMemoryAllocation"

// Online is the offset of a tensor that the planner on the device places.
const Online = -1

// An Offline is the metadata OfflineMemoryAllocation, a plan made before the program
// runs. It has 32-bit words: a version, a subgraph, a count, and an offset for each
// tensor of all subgraphs. TensorFlow Lite Micro reads only the count and the offsets.
// If the model has several entries of the name, the last one counts.
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
			p.refuse(place, "", MetadataName+" has "+strconv.Itoa(len(words))+" bytes; it must begin with three words of four bytes")
			return
		}
		if !p.spend(len(words)) {
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
