// Puts the page together: which documents are shown and how, what is selected and searched for, and who is told of it.
//
//	data → facts → scene → pane                     what is drawn
//	controls, gestures, table, playback → App       what is asked for
//	App → figures, pointer, replay                  what is said of it
//
// All changes go through App, which draws at most once for each frame of the screen.

import { FADED, KIND, modesOf } from "./colours.js";
import { Comparison } from "./compare.js";
import { choices, controls } from "./controls.js";
import { Curve, Overview } from "./curve.js";
import { embedded, highOf } from "./data.js";
import { byId as $ } from "./dom.js";
import { setUpDrop } from "./drop.js";
import { Facts } from "./facts.js";
import { figures, legend } from "./figures.js";
import { gestures } from "./gestures.js";
import { whole } from "./numbers.js";
import * as panel from "./panel.js";
import { Playback } from "./playback.js";
import { shorten } from "./letters.js";
import { Plot } from "./plot.js";
import * as pointer from "./pointer.js";
import * as replay from "./replay.js";
import { save } from "./save.js";
import { extent, scenes } from "./scene.js";
import { search } from "./search.js";
import { embeddedSession } from "./session.js";
import { Shapes } from "./shapes.js";
import { Table } from "./table.js";
import { Theme } from "./theme.js";
import { View } from "./view.js";
import { Widener } from "./widener.js";

export class App {
  constructor() {
    this.files = []; // the Facts of each document
    this.a = 0; // which of them is shown
    this.b = -1; // which it is compared with; -1 for none
    this.mode = "both"; // with two: "both" or "diff"
    this.colour = ""; // what buffers are coloured by: see modesOf
    this.group = ""; // the group of names that is highlighted
    this.found = [null, null]; // marks of the search, for each pane
    this.selected = [-1, -1];
    this.comparison = null;
    this.marking = null; // kinds of what moved, during playback
    this.placed = null; // 1 for what is placed by now, while a plan is built up
    this.story = null; // of the moves that are played
    this.session = null; // whose calls are played
    this.refused = null; // why a call of it was not made: "load" or "other"
    this.version = 0;
    this.timings = []; // of frames, for those who measure
    this.theme = new Theme();
    this.view = new View();
    this.view.onChange(() => {
      // Where there is nothing to move, a finger that goes up or down scrolls the page: on a
      // telephone the picture fills the screen.
      for (const { canvas } of this.plots ?? []) canvas.style.touchAction = this.view.isWhole ? "pan-y" : "none";
      this.invalidate();
    });
    this.#panes();
    this.table = new Table($("list"), {
      select: (i) => this.select(this.listed, i, true),
      zoomTo: (i) => this.zoomTo(this.listed, i),
    });
    this.widener = new Widener($("widen"), $("side"), () => this.table.update());
    this.playback = new Playback($("playback"), this.theme.colours, {
      step: (now, before) => replay.step(this, now, before),
      build: (order, at) => replay.build(this, order, at),
      moves: (story) => replay.moves(this, story),
      change: (session, at) => replay.change(this, session, at),
    });
    this.shapes = new Shapes(this);
    controls(this);
    this.theme.onChange((atOnce) => {
      this.repaint();
      if (this.files.length) this.figures();
      if (atOnce) this.draw();
    });
    // What stands above or beside a pane changes its size, too.
    const resized = new ResizeObserver(() => this.invalidate());
    for (const canvas of [$("curve"), $("overview"), ...this.plots.map((plot) => plot.canvas)]) resized.observe(canvas);
  }

  #panes() {
    this.plots = ["pane-a", "pane-b"].map(
      (id) => new Plot($(id).querySelector("canvas"), this.view, this.theme.colours),
    );
    this.plots.forEach((plot, side) =>
      gestures(plot, {
        redraw: () => this.invalidate(),
        hover: (i, event, time, offset) => pointer.hover(this, side, i, event, time, offset),
        select: (i) => this.select(side, i, true),
        zoomTo: (i) => this.zoomTo(side, i),
        step: (by) => this.select(side, this.table.beside(by), true),
        first: () => this.view.fit(),
        box: (box) => pointer.box(this, side, box),
      }),
    );
    this.curve = new Curve($("curve"), this.view, this.theme.colours);
    this.overview = new Overview($("overview"), this.view, this.theme.colours);
    $("curve").addEventListener("pointermove", (event) => {
      const r = event.currentTarget.getBoundingClientRect();
      pointer.cursor(
        this,
        this.plots[0].canvas.clientWidth
          ? this.plots[0].toTime(event.clientX - r.left)
          : this.plots[1].toTime(event.clientX - r.left),
      );
    });
    $("curve").addEventListener("pointerleave", () => pointer.cursor(this, null));
  }

  /** Which document the list shows: 1 where only the second pane is seen. */
  get listed() {
    return this.b >= 0 && this.mode === "diff" ? 1 : 0;
  }

  facts(side) {
    return this.files[side ? this.b : this.a];
  }

  /** Takes documents, and shows the first, with the second where there are two. */
  open(docs) {
    this.files = docs.map((doc) => new Facts(doc));
    if (!this.files.length) return;
    document.body.classList.remove("empty");
    this.choose(0, this.files.length > 1 && this.files[0].offsets && this.files[1].offsets ? 1 : -1);
  }

  /** Shows nothing, as the page that plans does at first. */
  clear() {
    this.files = [];
    this.a = 0;
    this.b = -1;
    this.playback.clear();
    document.body.classList.add("empty");
    document.title = $("title").textContent = "Stowage";
    $("warning").hidden = true;
  }

  /** Shows the plan that a search has so far, until it ends. */
  glimpse(at, offsets) {
    const facts = this.files[at];
    if (!facts || facts.doc.offsets || offsets.length !== facts.doc.n) return;
    const first = !facts.offsets;
    facts.use(offsets);
    if (at !== this.a) return;
    extent(this, !first);
    this.relist();
    this.repaint();
    this.figures();
  }

  /** Puts a document in the place of another: its plan, once there is one. */
  replace(at, doc) {
    this.files[at] = new Facts(doc);
    this.choose(this.a, this.b);
  }

  /** Adds a document, beside the one that it is to be compared with. */
  add(doc, beside) {
    this.files.push(new Facts(doc));
    this.choose(beside, doc.offsets ? this.files.length - 1 : -1);
  }

  /** Takes a session, and shows its first call. */
  openSession(session) {
    this.session = session;
    this.mode = "diff";
    document.body.classList.remove("empty");
    this.playback.follow(session);
    this.playback.go(0);
  }

  /** Shows one document, and another beside it unless b is -1. */
  choose(a, b, keep = false) {
    this.a = a;
    this.b = b === a ? -1 : b;
    const facts = this.facts(0);
    this.comparison = this.b >= 0 ? new Comparison(facts, this.facts(1)) : null;
    this.selected = [-1, -1];
    this.marking = this.placed = this.story = this.refused = null;
    this.plots[0].newest = -1;
    const title = this.session?.title ?? facts.doc.title + (this.b >= 0 ? ` and ${this.facts(1).doc.title}` : "");
    document.title = $("title").textContent = title;
    $("warning").textContent = facts.doc.warning;
    $("warning").hidden = !facts.doc.warning;
    if (!modesOf(facts.doc).some(({ id }) => id === this.colour)) this.colour = modesOf(facts.doc)[0].id;
    if (!this.session) this.playback.show(facts.doc, this.b < 0);
    this.shapes.show(this.b < 0 && !this.session ? facts.doc : null);
    choices(this);
    extent(this, keep);
    this.search($("search").value);
    this.figures();
  }

  /** What of a search is played back now: "search" or "moves"; "" if the plan is shown. */
  get playing() {
    const { what, at, last } = this.playback;
    return this.story ? "moves" : what === "search" && at >= 0 && at < last ? "search" : "";
  }

  /** The panes that are seen, or would be but for the mode. */
  get sides() {
    return this.b >= 0 ? [0, 1] : [0];
  }

  // What is asked for.

  search(query) {
    const says = $("found");
    try {
      const totals = this.sides.map((side) => {
        const moved = this.comparison && (side ? this.comparison.moved : this.comparison.movedA);
        const result = search(query, this.facts(side), moved);
        this.found[side] = result && result.found;
        return result && result.total;
      });
      if (this.b < 0) this.found[1] = null;
      const total = totals[this.listed] ?? null;
      says.textContent = total === null ? "" : `${whole(total)} found`;
      $("tab-list").textContent = total === null ? "Buffers" : `Buffers (${whole(total)} found)`;
      this.group = /^group:\S+$/i.test(query.trim()) ? query.trim().slice(6) : "";
      says.classList.remove("bad");
    } catch (error) {
      says.textContent = error.message;
      says.classList.add("bad");
      return;
    }
    this.relist();
    this.repaint();
    legend(this);
  }

  /** Highlights a group of names, or none, by a search for it. */
  highlight(name) {
    const box = $("search");
    box.value = name && name !== this.group ? `group:${name}` : "";
    this.search(box.value);
  }

  /** Selects a buffer of a pane, and its counterpart in the other; -1 for none. */
  select(side, i, reveal) {
    this.selected = [-1, -1];
    this.selected[side] = i;
    if (this.comparison && i >= 0) this.selected[1 - side] = (side ? this.comparison.toA : this.comparison.toB)[i];
    this.plots.forEach((plot, at) => (plot.selected = this.selected[at]));
    const facts = this.facts(side);
    $("selected").hidden = i < 0;
    $("says").textContent = i < 0 ? "" : panel.sentence(facts, i, this.comparison, side === 1);
    if (i >= 0) {
      panel.card($("selected-card"), facts, i, this.comparison, side === 1);
      if (reveal && facts.shown && !Number.isNaN(facts.shown[i]))
        this.view.reveal(facts.doc.lower[i], facts.doc.upper[i], facts.shown[i], facts.shown[i] + highOf(facts.doc, i));
    }
    this.table.select(this.selected[this.listed], reveal);
    this.invalidate();
  }

  zoomTo(side, i) {
    if (i < 0) return;
    const { doc, shown: offsets } = this.facts(side);
    if (!offsets || Number.isNaN(offsets[i])) return;
    this.select(side, i);
    this.view.show(doc.lower[i], doc.upper[i], offsets[i], offsets[i] + highOf(doc, i));
  }

  /** Shows the first peak, with all of the offsets. */
  peak() {
    if (!this.files.length) return;
    const { load } = this.facts(this.listed);
    if (!load.sections) return;
    const s = load.peakAt;
    const long = Math.max(load.times[s + 1] - load.times[s], (this.view.whole.t1 - this.view.whole.t0) / 400, 4);
    const middle = (load.times[s] + load.times[s + 1]) / 2;
    this.view.set(middle - 4 * long, middle + 4 * long, this.view.whole.y0, this.view.whole.y1);
  }

  setMode(mode) {
    this.mode = mode;
    choices(this);
    this.figures();
    this.search($("search").value);
    this.select(this.listed, this.selected[this.listed]);
  }

  tab(id) {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const chosen = tab.id === id;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      $(tab.getAttribute("aria-controls")).hidden = !chosen;
    }
    if (this.files.length) this.table.update();
  }

  // What is shown, after what was asked for.

  /** Lists what the search has found. */
  relist() {
    this.table.show(this.facts(this.listed), this.found[this.listed]);
    this.table.update();
  }

  /** Makes the scenes of the panes anew. */
  repaint() {
    if (this.files.length) scenes(this);
    this.invalidate();
  }

  /** Writes the figures beside the picture anew. */
  figures() {
    figures(this);
  }

  /** Draws, with the next frame of the screen. */
  invalidate() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  draw() {
    if (!this.files.length) return;
    const began = performance.now();
    // All pictures have the same scale, so the same room above, and begin at the same place,
    // right of the longest text of an axis.
    const room = Math.max(...this.plots.map((plot) => plot.prepare()));
    for (const plot of this.plots) plot.room = room;
    const wide = Math.max(...this.plots.map((plot) => plot.widest));
    this.view.gutter = Math.max($("picture").clientWidth < 520 ? 54 : 68, 8 * Math.ceil((wide + 12) / 8));
    this.curve.draw();
    this.overview.draw();
    for (const plot of this.plots) plot.draw();
    this.playback.draw();
    this.timings.push(performance.now() - began);
    if (this.timings.length > 1000) this.timings.splice(0, 500);
  }
}

/** Begins: with what the page carries, and with a place to drop files where it can plan. */
async function begin() {
  const app = new App();
  window.stowage = Object.assign(app, { FADED, KIND, save, shorten }); // for the console, and for tests
  try {
    const session = embeddedSession(document);
    if (session) app.openSession(session);
    else app.open(await embedded(document));
  } catch (error) {
    $("warning").textContent = `This page cannot be read: ${error.message}`;
    $("warning").hidden = false;
  }
  setUpDrop(app);
  app.draw();
  performance.mark("stowage-drawn");
  app.ready = true;
}

begin();
