// Types of the package stowage: buffers in, offsets out.

/** A whole number: a number below 2^53, or a BigInt below 2^63. */
export type Whole = number | bigint;

/** Inactive time within a lifespan: no space is used, or that of the window alone. */
export interface Gap {
  lower: Whole;
  upper: Whole;
  /** Bytes that stay in use, counted from the buffer's offset. */
  window?: { lower: Whole; upper: Whole };
}

/** A block of memory with a known size and lifespan. */
export interface Buffer {
  /** Names it in messages; by default its place. Unique. */
  id?: string;
  /** First time slot. */
  lower: Whole;
  /** One past the last time slot. */
  upper: Whole;
  /** Bytes, at least 1. */
  size: Whole;
  /** Divides the offset. */
  alignment?: Whole;
  gaps?: Gap[];
  /** The only offset that it may have. */
  fixed?: Whole;
  /** An offset to try first. */
  hint?: Whole;
}

/** A problem as objects. */
export interface Buffers {
  buffers: Buffer[];
  /** Bytes that the plan must fit into. */
  capacity?: Whole;
}

/** A problem as columns, for many buffers; BigInt64Array is passed without a conversion. */
export interface Columns {
  lower: ArrayLike<Whole>;
  upper: ArrayLike<Whole>;
  size: ArrayLike<Whole>;
  alignment?: ArrayLike<Whole>;
  /** Below 0 for a buffer that is free. */
  fixed?: ArrayLike<Whole>;
  /** Below 0 for none. */
  hint?: ArrayLike<Whole>;
  ids?: ArrayLike<string>;
  /** Six for each gap, by buffer: its place, lower, upper, 1 with a window, and the window. */
  gaps?: ArrayLike<Whole>;
  capacity?: Whole;
  buffers?: undefined;
}

export type Problem = Buffers | Columns;

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
  capacity?: Whole;
  /** The lowest plan within a capacity; implied where there is none. */
  minimize?: boolean;
  /** Milliseconds; none, or Infinity, is no limit. */
  timeout?: number;
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

/** Checks offsets against a problem, by code that shares a sort with the planners and nothing else. */
export function verify(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options: CallOptions & { capacity?: Whole; bigint: true },
): Promise<Report<bigint>>;
export function verify(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options?: CallOptions & { capacity?: Whole; bigint?: false },
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
