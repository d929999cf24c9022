// Puts the page together: which documents are shown and how, what is selected and
// searched for, and who is told of it.
//
//	data → facts → scene → pane       what is drawn
//	gestures, table, search → App     what is asked for
//
// All changes go through App, which draws at most once for each frame of the screen.

import { KIND, FADED, MODES, Palette, kindsOf } from "./colours.js";
import { Comparison } from "./compare.js";
import { Curve, Overview } from "./curve.js";
import { embedded } from "./data.js";
import { setUpDrop } from "./drop.js";
import { Facts } from "./facts.js";
import { gestures } from "./gestures.js";
import { both, count, digits, whole } from "./numbers.js";
import { MOVE } from "./moves.js";
import * as panel from "./panel.js";
import { Playback } from "./playback.js";
import { Plot, shorten } from "./plot.js";
import { save } from "./save.js";
import { search } from "./search.js";
import { Table } from "./table.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);
const THEMES = ["auto", "light", "dark"];

export class App {
  constructor() {
    this.files = []; // the Facts of each document
    this.a = 0; // which of them is shown
    this.b = -1; // which it is compared with; -1 for none
    this.mode = "both"; // with two: "both" or "diff"
    this.colour = "buffer";
    this.found = [null, null]; // marks of the search, for each pane
    this.selected = [-1, -1];
    this.comparison = null;
    this.marking = null; // kinds of what moved, during playback
    this.placed = null; // 1 for what is placed by now, while a plan is built up
    this.story = null; // of the moves that are played
    this.version = 0;
    this.timings = []; // of frames, for those who measure
    this.theme = {};
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
    this.playback = new Playback($("playback"), {
      step: (now, before) => this.#step(now, before),
      build: (order, at) => this.#build(order, at),
      moves: (story) => this.#moves(story),
    });
    this.#controls();
    this.#themes();
    new ResizeObserver(() => this.invalidate()).observe($("picture"));
  }

  #panes() {
    this.plots = ["pane-a", "pane-b"].map((id) => new Plot($(id).querySelector("canvas"), this.view, this.theme));
    this.plots.forEach((plot, side) =>
      gestures(plot, {
        redraw: () => this.invalidate(),
        hover: (i, event, time, offset) => this.#hover(side, i, event, time, offset),
        select: (i) => this.select(side, i, true),
        zoomTo: (i) => this.zoomTo(side, i),
        step: (by) => this.select(side, this.table.beside(by), true),
        first: () => this.#fit(),
        box: (box) => this.#box(side, box),
      }),
    );
    this.curve = new Curve($("curve"), this.view, this.theme);
    this.overview = new Overview($("overview"), this.view, this.theme);
    $("curve").addEventListener("pointermove", (event) => {
      const r = event.currentTarget.getBoundingClientRect();
      this.#cursor(
        this.plots[0].canvas.clientWidth
          ? this.plots[0].toTime(event.clientX - r.left)
          : this.plots[1].toTime(event.clientX - r.left),
      );
    });
    $("curve").addEventListener("pointerleave", () => this.#cursor(null));
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
    this.playback.stop();
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
    if (first) this.#extent();
    this.table.show(this.facts(this.listed), this.found[this.listed]);
    this.table.update();
    this.#scenes();
    this.#figures();
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

  /** Shows one document, and another beside it unless b is -1. */
  choose(a, b) {
    this.a = a;
    this.b = b === a ? -1 : b;
    const facts = this.facts(0);
    this.comparison = this.b >= 0 ? new Comparison(facts, this.facts(1)) : null;
    this.selected = [-1, -1];
    this.marking = this.placed = this.story = null;
    this.plots[0].newest = -1;
    const title = facts.doc.title + (this.b >= 0 ? ` and ${this.facts(1).doc.title}` : "");
    document.title = $("title").textContent = title;
    $("warning").textContent = facts.doc.warning;
    $("warning").hidden = !facts.doc.warning;
    this.#choices();
    this.#extent();
    this.playback.show(facts.doc, this.b < 0);
    this.search($("search").value);
    this.#figures();
  }

  #extent() {
    const seen = this.#sides().map((side) => this.facts(side));
    let top = Math.max(
      1,
      ...seen.map((f) =>
        Math.max(
          topOf(f.doc),
          f.height,
          f.offsets ? f.bound : f.load.peak,
          ...f.doc.steps.map((s) => (s.offsets ? s.height : 0)),
        ),
      ),
    );
    for (const { doc } of seen) if (doc.capacity && doc.capacity < 2 * top) top = Math.max(top, doc.capacity);
    this.view.setWhole(Math.min(...seen.map((f) => f.lower)), Math.max(...seen.map((f) => f.upper)), top);
  }

  #sides() {
    return this.b >= 0 ? [0, 1] : [0];
  }

  /** Makes the scenes anew: after another mode, search, theme, step or document. */
  #scenes() {
    if (!this.files.length) return;
    this.palette = new Palette(this.dark);
    this.version++;
    for (const side of this.#sides()) {
      const facts = this.facts(side);
      const { n } = facts.doc;
      let kinds;
      if (this.marking && side === 0) kinds = this.marking.slice();
      else if (this.comparison && this.mode === "diff")
        kinds = (side ? this.comparison.kindsB : this.comparison.kindsA).slice();
      else kinds = kindsOf(facts, this.colour);
      if (side && this.mode === "both" && this.colour === "buffer") this.#borrow(kinds);
      if (this.placed && side === 0) for (let i = 0; i < n; i++) if (!this.placed[i]) kinds[i] += FADED;
      const found = this.found[side];
      const urgent = new Uint8Array(n);
      for (let i = 0; i < n; i++) {
        urgent[i] = facts.owner[i] | facts.topmost[i] | facts.doc.broken[i];
        if (!found) continue;
        urgent[i] = found[i];
        if (!found[i] && kinds[i] < FADED) kinds[i] += FADED;
      }
      const plot = this.plots[side];
      plot.scene = {
        facts,
        offsets: facts.shown,
        kinds,
        urgent,
        palette: this.palette,
        searched: Boolean(found),
        version: this.version,
        peaks: facts.load.peaks(),
      };
      plot.marks = this.#marks(facts);
      if (this.story?.asked && side === 0 && this.story.asked !== facts.doc.capacity)
        plot.marks.push({ name: "asked for", value: this.story.asked, colour: "capacity", dash: [3, 3] });
      plot.ghost = this.comparison ? (side ? this.comparison.ghostB : this.comparison.ghostA) : null;
      plot.selected = this.selected[side];
    }
    const shown = this.facts(this.listed);
    this.curve.facts = shown;
    this.curve.other = this.comparison ? this.facts(1 - this.listed) : null;
    this.overview.facts = shown;
    this.invalidate();
  }

  /** Gives the buffers of the second plan the colours that the first has for them. */
  #borrow(kinds) {
    const first = kindsOf(this.facts(0), "buffer");
    for (let j = 0; j < kinds.length; j++) {
      const i = this.comparison.toA[j];
      if (i >= 0 && kinds[j] < KIND.scale && first[i] < KIND.scale) kinds[j] = first[i];
    }
  }

  #marks({ doc, height, offsets, bound }) {
    const marks = [];
    if (doc.capacity) marks.push({ name: "capacity", value: doc.capacity, colour: "capacity", dash: [7, 4] });
    if (offsets && doc.n)
      marks.push({
        name: bound === height ? "height = lower bound" : "height",
        value: height,
        colour: "height",
        dash: [],
      });
    if (bound && bound !== height) marks.push({ name: "lower bound", value: bound, colour: "bound", dash: [2, 3] });
    return marks;
  }

  #figures() {
    const side = this.listed;
    const facts = this.facts(side);
    panel.tiles($("tiles"), facts, this.comparison);
    panel.owners($("owners"), facts, {
      select: (i) => this.select(side, i, true),
      zoomTo: (i) => this.zoomTo(side, i),
    });
    panel.faults($("faults"), facts.doc);
    panel.difference($("difference"), this.comparison);
    const rows = facts.doc.facts.map(([name, value]) =>
      panel.make(
        "tr",
        "",
        panel.make("th", "", name),
        panel.make("td", "", /^\d{5,}$/.test(value) ? digits(value) : value),
      ),
    );
    if (facts.doc.rounded)
      rows.push(
        panel.make("tr", "", panel.make("th", "", "note"), panel.make("td", "", "numbers above 2⁵³ are shown rounded")),
      );
    $("facts").replaceChildren(...rows);
    $("facts-part").hidden = !rows.length;
    const captions = [
      ["pane-a", 0],
      ["pane-b", 1],
    ];
    for (const [id, at] of captions) {
      const of = this.#sides().includes(at) ? this.facts(at) : null;
      const diff = this.comparison && this.mode === "diff";
      $(id).hidden = !of || (diff && at === 0);
      const caption = $(id).querySelector("figcaption");
      caption.hidden = !this.comparison;
      if (of) caption.textContent = of.doc.title + (of.offsets ? `, height ${both(of.height)}` : ", no plan");
      if (of) this.plots[at].canvas.setAttribute("aria-label", this.#label(of));
    }
    document.body.classList.toggle("two", Boolean(this.comparison && this.mode === "both"));
    $("legend").replaceChildren(...this.#legend());
    // What moved and what is tried have colours of their own.
    $("colour").parentElement.hidden = Boolean(this.marking || (this.comparison && this.mode === "diff"));
  }

  /** What the colours mean, where that is not plain. */
  #legend() {
    let names = [];
    if (this.story)
      names = [
        ["stays", "stays"],
        ["tried", "will be taken back"],
        ["back", "taken back just now"],
      ];
    else if (this.marking)
      names = [
        ["down", "lower than before"],
        ["up", "higher than before"],
        ["same", "in place"],
      ];
    else if (this.comparison && this.mode === "diff")
      names = [
        ["down", "lower"],
        ["up", "higher"],
        ["same", "in place"],
        ["only", "in one only"],
      ];
    else if (this.colour === "peak")
      names = [
        ["peak", "live at the peak"],
        ["top", "ends at the height"],
        ["plain", "others"],
      ];
    const palette = this.palette || new Palette(this.dark);
    const swatch = (kind, text) => {
      const s = panel.make("span", "swatch");
      const [r, g, b] = palette.fills[kind];
      s.style.background = `rgb(${r} ${g} ${b})`;
      return panel.make("span", "", s, text);
    };
    if (!names.length && (this.colour === "size" || this.colour === "life")) {
      const ends = this.colour === "size" ? ["small", "large"] : ["short", "long"];
      return [
        panel.make("span", "", ends[0]),
        ...Array.from({ length: 16 }, (_, k) => swatch(KIND.scale + k, "")),
        panel.make("span", "", ends[1]),
      ];
    }
    return names.map(([name, text]) => swatch(KIND[name], text));
  }

  #label(facts) {
    const plan = facts.offsets ? `Plan of height ${whole(facts.height)}` : "No plan";
    return `${facts.doc.title}. ${plan}, ${count(facts.doc.n, "buffer")}, peak load ${whole(facts.load.peak)}. Arrow keys move, plus and minus zoom, n and Shift+n go from buffer to buffer, Enter zooms to the selected one, Home shows all.`;
  }

  // What is asked for.

  search(query) {
    const says = $("found");
    try {
      const totals = this.#sides().map((side) => {
        const moved = this.comparison && (side ? this.comparison.moved : this.comparison.movedA);
        const result = search(query, this.facts(side), moved);
        this.found[side] = result && result.found;
        return result && result.total;
      });
      if (this.b < 0) this.found[1] = null;
      const total = totals[this.listed];
      says.textContent = total === null || total === undefined ? "" : `${whole(total)} found`;
      says.classList.remove("bad");
    } catch (error) {
      says.textContent = error.message;
      says.classList.add("bad");
      return;
    }
    this.table.show(this.facts(this.listed), this.found[this.listed]);
    this.table.update();
    this.#scenes();
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
        this.view.reveal(
          facts.doc.lower[i],
          facts.doc.upper[i],
          facts.shown[i],
          facts.shown[i] + facts.doc.size[i],
        );
    }
    this.table.select(this.selected[this.listed], reveal);
    this.invalidate();
  }

  zoomTo(side, i) {
    if (i < 0) return;
    const { doc, shown: offsets } = this.facts(side);
    if (!offsets || Number.isNaN(offsets[i])) return;
    this.select(side, i);
    this.view.show(doc.lower[i], doc.upper[i], offsets[i], offsets[i] + doc.size[i]);
  }

  #fit() {
    this.view.fit();
  }

  /** Shows the first peak, with all of the offsets. */
  #peak() {
    const { load } = this.facts(this.listed);
    if (!load.sections) return;
    const s = load.peakAt;
    const long = Math.max(load.times[s + 1] - load.times[s], (this.view.whole.t1 - this.view.whole.t0) / 400, 4);
    const middle = (load.times[s] + load.times[s + 1]) / 2;
    this.view.set(middle - 4 * long, middle + 4 * long, this.view.whole.y0, this.view.whole.y1);
  }

  #hover(side, i, event, time, offset) {
    const tip = $("tip");
    this.plots.forEach((plot) => (plot.hover = -1));
    this.#cursor(time === undefined ? null : time, offset);
    if (i < 0 || !event) {
      tip.hidden = true;
      return;
    }
    this.plots[side].hover = i;
    if (this.comparison) this.plots[1 - side].hover = (side ? this.comparison.toA : this.comparison.toB)[i];
    panel.card(tip, this.facts(side), i, this.comparison, side === 1);
    tip.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = tip;
    const x = event.clientX + 16 + w > window.innerWidth ? Math.max(4, event.clientX - w - 12) : event.clientX + 16;
    const y = Math.max(4, Math.min(event.clientY + 14, window.innerHeight - h - 6));
    tip.style.transform = `translate(${x}px, ${y}px)`;
  }

  #cursor(time, offset) {
    this.curve.cursor = time;
    this.plots.forEach((plot) => (plot.cursor = time));
    const readout = $("readout");
    if (time === null || !this.files.length) readout.textContent = "";
    else {
      const { load, top, waste } = this.facts(this.listed).at(time);
      const plan = this.facts(this.listed).offsets ? `, plan up to ${both(top)}, waste ${both(waste)}` : "";
      const where = offset === undefined ? "" : ` · offset ${whole(Math.max(0, Math.floor(offset)))}`;
      readout.textContent = `time ${whole(Math.floor(time))}${where} · load ${both(load)}${plan}`;
    }
    this.invalidate();
  }

  #box(side, box) {
    const e = $("box");
    e.hidden = !box;
    if (!box) return;
    const r = this.plots[side].canvas.getBoundingClientRect();
    Object.assign(e.style, {
      left: `${r.left + box.x0}px`,
      top: `${r.top + box.y0}px`,
      width: `${box.x1 - box.x0}px`,
      height: `${box.y1 - box.y0}px`,
    });
  }

  /** Shows a step of the search; what moved since the one before is marked. */
  #step(now, before) {
    const facts = this.facts(0);
    this.story = null;
    const atEnd = this.playback.at === this.playback.steps.length - 1;
    facts.use(atEnd && facts.doc.offsets ? facts.doc.offsets : now);
    this.marking = this.placed = null;
    this.plots[0].newest = -1;
    if (!atEnd && now && before && $("mark-moves").checked) {
      this.marking = new Uint8Array(facts.doc.n).fill(KIND.same);
      for (let i = 0; i < now.length; i++)
        if (now[i] !== before[i]) this.marking[i] = now[i] < before[i] ? KIND.down : KIND.up;
    }
    if (this.comparison) this.comparison.update();
    this.table.show(this.facts(this.listed), this.found[this.listed]);
    this.table.update();
    this.#scenes();
    this.#figures();
  }

  /** Shows the plan with so many of its buffers placed; the last of them is outlined. */
  #build(order, at) {
    const facts = this.facts(0);
    if (facts.shown !== facts.doc.offsets) facts.use(facts.doc.offsets);
    const legend = Boolean(this.marking);
    this.marking = this.story = null;
    if (legend) this.#figures();
    this.placed = at < order.length ? new Uint8Array(facts.doc.n) : null;
    for (let k = 0; this.placed && k < at; k++) this.placed[order[k]] = 1;
    this.plots[0].newest = this.placed && at ? order[at - 1] : -1;
    this.#scenes();
  }

  /**
   * Shows what is placed after some moves of the search: what stays, what will be taken
   * back, and what the last move has taken back, where it was. Without a story it shows
   * the plan.
   */
  #moves(story) {
    const facts = this.facts(0);
    const first = this.story !== story;
    this.story = story;
    this.placed = null;
    if (!story) {
      facts.use(facts.doc.offsets);
      this.table.update();
      this.marking = null;
      this.plots[0].newest = -1;
      this.#scenes();
      this.#figures();
      return;
    }
    const offsets = story.offsets.slice();
    const kinds = new Uint8Array(facts.doc.n);
    for (let i = 0; i < kinds.length; i++) if (story.by[i] >= 0) kinds[i] = story.stays(i) ? KIND.stays : KIND.tried;
    for (const { i, offset } of story.gone) {
      offsets[i] = offset;
      kinds[i] = KIND.back;
    }
    facts.shown = offsets; // what is said of the plan stays the plan's
    this.marking = kinds;
    this.table.update();
    this.plots[0].newest = story.newest >= 0 ? story.newest : (story.gone.at(-1)?.i ?? -1);
    this.#scenes();
    if (first) this.#figures();
  }

  // The controls.

  #controls() {
    const on = (id, type, run) => $(id).addEventListener(type, run);
    let waiting = 0;
    on("search", "input", () => {
      clearTimeout(waiting);
      const large = this.files.length && this.facts(0).doc.n > 200_000;
      waiting = setTimeout(() => this.files.length && this.search($("search").value), large ? 250 : 60);
    });
    on("search", "keydown", (event) => {
      if (event.key === "Enter") this.select(this.listed, this.table.beside(event.shiftKey ? -1 : 1), true);
      if (event.key === "Escape") {
        $("search").value = "";
        this.search("");
      }
    });
    for (const { id, name } of MODES) $("colour").append(new Option(name, id));
    on("colour", "change", () => {
      this.colour = $("colour").value;
      this.#scenes();
      this.#figures();
    });
    on("zoom-in", "click", () => this.view.zoom(0.6, 0.6));
    on("zoom-out", "click", () => this.view.zoom(1 / 0.6, 1 / 0.6));
    on("fit", "click", () => this.#fit());
    on("peak", "click", () => this.#peak());
    on("which", "change", () => this.choose(Number($("which").value), this.b));
    on("other", "change", () => this.choose(this.a, Number($("other").value)));
    for (const button of document.querySelectorAll("[data-mode]")) {
      button.addEventListener("click", () => this.setMode(button.dataset.mode));
    }
    for (const button of document.querySelectorAll("[data-save]")) {
      button.addEventListener("click", () => {
        $("save").open = false;
        save(button.dataset.save, this.plots[this.listed], this.facts(this.listed).doc.title);
      });
    }
    for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => this.tab(tab.id));
    $("tabs").addEventListener("keydown", (event) => {
      if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
      const other = document.querySelector("[role=tab][aria-selected=false]");
      this.tab(other.id);
      other.focus();
    });
    on("mark-moves", "change", () => this.playback.go(this.playback.at));
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.tab("tab-list");
      document.querySelector(".list-rows").focus();
    });
    on("unselect", "click", () => this.select(this.listed, -1));
    on("help-button", "click", () => $("help").showModal());
    document.addEventListener("click", (event) => {
      if (!$("save").contains(event.target)) $("save").open = false;
    });
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
    const keys = {
      "/": () => $("search").focus(),
      f: () => this.#fit(),
      p: () => this.#peak(),
      d: () => this.comparison && this.setMode(this.mode === "diff" ? "both" : "diff"),
      t: () => this.#nextTheme(),
      "?": () => $("help").showModal(),
      Escape: () => {
        if ($("save").open) $("save").open = false;
        else if (this.files.length) this.select(this.listed, -1);
      },
    };
    const { playback } = this;
    const played = {
      " ": () => (playback.timer ? playback.stop() : playback.start()),
      b: () => playback.toggle(-1),
      ",": () => playback.nudge(-1),
      ".": () => playback.nudge(1),
      "[": () => playback.jump(-1),
      "]": () => playback.jump(1),
      "<": () => playback.hurry(-1),
      ">": () => playback.hurry(1),
    };
    const run = keys[event.key] ?? (this.files.length && !$("playback").hidden && played[event.key]);
    if (!run || (event.key === " " && /^(BUTTON|SUMMARY)$/.test(event.target.tagName))) return;
    event.preventDefault();
    run();
  }

  setMode(mode) {
    this.mode = mode;
    this.#choices();
    this.#figures();
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

  /** Fills the lists of documents. */
  #choices() {
    const names = this.files.map(({ doc }) => doc.title);
    const fill = (list, chosen, none) => {
      const options = names.map((name, k) => new Option(name, k));
      if (none) options.unshift(new Option(none, -1));
      list.replaceChildren(...options);
      list.value = String(chosen);
    };
    fill($("which"), this.a);
    fill($("other"), this.b, "nothing");
    $("files").hidden = this.files.length < 2;
    $("modes").hidden = this.b < 0;
    for (const button of document.querySelectorAll("[data-mode]")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.mode));
    }
  }

  #themes() {
    const wish = window.matchMedia("(prefers-color-scheme: dark)");
    wish.addEventListener("change", () => this.#useTheme());
    $("theme").addEventListener("click", () => this.#nextTheme());
    // Paper is light, and what is on a canvas does not follow the style sheet by itself.
    for (const [event, printing] of [
      ["beforeprint", true],
      ["afterprint", false],
    ])
      window.addEventListener(event, () => {
        this.printing = printing;
        this.#useTheme();
        this.draw();
      });
    this.themeName = "auto";
    try {
      this.themeName = localStorage.getItem("stowage-theme") || "auto";
    } catch {
      // Pages from disk may have no storage; the theme is then the system's.
    }
    this.#useTheme();
  }

  #nextTheme() {
    this.themeName = THEMES[(THEMES.indexOf(this.themeName) + 1) % THEMES.length];
    try {
      localStorage.setItem("stowage-theme", this.themeName);
    } catch {
      // As above.
    }
    this.#useTheme();
  }

  #useTheme() {
    const root = document.documentElement;
    const wish = window.matchMedia("(prefers-color-scheme: dark)").matches;
    this.dark = !this.printing && (this.themeName === "dark" || (this.themeName === "auto" && wish));
    root.dataset.theme = this.dark ? "dark" : "light";
    $("theme").replaceChildren(
      panel.make("span", "wide", `Theme: ${this.themeName}`),
      panel.make("span", "narrow", "◐"),
    );
    $("theme").setAttribute("aria-label", `Theme: ${this.themeName === "auto" ? "the system's" : this.themeName}`);
    const style = getComputedStyle(root);
    for (const name of [
      "plot",
      "panel",
      "grid",
      "axis",
      "ink",
      "faint",
      "select",
      "cursor",
      "load",
      "waste",
      "height",
      "capacity",
      "bound",
      "peak",
      "peakBand",
      "veil",
    ]) {
      this.theme[name] = style.getPropertyValue("--c-" + name.toLowerCase()).trim();
    }
    this.playback.theme = this.theme;
    this.#scenes();
    if (this.files.length) this.#figures();
  }

  // Drawing.

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
    this.curve.draw();
    this.overview.draw();
    for (const plot of this.plots) plot.draw();
    this.playback.draw(this.theme);
    this.timings.push(performance.now() - began);
    if (this.timings.length > 1000) this.timings.splice(0, 500);
  }
}

/** The highest that a search has placed anything, 0 where that was not recorded. */
function topOf({ moves, size }) {
  let top = 0;
  moves?.kind.forEach((kind, k) => {
    if (kind === MOVE.place) top = Math.max(top, moves.offset[k] + size[moves.buffer[k]]);
  });
  return top;
}

/** Begins: with what the page carries, and with a place to drop files where it can plan. */
async function begin() {
  const app = new App();
  window.stowage = Object.assign(app, { KIND, save, shorten }); // for the console, and for tests
  try {
    const docs = await embedded(document);
    app.open(docs);
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
