package canonical

// Idea: a buffer piece y meets piece x in one of two ways. Either y is live in the first section of x, or y begins in a
// later section of x. Pieces of the first kind are members of that section. Pieces are numbered by their first section,
// so those of the second kind are a range of numbers. No table of pairs is needed.
//
// Complexity: O(members of one section + neighbours). Without a table of members (members.go) it is
// O(buffers that begin before the end of x).

// nearby returns the unplaced pieces that share a section with piece x, except x itself. The result holds
// until the next call.
func (k *Kernel) nearby(x Piece) []Piece {
	near := k.near[:0]
	at := &k.span[x]
	if k.members.list != nil {
		list := k.members.of(at.first)
		for rest := k.live[at.first]; rest > 0; list = list[1:] {
			if y := list[0]; k.block[y].start < gone {
				rest--
				if y != x {
					near = append(near, y)
				}
			}
		}
		near = k.between(near, Piece(k.begins[at.first+1]), Piece(k.begins[at.last]))
		if !k.plain {
			near = k.between(near, k.more[at.first+1], k.more[at.last])
		}
	} else {
		before := len(near)
		near = k.between(near, 0, Piece(k.begins[at.last]))
		if !k.plain {
			near = k.between(near, Piece(k.n), k.more[at.last])
		}
		kept := near[:before]
		for _, y := range near {
			if k.span[y].last > at.first && y != x {
				kept = append(kept, y)
			}
		}
		near = kept
	}
	k.near = near
	return near
}

// between appends the unplaced pieces among [from, to).
func (k *Kernel) between(near []Piece, from, to Piece) []Piece {
	for y := from; y < to; y++ {
		if k.block[y].start < gone {
			near = append(near, y)
		}
	}
	return near
}
