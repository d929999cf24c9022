package networks

// Suite returns the networks of the benchmark: single cells and stages, as SERENITY measures, and whole networks,
// as HMCOS does.
func Suite(sharing Sharing) []Network {
	all := []Network{
		Cell(DARTS(), 28, 48, sharing), Cells(DARTS(), 14, 48, false, sharing),
		Cell(NASNet(), 28, 44, sharing), Cells(NASNet(), 12, 44, true, sharing),
		Cell(AmoebaNet(), 28, 50, sharing), Cells(AmoebaNet(), 12, 50, true, sharing),
	}
	for k, nodes := range []int{21, 19, 22} {
		for seed := range uint64(3) {
			all = append(all, SwiftLike(nodes, 28>>k, 16, seed, sharing))
		}
	}
	all = append(all, SwiftLikeNet(8, 0, sharing))
	for _, w := range []Wiring{WattsStrogatz(4, 0.75), ErdosRenyi(0.2), BarabasiAlbert(5)} {
		for seed := range uint64(3) {
			all = append(all, RandWireStage(w, 32, 28, 78, seed, sharing))
		}
		all = append(all, RandWire(w, 32, 78, 0, sharing))
	}
	return all
}

// Large returns randomly wired stages of 48 to 256 nodes, larger than published ones.
func Large(sharing Sharing) []Network {
	var all []Network
	for _, nodes := range []int{48, 64, 96, 128, 256} {
		wirings := []Wiring{
			WattsStrogatz(4, 0.75), WattsStrogatz(4, 0.25), ErdosRenyi(6.4 / float64(nodes)),
			BarabasiAlbert(3), BarabasiAlbert(5),
		}
		for _, w := range wirings {
			all = append(all, RandWireStage(w, nodes, 28, 78, 0, sharing))
		}
	}
	return all
}
