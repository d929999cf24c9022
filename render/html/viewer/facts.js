// What can be said of a document: its pieces, its load, and who sets its height.
//
// A buffer owns the peak where it is live at a moment at which the load is at its peak, and is topmost where it ends at
// the height of the plan. Those are what a picture must never leave out, however many buffers there are.
//
// Complexity: O(p log p) for p pieces.

import { placeOf, topOf } from "./data.js";
import { Load } from "./load.js";
import { Pieces } from "./pieces.js";

export class Facts {
  constructor(doc) {
    this.doc = doc;
    this.pieces = new Pieces(doc);
    this.load = new Load(this.pieces);
    let [lower, upper] = [0, 1];
    if (doc.n) [lower, upper] = [Infinity, -Infinity];
    for (let i = 0; i < doc.n; i++) {
      if (doc.lower[i] < lower) lower = doc.lower[i];
      if (doc.upper[i] > upper) upper = doc.upper[i];
    }
    this.lower = lower;
    this.upper = upper;
    this.owner = this.#owners();
    this.above = 0; // where a buffer ends that is drawn and has no place in the plan
    this.bound = doc.lanes ? 0 : Math.max(doc.lowerBound, this.load.peak); // the load of pools bounds none
    this.use(doc.offsets);
  }

  /**
   * Takes offsets as the plan: the document's own, or those of a step. They are shown, too;
   * while moves are played others are, with NaN for what is not placed.
   */
  use(offsets) {
    const { doc, pieces } = this;
    this.offsets = this.shown = offsets;
    this.topmost = new Uint8Array(doc.n);
    this.height = 0;
    this.top = null;
    if (!offsets) return;
    if (doc.lanes) {
      this.#lanes(offsets);
      return;
    }
    const { top, height } = this.load.tops(offsets);
    this.top = top;
    this.height = height;
    for (let k = 0; k < pieces.count; k++) {
      const i = pieces.buffer[k];
      if (offsets[i] + pieces.to[k] === height) this.topmost[i] = 1;
    }
  }

  /** Takes the plan of a problem with rules: its height is the sum over pools, and no top is that of all. */
  #lanes(offsets) {
    const { doc } = this;
    for (const { height } of doc.lanes) this.height += height;
    for (let i = 0; i < doc.n; i++) {
      const end = placeOf(doc, i, offsets[i]) + doc.size[i];
      if (end === doc.lanes[doc.lane[i]].height) this.topmost[i] = 1;
    }
  }

  /** Where the picture of the plan ends. */
  get drawn() {
    return this.doc.lanes ? topOf(this.doc) : Math.max(this.height, this.above);
  }

  /** Returns 1 for each buffer that is live at a peak. */
  #owners() {
    const { load, pieces } = this;
    const peaks = new Uint32Array(load.sections + 1); // how many before a section
    for (let s = 0; s < load.sections; s++) {
      peaks[s + 1] = peaks[s] + (load.load.values[s] === load.peak ? 1 : 0);
    }
    const owner = new Uint8Array(this.doc.n);
    for (let k = 0; k < pieces.count; k++) {
      if (peaks[load.end[k]] > peaks[load.begin[k]]) owner[pieces.buffer[k]] = 1;
    }
    return owner;
  }

  /** Returns the buffers live at the first peak, the largest first, with what of them is in use. */
  ownersAtPeak() {
    const { load, pieces } = this;
    const out = [];
    if (!load.sections) return out;
    const at = load.peakAt;
    for (let k = 0; k < pieces.count; k++) {
      if (load.begin[k] <= at && at < load.end[k]) {
        out.push({ buffer: pieces.buffer[k], size: pieces.bytes(k) });
      }
    }
    return out.sort((a, b) => b.size - a.size);
  }

  /** Returns load, top and waste at a time; nulls outside. */
  at(time) {
    const s = this.load.sectionAt(time);
    if (s < 0) return { load: 0, top: 0, waste: 0 };
    const load = this.load.load.values[s];
    const top = this.top ? this.top.values[s] : 0;
    return { load, top, waste: Math.max(0, top - load) };
  }

  /** Returns the space over time that is under the top of the plan and in nobody's use, as a part of all. */
  waste() {
    if (!this.top) return 0;
    const { times, sections } = this.load;
    let used = 0;
    let all = 0;
    for (let s = 0; s < sections; s++) {
      const long = times[s + 1] - times[s];
      used += long * this.load.load.values[s];
      all += long * this.top.values[s];
    }
    return all ? 1 - used / all : 0;
  }

  /**
   * Returns the buffer at a time and an offset, or the nearest within a distance; -1 for none.
   * there, if given, says which buffers are to be seen.
   */
  hit(time, offset, reachTime, reachOffset, there = null) {
    const { pieces, shown: offsets } = this;
    let best = -1;
    let least = Infinity;
    if (!offsets) return best;
    pieces.live(time - reachTime, time + reachTime || time + 1e-9, (k) => {
      if (there && !there(pieces.buffer[k])) return;
      const low = offsets[pieces.buffer[k]] + pieces.from[k];
      const high = offsets[pieces.buffer[k]] + pieces.to[k];
      const away =
        Math.max(0, pieces.lower[k] - time, time - pieces.upper[k]) / (reachTime || 1) +
        Math.max(0, low - offset, offset - high) / (reachOffset || 1);
      if (away <= 1 && away < least) {
        least = away;
        best = pieces.buffer[k];
      }
    });
    return best;
  }
}
