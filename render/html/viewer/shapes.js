// Sizes that vary: a slider over values of the symbols, or over scenarios, and how far the plan is above the load at each.
//
// The page has the sizes and offsets at each of these, which follow from one order. What is shown is a document like any
// other, with these in the place of its own, so all that is said of a plan is said of them.

import { byId as $ } from "./dom.js";
import { Facts } from "./facts.js";
import { whole } from "./numbers.js";
import { extent } from "./scene.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDE, HIGH] = [300, 40];

/** Returns the document at one of its shapes. Only the largest has the bound and the faults of the plan. */
export function shapeOf(doc, at) {
  const { sizes, offsets } = doc.shapes[at];
  return { ...doc, size: sizes, offsets, lowerBound: 0, steps: [], moves: null };
}

export class Shapes {
  constructor(app) {
    this.app = app;
    this.slider = $("shape");
    this.doc = null;
    this.slider.addEventListener("input", () => this.#move(Number(this.slider.value)));
  }

  /** Takes the document that is shown alone; null for several. */
  show(doc) {
    if (doc && this.doc && doc.shapes === this.doc.shapes) return;
    this.doc = doc?.shapes.length > 1 ? doc : null;
    $("shapes").hidden = !this.doc;
    if (!this.doc) return;
    const { shapes } = this.doc;
    const largest = shapes.findLastIndex((s) => s.sizes.every((x, i) => x === this.doc.size[i]));
    this.slider.max = shapes.length - 1;
    this.slider.value = largest < 0 ? shapes.length - 1 : largest;
    this.#curve();
    this.#say(largest);
  }

  /** Shows the plan at one of the shapes. */
  #move(at) {
    const { app } = this;
    app.files[app.a] = new Facts(shapeOf(this.doc, at));
    app.marking = app.placed = app.story = null;
    app.playback.show(app.facts(0).doc, true);
    extent(app, true);
    app.search($("search").value);
    app.figures();
    if (app.selected[0] >= 0) app.select(0, app.selected[0]);
    this.#say(at);
  }

  /** Says what the plan needs at a shape; -1 is the largest size of each buffer, where that is none of the shapes. */
  #say(at) {
    const { shapes } = this.doc;
    const { name, load, height } = shapes[at] ?? { name: "the largest size of each" };
    $("shape-says").textContent =
      at < 0 ? name : `${name}: height ${whole(height)}, load ${whole(load)}, ${percent(height / (load || 1) - 1)} over the load`;
    this.slider.setAttribute("aria-valuetext", $("shape-says").textContent);
    this.cursor?.setAttribute("x1", at < 0 ? -1 : this.#x(at));
    this.cursor?.setAttribute("x2", at < 0 ? -1 : this.#x(at));
  }

  #x(at) {
    return (at * WIDE) / (this.doc.shapes.length - 1);
  }

  /** Draws the excess over the load at each shape. */
  #curve() {
    const over = this.doc.shapes.map(({ height, load }) => height / (load || 1) - 1);
    const top = Math.max(...over);
    const make = (tag, attributes) => {
      const e = document.createElementNS(SVG, tag);
      for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
      return e;
    };
    const points = over.map((x, k) => `${this.#x(k)},${HIGH - 2 - (top ? (x / top) * (HIGH - 6) : 0)}`).join(" ");
    this.cursor = make("line", { y1: 0, y2: HIGH, class: "cursor" });
    const svg = $("shape-curve");
    svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
    svg.replaceChildren(make("polyline", { points, class: "over" }), this.cursor);
    $("shape-most").textContent = `over the load, at most ${percent(top)}`;
  }
}

/** Writes a share in percent; only what is at the load is 0. */
function percent(share) {
  if (share <= 0) return "0%";
  return share < 0.00001 ? "under 0.001%" : `${(100 * share).toFixed(3)}%`;
}
