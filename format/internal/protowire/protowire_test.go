package protowire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	official "google.golang.org/protobuf/encoding/protowire"
)

// hold compares all that can be asked of b with what the official package answers. It
// reports whether a value of some type could be read.
func hold(t *testing.T, b []byte) (read bool) {
	t.Helper()
	clip := func(n int) int { return max(n, -1) } // which fault it is we do not say
	check := func(what string, ours, theirs any, n, m int) {
		if clip(n) != clip(m) || n >= 0 && ours != theirs {
			t.Fatalf("%s of %x: %v in %d bytes, want %v in %d", what, b, ours, n, theirs, m)
		}
		read = read || n >= 0
	}
	number, kind, n := ConsumeTag(b)
	wantNumber, wantKind, m := official.ConsumeTag(b)
	check("tag", [2]int{int(number), int(kind)}, [2]int{int(wantNumber), int(wantKind)}, n, m)
	v, n := ConsumeVarint(b)
	wantV, m := official.ConsumeVarint(b)
	check("number", v, wantV, n, m)
	v32, n := ConsumeFixed32(b)
	want32, m := official.ConsumeFixed32(b)
	check("four bytes", v32, want32, n, m)
	v64, n := ConsumeFixed64(b)
	want64, m := official.ConsumeFixed64(b)
	check("eight bytes", v64, want64, n, m)
	body, n := ConsumeBytes(b)
	wantBody, m := official.ConsumeBytes(b)
	check("bytes", string(body), string(wantBody), n, m)
	for kind := range Type(8) {
		check("value", kind, kind, ConsumeFieldValue(7, kind, b), official.ConsumeFieldValue(7, official.Type(kind), b))
	}
	return read
}

// TestAgainstOfficial has bytes of all kinds, groups in groups too, whole and cut.
func TestAgainstOfficial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	groups := 0
	var fields func(b []byte, depth int) []byte
	fields = func(b []byte, depth int) []byte {
		for range rng.IntN(4) {
			number := official.Number(1 + rng.IntN(20)<<rng.IntN(24))
			switch rng.IntN(6) {
			case 0:
				b = official.AppendVarint(official.AppendTag(b, number, official.VarintType), rng.Uint64()>>rng.IntN(64))
			case 1:
				b = official.AppendFixed32(official.AppendTag(b, number, official.Fixed32Type), rng.Uint32())
			case 2:
				b = official.AppendFixed64(official.AppendTag(b, number, official.Fixed64Type), rng.Uint64())
			case 3:
				b = official.AppendBytes(official.AppendTag(b, number, official.BytesType), make([]byte, rng.IntN(300)))
			case 4:
				if depth > 0 {
					b = official.AppendTag(fields(official.AppendTag(b, number, official.StartGroupType), depth-1), number,
						official.EndGroupType)
				}
			case 5:
				b = append(b, byte(rng.Uint32()))
			}
		}
		return b
	}
	for range 20_000 {
		b := fields(nil, 3)
		if rng.IntN(2) == 0 {
			b = official.AppendTag(b, 7, official.EndGroupType)
		}
		if len(b) > 0 && rng.IntN(3) == 0 {
			b = b[:rng.IntN(len(b))]
		}
		hold(t, b)
		if ConsumeFieldValue(7, StartGroupType, b) > 2 {
			groups++
		}
	}
	if groups < 1000 {
		t.Errorf("%d groups with something in them", groups)
	}
}

// TestLimits has the largest numbers, and groups as deep as may be and deeper.
func TestLimits(t *testing.T) {
	for n := range 12 {
		for _, last := range []byte{0, 1, 2, 0x7f, 0x80} {
			hold(t, append(bytes.Repeat([]byte{0xff}, n), last))
			hold(t, append(bytes.Repeat([]byte{0x80}, n), last))
		}
	}
	for _, depth := range []int{1, deepest - 1, deepest, deepest + 1, deepest + 2} {
		var b []byte
		for range depth {
			b = official.AppendTag(b, 7, official.StartGroupType)
		}
		for range depth + 1 {
			b = official.AppendTag(b, 7, official.EndGroupType)
		}
		hold(t, b)
	}
}

func FuzzAgainstOfficial(f *testing.F) {
	f.Add([]byte{0x0b, 0x08, 0x01, 0x0c})
	f.Fuzz(func(t *testing.T, b []byte) { hold(t, b) })
}
