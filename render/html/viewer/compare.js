// Two plans of the same buffers, or nearly: which buffer is which, and what moved.
//
// Buffers are the same where their IDs are. Files mostly have them in the same order,
// which is looked at first; only otherwise is there a table of IDs.
//
// Complexity: O(n).

import { KIND } from "./colours.js";

export class Comparison {
  /** a and b are the Facts of the two. */
  constructor(a, b) {
    this.a = a;
    this.b = b;
    /** For each buffer of one its place in the other, -1 for none. */
    this.toB = new Int32Array(a.doc.n).fill(-1);
    this.toA = new Int32Array(b.doc.n).fill(-1);
    this.#match();
    this.update();
  }

  #match() {
    const [a, b] = [this.a.doc, this.b.doc];
    let same = a.n === b.n;
    for (let i = 0; same && i < a.n; i++) same = a.id(i) === b.id(i);
    let byID = null;
    if (!same) {
      byID = new Map();
      for (let i = 0; i < a.n; i++) byID.set(a.id(i), i);
    }
    for (let j = 0; j < b.n; j++) {
      const i = same ? j : byID.get(b.id(j));
      if (i === undefined || this.toB[i] >= 0) continue;
      this.toA[j] = i;
      this.toB[i] = j;
    }
  }

  /** Works out what moved, from the plans that the two have now. */
  update() {
    const { a, b } = this;
    this.counts = { same: 0, up: 0, down: 0, resized: 0, onlyA: 0, onlyB: 0 };
    this.moved = new Uint8Array(b.doc.n);
    this.movedA = new Uint8Array(a.doc.n);
    this.kindsA = new Uint8Array(a.doc.n).fill(KIND.only);
    this.kindsB = new Uint8Array(b.doc.n).fill(KIND.only);
    /** Where the other plan has the buffers of each, -1 for nowhere. */
    this.ghostA = new Float64Array(a.doc.n).fill(-1);
    this.ghostB = new Float64Array(b.doc.n).fill(-1);
    for (let j = 0; j < b.doc.n; j++) {
      const i = this.toA[j];
      if (i < 0) {
        this.counts.onlyB++;
        this.moved[j] = 1;
        continue;
      }
      const from = a.offsets ? a.offsets[i] : 0;
      const to = b.offsets ? b.offsets[j] : 0;
      this.ghostB[j] = from;
      this.ghostA[i] = to;
      const kind = from === to ? "same" : to < from ? "down" : "up";
      this.counts[kind]++;
      if (a.doc.size[i] !== b.doc.size[j] || a.doc.lower[i] !== b.doc.lower[j] || a.doc.upper[i] !== b.doc.upper[j]) {
        this.counts.resized++;
      }
      if (kind !== "same") this.moved[j] = this.movedA[i] = 1;
      this.kindsB[j] = this.kindsA[i] = KIND[kind];
    }
    for (let i = 0; i < a.doc.n; i++) if (this.toB[i] < 0) this.counts.onlyA++;
  }
}
