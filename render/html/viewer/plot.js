// One pane: the picture of a plan, time across and offset up, with axes, lines, labels
// and what is pointed at.
//
// The pieces are pixels (raster.js); all else is drawn over them by the canvas, since
// there is little of it.

import { Raster } from "./raster.js";
import { ticks, whole, bytes } from "./numbers.js";

const FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const MOST_LABELS = 500;
const SLOW = 30; // milliseconds
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
    this.selected = -1;
    this.ghost = null; // offsets of another plan, to point from
    this.cursor = null; // a time
    this.marks = [];
    this.moving = false; // the window moves, by a hand
    this.zooming = false; // and its scale changes
  }

  /** Where the plot is within the canvas, in CSS pixels. */
  get frame() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const left = margin(w);
    return { left, top: 8, width: Math.max(1, w - left - 10), height: Math.max(1, h - 8 - 24) };
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
    return this.scene.facts.hit(
      this.toTime(x),
      this.toOffset(y),
      (reach / f.width) * (this.view.t1 - this.view.t0),
      (reach / f.height) * (this.view.y1 - this.view.y0),
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
    this.#grid(c, f);
    const pixels = [Math.round(f.width * ratio), Math.round(f.height * ratio)];
    c.save();
    c.beginPath();
    c.rect(f.left, f.top, f.width, f.height);
    c.clip();
    this.#pieces(c, f, pixels, ratio);
    this.#peaks(c, f);
    this.#labels(c, f);
    this.#twice(c);
    this.#outline(c, this.newest, false);
    this.#outline(c, this.hover, false);
    this.#outline(c, this.selected, true);
    this.#cursor(c, f);
    c.restore();
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
    const binary = view.whole.y1 >= 65536;
    for (const tick of ticks(view.y0, view.y1, f.height / 40, binary)) {
      const y = Math.round(this.toY(tick.value)) + 0.5;
      c.strokeStyle = theme.grid;
      line(c, f.left, y, f.left + f.width, y);
      c.fillStyle = theme.faint;
      c.fillText(tick.text, f.left - 7, y);
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
      c.fillText(tick.text, Math.min(x, f.left + f.width + 8 - half), f.top + f.height + 7);
    }
    c.strokeStyle = theme.axis;
    line(c, f.left - 0.5, f.top, f.left - 0.5, f.top + f.height);
    line(c, f.left, f.top + f.height + 0.5, f.left + f.width, f.top + f.height + 0.5);
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

  /** Writes the IDs of pieces that have room for them. */
  #labels(c, f) {
    const { facts, offsets, kinds, palette } = this.scene;
    const { pieces, doc } = facts;
    if (!offsets || (this.moving && pieces.count > LABELS_UP_TO)) return;
    const perTime = f.width / (this.view.t1 - this.view.t0);
    const perByte = f.height / (this.view.y1 - this.view.y0);
    const wide = 30 / perTime;
    const high = 12 / perByte;
    const { t0, t1, y0, y1 } = this.view;
    const chosen = [];
    pieces.live(t0, t1, (k) => {
      const lower = Math.max(pieces.lower[k], t0);
      const upper = Math.min(pieces.upper[k], t1);
      if (upper - lower < wide || pieces.to[k] - pieces.from[k] < high) return;
      const base = offsets[pieces.buffer[k]];
      const from = Math.max(base + pieces.from[k], y0);
      const to = Math.min(base + pieces.to[k], y1);
      if (to - from >= high && chosen.length < MOST_LABELS) chosen.push([k, lower, upper, from, to]);
    });
    c.textAlign = "left";
    c.textBaseline = "middle";
    for (const [k, lower, upper, from, to] of chosen) {
      const i = pieces.buffer[k];
      const w = (upper - lower) * perTime - 9;
      const h = (to - from) * perByte;
      const x = this.toX(lower) + 5;
      const y = this.toY((from + to) / 2);
      c.fillStyle = palette.ink(kinds[i]);
      const id = cut(doc.id(i), w);
      if (!id) continue;
      if (h >= 30 && w >= 44) {
        c.fillText(id, x, y - 6.5);
        c.globalAlpha = 0.72;
        c.fillText(cut(bytes(doc.size[i]), w), x, y + 7.5);
        c.globalAlpha = 1;
      } else {
        c.fillText(id, x, y + 0.5);
      }
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
    let above = -Infinity;
    for (const mark of [...this.marks].sort((a, b) => b.value - a.value)) {
      const y = Math.round(this.toY(mark.value)) + 0.5;
      if (y < f.top || y > f.top + f.height) continue;
      c.strokeStyle = this.theme[mark.colour];
      c.lineWidth = 1.5;
      c.setLineDash(mark.dash);
      line(c, f.left, y, f.left + f.width, y);
      c.setLineDash([]);
      const middle = Math.max(y - 8, above + 13);
      if (middle > f.top + f.height) continue;
      above = middle;
      const text = `${mark.name} ${whole(mark.value)}`;
      const w = c.measureText(text).width;
      c.fillStyle = this.theme.plot;
      c.globalAlpha = 0.86;
      c.fillRect(f.left + f.width - w - 9, middle - 6.5, w + 8, 13);
      c.globalAlpha = 1;
      c.fillStyle = this.theme[mark.colour];
      c.fillText(text, f.left + f.width - 5, middle + 0.5);
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

/** The room left of a plot in a canvas of that width, for the offsets. */
export function margin(width) {
  return width < 520 ? 54 : 68;
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

/**
 * Leaves so many letters of a text, most of them from its end: names of tensors are
 * paths, alike where they begin.
 */
export function shorten(text, letters) {
  if (letters >= text.length) return text;
  const head = letters < 8 ? 0 : Math.ceil(letters / 3);
  const tail = letters - head; // at least one
  const whole = (s) => s.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ""); // no halves of characters
  return whole(text.slice(0, head)) + "…" + whole(text.slice(-tail));
}

let ruler = null;
let widest = 0; // of a letter, digits and small ones
const narrow = 0.5; // of that, what letters are at least, nearly all

/** Cuts a text to a width in CSS pixels; nothing where not even three letters fit. */
export function cut(text, width) {
  if (!ruler) {
    ruler = document.createElement("canvas").getContext("2d");
    ruler.font = FONT;
    widest = ruler.measureText("mmmmmmmmmm").width / 10;
  }
  // Most texts need no measuring: they fit however wide, or are far too long.
  if (text.length * widest <= width) return text;
  let end = Math.min(text.length, Math.floor(width / (widest * narrow)) + 1);
  if (end === text.length && ruler.measureText(text).width <= width) return text;
  while (end > 2 && ruler.measureText(shorten(text, end)).width > width) end--;
  return end > 2 ? shorten(text, end) : "";
}
