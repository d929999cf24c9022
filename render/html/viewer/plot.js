// One pane: the picture of a plan, time across and offset up, with axes, lines, labels and what is pointed at.
//
// The pieces are pixels (raster.js); all else is drawn over them by the canvas, since there is little of it.

import { LINE, labelsOf, roomFor } from "./labels.js";
import { PAGE, widthOf } from "./letters.js";
import { Raster } from "./raster.js";
import { bytes, ticks, whole } from "./numbers.js";

const FONT = `11px ${PAGE}`;
const TOP = 8; // pixels above the plot
const SLOW = 30; // milliseconds
const SWIFT_FROM = 20_000; // pieces, from which small labels wait until the window rests
const LABELS_UP_TO = 300_000; // pieces; beyond, labels wait until the window rests

export class Plot {
  /** The theme has the colours of lines and letters, which style.css sets. */
  constructor(canvas, view, theme) {
    this.canvas = canvas;
    this.view = view;
    this.theme = theme;
    this.raster = new Raster();
    this.scene = null;
    this.hover = -1;
    this.newest = -1; // what was placed last, while a plan is built up
    this.left = []; // what a call of a session took out: lower, upper, lowest byte, end
    this.outlined = []; // what a call of a session is about, and what it moved
    this.selected = -1;
    this.ghost = null; // offsets of another plan, to point from
    this.cursor = null; // a time
    this.marks = [];
    this.moving = false; // the window moves, by a hand
    this.zooming = false; // and its scale changes
    this.drawn = []; // the texts that were drawn last, for tests: what each says, and in full
    this.labelled = { key: "", labels: [] }; // the labels of the window that was drawn last
    this.fitted = { key: null }; // what the room for names was worked out for
    this.room = 0; // pixels above the plot for names that have no place in it
  }

  /** Where the plot is within the canvas, in CSS pixels. */
  get frame() {
    return this.#frameBelow(this.room);
  }

  #frameBelow(room) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const left = this.view.gutter;
    return { left, top: TOP + room, width: Math.max(1, w - left - 10), height: Math.max(1, h - TOP - room - 24) };
  }

  /** Returns the offsets to mark on the axis. */
  get #ticks() {
    const { view } = this;
    const lanes = this.scene?.facts.doc.lanes;
    if (lanes) return laneTicks(lanes, view, this.frame.height);
    return ticks(view.y0, view.y1, this.frame.height / 40, view.whole.y1 >= 65536);
  }

  /** Works out how much room names need above: the pixels that this picture would have, which is set to room. */
  prepare() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h || !this.scene) return 0;
    const { facts } = this.scene;
    const key = [w, h, this.view.gutter, this.view.whole.y1].join();
    if (this.fitted.key !== key || this.fitted.facts !== facts || this.fitted.offsets !== facts.doc.offsets) {
      this.fitted = { key, facts, offsets: facts.doc.offsets };
      const bare = { facts, offsets: facts.doc.offsets };
      const { whole: all } = this.view;
      this.fitted.room = roomFor(bare, this.view, (room) => {
        const f = this.#frameBelow(room);
        const toY = (v) => f.top + f.height * (1 - (v - all.y0) / (all.y1 - all.y0));
        return { f, taken: [...takenBy(marksIn(this.marks, f, toY), f), ...captionsIn(facts.doc, f, toY)] };
      });
    }
    return this.fitted.room;
  }

  /** Returns how wide the widest text of the axis is. */
  get widest() {
    if (!this.canvas.clientWidth || !this.scene) return 0;
    return Math.max(0, ...this.#ticks.map(({ text }) => widthOf(text))) * 11;
  }

  toX(time) {
    const f = this.frame;
    return f.left + ((time - this.view.t0) / (this.view.t1 - this.view.t0)) * f.width;
  }

  toY(offset) {
    const f = this.frame;
    return f.top + f.height - ((offset - this.view.y0) / (this.view.y1 - this.view.y0)) * f.height;
  }

  toTime(x) {
    const f = this.frame;
    return this.view.t0 + ((x - f.left) / f.width) * (this.view.t1 - this.view.t0);
  }

  toOffset(y) {
    const f = this.frame;
    return this.view.y0 + ((f.top + f.height - y) / f.height) * (this.view.y1 - this.view.y0);
  }

  /** Returns the buffer under a point of the canvas, -1 for none. */
  hit(x, y) {
    const f = this.frame;
    if (!this.scene || x < f.left || x > f.left + f.width || y < f.top || y > f.top + f.height) return -1;
    const reach = 3; // pixels
    const { placed } = this.scene; // while a plan is built up, the rest is not there yet
    return this.scene.facts.hit(
      this.toTime(x),
      this.toOffset(y),
      (reach / f.width) * (this.view.t1 - this.view.t0),
      (reach / f.height) * (this.view.y1 - this.view.y0),
      placed && ((i) => placed[i] === 1),
    );
  }

  draw() {
    const { canvas, theme } = this;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (!w || !h || !this.scene) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(h * ratio);
    }
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = theme.plot;
    c.fillRect(0, 0, w, h);
    const f = this.frame;
    c.font = FONT;
    this.drawn = [];
    this.#grid(c, f);
    const pixels = [Math.round(f.width * ratio), Math.round(f.height * ratio)];
    c.save();
    c.beginPath();
    c.rect(f.left, f.top, f.width, f.height);
    c.clip();
    this.#pieces(c, f, pixels, ratio);
    this.#peaks(c, f);
    this.#lanes(c, f);
    this.#overlaps(c);
    this.#twice(c);
    this.#outline(c, this.newest, false);
    this.#left(c);
    for (const i of this.outlined) this.#outline(c, i, false);
    this.#outline(c, this.hover, false);
    this.#outline(c, this.selected, true);
    this.#links(c);
    this.#cursor(c, f);
    c.restore();
    this.#labels(c, f);
    this.#marks(c, f);
    if (!this.scene.offsets) this.#say(c, f, "There is no plan to draw: the load over time is above");
  }

  /**
   * Draws the pieces. Where that takes too long while the window is being zoomed, what
   * was painted last is stretched to where it belongs, until the window rests.
   */
  #pieces(c, f, pixels, ratio) {
    const { raster, scene, view } = this;
    const stretched =
      this.zooming &&
      raster.cost > SLOW &&
      raster.width === pixels[0] &&
      raster.height === pixels[1] &&
      raster.placed(scene, view);
    c.imageSmoothingEnabled = false;
    if (!stretched) {
      raster.draw(scene, view, ...pixels);
      c.drawImage(raster.canvas, f.left, f.top, pixels[0] / ratio, pixels[1] / ratio);
      return;
    }
    const [x0, y0, x1, y1] = stretched;
    c.drawImage(raster.canvas, f.left + x0 * f.width, f.top + y0 * f.height, (x1 - x0) * f.width, (y1 - y0) * f.height);
  }

  #grid(c, f) {
    const { view, theme } = this;
    c.lineWidth = 1;
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const tick of this.#ticks) {
      const y = Math.round(this.toY(tick.value)) + 0.5;
      c.strokeStyle = theme.grid;
      line(c, f.left, y, f.left + f.width, y);
      c.fillStyle = theme.faint;
      this.#write(c, "offset", tick.text, f.left - 7, y);
    }
    c.textBaseline = "top";
    c.textAlign = "center";
    const widest = Math.max(c.measureText(whole(view.t0)).width, c.measureText(whole(view.t1)).width);
    for (const tick of ticks(view.t0, view.t1, f.width / (widest + 34), false)) {
      const x = Math.round(this.toX(tick.value)) + 0.5;
      c.strokeStyle = theme.grid;
      line(c, x, f.top, x, f.top + f.height);
      c.fillStyle = theme.faint;
      const half = c.measureText(tick.text).width / 2;
      this.#write(c, "time", tick.text, Math.min(x, f.left + f.width + 8 - half), f.top + f.height + 7);
    }
    c.strokeStyle = theme.axis;
    line(c, f.left - 0.5, f.top, f.left - 0.5, f.top + f.height);
    line(c, f.left, f.top + f.height + 0.5, f.left + f.width, f.top + f.height + 0.5);
  }

  /** Writes a number, and notes that it did. */
  #write(c, kind, text, x, y) {
    c.fillText(text, x, y);
    this.drawn.push({ kind, text, full: text });
  }

  /** Tints the times at which the load is at its peak, a pixel wide at least. */
  #peaks(c, f) {
    const { times } = this.scene.facts.load;
    const spans = this.scene.peaks;
    let painted = -Infinity;
    c.fillStyle = this.theme.peakBand;
    for (let k = 0; k < spans.length; k += 2) {
      const x0 = Math.max(this.toX(times[spans[k]]), painted);
      const x1 = Math.max(this.toX(times[spans[k + 1]]), x0 + 1.5);
      if (x1 < f.left || x0 > f.left + f.width || x1 - painted < 1) continue;
      c.fillRect(x0, f.top, x1 - x0, f.height);
      painted = x1;
    }
  }

  /** Writes names and sizes where they fit, whole wherever that is possible. */
  #labels(c, f) {
    const { facts, kinds, palette, version } = this.scene;
    if (this.moving && facts.pieces.count > LABELS_UP_TO) return;
    const { t0, t1, y0, y1 } = this.view;
    const swift = this.moving && facts.pieces.count > SWIFT_FROM;
    const key = [swift, t0, t1, y0, y1, f.left, f.top, f.width, f.height, version].join();
    if (key !== this.labelled.key) {
      const toY = (v) => this.toY(v);
      const taken = [...takenBy(marksIn(this.marks, f, toY), f), ...captionsIn(facts.doc, f, toY)];
      this.labelled = { key, ...labelsOf(this.scene, this.view, f, { room: this.room, taken, swift }) };
    }
    const { labels } = this.labelled;
    c.lineWidth = 1;
    for (const { leader } of labels) {
      if (!leader) continue;
      const [x0, y0, x1, y1] = leader;
      for (const [width, colour] of [
        [3, this.theme.plot],
        [1, this.theme.ink],
      ]) {
        c.lineWidth = width;
        c.strokeStyle = c.fillStyle = colour;
        c.globalAlpha = 0.75;
        line(c, x0, y0, x1, y1);
        c.beginPath();
        c.arc(x1, y1, 1 + width / 2, 0, 7);
        c.fill();
      }
      c.globalAlpha = 1;
    }
    c.textAlign = "center";
    c.textBaseline = "middle";
    for (const label of labels) {
      const { lines, full, kind, size, upright, leader, boxed, x, y } = label;
      if (boxed) boxAround(c, boxed, this.theme);
      c.font = `${size}px ${PAGE}`;
      c.fillStyle = leader ? this.theme.ink : palette.ink(kinds[label.buffer]);
      c.globalAlpha = kind === "size" ? 0.72 : 1;
      const wide = Math.max(...lines.map((text) => widthOf(text))) * size;
      const [w, h] = upright ? [lines.length * size, wide] : [wide, lines.length * size];
      const box = [x - w / 2, y - h / 2, x + w / 2, y + h / 2];
      this.drawn.push({ kind, text: lines.join(""), full, buffer: label.buffer, box, leader });
      const down = (k) => (k - (lines.length - 1) / 2) * size * LINE + 0.5;
      if (!upright) {
        lines.forEach((text, k) => c.fillText(text, x, y + down(k)));
        continue;
      }
      c.save();
      c.translate(x, y);
      c.rotate(-Math.PI / 2);
      lines.forEach((text, k) => c.fillText(text, 0, down(k)));
      c.restore();
    }
    c.globalAlpha = 1;
    c.font = FONT;
  }

  /** Draws what belongs to the lanes of pools: their floors, their names, and reserved bytes. */
  #lanes(c, f) {
    const { lanes } = this.scene.facts.doc;
    if (!lanes) return;
    c.font = `bold ${FONT}`;
    c.textAlign = "left";
    c.textBaseline = "middle";
    for (const { name, at, high, scale, gap, capacity, height, cost, reserved, borders } of lanes) {
      const floor = Math.round(this.toY(at)) + 0.5;
      c.strokeStyle = this.theme.axis;
      c.lineWidth = 1;
      line(c, f.left, floor, f.left + f.width, floor);
      for (const border of borders) {
        const y = Math.round(this.toY(at + border * scale)) + 0.5;
        line(c, f.left, y, f.left + f.width, y);
        this.drawn.push({ kind: "border", text: "", full: `${name} ${border}` });
      }
      for (const [low, top] of reserved) {
        const [y0, y1] = [this.toY(at + top * scale), this.toY(at + low * scale)];
        const box = [f.left, y0, f.width, Math.max(y1 - y0, 3)];
        hatch(c, box, this.canvas, this.theme.faint, 0.75);
        this.drawn.push({ kind: "reserved", text: "", full: name, box });
      }
      const room = this.toY(at + high) - this.toY(at + high + gap);
      if (room < 12) continue;
      const used = capacity ? `${bytes(height)} of ${bytes(capacity)}` : bytes(height);
      const text = [name, used, cost ? `cost ${whole(cost)} a byte` : ""].filter(Boolean).join(" · ");
      c.fillStyle = this.theme.ink;
      this.#write(c, "lane", text, f.left + 6, this.toY(at + high) - Math.min(room / 2, 10));
    }
    c.font = FONT;
  }

  /** Draws a line to each buffer that a rule names together with the one that is selected or pointed at. */
  #links(c) {
    const { facts, offsets } = this.scene;
    const { links, lower, upper, size, scale } = facts.doc;
    const of = this.hover >= 0 ? this.hover : this.selected;
    if (of < 0 || !offsets) return;
    const middle = (i) => [
      this.toX((lower[i] + upper[i]) / 2),
      this.toY(offsets[i] + (size[i] * (scale ? scale[i] : 1)) / 2),
    ];
    for (let k = 0; k < links.length; k += 4) {
      const [a, b, kind] = links.subarray(k, k + 3);
      if (a !== of && b !== of) continue;
      const [colour, dash, width] = [
        [this.theme.select, [], 2],
        [this.theme.select, [], 2],
        [this.theme.ink, [2, 3], 1.25],
        [this.theme.faint, [6, 3], 1.25],
        [this.theme.capacity, [6, 3], 2],
      ][kind];
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.setLineDash(dash);
      line(c, ...middle(a), ...middle(b));
      c.setLineDash([]);
      this.drawn.push({ kind: "link", text: "", full: `${facts.doc.id(a)} – ${facts.doc.id(b)}` });
    }
  }

  /** Hatches the bytes that a result shares with an operand on purpose, while their operator runs. */
  #overlaps(c) {
    const { facts, offsets } = this.scene;
    const { doc } = facts;
    if (!offsets) return;
    for (let k = 0; k < doc.overlaps.length; k += 4) {
      const [result, operand, from, to] = doc.overlaps.subarray(k, k + 4);
      const low = Math.max(offsets[result], offsets[operand]);
      const high = Math.min(offsets[result] + doc.size[result], offsets[operand] + doc.size[operand]);
      if (!(low < high)) continue; // apart, or not placed yet
      const [x0, x1] = [this.toX(from), this.toX(to)];
      const [y0, y1] = [this.toY(high), this.toY(low)];
      const strong = [this.hover, this.selected].some((i) => i === result || i === operand);
      const box = [x0, y0, Math.max(x1 - x0, 3), Math.max(y1 - y0, 3)];
      hatch(c, box, this.canvas, strong ? this.theme.select : this.theme.ink, strong ? 1.5 : 0.75);
      this.drawn.push({ kind: "overlap", text: "", full: `${doc.id(result)} over ${doc.id(operand)}`, box });
    }
  }

  /** Marks the places that two buffers use at once: crossed out, ten pixels each way at least. */
  #twice(c) {
    const { facts, offsets } = this.scene;
    const { pieces, doc } = facts;
    if (!offsets || offsets !== doc.offsets) return;
    c.lineWidth = 1.5;
    for (let k = 0; k < doc.pairs.length; k += 2) {
      const [a, b] = [doc.pairs[k], doc.pairs[k + 1]];
      const mine = [];
      pieces.live(doc.lower[a], doc.upper[a], (p) => pieces.buffer[p] === a && mine.push(p));
      pieces.live(doc.lower[b], doc.upper[b], (q) => {
        if (pieces.buffer[q] !== b) return;
        for (const p of mine) {
          const t0 = Math.max(pieces.lower[p], pieces.lower[q]);
          const t1 = Math.min(pieces.upper[p], pieces.upper[q]);
          const y0 = Math.max(offsets[a] + pieces.from[p], offsets[b] + pieces.from[q]);
          const y1 = Math.min(offsets[a] + pieces.to[p], offsets[b] + pieces.to[q]);
          if (t0 >= t1 || y0 >= y1) continue;
          const grow = (low, high) => [(low + high) / 2, Math.max(high - low, 10)];
          const [x, w] = grow(this.toX(t0), this.toX(t1));
          const [y, h] = grow(this.toY(y1), this.toY(y0));
          for (const [width, colour] of [
            [3.5, this.theme.plot],
            [1.5, this.theme.ink],
          ]) {
            c.lineWidth = width;
            c.strokeStyle = colour;
            c.strokeRect(x - w / 2, y - h / 2, w, h);
            line(c, x - w / 2, y - h / 2, x + w / 2, y + h / 2);
            line(c, x - w / 2, y + h / 2, x + w / 2, y - h / 2);
          }
        }
      });
    }
  }

  /** Outlines the pieces of a buffer, and points from where another plan has them. */
  #outline(c, buffer, strong) {
    if (buffer < 0 || !this.scene.offsets) return;
    const { facts, offsets } = this.scene;
    const { pieces, doc } = facts;
    const at = offsets[buffer];
    const was = this.ghost ? this.ghost[buffer] : at;
    c.lineJoin = "round";
    pieces.live(doc.lower[buffer], doc.upper[buffer], (k) => {
      if (pieces.buffer[k] !== buffer) return;
      const box = (base) => {
        const x = this.toX(pieces.lower[k]);
        const y = this.toY(base + pieces.to[k]);
        const w = Math.max(2, this.toX(pieces.upper[k]) - x);
        const h = Math.max(2, this.toY(base + pieces.from[k]) - y);
        return [x, y, w, h];
      };
      if (was !== at && was >= 0) {
        c.setLineDash([4, 3]);
        c.lineWidth = 1.5;
        c.strokeStyle = this.theme.ink;
        c.strokeRect(...box(was));
        c.setLineDash([]);
        arrow(c, box(was), box(at));
      }
      c.strokeStyle = this.theme.plot;
      c.lineWidth = strong ? 5 : 3;
      c.strokeRect(...box(at));
      c.strokeStyle = strong ? this.theme.select : this.theme.ink;
      c.lineWidth = strong ? 2.5 : 1.5;
      c.strokeRect(...box(at));
    });
  }

  /** Shows by dashes where the buffers were that have left. */
  #left(c) {
    if (!this.left.length) return;
    c.setLineDash([4, 3]);
    c.lineWidth = 1.5;
    c.strokeStyle = this.theme.ink;
    for (const [lower, upper, from, to] of this.left) {
      const [x, y] = [this.toX(lower), this.toY(to)];
      c.strokeRect(x, y, Math.max(2, this.toX(upper) - x), Math.max(2, this.toY(from) - y));
    }
    c.setLineDash([]);
  }

  #cursor(c, f) {
    if (this.cursor === null) return;
    const x = Math.round(this.toX(this.cursor)) + 0.5;
    c.strokeStyle = this.theme.cursor;
    c.lineWidth = 1;
    line(c, x, f.top, x, f.top + f.height);
  }

  /** Draws the lines of capacity, height and bound, their names where they do not collide. */
  #marks(c, f) {
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const { mark, y, text, box } of marksIn(this.marks, f, (v) => this.toY(v))) {
      c.strokeStyle = this.theme[mark.colour];
      c.lineWidth = 1.5;
      c.setLineDash(mark.dash);
      line(c, f.left, y, f.left + f.width, y);
      c.setLineDash([]);
      if (!box) continue;
      c.fillStyle = this.theme.plot;
      c.globalAlpha = 0.86;
      c.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
      c.globalAlpha = 1;
      c.fillStyle = this.theme[mark.colour];
      this.#write(c, "mark", text, box[2] - 4, (box[1] + box[3]) / 2 + 0.5);
    }
  }

  #say(c, f, text) {
    c.fillStyle = this.theme.faint;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.font = FONT.replace("11px", "13px");
    c.fillText(text, f.left + f.width / 2, f.top + f.height / 2, f.width - 20);
  }
}

/** Returns the offsets to mark in the lanes that are in sight, each counted from its floor. */
function laneTicks(lanes, view, height) {
  const out = [];
  for (const { at, high, scale, room, height: used, capacity } of lanes) {
    if (!used && !capacity) continue; // nothing lies in it
    const [low, top] = [Math.max(view.y0, at), Math.min(view.y1, at + high)];
    if (low >= top) continue;
    const pixels = (height * (top - low)) / (view.y1 - view.y0);
    for (const { value, text } of ticks(
      (low - at) / scale,
      (top - at) / scale,
      Math.max(1, pixels / 40),
      room >= 65536,
    ))
      out.push({ value: at + value * scale, text });
  }
  return out;
}

/** Returns where the lines across a plot are, and the boxes of their names, null for one without room. */
export function marksIn(marks, f, toY, family = PAGE) {
  const out = [];
  let above = -Infinity;
  for (const mark of [...marks].sort((a, b) => b.value - a.value)) {
    const y = Math.round(toY(mark.value)) + 0.5;
    if (y < f.top || y > f.top + f.height) continue;
    const text = `${mark.name} ${whole(mark.bytes ?? mark.value)}`;
    const middle = Math.max(y - 8, above + 13);
    let box = null;
    if (middle <= f.top + f.height) {
      above = middle;
      const right = f.left + f.width - 1;
      box = [right - 11 * widthOf(text, family) - 8, middle - 6.5, right, middle + 6.5];
    }
    out.push({ mark, y, text, box });
  }
  return out;
}

/** Returns what the lines across a plot take of it: boxes of left, top, right and bottom. */
export function takenBy(places, f) {
  return places.flatMap(({ y, box }) => [[f.left, y - 1.5, f.left + f.width, y + 1.5], ...(box ? [box] : [])]);
}

/** Returns what the names of lanes take of a plot, in the same form; reserved bytes are kept free of names, too. */
function captionsIn({ lanes }, f, toY) {
  return (lanes || []).flatMap(({ at, high, gap, scale, reserved }) => [
    [f.left, toY(at + high + gap), f.left + f.width, toY(at + high)],
    ...reserved.map(([low, top]) => [f.left, toY(at + top * scale), f.left + f.width, toY(at + low * scale)]),
  ]);
}

/** Fills a box with slanted lines, as far as it is on the canvas. */
function hatch(c, [x, y, w, h], canvas, colour, width) {
  const [left, top] = [Math.max(x, 0), Math.max(y, 0)];
  const [right, bottom] = [Math.min(x + w, canvas.clientWidth), Math.min(y + h, canvas.clientHeight)];
  if (left >= right || top >= bottom) return;
  const gap = 6; // pixels
  c.save();
  c.beginPath();
  c.rect(left, top, right - left, bottom - top);
  c.clip();
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.beginPath();
  for (let at = Math.floor((left + top) / gap) * gap; at < right + bottom; at += gap) {
    c.moveTo(at - top, top);
    c.lineTo(at - bottom, bottom);
  }
  c.stroke();
  c.strokeRect(left, top, right - left, bottom - top);
  c.restore();
}

/** Draws the box of a name that stands on another rectangle. */
function boxAround(c, [x0, y0, x1, y1], theme) {
  c.beginPath();
  c.roundRect(x0 + 0.5, y0 + 0.5, x1 - x0 - 1, y1 - y0 - 1, 3);
  c.fillStyle = theme.plot;
  c.fill();
  c.strokeStyle = theme.axis;
  c.lineWidth = 1;
  c.stroke();
}

function line(c, x0, y0, x1, y1) {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}

function arrow(c, from, to) {
  const x0 = from[0] + from[2] / 2;
  const y0 = from[1] + from[3] / 2;
  const x1 = to[0] + to[2] / 2;
  const y1 = to[1] + to[3] / 2;
  const long = Math.hypot(x1 - x0, y1 - y0);
  if (long < 8) return;
  const [dx, dy] = [(x1 - x0) / long, (y1 - y0) / long];
  line(c, x0, y0, x1, y1);
  line(c, x1, y1, x1 - 8 * dx - 4 * dy, y1 - 8 * dy + 4 * dx);
  line(c, x1, y1, x1 - 8 * dx + 4 * dy, y1 - 8 * dy - 4 * dx);
}
