// The curve above the picture: load, what the plan takes, waste between them, capacity and bound, for the times in the
// window. And the strip below it: all times, with the window to drag.
//
// A column of pixels shows the highest moment in it, so that no peak is missed.
//
// Complexity: O(columns × log sections).

import { first } from "./sort.js";
import { bytes, ticks, whole } from "./numbers.js";

/**
 * Sets a canvas up and returns its context, scaled to CSS pixels, and what is beside the
 * margin; null where it is hidden.
 */
function prepare(canvas, left) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [canvas.clientWidth, canvas.clientHeight];
  if (!w || !h) return null;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(h * ratio);
  }
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, w, h);
  return { c, h, left, width: Math.max(1, Math.floor(w - left - 10)) };
}

/** Returns the highest value in each of so many columns of [t0, t1). */
function columns(load, maxima, t0, t1, many) {
  const { times, sections } = load;
  const out = new Float64Array(many);
  const step = (t1 - t0) / many;
  let s = Math.max(0, first(times.length, (k) => times[k] > t0) - 1);
  for (let x = 0; x < many; x++) {
    const from = t0 + x * step;
    const to = from + step;
    while (s < sections && times[s + 1] <= from) {
      // Most columns begin in the section after; where there are many, jump.
      s = times[Math.min(s + 64, sections)] <= from ? first(times.length, (k) => times[k] > from) - 1 : s + 1;
    }
    if (s >= sections || to <= times[0]) continue;
    let e = s;
    while (e < sections && times[e] < to && e < s + 64) e++;
    if (e < sections && times[e] < to)
      e = Math.min(
        sections,
        first(times.length, (k) => times[k] >= to),
      );
    out[x] = maxima.over(s, e);
  }
  return out;
}

/** Draws a stepped area, or its upper edge. */
function trace(c, values, left, toY, floor, area) {
  c.beginPath();
  c.moveTo(left, area ? floor : toY(values[0]));
  for (let x = 0; x < values.length; x++) {
    const y = toY(values[x]);
    c.lineTo(left + x, y);
    c.lineTo(left + x + 1, y);
  }
  if (!area) return c.stroke();
  c.lineTo(left + values.length, floor);
  c.closePath();
  c.fill();
}

export class Curve {
  constructor(canvas, view, theme) {
    this.canvas = canvas;
    this.view = view;
    this.theme = theme;
    this.facts = null;
    this.other = null; // of the plan to compare with
    this.cursor = null;
  }

  draw() {
    const { facts, view, theme } = this;
    const set = prepare(this.canvas, view.gutter);
    if (!set || !facts) return;
    const { c, h, left, width } = set;
    const [top, floor] = [8, h - 5];
    const { doc, load } = facts;
    const heights = [load.peak, facts.height, doc.lowerBound, this.other ? this.other.height : 0, 1];
    let most = Math.max(...heights);
    if (doc.capacity && doc.capacity < 3 * most) most = Math.max(most, doc.capacity);
    const toY = (v) => floor - (v / (most * 1.04)) * (floor - top);

    c.font = "11px system-ui, sans-serif";
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (const tick of ticks(0, most * 1.04, (floor - top) / 26, most >= 65536)) {
      const y = Math.round(toY(tick.value)) + 0.5;
      c.strokeStyle = theme.grid;
      stroke(c, left, y, left + width, y);
      c.fillStyle = theme.faint;
      c.fillText(tick.text, left - 7, Math.max(6, y));
    }
    const loads = columns(load, load.load, view.t0, view.t1, width);
    if (facts.top) {
      const tops = columns(load, facts.top, view.t0, view.t1, width);
      c.fillStyle = theme.waste;
      trace(c, tops, left, toY, floor, true);
      c.fillStyle = theme.load;
      trace(c, loads, left, toY, floor, true);
      c.strokeStyle = theme.height;
      c.lineWidth = 1.25;
      trace(c, tops, left, toY, floor, false);
    } else {
      c.fillStyle = theme.load;
      trace(c, loads, left, toY, floor, true);
    }
    if (this.other && this.other.top) {
      const tops = columns(this.other.load, this.other.top, view.t0, view.t1, width);
      c.strokeStyle = theme.ink;
      c.setLineDash([3, 2]);
      trace(c, tops, left, toY, floor, false);
      c.setLineDash([]);
    }
    c.lineWidth = 1.25;
    const level = (value, colour, dash) => {
      if (!value || value > most) return;
      c.strokeStyle = colour;
      c.setLineDash(dash);
      const y = Math.round(toY(value)) + 0.5;
      stroke(c, left, y, left + width, y);
      c.setLineDash([]);
    };
    level(doc.capacity, theme.capacity, [6, 4]);
    level(doc.lowerBound, theme.bound, [2, 3]);
    this.#peak(c, facts, left, width, toY, most);
    if (this.cursor !== null) {
      const x = Math.round(left + ((this.cursor - view.t0) / (view.t1 - view.t0)) * width) + 0.5;
      if (x >= left && x <= left + width) {
        c.strokeStyle = theme.cursor;
        stroke(c, x, top, x, floor);
      }
    }
    c.strokeStyle = theme.axis;
    stroke(c, left, floor + 0.5, left + width, floor + 0.5);
  }

  /** Marks the first peak with a dot and its figure. */
  #peak(c, facts, left, width, toY) {
    const { load } = facts;
    if (!load.peak) return;
    const s = load.peakAt;
    const time = (load.times[s] + load.times[s + 1]) / 2;
    const x = left + ((time - this.view.t0) / (this.view.t1 - this.view.t0)) * width;
    if (x < left || x > left + width) return;
    const y = toY(load.peak);
    c.fillStyle = this.theme.peak;
    c.beginPath();
    c.arc(x, y, 3.5, 0, 7);
    c.fill();
    const text = `peak ${load.peak < 10240 ? whole(load.peak) : bytes(load.peak)}`;
    const w = c.measureText(text).width;
    const right = x + w + 14 < left + width;
    c.textAlign = right ? "left" : "right";
    const at = x + (right ? 8 : -8);
    c.fillStyle = this.theme.panel;
    c.globalAlpha = 0.8;
    c.fillRect(right ? at - 3 : at - w - 3, y - 1, w + 6, 14);
    c.globalAlpha = 1;
    c.fillStyle = this.theme.ink;
    c.fillText(text, at, y + 6.5);
  }
}

export class Overview {
  constructor(canvas, view, theme) {
    this.canvas = canvas;
    this.view = view;
    this.theme = theme;
    this.facts = null;
    this.#drag();
  }

  draw() {
    const { facts, view, theme } = this;
    const set = prepare(this.canvas, view.gutter);
    if (!set || !facts) return;
    const { c, h, left, width } = set;
    const { whole: all } = view;
    const most = Math.max(facts.load.peak, 1);
    c.fillStyle = theme.load;
    trace(
      c,
      columns(facts.load, facts.load.load, all.t0, all.t1, width),
      left,
      (v) => h - 2 - (v / most) * (h - 5),
      h - 2,
      true,
    );
    const x0 = left + ((view.t0 - all.t0) / (all.t1 - all.t0)) * width;
    const x1 = Math.max(x0 + 3, left + ((view.t1 - all.t0) / (all.t1 - all.t0)) * width);
    c.fillStyle = theme.veil;
    c.fillRect(left, 0, x0 - left, h);
    c.fillRect(x1, 0, left + width - x1, h);
    c.strokeStyle = theme.select;
    c.lineWidth = 1.5;
    c.strokeRect(x0 + 0.75, 0.75, x1 - x0 - 1.5, h - 1.5);
  }

  #drag() {
    const { canvas, view } = this;
    const go = (event) => {
      const r = canvas.getBoundingClientRect();
      const left = view.gutter;
      const part = (event.clientX - r.left - left) / (r.width - left - 10);
      const half = (view.t1 - view.t0) / 2;
      const middle = view.whole.t0 + part * (view.whole.t1 - view.whole.t0);
      view.set(middle - half, middle + half, view.y0, view.y1);
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) go(event);
    });
  }
}

function stroke(c, x0, y0, x1, y1) {
  c.beginPath();
  c.moveTo(x0, y0);
  c.lineTo(x1, y1);
  c.stroke();
}
