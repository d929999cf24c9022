// Package json reads and writes problems and plans as JSON. One file holds a problem and, optionally, a plan of it:
//
//	{
//	  "version": 1,
//	  "name": "example",
//	  "capacity": 12,
//	  "buffers": [
//	    {"id": "b1", "lower": 0, "upper": 3, "size": 4},
//	    {"id": "b2", "lower": 3, "upper": 9, "size": 4, "alignment": 4, "hint": 8,
//	     "gaps": [{"lower": 4, "upper": 6, "window": [0, 2]}]},
//	    {"id": "b3", "lower": 0, "upper": 9, "size": 4, "offset": 4}
//	  ],
//	  "plan": {
//	    "planner": "exact",
//	    "status": "optimal",
//	    "height": 12,
//	    "lower_bound": 12,
//	    "offsets": [0, 8, 4]
//	  }
//	}
//
// Lifespans, gaps and windows are half-open. Lower may be called start or begin. If upper is called end, it is the last
// time slot of a lifespan or gap, unless ReadOptions.Ends says otherwise; gaps that are pairs are always half-open.
// Times may have fractions. All times of the file are then multiplied by the same power of ten, on which no offset
// depends; ReadWith returns it. The offset of a buffer is fixed; the offsets of the plan are in the order of the
// buffers. Required are the key buffers, the keys lower, upper and size of a buffer, and the status of a plan. For any
// other key, null is the same as no key. The default version is 1. A buffer without an id has its number, from 0, as
// its ID. A capacity of 0, or none, means no limit. A plan has offsets if its status is optimal or feasible, and none
// otherwise.
//
// A file may also be the list of the buffers alone:
//
//	[{"lower": 0, "upper": 3, "size": 4}, {"lower": 3, "upper": 9, "size": 4}]
//
// The values of a plan must be consistent. The height is that of the offsets. The lower bound is not above the height,
// and equals it if the status is optimal. The lower bound of an infeasible problem is above its capacity. The reader
// does not check whether the offsets are a valid plan; stowage.Verify does.
//
// # Version 2
//
// A problem with rules (model.Rules) has version 2, and more keys:
//
//	{
//	  "version": 2,
//	  "pools": [
//	    {"id": "tcm", "capacity": 65536, "alignment": 16, "reserved": [[0, 1024]]},
//	    {"id": "dram", "alignment": 16, "cost": 1}
//	  ],
//	  "objective": ["cost", "height"],
//	  "buffers": [
//	    {"id": "a", "lower": 0, "upper": 9, "size": 4096, "fixed": 2048, "pools": ["tcm"]},
//	    {"id": "b", "lower": 0, "upper": 9, "size": 64, "gaps": [[2, 4]], "costs": {"dram": 4096},
//	     "evictions": [{"lower": 5, "upper": 8, "cost": 3}]},
//	    {"id": "c", "lower": 8, "upper": 12, "size": 64},
//	    {"id": "d", "lower": 9, "upper": 14, "size": 64}
//	  ],
//	  "together": [{"buffers": ["a", "c"], "at": [0, 64]}],
//	  "apart": [["a", "d"]],
//	  "may_overlap": [["b", "c"]],
//	  "penalties": [{"buffers": ["b", "d"], "cost": 3}],
//	  "distances": [],
//	  "plan": {
//	    "status": "feasible",
//	    "offsets": [2048, 8192, 2112, 0],
//	    "pools": ["tcm", "tcm", "tcm", "dram"],
//	    "parts": {"b": [{"lower": 0, "upper": 5, "offset": 8192, "pool": "tcm"}, {"lower": 8, "upper": 9, "offset": 0, "pool": "dram"}]},
//	    "measures": {"cost": 4160, "height": 8384},
//	    "bounds": {"cost": 0}
//	  }
//	}
//
// The keys mean what the fields of model.Rules and model.Extra of the same name do. Buffers and
// pools are named by their IDs. The key fixed is another name of the key offset of a buffer, and a gap
// without a window may be a pair. A distance is an object such as {"buffers": ["x", "y"], "distance": 96}. The key
// threads is the number of clocks; lower and upper of each buffer are then lists, such as [0, 3]. It
// may be left out. The key period is the length of a step that repeats. The pools of a plan are left
// out if the problem has one. A file of version 1 may have none of these keys.
//
// # Version 3
//
// A problem has version 3 if it has a rule of these, and the keys of version 2 besides:
//
//	"different_pools": [["ping", "pong"]],
//	"same_pool": [["a", "c"]],
//	"lockstep": [["kv in prefill", "kv in decode"]],
//	"kinds": [["image"], ["vertices", "indices"]],
//	"alternatives": [["2 stages", "3 stages"]],
//	"groups": [{"pairs": [["a", "b"], ["a", "c"]], "cost": 3, "paid": "unless all coincide"}]
//
// and in a pool
//
//	"objects": true,
//	"borders": [16384, 32768],
//	"granularity": 1024,
//	"sizes": [[32768, 3], [65536, 5]]
//
// and in a buffer
//
//	"spans": true
//	"size": [640, 480]
//
// where a size of two or three dimensions is for pools of objects, and the bytes are the product (model.Extra).
//
// A file of version 1 or 2 may have none of them. The offset and the pool of an alternative that a plan does not choose
// are null.
//
// # Sizes that vary
//
// A file with the key scenarios or symbols holds a family (model.Family). It has version 3, which it may leave out.
//
//	"scenarios": ["short", "long"],
//	"buffers": [{"id": "a", "lower": 0, "upper": 3, "sizes": [64, 512]}, …]
//
// has a size of each buffer in each scenario. A number of scenarios names them 0, 1, … A buffer of one size may have
// the key size instead.
//
//	"symbols": {"seq": [1, 512], "width": [8, 640, 8]},
//	"buffers": [{"id": "a", "lower": 0, "upper": 3, "size": "64+1024*seq+48*ceil(width/16)"}, …]
//
// has sizes as formulas (model.Formula) in symbols, with their ranges: the lowest value, the highest and the step.
// The plan of a family has the offsets at the largest sizes, and an order that gives the offsets for any sizes:
//
//	"plan": {
//	  "status": "optimal", "height": 1024, "lower_bound": 1024, "offsets": [0, 512],
//	  "largest": "long",
//	  "heights": [128, 1024],
//	  "loads": [128, 1024],
//	  "below": [[], ["a"]]
//	}
//
// Heights and loads are by scenario; with symbols, the key at has the values of the symbols for each. The buffer b must
// lie above all in its list of below: at the highest offset + size among them, rounded up to its alignment.
//
// # Faults
//
// Unknown keys are refused, because an unknown key is most likely misspelled. A new key
// therefore comes with a new version.
//
// All faults of an input are reported at once, as a *model.InputError with file, line, buffer, key and value. Only a
// fault of the JSON grammar, such as a file that is cut off, is reported alone.
package json

import "github.com/stowage-go/stowage/model"

// The versions of the format that this package reads and writes.
const (
	Version      = 1 // of problems without rules
	RulesVersion = 2 // of problems with rules
	BanksVersion = 3 // of problems with rules of banks (model.Rules.BankRules)
)

// A Plan is the outcome of a run, as a file has it.
type Plan struct {
	Planner    string       // name of the planner; empty if not known
	Status     model.Status // the outcome
	Height     int64        // largest offset + size in bytes, added up over pools; 0 if there are no offsets
	LowerBound int64        // no plan is lower, in bytes; 0 if not known
	Offsets    []int64      // offset of each buffer in bytes, in order; nil if there is no plan

	// What only problems with rules have:

	Pools    []int32       // pool of each buffer, as an index into Rules.Pools; nil if there is one
	Parts    []model.Parts // buffers of which evictions are taken, in ascending order
	Measures []model.Value // what the plan has of each measure; nil if not known
	Bounds   []model.Value // a lower bound of each measure of the objective, as in plan.Result; nil if not known

	// What only families have:

	Below  [][]int32     // the buffers that each buffer must lie above; nil if there is no order
	Points []model.Point // heights and loads by scenario
	// Switched has several orders that are lower together than Below; nil if there are none.
	Switched *model.Switched
}

// Model returns the plan without its claims.
func (p *Plan) Model() *model.Plan {
	return &model.Plan{Offsets: p.Offsets, Height: p.Height, Pools: p.Pools, Parts: p.Parts}
}
