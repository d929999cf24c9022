// Cuts buffers at their gaps into pieces, each a stretch of time in which one range of
// a buffer's bytes is in use, and finds those that are live in a span of time.
//
// The pieces are in the order of their beginnings. For each block of 256 the latest end
// is known, so that a span looks at those blocks only that reach into it.
//
// Complexity: O(p) for p pieces to make; a span costs a look at each block, and at the
// pieces of the blocks that reach into it.

import { first, order } from "./sort.js";

const BLOCK = 256;

export class Pieces {
  constructor(doc) {
    const { n, gaps } = doc;
    const most = n + gaps.length / 3;
    const raw = {
      buffer: new Uint32Array(most),
      lower: new Float64Array(most),
      upper: new Float64Array(most),
      from: new Float64Array(most),
      to: new Float64Array(most),
    };
    let count = 0;
    const add = (buffer, lower, upper, from, to) => {
      if (lower >= upper) return;
      raw.buffer[count] = buffer;
      raw.lower[count] = lower;
      raw.upper[count] = upper;
      const scale = doc.scale ? doc.scale[buffer] : 1;
      raw.from[count] = from * scale;
      raw.to[count] = to * scale;
      count++;
    };
    let g = 0;
    for (let i = 0; i < n; i++) {
      let at = doc.lower[i];
      for (; g < gaps.length && gaps[g] === i; g += 6) {
        const lower = doc.lower[i] + gaps[g + 1];
        const upper = lower + gaps[g + 2];
        add(i, at, lower, 0, doc.size[i]);
        if (gaps[g + 3]) add(i, lower, upper, gaps[g + 4], gaps[g + 5]);
        at = upper;
      }
      add(i, at, doc.upper[i], 0, doc.size[i]);
    }

    /** How much of the picture a byte of each buffer takes; null for one each. */
    this.scale = doc.scale;
    const byLower = order(raw.lower.subarray(0, count));
    this.count = count;
    /** Whose each is; the rest is in the same order. */
    this.buffer = new Uint32Array(count);
    this.lower = new Float64Array(count);
    this.upper = new Float64Array(count);
    /** The bytes in use, from the buffer's offset. */
    this.from = new Float64Array(count);
    this.to = new Float64Array(count);
    for (let k = 0; k < count; k++) {
      const j = byLower[k];
      this.buffer[k] = raw.buffer[j];
      this.lower[k] = raw.lower[j];
      this.upper[k] = raw.upper[j];
      this.from[k] = raw.from[j];
      this.to[k] = raw.to[j];
    }

    const blocks = Math.ceil(count / BLOCK);
    this.latest = new Float64Array(blocks).fill(-Infinity);
    for (let k = 0; k < count; k++) {
      const b = Math.floor(k / BLOCK);
      if (this.upper[k] > this.latest[b]) this.latest[b] = this.upper[k];
    }
  }

  /** Returns how many bytes a piece has. */
  bytes(k) {
    const all = this.to[k] - this.from[k];
    return this.scale ? Math.round(all / this.scale[this.buffer[k]]) : all;
  }

  /**
   * Calls visit with ranges [from, to) that have all pieces live somewhere in
   * [lower, upper), and others.
   */
  blocks(lower, upper, visit) {
    const end = first(this.count, (k) => this.lower[k] >= upper);
    for (let b = 0; b * BLOCK < end; b++) {
      if (this.latest[b] > lower) visit(b * BLOCK, Math.min((b + 1) * BLOCK, end));
    }
  }

  /** Calls visit with each piece that is live somewhere in [lower, upper). */
  live(lower, upper, visit) {
    this.blocks(lower, upper, (from, to) => {
      for (let k = from; k < to; k++) if (this.upper[k] > lower) visit(k);
    });
  }
}
