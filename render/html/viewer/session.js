// A session that is played: its calls one by one, with the plan before and after each.
//
// Idea: the page has the buffers at the start, and what each call has changed. A call is shown as a comparison of two
// documents, which are made when they are asked for. A call that was not made is shown as the plan that stays, with the buffer that
// did not fit in red on top of the others; so the load over time has what was asked for, and its peak is the proof.
//
// With rules each pool has a lane. Its room is that of the whole session.
//
// Complexity: O(1) for each buffer that a call changed, and O(n) for a document.

import { stack } from "./data.js";

/**
 * A buffer of a session, as render/html/session.go writes it: ID, lower, upper, size, offset, 1 if it is pinned, pool, and gaps as
 * five numbers each. The last two may be missing.
 * @typedef {[string, number, number, number, number, number, number?, number[]?]} Held
 */

export class Session {
  /** @param {{title: string, capacity: number, lanes: ?object[], start: Held[], calls: object[], facts: string[][]}} data */
  constructor(data) {
    this.title = data.title;
    this.calls = data.calls;
    this.capacity = data.capacity;
    this.lanes = data.lanes ?? null;
    this.capacities = data.lanes?.map((lane) => lane.capacity); // of the pools
    this.facts = data.facts; // of the whole session
    /** What is ever there: its times, and the highest end of a buffer. So all calls are drawn at one scale, also if the first plan is empty. */
    this.span = { lower: 0, upper: 1, top: 0 };
    const all = [...data.start, ...data.calls.flatMap(({ set = [], tried }) => (tried ? [...set, tried] : set))];
    if (all.length) this.span = { lower: Infinity, upper: -Infinity, top: 0 };
    for (const [, lower, upper, size, offset] of all) {
      this.span.lower = Math.min(this.span.lower, lower);
      this.span.upper = Math.max(this.span.upper, upper);
      this.span.top = Math.max(this.span.top, offset + size);
    }
    this.held = new Map(data.start.map((b) => [b[0], b]));
    this.done = 0; // calls made of held
    this.undo = []; // for each: what undoes it
    this.hues = new Map(); // a colour for each ID, for the whole session
    this.hue = (id) => {
      if (!this.hues.has(id)) this.hues.set(id, this.hues.size % 8);
      return this.hues.get(id);
    };
  }

  get last() {
    return this.calls.length;
  }

  /** Goes to the state after so many calls. */
  #go(at) {
    for (; this.done < at; this.done++) {
      const { set = [], gone = [], capacity, pools } = this.calls[this.done];
      const before = [...gone, ...set.map((b) => b[0])].map((id) => [id, this.held.get(id)]);
      this.undo.push({ before, capacity: this.capacity, pools: this.capacities });
      for (const id of gone) this.held.delete(id);
      for (const b of set) this.held.set(b[0], b);
      this.capacity = capacity ?? this.capacity;
      this.capacities = pools ?? this.capacities;
    }
    for (; this.done > at; this.done--) {
      const { before, capacity, pools } = this.undo.pop();
      for (const [id, b] of before) {
        if (b) this.held.set(id, b);
        else this.held.delete(id);
      }
      this.capacity = capacity;
      this.capacities = pools;
    }
  }

  /** Returns what is to be seen after so many calls: the documents, and what did not fit, if a call was not made. */
  at(k) {
    const call = k ? this.calls[k - 1] : null;
    if (call?.tried) {
      this.#go(k);
      const held = new Map(this.held);
      const [id, lower, upper, size, , , pool = 0, gaps] = call.tried;
      held.delete(id);
      const meets = (b) => b[1] < upper && lower < b[2] && (b[6] ?? 0) === pool;
      const top = [...held.values()].reduce((y, b) => (meets(b) ? Math.max(y, b[4] + b[3]) : y), 0);
      held.set(id, [id, lower, upper, size, top, 0, pool, gaps]);
      return { call, after: this.#doc(held, "the plan, and what did not fit", id), refused: held.size - 1 };
    }
    if (!call || !(call.set || call.gone)) {
      this.#go(k);
      return { call, after: this.#doc(this.held, "the plan") };
    }
    this.#go(k - 1);
    const before = this.#doc(this.held, "before");
    this.#go(k);
    return { call, before, after: this.#doc(this.held, "after") };
  }

  /** Makes a document of buffers. That of the ID refused has no place in the plan. */
  #doc(held, title, refused) {
    const all = [...held.values()];
    const column = (k) => Float64Array.from(all, (b) => b[k]);
    const none = new Float64Array(0);
    const doc = {
      title,
      n: all.length,
      lower: column(1),
      upper: column(2),
      size: column(3),
      alignment: null,
      fixed: Uint8Array.from(all, (b) => b[5]),
      gaps: Float64Array.from(all.flatMap((b, i) => gapsOf(b, i))),
      offsets: column(4),
      broken: new Uint8Array(all.length),
      conflict: false,
      steps: [],
      capacity: this.capacity,
      lowerBound: 0,
      warning: "",
      faults: [],
      pairs: [],
      overlaps: none,
      moves: null,
      facts: this.facts,
      rounded: all.some((b) => b[3] > 2 ** 53 || b[4] > 2 ** 53),
      hasPlan: true,
      id: (i) => all[i][0],
      apart: Uint8Array.from(all, (b) => this.hue(b[0])),
      lanes: null,
      measures: [],
      lane: null,
      scale: null,
      links: none,
      groupings: [],
    };
    if (this.lanes) this.#pool(doc, all, refused);
    return doc;
  }

  /** Gives a document its lanes. */
  #pool(doc, all, refused) {
    doc.lane = Uint32Array.from(all, (b) => b[6] ?? 0);
    const height = this.lanes.map(() => 0);
    for (const [id, , , size, offset, , k = 0] of all)
      if (id !== refused) height[k] = Math.max(height[k], offset + size);
    const lanes = this.lanes.map((lane, k) => ({
      ...lane,
      capacity: this.capacities[k],
      height: height[k],
      base: 0,
      cost: 0,
    }));
    stack(doc, lanes);
  }
}

/** Returns the gaps of a buffer as a document has them: whose, from its beginning, how long, and the window. */
function gapsOf(b, i) {
  const out = [];
  for (let g = b[7] ?? []; g.length; g = g.slice(5)) out.push(i, g[0] - b[1], g[1] - g[0], g[2], g[3], g[4]);
  return out;
}

/** Reads the session that the page carries; null if there is none. */
export function embeddedSession(root) {
  const script = root.querySelector("script.stowage-session");
  return script && new Session(JSON.parse(script.textContent));
}
