package ruled_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// requests stood in the trackers of compilers and allocators. Each has a problem of testdata, and the values of its
// objective: by an independent integer program, or by hand for up to six buffers.
var requests = []struct {
	asks, stated, name string
	want               []int64
	note               string
}{
	{
		"tt-metal#54788: one buffer at the same offset in every bank of a group",
		"a buffer for each bank, and [`lockstep`](../memories.md#lockstep)",
		"r15_lockstep",
		[]int64{995},
		"",
	},
	{
		"executorch#21958: one offset in every method, in several arenas",
		"a pool for each arena, and [`lockstep`](../memories.md#lockstep)",
		"r4_two_arenas",
		[]int64{768, 1064},
		"",
	},
	{
		"iree-amd-aie#1129: ping and pong in different banks",
		"[`different_pools`](../memories.md#different-pools-same-pool)",
		"r8_banks",
		[]int64{12288},
		"",
	},
	{
		"iree-amd-aie#1256: a large buffer spans banks, small ones stay within one",
		"[`borders`](../memories.md#borders) of a pool, `spans` of the buffer",
		"r14_span",
		[]int64{499712},
		"",
	},
	{
		"vulkano#2834, gpu-alloc#51: kinds on different pages",
		"[`granularity`](../memories.md#granularity) of a pool, and `kinds`",
		"r3_granularity",
		[]int64{3584},
		"padding needs 5,120",
	},
	{
		"executorch#1868, GPU textures: a buffer takes a whole object",
		"[`objects`](../memories.md#objects) of a pool",
		"r20_objects",
		[]int64{1324},
		"",
	},
	{
		"Fuser#739, rocMLIR#1611: one barrier serves many reuses",
		"[`groups`](../memories.md#groups)",
		"r5_barriers",
		[]int64{1},
		"prices of pairs need 2",
	},
	{
		"triton#1021, torch-spyre#2684: a buffer in one of several sizes",
		"[`alternatives`](../memories.md#alternatives), and `costs` of the forms",
		"r13_depths",
		[]int64{21},
		"a value of 175 out of 196: depths 2, 3, 2",
	},
	{
		"openvino#13627: a reward for two buffers at one place",
		"[`groups`](../memories.md#groups), `unless all coincide`",
		"r17_coalesce",
		[]int64{32},
		"a reward of 56 out of 88",
	},
	{
		"tilelang#2831: columns of tensor memory taken in powers of two",
		"[`sizes`](../memories.md#sizes-with-prices) of a pool",
		"r24_arena",
		[]int64{512, 396},
		"each buffer by itself takes 608",
	},
	{
		"triton#1309 of Meta's fork: buffers of 64 rows side by side in tensor memory of 128",
		"a pool for each half, and [`lockstep`](../memories.md#lockstep) for buffers of all rows",
		"r18_rows",
		[]int64{384},
		"in a row of columns 640",
	},
	{
		"triton#3624: buffers that are in use by turns",
		"`gaps` of a buffer",
		"r19_holes",
		[]int64{20480},
		"28,672 by whole lifespans",
	},
	{
		"xla#44279: buffers of one memory may use another, not the other way round",
		"[`pools`](../memories.md#allowed-pools-and-own-costs) of a buffer",
		"r21_one_way",
		[]int64{73728},
		"139,264 with each in its own",
	},
	{
		"pypto#1908, #2649: two buffers in the place of a larger one that is dead",
		"lifespans alone",
		"r22_subranges",
		[]int64{65536},
		"98,304 with one in its place",
	},
	{
		"minimalloc#9: buffers with a fixed offset",
		"`offset` of a buffer",
		"r23_fixed",
		[]int64{60},
		"48 if it could move",
	},
}

// TestRequests plans each request, with proof and a check by the verifier, and holds the table of the document.
func TestRequests(t *testing.T) {
	var table strings.Builder
	table.WriteString("| request | stated by | buffers | lines | keys | planned, proven |\n|---|---|---:|---:|---:|---|\n")
	for _, x := range requests {
		p := read(t, x.name)
		proven(t, x.name, x.want)
		var says []string
		for k, m := range p.Objective() {
			says = append(says, fmt.Sprintf("`%s` %s", m, thousands(x.want[k])))
		}
		said := strings.Join(says, ", ")
		if x.note != "" {
			said += "; " + x.note
		}
		lines, keys := beside(t, x.name)
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %d | %s |\n", x.asks, x.stated, len(p.Buffers), lines, keys, said)
	}
	const path, open, shut = "../../docs/lab/ruled.md", "<!-- requests -->\n", "<!-- /requests -->\n"
	before, rest, begun := strings.Cut(string(must.Get(os.ReadFile(path))(t)), open)
	_, after, ended := strings.Cut(rest, shut)
	if !begun || !ended {
		t.Fatalf("%s has no block of requests", path)
	}
	golden.File(t, path, []byte(before+open+table.String()+shut+after))
}

// beside counts what a file says beside the lifespans and sizes of buffers and the capacities of pools: the lines of
// its rules, one for each list or group, and the further keys of pools and buffers.
func beside(t *testing.T, name string) (lines, keys int) {
	t.Helper()
	var file map[string]json.RawMessage
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(filepath.Join("testdata", name+".json")))(t), &file))
	for key, raw := range file {
		var list []json.RawMessage
		switch key {
		case "version", "capacity", "objective":
			continue
		}
		must.Do(t, json.Unmarshal(raw, &list))
		if key != "pools" && key != "buffers" {
			lines += len(list)
			continue
		}
		for _, x := range list {
			var of map[string]json.RawMessage
			must.Do(t, json.Unmarshal(x, &of))
			for k := range of {
				if !slices.Contains([]string{"id", "capacity", "lower", "upper", "size"}, k) {
					keys++
				}
			}
		}
	}
	return lines, keys
}

// thousands writes a number with commas.
func thousands(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
