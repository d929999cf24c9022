package canonical

import "github.com/stowage-go/stowage/internal/exact/common"

// A Step is a step of a refutation, in the order in which the tree is walked. It asks whether buffer Buffer
// lies at Offset or below, or above it. A Buffer below 0 says that the answers so far are refuted.
type Step struct {
	Buffer int32 // an index into Refutation.Buffers
	Offset int64
}

// stepsMost is how many steps a refutation may have: 512 MiB.
const stepsMost = 1 << 25

// Proof is a refutation that is being written. If it is nil, its methods do nothing.
type Proof struct {
	Steps []Step
	Lost  bool // it was too long
}

func (p *Proof) asks(j common.Buffer, offset int64) {
	if p != nil {
		p.add(Step{int32(j), offset})
	}
}

func (p *Proof) refuted() {
	if p != nil {
		p.add(Step{Buffer: -1})
	}
}

func (p *Proof) add(s Step) {
	if len(p.Steps) == stepsMost {
		p.Lost = true
		return
	}
	p.Steps = append(p.Steps, s)
}

func (p *Proof) mark() int {
	if p == nil {
		return 0
	}
	return len(p.Steps)
}

func (p *Proof) cut(at int) {
	if p != nil {
		p.Steps = p.Steps[:at]
	}
}
