// Types of the package stowage: buffers in, offsets out.

/** A whole number: a number below 2^53, or a BigInt below 2^63. */
export type Whole = number | bigint;

/** A number of bytes: a whole number, or text with a unit such as "2KiB", "1.5MiB" or "64kB". K, M, G and T are binary. */
export type Size = Whole | string;

/** A time: a number of seconds, or text with a unit such as "500ms", "10s" or "1h30m". */
export type Time = number | string;

/** Inactive time within a lifespan: the buffer uses no space, or only that of the window. */
export interface Gap {
  lower: Whole;
  upper: Whole;
  /** Bytes that stay in use, counted from the buffer's offset. */
  window?: { lower: Size; upper: Size };
}

/** A block of memory with a known size and lifespan. */
export interface Buffer {
  /** The name in messages, which is unique. Default: the place in the array. */
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

/** One memory. */
export interface Pool {
  id: string;
  /** Bytes; 0 for no limit. Default: 0. */
  capacity?: Size;
  /** Every offset in it is a multiple. Default: 1. */
  alignment?: Size;
  /** Of each byte of a buffer in it, if the buffer has no cost of its own. Default: 0. */
  cost?: Whole;
  /** Ranges [lower, upper] of bytes that no buffer may use; upper is one past the last. */
  reserved?: readonly (readonly Whole[])[];
  /** It is divided into objects, such as textures: two buffers begin at the same byte or share none. Default: false. */
  objects?: boolean;
  /** Bytes at which a bank ends, ascending: no buffer lies on both sides, but for those in spans. */
  borders?: readonly Whole[];
  /** Sizes [bytes, price] that it may have, ascending: a pool that is used costs the price of the cheapest that holds it. */
  sizes?: readonly (readonly Whole[])[];
  /** Bytes of a page: two buffers of different kinds that conflict share none. Default: 0, none. */
  granularity?: Size;
}

/** A buffer or a pool: its place, or its name. */
export type Name = number | bigint | string;

/** When the price of a group is paid: its pairs share bytes, or they coincide, in one pool at one offset. Default: "if one shares". */
export type Paid = "if one shares" | "if all share" | "unless all coincide" | "unless one coincides";

/** Rules say what one block of bytes and plain lifespans cannot; docs/memories.md has an example of each. */
export interface Rules {
  // generated: rules
  /** The memories to plan for. */
  pools?: readonly (Pool | string)[];
  /** For each buffer, or null: the pools that the buffer may be in; without one it may be in any. */
  allowed?: readonly (Name | readonly Name[] | null)[];
  /** For each buffer, or null: what the buffer costs in some pools, in place of the pool's cost of each byte. */
  costs?: readonly (Readonly<Record<string, Whole>> | null)[];
  /** Buffers in one pool that begin at one byte, or at these distances from each other. */
  together?: readonly (readonly Name[] | { buffers: readonly Name[]; at?: readonly Whole[] })[];
  /** Pairs that share no byte, whatever their lifespans. */
  apart?: readonly (readonly Name[])[];
  /** Pairs that may share bytes although both live. */
  mayOverlap?: readonly (readonly Name[])[];
  /** [first, second, distance]: first dies in the slot in which second is born. They may share bytes if offset of first - offset of second >= distance. */
  distances?: readonly (readonly Name[] | { buffers: readonly Name[]; distance: Whole })[];
  /** [first, second, cost]: what it costs if two buffers share bytes. */
  penalties?: readonly (readonly Name[] | { buffers: readonly Name[]; cost: Whole })[];
  /** For each buffer, or null: the stretches [lower, upper) in which the buffer may be absent, and what each costs. */
  evictions?: readonly (readonly (readonly Whole[] | { lower: Whole; upper: Whole; cost: Whole })[] | null)[];
  /** Lifespans by several clocks, a number for each buffer and clock; lower and upper of the buffers then do not count. */
  clocks?: { lower: readonly (readonly Whole[])[]; upper: readonly (readonly Whole[])[] };
  /** The length of a step that repeats: lifespans may run over its end. */
  period?: Whole;
  /** What is minimised, the most important first: "height", "max_height", "peak", "max_peak", "cost", "penalty", "eviction", "objects", "height:POOL", "peak:POOL". */
  objective?: string | readonly string[];
  /** Lists of buffers, any two of which are in different pools. */
  differentPools?: readonly (readonly Name[])[];
  /** Lists of buffers that are all in one pool. */
  samePool?: readonly (readonly Name[])[];
  /** Lists of buffers that are all at one offset, each in its own pool. */
  lockstep?: readonly (readonly Name[])[];
  /** Lists of buffers of one kind; two of different kinds that conflict share no page of a pool with a granularity. */
  kinds?: readonly (readonly Name[])[];
  /** Lists of buffers of which a plan has one; the others get the offset -1. */
  alternatives?: readonly (readonly Name[])[];
  /** Prices that are paid once for a set of pairs. */
  groups?: readonly { pairs: readonly (readonly Name[])[]; cost: Whole; paid?: Paid }[];
  /** Buffers that may lie on both sides of a border of their pool. */
  spans?: readonly Name[];
  /** For each buffer, or null: width and height of the buffer, and perhaps its depth; its size is then their product. An object is as large as its largest buffer in each. */
  extents?: readonly (readonly Whole[] | null)[];
  // end of rules
}

/** What is left of the life of a buffer between evictions. */
export interface Part<N = number> {
  /** Its place. */
  buffer: number;
  lower: N;
  upper: N;
  offset: N;
  /** The name of its pool; null if the problem has no pools. */
  pool: string | null;
}

/** A problem as objects. */
export interface Buffers {
  buffers: readonly Buffer[];
  rules?: Rules;
  /** Bytes that the plan must fit into. */
  capacity?: Size;
}

/** A problem as columns, for many buffers; BigInt64Array is passed without a conversion. */
export interface Columns {
  lower: ArrayLike<Whole>;
  upper: ArrayLike<Whole>;
  size: ArrayLike<Size>;
  alignment?: ArrayLike<Size>;
  /** Below 0 for a buffer without a fixed offset. */
  fixed?: ArrayLike<Size>;
  /** Below 0 for none. */
  hint?: ArrayLike<Size>;
  ids?: ArrayLike<string>;
  /** Six numbers for each gap: the place of its buffer, lower, upper, 1 if it has a window, else 0, and the window. */
  gaps?: ArrayLike<Whole>;
  rules?: Rules;
  capacity?: Size;
  buffers?: undefined;
}

/** Buffers, alone or with a capacity; or columns. */
export type Problem = readonly Buffer[] | Buffers | Columns;

/** What the end of a lifespan is: its last time slot, or the first one after it. */
export type Ends = "inclusive" | "half-open";

// generated: status
/** What is known of a plan. "optimal" and "infeasible" are proofs. */
export type Status = "unknown" | "feasible" | "optimal" | "infeasible";
// end of status

/** A snapshot of a search. */
export interface Progress<N = number> {
  /** Of the lowest plan so far; 0 for none. */
  height: N;
  lowerBound: N;
  nodes: number;
  seconds: number;
}

/** An option that a call does not have, and one of another type, is refused with an InputError. null is no option. */
export interface CallOptions {
  /** False runs on the calling thread, which is then blocked except for short pauses. Default: true. */
  worker?: boolean;
  /** Ends the search early; the best plan so far is the result. */
  signal?: AbortSignal;
}

export interface SolveOptions extends CallOptions {
  // generated: options
  /** What end, stop, last, until or to mean in place of upper. Without it, end is the last time slot, and a note says so. */
  ends?: Ends;
  /** The planner's name; auto if it is not set. */
  planner?: string;
  /** Bytes to fit into; without it the problem's own capacity counts, if it has one. */
  capacity?: Size;
  /** Look for the lowest plan; implied without a capacity. */
  minimize?: boolean;
  /** The most time that a run may take: seconds, or text with a unit such as "500ms". None, or Infinity, is no limit. */
  timeout?: Time;
  /** The same in milliseconds; give one of the two. */
  timeoutMs?: number;
  /** The most nodes that a run may search; unlike a time, reproducible. */
  nodes?: Whole;
  /** Drives every random choice. */
  seed?: Whole;
  /** Techniques of the planner to switch off; as a string, with commas between them. */
  without?: string | Iterable<string>;
  /** Parameters of the planner. */
  params?: Record<string, string | number>;
  /** A plan to improve on, in the order of the buffers. */
  start?: ArrayLike<Whole>;
  // end of options
  /** Called at most ten times a second. If it throws, the search ends and the call is rejected with that. */
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
  /** In the order of the buffers; null if there is no plan. */
  offsets: A | null;
  /** 0 if there is no plan. */
  height: N;
  /** Proven: no plan is lower. */
  lowerBound: N;
  planner: string;
  /** The part of a portfolio that made the plan; "" if the planner has no parts. */
  member: string;
  /** Who found the plan: the part of the planner, or the planner; "" if there is no plan. */
  foundBy: string;
  /** Who proved the outcome: a planner, "bound" (no search was needed) or "collision" (of two fixed offsets); "" if nobody did. */
  provedBy: string;
  // generated: ended
  /** Why the run ended: with a proof, with a plan that fits, done (a heuristic came to its end), or by a limit. */
  ended: "proof" | "fits" | "done" | "timeout" | "nodes" | "interrupt" | "effort";
  // end of ended
  /** Why the run ended without an answer: "", "timeout", "nodes", "interrupt", "effort". */
  stopped: string;
  nodes: number;
  backtracks: number;
  seconds: number;
  /** Why nothing fits, in words; only if the status is "infeasible", or if the arena of a model may not fit. */
  reason?: string;
  /** What to call then. */
  next?: string;
  /** The rest only a problem with rules has. Height and lowerBound are then sums over the pools. The name of the pool of each buffer; null without pools, or without a plan. */
  pools?: string[] | null;
  /** The parts of the buffers that are evicted; offsets and pools have the first of each. */
  parts?: Part<N>[];
  /** The measures that were minimised, the first first. */
  objective?: string[];
  /** Every measure of the plan, by name. */
  measures?: Record<string, N>;
  /** A proven lower bound of each measure of the objective, for plans with the best values of those before it. */
  bounds?: Record<string, N>;
  /** How the ends of lifespans were read; missing if they are called upper. */
  ends?: Ends;
  /** What times with fractions were multiplied by; missing if times are whole numbers. Times in results are multiplied, too. */
  timeScale?: number;
  /** What was decided about the problem; missing if nothing was. */
  notes?: string[];
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
  /** The number of all violations. The list has the first ones. */
  total: number;
  violations: Violation[];
  /** Every measure of the plan, if the problem has rules and the plan can be read. */
  measures?: Record<string, N>;
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

/**
 * What is wrong with an input or an option. In messages, characters that act on a terminal or turn the direction of
 * writing are shown as \x1b and \u202e. The names and values of issues are as they were given.
 */
export class InputError extends Error {
  issues: Issue[];
}

/** Plans a problem: within its capacity, or as low as possible if it has none. */
export function solve(problem: Problem, options: BigOptions): Promise<BigResult>;
export function solve(problem: Problem, options?: SolveOptions): Promise<Result>;

/** Options of explain. */
export interface ExplainOptions extends CallOptions {
  // generated: explain
  /** What end, stop, last, until or to mean in place of upper. Without it, end is the last time slot, and a note says so. */
  ends?: Ends;
  /** Looks for a subset of the fewest buffers, which may take long. */
  smallest?: boolean;
  /** The planner's name; auto if it is not set. */
  planner?: string;
  /** Bytes to fit into; without it the problem's own capacity counts, if it has one. */
  capacity?: Size;
  /** The most time that a run may take: seconds, or text with a unit such as "500ms". None, or Infinity, is no limit. */
  timeout?: Time;
  /** The same in milliseconds; give one of the two. */
  timeoutMs?: number;
  /** The most nodes that a run may search; unlike a time, reproducible. */
  nodes?: Whole;
  /** Drives every random choice. */
  seed?: Whole;
  // end of explain
}

/** Why nothing fits. */
export interface Explanation<N = number> {
  /** "infeasible" if a reason was found, "unknown" if a limit came first; else the problem fits. */
  status: Status;
  /** The reason in a few sentences; "" if there is none. */
  why: string;
  /** The buffers that cannot fit together, by place. */
  buffers: number[];
  /** Whether the others fit if any one of them is left out. */
  irreducible: boolean;
  /** Whether no conflict has fewer buffers. Only the option smallest sets it. */
  smallest: boolean;
  /** Every conflict has at least this many buffers; 0 without the option smallest. */
  atLeast: number;
  capacity: N;
  /** The most bytes of these buffers that are in use at once. */
  load: N;
  /** The time of that load: the first slot, and one past the last. */
  at: N[];
}

/** Names buffers that cannot fit the capacity together, and says why. */
export function explain(problem: Problem, options: ExplainOptions & { bigint: true }): Promise<Explanation<bigint>>;
export function explain(problem: Problem, options?: ExplainOptions & { bigint?: false }): Promise<Explanation>;

/** Options of verify and barriers. */
export interface VerifyOptions extends CallOptions {
  /** What end means in place of upper. */
  ends?: Ends;
  capacity?: Size;
  /** The pool of each buffer, if the problem has pools; null for none. */
  pools?: readonly Name[] | null;
  /** The parts of the buffers that are evicted, as a result has them. */
  parts?: readonly Part<Whole>[];
}

/** Checks offsets against a problem. The code shares only a sort with the planners. */
export function verify(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options: VerifyOptions & { bigint: true },
): Promise<Report<bigint>>;
export function verify(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options?: VerifyOptions & { bigint?: false },
): Promise<Report>;

/** Before time at, a buffer must not begin until another one, behind, has ended at time until. */
export interface Wait<N = number> {
  /** Its place. */
  buffer: number;
  at: N;
  /** The place of the one that it waits for. */
  behind: number;
  until: N;
  /** -1 if behind is of the turn before, in problems with a period; else 0. */
  turn: number;
}

/**
 * Lists what a plan makes a program wait for: for each buffer those whose bytes it takes over. It is the least such
 * list, sorted by buffer, at and behind. A plan that is not valid is refused. docs/barriers.md has an example.
 */
export function barriers(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options: VerifyOptions & { bigint: true },
): Promise<Wait<bigint>[]>;
export function barriers(
  problem: Problem,
  offsets: ArrayLike<Whole>,
  options?: VerifyOptions & { bigint?: false },
): Promise<Wait[]>;

/**
 * The order of a plan for sizes that vary, as `stowage solve -o plan.json FILE` writes it. It gives offsets for any sizes,
 * without planning. docs/shapes.md has an example.
 */
export class Order {
  /** The content of a plan in JSON: its text, or what JSON.parse makes of that. */
  constructor(plan: string | object);
  /** The names of the buffers, in the order of all lists here. */
  readonly ids: string[];
  /** Bytes that are enough for all sizes of the plan. */
  readonly arena: number;
  /** Of the last placing: the largest offset + size. */
  readonly height: number;
  /** The names of the scenarios; none if sizes are formulas. */
  readonly scenarios: string[];
  /** The symbols of the formulas; none if sizes are by scenario. */
  readonly symbols: string[];
  /** The size of each buffer, in bytes, in a scenario or at values of the symbols. */
  sizes(where?: string | Record<string, number>): number[];
  /** The order in a scenario, or at values of the symbols, if the plan has several (--orders); else this one. */
  at(where?: string | Record<string, number>): Order;
  /** The offset of each buffer, in bytes, for any sizes. No two buffers that live together overlap. */
  place(sizes: ArrayLike<number>): Float64Array;
}

/** Ends the worker and rejects the calls that run. The next call starts another worker. */
export function close(): void;

/** The places of the package's files. */
export interface Places {
  /** The worker's script, as a module. */
  worker?: string | URL;
  /** core.wasm. */
  core?: string | URL;
  /** files.wasm. */
  files?: string | URL;
}

/** Sets the places of the package's files, for bundlers that do not find them. Call it before all others. */
export function locate(places: Places): void;
