// The moves of a search, made one after the other and taken back again: what it placed,
// where that came to nothing, how far it went back.
//
// Idea: a move changes little, so it is made where it is wanted, forwards or backwards, and each keeps what it has
// taken away. To go to any of twenty thousand moves takes a few milliseconds; nothing of the states between is kept.
//
// What becomes of a placement is known beforehand, for all moves are there: whether it
// stands in the end, and if not, which move takes it back. That is what colours say.
//
// Invariant: what is placed is a stack for each part that is searched (plan.Move).
//
// Complexity: O(1) for a move and for each placement that it takes back.

/** The kinds of moves, as package plan has them. */
export const MOVE = { begin: 0, place: 1, back: 2, done: 3, plan: 4 };

/**
 * The moves of a document.
 * @typedef {object} Moves
 * @property {Uint8Array} kind
 * @property {Uint32Array} buffer    of a begin, a done or a plan one of its part, as a name
 * @property {Float64Array} offset   of a begin the capacity, of a plan the height
 * @property {number} told           how many there were; those are the first
 */

export class Story {
  /** @param {import("./data.js").Doc} doc */
  constructor(doc) {
    const { kind } = doc.moves;
    this.doc = doc;
    this.moves = doc.moves;
    this.count = kind.length;
    this.at = 0; // how many moves are made
    /** Where each buffer is placed; NaN for those that are not. */
    this.offsets = new Float64Array(doc.n).fill(NaN);
    /** The move that placed each, -1 for none. */
    this.by = new Int32Array(doc.n).fill(-1);
    /** For each placement the move that takes it back; count where none does. */
    this.until = new Int32Array(this.count).fill(this.count);
    /** After so many moves: how many buffers are placed, and were placed and taken back until then. */
    this.depth = new Uint32Array(this.count + 1);
    this.tried = new Uint32Array(this.count + 1);
    this.taken = new Uint32Array(this.count + 1);
    this.stacks = new Map(); // by the name of a part
    this.parts = []; // before each begin the part that was searched
    this.part = -1;
    this.undo = new Array(this.count); // what each move has taken away
    this.top = 0; // the highest that anything is placed
    for (let k = 0; k < this.count; k++) {
      const was = this.#placed;
      this.#forth();
      const taken = this.undo[k]?.length && kind[k] !== MOVE.place ? this.undo[k].length : 0;
      for (const { by } of this.undo[k] ?? []) this.until[by] = k;
      const placed = kind[k] === MOVE.place && !this.undo[k] ? 1 : 0;
      this.depth[k + 1] = this.#placed = was + placed - taken;
      this.tried[k + 1] = this.tried[k] + placed;
      this.taken[k + 1] = this.taken[k] + taken;
    }
    this.deepest = this.depth.reduce((a, b) => Math.max(a, b), 0);
    this.go(0);
  }

  #placed = 0;

  /** Makes moves, or takes them back, until so many are made. */
  go(at) {
    while (this.at < at) this.#forth();
    while (this.at > at) this.#back();
  }

  /** Makes a move. */
  #forth() {
    const k = this.at++;
    const { kind, buffer, offset } = this.moves;
    const i = buffer[k];
    if (kind[k] === MOVE.begin) {
      this.parts.push(this.part);
      this.part = i;
      this.undo[k] = this.#pop(this.#stack(), -1);
    } else if (kind[k] === MOVE.place) {
      if (this.by[i] < 0) {
        this.#stack().push(i);
        this.undo[k] = null;
      } else this.undo[k] = [{ i, offset: this.offsets[i], by: this.by[i] }];
      this.offsets[i] = offset[k];
      this.by[i] = k;
      this.top = Math.max(this.top, offset[k] + this.doc.size[i]);
    } else if (kind[k] === MOVE.back) this.undo[k] = this.#pop(this.#stack(), i);
  }

  /** Takes a move back. */
  #back() {
    const k = --this.at;
    const { kind, buffer } = this.moves;
    const i = buffer[k];
    if (kind[k] === MOVE.place) {
      if (this.undo[k]) this.#put(this.undo[k][0]);
      else {
        this.#stack().pop();
        this.offsets[i] = NaN;
        this.by[i] = -1;
      }
      return;
    }
    for (const what of (this.undo[k] ?? []).toReversed()) {
      this.#stack().push(what.i);
      this.#put(what);
    }
    if (kind[k] === MOVE.begin) this.part = this.parts.pop();
  }

  #put({ i, offset, by }) {
    this.offsets[i] = offset;
    this.by[i] = by;
  }

  /** The stack of the part that is searched. */
  #stack() {
    if (!this.stacks.has(this.part)) this.stacks.set(this.part, []);
    return this.stacks.get(this.part);
  }

  /** Takes buffers off a stack down to one, or all, and returns them, the latest first. */
  #pop(stack, down) {
    const out = [];
    while (stack.length) {
      const i = stack.pop();
      out.push({ i, offset: this.offsets[i], by: this.by[i] });
      this.offsets[i] = NaN;
      this.by[i] = -1;
      if (i === down) break;
    }
    return out;
  }

  /** Returns what the move before has taken back: buffers and where they were. */
  get gone() {
    const k = this.at - 1;
    return k >= 0 && this.moves.kind[k] !== MOVE.place ? (this.undo[k] ?? []) : [];
  }

  /** Returns the buffer that the move before has placed, -1 for none. */
  get newest() {
    const k = this.at - 1;
    return k >= 0 && this.moves.kind[k] === MOVE.place ? this.moves.buffer[k] : -1;
  }

  /** Returns the capacity that is asked about after so many moves, 0 for none. */
  get asked() {
    for (let k = this.at - 1; k >= 0; k--) if (this.moves.kind[k] === MOVE.begin) return this.moves.offset[k];
    return 0;
  }

  /** Whether the buffer that is placed stands when all moves are made. */
  stays(i) {
    return this.until[this.by[i]] === this.count;
  }

  /** Returns the next place after, or before, where a search begins or has found a plan. */
  chapter(from, by) {
    const { kind } = this.moves;
    for (let at = from + by; at > 0 && at < this.count; at += by)
      if (kind[at - 1] === MOVE.begin || kind[at - 1] === MOVE.plan) return at;
    return by < 0 ? 0 : from < this.count ? this.count : this.count + 1;
  }
}
