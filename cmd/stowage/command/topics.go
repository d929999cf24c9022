package command

import "github.com/spf13/cobra"

// Idea: text that several commands need is in one place, a topic of the help, and their own help names the topic. A
// topic is a command that does nothing. help prints its text, and man writes a page of it.

// formatsHelp is the sentence about files in the help of commands.
const formatsHelp = "'stowage help formats' says which files are read and written, and has the flags for " +
	"models and dumps."

// planSection is the section of the flags of newFormats that only plan has.
const planSection = "Models and graphs, for stowage plan alone"

// newFormats returns the topic about files.
func newFormats() *cobra.Command {
	var m modelFlags
	var g graphFlags
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "The files that are read, and the flags for models",
		Long: `A file is known by its extension, and otherwise by its content. INPUT may be - for standard input, and any file may be packed with gzip.

CSV (.csv): the header names the columns; 'stowage help tables' lists them, and has the flag --ends for what lifespans mean.

JSON (.json): {"buffers": [{"lower": 0, "upper": 4, "size": 64}]}, or the list of buffers alone, with the same names; more keys: 'stowage help rules'. That of dsa-solver (dsa-problem-v1) is read and written: .dsa.json, .dsa-solution.json.

A plan file that is read as a problem: an offset in CSV, or the key offset of a buffer in JSON, fixes that buffer's place. A CSV file that solve wrote fixes every buffer, and a warning says so, as [pinned]. The key plan of a JSON file fixes nothing and is not used; solve notes that as [plan-unused].

Models (.tflite, .onnx): the problem is that of the model's arena. The flags below settle what an ONNX model leaves open. If anything is still open, the error names it.

Graphs (.json, plan alone): {"values": [...], "operators": [...]}, from a compiler: what each operator reads and makes, and which results may lie over which operands. docs/graph.md has the keys.

Dumps: of XLA (.pb, or NAME-buffer-assignment.txt), of IREE (.mlir), of PyTorch's allocator for CUDA (.pickle), Inductor's code (.py), ggml's log (.ggml-log), or arenas' .trace and .plan. The problem is that of one heap. ggml, XLA and Inductor also record their plan: show draws and verify checks it.`,
	}
	m.bindModels(cmd)
	g.bind(cmd)
	group(cmd, planSection, "reorder", "permits")
	return cmd
}

// newTables returns the topic about the columns of CSV, which are the keys of JSON too.
func newTables() *cobra.Command {
	var m modelFlags
	cmd := &cobra.Command{
		Use:   "tables",
		Short: "The columns of CSV, and what times mean",
		Long: `CSV (.csv): the header names the columns, in any order. The keys of JSON have the same names.

  id         the buffer's name; without it, buffers are numbered from 0
  lower      first time slot of the lifespan; also start or begin
  upper      first time slot after the lifespan
  end        in place of upper: the last time slot of the lifespan, inclusive
  size       bytes; units are read, such as 1.5MiB
  alignment  optional; the offset is a multiple of it
  gaps       optional; times without use, such as "3-5 8-9", or 3-5@0:64
             if bytes 0 to 63 stay in use
  offset     optional; fixes the buffer's place, -1 for none
  hint       optional; a place to try first, -1 for none

Other programs use the name end both ways. --ends half-open reads it as they mean upper. How end was read is said on standard error, as [ends], and in the file of --stats. With --ends, the names stop, last, until and to are read too. Gaps of CSV end as lifespans do.

Times are whole numbers, or have fractions, as 0.25. Then all times of the file are multiplied by one power of ten, which changes no offset, and [times] says which. Plans in CSV and JSON have the times of INPUT. Sizes are whole numbers. Times may also be by vector clocks, as 3:0:7.

A column of another name is kept in plans. A line that begins with # is a comment, unless it has as many fields as the header.`,
	}
	m.bindEnds(cmd)
	group(cmd, "Tables", "ends")
	return cmd
}

// newFirmware returns the topic about the numbers, files and scratch of plan.
func newFirmware() *cobra.Command {
	return &cobra.Command{
		Use:   "firmware",
		Short: "The arena of TensorFlow Lite Micro, and what plan writes",
		Long: `The arena is the memory that TensorFlow Lite Micro takes for a model.

  head            tensors and scratch that come and go; a plan changes only this
  tail            what the runtime keeps for each tensor and operator
  smallest arena  the least size for which AllocateTensors succeeds, if the
                  arena is aligned to 16: the number for kTensorArenaSize

Plan computes these without a board, from what the runtime (tensorflow/tflite-micro 90b983c) and the kernels keep. It does so for 32-bit and 64-bit firmware, and for the Python package tflite_micro. If the model cannot run, or an operator is not known, it says "at least", and --capacity exits with 3 or 4. Give the tail that your target reports with --tail.

-o FILE writes by extension, and may be repeated. All files are written or none:

  .tflite         the model with its plan, as metadata OfflineMemoryAllocation;
                  the old file follows byte for byte
  .cc .cpp .cxx   the same model as a constant array, with its sizes
  …selftest.cc    a test of the new plan, which firmware runs once
  .h              the arena sizes (_32, _64), the head and the offsets as macros
  .c              memory and a table of tensors, for code without the runtime
  others          the problem with its plan

The kernels decide which scratch is asked for, so each number holds for one set of them. --kernels NAME says which the firmware has; NAME@VERSION names a version too. A part as --target stands for its kernels.

  reference       TensorFlow Lite Micro's own kernels; the default
  cmsis-nn-mve    CMSIS-NN for Cortex-M52, M55 and M85
  cmsis-nn-dsp    CMSIS-NN for Cortex-M4, M7 and M33
  cmsis-nn-c      CMSIS-NN for Cortex-M0, M0+, M3 and M23
  esp-nn          ESP-NN for the ESP32-S3; esp-nn-p4 for the P4
  esp-nn-c        ESP-NN's kernels in C: ESP32, S2, C3 and others

Scratch of other kernels is given with --scratch, which may be repeated:

  SVDF=2048       so many bytes for each SVDF, or 3=2048 for operator 3, from 0
  device.log      what a target printed that was built with the header of
                  --probe, or with TF_LITE_SHOW_MEMORY_USE
  reference, none what the reference kernels ask for, or nothing

The new plan is written only if the head gets smaller by it. If no kernels are named, it is worse than the runtime's own on none that are known. A faulty plan is always replaced. A plan whose tensors share bytes on purpose, such as Vela's, is kept, unless --replace-plan is given.

Several models share an arena: the highest head counts, and the tails add up.

With --split chains of operators run in strips of rows, in the same bits, if the arena then gets smaller. --max-macs limits the arithmetic that they add. In a graph in JSON operators say themselves which lines they read.

With --diagonal a result may lie over what its kernel has read of the operand. How closely depends on the kernel. With others the outputs may be wrong: see check --diagonal.`,
	}
}

// newRules returns the topic about problems with rules.
func newRules() *cobra.Command {
	return &cobra.Command{
		Use:   "rules",
		Short: "Problems with several memories and other rules",
		Long: `A problem in JSON may have rules. docs/memories.md has an example of each.

  {"version": 2,
   "pools": [{"id": "sram", "capacity": 65536}, {"id": "dram", "cost": 1}],
   "buffers": [{"id": "a", "lower": 0, "upper": 4, "size": 4096}, ...],
   "apart": [["a", "b"]]}

Keys beside buffers:

  pools        the memories: id, capacity, alignment, cost of a byte, and
               reserved, such as [[0, 16]] for bytes 0 to 15; with
               "objects": true (version 3) it is divided into objects,
               which have one buffer at a time, such as textures; with
               "borders": [64, 128] (version 3) no buffer lies on both
               sides of a border, if it has no "spans": true; with
               "sizes": [[64, 3], [128, 5]] (version 3) a used pool adds
               the price of the cheapest size that fits to the cost;
               "granularity": 64 (version 3) is the size of its pages
  together     buffers at fixed distances: {"buffers": [...], "at": [...]}
  apart        pairs that share no byte, whatever their lifespans
  may_overlap  pairs that may share bytes although both are live
  different_pools, same_pool, lockstep
               lists of buffers in different pools, all in one, or all at one
               offset, each in its pool; the file then has version 3
  kinds        lists of buffers of one kind (version 3): two of different
               kinds that conflict share no page of such a pool
  alternatives lists of buffers of which a plan has one (version 3): forms
               of different sizes, lifespans, pools or costs
  distances    a result over an operand: {"buffers": [operand, result],
               "distance": D}, if offset of operand - that of result >= D
  penalties    {"buffers": [a, b], "cost": N}, paid if the two share a byte
  groups       {"pairs": [[a, b], ...], "cost": N, "paid": "if one shares"}
               (version 3): a price that is paid once for all pairs; also
               "if all share", "unless all coincide" (at one offset of one
               pool) and "unless one coincides"
  threads      the number of clocks; lower and upper are then lists
  period       the length of a step that repeats
  objective    what is minimised, the most important first: height,
               max_height, peak, max_peak, cost, penalty, eviction,
               objects, height:POOL, peak:POOL [default: height; with
               several pools cost, then height]

Keys of a buffer:

  size         its bytes, or [width, height] or [width, height, depth]
               (version 3): an object has the largest of each
  pools        the pools that it may be in [default: all]
  costs        what it costs in a pool, such as {"dram": 400}
  evictions    stretches in which it may be absent: [{"lower": 3, "upper": 7,
               "cost": 5}]

Sizes may vary: "scenarios": ["short", "long"] with "sizes": [64, 512] in each buffer, or "symbols": {"seq": [1, 512]} with "size": "64*seq" (docs/shapes.md). The plan is then an order, from which the offsets for any sizes follow.

solve plans such a problem: -o plan.json, .csv or a picture. verify checks the plan, show -o draws it, explain says why no plan keeps the rules, and compare runs several planners. 'stowage plan --pool' makes such a problem of a model.`,
	}
}

// newMemories returns the topic about plans in several memories.
func newMemories() *cobra.Command {
	return &cobra.Command{
		Use:   "memories",
		Short: "Plans of a model in several memories (plan --pool)",
		Long: `With --pool, once for each memory from fast to slow, 'stowage plan' gives each tensor of a model a memory and an offset. It looks for the least traffic: bytes moved × cost. A tensor is written once, and read once by each operator that takes it. The report has the traffic, what is proven of it, and that of a plan with all in the slow memory.

  stowage plan --pool dtcm=96KiB --pool axi=480KiB -o net.hpp net.tflite
  stowage plan --target stm32h743 --pool dtcm=96KiB net.tflite
  stowage plan --target list

NAME=SIZE says how many bytes the firmware leaves. It may be followed by

  ,cost=N         the cost of a byte, in any unit; give all memories one, or
                  none: the order then counts, as 0, 1, 2 and so on
  ,align=N        offsets are multiples of N [default: 16]
  ,reserved=A-B   bytes A up to B belong to others; repeatable
  ,arena          the runtime's arena is here [default: in the largest]

--target PART has the memories of a part, whole; --pool then changes those that it names. The arena also has the runtime's own data, the tail, and variable tensors. --target 64 counts with firmware of 64 bit.

-o FILE writes by extension:

  .hpp   for a .tflite: a planner class in C++ that places the tensors; the
         runtime, TensorFlow Lite Micro, and the model stay as they are
  .h     memory, offset and size of each tensor as macros in C
  .json  the problem with its pools, and the plan; .csv the plan alone
  .svg   a picture with a lane for each memory; also .png, .pdf, .html, .tex

The last lines of the report are for a runtime that takes no planner: which memory has room for its arena, or for each of two arenas, or by how much it is short. If the plan does not fit, nothing is written, and the exit code is 3, or 4 if a limit came first.

For a list of buffers see stowage help rules.`,
	}
}
