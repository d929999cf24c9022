// Types of the package stowage/files: files in, plan files out.

import type {
  BigOptions,
  CallOptions,
  Ends,
  BigResult,
  ExplainOptions,
  Explanation,
  Problem,
  Result,
  Size,
  SolveOptions,
  Whole,
} from "./index.js";

export { InputError, locate, type Issue, type Places, type Status, type Progress } from "./index.js";

/** Text, bytes, or the File or Blob that a page gets. */
export type Content = string | ArrayBuffer | ArrayBufferView | { arrayBuffer(): Promise<ArrayBuffer> };

/** Answers to what a file leaves open. */
export interface FileOptions {
  // generated: open
  /** Open dimensions of a model, by name or as INPUT:AXIS. */
  dims?: Record<string, Whole>;
  /** Values of inputs that are one number. */
  values?: Record<string, Whole>;
  /** Shapes and types of tensors whose shape is unknown: "20x1x32:float32". */
  shapes?: Record<string, string>;
  /** Bytes of tensors whose shape is unknown. */
  sizes?: Record<string, Size>;
  /** Sizes and offsets of a model are multiples of this. */
  alignment?: Size;
  /** The heap of a dump to plan. Default: the one with the largest load. */
  heap?: string;
  /** What end, stop, last, until or to mean in place of upper. Without it, end is the last time slot, and a note says so. */
  ends?: Ends;
  // end of open
  /** Files that belong to this one, by name: XLA's NAME-live-range.txt and NAME-buffer-assignment-values.txt. */
  beside?: Record<string, Content>;
}

export interface PlanOptions extends FileOptions {
  /** The format of output. Default: "csv", but "json" for a problem with rules. */
  format?: "csv" | "json";
  /** Ignores the fixed offsets of the file. */
  ignoreOffsets?: boolean;
  /** Adds the data for the viewer. */
  view?: boolean;
}

/** What a file is. */
export interface About<N = number> {
  name: string;
  kind: "csv" | "json" | "tflite" | "onnx" | "xla" | "iree" | "ggml" | "inductor" | "cuda" | "dsa" | "trace" | "plan";
  buffers: number;
  /** 0 for none. */
  capacity: N;
  /** The decisions that the reader made. */
  notes: string[];
  heaps: string[];
  /** How the ends of lifespans were read; missing if they are called upper. */
  ends?: Ends;
  /** What times with fractions were multiplied by; missing if times are whole numbers. */
  timeScale?: number;
  /** For the viewer. */
  view?: { meta: string; data: Uint8Array };
}

export interface Planned<N = number, A = Float64Array> extends Omit<Result<N, A>, "notes">, About<N> {
  /** The plan as a file in UTF-8, byte for byte what the command writes; missing if there is no plan. */
  output?: Uint8Array;
  /** Of a .tflite model: bytes of its tensors, and kTensorArenaSize for firmware of 32 bit with the reference kernels. */
  head?: N;
  arena?: N;
  /** Of a .tflite model, as of planModel. */
  arenas?: ArenaSize<N>[];
  files?: PlannedModel["files"];
}

/** A file with its content, such as the File that a page gets. */
export interface NamedContent {
  name: string;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Plans a problem, as solve of the package does. */
export function plan(problem: Problem, options: BigOptions): Promise<BigResult>;
export function plan(problem: Problem, options?: SolveOptions): Promise<Result>;
/** Plans the problem in a file of a page. */
export function plan(file: NamedContent, options: PlanOptions & BigOptions): Promise<Planned<bigint, BigInt64Array>>;
export function plan(file: NamedContent, options?: PlanOptions & SolveOptions): Promise<Planned>;
/** Plans the problem in a file. The name of the file, or its first bytes, tell the format. */
export function plan(
  name: string,
  content: Content,
  options: PlanOptions & BigOptions,
): Promise<Planned<bigint, BigInt64Array>>;
export function plan(name: string, content: Content, options?: PlanOptions & SolveOptions): Promise<Planned>;

/** How large the arena must be on a target (kTensorArenaSize), in bytes. */
export interface ArenaSize<N = number> {
  /** Such as "firmware of 32 bit". */
  target: string;
  /** For the model as it is. */
  before: N;
  /** For the model in files; the same as before if the new plan is no better. */
  planned: N;
  /** Whether the sizes are lower bounds: the model cannot run as it is, or something of a kernel is not known. */
  atLeast: boolean;
}

export interface PlannedModel<N = number, A = Float64Array> extends Omit<Result<N, A>, "notes">, About<N> {
  arenas: ArenaSize<N>[];
  /** The kernels that the sizes are for. */
  kernels: { name: string; version: string };
  /** Which kernels the sizes are for, what others need, and why the model cannot run if it cannot; in sentences. */
  arenaNotes: string[];
  /** The model with its plan, a C header, the model as a C array, and the plan; missing if no plan was found. */
  files?: { tflite: Uint8Array; h: Uint8Array; cc: Uint8Array; csv: Uint8Array };
}

export interface ModelOptions {
  view?: boolean;
  /** The kernels that the firmware has, such as "esp-nn" or "esp-nn@27d1f4a"; "reference" if it is left out. */
  kernels?: string;
}

/**
 * Plans a .tflite model for TensorFlow Lite Micro, as `stowage plan` does. A capacity is that of the whole arena on the
 * first target, here and in plan. If the arena does not fit, there are no offsets, and reason says how many bytes are
 * too many; arenas and files are there.
 */
export function planModel(
  name: string,
  content: Content,
  options: BigOptions & ModelOptions,
): Promise<PlannedModel<bigint, BigInt64Array>>;
export function planModel(name: string, content: Content, options?: SolveOptions & ModelOptions): Promise<PlannedModel>;

/** Why nothing in a file fits, with the names of the buffers. */
export interface ExplainedFile<N = number> extends Explanation<N> {
  ids: string[];
}

/** Names buffers of a file that cannot fit the capacity together, and says why. */
export function explain(
  name: string,
  content: Content,
  options: FileOptions & ExplainOptions & { ignoreOffsets?: boolean; bigint: true },
): Promise<ExplainedFile<bigint>>;
export function explain(
  name: string,
  content: Content,
  options?: FileOptions & ExplainOptions & { ignoreOffsets?: boolean; bigint?: false },
): Promise<ExplainedFile>;

export interface Read extends About {
  /** Whether the file has a plan. */
  planned: boolean;
  lowerBound: number;
}

/** Reads a file, and the plan in it, for the viewer. */
export function read(name: string, content: Content, options?: FileOptions & CallOptions): Promise<Read>;

/** Lists the planners. */
export function planners(options?: CallOptions): Promise<{ name: string; summary: string; exact: boolean }[]>;

/** Ends the worker and rejects the calls that run. The next call starts another worker. */
export function close(): void;
