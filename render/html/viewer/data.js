// Reads what internal/viewdata writes: a JSON text that names columns of numbers, and
// the columns end to end as varints, deflated and in base64.
//
// A document is columns, not objects: a million objects would take half a gigabyte and
// seconds, a million numbers take 8 MB and milliseconds.

/**
 * A problem and its plan.
 * @typedef {object} Doc
 * @property {string} title
 * @property {number} n              how many buffers
 * @property {Float64Array} lower    first time
 * @property {Float64Array} upper    one past the last time
 * @property {Float64Array} size
 * @property {?Float64Array} alignment  null where all are 1
 * @property {?Uint8Array} fixed     1 for a buffer whose place is demanded; null for none
 * @property {Float64Array} gaps     six numbers for each: whose, from, to, windowed, low, high
 * @property {?Float64Array} offsets null for a problem without a plan
 * @property {Uint8Array} broken     1 for a buffer that breaks a rule, or is one of those that cannot fit together
 * @property {boolean} conflict      whether it is the latter
 * @property {Step[]} steps          what the search found on its way
 * @property {?import("./moves.js").Moves} moves what it tried and took back; null where that was not kept
 * @property {number} capacity       0 for none
 * @property {number} lowerBound     0 for none
 * @property {string} warning
 * @property {string[]} faults       what the first violations say
 * @property {number[]} pairs        two buffers for each place that is in use twice
 * @property {Float64Array} overlaps four numbers for each: result, operand, from, to
 * @property {?Lane[]} lanes        of a problem with pools or other rules, in the order of the pools; null for others
 * @property {{name: string, value: number}[]} measures  its objective
 * @property {?Uint32Array} lane     the lane of each buffer
 * @property {?Float64Array} scale   how many bytes of the picture a byte of each buffer takes
 * @property {object[]} said      what rules make of a buffer: its place, a name and a text
 * @property {Float64Array} links    four numbers for each pair that a rule names: two buffers, the kind, the cost;
 *                                   kinds are 0 tied, 1 at one offset, 2 apart, 3 a penalty, 4 one that is paid
 * @property {Shape[]} shapes       sizes that vary: what the plan is at other sizes
 * @property {string[][]} facts
 * @property {boolean} rounded       whether numbers are too large to be exact
 * @property {(i: number) => string} id
 * @property {Uint8Array} apart      a colour for each buffer, another one for its neighbours
 * @property {Grouping[]} groupings  the ways to group buffers by their names, the best first
 */

/**
 * The plan at other sizes.
 * @typedef {object} Shape
 * @property {string} name     values of symbols, or a scenario
 * @property {number} load
 * @property {number} height
 * @property {Float64Array} sizes
 * @property {Float64Array} offsets
 */

/**
 * A lane of a pool.
 * @typedef {object} Lane
 * @property {string} name  of the pool; empty if it has none
 * @property {number} room  how many bytes are drawn
 * @property {number} height    the highest end of a buffer
 * @property {number} capacity  0 for none
 * @property {number} cost      of each byte
 * @property {number[][]} reserved  ranges of bytes that no buffer may use
 * @property {number[]} borders  the bytes at which a bank ends
 * @property {number} at    where byte 0 lies in the picture
 * @property {number} high  how much of the picture the lane takes
 * @property {number} scale how much of the picture a byte takes
 * @property {number} gap   how much lies above it
 */

/**
 * A way to group buffers (internal/colour).
 * @typedef {object} Grouping
 * @property {string} by       "operator" or "prefix"
 * @property {string[]} names  of the groups that have a colour, which is their index
 * @property {boolean} rest    whether there are buffers of other groups
 * @property {Uint8Array} of   the colour of each buffer; 8 for those of other groups
 */

/** Turns base64 into bytes. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/** Unpacks DEFLATE, raw or, as "gzip", with its frame. */
export async function inflate(bytes, kind = "deflate-raw") {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(kind));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads varints one after the other. */
class Numbers {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** Returns the next number, at least 0. The shift by 28 is where 32 bits end. */
  unsigned() {
    const bytes = this.bytes;
    let b = bytes[this.at++];
    if (b < 128) return b;
    let value = b & 127;
    for (let shift = 7; shift < 28; shift += 7) {
      b = bytes[this.at++];
      value |= (b & 127) << shift;
      if (b < 128) return value;
    }
    for (let scale = 2 ** 28; ; scale *= 128) {
      b = bytes[this.at++];
      value += (b & 127) * scale;
      if (b < 128) return value;
      if (b === undefined) throw new Error("the data of this page is cut short");
    }
  }

  /** Returns the next number of either sign: 0, -1, 1, -2, … are 0, 1, 2, 3, … */
  signed() {
    const u = this.unsigned();
    return u % 2 === 0 ? u / 2 : -(u + 1) / 2;
  }

  column(count, sign) {
    const out = new Float64Array(count);
    if (sign) for (let k = 0; k < count; k++) out[k] = this.signed();
    else for (let k = 0; k < count; k++) out[k] = this.unsigned();
    return out;
  }
}

/** A document without any of its columns. */
function blank(meta) {
  const n = meta.buffers;
  const none = new Float64Array(0);
  return {
    title: meta.title,
    n,
    lower: none,
    upper: new Float64Array(n),
    size: none,
    alignment: null,
    fixed: null,
    gaps: none,
    offsets: null,
    broken: new Uint8Array(n),
    conflict: Boolean(meta.conflict),
    steps: meta.steps.map((s) => ({ ...s, offsets: null })),
    capacity: meta.capacity,
    lowerBound: meta.lowerBound,
    warning: meta.warning || "",
    faults: meta.faults || [],
    pairs: [],
    overlaps: none,
    moves: null,
    facts: meta.facts,
    rounded: Boolean(meta.rounded),
    hasPlan: false,
    id: () => "",
    apart: new Uint8Array(n),
    lanes: null,
    measures: meta.measures || [],
    shapes: (meta.shapes || []).map((s) => ({ ...s, sizes: null, offsets: null })),
    lane: null,
    scale: null,
    links: none,
    said: [],
    groupings: (meta.groupings || []).map((g) => ({ ...g, of: null })),
  };
}

/** What reads each column: count numbers of numbers go into the document of state. */
const COLUMNS = {
  lower({ doc, numbers }, count) {
    doc.lower = numbers.column(count, true);
    for (let i = 1; i < doc.n; i++) doc.lower[i] += doc.lower[i - 1];
  },
  duration({ doc, numbers }) {
    for (let i = 0; i < doc.n; i++) doc.upper[i] = doc.lower[i] + numbers.unsigned();
  },
  size({ doc, numbers }, count) {
    doc.size = numbers.column(count);
  },
  alignment({ doc, numbers }, count) {
    doc.alignment = numbers.column(count);
  },
  fixed({ doc, numbers }, count) {
    doc.fixed = new Uint8Array(doc.n);
    for (let k = 0; k < count; k++) doc.fixed[numbers.unsigned()] = 1;
  },
  gaps({ doc, numbers }, count) {
    doc.gaps = numbers.column(count);
  },
  offsets({ doc, numbers }, count) {
    doc.offsets = numbers.column(count, true);
  },
  broken({ doc, numbers }, count) {
    for (let k = 0; k < count; k++) doc.broken[numbers.unsigned()] = 1;
  },
  pairs({ doc, numbers }, count) {
    doc.pairs = [...numbers.column(count)];
  },
  overlaps({ doc, numbers }, count) {
    doc.overlaps = numbers.column(count, true);
  },
  lane({ doc, numbers, meta }, count) {
    doc.lane = Uint32Array.from(numbers.column(count));
    stack(doc, meta.lanes);
    doc.said = meta.said || [];
  },
  links({ doc, numbers }, count) {
    doc.links = numbers.column(count);
  },
  moves({ doc, numbers, meta }, count) {
    const all = numbers.column(count);
    const every = (first) => all.filter((_, k) => k % 3 === first);
    doc.moves = {
      kind: Uint8Array.from(every(0)),
      buffer: Uint32Array.from(every(1)),
      offset: every(2),
      told: meta.movesTold,
    };
  },
  /** The next of the steps that have a plan: by how much it differs from the one before. */
  step(state, count) {
    const offsets = state.numbers.column(count, true);
    if (state.before) for (let i = 0; i < state.doc.n; i++) offsets[i] += state.before[i];
    state.kept.shift().offsets = state.before = offsets;
  },
  /** The sizes and then the offsets of the next shape: by how much they differ from those of the one before. */
  shape({ doc, numbers }, count) {
    const k = doc.shapes.findIndex((s) => !s.offsets);
    const what = doc.shapes[k].sizes ? "offsets" : "sizes";
    const column = numbers.column(count, true);
    if (k > 0) for (let i = 0; i < doc.n; i++) column[i] += doc.shapes[k - 1][what][i];
    doc.shapes[k][what] = column;
  },
  apart({ doc, numbers }, count) {
    doc.apart = numbers.bytes.slice(numbers.at, (numbers.at += count));
  },
  /** The next of the groupings. */
  group({ doc, numbers }, count) {
    doc.groupings.find((g) => !g.of).of = numbers.bytes.slice(numbers.at, (numbers.at += count));
  },
  idLengths(state, count) {
    state.lengths = state.numbers.column(count);
  },
  ids(state, count) {
    state.text = new TextDecoder().decode(state.numbers.bytes.subarray(state.numbers.at, state.numbers.at + count));
    state.numbers.at += count;
  },
};

const LEAST_LANE = 0.2; // of the rooms of all lanes, divided by their number: the least that a lane counts
const LANE_GAP = 0.05; // of the sum: what lies above a lane, for its name

/**
 * Gives each lane its part of the picture: as much as it has room, but a small one not less than a
 * part of the others. Offsets become those of the picture; placeOf turns them back.
 */
export function stack(doc, lanes) {
  const rooms = lanes.reduce((sum, { room }) => sum + room, 0);
  const least = (LEAST_LANE * rooms) / lanes.length;
  const counted = lanes.map(({ room }) => Math.max(room, least));
  const gap = LANE_GAP * counted.reduce((sum, x) => sum + x, 0);
  let at = 0;
  doc.lanes = [...lanes];
  for (let k = lanes.length - 1; k >= 0; k--) {
    const { reserved = [], borders = [] } = lanes[k];
    doc.lanes[k] = { ...lanes[k], reserved, borders, at, high: counted[k], scale: counted[k] / lanes[k].room, gap };
    at += counted[k] + gap;
  }
  doc.scale = Float64Array.from(doc.lane, (k) => doc.lanes[k].scale);
  if (doc.offsets)
    doc.offsets = doc.offsets.map((offset, i) => {
      const lane = doc.lanes[doc.lane[i]];
      return lane.at + (offset - lane.base) * lane.scale;
    });
}

/** Returns the offset of a buffer in its pool, of that in the picture. */
export function placeOf(doc, i, offset) {
  if (!doc.lanes) return offset;
  const lane = doc.lanes[doc.lane[i]];
  return Math.round((offset - lane.at) / lane.scale);
}

/** Returns how high a buffer is in the picture. */
export function highOf(doc, i) {
  return doc.size[i] * (doc.scale ? doc.scale[i] : 1);
}

/** Returns where the picture of all lanes ends. */
export function topOf(doc) {
  return doc.lanes ? doc.lanes[0].at + doc.lanes[0].high + doc.lanes[0].gap : 0;
}

/** Makes a document of its two parts. */
export function decode(meta, bytes) {
  if (meta.version !== 1) throw new Error(`data of version ${meta.version} is newer than this page`);
  if (bytes.length !== meta.bytes) throw new Error("the data of this page is cut short");
  const doc = blank(meta);
  const kept = doc.steps.filter((s) => s.plan);
  const state = { meta, doc, numbers: new Numbers(bytes), kept, before: null, lengths: [], text: "" };
  for (const { name, count } of meta.columns) {
    if (!Object.hasOwn(COLUMNS, name)) throw new Error(`data has an unknown column ${name}`);
    COLUMNS[name](state, count);
  }
  if (doc.n === 0 && !doc.offsets) doc.offsets = new Float64Array(0);
  doc.hasPlan = doc.offsets !== null;
  nameBuffers(doc, state.text, state.lengths);
  return doc;
}

/** Gives the buffers their names, of which a text has one after the other. */
function nameBuffers(doc, text, lengths) {
  const starts = new Uint32Array(doc.n + 1);
  for (let i = 0; i < doc.n; i++) starts[i + 1] = starts[i] + lengths[i];
  doc.id = (i) => text.slice(starts[i], starts[i + 1]);
}

/** Reads the documents that the page itself carries. */
export async function embedded(root) {
  const metas = root.querySelectorAll("script.stowage-meta");
  const datas = root.querySelectorAll("script.stowage-data");
  const docs = [];
  for (let k = 0; k < metas.length; k++) {
    const bytes = await inflate(fromBase64(datas[k].textContent.trim()));
    docs.push(decode(JSON.parse(metas[k].textContent), bytes));
    datas[k].textContent = ""; // some megabytes that nobody reads again
  }
  return docs;
}
