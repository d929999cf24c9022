// Types of the package stowage: buffers in, offsets out.

/** A whole number: a number below 2^53, or a BigInt below 2^63. */
export type Whole = number | bigint;

/** A number of bytes: a whole number, or text with a unit such as "2KiB", "1.5MiB" or "64kB". K, M, G and T are binary. */
export type Size = Whole | string;

/** A time: a number of seconds, or text with a unit such as "500ms", "10s" or "1h30m". */
export type Time = number | string;

/** Inactive time within a lifespan: no space is used, or that of the window alone. */
export interface Gap {
  lower: Whole;
  upper: Whole;
  /** Bytes that stay in use, counted from the buffer's offset. */
  window?: { lower: Size; upper: Size };
}

/** A block of memory with a known size and lifespan. */
export interface Buffer {
  /** Names it in messages; by default its place. Unique. */
  id?: string;
  /** The first time slot. */
  lower: Whole;
  /** One past the last time slot. */
  upper: Whole;
  /** Bytes, at least 1. */
  size: Size;
  /** The offset is a multiple of it. Default: 1. */
  alignment?: Size;
  gaps?: readonly Gap[];
  /** The only offset that it may have. */
  fixed?: Size;
  /** An offset to try first. */
  hint?: Size;
}

/** A problem as objects. */
export interface Buffers {
  buffers: readonly Buffer[];
  /** Bytes that the plan must fit into. */
  capacity?: Size;
}

/** A problem as columns, for many buffers; BigInt64Array is passed without a conversion. */
export interface Columns {
  lower: ArrayLike<Whole>;
  upper: ArrayLike<Whole>;
  size: ArrayLike<Size>;
  alignment?: ArrayLike<Size>;
  /** Below 0 for a buffer that is free. */
  fixed?: ArrayLike<Size>;
  /** Below 0 for none. */
  hint?: ArrayLike<Size>;
  ids?: ArrayLike<string>;
  /** Six for each gap, by buffer: its place, lower, upper, 1 with a window, and the window. */
  gaps?: ArrayLike<Whole>;
  capacity?: Size;
  buffers?: undefined;
}

/** Buffers, alone or with a capacity; or columns. */
export type Problem = readonly Buffer[] | Buffers | Columns;

/** What is known of a plan; optimal and infeasible are proofs. */
export type Status = "optimal" | "feasible" | "infeasible" | "unknown";

/** A snapshot of a search. */
export interface Progress<N = number> {
  /** Of the lowest plan so far; 0 for none. */
  height: N;
  lowerBound: N;
  nodes: number;
  seconds: number;
}

export interface CallOptions {
  /** False runs on this thread, which is then blocked but for a moment now and then. Default: true. */
  worker?: boolean;
  /** Ends the search early; the best plan so far is the result. */
  signal?: AbortSignal;
}

export interface SolveOptions extends CallOptions {
  /** Default: "auto". */
  planner?: string;
  /** Bytes to fit into; in place of the problem's own. */
  capacity?: Size;
  /** Looks for the lowest plan within the capacity. Without a capacity, solve always does. */
  minimize?: boolean;
  /** The most time for the search: seconds, or text with a unit. None, or Infinity, is no limit. */
  timeout?: Time;
  /** The same in milliseconds; give one of the two. */
  timeoutMs?: number;
  /** A limit on search nodes, the same on every machine. */
  nodes?: Whole;
  /** Drives every random choice. */
  seed?: Whole;
  /** Techniques to switch off; as a string, with commas between them. */
  without?: string | Iterable<string>;
  /** Tunables of the planner. */
  params?: Record<string, string | number>;
  /** A plan to improve on, in the order of the buffers. */
  start?: ArrayLike<Whole>;
  /** Called some ten times a second at most. What it throws ends the search, and rejects the call. */
  onProgress?: (progress: Progress) => void;
  bigint?: false;
}

/** Results in BigInt, for numbers above 2^53. */
export interface BigOptions extends Omit<SolveOptions, "bigint" | "onProgress"> {
  bigint: true;
  onProgress?: (progress: Progress<bigint>) => void;
}

export interface Result<N = number, A = Float64Array> {
  status: Status;
  /** In the order of the buffers; null where there is no plan. */
  offsets: A | null;
  /** 0 where there is no plan. */
  height: N;
  /** Proven: no plan is lower. */
  lowerBound: N;
  planner: string;
  /** Which part of a portfolio made the plan. */
  member: string;
  /** Who found the plan: the part of the planner, or the planner; "" if there is no plan. */
  foundBy: string;
  /** Who proved the outcome: a planner, "bound" (no search was needed) or "collision" (of two fixed offsets); "" if nobody did. */
  provedBy: string;
  /** Why the run ended: "done" is for a heuristic that came to its end. */
  ended: "proof" | "fits" | "done" | "timeout" | "nodes" | "interrupt" | "effort";
  /** Why the run ended without an answer: "", "timeout", "nodes", "interrupt", "effort". */
  stopped: string;
  nodes: number;
  backtracks: number;
  seconds: number;
}

export type BigResult = Result<bigint, BigInt64Array>;

export interface Violation {
  rule: string;
  /** The buffers, by place; -1 for none. */
  a: number;
  b: number;
  message: string;
}

export interface Report<N = number> {
  ok: boolean;
  height: N;
  /** All violations; the list has the first. */
  total: number;
  violations: Violation[];
}

/** One fault of an input. */
export interface Issue {
  file: string;
  line: number;
  buffer: string;
  field: string;
  value: string;
  message: string;
}

/** What is wrong with an input or an option. */
export class InputError extends Error {
  issues: Issue[];
}

/** Plans a problem: within its capacity, or as low as can be where there is none. */
export function solve(problem: Problem, options: BigOptions): Promise<BigResult>;
export function solve(problem: Problem, options?: SolveOptions): Promise<Result>;

/** Options of explain. */
export interface ExplainOptions extends CallOptions {
  /** Default: "auto". */
  planner?: string;
  /** Bytes that the buffers should fit into; in place of the problem's own. */
  capacity?: Size;
  /** Looks for a subset of the fewest buffers, which may take long. */
  smallest?: boolean;
  /** The most time: seconds, or text with a unit. */
  timeout?: Time;
  /** The same in milliseconds; give one of the two. */
  timeoutMs?: number;
  /** A limit on search nodes, the same on every machine. */
  nodes?: Whole;
  seed?: Whole;
}

/** Why nothing fits. */
export interface Explanation<N = number> {
  /** "infeasible" if a reason was found, "unknown" if a limit came first; else the problem fits. */
  status: Status;
  /** The reason in a few sentences; "" if there is none. */
  why: string;
  /** The buffers that cannot fit together, by place. */
  buffers: number[];
  /** Whether the rest of them fit without any one of them. */
  irreducible: boolean;
  /** Whether no fewer buffers are enough for a conflict; asked for by the option smallest. */
  smallest: boolean;
  /** How many buffers a conflict has at least; 0 if that was not asked. */
  atLeast: number;
  capacity: N;
  /** The most bytes of these buffers that are in use at once. */
  load: N;
  /** When that is: the first time, and one past the last. */
  at: N[];
}

/** Names buffers that cannot fit the capacity together, and says why. */
export function explain(problem: Problem, options: ExplainOptions & { bigint: true }): Promise<Explanation<bigint>>;
export function explain(problem: Problem, options?: ExplainOptions & { bigint?: false }): Promise<Explanation>;

/** Checks offsets against a problem, by code that shares a sort with the planners and nothing else. */
export function verify(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options: CallOptions & { capacity?: Size; bigint: true },
): Promise<Report<bigint>>;
export function verify(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options?: CallOptions & { capacity?: Size; bigint?: false },
): Promise<Report>;

/** Ends the worker; the next call starts another. Calls that run are rejected. */
export function close(): void;

/** Where files of the package are. */
export interface Places {
  /** The worker's script, as a module. */
  worker?: string | URL;
  /** core.wasm. */
  core?: string | URL;
  /** files.wasm. */
  files?: string | URL;
}

/** Says where files of the package are, for bundlers that do not find them by themselves; before the first call. */
export function locate(places: Places): void;
