package framework

import (
	"math"
	"slices"
	"sort"
)

// Idea: the positional maximum p[k] is, over all tasks, the largest k-th largest size that is live at once. No plan of
// shared objects takes less than the sum p[0] + p[1] + …. A tensor's position is the last p that is at least its size.
// The next tensor is the one with the least position, then the least idle time to a tensor of an object that is free
// for it, then the largest size. It goes into the object that is nearest in time, which grows, or into a new one.
//
// Invariant: distance[i] and nearest[i] are the least idle time between buffer i and any object that is free for it,
// and the first object found with it. taken[k] has bit i where buffer i shares time with a member of object k.
//
// Complexity: O(n²), plus O(objects) for each time that a buffer's nearest object is lost. TFLite keeps a distance for
// each pair of tensor and object; here it is a bit, and the distance is computed again if it is needed.
//
// Source: TensorFlow Lite GPU delegate, GreedyBySizeDistPriorityAssignment (LiteRT 0e9c7a5).

func init() {
	register(planner{
		name:    "tflite-objects-by-size",
		summary: "shared objects, largest buffer first; an object prefers buffers that are near in time",
		source:  "TensorFlow Lite GPU, greedy_by_size objects (LiteRT 0e9c7a5)",
		place: func(t *task) error {
			o, err := tfliteBySize(t)
			if err != nil {
				return err
			}
			return o.place()
		},
	})
}

// never is the distance to an object that shares time with a buffer.
const never = int64(math.MaxInt64)

type sizeDistance struct {
	o        *objects
	distance []int64
	nearest  []int32
	taken    [][]uint64
}

func tfliteBySize(t *task) (*objects, error) {
	n := len(t.buffers)
	d := &sizeDistance{o: newObjects(t), distance: make([]int64, n), nearest: make([]int32, n)}
	for i := range d.distance {
		d.distance[i] = never
	}
	// The waiting buffers of each position, in the order of the input.
	maxima := t.positionalMaxima()
	waiting := make([][]int32, len(maxima))
	for i := range t.buffers {
		if t.stopped() {
			return nil, errStopped
		}
		position := sort.Search(len(maxima), func(k int) bool { return maxima[k] < t.buffers[i].Size }) - 1
		waiting[position] = append(waiting[position], int32(i))
	}

	for position := range waiting {
		for group := waiting[position]; len(group) > 0; {
			if t.stopped() {
				return nil, errStopped
			}
			next := 0
			for k, i := range group {
				if j := group[next]; d.distance[i] < d.distance[j] ||
					d.distance[i] == d.distance[j] && t.buffers[i].Size > t.buffers[j].Size {
					next = k
				}
			}
			i := group[next]
			group = slices.Delete(group, next, next+1)
			waiting[position] = group
			d.assign(int(i), waiting[position:])
		}
	}
	return d.o, nil
}

// positionalMaxima returns, for each k, the largest k-th largest size of a
// section. Other moments have a subset of a section's buffers.
//
// That is: the k-th maximum is the largest size v such that some section has at least k buffers of size v or more. So
// the buffers come by decreasing size, and whenever one raises the largest count of a section, its size is the next
// maximum.
func (t *task) positionalMaxima() []int64 {
	count := newCounter(t.tl.Sections())
	var maxima []int64
	for _, i := range t.sorted(t.larger) {
		count.add(t.tl.Extent(int(i)))
		for count.highest() > int32(len(maxima)) {
			maxima = append(maxima, t.buffers[i].Size)
		}
	}
	return maxima
}

// assign gives buffer i its object and tells all waiting buffers.
func (d *sizeDistance) assign(i int, waiting [][]int32) {
	buffers := d.o.t.buffers
	var k int
	fresh := d.distance[i] == never
	if fresh {
		k = d.o.make(i)
		d.taken = append(d.taken, make([]uint64, (len(buffers)+63)/64))
	} else {
		k = int(d.nearest[i])
		d.o.add(k, i)
	}
	lower, upper, taken := buffers[i].Lower, buffers[i].Upper, d.taken[k]
	for _, group := range waiting {
		for _, j := range group {
			if j%1024 == 0 && d.o.t.stopped() {
				return // tfliteBySize looks again
			}
			word, bit := j/64, uint64(1)<<(j%64)
			if taken[word]&bit != 0 {
				continue
			}
			var idle int64
			switch b := &buffers[j]; {
			case b.Upper <= lower:
				idle = lower - b.Upper
			case upper <= b.Lower:
				idle = b.Lower - upper
			default:
				taken[word] |= bit
				if !fresh && d.distance[j] != never && int(d.nearest[j]) == k {
					d.search(int(j))
				}
				continue
			}
			if idle < d.distance[j] {
				d.distance[j], d.nearest[j] = idle, int32(k)
			}
		}
	}
}

// search finds the nearest object of buffer i anew.
func (d *sizeDistance) search(i int) {
	d.distance[i] = never
	b := &d.o.t.buffers[i]
	for k, members := range d.o.members {
		if d.taken[k][i/64]&(1<<(i%64)) != 0 {
			continue
		}
		at := sort.Search(len(members), func(m int) bool { return d.o.t.buffers[members[m]].Lower >= b.Upper })
		idle := never
		if at < len(members) {
			idle = d.o.t.buffers[members[at]].Lower - b.Upper
		}
		if at > 0 {
			idle = min(idle, b.Lower-d.o.t.buffers[members[at-1]].Upper)
		}
		if idle < d.distance[i] {
			d.distance[i], d.nearest[i] = idle, int32(k)
		}
	}
}
