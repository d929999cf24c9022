package tflm

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Idea: the runtime's planner puts tensors without an offset into the gaps between pinned tensors, even if pinned
// tensors overlap. A problem cannot have buffers that overlap. So the bytes of the pinned tensors become rectangles of
// time × bytes that do not overlap: bytes that several tensors share occur once.
//
// Most overlaps are of a tensor inside an NPU's window (share.go), which covers the tensor as long as the window
// lives. The few others are cut at each time at which one of them begins or ends.
//
// Complexity: O(n · windows) for the windows, O(k²) for k tensors that overlap
// otherwise; Check refuses plans with more than some hundreds of those.
//
// Source: Stowage.

// A rectangle is a range of bytes that is in use for a time.
type rectangle struct {
	lower, upper int64 // times [lower, upper)
	start, end   int64 // bytes [start, end)
}

// occupied returns the rectangles of pinned buffers; no two overlap. tensors has the tensor of each buffer.
func (s *sharing) occupied(buffers []model.Buffer, offsets []int64, tensors []int) []rectangle {
	var covers []int
	for k, t := range tensors {
		if slices.Contains(s.windows, t) {
			covers = append(covers, k)
		}
	}
	var out []rectangle
	for k := range buffers {
		r := rectangle{buffers[k].Lower, buffers[k].Upper, offsets[k], offsets[k] + buffers[k].Size}
		for _, j := range covers {
			w := &buffers[j]
			if j == k || r.start < offsets[j] || r.end > offsets[j]+w.Size {
				continue
			}
			if r.start == offsets[j] && r.end == offsets[j]+w.Size && (w.Upper < r.upper || w.Upper == r.upper && k < j) &&
				slices.Contains(covers, k) {
				continue // of two windows in one place, the one that lives longer covers the other
			}
			r.lower = max(r.lower, w.Upper) // a window lives from the beginning
		}
		if r.lower < r.upper {
			out = append(out, r)
		}
	}
	return disjoint(out)
}

// disjoint returns rectangles that cover the same bytes and times, and do not overlap.
func disjoint(p []rectangle) []rectangle {
	problem, offsets := asProblem(p)
	over := make([]bool, len(p))
	report := verify.Check(problem, offsets, 0)
	for _, v := range report.Violations {
		if v.Rule == model.RuleOverlap {
			over[v.A], over[v.B] = true, true
		}
	}
	if report.Truncated || report.Total > len(report.Violations) { // not all are listed
		over = slices.Repeat([]bool{true}, len(p))
	}
	var out, mixed []rectangle
	var times []int64
	for k, r := range p {
		if !over[k] {
			out = append(out, r)
			continue
		}
		mixed = append(mixed, r)
		times = append(times, r.lower, r.upper)
	}
	slices.SortFunc(mixed, func(a, b rectangle) int { return cmp.Compare(a.start, b.start) })
	slices.Sort(times)
	times = slices.Compact(times)
	var before []rectangle // rectangles of the time before, which may go on
	for k := 0; k+1 < len(times); k++ {
		var now []rectangle
		for _, r := range mixed {
			if r.lower > times[k] || r.upper <= times[k] {
				continue
			}
			if n := len(now); n > 0 && r.start <= now[n-1].end {
				now[n-1].end = max(now[n-1].end, r.end)
				continue
			}
			now = append(now, rectangle{times[k], times[k+1], r.start, r.end})
		}
		for i := range now {
			at := slices.IndexFunc(before, func(r rectangle) bool { return r.start == now[i].start && r.end == now[i].end })
			if at >= 0 {
				now[i].lower = before[at].lower
				before = slices.Delete(before, at, at+1)
			}
		}
		out = append(out, before...)
		before = now
	}
	return append(out, before...)
}

// asProblem returns rectangles as buffers with their offsets.
func asProblem(p []rectangle) (*model.Problem, []int64) {
	problem, offsets := &model.Problem{}, make([]int64, len(p))
	for k, r := range p {
		problem.Buffers = append(problem.Buffers,
			model.Buffer{
				ID: "taken " + strconv.Itoa(k), Lower: r.lower, Upper: r.upper, Size: r.end - r.start, Alignment: tflite.Alignment,
			})
		offsets[k] = r.start
	}
	return problem, offsets
}
