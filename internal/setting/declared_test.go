package setting

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: the languages' options, rules, keywords of files and words of outcomes are declared once, here and in All.
// generate_test.go writes them into the regions of the bindings' files.

// A keyword is a rule, or an option that is not one of a run. It has a type in each language that has it.
type keyword struct {
	name       string // in Python and JSON; TypeScript has it in camel case
	doc        string // a sentence without its full stop, for C++ and TypeScript
	python     string // type and default
	typescript string
	rows       string   // what TypeScript's doc has in front: what a row of its list is
	cxx        []string // declarations in rules of stowage.hpp
}

const each = "for each buffer, or null: "

// rules are the rules of a problem. Their order is that of stowage.hpp, where it counts.
var rules = []keyword{
	{
		name: "pools", doc: "the memories to plan for", cxx: []string{"std::vector<stowage::pool> pools{};"},
		python:     "Optional[Iterable[Union[Pool, str, Mapping[str, object], Sequence[object]]]] = None",
		typescript: "readonly (Pool | string)[]",
	},
	{
		name: "allowed", rows: each, doc: "the pools that the buffer may be in; without one it may be in any",
		cxx:    []string{"std::vector<allowed_pool> allowed{};"},
		python: "Optional[Allowed] = None", typescript: "readonly (Name | readonly Name[] | null)[]",
	},
	{
		name: "costs", rows: each, doc: "what the buffer costs in some pools, in place of the pool's cost of each byte",
		cxx:        []string{"std::vector<pool_cost> costs{};"},
		python:     "Optional[Iterable[Optional[Mapping[Name, int]]]] = None",
		typescript: "readonly (Readonly<Record<string, Whole>> | null)[]",
	},
	{
		name: "together", doc: "buffers in one pool that begin at one byte, or at these distances from each other",
		cxx:        []string{"std::vector<valued_pair> together{}; // value: offset of second - offset of first"},
		python:     "Optional[Iterable[Union[Iterable[Name], Mapping[str, object]]]] = None",
		typescript: "readonly (readonly Name[] | { buffers: readonly Name[]; at?: readonly Whole[] })[]",
	},
	{
		name: "apart", doc: "pairs that share no byte, whatever their lifespans",
		cxx:    []string{"std::vector<pair> apart{};"},
		python: "Optional[Pairs] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "may_overlap", doc: "pairs that may share bytes although both live",
		cxx:    []string{"std::vector<pair> may_overlap{};"},
		python: "Optional[Pairs] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "distances", rows: "[first, second, distance]: ",
		doc: "first dies in the slot in which second is born. They may share bytes if offset of first - offset of second " +
			">= distance",
		cxx: []string{"std::vector<valued_pair> distances{}; // value: the distance"}, python: "Optional[Triples] = None",
		typescript: "readonly (readonly Name[] | { buffers: readonly Name[]; distance: Whole })[]",
	},
	{
		name: "penalties", rows: "[first, second, cost]: ", doc: "what it costs if two buffers share bytes",
		cxx:        []string{"std::vector<valued_pair> penalties{}; // value: the cost"},
		python:     "Optional[Triples] = None",
		typescript: "readonly (readonly Name[] | { buffers: readonly Name[]; cost: Whole })[]",
	},
	{
		name: "evictions", rows: each,
		doc:        "the stretches [lower, upper) in which the buffer may be absent, and what each costs",
		cxx:        []string{"std::vector<eviction> evictions{};"},
		python:     "Optional[Iterable[Optional[Iterable[Union[Iterable[SupportsInt], Mapping[str, object]]]]]] = None",
		typescript: "readonly (readonly (readonly Whole[] | { lower: Whole; upper: Whole; cost: Whole })[] | null)[]",
	},
	{
		name: "clocks",
		doc: "lifespans by several clocks, a number for each buffer and clock; lower and upper of the buffers then do " +
			"not count",
		cxx: []string{
			"int64_t threads = 0; // the number of clocks; 0 for one line of time",
			"std::vector<int64_t> clock_lower{}, clock_upper{}; // threads numbers for each buffer",
		},
		typescript: "{ lower: readonly (readonly Whole[])[]; upper: readonly (readonly Whole[])[] }",
	},
	{
		name: "period", doc: "the length of a step that repeats: lifespans may run over its end",
		cxx: []string{"int64_t period = 0;"}, python: "Optional[SupportsIndex] = None", typescript: "Whole",
	},
	{
		name: "objective",
		doc: `what is minimised, the most important first: "height", "max_height", "peak", "max_peak", "cost", "penalty", ` +
			`"eviction", "objects", "height:POOL", "peak:POOL"`, cxx: []string{"std::vector<std::string> objective{};"},
		python: "Union[str, Iterable[str], None] = None", typescript: "string | readonly string[]",
	},
	{
		name: "different_pools", doc: "lists of buffers, any two of which are in different pools",
		cxx:    []string{"std::vector<std::vector<int64_t>> different_pools{};"},
		python: "Optional[Lists] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "same_pool", doc: "lists of buffers that are all in one pool",
		cxx:    []string{"std::vector<std::vector<int64_t>> same_pool{};"},
		python: "Optional[Lists] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "lockstep", doc: "lists of buffers that are all at one offset, each in its own pool",
		cxx:    []string{"std::vector<std::vector<int64_t>> lockstep{};"},
		python: "Optional[Lists] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "kinds", doc: "lists of buffers of one kind; two of different kinds that conflict share no page of a pool with a granularity",
		cxx:    []string{"std::vector<std::vector<int64_t>> kinds{};"},
		python: "Optional[Lists] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "alternatives", doc: "lists of buffers of which a plan has one; the others get the offset -1",
		cxx:    []string{"std::vector<std::vector<int64_t>> alternatives{};"},
		python: "Optional[Lists] = None", typescript: "readonly (readonly Name[])[]",
	},
	{
		name: "groups", doc: "prices that are paid once for a set of pairs",
		cxx:        []string{"std::vector<group> groups{};"},
		python:     "Optional[Iterable[Union[Mapping[str, object], Sequence[object]]]] = None",
		typescript: "readonly { pairs: readonly (readonly Name[])[]; cost: Whole; paid?: Paid }[]",
	},
	{
		name: "spans", doc: "buffers that may lie on both sides of a border of their pool",
		cxx:    []string{"std::vector<int64_t> spans{};"},
		python: "Optional[Iterable[Name]] = None", typescript: "readonly Name[]",
	},
	{
		name: "extents", rows: each,
		doc: "width and height of the buffer, and perhaps its depth; its size is then their product. An object is as large as " +
			"its largest buffer in each",
		cxx:    []string{"std::vector<extent> extents{};"},
		python: "Optional[Iterable[Optional[Iterable[SupportsInt]]]] = None", typescript: "readonly (readonly Whole[] | null)[]",
	},
}

// open are the answers to what a file leaves open.
var open = []keyword{
	{
		name: "dims", doc: "open dimensions of a model, by name or as INPUT:AXIS",
		python: "Optional[Mapping[str, int]] = None", typescript: "Record<string, Whole>",
	},
	{
		name: "values", doc: "values of inputs that are one number",
		python: "Optional[Mapping[str, int]] = None", typescript: "Record<string, Whole>",
	},
	{
		name: "shapes", doc: `shapes and types of tensors whose shape is unknown: "20x1x32:float32"`,
		python: "Optional[Mapping[str, str]] = None", typescript: "Record<string, string>",
	},
	{
		name: "sizes", doc: "bytes of tensors whose shape is unknown",
		python: "Optional[Mapping[str, Union[int, str]]] = None", typescript: "Record<string, Size>",
	},
	{
		name: "alignment", doc: "sizes and offsets of a model are multiples of this",
		python: "Optional[int] = None", typescript: "Size",
	},
	{
		name: "heap", doc: "the heap of a dump to plan. Default: the one with the largest load",
		python: "Optional[str] = None", typescript: "string",
	},
	ends,
}

// ends stands beside the options of calls that take a table.
var ends = keyword{
	name: "ends", python: "Optional[str] = None", typescript: "Ends",
	doc: "what end, stop, last, until or to mean in place of upper. Without it, end is the last time slot, " +
		"and a note says so",
}

// Options of single calls.
var (
	ignore   = keyword{name: "ignore_offsets", python: "bool = False"}
	progress = keyword{name: "progress", python: "Optional[Callable[[Progress], object]] = None"}
	startOr  = keyword{name: "start", python: "Union[Start, str, os.PathLike[str], None] = None"} // or a file's
	atOnce   = keyword{name: "at_once", python: "Optional[SupportsIndex] = None"}
	smallest = keyword{
		name: "smallest", doc: "looks for a subset of the fewest buffers, which may take long", typescript: "boolean",
	}
	start = keyword{
		name: "start", doc: "a plan to improve on, in the order of the buffers",
		python: "Optional[Start] = None", typescript: "ArrayLike<Whole>",
	}
)

// columns are the keywords of Python that make a problem; byPlace may stand without their name.
var (
	byPlace = []keyword{
		{name: "lower", python: "Times"},
		{name: "upper", python: "Times"},
		{name: "size", python: "Sizes"},
		{name: "alignment", python: "Union[SupportsIndex, str, Holes, None] = None"},
	}
	columns = []keyword{
		{name: "offset", python: "Optional[Holes] = None"},
		{name: "hint", python: "Optional[Holes] = None"},
		{name: "gaps", python: "Optional[Iterable[Optional[Gaps]]] = None"},
		{name: "names", python: "Optional[Iterable[object]] = None"},
	}
)

// A form is how the languages write settings of a kind, and what else they say of the unit.
type form struct {
	argument, field, none string // of Python: the type of an argument with its default; type and default of a field
	typescript, unit      string // unit is the end of TypeScript's doc
	cxx, zero             string
	c                     string // C's doc; %s stands for the setting's doc
}

var forms = map[Kind]form{
	Text: {
		argument: "Optional[str] = None", field: "str", none: `""`, typescript: "string", cxx: "std::string", zero: "{}",
	},
	Size: {argument: "Optional[Size] = None", field: "int", none: "0", typescript: "Size", cxx: "int64_t", zero: " = 0"},
	Count: {
		argument: "Optional[SupportsIndex] = None", field: "int", none: "0", typescript: "Whole",
		cxx: "int64_t", zero: " = 0",
	},
	Time: {
		argument: "Optional[Seconds] = None", field: "float", none: "0.0",
		typescript: "Time", cxx: "std::chrono::nanoseconds", zero: "{}",
		unit: `: seconds, or text with a unit such as "500ms". None, or Infinity, is no limit`,
		c:    "%s, in nanoseconds; 0 for no limit",
	},
	Bits: {
		argument: "SupportsIndex = 0", field: "int", none: "0", typescript: "Whole", cxx: "uint64_t", zero: " = 0",
		c: "%s; its bits count as unsigned",
	},
	Switch: {
		argument: "bool = False", field: "bool", none: "False", typescript: "boolean",
		cxx: "bool", zero: " = false", c: "not 0: %s",
	},
	Names: {
		argument: "Sequence[str] = ()", field: "Sequence[str]", none: "()", typescript: "string | Iterable<string>",
		cxx: "std::vector<std::string>", zero: "{}", unit: "; as a string, with commas between them",
	},
	Pairs: {
		argument: "Optional[Mapping[str, object]] = None", field: "Mapping[str, Any]", none: "{}",
		typescript: "Record<string, string | number>", cxx: "std::map<std::string, std::string>", zero: "{}",
	},
}

// called is the name of a setting in Python and JavaScript: set is a word of theirs.
func called(s *Setting) string {
	if s.Name == "set" {
		return "params"
	}
	return s.Name
}

// numbered reports whether a setting is a number, and so has one in C.
func numbered(s *Setting) bool { return s.Kind != Text && s.Kind != Names && s.Kind != Pairs }

// upper is the name of a setting as C has it by number.
func upper(s *Setting) string {
	if s.Kind == Time {
		return strings.ToUpper(s.Name) + "_NS"
	}
	return strings.ToUpper(s.Name)
}

// settings are all of a run in the order of stowage.hpp, where it counts: the planner, the numbers as C numbers them,
// the rest.
func settings() (all []*Setting) {
	for _, of := range []func(s *Setting) bool{func(s *Setting) bool { return s.Kind == Text }, numbered} {
		for k := range All {
			if of(&All[k]) {
				all = append(all, &All[k])
			}
		}
	}
	for k := range All {
		if !slices.Contains(all, &All[k]) {
			all = append(all, &All[k])
		}
	}
	return all
}

// options are the settings as keywords.
func options(but ...string) (all []keyword) {
	for _, s := range settings() {
		f := forms[s.Kind]
		all = append(all, keyword{name: called(s), doc: s.Doc + f.unit, python: f.argument, typescript: f.typescript})
	}
	return without(all, but...)
}

// A word of an outcome has a number in C.
type word struct {
	name, c, doc string
}

var statuses = []word{
	{model.Unknown.String(), "UNKNOWN", "a limit came before an answer; there is no plan"},
	{model.Feasible.String(), "FEASIBLE", "a plan that fits, not known to be the lowest"},
	{model.Optimal.String(), "OPTIMAL", "a plan, proven to be the lowest"},
	{model.Infeasible.String(), "INFEASIBLE", "proven: no plan fits"},
}

var stops = []word{
	{string(plan.Finished), "FINISHED", "it has its answer"},
	{string(plan.StopTimeout), "STOP_TIMEOUT", "the timeout came"},
	{string(plan.StopNodes), "STOP_NODES", "the node limit came"},
	{string(plan.StopInterrupt), "STOP_CANCELLED", "a token or the progress callback said so"},
	{string(plan.StopEffort), "STOP_EFFORT", "no limit came: the planner ended by itself"},
}
