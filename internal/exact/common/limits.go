package common

// Limits are sizes at which a search changes how it works, but not what it answers. Tests set them low, so that small
// problems reach them. A field of 0 stands for the usual size.
type Limits struct {
	TickEvery int64 // nodes between two reports of progress, a power of two; usually 4,096
	HugeFrom  int   // pairs of a buffer and one of its sections from which a partition is huge; usually 262,144
	TrailMost int   // entries that the trail of the canonical search keeps; usually 4,194,304, which are 64 MiB
}

// OrUsual returns the limits with the usual sizes in place of 0.
func (l Limits) OrUsual() Limits {
	if l.TickEvery == 0 {
		l.TickEvery = 1 << 12
	}
	if l.HugeFrom == 0 {
		l.HugeFrom = 1 << 18 // a pass over fewer takes under a millisecond
	}
	if l.TrailMost == 0 {
		l.TrailMost = 1 << 22
	}
	return l
}
