package timeline

import "github.com/stowage-go/stowage/model"

// Part returns buffer i as a buffer of a problem whose time is the sections, cut to
// [low, high), which it must reach into. Gaps and windows stay, and what is fixed.
// It has no ID.
func (t *Timeline) Part(i int, low, high int32) model.Buffer {
	b := &t.Problem.Buffers[i]
	spans := t.Spans(i)
	out := model.Buffer{
		Lower: int64(max(spans[0].First, low)), Upper: int64(min(spans[len(spans)-1].Last, high)),
		Size: b.Size, Alignment: b.Alignment, Fixed: b.Fixed,
	}
	end := spans[0].First
	for _, s := range spans {
		if s.First > end {
			out.Gaps = append(out.Gaps, model.Gap{Lower: int64(end), Upper: int64(s.First)})
		}
		if s.Lower != 0 || s.Upper != b.Size {
			out.Gaps = append(out.Gaps, model.Gap{Lower: int64(s.First), Upper: int64(s.Last), Window: &model.Window{Lower: s.Lower, Upper: s.Upper}})
		}
		end = s.Last
	}
	return out
}
