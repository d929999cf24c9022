// Which names and sizes are written, where, and how large.
//
// Idea: a name is worth most if it is whole. So in the rectangle of a buffer it is tried across, upright and in two or
// three lines, in letters of 11 pixels down to 7. A name that fits in none of these ways is written beside its
// rectangle, where nothing else is, with a line that leads to it; for that a picture of few buffers has a strip of free
// room on top, no higher than its names need. If all that is free is far away, the name stands in a box on a large
// rectangle nearby. If there are too many buffers for that, a name loses its middle.
//
// A size is a number, so it is written whole or not at all.
//
// What is free is known from a grid of cells of four pixels. Of the free places a name takes
// the one whose line is short and easy to follow: it crosses few other rectangles, lines and names.
//
// Complexity: O(k) for k pieces that have room for a name, O(cells) for each name that is
// written beside its rectangle, and O(names beside) for a cell that is nearer than the best so far.

import { bytes } from "./numbers.js";
import { cut, widthOf, wrap } from "./letters.js";

const LARGEST = 11;
const SMALLEST = 7;
export const LINE = 1.16; // a line's height, in sizes of letters
const MOST = 400; // labels
const MOST_FAR = 22; // names that may be far from their rectangles; if there are more, lines make a thicket
const FEW = 120; // pieces in sight, up to which there are names beside
const CELL = 4;
const STRIPS = [0, 16, 30, 44, 58, 72, 90, 110]; // heights of the room on top
const REACH = 260; // pixels that a line may lead
const OVER = 90; // of them over other rectangles
const CROSSED = 40; // pixels that a line had better be longer than cross another line, or a name
const NEAR = 20; // the same, if there are many
const LARGE = 30; // pixels each way of a rectangle that may have the name of another in a box
const BOXED = 60; // pixels that a line had better be longer than end there
const BOXED_REACH = 140;
/** How a name beside its rectangle may be written: the size of its letters, upright or across, in a box or not. */
const TRIES = [false, true].flatMap((boxed) =>
  [9, 8, SMALLEST].flatMap((size) => [false, true].map((upright) => [size, upright, boxed])),
);
const LARGEST_STRIP = 0.24; // of the height of the picture

/**
 * A text of the picture.
 * @typedef {object} Label
 * @property {number} buffer
 * @property {string} kind      "name" or "size"
 * @property {string} full      what it says if nothing is left out
 * @property {string[]} lines   what is written, a line each
 * @property {number} x         the middle
 * @property {number} y
 * @property {number} size      of the letters
 * @property {boolean} upright  reading upwards
 * @property {?number[]} leader the ends of the line that leads to the rectangle, if it is beside
 * @property {?number[]} boxed  the box to draw behind it, if it is on another rectangle
 */

/** Returns how a text of some lines fits into a rectangle: the size of its letters, 0 if it does not. */
function sizeIn(lines, along, across, family) {
  let widest = 0;
  for (const line of lines) widest = Math.max(widest, widthOf(line, family));
  return Math.min(LARGEST, (along - 4) / widest, (across - 1) / (LINE * lines.length));
}

/** The ways to write a name, with what each is worth against letters in one line across. */
const WAYS = [
  { lines: 1, upright: false, worth: 1 },
  { lines: 2, upright: false, worth: 0.92 },
  { lines: 3, upright: false, worth: 0.85 },
  { lines: 1, upright: true, worth: 0.8 },
  { lines: 2, upright: true, worth: 0.74 },
];

/**
 * Fits a name into a rectangle of w by h pixels, whole; null if it does not fit. The
 * bytes of the buffer stand below it if they fit, too.
 */
export function inside(name, w, h, family) {
  let best = null;
  let most = 0;
  for (const { lines, upright, worth } of WAYS) {
    if (LARGEST * worth <= most) break;
    const text = lines === 1 ? [name] : wrap(name, lines, family);
    if (!text) continue;
    const size = Math.floor(2 * sizeIn(text, upright ? h : w, upright ? w : h, family)) / 2;
    if (size >= SMALLEST && size * worth > most) {
      most = size * worth;
      best = { lines: text, size, upright };
    }
  }
  return best;
}

/** Fits a name that has lost its middle. */
function insideCut(name, w, h, family) {
  const upright = h > 1.6 * w;
  const [along, across] = upright ? [h, w] : [w, h];
  const size = Math.min(9, Math.floor((2 * (across - 1)) / LINE) / 2);
  if (size < SMALLEST) return null;
  const text = cut(name, along - 4, size, family);
  return text && { lines: [text], size, upright };
}

/** Adds a label to a list: the name in the middle of a rectangle, its size below if it fits. */
function put(out, { i, x, y, w, h }, fit, name, size, family) {
  const label = { buffer: i, kind: "name", full: name, x, y, leader: null, boxed: null, ...fit };
  out.push(label);
  const [along, across] = fit.upright ? [h, w] : [w, h];
  const small = Math.max(SMALLEST, Math.min(10, Math.floor(1.8 * fit.size) / 2));
  const tall = LINE * fit.size * fit.lines.length;
  if (tall + LINE * small + 3 > across || widthOf(size, family) * small > along - 4) return;
  // The two share the middle.
  const up = (LINE * small) / 2;
  const down = (tall + 1) / 2;
  const below = { ...label, kind: "size", full: size, lines: [size], size: small };
  if (fit.upright) {
    label.x -= up;
    below.x += down;
  } else {
    label.y -= up;
    below.y += down;
  }
  out.push(below);
}

/** Returns the pieces in sight with a shorter and a longer side of so many pixels, as rectangles in pixels. */
function visible(scene, view, f, least, long) {
  const { facts, offsets } = scene;
  const { pieces } = facts;
  const { t0, t1, y0, y1 } = view;
  const perTime = f.width / (t1 - t0);
  const perByte = f.height / (y1 - y0);
  const out = [];
  pieces.live(t0, t1, (k) => {
    const lower = Math.max(pieces.lower[k], t0);
    const upper = Math.min(pieces.upper[k], t1);
    const w = (upper - lower) * perTime;
    if (w < least) return;
    const i = pieces.buffer[k];
    const from = Math.max(offsets[i] + pieces.from[k], y0);
    const to = Math.min(offsets[i] + pieces.to[k], y1);
    const h = (to - from) * perByte;
    if (!(h > 0) || h < least || (w < long && h < long)) return;
    if (scene.placed && !scene.placed[i]) return;
    out.push({
      i,
      w,
      h,
      x: f.left + ((lower + upper) / 2 - t0) * perTime,
      y: f.top + f.height - ((from + to) / 2 - y0) * perByte,
    });
  });
  return out;
}

/** Returns the tallest part of a rectangle that nothing of what is taken is in. */
function clear(at, taken) {
  let [top, bottom] = [at.y - at.h / 2, at.y + at.h / 2];
  for (const [x0, y0, x1, y1] of taken) {
    if (x1 <= at.x - at.w / 2 || x0 >= at.x + at.w / 2 || y1 <= top || y0 >= bottom) continue;
    if (y0 - top > bottom - y1) bottom = y0;
    else top = y1;
  }
  return { ...at, y: (top + bottom) / 2, h: Math.max(0, bottom - top) };
}

/** A grid of what is taken in a part of the picture. */
class Grid {
  constructor(left, top, width, height) {
    this.left = left;
    this.top = top;
    this.nx = Math.max(1, Math.floor(width / CELL));
    this.ny = Math.max(1, Math.floor(height / CELL));
    this.taken = new Uint8Array(this.nx * this.ny);
    this.sums = null;
    this.rectangles = null; // what was taken before seal
  }

  /** Says that all rectangles are taken now: what follows is lines and names. */
  seal() {
    this.rectangles = this.taken.slice();
  }

  take(x0, y0, x1, y1) {
    const i0 = Math.max(0, Math.floor((x0 - this.left) / CELL));
    const i1 = Math.min(this.nx, Math.ceil((x1 - this.left) / CELL));
    const j0 = Math.max(0, Math.floor((y0 - this.top) / CELL));
    const j1 = Math.min(this.ny, Math.ceil((y1 - this.top) / CELL));
    for (let j = j0; j < j1; j++) if (i1 > i0) this.taken.fill(1, j * this.nx + i0, j * this.nx + i1);
    this.sums = null;
  }

  /** Makes the sums of what is taken left of and above each cell. */
  #sum() {
    const { nx, ny, taken } = this;
    this.sums = new Int32Array((nx + 1) * (ny + 1));
    for (let j = 0; j < ny; j++) {
      let row = 0;
      for (let i = 0; i < nx; i++) {
        row += taken[j * nx + i];
        this.sums[(j + 1) * (nx + 1) + i + 1] = this.sums[j * (nx + 1) + i + 1] + row;
      }
    }
  }

  /** Returns how many pixels of a line are over what was taken first, and not in a box of its own. */
  over([x0, y0, x1, y1], own) {
    const long = Math.hypot(x1 - x0, y1 - y0);
    const steps = Math.ceil(long / CELL);
    let out = 0;
    for (let s = 0; s < steps; s++) {
      const [x, y] = [x0 + ((x1 - x0) * (s + 0.5)) / steps, y0 + ((y1 - y0) * (s + 0.5)) / steps];
      if (Math.abs(x - own.x) <= own.w / 2 + 1 && Math.abs(y - own.y) <= own.h / 2 + 1) continue;
      const i = Math.floor((x - this.left) / CELL);
      const j = Math.floor((y - this.top) / CELL);
      if (i >= 0 && i < this.nx && j >= 0 && j < this.ny && this.rectangles[j * this.nx + i]) out++;
    }
    return (out * long) / Math.max(1, steps);
  }

  /**
   * Returns the left top of the best free box of w by h: it is near to a point, within far, and
   * what else speaks against it, which against says in pixels, is little; null if there is none.
   */
  nearest(x, y, w, h, far, against) {
    if (!this.sums) this.#sum();
    const { nx, ny, sums } = this;
    const [bw, bh] = [Math.ceil(w / CELL), Math.ceil(h / CELL)];
    let best = null;
    let least = Infinity;
    const reach = Math.ceil((far + Math.max(w, h) / 2) / CELL);
    const [ci, cj] = [Math.round((x - this.left) / CELL - bw / 2), Math.round((y - this.top) / CELL - bh / 2)];
    for (let j = Math.max(0, cj - reach); j <= Math.min(ny - bh, cj + reach); j++) {
      for (let i = Math.max(0, ci - reach); i <= Math.min(nx - bw, ci + reach); i++) {
        const a = j * (nx + 1) + i;
        const b = a + bh * (nx + 1);
        if (sums[b + bw] - sums[b] - sums[a + bw] + sums[a]) continue;
        const px = this.left + i * CELL;
        const py = this.top + j * CELL;
        // A line that goes up or down is easier to follow.
        const away = Math.hypot(1.7 * Math.max(px - x, 0, x - px - w), Math.max(py - y, 0, y - py - h));
        if (away >= far || away >= least) continue;
        const cost = away + against(px, py);
        if (cost < least) [least, best] = [cost, { x: px, y: py, away: cost }];
      }
    }
    return best;
  }
}

/** Returns the line from a box of a name, by its left top and size, to a point. */
function leaderFrom(left, top, w, h, x, y) {
  const near = (low, high, v) => Math.max(low, Math.min(high, v));
  return [near(left + 3, left + w - 3, x), near(top + 2, top + h - 2, y), x, y];
}

/** Tells whether two lines cross. */
function cross([ax, ay, bx, by], [cx, cy, dx, dy]) {
  const side = (px, py, qx, qy, x, y) => Math.sign((qx - px) * (y - py) - (qy - py) * (x - px));
  return (
    side(ax, ay, bx, by, cx, cy) !== side(ax, ay, bx, by, dx, dy) &&
    side(cx, cy, dx, dy, ax, ay) !== side(cx, cy, dx, dy, bx, by)
  );
}

/** Tells whether a line goes through a box, by crossing one of its diagonals. */
function through(line, [x0, y0, x1, y1]) {
  return cross(line, [x0, y0, x1, y1]) || cross(line, [x0, y1, x1, y0]);
}

/** Returns the box of a label: left, top, right, bottom. */
function boxOf({ lines, size, upright, x, y }, family) {
  const wide = Math.max(...lines.map((text) => widthOf(text, family))) * size;
  const tall = LINE * size * lines.length;
  const [w, h] = upright ? [tall, wide] : [wide, tall];
  return [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
}

/**
 * Writes names beside their rectangles: where nothing else is, or on a large rectangle that has
 * its own name, then in a box. Returns how many have no place, and how many pixels in all the
 * lines that lead to them are longer than is easy to follow.
 */
function beside(out, missing, all, f, { room, taken, family }, nameOf) {
  const bounds = [f.left + 2, f.top - room, f.width - 4, f.height + room - 2];
  const free = new Grid(...bounds); // of rectangles and all else
  const onto = new Grid(...bounds); // the same, but large rectangles are free where they have no text
  const whole = new Set(out.map(({ buffer }) => buffer));
  for (const { i, x, y, w, h } of all) {
    const box = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
    free.take(...box);
    if (w < LARGE || h < LARGE || !whole.has(i)) onto.take(...box);
  }
  free.seal();
  const texts = out.map((label) => boxOf(label, family));
  for (const box of texts) onto.take(...box);
  for (const box of taken) for (const grid of [free, onto]) grid.take(...box);
  const placed = []; // the boxes of names beside, and their lines
  let [lost, far] = [0, 0];
  const reach = missing.length > MOST_FAR ? NEAR : REACH;
  for (const at of missing.sort((a, b) => a.x - b.x)) {
    const name = nameOf(at.i);
    let best = null;
    for (const [size, upright, boxed] of TRIES) {
      const along = widthOf(name, family) * size + 6;
      const across = LINE * size + 3;
      const [w, h] = upright ? [across, along] : [along, across];
      const place = (boxed ? onto : free).nearest(at.x, at.y, w, h, boxed ? Math.min(reach, BOXED_REACH) : reach, (x, y) => {
        const leader = leaderFrom(x, y, w, h, at.x, at.y);
        const over = free.over(leader, at);
        if (over > OVER) return Infinity;
        const box = [x, y, x + w, y + h];
        let crossed = 0;
        for (const text of texts) crossed += through(leader, text);
        for (const other of placed) {
          crossed += cross(leader, other.leader) + through(leader, other.box) + through(other.leader, box);
        }
        return 0.5 * over + CROSSED * crossed;
      });
      const cost = place && place.away + (upright ? 18 : 0) + (9 - size) * 10 + (boxed ? BOXED : 0);
      if (place && (!best || cost < best.cost)) best = { ...place, cost, w, h, size, upright, boxed };
    }
    if (!best) {
      lost++;
      continue;
    }
    far += Math.max(0, best.away - 30) + (best.boxed ? BOXED : 0);
    const box = [best.x, best.y, best.x + best.w, best.y + best.h];
    const leader = leaderFrom(best.x, best.y, best.w, best.h, at.x, at.y);
    for (const grid of [free, onto]) grid.take(...box);
    placed.push({ box, leader });
    out.push({
      buffer: at.i,
      kind: "name",
      full: name,
      lines: [name],
      x: best.x + best.w / 2,
      y: best.y + best.h / 2,
      size: best.size,
      upright: best.upright,
      leader,
      boxed: best.boxed ? box : null,
    });
  }
  return [lost, far];
}

/**
 * Returns the labels of a scene in a frame of pixels, how many names have no place, and how far
 * those beside are, as beside returns it. room is
 * how many pixels above the frame are free for names, taken the boxes in which there are to be none, swift that there is
 * little time.
 */
export function labelsOf(scene, view, f, { room = 0, taken = [], family, swift = false } = {}) {
  const out = [];
  const { facts, offsets } = scene;
  const { doc } = facts;
  if (!offsets || doc.n === 0) return { labels: out, lost: 0, far: 0 };
  const few = facts.pieces.count <= 40 * FEW && visible(scene, view, f, 0, 0);
  const own = few && few.length <= FEW;
  // While the window moves over many, small letters wait: there are frames to draw.
  let chosen = own ? few : visible(scene, view, f, (swift ? 10 : SMALLEST) * LINE, swift ? 36 : 16);
  const most = swift ? MOST / 2 : MOST;
  if (chosen.length > most) chosen = chosen.sort((a, b) => b.w * b.h - a.w * a.h).slice(0, most);
  let missing = [];
  const named = new Set();
  // Of the pieces of a buffer with gaps the largest has the name.
  for (const at of own ? chosen.toSorted((a, b) => b.w * b.h - a.w * a.h) : chosen) {
    if (own && named.has(at.i)) continue;
    const name = doc.id(at.i);
    if (!name) continue;
    const free = clear(at, taken);
    const fit = inside(name, free.w, free.h, family);
    if (fit) {
      put(out, free, fit, name, bytes(doc.size[at.i]), family);
      named.add(at.i);
    } else missing.push(at);
  }
  let [lost, far] = [0, 0];
  if (own) {
    const once = new Set();
    missing = missing.filter(({ i }) => !named.has(i) && !once.has(i) && once.add(i));
    [lost, far] = beside(out, missing, few, f, { room, taken, family }, (i) => doc.id(i));
    const has = new Set(out.map(({ buffer }) => buffer));
    missing = missing.filter(({ i }) => !has.has(i));
  }
  for (const at of missing) {
    const name = doc.id(at.i);
    const free = clear(at, taken);
    const fit = insideCut(name, free.w, free.h, family);
    if (fit) put(out, free, fit, name, bytes(doc.size[at.i]), family);
  }
  return { labels: out, lost, far };
}

/**
 * Returns how much free room on top lets all of a plan have its names, not far from their
 * rectangles, if there are few enough buffers for that. frameOf gives the
 * frame below such a room, and what is taken of it.
 */
export function roomFor(scene, view, frameOf, family) {
  const { facts, offsets } = scene;
  if (!offsets || facts.pieces.count > FEW || facts.doc.n === 0) return 0;
  const all = view.whole;
  let best = 0;
  let least = Infinity;
  for (const room of STRIPS) {
    const { f, taken } = frameOf(room);
    if (room > LARGEST_STRIP * (f.height + room)) break;
    const { labels, lost, far } = labelsOf(scene, all, f, { room, taken, family });
    // Room that nothing is written in is an empty strip.
    if (room && !labels.some(({ leader, y }) => leader && y < f.top - room / 3)) continue;
    // Room is taken from the picture, so it must be worth it.
    const cost = 1e6 * lost + far + 2 * room;
    if (cost < least) [least, best] = [cost, room];
    if (!lost && !far) break;
  }
  return best;
}
