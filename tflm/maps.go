package tflm

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: the memories of a part, their sizes and their order of speed are known and do not change, so they stand here
// once. A map has whole memories, because nobody knows what the firmware itself keeps there (stack, heap, .bss).
//
// Invariant: the pools of a map go from fast to slow. A cost is picoseconds for each byte moved. A map has costs only
// if a source gives figures for all its pools. Otherwise the costs are 0, and only the order counts.
//
// Sources: at each map, as they read in November 2026.
//
// Trials: docs/lab/tflm.md (Vela's memory modes and memories that differ by board are not listed).

// A Map is the memories of a part, for planning in several pools.
type Map struct {
	Name  string       // as --target takes it
	Part  string       // the part, in words
	Pools []model.Pool // its memories, from fast to slow
	// Costs says that Pool.Cost is picoseconds for each byte moved, from the source. Without it the order of
	// the pools is all that is known.
	Costs  bool
	Source string // where the sizes, and the costs or the order, come from
	// Kernels are those that firmware for the part is built with, as ParseSet takes them: CMSIS-NN for its core, by the
	// Makefile of tensorflow/tflite-micro (cmsis_nn.inc), or ESP-NN by espressif/esp-tflite-micro.
	Kernels string
}

const kib, mib = int64(1) << 10, int64(1) << 20

var parts = []Map{
	{
		// Sizes: memory.x of the Rust crate. SRAM1, 2 and 3 adjoin, so they are one pool. Order: DTCM beside the core,
		// AXI SRAM on 64 bit in domain D1, SRAM1 to 3 on 32 bit in D2, SRAM4 in D3. No source for a ratio was found.
		// AXI SRAM and the others are behind the data cache, whose lines have 32 bytes.
		Name: "stm32h743", Kernels: "cmsis-nn-dsp", Part: "STM32H743 (Cortex-M7)",
		Source: "sizes: stm32-rs/stm32h7xx-hal, memory.x; order: their buses",
		Pools: []model.Pool{
			{ID: "dtcm", Capacity: 128 * kib, Alignment: 16},
			{ID: "axi", Capacity: 512 * kib, Alignment: 32},
			{ID: "sram", Capacity: 288 * kib, Alignment: 32},
			{ID: "sram4", Capacity: 64 * kib, Alignment: 32},
		},
	},
	{
		// Sizes: Zephyr's nxp_rt1170.dtsi and nxp_rt11xx_cm7.dtsi (lines of the data cache: 32 bytes). OCRAM1 and
		// OCRAM2 adjoin. Half of the FlexRAM's 16 banks of 32 KiB are DTCM; the split can be moved. Costs: the reporter
		// of tensorflow/tflite-micro#1173 has 8 GB/s for TCM and 2 GB/s for OCRAM, so 125 and 500 ps for a byte.
		Name: "rt1170", Kernels: "cmsis-nn-dsp", Part: "i.MX RT1170 (Cortex-M7)", Costs: true,
		Source: "sizes: Zephyr, nxp_rt1170.dtsi; cost: tensorflow/tflite-micro#1173",
		Pools: []model.Pool{
			{ID: "dtcm", Capacity: 256 * kib, Alignment: 32, Cost: 125},
			{ID: "ocram", Capacity: 1024 * kib, Alignment: 32, Cost: 500},
		},
	},
	{
		// Sizes: 512 KiB of SRAM; of these, about 250 KiB are free for a model in the firmware of
		// tensorflow/tflite-micro#2675. PSRAM is that of N16R8 modules, octal at 80 MHz (ESP-IDF's documents), so at
		// most 160 MB/s by its clock. For the SRAM no figure was found, so there is no ratio.
		Name: "esp32s3", Kernels: "esp-nn", Part: "ESP32-S3 with 8 MiB of octal PSRAM",
		Source: "sizes: ESP-IDF's documents, tensorflow/tflite-micro#2675; order: on the chip, then beside it",
		Pools: []model.Pool{
			{ID: "sram", Capacity: 512 * kib, Alignment: 16},
			{ID: "psram", Capacity: 8 * mib, Alignment: 16},
		},
	},
	{
		// Sizes: Corstone-300.ld of ExecuTorch. Order: that of the file. The figures of Vela's models are for an NPU,
		// which does not reach the DTCM, so they are not used here.
		Name: "corstone300", Kernels: "cmsis-nn-mve", Part: "Corstone-300 (Cortex-M55)",
		Source: "sizes and order: pytorch/executorch, Corstone-300.ld",
		Pools: []model.Pool{
			{ID: "dtcm", Capacity: 512 * kib, Alignment: 16},
			{ID: "sram", Capacity: 2 * mib, Alignment: 16},
			{ID: "bram", Capacity: 1 * mib, Alignment: 16},
			{ID: "ddr", Capacity: 1536 * mib, Alignment: 16},
		},
	},
	{
		// Sizes: Alif's regions_AE722F80F55D5LS_M55_HP.h. It says nothing of speed. The order is that of its numbers,
		// without the memories of less than 1 MiB.
		Name: "alif-e7", Kernels: "cmsis-nn-mve", Part: "Alif Ensemble E7 (Cortex-M55 HP)",
		Source: "sizes: Alif's regions_AE722F80F55D5LS_M55_HP.h; order: its numbers",
		Pools: []model.Pool{
			{ID: "sram0", Capacity: 4 * mib, Alignment: 16},
			{ID: "sram1", Capacity: 2560 * kib, Alignment: 16},
			{ID: "sram3", Capacity: 1 * mib, Alignment: 16},
			{ID: "sram6a", Capacity: 1 * mib, Alignment: 16},
			{ID: "sram6b", Capacity: 1 * mib, Alignment: 16},
			{ID: "sram8", Capacity: 2 * mib, Alignment: 16},
		},
	},
	{
		// Sizes and order: ug_nrf54h20_architecture_memory.rst of the nRF Connect SDK, which calls the local RAM
		// "minimal latency" and RAM0x "relatively fast". RAM0x is shared with other cores by partitions.
		Name: "nrf54h20", Kernels: "cmsis-nn-dsp", Part: "nRF54H20, application core (Cortex-M33)",
		Source: "sizes and order: nrfconnect/sdk-nrf, ug_nrf54h20_architecture_memory.rst",
		Pools: []model.Pool{
			{ID: "local", Capacity: 32 * kib, Alignment: 16},
			{ID: "ram0x", Capacity: 768 * kib, Alignment: 16},
		},
	},
}

// Maps returns the memories of parts, each pool whole, in the order of their table.
func Maps() []Map {
	out := slices.Clone(parts)
	for k := range out {
		out[k].Pools = slices.Clone(out[k].Pools)
	}
	return out
}
