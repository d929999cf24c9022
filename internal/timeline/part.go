package timeline

import "github.com/stowage-go/stowage/model"

// Part sets out to buffer i, cut to the sections [low, high), with section numbers as times.
// out must be empty before, and buffer i must be active in some of these sections. Part
// keeps gaps, windows and the fixed offset, and leaves out the ID.
func (t *Timeline) Part(out *model.Buffer, i int, low, high int32) {
	b := &t.Problem.Buffers[i]
	first, last := t.Extent(i)
	out.Lower, out.Upper = int64(max(first, low)), int64(min(last, high))
	out.Size, out.Alignment, out.Fixed = b.Size, b.Alignment, b.Fixed
	if !t.HasGaps() {
		return
	}
	spans := t.Spans(i)
	end := spans[0].First
	for _, s := range spans {
		if s.First > end {
			out.Gaps = append(out.Gaps, model.Gap{Lower: int64(end), Upper: int64(s.First)})
		}
		if s.Lower != 0 || s.Upper != b.Size {
			out.Gaps = append(out.Gaps, model.Gap{
				Lower: int64(s.First), Upper: int64(s.Last), Window: &model.Window{Lower: s.Lower, Upper: s.Upper},
			})
		}
		end = s.Last
	}
}
