// Works out the load over time, and how high the plan reaches over time.
//
// Time is cut into sections, in which nothing begins and nothing ends. The load of a
// section is the sum of what is live in it; its top is where the highest of those ends.
// Between the two is waste: space that the plan takes and nobody uses.
//
// The tops are painted: the highest piece first, over the sections that it lives in, and each later one only over those
// that have no paint yet. To skip those that have, each section points to the next without (union by path halving).
//
// A picture has fewer columns than there are sections, and each must show its highest
// moment. So the maxima of 16, 256, … sections are kept beside the sections.
//
// Complexity: O(p log p) for p pieces, O(p) where times are dense; a maximum O(log p).

import { first, order } from "./sort.js";

/** The steps of a picture over time: what holds from times[s] up to times[s+1]. */
export class Load {
  constructor(pieces) {
    this.pieces = pieces;
    this.times = distinct(pieces);
    const sections = Math.max(0, this.times.length - 1);
    this.sections = sections;
    const at = ranker(this.times);
    /** For each piece its sections, [begin, end). */
    this.begin = new Uint32Array(pieces.count);
    this.end = new Uint32Array(pieces.count);
    const change = new Float64Array(sections + 1);
    for (let k = 0; k < pieces.count; k++) {
      const height = pieces.bytes(k);
      change[(this.begin[k] = at(pieces.lower[k]))] += height;
      change[(this.end[k] = at(pieces.upper[k]))] -= height;
    }
    this.load = new Maxima(sections);
    let sum = 0;
    let peak = 0;
    for (let s = 0; s < sections; s++) {
      sum += change[s];
      this.load.values[s] = sum;
      if (sum > peak) peak = sum;
    }
    this.load.build();
    this.peak = peak;
    /** The first section whose load is the peak. */
    this.peakAt = Math.max(0, this.load.values.indexOf(peak));
  }

  /** Returns the section at a time, -1 for none. */
  sectionAt(time) {
    const s = first(this.times.length, (k) => this.times[k] > time) - 1;
    return s < this.sections ? s : -1;
  }

  /** Returns how high a plan reaches in each section, and where in all. */
  tops(offsets) {
    const { pieces, sections } = this;
    const ends = new Float64Array(pieces.count);
    let height = 0;
    for (let k = 0; k < pieces.count; k++) {
      ends[k] = offsets[pieces.buffer[k]] + pieces.to[k];
      if (ends[k] > height) height = ends[k];
    }
    const top = new Maxima(sections);
    const next = new Uint32Array(sections + 1);
    for (let s = 0; s <= sections; s++) next[s] = s;
    const byEnd = order(ends);
    for (let j = byEnd.length - 1; j >= 0; j--) {
      const k = byEnd[j];
      let s = find(next, this.begin[k]);
      for (const end = this.end[k]; s < end; s = find(next, s)) {
        top.values[s] = ends[k];
        next[s] = s + 1;
      }
    }
    top.build();
    return { top, height };
  }

  /** Returns the spans of time in which the load is at its peak, as flat pairs of sections. */
  peaks() {
    const out = [];
    const { values } = this.load;
    for (let s = 0; s < this.sections; s++) {
      if (values[s] !== this.peak || this.peak === 0) continue;
      if (out.length && out[out.length - 1] === s) out[out.length - 1] = s + 1;
      else out.push(s, s + 1);
    }
    return out;
  }
}

/** Numbers with the maxima of blocks of them. */
export class Maxima {
  constructor(count) {
    this.values = new Float64Array(count);
    this.levels = [];
  }

  build() {
    let below = this.values;
    while (below.length > 16) {
      const level = new Float64Array(Math.ceil(below.length / 16));
      for (let k = 0; k < below.length; k++) if (below[k] > level[k >>> 4]) level[k >>> 4] = below[k];
      this.levels.push(level);
      below = level;
    }
  }

  /** Returns the largest of values[from, to), 0 for none. */
  over(from, to) {
    let most = 0;
    let values = this.values;
    for (let l = 0; from < to; l++) {
      const above = this.levels[l];
      while (from < to && (from & 15 || !above)) most = Math.max(most, values[from++]);
      while (from < to && (to & 15 || !above)) most = Math.max(most, values[--to]);
      from >>>= 4;
      to >>>= 4;
      values = above;
    }
    return most;
  }
}

function find(next, s) {
  while (next[s] !== s) {
    next[s] = next[next[s]];
    s = next[s];
  }
  return s;
}

/** Returns the times at which pieces begin or end, each once, in ascending order. */
function distinct(pieces) {
  const { count, lower, upper } = pieces;
  if (count === 0) return new Float64Array(0);
  const all = new Float64Array(2 * count);
  let least = Infinity;
  let most = -Infinity;
  for (let k = 0; k < count; k++) {
    all[2 * k] = lower[k];
    all[2 * k + 1] = upper[k];
    if (lower[k] < least) least = lower[k];
    if (upper[k] > most) most = upper[k];
  }
  if (most - least <= 8 * count + 1e6) {
    // Dense times need no sorting.
    const used = new Uint8Array(most - least + 1);
    for (let k = 0; k < all.length; k++) used[all[k] - least] = 1;
    let m = 0;
    for (let t = 0; t < used.length; t++) if (used[t]) all[m++] = t + least;
    return all.slice(0, m);
  }
  all.sort();
  let m = 0;
  for (let k = 0; k < all.length; k++) if (k === 0 || all[k] !== all[k - 1]) all[m++] = all[k];
  return all.slice(0, m);
}

/** Returns what finds the place of one of the times among them. */
function ranker(times) {
  const m = times.length;
  if (m === 0) return () => 0;
  const least = times[0];
  const range = times[m - 1] - least;
  if (range <= 16 * m + 1e6) {
    const rank = new Uint32Array(range + 1);
    for (let k = 0; k < m; k++) rank[times[k] - least] = k;
    return (time) => rank[time - least];
  }
  return (time) => first(m, (k) => times[k] >= time);
}
