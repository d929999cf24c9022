package main

import (
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/testkit/networks"
	"github.com/stowage-go/stowage/model"
)

// five returns networks in the order in which an exporter writes them. Their programs say which operator reads which
// tensor, so the value of a buffer is its traffic: its bytes once to write, and once for each operator that reads
// them. An output is read once more.
func five() []input {
	return []input{
		of(networks.Cells(networks.DARTS(), 14, 48, false, networks.Apart)),
		of(networks.Cells(networks.NASNet(), 12, 44, true, networks.Apart)),
		of(networks.Cells(networks.AmoebaNet(), 12, 50, true, networks.Apart)),
		of(networks.SwiftLikeNet(8, 0, networks.Apart)),
		of(networks.RandWire(networks.WattsStrogatz(4, 0.75), 32, 78, 0, networks.Apart)),
	}
}

// of makes a problem of a program in the order in which it was given.
func of(n networks.Network) input {
	p := n.Program
	out := input{n.Family + " " + n.Name, &model.Problem{}, make([]int64, len(p.Sizes))}
	for v, size := range p.Sizes {
		out.problem.Buffers = append(out.problem.Buffers, model.Buffer{ID: strconv.Itoa(v), Size: max(size, 1), Upper: 1})
		out.value[v] = max(size, 1)
	}
	for t, op := range p.Operators {
		for _, v := range op.Results {
			out.problem.Buffers[v].Lower, out.problem.Buffers[v].Upper = int64(t), int64(t)+1
		}
		read := slices.Clone(op.Operands)
		slices.Sort(read)
		for _, v := range slices.Compact(read) {
			out.problem.Buffers[v].Upper = int64(t) + 1
			out.value[v] += out.problem.Buffers[v].Size
		}
	}
	for _, v := range p.Outputs {
		out.problem.Buffers[v].Upper = int64(len(p.Operators))
		out.value[v] += out.problem.Buffers[v].Size
	}
	return out
}
