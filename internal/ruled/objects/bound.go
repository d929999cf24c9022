package objects

import "slices"

// Idea: items that live at one time are in as many objects, so the kth largest object is at least as large as the kth
// largest of them:
//
//	kth largest object >= max over cliques of the kth largest item of the clique
//	sum of the sizes   >= sum over k of that
//
// During the search, let m objects be open. An item that is free in none of them is forced into a new one. The next
// objects are the (m+1)th largest and so on, and they are also the objects of the forced items. So
//
//	kth next object >= max(the bound of number m + k, max over cliques of the kth largest forced item)
//
// The kth largest new object is at most the (m+k)th largest of all, whatever the open ones are. So this also holds if
// objects grow. An open object never gets smaller.
//
// Complexity: O(sum of the sizes of the cliques).

// group takes a clique from each group: the largest item, and each next one that conflicts with all before it. It
// does the same from the neighbours of each item, because rules may keep items apart that never live together.
func (x *search) group(number []int32) {
	seen := map[string]bool{}
	var key []byte
	add := func(all []int32) {
		slices.Sort(all)
		var clique []int32
		for _, k := range all {
			meets := func(j int32) bool {
				_, found := slices.BinarySearch(x.near[k], j)
				return found
			}
			if !slices.ContainsFunc(clique, func(j int32) bool { return !meets(j) }) {
				clique = append(clique, k)
			}
		}
		key = key[:0]
		for _, k := range clique {
			key = append(key, byte(k), byte(k>>8), byte(k>>16), byte(k>>24))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			x.cliques = append(x.cliques, clique)
		}
	}
	for _, g := range x.p.Groups {
		all := make([]int32, len(g))
		for n, i := range g {
			all[n] = number[i]
		}
		add(all)
	}
	for k := range x.near {
		add(append(slices.Clone(x.near[k]), int32(k)))
	}
	for _, clique := range x.cliques {
		for n, k := range clique {
			if n == len(x.least) {
				x.least = append(x.least, 0)
			}
			x.least[n] = max(x.least[n], x.size[k])
		}
	}
	x.forced = make([]int64, len(x.least))
}

// rest returns how many further objects there are at least, and what they take, if the numbers from k on are left and
// some objects are open.
func (x *search) rest(k, opened int) (more int, sum int64) {
	clear(x.forced)
	for _, clique := range x.cliques {
		n := 0
		for at := len(clique) - 1; at >= 0 && int(clique[at]) >= k; at-- {
			if x.blocked[clique[at]] == opened {
				n++
			}
		}
		more = max(more, n)
		for at := len(clique) - 1; at >= 0 && int(clique[at]) >= k; at-- {
			if j := clique[at]; x.blocked[j] == opened {
				n--
				x.forced[n] = max(x.forced[n], x.size[j])
			}
		}
	}
	forced := more
	more = max(more, len(x.least)-opened)
	for n := range more {
		least := int64(0)
		if opened+n < len(x.least) {
			least = x.least[opened+n]
		}
		if n < forced {
			least = max(least, x.forced[n])
		}
		sum += least
	}
	return more, sum
}
